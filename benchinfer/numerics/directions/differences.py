"""Contrasts as differences of points, per unit of their standard errors."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from benchinfer.numerics.covariance import differences
from benchinfer.numerics.types import Array, Codes


@dataclass(frozen=True, slots=True)
class PointDifferences:
    """J statistics whose component along a direction is a difference of two points' components.

    All pairs of K algorithms have J = K (K - 1) / 2 rows, but only K points.
    """

    # (m, r) points, one of them zero where a contrast is no difference of two estimates
    points: Array
    # first, second: (J,) numbers of the points
    first: Codes
    second: Codes
    error: Array  # (J,) standard errors
    pairs: bool = False  # true if all are of two estimates, each two of them once

    @classmethod
    def of(cls, contrasts: Array, points: Array, error: Array) -> Self:
        """Return (J, p) contrasts of p estimates that have the (p, r) points as root."""
        pair, first, second = differences(contrasts)
        if not pair.all():
            return cls.of_rows(contrasts @ points / error[:, None])
        both = np.sort([first, second], axis=0)
        once = len(np.unique(both[0] * len(points) + both[1])) == len(contrasts)
        return cls(points, first, second, error, pairs=once)

    @classmethod
    def of_rows(cls, rows: Array) -> Self:
        """Return statistics (J, r) as differences from zero."""
        j, r = rows.shape
        return cls(np.vstack([rows, np.zeros(r)]), np.arange(j), np.full(j, j), np.ones(j))

    def __len__(self) -> int:
        """Return the number of statistics."""
        return len(self.first)

    @property
    def rank(self) -> int:
        """Dimension of the directions."""
        return self.points.shape[1]

    def rows(self) -> Array:
        """Return the statistics as rows (J, r)."""
        return (self.points[self.first] - self.points[self.second]) / self.error[:, None]

    def subset(self, rows: Codes) -> Self:
        """Return some of the statistics."""
        return replace(
            self, first=self.first[rows], second=self.second[rows], error=self.error[rows]
        )
