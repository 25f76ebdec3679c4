"""Harm of a candidate by data set: on average, on a typical one, and on the worst."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, fixed, join
from benchinfer.core.saving import savable
from benchinfer.numerics.shifts import hodges_lehmann
from benchinfer.scores.table import ScoreTable

type Unit = Literal["data set", "domain", "case"]
_FEWEST = 2  # data sets that differ from each other
_SHOWN = 3  # data sets that a sentence names


@savable
@dataclass(frozen=True, slots=True)
class Harm:
    """Differences of data sets, candidate minus baseline on the modelling scale.

    Attributes
    ----------
    mean, typical
        Their mean, and the median of the means of all pairs of them (Hodges and Lehmann's).
    beyond
        The data sets on which the candidate is worse by more than the tolerance, the worst first,
        with their difference.
    ends
        The least and the largest of them.
    n_datasets
        Number of data sets.
    constant
        Whether the candidate differs by the same on all of them, but for rounding.
    unit
        What they are: data sets, domains, or cases of a tool that times programs.
    """

    mean: float
    typical: float
    beyond: Mapping[str, float]
    ends: tuple[float, float]
    n_datasets: int
    constant: bool
    unit: Unit

    def split(self, limit: float) -> bool:
        """Return whether the mean and the typical difference lie on different sides of a limit."""
        return (self.mean < limit) != (self.typical < limit)

    def named(self, measure: Measure) -> str:
        """Return the data sets beyond the tolerance in words; empty where there are none."""
        if not self.beyond:
            return ""
        shown = list(self.beyond.items())[:_SHOWN]
        words = [f"{name} ({said(measure, value)})" for name, value in shown]
        if more := len(self.beyond) - len(shown):
            words.append(f"{more:,} more")
        return f"{len(self.beyond):,} of {count(self.n_datasets, self.unit)}: {join(words)}"


def said(measure: Measure, difference: float) -> str:
    """Return a difference on the modelling scale as the measure reports effects, with its sign."""
    value = float(measure.effect(difference))
    if measure.scale != "identity" or value == 0:
        return fixed(value, 2)
    places = max(0, 1 - math.floor(math.log10(abs(value))))  # two digits
    return f"{value:+,.{places}f}"


def harm(
    scores: ScoreTable,
    measure: str,
    baseline: str,
    candidate: str,
    unit: Unit = "data set",
) -> Harm | None:
    """Return the harm by data set, None where there is one alone.

    Parameters
    ----------
    scores
        Scores of both algorithms on each data set.
    measure, baseline, candidate
        Names of the measure and the algorithms.
    unit
        What the data sets of the table are.
    """
    cells = scores.cells(measure)
    first, second = (cells.algorithms.index(name) for name in (candidate, baseline))
    differences = cells.mean[:, first] - cells.mean[:, second]
    held = np.isfinite(differences)
    if held.sum() < _FEWEST:
        return None
    names = [name for name, there in zip(cells.datasets, held, strict=True) if there]
    d = differences[held]
    order = np.argsort(d, kind="stable")
    margin = cells.measure.margin
    return Harm(
        mean=float(d.mean()),
        typical=hodges_lehmann(d).estimate,
        beyond={names[i]: float(d[i]) for i in order if d[i] < -margin},
        ends=(float(d.min()), float(d.max())),
        n_datasets=len(d),
        constant=bool(np.ptp(d) <= cells.rounding[held].max()),
        unit=unit,
    )
