"""Families of contrasts, and single-step inference by the largest ``|t|`` of a family.

A family of J contrasts of multivariate t estimates is ``max|t| = R g(u)``: R^2/r follows F(r, df),
u is uniform on the unit sphere of R^r, r is the rank of the family. The radius is integrated
exactly and the direction by randomised quasi-Monte-Carlo, with the studentized range (exact under
equal variances) as control variate.

References
----------
Hothorn, T., Bretz, F. & Westfall, P. (2008). Simultaneous inference in general parametric models.
Biometrical Journal 50, 346-363. https://doi.org/10.1002/bimj.200810425

Somerville, P. N. (1997). Multiple testing and simultaneous confidence intervals: calculation of
constants. Computational Statistics & Data Analysis 25, 217-233.
https://doi.org/10.1016/S0167-9473(97)00009-0
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import chdtrc, fdtrc, ndtri, stdtr, stdtrit

from benchinfer.errors import FitError
from benchinfer.numerics import studentized

type Array = NDArray[np.float64]

_REPLICATES = 8
_SEED = 20120314
# Directions are summed up in bins of their largest |t|: each threshold then costs one evaluation
# per bin, and a bin's width enters the result only squared.
_BINS = 2048
# Where the Bonferroni bound is below this, directions are drawn where the tail is.
_TAIL = 2e-3
# Thresholds beyond this many are interpolated on a grid.
_GRID = 28


@dataclass(frozen=True, slots=True)
class Spread:
    """Values in [0, 1] summed up in bins: (replicates, bins) means and shares of each bin."""

    mean: Array
    share: Array


@dataclass(frozen=True, slots=True)
class MaxT:
    """The distribution of the largest ``|t|`` of a family of J contrasts.

    Attributes
    ----------
    df
        Degrees of freedom common to the family, ``inf`` for known variances.
    rank
        Rank r of the contrasts' covariance.
    n_means
        K where the family is all pairs with equal standard errors (exact), else 0.
    root
        (J, r) root of the contrasts' correlation matrix, unit rows.
    largest, control
        Spread of the largest ``|root u|`` over directions u, and the same under equal variances
        (empty where the family is exact, None where it is not all pairs).
    control_means
        K of the control variate, 0 where there is none.
    """

    df: float
    rank: int
    n_means: int
    root: Array
    largest: Spread
    control: Spread | None
    control_means: int


def all_pairs(k: int) -> tuple[NDArray[np.int64], Array]:
    """Return the pairs (P, 2) with first < second, and their contrasts (P, K): Tukey's family."""
    pairs = np.column_stack(np.triu_indices(k, 1)).astype(np.int64)
    contrasts = np.zeros((len(pairs), k))
    contrasts[range(len(pairs)), pairs[:, 0]] = 1
    contrasts[range(len(pairs)), pairs[:, 1]] = -1
    return pairs, contrasts


def max_t(contrasts: Array, cov: Array, df: float) -> MaxT:
    """Prepare the distribution of the largest ``|t|``.

    Parameters
    ----------
    contrasts
        (J, p) contrasts, none of them zero.
    cov
        (p, p) covariance of the estimates.
    df
        Degrees of freedom common to the family.

    Returns
    -------
    MaxT
        For `survival` and `quantile`.

    Raises
    ------
    FitError
        A contrast has no positive variance.
    """
    spread = np.einsum("jp,pq,jq->j", contrasts, cov, contrasts)
    if not (np.isfinite(spread).all() and spread.min() > 0):
        raise FitError("a contrast has no positive variance.")
    scaled = contrasts / np.sqrt(spread)[:, None]
    basis = np.linalg.svd(contrasts, full_matrices=False)
    rank = int((1e-10 * basis.S[0] < basis.S).sum())
    inner = basis.Vh[:rank] @ cov @ basis.Vh[:rank].T
    values, vectors = np.linalg.eigh(inner)
    keep = values > 1e-12 * values[-1]
    # The symmetric root keeps directions close to those of the control variate.
    half = vectors[:, keep] * np.sqrt(values[keep]) @ vectors[:, keep].T
    root = scaled @ basis.Vh[:rank].T @ half
    rank = int(keep.sum())
    k = contrasts.shape[1]
    tukey = len(contrasts) == k * (k - 1) // 2 and rank == k - 1 and _is_all_pairs(contrasts)
    equal = tukey and bool(np.ptp(spread) <= 1e-9 * spread.max())
    if equal or rank == 1:
        nothing = Spread(np.zeros((0, 0)), np.zeros((0, 0)))
        return MaxT(df, rank, k if equal else 2, root, nothing, None, 0)
    u = _directions(root.shape[1], len(root))
    largest = _largest(root, u)
    control = _largest(contrasts @ basis.Vh[: len(half)].T / np.sqrt(2), u) if tukey else None
    return MaxT(df, rank, 0, root, largest, control, k if tukey else 0)


