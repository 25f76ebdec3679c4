"""False and true claims of the hierarchical model by default: `make calibrate`.

Each chain of the Gibbs sampler has a table of its own, of one score for each data set and algorithm
(its interactions are then its noise), and shares of its draws decide as `compare_bayes` does.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, norm, t

from benchinfer.analyses.bayes.fit import modelled
from benchinfer.analyses.bayes.numerics import gibbs
from benchinfer.analyses.bayes.numerics.contrasts import helmert
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.comparison.posterior import directional
from tests.analyses.bayes.numerics.simulator import design

TABLES, WARM_UP, DRAWS, LEVEL = 200, 200, 600, 0.95
CELLS = [(d, k) for d in (3, 5, 12, 30) for k in (2, 4, 12)]


def interactions(kind, d, k, rng):
    """Return (tables, D, K) scores of algorithms that are all alike, with standard deviation 1."""
    normal = rng.standard_normal((TABLES, d, k))
    if kind == "heavy":
        return normal / np.sqrt(rng.chisquare(3, (TABLES, d, 1)))
    if kind == "unequal":
        return normal * np.geomspace(0.5, 2.0, k)
    return normal


def outcomes(scores, margin, priors, rng, draws):
    """Return the matrix of pairs, and (2, tables, P) probabilities of better and of equivalent."""
    tables, d, k = scores.shape
    h, data = helmert(k), design("single", d, k)
    z = scores @ h.T
    size = np.sqrt((z**2).mean(axis=(1, 2), keepdims=True))
    model = modelled(replace(data, z=z / size), "t", "auto", priors)
    state = gibbs.start(model, tables, rng)
    i, j = np.triu_indices(k, 1)
    matrix, found = h.T[i] - h.T[j], np.zeros((3, tables, len(i)))
    for sweep in range(WARM_UP + draws):
        state = gibbs.sweep(model, state, rng)
        if sweep >= WARM_UP:
            difference = size[:, 0] * state.average @ matrix.T
            found += difference > margin, np.abs(difference) <= margin, difference < -margin
    return (i, j), found / draws


def rates(d, k, kind, priors=None, seed=1, draws=DRAWS):
    """Return shares of tables with a false claim, of pairs with one, and of true claims made."""
    rng = np.random.default_rng([seed, d, k])
    group, margin, gap = np.arange(k) >= k // 2, 0.0, 0.0
    if kind in ("groups", "rope"):
        gap = 4 * np.sqrt(2 / d)  # standard errors of a pair
    if kind == "rope":
        margin = gap
    scores = interactions(kind, d, k, rng) - gap * group
    (i, j), probability = outcomes(scores, margin, priors or Priors(), rng, draws)
    first, second = probability[[0, 2]] > directional(LEVEL)
    equivalent = probability[1] >= LEVEL
    apart = group[i] != group[j]
    if kind == "rope":  # a difference of the tolerance is neither larger nor smaller
        false = np.where(apart, first | second | equivalent, first | second)
        claims, open_ = equivalent[:, ~apart], false[:, apart]
    else:
        apart &= gap > 0
        false = second | (first & ~apart)
        claims, open_ = first[:, apart], false[:, ~apart]
    shares = (float(x.mean()) if x.size else np.nan for x in (open_, claims))
    return float(false.any(axis=1).mean()), *shares


def most(rate, n):
    """Return the largest share of n that is no sign of a rate above this one."""
    return binom.ppf(0.9999, n, rate) / n


@pytest.mark.calibration
@pytest.mark.parametrize(("d", "k"), CELLS)
def test_some_pair_of_algorithms_that_are_alike(d, k, record_property):
    false, _, _ = rates(d, k, "null")
    record_property(f"null {d} {k}", false)
    assert false <= most(0.03, TABLES)


@pytest.mark.calibration
def test_more_draws_hardly_change_shares(record_property):
    found = [rates(30, 4, "null", draws=n)[0] for n in (200, 600, 3000)]
    record_property("null 30 4 by draws", found)
    assert np.ptp(found) <= 0.03


@pytest.mark.calibration
@pytest.mark.parametrize(("d", "k", "least"), [(5, 4, 0.1), (12, 12, 0.6)])
def test_claims_where_effects_have_a_fixed_large_scale(d, k, least, record_property):
    false, _, _ = rates(d, k, "null", Priors(effect_sd=2.0))
    record_property(f"fixed {d} {k}", false)
    assert false >= least


def of_all_draws(d, k, tables=10_000):
    """Return the share of tables with a claim by the posterior itself, of one known variance.

    Given g the average effects are normal, shrunk by g^2 / (g^2 + 1 / d), and a grid of g sums over
    its posterior; the two algorithms furthest apart have the most probable difference.
    """
    means = np.random.default_rng([1, d, k]).standard_normal((tables, k)) / np.sqrt(d)
    means -= means.mean(axis=1, keepdims=True)
    g = np.geomspace(1e-3, 50, 400)
    total = g**2 + 1 / d
    log_weight = np.log(t.pdf(g, 3) * np.gradient(g)) - (k - 1) / 2 * np.log(total)
    log_weight = log_weight - (means**2).sum(axis=1, keepdims=True) / (2 * total)
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    shrunk = g**2 / total
    largest = np.ptp(means, axis=1)[:, None]
    above = norm.cdf(largest * shrunk / np.sqrt(2 * shrunk / d))
    chance = (weight * above).sum(axis=1) / weight.sum(axis=1)
    return float((chance > directional(LEVEL)).mean())


@pytest.mark.calibration
@pytest.mark.parametrize(("d", "k", "rate"), [(5, 4, 0.015), (30, 4, 0.024), (30, 12, 0.015)])
def test_some_pair_of_algorithms_that_are_alike_by_the_posterior_itself(d, k, rate):
    assert of_all_draws(d, k) == pytest.approx(rate, abs=0.005)


@pytest.mark.calibration
@pytest.mark.parametrize("kind", ["heavy", "unequal"])
@pytest.mark.parametrize(("d", "k"), [(5, 4), (12, 4), (12, 12)])
def test_algorithms_that_are_alike_on_average(d, k, kind, record_property):
    """Rows t with 3 degrees of freedom; or standard deviations from 0.5 to 2."""
    false, _, _ = rates(d, k, kind)
    record_property(f"{kind} {d} {k}", false)
    assert false <= most(0.03, TABLES)


@pytest.mark.calibration
@pytest.mark.parametrize("kind", ["groups", "rope"])
@pytest.mark.parametrize(("d", "k"), CELLS)
def test_two_groups(d, k, kind, record_property):
    """Between groups that are clear each pair has its own error, of 2.5 % to either side."""
    found = rates(d, k, kind)
    record_property(f"{kind} {d} {k}", found)
    _, open_, _ = found
    assert not open_ > most(0.05, TABLES)
