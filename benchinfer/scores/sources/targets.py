"""Traces of optimisers: the time until each run reaches a target, in place of its values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from benchinfer.core.arguments import check_count
from benchinfer.core.errors import ScoreTableError
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, join
from benchinfer.scores.columns.roles import common_name
from benchinfer.scores.coverage import Finding, refuse
from benchinfer.scores.numerics.targets import TargetTimes, first_hits, spaced_targets
from benchinfer.scores.sources.curves import STEPS, numbers, without_column
from benchinfer.scores.sources.frames import Source
from benchinfer.scores.sources.layouts import roles_of

if TYPE_CHECKING:
    import pandas as pd

type Goals = int | str | Sequence[float]

# Names of columns of what a run has spent, the usual ones first.
_COSTS = (
    *("evaluations", "evaluation", "evals", "n_evals", "fevals", "nfev", "function_evaluations"),
    *("function_evaluation", "n_evaluations", "num_evaluations", "calls", "runtime", "time"),
    *("elapsed", "seconds"),
    *(name for name in STEPS if name not in ("evaluations", "evals")),
)
_LABELS = ("domain", "dataset", "algorithm", "replication")
_CLOSE = 0.95  # budgets of at least this share of the largest one are the same, but for a batch
_FORMS = 'targets=(0.1, 0.01), targets=51 or targets="1e2:1e-8:51"'
_RUN = "benchinfer_run"
_MOST = 10_000  # targets


@dataclass(frozen=True, slots=True)
class _Grid:
    """Requested targets: values common to all problems, or a number of targets for each.

    Attributes
    ----------
    values
        Common values, empty where each problem has its own.
    number
        How many there are.
    single
        Whether each is a measure of its own.
    """

    values: tuple[float, ...]
    number: int
    single: bool

    @classmethod
    def of(cls, targets: object) -> _Grid:
        """Read a list of values, a number of targets, or ``first:last:number``."""
        if isinstance(targets, str):
            return cls._of_text(targets)
        if isinstance(targets, int) and not isinstance(targets, bool) and targets > 1:
            check_count("targets", targets, 2, "", most=_MOST)
            return cls((), targets, single=False)
        try:
            values = tuple(float(v) for v in cast("Sequence[float]", targets))
        except (TypeError, ValueError):
            raise _unread(targets) from None
        if not values or not all(map(math.isfinite, values)) or len(set(values)) < len(values):
            raise _unread(targets)
        return cls(values, len(values), single=True)

    @classmethod
    def _of_text(cls, text: str) -> _Grid:
        if re.fullmatch(r"\s*\d+\s*", text) and int(text) > 1:
            return cls.of(int(text))
        try:
            if ":" not in text:
                return cls.of([float(part) for part in text.split(",") if part.strip()])
            first, last, number = text.split(":")
            ends, n = (float(first), float(last)), int(number)
        except ValueError:
            raise _unread(text) from None
        check_count("targets", n, 0, "", most=_MOST)
        if n < 2 or not all(map(math.isfinite, ends)) or ends[0] == ends[1]:
            raise _unread(text)
        if min(ends) <= 0:
            raise ScoreTableError(
                f"targets={text!r}: targets are equally spaced in logarithms, and {min(ends):g}"
                " has none.",
                hint="two numbers above 0, or a list of values.",
            )
        return cls(tuple(spaced_targets(*ends, np.nan, n).tolist()), n, single=False)


def _unread(targets: object) -> ScoreTableError:
    return ScoreTableError(
        f"{targets=} is not understood.",
        hint=f"values, each once; how many for each problem; or first:last:number: {_FORMS}.",
    )


def target_times(
    source: Source,
    targets: Goals,
    measures: Sequence[Measure],
    columns: Mapping[str, str] | None,
    layout: str,
    stem: str,
) -> tuple[pd.DataFrame, tuple[Measure, ...], TargetTimes, list[Finding]]:
    """Turn traces into the times until runs reach targets.

    Returns a frame with one row for each run and measure, the measures, the times of all runs and
    targets, and findings. The only data set, if no column names data sets, is called `stem`.
    """
    grid = _Grid.of(targets)
    if not measures:
        raise ScoreTableError(
            f"{targets=}: it is not said which values reach a target.",
            hint="declare the measure of the trace, as in loss:lower.",
        )
    value, cost = measures[0], _cost(source, measures)
    table, keys = _rows(source, value, cost.name, columns, layout)
    run = table.groupby(keys, sort=False, dropna=False, observed=True).ngroup() if keys else 0
    rows = table.assign(**{_RUN: run}).sort_values([_RUN, "cost"], kind="stable")
    # Several values at one cost are of several runs under one label.
    twice = rows[rows.duplicated([_RUN, "cost"], keep=False)]
    values = twice.drop_duplicates([_RUN, "cost", "value"])
    if n := int(values.duplicated([_RUN, "cost"]).sum()):
        raise ScoreTableError(
            f"runs have several values at the same {cost.name}, {n:,} times: several runs have the"
            " same labels.",
            hint="columns={'NAME': 'replication'} names the column of runs.",
        )
    runs = rows.drop_duplicates(_RUN, keep="last").reset_index(drop=True)
    times = _times(rows, runs, grid, value, cost, stem)
    if cost.limit is not None:
        times = times.up_to(cost.limit)
    limit, notes = _limit(times, cost)
    frame, new = _scores(runs, times, grid, cost, limit)
    size = f"{len(rows):,} rows of {count(len(runs), 'run')}"
    what = f"{size}: {cost.name} until {value.name} reaches {count(grid.number, 'target')}"
    if not grid.values:
        what += " of each data set, from the worst first to the best last value"
    findings = [Finding("times to targets", "note", len(runs), f"{what}."), *notes]
    return frame, new, replace(times, limit=limit), findings


def _cost(source: Source, measures: Sequence[Measure]) -> Measure:
    """Return the measure of cost: the second declared, or a column with a name such as time."""
    if len(measures) > 2:
        raise ScoreTableError(
            f"{len(measures)} measures are declared, and traces have two: their values, and what a"
            " run has spent.",
            hint="declare the values first, as in loss:lower, evaluations:lower.",
        )
    usual = [n for cost in _COSTS for n in source.names if common_name(n) == cost]
    cost = measures[1] if len(measures) == 2 else Measure((*usual, "evaluations")[0], "lower")
    if cost.name not in source.names or cost.better != "lower":
        raise ScoreTableError(
            f"no column {cost.name!r} says how much a run has spent, of which lower is better.",
            hint="declare it after the values, as in loss:lower, evaluations:lower; the table has:"
            f" {', '.join(source.names)}.",
        )
    return cost


def _rows(
    source: Source,
    value: Measure,
    cost: str,
    columns: Mapping[str, str] | None,
    layout: str,
) -> tuple[pd.DataFrame, list[str]]:
    """Return values and costs with the labels of their runs."""
    import pandas as pd

    roles = roles_of(without_column(source, cost), columns, layout, [value.name])
    refuse([f for f in roles.findings if f.severity == "error"], source.name)
    if len(roles.scores) != 1 or (roles.has("measure") and "measure" not in roles.spread):
        raise ScoreTableError(
            f"a trace has one column of values, and {source.name!r} has"
            f" {len(roles.scores)}{', and a column of measures' if 'measure' in roles.of else ''}.",
            hint="where=\"metric == 'NAME'\" selects rows, columns={'NAME': 'value'} a column.",
        )
    frame, _ = source.load([*roles.labels, *roles.scores, cost], [], [])
    held: pd.DataFrame = frame.collect().to_arrow().to_pandas()
    table = pd.DataFrame(
        {
            role: held[list(roles.of[role])].astype(str).agg("/".join, axis=1)
            if len(roles.of[role]) > 1
            else held[roles.of[role][0]]
            for role in _LABELS
            if role in roles.of
        }
    )
    table["value"] = _number(held[roles.scores[0]], roles.scores[0])
    table["cost"] = _number(held[cost], cost)
    keys = [role for role in _LABELS if role in roles.of]
    if bad := int((table["cost"].isna() | (table["cost"] < 0)).sum()):
        raise ScoreTableError(
            f"{bad:,} of {len(table):,} rows have no number of 0 or more in {cost!r}, which says"
            " how much a run has spent.",
            hint="correct them, or leave them out.",
        )
    return table, keys


def _number(values: pd.Series[Any], name: str) -> pd.Series[float]:
    """Return numbers, NaN where there is none; raise a ScoreTableError on other text."""
    numeric = numbers(values)
    text = values.astype(object).map(lambda v: isinstance(v, str) and bool(v.strip()))
    odd = values[numeric.isna() & text & ~values.astype(str).str.strip().str.lower().eq("nan")]
    if len(odd):
        raise ScoreTableError(
            f"{len(odd):,} of {len(values):,} rows of {name!r} are no numbers, such as"
            f" {odd.iloc[0]!r}.",
            hint="correct them, or leave them out.",
        )
    return numeric


def _times(
    rows: pd.DataFrame,
    runs: pd.DataFrame,
    grid: _Grid,
    value: Measure,
    cost: Measure,
    stem: str,
) -> TargetTimes:
    """Return the time at which each run reached each target."""
    import pandas as pd

    def coded(role: str, default: str) -> tuple[np.ndarray, tuple[str, ...]]:
        labels = runs[role].astype(str) if role in runs else pd.Series([default] * len(runs))
        codes, names = pd.factorize(labels, sort=True)
        return codes.astype(np.int64), tuple(map(str, names))

    dataset, datasets = coded("dataset", stem)
    algorithm, algorithms = coded("algorithm", "?")
    run = rows[_RUN].to_numpy(np.int64)
    values = rows["value"].to_numpy(np.float64)
    if grid.values:
        targets = np.tile(np.array(grid.values), (len(datasets), 1))
    else:
        targets = _of_datasets(values, run, dataset, datasets, grid.number, value)
    sign = -value.sign
    time = first_hits(
        rows["cost"].to_numpy(np.float64), sign * values, run, sign * targets[dataset]
    )
    names = tuple(f"{cost.name} to {v:.12g}" for v in grid.values) if grid.single else ()
    budget = rows.groupby(_RUN)["cost"].max().to_numpy(np.float64)
    return TargetTimes(
        cost.name, names, datasets, algorithms, targets, dataset, algorithm, time, budget
    )


def _of_datasets(
    values: np.ndarray,
    run: np.ndarray,
    dataset: np.ndarray,
    names: Sequence[str],
    n: int,
    value: Measure,
) -> np.ndarray:
    """Return (D, n) targets from the worst first to the best last value of each data set."""
    signed = -value.sign * np.where(np.isfinite(values), values, np.nan)
    start = np.flatnonzero(np.diff(run, prepend=-1))
    best = np.fmin.reduceat(signed, start)
    first = signed[start]
    lowest = np.fmin.reduceat(np.where(values > 0, values, np.nan), start)
    if empty := [name for i, name in enumerate(names) if np.isnan(best[dataset == i]).all()]:
        raise ScoreTableError(
            f"no run has a finite value of {value.name} on {count(len(empty), 'data set')}:"
            f" {join(empty)}.",
            hint="leave them out, or give the targets as values.",
        )
    rows: list[np.ndarray] = []
    for i in range(len(names)):
        of = dataset == i
        worst = float(np.nanmax(np.where(np.isnan(first[of]), best[of], first[of])))
        ends = (-value.sign * worst, -value.sign * float(np.nanmin(best[of])))
        positive = lowest[of][~np.isnan(lowest[of])]
        rows.append(spaced_targets(*ends, float(positive.min(initial=np.inf)), n))
    return np.stack(rows)


def _limit(times: TargetTimes, cost: Measure) -> tuple[float, list[Finding]]:
    """Return the time up to which runs are compared, and findings on runs that ended earlier."""
    low, high = times.observed
    if cost.limit is not None:
        missed = np.isinf(times.time).any(axis=1)
        early = int((missed & (times.budget < _CLOSE * cost.limit)).sum())
        if not early:
            return cost.limit, []
        what = (
            f"{count(early, 'run')} of {len(missed):,} ended before the limit of {cost.limit:,.6g}"
            f" {cost.name} without all targets, the first at {low:,.6g}: they count as stopped at"
            " the limit."
        )
        hint = f"they gave up; if their budget was smaller, a limit of {low:,.6g} is fair to them."
        return cost.limit, [Finding("runs that ended early", "warning", early, what, (), hint)]
    if low >= _CLOSE * high:
        return low, []
    what = (
        f"runs that missed a target ended after {low:,.6g} to {high:,.6g} {cost.name}: times are"
        f" compared up to {low:,.6g}, until which all were observed."
    )
    hint = (
        f"a larger limit, declared of {cost.name} after the values, counts runs that ended sooner"
        f" as having given up; the largest budget is {high:,.6g}."
    )
    return low, [Finding("runs of unequal budgets", "warning", len(times.budget), what, (), hint)]


def _scores(
    runs: pd.DataFrame, times: TargetTimes, grid: _Grid, cost: Measure, limit: float
) -> tuple[pd.DataFrame, tuple[Measure, ...]]:
    """Return the rows of a table of scores, and its measures."""
    import pandas as pd

    reached = times.time <= limit
    labels = runs[[role for role in _LABELS if role in runs]]
    if grid.single:
        new = tuple(replace(cost, name=name, limit=limit) for name in times.measures)
        parts = [
            labels.assign(
                measure=m.name,
                value=np.where(reached[:, j], times.time[:, j], limit),
                status=np.where(reached[:, j], "solved", "stopped"),
            )
            for j, m in enumerate(new)
        ]
        return pd.concat(parts, ignore_index=True), new
    stopped = cost.par * limit
    with np.errstate(divide="ignore"):
        each = cost.transform(np.where(reached, times.time, stopped))
    means = cost.level_of(cost.sign * each.mean(axis=1))
    noun = "geometric mean" if cost.scale == "log" else "mean"
    penalty = "" if cost.par == 1 else f", others {cost.par:g} times that"
    main = replace(
        cost,
        limit=None,
        par=1.0,
        bounds=(0.0, stopped),
        label=cost.label
        or f"{noun} {cost.name} to {grid.number} targets, up to {limit:,.6g}{penalty}",
    )
    share = Measure(
        "targets reached",
        "higher",
        bounds=(0.0, 1.0),
        label=f"share of {grid.number} targets reached within {limit:,.6g} {cost.name}",
    )
    parts = [
        labels.assign(measure=m.name, value=values)
        for m, values in ((main, means), (share, reached.mean(axis=1)))
    ]
    return pd.concat(parts, ignore_index=True), (main, share)
