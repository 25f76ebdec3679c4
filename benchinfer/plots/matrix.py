"""A relation as a square: the verdict of every pair, best algorithm first."""

from typing import TYPE_CHECKING

from benchinfer.compare.phrases import count
from benchinfer.order.relation import Verdict
from benchinfer.plots import verdicts
from benchinfer.plots.style import Width, short
from benchinfer.plots.verdicts import Tile, Verdicts

if TYPE_CHECKING:
    from benchinfer.order.relation import Relation

_LARGE = 24  # with more algorithms tiles are small on wide screens too

size = verdicts.size
draw = verdicts.draw


def layout(relation: "Relation", width: Width = "wide") -> Verdicts:
    """Lay out the verdicts of a relation.

    Parameters
    ----------
    relation
        Any relation. Algorithms stand in the order of wins less losses; on the diagonal there is
        nothing, pairs that were not compared have an empty tile.
    width
        ``"narrow"`` for smaller tiles.
    """
    order = verdicts.standing({"": relation})
    index = [relation.algorithms.index(name) for name in order]
    names = short(order, 22 if width == "wide" else 16)
    found = tuple(
        Tile(row, column, Verdict(relation.states[i, j]))
        for row, i in enumerate(index)
        for column, j in enumerate(index)
        if row != column
    )
    upper = [tile for tile in found if tile.row < tile.column]
    pairs = count(len(upper), "pair")
    shown = tuple(names[name] for name in order)
    return Verdicts(
        tiles=found,
        rows=shown,
        columns=shown,
        title="Verdicts of the pairs, best first",
        note=(
            "> the row's, < the column's algorithm preferred",
            "~ equivalent, ? not told apart, empty: not compared",
        ),
        width="narrow" if len(order) > _LARGE else width,
        alt=f"Verdicts about {pairs} of {count(len(order), 'algorithm')}, best first:"
        f" {verdicts.tallied(upper)}. {relation}.",
    )
