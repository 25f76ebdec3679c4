"""Arguments of `board`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from benchinfer.analyses.board.numerics.spending import Spending
from benchinfer.analyses.board.tests import Spread
from benchinfer.core.arguments import ArgumentError, check_level
from benchinfer.core.provenance import AnalysisOptions

type Against = Literal["holder", "all"]


@dataclass(frozen=True, kw_only=True)
class BoardOptions(AnalysisOptions):
    """Arguments of `board`; see there."""

    analysis: ClassVar[str] = "board"

    measure: str
    sequence: str | tuple[str, ...]
    by_more_than: float
    level: float
    spending: Spending
    horizon: int | None
    against: Against
    spread: Spread

    def __post_init__(self) -> None:
        super().__post_init__()
        check_level(self.level)
        if not 0 <= self.by_more_than < math.inf:
            raise ArgumentError(
                f"by_more_than is {self.by_more_than!r}.",
                hint="a difference of 0 or more, as in 0.005.",
            )
        if self.horizon is not None and self.horizon < 1:
            raise ArgumentError(
                f"horizon is {self.horizon}.", hint="a number of tests from 1, as in 100."
            )
