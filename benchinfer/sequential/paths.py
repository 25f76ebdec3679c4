"""What the numbers of a pair were after each replication, thinned for long histories."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from benchinfer.sequential.course import Columns
from benchinfer.sequential.design import MonitorDesign, Test
from benchinfer.sequential.gathered import Gathered
from benchinfer.sequential.stage_tests import Array, combined, running_z
from benchinfer.sequential.trail import most_each, points


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


def fixed_paths(gathered: Gathered, design: MonitorDesign) -> tuple[Columns, Columns]:
    """Return the paths of p-values of tests that ignore the looks: descriptive.

    Those of pairs, and those of each data set by itself, if there are several.
    """
    whole: list[Columns] = []
    parts: list[Columns] = []
    for i in range(len(gathered.pairs)):
        d = gathered.of(i)
        at = points(d.shape[1])
        if not len(at):
            continue
        p = fixed_p(d, design.test, design.sides, at)
        whole.append({"pair": np.full(len(at), i), "n": at, "p_raw": p})
        if len(d) > 1:
            shown = points(d.shape[1], most_each(len(d)))
            parts.append(
                {
                    "pair": np.full(len(d) * len(shown), i),
                    "dataset": np.repeat(np.arange(len(d)), len(shown)),
                    "n": np.tile(shown, len(d)),
                    "p_raw": fixed_p(d[:, None], design.test, design.sides, shown).ravel(),
                }
            )
    return joined(whole), joined(parts)


def joined(parts: list[Columns]) -> Columns:
    """Put the columns of several tables below each other."""
    names = parts[0] if parts else {}
    return {name: np.concatenate([part[name] for part in parts]) for name in names}
