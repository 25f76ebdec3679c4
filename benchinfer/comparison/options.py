"""Arguments of an analysis of contrasts as one record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from benchinfer.comparison.adjustment import Interval
from benchinfer.comparison.comparison import Alternative, Comparison
from benchinfer.comparison.contrasts import (
    ContrastFamily,
    Contrasts,
    check_number,
    family_of,
    implied,
)
from benchinfer.comparison.evidence import alpha_of
from benchinfer.core.arguments import ArgumentError, choices
from benchinfer.core.provenance import AnalysisOptions
from benchinfer.numerics.multiplicity import FALSE_DISCOVERY
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, kw_only=True)
class ContrastOptions(AnalysisOptions):
    """Arguments of an analysis of contrasts.

    Attributes
    ----------
    measure
        Name of the measure.
    contrasts, control
        The family of contrasts; a control alone asks for Dunnett's.
    level
        Confidence level, or probability that a verdict takes.
    """

    measure: str | None
    contrasts: Contrasts
    control: str | None
    level: float

    def __post_init__(self) -> None:
        super().__post_init__()
        alpha_of(self.level)
        object.__setattr__(self, "contrasts", implied(self.contrasts, self.control))

    @property
    def alpha(self) -> float:
        """Error rate of the family: one minus the level, free of rounding."""
        return alpha_of(self.level)

    @property
    def directed(self) -> bool:
        """True if claims are about one direction only."""
        return False

    def family(self, algorithms: tuple[str, ...], levels: Array) -> ContrastFamily:
        """Return the contrasts of algorithms with these levels."""
        return family_of(algorithms, self.contrasts, self.control, levels, directed=self.directed)

    def compared[C: Comparison](
        self, algorithms: tuple[str, ...], means: Array, compare: Callable[[ContrastFamily], C]
    ) -> C:
        """Return the comparison, repeated if its levels and the means differ on the best algorithm.

        Contrasts with the best one are tests of all pairs, of which levels do not depend on which
        ones are shown.
        """
        family = self.family(algorithms, means)
        by_name = compare(family)
        better = self.family(algorithms, by_name.levels.quality)
        return by_name if np.array_equal(family.pairs, better.pairs) else compare(better)

    def check_family(self, algorithms: tuple[str, ...]) -> None:
        """Raise an error where contrasts or their adjustment do not apply to the algorithms."""
        check_number(algorithms, self.contrasts, self.control)
        family = self.family(algorithms, np.zeros(len(algorithms)))
        adjust = getattr(self, "adjust", "none")
        # The best one is picked from all pairs.
        control = self.contrasts == "dunnett" and family.shown < 0
        if adjust in FALSE_DISCOVERY and len(family.matrix) > 1 and not control:
            raise ArgumentError(
                f"{adjust=} keeps the false discovery rate, which goes with a control that is"
                f" named, not with {family.words}, whose verdicts are read together.",
                hint='control=... names one; adjust="holm" keeps the chance'
                " of any false claim, in any family.",
            )


@dataclass(frozen=True, kw_only=True)
class TestedOptions(ContrastOptions):
    """Arguments of an analysis by tests.

    Attributes
    ----------
    alternative
        What tests are to show of the first algorithm of a contrast.
    adjust
        Adjustment for many contrasts.
    interval
        Intervals beside a test in steps, or a kind of errors or percentiles of the analysis.
    """

    alternative: Alternative
    adjust: str
    interval: str

    @property
    def directed(self) -> bool:
        """True if tests are one-sided."""
        return self.alternative != "two-sided"

    @property
    def statement(self) -> Interval:
        """Intervals beside a test in steps: compatible ones where a kind was asked for."""
        return cast("Interval", self.interval) if self._of_steps else "compatible"

    @property
    def kind(self) -> str:
        """Kind of errors or percentiles; empty where none was asked for."""
        return "" if self._of_steps else self.interval

    @property
    def _of_steps(self) -> bool:
        return self.interval in choices(Interval)
