"""One-sided tests of a stage against scipy, and their combination."""

import numpy as np
import pytest
from scipy import stats

from benchinfer.analyses.monitor import stagewise
from benchinfer.numerics import ties


@pytest.fixture
def d():
    return np.random.default_rng(3).normal(0.2, size=50)


def test_t_and_signed_ranks_are_those_of_scipy(d):
    for test, peer in (
        ("t", lambda x, a: stats.ttest_1samp(x, 0, alternative=a)),
        ("signed-rank", lambda x, a: stats.wilcoxon(x, alternative=a, method="exact")),
    ):
        up, down = stagewise.stage_p(d, test)
        assert up == pytest.approx(peer(d, "greater").pvalue, rel=1e-10)
        assert down == pytest.approx(peer(d, "less").pvalue, rel=1e-10)


def test_sign_flips_by_their_normal_limit(d):
    z = d.sum() / np.sqrt((d**2).sum())
    assert stagewise.stage_p(d, "sign-flip") == pytest.approx([stats.norm.sf(z), stats.norm.cdf(z)])


def test_running_statistics_end_where_the_stage_does(d):
    for test in ("t", "sign-flip"):
        z = stagewise.running_z(d, test)
        for b in (2, 7, 50):
            up, _ = stagewise.stage_p(d[:b], test)
            assert stats.norm.sf(z[b - 1]) == pytest.approx(up, rel=1e-9)
    at = np.array([20, 50])
    ranks = stagewise.running_z(d, "signed-rank", at)
    peer = stats.wilcoxon(d, alternative="greater", method="asymptotic", correction=False)
    assert stats.norm.sf(ranks[1]) == pytest.approx(peer.pvalue, rel=1e-9)


def test_running_t_keeps_its_digits_far_from_zero():
    d = 1e6 + np.random.default_rng(1).normal(size=200)
    z = stagewise.running_z(d - d.mean() + 1e-3, "t")
    centred = d - d.mean() + 1e-3
    assert stats.norm.sf(z[-1]) == pytest.approx(
        stats.ttest_1samp(centred, 0, alternative="greater").pvalue, rel=1e-6
    )


def test_no_difference_says_nothing_and_no_spread_no_more_than_signs():
    assert np.isnan(stagewise.stage_p(np.zeros(50), "t")).all()
    assert stagewise.stage_p(np.full(10, 0.3), "t") == (0.5**10, 1 - 0.5**10)
    assert ties.differences(np.array([0.3]), np.array([0.1 + 0.2])).tolist() == [0.0]


def test_data_sets_without_a_difference_are_left_out():
    p = np.array([[0.01, np.nan, 0.2], [np.nan, np.nan, np.nan], [0.03, np.nan, np.nan]])
    found = stagewise.combined(p)
    assert found[0] == pytest.approx(stats.combine_pvalues([0.01, 0.2], method="stouffer").pvalue)
    assert found[1:].tolist() == [1.0, 0.03]
