"""How stable a consensus is when data sets are drawn anew from those at hand."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.drawn import check_resamples, seed_of
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.numerics.consensus import resampled as numerics
from benchinfer.numerics.consensus.summary import Summary, summarise
from benchinfer.order.consensus_checks import columns
from benchinfer.order.ensemble import Ensemble
from benchinfer.order.relation import Relation
from benchinfer.order.reweighed import Asked, Distance, MissingPairs, Order, require_ensemble
from benchinfer.progress import Progress, of_task, reporting
from benchinfer.saving import savable
from benchinfer.showable import Showable

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.order.consensus_checks import Row

type Array = NDArray[np.float64]

_FEW = 10


@savable
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Stability(Showable):
    """What the consensus orders of resampled ensembles say, on average.

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
        (3, K, K): the probability that k algorithms are strictly above i, its standard error by
        Monte Carlo, and the share of the optima of the ensemble itself.
    above, tied
        (3, K, K): the same of i strictly above j, and of both equivalent.
    unique, whole
        In how many resamples there was one optimum, and in how many all optima were averaged over.
    solutions, counts
        Orders that were the only optimum, and of how many resamples; the most frequent first.
    """

    algorithms: tuple[str, ...]
    method: str
    family: str
    missing_pairs: str
    resamples: int
    n_relations: int
    seed: int | None
    position: Array
    above: Array
    tied: Array
    unique: int
    whole: int
    solutions: tuple[Relation, ...]
    counts: tuple[int, ...]

    @property
    def mean_position(self) -> Array:
        """(K,) mean of the place in the order: 1 + the number strictly above."""
        return self.position[0] @ np.arange(1, len(self.algorithms) + 1)

    @property
    def _best_first(self) -> NDArray[np.intp]:
        return np.argsort(np.round(self.mean_position, 9), kind="stable")

    def summary(self, level: float = 0.95) -> "pd.DataFrame":
        """One row per algorithm, best first, with its mean place and the range of its places.

        Parameters
        ----------
        level
            At least this share of the resamples has the algorithm between ``position_low`` and
            ``position_high``, at most half of the rest on either side.

        Returns
        -------
        pandas.DataFrame
            ``algorithm position position_low position_high prob_best prob_error``.
        """
        if not 0 < level < 1:
            raise DesignError(message(f"level is {level!r}.", hint="between 0 and 1, as in 0.95."))
        order, tail = self._best_first, (1 - level) / 2 + 1e-12
        below = self.position[0].cumsum(axis=1)
        return frame(
            {
                "algorithm": [self.algorithms[i] for i in order],
                "position": self.mean_position[order],
                "position_low": 1 + (below > tail).argmax(axis=1)[order],
                "position_high": 1 + (below >= 1 - tail).argmax(axis=1)[order],
                "prob_best": self.position[0, order, 0],
                "prob_error": self.position[1, order, 0],
            }
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return `summary`."""
        return self.summary()

    def positions(self) -> "pd.DataFrame":
        """Return how likely each place is: ``algorithm position probability prob_error observed``.

        The place of an algorithm is 1 + the number strictly above it. There is one row for each
        algorithm and place, best algorithm first.
        """
        k, order = len(self.algorithms), self._best_first
        probability, error, observed = (part[order].ravel() for part in self.position)
        return frame(
            {
                "algorithm": [self.algorithms[i] for i in order for _ in range(k)],
                "position": np.tile(np.arange(1, k + 1), k),
                "probability": probability,
                "prob_error": error,
                "observed": observed,
            }
        )

    def pairs(self) -> "pd.DataFrame":
        """Return how likely one algorithm is above another, one row per pair.

        Returns
        -------
        pandas.DataFrame
            ``first second prob_above prob_tied prob_below prob_error observed``; the first has the
            better mean place. Linear orders have no ``prob_tied``.
        """
        order = self._best_first
        a, b = np.triu_indices(len(order), 1)
        i, j = order[a], order[b]
        columns: dict[str, object] = {
            "first": [self.algorithms[x] for x in i],
            "second": [self.algorithms[x] for x in j],
            "prob_above": self.above[0, i, j],
            "prob_tied": self.tied[0, i, j],
            "prob_below": self.above[0, j, i],
            "prob_error": self.above[1, i, j],
            "observed": self.above[2, i, j],
        }
        if self.family == "linear":
            del columns["prob_tied"]
        return frame(columns)

    def orders(self) -> "pd.DataFrame":
        """Return the orders that were the only optimum: ``order probability prob_error``.

        Probabilities are shares of all resamples; those with several optima add to no order.
        """
        share = np.array(self.counts, dtype=np.float64) / self.resamples
        return frame(
            {
                "order": [str(order) for order in self.solutions],
                "probability": share,
                "prob_error": np.sqrt(share * (1 - share) / max(self.resamples - 1, 1)),
            }
        )

    def diagnostics(self) -> "pd.DataFrame":
        """One row per check: ``check value direction limit ok remedy``."""
        rows: list[Row] = [
            (
                "relations drawn from",
                float(self.n_relations),
                "at least",
                float(_FEW),
                self.n_relations >= _FEW,
                "so few data sets say little about others: shares are what hangs on single ones",
            ),
            (
                "share of resamples with several optima",
                1 - self.unique / self.resamples,
                "at most",
                0.0,
                self.unique == self.resamples,
                "each counts the same within its resample; they add to no whole order",
            ),
            (
                "resamples whose optima were not all found",
                float(self.resamples - self.whole),
                "at most",
                0.0,
                self.whole == self.resamples,
                "averages are over those found; fewer algorithms, or linear orders, can be exact",
            ),
        ]
        return frame(columns(rows))

    def __str__(self) -> str:
        """Write algorithms by mean place, with how likely one is above, or level with, the next."""
        order = self._best_first.tolist()
        text = self.algorithms[order[0]]
        for i, j in pairwise(order):
            tied = "" if self.family == "linear" else f" ~{self.tied[0, i, j]:.2f}"
            text += f" >{self.above[0, i, j]:.2f}{tied} {self.algorithms[j]}"
        return text

    def __repr__(self) -> str:
        """Return what was resampled, and the order."""
        return (
            f"<Stability of {len(self.algorithms)} algorithms over {self.resamples} resamples of"
            f" {self.n_relations} relations: {self}>"
        )


