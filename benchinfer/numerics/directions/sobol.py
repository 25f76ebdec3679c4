"""Sobol points, scrambled.

They are those of ``scipy.stats.qmc.Sobol``, a package that takes nearly as long to load as pandas.

References
----------
Joe, S. & Kuo, F. Y. (2008). Constructing Sobol sequences with better two-dimensional projections.
SIAM Journal on Scientific Computing 30, 2635-2654. https://doi.org/10.1137/070709359

Matousek, J. (1998). On the L2-discrepancy for anchored boxes. Journal of Complexity 14, 527-556.
https://doi.org/10.1006/jcom.1998.0489
"""

from importlib.resources import files

import numpy as np

from benchinfer.numerics.types import Array

_BITS = 30
_POWERS = 1 << np.arange(_BITS, dtype=np.uint32)


def scrambled(d: int, log_points: int, rng: np.random.Generator) -> Array:
    """Return (2^log_points, d) points of the unit cube, by random matrices and shifts.

    Dimensions beyond those whose direction numbers are known, 1,024, are plain random numbers.

    Examples
    --------
    >>> scrambled(2, 2, np.random.default_rng(1)).round(2).tolist()
    [[0.29, 0.16], [0.58, 0.94], [0.84, 0.32], [0.04, 0.54]]
    """
    with (files("benchinfer.numerics.directions") / "sobol.npy").open("rb") as file:
        directions = np.load(file)  # (1024, 30) numbers of Joe and Kuo
    known, stream = min(d, len(directions)), rng.spawn(1)[0]
    shift = stream.integers(2, size=(known, _BITS), dtype=np.uint32) @ _POWERS
    lower = np.tril(stream.integers(2, size=(known, _BITS, _BITS), dtype=np.uint32), -1)
    matrices = (lower + np.eye(_BITS, dtype=np.uint32)) @ _POWERS[::-1]
    odd = np.bitwise_count(matrices[:, None] & directions[:known, :, None]) & 1
    numbers = odd @ _POWERS[::-1]
    points = shift[None]
    # By Gray's code: the second half is the first one backwards, but for one bit.
    for bit in range(log_points):
        points = np.concatenate([points, points[::-1] ^ numbers[:, bit]])
    cube = points.astype(np.float64) * 0.5**_BITS
    return np.column_stack([cube, stream.random((len(cube), d - known))]) if d > known else cube
