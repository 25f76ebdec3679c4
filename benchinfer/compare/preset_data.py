"""What the tests of the literature see of each pair of algorithms: differences by data set."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array, Setting
from benchinfer.errors import DesignError, message
from benchinfer.saving import savable

if TYPE_CHECKING:
    from benchinfer.scores import ScoreTable

_FEWEST = 2
# A standard deviation below this share of the largest score is the noise of subtracted scores.
_NOISE = 1e-14


@savable
@dataclass(frozen=True, slots=True)
class Differences:
    """Differences of P pairs, first minus second, on D data sets; larger is better.

    Attributes
    ----------
    n
        (P, D) number of differences, 0 where the data set is left out for the pair. Where
        replications are not shared, 1: the difference of two means.
    mean, square
        (P, D) mean of the differences, and sum of squared deviations; 0 where there are none.
    top
        (P,) size of the largest difference.
    size
        Size of the largest score.
    constant
        (P, D) where differences of several replications are all the same.
    """

    n: NDArray[np.int64]
    mean: Array
    square: Array
    top: Array
    size: float
    constant: NDArray[np.bool_]

    @property
    def datasets(self) -> NDArray[np.int64]:
        """(P,) number of data sets that say something of the pair."""
        return (self.n > 0).sum(axis=1)

    def with_noise(self, margin: float) -> "Differences":
        """Give differences that are all the same the spread of uniform ones within the margin.

        The authors add random numbers; this is the expectation of what they add.
        """
        added = np.where(self.constant, self.n * margin**2 / 3, self.square)
        return replace(self, square=added)

    def at_least(self, fewest: int) -> "Differences":
        """Leave out data sets with fewer differences of a pair."""
        enough = self.n >= fewest
        return replace(
            self,
            n=np.where(enough, self.n, 0),
            mean=np.where(enough, self.mean, 0.0),
            square=np.where(enough, self.square, 0.0),
            constant=self.constant & enough,
        )


def differences(scores: "ScoreTable", setting: Setting, pairs: NDArray[np.int64]) -> Differences:
    """Take the differences of each pair: of shared replications, else of means of data sets.

    Parameters
    ----------
    scores, setting
        The table, narrowed to the measure, and its setting.
    pairs
        (P, 2) pairs of algorithms.
    """
    name, d = setting.measure.name, len(setting.coverage.datasets)
    if setting.paired:
        blocks = scores.blocks(name)
        values = np.where(blocks.count > 0, blocks.mean, np.nan)
        found = [_moments(values[:, i] - values[:, j], blocks.dataset, d) for i, j in pairs]
    else:
        values = scores.cells(name).mean
        found = [_moments(values[:, i] - values[:, j], np.arange(d), d) for i, j in pairs]
    n, mean, square, top = (np.array(part) for part in zip(*found, strict=True))
    size = float(np.nanmax(np.abs(values)))
    constant = (n > 1) & (square <= (n - 1) * (_NOISE * size) ** 2)
    return Differences(n, mean, np.where(constant, 0.0, square), top, size, constant)


def _moments(
    difference: Array, dataset: NDArray[np.int64], d: int
) -> tuple[NDArray[np.int64], Array, Array, float]:
    """Return number, mean and sum of squares of each data set, and the largest size."""
    there = np.isfinite(difference)
    x, index = difference[there], dataset[there]
    n = np.bincount(index, minlength=d)
    mean = np.bincount(index, x, d) / np.maximum(n, 1)
    # The first pass rounds the mean of large values; the second puts it right.
    mean += np.bincount(index, x - mean[index], d) / np.maximum(n, 1)
    square = np.bincount(index, (x - mean[index]) ** 2, d)
    return n, mean, square, float(np.abs(x).max(initial=0.0))


def require_datasets(
    found: Differences, setting: Setting, pairs: NDArray[np.int64], what: str, hint: str
) -> None:
    """Refuse pairs that share fewer than two data sets.

    Parameters
    ----------
    found
        The differences that are used.
    setting, pairs
        What is compared.
    what
        What a data set must have of both algorithms, to follow "data sets with".
    hint
        What to do.

    Raises
    ------
    DesignError
        With the pairs.
    """
    few = np.flatnonzero(found.datasets < _FEWEST)
    if not len(few):
        return
    names = setting.algorithms
    rows = [(names[pairs[p, 0]], names[pairs[p, 1]], int(found.datasets[p])) for p in few]
    raise DesignError(
        message(
            f"{len(few)} of {len(pairs)} pairs have fewer than {_FEWEST} data sets with {what}.",
            where=[("first", "second", "data sets"), *rows],
            hint=hint,
        )
    )
