"""Sums with random signs: exact, Monte Carlo, normal; against brute force."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from benchinfer.core.errors import DesignError
from benchinfer.numerics import shuffle, signs


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


def test_signed_sums_are_of_rows_with_signs_in_common_whatever_the_span():
    terms = 2.0 ** np.arange(11)[:, None] * np.array([[1.0, -1.0, 3.0]]) + np.zeros((11, 3))
    sums = shuffle.signed_sums(terms, 7, 0, 40_000)
    assert sums[:, 1].tolist() == (-sums[:, 0]).tolist()
    assert sums[:, 2].tolist() == (3 * sums[:, 0]).tolist()
    values, counts = np.unique(sums[:, 0], return_counts=True)
    assert values.tolist() == list(range(-2047, 2048, 2))
    assert stats.chisquare(counts).pvalue > 1e-3
    parts = [shuffle.signed_sums(terms, 7, *ends) for ends in ((0, 13), (13, 5_000))]
    assert np.concatenate(parts).tolist() == sums[:5_000].tolist()


def test_signed_sums_of_many_rows_and_columns_have_the_moments_of_signs():
    terms = np.random.default_rng(8).normal(size=(150, 37))
    sums = shuffle.signed_sums(terms, 3, 0, 50_000)
    size = np.sqrt((terms**2).sum(axis=0))
    assert np.abs(sums.mean(axis=0) / size).max() < 5 / np.sqrt(50_000)
    expected = terms.T @ terms / np.outer(size, size)
    assert np.abs(np.cov((sums / size).T) - expected).max() < 5.5 * np.sqrt(2 / 50_000)


def test_columns_that_share_their_sizes_are_tested_as_each_alone():
    d = np.random.default_rng(9).normal(0.1, 1, size=(300, 8))
    d[:40, 3] = 0.0
    terms = signs.signed_ranks(d, 1e-9)
    two_sided = np.arange(8) % 2 == 0
    found = signs.sign_tests(terms, two_sided=two_sided)
    assert set(found.kinds) == {"exact"}
    for column, both, p in zip(d.T, two_sided, found.p_value, strict=True):
        alone = signs.signed_rank(column, alternative="two-sided" if both else "greater")
        assert p == pytest.approx(alone.p_value, rel=1e-12)


def test_many_values_of_one_unit_are_on_its_lattice():
    rng = np.random.default_rng(10)
    whole = rng.integers(1, 5_000, 3_000)
    assert signs.on_lattice(whole * 0.037, 1e-9).tolist() == whole.tolist()
    assert signs.on_lattice(whole * 0.037 + rng.normal(0, 1e-3, 3_000), 1e-9) is None
