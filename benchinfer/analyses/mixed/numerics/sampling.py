"""Least variances of differences over data sets: those that the sampling of items alone gives.

Rates of few data sets may agree by chance, so that their spread says of a difference that it has
hardly an error. Over D data sets with scores x of 0 and 1 its mean has at least the variance

    sum_d v_d / D^2

with v_d that of the difference on data set d: of n items that both algorithms share the variance of
their differences over n, else ``x (1 - x) / (n - 1)`` of both rates together.
"""

from __future__ import annotations

import numpy as np

from benchinfer.numerics.types import Array, Codes, Flags


def of_cells(n: Codes, squares: Array) -> Array:
    """(K, K) least variances of the differences of algorithms that share no items.

    On the diagonal are those of the levels. A data set of which one algorithm has a single score
    adds nothing.

    Parameters
    ----------
    n, squares
        (D, K) numbers of scores, and sums of squares about their means.

    Examples
    --------
    >>> of_cells(np.array([[4, 5]]), np.array([[0.75, 1.2]])).round(4).tolist()
    [[0.0625, 0.1225], [0.1225, 0.06]]
    """
    variance = squares / (np.maximum(n, 1) * np.maximum(n - 1, 1))
    return _over_datasets([_of_sums(row) for row in variance], n > 0)


def of_items(dataset: Codes, present: Flags, value: Array, weight: Array | None = None) -> Array:
    """(K, K) least variances of the differences of algorithms that share items.

    Pairs that share fewer than two items of a data set are taken as independent there.

    Parameters
    ----------
    dataset
        (R,) data set of each item, 0 to D - 1.
    present, value
        (R, K) which scores there are, and the scores.
    weight
        (R,) number of items that each stands for; by default one.

    Examples
    --------
    >>> value = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    >>> of_items(np.zeros(4, int), np.isfinite(value), value).round(4).tolist()
    [[0.0625, 0.0625], [0.0625, 0.0833]]
    """
    count = np.ones(len(value)) if weight is None else weight
    parts, there = list[Array](), list[Flags]()
    for d in range(int(dataset.max()) + 1):
        rows = dataset == d
        scored = present[rows].astype(np.float64)
        weighted = scored * count[rows, None]
        y = np.where(present[rows], value[rows], 0.0)
        n, total, square = (
            weighted.T @ scored,
            (weighted * y).T @ scored,
            (weighted * y**2).T @ scored,
        )
        product, free = (weighted * y).T @ y, np.maximum(n, 1) * np.maximum(n - 1, 1)
        alone = (square - total**2 / np.maximum(n, 1)).diagonal() / free.diagonal()
        gap = total - total.T
        both = (square + square.T - 2 * product - gap**2 / np.maximum(n, 1)) / free
        paired = n >= 2
        np.fill_diagonal(paired, val=False)
        parts.append(np.where(paired, np.maximum(both, 0.0), _of_sums(alone)))
        there.append(present[rows].any(axis=0))
    return _over_datasets(parts, np.array(there))


def least_errors(variance: Array, contrasts: Array) -> Array:
    """(J,) least standard errors of (J, K) contrasts, of (K, K) variances of the differences."""
    pairs = variance - np.diag(variance.diagonal())
    squares = -((contrasts @ pairs) * contrasts).sum(axis=1) / 2
    return np.sqrt(np.maximum(squares, 0.0))


def _of_sums(variance: Array) -> Array:
    """(K, K) variances of differences of independent means, on the diagonal those of the means."""
    sums = variance[:, None] + variance
    np.fill_diagonal(sums, variance)
    return sums


def _over_datasets(parts: list[Array], present: Flags) -> Array:
    """Variance of the means over the data sets that hold both algorithms of a pair."""
    there = present.astype(np.float64)
    shared = there.T @ there
    total = sum(part * np.outer(row, row) for part, row in zip(parts, there, strict=True))
    return total / np.maximum(shared, 1) ** 2
