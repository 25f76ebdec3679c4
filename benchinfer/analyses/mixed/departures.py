"""Departures of data sets from the average, as a reader sees them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.comparison.evidence import Array
from benchinfer.core.errors import DesignError, message
from benchinfer.core.measure import Measure

if TYPE_CHECKING:
    from benchinfer.analyses.mixed.comparison import MixedComparison

_WORDS = {
    "domain": "domains",
    "domain:algorithm": "algorithms, between domains",
    "dataset": "difficulty of data sets",
    "dataset:algorithm": "algorithms, between data sets",
    "dataset:replication": "replications, all algorithms alike",
    "replication": "replications, all algorithms alike",
    "residual": "single scores (residual)",
}


def source_words(source: str) -> str:
    """Return what a source of variation is; unknown ones (covariates) keep their name."""
    return _WORDS.get(source, source)


@dataclass(frozen=True, slots=True)
class CaterpillarLayout:
    """The departures that are worth showing, of D data sets and P panels.

    Attributes
    ----------
    measure
        The measure.
    datasets, owners
        Their names, and those of the algorithms, or one owner for all of them.
    ends
        (D, P, 3) lower end, prediction and upper end, in the unit of contrasts.
    expected
        What a departure is one from, in words.
    level
        Level of the intervals.
    """

    measure: Measure
    datasets: tuple[str, ...]
    owners: tuple[str, ...]
    ends: Array
    expected: str
    level: float

    @property
    def side(self) -> NDArray[np.int64]:
        """(D, P) 1 where the interval holds better values only, -1 worse ones only, else 0."""
        low, high = self.ends[:, :, 0], self.ends[:, :, 2]
        above, below = low > self.measure.neutral, high < self.measure.neutral
        return self.measure.sign * (above.astype(np.int64) - below)

    @property
    def size(self) -> Array:
        """(D, P) sizes of the predictions on the modelling scale."""
        effect = self.ends[:, :, 1]
        return np.abs(effect if self.measure.scale == "identity" else np.log(effect))


def departures(mixed: "MixedComparison") -> CaterpillarLayout:
    """Return the departures of the algorithms or, where they have none, of the data sets."""
    table = mixed.departures()
    sources = set(table["source"])
    both = "dataset + dataset:algorithm"
    chosen = next(name for name in ("dataset:algorithm", both, "dataset") if name in sources)
    table = table[table["source"] == chosen]
    owners = tuple(str(name) or "all algorithms" for name in dict.fromkeys(table["algorithm"]))
    datasets = tuple(str(name) for name in dict.fromkeys(table["dataset"]))
    ends = table[["conf_low", "estimate", "conf_high"]].to_numpy(dtype=np.float64)
    expected = "the average data set"
    if chosen != "dataset":
        expected = "the algorithm's average"
        expected += " and the data set's difficulty" if "dataset" in sources else ""
    shape = (len(datasets), len(owners), 3)
    found = CaterpillarLayout(
        mixed.measure, datasets, owners, ends.reshape(shape), expected, mixed.level
    )
    if not found.size.any():
        raise DesignError(
            message(
                "no data set departs from the average in this model: the variance is zero.",
                hint="variances() says where the scores vary.",
            )
        )
    return found
