"""From bootstrap draws to the evidence of each contrast."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.adjust import Alternative, sidak
from benchinfer.compare.bootstrap_comparison import Improvement
from benchinfer.compare.contrasts import Family
from benchinfer.compare.evidence import Array, Evidence, Level
from benchinfer.numerics import aggregates, improvement, multiplicity
from benchinfer.numerics.aggregates import Statistic
from benchinfer.numerics.bootstrap import Resample, Sample
from benchinfer.numerics.bootstrap_intervals import (
    Draws,
    gather,
    lower,
    monte_carlo_error,
    p_at_least,
    p_at_most,
    upper,
)
from benchinfer.numerics.tukey import all_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

# Enough for the probabilities, whose intervals are not near anything that decides.
SIDE_RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Aggregated:
    """Aggregates of K algorithms with N bootstrap draws.

    Attributes
    ----------
    estimate
        (K,) aggregates, larger is better.
    draws
        (N, K) of resamples.
    jackknife
        Aggregates without each unit, for BCa; None without.
    units
        What the number of units bears, for expanded percentiles; None without.
    unit
        Size of the scores, for rounding.
    """

    estimate: Array
    draws: Array
    jackknife: aggregates.Jackknife | None
    units: tuple[float, float] | None
    unit: float

    @staticmethod
    def of(
        sample: Sample,
        statistic: Statistic,
        resample: Resample,
        resamples: int,
        seed: int,
        interval: str,
    ) -> "Aggregated":
        """Aggregate the sample and its resamples."""
        return Aggregated(
            aggregates.point(sample, statistic),
            aggregates.draws(sample, statistic, resample, resamples, seed),
            aggregates.jackknife(sample, statistic, resample) if interval == "bca" else None,
            sample.units(resample) if interval == "expanded" else None,
            float(np.abs(sample.values).max(initial=0.0)) or 1.0,
        )

    def contrast(self, matrix: Array) -> Draws:
        """Return the draws of (P, K) combinations of the aggregates."""
        return gather(
            matrix @ self.estimate,
            self.draws @ matrix.T,
            self.unit,
            None if self.jackknife is None else self.jackknife.acceleration(matrix),
            self.units,
        )


@dataclass(frozen=True, slots=True)
class Tested:
    """Evidence of the contrasts that are shown, and the errors of their p-values.

    Attributes
    ----------
    evidence
        Tests and intervals.
    p_error
        (P,) Monte Carlo standard errors of the unadjusted p-values.
    error, equivalence_error
        (P,) and of the adjusted ones of difference and equivalence.
    flat
        (P,) whether all draws of a contrast are equal.
    """

    evidence: Evidence
    p_error: Array
    error: Array
    equivalence_error: Array
    flat: NDArray[np.bool_]


def tested(
    found: Draws,
    family: Family,
    margin: float,
    alpha: float,
    alternative: Alternative,
    adjust: str,
) -> Tested:
    """Turn draws of contrasts into tests and intervals.

    A two-sided p-value is twice the smaller one-sided one; the equivalence p-value is the larger of
    the two one-sided ones at the tolerance. Intervals are at Sidak's level (one-sided bounds: at
    Bonferroni's), or of each contrast alone.

    Parameters
    ----------
    found
        Draws of all contrasts of the family.
    family
        The contrasts.
    margin
        Tolerance on the modelling scale.
    alpha
        Family-wise error rate.
    alternative, adjust
        As in `compare_bootstrap`.
    """
    step: Callable[[Array], Array] = multiplicity.holm if adjust == "holm" else np.copy
    n = len(family.matrix) if adjust == "holm" else 1
    p, low, high = _decided(found, alternative, alpha, n)
    outside = np.maximum(p_at_most(found, -margin), p_at_least(found, margin))
    flat, shown, error = found.flat, family.wanted, found.sd
    adjusted = np.where(flat, 1.0, step(p))
    equal = np.where(flat, 1.0, step(outside))
    not_worse = None
    if alternative != "two-sided" and margin:
        better = alternative == "better"
        one = p_at_most(found, -margin) if better else p_at_least(found, margin)
        not_worse = np.where(flat, 1.0, step(one))[shown]
    p_error = monte_carlo_error(p, found.n, 2 if alternative == "two-sided" else 1)
    evidence = Evidence(
        estimate=found.estimate[shown],
        std_error=error[shown],
        df=np.full(len(error), np.inf)[shown],
        statistic=np.where(flat, 0.0, found.estimate / np.where(flat, 1.0, error))[shown],
        p_value=adjusted[shown],
        p_raw=p[shown],
        p_equivalence=equal[shown],
        low=low[shown],
        high=high[shown],
        p_noninferiority=not_worse,
    )
    return Tested(
        evidence,
        p_error[shown],
        (p_error * adjusted / p)[shown],
        (monte_carlo_error(outside, found.n, 1) * equal / outside)[shown],
        flat[shown],
    )


def _decided(
    found: Draws, alternative: Alternative, alpha: float, n: int
) -> tuple[Array, Array, Array]:
    """Return unadjusted p-values, and bounds of n intervals that hold together."""
    open_end = np.full(len(found.estimate), np.inf)
    if alternative == "better":
        return p_at_most(found, 0.0), lower(found, alpha / n), open_end
    if alternative == "worse":
        return p_at_least(found, 0.0), -open_end, upper(found, alpha / n)
    p = np.minimum(2 * np.minimum(p_at_most(found, 0.0), p_at_least(found, 0.0)), 1.0)
    side = sidak(alpha, n) / 2
    return p, lower(found, side), upper(found, side)


def levels_of(aggregated: Aggregated, alpha: float) -> Level:
    """Return each algorithm's aggregate with an interval of its own."""
    found = aggregated.contrast(np.eye(len(aggregated.estimate)))
    return Level(aggregated.estimate, lower(found, alpha / 2), upper(found, alpha / 2))


def improvement_of(
    sample: Sample, resample: Resample, given: Mapping[str, Any], alpha: float
) -> Improvement:
    """Return the probability of improvement of all pairs, as the contrasts are adjusted.

    Intervals are percentiles, expanded where those of the contrasts are.
    """
    pairs, _ = all_pairs(sample.values.shape[1])
    several = given["adjust"] == "holm"
    n = len(pairs) if several else 1
    units = sample.units(resample) if given["interval"] == "expanded" else None
    side = sidak(alpha, n) / 2
    # Of many pairs the bounds lie far out, where more resamples are needed.
    enough = min(given["resamples"], max(SIDE_RESAMPLES, int(10 / side)))
    values = improvement.draws(sample, pairs, resample, enough, given["seed"])
    found = gather(improvement.point(sample, pairs), values, 1.0, units=units)
    p = np.minimum(2 * np.minimum(p_at_most(found, 0.5), p_at_least(found, 0.5)), 1.0)
    return Improvement(
        found.estimate,
        np.maximum(lower(found, side), 0.0),
        np.minimum(upper(found, side), 1.0),
        multiplicity.holm(p) if several else p,
    )
