"""Posterior of the Bradley-Terry model by Hamiltonian Monte Carlo."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from benchinfer.analyses.wins.numerics.likelihood import probabilities
from benchinfer.analyses.wins.numerics.tally import Tally
from benchinfer.core.arguments import check_fields
from benchinfer.core.errors import DesignError
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Flags

# From (C, d) points to (C,) log densities and their (C, d) slopes.
type Density = Callable[[Array], tuple[Array, Array]]
# Share of proposals to be accepted; length of a path in standard deviations; steps of a path.
_ACCEPT, _PATH, _MOST = 0.9, 1.5, 64
# Energy lost on a path that says that it went astray; dimensions up to which scales may be skew.
_ASTRAY, _DENSE = 1000.0, 80
# Windows of the warm-up, as shares of it: each sees the scales of the one before.
_WINDOWS = (0.15, 0.25, 0.4, 0.2)


@dataclass(frozen=True, slots=True)
class HmcDraws:
    """Draws of C chains.

    Attributes
    ----------
    draws
        (C, T, d).
    accepted
        Mean probability of acceptance.
    astray
        (C, T) whether the path of the draw lost its energy.
    scale
        Where the next draws may go on: points, and the sampler's scales.
    """

    draws: Array
    accepted: float
    astray: Flags
    now: Tuned


@dataclass(frozen=True, slots=True)
class Tuned:
    """Sampler with adapted scales and step size."""

    point: Array  # (C, d) where the chains are
    root: Array  # (d, d) root of the covariance that paths are scaled by; (d,) if it is diagonal
    step: float  # size of a step in these units


def warm_up(
    density: Density,
    start: Array,
    n: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> Tuned:
    """Find scales and a step size.

    `start` (C, d) are points, and `n` draws may be spent; `progress` is called with the number just
    done.
    """
    tuned = Tuned(start, np.ones(start.shape[1]), 0.1)
    for w, share in enumerate(_WINDOWS):
        tuned, draws = _window(density, tuned, max(int(share * n), 10), rng, progress)
        if w < len(_WINDOWS) - 1:
            tuned = Tuned(tuned.point, _root(draws), tuned.step if w else 0.3)
    return tuned


def _window(
    density: Density,
    tuned: Tuned,
    n: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None,
) -> tuple[Tuned, Array]:
    """Sample while the step size is learned (dual averaging); return the later draws, too."""
    point = tuned.point
    value, slope = density(point)
    aim, average, error = np.log(10 * tuned.step), 0.0, 0.0
    step, points = tuned.step, list[Array]()
    for t in range(1, n + 1):
        point, value, slope, chance, _ = _move(
            density, (point, value, slope), tuned.root, step, rng
        )
        points.append(point)
        error += (_ACCEPT - float(chance.mean()) - error) / (t + 10)
        log_step = aim - np.sqrt(t) / 0.05 * error
        average += t**-0.75 * (log_step - average)
        step = float(np.exp(log_step))
        if progress is not None:
            progress(1)
    draws = np.stack(points[n // 3 :], axis=1)
    return Tuned(point, tuned.root, float(np.exp(average))), draws


def _root(draws: Array) -> Array:
    """Return a root of the draws' covariance, shrunk slightly to its diagonal."""
    flat = draws.reshape(-1, draws.shape[2])
    variance = flat.var(axis=0) + 1e-12
    d = len(variance)
    if d > _DENSE or len(flat) < 5 * d:
        return np.sqrt(variance)
    weight = len(flat) / (len(flat) + 50)
    cov = weight * np.cov(flat, rowvar=False).reshape(d, d) + (1 - weight) * np.diag(variance)
    return np.linalg.cholesky(cov + 1e-12 * np.diag(variance))


