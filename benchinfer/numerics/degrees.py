"""Small-sample covariance and degrees of freedom of contrasts of the fixed effects."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.fits import Fit, Sampled

type Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Covariance of the fixed effects and degrees of freedom of J contrasts.

    Attributes
    ----------
    cov
        (p, p) covariance, adjusted where the method adjusts it.
    df
        (J,) degrees of freedom, ``inf`` for the asymptotic method.
    """

    cov: Array
    df: Array

    def first(self, n: int) -> "Adjusted":
        """Return the first n contrasts."""
        return Adjusted(self.cov, self.df[:n])


def _derivative_of_variance(fit: Fit, contrasts: Array) -> Array:
    """Return (J, c) derivatives of the contrasts' variances by the variance components."""
    half = contrasts @ fit.phi
    return np.einsum("jp,cpq,jq->jc", half, fit.derivatives.f, half, optimize=True)


def _sampling(fit: Fit) -> Array:
    """Return the (c, c) covariance of the estimated variances, zero at the boundary."""
    if isinstance(fit, Sampled):
        return fit.sampling
    block = np.ix_(fit.interior, fit.interior)
    sampling = np.zeros_like(fit.derivatives.expected)
    sampling[block] = 2 * np.linalg.inv(fit.derivatives.observed[block])
    return sampling


def pseudo_inverse(information: Array) -> Array:
    """Invert in natural units: variances may differ by many orders of magnitude."""
    size = information.diagonal()
    unit = np.where(size > 0, 1 / np.sqrt(np.where(size > 0, size, 1.0)), 0.0)
    unit = unit * unit[:, None]
    return unit * np.linalg.pinv(information * unit, rcond=1e-12, hermitian=True)


def _ratio(fit: Fit, contrasts: Array, g: Array, w: Array) -> Array:
    v = np.einsum("jp,pq,jq->j", contrasts, fit.phi, contrasts)
    return 2 * v**2 / np.einsum("ja,ab,jb->j", g, w, g)


def kenward_roger(fit: Fit, contrasts: Array) -> Adjusted:
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
    index = fit.members
    der, phi = fit.derivatives, fit.phi
    w = 2 * pseudo_inverse(der.expected[np.ix_(index, index)])
    f, ff = der.f[index], der.ff[np.ix_(index, index)]
    inner = ff - np.einsum("ipq,qr,jrs->ijps", f, phi, f, optimize=True)
    lam = phi @ np.einsum("ij,ijpq->pq", w, inner) @ phi
    g = _derivative_of_variance(fit, contrasts)[:, index]
    return Adjusted((phi + (lam + lam.T)) * fit.scale**2, _ratio(fit, contrasts, g, w))


def satterthwaite(fit: Fit, contrasts: Array) -> Adjusted:
    """Return the unadjusted covariance and Satterthwaite's degrees of freedom.

    Zero components are dropped, as in R's lmerTest; see `kenward_roger` for the parameters.

    References
    ----------
    Fai, A. H.-T. & Cornelius, P. L. (1996). Approximate F-tests of multiple degree of freedom
    hypotheses. Journal of Statistical Computation and Simulation 54, 363-378.
    https://doi.org/10.1080/00949659608811740
    """
    g = _derivative_of_variance(fit, contrasts)
    return Adjusted(fit.cov, _ratio(fit, contrasts, g, _sampling(fit)))


def asymptotic(fit: Fit, contrasts: Array) -> Adjusted:
    """Return the unadjusted covariance and infinite degrees of freedom (normal theory)."""
    return Adjusted(fit.cov, np.full(len(contrasts), np.inf))


METHODS = {
    "kenward-roger": kenward_roger,
    "satterthwaite": satterthwaite,
    "asymptotic": asymptotic,
}