def _is_all_pairs(contrasts: Array) -> bool:
    return bool(
        (np.sort(contrasts, axis=1)[:, [0, -1]] == [-1, 1]).all()
        and (np.abs(contrasts).sum(axis=1) == 2).all()
        and len(np.unique(np.abs(contrasts), axis=0)) == len(contrasts)
    )


def _directions(r: int, n_contrasts: int) -> Array:
    """Return (replicates, N, r) scrambled directions on the sphere; fixed seeds, so reproducible.

    In the plane (r = 2) equally spaced, randomly rotated angles are far better than Sobol points.
    """
    n_log2 = 14 if n_contrasts <= 50 else 11
    if r == 2:
        shift = np.random.default_rng(_SEED).random((_REPLICATES, 1))
        angle = 2 * np.pi * (np.arange(2**n_log2) + shift) / 2**n_log2
        return np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    from scipy.stats import qmc

    u = [
        qmc.Sobol(r, rng=np.random.default_rng(_SEED + i)).random_base2(n_log2)
        for i in range(_REPLICATES)
    ]
    z = ndtri(np.clip(np.array(u), 1e-15, 1 - 1e-15))
    return z / np.linalg.norm(z, axis=2, keepdims=True)


def _largest(root: Array, u: Array) -> Spread:
    """Sum up the largest ``|root u|``, one replicate at a time to bound the memory."""
    mean, share = np.zeros((2, len(u), _BINS))
    for i, directions in enumerate(u):
        g = np.abs(directions @ root.T).max(axis=1)
        home = np.minimum((g * _BINS).astype(np.int64), _BINS - 1)
        count = np.bincount(home, minlength=_BINS)
        mean[i] = np.bincount(home, weights=g, minlength=_BINS) / np.maximum(count, 1)
        share[i] = count / len(g)
    return Spread(mean, share)


def _radial_survival(t: float, g: Spread, r: int, df: float) -> Array:
    """Return (replicates,) the mean over directions of the radius' survival at ``t / g``."""
    ratio = (t / np.maximum(g.mean, 1e-150)) ** 2
    value = chdtrc(r, ratio) if np.isinf(df) else fdtrc(r, df, ratio / r)
    return (g.share * value).sum(axis=1)


def raw_p(t: Array, df: float | Array) -> Array:
    """Return two-sided p-values of t statistics, one by one."""
    return 2 * stdtr(df, -np.abs(t))


def critical_t(df: float | Array, alpha: float) -> Array:
    """Return the two-sided critical value of a single t statistic."""
    finite = np.isfinite(df)
    value = stdtrit(np.where(finite, df, 1.0), alpha / 2)
    return -np.where(finite, value, ndtri(alpha / 2))


def survival(family: MaxT, t: Array) -> tuple[Array, Array]:
    """Return ``P(max |t| > t)`` and the standard error of its evaluation.

    Parameters
    ----------
    family
        From `max_t`.
    t
        (n,) thresholds >= 0.

    Returns
    -------
    p, error
        (n,) each; the error is 0 where the value is exact.
    """
    t = np.asarray(t, dtype=np.float64)
    if family.n_means:
        return _exact(family, t), np.zeros_like(t)
    points, back = np.unique(t, return_inverse=True)
    if len(points) <= _GRID:
        p, error = _at(family, points)
        return p[back], error[back]
    # The ratio to Bonferroni's bound is smooth and lies between 1/J and 1.
    nodes = np.linspace(points[0], points[-1], _GRID)
    p, error = _at(family, nodes)
    bound = np.maximum(_bonferroni(family, nodes), 1e-300)
    from scipy.interpolate import PchipInterpolator

    ratio = np.exp(PchipInterpolator(nodes, np.log(np.maximum(p, 1e-300) / bound))(points))
    relative = np.interp(points, nodes, error / np.maximum(p, 1e-300))
    value = np.minimum(ratio * np.maximum(_bonferroni(family, points), 1e-300), 1.0)
    return value[back], (relative * value)[back]


