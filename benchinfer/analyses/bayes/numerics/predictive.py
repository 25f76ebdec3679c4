"""Predictive densities of data sets.

Given the parameters that data sets share, data set m says through its contrasts and residuals

    p(z_m, RSS_m) = int int N(z_m | X_m c_m, lam X_m Sigma X_m' + sigma^2 D_m)
                    p(RSS_m | sigma) p(lam) p(sigma) dlam dsigma:

what a model that has not seen the data set predicts of it. Turned to the eigenvectors of
``X Sigma X'`` in the metric of D the contrasts are independent given lam and sigma, and the
integral over the logarithms of both is a sum over a grid (trapezoidal rule) that is laid where the
integrand is.

References
----------
Trefethen, L. N. & Weideman, J. A. C. (2014). The exponentially convergent trapezoidal rule. SIAM
Review 56, 385-458. https://doi.org/10.1137/130932132

Gelman, A., Meng, X.-L. & Stern, H. (1996). Posterior predictive assessment of model fitness via
realized discrepancies. Statistica Sinica 6, 733-807.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from benchinfer.analyses.bayes.numerics.contrasts import ContrastData, helmert
from benchinfer.analyses.bayes.numerics.covariance import draw_covariances
from benchinfer.analyses.bayes.numerics.gibbs import GibbsModel
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes, Flags

if TYPE_CHECKING:
    from benchinfer.analyses.bayes.numerics.gibbs import GibbsDraws


_DEEP = 15.0  # what is so much below the top, in logarithms, does not count
_CUT = 8.0  # but at the edge of a grid so much may be cut off at most
_AT_ONCE = 150_000  # numbers in an array
_FACTORS = 4
_STEPS = 12  # of Newton's method


@dataclass(frozen=True, slots=True)
class _Places:
    """Sizes of the grids: that of the search for the integrand and that of the sum."""

    scan_mixing: int
    scan_noise: int
    mixing: int
    noise: int


_QUICK, _CAREFUL = _Places(32, 20, 20, 14), _Places(64, 64, 48, 48)
_NORMAL = _Places(1, 48, 1, 48)


@dataclass(frozen=True, slots=True)
class Shared:
    """Draws of the parameters that data sets share, in units of ``ContrastData.scale``; N draws."""

    centre: Array  # (N, M or 1, J) contrasts of the effects that those of data sets depart from
    covariance: Array  # (N, J, J) covariance of the interactions
    df: Array | None  # (N,) degrees of freedom, None for normal interactions
    # residual_centre, residual_spread: (N,) mean and standard deviation of the logs of residual
    # scales over the pooled one; None without residuals
    residual_centre: Array | None
    residual_spread: Array | None

    def __len__(self) -> int:
        """Return the number of draws."""
        return len(self.centre)

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> Shared:
        """Return some of the draws."""
        values = (getattr(self, field.name) for field in fields(self))
        parts: list[Any] = [None if x is None else x[rows] for x in values]
        return Shared(*parts)


def log_marginals(data: ContrastData, shared: Shared) -> tuple[Array, Array]:
    """Return log densities of each data set, its own interactions and scales integrated out.

    Parameters
    ----------
    data
        Contrasts of M data sets.
    shared
        N draws of what data sets share.

    Returns
    -------
    both
        (N, M) log densities of contrasts and residuals.
    residuals
        (N, M) those of the residuals alone; 0 where there are none.
    """
    m, j = data.z.shape
    size = _QUICK.mixing * _QUICK.noise if shared.df is not None else _NORMAL.noise
    step = max(_AT_ONCE // (m * max(size, j)), 1)
    densities = [_chunk(data, shared[i : i + step]) for i in range(0, len(shared), step)]
    both, residuals = (np.concatenate(parts) for parts in zip(*densities, strict=True))
    return both, residuals


def _chunk(data: ContrastData, shared: Shared) -> tuple[Array, Array]:
    squares, values = turned(data, shared)
    shape, j, rank = squares.shape[:2], squares.shape[2], data.rank
    held = np.arange(j) >= j - rank[:, None]
    if shared.residual_centre is None or shared.residual_spread is None:
        both = _without_noise(squares, values, held, shared.df)
        return both - rank / 2 * np.log(2 * np.pi), np.zeros_like(both)
    pooled = float(np.exp(2 * data.log_sd))
    seen = data.df > 0
    df, rss = np.where(seen, data.df, 2.0), np.where(seen, data.rss, 2.0)
    constant = (df / 2 - 1) * np.log(rss / 2) - gammaln(df / 2) - np.log(2)
    constant = np.where(seen, constant - df / 2 * np.log(pooled), 0.0)
    log_d = np.log(data.variance, out=np.zeros_like(data.variance), where=data.variance > 0)
    of_contrasts = -(log_d.sum(axis=1) + rank * np.log(2 * np.pi * pooled)) / 2

    def each(x: Array) -> Array:
        return np.broadcast_to(x, shape).ravel()

    integrand = _Integrand(
        squares=np.where(held, squares, 0.0).reshape(-1, j) / pooled,
        values=values.reshape(-1, j) / pooled,
        held=np.broadcast_to(held, squares.shape).reshape(-1, j),
        rss=each(np.where(seen, data.rss, 0.0) / pooled),
        n=each(data.df),
        nu=None if shared.df is None else each(shared.df[:, None]),
        centre=each(shared.residual_centre[:, None]),
        spread=each(shared.residual_spread[:, None]),
    )
    both, residuals = (
        part.reshape(shape) + constant for part in (integrand.both(), integrand.residuals())
    )
    return both + of_contrasts, residuals


def turned(data: ContrastData, shared: Shared) -> tuple[Array, Array]:
    """Rotate contrasts so that they are independent given the scales.

    Returns
    -------
    squares, values
        (N, M, J): of contrast j what is observed less what is expected, squared, and the variance
        of the interactions, both in units of the variance by residuals (of 1, without residuals);
        the last ``rank`` count.
    """
    n, (m, j) = len(shared), data.z.shape
    noisy = shared.residual_centre is not None
    d = np.where(data.variance > 0, data.variance, 1.0) if noisy else np.ones((m, j))
    centre = np.broadcast_to(shared.centre, (n, m, j))
    squares, values = np.empty((n, m, j)), np.empty((n, m, j))
    balanced = data.balanced
    if balanced.any():
        roots, vectors = np.linalg.eigh(shared.covariance)
        missed = (data.z[balanced] - centre[:, balanced]) @ vectors
        squares[:, balanced] = missed**2 / d[balanced]
        values[:, balanced] = roots[:, None, :] / d[balanced]
    if not balanced.all():
        rest = ~balanced
        x = data.design[rest] / np.sqrt(d[rest])[:, :, None]
        between = x @ shared.covariance[:, None] @ x.swapaxes(1, 2)
        # Contrasts that a data set does not identify come first.
        empty = np.arange(j) >= data.rank[rest, None]
        between[:, :, np.arange(j), np.arange(j)] -= empty
        values[:, rest], vectors = np.linalg.eigh(between)
        missed = data.z[rest] / np.sqrt(d[rest]) - (x @ centre[:, rest, :, None])[..., 0]
        squares[:, rest] = (missed[:, :, None, :] @ vectors)[:, :, 0] ** 2
    return squares, np.maximum(values, 0.0)


def _without_noise(squares: Array, values: Array, held: Flags, nu: Array | None) -> Array:
    """Return log densities of contrasts without residuals: t or normal, without 2 pi."""
    values = np.where(held, values, 1.0)
    length = (np.where(held, squares, 0.0) / values).sum(axis=2)
    size = np.log(values).sum(axis=2) / 2
    if nu is None:
        return -length / 2 - size
    nu, rank = nu[:, None], held.sum(axis=1)
    constant = gammaln((nu + rank) / 2) - gammaln(nu / 2) - rank / 2 * np.log(nu / 2)
    return constant - size - (nu + rank) / 2 * np.log1p(length / nu)


@dataclass(frozen=True, slots=True)
class _Integrand:
    """The integrands of data sets' own scales: P of them, in units of the pooled variance.

    x is the log of the residual scale, u that of the mixing scale; n and rss are the degrees of
    freedom and the sum of squares of the residuals.
    """

    squares: Array
    values: Array
    held: Flags
    rss: Array
    n: Array
    nu: Array | None
    centre: Array
    spread: Array

    @property
    def rank(self) -> Codes:
        """(P,) number of contrasts."""
        return self.held.sum(axis=1)

    def residuals(self) -> Array:
        """Return (P,) logs of the integrated density of the residuals."""
        top, sd = self._top(self.n, self.rss)
        x, step = _grid(top - 8 * sd, top + 8 * sd, _NORMAL.noise)
        return np.where(self.n > 0, _sum(self._of_noise(x), step), 0.0)

    def both(self) -> Array:
        """Return (P,) logs of the integrated density of contrasts and residuals."""
        low, sd = self._top(self.n, self.rss)
        high, _ = self._top(self.n + self.rank, self.rss + self.squares.sum(axis=1))
        room = np.minimum(low, high) - 8 * sd, np.maximum(low, high) + 8 * sd
        if self.nu is None:
            nothing = np.zeros((1, *low.shape))
            x = self._noise_places(nothing[0], room, _NORMAL)
            return self._summed((nothing, np.ones_like(low)), x)[0]
        scan, _ = _grid(*self._mixing_range(low), _QUICK.scan_mixing)
        seen = self._of_contrasts(scan, low[None]) + self._of_mixing(scan)
        best = np.take_along_axis(scan, seen.argmax(axis=0)[None], axis=0)[0]
        u = _grid(*_window(scan, seen), _QUICK.mixing)
        total, cut = self._summed(u, self._noise_places(best, room, _QUICK))
        if len(again := np.flatnonzero(cut)):
            parts = {field.name: getattr(self, field.name) for field in fields(self)}
            some = replace(self, **{n: x[again] for n, x in parts.items() if x is not None})
            total[again] = some.carefully((room[0][again], room[1][again]))
        return total

    def carefully(self, room: tuple[Array, Array]) -> Array:
        """Integrate over x in (P,) bounds where contrasts and residuals favour different values."""
        x, _ = _grid(*room, _CAREFUL.scan_noise)
        u, _ = _grid(*self._mixing_range(x[0]), _CAREFUL.scan_mixing)
        seen = self._of_all(u, x)
        u = _grid(*_window(u, seen.max(axis=1)), _CAREFUL.mixing)
        return self._summed(u, _grid(*_window(x, seen.max(axis=0)), _CAREFUL.noise))[0]

    def _noise_places(
        self, u: Array, room: tuple[Array, Array], places: _Places
    ) -> tuple[Array, Array]:
        """Return the grid of x on which the integrand is not negligible, given u, and its step."""
        scan, _ = _grid(*room, places.scan_noise)
        seen = self._of_contrasts(u[None], scan) + self._of_noise(scan)
        return _grid(*_window(scan, seen), places.noise)

    def _of_all(self, u: Array, x: Array) -> Array:
        """Return (U, X, P) log integrands on grids of (U, P) and (X, P)."""
        seen = self._of_contrasts(u[:, None], x[None])
        seen += self._of_noise(x)
        if self.nu is not None:
            seen += self._of_mixing(u)[:, None]
        return seen

    def _summed(self, u: tuple[Array, Array], x: tuple[Array, Array]) -> tuple[Array, Flags]:
        """Return (P,) logs of integrals, and whether a grid cuts off some of one."""
        seen = self._of_all(u[0], x[0])
        edges = [seen[:, 0], seen[:, -1]] + ([seen[0], seen[-1]] if self.nu is not None else [])
        edge = np.max([part.max(axis=0) for part in edges], axis=0)
        flat = seen.reshape(-1, seen.shape[2])
        return _sum(flat, u[1] * x[1]), edge > flat.max(axis=0) - _CUT

    def _top(self, n: Array, square: Array) -> tuple[Array, Array]:
        """Return mode and standard deviation of x, given n numbers and their sum of squares."""
        weight = self.spread**-2
        with np.errstate(divide="ignore"):
            guess = np.where(n > 0, np.log(square / np.maximum(n, 1)) / 2, self.centre)
        x = (2 * n * guess + weight * self.centre) / (2 * n + weight)
        for _ in range(_STEPS):
            pull = square * np.exp(-2 * x)
            slope = pull - n - (x - self.centre) * weight
            x = x + np.clip(slope / (2 * pull + weight), -1.0, 1.0)
        return x, 1 / np.sqrt(2 * square * np.exp(-2 * x) + weight)

    def _mixing_range(self, x: Array) -> tuple[Array, Array]:
        """Return bounds of u beyond which the integrand is negligible."""
        if self.nu is None:
            raise ValueError("normal interactions have no mixing scales.")
        nu, rank = self.nu, self.rank
        length = (self.squares / (self.values + np.exp(2 * x)[:, None])).sum(axis=1)
        deep = 2 * _DEEP / (nu + rank)
        low = np.log(nu / (nu + rank)) - np.log1p(deep + np.sqrt(2 * deep))
        deep = 2 * _DEEP / nu
        high = np.log(np.maximum((nu + length) / (nu + rank), 1.0)) + deep + np.sqrt(2 * deep)
        return low, high

    def _of_contrasts(self, u: Array, x: Array) -> Array:
        """Return log densities of the contrasts, without constants, on grids."""
        mixing, noise = np.exp(u), np.exp(2 * x)
        shape = np.broadcast_shapes(u.shape, x.shape)
        densities, total, product = np.zeros(shape), np.empty(shape), np.ones(shape)
        for j in range(self.squares.shape[1]):
            np.multiply(mixing, self.values[:, j], out=total)
            total += noise
            if not self.held[:, j].all():
                total[..., ~self.held[:, j]] = 1.0
            # Logarithms take longest: one of some factors at once, which are far from overflow.
            product *= total
            if j % _FACTORS == _FACTORS - 1:
                densities -= np.log(product, out=product)
                product[:] = 1.0
            densities -= np.divide(self.squares[:, j], total, out=total)
        densities -= np.log(product, out=product)
        densities /= 2
        return densities

    def _of_noise(self, x: Array) -> Array:
        """Return the log density of x by the residuals and the distribution of residual scales."""
        unit = (x - self.centre) / self.spread
        normal = -(unit**2) / 2 - np.log(self.spread) - np.log(2 * np.pi) / 2
        return normal - self.n * x - self.rss * np.exp(-2 * x) / 2

    def _of_mixing(self, u: Array) -> Array:
        """Return the log density of u."""
        if self.nu is None:
            raise ValueError("normal interactions have no mixing scales.")
        half = self.nu / 2
        return half * (np.log(half) - u - np.exp(-u)) - gammaln(half)


def _grid(low: Array, high: Array, n: int) -> tuple[Array, Array]:
    """Return n equally spaced values from low to high along a new first axis, and their step."""
    step = (high - low) / (n - 1)
    return low + step * np.arange(n).reshape(-1, *[1] * low.ndim), step


def _window(grid: Array, seen: Array) -> tuple[Array, Array]:
    """Return the ends of the range of the integrand, extrapolated by a parabola."""
    floor = seen.max(axis=0) - _DEEP
    deep, n = seen > floor, len(grid)
    first, last = deep.argmax(axis=0), n - 1 - deep[::-1].argmax(axis=0)
    ends: list[Array] = []
    for inner, outer in ((first, np.maximum(first - 1, 0)), (last, np.minimum(last + 1, n - 1))):
        at, to = (np.take_along_axis(grid, i[None], axis=0)[0] for i in (inner, outer))
        high, low = (np.take_along_axis(seen, i[None], axis=0)[0] for i in (inner, outer))
        share = np.sqrt((high - floor) / np.maximum(high - low, high - floor))
        ends.append(at + share * (to - at))
    return ends[0], ends[1]


def _sum(logs: Array, step: Array) -> Array:
    """Return the log of a sum of exponentials along the first axis, times the step."""
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).sum(axis=0) * step)


def draw_prior(model: GibbsModel, n: int, rng: np.random.Generator) -> dict[str, Array]:
    """Draw the parameters of a model from their priors, in units of ``ContrastData.scale``.

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
        ``covariance`` if it is unstructured, and (n,) numbers by their names in `GibbsDraws`, with
        ``effective_scale`` for the root of the mean variance of the interactions.
    """
    priors, j = model.priors, model.data.n_algorithms - 1

    def half_t(scale: float) -> Array:
        return scale * np.abs(rng.standard_t(3, n))

    scale = half_t(priors.interaction_scale)
    drawn = {"scale": scale, "effective_scale": scale}
    effect_sd = np.full(n, priors.effect_sd or 1.0)
    if priors.effect_sd is None:
        effect_sd = drawn["effect_scale"] = scale * half_t(priors.effect_scale)
    drawn["average"] = effect_sd[:, None] * rng.standard_normal((n, j))
    if model.structure == "unstructured":
        median = priors.shrinkage_median or j
        kappa = median * np.exp(priors.shrinkage_sd * rng.standard_normal(n))
        psi = (1 + kappa) * scale**2
        covariance = draw_covariances(psi, j + 2 + kappa, j, rng)
        drawn |= {
            "shrinkage": kappa,
            "effective_scale": np.sqrt(np.trace(covariance, axis1=1, axis2=2) / j),
            "covariance": covariance,
        }
    if model.interactions == "t":
        drawn["df"] = 1 + rng.gamma(priors.tail_shape, 1 / priors.tail_rate, n)
    if model.data.noisy:
        drawn["residual_centre"] = priors.residual_sd * rng.standard_normal(n)
        drawn["residual_spread"] = half_t(priors.residual_spread)
    if model.domain is not None:
        drawn["domain_scale"] = half_t(priors.domain_scale)
    if model.covariates is not None:
        q = model.covariates.shape[1]
        drawn["slopes"] = priors.slope_sd * rng.standard_normal((n, q, j))
    return drawn


@dataclass(frozen=True, slots=True)
class Replicated:
    """One data set, drawn S times; in units of ``ContrastData.scale``."""

    effects: Array  # (S, K) least-squares estimates of the algorithms' effects; they sum to 0
    variance: Array | None  # (S,) residual variance, None where the data set has no residuals


def replicate(data: ContrastData, m: int, shared: Shared, rng: np.random.Generator) -> Replicated:
    """Draw data set m once for each draw of the shared parameters.

    Parameters
    ----------
    data
        Contrasts of the data sets.
    m
        Which data set.
    shared
        S draws, with the effects that this data set departs from.
    rng
        Random numbers.
    """
    n, j = len(shared), data.z.shape[1]
    root = np.linalg.cholesky(shared.covariance)
    departure = (root @ rng.standard_normal((n, j, 1)))[..., 0]
    if shared.df is not None:
        mixing = shared.df / 2 / rng.standard_gamma(shared.df / 2)
        departure *= np.sqrt(mixing)[:, None]
    z = (shared.centre[:, 0] + departure) @ data.design[m].T
    variance = None
    if shared.residual_centre is not None and shared.residual_spread is not None:
        log = shared.residual_centre + shared.residual_spread * rng.standard_normal(n)
        noise = np.exp(2 * (log + data.log_sd))
        z += np.sqrt(noise[:, None] * data.variance[m]) * rng.standard_normal((n, j))
        if data.df[m] > 0:
            half = data.df[m] / 2
            variance = noise * rng.standard_gamma(half, n) / half
    return Replicated(z @ _rows(data, m), variance)


def observed(data: ContrastData, m: int) -> Replicated:
    """Return data set m as observed, as if drawn once."""
    variance = data.rss[m : m + 1] / data.df[m] if data.df[m] > 0 and not data.silent[m] else None
    return Replicated(data.z[m : m + 1] @ _rows(data, m), variance)


def present(data: ContrastData, m: int) -> Flags:
    """Return (K,) whether data set m compares an algorithm with others."""
    return np.abs(_rows(data, m)).max(axis=0) > 1e-9


def _rows(data: ContrastData, m: int) -> Array:
    """Return (J, K) contrasts that data set m identifies, rows of 0 from its rank on."""
    rows = data.design[m] @ helmert(data.n_algorithms)
    rows[data.rank[m] :] = 0.0
    return rows


def compared_cells(data: ContrastData) -> Flags:
    """Return (M, K) whether a data set compares an algorithm with others."""
    return np.stack([present(data, m) for m in range(len(data.z))])


def observed_effects(data: ContrastData) -> Array:
    """Return (M, K) least-squares effects of the data sets, on the modelling scale."""
    return data.scale * np.stack([observed(data, m).effects[0] for m in range(len(data.z))])


def predictive(model: GibbsModel, shared: Shared, rng: np.random.Generator) -> Array:
    """Return (N, M, K) least-squares effects of replicated data sets, on the modelling scale."""
    last = shared.centre.shape[1] - 1
    drawn = [
        replicate(
            model.data, m, replace(shared, centre=shared.centre[:, [min(m, last)]]), rng
        ).effects
        for m in range(len(model.data.z))
    ]
    return model.data.scale * np.stack(drawn, axis=1)


def shared_prior(model: GibbsModel, n: int, rng: np.random.Generator) -> Shared:
    """Draw the parameters that data sets share from the priors."""
    drawn = draw_prior(model, n, rng)
    average, j = drawn["average"], model.data.n_algorithms - 1
    centre = average[:, None, :]
    if model.domain is not None:
        g = int(model.domain.max()) + 1
        departure = drawn["domain_scale"][:, None, None] * rng.standard_normal((n, g, j))
        centre = centre + departure[:, model.domain]
    if model.covariates is not None:
        centre = centre + model.covariates @ drawn["slopes"]
    covariance = drawn.get("covariance")
    if covariance is None:
        covariance = drawn["scale"][:, None, None] ** 2 * np.eye(j)
    return Shared(
        centre=centre,
        covariance=covariance,
        df=drawn.get("df"),
        residual_centre=drawn.get("residual_centre"),
        residual_spread=drawn.get("residual_spread"),
    )


MOST = 1000


@savable
@shaped(
    average="C T J",
    covariance="C T J J",
    scale="C T [0,inf)",
    effect_scale="C T [0,inf)",
    shrinkage="C T (0,inf)",
    df="C T (0,inf)",
    residual_centre="C T",
    residual_spread="C T [0,inf)",
    domain="C T G J",
    domain_scale="C T [0,inf)",
    slopes="C T q J",
)
@dataclass(frozen=True, slots=True)
class Thinned:
    """Draws of C chains, T of each, in units of ``ContrastData.scale``; see `GibbsDraws`."""

    # average, covariance, scale, effect_scale, shrinkage, df, residual_centre, residual_spread: as
    # in `GibbsDraws`
    average: Array
    covariance: Array | None
    scale: Array
    effect_scale: Array | None
    shrinkage: Array | None
    df: Array | None
    residual_centre: Array | None
    residual_spread: Array | None
    # domain, domain_scale, slopes: as in `GibbsDraws`
    domain: Array | None
    domain_scale: Array | None
    slopes: Array | None
    step: int  # every how many draws there is one

    @classmethod
    def of(cls, draws: GibbsDraws, most: int = MOST) -> Thinned:
        """Keep at most so many draws, evenly spaced."""
        chains, n = draws.scale.shape
        step = max(-(-chains * n // most), 1)
        parts: dict[str, Array | None] = {}
        for part in fields(cls):
            if part.name != "step":
                x: Array | None = getattr(draws, part.name)
                parts[part.name] = None if x is None else x[:, ::step].copy()
        return cls(**parts, step=step)  # pyright: ignore[reportArgumentType]

    def shared(
        self,
        domain: Codes | None,
        rng: np.random.Generator,
        covariates: Array | None = None,
    ) -> Shared:
        """Return the parameters that data sets share, with the centres of their effects.

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
        flat: dict[str, Array] = {
            part.name: x.reshape(-1, *x.shape[2:])
            for part in fields(self)
            if isinstance(x := getattr(self, part.name), np.ndarray)
        }
        average = flat["average"]
        n, j = average.shape
        centre = average[:, None, :]
        if "domain" in flat and domain is not None:
            new = flat["domain_scale"][:, None, None] * rng.standard_normal((n, 1, j))
            # The last is what -1 points to.
            centre = centre + np.concatenate([flat["domain"], new], axis=1)[:, domain]
        if "slopes" in flat and covariates is not None:
            centre = centre + covariates @ flat["slopes"]
        covariance = flat.get("covariance")
        if covariance is None:
            covariance = flat["scale"][:, None, None] ** 2 * np.eye(j)
        return Shared(
            centre=centre,
            covariance=covariance,
            df=flat.get("df"),
            residual_centre=flat.get("residual_centre"),
            residual_spread=flat.get("residual_spread"),
        )


