"""Ranks and positions in a relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from benchinfer.core.errors import DesignError, NotAWeakOrder, unknown
from benchinfer.core.frames import frame
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Flags
from benchinfer.relations.numerics import posets
from benchinfer.relations.numerics.distances import generalised_ranks
from benchinfer.relations.text import ranking_text

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.relations.relation import Relation


@dataclass(frozen=True, slots=True)
class Condensed:
    """A relation whose ties and cycles are merged into classes.

    Attributes
    ----------
    classes
        Names of the members of each class.
    kinds
        For each class ``"single"``, ``"tie"`` (all its pairs are equivalent), ``"cycle"``
        (preferences run in a circle) or ``"unresolved"`` (neither).
    covers
        Pairs (better, worse) of classes, as indices, from which the others follow.
    """

    classes: tuple[tuple[str, ...], ...]
    kinds: tuple[str, ...]
    covers: tuple[tuple[int, int], ...]


def condensed(relation: Relation, leads: Flags) -> Condensed:
    """Merge the cycles of `leads` into classes, and reduce the rest to cover pairs."""
    members = posets.classes(leads)
    first = [m[0] for m in members]
    above = posets.transitive_closure(leads)[np.ix_(first, first)]
    np.fill_diagonal(above, val=False)
    return Condensed(
        tuple(tuple(relation.algorithms[i] for i in m) for m in members),
        tuple(_kind(relation, m) for m in members),
        tuple((i, j) for i, j in np.argwhere(posets.transitive_reduction(above)).tolist()),
    )


def _kind(relation: Relation, members: Sequence[int]) -> str:
    if len(members) == 1:
        return "single"
    inside = np.ix_(members, members)
    if (relation.states[inside] == Verdict.EQUIVALENT).all():
        return "tie"
    return "unresolved" if posets.is_acyclic(relation.strict[inside]) else "cycle"


def ranking(relation: Relation, policy: str | None) -> list[list[str]]:
    """Return classes best first; see `Relation.ranking`."""
    if policy == "scc":
        # One stands above another unless it is worse: of two classes one leads to the other.
        members = posets.classes(~relation.strict.T)
    elif policy == "nearest":
        return _nearest(relation)
    elif policy is not None:
        raise DesignError(unknown("policy", policy, ["scc", "nearest"]))
    elif not relation.is_weak_order():
        _refuse(relation)
    else:
        members = posets.levels(relation.strict)
    return [[relation.algorithms[i] for i in level] for level in members]


def _nearest(relation: Relation) -> list[list[str]]:
    """Return the ranking nearest to a relation; raise a NotAWeakOrder if there are several."""
    from benchinfer.relations.consensus.numerics import costs, solve  # brings solvers: slow

    votes = costs.tally(relation.states[None], np.array([1]))
    prices, _ = costs.of_votes(votes, "symdiff", missing_as_undecided=False)
    effort = costs.Effort.of(None)
    nearest = solve.solve(prices, costs.FAMILIES["weak"], limit=3, effort=effort)
    rankings = [
        replace(relation, states=costs.VERDICTS[states], order=()) for states in nearest.states
    ]
    if nearest.optimal and nearest.exact and nearest.count == 1:
        return ranking(rankings[0], None)
    many = f"{'' if nearest.exact else 'at least '}{nearest.count}"
    raise NotAWeakOrder(
        f"the relation has no nearest ranking: {many} are equally near.",
        relation.kind,
        relation.violations(),
        where=[("ranking",), *((str(ranking),) for ranking in rankings)],
        hint="consensus({...: relation}) has them all, and what they have in common.",
    )


def _refuse(relation: Relation) -> NoReturn:
    """Raise a NotAWeakOrder with the reason why a relation is no ranking."""
    upper = relation.states[np.triu_indices(len(relation.algorithms), 1)]
    triples = [v for v in relation.violations() if v.kind != "intransitive equivalence"]
    hints = (
        "str(relation) and relation.plot() show what is established;",
        'ranking(policy="scc") joins what contradicts itself, and positions() has the best and',
        "worst position of each algorithm.",
    )
    if n := int((upper == Verdict.MISSING).sum()):
        pairs = f"{n:,} of {len(upper):,} pairs were" if len(upper) > 1 else "the pair was"
        text = f"the relation is not a ranking: {pairs} not compared."
        raise NotAWeakOrder(text, relation.kind, triples, hint=hints)
    text = f"the relation is not a ranking: {len(triples)} triples contradict one."
    where = [("kind", "a", "b", "c"), *triples]
    raise NotAWeakOrder(text, relation.kind, triples, where=where, hint=hints)


def text(relation: Relation) -> str:
    """Write a ranking so that it can be read back; see `Relation.text`."""
    ranking(relation, None)
    if broken := [v for v in relation.violations() if v.kind == "intransitive equivalence"]:
        raise NotAWeakOrder(
            f"the ranking cannot be written in one line: {len(broken)} triples are equivalent"
            " in part.",
            relation.kind,
            broken,
            where=[("kind", "a", "b", "c"), *broken],
            hint="str(relation) writes what there is room for; relation.save keeps all.",
        )
    return ranking_text(relation, quoted=True)


def positions(relation: Relation) -> pd.DataFrame:
    """Tabulate ranks and possible positions; see `Relation.positions`."""
    strict = relation.strict
    if not posets.is_acyclic(strict):
        circles = [[relation.algorithms[i] for i in m] for m in posets.classes(strict) if m[1:]]
        raise DesignError(
            "no order keeps all preferences: they run in a circle among"
            f" {'; and among '.join(', '.join(circle) for circle in circles)}.",
            hint='ranking(policy="scc") puts each circle into one class.',
        )
    best, worst = posets.positions(strict)
    return frame(
        {
            "algorithm": list(relation.algorithms),
            "rank": generalised_ranks(relation.states),
            "rank_low": best,
            "rank_high": worst,
        }
    )


def rank_intervals(relation: Relation) -> dict[str, tuple[int, int]]:
    """Return the best and the worst rank that verdicts leave to each algorithm.

    With verdicts that hold for all pairs at once, so do the ranks.

    Examples
    --------
    >>> from benchinfer.relations.relation import Relation
    >>> rank_intervals(Relation.from_text("a ? b > c"))
    {'a': (1, 2), 'b': (1, 2), 'c': (3, 3)}
    """
    better, worse = relation.strict.sum(axis=0), relation.strict.sum(axis=1)
    k = len(relation.algorithms)
    return {
        name: (1 + int(above), k - int(below))
        for name, above, below in zip(relation.algorithms, better, worse, strict=True)
    }


def indistinct(relation: Relation, order: Sequence[str]) -> list[tuple[int, ...]]:
    """Return the groups that share a letter, or a bar, as places in an order of the algorithms."""
    at = [relation.algorithms.index(name) for name in order]
    states = relation.states[np.ix_(at, at)]
    return posets.letters(np.isin(states, (Verdict.FIRST, Verdict.SECOND, Verdict.MISSING)))


LETTERED = 12  # algorithms; of more, ranks say what many letters or lines of pairs would


def letters(relation: Relation, order: Sequence[str]) -> dict[str, str]:
    """Return the letters of the algorithms in an order, the first of which has a."""
    groups = indistinct(relation, order)
    return {
        name: "".join(letter(g) for g, group in enumerate(groups) if place in group)
        for place, name in enumerate(order)
    }


def letter(number: int) -> str:
    """Return a to z, then (aa), (ab) and so on."""
    text = ""
    left = number + 1
    while left:
        left, digit = divmod(left - 1, 26)
        text = chr(ord("a") + digit) + text
    return text if len(text) == 1 else f"({text})"
