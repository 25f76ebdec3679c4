"""What numbers were after each difference: all of few, fewer of many, in a bounded space."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

type Array = NDArray[np.float64]

POINTS = 200
_FEWEST = 10  # moments of a data set, of however many


def points(n: int, most: int = POINTS) -> NDArray[np.int64]:
    """Return which of n moments are shown: at most so many, a power of two apart, and the last.

    Those of a longer history are among those of a shorter one, as far as that went.

    Examples
    --------
    >>> points(5), points(11, 4)
    (array([1, 2, 3, 4, 5]), array([ 4,  8, 11]))
    """
    step = 1
    while n > most * step:
        step *= 2
    at = np.arange(step, n + 1, step)
    return at if n % step == 0 else np.append(at, n)


def most_each(n_datasets: int) -> int:
    """Return at how many moments each of many data sets is shown."""
    return min(max(2 * POINTS // n_datasets, _FEWEST), POINTS)


@dataclass(frozen=True, slots=True)
class Trail:
    """R series of numbers at some of the moments so far.

    Attributes
    ----------
    most
        The most moments that are kept, apart from the last.
    at
        (q,) the moments, from 1.
    values
        (R, q) the numbers.
    """

    most: int
    at: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    values: Array = field(default_factory=lambda: np.empty((0, 0)))

    def after(self, new: Array) -> "Trail":
        """Return the trail with (R, n) more moments."""
        before = int(self.at[-1]) if len(self.at) else 0
        at = points(before + new.shape[1], self.most)
        old = self.values[:, np.isin(self.at, at)] if before else np.empty((len(new), 0))
        return Trail(self.most, at, np.hstack([old, new[:, at[at > before] - before - 1]]))
