"""How an experiment went: the end of each pair, its stages, and its path."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchinfer.order.relation import Verdict
from benchinfer.saving import savable

type Array = NDArray[np.float64]
type Columns = Mapping[str, NDArray[Any]]

GO_ON = "go on"
FUTILE = "futile"
NOT_REJECTED = "not rejected"
BROKEN_DOWN = "broken down"
# How a pair can stand, and the verdict that goes with it.
VERDICTS = {
    "first": Verdict.FIRST,
    "second": Verdict.SECOND,
    "equivalent": Verdict.EQUIVALENT,
    GO_ON: Verdict.UNDECIDED,
    FUTILE: Verdict.UNDECIDED,
    NOT_REJECTED: Verdict.UNDECIDED,
    BROKEN_DOWN: Verdict.UNDECIDED,
}


@savable
@dataclass(frozen=True, slots=True)
class Course:
    """How P pairs stand; (P,) arrays.

    Attributes
    ----------
    ends
        One of ``"first"``, ``"second"`` (is better), ``"equivalent"``, ``"futile"``, ``"not
        rejected"`` (at the last stage), ``"broken down"`` (a literal rule) and ``"go on"``.
    used
        Replications per data set that counted.
    estimate
        First minus second, mean over data sets of the mean differences of these.
    p_value, p_raw
        Adjusted for the family, and of the pair alone.
    provisional
        Whether a part of the level is kept for later stages, so that no verdict may rest on the
        p-value.
    stages, path, path_each
        Columns of `MonitorComparison.stages` and `MonitorComparison.path`, the last of the path of
        each data set, empty where there is one; pairs and data sets as index codes, ends of
        intervals as ``low`` and ``high`` on the modelling scale.
    low, high, log_e
        Confidence sequence and log e-values, where the method has them.
    """

    ends: tuple[str, ...]
    used: NDArray[np.int64]
    estimate: Array
    p_value: Array
    p_raw: Array
    provisional: NDArray[np.bool_]
    stages: Columns
    path: Columns
    low: Array | None = None
    high: Array | None = None
    log_e: Array | None = None
    path_each: Columns = field(default_factory=dict[str, NDArray[Any]])

    @property
    def live(self) -> NDArray[np.bool_]:
        """(P,) the pairs that go on."""
        return np.array([end == GO_ON for end in self.ends])


@dataclass(frozen=True, slots=True)
class Log:
    """Rows of a table as they come."""

    rows: list[dict[str, object]] = field(default_factory=list[dict[str, object]])

    def add(self, **row: object) -> None:
        """Add a row; all rows have the same columns."""
        self.rows.append(row)

    def columns(self) -> Columns:
        """Return the columns."""
        names = self.rows[0] if self.rows else {}
        return {name: np.array([row[name] for row in self.rows]) for name in names}


def wanted(pairs: NDArray[np.int64], live: NDArray[np.bool_], k: int) -> NDArray[np.bool_]:
    """Return (K,) the algorithms of the pairs that go on."""
    found = np.zeros(k, dtype=np.bool_)
    found[pairs[live].ravel()] = True
    return found
