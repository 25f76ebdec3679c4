"""Intervals, tests and improvement probabilities from bootstrap draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchinfer.analyses.bootstrap.numerics import aggregates, profiles
from benchinfer.analyses.bootstrap.numerics.aggregates import (
    Statistic,
    UnitBounds,
    UnitInfluence,
)
from benchinfer.analyses.bootstrap.numerics.intervals import (
    BootstrapDraws,
    contracted,
    gather,
    lower,
    monte_carlo_error,
    p_at_least,
    p_at_most,
    upper,
)
from benchinfer.analyses.bootstrap.numerics.resampling import Resample, ScoreSample
from benchinfer.analyses.bootstrap.options import BootstrapOptions
from benchinfer.comparison.adjustment import (
    adjusted,
    agreeing,
    level_spent,
    tail_level,
)
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.contrasts import ContrastFamily
from benchinfer.comparison.evidence import (
    Evidence,
    Level,
    in_agreement,
    tail_of_step,
    with_equivalence,
)
from benchinfer.core.progress import Progress, of_task
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.covariance import pairs_of
from benchinfer.numerics.types import Array, Codes, Flags


@dataclass(frozen=True, slots=True)
class Aggregated:
    """Aggregates of K algorithms with N bootstrap draws."""

    estimate: Array  # (K,) aggregates less the center, larger is better
    draws: Array  # (N, K) of resamples, likewise
    center: float  # the mean of all scores
    influence: UnitInfluence  # influence of each unit, for bounds by the number of units
    expanded: bool  # whether percentiles are expanded
    unit: float  # size of the scores, for rounding

    @staticmethod
    def of(
        sample: ScoreSample,
        statistic: Statistic,
        resample: Resample,
        resamples: int,
        seed: int,
        interval: str,
        influence: UnitInfluence,
        n_jobs: int | None = 1,
        progress: Callable[[int], None] | None = None,
    ) -> Aggregated:
        """Aggregate the sample and its resamples."""
        # Rounding is that of the spread of scores, not of their distance from 0.
        center = float(sample.values[sample.present].mean())
        sample = sample.with_values(sample.values - center)
        return Aggregated(
            aggregates.point(sample, statistic),
            aggregates.draws(
                sample, statistic, resample, resamples, seed, n_jobs=n_jobs, progress=progress
            ),
            center,
            influence,
            interval == "expanded",
            float(np.abs(sample.values).max(initial=0.0)) or 1.0,
        )

    def contrast(self, matrix: Array, *, tested: bool = True) -> BootstrapDraws:
        """Return the draws of (P, K) combinations of the aggregates, which may be tested."""
        bounds = self.influence.bounds(matrix)
        total = matrix.sum(axis=1)
        center = self.center * np.where(np.abs(total) > 1e-9, total, 0.0)
        return gather(
            matrix @ self.estimate + center,
            self.draws @ matrix.T + center,
            self.unit,
            bounds.units if self.expanded else None,
            bounds.least if tested else 0.0,
        )


def levels_of(aggregated: Aggregated, alpha: float, mean: Array | None, name: str) -> Level:
    """Return each algorithm's aggregate with an interval of its own."""
    # No hypothesis is tested here, so that no level is too small for the units.
    draws = aggregated.contrast(np.eye(len(aggregated.estimate)), tested=False)
    return Level(draws.estimate, lower(draws, alpha / 2), upper(draws, alpha / 2), mean, name)


# Resamples beyond a bound that place it well; the fewest that are drawn unless requested; the most
# scores visited (seconds), and the most numbers held (100 MB), for the sake of more.
BEYOND, _FEWEST, _VISITS, _HELD = 25, 10_000, 1e9, 1.2e7


