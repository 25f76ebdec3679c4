"""Conditional draws of effects and interactions.

Given scales, ``z_m ~ N(X_m beta, lam_m X_m Sigma X_m' + sigma_m^2 D_m)``. On whole data sets, where
X is the identity and ``D = c I``, the eigenvectors of Sigma turn all data sets into independent
numbers at once; the others take one small system each.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.bayes.numerics.contrasts import ContrastData
from benchinfer.analyses.bayes.numerics.covariance import Covariance
from benchinfer.analyses.bayes.numerics.levels import (
    DomainEffects,
    Slopes,
    draw_coefficients,
    draw_levels,
    draw_normal,
)
from benchinfer.analyses.bayes.numerics.priors import Priors
from benchinfer.analyses.bayes.numerics.scales import draw_effect_sd

type Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class InteractionEffects:
    """Effects in C chains.

    Attributes
    ----------
    average
        (C, J) contrasts of the average effects: beta.
    effect_sd
        (C,) standard deviation of beta.
    interaction
        (C, M, J) departures of the data sets from them: w.
    domains
        Departures of the domains, None without them.
    slopes
        Slopes along covariates of the data sets, None without them.
    """

    average: Array
    effect_sd: Array
    interaction: Array
    domains: DomainEffects | None = None
    slopes: Slopes | None = None

    @property
    def centre(self) -> Array:
        """(C, M or 1, J) what the data sets' effects depart from."""
        centre = self.average[:, None, :]
        for part in (self.domains, self.slopes):
            if part is not None:
                centre = centre + part.of_datasets
        return centre

    @property
    def of_datasets(self) -> Array:
        """(C, M, J) effects on the data sets."""
        return self.centre + self.interaction


def draw_effects(
    data: ContrastData,
    sigma: Covariance,
    mixing: Array,
    noise: Array,
    now: InteractionEffects,
    priors: Priors,
    rng: np.random.Generator,
) -> InteractionEffects:
    """Draw average effects, slopes along covariates, departures of domains, and interactions.

    Parameters
    ----------
    data
        Contrasts of the data sets.
    sigma
        Covariance of the interactions.
    mixing, noise
        (C, M) mixing scales and residual variances.
    now
        Current effects, of which only their scales, domains and covariates matter.
    priors, rng
        Priors and random numbers.
    """
    seen, given = _Seen.of(data, sigma, mixing, noise), (now.effect_sd, sigma.scale, priors, rng)
    domains, slopes = now.domains, now.slopes
    if slopes is not None:
        member = np.ones((1, len(data.rank))) if domains is None else domains.member
        along = seen.along(slopes.design, member)
        found, domains, effect_sd = draw_coefficients(*along, domains, *given)
        average, slopes = found[:, 0], Slopes(found[:, 1:], slopes.values)
    elif domains is not None:
        average, domains, effect_sd = draw_levels(*seen.by_domain(domains.member), domains, *given)
    else:
        average, effect_sd = seen.average(*given)
    drawn = InteractionEffects(average, effect_sd, now.interaction, domains, slopes)
    return replace(drawn, interaction=seen.interactions(drawn.centre, rng))


def draw_interactions(
    data: ContrastData,
    sigma: Covariance,
    mixing: Array,
    noise: Array,
    centre: Array,
    rng: np.random.Generator,
) -> Array:
    """Draw (C, M, J) interactions given (C, M or 1, J) what they depart from."""
    return _Seen.of(data, sigma, mixing, noise).interactions(centre, rng)


def log_likelihood(
    data: ContrastData, sigma: Covariance, mixing: Array, noise: Array, centre: Array
) -> Array:
    """Return (C, M) log densities of the contrasts, the interactions integrated out.

    Parameters
    ----------
    data, sigma, mixing, noise
        As in `draw_effects`.
    centre
        (C, M or 1, J) what the data sets' effects depart from.
    """
    return _Seen.of(data, sigma, mixing, noise).log_density(centre)