def log_priors(model: GibbsModel, draws: Thinned) -> dict[str, Array]:
    """Return (C, T) log prior densities, by names of `GibbsDraws`, without constants.

    Parameters
    ----------
    model
        What was sampled.
    draws
        Draws.

    Returns
    -------
    dict
        Of parameters that have priors of their own; of Sigma, of the domains' effects and, unless
        their standard deviation is fixed, of average effects, which are drawn from others, none.
    """
    priors, j = model.priors, model.data.n_algorithms - 1
    densities = {"scale": _half_t(draws.scale, priors.interaction_scale)}
    if priors.effect_sd is not None:
        densities["average"] = -((draws.average / priors.effect_sd) ** 2).sum(axis=2) / 2
    if draws.effect_scale is not None:
        densities["effect_scale"] = _half_t(draws.effect_scale / draws.scale, priors.effect_scale)
    if draws.shrinkage is not None:
        log = np.log(draws.shrinkage)
        unit = (log - np.log(priors.shrinkage_median or j)) / priors.shrinkage_sd
        densities["shrinkage"] = -(unit**2) / 2 - log
    if draws.df is not None:
        x, shape, rate = draws.df - 1, priors.tail_shape, priors.tail_rate
        gamma = (shape - 1) * np.log(x) - rate * x - gammaln(shape) + shape * np.log(rate)
        densities["df"] = gamma
    if draws.residual_centre is not None and draws.residual_spread is not None:
        densities["residual_centre"] = -((draws.residual_centre / priors.residual_sd) ** 2) / 2
        densities["residual_spread"] = _half_t(draws.residual_spread, priors.residual_spread)
    if draws.slopes is not None:
        densities["slopes"] = -((draws.slopes / priors.slope_sd) ** 2).sum(axis=(2, 3)) / 2
    if draws.domain_scale is not None:
        densities["domain_scale"] = _half_t(draws.domain_scale, priors.domain_scale)
    return densities


def _half_t(x: Array, scale: float) -> Array:
    return -2 * np.log1p((x / scale) ** 2 / 3)
