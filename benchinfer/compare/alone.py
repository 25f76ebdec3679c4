"""Each pair on its own scores: sign flips, signed ranks, estimates and intervals."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.asked import Asked
from benchinfer.compare.evidence import Array
from benchinfer.compare.exchangeable import Exchangeable, On
from benchinfer.compare.scaled import in_units
from benchinfer.numerics import shift, signs
from benchinfer.numerics.mean_differences import mean_differences
from benchinfer.numerics.normal_shift import normal_score_shift

# Of a tolerance that is added, this share is the noise of the sum.
_SUM = 1e-15
# The noise of differences in units of their data set.
_SCALED = 1e-10


@dataclass(frozen=True, slots=True)
class Alone:
    """Unadjusted evidence of P pairs, each from its own scores; (P,) arrays.

    Attributes
    ----------
    estimate, low, high
        First minus second, with simultaneous intervals.
    mean
        Mean difference.
    statistic
        Standardised, positive where first is better.
    p, error
        P-value of the difference, and the standard error of its evaluation.
    equivalence, noninferiority
        P-values of the shifted tests at the tolerance; 1 without a tolerance.
    smallest
        The smallest p-value that so many blocks could give.
    n, zeros
        Blocks that hold both, and how many of these differ by nothing.
    skewness
        Of the differences, over its standard error under symmetry; 0 below eight blocks.
    kinds
        Null distribution of each.
    """

    estimate: Array
    low: Array
    high: Array
    mean: Array
    statistic: Array
    p: Array
    error: Array
    equivalence: Array
    noninferiority: Array
    smallest: Array
    n: NDArray[np.int64]
    zeros: NDArray[np.int64]
    skewness: Array
    kinds: tuple[str, ...]


def differences(data: Exchangeable, matrix: Array, on: On) -> Array:
    """Return (B, P) contrasts of the blocks' scores; NaN where an algorithm is absent."""
    table = data.table()
    if on == "dispersion" and data.target == "datasets":
        return _of_distances(data, table, matrix)
    there, involved = np.isfinite(table).astype(np.float64), (matrix != 0).astype(np.float64)
    lacking = there @ involved.T < involved.sum(axis=1)
    return np.where(lacking, np.nan, np.nan_to_num(table) @ matrix.T)


def _of_distances(data: Exchangeable, table: Array, matrix: Array) -> Array:
    """Return contrasts of minus the distances from the median of the pair's scores on a data set.

    The median does not look at the labels, so that flipping them leaves it as it is.
    """
    result = np.full((len(table), len(matrix)), np.nan)
    home = data.homes()
    for row, target in zip(matrix, result.T, strict=True):
        own = table[:, row != 0]
        whole = np.isfinite(own).all(axis=1)
        for d in np.unique(home[whole]):
            part = whole & (home == d)
            distance = np.abs(own[part] - np.median(own[part]))
            target[part] = -distance @ row[row != 0]
    return result


def alone(data: Exchangeable, matrix: Array, asked: Asked) -> Alone:
    """Test and estimate each contrast from its own differences.

    Parameters
    ----------
    data
        Blocks without repeats.
    matrix
        (P, K) contrasts, each of which some block bears out.
    asked
        The settings.

    Notes
    -----
    Equivalence is shown by two one-sided tests of the differences plus and minus the tolerance:
    the larger of their p-values.
    """
    d = differences(data, matrix, asked.on)
    noise = np.maximum(data.rounded[data.homes()], _SUM * asked.margin)
    d = np.where(np.abs(d) <= noise[:, None], 0.0, d)
    tests, p = len(matrix), asked.margin
    side = asked.side or 1
    columns = [side * d, *([d + p, p - d] if p > 0 else [])]
    terms = np.concatenate([_terms(data, part, asked, noise) for part in columns], axis=1)
    two_sided = (np.arange(terms.shape[1]) < tests) & (asked.side == 0)
    found = signs.sign_tests(
        terms,
        two_sided=two_sided,
        null=asked.null,
        resamples=asked.resamples,
        seed=asked.seed,
        progress=asked.told("pairs", asked.resamples),
    )
    above, below = found.p_value[tests : 2 * tests], found.p_value[2 * tests :]
    none = np.ones(tests)
    low, high, estimate, mean = _shifts(d, asked)
    return Alone(
        estimate=estimate,
        low=low,
        high=high,
        mean=mean,
        statistic=side * found.statistic[:tests],
        p=found.p_value[:tests],
        error=found.error[:tests],
        equivalence=np.maximum(above, below) if p > 0 else none,
        noninferiority=(above if side > 0 else below) if p > 0 else none,
        smallest=found.smallest[:tests],
        n=np.isfinite(d).sum(axis=0),
        zeros=(d == 0).sum(axis=0),
        skewness=skewness(d),
        kinds=found.kinds[:tests],
    )


def _terms(data: Exchangeable, d: Array, asked: Asked, noise: Array) -> Array:
    """Return the terms of the test statistics, 0 where there is none."""
    same = float(noise[0])
    if asked.scale == "dataset":
        d = np.where(np.abs(d) <= noise[:, None], 0.0, d)
        d = in_units(d, data.homes(), noise)
        same = _SCALED * float(np.nanmax(np.abs(d), initial=0.0))
    if asked.on in ("values", "dispersion"):
        return np.nan_to_num(d)
    scores = signs.signed_normal_scores if asked.on == "normal-scores" else signs.signed_ranks
    return scores(d, same)


def _shifts(d: Array, asked: Asked) -> tuple[Array, Array, Array, Array]:
    """Return interval, estimate and mean difference of each column."""
    m = d.shape[1]
    each = asked.alone(m)
    # Each column against a column of zeros; the level of the family that gives `each` to one.
    pairs = np.column_stack([np.arange(m), np.full(m, m)])
    means = mean_differences(np.column_stack([d, np.zeros(len(d))]), pairs, each**m)
    low, high, estimate = means.low, means.high, means.estimate
    if asked.on not in ("values", "dispersion"):
        invert = normal_score_shift if asked.on == "normal-scores" else shift.hodges_lehmann
        found = [invert(column[np.isfinite(column)], each) for column in d.T]
        low = np.array([one.low for one in found])
        high = np.array([one.high for one in found])
        estimate = np.array([one.estimate for one in found])
    if asked.side > 0:
        high = np.full(m, np.inf)
    if asked.side < 0:
        low = np.full(m, -np.inf)
    return low, high, estimate, means.estimate


def skewness(d: Array) -> Array:
    """Return the skewness of each column over its standard error under normality."""
    n = np.isfinite(d).sum(axis=0)
    enough = n >= 8
    some = np.maximum(n, 8)
    centred = np.nan_to_num(d - np.nansum(d, axis=0) / np.maximum(n, 1))
    variance = (centred**2).sum(axis=0) / some
    scale = np.where(variance > 0, variance, 1.0) ** 1.5
    error = np.sqrt(6 * (some - 2) / ((some + 1) * (some + 3)))
    return np.where(enough & (variance > 0), (centred**3).sum(axis=0) / some / scale / error, 0.0)
