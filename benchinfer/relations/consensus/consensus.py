"""Consensus of relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.arguments import checked
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import checks_frame, frame
from benchinfer.core.hints import literal
from benchinfer.core.numbers import percent, subject
from benchinfer.core.result import Tabular
from benchinfer.core.saving import savable, shaped
from benchinfer.core.sections import Check
from benchinfer.core.verdict import Verdict, verdict_columns
from benchinfer.numerics.types import Array, Codes, Flags, States
from benchinfer.relations.consensus.numerics import points
from benchinfer.relations.consensus.numerics.costs import (
    FAMILIES,
    METHODS,
    ONLY,
    VERDICTS,
    Costs,
    Effort,
    of_order,
    of_votes,
    scaled,
    tally,
)
from benchinfer.relations.consensus.numerics.solve import classes, linear_regrets, solve
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.numerics.distances import twice_ranks
from benchinfer.relations.relation import Relation, stacked

if TYPE_CHECKING:
    import pandas as pd


type Method = Literal[
    "symdiff",
    "cks",
    "emond-mason",
    "jmb",
    "discrete",
    "borda",
    "copeland",
    "condorcet",
    "cook-seiford",
]
type Family = Literal[
    "linear", "weak", "partial", "preorder", "equivalence", "semiorder", "interval"
]
type MissingPairs = Literal["ignore", "undecided"]


SCORES = ("borda", "copeland", "condorcet")
ASSIGNED = "cook-seiford"
# Steps of a layer of sets beyond which the orders of `cook-seiford` are not counted.
_SETS = 200_000
NOUNS = {
    "linear": "linear orders",
    "weak": "weak orders",
    "partial": "partial orders",
    "preorder": "preorders",
    "equivalence": "equivalences",
    "semiorder": "semiorders",
    "interval": "interval orders",
}


@runtime_checkable
class Related(Protocol):
    """Protocol of a source of relations: comparisons per data set."""

    def relations(self) -> Ensemble:
        """Return an ensemble."""
        ...


@savable
@shaped(algorithms="K", certain="K K", common="K K <5", ranks="K 2", scores="K", votes="5 K K")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Consensus(Tabular):
    """The relations that disagree least with an ensemble of relations.

    Attributes
    ----------
    algorithms
        The K names.
    method
        Name of the method.
    family
        Family of orders among which the consensus is.
    missing_pairs
        How pairs that were not compared count.
    cost
        The total distance of the best relation found to the ensemble; None for methods that score.
    lower_bound
        The cost that no relation of the family is below; None for methods that score.
    optimal
        Whether the best relation found is proved to be one of least cost.
    count
        How many optima there are, or at least are where `count_exact` is False.
    count_exact
        Whether that number is exact.
    solutions
        Optima, at most as many as were requested.
    certain
        (K, K) which pairs have the same verdict in all optima.
    common
        (K, K) `Verdict` codes of those pairs, undecided elsewhere.
    ranks
        (K, 2) best and worst rank in any optimum: 1 + the number strictly above, and K - the
        number strictly below.
    scores
        (K,) points by a scoring method, otherwise None.
    votes
        (5, K, K) weight of the relations that give each verdict to each pair, by `Verdict` code.
    """

    _home: ClassVar[str] = "benchinfer.relations.consensus"

    algorithms: tuple[str, ...]
    method: Method
    family: Family
    missing_pairs: MissingPairs
    cost: float | None
    lower_bound: float | None
    optimal: bool
    count: int
    count_exact: bool
    solutions: tuple[Relation, ...]
    certain: Flags
    common: States
    ranks: Codes
    scores: Array | None
    votes: Array

    def relations(self) -> tuple[Relation, ...]:
        """Return the optima, at most as many as were requested."""
        return self.solutions

    def relation(self) -> Relation:
        """Return the verdicts common to all optima; pairs on which these disagree are undecided."""
        return Relation(self.algorithms, self.common, _rule(self.method, self.family))

    def summary(self) -> pd.DataFrame:
        """One row per algorithm: ``algorithm rank_low rank_high``, and ``score`` if there is one.

        Rows are sorted by rank.
        """
        order = np.lexsort((self.ranks[:, 1], self.ranks[:, 0]))
        columns: dict[str, object] = {
            "algorithm": [self.algorithms[i] for i in order],
            "rank_low": self.ranks[order, 0],
            "rank_high": self.ranks[order, 1],
        }
        if self.scores is not None:
            columns["score"] = self.scores[order]
        return frame(columns)

    to_frame = summary

    def support(self) -> pd.DataFrame:
        """Support for the verdict of each pair.

        Returns
        -------
        pandas.DataFrame
            One row per pair: ``first second verdict winner``, the ``weight`` of the relations that
            give each verdict, and ``support``, the share of the weight that compared the pair and
            agrees. For linear orders by distance also ``regret``: what the cheapest order with the
            pair the other way round costs more; where not ``regret_exact``, a lower bound.
        """
        i, j = np.triu_indices(len(self.algorithms), 1)
        names, codes = self.algorithms, self.common[i, j]
        sides = [(names[a], names[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True)]
        columns: dict[str, object] = dict(verdict_columns(sides, codes))
        for verdict in (*list(Verdict)[2:], *list(Verdict)[:2]):
            columns[f"weight_{verdict.label}"] = self.votes[verdict, i, j]
        compared = self.votes[1:, i, j].sum(axis=0)
        known = self.certain[i, j] & (compared > 0)
        agree = self.votes[codes, i, j]
        columns["support"] = np.divide(agree, compared, out=np.full(len(i), np.nan), where=known)
        if self.family == "linear" and self.method in METHODS and self.cost is not None:
            regret, exact = self._regrets(self.cost)
            turned = np.where(codes == Verdict.FIRST, regret[j, i], regret[i, j])
            columns["regret"] = np.where(self.certain[i, j], turned, 0.0)
            columns["regret_exact"] = ~self.certain[i, j] | (exact & exact.T)[i, j]
        return frame(columns)

    def _regrets(self, cost: float) -> tuple[Array, Flags]:
        votes, (distinct, divisor) = self.votes, scaled(np.unique(self.votes))
        # Whole numbers add up without rounding.
        if distinct.dtype.kind == "i":
            votes = np.round(votes * divisor).astype(np.int64)
        costs, scale = of_votes(
            votes, self.method, missing_as_undecided=self.missing_pairs == "undecided"
        )
        scale *= divisor
        regret, exact = linear_regrets(costs, cost * scale, Effort.of(None))
        return regret / scale, exact

    @property
    def decided(self) -> bool:
        """True if there is a single optimum, proved to be one, without a tie of points.

        Incomparable pairs of a partial order or preorder are a decision; those within a Condorcet
        class are not.
        """
        unique = self.optimal and self.count == 1 and self.count_exact
        return unique and not (self.cost is None and (self.common == Verdict.UNDECIDED).any())

    def diagnostics(self) -> pd.DataFrame:
        """One row per check: ``check value direction limit ok sentence remedy``."""
        return checks_frame(checks(self))

    def __str__(self) -> str:
        """Return the order where it is the only one, otherwise the verdicts common to all optima.

        Algorithms in braces are neither ranked as a whole nor all tied; `relation` has the pairs.
        """
        if not self.optimal:
            return f"{self._text(self.solutions[0].states)} (best found, not proved to be the best)"
        text = self._text(self.common)
        if self.count == 1 and self.count_exact:
            return text
        many = f"{'' if self.count_exact else 'at least '}{self.count} {NOUNS[self.family]}"
        if not self.certain[np.triu_indices(len(self.certain), 1)].any():
            return f"{many} fit equally well and have nothing in common"
        return f"{text} (common to {many} that fit equally well)"

    def _text(self, states: States) -> str:
        rank = classes(states == Verdict.FIRST)
        return " > ".join(
            self._class_text(states, np.flatnonzero(rank == k)) for k in range(rank.max() + 1)
        )

    def _class_text(self, states: States, members: NDArray[np.intp]) -> str:
        names = [self.algorithms[i] for i in members]
        pairs = states[members[:, None], members][np.triu_indices(len(members), 1)]
        for verdict, mark in ((Verdict.EQUIVALENT, " ~ "), (Verdict.UNDECIDED, " ? ")):
            if (pairs == verdict).all():
                return mark.join(names)
        return "{" + ", ".join(names) + "}"

    def description(self) -> str:
        """Return the method, the number of algorithms and the order."""
        return f"<Consensus of {len(self.algorithms)} algorithms by {self.method}: {self}>"


@checked
def consensus(
    ensemble: Ensemble | Mapping[str, Relation] | Related,
    *,
    method: Method = "symdiff",
    family: Family = "weak",
    missing_pairs: MissingPairs = "ignore",
    solutions: int | Literal["all"] = 100,
    time_limit: float | None = None,
) -> Consensus:
    """Return the relations that disagree least with an ensemble, and the verdicts common to all.

    Parameters
    ----------
    ensemble
        Relations with weights; or a mapping from names to relations, or comparisons per data set,
        each of weight 1.
    method
        Distance that is minimised: ``"symdiff"`` (symmetric difference, Kemeny and Snell),
        ``"cks"`` (Cook, Kress and Seiford), ``"emond-mason"``, ``"jmb"`` (Jabeur, Martel and
        Khelifa), ``"discrete"`` (verdicts that differ); ``"cook-seiford"``, differences of ranks
        (linear orders only); or points: ``"borda"``, ``"copeland"``, ``"condorcet"`` (the Smith
        set, then that of the rest; within a set nothing is decided), which give weak orders.
    family
        Relations among which to choose. A ``"weak"`` order ranks with ties, a ``"linear"`` one
        without; in ``"partial"`` orders pairs may be incomparable, in ```"preorder"`` s also
        equivalent; in ``"semiorder"`` s and ``"interval"`` orders equivalence need not be
        transitive; an ``"equivalence"`` only groups.
    missing_pairs
        Cost of a pair that a relation does not compare: none (``"ignore"``), or that of an
        ``"undecided"`` one.
    solutions
        Number of optima to list. Others are counted where that is feasible.
    time_limit
        Seconds after which the best relation found is returned with its bound; ``math.inf`` for no
        limit. By default the work is counted instead and ends after about five seconds: the result
        is then the same on every machine, while that after a number of seconds need not be.

    Returns
    -------
    Consensus

    Raises
    ------
    DesignError
        An argument is not one of those named, or the method has no consensus of the family.

    Notes
    -----
    The cost is the sum over relations b and pairs of ``w_b d(s, s_b)``, with d between first and
    second, first and equivalent, first and undecided, equivalent and undecided: 2 1 1 2
    (``symdiff``), 2 1 2 1 (``cks``), 2 1 1 1 (``emond-mason``), 5/3 1 4/3 4/3 (``jmb``),
    1 1 1 1 (``discrete``). It is minimised exactly (Hornik & Meyer 2007): the problem splits
    where all best relations split, parts are solved by dynamic programming or linear programs with
    lazy transitivity, and all optima are found by what each verdict costs beyond the bound.

    With ``missing_pairs="ignore"`` an algorithm that was hardly ever compared can be anywhere at no
    cost; `Consensus.diagnostics` says so.

    References
    ----------
    Hornik, K. & Meyer, D. (2007). Deriving consensus rankings from benchmarking experiments. In:
    Advances in Data Analysis. Springer, 163-170. https://doi.org/10.1007/978-3-540-70981-7_19
    """
    check_family(method, family)
    if time_limit is not None and not time_limit > 0:
        raise DesignError(f"a time limit is a number of seconds above 0, not {time_limit!r}.")
    limit = 10**9 if solutions == "all" else min(solutions, 10**9)
    if limit < 1:
        raise DesignError(f'solutions is a whole number from 1, or "all", not {solutions!r}.')
    relations = getattr(ensemble, "relations", None)
    given = relations() if callable(relations) else ensemble
    if not isinstance(given, Ensemble):
        given = Ensemble(cast("Mapping[str, Relation]", given))
    names, states = stacked(list(given.values()))
    weights, divisor = scaled(given.weights)
    votes = tally(states, weights)
    make = partial(
        _of_orders, names, method=method, family=family, missing_pairs=missing_pairs,
        votes=votes / divisor,
    )  # fmt: skip
    as_undecided = missing_pairs == "undecided"
    if method in SCORES:
        return _scored(make, votes / divisor, method, missing_as_undecided=as_undecided)
    if method == ASSIGNED:
        return _placed(make, states, weights, divisor, limit)
    costs, scale = of_votes(votes, method, missing_as_undecided=as_undecided)
    solution = solve(costs, FAMILIES[family], limit=limit, effort=Effort.of(time_limit))
    only = ONLY[solution.possible]
    return make(
        cost=solution.cost / (divisor * scale),
        lower_bound=solution.bound / (divisor * scale),
        optimal=solution.optimal,
        count=solution.count,
        # Rounding may part, or join, orders of the same cost.
        count_exact=solution.exact and (costs.dtype.kind == "i" or solution.count == 1),
        orders=[VERDICTS[order] for order in solution.states],
        certain=only >= 0,
        common=np.where(only >= 0, VERDICTS[only], Verdict.UNDECIDED),
        ranks=np.column_stack([1 + solution.above, len(names) - solution.below]),
    )


def _of_orders(
    names: tuple[str, ...],
    *,
    method: Method,
    family: Family,
    missing_pairs: MissingPairs,
    votes: Array,
    orders: Iterable[States],
    certain: Flags,
    common: NDArray[np.integer],
    ranks: Codes,
    cost: float | None = None,
    lower_bound: float | None = None,
    optimal: bool = True,
    count: int = 1,
    count_exact: bool = True,
    scores: Array | None = None,
) -> Consensus:
    """Return a consensus of the optima (K, K); its diagonals of common verdicts are set here."""
    common = common.astype(np.int8)
    np.fill_diagonal(common, Verdict.EQUIVALENT)
    return Consensus(
        algorithms=names,
        method=method,
        family=family,
        missing_pairs=missing_pairs,
        cost=cost,
        lower_bound=lower_bound,
        optimal=optimal,
        count=count,
        count_exact=count_exact,
        solutions=tuple(Relation(names, order, _rule(method, family)) for order in orders),
        certain=certain | np.eye(len(names), dtype=np.bool_),
        common=common,
        ranks=ranks,
        scores=scores,
        votes=votes,
    )


def _scored(
    make: Callable[..., Consensus], votes: Array, method: str, *, missing_as_undecided: bool
) -> Consensus:
    """Rank algorithms by points, as means per compared pair where pairs are missing."""
    weights = votes.copy()
    if missing_as_undecided:
        weights[Verdict.UNDECIDED] += weights[Verdict.MISSING]
        weights[Verdict.MISSING] = 0
    if method == "condorcet":
        levels, scores, tied = points.condorcet(weights), None, Verdict.UNDECIDED
    else:
        scores = points.borda(weights) if method == "borda" else points.copeland(weights)
        if weights[Verdict.MISSING].any():
            scores = points.per_pair(scores, weights)
        # Points that rounding alone parts are the same.
        levels = np.unique(-np.round(scores, 9), return_inverse=True)[1]
        tied = Verdict.EQUIVALENT
    above = np.sign(levels - levels[:, None])
    order = np.array([tied, Verdict.FIRST, Verdict.SECOND], dtype=np.int8)[above]
    np.fill_diagonal(order, Verdict.EQUIVALENT)
    ranks = np.column_stack([1 + (above < 0).sum(axis=1), len(levels) - (above > 0).sum(axis=1)])
    certain = np.ones(order.shape, dtype=np.bool_)
    return make(orders=[order], certain=certain, common=order, ranks=ranks, scores=scores)


def _placed(
    make: Callable[..., Consensus], verdicts: States, weights: Costs, divisor: int, limit: int
) -> Consensus:
    """Return the consensus by assignment: places with the least distance from ranks."""
    costs = points.place_costs(twice_ranks(verdicts), weights)
    slack = 0.0 if costs.dtype.kind == "i" else 1e-9 * float(costs.max())
    twice, graph, first = points.cheapest(costs, slack, _SETS)
    cost = twice / (2 * divisor)
    n = len(first)
    if graph is None:
        return make(
            cost=cost,
            lower_bound=cost,
            count_exact=False,
            orders=[VERDICTS[of_order(first)]],
            certain=np.eye(n, dtype=np.bool_),
            common=np.full((n, n), Verdict.UNDECIDED),
            ranks=np.column_stack([np.ones(n, dtype=np.int64), np.full(n, n)]),
        )
    position, above = graph.shares()
    count, some = graph.count(), position > 0
    certain = (above > 0) ^ (above.T > 0)
    agreed = np.where(above > 0, Verdict.FIRST, Verdict.SECOND)
    return make(
        cost=cost,
        lower_bound=cost,
        count=count,
        count_exact=slack == 0 or count == 1,
        orders=[VERDICTS[of_order(np.array(order))] for order in graph.orders(limit)],
        certain=certain,
        common=np.where(certain, agreed, Verdict.UNDECIDED),
        ranks=np.column_stack([1 + some.argmax(axis=1), n - some[:, ::-1].argmax(axis=1)]),
    )


def _rule(method: str, family: str) -> str:
    return f"consensus by {method} ({family})"


def check_family(method: str, family: str) -> None:
    """Raise a DesignError where a method does not give a consensus of the family."""
    only = {**dict.fromkeys(SCORES, "weak"), ASSIGNED: "linear"}.get(method, family)
    if only != family:
        raise DesignError(
            f"method {method!r} gives {NOUNS[only]}, not {NOUNS[family]}.",
            hint=f"family={literal(only)}, or a method that minimises a distance: "
            + ", ".join(METHODS)
            + ".",
        )


def checks(result: Consensus) -> list[Check]:
    """Return the checks on the optimality and the uniqueness of a consensus."""
    upper = np.triu_indices(len(result.certain), 1)
    rows: list[Check] = []
    if result.cost is not None and result.lower_bound is not None:
        rows += [
            Check.of(
                "cost above the lower bound",
                result.cost - result.lower_bound,
                ok=result.optimal,
                sentence="No order was proved to be the cheapest: there may be better ones.",
                remedy="Give more seconds with time_limit=..., or compare fewer algorithms (of"
                " more than 200 that do not split there is no proof).",
            )
        ]
    if result.optimal:
        open_pairs, n = int((~result.certain[upper]).sum()), len(upper[0])
        pairs = f"{open_pairs:,} of {n:,} pairs are" if n > 1 else "the pair is"
        rows += [
            Check.of(
                "relations that fit equally well",
                result.count,
                1.0,
                ok=result.count == 1 and result.count_exact,
                sentence=f"{result.count:,} orders fit equally well; {pairs} open between them.",
                remedy="The relation has what all of these orders say, and no single one is the"
                " answer.",
            ),
            Check.of(
                "optima that were not all counted",
                not result.count_exact,
                sentence="Not all orders that fit equally well were counted.",
                remedy="There may be more of them, or weights that are no fractions of whole"
                " numbers make ties uncertain.",
            ),
        ]
    return [*rows, *_checks_of_votes(result)]


def _checks_of_votes(result: Consensus) -> list[Check]:
    upper = np.triu_indices(len(result.certain), 1)
    missing = result.votes[Verdict.MISSING][upper]
    compared = result.votes[1:].sum(axis=0)[upper]
    never = int((compared == 0).sum())
    share = float(missing.sum() / max((missing + compared).sum(), np.finfo(float).tiny))
    if result.missing_pairs == "undecided":
        advice = "They count as undecided, as if they had been compared without a result."
    elif result.scores is not None:
        advice = "Points are means per compared pair, so that algorithms met different opponents."
    else:
        advice = "They cost nothing: algorithms that were compared less often are placed by less."
    return [
        Check.of(
            "share of pairs that were not compared",
            share,
            sentence=f"{percent(share)} of the pairs were not compared.",
            remedy=advice,
        ),
        Check.of(
            "pairs that no relation compares",
            never,
            sentence=f"{subject(never, 'pair', 'is')} compared by no relation.",
            remedy="Nothing is known of such a pair but what follows from others.",
        ),
    ]


def optima(result: Consensus) -> str:
    """Return the number and the kind of the optimal orders as text.

    Examples
    --------
    >>> import benchinfer as bi
    >>> from benchinfer.relations.consensus.consensus import consensus
    >>> one = bi.Ensemble({"d1": bi.Relation.from_text("a > b")})
    >>> optima(consensus(one)), optima(consensus(one, method="borda"))
    ('the one best weak order', 'the order by borda')
    """
    noun = NOUNS[result.family]
    if result.scores is not None:
        return f"the order by {result.method}"
    if not result.optimal:
        return f"the best {noun.removesuffix('s')} found"
    if result.count == 1 and result.count_exact:
        return f"the one best {noun.removesuffix('s')}"
    many = f"the {result.count:,}" if result.count_exact else f"{result.count:,} or more"
    return f"{many} best {noun}"
