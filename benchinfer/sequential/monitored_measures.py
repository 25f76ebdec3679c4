"""Several measures of one running experiment, decided together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchinfer.compare.phrases import count
from benchinfer.order.ensemble import Ensemble
from benchinfer.saving import savable
from benchinfer.sequential import words
from benchinfer.sequential.monitor_comparison import MonitorComparison, Standing
from benchinfer.showable import Showable

if TYPE_CHECKING:
    import pandas as pd


@savable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MonitoredMeasures(Showable, Mapping[str, MonitorComparison]):
    """One comparison per measure: a mapping from measure to comparison.

    The error over all measures, pairs and looks together is at most one minus the level.

    Attributes
    ----------
    results
        Name of the measure to comparison.
    """

    results: Mapping[str, MonitorComparison]

    def __getitem__(self, measure: str) -> MonitorComparison:
        """Return the comparison by one measure."""
        return self.results[measure]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the measures."""
        return iter(self.results)

    def __len__(self) -> int:
        """Return the number of measures."""
        return len(self.results)

    @property
    def decision(self) -> Standing:
        """Whether the experiment can stop: ``"go on"`` as long as a pair of some measure does.

        ``"decided"``: every pair has a verdict by every measure. ``"undecidable"``: no pair goes
        on, and some ended without a verdict.
        """
        found = {result.decision for result in self.values()}
        if "go on" in found:
            return "go on"
        return "undecidable" if "undecidable" in found else "decided"

    def next_cells(self) -> "pd.DataFrame":
        """Return the cells to run next: ``dataset replication algorithm``, one row per run.

        A run gives the scores of all measures, so a cell that several need is there once.
        """
        table = self._stack([result.next_cells() for result in self.values()])
        return table.drop_duplicates(ignore_index=True)

    def relations(self, rule: str = "evidence") -> Ensemble:
        """Return the relations of the measures: an ensemble in which each has weight 1."""
        return Ensemble({name: result.relation(rule) for name, result in self.items()})

    def contrasts(self) -> "pd.DataFrame":
        """Return the contrasts of all measures, one row per measure and pair."""
        return self._stack([result.contrasts() for result in self.values()])

    def diagnostics(self) -> "pd.DataFrame":
        """Return the diagnostics of all measures with a leading ``measure`` column."""
        tables = [result.diagnostics() for result in self.values()]
        for name, table in zip(self, tables, strict=True):
            table.insert(0, "measure", name)
        return self._stack(tables)

    def _stack(self, tables: "list[pd.DataFrame]") -> "pd.DataFrame":
        import pandas as pd

        some = [table for table in tables if len(table)]
        return pd.concat(some or tables[:1], ignore_index=True)

    def headline(self) -> str:
        """Return how the whole experiment stands, in one sentence."""
        ends = [end for result in self.values() for end in result.course.ends]
        return words.standing(ends, self.decision)

    def __str__(self) -> str:
        """Return one line per measure, and whether to go on."""
        return "\n".join([*map(str, self.values()), f"All measures: {self.headline()}"])

    def __repr__(self) -> str:
        """Return the number of measures and the state."""
        return f"<MonitoredMeasures: {count(len(self), 'measure')}, {self.decision}>"