@dataclass(frozen=True, slots=True)
class BootstrapProcedure:
    """Number of resamples, and what it follows from."""

    resamples: int  # their number
    # n_contrasts, sides: contrasts to adjust for, and sides of a test: 1 or 2
    n_contrasts: int
    sides: int
    bounds: UnitBounds  # of the contrasts by the number of units
    largest_part: float  # the largest share of one unit in the variance of a contrast
    tail: float  # level of one bound of a contrast
    share: float  # share of resamples beyond such a bound

    @staticmethod
    def of(
        family: ContrastFamily,
        options: BootstrapOptions,
        sample: ScoreSample,
        influence: UnitInfluence,
    ) -> BootstrapProcedure:
        """Return the procedure that the arguments of `compare_bootstrap` ask for."""
        n = len(family.matrix) if options.adjust == "holm" else 1
        sides = 1 if options.directed else 2
        bounds, level = influence.bounds(family.matrix), tail_of(family, options)
        share, resamples = level, options.resamples
        # Where the units cannot reach the level, no number helps.
        reached = level >= bounds.least
        if options.percentiles == "expanded":
            shares = contracted(np.full(len(family.matrix), level), bounds.units)
            share = float(shares[reached].min(initial=level) if reached.any() else shares.max())
        if resamples == "auto":
            # As many as place the bounds, or as time and memory allow.
            held = max(family.matrix.shape)
            most = min(_VISITS / sample.values.size, _HELD / held)
            enough = int(min(np.ceil(BEYOND / share), most)) if reached.any() else 0
            resamples = max(_FEWEST, enough)
        parts = influence.parts(family.matrix)
        return BootstrapProcedure(
            resamples=resamples,
            n_contrasts=n,
            sides=sides,
            bounds=bounds,
            largest_part=float((parts.max(axis=0) / np.maximum(parts.sum(axis=0), 1e-300)).max()),
            tail=level,
            share=share,
        )


def tail_of(family: ContrastFamily, options: BootstrapOptions) -> float:
    """Return the level of each end of the intervals of a family."""
    n, directed = len(family.matrix), options.directed
    return tail_level(options.adjust, options.alpha, n, options.statement, directed=directed) / 2


def most_resamples(contrasts: int) -> int:
    """Return how many resamples are drawn at most for so many contrasts, unless requested."""
    return max(_FEWEST, int(_HELD / contrasts))


@dataclass(frozen=True, slots=True)
class BootstrapTests:
    """Evidence of the contrasts that are shown, and the errors of their p-values."""

    evidence: Evidence  # tests and intervals
    # error, equivalence_error: (P,) Monte Carlo standard errors of the adjusted p-values of
    # difference and equivalence
    error: Array
    equivalence_error: Array
    flat: Flags  # (P,) whether all draws of a contrast are equal


def tested(
    draws: BootstrapDraws,
    family: ContrastFamily,
    margin: float,
    options: BootstrapOptions,
) -> BootstrapTests:
    """Turn draws of contrasts into tests and intervals.

    A two-sided p-value is twice the smaller one-sided one; the equivalence p-value is the larger of
    the two one-sided ones at the tolerance.
    """
    n, alternative, adjust = len(family.matrix), options.alternative, options.adjust
    step = partial(adjusted, adjust)
    p, low, high = _decided(draws, alternative, tail_of(family, options))
    outside = np.maximum(p_at_most(draws, -margin), p_at_least(draws, margin))
    flat, shown, error = draws.flat, family.wanted, draws.sd
    p_value = step(p, level_spent(adjust, n, options.statement))
    p_value = np.where(flat, 1.0, p_value)
    if agreeing(adjust, n, options.statement):
        low, high = in_agreement(low, high, draws.estimate, p_value <= options.alpha)
    equal = np.where(flat, 1.0, step(outside))
    not_worse = None
    if alternative != "two-sided" and margin:
        better = alternative == "better"
        one = p_at_most(draws, -margin) if better else p_at_least(draws, margin)
        not_worse = np.where(flat, 1.0, step(one))[shown]
    # What is the same in every resample has no p-value that could vary.
    p_error = np.where(
        flat, 0.0, monte_carlo_error(p, draws, 2 if alternative == "two-sided" else 1)
    )

    def within(pairs: Codes, tails: Array) -> tuple[Array, Array]:
        at, tail = np.arange(n)[shown][pairs], np.full(n, 0.5)
        tail[at] = tails
        return lower(draws, tail)[at], upper(draws, tail)[at]

    tail = tail_of_step(outside, equal, options.alpha)
    evidence = Evidence(
        estimate=draws.estimate[shown],
        std_error=error[shown],
        df=np.full(len(error), np.inf)[shown],
        statistic=np.divide(draws.estimate, error, out=np.zeros(len(error)), where=error > 0)[
            shown
        ],
        p_value=p_value[shown],
        p_raw=p[shown],
        p_equivalence=equal[shown],
        low=low[shown],
        high=high[shown],
        p_noninferiority=not_worse,
    )
    return BootstrapTests(
        with_equivalence(evidence, tail[shown], options.alpha, margin, within),
        (p_error * p_value / p)[shown],
        (monte_carlo_error(outside, draws, 1) * equal / outside)[shown],
        flat[shown],
    )


