"""Outcomes that are right or wrong: R, statsmodels, scipy, brute force and printed numbers."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import chi2

from benchinfer.analyses.pair.numerics import outcomes, t_tests
from benchinfer.numerics import rates
from benchinfer.numerics.rates import Fourfold

GOLDEN = Path(__file__).parents[3] / "golden" / "pairs"
R = json.loads((GOLDEN / "pairs.json").read_text())
ITEMS = pd.read_csv(GOLDEN / "items.csv")
TABLE = Fourfold.of((ITEMS["a"] == 1).to_numpy(), (ITEMS["b"] == 1).to_numpy())


def test_counts():
    assert (TABLE.first, TABLE.second) == (R["mcnemar"]["first"], R["mcnemar"]["second"])
    assert TABLE.n == 240


def test_mcnemar_is_r_s_and_statsmodels():
    from statsmodels.stats.contingency_tables import mcnemar

    z, p = outcomes.mcnemar(TABLE, 0, "chi2")
    assert z**2 == pytest.approx(R["mcnemar"]["chi2"], rel=1e-12)
    assert p == pytest.approx(R["mcnemar"]["p_chi2"], rel=1e-12)
    exact = outcomes.mcnemar(TABLE, 0, "exact")[1]
    assert exact == pytest.approx(R["mcnemar"]["p_exact"], rel=1e-9)
    cells = [[TABLE.both, TABLE.first], [TABLE.second, TABLE.neither]]
    assert exact == pytest.approx(mcnemar(cells, exact=True).pvalue, rel=1e-9)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 1), (3, 3), (7, 2), (2, 7), (0, 9)])
@pytest.mark.parametrize("side", [0, 1, -1])
def test_mcnemar_by_counting_coins(b, c, side):
    table, n = Fourfold(5, b, c, 4), b + c
    heads = np.array([sum(coins) for coins in product((0, 1), repeat=n)])
    extreme = {0: np.abs(2 * heads - n) - abs(b - c), 1: heads - b, -1: b - heads}[side]
    beyond, at = (extreme > 0).mean(), (extreme == 0).mean()
    assert outcomes.mcnemar(table, side, "exact")[1] == pytest.approx(beyond + at)
    # With as many on either side the two tails share the observed table, and make 1.
    mid = beyond + at / 2 if b != c or side else 1.0
    assert outcomes.mcnemar(table, side, "mid-p")[1] == pytest.approx(mid if n else 1.0)


def test_paired_difference_is_the_mean_of_differences():
    d = (ITEMS["a"] - ITEMS["b"]).to_numpy(np.float64)
    found = outcomes.paired_difference(TABLE)
    assert found.estimate == pytest.approx(d.mean())
    assert found.std_error == pytest.approx(d.std() / np.sqrt(len(d)), rel=1e-12)


def test_independent_difference_is_r_s():
    first, second = ((int(ITEMS[name].sum()), len(ITEMS)) for name in "ab")
    found = t_tests.t_test(outcomes.independent_difference(first, second), 0, 0.0, 0.025)
    np.testing.assert_allclose([found.low, found.high], R["wald_difference"], rtol=1e-9)


def test_newcombe_is_statsmodels_and_as_printed():
    from statsmodels.stats.proportion import confint_proportions_2indep

    for first, second in (((56, 70), (48, 80)), ((9, 10), (3, 10)), ((10, 10), (0, 20))):
        found = rates.newcombe(first, second, 0.025)
        other = confint_proportions_2indep(*first, *second, compare="diff", method="newcomb")
        np.testing.assert_allclose(found, other, atol=1e-9)
    # Newcombe (1998), 56 of 70 against 48 of 80, method 10.
    assert rates.newcombe((56, 70), (48, 80), 0.025) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert rates.newcombe((9, 10), (3, 10), 0.025) == pytest.approx((0.1705, 0.8090), abs=5e-5)


def test_newcombe_for_paired_rates():
    # Without correlation it is the interval for independent rates.
    apart = Fourfold(36, 24, 24, 16)
    expected = rates.newcombe((60, 100), (60, 100), 0.025)
    assert rates.newcombe_paired(apart, 0.025) == pytest.approx(expected)
    # Swapping the algorithms turns it round.
    low, high = rates.newcombe_paired(TABLE, 0.025)
    turned = Fourfold(TABLE.both, TABLE.second, TABLE.first, TABLE.neither)
    assert rates.newcombe_paired(turned, 0.025) == pytest.approx((-high, -low))
    # Many items: the normal interval.
    many = Fourfold(60_000, 12_000, 9_000, 19_000)
    wald = t_tests.t_test(outcomes.paired_difference(many), 0, 0.0, 0.025)
    assert rates.newcombe_paired(many, 0.025) == pytest.approx((wald.low, wald.high), abs=2e-5)


def test_inverting_an_interval():
    for bound in (-0.05, 0.0, 0.03):
        tail = rates.tail_beyond(lambda t: rates.newcombe_paired(TABLE, t)[0], bound)
        assert rates.newcombe_paired(TABLE, tail)[0] == pytest.approx(bound, abs=1e-9)
        if bound < TABLE.first / TABLE.n - TABLE.second / TABLE.n:
            assert tail < 0.5
    assert rates.tail_beyond(lambda t: rates.newcombe_paired(TABLE, t)[1], 0.9) < 1e-12


def likeliest(table, difference):
    """Return the score statistic with the share of items found by maximising the likelihood."""
    b, c, n = table.first, table.second, table.n
    low, high = max(0.0, -difference) + 1e-13, (1 - difference) / 2 - 1e-13

    def unlikely(q):
        cells = (b, q + difference), (c, q), (n - b - c, 1 - 2 * q - difference)
        return -sum(count * np.log(share) for count, share in cells if count)

    q = minimize_scalar(unlikely, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x
    return (b - c - n * difference) / np.sqrt(n * (2 * q + difference * (1 - difference)))


@pytest.mark.parametrize("table", [TABLE, Fourfold(1, 1, 7, 12), Fourfold(10, 0, 3, 5)], ids=str)
def test_tango_s_interval_inverts_the_score_test(table):
    for difference in (-0.4, -0.1, 0.05, 0.3):
        found = outcomes.score_statistic(table, difference)
        assert found == pytest.approx(likeliest(table, difference), rel=1e-6)
    low, high = outcomes.tango(table, 0.025)
    assert outcomes.score_statistic(table, low) == pytest.approx(1.959963984540054)
    assert outcomes.score_statistic(table, high) == pytest.approx(-1.959963984540054)
    z, p = outcomes.mcnemar(table, 0, "score")
    assert outcomes.score_statistic(table, 0.0) == pytest.approx(z)
    assert p == pytest.approx(chi2.sf(z**2, 1))
    turned = Fourfold(table.both, table.second, table.first, table.neither)
    assert outcomes.tango(turned, 0.025) == pytest.approx((-high, -low))


def test_tango_s_interval_as_printed():
    # Fagerland, Lydersen and Laake (2014): hyper-responsive airways of 21 children.
    assert outcomes.tango(Fourfold(1, 1, 7, 12), 0.025) == pytest.approx((-0.517, -0.026), abs=5e-4)


def test_tango_s_interval_at_the_border():
    z2 = chi2.ppf(0.95, 1)
    reach = z2 / (10 + z2)  # no item differs: the variance is that of the difference alone
    assert outcomes.tango(Fourfold(5, 0, 0, 5), 0.025) == pytest.approx((-reach, reach))
    low, high = outcomes.tango(Fourfold(0, 10, 0, 0), 0.025)
    assert (low, high) == (pytest.approx((10 - z2) / (10 + z2)), 1.0)
