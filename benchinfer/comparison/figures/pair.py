"""Forest of one pair: its difference on each data set by itself, and their mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from benchinfer.comparison.figures import forest
from benchinfer.comparison.wording import decider
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import unknown
from benchinfer.core.numbers import count
from benchinfer.core.verdict import SHAPES, Verdict, words
from benchinfer.numerics.types import Array
from benchinfer.plots import bars
from benchinfer.plots.style import INK, PAGE, Width, measure_name
from benchinfer.plots.text import fitted, key, versus

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.per_dataset import Comparisons


_TURNED = {Verdict.FIRST: Verdict.SECOND, Verdict.SECOND: Verdict.FIRST}


@dataclass(frozen=True, slots=True)
class PairForest(forest.Forest):
    """Layout of a forest plot of one pair, whose last row is the mean if there is one."""

    mean: tuple[float, float, float] | None = None  # the mean and its interval


def layout(
    local: Comparisons,
    width: Width = PAGE,
    *,
    top: int | None = None,
    pair: tuple[str, str] | None = None,
) -> PairForest:
    """Return the layout of a row for each data set, by default of the two best by mean rank."""
    names = _names(local, pair)
    at = {dataset: p for dataset, one in local.items() if (p := place_of(one, names)) is not None}
    if not at:
        raise ArgumentError(
            f"{names[0]!r} and {names[1]!r} are not compared on one data set.",
            hint='pair=("A", "B") names two algorithms with scores on the same data set.',
        )
    first = local[next(iter(at))]
    if first.pairs.directed:  # as it was tested
        names = first.pairs.sides[next(iter(at.values()))]
    labels = fitted([*at], 0.38 * width)
    rows = [row_of(local[dataset], p, names, labels[dataset]) for dataset, p in at.items()]
    rows = sorted(rows, key=lambda row: row.estimate)
    # Data sets of all sizes of differences, where there is no room for all.
    shown = [
        rows[i] for i in np.linspace(0, len(rows) - 1, min(top or len(rows), len(rows)), dtype=int)
    ]
    measure, log = first.measure, first.measure.scale != "identity"
    bounded = rows[0].low is not None
    mean = _mean([row.estimate for row in rows], first.level, log=log) if bounded else None
    won = [sum(row.verdict == v for row in shown) for v in (Verdict.FIRST, Verdict.SECOND)]
    many = count(len(shown), "data set")
    tally = f"{names[0]} better on {won[0]}, {names[1]} on {won[1]}, of {many}"
    more = f"{many} of {len(rows)}, evenly from the smallest difference to the largest"
    last = (
        f"mean: of the differences on {count(len(rows), 'data set')}, each of the same weight, with"
        f" Student's {100 * first.level:g} % interval for new data sets"
    )
    laid = PairForest(
        rows=(*shown, *((_mean_row(mean),) if mean else ())),
        neutral=measure.neutral,
        band=forest.band(measure),
        log=log,
        left=Verdict.FIRST if measure.better == "lower" else Verdict.SECOND,
        sides=names,
        title=f"{versus(*names, width)} by data set: {measure_name(measure)}",
        axis=forest.axis_title(measure),
        notes=(
            f"first: {names[0]}; second: {names[1]}; each data set by itself",
            *_notes(first, names, shown),
            *((last,) if mean else ()),
            *((more,) if len(shown) < len(rows) else ()),
            *key(labels),
        ),
        width=width,
        alt=f"Forest plot of {names[0]} vs {names[1]} on each data set,"
        f" {forest.axis_title(measure)}: {tally}"
        + (f"; mean {mean[0]:.3g}, from {mean[1]:.3g} to {mean[2]:.3g}." if mean else "."),
        comparative=first._comparative,
        mean=mean,
    )
    if bars.fits(laid):
        return laid
    marks = [f"{SHAPES[v]} {v.label}" for v in Verdict if v in {row.verdict for row in shown}]
    bare = replace(
        laid,
        rows=tuple(replace(row, said="") for row in laid.rows),
        notes=(", ".join(marks), *laid.notes),
    )
    return bare if bars.fits(bare) else laid


def _names(local: Comparisons, pair: tuple[str, str] | None) -> tuple[str, str]:
    """Return the two algorithms, by default the two best by mean rank."""
    known = sorted({name for one in local.values() for name in one.algorithms})
    for name in pair or ():
        if name not in known:
            raise ArgumentError(unknown("algorithm", name, known))
    return _best(local, known) if pair is None else pair


def place_of(one: Comparison, names: tuple[str, str]) -> int | None:
    """Return the number of a pair of algorithms among those compared."""
    sides = one.pairs.sides
    return next((p for p, side in enumerate(sides) if side in (names, names[::-1])), None)


def row_of(one: Comparison, p: int, names: tuple[str, str], label: str) -> forest.Row:
    """Return the row of a pair in one comparison, the first of the names first."""
    effects = one._effects()
    verdict = Verdict(int(one.pairs.codes[p]))
    bounded = "conf_low" in effects
    ends = ("estimate", "conf_low", "conf_high")[: 3 if bounded else 1]
    values = [float(effects[name][p]) for name in ends]
    if one.pairs.sides[p] != names:
        turn = 1 / np.array(values) if one.pairs.neutral == 1 else -np.array(values) + 0.0
        values = [*turn[:1].tolist(), *turn[:0:-1].tolist()]
        verdict = _TURNED.get(verdict, verdict)
    return forest.Row(
        pair=p,
        label=label,
        verdict=verdict,
        said=words(verdict, "first", "second", one._comparative),
        estimate=values[0],
        low=values[1] if bounded else None,
        high=values[2] if bounded else None,
        group="",
    )


def _mean(
    effects: Sequence[float], level: float, *, log: bool
) -> tuple[float, float, float] | None:
    """Return the mean of effects with Student's interval, of ratios that of their logarithms."""
    values: Array = np.log(effects) if log else np.array(effects)
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return None
    centre, error = float(values.mean()), float(values.std(ddof=1)) / np.sqrt(len(values))
    half = float(stats.t.ppf((1 + level) / 2, len(values) - 1)) * error
    ends = np.array([centre, centre - half, centre + half])
    centre, low, high = (np.exp(ends) if log else ends).tolist()
    return centre, low, high