def sample(
    density: Density,
    tuned: Tuned,
    n: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> HmcDraws:
    """Draw from the posterior.

    `tuned` comes from `warm_up`, or from where earlier draws ended; `n` is the number for each
    chain, and `progress` is called with the number just done.

    References
    ----------
    Neal, R. M. (2011). MCMC using Hamiltonian dynamics. In: Handbook of Markov Chain Monte Carlo.
    https://doi.org/10.1201/b10905-6

    Hoffman, M. D. & Gelman, A. (2014). The No-U-Turn sampler: adaptively setting path lengths in
    Hamiltonian Monte Carlo. Journal of Machine Learning Research 15, 1593-1623.
    """
    point = tuned.point
    value, slope = density(point)
    draws = np.empty((len(point), n, point.shape[1]))
    astray = np.zeros((len(point), n), dtype=np.bool_)
    accepted = 0.0
    for t in range(n):
        point, value, slope, chance, lost = _move(
            density, (point, value, slope), tuned.root, tuned.step, rng
        )
        draws[:, t], astray[:, t] = point, lost
        accepted += float(chance.mean()) / n
        if progress is not None:
            progress(1)
    return HmcDraws(draws, accepted, astray, Tuned(point, tuned.root, tuned.step))


def _move(
    density: Density,
    at: tuple[Array, Array, Array],
    root: Array,
    step: float,
    rng: np.random.Generator,
) -> tuple[Array, Array, Array, Array, Flags]:
    """Simulate a Hamiltonian path of each chain, of random length to avoid periodicity."""
    point, value, slope = at
    momentum = rng.standard_normal(point.shape)
    length = rng.uniform(0.5, 1.5) * _PATH
    steps = int(np.clip(np.ceil(length / step), 1, _MOST))
    to, force = point, _along(slope, root)
    moved = momentum + step / 2 * force
    new, new_slope = value, slope
    with np.errstate(over="ignore", invalid="ignore"):  # a path that goes astray is refused
        for s in range(steps):
            to = to + step * (moved * root if root.ndim == 1 else moved @ root.T)
            new, new_slope = density(to)
            moved = moved + (step if s < steps - 1 else step / 2) * _along(new_slope, root)
        gain = new - value - ((moved**2).sum(axis=1) - (momentum**2).sum(axis=1)) / 2
    gain = np.where(np.isfinite(gain), gain, -np.inf)
    chance = np.exp(np.minimum(gain, 0.0))
    take = rng.random(len(point)) < chance
    rows = take[:, None]
    return (
        np.where(rows, to, point),
        np.where(take, new, value),
        np.where(rows, new_slope, slope),
        chance,
        gain < -_ASTRAY,
    )


def _along(slope: Array, root: Array) -> Array:
    return slope * root if root.ndim == 1 else slope @ root


@savable
@dataclass(frozen=True, slots=True)
class WinPriors:
    """Priors of a Bayesian Bradley-Terry model.

    The default of `scale_sd` is that of Wainer (2023) and of his program, bbtcomp. That of `tie_sd`
    is his, too, but the model of ties is not: his program keeps the log of nu above 0 and takes
    wins and ties as two binomial counts; here they are Davidson's three outcomes. `departure` is
    not in his model; its default was chosen here, on simulated tables.

    Parameters
    ----------
    scale_sd
        The log worths are normal about 0; the log of their standard deviation is normal about 0
        with this standard deviation.
    tie_sd
        The log of Davidson's nu is normal about 0; the log of its standard deviation is normal
        about 0 with this one.
    departure
        Scale of the half-normal prior of the standard deviation of the departures of data sets,
        where they are in the model. 2.5 is wide in log odds: of several scales tried, intervals of
        20 data sets and 5 algorithms then held about what they claim.

    Raises
    ------
    DesignError
        A number is not positive and finite.
    """

    scale_sd: float = 0.5
    tie_sd: float = 0.5
    departure: float = 2.5

    def __post_init__(self) -> None:
        check_fields(self)
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value > 0):
                raise DesignError(f"{field.name} is {value!r}.", hint="a finite number above 0.")


@dataclass(frozen=True, slots=True)
class WinModel:
    """Data and priors of the sampled model."""

    tally: Tally  # counts, as `Tally.with_ties` gives them
    priors: WinPriors
    departures: bool  # whether each cluster has worths of its own, normal about the common ones

    @property
    def tied(self) -> bool:
        """True if ties have a parameter."""
        return bool(self.tally.ties.sum() > 0)

    @property
    def size(self) -> int:
        """Number of parameters."""
        m, k = len(self.tally.wins), self.tally.n_algorithms
        return 1 + k + 2 * self.tied + (1 + m * k) * self.departures


@savable
@shaped(log_worth="C T K", scale="C T", tie="C T", departure="C T")
@dataclass(frozen=True, slots=True)
class WinDraws:
    """Draws of C chains of length T."""

    # (C, T, K) log worths, which sum to 0; their differences are log odds on a data set not seen
    log_worth: Array
    scale: Array  # (C, T) standard deviation of the log worths under the prior
    tie: Array | None  # (C, T) log of Davidson's nu, None without ties
    # (C, T) standard deviation of the departures of data sets, None without them
    departure: Array | None

    @property
    def conditional(self) -> Array:
        """(C, T, K) log worths at the centre of the data sets; without departures, `log_worth`."""
        if self.departure is None:
            return self.log_worth
        return self.log_worth * stretch(self.departure)[0][:, :, None]


