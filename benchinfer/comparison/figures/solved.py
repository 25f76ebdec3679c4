"""Figures of runs with a limit: solved over time, cactus, and ratios to the best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.numerics.types import Array, Codes
from benchinfer.plots.curves import (
    PANEL,
    STYLES,
    ProfileCurve,
    ProfileLayout,
    ticks_across,
    told_apart,
)
from benchinfer.plots.panels import scaled
from benchinfer.plots.style import PAGE, Width, is_wide
from benchinfer.plots.text import fitted, key

if TYPE_CHECKING:
    from benchinfer.scores.numerics.limits import RunTimes
    from benchinfer.scores.table import ScoreTable

type _Shown = Literal["solved", "cactus", "profile"]
_POINTS, _RESAMPLES, _SEED, _LEVEL = 200, 400, 1, 0.95
_TITLES = {
    "solved": "Solved over time",
    "cactus": "Cactus plot: time against runs solved",
    "profile": "Performance profiles: ratios to the best",
}


def layout(
    kind: _Shown, scores: ScoreTable, width: Width = PAGE, *, top: int | None = None
) -> ProfileLayout:
    """Return the layout of curves of the runs or problems that each algorithm solves.

    Parameters
    ----------
    kind
        ``"solved"``: the share of runs that are solved within a time. ``"cactus"``: the time within
        which a number of runs is solved. ``"profile"``: the share of problems that are solved
        within a ratio of the best time; stopped runs are at infinity, and of several runs on a
        problem it is the expected running time (Dolan & More 2002,
        https://doi.org/10.1007/s101070100263).
    scores, width, top
        The table, the width in inches, and how many algorithms are shown, those that solve most.
    """
    runs = scores.runs().times()
    problem, algorithm = runs.run_problem, runs.run_algorithm
    value = np.where(runs.run_solved, runs.run_time, np.inf)
    if kind == "profile":
        value, problem, algorithm = _ratios(runs)
    finite = value[np.isfinite(value)]
    if not len(finite):
        raise DesignError("no run was solved.", hint="the failures of the table list the runs.")
    low = float(finite.min())
    high = max(float(finite.max()) if kind == "profile" else runs.limit, 1.001 * low)
    log = low > 0
    grid = np.geomspace(low, high, _POINTS) if log else np.linspace(low, high, _POINTS)
    grid[0], grid[-1] = low, high
    share, ends = _curves(value, runs.dataset[problem], algorithm, grid, len(runs.algorithms))
    order = np.lexsort([-share.mean(axis=1), -share[:, -1]])[:top]
    total, k = len(share), len(order)
    together = is_wide(width) and k <= len(STYLES) and told_apart(*ends[:, order])
    columns = min(k, 2) if not is_wide(width) else 4 if k <= 8 else 5
    room = 0.25 * width if together else PANEL * (width - 0.3) / columns - 0.05
    names = fitted(runs.algorithms, room, bold=not together)
    curves = tuple(
        ProfileCurve(names[runs.algorithms[a]], share[a], ends[0, a], ends[1, a]) for a in order
    )
    last = ", ".join(f"{c.label} {c.share[-1]:.2f}" for c in curves[:3])
    n = np.bincount(algorithm, minlength=total)
    turned = kind == "cactus"
    numbered = turned and n.min() == n.max()
    what = f"{runs.name}{f' ({runs.unit})' if runs.unit else ''}"
    axis = {
        "solved": f"across: {what}; up: share of runs solved within it",
        "cactus": f"across: {'number' if numbered else 'share'} of runs solved; up: {what}",
        "profile": f"across: {what} / that of the best; up: share of problems within that",
    }[kind]
    area, level = "shaded" if together else "blue", f"{100 * _LEVEL:g} %"
    return ProfileLayout(
        curves=curves,
        across=scaled(grid, low, high, log=log),
        steps=True,
        ticks=ticks_across((low, high), 7 if together and not turned else 3, log=log),
        columns=0 if together else columns,
        legend="most solved first",
        most=int(n.max()) if numbered else 1,
        turned=turned,
        title=f"{_TITLES[kind]} ({runs.name} up to {runs.limit:,.6g})",
        axis=axis,
        notes=(
            f"{area}: {level} band of data sets drawn anew, of each point by itself",
            *(() if together else (f"grey: range of those shown; dashed: {curves[0].label}",)),
            *(("stopped runs have no time, and are never reached",) if kind == "profile" else ()),
            *([f"{k:,} of {total:,} algorithms, those that solve most"] if k < total else []),
            *key({a: names[a] for a in (runs.algorithms[i] for i in order)}),
        ),
        width=width,
        alt=f"{_TITLES[kind]} of {count(k, 'algorithm')}; at the end {last}.",
    )


def _ratios(runs: RunTimes) -> tuple[Array, Codes, Codes]:
    """Return ratios to the best running time of each problem, infinite where none was solved."""
    total, solved = runs.running_times()
    with np.errstate(divide="ignore", invalid="ignore"):
        time = np.where(solved > 0, total / solved, np.inf)
        best = time.min(axis=1, keepdims=True)
        ratio = np.where(np.isinf(time), np.inf, np.where(time == best, 1.0, time / best))
    problem, algorithm = np.nonzero(runs.n)
    return ratio[problem, algorithm], problem, algorithm


def _curves(
    value: Array, dataset: Codes, algorithm: Codes, grid: Array, k: int
) -> tuple[Array, Array]:
    """Return (K, G) shares within thresholds, and (2, K, G) ends of bands of resampled data sets.

    Parameters
    ----------
    value, dataset, algorithm
        (N,) values, their data sets and algorithms.
    grid
        (G,) thresholds.
    k
        Number of algorithms.
    """
    rng, d = np.random.default_rng(_SEED), int(dataset.max()) + 1
    there = np.unique(dataset)
    weight = np.zeros((_RESAMPLES, d))
    weight[:, there] = rng.multinomial(len(there), np.full(len(there), 1 / len(there)), _RESAMPLES)
    share, ends = np.empty((k, len(grid))), np.empty((2, k, len(grid)))
    tail = 100 * (1 - _LEVEL) / 2
    for a in range(k):
        mine = algorithm == a
        first = np.searchsorted(grid, value[mine])  # the first threshold that holds it
        cell = dataset[mine] * (len(grid) + 1) + first
        held = np.bincount(cell, minlength=d * (len(grid) + 1)).reshape(d, -1).cumsum(axis=1)
        held, n = held[:, :-1].astype(float), held[:, -1].astype(float)
        share[a] = held.sum(axis=0) / n.sum()
        drawn = weight @ held / np.maximum(weight @ n, 1)[:, None]
        ends[:, a] = np.percentile(drawn, [tail, 100 - tail], axis=0)
    return share, ends
