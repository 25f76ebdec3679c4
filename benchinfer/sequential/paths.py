"""What the numbers of a pair were after each replication, thinned for long histories."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from benchinfer.sequential.course import Columns
from benchinfer.sequential.design import MonitorDesign, Test
from benchinfer.sequential.gathered import Gathered
from benchinfer.sequential.stage_tests import Array, combined, running_z
from benchinfer.sequential.trail import points


def fixed_p(
    d: Array, test: Test, sides: tuple[int, ...], at: NDArray[np.int64] | None = None
) -> Array:
    """Return the p-value that a test of the first b replications alone would have.

    Parameters
    ----------
    d
        (..., D, n) differences; data sets are combined.
    test, sides
        The test and its directions.
    at
        (q,) the b; by default all from 1 to n.

    Returns
    -------
    numpy.ndarray
        (..., q), not adjusted for the looks; 1 where there is nothing to test.
    """
    chosen = np.arange(1, d.shape[-1] + 1) if at is None else at
    z = running_z(d, test, chosen)
    nothing = (np.cumsum(d != 0, axis=-1)[..., chosen - 1] == 0) | (chosen == 1)
    p = np.where(nothing, np.nan, np.stack([ndtr(-side * z) for side in sides]))
    whole = combined(np.moveaxis(p, -2, -1))  # (sides, ..., n)
    return np.minimum(len(sides) * whole.min(axis=0), 1.0)


def fixed_paths(gathered: Gathered, design: MonitorDesign) -> Columns:
    """Return the paths of p-values of tests that ignore the looks: descriptive."""
    pair: list[NDArray[np.int64]] = []
    where: list[NDArray[np.int64]] = []
    p: list[Array] = []
    for i in range(len(gathered.pairs)):
        d = gathered.of(i)
        at = points(d.shape[1])
        if not len(at):
            continue
        pair.append(np.full(len(at), i))
        where.append(at)
        p.append(fixed_p(d, design.test, design.sides, at))
    if not pair:
        return {}
    return {"pair": np.concatenate(pair), "n": np.concatenate(where), "p_raw": np.concatenate(p)}
