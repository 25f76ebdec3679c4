"""Largest components of many differences of points, compiled."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.compilation import entry
from benchinfer.numerics.types import Array, Codes

type Single = NDArray[np.float32]

_NEAR = 1e-14


@entry
def raise_largest(
    along: Single,
    first: Codes,
    second: Codes,
    reach: Array,
    sides: int,
    largest: Single,
) -> None:
    """Raise (n,) values to the largest of J components along n directions.

    `along` has the components of the points (m, n); a difference is multiplied by its `reach` (J,).
    """
    for j in range(len(first)):
        a, b, scale = along[first[j]], along[second[j]], np.float32(reach[j])
        for d in range(len(largest)):
            y = (a[d] - b[d]) * scale
            if sides == 2:
                y = abs(y)
            largest[d] = max(largest[d], y)


@entry
def raise_rises(
    along: Single,
    inner: Array,
    first: Codes,
    second: Codes,
    reach: Array,
    rows: Codes,
    sides: int,
    rises: Single,
) -> None:
    """Raise (g, n) values to the largest component per unit of correlation short of 1 (or -1).

    Components count from that of the row, whose own place in the family is `rows` (g,); `inner`
    (m, g) are the points' covariances with the rows.
    """
    n = along.shape[1]
    component = np.empty((len(rows), n), np.float32)
    for g, row in enumerate(rows):
        component[g] = (along[first[row]] - along[second[row]]) * np.float32(reach[row])
    y = np.empty(n, np.float32)
    up, down = np.empty(len(rows), np.float32), np.empty(len(rows), np.float32)
    for j in range(len(first)):
        a, b, scale = along[first[j]], along[second[j]], np.float32(reach[j])
        for d in range(n):
            y[d] = (a[d] - b[d]) * scale
        for g in range(len(rows)):
            correlation = (inner[first[j], g] - inner[second[j], g]) * reach[j]
            up[g] = 1 / max(1 - correlation, _NEAR)
            down[g] = 1 / max(1 + correlation, _NEAR)
        for g in range(len(rows)):
            if rows[g] == j:
                continue
            for d in range(n):
                rise = (y[d] - component[g, d]) * up[g]
                if sides == 2:
                    rise = max(rise, -(y[d] + component[g, d]) * down[g])
                rises[g, d] = max(rises[g, d], rise)
