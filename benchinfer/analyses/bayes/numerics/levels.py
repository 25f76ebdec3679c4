"""Conditional draws of domain levels and slopes.

theta_m = beta + g_d(m) + w_m,  g_d ~ N(0, s_g^2 I)

Given scales everything is normal: beta is drawn with g and w integrated out, then g with w
integrated out. Few domains tie g and s_g closely, so that s_g is drawn twice, given g and given
``g / s_g`` (interweaving).

theta_m = beta + B' x_m + g_d(m) + w_m

with x centred and scaled. Given scales everything is normal: beta and B are drawn together, with w
and the domains' g integrated out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.scales import draw_effect_sd
from benchinfer.analyses.bayes.numerics.slices import Quantity, rows, slice_step

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
    """Transform (..., J) standard normal variables to normal ones.

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
    precision: Array,
    shift: Array,
    now: DomainEffects,
    effect_sd: Array,
    scale: Array,
    priors: Priors,
    rng: np.random.Generator,
) -> tuple[Array, DomainEffects, Array]:
    """Draw average effects, the domains' departures and their scale.

    Parameters
    ----------
    precision, shift
        (C, G, J, J) and (C, G, J): what data sets say of the effects of their domain is
        ``exp(-x' precision x / 2 + shift' x)``, the interactions integrated out.
    now
        Current departures, of which only the scale matters.
    effect_sd, scale
        (C,) current standard deviations of the average effects, and scales of the interactions.
    priors, rng
        Priors and random numbers.

    Returns
    -------
    average
        (C, J) average effects.
    domains
        New departures.
    effect_sd
        (C,) new standard deviations of the average effects.

    References
    ----------
    Yu, Y. & Meng, X.-L. (2011). To center or not to center: that is not the question. Journal of
    Computational and Graphical Statistics 20, 531-570. https://doi.org/10.1198/jcgs.2011.203main
    """
    eye = np.eye(shift.shape[2])
    inner = now.scale[:, None, None, None] ** -2 * eye
    # (P^-1 + s^2 I)^-1 = s^-2 I - s^-4 (P + s^-2 I)^-1, also where P is singular.
    weight = np.linalg.solve(precision + inner, precision) @ inner
    pulled = (np.linalg.solve(precision + inner, inner) @ shift[..., None])[..., 0]
    total = weight.sum(axis=1)
    total, pulled = (total + total.swapaxes(1, 2)) / 2, pulled.sum(axis=1)
    effect_sd = draw_effect_sd(effect_sd, scale, total, pulled, priors, rng)
    total = total + effect_sd[:, None, None] ** -2 * eye
    average = draw_normal(total, pulled, rng.standard_normal(pulled.shape))
    rest = shift - (precision @ average[:, None, :, None])[..., 0]
    return average, draw_departures(precision, rest, now, priors, rng), effect_sd


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
    given = rows(n, square, priors.domain_scale)
    return np.exp(slice_step(Quantity.DOMAIN, np.log(scale), given, _WIDTH, rng))


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
    given = rows(linear, square, priors.domain_scale)
    return np.exp(slice_step(Quantity.DOMAIN_UNIT, np.log(scale), given, _WIDTH, rng))


@dataclass(frozen=True, slots=True)
class Slopes:
    """Slopes along q covariates in C chains.

    Attributes
    ----------
    coefficients
        (C, q, J) what a unit of a scaled covariate adds to the contrasts of the effects: B.
    values
        (M, q) the covariates of the data sets, centred and scaled.
    """

    coefficients: Array
    values: Array

    @property
    def of_datasets(self) -> Array:
        """(C, M, J) what the covariates add to the effects on each data set."""
        return self.values @ self.coefficients

    @property
    def design(self) -> Array:
        """(M, 1 + q) one, and the covariates."""
        return np.column_stack([np.ones(len(self.values)), self.values])


def draw_coefficients(
    precision: Array,
    shift: Array,
    now: DomainEffects | None,
    effect_sd: Array,
    scale: Array,
    priors: Priors,
    rng: np.random.Generator,
) -> tuple[Array, DomainEffects | None, Array]:
    """Draw average effects and slopes together, and the domains' departures.

    Parameters
    ----------
    precision, shift
        (C, G, p, p, J, J) and (C, G, p, J), with p = 1 + q: what data sets of each of G domains say
        of the average effects and slopes, the interactions integrated out. G is 1 without domains.
    now
        Current departures of the domains, of which only the scale matters; None without them.
    effect_sd, scale
        As in `draw_levels`.
    priors, rng
        Priors and random numbers.

    Returns
    -------
    coefficients
        (C, p, J) average effects, and slopes.
    domains
        New departures.
    effect_sd
        (C,) new standard deviations of the average effects.
    """
    c, g, p, j = shift.shape
    flat = precision.swapaxes(3, 4).reshape(c, g, p * j, p * j)
    linear = shift.reshape(c, g, p * j)
    block, cross = flat[:, :, :j, :j], flat[:, :, :, :j]
    total, pulled = flat.sum(axis=1), linear.sum(axis=1)
    if now is not None:
        inner = block + now.scale[:, None, None, None] ** -2 * np.eye(j)
        total = total - (cross @ np.linalg.solve(inner, cross.swapaxes(2, 3))).sum(axis=1)
        held = np.linalg.solve(inner, linear[:, :, :j, None])
        pulled = pulled - (cross @ held)[..., 0].sum(axis=1)
    total = (total + total.swapaxes(1, 2)) / 2
    total += np.diag(np.repeat([0.0, *[priors.slope_sd**-2] * (p - 1)], j))
    seen = _without_slopes(total, pulled, j)
    effect_sd = draw_effect_sd(effect_sd, scale, *seen, priors, rng)
    total[:, range(j), range(j)] += effect_sd[:, None] ** -2
    found = draw_normal(total, pulled, rng.standard_normal(pulled.shape))
    domains = None
    if now is not None:
        rest = linear[:, :, :j] - (cross.swapaxes(2, 3) @ found[:, None, :, None])[..., 0]
        domains = draw_departures(block, rest, now, priors, rng)
    return found.reshape(c, p, j), domains, effect_sd


def _without_slopes(total: Array, shift: Array, j: int) -> tuple[Array, Array]:
    """Return precision and shift of the J average effects, the slopes integrated out."""
    cross = total[:, :j, j:]
    gain = np.linalg.solve(total[:, j:, j:], cross.swapaxes(1, 2)).swapaxes(1, 2)
    precision = total[:, :j, :j] - gain @ cross.swapaxes(1, 2)
    rest = shift[:, :j] - (gain @ shift[:, j:, None])[..., 0]
    return (precision + precision.swapaxes(1, 2)) / 2, rest
