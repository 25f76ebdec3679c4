"""Slice sampling of one number, whatever its density.

Every density of the sampler is a case of one function, so that one step is compiled for all.
"""

from math import exp, inf, lgamma, log, log1p

import numpy as np

from benchinfer.numerics.compilation import part
from benchinfer.numerics.types import Array

type Numbers = tuple[float, float, float, float]
# Slope, and b and c of `log_prior`.
type ScalePrior = tuple[float, float, float]

FLAT: ScalePrior = (0.0, 0.0, inf)
WIDTH = 1.5
# A slice is at most so many widths long: from a bad start it would reach to where nothing is.
_FURTHEST = 8
# What `log_density` is of, with its numbers a to d and vectors x and y.
LOG_SD = 0  # of a normal sample of size a, sum of squares b; normal prior of mean c, sd d
STRETCH = 1  # of a factor of numbers, whose likelihood has shift a and precision b; log scale c
SPREAD = 2  # of a normal numbers of mean c, squares about it b, whose mean has prior variance d
STRETCHED_SPREAD = 3  # of logs over it, y, of samples with squares x; a is the sum of sizes times y
EFFECT_SD = 4  # of normal numbers, whose likelihood has precisions x and shifts y
DF = 5  # of t vectors of a numbers and squared lengths x; gamma prior of shape b, rate c
COMMON = 6  # of the scale of such vectors with b degrees of freedom
UNSTRUCTURED = 7  # of s, from a vectors with scatter's eigenvalues x; log kappa is b
SHRINKAGE = 8  # of kappa, where log s is b; log-normal prior of median c, sd d
EXCHANGE = 9  # of a factor of a mixing scales, of which 1 / x sum to b; df c, log scale d


@part
def log_prior(u: float, prior: ScalePrior) -> float:
    """Return the log prior density ``a u - 2 log(1 + exp(2 u) / b + c exp(-2 u) + c / b)``.

    Of the log of a scale. With ``a = 1`` and ``c = 0`` it is half-t with 3 degrees of freedom and
    scale ``sqrt(b / 3)``, without constants; with ``a = 0`` the product of two such densities, of
    the scale and of another one over it, of which the factors before the powers cancel.
    """
    slope, near, far = prior
    if far == inf:
        return 0.0
    square = exp(2 * u)
    if near:
        return slope * u - 2 * log1p(square / far + near / square + near / far)
    return slope * u - 2 * log1p(square / far)


@part
def log_t(squares: Array, factor: float, nu: float, j: float) -> float:
    """Return the log density of t vectors of unit scale, without constants."""
    total = 0.0
    if nu == inf:
        for square in squares:
            total += square
        return -total * factor / 2
    constant = lgamma((nu + j) / 2) - lgamma(nu / 2) - j / 2 * log(nu)
    for square in squares:
        total += log1p(square * factor / nu)
    return len(squares) * constant - (nu + j) / 2 * total


@part
def log_marginal(roots: Array, m: float, log_scale: float, log_kappa: float) -> float:
    """Return the log density of m normal vectors with Sigma integrated out.

    It depends on the eigenvalues of their scatter matrix; what neither s nor kappa enters is left
    out, and so are the gamma functions, which only kappa enters.
    """
    j, kappa, shrunk = len(roots), exp(log_kappa), 0.0
    log_psi = log1p(kappa) + 2 * log_scale
    psi = max(exp(log_psi), 2.3e-308)  # smaller numbers have fewer digits
    for root in roots:
        shrunk += log1p(max(root, 0.0) / psi)
    return -m * j / 2 * log_psi - (j + 2 + kappa + m) / 2 * shrunk


@part
def log_density(  # noqa: C901, PLR0912 - one function of all densities compiles once
    kind: int, u: float, numbers: Numbers, prior: ScalePrior, x: Array, y: Array
) -> float:
    """Return a log density of a log u, without constants."""
    (a, b, c, d), at, value = numbers, u, 0.0
    if kind == LOG_SD:
        value = -a * u - b * exp(-2 * u) / 2 - ((u - c) / d) ** 2 / 2
    elif kind == STRETCH:
        at = c + u
        value = a * exp(u) - b * exp(2 * u) / 2
    elif kind == SPREAD:
        variance = exp(2 * u)
        of_mean = d + variance / a
        value = -(a - 1) * u - b / variance / 2 - log(of_mean) / 2 - c**2 / of_mean / 2
    elif kind == STRETCHED_SPREAD:
        s = exp(u)
        for m in range(len(x)):
            value -= x[m] * exp(-2 * s * y[m]) / 2
        value -= a * s
    elif kind == EFFECT_SD:
        variance = exp(2 * u)
        for i in range(len(x)):
            growth = variance * x[i]
            value += (y[i] ** 2 * variance / (1 + growth) - log1p(growth)) / 2
    elif kind == DF:
        value = b * u - c * exp(u) + log_t(x, 1.0, 1 + exp(u), a)
    elif kind == COMMON:
        value = log_t(x, exp(-2 * u), b, a) - len(x) * a * u
    elif kind == UNSTRUCTURED:
        value = log_marginal(x, a, u, b)
    elif kind == SHRINKAGE:
        for i in range(len(x)):
            half = (len(x) + 2 + exp(u) - i) / 2
            value += lgamma(half + a / 2) - lgamma(half)
        value += log_marginal(x, a, b, u) - ((u - c) / d) ** 2 / 2
    else:
        at = d - u / 2
        value = -c / 2 * (a * u + b * exp(-u))
    return value + log_prior(at, prior)


@part
def moved(
    kind: int,
    start: float,
    width: float,
    numbers: Numbers,
    prior: ScalePrior,
    x: Array,
    y: Array,
    rng: np.random.Generator,
) -> float:
    """Return a point drawn by one step of slice sampling with stepping out and shrinkage.

    Parameters
    ----------
    kind, numbers, prior, x, y
        As in `log_density`.
    start
        Current point.
    width
        First guess of the slice's length, which may not depend on the current point.
    rng
        Random numbers.

    References
    ----------
    Neal, R. M. (2003). Slice sampling. Annals of Statistics 31, 705-767.
    https://doi.org/10.1214/aos/1056562461

    Examples
    --------
    >>> from benchinfer.analyses.bayes.numerics.slices import LOG_SD, moved
    >>> rng, draws, none = np.random.default_rng(1), np.zeros(2000), np.empty(0)
    >>> for i in range(1, 2000):  # a half-t variable of scale 2
    ...     given = (0.0, 0.0, 0.0, np.inf), (1.0, 0.0, 3 * 2.0**2)
    ...     draws[i] = moved(LOG_SD, draws[i - 1], 1.5, *given, none, none, rng)
    >>> round(float(np.median(np.exp(draws))) / 2, 1)  # 0.76
    0.8
    """
    floor = log_density(kind, start, numbers, prior, x, y) - rng.standard_exponential()
    low = start - width * rng.random()
    high = low + width
    left = int(_FURTHEST * rng.random())
    right = _FURTHEST - 1 - left
    while right and log_density(kind, high, numbers, prior, x, y) >= floor:
        high += width
        right -= 1
    while left and log_density(kind, low, numbers, prior, x, y) >= floor:
        low -= width
        left -= 1
    while high > low:
        point = low + (high - low) * rng.random()
        if log_density(kind, point, numbers, prior, x, y) >= floor:
            return point
        if point < start:
            low = point
        else:
            high = point
    return start  # A slice shrunk to nothing but its own point is that point.
