"""Outcomes that are right or wrong: R, statsmodels, scipy, brute force and printed numbers."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchinfer.numerics import outcomes, paired
from benchinfer.numerics.outcomes import Fourfold

GOLDEN = Path(__file__).parents[1] / "golden" / "pairs"
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
    found = paired.tested(outcomes.independent_difference(first, second), 0, 0.0, 0.025)
    np.testing.assert_allclose([found.low, found.high], R["wald_difference"], rtol=1e-9)


def test_newcombe_is_statsmodels_and_as_printed():
    from statsmodels.stats.proportion import confint_proportions_2indep

    for first, second in (((56, 70), (48, 80)), ((9, 10), (3, 10)), ((10, 10), (0, 20))):
        found = outcomes.newcombe(first, second, 0.025)
        other = confint_proportions_2indep(*first, *second, compare="diff", method="newcomb")
        np.testing.assert_allclose(found, other, atol=1e-9)
    # Newcombe (1998), 56 of 70 against 48 of 80, method 10.
    assert outcomes.newcombe((56, 70), (48, 80), 0.025) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_newcombe_for_paired_rates():
    # Without correlation it is the interval for independent rates.
    apart = Fourfold(36, 24, 24, 16)
    expected = outcomes.newcombe((60, 100), (60, 100), 0.025)
    assert outcomes.newcombe_paired(apart, 0.025) == pytest.approx(expected)
    # Swapping the algorithms turns it round.
    low, high = outcomes.newcombe_paired(TABLE, 0.025)
    turned = Fourfold(TABLE.both, TABLE.second, TABLE.first, TABLE.neither)
    assert outcomes.newcombe_paired(turned, 0.025) == pytest.approx((-high, -low))
    # Many items: the normal interval.
    many = Fourfold(60_000, 12_000, 9_000, 19_000)
    wald = paired.tested(outcomes.paired_difference(many), 0, 0.0, 0.025)
    assert outcomes.newcombe_paired(many, 0.025) == pytest.approx((wald.low, wald.high), abs=2e-5)


def test_inverting_an_interval():
    for bound in (-0.05, 0.0, 0.03):
        tail = outcomes.tail_beyond(lambda t: outcomes.newcombe_paired(TABLE, t)[0], bound)
        assert outcomes.newcombe_paired(TABLE, tail)[0] == pytest.approx(bound, abs=1e-9)
        if bound < TABLE.first / TABLE.n - TABLE.second / TABLE.n:
            assert tail < 0.5
    assert outcomes.tail_beyond(lambda t: outcomes.newcombe_paired(TABLE, t)[1], 0.9) < 1e-12
