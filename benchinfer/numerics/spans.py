"""Work cut into spans: it fits into memory, can be watched and can be interrupted."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]

# Numbers that one span of resamples may hold, and scores that it may visit: a fraction of a second.
_HELD, _VISITED = 2_000_000, 20_000_000


def in_spans(
    part: Callable[[int, int], Array],
    n: int,
    held: int,
    visited: int,
    *,
    span: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Array:
    """Return what `part` gives for resamples 0 to n - 1, span by span, along the first axis.

    Parameters
    ----------
    part
        Called with the first resample of a span and the one after its last.
    n
        Number of resamples.
    held, visited
        Numbers that one resample holds, and scores that it visits.
    span
        Resamples at a time, if not as memory and patience allow.
    progress
        Called with the number of resamples just done.

    Examples
    --------
    >>> in_spans(lambda first, last: np.arange(first, last, dtype=float), 5, 1, 1, span=2)
    array([0., 1., 2., 3., 4.])
    """
    step = span or max(1, min(_HELD // max(held, 1), _VISITED // max(visited, 1)))
    parts: list[Array] = []
    for first in range(0, n, step):
        last = min(first + step, n)
        parts.append(part(first, last))
        if progress is not None:
            progress(last - first)
    return np.concatenate(parts)
