"""Learning curves: mean scores at each step, such as training-set sizes or epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, join
from benchinfer.numerics.types import Array
from benchinfer.plots import bars
from benchinfer.plots.curves import (
    PANEL,
    STYLES,
    ProfileCurve,
    ProfileLayout,
    ticks_across,
    told_apart,
)
from benchinfer.plots.panels import scaled
from benchinfer.plots.style import PAGE, Width, is_wide, measure_name
from benchinfer.plots.text import fitted, key

if TYPE_CHECKING:
    from benchinfer.scores.rows.reductions import Observations
    from benchinfer.scores.table import ScoreTable

_LEVEL = 0.95
_MARKED = 15  # steps that have marks


@dataclass(frozen=True, slots=True)
class _Curves:
    """Means of K algorithms at G steps, on the modelling scale, larger is better.

    Attributes
    ----------
    steps
        (G,) the steps, in ascending order.
    mean, half
        (K, G) means over the data sets and half widths of their intervals; the means are NaN where
        an algorithm lacks scores on some data set, the half widths where they cannot be estimated.
    of_runs
        Whether intervals are those of new runs on the same data sets; otherwise of new data sets.
    """

    steps: Array
    mean: Array
    half: Array
    of_runs: bool


def layout(scores: ScoreTable, width: Width = PAGE, *, top: int | None = None) -> ProfileLayout:
    """Return the layout of the mean scores at each value of the covariate that runs differ in.

    Raises
    ------
    DesignError
        There is no covariate that varies within data sets, or several, or no two steps that all
        data sets have.
    """
    step = _covariate(scores)
    table = scores.observations()
    measure, log = table.measure, table.measure.scale == "log"
    every = _at_common_steps(_curves(table, table.covariates.index(step)), table, step)
    last = np.array([_last(row) for row in every.mean])
    order = np.argsort(-last, kind="stable")[: np.isfinite(last).sum()][:top]
    mean, half = every.mean[order], every.half[order]
    levels, ends = measure.level_of(mean), _ends(table, mean, half)
    limits, cut = _limits(levels, ends, log=log)
    share, low, high = (
        scaled(np.clip(values, *limits), *limits, log=log) for values in (levels, *ends)
    )
    k, total, of = len(order), len(table.algorithms), count(len(table.datasets), "data set")
    together = is_wide(width) and k <= len(STYLES) and told_apart(low, high)
    columns = min(k, 2) if not is_wide(width) else 4 if k <= 8 else 5
    room = 0.25 * width if together else PANEL * (width - 0.5) / columns - 0.05
    names = fitted([table.algorithms[a] for a in order], room, bold=not together)
    ratios, span = _is_geometric(every.steps), (float(every.steps[0]), float(every.steps[-1]))
    curves = tuple(map(ProfileCurve, names.values(), share, low, high))
    at_end = [f"{c.label} {_last(x):.4g}" for c, x in zip(curves[:3], levels, strict=False)]
    name = measure_name(measure)
    return ProfileLayout(
        curves=curves,
        across=scaled(every.steps, *span, log=ratios),
        steps=False,
        ticks=ticks_across(span, 7 if together else 3, log=ratios),
        columns=0 if together else columns,
        legend="best at the end first",
        heights=ticks_across(limits, 5 if together else 3, log=log),
        marks=len(every.steps) <= _MARKED,
        title=f"Learning curves: {name} by {step}",
        axis=(
            f"across: {step}; up: mean {name}{measure.unit_mark} over {of},"
            f" {measure.better} is better"
        ),
        notes=(
            *_notes(every, half, together=together, first=curves[0].label),
            *(("intervals beyond the axis are cut",) if cut else ()),
            *(("gap in a curve: not on all data sets",) if np.isnan(mean).any() else ()),
            *((f"{k:,} of {total:,} algorithms, the best at the end",) if k < total else ()),
            *key(names),
        ),
        width=width,
        alt=f"Learning curves of {count(k, 'algorithm')} at {count(len(every.steps), 'value')} of"
        f" {step}; at the end {', '.join(at_end)}.",
    )


def _last(values: Array) -> float:
    """Return the last number that is finite, or minus infinity."""
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else -np.inf


def _at_common_steps(curves: _Curves, table: Observations, step: str) -> _Curves:
    """Return the curves at the steps that some algorithm has on all data sets."""
    common = np.isfinite(curves.mean).any(axis=0)
    if common.sum() < 2:
        n = count(len(table.datasets), "data set")
        raise DesignError(
            f"no two values of {step!r} have scores on all {n}.",
            hint="scores.subset(datasets=...) has those with the same ones.",
        )
    return _Curves(
        curves.steps[common], curves.mean[:, common], curves.half[:, common], curves.of_runs
    )


def _covariate(scores: ScoreTable) -> str:
    """Return the covariate that varies within data sets."""
    varying = [*scores.dataset_covariates().varying]
    if len(varying) == 1:
        return varying[0]
    if not varying:
        raise DesignError(
            "there are no steps: no covariate varies within a data set.",
            hint='covariates="epoch" with columns={"epoch": "replication", "seed": "replication"}'
            " keeps the scores of each run at all epochs.",
        )
    raise DesignError(
        f"there are several covariates that vary within data sets: {join(varying)}.",
        hint="read the table with one of them as covariates.",
    )


def _curves(table: Observations, covariate: int) -> _Curves:
    """Return means of the data sets' means at each step, and intervals of each by itself.

    With two runs or more in each cell of a step the interval is that of new runs on the same data
    sets: means of cells have separate variances, and the degrees of freedom are those of
    Satterthwaite. Otherwise it is Student's, of data sets as a sample.
    """
    steps, at = np.unique(table.covariate[:, covariate], return_inverse=True)
    shape = (len(table.algorithms), len(steps), len(table.datasets))
    cell = np.ravel_multi_index((table.algorithm, at, table.dataset), shape)
    size = int(np.prod(shape))
    n = np.bincount(cell, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(cell, table.value, size) / n
        squares = np.bincount(cell, (table.value - mean[cell]) ** 2, size)
        n, mean = n.reshape(shape), mean.reshape(shape)
        complete = (n > 0).all(axis=2)
        of_runs = bool((n[complete] > 1).all())
        d = shape[2]
        if of_runs:
            parts = squares.reshape(shape) / (n - 1) / n / d**2
            variance = parts.sum(axis=2)
            df = variance**2 / (parts**2 / (n - 1)).sum(axis=2)
        else:
            variance = mean.var(axis=2, ddof=1) / d if d > 1 else np.full(shape[:2], np.nan)
            df = np.full(shape[:2], d - 1.0)
        half = stats.t.ppf((1 + _LEVEL) / 2, df) * np.sqrt(variance)
    half[variance == 0] = 0.0
    over = mean.mean(axis=2)
    over[~complete] = half[~complete] = np.nan
    return _Curves(steps, over, half, of_runs)


def _ends(table: Observations, mean: Array, half: Array) -> tuple[Array, Array]:
    """Return lower and upper ends of intervals in the measure's own unit and range."""
    measure = table.measure
    ends = np.sort([measure.level_of(mean - half), measure.level_of(mean + half)], axis=0)
    if measure.bounds is not None:
        ends = np.clip(ends, *measure.bounds)
    return ends[0], ends[1]