def _exact(family: MaxT, t: Array) -> Array:
    if family.rank == 1:
        return raw_p(t, family.df)
    points, back = np.unique(t, return_inverse=True)
    return studentized.survival(np.sqrt(2) * points, family.n_means, family.df)[back]


def _bonferroni(family: MaxT, t: Array) -> Array:
    return len(family.root) * raw_p(t, family.df)


def _at(family: MaxT, t: Array) -> tuple[Array, Array]:
    values = [
        _tail(family, x) if b < _TAIL else _body(family, x)
        for x, b in zip(t, _bonferroni(family, t), strict=True)
    ]
    p, error = np.array(values).reshape(-1, 2).T
    return p, error


def _body(family: MaxT, t: float) -> tuple[float, float]:
    """Average the exact radial survival over directions, minus the control variate's error."""
    if t == 0:
        return 1.0, 0.0
    means = _radial_survival(t, family.largest, family.rank, family.df)
    exact = 0.0
    if family.control is not None:
        means = means - _radial_survival(t, family.control, family.rank, family.df)
        q = np.array(np.sqrt(2) * t)
        exact = float(studentized.survival(q, family.control_means, family.df))
    error = float(means.std(ddof=1) / np.sqrt(_REPLICATES))
    return min(max(exact + float(means.mean()), 0.0), 1.0), error


def _tail(family: MaxT, t: float) -> tuple[float, float]:
    """Far tail: Bonferroni's bound times the mean of 1/N, N counting the contrasts beyond t.

    A contrast is drawn, then its t beyond the threshold, then the others given it: multivariate t
    with one degree of freedom more. Relative error stays small however small the probability.
    """
    bound = float(_bonferroni(family, np.array(t)))
    if bound < 1e-280:
        return bound, 0.0  # nothing can be drawn beyond t, and the union bound is tight there
    rng = np.random.default_rng(_SEED)
    root, df = family.root, family.df
    j_count, r = root.shape
    per_batch = max(256, min(2048, 400_000 // j_count))
    means = np.empty(_REPLICATES)
    for i in range(_REPLICATES):
        j = rng.permutation(np.arange(per_batch) % j_count)
        tail = stdtr(df, -t) if np.isfinite(df) else 0.5 * chdtrc(1, t * t)
        u = (rng.permutation(per_batch) + rng.random(per_batch)) / per_batch * tail
        x = -stdtrit(df, u) if np.isfinite(df) else -ndtri(u)
        noise = rng.standard_normal((per_batch, r))
        own = root[j]
        noise -= (noise * own).sum(axis=1, keepdims=True) * own
        if np.isfinite(df):
            noise *= np.sqrt((df + x**2) / rng.chisquare(df + 1, per_batch))[:, None]
        beyond = np.abs((noise + x[:, None] * own) @ root.T) > t
        means[i] = (1 / np.maximum(beyond.sum(axis=1), 1)).mean()
    error = means.std(ddof=1) / np.sqrt(_REPLICATES)
    return float(means.mean()) * bound, float(error) * bound


def quantile(family: MaxT, alpha: float) -> float:
    """Return the c with ``P(max |t| > c) = alpha``: the simultaneous critical value."""
    low = float(critical_t(family.df, alpha))
    high = float(critical_t(family.df, alpha / len(family.root)))
    if len(family.root) == 1:
        return low

    def excess(t: float) -> float:
        p = _exact(family, np.array([t]))[0] if family.n_means else _body(family, t)[0]
        return float(p) - alpha

    return float(brentq(excess, low * (1 - 1e-9), high * (1 + 1e-9), xtol=1e-10, rtol=1e-12))