def _decided(
    draws: BootstrapDraws, alternative: Alternative, tail: float, null: float = 0.0
) -> tuple[Array, Array, Array]:
    """Return unadjusted p-values, and bounds that leave a tail out on each closed side."""
    open_end = np.full(len(draws.estimate), np.inf)
    if alternative == "better":
        return p_at_most(draws, null), lower(draws, tail), open_end
    if alternative == "worse":
        return p_at_least(draws, null), -open_end, upper(draws, tail)
    p = np.minimum(2 * np.minimum(p_at_most(draws, null), p_at_least(draws, null)), 1.0)
    return p, lower(draws, tail), upper(draws, tail)


# Enough for the probabilities, whose intervals are not near anything that decides.
SIDE_RESAMPLES = 2000
# Beyond these they would take longer than what verdicts rest on.
_MOST = 10_000
# Bounds that even those do not reach stay open: a few resamples say the same.
_FEW = 200


@savable
@shaped(estimate="P [0,1]", low="P [0,1]", high="P [0,1]", p_value="P [0,1]")
@dataclass(frozen=True, slots=True)
class Improvement:
    """Probability of improvement of P pairs; (P,) arrays."""

    estimate: Array
    low: Array
    high: Array
    p_value: Array


def improvement_of(
    sample: ScoreSample,
    options: BootstrapOptions,
    resamples: int,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> Improvement:
    """Return the probability of improvement of all pairs, as the contrasts are adjusted.

    Intervals are percentiles, expanded where those of the contrasts are.
    """
    pairs, resample = pairs_of(sample.values.shape[1]), options.resample
    n, adjust = len(pairs), options.adjust
    units = sample.units(resample) if options.percentiles == "expanded" else None
    side = tail_level(adjust, options.alpha, n, options.statement) / 2
    # Of many pairs the bounds lie far out, where more resamples are needed.
    enough = min(resamples, max(SIDE_RESAMPLES, int(10 / side)), _MOST)
    if side * (_MOST + 1) < 1:
        enough = min(resamples, _FEW)
    callback = of_task(progress, "improvement", enough)
    values = profiles.draws(sample, pairs, resample, enough, options.seed, n_jobs, callback)
    draws = gather(
        profiles.point(sample, pairs), values, 1.0, units=units, least=sample.least(resample)
    )
    p, low, high = _decided(draws, "two-sided", side, 0.5)
    p = adjusted(adjust, p, level_spent(adjust, n, options.statement))
    if agreeing(adjust, n, options.statement):
        low, high = in_agreement(low - 0.5, high - 0.5, draws.estimate - 0.5, p <= options.alpha)
        low, high = low + 0.5, high + 0.5
    return Improvement(draws.estimate, np.maximum(low, 0.0), np.minimum(high, 1.0), p)
