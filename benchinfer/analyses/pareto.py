"""Pareto front of several measures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from benchinfer.comparison.checks.complete import names_of
from benchinfer.comparison.checks.validation import check_missing
from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import check_resamples, seed_of
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.hints import Call
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import join
from benchinfer.core.provenance import AnalysisOptions, Provenance
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Flags
from benchinfer.relations.relation import Relation
from benchinfer.scores.checks.gaps import fewest_lost
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd


# Levels that differ by less, relative to the largest, are equal: the noise of means.
_NOISE = 1e-12
# Numbers in one chunk of resamples.
_CHUNK = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Dominance:
    """Dominance among K algorithms, with its share of N resamples.

    Attributes
    ----------
    levels : (K, M)
        Means over data sets, larger is better.
    dominates : (K, K)
        Whether row is at least as good as column on all measures and better on one.
    prob_dominates : (K, K)
    prob_front : (K,)
    """

    levels: Array
    dominates: Flags
    prob_dominates: Array
    prob_front: Array


def dominates(levels: Array) -> Flags:
    """Return whether row dominates column (..., K, K), given levels (..., K, M)."""
    noise = _NOISE * np.abs(levels).max(initial=0.0)
    k, m = levels.shape[-2:]
    shape = (*levels.shape[:-2], k, k)
    never_worse, once_better = np.ones(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    for j in range(m):
        more = levels[..., :, None, j] - levels[..., None, :, j]
        never_worse &= more >= -noise
        once_better |= more > noise
    return never_worse & once_better


def resampled_dominance(means: Array, resamples: int, seed: int) -> Dominance:
    """Draw data sets with replacement and see who dominates whom."""
    d, k, m = means.shape
    rng = np.random.default_rng(seed)
    pairs, front = np.zeros((k, k), dtype=np.int64), np.zeros(k, dtype=np.int64)
    step = max(1, _CHUNK // (k * k * m))
    for start in range(0, resamples, step):
        weights = rng.multinomial(d, np.full(d, 1 / d), min(step, resamples - start))
        drawn = weights @ means.reshape(d, -1) / d
        dominance = dominates(drawn.reshape(-1, k, m))
        pairs += dominance.sum(axis=0)
        front += (~dominance.any(axis=1)).sum(axis=0)
    levels = means.mean(axis=0)
    return Dominance(levels, dominates(levels), pairs / resamples, front / resamples)


@dataclass(frozen=True, kw_only=True)
class ParetoOptions(AnalysisOptions):
    """Arguments of `pareto`; see there."""

    analysis: ClassVar[str] = "pareto"

    measures: tuple[str, ...]
    resamples: int
    missing: Literal["use", "error"]
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_resamples(self.resamples, 1, "a whole number from 1.")


@savable
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Pareto(Showable):
    """Pareto front of K algorithms on M measures.

    An algorithm dominates another if it is at least as good on all measures and better on one, in
    means over data sets.

    Attributes
    ----------
    algorithms, measures
        The K names and M measures.
    levels
        (K, M) means over data sets on the measures' scales, larger is better.
    dominates, prob_dominates
        (K, K) whether row dominates column, and in which share of the resamples.
    prob_front
        (K,) in which share of the resamples no other dominates the algorithm.
    n_datasets, resamples
        How many data sets there are, and how often they were drawn.
    provenance
        Where it comes from.
    left_out
        Data sets and algorithms without scores in some cell, left out.
    """

    algorithms: tuple[str, ...]
    measures: tuple[Measure, ...]
    levels: Array
    dominates: Flags
    prob_dominates: Array
    prob_front: Array
    n_datasets: int
    resamples: int
    provenance: Provenance
    left_out: tuple[str, ...] = ()

    @property
    def on_front(self) -> Flags:
        """(K,) whether no other dominates the algorithm."""
        return ~self.dominates.any(axis=0)

    def front(self) -> list[str]:
        """Return the names of those that no other dominates."""
        return [name for name, on in zip(self.algorithms, self.on_front, strict=True) if on]

    def summary(self) -> "pd.DataFrame":
        """One row per algorithm, the front first: ``algorithm on_front prob_front prob_error``."""
        order = np.lexsort((-self.prob_front, ~self.on_front))
        return frame(
            {
                "algorithm": [self.algorithms[i] for i in order],
                "on_front": self.on_front[order],
                "prob_front": self.prob_front[order],
                "prob_error": self._error(self.prob_front[order]),
            }
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return `summary`."""
        return self.summary()

    def estimates(self) -> "pd.DataFrame":
        """Return the means over data sets in the measures' units: ``measure algorithm estimate``.

        On log and logit scales they are means on the scale, turned back.
        """
        k = len(self.algorithms)
        levels = [m.level_of(self.levels[:, j]) for j, m in enumerate(self.measures)]
        return frame(
            {
                "measure": [m.name for m in self.measures for _ in range(k)],
                "algorithm": list(self.algorithms) * len(self.measures),
                "estimate": np.concatenate(levels),
            }
        )

    def dominance(self) -> "pd.DataFrame":
        """Return who dominates whom: ``first second dominates prob_dominates prob_error``.

        Ordered pairs in which the first never dominates are left out.
        """
        i, j = np.nonzero(self.dominates | (self.prob_dominates > 0))
        return frame(
            {
                "first": [self.algorithms[x] for x in i],
                "second": [self.algorithms[x] for x in j],
                "dominates": self.dominates[i, j],
                "prob_dominates": self.prob_dominates[i, j],
                "prob_error": self._error(self.prob_dominates[i, j]),
            }
        )

    def relation(self, level: float | None = None) -> Relation:
        """Return dominance as a relation: what neither dominates is undecided.

        Parameters
        ----------
        level
            Dominance counts if it is in at least this share of the resamples; None takes that of
            the table as it is.
        """
        if level is not None and not 0.5 < level <= 1:
            raise DesignError(f"level is {level!r}.", hint="above 0.5 and at most 1.")
        first = self.dominates if level is None else self.prob_dominates >= level
        other = np.where(first.T, Verdict.SECOND, Verdict.UNDECIDED)
        states = np.where(first, Verdict.FIRST, other)
        np.fill_diagonal(states, Verdict.EQUIVALENT)
        share = "" if level is None else f" in {level:.0%} of resamples"
        names = ", ".join(measure.name for measure in self.measures)
        return Relation(self.algorithms, states.astype(np.int8), f"dominance on {names}{share}")

    def _error(self, share: Array) -> Array:
        return np.sqrt(share * (1 - share) / self.resamples)

    def description(self) -> str:
        """Return the front, and what was left out."""
        names = ", ".join(measure.name for measure in self.measures)
        without = f", without {join(self.left_out)}" if self.left_out else ""
        return (
            f"<Pareto front on {names}, {len(self.algorithms)} algorithms and"
            f" {self.n_datasets} data sets{without}: {', '.join(self.front())}>"
        )


