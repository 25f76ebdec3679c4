"""Outcomes of pairs on the next data set.

Given a draw, the difference on the next data set is t about delta_0 with scale std_0, so that the
probabilities of its three outcomes are known. Their means over draws are what to expect of the next
data set; the share of draws in which an outcome is the most probable one is what the papers print.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from benchinfer.core.saving import savable
from benchinfer.numerics.outcome_probabilities import Outcomes, monte_carlo_error
from benchinfer.numerics.types import Array


@savable
@dataclass(frozen=True, slots=True)
class Votes:
    """Posterior probabilities that an outcome is the most probable one, of P pairs; (P,) arrays."""

    # first, equivalent, second: that it is that the first is better by more than the margin, that
    # both differ by at most the margin, and that the second is better by more
    first: Array
    equivalent: Array
    second: Array
    error: Array  # largest Monte Carlo standard error of the three; 0 where they are exact


def next_dataset(
    centre: Array, std: Array, nu: Array, margin: Array, level: float, rng: np.random.Generator
) -> tuple[Outcomes, Votes]:
    """Return outcome probabilities of pairs on the next data set, and how often each leads.

    Parameters
    ----------
    centre, std, nu
        (C, T, P) draws of delta_0, std_0 and the degrees of freedom.
    margin
        (P,) which difference does not matter, in units of the draws; all above 0 or none.
    level
        Probability of the interval.
    rng
        Random numbers.
    """
    first, second = (
        stdtr(nu, (side * centre - margin) / std).reshape(centre.shape) for side in (1, -1)
    )
    between = np.clip(1 - first - second, 0.0, 1.0) * (margin > 0)
    three = np.stack([first, between, second])
    means = three.mean(axis=(1, 2))
    top = three == three.max(axis=0)
    ahead = top / top.sum(axis=0)
    shares = ahead.mean(axis=(1, 2))
    new = centre + std * rng.standard_t(nu)
    low, high = np.quantile(new, [(1 - level) / 2, (1 + level) / 2], axis=(0, 1))
    outcomes = Outcomes(
        estimate=centre.mean(axis=(0, 1)),
        low=low,
        high=high,
        first=means[0],
        equivalent=means[1],
        second=means[2],
        error=np.max([monte_carlo_error(part) for part in three], axis=0),
        dominant=np.take_along_axis(shares, means.argmax(axis=0)[None], axis=0)[0],
    )
    errors = np.max([monte_carlo_error(part) for part in ahead], axis=0)
    return outcomes, Votes(shares[0], shares[1], shares[2], errors)
