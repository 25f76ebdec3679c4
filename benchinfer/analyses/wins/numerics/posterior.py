"""Posterior of the Bradley-Terry model: its density, and what draws of it are.

Parameters are unconstrained: the log of the prior's scale, the K - 1 contrasts of the log worths
(contests do not see their mean, which is integrated out), with ties the log of the scale of log nu
and log nu, and with departures the log of their scale and, of each cluster, K - 1 standardised
contrasts of its own log worths.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numba.np.numpy_support import carray
from scipy.linalg import helmert

from benchinfer.analyses.wins.numerics.likelihood import (
    information_of,
    probabilities,
    score_of,
)
from benchinfer.analyses.wins.numerics.tally import Tally
from benchinfer.core.arguments import check_fields
from benchinfer.core.errors import DesignError
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.compilation import entry, part
from benchinfer.numerics.posterior.callbacks import (
    code_matrix,
    codes,
    compiled,
    cube,
    matrix,
    vector,
)
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
        return self.tally.n_algorithms + 2 * self.tied + self.departures + self.departing

    @property
    def departing(self) -> int:
        """Number of parameters of the clusters: K - 1 of each that has contests."""
        return self.tally.clusters * (self.tally.n_algorithms - 1) * self.departures


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


_FURTHEST = 300.0  # half of what log worths of a cluster differ by at most
_LEAST = 1e-40  # product of which a logarithm is taken: times the least factor it is above 0
_STEPS = 30  # of an approximation whose error costs time alone
_FAR = 1e4  # times the scale of the departures at which information is compared
_STEEPEST = 0.8  # of its falls


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
    """Return the log prior of the log of the scale of the departures."""
    square = math.exp(2.0 * x[at]) / scale**2
    gradient[at] += 1.0 - square
    return x[at] - 0.5 * square


@part
def _contests(
    u: Array,
    nu: float,
    seconds: Codes,
    n: Array,
    wins: Array,
    ends: Codes,
    roots: Array,
    slope: Array,
) -> tuple[float, float]:
    """Return a cluster's log likelihood, and its slope by log nu; fill the slopes by log worths u.

    The outcomes of a pair are as the worths and nu times the root of their product: exponentials
    are of K worths, not of pairs, and a logarithm is of the product of many pairs' sums.
    """
    top, value, by_tie = u.max(), 0.0, 0.0
    for a in range(len(u)):
        roots[a] = math.exp(max(0.5 * (u[a] - top), -_FURTHEST))
        value += wins[a] * (u[a] - top)
        slope[a] = wins[a]
    product, power = 1.0, 0.0
    for i in range(len(u)):
        first, slope_i = roots[i] * roots[i], 0.0
        for c in range(ends[i], ends[i + 1]):
            j = seconds[c]
            second, even = roots[j] * roots[j], nu * roots[i] * roots[j]
            total = first + second + even
            share = n[c] / total
            slope_i += share * (first + 0.5 * even)
            slope[j] -= share * (second + 0.5 * even)
            by_tie -= share * even
            if n[c] != power or product < _LEAST or product > 1.0 / _LEAST:
                value -= power * math.log(product)
                product, power = 1.0, n[c]
            product *= total
        slope[i] -= slope_i
    return value - power * math.log(product), by_tie


@part
def _along(basis: Array, v: Array, axes: Array) -> None:
    """Fill the (K - 1) coordinates on axes, the columns of a basis, of a (K,) vector."""
    axes[:] = 0.0
    for a in range(len(v)):
        for c in range(len(axes)):
            axes[c] += basis[a, c] * v[a]


@part
def _across(basis: Array, axes: Array, v: Array) -> None:
    """Add the vector with (K - 1) coordinates on axes to a (K,) vector."""
    for a in range(len(v)):
        for c in range(len(axes)):
            v[a] += basis[a, c] * axes[c]


@part
def _clusters(
    x: Array,
    at: int,
    worth: Array,
    nu: float,
    contests: tuple[Any, ...],
    known: Array,
    bases: Array,
    usual: float,
    gradient: Array,
    by_worth: Array,
) -> tuple[float, float]:
    """Return the log density of all clusters' worths and contests, and its slope by log nu.

    Coordinate c of a cluster's worths, on an axis on which they have information i and pull h and
    the common worths p, is ``(h s t + p) / (1 + i t^2) + x s / sqrt(1 + i t^2)``, with s the scale
    of the departures and t a function of it; see `_expansion`. The slopes by the common worths are
    added.
    """
    seconds, n, wins, ends = contests
    k, scale = len(worth), math.exp(x[at])
    variance = scale**2
    ratio = variance / usual**2
    # The prior is on what holds on average over data sets.
    factor = math.sqrt(1.0 + _ATTENUATED * variance)
    centre, by_centre = factor * worth, np.zeros(k)
    u, roots, slope = np.empty(k), np.empty(k), np.empty(k)
    middle, more, effect, root, by = np.empty((5, k - 1))
    total, by_tie, by_log, product = 0.0, 0.0, 0.0, 1.0
    for m in range(len(wins)):
        basis, begin, fall = bases[m], at + 1 + m * (k - 1), known[m, 2, 0]
        power = scale * (0.5 + 0.5 * ratio) ** (-0.5 * fall)
        e = 1.0 - fall * ratio / (1.0 + ratio)  # derivative of its log by that of the scale
        _along(basis, centre, middle)
        for c in range(k - 1):
            more[c] = 1.0 + known[m, 0, c] * power**2
            root[c] = scale / math.sqrt(more[c])
            effect[c] = (known[m, 1, c] * scale * power + middle[c]) / more[c]
            effect[c] += root[c] * x[begin + c]
            off = (effect[c] - middle[c]) / scale
            total -= 0.5 * off * off
            product *= more[c]
            if product > 1.0 / _LEAST:
                total -= 0.5 * math.log(product)
                product = 1.0
        u[:] = 0.0
        _across(basis, effect, u)
        value, tie = _contests(u, nu, seconds, n, wins[m], ends[m], roots, slope)
        total, by_tie = total + value, by_tie + tie
        _along(basis, slope, by)
        for c in range(k - 1):
            off = (effect[c] - middle[c]) / variance
            slope_own = by[c] - off
            gradient[begin + c] = slope_own * root[c]
            # By the log of the scale.
            less = e * (1.0 - 1.0 / more[c])
            pull = known[m, 1, c] * scale * power
            by_own = ((1.0 + e - 2.0 * less) * pull - 2.0 * less * middle[c]) / more[c]
            by_own += (1.0 - less) * root[c] * x[begin + c]
            by_log += slope_own * by_own + off * off * variance - less
            by[c] = slope_own / more[c] + off
        _across(basis, by, by_centre)
    for a in range(k):
        by_log += _ATTENUATED * variance / factor * by_centre[a] * worth[a]
        by_worth[a] += factor * by_centre[a]
    gradient[at] += by_log
    return total - 0.5 * math.log(product), by_tie


@entry
def log_density(
    x: Array,
    contrasts: Array,
    seconds: Codes,
    n: Array,
    wins: Array,
    ends: Codes,
    known: Array,
    bases: Array,
    places: Codes,
    numbers: Array,
    gradient: Array,
) -> float:
    """Return the log density at x and fill its gradient; see `WinDensity`."""
    k, tied, at = places
    gradient[:] = 0.0
    total, nu = _hierarchy(x, 0, k, numbers[0], gradient), 0.0
    worth, by_worth = np.zeros(k), np.zeros(k)
    for c in range(k - 1):
        for a in range(k):
            worth[a] += contrasts[c, a] * x[1 + c]
    if tied >= 0:
        total += _hierarchy(x, tied, tied + 2, numbers[1], gradient)
        nu = math.exp(x[tied + 1])
    if at >= 0:
        total += _departures(x, at, numbers[2], gradient)
        contests = seconds, n, wins, ends
        value, by_tie = _clusters(
            x, at, worth, nu, contests, known, bases, numbers[4], gradient, by_worth
        )
    else:
        value, by_tie = _contests(worth, nu, seconds, n, wins[0], ends[0], np.empty(k), by_worth)
    if tied >= 0:
        value += numbers[3] * x[tied + 1]
        gradient[tied + 1] += numbers[3] + by_tie
    for c in range(k - 1):
        for a in range(k):
            gradient[1 + c] += contrasts[c, a] * by_worth[a]
    return total + value


def _evaluate(size: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    value[0] = log_density(
        carray(x, (size,)),
        *(matrix(data, 0), codes(data, 1), vector(data, 2), matrix(data, 3)),
        *(code_matrix(data, 4), cube(data, 5), cube(data, 6), codes(data, 7), vector(data, 8)),
        carray(gradient, (size,)),
    )
    return 0


def _expansion(tally: Tally) -> tuple[Array, Array, float]:
    """Return (M, 3, K - 1) numbers of clusters on axes, (M, K, K - 1) the axes, and a usual scale.

    In the neighbourhood of a cluster's likely worths y its log likelihood is near ``pull @ y - y @
    diag(information) @ y / 2``. That the parameters of a cluster are what is left of its worths
    beside this, in units of their standard deviation, changes no posterior: it makes them close to
    independent, whether contests say much of a cluster or nothing (Papaspiliopoulos et al. 2007).
    Where an algorithm wins all contests, information falls as the scale s of the departures rises:
    as ``(1 + (s / usual)^2) ^ -fall``, and the pull as its root. The numbers are information and
    pull at the usual scale, and the fall.
    """
    m, k = len(tally.wins), tally.n_algorithms
    worth, tie = np.zeros((m, k)), 0.0 if tally.ties.any() else None
    centre, variance = np.zeros(k), 1.0
    information, pull = _approximation(tally, worth, tie)
    for _ in range(_STEPS):
        worth, cov = _step(information, pull, centre, variance)
        centre = worth.mean(axis=0)
        spread = np.square(worth - centre).sum(axis=1) + np.trace(cov, axis1=1, axis2=2)
        variance = float(spread.mean()) / (k - 1)
        if tie is not None:
            i, j = tally.pairs.T
            _, even, _ = probabilities(worth[:, i] - worth[:, j], tie)
            tie += float(np.log(tally.ties.sum() / (tally.n * even).sum()))
        information, pull = _approximation(tally, worth, tie)
    less, further = information, pull
    for _ in range(_STEPS):
        worth, _ = _step(less, further, centre, _FAR**2 * variance)
        less, further = _approximation(tally, worth, tie)
    both = np.trace(less, axis1=1, axis2=2) / np.trace(information, axis1=1, axis2=2)
    fall = np.clip(-np.log(both) / (2 * np.log(_FAR)), 0.0, _STEEPEST)
    values, axes = np.linalg.eigh(information)
    pull = np.einsum("mcd,mc->md", axes, pull)
    known = np.maximum(values, 0.0), pull, np.broadcast_to(fall[:, None], pull.shape)
    return np.stack(known, axis=1), helmert(k).T @ axes, float(np.sqrt(variance))


def _approximation(tally: Tally, worth: Array, tie: float | None) -> tuple[Array, Array]:
    """Return information and pull of the contrasts of each cluster's worths, at (M, K) worths."""
    k = worth.shape[1]
    contrasts = helmert(k)
    full = information_of(tally.pairs, tally.n, worth, tie)[:, :k, :k]
    slope = score_of(tally, worth, tie)[:, :k]
    pull = (slope + np.einsum("mab,mb->ma", full, worth)) @ contrasts.T
    return contrasts @ full @ contrasts.T, pull


