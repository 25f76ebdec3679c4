"""Kasimbeg et al. (2025): AlgoPerf 0.5, six self-tuned training algorithms on 14 workloads."""

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

import benchinfer as bi
from benchinfer.reproductions.entry import Claims, Entry, SourceFile, numbers

_SCORES = {
    "schedule_free_adamw": 0.8542,
    "baseline": 0.8194,
    "nadamw_sequential": 0.3308,
    "sinv6_75": 0.1420,
    "sinv6": 0.0903,
    "adamg": 0.0,
}
# Of each workload the measure on validation data and its target; variants name their base.
_LOSS, _SSIM, _ACCURACY, _WER = "loss", "ssim", "accuracy", "wer"
_PRECISION, _BLEU = "mean_average_precision", "bleu"
_TARGETS = {
    "criteo1tb": (_LOSS, 0.123735),
    "fastmri": (_SSIM, 0.723653),
    "imagenet_resnet": (_ACCURACY, 0.77431),
    "imagenet_vit": (_ACCURACY, 0.77309),
    "librispeech_conformer": (_WER, 0.085884),
    "librispeech_deepspeech": (_WER, 0.119936),
    "ogbg": (_PRECISION, 0.28098),
    "wmt": (_BLEU, 30.8491),
    "criteo1tb_embed_init": (_LOSS, 0.129657),
    "fastmri_tanh": (_SSIM, 0.71784),
    "imagenet_resnet_large_bn_init": (_ACCURACY, 0.76526),
    "librispeech_conformer_layernorm": (_WER, 0.09731),
    "ogbg_model_size": (_PRECISION, 0.269446),
    "wmt_glu_tanh": (_BLEU, 29.5779),
}
_BASES = tuple(_TARGETS)[:8]
_SLOWEST = 4.0  # times the fastest: what is slower has not reached the target


def _time(path: Path, measure: str, target: float) -> float:
    """Return the first time at which a run reaches its target, infinite where it never does."""
    sign = 1.0 if measure in {_LOSS, _WER} else -1.0
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if (value := row[f"validation/{measure}"]) and sign * float(value) <= sign * target:
                return float(row["score"])
    return np.inf


def times_of(folder: Path | str) -> pd.DataFrame:
    """Read times to the target: ``algorithm dataset replication time``, a study a replication."""
    rows: list[tuple[str, str, str, float]] = []
    for path in sorted(Path(folder).glob("*/*/*/*/eval_measurements.csv")):
        algorithm, study, workload = path.parts[-5:-2]
        name = workload.removesuffix("_jax").removesuffix("_pytorch")
        if name in _TARGETS:
            rows.append((algorithm, name, study, _time(path, *_TARGETS[name])))
    table = pd.DataFrame(rows, columns=["algorithm", "dataset", "replication", "time"])
    keys = ["algorithm", "dataset", "replication"]
    return table.groupby(keys, as_index=False).agg({"time": "min"})


def _medians(folder: Path | str) -> pd.DataFrame:
    times = times_of(folder).pivot_table("time", "algorithm", "dataset", aggfunc="median")
    return pd.DataFrame(times).fillna(np.inf)  # not run


def scores_of(folder: Path | str) -> bi.ScoreTable:
    """Read median times of workloads relative to the fastest, up to the board's limit of four."""
    medians = _medians(folder)
    relative = medians.div(medians.min()).clip(upper=_SLOWEST).fillna(_SLOWEST)
    limited = bi.Measure("relative time", better="lower", limit=_SLOWEST)
    rows = relative.T.rename_axis("dataset").reset_index()
    return bi.read_scores(
        rows, columns={"dataset": "dataset"}, layout="wide-algorithms", measures=limited
    )


def board_of(folder: Path | str) -> pd.Series:
    """Return the board's scores: the area under each performance profile from 1 to 4.

    A workload counts where its held-out variant, too, is reached, and the other way round.
    """
    medians = _medians(folder)
    variants = {name: base for base in _BASES for name in _TARGETS if name.startswith(f"{base}_")}
    for name, base in variants.items():
        medians.loc[np.isinf(medians[base]), name] = np.inf
    medians = medians.where(medians <= _SLOWEST * medians.min(), np.inf)
    for name, base in variants.items():
        medians.loc[np.isinf(medians[name]), base] = np.inf
    bases = medians[list(_BASES)]
    relative = bases.div(bases.min())
    points = np.linspace(1, _SLOWEST, 100)
    profiles = np.stack([(relative <= point).mean(axis=1) for point in points], axis=1)
    areas = np.trapezoid(profiles, x=points, axis=1) / (_SLOWEST - 1)
    return pd.Series(areas, relative.index).sort_values(ascending=False)


def _compute(folder: Path) -> Mapping[str, float]:
    areas = board_of(folder)
    return {f"score of {name}": areas[name] for name in _SCORES}


ENTRY = Entry(
    name="kasimbeg2025",
    study="kasimbeg2025",
    title="AlgoPerf, self-tuned training algorithms",
    files=(
        SourceFile(
            "algoperf",
            "eval_measurements.csv below previous_leaderboards/algoperf_v05/logs/self_tuning of"
            " mlcommons/submissions_algorithms, commit 12c8e4ea",
            "03ab27d057a2a6e06c23aed09222123bb9ac54d777fc7a825b93b1c605494891",
            "*/*/*/*/eval_measurements.csv",
        ),
    ),
    licence="Apache-2.0",
    published=numbers(
        "README of version 0.5", {f"score of {k}": v for k, v in _SCORES.items()}, 0.00005
    ),
    compute=_compute,
    claims=Claims("workloads", scores_of, lambda folder: board_of(folder).index),
)
