"""Denominator degrees of freedom: Kenward-Roger and Satterthwaite."""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, fdtrc

from benchinfer.analyses.mixed.numerics.optimum import ModelFit
from benchinfer.core.errors import FitError
from benchinfer.numerics.covariance import Adjusted, contrast_variances
from benchinfer.numerics.types import Array


def _approximate_df(fit: ModelFit, contrasts: Array, f: Array, w: Array) -> Array:
    """Return Satterthwaite's (J,) degrees of freedom ``2 v^2 / (g' W g)``.

    With v the contrasts' variances, g their derivatives by the variance components, of which `f`
    (m, p, p) are those of the fixed effects' information, and `w` (m, m) the covariance of these
    components' estimates.
    """
    half, v = contrasts @ fit.phi, contrast_variances(contrasts, fit.phi)
    g = np.stack([((half @ each) * half).sum(axis=1) for each in f], axis=1)
    return 2 * v**2 / contrast_variances(g, w)


def kenward_roger(fit: ModelFit, contrasts: Array) -> Adjusted:
    """Return the Kenward-Roger adjusted covariance and degrees of freedom.

    Zero components are kept, as in R's pbkrtest.

    Parameters
    ----------
    fit
        A REML fit.
    contrasts
        (J, p) contrasts of the fixed effects.

    Returns
    -------
    Adjusted
        Covariance on the scores' scale; df from the unadjusted covariance.

    References
    ----------
    Kenward, M. G. & Roger, J. H. (1997). Small sample inference for fixed effects from restricted
    maximum likelihood. Biometrics 53, 983-997. https://doi.org/10.2307/2533558
    """
    index, phi, w = fit.members, fit.phi, fit.expected_sampling
    f = fit.derivatives.f[index]
    lam = phi @ (fit.second - (f @ phi @ np.tensordot(w, f, 1)).sum(axis=0)) @ phi
    cov = (phi + (lam + lam.T)) * fit.scale**2
    return Adjusted(cov, _approximate_df(fit, contrasts, f, w))


def satterthwaite(fit: ModelFit, contrasts: Array) -> Adjusted:
    """Return the unadjusted covariance and Satterthwaite's degrees of freedom.

    Zero components are dropped, as in R's lmerTest; see `kenward_roger` for the parameters.

    References
    ----------
    Fai, A. H.-T. & Cornelius, P. L. (1996). Approximate F-tests of multiple degree of freedom
    hypotheses. Journal of Statistical Computation and Simulation 54, 363-378.
    https://doi.org/10.1080/00949659608811740
    """
    return Adjusted(fit.cov, _approximate_df(fit, contrasts, fit.derivatives.f, fit.sampling))


def asymptotic(fit: ModelFit, contrasts: Array) -> Adjusted:
    """Return the unadjusted covariance and infinite degrees of freedom (normal theory)."""
    return Adjusted(fit.cov, np.full(len(contrasts), np.inf))


METHODS = {
    "kenward-roger": kenward_roger,
    "satterthwaite": satterthwaite,
    "asymptotic": asymptotic,
}


@dataclass(frozen=True, slots=True)
class FTest:
    """Test that every contrast is zero."""

    statistic: float  # F, after scaling
    df_numerator: int  # number of linearly independent contrasts, q
    df_denominator: float  # denominator degrees of freedom, ``inf`` for the asymptotic method
    p_value: float  # upper tail of the F distribution
    # What the Wald statistic divided by q was multiplied with; 1 but for Kenward-Roger
    scaling: float


def _test(wald: float, q: int, df: float, scaling: float = 1.0) -> FTest:
    """Return the test of a Wald statistic with q degrees of freedom."""
    statistic = scaling * wald / q
    # The F distribution of scipy has no infinite denominator: there q F is chi-squared.
    tail = fdtrc(q, df, max(statistic, 0.0)) if df < np.inf else chdtrc(q, wald)
    return FTest(statistic, q, df, float(tail), scaling)


def _quadratic(contrasts: Array, beta: Array, cov: Array) -> float:
    """Return ``(L b)' (L C L')^-1 L b``."""
    value = contrasts @ beta
    return float(value @ np.linalg.solve(contrasts @ cov @ contrasts.T, value))


def _row_basis(contrasts: Array) -> Array:
    """Return orthonormal rows (q, p) that span the rows of the contrasts."""
    _, size, rows = np.linalg.svd(contrasts)
    return rows[: int((size > size[0] * max(contrasts.shape) * np.finfo(float).eps).sum())]


def _scaled_f(q: int, a1: float, a2: float) -> tuple[float, float]:
    """Return the scaling and the denominator df that match the moments of F (Kenward & Roger)."""
    b = (a1 + 6 * a2) / (2 * q)
    g = ((q + 1) * a1 - (q + 4) * a2) / ((q + 2) * a2)
    below = 3 * q + 2 * (1 - g)
    v0 = 1 + g / below * b
    v1 = 1 - (q - g) / below * b
    v2 = 1 - (q + 2 - g) / below * b
    # As in pbkrtest: rounding must not decide where an exact formula has 0 or 0 / 0.
    v0 = 0.0 if abs(v0) < 1e-10 else v0
    shrunk = 1 - a2 / q
    top, bottom = (1.0, 1.0) if abs(shrunk) < 1e-14 and abs(v1) < 1e-14 else (shrunk, v1)
    # 4 + (q + 2) / (q rho - 1) without a division by v1 or v2, which are 0 at some whole df.
    df = 4 + (q + 2) * v2 * bottom**2 / (top**2 * v0 - v2 * bottom**2)
    # The mean of F is infinite at 2 degrees of freedom: no scaling can match it.
    return (1.0 if abs(df - 2) < 0.01 else df * shrunk / (df - 2)), df


