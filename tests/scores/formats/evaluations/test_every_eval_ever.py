"""Scores that are written in the schema of Every Eval Ever are read again, or counted."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer import BenchinferError, Measure, read_scores

ODD = (
    *("..", ".", "../../up", "a/b", "a//b", "/etc", "a\\b", "~", "%2F", "a=b", "s:x=1,model=y"),
    *("x" * 300, "é" * 300, "y/" * 150, "_x", ".x", "-x", "run_spec.json", "*", "?", "a\nb"),
    *("a\u2028b", "a\x85b", "'\"", "CON", "<b>", "x.info", "scores.csv", "日本", "null", "0"),
)
LABELS = ["dataset", "algorithm", "replication", "measure"]


def drawn(seed: int) -> bi.ScoreTable:
    """Read a table with odd names, failures, empty cells, limits and bounds."""
    rng = np.random.default_rng(seed)
    names = [str(name) for name in rng.permutation(ODD)]
    datasets, algorithms = names[: rng.integers(1, 5)], names[5 : 5 + rng.integers(1, 5)]
    items, n = rng.random() < 0.5, int(rng.integers(1, 5))
    measures = [Measure(names[9], rng.choice(["higher", "lower"]), bounds=(0, 1))]
    if not items:
        limit = 0.9 if rng.random() < 0.5 else None
        measures = [
            Measure(names[9], "lower", limit=limit, par=1.0 + (limit is not None) * (seed % 2)),
            Measure(names[10], "higher", bounds=(-np.inf, np.inf) if seed % 2 else None),
        ][: rng.integers(1, 3)]
    empty = {(d, a) for d in datasets[1:] for a in algorithms if rng.random() < 0.2}
    rows = [
        (d, a, str(r), m.name, float(rng.integers(2)) if items else min(rng.random(), 0.9))
        for d in datasets
        for a in algorithms
        for r in range(n)
        for m in measures
        if (d, a) not in empty
    ]
    frame = pd.DataFrame(rows, columns=[*LABELS, "value"])
    frame.loc[rng.random(len(frame)) < rng.choice([0, 0.1, 0.6]), "value"] = np.nan
    frame.loc[0, "value"] = 0.0
    kind = "items" if items else "seeds"
    return read_scores(frame, measures=measures, resampling=kind)


def failed(table: bi.ScoreTable) -> list[tuple[str, ...]]:
    """List the failures that have no score."""
    failures = table.failures()
    if "scored" in failures:
        failures = failures[~failures["scored"].astype(bool)]
    return [tuple(map(str, row)) for row in failures[LABELS].itertuples(index=False)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "n"),
    [(0, 12), *(pytest.param(n, 40, marks=pytest.mark.calibration) for n in range(12, 1012, 40))],
)
def test_what_is_written_is_read_again(tmp_path: Path, first: int, n: int) -> None:
    for seed in range(first, first + n):
        check(drawn(seed), tmp_path / str(seed), str(np.random.default_rng(seed).choice(ODD)))


def check(table: bi.ScoreTable, folder: Path, name: str) -> None:
    """Write a table, and compare what is read with it."""
    files = table.to_every_eval_ever(folder, name)
    inside = [path.relative_to(folder).parts for path in folder.rglob("*") if path.is_file()]
    assert sorted(inside) == sorted(path.relative_to(folder).parts for path in files)
    assert {len(parts) for parts in inside} == {3}
    frame, failures = table.to_frame(), failed(table)
    again = read_scores(folder)
    known = {m.name: (m.better, m.bounds) for m in again.measures}
    assert known == {m.name: (m.better, m.bounds) for m in table.measures if m.name in known}
    assert {*again.datasets} <= {*table.datasets}
    if files[0].suffix == ".jsonl":
        pd.testing.assert_frame_equal(
            again.to_frame().sort_values(LABELS, ignore_index=True)[[*LABELS, "value"]],
            frame.sort_values(LABELS, ignore_index=True)[[*LABELS, "value"]],
        )
        assert sorted(failed(again)) == sorted(failures)
        return
    cells = ["dataset", "algorithm", "measure"]
    means = frame.groupby(cells)["value"].mean()
    np.testing.assert_allclose(again.to_frame().set_index(cells)["value"].loc[means.index], means)
    assert len(again.to_frame()) == len(means)
    lost = {(d, a, m) for d, a, _, m in failures}
    assert {(d, a, m) for d, a, _, m in failed(again)} == lost - {*means.index}
    records = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    counted = Counter({"failures": 0, "stopped": 0, "cells": 0})
    for record in records:
        for result in record["evaluation_results"]:
            counted["cells"] += 1
            more = result["score_details"].get("details", {})
            counted.update({key: int(number) for key, number in more.items()})
        more = record["eval_library"].get("additional_details", {})
        for *_, number in json.loads(more.get("without_score", "[]")):
            counted["cells"] += 1
            counted["failures"] += number
    stopped = sum(
        int((frame["value"][frame["measure"] == m.name] == m.stopped_score).sum())
        for m in table.measures
        if m.limit is not None
    )
    datasets = {*table.datasets, *(d for d, *_ in failures)}
    measures = {*(m.name for m in table.measures), *(m for *_, m in failures)}
    size = len(datasets) * len(records) * len(measures)
    assert counted == {"failures": len(failures), "stopped": stopped, "cells": size}


def test_all_is_written_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = drawn(3)
    (tmp_path / "mine.txt").write_text("x")
    write, calls = bi.core.saving.write_atomically, []

    def full(path: Path, text: str) -> Path:
        calls.append(path)
        if len(calls) == 3:
            raise BenchinferError("the disk is full")
        return write(path, text)

    monkeypatch.setattr("benchinfer.core.saving.write_atomically", full)
    with pytest.raises(BenchinferError, match="full"):
        table.to_every_eval_ever(tmp_path / "a" / "b")
    assert [path.name for path in tmp_path.rglob("*")] == ["mine.txt"]


def test_answers_that_are_not_beside_their_record(tmp_path: Path) -> None:
    table = next(
        t
        for t in map(drawn, range(9))
        if str(t.resampling.kind) == "items" and len(t.algorithms) > 1
    )
    files = table.to_every_eval_ever(tmp_path, "live")
    files[0].unlink()
    with pytest.raises(bi.ScoreTableError, match=r"names '\S+\.jsonl', which is not beside it"):
        read_scores(tmp_path)
