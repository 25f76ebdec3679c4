"""Slice sampling of scales and degrees of freedom, compiled.

Each quantity is known by a number and its density by a row of numbers, as functions that are
given functions would be compiled anew in each process.
"""

from enum import IntEnum
from math import exp, inf, lgamma, log, log1p

import numpy as np
from numba import njit
from numpy.typing import NDArray

type Array = NDArray[np.float64]


class Quantity(IntEnum):
    """Quantity whose log is moved, and what its log density rests on.

    "scale prior" stands for the three columns of `scales.scale_prior`; vectors come last.
    """

    EFFECT_SD = 0  # near, (J,) precisions and (J,) squared shifts in turn
    RESIDUAL = 1  # n, square, centre, spread
    RESIDUAL_SPREAD = 2  # m, squares, mean, variance of the centre, prior scale
    RESIDUAL_CENTRE = 3  # n, square, prior sd; the quantity itself, not its log
    STANDARDISED_SPREAD = 4  # sum of the logs, prior scale, (M,) squares and (M,) logs in turn
    DF = 5  # J, prior shape, prior rate, (M,) squares; of nu - 1
    COMMON = 6  # scale prior, nu or infinity, J, (M,) squares
    SHRINKAGE = 7  # m, log scale, prior centre, prior sd, (J,) roots
    UNSTRUCTURED = 8  # scale prior, m, log kappa, (J,) roots
    EXCHANGE = 9  # scale prior, nu, m, sum of inverse mixing scales, log scale
    STRETCH = 10  # scale prior, product, square, log scale
    DOMAIN = 11  # n, square, prior scale
    DOMAIN_UNIT = 12  # product, square, prior scale


def rows(*parts: Array | float) -> Array:
    """Return (C, ...) parts side by side: numbers, (C,) and (C, n) arrays."""
    columns = [np.asarray(part, dtype=np.float64) for part in parts]
    columns = [x[:, None] if x.ndim == 1 else x for x in columns]
    c = max(len(x) for x in columns if x.ndim)
    found = np.empty((c, sum(x.shape[1] if x.ndim else 1 for x in columns)))
    at = 0
    for x in columns:
        width = x.shape[1] if x.ndim else 1
        found[:, at : at + width] = x
        at += width
    return found


_jit = njit(cache=True, nogil=True, error_model="numpy")


@_jit
def log_half_t(u: float, scale: float) -> float:
    """Return the log density of the log of a half-t variable with 3 degrees of freedom."""
    return u - 2 * log1p((exp(u) / scale) ** 2 / 3)


@_jit
def _scale_prior(u: float, row: Array) -> float:
    slope, far, near = row[0], row[1], row[2]
    square = exp(2 * u)
    # The product of both half-t densities, of which the factors before the powers cancel.
    return slope * u - 2 * log1p(square / far + near / square + near / far)


@_jit
def _effect_sd(u: float, row: Array) -> float:
    variance, total = exp(2 * u), 0.0
    for i in range(1, len(row), 2):
        growth = 1 + variance * row[i]
        total += row[i + 1] * variance / growth - log(growth)
    return total / 2 + u - 2 * log1p(variance * row[0])


@_jit
def _residual(x: float, row: Array) -> float:
    n, square, centre, spread = row[0], row[1], row[2], row[3]
    return -n * x - square * exp(-2 * x) / 2 - ((x - centre) / spread) ** 2 / 2


@_jit
def _residual_spread(u: float, row: Array) -> float:
    m, squares, mean = row[0], row[1], row[2]
    variance = exp(2 * u)
    of_mean = row[3] + variance / m
    core = -(m - 1) * u - squares / variance / 2 - log(of_mean) / 2
    return core - mean**2 / of_mean / 2 + log_half_t(u, row[4])


@_jit
def _residual_centre(x: float, row: Array) -> float:
    return -row[0] * x - row[1] * exp(-2 * x) / 2 - (x / row[2]) ** 2 / 2


