"""Errors of differences from the spread of all entries so far."""

import numpy as np

from benchinfer.analyses.pair.numerics.t_tests import EstimatedDifference
from benchinfer.numerics.types import Array


def squares_about_means(table: Array) -> tuple[Array, Array]:
    """Return the sum of squares of each column about its mean, and its degrees of freedom.

    The columns of a table (R, E) hold the scores of entries, NaN where there is none.
    """
    present = np.isfinite(table)
    n = present.sum(axis=0)
    means = np.where(present, table, 0.0).sum(axis=0) / np.maximum(n, 1)
    return (np.where(present, table - means, 0.0) ** 2).sum(axis=0), np.maximum(n - 1.0, 0.0)


def pooled_welch(
    first: Array, second: Array, squares: Array, df: Array
) -> EstimatedDifference | None:
    """Return the difference of two means with the variance pooled over all entries so far.

    With sums of squares S_k of entries about their means and n_k scores each the variance is
    ``sum S_k / sum (n_k - 1)``. None where there is no degree of freedom.

    Parameters
    ----------
    first, second
        Scores of the two.
    squares, df
        (E,) as in `squares_about_means`.
    """
    freedom = float(df.sum())
    if freedom < 1:
        return None
    error = np.sqrt(squares.sum() / freedom * (1 / len(first) + 1 / len(second)))
    return EstimatedDifference(float(first.mean() - second.mean()), float(error), freedom)


def pooled_paired(table: Array, first: int, second: int) -> EstimatedDifference | None:
    """Return a mean difference with the residual variance of replications and entries.

    The rows of a table (R, E) are replications that entries share. On the R' rows that all entries
    have, the mean square of what an additive model leaves is s^2 with ``(R' - 1)(E - 1)`` degrees
    of freedom, and the variance of the mean of n differences ``2 s^2 / n``. None where there are
    fewer than two such rows.
    """
    complete = table[np.isfinite(table).all(axis=1)]
    rows, entries = complete.shape
    if rows < 2 or entries < 2:
        return None
    rest = complete - complete.mean(axis=1, keepdims=True)
    rest = rest - rest.mean(axis=0)
    df = (rows - 1) * (entries - 1)
    differences = table[:, first] - table[:, second]
    differences = differences[np.isfinite(differences)]
    error = np.sqrt(2 * float((rest**2).sum()) / df / len(differences))
    return EstimatedDifference(float(differences.mean()), float(error), float(df))