# Averaged over normal departures of variance v a logistic probability is about that of its argument
# over sqrt(1 + c^2 v), c = 16 sqrt(3) / (15 pi); a difference of two has twice the variance.
_ATTENUATED = 2 * (16 * math.sqrt(3) / (15 * math.pi)) ** 2


def stretch(departure: Array) -> tuple[Array, Array]:
    """Return the ratio of log odds given departures to log odds averaged over departures.

    Parameters
    ----------
    departure
        Standard deviation of the departures (Zeger, Liang & Albert 1988 [3]_).

    Returns
    -------
    factor, slope
        Of log odds, and the factor's derivative by the log of the standard deviation.
    """
    square = _ATTENUATED * departure**2
    factor = np.sqrt(1 + square)
    return factor, square / factor


def density(model: WinModel) -> Density:
    """Return the log posterior density and its slope.

    Coordinates are the log of the prior's scale, the K log worths, with ties the log of the scale
    of log nu and log nu, and with departures the log of their scale and the standardised departures
    of each cluster.

    References
    ----------
    Wainer, J. (2023). A Bayesian Bradley-Terry model to compare multiple ML algorithms on multiple
    data sets. Journal of Machine Learning Research 24(341), 1-34.

    Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in paired
    comparison experiments. Journal of the American Statistical Association 65, 317-328.
    https://doi.org/10.1080/01621459.1970.10481082

    Zeger, S. L., Liang, K.-Y. & Albert, P. S. (1988). Models for longitudinal data: a generalized
    estimating equation approach. Biometrics 44, 1049-1060. https://doi.org/10.2307/2531734
    """
    k, tally = model.tally.n_algorithms, model.tally
    total = tally.total
    i, j = tally.pairs.T
    design = np.eye(k)[i] - np.eye(k)[j]

    def plain(d: Array, tie: Array | None) -> tuple[Array, Array, Array]:
        value, by_d, by_tie = _outcomes(total, d[:, None], None if tie is None else tie[:, None])
        return value, by_d[:, 0], by_tie

    def evaluate(x: Array) -> tuple[Array, Array]:
        slope = np.zeros_like(x)
        value = _prior(model, x, slope)
        worth, at = x[:, 1 : k + 1], k + 1
        tie = x[:, at + 1] if model.tied else None
        rest = at + 2 * model.tied
        d = worth[:, i] - worth[:, j]
        if not model.departures:
            log_density, by_d, by_tie = plain(d, tie)
        else:
            log_density, by_d, by_tie = _departed(model, x, slope, d, tie, rest)
        slope[:, 1 : k + 1] += by_d @ design
        if model.tied:
            slope[:, at + 1] += by_tie
        return value + log_density, slope

    return evaluate


def _prior(model: WinModel, x: Array, slope: Array) -> Array:
    """Return log prior densities; write their slopes."""
    k, p = model.tally.n_algorithms, model.priors
    value = _hierarchy(x, slope, 0, slice(1, k + 1), p.scale_sd)
    at = k + 1
    if model.tied:
        value += _hierarchy(x, slope, at, slice(at + 1, at + 2), p.tie_sd)
        at += 2
    if model.departures:
        # Half-normal scale, by its log; standard normal departures.
        square = np.exp(2 * x[:, at]) / p.departure**2
        u = x[:, at + 1 :]
        value += x[:, at] - square / 2 - (u**2).sum(axis=1) / 2
        slope[:, at] += 1 - square
        slope[:, at + 1 :] -= u
    return value


def _hierarchy(x: Array, slope: Array, at: int, members: slice, sd: float) -> Array:
    """Return the log prior of normal effects whose log scale is normal; add to the slope."""
    effects = x[:, members]
    inverse = np.exp(-2 * x[:, at])
    squares = (effects**2).sum(axis=1) * inverse
    slope[:, at] += squares - effects.shape[1] - x[:, at] / sd**2
    slope[:, members] -= effects * inverse[:, None]
    return -effects.shape[1] * x[:, at] - squares / 2 - (x[:, at] / sd) ** 2 / 2


