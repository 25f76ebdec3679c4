"""Families with product correlations, against published tables, scipy and closed forms."""

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import ndtr

from benchinfer.numerics import max_t, max_t_exact


def with_control(m):
    return np.hstack([np.eye(m), -np.ones((m, 1))])


@pytest.mark.parametrize(
    ("m", "df", "sides", "expected"),
    [
        # Dunnett's tables, two decimals: 5 %, equal group sizes, m comparisons with the control.
        (2, 20, 2, 2.38),
        (3, 20, 2, 2.54),
        (4, 20, 2, 2.65),
        (2, 20, 1, 2.03),
        (3, 20, 1, 2.19),
        (4, 20, 1, 2.30),
        (5, 20, 1, 2.39),
    ],
)
def test_published_critical_values(m, df, sides, expected):
    family = max_t.max_t(with_control(m), np.eye(m + 1), df, sides=sides)
    assert max_t.quantile(family, 0.05) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("m", [1, 2, 30])
def test_independent_statistics_have_a_closed_form(m, sides):
    w = np.array([0.2, 1.0, 3.0, 8.0])
    expected = -np.expm1(m * np.log1p(-sides * stats.norm.sf(w)))
    np.testing.assert_allclose(
        max_t_exact.largest_survival(w, np.zeros(m), sides), expected, rtol=1e-11
    )


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("df", [6.0, 80.0, np.inf])
def test_unequal_sizes_by_adaptive_quadrature(sides, df):
    variance = 1 / np.array([4.0, 9.0, 25.0, 100.0])
    cov = np.diag(np.r_[variance, 1 / 16]) + 3
    family = max_t.max_t(with_control(4), cov, df, sides=sides)
    loading = np.sqrt((1 / 16) / (variance + 1 / 16))
    noise = np.sqrt(1 - loading**2)

    def beyond(y: float, w: float) -> float:
        outside = ndtr((loading * y - w) / noise)
        if sides == 2:
            outside += ndtr((-w - loading * y) / noise)
        return (1 - np.prod(1 - outside)) * np.exp(-y * y / 2) / np.sqrt(2 * np.pi)

    for t in (1.0, 2.5) if np.isinf(df) else (2.5,):  # double integrals are slow
        if np.isinf(df):
            expected = integrate.quad(beyond, -12, 12, args=(t,), epsabs=1e-13)[0]
        else:
            chi = stats.chi(df)

            def given(s: float, t: float = t, chi: object = chi) -> float:
                inner = integrate.quad(beyond, -9, 9, args=(t * s / np.sqrt(df),), epsabs=1e-10)
                return inner[0] * chi.pdf(s)

            expected = integrate.quad(given, chi.ppf(1e-13), chi.isf(1e-13), epsabs=1e-10)[0]
        p, error = max_t.survival(family, np.array([t]))
        assert p[0] == pytest.approx(expected, rel=1e-8)
        assert error[0] == 0


def test_agrees_with_scipy_dunnett():
    rng = np.random.default_rng(3)
    groups = [rng.normal(size=n) for n in (6, 9, 15)]
    control = rng.normal(size=12)
    size = np.array([6, 9, 15, 12])
    df = float(size.sum() - 4)
    for sides, alternative in ((2, "two-sided"), (1, "greater")):
        reference = stats.dunnett(*groups, control=control, alternative=alternative, random_state=1)
        family = max_t.max_t(with_control(3), np.diag(1 / size), df, sides=sides)
        t = np.abs(reference.statistic) if sides == 2 else reference.statistic
        p, _ = max_t.survival(family, t)
        # scipy's p-values are quasi-Monte-Carlo.
        np.testing.assert_allclose(p, reference.pvalue, atol=2e-3)


def test_far_tail_keeps_its_relative_error():
    loading = np.sqrt(np.array([0.3, 0.5, 0.9]))
    w = np.array([4.0, 6.0, 8.0])
    tail = max_t_exact.normal_tail(lambda x: max_t_exact.largest_survival(x, loading, 2), 6, 0.0)
    np.testing.assert_allclose(tail(w), max_t_exact.largest_survival(w, loading, 2), rtol=1e-9)
    # Less than Bonferroni, more than the largest alone.
    assert (tail(w) < 6 * stats.norm.sf(w)).all()
    assert (tail(w) > 2 * stats.norm.sf(w)).all()


@pytest.mark.parametrize(
    "loading",
    [
        [0.5, 0.5],
        [0.3, -0.6, 0.9],
        [0.0, 0.4, 0.0, 0.8, 0.1],
        [0.0, 0.0, 0.0],
        [0.997, 0.2, -0.5],
    ],
)
def test_loadings_are_found(loading):
    correlation = np.outer(loading, loading)
    np.fill_diagonal(correlation, 1.0)
    found = max_t_exact.loadings(correlation)
    assert found is not None
    product = np.outer(found, found)
    np.fill_diagonal(product, 1.0)
    np.testing.assert_allclose(product, correlation, atol=1e-12)


def test_other_correlations_have_no_loadings():
    range_of_three = np.array([[1, 0.5, -0.5], [0.5, 1, 0.5], [-0.5, 0.5, 1]])
    assert max_t_exact.loadings(range_of_three) is None
    off = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
    off[0, 1] = off[1, 0] = 0.5 + 1e-6
    off4 = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    off4[0, 1] = off4[1, 0] = 0.5 + 1e-6
    # Three correlations always have loadings, six need not.
    assert max_t_exact.loadings(off) is not None
    assert max_t_exact.loadings(off4) is None
    near = max_t_exact.nearest_loadings(off4)
    np.testing.assert_allclose(near, np.sqrt(0.5), atol=1e-6)


@pytest.mark.parametrize("sides", [1, 2])
def test_nearly_a_product_agrees_with_the_product(sides):
    # The sampled family next to an exact one: continuous in the covariance.
    cov = np.diag([1.0, 0.5, 2.0, 0.7, 1.2, 0.8])
    moved = cov.copy()
    moved[0, 1] = moved[1, 0] = 1e-7
    t = np.array([0.5, 2.0, 4.0, 7.0])
    exact, _ = max_t.survival(max_t.max_t(with_control(5), cov, 25.0, sides=sides), t)
    sampled, error = max_t.survival(max_t.max_t(with_control(5), moved, 25.0, sides=sides), t)
    np.testing.assert_allclose(sampled, exact, rtol=2e-6)
    assert (error < 2e-6 * exact).all()


def test_a_control_with_little_noise_beside_it_is_sampled():
    family = max_t.max_t(with_control(4), np.diag([1.0, 1.0, 1.0, 1.0, 1e5]), 30.0)
    p, error = max_t.survival(family, np.array([2.0]))
    # All four differences are nearly the same: little more than one test.
    single = max_t.raw_p(np.array(2.0), 30.0)
    assert single < p[0] < 1.05 * single
    assert 0 < error[0] < 1e-3 * p[0]