def _mean_row(mean: tuple[float, float, float]) -> forest.Row:
    """Return the row of the mean, which has a name and room, and a mark of its own."""
    return forest.Row(-1, "mean", Verdict.MISSING, "", float("nan"), *mean[1:], group="mean")


def _notes(
    first: Comparison, names: tuple[str, str], rows: Sequence[forest.Row]
) -> tuple[str, ...]:
    """Return what the intervals are, and how many of those of decided pairs include equality."""
    tested = "p_value" in first._effects()
    none = "no intervals: tests decide" if tested else "no intervals: no inference"
    neutral, intervals = first.measure.neutral, first._intervals
    n = sum(
        row.verdict in _TURNED and row.low is not None and row.low < neutral < (row.high or 0)
        for row in rows
    )
    if intervals and n:
        marks = "a filled mark is" if n == 1 else f"{n} filled marks are"
        intervals += f"; {marks} on an interval that includes equality, {decider(first)}"
    pair = place_of(first, names)
    of_pair = "" if pair is None else first._interval_note([pair])
    notes = intervals or none, of_pair, forest.band_note(first.measure)
    return tuple(note for note in notes if note)


def _best(local: Comparisons, known: Sequence[str]) -> tuple[str, str]:
    """Return the two algorithms with the best mean ranks of those that are compared."""
    places: dict[str, list[int]] = {name: [] for name in known}
    for one in local.values():
        for place, name in enumerate(one.ranking()):
            places[name].append(place)
    mean: Mapping[str, float] = {name: float(np.mean(at)) for name, at in places.items()}
    ranked = sorted(known, key=lambda name: (mean[name], name))
    compared = {frozenset(side) for one in local.values() for side in one.pairs.sides}
    # The second one is as good as it can be: (1, 2), (1, 3), (2, 3), (1, 4), ...
    for second, first in sorted((j, i) for i, j in combinations(range(len(ranked)), 2)):
        if frozenset((ranked[first], ranked[second])) in compared:
            return ranked[first], ranked[second]
    return ranked[0], ranked[1]


def draw(laid: PairForest, ax: Axes) -> None:
    """Draw a forest of one pair into an Axes, with a diamond for the mean."""
    forest.draw(laid, ax)
    if laid.mean is not None:
        y = len(laid.rows) - 1 + (0.0 if bars.fits(laid) else 0.2)
        estimate, low, high = laid.mean
        corners = [low, estimate, high, estimate], [y, y - 0.3, y, y + 0.3]
        ax.fill(*corners, color=INK, lw=0, zorder=4)