def _departed(
    model: WinModel, x: Array, slope: Array, d: Array, tie: Array | None, at: int
) -> tuple[Array, Array, Array]:
    """Return the likelihood with departures of clusters; write the slopes of the departures."""
    tally = model.tally
    k, m = tally.n_algorithms, len(tally.wins)
    i, j = tally.pairs.T
    scale = np.exp(x[:, at])[:, None, None]
    u = x[:, at + 1 :].reshape(len(x), m, k)
    apart = u[:, :, i] - u[:, :, j]
    # The prior is on what holds on average over data sets.
    factor, by_log = stretch(scale[:, :, 0])
    value, by_d, by_tie = _outcomes(
        tally,
        (factor * d)[:, None, :] + scale * apart,
        None if tie is None else tie[:, None],
    )
    design = np.eye(k)[i] - np.eye(k)[j]
    common = by_d.sum(axis=1)
    slope[:, at] += scale[:, 0, 0] * (by_d * apart).sum(axis=(1, 2))
    slope[:, at] += by_log[:, 0] * (common * d).sum(axis=1)
    slope[:, at + 1 :] += (scale * (by_d @ design)).reshape(len(x), m * k)
    return value, factor * common, by_tie


def _outcomes(tally: Tally, d: Array, tie: Array | None) -> tuple[Array, Array, Array]:
    """Return (C,) log likelihoods, and slopes by (C, M, P) differences and (C,) log nu."""
    even = None if tie is None else tie[:, :, None]
    first, tied, second = probabilities(d, even)
    by_d = (tally.wins - tally.losses - tally.n * (first - second)) / 2
    # log p1 = d / 2 - log Z, and so on: Z by the largest of its terms.
    half = np.abs(d) / 2
    extra = np.zeros_like(d) if even is None else np.exp(even - half)
    log_z = half + np.log(1 + np.exp(-2 * half) + extra)
    value = (tally.wins - tally.losses) * d / 2 - tally.n * log_z
    if even is None:
        return value.sum(axis=(1, 2)), by_d, np.zeros(len(d))
    by_tie = (tally.ties - tally.n * tied).sum(axis=(1, 2))
    return (value + tally.ties * even).sum(axis=(1, 2)), by_d, by_tie


def start(model: WinModel, chains: int, rng: np.random.Generator) -> Array:
    """Return (C, d) points to start from, further apart than the posterior."""
    x = 0.5 * rng.standard_normal((chains, model.size))
    if model.departures:
        x[:, 1 + model.tally.n_algorithms + 2 * model.tied] -= 1.0
    return x


def draws_of(model: WinModel, points: Array) -> WinDraws:
    """Return draws by name from (C, T, d) ones."""
    k = model.tally.n_algorithms
    worth = points[:, :, 1 : k + 1]
    at = k + 1 + 2 * model.tied
    return WinDraws(
        log_worth=worth - worth.mean(axis=2, keepdims=True),
        scale=np.exp(points[:, :, 0]),
        tie=points[:, :, k + 2] if model.tied else None,
        departure=np.exp(points[:, :, at]) if model.departures else None,
    )


def prior_draws(model: WinModel, n: int, rng: np.random.Generator) -> WinDraws:
    """Draw n times from the prior, as one chain."""
    k, priors = model.tally.n_algorithms, model.priors
    scale = np.exp(priors.scale_sd * rng.standard_normal((1, n)))
    worth = scale[:, :, None] * rng.standard_normal((1, n, k))
    of_ties = np.exp(priors.tie_sd * rng.standard_normal((1, n)))
    return WinDraws(
        log_worth=worth - worth.mean(axis=2, keepdims=True),
        scale=scale,
        tie=of_ties * rng.standard_normal((1, n)) if model.tied else None,
        departure=priors.departure * np.abs(rng.standard_normal((1, n)))
        if model.departures
        else None,
    )


def replicated(model: WinModel, draws: WinDraws, n: int, rng: np.random.Generator) -> Array:
    """Draw (3, n, P) wins, ties and losses of new contests, as many as there were.

    Each of n replications comes from a draw of its own.
    """
    k = model.tally.n_algorithms
    flat = draws.conditional.reshape(-1, k)
    chosen = rng.choice(len(flat), n, replace=n > len(flat))
    i, j = model.tally.pairs.T
    counts = np.rint(model.tally.n).astype(np.int64)
    worth = np.repeat(flat[chosen][:, None], len(counts), axis=1)
    if draws.departure is not None:
        sd = draws.departure.ravel()[chosen][:, None, None]
        worth = worth + sd * rng.standard_normal(worth.shape)
    else:
        worth, counts = worth[:, :1], counts.sum(axis=0, keepdims=True)
    tie = None if draws.tie is None else draws.tie.ravel()[chosen][:, None, None]
    three = np.stack(probabilities(worth[:, :, i] - worth[:, :, j], tie), axis=-1)
    contests = rng.multinomial(np.broadcast_to(counts, three.shape[:-1]), three)
    return np.moveaxis(contests.sum(axis=1), -1, 0).astype(np.float64)
