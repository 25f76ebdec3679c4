"""Influence of single units, such as data sets, on the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from benchinfer.comparison.contrasts import Oriented
from benchinfer.comparison.wording import becomes
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import places
from benchinfer.core.sections import Column, Table, number
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Flags, States

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Influence:
    """Estimates and verdicts without each of N units, compared with those of all; P contrasts.

    Attributes
    ----------
    measure
        The measure.
    unit
        What is left out: ``"dataset"``, ``"replication"`` or ``"algorithm"``.
    names
        (N,) names of the units.
    sides, oriented, before
        (P,) names of both sides, the same as people read them, and the verdicts of all.
    shift
        (N, P) estimate of all minus that without the unit, in standard errors of all; NaN where the
        contrast is not estimated.
    codes
        (N, P) verdicts without the unit; ``MISSING`` where the model was not fitted again.
    refitted
        (N,) whether the model was fitted again.
    cook
        (N,) Cook's distance of the differences between algorithms; None where it is not defined.
    variances
        (N,) variances without the unit, or their ratios, by the name of the column.
    """

    _home: ClassVar[str] = "benchinfer.comparison"

    measure: Measure
    unit: str
    names: tuple[str, ...]
    sides: tuple[tuple[str, str], ...]
    oriented: Oriented
    before: States
    shift: Array
    codes: States
    refitted: Flags
    cook: Array | None = None
    variances: Mapping[str, Array] = field(default_factory=dict[str, Array])

    @property
    def changed(self) -> Flags:
        """(N, P) mask of the verdicts that change without the unit."""
        return (self.codes != Verdict.MISSING) & (self.codes != self.before)

    @property
    def unit_name(self) -> str:
        """The unit in words."""
        return "data set" if self.unit == "dataset" else self.unit

    def changes(self, i: int) -> str:
        """Return the verdicts that change without unit i, in words."""
        return "; ".join(
            becomes(self.sides[p], self.before[p], self.codes[i, p], self.oriented[p])
            for p in np.flatnonzero(self.changed[i]).tolist()
        )

    def table(self) -> pd.DataFrame:
        """One row per unit, with the contrast that moves most and the verdicts that change."""
        return self._rows(dict(enumerate(self.sides)))

    def ranked(self) -> pd.DataFrame:
        """Return the table by descending shift, the better-ranked algorithm of each pair first."""
        table = self._rows(self.oriented)
        order = np.argsort(-np.nan_to_num(table["shift"].abs().to_numpy()), kind="stable")
        return table.iloc[order].rename(columns={self.unit: "unit"}).reset_index(drop=True)

    def _rows(self, pairs: Oriented) -> pd.DataFrame:
        size = np.where(np.isnan(self.shift), -1.0, np.abs(self.shift))
        most, known = size.argmax(axis=1), size.max(axis=1) >= 0
        # Where a unit moves nothing, the last digits differ.
        shift = np.round(self.shift[range(len(most)), most], 9)
        sides = [pairs[p] if one else ("", "") for p, one in zip(most, known, strict=True)]
        sign = np.array([1.0 if pairs[p] == self.sides[p] else -1.0 for p in most])
        return frame(
            {
                self.unit: list(self.names),
                **({} if self.cook is None else {"cooks_distance": self.cook}),
                "shift": np.where(known, sign * shift + 0.0, np.nan),
                "first": [first for first, _ in sides],
                "second": [second for _, second in sides],
                **self.variances,
                "refitted": self.refitted,
                "n_changed": self.changed.sum(axis=1),
                "changes": [self.changes(i) for i in range(len(self.names))],
            }
        )


def influence_table(influence: Influence, rows: pd.DataFrame, *, caption: str, note: str) -> Table:
    """Return the table of the most influential units, from rows of `Influence.ranked`."""
    return Table(
        name="influence",
        caption=caption,
        frame=rows,
        data=influence.table(),
        columns=(
            Column("unit", influence.unit_name, role="name", defined=False),
            number("shift", "moves", _size),
            Column("first", "of", _pair, role="name", also=("second",), brief=False, defined=False),
            number("cooks_distance", "Cook's distance", places(3), brief=False),
            Column("changes", "verdicts that change", role="prose"),
        ),
        note=note,
    )


def _size(shift: float) -> str:
    return places(2)(abs(shift)) if np.isfinite(shift) else "not refitted"


def _pair(first: str, second: str) -> str:
    return f"{first}, {second}" if first else ""
