"""Preference relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.frames import frame
from benchinfer.core.numbers import join
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable
from benchinfer.core.verdict import (
    MIRROR,
    Missing,
    States,
    Undecided,
    Verdict,
    merged,
    unrelated,
    verdict_columns,
)
from benchinfer.numerics.types import Array, Codes, Flags
from benchinfer.relations import ranks
from benchinfer.relations.numerics import posets
from benchinfer.relations.numerics.distances import (
    Kind,
    distances,
    generalised_ranks,
    largest,
)
from benchinfer.relations.text import (
    Convention,
    from_incidence,
    from_pairs,
    from_scores,
    from_text,
    in_brief,
    pairs_text,
    ranking_text,
)

if TYPE_CHECKING:
    import pandas as pd


class Violation(NamedTuple):
    """Algorithms that break a property; `c` is empty where two of them do."""

    kind: str
    a: str
    b: str
    c: str = ""


@checked
@savable
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Relation(Showable):
    """Preference relation on algorithms, in five states, merged only where the user asks.

    Parameters
    ----------
    algorithms
        The K names.
    states
        Integer array (K, K) of `Verdict` codes: ``states[i, j]`` is the verdict of the pair with
        algorithm i first and j second. The mirror entry holds the mirrored verdict; the diagonal
        is ``EQUIVALENT``.
    rule
        The decision rule in words.
    order
        All names, best first, where something ranks them beyond the verdicts, as the levels of a
        comparison do: the order in which texts name them.

    Raises
    ------
    DesignError
        The matrix does not match the names, or is not its own mirror.

    Notes
    -----
    ``str`` writes an order best first with ``>`` for "preferred to", ``~`` for equivalent and ``?``
    for undecided, whatever the direction of the measure.

    Examples
    --------
    >>> r = Relation.from_pairs(["a", "b", "c"], {("a", "b"): "undecided", ("a", "c"): "first",
    ...                                           ("b", "c"): "first"})
    >>> str(r)
    'a ? b > c'
    """

    _home: ClassVar[str] = "benchinfer.relations"

    algorithms: tuple[str, ...]
    states: States
    rule: str = ""
    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        k = len(self.algorithms)
        if not k:
            raise DesignError("a relation needs at least one algorithm.")
        if odd := [name for name in self.algorithms if not isinstance(name, str)]:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DesignError(
                f"{len(odd)} of {k} names of algorithms are not text, the first {odd[0]!r}.",
                hint="str(name) makes it so.",
            )
        if self.states.shape != (k, k):
            raise DesignError(f"{k} algorithms need a {k} x {k} matrix, not {self.states.shape}.")
        if twice := sorted({name for name in self.algorithms if self.algorithms.count(name) > 1}):
            raise DesignError(
                f"{join(twice)} {'is' if len(twice) == 1 else 'are'} named twice in a relation.",
                hint="give each algorithm a name of its own.",
            )
        if self.order and sorted(self.order) != sorted(self.algorithms):
            raise DesignError("the order of a relation names each algorithm once.")
        if not np.isin(self.states, list(Verdict)).all():
            raise DesignError("verdicts are coded 0 to 4; see Verdict.")
        wrong = (MIRROR[self.states] != self.states.T) | np.diag(
            self.states.diagonal() != Verdict.EQUIVALENT
        )
        if wrong.any():
            i, j = (int(x) for x in np.argwhere(wrong)[0])
            raise DesignError(
                f"{int(wrong.sum())} entries do not mirror each other, the first at"
                f" ({self.algorithms[i]!r}, {self.algorithms[j]!r}).",
                hint="states[j, i] is FIRST where states[i, j] is SECOND; the diagonal is"
                " EQUIVALENT.",
            )

    @staticmethod
    def from_pairs(
        algorithms: Sequence[str], verdicts: Mapping[tuple[str, str], str], rule: str = ""
    ) -> Relation:
        """Build a relation from named pairs; pairs that are not named are ``missing``."""
        return Relation(*from_pairs(algorithms, verdicts), rule)

    @staticmethod
    def from_codes(
        algorithms: tuple[str, ...],
        pairs: Codes,
        codes: States,
        rule: str = "",
        order: tuple[str, ...] = (),
    ) -> Relation:
        """Build a relation from index pairs (P, 2) and their verdict codes (P,)."""
        states = unrelated(len(algorithms))
        states[pairs[:, 0], pairs[:, 1]] = codes
        states[pairs[:, 1], pairs[:, 0]] = MIRROR[codes]
        return Relation(algorithms, states, rule, order)

    @staticmethod
    def from_text(text: str, algorithms: Sequence[str] | None = None) -> Relation:
        r"""Read an order, best first.

        Parameters
        ----------
        text
            Names with ``>`` (preferred to), ``~`` (equivalent) or ``?`` (undecided) between them.
            ``>`` separates classes, whose members are equivalent where ``~`` alone joins them and
            undecided otherwise. Names with spaces or signs stand in single or double quotes, with a
            backslash before a quote that is part of the name.
        algorithms
            All algorithms, in order; those that the text leaves out have ``missing`` pairs.

        Raises
        ------
        DesignError
            The text cannot be read, or names an algorithm twice or one that there is not.

        Examples
        --------
        >>> relation = Relation.from_text("svm ~ rpart > 'random forest' ? knn > lda")
        >>> relation.ranking()
        [['svm', 'rpart'], ['random forest', 'knn'], ['lda']]
        """
        return Relation(*from_text(text, algorithms), "as written")

    @staticmethod
    def from_incidence(
        matrix: Any,
        algorithms: Sequence[str] | None = None,
        *,
        convention: Convention,
        both: str = "equivalent",
        neither: str = "undecided",
    ) -> Relation:
        """Read an incidence matrix.

        Parameters
        ----------
        matrix
            Square array or frame of 0 and 1; NaN is a pair that was not compared. Also the words
            that `incidence` gives out.
        algorithms
            Names of rows and columns of an array; selects and orders those of a frame.
        convention
            What a 1 says. ``"better"``: the row's algorithm is better (`strict`; the R package
            *benchmark*). ``"at-least-as-good"``: it is better or equivalent (`weak`).
            ``"relations"``: the column's algorithm is at least as good, or better where ties are
            coded 0 both ways (the R package *relations*, where the best objects are the largest).
        both, neither
            The verdict of a pair with 1, and with 0, both ways.

        Raises
        ------
        DesignError
            The matrix is not square, has no names, or holds what is no incidence.

        Examples
        --------
        >>> Relation.from_incidence([[0, 1, 1], [0, 0, 0], [0, 0, 0]], ["rf", "knn", "lda"],
        ...                         convention="better")
        <Relation of 3 algorithms: rf > knn ? lda>
        """
        read = from_incidence(matrix, algorithms, convention, both, neither)
        rule = f"incidence ({convention}), both ways {both}, neither way {neither}"
        return Relation(*read, rule)

    @staticmethod
    def from_scores(
        scores: Mapping[str, float], *, better: str, tolerance: float = 0.0
    ) -> Relation:
        """Compare one value per algorithm, without inference.

        Parameters
        ----------
        scores
            Algorithm to value: a mapping or a pandas series. NaN is missing.
        better
            ``"higher"`` or ``"lower"``.
        tolerance
            Values that differ by at most this are equivalent, equal ones always.

        Examples
        --------
        >>> str(Relation.from_scores({"rf": 0.11, "svm": 0.11, "knn": 0.19}, better="lower"))
        'rf ~ svm > knn'
        """
        rule = f"{better} is better, equivalent within {tolerance:g}"
        return Relation(*from_scores(scores, better, tolerance), rule)

    @property
    def standing(self) -> tuple[str, ...]:
        """The algorithms in the order of texts and figures, best first: `order`.

        Without it by the number that one is preferred to, less those preferred to it.
        """
        lost = self.strict.sum(axis=0) - self.strict.sum(axis=1)
        by_wins = (self.algorithms[i] for i in np.argsort(lost, kind="stable").tolist())
        return self.order or tuple(by_wins)

    def arranged(self) -> Relation:
        """Return the same verdicts with the algorithms in the order of `standing`."""
        index = [self.algorithms.index(name) for name in self.standing]
        return Relation(self.standing, self.states[np.ix_(index, index)], self.rule, self.order)

    @property
    def settled(self) -> bool:
        """Whether one algorithm is better than or equivalent to each of the others."""
        safe = np.isin(self.states, [Verdict.FIRST, Verdict.EQUIVALENT])
        return bool(safe.all(axis=1).any())

    @property
    def strict(self) -> Flags:
        """Boolean (K, K): row algorithm is preferred to column algorithm."""
        return self.states == Verdict.FIRST

    @property
    def equivalent(self) -> Flags:
        """Boolean (K, K): both are equivalent; the diagonal is."""
        return self.states == Verdict.EQUIVALENT

    @property
    def weak(self) -> Flags:
        """Boolean (K, K): row algorithm is preferred or equivalent to column algorithm."""
        return self.strict | self.equivalent

    @property
    def kind(self) -> str:
        """The strongest kind of order that the preferences make.

        ``"linear order"``, ``"weak order"``, ``"semiorder"``, ``"interval order"``, ``"partial
        order"``, ``"acyclic"`` or ``"cyclic"``. Pairs without a preference count as ties. With
        missing pairs it is a partial order at most, for ties would then be claims.
        """
        strongest = posets.kind(self.strict)
        stronger = {"linear order", "weak order", "semiorder", "interval order"}
        missing = bool((self.states == Verdict.MISSING).any())
        return "partial order" if missing and strongest in stronger else strongest

    def to_frame(self) -> pd.DataFrame:
        """One row per pair of algorithms: ``first second verdict winner``."""
        i, j = np.triu_indices(len(self.algorithms), 1)
        names = self.algorithms
        sides = [(names[a], names[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True)]
        return frame(verdict_columns(sides, self.states[i, j]))

    def incidence(self) -> pd.DataFrame:
        """Return the verdicts as words in a square table, rows first, columns second."""
        import pandas as pd

        words = [[Verdict(code).label for code in row] for row in self.states]
        for i in range(len(words)):
            words[i][i] = ""
        return pd.DataFrame(words, index=list(self.algorithms), columns=list(self.algorithms))

    def properties(self, part: str | None = None) -> dict[str, bool]:
        """Properties of the relation.

        Parameters
        ----------
        part
            ``"strict"``, ``"weak"`` or ``"equivalent"`` for every property of that part as a
            relation of its own (`strict`, `weak`, `equivalent`), in which all other pairs stand in
            no relation.

        Returns
        -------
        dict
            Without `part`: ``complete`` (every pair is decided), ``acyclic``, ``transitive`` (a
            strict partial order), ``weak order`` (every pair was compared, and they make one
            ranking with ties, a tie being any pair that is not strictly decided), ``linear
            order``, ``equivalence transitive``.
        """
        if part is not None:
            return posets.properties(self._part(part))
        strict = self.strict
        kind = self.kind
        return {
            "complete": bool((self.states >= Verdict.EQUIVALENT).all()),
            "acyclic": kind != "cyclic",
            "transitive": posets.is_transitive(strict),
            "weak order": kind in {"weak order", "linear order"},
            "linear order": kind == "linear order",
            "equivalence transitive": posets.is_transitive(self.equivalent),
        }

    def _part(self, part: str) -> Flags:
        parts = {"strict": self.strict, "weak": self.weak, "equivalent": self.equivalent}
        if part not in parts:
            raise DesignError(unknown("part", part, list(parts)))
        return parts[part]

    def violations(self, of: str | None = None, part: str = "strict") -> list[Violation]:
        """Return the algorithms that break a property.

        Parameters
        ----------
        of
            ``"transitive"``, ``"negatively transitive"``, ``"symmetric"``, ``"antisymmetric"``,
            ``"complete"``, ``"circles of three"`` or ``"transitive ties"``; without it, what keeps
            the relation from being a weak order.
        part
            The part looked at, as in `properties`; for a named property only.

        Returns
        -------
        list of (kind, a, b, c)
            Without `of`: ``"intransitive"``: a is preferred to b and b to c, but a is not preferred
            to c. ``"intransitive tie"``: neither a and b nor b and c are distinguished, yet a is
            preferred to c. ``"intransitive equivalence"``: a ~ b and b ~ c, but a ~ c is not
            established.
        """
        if of is not None:
            if of not in posets.VIOLATIONS:
                raise DesignError(unknown("property", of, list(posets.VIOLATIONS)))
            return self._named(f"not {of}", posets.VIOLATIONS[of](self._part(part)))
        strict, equal = self.strict, self.equivalent
        ties = [t if strict[t[0], t[2]] else t[::-1] for t in posets.intransitive_ties(strict)]
        triples = self._named("intransitive", posets.intransitive(strict))
        triples += self._named("intransitive tie", ties)
        equals = [t for t in posets.intransitive(equal) if t[0] < t[2]]
        return triples + self._named("intransitive equivalence", equals)

    def _named(self, kind: str, tuples: posets.Tuples) -> list[Violation]:
        return [Violation(kind, *(self.algorithms[i] for i in t)) for t in tuples]

    def is_weak_order(self) -> bool:
        """Return whether every pair was compared and the strict part is a ranking with ties."""
        return self.properties()["weak order"]

    def merged(
        self, *, undecided: Undecided = "undecided", missing: Missing = "ignore"
    ) -> Relation:
        """Return the relation with undecided or missing pairs recoded as another state.

        Parameters
        ----------
        undecided
            ``"equivalent"``: the legacy reading that what is undecided is equal.
        missing
            ``"undecided"``: a pair that was not compared is one that was undecided, then
            what `undecided` says goes for it too.

        Returns
        -------
        Relation
            Its rule says what was merged.
        """
        choices = {"missing": missing, "undecided": undecided}
        said = [f"{k} taken for {v}" for k, v in choices.items() if v not in {"ignore", k}]
        rule = "; ".join(part for part in (self.rule, *said) if part)
        states = merged(self.states, undecided, missing)
        return Relation(self.algorithms, states, rule, self.order)

    def converse(self) -> Relation:
        """Return the converse relation: the order from the worst to the best."""
        return Relation(self.algorithms, MIRROR[self.states], self.rule, self.order[::-1])

    def dual(self) -> Relation:
        """Return the dual: one is at least as good as another unless the other was better or equal.

        Equivalent and undecided change places; preferences and missing pairs stay.
        """
        swapped = np.array([0, 2, 1, 3, 4], dtype=np.int8)[self.states]
        np.fill_diagonal(swapped, Verdict.EQUIVALENT)
        return Relation(self.algorithms, swapped, self.rule, self.order)

    def closure(self) -> Relation:
        """Return the transitive closure of preferences and equivalences.

        A chain with a preference in it makes a preference, one of equivalences alone an
        equivalence; what stands in a circle becomes equivalent. Other pairs keep their state. This
        is algebra: equivalence within a tolerance need not carry over a chain.
        """
        closed = posets.transitive_closure(self.weak)
        states = self.states.copy()
        states[closed & closed.T] = Verdict.EQUIVALENT
        states[closed & ~closed.T] = Verdict.FIRST
        states[closed.T & ~closed] = Verdict.SECOND
        return Relation(self.algorithms, states, self.rule, self.order)

    def reduction(self) -> ranks.Condensed:
        """Return classes of tied or circular algorithms, and the cover pairs between them."""
        return ranks.condensed(self, self.weak)

    def ranking(self, policy: str | None = None) -> list[list[str]]:
        """Return the classes of algorithms that are equivalent or undecided, best class first.

        Parameters
        ----------
        policy
            What to do with a relation that is not a ranking: None refuses it; ``"scc"`` puts into
            one class what contradicts itself, so that each member of a class is preferred to each
            of all later ones (extended Condorcet order); ``"nearest"`` takes the ranking that is
            nearest by the symmetric difference, where there is but one.

        Raises
        ------
        NotAWeakOrder
            The strict part is no ranking, or several are equally near; the message names triples
            that show it, or some of the rankings.

        References
        ----------
        Truchon, M. (1998). An extension of the Condorcet criterion and Kemeny orders. Cahier 9813,
        CREFA, Universite Laval.
        """
        return ranks.ranking(self, policy)

    def positions(self) -> pd.DataFrame:
        """Return ranks, and the best and worst position in the orders that keep all preferences.

        Returns
        -------
        pandas.DataFrame
            ``algorithm rank rank_low rank_high``. `rank` is ``(K + 1 + better - worse) / 2`` with
            the numbers of those preferred to the algorithm and of those it is preferred to: the
            mean rank of a ranking with ties.

        Raises
        ------
        DesignError
            Preferences run in a circle.
        """
        return ranks.positions(self)

    def letters(self) -> pd.DataFrame:
        """Return the compact letter display, best first.

        Returns
        -------
        pandas.DataFrame
            ``algorithm rank letters``, by `order` or, without it, by rank: two algorithms share a
            letter if and only if they were compared and neither is preferred, be they equivalent or
            undecided. Where pairs are
            missing, ``not_compared`` names those that an algorithm was not compared with: that they
            share no letter says nothing.

        References
        ----------
        Piepho, H.-P. (2004). An algorithm for a letter-based representation of all-pairwise
        comparisons. Journal of Computational and Graphical Statistics 13, 456-466.
        https://doi.org/10.1198/1061860043515

        Examples
        --------
        >>> Relation.from_scores({"rf": 0.11, "svm": 0.13, "knn": 0.15}, better="lower",
        ...                      tolerance=0.02).letters()
          algorithm  rank letters
        0        rf   1.5       a
        1       svm   2.0      ab
        2       knn   2.5       b
        """
        rank = dict(zip(self.algorithms, generalised_ranks(self.states), strict=True))
        names = self.order or tuple(sorted(rank, key=rank.__getitem__))
        at = [self.algorithms.index(name) for name in names]
        columns: dict[str, object] = {
            "algorithm": list(names),
            "rank": [rank[name] for name in names],
            "letters": list(ranks.letters(self, names).values()),
        }
        missing = self.states[np.ix_(at, at)] == Verdict.MISSING
        if missing.any():
            columns["not_compared"] = [
                ", ".join(names[j] for j in np.flatnonzero(row)) for row in missing
            ]
        return frame(columns)

    def covers(self) -> list[tuple[str, str]]:
        """Return the cover pairs (better, worse): the lines of the Hasse diagram, best first.

        Where the strict part is not transitive every established preference is returned.
        """
        strict = self.strict
        edges = posets.transitive_reduction(strict) if posets.is_transitive(strict) else strict
        pairs = [(self.algorithms[i], self.algorithms[j]) for i, j in np.argwhere(edges).tolist()]
        place = self.standing.index
        return sorted(pairs, key=lambda pair: (place(pair[0]), place(pair[1])))

    def text(self) -> str:
        """Write the ranking as `from_text` reads it: like ``str``, with names quoted where need be.

        Raises
        ------
        NotAWeakOrder
            The relation is no ranking, or equivalence is not transitive within a class.

        Examples
        --------
        >>> Relation.from_scores({"random forest": 0.9, "svm": 0.8}, better="higher").text()
        '"random forest" > svm'
        """
        return ranks.text(self)

    def distance(
        self,
        other: Relation,
        kind: Kind = "symdiff",
        *,
        undecided: Undecided = "undecided",
        missing: Missing = "ignore",
    ) -> float:
        """Return the distance to another relation; `Ensemble.distances` lists the distances.

        Algorithms are matched by name. A pair that one of the two lacks is missing there.

        Examples
        --------
        >>> Relation.from_text("a > b > c").distance(Relation.from_text("b > a ~ c"))
        3.0
        """
        return float(between(stacked([self, other])[1], kind, undecided, missing)[0, 1])

    def agreement(
        self,
        other: Relation,
        kind: Kind | Literal["tau-x"] = "tau-x",
        *,
        undecided: Undecided = "undecided",
        missing: Missing = "ignore",
    ) -> float:
        """Return the agreement with another relation, 1 where both are the same.

        Parameters
        ----------
        other
            Another relation; algorithms are matched by name.
        kind
            ``"tau-x"`` of Emond and Mason: 1 less the symmetric difference per compared pair, -1
            for opposite orders. A distance: 1 less its share of the largest distance that the
            compared pairs allow, at least 0.
        undecided, missing
            As in `merged`.

        Returns
        -------
        float
            NaN where the two have no compared pair in common.

        Examples
        --------
        >>> Relation.from_text("a > b > c").agreement(Relation.from_text("c > b > a"))
        -1.0
        """
        return float(agreements(stacked([self, other])[1], kind, undecided, missing)[0, 1])

    def __eq__(self, other: object) -> bool:
        """Two relations are equal when their algorithms and verdicts are."""
        return (
            isinstance(other, Relation)
            and self.algorithms == other.algorithms
            and bool((self.states == other.states).all())
        )

    def __hash__(self) -> int:
        """Hash of the algorithms and verdicts."""
        return hash((self.algorithms, self.states.tobytes()))

    def __str__(self) -> str:
        """Write the order best first, or the cover pairs where it is not a weak order."""
        return ranking_text(self) if self.is_weak_order() else pairs_text(self)

    def description(self) -> str:
        """Return the number of algorithms with the order, or the number of pairs decided."""
        return f"<Relation of {len(self.algorithms)} algorithms: {in_brief(self)}>"


def stacked(relations: Sequence[Relation]) -> tuple[tuple[str, ...], States]:
    """Return the algorithms of all relations, as they are first named, and states (B, K, K).

    Pairs with an algorithm that a relation lacks are missing in it.
    """
    names = tuple(dict.fromkeys(name for r in relations for name in r.algorithms))
    index = {name: i for i, name in enumerate(names)}
    states = np.stack([unrelated(len(names)) for _ in relations])
    for b, relation in enumerate(relations):
        at = [index[name] for name in relation.algorithms]
        states[np.ix_([b], at, at)] = relation.states
    return names, states


def between(states: States, kind: str, undecided: str, missing: str) -> Array:
    """Return the distances (B, B) between relations in a common order of algorithms."""
    return distances(merged(states, undecided, missing), kind)


def agreements(states: States, kind: str, undecided: str, missing: str) -> Array:
    """Return 1 - distance / largest distance, or tau_x, (B, B); NaN where nothing is shared."""
    known = merged(states, undecided, missing)
    tau = kind == "tau-x"
    name = "symdiff" if tau else kind
    far = between(states, name, undecided, missing)
    most = largest(known, name)
    share = np.divide(far, most, out=np.full(far.shape, np.nan), where=most > 0)
    return 1 - (2 if tau else 1) * share
