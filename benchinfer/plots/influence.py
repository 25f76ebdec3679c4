"""Influence: a line per data set, as long as what leaving it out does to the differences."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.meta_left_out import SHOWN
from benchinfer.compare.phrases import count
from benchinfer.measure import Measure
from benchinfer.order.relation import Verdict
from benchinfer.plots import bars
from benchinfer.plots.bars import Bar, Bars
from benchinfer.plots.style import MARKS, Width, measure_name, short

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.meta_comparison import MetaComparison
    from benchinfer.compare.mixed_comparison import MixedComparison

_MOST = 20  # rows that a reader can take in
_SAID = 40  # characters of the verdicts that change


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What leaving out each data set does.

    Attributes
    ----------
    measure
        The measure.
    unit
        What is left out, in words: data set or replication.
    table
        From `MixedComparison.influence`, the largest move of a difference first.
    """

    measure: Measure
    unit: str
    table: "pd.DataFrame"

    @staticmethod
    def of(mixed: "MixedComparison") -> "LeftOut":
        """Ask a comparison.

        Raises
        ------
        DesignError
            The model is not one that can be fitted again from its moments.
        """
        return LeftOut.sorted(mixed.measure, mixed.influence())

    @staticmethod
    def of_meta(meta: "MetaComparison") -> "LeftOut":
        """Ask a meta-analysis."""
        return LeftOut.sorted(meta.measure, meta.left_out(SHOWN))

    @staticmethod
    def sorted(measure: Measure, table: "pd.DataFrame") -> "LeftOut":
        """Put the largest moves first."""
        unit = str(table.columns[0])
        order = np.argsort(-np.nan_to_num(table["shift"].abs().to_numpy()), kind="stable")
        table = table.iloc[order].rename(columns={unit: "unit"}).reset_index(drop=True)
        return LeftOut(measure, "data set" if unit == "dataset" else unit, table)

    @property
    def changing(self) -> "pd.DataFrame":
        """The rows without which some verdict is another one."""
        return self.table[self.table["n_changed"] > 0]


def layout(left: LeftOut, width: Width = "wide") -> Bars:
    """Lay out the influence of each data set; of many, those that change verdicts come first.

    Parameters
    ----------
    left
        What leaving out each does.
    width
        ``"narrow"`` counts the verdicts that change instead of naming them.
    """
    table, measure = left.table, left.measure
    first = np.argsort(-(table["n_changed"].to_numpy() > 0).astype(int), kind="stable")[:_MOST]
    shown = table.iloc[np.sort(first)]
    names = short([str(name) for name in table["unit"]], 22)
    rows = [
        _bar(names[str(name)], abs(float(shift)), int(n), str(changes), width)
        for name, shift, n, changes in zip(
            shown["unit"], shown["shift"], shown["n_changed"], shown["changes"], strict=True
        )
    ]
    top = max((row.value or 0.0 for row in rows), default=0.0)
    name = measure_name(measure)
    many, changing = len(table), len(left.changing) or "none"
    notes = ["\N{BLACK DIAMOND} some verdict changes without it, \N{BLACK CIRCLE} none does"]
    if not table["refitted"].all():
        notes.append("the model was not fitted again without all of them")
    if len(rows) < many:
        notes.append(f"{len(rows)} of {count(many, left.unit)}: those that matter most")
    return Bars(
        rows=tuple(rows),
        top=1.05 * top or 1.0,
        title=f"Leaving out one {left.unit}: {name}",
        axis="largest move of a difference between algorithms, in its standard errors",
        notes=tuple(notes),
        width=width,
        alt=f"Lines of how far differences between algorithms move when one {left.unit} of"
        f" {many} is left out, in {name}: at most {top:.2f} standard errors; {changing} of them"
        " change a verdict.",
    )


def _bar(name: str, shift: float, n: int, changes: str, width: Width) -> Bar:
    verdict = Verdict.SECOND if n else Verdict.UNDECIDED
    said = ""
    if n:
        fits = width == "wide" and len(changes) <= _SAID
        said = changes if fits else f"{count(n, 'verdict')} changed"
    marker = "D" if n else "o"
    return Bar(name, said, shift, colour=MARKS[verdict].colour, marker=marker)


size, draw = bars.size, bars.draw
