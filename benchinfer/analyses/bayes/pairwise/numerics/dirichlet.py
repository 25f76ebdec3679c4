"""Sign test and signed-rank test with a Dirichlet process prior.

Each of n data sets has weight 1, and a pseudo-observation the prior strength. The sign test asks
how probable it is that a data set's difference is above, within or below the margin; the
signed-rank test asks this of the mean of two data sets' differences (Walsh averages). The posterior
of the first three probabilities is a Dirichlet distribution, that of the others is drawn. What lies
on the margin itself counts half to either side in the signed-rank test, and as within it in the
sign test; with margin 0 ties count half to both sides in either test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, gammainc, gammaincinv

from benchinfer.numerics.types import Array, Codes, Flags

# Differences this close, as a share of the scores, are the same but for rounding.
_ROUNDING = 1e-12
_PART = 2000  # draws held at once


@dataclass(frozen=True, slots=True)
class OutcomeShares:
    """Outcome probabilities of one pair: (3,) arrays for first, equivalent, second."""

    # Expected probabilities: those of the next data set (sign), or of the mean of the next two
    # (signed rank)
    expected: Array
    votes: Array  # posterior probabilities that each of the three is the largest
    error: float  # largest Monte Carlo standard error of the votes; 0 where they are exact
    # estimate, low, high: mean difference of the data sets, and equal-tailed bounds of its
    # posterior without a pseudo-observation (the Bayesian bootstrap)
    estimate: float
    low: float
    high: float


def largest(alpha: Array) -> Array:
    """Return the probabilities that each share of a Dirichlet distribution is the largest.

    ``P(k) = int_0^1 prod_{j != k} F_j(F_k^-1(u)) du`` with F_j the distribution function of a gamma
    variable of shape alpha_j, by tanh-sinh quadrature.

    Parameters
    ----------
    alpha
        (3,) concentrations, at least 0 and not all 0; a share with 0 is 0.

    Examples
    --------
    >>> largest(np.array([3.0, 3.0, 3.0])).round(12).tolist()
    [0.333333333333, 0.333333333333, 0.333333333333]
    """
    t = np.linspace(-3.2, 3.2, 401)
    u = 1 / (1 + np.exp(-np.pi * np.sinh(t)))
    weight = np.pi * np.cosh(t) * u * (1 - u)
    weight /= weight.sum()
    probabilities = np.zeros(3)
    for k in np.flatnonzero(alpha):
        at = gammaincinv(alpha[k], u)
        inside = [gammainc(alpha[j], at) for j in range(3) if j != k and alpha[j] > 0]
        probabilities[k] = (weight * np.prod(inside, axis=0)).sum() if inside else 1.0
    return probabilities / probabilities.sum()


def concentrations(differences: Array, margin: float, size: float, prior: Array) -> Array:
    """Return (3,) concentrations of first, equivalent and second.

    Parameters
    ----------
    differences
        (n,) differences, first minus second.
    margin
        Which difference does not matter.
    size
        Size of the scores, for what counts as rounding.
    prior
        (3,) weight of the pseudo-observation in each.
    """
    slack = _ROUNDING * max(size, margin)
    first, second = differences > margin + slack, differences < -margin - slack
    counts = np.array([first.sum(), (~first & ~second).sum(), second.sum()], dtype=np.float64)
    return counts + prior


@dataclass(frozen=True, slots=True)
class Walsh:
    """One pair, ready for the signed-rank test."""

    z: Array  # (n + 1,) differences with the pseudo-observation, ascending
    concentration: Array  # (n + 1,) their weights
    # above, below: (2, n + 1) for each one, from which place on sums with the others are at least,
    # and more than, twice the margin; and up to which they are below, and at most, minus that
    above: Codes
    below: Codes
    real: Flags  # (n + 1,) which of them are data sets

    @staticmethod
    def of(differences: Array, margin: float, size: float, strength: float, at: float) -> Walsh:
        """Sort differences and a pseudo-observation; it may be infinite.

        Parameters
        ----------
        differences, margin, size
            As in `concentrations`.
        strength, at
            Weight and place of the pseudo-observation.
        """
        weight = np.concatenate([np.ones(len(differences)), [strength]])
        z = np.concatenate([differences, [at]])
        order = np.argsort(z, kind="stable")
        z, weight = z[order], weight[order]
        slack, twice = _ROUNDING * max(size, margin), 2 * margin
        above = [np.searchsorted(z, twice - z + s, "left") for s in (-slack, slack)]
        below = [np.searchsorted(z, -twice - z + s, "right") for s in (-slack, slack)]
        real = order < len(differences)
        return Walsh(z, weight, np.array(above), np.array(below), real)

    def outcomes(self, weight: Array) -> Array:
        """Return (N, 3) probabilities of first, equivalent, second given (N, n + 1) weights."""
        summed = _summed(weight)
        shares = np.diff(summed, axis=1)
        over = 1 - (summed[:, self.above[0]] + summed[:, self.above[1]]) / 2
        under = (summed[:, self.below[0]] + summed[:, self.below[1]]) / 2
        first = np.einsum("ni,ni->n", shares, over)
        second = np.einsum("ni,ni->n", shares, under)
        return np.stack([first, np.maximum(1 - first - second, 0.0), second], axis=1)

    def expected(self) -> Array:
        """Return the (3,) exact means of `outcomes` over the posterior."""
        a = self.concentration
        total = a.sum()
        # E[w_i w_j] = a_i (a_j + [i = j]) / (A (A + 1)): having been drawn, i weighs one more.
        summed, i = _summed(a + np.eye(len(a))), np.arange(len(a))
        first = 1 - (summed[i, self.above[0]] + summed[i, self.above[1]]) / 2
        second = (summed[i, self.below[0]] + summed[i, self.below[1]]) / 2
        shares = np.stack([first, np.maximum(1 - first - second, 0.0), second])
        return shares @ a / total


def _summed(weight: Array) -> Array:
    """Return (N, n + 1) sums of the first 0 ... n of (N, n) weights, as shares of all."""
    summed = np.zeros((len(weight), weight.shape[1] + 1))
    np.cumsum(weight, axis=1, out=summed[:, 1:])
    return summed / summed[:, -1:]


def sign_test(
    differences: Array,
    margin: float,
    size: float,
    prior: Array,
    level: float,
    n: int,
    rng: np.random.Generator,
) -> OutcomeShares:
    """Return the Bayesian sign test; its probabilities are exact, only the bounds are drawn.

    Parameters
    ----------
    differences, margin, size
        As in `concentrations`.
    prior
        (3,) weight of the pseudo-observation in first, equivalent and second.
    level, n, rng
        Level of the bounds, number of draws for them, and random numbers.
    """
    alpha = concentrations(differences, margin, size, prior)
    expected = alpha / alpha.sum()
    if margin > 0:
        votes = largest(alpha)
    else:  # ties count half to either side
        expected = np.array([expected[0] + expected[1] / 2, 0.0, expected[2] + expected[1] / 2])
        a, _, b = alpha
        # P(share of first > share of second); where neither has any weight, neither leads.
        below = 0.5 if a == b else float(betainc(a, b, 0.5)) if a > 0 and b > 0 else float(a == 0)
        votes = np.array([1 - below, 0.0, below])
    ones = np.ones(len(differences))
    means = np.concatenate([_means(w, differences) for w in weights(ones, n, rng)])
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    estimate = float(differences.mean())
    return OutcomeShares(expected, votes, 0.0, estimate, float(low), float(high))


def signed_rank_test(
    differences: Array,
    margin: float,
    size: float,
    prior: tuple[float, float],
    level: float,
    n: int,
    rng: np.random.Generator,
) -> OutcomeShares:
    """Return the Bayesian signed-rank test; expected probabilities are exact, votes are drawn.

    Parameters
    ----------
    differences, margin, size
        As in `concentrations`.
    prior
        Weight and place of the pseudo-observation.
    level, n, rng
        Level of the bounds, number of draws, and random numbers.

    References
    ----------
    Ferguson, T. S. (1973). A Bayesian analysis of some nonparametric problems. Annals of Statistics
    1, 209-230. https://doi.org/10.1214/aos/1176342360

    Benavoli, A., Mangili, F., Corani, G., Zaffalon, M. & Ruggeri, F. (2014). A Bayesian Wilcoxon
    signed-rank test based on the Dirichlet process. Proceedings of the 31st International
    Conference on Machine Learning, PMLR 32(2), 1026-1034.

    Benavoli, A., Corani, G., Demsar, J. & Zaffalon, M. (2017). Time for a change: a tutorial for
    comparing multiple classifiers through Bayesian analysis. Journal of Machine Learning Research
    18(77), 1-36.
    """
    walsh = Walsh.of(differences, margin, size, *prior)
    real = np.flatnonzero(walsh.real)
    votes, means = np.zeros(3), []
    for w in weights(walsh.concentration, n, rng):
        outcomes = walsh.outcomes(w)
        top = outcomes >= outcomes.max(axis=1, keepdims=True) - _ROUNDING
        votes += (top / top.sum(axis=1, keepdims=True)).sum(axis=0)
        means.append(_means(w[:, real], walsh.z[real]))
    votes /= n
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    error = float(np.sqrt(votes * (1 - votes) / n).max())
    estimate = float(differences.mean())
    return OutcomeShares(walsh.expected(), votes, error, estimate, float(low), float(high))


def _means(weight: Array, z: Array) -> Array:
    return weight @ z / weight.sum(axis=1)


def weights(concentration: Array, n: int, rng: np.random.Generator) -> Iterator[Array]:
    """Yield n draws of a Dirichlet distribution, not normalised, (N, len) at a time."""
    for done in range(0, n, _PART):
        yield rng.standard_gamma(concentration, (min(_PART, n - done), len(concentration)))
