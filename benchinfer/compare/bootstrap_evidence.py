"""From bootstrap draws to the evidence of each contrast."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.adjust import Alternative, sidak
from benchinfer.compare.contrasts import Family
from benchinfer.compare.evidence import Array, Evidence
from benchinfer.numerics import multiplicity
from benchinfer.numerics.bootstrap_intervals import (
    Draws,
    lower,
    monte_carlo_error,
    p_at_least,
    p_at_most,
    upper,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Tested:
    """Evidence of the contrasts that are shown, and the errors of their p-values.

    Attributes
    ----------
    evidence
        Tests and intervals.
    error, equivalence_error
        (P,) Monte Carlo standard errors of the adjusted p-values of difference and equivalence.
    flat
        (P,) whether all draws of a contrast are equal.
    """

    evidence: Evidence
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
    # What is the same in every resample has no p-value that could vary.
    p_error = np.where(
        flat, 0.0, monte_carlo_error(p, found, 2 if alternative == "two-sided" else 1)
    )
    evidence = Evidence(
        estimate=found.estimate[shown],
        std_error=error[shown],
        df=np.full(len(error), np.inf)[shown],
        statistic=np.divide(found.estimate, error, out=np.zeros(len(error)), where=error > 0)[
            shown
        ],
        p_value=adjusted[shown],
        p_raw=p[shown],
        p_equivalence=equal[shown],
        low=low[shown],
        high=high[shown],
        p_noninferiority=not_worse,
    )
    return Tested(
        evidence,
        (p_error * adjusted / p)[shown],
        (monte_carlo_error(outside, found, 1) * equal / outside)[shown],
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
