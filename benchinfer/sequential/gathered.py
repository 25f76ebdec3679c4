"""The differences of each pair as far as they were looked at, by data set."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.betting import Array
from benchinfer.sequential.course import Course, wanted
from benchinfer.sequential.feed import Feed
from benchinfer.sequential.stage_tests import differences


class Gathered:
    """Differences of P pairs on D data sets, stage by stage.

    Attributes
    ----------
    new
        Per pair the (D, n) differences of the last stage; None for pairs that did not need it.
    """

    def __init__(self, feed: Feed, pairs: NDArray[np.int64]) -> None:
        self.feed, self.pairs = feed, pairs
        self._parts: list[list[Array]] = [[] for _ in pairs]
        self._wholes: dict[int, Array] = {}
        self.new: list[Array | None] = [None] * len(pairs)

    @property
    def n_datasets(self) -> int:
        """Number of data sets."""
        return len(self.feed.datasets)

    def take(self, live: NDArray[np.bool_], size: int, *, whole: bool) -> bool:
        """Gather the next stage for the pairs that go on; whether there was one."""
        values = self.feed.values
        who = wanted(self.pairs, live, values.shape[1])
        rows = self.feed.take(who, size, whole=whole, key=live.tobytes())
        if rows is None:
            return False
        stage = values[np.stack(rows)]
        for p, (i, j) in enumerate(self.pairs):
            if not live[p]:
                self.new[p] = None
                continue
            self.new[p] = new = differences(stage[:, :, i], stage[:, :, j])
            self._parts[p].append(new)
            self._wholes.pop(p, None)
        return True

    def part(self, measure: int, course: Course) -> "Gathered":
        """Return the pairs of one measure, whose course is given; names begin anew."""
        m = len(course.ends)
        mine = range(measure * m, (measure + 1) * m)
        k = len(self.feed.algorithms) * m // len(self.pairs)
        found = Gathered(self.feed, self.pairs[list(mine)] % k)
        found._wholes = {i: self.of(p) for i, p in enumerate(mine)}
        return found

    def of(self, p: int) -> Array:
        """Return (D, n) all differences of a pair."""
        if p not in self._wholes:
            empty = np.empty((self.n_datasets, 0))
            self._wholes[p] = np.concatenate([empty, *self._parts[p]], axis=1)
        return self._wholes[p]

    @property
    def used(self) -> NDArray[np.int64]:
        """(P,) replications per data set of each pair."""
        return np.array([self.of(p).shape[1] for p in range(len(self.pairs))], dtype=np.int64)

    @property
    def estimates(self) -> Array:
        """(P,) mean differences; of all scores there are, for a pair without a whole stage."""
        return np.array(
            [
                self.of(p).mean() if self.of(p).shape[1] else self._so_far(p)
                for p in range(len(self.pairs))
            ]
        )

    def _so_far(self, p: int) -> float:
        """Return the mean over data sets of the mean differences, NaN where there is none."""
        i, j = self.pairs[p]
        ends = self.feed.ends
        parts = [self.feed.values[a:b] for a, b in pairwise(ends)]
        each = [part[:, i] - part[:, j] for part in parts]
        means = [d[np.isfinite(d)].mean() for d in each if np.isfinite(d).any()]
        return float(np.mean(means)) if means else np.nan


def whole_differences(feed: Feed, i: int, j: int) -> Array:
    """Return (D, n) differences of two algorithms on the first n replications that have both."""
    parts: list[Array] = []
    for a, b in pairwise(feed.ends):
        rows = feed.values[a:b][:, [i, j]]
        whole = rows[np.isfinite(rows).all(axis=1)]
        parts.append(differences(whole[:, 0], whole[:, 1]))
    n = min(map(len, parts))
    return np.stack([part[:n] for part in parts])
