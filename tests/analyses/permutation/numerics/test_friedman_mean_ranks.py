import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import studentized_range

from benchinfer.analyses.permutation.numerics import friedman
from tests.numerics.test_multiplicity import VALUES


@pytest.mark.parametrize("golden", VALUES["mean_ranks"], ids=lambda g: f"{g['k']}-{g['n']}")
def test_agrees_with_r(golden):
    k, n = golden["k"], golden["n"]
    ours = friedman.nemenyi(np.array(golden["difference"]), k, n)
    # ptukey integrates to about eight digits.
    np.testing.assert_allclose(ours, golden["nemenyi"], rtol=1e-7, atol=2e-12)
    # qtukey stops at four digits after its own iteration.
    assert friedman.nemenyi_difference(k, n) == pytest.approx(
        golden["nemenyi_difference"], rel=1e-4
    )
    assert friedman.bonferroni_dunn_difference(k, n) == pytest.approx(
        golden["bonferroni_dunn_difference"], rel=1e-13
    )


def test_agrees_with_the_integral_of_the_range():
    z = np.linspace(-12, 12, 100_001)
    for k, n, difference in ((10, 14, 2.5), (20, 54, 2.5)):
        width = np.sqrt(2) * difference / friedman.std_error(k, n)
        density = k * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
        below = np.trapezoid(density * (ndtr(z + width) - ndtr(z)) ** (k - 1), z)
        ours = friedman.nemenyi(np.array(difference), k, n)
        assert float(ours) == pytest.approx(1 - below, rel=1e-12)


def test_the_critical_difference_is_where_p_is_alpha():
    for k, n, alpha in ((2, 10, 0.05), (5, 30, 0.1), (30, 12, 1e-8), (4, 9, 0.5)):
        difference = np.array(friedman.nemenyi_difference(k, n, alpha))
        assert friedman.nemenyi(difference, k, n) == pytest.approx(alpha, rel=1e-10)
    scipy = studentized_range.isf(0.05, 7, np.inf) / np.sqrt(2) * friedman.std_error(7, 20)
    assert friedman.nemenyi_difference(7, 20) == pytest.approx(scipy, rel=1e-9)


def test_published_quantiles():
    # Demšar (2006), table 5.
    nemenyi = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    dunn = [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.724, 2.773]
    for k in range(2, 11):
        unit = friedman.std_error(k, 10)
        ours = friedman.nemenyi_difference(k, 10) / unit
        assert ours == pytest.approx(nemenyi[k - 2], abs=0.0011)
        ours = friedman.bonferroni_dunn_difference(k, 10) / unit
        # The table prints 2.724 for 9 algorithms; the quantile is 2.734.
        assert ours == pytest.approx(2.734 if k == 9 else dunn[k - 2], abs=0.0006)


def test_two_algorithms_need_no_adjustment():
    gap = np.array([0.0, 0.3, 1.0])
    expected = 2 * ndtr(-gap / friedman.std_error(2, 20))
    np.testing.assert_allclose(friedman.nemenyi(gap, 2, 20), expected, rtol=1e-10)