def _step(information: Array, pull: Array, centre: Array, variance: float) -> tuple[Array, Array]:
    """Return worths after a step to their modes, and the covariance of their contrasts."""
    contrasts = helmert(len(centre))
    cov = np.linalg.inv(information + np.eye(len(contrasts)) / variance)
    new = np.einsum("mcd,md->mc", cov, pull + contrasts @ centre / variance)
    return new @ contrasts, cov


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

    Papaspiliopoulos, O., Roberts, G. O. & Skold, M. (2007). A general framework for the
    parametrization of hierarchical models. Statistical Science 22, 59-73.
    https://doi.org/10.1214/088342307000000014
    """

    size: int
    arrays: tuple[Any, ...]

    @classmethod
    def of(cls, model: WinModel) -> WinDensity:
        """Return the density of a model."""
        k, priors = model.tally.n_algorithms, model.priors
        tally = model.tally.with_contests if model.departures else model.tally.total
        tied = k if model.tied else -1
        at = k + 2 * model.tied if model.departures else -1
        if model.departures:
            known, bases, usual = _expansion(tally)
        else:
            known, bases, usual = np.zeros((1, 3, k - 1)), np.zeros((1, k, k - 1)), 1.0
        m, pair = np.nonzero(tally.n)
        first, second = tally.pairs[pair].T
        order = np.lexsort((second, first, m))
        of_first = np.bincount(m * k + first, minlength=len(tally.n) * k).cumsum().reshape(-1, k)
        ends = np.column_stack([np.append(0, of_first[:-1, -1]), of_first])
        wins = np.zeros((len(tally.n), k))
        for side, won in zip(tally.pairs.T, (tally.wins, tally.losses), strict=True):
            np.add.at(wins.T, side, (won + tally.ties / 2).T)
        arrays = (
            *(helmert(k), second[order], tally.n[m, pair][order], wins, ends, known, bases),
            np.array([k, tied, at]),
            np.array([priors.scale_sd, priors.tie_sd, priors.departure, tally.ties.sum(), usual]),
        )
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
