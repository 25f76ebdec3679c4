"""Folder of runs of HELM."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.scores.formats.format import (
    Format,
    Record,
    Results,
    document,
    holds_record,
    listed,
    part,
    records,
)
from benchinfer.scores.resampling import Resampling

_TOOL = "HELM"
_HIGHER = (
    *("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match"),
    *("final_number_exact_match", "exact_match_indicator", "exact_set_match", "iou_set_match"),
    *("math_equiv", "math_equiv_chain_of_thought", "chain_of_thought_correctness", "f1_score"),
    *("classification_macro_f1", "classification_micro_f1", "rouge_1", "rouge_2", "rouge_l"),
    *("bleu_1", "bleu_4", "RR@10", "NDCG@10", "NDCG@20", "code_eval_acc", "pass"),
    *("ifeval_strict_accuracy", "test_avg"),
)


def helm(folder: Path, files: Sequence[Path]) -> Results | None:
    """Return the score of each instance of each run, or its mean where instances were not kept.

    Of other statistics than those with a direction, and of perturbed instances, none are read.
    """
    runs = [file.parent for file in files if file.name == "run_spec.json"]
    if not any(holds_record(run / "run_spec.json", "name", "adapter_spec") for run in runs):
        return None
    by_instance = all((run / "per_instance_stats.json").is_file() for run in runs)
    rows: list[dict[str, Any]] = []
    for run in runs:
        spec = document(run / "run_spec.json", _TOOL)
        name = part(spec, "name", str, _TOOL)
        scenario, _, arguments = name.partition(":")
        others = [
            a
            for a in arguments.split(",")
            if a.partition("=")[0] not in ("model", "model_deployment")
        ]
        labels = {
            "dataset": ":".join(text for text in (scenario, ",".join(others)) if text),
            "algorithm": part(part(spec, "adapter_spec", dict, _TOOL), "model", str, _TOOL),
        }
        before = len(rows)
        rows += [labels | row for row in (_instances(run) if by_instance else _means(run))]
        if len(rows) == before:
            raise ScoreTableError(
                f"the run {name!r} of HELM has no statistic whose direction is known.",
                hint=f"known are {', '.join(_HIGHER)}; others are read of stats.json by a pattern.",
            )
    return Format(
        _TOOL,
        measures=tuple(Measure(metric, "higher") for metric in _HIGHER),
        resampling=Resampling("items") if by_instance else None,
        note=f"{len(runs)} runs in {folder.name}; other statistics than scores are left out",
    ), rows


def _scores(stats: Sequence[Record]) -> dict[tuple[str, str], object]:
    """Return the mean of each statistic with a direction by its name and split."""
    scores: dict[tuple[str, str], object] = {}
    for stat in stats:
        name = part(stat, "name", dict, _TOOL)
        if str(name.get("name")) in _HIGHER and not name.get("perturbation"):
            scores[str(name["name"]), str(name.get("split"))] = stat.get("mean")
    return scores


def _means(run: Path) -> list[dict[str, Any]]:
    scores = _scores(listed(run / "stats.json", _TOOL))
    splits = {split for _, split in scores}
    chosen = "test" if "test" in splits else "valid"
    return [
        {"replication": "1", "measure": metric, "value": value}
        for (metric, split), value in scores.items()
        if split == chosen
    ]


def _instances(run: Path) -> list[dict[str, Any]]:
    instances = [
        item
        for item in listed(run / "per_instance_stats.json", _TOOL)
        if not item.get("perturbation")
    ]
    several = len({str(item.get("train_trial_index")) for item in instances}) > 1
    rows: list[dict[str, Any]] = []
    for item in instances:
        label = str(item.get("instance_id"))
        label += f"/{item.get('train_trial_index')}" if several else ""
        scores = _scores(records(item, "stats", _TOOL))
        rows += [
            {"replication": label, "measure": metric, "value": value}
            for (metric, _), value in scores.items()
        ]
    return rows
