"""Hierarchical model in PyMC.

The same posterior as that of the Gibbs sampler, from the same contrasts, residuals and priors, with
the interactions integrated out:

    z_m ~ N(X_m (beta + B' x_m + g_d(m)), lam_m X_m Sigma X_m' + sigma_m^2 D_m),
    RSS_m ~ sigma_m^2 chi2(df_m)

Everything is observed by distributions of PyMC (not by potentials), so that prior and posterior
predictions, pointwise likelihoods and extensions of the model work. An inverse Wishart Sigma is
built from Bartlett's triangle, whose diagonal is divided by its degrees of freedom. NUTS samples
such models in tests; in use the Gibbs sampler is faster.

References
----------
Hoffman, M. D. & Gelman, A. (2014). The No-U-Turn sampler: adaptively setting path lengths in
Hamiltonian Monte Carlo. Journal of Machine Learning Research 15, 1593-1623.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pymc
from pymc import Model as PyMCModel
from pymc.logprob.transforms import Transform
from pytensor import tensor

from benchinfer.analyses.bayes.numerics.contrasts import helmert

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
    from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
    from benchinfer.analyses.bayes.numerics.priors import Priors
    from benchinfer.numerics.types import Array


# PyMC and PyTensor are typed in part.
type Variable = Any


pm: Any = pymc
pt: Any = tensor


def pymc_model(model: GibbsModel, names: Mapping[str, Sequence[str]] | None = None) -> PyMCModel:
    """Return the model of the posterior, in units of ``ContrastData.scale``."""
    data, priors = model.data, model.priors
    m, j = data.z.shape
    coords: dict[str, Any] = {
        "dataset": range(m),
        "algorithm": range(j + 1),
        "contrast": range(j),
        **({} if model.domain is None else {"domain": range(int(model.domain.max()) + 1)}),
        **({} if model.covariates is None else {"covariate": range(model.covariates.shape[1])}),
        **(names or {}),
    }
    with pm.Model(coords=coords) as built:
        scale = pm.HalfStudentT("scale", nu=3, sigma=priors.interaction_scale)
        beta = average_effects(priors, scale, *_guess(data))
        pm.Deterministic("effect", beta @ helmert(j + 1), dims="algorithm")
        centre = beta[None, :] + domain_departures(model)
        if model.covariates is not None:
            slopes = pm.Normal("slopes", 0.0, priors.slope_sd, dims=("covariate", "contrast"))
            centre = centre + model.covariates @ slopes
        noise = _noise(model)
        mixing = mixing_scales(model)
        if model.structure == "common" and data.balanced.all():
            variance = mixing * scale**2 + noise * data.variance[:, 0]
            pm.Normal(
                "contrast_estimate",
                centre,
                pt.sqrt(variance)[:, None],
                observed=data.z,
                dims=("dataset", "contrast"),
            )
        else:
            between = covariance(model, scale)[None]
            if data.balanced.all():
                mean = pt.broadcast_to(centre, data.z.shape)
            else:
                between = data.design @ between @ data.design.swapaxes(1, 2)
                mean = (data.design * centre[:, None, :]).sum(axis=2)
            # Contrasts that a data set does not identify have estimate 0, mean 0 and variance 1.
            held = np.arange(j) < data.rank[:, None]
            within = noise[:, None] * data.variance + np.where(held, 0.0, 1.0)
            pm.MvNormal(
                "contrast_estimate",
                mu=mean,
                cov=mixing[:, None, None] * between + within[:, :, None] * np.eye(j),
                observed=data.z,
                dims=("dataset", "contrast"),
            )
    return built


def average_effects(priors: Priors, scale: Variable, guess: Array, precision: Array) -> Variable:
    """Return the contrasts of the average effects, standardised about a guess from the scores."""
    if priors.effect_sd is not None:
        return pm.Normal("contrasts", 0.0, priors.effect_sd, dims="contrast")
    ratio = pm.HalfStudentT("effect_ratio", nu=3, sigma=priors.effect_scale)
    spread = pm.Deterministic("effect_scale", ratio * scale)
    transform = InformedNormals(guess, precision)
    return pm.Normal("contrasts", 0.0, spread, dims="contrast", transform=transform)


def _guess(data: ContrastData) -> tuple[Array, Array]:
    """Return (J,) least-squares means of the contrasts over data sets, and their precisions."""
    j = data.z.shape[1]
    seen = np.einsum("mij,mik->jk", data.design, data.design) + 1e-6 * np.eye(j)
    mean = np.linalg.solve(seen, np.einsum("mij,mi->j", data.design, data.z))
    square = (data.z - data.design @ mean) ** 2
    return mean, np.diag(seen) * data.rank.sum() / np.maximum(square.sum(), 1e-6)


def domain_departures(model: GibbsModel) -> Variable:
    """Return the departures of the data sets' domains."""
    if model.domain is None:
        return 0.0
    scale = pm.HalfStudentT("domain_scale", nu=3, sigma=model.priors.domain_scale)
    unit = pm.Normal("domain_unit", 0.0, 1.0, dims=("domain", "contrast"))
    return (scale * unit)[model.domain]


