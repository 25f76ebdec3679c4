"""Posterior of the Bradley-Terry model: its density, and what draws of it are.

Parameters are unconstrained: the log of the prior's scale, the K - 1 contrasts of the log worths
(contests do not see their mean, which is integrated out), with ties the log of the scale of log nu
and log nu, and with departures the log of their scale and the standardised departures of each
cluster.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numba.np.numpy_support import carray
from scipy.linalg import helmert

from benchinfer.analyses.wins.numerics.likelihood import probabilities
from benchinfer.analyses.wins.numerics.tally import Tally
from benchinfer.core.arguments import check_fields
from benchinfer.core.errors import DesignError
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.compilation import entry, part
from benchinfer.numerics.posterior.callbacks import code_matrix, codes, compiled, matrix, vector
from benchinfer.numerics.types import Array, Codes


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
        return k + 2 * self.tied + (1 + m * k) * self.departures


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
        return self.log_worth * stretch(self.departure)[:, :, None]


# Averaged over normal departures of variance v a logistic probability is about that of its argument
# over sqrt(1 + c^2 v), c = 16 sqrt(3) / (15 pi); a difference of two has twice the variance.
_ATTENUATED = 2 * (16 * math.sqrt(3) / (15 * math.pi)) ** 2


def stretch(departure: Array) -> Array:
    """Return the ratio of log odds given departures to log odds averaged over departures.

    Parameters
    ----------
    departure
        Standard deviation of the departures (Zeger, Liang & Albert 1988).
    """
    return np.sqrt(1 + _ATTENUATED * departure**2)


@part
def _hierarchy(x: Array, at: int, stop: int, sd: float, gradient: Array) -> float:
    """Return the log prior of the normal effects after their log scale, itself normal about 0."""
    inverse, squares = math.exp(-2.0 * x[at]), 0.0
    for m in range(at + 1, stop):
        squares += x[m] ** 2 * inverse
        gradient[m] -= x[m] * inverse
    n = stop - at - 1
    gradient[at] += squares - n - x[at] / sd**2
    return -n * x[at] - 0.5 * squares - 0.5 * (x[at] / sd) ** 2


@part
def _departures(x: Array, at: int, scale: float, gradient: Array) -> float:
    """Return the log prior of standard normal departures, and of the log of their scale."""
    square = math.exp(2.0 * x[at]) / scale**2
    total = x[at] - 0.5 * square
    gradient[at] += 1.0 - square
    for m in range(at + 1, len(x)):
        total -= 0.5 * x[m] ** 2
        gradient[m] -= x[m]
    return total


@part
def _outcomes(
    d: Any, log_nu: Any, wins: float, ties: float, losses: float
) -> tuple[float, float, float]:
    """Return the log likelihood of a pair's contests, and its slopes by d and by log nu."""
    n, half = wins + ties + losses, 0.5 * abs(d)
    # log p1 = d / 2 - log Z, and so on: Z over the largest of its terms.
    worse = math.exp(-2.0 * half)
    even = math.exp(log_nu - half)
    total = 1.0 + worse + even
    value = 0.5 * (wins - losses) * d - n * (half + math.log(total))
    if ties > 0.0:
        value += ties * log_nu
    ahead = (1.0 - worse) / total
    by_d = 0.5 * (wins - losses - n * (ahead if d > 0.0 else -ahead))
    return value, by_d, ties - n * even / total


@part
def _contests(
    x: Array,
    i: int,
    j: int,
    d: Any,  # a number, as log nu
    log_nu: Any,
    scale: float,
    factor: float,
    places: Codes,
    wins: Array,
    ties: Array,
    losses: Array,
    gradient: Array,
) -> tuple[float, float]:
    """Return the log likelihood of a pair's contests in all clusters, and its slope by log odds.

    The slopes by log nu and by the departures are added to the gradient.
    """
    k, tied, at = places
    total, common = 0.0, 0.0
    for m in range(len(wins)):
        if wins[m] + ties[m] + losses[m] == 0.0:
            continue
        one, other = at + 1 + m * k + i, at + 1 + m * k + j
        apart = x[one] - x[other] if at >= 0 else 0.0
        value, by_d, by_tie = _outcomes(
            factor * d + scale * apart, log_nu, wins[m], ties[m], losses[m]
        )
        total += value
        common += by_d
        if tied >= 0:
            gradient[tied + 1] += by_tie
        if at >= 0:
            gradient[at] += scale * by_d * apart
            gradient[one] += scale * by_d
            gradient[other] -= scale * by_d
    return total, common


