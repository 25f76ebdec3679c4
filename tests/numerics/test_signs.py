"""Sums with random signs: exact, Monte Carlo, normal; against brute force."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from benchinfer.core.errors import DesignError
from benchinfer.numerics import signs


def brute_force(column, *, two_sided):
    sums = np.array(list(product([-1, 1], repeat=len(column)))) @ np.abs(column)
    own = column.sum()
    if two_sided:
        sums, own = np.abs(sums), abs(own)
    return (sums >= own - 1e-9).mean()


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("kind", ["values", "ranks", "normal"])
def test_exact_is_brute_force_and_monte_carlo_is_near(kind, two_sided):
    rng = np.random.default_rng(1)
    d = rng.normal(0.2, 1, size=(11, 4)).round(1)
    terms = {
        "values": lambda x: x,
        "ranks": lambda x: signs.signed_ranks(x, 1e-9),
        "normal": lambda x: signs.signed_normal_scores(x, 1e-9),
    }[kind](d)
    sides = np.full(4, two_sided)
    found = signs.sign_tests(terms, two_sided=sides)
    expected = [brute_force(c[c != 0], two_sided=two_sided) for c in terms.T]
    np.testing.assert_allclose(found.p_value, expected, rtol=1e-12)
    assert found.kinds == ("exact",) * 4
    assert (found.error == 0).all()
    many = signs.sign_tests(terms, two_sided=sides, null="monte-carlo", resamples=20_000, seed=3)
    assert (np.abs(many.p_value - expected) < 4 * many.error + 1e-4).all()
    n = np.count_nonzero(terms, axis=0)
    np.testing.assert_allclose(found.smallest, 0.5 ** (n - 1.0 * two_sided))


def test_asymptotic_is_normal():
    d = np.random.default_rng(2).normal(0.3, 1, size=(40, 3))
    found = signs.sign_tests(d, two_sided=np.array([True, False, True]), null="asymptotic")
    z = d.sum(axis=0) / np.sqrt((d**2).sum(axis=0))
    np.testing.assert_allclose(found.statistic, z)
    expected = [2 * stats.norm.sf(abs(z[0])), stats.norm.sf(z[1]), 2 * stats.norm.sf(abs(z[2]))]
    np.testing.assert_allclose(found.p_value, expected)


def test_a_column_that_takes_too_long_is_resampled_or_refused():
    d = np.random.default_rng(2).normal(0.3, 1, size=(60, 2))
    d[10:, 0] = 0
    both = np.array([True, True])
    found = signs.sign_tests(d, two_sided=both, resamples=999, seed=1)
    assert found.kinds == ("exact", "monte-carlo")
    assert found.smallest[1] == 1 / 1000
    with pytest.raises(DesignError, match="60 differences without a common unit"):
        signs.sign_tests(d, two_sided=both, null="exact")


def test_nothing_says_nothing():
    found = signs.sign_tests(np.zeros((3, 1)), two_sided=np.array([True]))
    assert (found.p_value[0], found.statistic[0], found.smallest[0]) == (1.0, 0.0, 1.0)
    noise = signs.sign_tests(np.array([[1.0], [1e-17], [2.0]]), two_sided=np.array([True]))
    assert noise.smallest[0] == 0.5
    assert signs.sign_tests(
        np.zeros((3, 1)), two_sided=np.array([True]), null="monte-carlo", resamples=10
    ).p_value == [1.0]


def test_the_same_seed_gives_the_same_and_progress_adds_up():
    d = np.random.default_rng(2).normal(size=(100, 2))
    told = []
    options = {"two_sided": np.array([True, True]), "null": "monte-carlo", "seed": 4}
    one = signs.sign_tests(d, resamples=50_000, progress=told.append, **options)
    again = signs.sign_tests(d, resamples=50_000, **options)
    assert one.p_value.tolist() == again.p_value.tolist()
    assert sum(told) == 50_000
    assert len(told) > 1
