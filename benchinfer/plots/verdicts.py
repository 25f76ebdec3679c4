"""Verdicts per data set: a tile for every data set and pair of algorithms."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.phrases import count
from benchinfer.errors import DesignError, message
from benchinfer.order.relation import Verdict
from benchinfer.plots import tiles
from benchinfer.plots.style import MARKS, Width, measure_name, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.compare.local import Comparisons
    from benchinfer.order.ensemble import Ensemble
    from benchinfer.order.relation import Relation
    from benchinfer.sequential.monitored_measures import MonitoredMeasures

SYMBOLS = {
    Verdict.FIRST: ">",
    Verdict.SECOND: "<",
    Verdict.EQUIVALENT: "~",
    Verdict.UNDECIDED: "?",
    Verdict.MISSING: "",
}
FILL = {
    Verdict.FIRST: "#CFE4F2",
    Verdict.SECOND: "#F8DCC6",
    Verdict.EQUIVALENT: "#CDEBDD",
    Verdict.UNDECIDED: "#F3F4F6",
    Verdict.MISSING: "#FFFFFF",
}


@dataclass(frozen=True, slots=True)
class Tile:
    """The verdict on one data set (`row`) about one pair (`column`)."""

    row: int
    column: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Where everything stands.

    Attributes
    ----------
    tiles
        One per data set and pair.
    rows, columns
        Names of the data sets and of the pairs, the first algorithm of a pair first.
    title, note
        Heading, and how to read it.
    width
        Narrow figures have smaller tiles.
    alt
        Text alternative.
    """

    tiles: tuple[Tile, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    title: str
    note: tuple[str, ...]
    width: Width
    alt: str


def layout(comparisons: "Comparisons", width: Width = "wide") -> Verdicts:
    """Lay out the verdicts of a comparison per data set.

    Parameters
    ----------
    comparisons
        One comparison per data set; pairs that a data set lacks have an empty tile.
    width
        ``"narrow"`` for smaller tiles.

    Raises
    ------
    DesignError
        There is no comparison to draw.
    """
    if not comparisons:
        raise DesignError(message("no data set was compared.", hint="see comparisons.refused."))
    measure = next(iter(comparisons.values())).measure
    heading = measure_name(measure)
    where = f"on {count(len(comparisons), 'data set')}"
    title = f"Verdicts on each data set: {heading}"
    return _tiles(comparisons.relations(), title, where, width)


def layout_ensemble(ensemble: "Ensemble", width: Width = "wide") -> Verdicts:
    """Lay out the verdicts of the relations of an ensemble."""
    where = f"in {count(len(ensemble), 'relation')}"
    return _tiles(ensemble, "Verdicts of each relation", where, width)


def layout_measures(monitored: "MonitoredMeasures", width: Width = "wide") -> Verdicts:
    """Lay out the verdicts so far by each measure of a running experiment."""
    where = f"by {count(len(monitored), 'measure')}"
    return _tiles(monitored.relations(), "Verdicts by each measure", where, width)


def _tiles(relations: Mapping[str, "Relation"], title: str, where: str, width: Width) -> Verdicts:
    algorithms = standing(relations)
    pairs = list(combinations(algorithms, 2))
    names, datasets = short(algorithms, 14), short(list(relations), 22)
    found = [
        Tile(row, column, _verdict(relation, *pair))
        for row, relation in enumerate(relations.values())
        for column, pair in enumerate(pairs)
    ]
    return Verdicts(
        tiles=tuple(found),
        rows=tuple(datasets[name] for name in relations),
        columns=tuple(f"{names[a]} : {names[b]}" for a, b in pairs),
        title=title,
        note=("> first, < second preferred", "~ equivalent, ? not told apart"),
        width=width,
        alt=f"Verdicts about {count(len(pairs), 'pair')} of algorithms {where}: {tallied(found)}.",
    )


def tallied(found: Sequence[Tile]) -> str:
    """Say how many tiles have each verdict."""
    counts = {v: sum(tile.verdict == v for tile in found) for v in Verdict}
    return ", ".join(f"{n} {v.label}" for v, n in sorted(counts.items(), reverse=True) if n)


def standing(relations: Mapping[str, "Relation"]) -> list[str]:
    """Return the algorithms by wins less losses, so that most tiles favour the first of a pair."""
    balance: Counter[str] = Counter()
    for relation in relations.values():
        balance.update(dict(zip(relation.algorithms, map(int, _balance(relation)), strict=True)))
    return sorted(balance, key=lambda name: (-balance[name], name))


def _balance(relation: "Relation") -> NDArray[np.int64]:
    return relation.strict.sum(axis=1) - relation.strict.sum(axis=0)


def _verdict(relation: "Relation", a: str, b: str) -> Verdict:
    if a not in relation.algorithms or b not in relation.algorithms:
        return Verdict.MISSING
    i, j = relation.algorithms.index(a), relation.algorithms.index(b)
    return Verdict(relation.states[i, j])


size = tiles.size


def draw(verdicts: Verdicts, ax: "Axes") -> None:
    """Draw the verdicts into an Axes."""
    points = 9.5 if verdicts.width == "wide" else 7.5
    for verdict, fill in FILL.items():
        own = [(t.column, t.row) for t in verdicts.tiles if t.verdict == verdict]
        tiles.squares(ax, own, fill)
        tiles.symbols(ax, own, SYMBOLS[verdict], MARKS[verdict].ink, points)
    tiles.frame(verdicts, ax)
