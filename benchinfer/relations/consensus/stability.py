"""Stability of a consensus: bootstrap and influence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.arguments import check_argument, check_count, check_jobs, checked, seed_of
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.frames import checks_frame, frame
from benchinfer.core.numbers import count, percent
from benchinfer.core.progress import Progress, of_task, reporting
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable, shaped
from benchinfer.core.sections import Check
from benchinfer.core.verdict import unrelated
from benchinfer.numerics.types import Array, Flags, States
from benchinfer.relations.consensus.numerics.costs import (
    FAMILIES,
    VERDICTS,
    Costs,
    RelationFamily,
    of_votes,
    scaled,
    tally,
)
from benchinfer.relations.consensus.numerics.resampled import (
    ConsensusAverages,
    averaged,
    drawn,
    reweighted,
    summarise,
    without_each,
)
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.relation import Relation

if TYPE_CHECKING:
    import pandas as pd


type Distance = Literal["symdiff", "cks", "emond-mason", "jmb"]
type Order = Literal["linear", "weak"]
type MissingPairs = Literal["ignore", "undecided"]


@dataclass(frozen=True, slots=True)
class ConsensusOptions:
    """Options of a consensus that minimises a distance."""

    method: Distance
    family: Order
    missing_pairs: MissingPairs

    @property
    def members(self) -> RelationFamily:
        """The relations among which to choose."""
        return FAMILIES[self.family]

    def relation(self, algorithms: tuple[str, ...], states: States) -> Relation:
        """Return a relation of states that a solver found."""
        return Relation(algorithms, VERDICTS[states], f"consensus by {self.method} ({self.family})")

    def tensors(self, ensemble: Ensemble, names: tuple[str, ...] | None = None) -> Costs:
        """Return the weighted costs (B, 4, K, K) of each relation by itself, as whole numbers.

        `names` are the K algorithms in order; by default those of the ensemble.
        """
        weights, _ = scaled(ensemble.weights)
        as_undecided = self.missing_pairs == "undecided"
        parts: list[Costs] = []
        for states, weight in zip(_aligned(ensemble, names), weights, strict=True):
            votes = tally(states[None], np.array([weight]))
            parts.append(of_votes(votes, self.method, missing_as_undecided=as_undecided)[0])
        return cast("Costs", np.stack(parts))


def _aligned(ensemble: Ensemble, names: tuple[str, ...] | None) -> States:
    """Return the verdicts (B, K, K) on the named algorithms, missing where one is not compared."""
    if names is None or names == ensemble.algorithms:
        return ensemble.states
    if strange := [name for name in ensemble.algorithms if name not in names]:
        raise DesignError(unknown("algorithm in an ensemble:", strange[0], names))
    index = [names.index(name) for name in ensemble.algorithms]
    states = np.repeat(unrelated(len(names))[None], len(ensemble), axis=0)
    states[:, np.array(index)[:, None], index] = ensemble.states
    return states


def _require_relations(given: Ensemble) -> Ensemble:
    """Return the ensemble; raise a DesignError without two relations of positive weight."""
    if np.count_nonzero(given.weights) < 2:
        zero = "" if len(given) < 2 else " of weight above 0"
        raise DesignError(
            f"there is one relation{zero}, and relations are to be weighed against each other.",
            hint="an ensemble has one for each data set: per_dataset(...).relations().",
        )
    return given


# Shares of optima that differ by less are the same.
_SAME = 1e-9


@savable
@shaped(
    algorithms="K",
    relations="B",
    weights="B",
    above="K K",
    above_without="B K K",
    count_without="B",
)
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ConsensusInfluence(Showable):
    """Influence of each of B relations on the consensus.

    Attributes
    ----------
    algorithms, relations
        The K and B names.
    method, family, missing_pairs
        Of the consensus.
    weights
        (B,) of the relations.
    above, count
        (K, K) share of the optima with i strictly above j, and the number of optima.
    above_without, count_without
        (B, K, K) and (B,) the same without each relation.
    """

    algorithms: tuple[str, ...]
    relations: tuple[str, ...]
    method: Distance
    family: Order
    missing_pairs: MissingPairs
    weights: Array
    above: Array
    count: int
    above_without: Array
    count_without: tuple[int, ...]

    @property
    def influence(self) -> Array:
        """(B,) half the sum of the changes: how many pairs are turned."""
        return np.abs(self.above_without - self.above).sum(axis=(1, 2)) / 2

    def summary(self) -> pd.DataFrame:
        """One row per relation, the most influential first.

        Returns
        -------
        pandas.DataFrame
            ``relation weight influence n_changed n_optima``: the number of pairs that are turned
            (a pair that becomes open counts half), of pairs that change at all, and of optima
            without the relation.
        """
        influence = np.round(self.influence, 9)
        order = np.argsort(-influence, kind="stable")
        changed = (self._moved() | self._moved().transpose(0, 2, 1)).sum(axis=(1, 2)) // 2
        return frame(
            {
                "relation": [self.relations[b] for b in order],
                "weight": self.weights[order],
                "influence": influence[order],
                "n_changed": changed[order],
                "n_optima": [self.count_without[b] for b in order],
            }
        )

    to_frame = summary

    def pairs(self) -> pd.DataFrame:
        """Return the pairs that change: ``relation first second observed without``.

        The shares are those of the optima with the first strictly above the second, with all
        relations and without that one; the first was the one above in more of them.
        """
        moved = self._moved()
        changed: list[tuple[int, int, int]] = []
        for b, i, j in np.argwhere(np.triu(moved | moved.transpose(0, 2, 1), 1)).tolist():
            changed.append((b, i, j) if self.above[i, j] >= self.above[j, i] else (b, j, i))
        b, i, j = np.array(changed, dtype=np.intp).reshape(-1, 3).T
        return frame(
            {
                "relation": [self.relations[x] for x in b],
                "first": [self.algorithms[x] for x in i],
                "second": [self.algorithms[x] for x in j],
                "observed": self.above[i, j],
                "without": self.above_without[b, i, j],
            }
        )

    def _moved(self) -> Flags:
        return np.abs(self.above_without - self.above) > _SAME

    def description(self) -> str:
        """Return the number of relations without which the consensus changes, as text."""
        some = int((self.influence > _SAME).sum())
        return (
            f"<ConsensusInfluence: leaving out one of {len(self.relations)} relations changes the"
            f" consensus for {some} of them>"
        )


@checked
def consensus_influence(
    ensemble: Ensemble,
    *,
    method: Distance = "symdiff",
    family: Order = "weak",
    missing_pairs: MissingPairs = "ignore",
) -> ConsensusInfluence:
    """Return the changes of the consensus when each relation (data set) in turn is left out.

    Parameters
    ----------
    ensemble
        One relation per data set.
    method, family, missing_pairs
        As in `bootstrap_consensus`.

    Returns
    -------
    ConsensusInfluence

    Raises
    ------
    DesignError
        There are fewer than two relations of weight above 0, or an argument is not one of those
        named.

    Notes
    -----
    The influence of a relation is ``sum |P(i above j) - P(i above j without it)| / 2`` over ordered
    pairs, where P is the share of the optimal orders. It needs the ensemble: a `Consensus` holds
    the sum of the votes, from which no single relation can be subtracted.

    Examples
    --------
    >>> from benchinfer import Ensemble, Relation
    >>> one, two = Relation.from_text("a > b > c"), Relation.from_text("b > a > c")
    >>> votes = Ensemble({"d1": one, "d2": one, "d3": two})
    >>> consensus_influence(votes, family="linear").summary()
      relation  weight  influence  n_changed  n_optima
    0       d1     1.0        0.5          1         2
    1       d2     1.0        0.5          1         2
    2       d3     1.0        0.0          0         1
    """
    options = ConsensusOptions(method, family, missing_pairs)
    ensemble = _require_relations(ensemble)
    tensors = options.tensors(ensemble)
    observed = summarise(tensors.sum(axis=0), options.members)
    rest = list(reweighted(tensors, without_each(len(ensemble)), options.members))
    return ConsensusInfluence(
        algorithms=ensemble.algorithms,
        relations=tuple(ensemble),
        method=method,
        family=family,
        missing_pairs=missing_pairs,
        weights=ensemble.weights,
        above=observed.above,
        count=observed.count,
        above_without=np.stack([one.above for one in rest]),
        count_without=tuple(one.count for one in rest),
    )


_FEW = 10


@checked
@savable
@shaped(algorithms="K", position="3 K K", above="3 K K", tied="3 K K", solutions="S", counts="S")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Stability(Showable):
    """Averages over the consensus orders of resampled ensembles.

    Attributes
    ----------
    algorithms
        The K names.
    method, family, missing_pairs
        Of the consensus.
    resamples, n_relations, seed
        How many resamples of how many relations, and the seed of the draws; None where resampled
        ensembles were given.
    position
        (3, K, K): the share of resamples with k algorithms strictly above i, its standard error by
        Monte Carlo, and the share of the optima of the ensemble itself.
    above, tied
        (3, K, K): the same of i strictly above j, and of both equivalent.
    unique, complete
        In how many resamples there was one optimum, and in how many all optima were averaged over.
    solutions, counts
        Orders that were the only optimum, and of how many resamples; the most frequent first.
    """

    _home: ClassVar[str] = "benchinfer.relations.consensus"

    algorithms: tuple[str, ...]
    method: Distance
    family: Order
    missing_pairs: MissingPairs
    resamples: int
    n_relations: int
    seed: int | None
    position: Array
    above: Array
    tied: Array
    unique: int
    complete: int
    solutions: tuple[Relation, ...]
    counts: tuple[int, ...]

    @property
    def mean_position(self) -> Array:
        """(K,) mean of the place in the order: 1 + the number strictly above."""
        return self.position[0] @ np.arange(1, len(self.algorithms) + 1)

    @property
    def _best_first(self) -> NDArray[np.intp]:
        return np.argsort(np.round(self.mean_position, 9), kind="stable")

    def summary(self, level: float = 0.95) -> pd.DataFrame:
        """One row per algorithm, best first, with its mean place and the range of its places.

        Parameters
        ----------
        level
            At least this share of the resamples has the algorithm between ``position_low`` and
            ``position_high``, at most half of the rest on either side.

        Returns
        -------
        pandas.DataFrame
            ``algorithm position position_low position_high share_best share_error``.
        """
        if not 0 < level < 1:
            raise DesignError(f"level is {level!r}.", hint="between 0 and 1, as in 0.95.")
        order, tail = self._best_first, (1 - level) / 2 + 1e-12
        below = self.position[0].cumsum(axis=1)
        return frame(
            {
                "algorithm": [self.algorithms[i] for i in order],
                "position": self.mean_position[order],
                "position_low": 1 + (below > tail).argmax(axis=1)[order],
                "position_high": 1 + (below >= 1 - tail).argmax(axis=1)[order],
                "share_best": self.position[0, order, 0],
                "share_error": self.position[1, order, 0],
            }
        )

    to_frame = summary

    def positions(self) -> pd.DataFrame:
        """Return the shares of positions: ``algorithm position share share_error observed``.

        The place of an algorithm is 1 + the number strictly above it. There is one row for each
        algorithm and place, best algorithm first.
        """
        k, order = len(self.algorithms), self._best_first
        share, error, observed = (part[order].ravel() for part in self.position)
        return frame(
            {
                "algorithm": [self.algorithms[i] for i in order for _ in range(k)],
                "position": np.tile(np.arange(1, k + 1), k),
                "share": share,
                "share_error": error,
                "observed": observed,
            }
        )

    def pairs(self) -> pd.DataFrame:
        """Return how often one algorithm is above another, one row per pair.

        Returns
        -------
        pandas.DataFrame
            ``first second share_above share_tied share_below share_error observed``; the first has
            the better mean place. Linear orders have no ``share_tied``.
        """
        order = self._best_first
        a, b = np.triu_indices(len(order), 1)
        i, j = order[a], order[b]
        columns: dict[str, object] = {
            "first": [self.algorithms[x] for x in i],
            "second": [self.algorithms[x] for x in j],
            "share_above": self.above[0, i, j],
            "share_tied": self.tied[0, i, j],
            "share_below": self.above[0, j, i],
            "share_error": self.above[1, i, j],
            "observed": self.above[2, i, j],
        }
        if self.family == "linear":
            del columns["share_tied"]
        return frame(columns)

    def orders(self) -> pd.DataFrame:
        """Return the orders that were the only optimum: ``order share share_error``.

        Shares are of all resamples; those with several optima add to no order.
        """
        share = np.array(self.counts, dtype=np.float64) / self.resamples
        return frame(
            {
                "order": [str(order) for order in self.solutions],
                "share": share,
                "share_error": np.sqrt(share * (1 - share) / max(self.resamples - 1, 1)),
            }
        )

    def diagnostics(self) -> pd.DataFrame:
        """One row per check: ``check value direction limit ok sentence remedy``."""
        rows = [
            Check.of(
                "relations drawn from",
                self.n_relations,
                _FEW,
                least=True,
                sentence=f"There are only {count(self.n_relations, 'relation')} to draw from:"
                " shares depend on single ones.",
                remedy="So few data sets say little about others.",
            ),
            Check.of(
                "share of resamples with several optima",
                1 - self.unique / self.resamples,
                sentence=f"{percent(1 - self.unique / self.resamples)} of the resamples have"
                " several optima.",
                remedy="Each counts the same within its resample; they add to no whole order.",
            ),
            Check.of(
                "resamples whose optima were not all found",
                self.resamples - self.complete,
                sentence=f"Of {count(self.resamples - self.complete, 'resample')} not all optima"
                " were found.",
                remedy="Averages are over those found; fewer algorithms, or linear orders, can"
                " be exact.",
            ),
        ]
        return checks_frame(rows)

    def __str__(self) -> str:
        """Write algorithms by mean place, with how likely one is above, or level with, the next."""
        order = self._best_first.tolist()
        text = self.algorithms[order[0]]
        for i, j in pairwise(order):
            tied = "" if self.family == "linear" else f" ~{self.tied[0, i, j]:.2f}"
            text += f" >{self.above[0, i, j]:.2f}{tied} {self.algorithms[j]}"
        return text

    def description(self) -> str:
        """Return the kind and number of resamples, and the consensus order, as text."""
        return (
            f"<Stability of {len(self.algorithms)} algorithms over {self.resamples} resamples of"
            f" {self.n_relations} relations: {self}>"
        )


@checked
def bootstrap_consensus(
    ensemble: Ensemble,
    *,
    method: Distance = "symdiff",
    family: Order = "weak",
    missing_pairs: MissingPairs = "ignore",
    resamples: int = 1000,
    resampled: Iterable[Ensemble] | None = None,
    seed: int | None = 1,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> Stability:
    """Find the consensus of many resamples of an ensemble.

    Relations (data sets) are drawn with replacement, as many as there are; in each resample all
    optimal orders count the same, so that no tie is broken by chance.

    Parameters
    ----------
    ensemble
        One relation per data set. A relation that is drawn counts with its weight; one of weight 0
        is not drawn.
    method
        Distance that is minimised, as in `consensus`: ``"symdiff"``, ``"cks"``, ``"emond-mason"``
        or ``"jmb"``.
    family
        ``"weak"`` orders, with ties, or ``"linear"`` ones.
    missing_pairs
        Whether a pair that a relation does not compare costs nothing (``"ignore"``) or counts as
        undecided.
    resamples
        Their number.
    resampled
        Ensembles to use in place of drawn ones, as `resample_relations` makes them: verdicts from
        resampled replications. At most `resamples` of them are taken.
    seed
        Of the draws; None draws one. It is in the result.
    n_jobs
        As in `per_dataset`.

        For drawn resamples; those of `resampled` are found by `resample_relations`.
    progress
        True for a bar on standard error while resamples are drawn, in a terminal or a notebook; or
        a function of ``(task, done, total)`` that is called with the number of resamples just done.

    Returns
    -------
    Stability

    Raises
    ------
    DesignError
        There are fewer than two relations of weight above 0, or an argument is not usable.

    Notes
    -----
    Data sets are taken for a sample of a domain of independent ones. Relations are drawn one by
    one: those of several measures on one data set (`Ensemble.joined`) are not independent, and
    shares then come out too sure. Drawn relations hold their verdicts fixed: that these rest on few
    replications is not in the result unless `resampled` has ensembles whose verdicts were found
    anew. A share of resamples is not the probability that a claim is true: it says how much the
    claim depends on which data sets there are.

    References
    ----------
    Efron (1979), https://doi.org/10.1214/aos/1176344552

    Examples
    --------
    >>> from benchinfer import Ensemble, Relation
    >>> one, two = Relation.from_text("a > b > c"), Relation.from_text("b > a > c")
    >>> votes = Ensemble({"d1": one, "d2": one, "d3": one, "d4": two})
    >>> print(bootstrap_consensus(votes, family="linear", resamples=200, seed=1))
    a >0.83 b >1.00 c
    """
    options = ConsensusOptions(method, family, missing_pairs)
    ensemble = _require_relations(ensemble)
    check_count("resamples", resamples, 1, "a whole number from 1; 1000 as a rule.")
    check_jobs(n_jobs)
    tensors = options.tensors(ensemble)
    # Drawn, a relation of no weight would take the place of one that counts.
    tensors = tensors[ensemble.weights > 0]
    with reporting(progress=progress) as telling:
        report = of_task(telling, "consensus", resamples)
        if resampled is None:
            seed = seed_of(seed)
            weights = drawn(len(tensors), resamples, seed)
            summaries = reweighted(tensors, weights, options.members, report, n_jobs)
        else:
            seed = None
            names = ensemble.algorithms
            summaries = _given(islice(resampled, resamples), options, names, report)
        averages = averaged(summaries)
    observed = summarise(tensors.sum(axis=0), options.members)
    return Stability(
        algorithms=ensemble.algorithms,
        method=method,
        family=family,
        missing_pairs=missing_pairs,
        resamples=averages.n,
        n_relations=len(tensors),
        seed=seed,
        position=np.stack([averages.position, averages.position_error, observed.position]),
        above=np.stack([averages.above, averages.above_error, observed.above]),
        tied=np.stack([averages.tied, averages.tied_error, observed.tied]),
        unique=averages.unique,
        complete=averages.complete,
        solutions=tuple(
            options.relation(ensemble.algorithms, order) for order, _ in averages.orders
        ),
        counts=tuple(count for _, count in averages.orders),
    )


def _given(
    ensembles: Iterable[Ensemble],
    options: ConsensusOptions,
    names: tuple[str, ...],
    report: Callable[[int], None] | None,
) -> Iterator[ConsensusAverages]:
    """Yield the summary of each ensemble, its algorithms in the order of the names."""
    ensemble = None
    for ensemble in ensembles:
        check_argument("resampled", ensemble, Ensemble)  # of what yields them one by one
        yield summarise(options.tensors(ensemble, names).sum(axis=0), options.members)
        if report is not None:
            report(1)
    if ensemble is None:
        raise DesignError("there is no resampled ensemble to average over.")