@entry
def log_density(
    x: Array,
    contrasts: Array,
    pairs: Codes,
    wins: Array,
    ties: Array,
    losses: Array,
    places: Codes,
    prior: Array,
    gradient: Array,
) -> float:
    """Return the log density at x and fill its gradient; see `WinDensity`."""
    k, tied, at = places
    gradient[:] = 0.0
    total = _hierarchy(x, 0, k, prior[0], gradient)
    worth, by_worth = np.zeros(k), np.zeros(k)
    for c in range(k - 1):
        for a in range(k):
            worth[a] += contrasts[c, a] * x[1 + c]
    log_nu = -np.inf
    if tied >= 0:
        total += _hierarchy(x, tied, tied + 2, prior[1], gradient)
        log_nu = x[tied + 1]
    scale, factor, by_log = 0.0, 1.0, 0.0
    if at >= 0:
        total += _departures(x, at, prior[2], gradient)
        scale = math.exp(x[at])
        # The prior is on what holds on average over data sets.
        factor = math.sqrt(1.0 + _ATTENUATED * scale**2)
        by_log = _ATTENUATED * scale**2 / factor
    for p in range(len(pairs)):
        i, j = pairs[p]
        d = worth[i] - worth[j]
        value, common = _contests(
            *(x, i, j, d, log_nu, scale, factor, places),
            *(wins[:, p], ties[:, p], losses[:, p], gradient),
        )
        total += value
        by_worth[i] += factor * common
        by_worth[j] -= factor * common
        if at >= 0:
            gradient[at] += by_log * common * d
    for c in range(k - 1):
        for a in range(k):
            gradient[1 + c] += contrasts[c, a] * by_worth[a]
    return total


def _evaluate(size: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    value[0] = log_density(
        carray(x, (size,)),
        *(matrix(data, 0), code_matrix(data, 1)),
        *(matrix(data, 2), matrix(data, 3), matrix(data, 4)),
        *(codes(data, 5), vector(data, 6)),
        carray(gradient, (size,)),
    )
    return 0


@dataclass(frozen=True, slots=True)
class WinDensity:
    """Log density of the unconstrained parameters.

    Attributes
    ----------
    size
        Number of parameters.
    arrays
        Arguments of `log_density` between the parameters and the gradient.

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

    size: int
    arrays: tuple[Any, ...]

    @classmethod
    def of(cls, model: WinModel) -> WinDensity:
        """Return the density of a model."""
        tally, k, priors = model.tally, model.tally.n_algorithms, model.priors
        tied = k if model.tied else -1
        at = k + 2 * model.tied if model.departures else -1
        counts = tally if model.departures else tally.total
        places = np.array([k, tied, at])
        prior = np.array([priors.scale_sd, priors.tie_sd, priors.departure])
        arrays = helmert(k), tally.pairs, counts.wins, counts.ties, counts.losses, places, prior
        return cls(model.size, tuple(map(np.ascontiguousarray, arrays)))

    def __call__(self, x: Array) -> tuple[float, Array]:
        """Return the log density and its gradient at (size,) parameters."""
        gradient = np.empty(self.size)
        kernel: Any = log_density
        return kernel(x, *self.arrays, gradient), gradient

    def callback(self) -> Any:
        """Return the compiled function that C calls."""
        return compiled(_evaluate)


def draws_of(model: WinModel, points: Array) -> WinDraws:
    """Return draws by name from (C, T, d) ones."""
    k = model.tally.n_algorithms
    at = k + 2 * model.tied
    return WinDraws(
        log_worth=points[:, :, 1:k] @ helmert(k),
        scale=np.exp(points[:, :, 0]),
        tie=points[:, :, k + 1] if model.tied else None,
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
