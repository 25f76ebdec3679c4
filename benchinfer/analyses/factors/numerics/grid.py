"""Contrasts of the cells of a grid of factors, one number for each data set.

A contrast of levels is a difference of marginal means, over all cells of the other factors with
equal weights. Pairs of cells are never formed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from benchinfer.numerics.types import Array, Codes


@dataclass(frozen=True, slots=True)
class Grid:
    """Means of the cells of F factors on D data sets.

    Attributes
    ----------
    means
        (D, C) mean of each cell, NaN where a data set lacks it.
    codes
        (C, F) level of each factor in each cell, from 0.
    sizes
        (F,) number of levels.
    """

    means: Array
    codes: Codes
    sizes: tuple[int, ...]

    @property
    def n_cells(self) -> int:
        """Number of cells of the complete grid."""
        return prod(self.sizes)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of factors."""
        return [*combinations(range(len(self.sizes)), 2)]

    def marginal(self, *factors: int) -> Array:
        """Return (D, L, ...) means at the levels of some factors, over all cells of the others.

        NaN where a data set lacks one of these cells.
        """
        shape = tuple(self.sizes[f] for f in factors)
        place = np.ravel_multi_index(tuple(self.codes[:, f] for f in factors), shape)
        of_place = np.zeros((len(place), prod(shape)))
        of_place[np.arange(len(place)), place] = 1.0
        present = np.isfinite(self.means)
        n = present.astype(np.float64) @ of_place
        complete = n == self.n_cells // prod(shape)
        total = np.where(present, self.means, 0.0) @ of_place
        mean = np.where(complete, total / np.maximum(n, 1.0), np.nan)
        return mean.reshape(-1, *shape)

    def main(self, factor: int, pairs: Codes) -> Array:
        """Return (D, P) differences of pairs of levels (P, 2) of one factor."""
        means = self.marginal(factor)
        return means[:, pairs[:, 0]] - means[:, pairs[:, 1]]

    def simple(self, factor: int, pairs: Codes, at: int) -> Array:
        """Return (D, L, P) differences of pairs of levels at each level of another factor."""
        means = self.marginal(factor, at)
        return (means[:, pairs[:, 0]] - means[:, pairs[:, 1]]).transpose(0, 2, 1)

    def double(self, factor: int, other: int, pairs: Codes, others: Codes) -> Array:
        """Return (D, P Q) differences of differences of pairs of levels (P, 2) and (Q, 2).

        Those of the first pair come first.
        """
        simple = self.simple(factor, pairs, other)
        double = simple[:, others[:, 0]] - simple[:, others[:, 1]]
        return double.transpose(0, 2, 1).reshape(len(double), -1)


def level_pairs(size: int, control: int | None) -> Codes:
    """Return all pairs of levels, or of each other level with a control, which is second.

    Examples
    --------
    >>> level_pairs(3, None).tolist(), level_pairs(3, 0).tolist()
    ([[0, 1], [0, 2], [1, 2]], [[1, 0], [2, 0]])
    """
    if control is None:
        return np.array([*combinations(range(size), 2)], dtype=np.int64).reshape(-1, 2)
    return np.array([(a, control) for a in range(size) if a != control], dtype=np.int64)
