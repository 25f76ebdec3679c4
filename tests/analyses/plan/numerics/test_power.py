"""Power against simulated experiments, and numbers of data sets against the power they are for."""

import math

import numpy as np
import pytest
from scipy.stats import t as student_t

from benchinfer.analyses.plan.numerics import power
from benchinfer.analyses.plan.numerics.power import Aimed, DifferenceSpread

SPREAD = DifferenceSpread(between=4e-4, residual=6e-4)
N = 200_000


def simulated(aim, d, n_datasets, sd):
    """Return the share of experiments of n differences between data sets that show the aim."""
    rng = np.random.default_rng(1)
    x = d + sd * rng.normal(size=(N, n_datasets))
    mean, se = x.mean(axis=1), x.std(axis=1, ddof=1) / math.sqrt(n_datasets)
    limit = student_t.isf(0.025 if aim == "difference" else 0.05, n_datasets - 1)
    if aim == "difference":
        return (np.abs(mean / se) > limit).mean()
    above = (mean + 0.03) / se > limit
    return (above & ((mean - 0.03) / se < -limit)).mean() if aim == "equivalence" else above.mean()


@pytest.mark.parametrize(
    ("aim", "truth", "named"),
    [("difference", 0.01, 0.01), ("equivalence", 0.0, 0.03), ("non-inferiority", 0.0, 0.03)],
)
def test_power_is_the_share_of_simulated_experiments(aim, truth, named):
    variance = SPREAD.variance(20, 10)
    found = power.power(Aimed(aim, named, 0.05), variance, SPREAD.df(20, 10))
    share = simulated(aim, truth, 20, math.sqrt(20 * variance))
    assert found == pytest.approx(share, abs=4 * math.sqrt(found * (1 - found) / N))


@pytest.mark.parametrize("aim", ["difference", "equivalence", "non-inferiority"])
def test_the_least_numbers_are_the_least(aim):
    aimed = Aimed(aim, 0.01, 0.05)
    d = power.least_datasets(aimed, SPREAD, 10, 0.8)
    reached = [power.power(aimed, SPREAD.variance(n, 10), SPREAD.df(n, 10)) for n in (d - 1, d)]
    assert reached[0] < 0.8 <= reached[1]
    given = DifferenceSpread(0.0, 6e-4, given=True)
    r = power.least_replications(aimed, given, 5, 0.8)
    reached = [power.power(aimed, given.variance(5, n), given.df(5, n)) for n in (r - 1, r)]
    assert reached[0] < 0.8 <= reached[1]


def test_replications_cannot_replace_data_sets():
    """Below the limit no number of replications is enough; a little above it some number is."""
    aimed = Aimed("difference", 0.01, 0.05)
    fewest = 2 * 4e-4 * (1.959964 + 0.841621) ** 2 / 1e-4
    assert power.least_replications(aimed, SPREAD, math.floor(fewest), 0.8) == power.MOST
    assert power.least_replications(aimed, SPREAD, math.ceil(fewest) + 4, 0.8) < power.MOST


@pytest.mark.parametrize("aim", ["difference", "equivalence", "non-inferiority"])
def test_the_detectable_difference_has_the_power(aim):
    variance, df = SPREAD.variance(20, 10), SPREAD.df(20, 10)
    found = power.detectable(Aimed(aim, math.nan, 0.05), variance, df, 0.9)
    assert power.power(Aimed(aim, found, 0.05), variance, df) == pytest.approx(0.9, abs=1e-9)


def test_the_best_split_has_the_least_cost():
    """Among all designs of one variance, by search."""
    best = power.best_replications(SPREAD, 20, 1)
    replications = np.linspace(1, 40, 4000)
    cost = [(20 + r) * SPREAD.variance(1, r) for r in replications]
    assert replications[int(np.argmin(cost))] == pytest.approx(best, abs=0.01)


def test_overlapping_resamples_do_not_average_out():
    overlapping = DifferenceSpread(0.0, 6e-4, overlap=1 / 9)
    assert overlapping.variance(1, math.inf) == pytest.approx(2 * 6e-4 / 9)
    assert power.best_replications(overlapping, 20, 1) == pytest.approx(math.sqrt(20 * 9))


@pytest.mark.parametrize("difference", [1e-9, 10.0])
def test_effects_far_out_have_a_power(difference):
    """Where scipy's noncentral t gives up."""
    found = power.power(Aimed("difference", difference, 0.05), 1e-6, 500)
    assert found == pytest.approx(0.05 if difference < 1 else 1.0, abs=1e-6)


def test_nothing_is_shown_without_degrees_of_freedom():
    assert power.power(Aimed("difference", 1.0, 0.05), 1.0, 0) == 0
    assert power.power(Aimed("difference", 1.0, 0.05), 0.0, 3) == 1
