"""Largest components of many differences of points, compiled."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.compilation import entry
from benchinfer.numerics.types import Array, Codes

type Single = NDArray[np.float32]

_NEAR = 1e-14


@entry
def raise_slopes(
    along: Single,
    inner: Array,
    first: Codes,
    second: Codes,
    reach: Array,
    rows: Codes,
    length: Array,
    sides: int,
    slopes: Single,
) -> None:
    """Raise (2, g, n) values to the largest component per unit short of a row's length.

    Components count from that of the row, whose own place in the family is `rows` (g,) and whose
    length is `length` (g,), along n directions and their opposites. What is short is the component
    along the row; `inner` (m, g) are those of the points.
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
            up[g] = 1 / max(length[g] - correlation, _NEAR)
            down[g] = 1 / max(length[g] + correlation, _NEAR)
        for g in range(len(rows)):
            if rows[g] == j:
                continue
            if sides == 1:
                for d in range(n):
                    ahead = (y[d] - component[g, d]) * up[g]
                    slopes[0, g, d] = max(slopes[0, g, d], ahead)
                    slopes[1, g, d] = max(slopes[1, g, d], -ahead)
                continue
            for d in range(n):
                ahead = (y[d] - component[g, d]) * up[g]
                back = (y[d] + component[g, d]) * down[g]
                slopes[0, g, d] = max(slopes[0, g, d], ahead, -back)
                slopes[1, g, d] = max(slopes[1, g, d], -ahead, back)