@_jit
def _standardised_spread(u: float, row: Array) -> float:
    s, total = exp(u), 0.0
    for i in range(2, len(row), 2):
        total += row[i] * exp(-2 * s * row[i + 1])
    return -row[0] * s - total / 2 + log_half_t(u, row[1])


@_jit
def _log_t(squares: Array, factor: float, nu: float, j: float) -> float:
    """Return the log density of t vectors of unit scale, without constants."""
    if nu == inf:
        return -squares.sum() * factor / 2
    constant = lgamma((nu + j) / 2) - lgamma(nu / 2) - j / 2 * log(nu)
    total = 0.0
    for square in squares:
        total += log1p(square * factor / nu)
    return len(squares) * constant - (nu + j) / 2 * total


@_jit
def _df(u: float, row: Array) -> float:
    above = exp(u)
    return row[1] * u - row[2] * above + _log_t(row[3:], 1.0, 1 + above, row[0])


@_jit
def _common(u: float, row: Array) -> float:
    nu, j, squares = row[3], row[4], row[5:]
    core = _log_t(squares, exp(-2 * u), nu, j) - len(squares) * j * u
    return core + _scale_prior(u, row)


@_jit
def _marginal(roots: Array, m: float, log_scale: float, log_kappa: float) -> float:
    """Return the log density of m normal vectors with Sigma integrated out.

    It depends on the (J,) eigenvalues of their scatter matrix; what neither s nor kappa enters is
    left out, and so are the gamma functions, which only kappa enters.
    """
    j, kappa = len(roots), exp(log_kappa)
    log_psi = log1p(kappa) + 2 * log_scale
    shrunk = 0.0
    for root in roots:
        # log(1 + root / psi): of scales that go to zero, 1 / psi is beyond all numbers.
        gap = log(root) - log_psi
        shrunk += gap + log1p(exp(-gap)) if gap > 0 else log1p(exp(gap))
    return -m * j / 2 * log_psi - (j + 2 + kappa + m) / 2 * shrunk


@_jit
def _shrinkage(u: float, row: Array) -> float:
    m, log_scale, centre, sd, roots = row[0], row[1], row[2], row[3], row[4:]
    j, kappa, constant = len(roots), exp(u), 0.0
    for i in range(j):
        half = (j + 2 + kappa - i) / 2
        constant += lgamma(half + m / 2) - lgamma(half)
    return constant + _marginal(roots, m, log_scale, u) - ((u - centre) / sd) ** 2 / 2


@_jit
def _exchange(u: float, row: Array) -> float:
    nu, m, inverse, log_scale = row[3], row[4], row[5], row[6]
    return -nu / 2 * (m * u + inverse * exp(-u)) + _scale_prior(log_scale - u / 2, row)


@_jit
def _stretch(u: float, row: Array) -> float:
    return row[3] * exp(u) - row[4] * exp(2 * u) / 2 + _scale_prior(row[5] + u, row)


@_jit
def _domain(u: float, row: Array) -> float:
    return -row[0] * u - row[1] * exp(-2 * u) / 2 + log_half_t(u, row[2])


@_jit
def _domain_unit(u: float, row: Array) -> float:
    s = exp(u)
    return s * row[0] - s**2 * row[1] / 2 + log_half_t(u, row[2])


