"""Units: scores of one column that do not seem to be of one measure."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from benchinfer.core.numbers import brief, count
from benchinfer.numerics.types import Array, Flags
from benchinfer.scores.checks.decision import PERMUTATION, SPREAD, advice
from benchinfer.scores.checks.facts import Facts, Rule, rows_finding
from benchinfer.scores.checks.kinds import all_ranks, zero_one
from benchinfer.scores.coverage import Finding
from benchinfer.scores.numerics import two_way

MIXED = ("stand-ins", "per cent and fractions")
UNEQUAL = "unequal spread"
# Of nested units: items that some algorithms lack, and groups of items declared within items.
_FEWEST = 4  # data sets
_NEGATIVE = (-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0)
_LARGE = (999.0, 9999.0, 99999.0, 999999.0, 9999999.0, 1e6, 1e7, 1e8, 1e9, 2147483647.0)


def stand_ins(facts: Facts) -> Finding | None:
    """List scores that look as if they stood for a missing one, such as -1 among shares."""
    s = facts.summary
    bounds = {measure.name: measure.bounds for measure in facts.measures}
    rows: list[tuple[str, ...]] = []
    total = 0
    for m, measure in enumerate(s.measures):
        for i, end in enumerate(s.ends[m].tolist()):
            extremes = (s.minimum, s.maximum)[i][m]
            at = extremes == end
            others = extremes[np.isfinite(extremes) & ~at]
            if end in (bounds.get(measure) or ()) or len(others) < max(3, at.sum()):
                continue
            alone = end in _NEGATIVE and others.min() >= 0
            alone = alone if i == 0 else end in _LARGE and others.max() < end / 5
            if alone:
                total += int(s.at_ends[m, :, :, i].sum())
                places_ = [(s.datasets[d], s.algorithms[k]) for d, k in np.argwhere(at)]
                rows += [(*place, measure, f"{end:g}") for place in places_]
    values = ", ".join(dict.fromkeys(row[3] for row in rows))
    return rows_finding(
        MIXED[0],
        "warning",
        f"{total} {'score is' if total == 1 else 'scores are'} {values}, far from all others: do"
        " they stand for missing ones?",
        ("dataset", "algorithm", "measure", "value"),
        rows,
        "leave failed runs out as missing rows.",
    )


def per_cent_and_fractions(facts: Facts) -> Finding | None:
    """List the data sets or algorithms with scores near a hundred times those of the others."""
    s = facts.summary
    declared = {measure.name: measure for measure in facts.measures}
    rows: list[tuple[str, ...]] = []
    for m, name in enumerate(s.measures):
        measure = declared.get(name)
        if measure is not None and (measure.scale != "identity" or measure.bounds or measure.unit):
            continue
        if zero_one(s, m) or all_ranks(s, m) or not 0 < s.ends[m, 0] <= 1 < s.ends[m, 1] <= 100:
            continue
        held = s.n[m] > 0
        above = held & (s.minimum[m] > 1)
        if _hundredfold(s.minimum[m], s.maximum[m], above, held & (s.maximum[m] <= 1)):
            low, high = np.nanmin(s.mean[m][above]), np.nanmax(s.mean[m][above])
            span = f"{low:.3g} to {high:.3g}"
            rows += [(*row, name, span) for row in _wholly(facts, held, above)]
    if not rows:
        return None
    return rows_finding(
        MIXED[1],
        "warning",
        f"the scores of {count(len(rows), rows[0][0])} are about a hundred times those of the"
        " others: per cent beside fractions?",
        ("of", "name", "measure", "means"),
        rows,
        "bring them to one unit; Measure(bounds=(0, 1)) refuses what is not a fraction.",
    )


def _hundredfold(low: Array, high: Array, above: Flags, below: Flags) -> bool:
    """Return whether the cells fall in two narrow groups about a hundredfold apart.

    Times and errors that vary over several powers of ten have no gap, or none of that size.
    """
    n, others = int(above.sum()), int(below.sum())
    if min(n, others) < 3 or n + others < np.isfinite(low).sum():
        return False
    groups = (low[below], high[below]), (low[above], high[above])
    narrow = all(np.quantile(h, 0.9) <= 10 * np.quantile(w, 0.1) for w, h in groups)
    apart = groups[1][0].min() >= 3 * groups[0][1].max()
    times = float(np.median(groups[1][1]) / np.median(groups[0][1]))
    return bool(narrow and apart and 30 <= times <= 300)


def _wholly(facts: Facts, held: Flags, above: Flags) -> list[tuple[str, str]]:
    """Return the data sets, or else algorithms, with all cells in `above`; empty where mixed."""
    s = facts.summary
    for role, names, axis in (("data set", s.datasets, 1), ("algorithm", s.algorithms, 0)):
        all_above = (above == held).all(axis=axis)
        if (all_above | ~above.any(axis=axis)).all():
            chosen = all_above & above.any(axis=axis)
            return [(role, names[i]) for i in np.flatnonzero(chosen)]
    return []


def unequal_spread(facts: Facts) -> Finding | None:
    """List data sets on which scores vary many times as much as on others."""
    s = facts.summary
    rows: list[tuple[str, ...]] = []
    ways: dict[str, str] = {}
    for m, measure in facts.declared:
        between, within = two_way.spread_ratios(facts.levels(m)), _within_ratios(facts, m)
        fitting = advice(facts, m)
        unit = dict(fitting.unit) if fitting else {}
        # Of scores in several units the data sets that spread most are shown, however far.
        most = min(SPREAD, float(np.quantile(between, 0.9))) if unit else SPREAD
        ratio = np.fmax(between, within)
        far = np.flatnonzero((between >= most) | (within >= SPREAD))
        if len(far):
            typical = fitting is not None and fitting.call == PERMUTATION
            ways |= unit or ({"analysis": "permutation"} if typical else {})
        rows += [
            (
                s.datasets[d],
                measure.name,
                "algorithms" if between[d] >= most else "replications",
                f"{brief(float(ratio[d]))} times",
            )
            for d in far[np.argsort(-ratio[far], kind="stable")]
        ]
    if not rows:
        return None
    finding = rows_finding(
        UNEQUAL,
        "warning",
        f"on {count(len(rows), 'data set')} scores vary far more than on the median one,"
        f" {rows[0][3]} as much on {rows[0][0]}: another unit or measure?",
        ("dataset", "measure", "between", "spread"),
        rows,
        one_unit(ways),
    )
    return finding and replace(finding, proposes=tuple(ways.items()))


_ONE_UNIT = {
    "permutation": "typical differences, which few data sets do not move (compare_permutation)",
    "log": 'relative scores (Measure(scale="log"))',
    "ranks": 'ranks within data sets (scores.normalise("ranks"))',
    "z": 'standard deviations of each data set (scores.normalise("z"))',
}


def one_unit(ways: Mapping[str, object]) -> str:
    """Return the hint on scores in several units, with the arguments that bring them to one."""
    shown = [_ONE_UNIT[str(way)] for way in ways.values()]
    way = f"; compare takes {' or '.join(shown)}" if shown else ""
    return f"a mean over data sets is about these alone: bring them to one unit{way}."


def _within_ratios(facts: Facts, m: int) -> Array:
    """Return (D,) standard deviations within cells, over their median; 1 on another scale."""
    s = facts.summary
    scale = {measure.name: measure.scale for measure in facts.measures}[s.measures[m]]
    degrees = (s.n[m] - 1).clip(min=0).sum(axis=1)
    sd = np.sqrt(s.squares[m].sum(axis=1) / np.maximum(degrees, 1))
    known = (degrees > 0) & (sd > 0)
    if scale != "identity" or known.sum() < _FEWEST:
        return np.ones(len(s.datasets))
    return np.where(known, sd / np.median(sd[known]), 1.0)


# Rules of `MIXED`.
MIXING: tuple[Rule, ...] = (stand_ins, per_cent_and_fractions)
RULES: tuple[Rule, ...] = (*MIXING, unequal_spread)
