"""Means of the runs of tools that time programs: a run is the unit, whatever it holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.scores.coverage import Finding
from benchinfer.scores.read import read_scores

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


def of_runs(scores: ScoreTable) -> bool:
    """Return whether replications are runs, each of several cases on one state of a machine."""
    return scores.resampling is not None and scores.resampling.kind == "runs"


def run_means(scores: ScoreTable, measure: str) -> ScoreTable:
    """Return the table of one data set with one score a run: the mean over its cases.

    That is the mean on the scale of the measure, on the log scale the geometric one, over the cases
    (data sets) that all runs hold. The cases of a run share the state of a machine: runs are the
    replications, and cases are no sample.

    Raises
    ------
    DesignError
        No case is in all runs.

    Examples
    --------
    >>> import benchinfer as bi, pandas as pd
    >>> times = pd.DataFrame({"case": list("ab") * 4, "run": [1, 1, 2, 2] * 2,
    ...                       "version": ["old"] * 4 + ["new"] * 4,
    ...                       "time": [1.0, 100.0, 4.0, 100.0] * 2})
    >>> scores = bi.read_scores(times, measures="time:lower:0.05:log", resampling="runs",
    ...     columns={"case": "dataset", "run": "replication", "version": "algorithm"})
    >>> run_means(scores, "time").to_frame()["value"].round(6).tolist()
    [10.0, 10.0, 20.0, 20.0]
    """
    declared = scores.measure(measure)
    frame = scores.to_frame(declared.name)
    frame["value"] = declared.orient(frame["value"].to_numpy())
    table = frame.pivot_table(
        index=["algorithm", "replication"], columns="dataset", values="value", observed=True
    )
    held = table.dropna(axis=1)
    if held.empty:
        raise DesignError(f"{declared.name}: no case is in all {count(len(table), 'run')}.")
    means = held.mean(axis=1).rename("value").reset_index()
    means["value"] = declared.level_of(means["value"].to_numpy())
    means["dataset"] = count(held.shape[1], "case")
    averaged = read_scores(means, measures=[declared], resampling=scores.resampling, paired=False)
    what = f"runs are the units, by their means over {count(held.shape[1], 'case')}."
    notes = [*scores.notes, Finding("units", "note", len(table), what)]
    if lost := table.shape[1] - held.shape[1]:
        what = f"{count(lost, 'case')} that not all runs hold are left out."
        notes.append(Finding("cases of some runs", "note", lost, what))
    return replace(averaged, source=scores.source, notes=tuple(notes))
