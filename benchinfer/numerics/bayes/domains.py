"""A level of domains: data sets depart from their domain's effects, and these from the average.

    theta_m = beta + g_d(m) + w_m,  g_d ~ N(0, s_g^2 I)

Given scales everything is normal: beta is drawn with g and w integrated out, then g with w
integrated out. Few domains tie g and s_g closely, so that s_g is drawn twice, given g and given
``g / s_g`` (interweaving).

References
----------
Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question. Journal of
Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.bayes.priors import Priors
from benchinfer.numerics.bayes.residual_scales import log_half_t
from benchinfer.numerics.bayes.slices import slice_step

type Array = NDArray[np.float64]

_WIDTH = 1.5


@dataclass(frozen=True, slots=True)
class DomainEffects:
    """Departures of G domains in C chains.

    Attributes
    ----------
    effects
        (C, G, J) departures of the domains' effects from the average ones: g.
    scale
        (C,) their standard deviation: s_g.
    code
        (M,) domain of each data set.
    """

    effects: Array
    scale: Array
    code: NDArray[np.int64]

    @property
    def of_datasets(self) -> Array:
        """(C, M, J) departure of each data set's domain."""
        return self.effects[:, self.code]

    @property
    def member(self) -> Array:
        """(G, M) 1 where a data set is in a domain."""
        return np.eye(self.effects.shape[1])[:, self.code]


def draw_normal(precision: Array, shift: Array, normal: Array) -> Array:
    """Turn (..., J) standard normal variables into normal ones.

    Parameters
    ----------
    precision
        (..., J, J) inverse covariances.
    shift
        (..., J) precisions times means.
    normal
        Standard normal variables.
    """
    lower = np.linalg.cholesky(precision)
    white = np.linalg.solve(lower, shift[..., None]) + normal[..., None]
    return np.linalg.solve(lower.swapaxes(-1, -2), white)[..., 0]


def draw_levels(
    precision: Array, shift: Array, now: DomainEffects, priors: Priors, rng: np.random.Generator
) -> tuple[Array, DomainEffects]:
    """Draw average effects, the domains' departures and their scale.

    Parameters
    ----------
    precision, shift
        (C, G, J, J) and (C, G, J): what data sets say of the effects of their domain is
        ``exp(-x' precision x / 2 + shift' x)``, the interactions integrated out.
    now
        Current departures, of which only the scale matters.
    priors, rng
        Priors and random numbers.

    Returns
    -------
    average
        (C, J) average effects.
    domains
        New departures.
    """
    eye = np.eye(shift.shape[2])
    inner = now.scale[:, None, None, None] ** -2 * eye
    # (P^-1 + s^2 I)^-1 = s^-2 I - s^-4 (P + s^-2 I)^-1, also where P is singular.
    weight = np.linalg.solve(precision + inner, precision) @ inner
    pulled = (np.linalg.solve(precision + inner, inner) @ shift[..., None])[..., 0]
    total = weight.sum(axis=1)
    total = (total + total.swapaxes(1, 2)) / 2 + priors.effect_sd**-2 * eye
    average = draw_normal(total, pulled.sum(axis=1), rng.standard_normal(pulled[:, 0].shape))
    rest = shift - (precision @ average[:, None, :, None])[..., 0]
    return average, draw_departures(precision, rest, now, priors, rng)


def draw_departures(
    precision: Array, rest: Array, now: DomainEffects, priors: Priors, rng: np.random.Generator
) -> DomainEffects:
    """Draw the domains' departures and their scale, given what they depart from.

    Parameters
    ----------
    precision, rest
        As in `draw_levels`, the shift less what the average explains of it.
    now
        Current departures, of which only the scale matters.
    priors, rng
        Priors and random numbers.
    """
    inner = now.scale[:, None, None, None] ** -2 * np.eye(rest.shape[2])
    effects = draw_normal(precision + inner, rest, rng.standard_normal(rest.shape))
    scale = _given_effects(now.scale, effects, priors, rng)
    unit = effects / scale[:, None, None]
    scale = _given_unit(scale, unit, precision, rest, priors, rng)
    return DomainEffects(scale[:, None, None] * unit, scale, now.code)


def _given_effects(scale: Array, effects: Array, priors: Priors, rng: np.random.Generator) -> Array:
    """Draw the scale given the domains' departures."""
    n, square = effects[0].size, (effects**2).sum(axis=(1, 2))

    def density(u: Array) -> Array:
        return -n * u - square * np.exp(-2 * u) / 2 + log_half_t(u, priors.domain_scale)

    return np.exp(slice_step(np.log(scale), density, _WIDTH, rng))


def _given_unit(
    scale: Array,
    unit: Array,
    precision: Array,
    rest: Array,
    priors: Priors,
    rng: np.random.Generator,
) -> Array:
    """Draw the scale given the departures over it."""
    linear = (unit * rest).sum(axis=(1, 2))
    square = (unit * (precision @ unit[..., None])[..., 0]).sum(axis=(1, 2))

    def density(u: Array) -> Array:
        s = np.exp(u)
        return s * linear - s**2 * square / 2 + log_half_t(u, priors.domain_scale)

    return np.exp(slice_step(np.log(scale), density, _WIDTH, rng))
