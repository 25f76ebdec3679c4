"""Arguments of `compare_meta`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, cast

from benchinfer.analyses.meta.numerics.pooling import Method
from benchinfer.analyses.meta.pooling import Interval
from benchinfer.analyses.meta.studies import Covariance, Effect
from benchinfer.comparison import adjustment
from benchinfer.comparison.adjustment import Adjust
from benchinfer.comparison.options import TestedOptions
from benchinfer.core.arguments import ArgumentError

type Pooling = Literal["network", "pairwise"]
type Nesting = Literal["auto", "none", "study", "domain"]


@dataclass(frozen=True, kw_only=True)
class MetaOptions(TestedOptions):
    """Arguments of `compare_meta`; see there.

    References
    ----------
    Hartung & Knapp (2001), https://doi.org/10.1002/sim.1009

    Rücker (2012), https://doi.org/10.1002/jrsm.1058
    """

    analysis: ClassVar[str] = "compare_meta"

    effect: Effect | None
    pooling: Pooling
    covariance: Covariance
    method: Method
    interval: Interval | adjustment.Interval
    nested: Nesting
    covariates: tuple[str, ...]
    adjust: Adjust
    tolerance: float | None
    missing: Literal["use", "error"]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.method == "fixed" and self.errors not in ("auto", "wald"):
            raise ArgumentError(
                f"interval={self.interval!r} takes its errors from the spread of data sets, which"
                " fixed effects leave out.",
                hint='method="reml" goes with it.',
            )
        if self.method == "fixed" and self.nested not in ("auto", "none"):
            raise ArgumentError(
                f"nested={self.nested!r} is a level of random effects.",
                hint='method="reml" goes with it.',
            )
        if (self.interval, self.pooling) == ("robust", "pairwise"):
            raise ArgumentError(
                "pairs pooled alone have errors of their own already.",
                hint='interval="hartung-knapp" goes with'
                ' pooling="pairwise", "robust" with'
                ' pooling="network".',
            )

    @property
    def errors(self) -> Interval:
        """Errors of each contrast."""
        return cast("Interval", self.kind or "auto")

    @property
    def joint(self) -> bool:
        """True if all algorithms are estimated jointly."""
        return self.pooling == "network"
