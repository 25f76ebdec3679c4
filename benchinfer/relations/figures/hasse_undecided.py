"""Hasse diagram with undecided pairs."""

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from benchinfer.core.verdict import Verdict
from benchinfer.plots.style import PAGE, Width
from benchinfer.relations.figures import hasse

if TYPE_CHECKING:
    from benchinfer.relations.relation import Relation


_BEND = 0.35  # of a line to a neighbour in the same row


def layout(relation: "Relation", width: Width = PAGE) -> hasse.Hasse:
    """Lay out the Hasse diagram, and a dotted line for each undecided pair of its boxes."""
    diagram = hasse.layout(relation, width)
    index = {name: i for i, name in enumerate(relation.algorithms)}
    linked = {frozenset((link.a, link.b)) for link in diagram.links}
    links: list[hasse.Link] = []
    for (a, one), (b, other) in combinations(enumerate(diagram.nodes), 2):
        states = {int(relation.states[index[i], index[j]]) for i in one.names for j in other.names}
        if Verdict.UNDECIDED in states and frozenset((a, b)) not in linked:
            path = ((one.x, one.y), (other.x, other.y))
            bend = _BEND if one.y == other.y else 0.0
            links.append(hasse.Link(a, b, Verdict.UNDECIDED, path, bend))
    notes = tuple(text.replace("no line: undecided", "dotted: undecided") for text in diagram.notes)
    return replace(diagram, links=(*diagram.links, *links), notes=notes)
