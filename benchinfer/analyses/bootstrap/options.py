"""Arguments of `compare_bootstrap`."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from benchinfer.analyses.bootstrap.numerics.aggregates import Statistic
from benchinfer.analyses.bootstrap.numerics.resampling import Resample
from benchinfer.analyses.bootstrap.sample import Normalise, Reference
from benchinfer.comparison.options import TestedOptions
from benchinfer.core.arguments import ArgumentError, check_resamples

type Named = Literal["iqm", "mean", "median", "optimality-gap", "worst"]
type Interval = Literal["percentile", "expanded", "bca"]
type Adjust = Literal["holm", "none"]
FEWEST = 100
_statistics = {
    "iqm": Statistic("iqm"),
    "mean": Statistic("mean"),
    "median": Statistic("quantile", 0.5),
    "optimality-gap": Statistic("mean"),
    "worst": Statistic("quantile", 0.0),
}


@dataclass(frozen=True, kw_only=True)
class BootstrapOptions(TestedOptions):
    """Arguments of `compare_bootstrap`; see there."""

    analysis: ClassVar[str] = "compare_bootstrap"

    statistic: Named | float
    resample: Resample
    interval: Interval
    normalise: Normalise
    goal: Reference | None
    adjust: Adjust
    tolerance: float | None
    missing: Literal["complete", "error"]
    resamples: int | Literal["auto"]
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        statistic_of(self.statistic)
        if self.resamples != "auto":
            check_resamples(
                self.resamples, FEWEST, f"at least {FEWEST}; intervals far out need thousands."
            )

    @property
    def gap(self) -> bool:
        """True if shortfalls from a goal are aggregated."""
        return self.statistic == "optimality-gap"


def level_name(given: Named | float) -> str:
    """Name the aggregate as a level of a measure in braces; empty where it is the mean."""
    if not isinstance(given, str):
        return f"{given:g} quantile of {{}}"
    return {"iqm": "interquartile mean of {}", "median": "median {}", "worst": "worst {}"}.get(
        given, ""
    )


def statistic_of(given: Named | float) -> Statistic:
    """Return what a name or a number stands for."""
    if isinstance(given, str):
        if given not in _statistics:
            raise ArgumentError(
                f"unknown statistic {given!r}.",
                hint=f"one of {', '.join(map(repr, _statistics))}, or a number between 0 and 1"
                " for that quantile.",
            )
        return _statistics[given]
    if not 0 < given < 1:
        raise ArgumentError(
            f"statistic is {given!r}.",
            hint='a quantile lies between 0 and 1; "worst" is the smallest.',
        )
    return Statistic("quantile", float(given))
