import numpy as np
import pytest
from scipy import stats

from benchinfer.numerics.max_t_exact import over_chi, range_tail


def survival(q, k, df):
    """Return the chance that the studentized range of k means exceeds each q."""
    return over_chi(range_tail(k), np.atleast_1d(q) / np.sqrt(2), df)


@pytest.mark.parametrize("df", [1, 2.5, 7, 40, 1000])
@pytest.mark.parametrize("q", [0.1, 1.0, 5.0, 20.0])
def test_two_means_are_a_t_test(q, df):
    # sqrt(2) |t|: a closed form.
    expected = 2 * stats.t.sf(q / np.sqrt(2), df)
    assert survival(q, 2, df) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(("q", "k", "df"), [(3.5, 3, 10), (4.2, 5, 30), (6.0, 10, 8), (3.9, 20, 5)])
def test_agrees_with_scipy(q, k, df):
    # scipy integrates adaptively to about 1e-10.
    expected = stats.studentized_range.sf(q, k, df)
    assert survival(q, k, df) == pytest.approx(expected, rel=1e-8)


def test_normal_limit_and_far_tail():
    # Far out the range of k normals exceeds q with Bonferroni's probability.
    bound = 15 * 2 * stats.norm.sf(14 / np.sqrt(2))
    assert survival(14.0, 6, np.inf) == pytest.approx(bound, rel=1e-4)
    assert survival(14.0, 6, np.inf) < bound
    assert survival(0.0, 4, 12) == pytest.approx(1.0, abs=1e-12)