def _noise(model: GibbsModel) -> Variable:
    """Return the residual variances, with the residuals as their observations."""
    data, priors = model.data, model.priors
    if not data.noisy:
        return np.zeros(len(data.z))
    centre = pm.Normal("residual_centre", 0.0, priors.residual_sd)
    spread = pm.HalfStudentT("residual_spread", nu=3, sigma=priors.residual_spread)
    transform = _Standardised.of(data)
    log = pm.Normal("log_sigma", centre, spread, dims="dataset", transform=transform)
    noise = pt.exp(2 * (log + data.log_sd))
    held = np.flatnonzero(data.df > 0)
    pm.Gamma(
        "residual_square",
        alpha=data.df[held] / 2,
        beta=1 / (2 * noise[held]),
        observed=data.rss[held],
    )
    return noise


class StandardisedNormals(Transform):
    """Normal variables, standardised by a mean and scale from their prior and the scores."""

    def __init__(self, guess: Array, precision: Array) -> None:
        self._guess, self._precision = guess, precision

    def _likely(self, inputs: tuple[Variable, ...]) -> tuple[Variable, Variable]:
        """Return mean and standard deviation, given the arguments of the prior."""
        raise NotImplementedError

    def forward(self, value: Variable, *inputs: Variable) -> Variable:
        """Return the departures of values."""
        mean, sd = self._likely(inputs)
        return (value - mean) / sd

    def backward(self, value: Variable, *inputs: Variable) -> Variable:
        """Return the values of departures."""
        mean, sd = self._likely(inputs)
        return mean + sd * value

    def log_jac_det(self, value: Variable, *inputs: Variable) -> Variable:
        """Return the logs of the derivatives of values with respect to departures."""
        _, sd = self._likely(inputs)
        return pt.log(sd) + pt.zeros_like(value)


class InformedNormals(StandardisedNormals):
    """Effects, standardised by a mean and scale from their prior and the scores.

    Neither effects nor their departures from the centre will do: where scores say little the former
    are tied to their scale, where they say much the latter are.
    """

    name = "informed"

    def _likely(self, inputs: tuple[Variable, ...]) -> tuple[Variable, Variable]:
        """Return mean and standard deviation given centre and scale, or covariances."""
        *_, centre, scale = inputs
        variance = pt.diagonal(scale, axis1=-2, axis2=-1) if scale.ndim == 3 else scale**2
        precision = self._precision + 1 / variance
        return (self._precision * self._guess + centre / variance) / precision, precision**-0.5

    def log_jac_det(self, value: Variable, *inputs: Variable) -> Variable:
        """Return the logs of the derivatives of values, one of each vector."""
        each = super().log_jac_det(value, *inputs)
        # The density of vectors is that of all their elements together.
        vectors = inputs[-1].ndim == 3
        return each.sum(axis=-1) if vectors else each


class _Standardised(StandardisedNormals):
    """Logs of scales, standardised by a mean and scale from centre, spread and residuals.

    Neither logs nor their departures from the centre will do: where there are few residuals, or
    none, the former are tied to the spread; where there are many, the latter are.
    """

    name = "standardised"

    @classmethod
    def of(cls, data: ContrastData) -> Self:
        held = data.df > 0
        mean = np.where(held, data.rss, 1.0) / np.where(held, data.df, 1.0)
        guess = np.where(held, np.log(mean) / 2 - data.log_sd, 0.0)
        return cls(guess, 2 * data.df)

    def _likely(self, inputs: tuple[Variable, ...]) -> tuple[Variable, Variable]:
        """Return mean and standard deviation given centre and spread."""
        *_, centre, spread = inputs
        precision = self._precision + spread**-2
        mean = (self._precision * self._guess + centre * spread**-2) / precision
        return mean, precision**-0.5


def mixing_scales(model: GibbsModel) -> Variable:
    """Return the mixing scales of the data sets."""
    if model.interactions == "normal":
        return np.ones(len(model.data.z))
    tail = pm.Gamma("tail", alpha=model.priors.tail_shape, beta=model.priors.tail_rate)
    half = (1 + tail) / 2
    return pm.InverseGamma("mixing", alpha=half, beta=half, dims="dataset")


def covariance(model: GibbsModel, scale: Variable) -> Variable:
    """Return (J, J) Sigma."""
    j = model.data.z.shape[1]
    if model.structure == "common":
        return scale**2 * np.eye(j)
    priors = model.priors
    median = np.log(priors.shrinkage_median or j)
    kappa = pm.LogNormal("shrinkage", median, priors.shrinkage_sd)
    df = j + 2 + kappa - np.arange(j)
    square = pm.Gamma("bartlett_square", alpha=df / 2, beta=df / 2, dims="contrast")
    triangle = pt.diag(pt.sqrt(df * square))
    if j > 1:
        below = pm.Normal("bartlett_below", 0.0, 1.0, shape=j * (j - 1) // 2)
        triangle = pt.set_subtensor(triangle[np.tril_indices(j, -1)], below)
    inverse = pt.linalg.solve_triangular(triangle, np.eye(j), lower=True)
    sigma = (1 + kappa) * scale**2 * (inverse.T @ inverse)
    return pm.Deterministic("covariance", sigma)