def _limits(
    levels: Array, ends: tuple[Array, Array], *, log: bool
) -> tuple[tuple[float, float], bool]:
    """Return ends of the axis, and whether intervals reach beyond them.

    Means are within, and intervals up to as far from the means as these are from each other.
    """
    low, high = (np.log(end) if log else end for end in ends)
    means = np.log(levels) if log else levels
    least, most = float(np.nanmin(means)), float(np.nanmax(means))
    span = (most - least) or float(np.nanmax(np.r_[0.0, (high - low).ravel()]))
    bottom = max(float(np.nanmin(np.r_[low.ravel(), least])), least - span)
    above = min(float(np.nanmax(np.r_[high.ravel(), most])), most + span)
    cut = bool((low < bottom).any() or (high > above).any())
    values = [bottom, above]
    return bars.room([float(np.exp(v)) for v in values] if log else values, log=log), cut


def _is_geometric(steps: Array) -> bool:
    """Return whether the ratios of steps are more alike than their differences."""
    if steps[0] <= 0 or len(steps) < 3:
        return False
    gaps, ratios = np.diff(steps), np.diff(np.log(steps))
    return bool(ratios.std() / ratios.mean() < gaps.std() / gaps.mean())


def _notes(curves: _Curves, half: Array, *, together: bool, first: str) -> tuple[str, ...]:
    """Return what the shades are of, and what they are not."""
    grey = () if together else (f"grey: range of those shown; dashed: {first}",)
    if np.isnan(half).all():
        return ("one run of each: no intervals", *grey)
    area = "shaded" if together else "blue"
    of = "new runs on these data sets" if curves.of_runs else "new data sets"
    interval = f"{100 * _LEVEL:g} % interval for {of}, at each step by itself"
    return (f"{area}: {interval}, not of a whole curve or a difference", *grey)
