"""Relations: who is preferred to whom, as far as the evidence says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics import poset
from benchinfer.order import ranked, reading, written
from benchinfer.order.judged import JudgedPairs
from benchinfer.order.likeness import agreement, distance
from benchinfer.order.verdicts import MIRROR, Missing, Undecided, Verdict, merged, unrelated
from benchinfer.saving import savable

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.numerics.distances import Kind


@savable
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Relation(JudgedPairs):
    """Preference relation on algorithms, in five states that are never merged.

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

    Raises
    ------
    DesignError
        The matrix does not match the names, or is not its own mirror.

    Notes
    -----
    ``str`` writes an order best first with ``>`` for "preferred to", ``~`` for equivalent and ``?``
    for not told apart, whatever the direction of the measure.

    Examples
    --------
    >>> r = Relation.from_pairs(["a", "b", "c"], {("a", "b"): "undecided", ("a", "c"): "first",
    ...                                           ("b", "c"): "first"})
    >>> str(r)
    'a ? b > c'
    """

    @staticmethod
    def from_pairs(
        algorithms: Sequence[str], verdicts: Mapping[tuple[str, str], str], rule: str = ""
    ) -> "Relation":
        """Build a relation from named pairs; pairs that are not named are ``missing``."""
        return Relation(*reading.from_pairs(algorithms, verdicts), rule)

    @staticmethod
    def from_codes(
        algorithms: tuple[str, ...],
        pairs: NDArray[np.int64],
        codes: NDArray[np.int8],
        rule: str = "",
    ) -> "Relation":
        """Build a relation from index pairs (P, 2) and their verdict codes (P,)."""
        states = unrelated(len(algorithms))
        states[pairs[:, 0], pairs[:, 1]] = codes
        states[pairs[:, 1], pairs[:, 0]] = MIRROR[codes]
        return Relation(algorithms, states, rule)

    @staticmethod
    def from_text(text: str, algorithms: Sequence[str] | None = None) -> "Relation":
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
        return Relation(*reading.from_text(text, algorithms), "as written")

    @staticmethod
    def from_incidence(
        matrix: Any,
        algorithms: Sequence[str] | None = None,
        *,
        convention: reading.Convention,
        both: str = "equivalent",
        neither: str = "undecided",
    ) -> "Relation":
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
        read = reading.from_incidence(matrix, algorithms, convention, both, neither)
        rule = f"incidence ({convention}), both ways {both}, neither way {neither}"
        return Relation(*read, rule)

    @staticmethod
    def from_scores(
        scores: Mapping[str, float], *, better: str, tolerance: float = 0.0
    ) -> "Relation":
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
        return Relation(*reading.from_scores(scores, better, tolerance), rule)

    def merged(
        self, *, undecided: Undecided = "undecided", missing: Missing = "ignore"
    ) -> "Relation":
        """Return the relation with undecided or missing pairs taken for something else.

        Parameters
        ----------
        undecided
            ``"equivalent"``: the legacy reading that what is not told apart is equal.
        missing
            ``"undecided"``: a pair that was not compared is one that was not told apart, and then
            what `undecided` says goes for it too.

        Returns
        -------
        Relation
            Its rule says what was merged.
        """
        taken = {"missing": missing, "undecided": undecided}
        said = [f"{k} taken for {v}" for k, v in taken.items() if v not in {"ignore", k}]
        rule = "; ".join(part for part in (self.rule, *said) if part)
        return Relation(self.algorithms, merged(self.states, undecided, missing), rule)

    def converse(self) -> "Relation":
        """Return the relation turned round: worst first."""
        return Relation(self.algorithms, MIRROR[self.states], self.rule)

    def dual(self) -> "Relation":
        """Return the dual: one is at least as good as another unless the other was better or equal.

        Equivalent and undecided change places; preferences and missing pairs stay.
        """
        swapped = np.array([0, 2, 1, 3, 4], dtype=np.int8)[self.states]
        np.fill_diagonal(swapped, Verdict.EQUIVALENT)
        return Relation(self.algorithms, swapped, self.rule)

    def closure(self) -> "Relation":
        """Return the relation with what follows from chains of preferences and equivalences.

        A chain with a preference in it makes a preference, one of equivalences alone an
        equivalence; what stands in a circle becomes equivalent. Other pairs keep their state. This
        is algebra: equivalence within a tolerance need not carry over a chain.
        """
        closed = poset.transitive_closure(self.weak)
        states = self.states.copy()
        states[closed & closed.T] = Verdict.EQUIVALENT
        states[closed & ~closed.T] = Verdict.FIRST
        states[closed.T & ~closed] = Verdict.SECOND
        return Relation(self.algorithms, states, self.rule)

    def reduction(self) -> ranked.Condensed:
        """Return classes of tied or circular algorithms, and the cover pairs between them."""
        return ranked.condensed(self, self.weak)

    def ranking(self, policy: str | None = None) -> list[list[str]]:
        """Return the classes of algorithms that are not told apart, best class first.

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
        return ranked.ranking(self, policy)

    def positions(self) -> "pd.DataFrame":
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
        return ranked.positions(self)

    def letters(self) -> "pd.DataFrame":
        """Return the compact letter display, best first.

        Returns
        -------
        pandas.DataFrame
            ``algorithm rank letters``: two algorithms share a letter if and only if they were
            compared and neither is preferred, be they equivalent or undecided. Where pairs are
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
        return ranked.letters(self)

    def covers(self) -> list[tuple[str, str]]:
        """Return the cover pairs (better, worse): the lines of the Hasse diagram, best first.

        Where the strict part is not transitive every established preference is returned.
        """
        strict = self.strict
        edges = poset.transitive_reduction(strict) if poset.is_transitive(strict) else strict
        beats, loses = strict.sum(axis=1), strict.sum(axis=0)
        pairs = sorted(
            ((int(i), int(j)) for i, j in np.argwhere(edges)),
            key=lambda pair: (loses[pair[0]] - beats[pair[0]], pair[0], loses[pair[1]], pair[1]),
        )
        return [(self.algorithms[i], self.algorithms[j]) for i, j in pairs]

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
        return ranked.text(self)

    def distance(
        self,
        other: "Relation",
        kind: "Kind" = "symdiff",
        *,
        undecided: Undecided = "undecided",
        missing: Missing = "ignore",
    ) -> float:
        """Return the distance to another relation; `Ensemble.distances` says what there is.

        Algorithms are matched by name. A pair that one of the two lacks is missing there.

        Examples
        --------
        >>> Relation.from_text("a > b > c").distance(Relation.from_text("b > a ~ c"))
        3.0
        """
        return distance(self, other, kind, undecided, missing)

    def agreement(
        self,
        other: "Relation",
        kind: 'Kind | Literal["tau-x"]' = "tau-x",
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
        return agreement(self, other, kind, undecided, missing)

    def __str__(self) -> str:
        """Write the order best first, or the cover pairs where it is not a weak order."""
        return written.order(self) if self.is_weak_order() else written.statements(self)

    def __repr__(self) -> str:
        """Return the order with the number of algorithms."""
        return f"<Relation of {len(self.algorithms)} algorithms: {self}>"
