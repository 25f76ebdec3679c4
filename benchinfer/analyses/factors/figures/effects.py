"""Main effects and interactions with their intervals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.factors.factors import Factors
from benchinfer.comparison.figures import forest
from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict
from benchinfer.plots.style import PAGE, Width, measure_name
from benchinfer.plots.text import fitted

if TYPE_CHECKING:
    from benchinfer.analyses.factors.effects import Interaction

MOST = 10  # pairs of levels of one factor


def layout(result: Factors, width: Width = PAGE, *, top: int | None = None) -> forest.Forest:
    """Return the layout of main effects, and of the clearest difference of each interaction."""
    parts = [
        (name, forest.layout(one, width, top=top or MOST))
        for name, one in result.items()
        if len(one.pairs)
    ]
    if not parts:
        raise DesignError("no main effect is estimable, and there is nothing to draw.")
    of_factor = _prefixes(result, width)
    rows = [
        replace(row, group=name, label=of_factor[name] + row.label)
        for name, part in parts
        for row in part.rows
    ]
    interactions = _interactions(result)
    more = [
        f"{name}: {len(part.rows):,} of {len(result[name].pairs):,} pairs"
        for name, part in parts
        if len(part.rows) < len(result[name].pairs)
    ]
    notes = [f"on average over the other factors; {result._interval_words}", *more]
    if interactions:
        notes.append("interactions: the clearest difference of differences, as its size")
    return replace(
        parts[0][1],
        rows=(*rows, *interactions),
        sides=("first", "second"),
        title=f"{result._heading}: {measure_name(result.measure)}",
        notes=tuple(notes),
        alt=f"Main effects of {', '.join(result)} with intervals. {result.headline()}",
    )


def _prefixes(result: Factors, width: float) -> dict[str, str]:
    """Return the names of factors before their levels, if levels are numbers or of two factors."""
    levels = [level for one in result.levels.values() for level in one]
    clear = len({*levels}) == len(levels) and not any(map(_is_number, levels))
    names = fitted(result.levels, width / 4)
    return {name: "" if clear else f"{text}: " for name, text in names.items()}


def _is_number(level: str) -> bool:
    return level.replace(".", "", 1).isdecimal()


def _interactions(result: Factors) -> list[forest.Row]:
    """Return a row for the clearest difference of differences of each pair of factors."""
    table = result.interactions()
    rows: list[forest.Row] = []
    start = 0
    for one in result.pairs_of_factors:
        if one.tested and one.n.any():
            rows.append(
                _row(result, one, start, decided=bool(table["decided"].iloc[start + one.largest]))
            )
        start += len(one.n)
    return rows


def _row(result: Factors, one: Interaction, start: int, *, decided: bool) -> forest.Row:
    """Return the row of an interaction, in the direction in which it is positive."""
    f, g = (list(result.levels)[factor] for factor in one.factors)
    place = one.largest
    ends = np.array([one.low[place], one.high[place]])
    sign = -1.0 if one.estimate[place] < 0 else 1.0
    low, high = np.sort(sign * ends)
    of_ends = result.measure.effect_interval(np.array([low]), np.array([high]))
    return forest.Row(
        pair=start + place,
        label=f"{f} x {g}",
        verdict=Verdict.FIRST if decided else Verdict.UNDECIDED,
        said="interact" if decided else Verdict.UNDECIDED.label,
        estimate=float(result.measure.effect(sign * one.estimate[place : place + 1])[0]),
        low=float(of_ends[0][0]),
        high=float(of_ends[1][0]),
        group="interactions",
    )
