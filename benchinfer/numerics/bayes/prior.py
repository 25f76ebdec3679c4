"""Draws of the priors of the hierarchical model, before any score is seen."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.bayes.covariance import draw_wishart
from benchinfer.numerics.bayes.gibbs import Model

type Array = NDArray[np.float64]


def draw_prior(model: Model, n: int, rng: np.random.Generator) -> dict[str, Array]:
    """Draw what a model takes its parameters to be, in units of ``ContrastData.scale``.

    Parameters
    ----------
    model
        Of which the priors and the number of algorithms count.
    n
        Number of draws.
    rng
        Random numbers.

    Returns
    -------
    dict
        (n, J) ``average`` contrasts, (n, q, J) ``slopes`` if there are any, (n, J, J)
        ``covariance`` if it is unstructured, and (n,) numbers by their names in `Draws`, with
        ``effective_scale`` for the root of the mean variance of the interactions.
    """
    priors, j = model.priors, model.data.n_algorithms - 1

    def half_t(scale: float) -> Array:
        return scale * np.abs(rng.standard_t(3, n))

    scale = half_t(priors.interaction_scale)
    found = {
        "average": priors.effect_sd * rng.standard_normal((n, j)),
        "scale": scale,
        "effective_scale": scale,
    }
    if model.structure == "unstructured":
        median = priors.shrinkage_median or j
        kappa = median * np.exp(priors.shrinkage_sd * rng.standard_normal(n))
        psi = (1 + kappa) * scale**2
        vectors, values = draw_wishart(np.zeros((n, j, j)), psi, j + 2 + kappa, rng)
        found |= {
            "shrinkage": kappa,
            "effective_scale": np.sqrt(values.mean(axis=1)),
            "covariance": (vectors * values[:, None, :]) @ vectors.swapaxes(1, 2),
        }
    if model.interactions == "t":
        found["df"] = 1 + rng.gamma(priors.tail_shape, 1 / priors.tail_rate, n)
    if model.data.noisy:
        found["residual_centre"] = priors.residual_sd * rng.standard_normal(n)
        found["residual_spread"] = half_t(priors.residual_spread)
    if model.domain is not None:
        found["domain_scale"] = half_t(priors.domain_scale)
    if model.covariates is not None:
        q = model.covariates.shape[1]
        found["slopes"] = priors.slope_sd * rng.standard_normal((n, q, j))
    return found
