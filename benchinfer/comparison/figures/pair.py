"""Forest of one pair: its difference on each data set by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.figures import forest
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import unknown
from benchinfer.core.numbers import count
from benchinfer.core.verdict import Verdict, words
from benchinfer.plots.style import PAGE, Width, measure_name
from benchinfer.plots.text import fitted, key, versus

if TYPE_CHECKING:
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.per_dataset import Comparisons


def layout(
    local: Comparisons,
    width: Width = PAGE,
    *,
    top: int | None = None,
    pair: tuple[str, str] | None = None,
) -> forest.Forest:
    """Return the layout of a row for each data set, by default of the two best by mean rank."""
    known = sorted({name for one in local.values() for name in one.algorithms})
    for name in pair or ():
        if name not in known:
            raise ArgumentError(unknown("algorithm", name, known))
    names = _best(local, known) if pair is None else pair
    parts = {
        dataset: forest.layout(one, width, pair=names, order=[*names, *_others(one, names)])
        for dataset, one in local.items()
        if {*names} <= {*one.algorithms}
    }
    if not parts or names[0] == names[1]:
        raise ArgumentError(
            f"{names[0]!r} and {names[1]!r} are not compared on one data set.",
            hint='pair=("A", "B") names two algorithms with scores on the same data set.',
        )
    first = next(iter(parts.values()))
    measure = next(iter(local.values())).measure
    labels = fitted([*parts], 0.38 * width)
    rows = [
        replace(
            row,
            label=labels[dataset],
            said=words(row.verdict, "first", "second", first.comparative),
            group="",
        )
        for dataset, part in parts.items()
        for row in part.rows
    ]
    rows = sorted(rows, key=lambda row: row.estimate)[:top]
    won = [sum(row.verdict == v for row in rows) for v in (Verdict.FIRST, Verdict.SECOND)]
    many = count(len(rows), "data set")
    tally = f"{names[0]} better on {won[0]}, {names[1]} on {won[1]}, of {many}"
    more = f"{many} of {len(parts)}, the smallest differences first"
    return replace(
        first,
        rows=tuple(rows),
        sides=names,
        title=f"{versus(*names, width)} by data set: {measure_name(measure)}",
        notes=(
            f"first: {names[0]}; second: {names[1]}; each data set by itself",
            *first.notes,
            *((more,) if len(rows) < len(parts) else ()),
            *key(labels),
        ),
        alt=f"Forest plot of {names[0]} vs {names[1]} on each data set, {first.axis}: {tally}.",
    )


def _others(one: Comparison, names: tuple[str, str]) -> list[str]:
    return [name for name in one.ranking() if name not in names]


def _best(local: Comparisons, known: list[str]) -> tuple[str, str]:
    """Return the two algorithms with the best mean ranks over the data sets that have them."""
    places = {
        name: float(
            np.mean([one.ranking().index(name) for one in local.values() if name in one.algorithms])
        )
        for name in known
    }
    first, second = sorted(known, key=lambda name: (places[name], name))[:2]
    return first, second
