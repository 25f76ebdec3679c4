"""Facts of a table that findings rest on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.measure import Measure
from benchinfer.scores.coverage import Finding
from benchinfer.scores.summary import Summary

type Rule = Callable[[Facts], Finding | None]
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that rules of findings use.

    Attributes
    ----------
    summary
        Counts and moments.
    paired
        Whether algorithms share replications.
    measures
        As declared.
    """

    summary: Summary
    paired: bool
    measures: tuple[Measure, ...] = ()

    @property
    def declared(self) -> list[tuple[int, Measure]]:
        """The declared measures that have scores, each with its position."""
        names = self.summary.measures
        return [(names.index(m.name), m) for m in self.measures if m.name in names]

    def levels(self, m: int) -> NDArray[np.float64]:
        """Return the (D, K) cell means of a measure, in log units on a log scale."""
        scale = {own.name: own.scale for own in self.measures}.get(self.summary.measures[m])
        mean = self.summary.mean[m]
        if scale != "log":
            return mean
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(mean)
        return np.where(np.isfinite(logs), logs, np.nan)


def places(
    header: tuple[str, ...], rows: Sequence[Sequence[object]]
) -> tuple[tuple[str, ...], ...]:
    """Show the first rows under a header."""
    return (header, *(tuple(str(value) for value in row) for row in rows[:_SHOWN]))