def _kenward_roger(fit: ModelFit, contrasts: Array) -> FTest:
    contrasts = _row_basis(contrasts)
    phi, q, w = fit.phi, len(contrasts), fit.expected_sampling
    # With the rows of L in standard form, L Phi L' = I, the products of Theta Phi F Phi are (q, q).
    half = np.linalg.solve(np.linalg.cholesky(contrasts @ phi @ contrasts.T), contrasts) @ phi
    m = half @ fit.derivatives.f[fit.members] @ half.T
    trace = np.einsum("iqq->i", m)
    a1, a2 = float(trace @ w @ trace), float(np.einsum("jpq,jqp->", np.tensordot(w, m, 1), m))
    scaling, df = _scaled_f(q, a1, a2)
    cov = kenward_roger(fit, contrasts).cov
    return _test(_quadratic(contrasts, fit.beta, cov), q, df, scaling)


def _common_df(df: Array) -> float:
    """Return the denominator df whose F has the mean of the squared t over their number."""
    if (np.abs(np.diff(df)) < 1e-8).all():
        return float(df.mean())
    if (df <= 2).any():
        return 2.0
    total = float((df / (df - 2)).sum())
    return 2 * total / (total - len(df))


def _satterthwaite(fit: ModelFit, contrasts: Array) -> FTest:
    size, vectors = np.linalg.eigh(contrasts @ fit.cov @ contrasts.T)
    held = size > np.sqrt(np.finfo(float).eps) * size[-1]
    rotated = vectors[:, held].T @ contrasts
    df = satterthwaite(fit, rotated).df
    wald = float(((rotated @ fit.beta) ** 2 / size[held]).sum())
    return _test(wald, len(rotated), _common_df(df))


def _asymptotic(fit: ModelFit, contrasts: Array) -> FTest:
    contrasts = _row_basis(contrasts)
    return _test(_quadratic(contrasts, fit.beta, fit.cov), len(contrasts), np.inf)


F_TESTS = {
    "kenward-roger": _kenward_roger,
    "satterthwaite": _satterthwaite,
    "asymptotic": _asymptotic,
}


def f_test(fit: ModelFit, contrasts: Array, method: str = "kenward-roger") -> FTest:
    r"""Test that all contrasts are zero.

    With L a basis of the contrasts and C the covariance of the fixed effects, the statistic is
    ``F = (L b)' (L C L')^-1 (L b) / q``.

    - ``kenward-roger``: C is adjusted for small samples; F is scaled so that its first two moments
      are those of an F distribution. Variances estimated at zero count. As in R's pbkrtest.
    - ``satterthwaite``: F is a mean of q squared, independent t statistics, along the eigenvectors
      of ``L C L'``, each with its degrees of freedom. As in R's lmerTest, whose denominator is 2
      where one of the t has 2 degrees of freedom or fewer. The eigenvectors, and with them the
      denominator (never F), depend on which contrasts span the hypothesis.
    - ``asymptotic``: q F is chi-squared.

    Parameters
    ----------
    fit
        A fitted mixed model; by REML for Kenward-Roger.
    contrasts
        (J, p) contrasts of the fixed effects; they may depend on each other linearly.
    method
        One of `METHODS`.

    Returns
    -------
    FTest
        The statistic, its degrees of freedom and the p-value.

    References
    ----------
    Kenward, M. G. & Roger, J. H. (1997). Small sample inference for fixed effects from restricted
    maximum likelihood. Biometrics 53, 983-997. https://doi.org/10.2307/2533558

    Fai, A. H.-T. & Cornelius, P. L. (1996). Approximate F-tests of multiple degree of freedom
    hypotheses. Journal of Statistical Computation and Simulation 54, 363-378.
    https://doi.org/10.1080/00949659608811740

    Examples
    --------
    Without replications the test is that of the classical two-way table:

    >>> from benchinfer.analyses.mixed.numerics.optimum import fit
    >>> from benchinfer.analyses.mixed.numerics.moments import from_cells
    >>> y = np.array([[1., 2., 2.], [2., 4., 3.], [5., 5., 6.], [0., 3., 2.]])
    >>> model = fit(from_cells(np.ones((4, 3), int), y, np.zeros_like(y)), ("dataset",))
    >>> test = f_test(model, np.array([[1., -1., 0.], [1., 0., -1.], [0., 1., -1.]]))
    >>> test.df_numerator, round(test.df_denominator, 6), round(test.statistic, 6)
    (2, 6.0, 5.470588)
    """
    if not np.any(contrasts):
        raise FitError("there is no contrast to test: all coefficients are zero.")
    if method == "kenward-roger" and not fit.reml:
        raise FitError("Kenward-Roger needs a fit by restricted maximum likelihood.")
    return F_TESTS[method](fit, contrasts)
