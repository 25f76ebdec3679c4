"""Page's test of an order: exact and random arrangements, against scipy and brute force."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

import benchinfer as bi
from tests.analyses.mixed.test_compare import table

# Blocks are rows; the order that is predicted is that of the columns, the worst first.
SMALL = np.array([[1.0, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], [3, 2, 1, 4, 5, 6]])
COTTON = np.array([[7.46, 7.17, 7.76, 8.14, 7.63], [7.68, 7.57, 7.73, 8.15, 8.0],
                   [7.21, 7.8, 7.74, 7.87, 7.93]])  # fmt: skip


def trend(values, **options):
    """Test that the last column is the best."""
    scores = table(values[:, None, :], "abcdefghijklmn")
    found = bi.compare_permutation(scores, **options)
    return found.tests(order=list(found.algorithms)[::-1]).iloc[-1]


@pytest.mark.parametrize(("values", "p"), [(SMALL, 4.1e-5), (COTTON, 0.00249)])
@pytest.mark.parametrize("null", ["exact", "auto", "monte-carlo"])
def test_small_tables_have_the_p_value_of_scipy(values, p, null):
    row = trend(values, null=null, resamples=100_000, seed=1)
    exact = stats.page_trend_test(values, method="exact").pvalue
    assert exact == pytest.approx(p, rel=0.02)
    if null == "monte-carlo":
        assert row["null"] == "monte-carlo"
        assert abs(row["p_value"] - exact) <= 4 * row["p_error"] + 2e-5
    else:
        assert row["null"] == "exact"
        assert row["p_value"] == pytest.approx(exact, rel=1e-9)


def test_the_normal_limit_is_that_of_the_statistic():
    row = trend(COTTON, null="asymptotic")
    assert row["null"] == "asymptotic"
    assert row["p_value"] == pytest.approx(stats.norm.sf(row["statistic"]), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_random_tables_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rng.integers(3, 7), rng.integers(3, 6)))
    row = trend(values + 0.3 * np.arange(values.shape[1]), null="exact")
    theirs = stats.page_trend_test(values + 0.3 * np.arange(values.shape[1]), method="exact")
    assert row["p_value"] == pytest.approx(theirs.pvalue, rel=1e-9)


def brute_force(blocks, places):
    """Return P(L >= observed) over all arrangements of the mid-ranks of blocks with gaps."""
    rows = [(stats.rankdata(b[np.isfinite(b)]), places[np.isfinite(b)]) for b in blocks]
    observed = sum(float(ranks @ place) for ranks, place in rows)
    every = [[float(np.dot(p, place)) for p in permutations(ranks)] for ranks, place in rows]
    return np.mean([sum(sums) >= observed - 1e-9 for sums in product(*every)])


@pytest.mark.parametrize("seed", range(8))
def test_ties_and_gaps_are_those_of_all_arrangements(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, size=(4, 4)).astype(float)
    values[rng.random((4, 4)) < 0.15] = np.nan
    values[0] = [0, 1, 1, 2]
    places = np.arange(1.0, 5)
    held = np.isfinite(values)
    ranked = values[held.sum(axis=1) > 1]
    row = trend(values, null="exact")
    assert row["null"] == "exact"
    assert row["p_value"] == pytest.approx(brute_force(ranked, places), rel=1e-9)


def test_many_algorithms_are_drawn_and_agree_with_the_limit():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 14)) + 0.05 * np.arange(14)
    row = trend(values, null="exact", resamples=20_000, seed=1)
    assert row["null"] == "monte-carlo"
    assert abs(row["p_value"] - stats.norm.sf(row["statistic"])) < 4 * row["p_error"] + 0.003


def test_what_is_held_says_nothing_of_who_is_better():
    scores, other = table(COTTON[:, None, :]), table(COTTON[:, None, ::-1])
    ours, theirs = (bi.compare_permutation(s, seed=1).ranks.kinds for s in (scores, other))
    assert [(k.labels.tolist(), k.ranks.tolist(), k.times) for k in ours] == [
        (k.labels.tolist(), k.ranks.tolist(), k.times) for k in theirs
    ]
