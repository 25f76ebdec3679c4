"""How a relation is written: the order best first, or what is established of it."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics import poset
from benchinfer.order.reading import BARE
from benchinfer.order.verdicts import Verdict

if TYPE_CHECKING:
    from benchinfer.order.relation import Relation


def order(relation: "Relation", *, quoted: bool = False) -> str:
    """Write a ranking, class by class; quoted, it can be read back."""
    names = [_quoted(name) if quoted else name for name in relation.algorithms]
    levels = poset.levels(relation.strict)
    return " > ".join(_class_text(names, relation.equivalent, level) for level in levels)


def _quoted(name: str) -> str:
    """Put a name that holds spaces or signs in quotes."""
    if re.fullmatch(BARE, name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def statements(relation: "Relation") -> str:
    """Write the cover pairs, and the pairs in the other states."""
    names = relation.algorithms
    parts = [", ".join(f"{a} > {b}" for a, b in relation.covers())]
    i, j = np.triu_indices(len(names), 1)
    for state in (Verdict.EQUIVALENT, Verdict.UNDECIDED, Verdict.MISSING):
        mark = "~" if state == Verdict.EQUIVALENT else "?"
        pairs = [
            f"{names[a]} {mark} {names[b]}"
            for a, b in zip(i, j, strict=True)
            if relation.states[a, b] == state
        ]
        if pairs and state == Verdict.MISSING:
            parts.append(f"not compared: {len(pairs)} of {len(i)} pairs")
        elif pairs:
            parts.append(f"{state.label}: {', '.join(pairs)}")
    return "; ".join(part for part in parts if part)


def _class_text(names: Sequence[str], equal: NDArray[np.bool_], members: list[int]) -> str:
    """Write a class in an order in which neighbours are equivalent where possible."""
    chain, rest = [members[0]], members[1:]
    while rest:
        follow = next((m for m in rest if equal[chain[-1], m]), rest[0])
        chain.append(follow)
        rest.remove(follow)
    # "~" between neighbours would suggest that the whole run is equivalent.
    runs = [[chain[0]]]
    for before, after in pairwise(chain):
        whole = all(equal[m, after] for m in runs[-1]) and equal[before, after]
        runs[-1].append(after) if whole else runs.append([after])
    return " ? ".join(" ~ ".join(names[m] for m in run) for run in runs)
