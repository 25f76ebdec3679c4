"""Slopes of the average effects along covariates of the data sets.

    theta_m = beta + B' x_m + g_d(m) + w_m

with x centred and scaled. Given scales everything is normal: beta and B are drawn together, with w
and the domains' g integrated out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.bayes.domains import DomainEffects, draw_departures, draw_normal
from benchinfer.numerics.bayes.priors import Priors

type Array = NDArray[np.float64]


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
    priors: Priors,
    rng: np.random.Generator,
) -> tuple[Array, DomainEffects | None]:
    """Draw average effects and slopes together, and the domains' departures.

    Parameters
    ----------
    precision, shift
        (C, G, p, p, J, J) and (C, G, p, J), with p = 1 + q: what data sets of each of G domains say
        of the average effects and slopes, the interactions integrated out. G is 1 without domains.
    now
        Current departures of the domains, of which only the scale matters; None without them.
    priors, rng
        Priors and random numbers.

    Returns
    -------
    coefficients
        (C, p, J) average effects, and slopes.
    domains
        New departures.
    """
    c, g, p, j = shift.shape
    flat = precision.swapaxes(3, 4).reshape(c, g, p * j, p * j)
    linear = shift.reshape(c, g, p * j)
    sd = np.repeat([priors.effect_sd, *[priors.slope_sd] * (p - 1)], j)
    own, cross = flat[:, :, :j, :j], flat[:, :, :, :j]
    total, pulled = flat.sum(axis=1), linear.sum(axis=1)
    if now is not None:
        inner = own + now.scale[:, None, None, None] ** -2 * np.eye(j)
        total = total - (cross @ np.linalg.solve(inner, cross.swapaxes(2, 3))).sum(axis=1)
        held = np.linalg.solve(inner, linear[:, :, :j, None])
        pulled = pulled - (cross @ held)[..., 0].sum(axis=1)
    total = (total + total.swapaxes(1, 2)) / 2 + np.diag(sd**-2.0)
    found = draw_normal(total, pulled, rng.standard_normal(pulled.shape))
    domains = None
    if now is not None:
        rest = linear[:, :, :j] - (cross.swapaxes(2, 3) @ found[:, None, :, None])[..., 0]
        domains = draw_departures(own, rest, now, priors, rng)
    return found.reshape(c, p, j), domains
