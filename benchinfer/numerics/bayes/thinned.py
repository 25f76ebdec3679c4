"""Some of the draws of what data sets share: enough to check a model by, and few enough to keep."""

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from benchinfer.numerics.bayes.integrated import Shared
from benchinfer.numerics.bayes.residual_scales import log_half_t
from benchinfer.saving import savable

if TYPE_CHECKING:
    from benchinfer.numerics.bayes.gibbs import Draws, Model
    from benchinfer.numerics.bayes.priors import Priors

type Array = NDArray[np.float64]

MOST = 1000


@savable
@dataclass(frozen=True, slots=True)
class Thinned:
    """Draws of C chains, T of each, in units of ``ContrastData.scale``; see `Draws`.

    Attributes
    ----------
    average, covariance, scale, shrinkage, df, residual_centre, residual_spread
        As in `Draws`.
    domain, domain_scale, slopes
        As in `Draws`.
    step
        Every how many draws there is one.
    """

    average: Array
    covariance: Array | None
    scale: Array
    shrinkage: Array | None
    df: Array | None
    residual_centre: Array | None
    residual_spread: Array | None
    domain: Array | None
    domain_scale: Array | None
    slopes: Array | None
    step: int

    @classmethod
    def of(cls, draws: "Draws", most: int = MOST) -> "Thinned":
        """Keep at most so many draws, evenly spaced."""
        chains, n = draws.scale.shape
        step = max(-(-chains * n // most), 1)
        parts: dict[str, Array | None] = {}
        for part in fields(cls):
            if part.name != "step":
                x: Array | None = getattr(draws, part.name)
                parts[part.name] = None if x is None else x[:, ::step].copy()
        return cls(**parts, step=step)  # pyright: ignore[reportArgumentType]

    @property
    def flat(self) -> "Thinned":
        """The draws of all chains as those of one."""
        parts: dict[str, Array] = {
            part.name: x.reshape(1, -1, *x.shape[2:])
            for part in fields(self)
            if isinstance(x := getattr(self, part.name), np.ndarray)
        }
        return replace(self, **parts)

    def shared(
        self,
        domain: NDArray[np.int64] | None,
        rng: np.random.Generator,
        covariates: Array | None = None,
    ) -> Shared:
        """Return what data sets share, with the effects that they depart from.

        Parameters
        ----------
        domain
            (M,) domain of each data set; -1 for one that has not been seen, whose effects are
            drawn; None where the model has none.
        rng
            Random numbers.
        covariates
            (M, q) scaled covariates of the data sets, None where the model has none.
        """
        flat = self.flat
        average = flat.average[0]
        n, j = average.shape
        centre = average[:, None, :]
        if flat.domain is not None and flat.domain_scale is not None and domain is not None:
            new = flat.domain_scale[0][:, None, None] * rng.standard_normal((n, 1, j))
            # The last is what -1 points to.
            centre = centre + np.concatenate([flat.domain[0], new], axis=1)[:, domain]
        if flat.slopes is not None and covariates is not None:
            centre = centre + covariates @ flat.slopes[0]
        covariance = flat.covariance
        one = flat.scale[0][:, None, None] ** 2 * np.eye(j)

        def first(x: Array | None) -> Array | None:
            return None if x is None else x[0]

        return Shared(
            centre=centre,
            covariance=one if covariance is None else covariance[0],
            df=first(flat.df),
            residual_centre=first(flat.residual_centre),
            residual_spread=first(flat.residual_spread),
        )


def log_priors(model: "Model", draws: Thinned) -> dict[str, Array]:
    """Return (C, T) log prior densities, by names of `Draws`, without constants.

    Parameters
    ----------
    model
        What was sampled.
    draws
        Draws.

    Returns
    -------
    dict
        Of parameters that have priors of their own; of Sigma and the domains' effects, which are
        drawn from others, none.
    """
    priors, j = model.priors, model.data.n_algorithms - 1
    found = {
        "average": -((draws.average / priors.effect_sd) ** 2).sum(axis=2) / 2,
        "scale": _half_t(draws.scale, priors.interaction_scale),
    }
    if draws.shrinkage is not None:
        log = np.log(draws.shrinkage)
        unit = (log - np.log(priors.shrinkage_median or j)) / priors.shrinkage_sd
        found["shrinkage"] = -(unit**2) / 2 - log
    if draws.df is not None:
        found["df"] = _gamma(draws.df - 1, priors)
    if draws.residual_centre is not None and draws.residual_spread is not None:
        found["residual_centre"] = -((draws.residual_centre / priors.residual_sd) ** 2) / 2
        found["residual_spread"] = _half_t(draws.residual_spread, priors.residual_spread)
    if draws.slopes is not None:
        found["slopes"] = -((draws.slopes / priors.slope_sd) ** 2).sum(axis=(2, 3)) / 2
    if draws.domain_scale is not None:
        found["domain_scale"] = _half_t(draws.domain_scale, priors.domain_scale)
    return found


def _half_t(x: Array, scale: float) -> Array:
    return log_half_t(np.log(x), scale) - np.log(x)


def _gamma(x: Array, priors: "Priors") -> Array:
    shape, rate = priors.tail_shape, priors.tail_rate
    return (shape - 1) * np.log(x) - rate * x - gammaln(shape) + shape * np.log(rate)
