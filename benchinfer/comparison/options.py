"""Arguments of an analysis as one record."""

from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast, get_type_hints

import numpy as np

from benchinfer.comparison.comparison import Alternative, Comparison
from benchinfer.comparison.contrasts import (
    ContrastFamily,
    Contrasts,
    check_number,
    family_of,
    implied,
)
from benchinfer.comparison.evidence import Array, Provenance, Setting, alpha_of
from benchinfer.core import version
from benchinfer.core.arguments import check_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions:
    """Arguments of an analysis, each one that there is.

    Attributes
    ----------
    measure
        Name of the measure.
    """

    analysis: ClassVar[str]

    measure: str | None

    def __post_init__(self) -> None:
        for name, kind in _hints(type(self)).items():
            check_choice(name, getattr(self, name), kind)

    @classmethod
    def of(cls, provenance: Provenance) -> Self:
        """Return the options that a result was made with."""
        return cls(**cast("Mapping[str, Any]", provenance.arguments))

    def arguments(self) -> dict[str, object]:
        """Return the arguments by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def provenance(self, setting: Setting, adjustment: str, seed: int | None = None) -> Provenance:
        """Return where a result comes from."""
        return Provenance(
            analysis=self.analysis,
            version=version.__version__,
            arguments=self.arguments(),
            adjustment=adjustment,
            digest=setting.digest,
            seed=seed,
        )


@cache
def _hints(kind: type[AnalysisOptions]) -> "Mapping[str, Any]":
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


@dataclass(frozen=True, kw_only=True)
class ContrastOptions(AnalysisOptions):
    """Arguments of an analysis of contrasts.

    Attributes
    ----------
    contrasts, control
        The family of contrasts; a control alone asks for Dunnett's.
    level
        Confidence level, or probability that a verdict takes.
    """

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
        self, algorithms: tuple[str, ...], means: Array, compare: "Callable[[ContrastFamily], C]"
    ) -> C:
        """Compare with the family by the means, or if its levels have another best one, by these.

        Contrasts with the best one are tests of all pairs, of which levels do not depend on which
        ones are shown.
        """
        family = self.family(algorithms, means)
        found = compare(family)
        better = self.family(algorithms, found.levels.estimate)
        return found if np.array_equal(family.pairs, better.pairs) else compare(better)

    def check_family(self, algorithms: tuple[str, ...]) -> None:
        """Refuse contrasts that these algorithms have not, before any work."""
        check_number(algorithms, self.contrasts, self.control)
        self.family(algorithms, np.zeros(len(algorithms)))


@dataclass(frozen=True, kw_only=True)
class TestedOptions(ContrastOptions):
    """Arguments of an analysis by tests.

    Attributes
    ----------
    alternative
        What tests are to show of the first algorithm of a contrast.
    adjust
        Adjustment for many contrasts.
    """

    alternative: Alternative
    adjust: str

    @property
    def directed(self) -> bool:
        """True if tests are one-sided."""
        return self.alternative != "two-sided"