@_jit
def log_density(quantity: int, u: float, row: Array) -> float:  # noqa: C901, PLR0911
    """Return the log density of a quantity's log, given a row of numbers."""
    if quantity == Quantity.RESIDUAL:
        return _residual(u, row)
    if quantity == Quantity.EFFECT_SD:
        return _effect_sd(u, row)
    if quantity == Quantity.RESIDUAL_SPREAD:
        return _residual_spread(u, row)
    if quantity == Quantity.RESIDUAL_CENTRE:
        return _residual_centre(u, row)
    if quantity == Quantity.STANDARDISED_SPREAD:
        return _standardised_spread(u, row)
    if quantity == Quantity.DF:
        return _df(u, row)
    if quantity == Quantity.COMMON:
        return _common(u, row)
    if quantity == Quantity.SHRINKAGE:
        return _shrinkage(u, row)
    if quantity == Quantity.UNSTRUCTURED:
        return _marginal(row[5:], row[3], u, row[4]) + _scale_prior(u, row)
    if quantity == Quantity.EXCHANGE:
        return _exchange(u, row)
    if quantity == Quantity.STRETCH:
        return _stretch(u, row)
    if quantity == Quantity.DOMAIN:
        return _domain(u, row)
    return _domain_unit(u, row)


# A slice is at most so many widths long: from a bad start it would reach to where nothing is.
_FURTHEST = 8


def slice_step(
    quantity: Quantity,
    x: Array,
    given: Array,
    width: float | Array,
    rng: np.random.Generator,
) -> Array:
    """Move each element of x by one slice-sampling step with stepping out and shrinkage.

    Parameters
    ----------
    quantity
        Quantity whose log x is.
    x
        (C,) current values.
    given
        (C, n) numbers on which the densities rest, in the order that `Quantity` names.
    width
        First guess of the slices' length; it may not depend on x.
    rng
        Random numbers.

    Returns
    -------
    numpy.ndarray
        (C,) new values.

    References
    ----------
    Neal, R. M. (2003). Slice sampling. Annals of Statistics 31, 705-767.
    https://doi.org/10.1214/aos/1056562461

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x, given = np.zeros(2000), rows(0.0, 0.0, np.zeros(2000), 1.0)  # standard normal
    >>> for _ in range(20):
    ...     x = slice_step(Quantity.RESIDUAL, x, given, 2.0, rng)
    >>> bool(abs(x.std() - 1) < 0.05)
    True
    """
    below = rng.standard_exponential(len(x))
    # An array of its own: of a view that cannot be written numba finds the type slowly.
    widths = np.empty_like(x)
    widths[:] = width
    low = x - widths * rng.random(len(x))
    left = rng.integers(_FURTHEST, size=len(x))
    new = np.empty_like(x)
    _move(int(quantity), x, given, (below, low, left, widths), new, rng)
    return new


type _Drawn = tuple[Array, Array, NDArray[np.int64], Array]


@_jit
def _move(
    quantity: int, x: Array, given: Array, drawn: _Drawn, new: Array, rng: np.random.Generator
) -> None:
    """Write new values; the slices' first ends and depths are drawn."""
    below, starts, left, width = drawn
    low, high, floor = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    still = np.ones(len(x), np.bool_)
    for i in range(len(x)):
        row = given[i]
        floor[i] = log_density(quantity, x[i], row) - below[i]
        low[i] = _stepped_out(quantity, row, floor[i], starts[i], -width[i], left[i])
        ahead = _FURTHEST - 1 - left[i]
        high[i] = _stepped_out(quantity, row, floor[i], starts[i] + width[i], width[i], ahead)
    while still.any():
        for i in range(len(x)):
            share = rng.random()
            if not still[i]:
                continue
            new[i] = low[i] + (high[i] - low[i]) * share
            if log_density(quantity, new[i], given[i]) >= floor[i]:
                still[i] = False
                continue
            if new[i] < x[i]:
                low[i] = new[i]
            else:
                high[i] = new[i]
            # A slice shrunk to nothing but its own point is that point.
            if not high[i] > low[i]:
                new[i], still[i] = x[i], False


@_jit
def _stepped_out(
    quantity: int, row: Array, floor: float, end: float, step: float, times: int
) -> float:
    """Return an end moved outwards until it is off the slice, by at most a number of steps."""
    for _ in range(times):
        if not log_density(quantity, end, row) >= floor:
            break
        end += step
    return end
