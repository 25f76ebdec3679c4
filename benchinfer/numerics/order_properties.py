"""Which properties a binary relation has, and the tuples that break them.

A relation ``r`` is a boolean array (K, K); ``r[i, j]`` reads "i stands in the relation to j".

References
----------
Fishburn, P. C. (1970). Intransitive indifference in preference theory: a survey. Operations
Research 18, 207-228. https://doi.org/10.1287/opre.18.2.207
"""

from collections.abc import Callable

import numpy as np

from benchinfer.numerics import poset
from benchinfer.numerics.poset import Matrix, compose


def is_ferrers(r: Matrix) -> bool:
    """``i r j`` and ``k r l`` imply ``i r l`` or ``k r j``: rows are nested."""
    beyond = compose(r, ~r.T)  # i stands to something that k does not stand to
    return not (beyond & beyond.T).any()


def is_semitransitive(r: Matrix) -> bool:
    """``i r j`` and ``j r k`` imply ``i r l`` or ``l r k`` for each l."""
    return not (compose(r, r) & compose(~r, ~r)).any()


def properties(r: Matrix) -> dict[str, bool]:
    """Return every property of a relation by name.

    ``complete`` leaves out the diagonal and ``strongly complete`` counts it. ``acyclic`` is about
    the pairs of different elements, ``strictly acyclic`` about those that hold one way alone. Kinds
    of orders that begin with ``strict`` are irreflexive; the others are reflexive, but for interval
    orders and semiorders, which only have to be complete.
    """
    off = ~np.eye(len(r), dtype=np.bool_)
    either, strict = r | r.T, r & ~r.T
    p = {
        "reflexive": bool(r.diagonal().all()),
        "irreflexive": poset.is_irreflexive(r),
        "symmetric": poset.is_symmetric(r),
        "asymmetric": poset.is_asymmetric(r),
        "antisymmetric": poset.is_asymmetric(r & off),
        "transitive": poset.is_transitive(r),
        "negatively transitive": poset.is_negatively_transitive(r),
        "complete": bool(either[off].all()),
        "strongly complete": bool(either.all()),
        "quasi-transitive": poset.is_transitive(strict),
        "Ferrers": is_ferrers(r),
        "semitransitive": is_semitransitive(r),
        "acyclic": poset.is_acyclic(r & off),
        "strictly acyclic": poset.is_acyclic(strict),
    }
    return p | _kinds(p)


def _kinds(p: dict[str, bool]) -> dict[str, bool]:
    """Return which kinds of orders the properties make."""
    preorder = p["reflexive"] and p["transitive"]
    partial = p["asymmetric"] and p["transitive"]
    interval = p["complete"] and p["Ferrers"]
    strict_interval = p["irreflexive"] and p["Ferrers"]
    return {
        "preorder": preorder,
        "equivalence": preorder and p["symmetric"],
        "weak order": preorder and p["complete"],
        "partial order": preorder and p["antisymmetric"],
        "linear order": preorder and p["complete"] and p["antisymmetric"],
        "interval order": interval,
        "semiorder": interval and p["semitransitive"],
        "strict partial order": partial,
        "strict interval order": strict_interval,
        "strict semiorder": strict_interval and p["semitransitive"],
        "strict weak order": p["asymmetric"] and p["negatively transitive"],
        "strict linear order": partial and p["complete"],
        "tournament": p["asymmetric"] and p["complete"],
    }


def kind(strict: Matrix) -> str:
    """Return the strongest kind of order that an asymmetric relation is.

    One of ``"linear order"``, ``"weak order"``, ``"semiorder"``, ``"interval order"``,
    ``"partial order"``, ``"acyclic"`` and ``"cyclic"``: each but the last is also what comes
    after it.
    """
    p = properties(strict)
    for name in ("linear order", "weak order", "semiorder", "interval order", "partial order"):
        if p[f"strict {name}"]:
            return name
    return "acyclic" if p["acyclic"] else "cyclic"


type Tuples = list[tuple[int, ...]]


def _chains(r: Matrix, broken: Matrix) -> Tuples:
    """Return (i, j, k) with ``i r j`` and ``j r k`` where (i, k) is broken, row by row."""
    return [
        (i, int(j), int(k))
        for i in range(len(r))
        for j, k in np.argwhere(r[i][:, None] & r & broken[i])
    ]


def _pairs(r: Matrix) -> Tuples:
    return [(int(i), int(j)) for i, j in np.argwhere(r)]


def intransitive(r: Matrix) -> Tuples:
    """Return (i, j, k) with ``i r j`` and ``j r k`` but not ``i r k``."""
    return _chains(r, ~r)


def negatively_intransitive(r: Matrix) -> Tuples:
    """Return (i, j, k) with neither ``i r j`` nor ``j r k`` but ``i r k``."""
    return _chains(~r, r)


def one_way(r: Matrix) -> Tuples:
    """Return (i, j) with ``i r j`` but not ``j r i``: what breaks symmetry."""
    return _pairs(r & ~r.T)


def both_ways(r: Matrix) -> Tuples:
    """Return (i, j), i < j, with ``i r j`` and ``j r i``: what breaks antisymmetry."""
    return _pairs(np.triu(r & r.T, 1))


def neither_way(r: Matrix) -> Tuples:
    """Return (i, j), i < j, with neither ``i r j`` nor ``j r i``: what breaks completeness."""
    return _pairs(np.triu(~(r | r.T), 1))


def circles(r: Matrix) -> Tuples:
    """Return the circles of three of the one-way pairs, each once, its smallest member first."""
    strict = r & ~r.T
    return [t for t in _chains(strict, strict.T) if t[0] < min(t[1:])]


def intransitive_ties(r: Matrix) -> Tuples:
    """Return (i, j, k), i < k: neither i and j nor j and k are told apart, but i and k are."""
    strict = r & ~r.T
    apart = strict | strict.T
    return [t for t in _chains(~apart, apart) if t[0] < t[2]]


VIOLATIONS: dict[str, Callable[[Matrix], Tuples]] = {
    "transitive": intransitive,
    "negatively transitive": negatively_intransitive,
    "symmetric": one_way,
    "antisymmetric": both_ways,
    "complete": neither_way,
    "circles of three": circles,
    "transitive ties": intransitive_ties,
}
