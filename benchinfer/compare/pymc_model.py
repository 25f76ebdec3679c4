"""The hierarchical model in PyMC, and NUTS for it: the second engine.

The same posterior as that of the Gibbs sampler, from the same contrasts, residuals and priors, with
the interactions integrated out:

    z_m ~ N(X_m (beta + B' x_m + g_d(m)), lam_m X_m Sigma X_m' + sigma_m^2 D_m),
    RSS_m ~ sigma_m^2 chi2(df_m)

Everything is observed by distributions of PyMC (not by potentials), so that prior and posterior
predictions, pointwise likelihoods and extensions of the model work. An inverse Wishart Sigma is
built from Bartlett's triangle, whose diagonal is divided by its degrees of freedom.
"""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pymc
from pymc import Model as PyMCModel
from pymc.logprob.transforms import Transform
from pytensor import tensor

from benchinfer.numerics.bayes.reduction import helmert

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchinfer.compare.evidence import Array
    from benchinfer.numerics.bayes.gibbs import Model
    from benchinfer.numerics.bayes.reduction import ContrastData

# PyMC and PyTensor are typed in part.
type Variable = Any
pm: Any = pymc
pt: Any = tensor


def pymc_model(model: "Model", names: "Mapping[str, Sequence[str]] | None" = None) -> PyMCModel:
    """Return the model of the posterior, in units of ``ContrastData.scale``.

    Parameters
    ----------
    model
        What is sampled.
    names
        Names of ``"dataset"``, ``"algorithm"``, ``"domain"`` and ``"covariate"``, numbers by
        default.

    Returns
    -------
    pymc.Model
        With the variables ``contrasts`` (orthonormal contrasts of the average effects; ``effect``
        are the effects), ``scale``, ``shrinkage`` with ``bartlett_square`` and ``bartlett_below``,
        ``tail`` (degrees of freedom less 1) and ``mixing``, ``residual_centre``,
        ``residual_spread`` and ``log_sigma`` (over the pooled one), ``domain_scale`` and
        ``domain_unit``, ``slopes``, as the model has them; observed are ``contrast_estimate`` and
        ``residual_square``.
    """
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
        beta = pm.Normal("contrasts", 0.0, priors.effect_sd, dims="contrast")
        pm.Deterministic("effect", beta @ helmert(j + 1), dims="algorithm")
        centre = beta[None, :] + domain_departures(model) + _slopes(model)
        noise = _noise(model)
        mixing = mixing_scales(model)
        scale = pm.HalfStudentT("scale", nu=3, sigma=priors.interaction_scale)
        if model.structure == "common" and data.whole.all():
            variance = mixing * scale**2 + noise * data.variance[:, 0]
            pm.Normal(
                "contrast_estimate",
                centre,
                pt.sqrt(variance)[:, None],
                observed=data.z,
                dims=("dataset", "contrast"),
            )
        else:
            sigma = covariance(model, scale)
            pm.MvNormal(
                "contrast_estimate",
                mu=_seen(model, centre),
                cov=_total(model, sigma, mixing, noise),
                observed=data.z,
                dims=("dataset", "contrast"),
            )
    return built


def domain_departures(model: "Model") -> Variable:
    """Return the departures of the data sets' domains."""
    if model.domain is None:
        return 0.0
    scale = pm.HalfStudentT("domain_scale", nu=3, sigma=model.priors.domain_scale)
    unit = pm.Normal("domain_unit", 0.0, 1.0, dims=("domain", "contrast"))
    return (scale * unit)[model.domain]


def _slopes(model: "Model") -> Variable:
    """Return what covariates add to the effects on the data sets."""
    if model.covariates is None:
        return 0.0
    slopes = pm.Normal("slopes", 0.0, model.priors.slope_sd, dims=("covariate", "contrast"))
    return model.covariates @ slopes


def _noise(model: "Model") -> Variable:
    """Return the residual variances, seen by the residuals."""
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


class Departures(Transform):
    """Normal variables by their departure from what their prior and the scores make likely."""

    def __init__(self, guess: "Array", precision: "Array") -> None:
        self._guess, self._precision = guess, precision

    def _likely(self, inputs: tuple[Variable, ...]) -> tuple[Variable, Variable]:
        """Return mean and standard deviation, given what the prior depends on."""
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


class _Standardised(Departures):
    """Logs of scales by their departure from what centre, spread and residuals make likely.

    Neither logs nor their departures from the centre will do: where there are few residuals, or
    none, the former are tied to the spread; where there are many, the latter are.
    """

    name = "standardised"

    @classmethod
    def of(cls, data: "ContrastData") -> Self:
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


def mixing_scales(model: "Model") -> Variable:
    """Return the mixing scales of the data sets."""
    if model.interactions == "normal":
        return np.ones(len(model.data.z))
    tail = pm.Gamma("tail", alpha=model.priors.tail_shape, beta=model.priors.tail_rate)
    half = (1 + tail) / 2
    return pm.InverseGamma("mixing", alpha=half, beta=half, dims="dataset")


def covariance(model: "Model", scale: Variable) -> Variable:
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


def _seen(model: "Model", centre: Variable) -> Variable:
    """Return (M, J) what the data sets' designs see of (1 or M, J) effects."""
    data = model.data
    if data.whole.all():
        return pt.broadcast_to(centre, data.z.shape)
    return (data.design * centre[:, None, :]).sum(axis=2)


def _total(model: "Model", sigma: Variable, mixing: Variable, noise: Variable) -> Variable:
    """Return (M, J, J) covariances of the contrasts' estimates."""
    data = model.data
    j = data.z.shape[1]
    between = sigma[None]
    if not data.whole.all():
        between = data.design @ between @ data.design.swapaxes(1, 2)
    # Contrasts that a data set does not identify have estimate 0, mean 0 and variance 1.
    held = np.arange(j) < data.rank[:, None]
    own = noise[:, None] * data.variance + np.where(held, 0.0, 1.0)
    return mixing[:, None, None] * between + own[:, :, None] * np.eye(j)
