"""Intervals of the rates of a table whose scores are 0 or 1."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import DesignError, message, unknown
from benchinfer.measure import Measure
from benchinfer.numerics.rates import RATES, Rate, rate_interval
from benchinfer.scores.rows import Rows


@dataclass(frozen=True, slots=True)
class RateInterval:
    """Which interval of a rate is asked for; see `ScoreTable.describe`.

    Raises
    ------
    DesignError
        A part is not known.
    """

    kind: Rate
    sides: int
    level: float

    def __post_init__(self) -> None:
        if self.kind not in RATES:
            raise DesignError(unknown("interval", self.kind, RATES))
        if self.sides not in (1, 2):
            raise DesignError(unknown("sides", self.sides, (1, 2)))
        if not 0 < self.level < 1:
            raise DesignError(
                message(f"level is {self.level!r}.", hint="between 0 and 1, as in 0.95.")
            )

    def columns(
        self, rows: Rows, n: NDArray[np.int64], mean: NDArray[np.float64], measure: Measure
    ) -> dict[str, NDArray[np.float64]]:
        """Return the ends; a bound leaves the better side open up to 0 or 1.

        Raises
        ------
        DesignError
            Some scores are neither 0 nor 1.
        """
        other = rows.value[~np.isin(rows.value, (0, 1))]
        if len(other):
            raise DesignError(
                message(
                    f"{len(other)} of {len(rows.value)} scores of measure {measure.name!r} are"
                    f" neither 0 nor 1, such as {other[0]:g}.",
                    hint="intervals of rates are for items that are right or wrong; compare_pair"
                    " and compare_mixed have intervals of differences of other scores.",
                )
            )
        tail = (1 - self.level) / self.sides
        low, high = rate_interval(self.kind, np.round(n * mean), n.astype(np.float64), tail)
        if self.sides == 1 and measure.better == "lower":
            low = np.zeros_like(low)
        elif self.sides == 1:
            high = np.ones_like(high)
        return {"conf_low": low, "conf_high": high}