def bootstrap_consensus(
    ensemble: Ensemble,
    *,
    method: Distance = "symdiff",
    family: Order = "weak",
    missing_pairs: MissingPairs = "ignore",
    resamples: int = 1000,
    resampled: Iterable[Ensemble] | None = None,
    seed: int | None = None,
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
    progress
        True for a bar on standard error while resamples are drawn, in a terminal or a notebook; or
        a function of ``(task, done, total)`` that is told how many resamples were just done.

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
    shares then come out too sure; `consensus_weights` is about them. Drawn relations hold their
    verdicts fixed: that these rest on few replications is not in the result unless `resampled`
    has ensembles whose verdicts were found anew. A share of resamples is not the probability that a
    claim is true: it says how much the claim depends on which data sets there are.

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
    asked = Asked(method, family, missing_pairs)
    asked.check()
    ensemble = require_ensemble(ensemble)
    check_resamples(resamples, 1, "a whole number from 1; 1000 as a rule.")
    tensors, _ = asked.tensors(ensemble)
    # Drawn, a relation of no weight would take the place of one that counts.
    tensors = tensors[ensemble.weights > 0]
    with reporting(progress=progress) as telling:
        told = of_task(telling, "consensus", resamples)
        if resampled is None:
            seed = seed_of(seed)
            weights = numerics.drawn(len(tensors), resamples, seed)
            summaries = numerics.reweighted(tensors, weights, asked.members, told)
        else:
            seed = None
            names = ensemble.algorithms
            summaries = _given(islice(resampled, resamples), asked, names, told)
        found = numerics.averaged(summaries)
    observed = summarise(tensors.sum(axis=0), asked.members)
    return Stability(
        algorithms=ensemble.algorithms,
        method=method,
        family=family,
        missing_pairs=missing_pairs,
        resamples=found.n,
        n_relations=len(tensors),
        seed=seed,
        position=np.stack([found.position, found.position_error, observed.position]),
        above=np.stack([found.above, found.above_error, observed.above]),
        tied=np.stack([found.tied, found.tied_error, observed.tied]),
        unique=found.unique,
        whole=found.whole,
        solutions=tuple(asked.relation(ensemble.algorithms, order) for order, _ in found.orders),
        counts=tuple(count for _, count in found.orders),
    )


def _given(
    ensembles: Iterable[Ensemble],
    asked: Asked,
    names: tuple[str, ...],
    told: Callable[[int], None] | None,
) -> Iterator[Summary]:
    """Yield the summary of each ensemble, its algorithms in the order of the names."""
    ensemble = None
    for ensemble in ensembles:
        if not isinstance(ensemble, Ensemble):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DesignError(
                message(
                    f"a {type(ensemble).__name__} is not a resampled ensemble.",
                    hint="resampled=resample_relations(...) makes them.",
                )
            )
        yield summarise(asked.tensors(ensemble, names)[0].sum(axis=0), asked.members)
        if told is not None:
            told(1)
    if ensemble is None:
        raise DesignError("there is no resampled ensemble to average over.")