@dataclass(frozen=True, slots=True)
class _Seen:
    """Likelihood of the effects on the data sets: whole data sets, and the others if any."""

    whole: NDArray[np.bool_]
    turn: Array
    turned: "_Turned"
    part: "_Part | None"

    @staticmethod
    def of(data: ContrastData, sigma: Covariance, mixing: Array, noise: Array) -> "_Seen":
        whole = data.whole
        turned = _Turned.of(data, sigma, mixing[:, whole], noise[:, whole])
        rest = None
        if not whole.all():
            rest = _Part.of(data, sigma, mixing[:, ~whole], noise[:, ~whole])
        return _Seen(whole, sigma.vectors, turned, rest)

    def average(
        self, effect_sd: Array, scale: Array, priors: Priors, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Draw (C, J) average effects and their scale, the interactions integrated out."""
        precision = (1 / self.turned.total).sum(axis=1)
        shift = (self.turned.z / self.turned.total).sum(axis=1)
        turn = self.turn
        if self.part is None:
            effect_sd = draw_effect_sd(effect_sd, scale, precision, shift, priors, rng)
            precision = precision + effect_sd[:, None] ** -2
            normal = rng.standard_normal(precision.shape)
            average = shift / precision + normal / np.sqrt(precision)
            return (turn @ average[..., None])[..., 0], effect_sd
        full = (turn * precision[:, None, :]) @ turn.swapaxes(1, 2)
        full += self.part.precision.sum(axis=1)
        shift = (turn @ shift[..., None])[..., 0] + self.part.shift.sum(axis=1)
        effect_sd = draw_effect_sd(effect_sd, scale, full, shift, priors, rng)
        full += effect_sd[:, None, None] ** -2 * np.eye(shift.shape[1])
        return draw_normal(full, shift, rng.standard_normal(shift.shape)), effect_sd

    def by_domain(self, member: Array) -> tuple[Array, Array]:
        """Return (C, G, J, J) precisions and (C, G, J) shifts of the domains' effects."""
        turned, own = self.turned, member[:, self.whole]
        turn = self.turn[:, None]
        precision = (turn * (own @ (1 / turned.total))[:, :, None, :]) @ turn.swapaxes(2, 3)
        shift = (own @ (turned.z / turned.total)) @ self.turn.swapaxes(1, 2)
        if self.part is not None:
            rest = member[:, ~self.whole]
            precision += np.einsum("gm,cmij->cgij", rest, self.part.precision)
            shift += rest @ self.part.shift
        return precision, shift

    def along(self, x: Array, member: Array) -> tuple[Array, Array]:
        """Return (C, G, p, p, J, J) precisions and (C, G, p, J) shifts of coefficients of x."""
        g, p, j = len(member), x.shape[1], self.turn.shape[1]
        linear = member[:, None, :] * x.T
        square = linear[:, :, None, :] * x.T
        whole, turned = self.whole, self.turned
        c = len(turned.total)
        weight = (square[..., whole].reshape(g * p * p, -1) @ (1 / turned.total))[..., None, :]
        turn = self.turn[:, None]
        precision = ((turn * weight) @ turn.swapaxes(2, 3)).reshape(c, g, p, p, j, j)
        shift = linear[..., whole].reshape(g * p, -1) @ (turned.z / turned.total)
        shift = (shift @ self.turn.swapaxes(1, 2)).reshape(c, g, p, j)
        if self.part is not None:
            precision += np.einsum("gabm,cmij->cgabij", square[..., ~whole], self.part.precision)
            shift += np.einsum("gam,cmj->cgaj", linear[..., ~whole], self.part.shift)
        return precision, shift

    def interactions(self, centre: Array, rng: np.random.Generator) -> Array:
        """Draw (C, M, J) interactions given what they depart from."""
        back = self.turn.swapaxes(1, 2)
        if self.part is None:
            return self.turned.interactions(centre @ self.turn, rng) @ back
        c, _, j = centre.shape
        found = np.empty((c, len(self.whole), j))
        centre = np.broadcast_to(centre, found.shape)
        found[:, self.whole] = (
            self.turned.interactions(centre[:, self.whole] @ self.turn, rng) @ back
        )
        found[:, ~self.whole] = self.part.interactions(centre[:, ~self.whole], rng)
        return found

    def log_density(self, centre: Array) -> Array:
        """Return (C, M) log densities of the contrasts."""
        if self.part is None:
            return self.turned.log_density(centre @ self.turn)
        shape = (len(centre), len(self.whole))
        found = np.empty(shape)
        centre = np.broadcast_to(centre, (*shape, centre.shape[2]))
        found[:, self.whole] = self.turned.log_density(centre[:, self.whole] @ self.turn)
        found[:, ~self.whole] = self.part.log_density(centre[:, ~self.whole])
        return found


@dataclass(frozen=True, slots=True)
class _Turned:
    """Whole data sets along the eigenvectors of Sigma; (C, M, J) arrays."""

    z: Array
    between: Array
    noise: Array
    total: Array

    @staticmethod
    def of(data: ContrastData, sigma: Covariance, mixing: Array, noise: Array) -> "_Turned":
        between = mixing[:, :, None] * sigma.values[:, None, :]
        error = (noise * data.variance[data.whole, 0])[:, :, None]
        return _Turned(data.z[..., data.whole, :] @ sigma.vectors, between, error, between + error)

    def interactions(self, centre: Array, rng: np.random.Generator) -> Array:
        share = self.between / self.total
        spread = np.sqrt(share * self.noise)
        return share * (self.z - centre) + spread * rng.standard_normal(share.shape)

    def log_density(self, centre: Array) -> Array:
        core = (self.z - centre) ** 2 / self.total + np.log(2 * np.pi * self.total)
        return -core.sum(axis=2) / 2


@dataclass(frozen=True, slots=True)
class _Part:
    """Data sets with contrasts of their own: systems of (C, M, J, J)."""

    z: Array
    design: Array
    rank: NDArray[np.int64]
    root: Array
    length: Array
    mixed: Array
    solved: Array
    total: Array
    noise_sd: Array
    precision: Array
    shift: Array

    @staticmethod
    def of(data: ContrastData, sigma: Covariance, mixing: Array, noise: Array) -> "_Part":
        rest = ~data.whole
        x, z, j = data.design[rest], data.z[..., rest, :], data.z.shape[-1]
        held = np.arange(j) < data.rank[rest, None]
        root = sigma.vectors * np.sqrt(sigma.values)[:, None, :]
        length = np.sqrt(mixing)[:, :, None]
        mixed = length[..., None] * (x @ root[:, None])
        noise_variance = noise[:, :, None] * data.variance[rest]
        total = mixed @ mixed.swapaxes(2, 3)
        # Contrasts that a data set does not identify get a system of their own, which is unit.
        total[:, :, np.arange(j), np.arange(j)] += np.where(held, noise_variance, 1.0)
        solved = np.linalg.solve(total, np.broadcast_to(x, total.shape))
        return _Part(
            z=z,
            design=x,
            rank=data.rank[rest],
            root=root,
            length=length,
            mixed=mixed,
            solved=solved,
            total=total,
            noise_sd=np.sqrt(noise_variance),
            precision=x.swapaxes(1, 2) @ solved,
            shift=(z[..., None, :] @ solved)[..., 0, :],
        )

    def interactions(self, centre: Array, rng: np.random.Generator) -> Array:
        """Draw by correcting a draw that has not seen the scores (Matheron's rule)."""
        c, m, j = self.noise_sd.shape
        normal = rng.standard_normal((c, m, j))
        seen = (self.mixed @ normal[..., None])[..., 0]
        seen += self.noise_sd * rng.standard_normal((c, m, j))
        missed = self.z - _seen(self.design, centre) - seen
        weight = np.linalg.solve(self.total, missed[..., None])
        correction = (self.mixed.swapaxes(2, 3) @ weight)[..., 0]
        return self.length * ((normal + correction) @ self.root.swapaxes(1, 2))

    def log_density(self, centre: Array) -> Array:
        missed = self.z - _seen(self.design, centre)
        square = (missed * np.linalg.solve(self.total, missed[..., None])[..., 0]).sum(axis=2)
        size = np.linalg.slogdet(self.total).logabsdet + self.rank * np.log(2 * np.pi)
        return -(square + size) / 2


def _seen(design: Array, effects: Array) -> Array:
    """Return (C, M, J) what (M, J, J) designs see of (C, M, J) effects."""
    return (design @ effects[..., None])[..., 0]
