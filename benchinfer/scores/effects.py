"""Published effects: differences of two algorithms with their standard errors, checked."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError
from benchinfer.frames import frame
from benchinfer.measure import Measure
from benchinfer.scores.coverage import Coverage, Finding, listed
from benchinfer.scores.select import one_measure

if TYPE_CHECKING:
    import pandas as pd

type Array = NDArray[np.float64]
type EffectKind = Literal["difference", "standardised", "log-ratio"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Effects:
    """Effects of N comparisons of two algorithms, first minus second.

    Made by `read_effects`.

    Attributes
    ----------
    measures
        The measures, after harmonising.
    kind
        What estimates are: ``"difference"``, ``"standardised"`` or ``"log-ratio"``.
    study, dataset, first, second, measure_of
        (N,) labels.
    estimate, std_error
        (N,) in the unit of the measure; of log ratios the log.
    n
        (N,) size of the study, 0 where it is not known.
    domain
        (N,) domain of the data set, empty where there is no such column.
    covariates
        Covariate to (N,) numbers.
    correlation
        Of two effects of a data set that share a baseline, where the file does not tell.
    source
        Name of the file or kind of frame.
    notes
        What was found on reading, harmonising included.
    """

    measures: tuple[Measure, ...]
    kind: EffectKind
    study: tuple[str, ...]
    dataset: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    measure_of: tuple[str, ...]
    estimate: Array
    std_error: Array
    n: Array
    domain: tuple[str, ...]
    covariates: Mapping[str, Array]
    correlation: float | None
    source: str
    notes: tuple[Finding, ...]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms, sorted."""
        return tuple(sorted({*self.first, *self.second}))

    @property
    def units(self) -> tuple[str, ...]:
        """(N,) names of the data sets with their study."""
        pairs = zip(self.study, self.dataset, strict=True)
        return tuple(s if s == d else f"{s}: {d}" for s, d in pairs)

    def measure(self, name: str | None = None) -> Measure:
        """Give a measure by its name, which may be left out where there is one.

        Raises
        ------
        DesignError
            There is no such measure, or it is not clear which is meant.
        """
        return one_measure(self.measures, name)

    def findings(self) -> "pd.DataFrame":
        """Show what was found on reading: ``rule severity count where hint``."""
        return listed(self.notes)

    def of(self, name: str) -> NDArray[np.int64]:
        """Return the rows of a measure.

        Raises
        ------
        DesignError
            There is no effect of it.
        """
        found = np.flatnonzero(np.array(self.measure_of) == name)
        if not len(found):
            raise DesignError(f"there are no effects of measure {name!r}.")
        return found

    def coverage(self, name: str) -> Coverage:
        """Count the comparisons of each algorithm in each data set of a study."""
        rows = self.of(name)
        units, unit = np.unique(np.array(self.units)[rows], return_inverse=True)
        sides = [np.array(side)[rows] for side in (self.first, self.second)]
        names, code = np.unique(np.concatenate(sides), return_inverse=True)
        found = np.zeros((len(units), len(names)), np.int64)
        np.add.at(found, (np.r_[unit, unit], code), 1)
        labels = tuple(map(str, units)), tuple(map(str, names))
        return Coverage(name, *labels, found, found.max(axis=1), self.notes)

    def by_unit(self, name: str) -> list[tuple[str, NDArray[np.int64]]]:
        """Return the rows of a measure for each data set of a study, in the order of the names."""
        rows = self.of(name)
        units, unit = np.unique(np.array(self.units)[rows], return_inverse=True)
        order = np.argsort(unit, kind="stable")
        parts = np.split(rows[order], np.cumsum(np.bincount(unit))[:-1])
        return list(zip(map(str, units), parts, strict=True))

    def to_frame(self) -> "pd.DataFrame":
        """One row per effect: ``study dataset first second measure estimate std_error n``."""
        return frame(
            {
                "study": self.study,
                "dataset": self.dataset,
                "measure": self.measure_of,
                "first": self.first,
                "second": self.second,
                "estimate": self.estimate,
                "std_error": self.std_error,
                "n": self.n,
            }
        )

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that change with any effect or label, not with their order."""
        labels = zip(
            *(self.study, self.dataset, self.measure_of, self.first, self.second), strict=True
        )
        numbers = np.column_stack([self.estimate, self.std_error, self.n]).tolist()
        lines = sorted(f"{label}{number}" for label, number in zip(labels, numbers, strict=True))
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        """Say how much is there."""
        said = ", ".join(f"{m.name} ({m.better} is better)" for m in self.measures)
        return (
            f"Effects({self.source}: {len(self.estimate)} effects of {len(set(self.study))}"
            f" studies on {len(set(self.units))} data sets, {len(self.algorithms)} algorithms;"
            f" {said})"
        )
