"""Arguments of `compare_factors`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from benchinfer.comparison.evidence import alpha_of
from benchinfer.comparison.options import TestedOptions
from benchinfer.core.provenance import AnalysisOptions

type Family = Literal["all", "main", "each"]


@dataclass(frozen=True, kw_only=True)
class FactorsOptions(AnalysisOptions):
    """Arguments of `compare_factors`; see there."""

    analysis: ClassVar[str] = "compare_factors"

    measure: str | None
    control: Mapping[str, str]
    family: Family
    level: float
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        alpha_of(self.level)

    @property
    def alpha(self) -> float:
        """Error rate of the family: one minus the level, free of rounding."""
        return alpha_of(self.level)

    def weights(self, interactions: int) -> tuple[float, float]:
        """Return the shares of the level of all main effects, and of each pair of factors.

        Examples
        --------
        >>> options = FactorsOptions(measure=None, control={}, family="all", level=0.95, seed=1)
        >>> options.weights(2), options.weights(0)
        ((0.5, 0.25), (1.0, 0.0))
        """
        if self.family == "each":
            return 1.0, 1.0
        if self.family == "main" or not interactions:
            return 1.0, 0.0
        return 0.5, 0.5 / interactions


@dataclass(frozen=True, kw_only=True)
class LevelsOptions(TestedOptions):
    """Arguments of the comparison of the levels of one factor."""

    analysis: ClassVar[str] = "compare_factors"

    factor: str
    effects: Family
    seed: int
