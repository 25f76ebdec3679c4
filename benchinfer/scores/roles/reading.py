"""Reading of a table: one role for each column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MARGIN = 3.0  # by which a reading that is taken without asking leads
KEYS = ("algorithm", "dataset", "replication", "factor", "unit", "measure", "score")


@dataclass(frozen=True, slots=True)
class TableReading:
    """One role for each column of a table, or the reason why a column has none.

    Attributes
    ----------
    roles
        Column to role: algorithm, dataset, replication, unit, factor, measure (a column of names of
        measures), score, companion, status, attribute, or "ignored: ..." with the reason.
    directions
        Column of scores to the direction that its name has; empty without one.
    layout
        "long", or "wide-algorithms", "rows-are-algorithms", "wide-replications" where columns of
        scores are named by algorithms, data sets or replications.
    shape
        Numbers of algorithms, data sets and replications.
    weight
        Evidence for the reading.
    margin
        Its lead over the next reading.
    named
        Whether algorithm and data set have names of their own role.
    contradictions
        Columns whose numbers are not what their names say, each with what is wrong.
    """

    roles: Mapping[str, str]
    directions: Mapping[str, str]
    layout: str
    shape: tuple[int, int, int]
    weight: float
    margin: float = 0.0
    named: bool = False
    contradictions: tuple[tuple[str, str], ...] = ()

    def of(self, role: str) -> tuple[str, ...]:
        """Return the columns of a role."""
        return tuple(name for name, known in self.roles.items() if known == role)

    @property
    def identity(self) -> tuple[object, ...]:
        """What distinguishes two readings: the layout and the roles that decide."""
        return self.layout, frozenset((n, r) for n, r in self.roles.items() if r in KEYS)

    @property
    def sure(self) -> bool:
        """Whether its roles may be taken without asking: far ahead, named, nothing against it."""
        far = self.margin >= MARGIN and self.weight >= 3.0
        return far and self.named and not self.contradictions