def pareto(
    scores: ScoreTable,
    measures: Sequence[str] | None = None,
    *,
    resamples: int = 1000,
    missing: Literal["use", "error"] = "use",
    seed: int | None = 1,
) -> Pareto:
    """Find the algorithms that no other dominates on several measures.

    Parameters
    ----------
    scores
        The table.
    measures
        Their names; by default all of the table.
    resamples
        How often data sets are drawn with replacement, for the uncertainty of dominance.
    missing
        ``"use"``: where cells have no score of a measure, the part of the table in which all
        algorithms have scores of all measures on all data sets, as in `compare_points`; what is
        left out is named. ``"error"`` refuses cells that lack scores.
    seed
        Of the draws; None draws one. It is in the result's provenance.

    Returns
    -------
    Pareto

    Raises
    ------
    DesignError
        There are fewer than two measures or data sets, cells lack scores and ``missing="error"``,
        or no two algorithms share a data set.

    Notes
    -----
    An algorithm is judged by its means over data sets on the measures' scales (ratios of seconds
    where their scale is log). No tolerance applies: dominance with one is not transitive. An
    algorithm is dominated as soon as another is better by anything on all measures: the share of
    resamples in which it is says how much that is worth. It is no probability that the claim is
    true.

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("sklearn_bootstrap")
    >>> bi.pareto(scores, ["error", "seconds"], seed=1).front()
    ['cart', 'knn', 'lda', 'svm']
    """
    names = [m.name for m in scores.measures] if measures is None else list(measures)
    if isinstance(measures, str) or len(set(names)) < 2 or len(set(names)) < len(names):
        raise DesignError(
            f"a front needs several different measures, not {names!r}.",
            hint='as in pareto(scores, ["error", "seconds"]).',
        )
    options = ParetoOptions(
        measures=tuple(names), resamples=resamples, missing=missing, seed=seed_of(seed)
    )
    settings = [Setting.of(scores, name)[0] for name in names]
    for setting in settings:
        check_missing(setting, missing, complete=True)
    part, left_out = _complete(scores, names)
    means = np.stack([part.cells(name).mean for name in names], axis=2)
    dominance = resampled_dominance(means, resamples, options.seed)
    return Pareto(
        algorithms=part.algorithms,
        measures=tuple(setting.measure for setting in settings),
        levels=dominance.levels,
        dominates=dominance.dominates,
        prob_dominates=dominance.prob_dominates,
        prob_front=dominance.prob_front,
        n_datasets=len(means),
        resamples=resamples,
        provenance=options.provenance(settings[0].digest, "none", options.seed),
        left_out=left_out,
    )


def _complete(scores: ScoreTable, names: list[str]) -> tuple[ScoreTable, tuple[str, ...]]:
    """Return the part of a table without an empty cell of any measure, and what it lacks."""
    coverage = scores.coverage(names[0])
    counts = np.min([scores.coverage(name).found for name in names], axis=0)
    datasets, algorithms = fewest_lost(counts, np.zeros(counts.shape[1], np.bool_))
    if not datasets.any():
        raise DesignError(
            f"{(counts == 0).sum():,} of {counts.size:,} cells have no score for one of the"
            f" measures {join([repr(name) for name in names])}, and no part of the table is"
            " complete.",
            hint="pareto(scores, [...]) takes fewer measures.",
        )
    if datasets.sum() < 2:
        raise DesignError(
            "there is one data set, and data sets are to be drawn."
            if len(datasets) == 1
            else "one data set has scores of all measures, and data sets are to be drawn.",
            hint=f"a front on one data set can be read off {Call('compare_points')} on each"
            " measure.",
        )
    part = scores.subset(
        measures=names,
        datasets=names_of(coverage.datasets, datasets),
        algorithms=names_of(coverage.algorithms, algorithms),
    )
    return part, (
        *names_of(coverage.datasets, ~datasets),
        *names_of(coverage.algorithms, ~algorithms),
    )
