"""Arguments of `compare_bootstrap`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, cast

from benchinfer.analyses.bootstrap.numerics.aggregates import Statistic
from benchinfer.analyses.bootstrap.numerics.resampling import Resample
from benchinfer.comparison import adjustment
from benchinfer.comparison.options import TestedOptions
from benchinfer.core.arguments import ArgumentError, check_count
from benchinfer.scores.normalisation import Reference

type Named = Literal["iqm", "mean", "median", "optimality-gap", "worst"]
type Interval = Literal["expanded", "percentile"]
type Adjust = Literal["auto", "holm", "none"]
FEWEST = 100
_STATISTICS = {
    "iqm": Statistic("iqm"),
    "mean": Statistic("mean"),
    "median": Statistic("quantile", 0.5),
    "optimality-gap": Statistic("mean"),
    "worst": Statistic("quantile", 0.0),
}
# Name as a level of a measure in braces, empty for the mean; of means of data sets; of scores.
_WORDS = {
    "iqm": ("interquartile mean of {}", "interquartile mean", "interquartile mean"),
    "mean": ("", "mean", "mean"),
    "median": ("median {}", "median of the data sets' means", "median of the scores"),
    "optimality-gap": ("", "mean", "mean"),
    "worst": ("worst {}", "worst of the data sets' means", "worst score"),
}


@dataclass(frozen=True, kw_only=True)
class BootstrapOptions(TestedOptions):
    """Arguments of `compare_bootstrap`; see there.

    References
    ----------
    Agarwal et al. (2021), https://doi.org/10.48550/arXiv.2108.13264
    """

    analysis: ClassVar[str] = "compare_bootstrap"

    statistic: Named | float
    resample: Resample
    interval: Interval | adjustment.Interval
    goal: Reference | None
    adjust: Adjust
    tolerance: float | None
    missing: Literal["use", "error"]
    resamples: int | Literal["auto"]
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        statistic_of(self.statistic)
        if self.resamples != "auto":
            check_count(
                "resamples",
                self.resamples,
                FEWEST,
                f"at least {FEWEST}; intervals far out need thousands.",
            )

    @property
    def percentiles(self) -> Interval:
        """Percentiles that intervals end at."""
        return cast("Interval", self.kind or "expanded")

    @property
    def gap(self) -> bool:
        """True if shortfalls from a goal are aggregated."""
        return self.statistic == "optimality-gap"


def level_name(statistic: Named | float) -> str:
    """Return the aggregate as a format string for the measure's name; empty for means."""
    if isinstance(statistic, str):
        return _WORDS[statistic][0]
    return f"{statistic:g} quantile of {{}}"


def statistic_words(statistic: Named | float, *, several: bool) -> str:
    """Return the statistic in words, of one data set or of several."""
    if isinstance(statistic, str):
        return _WORDS[statistic][1 if several else 2]
    units = "of the data sets' means" if several else "of the scores"
    return f"{statistic:g} quantile, counted from the worst, {units}"


def statistic_of(statistic: Named | float) -> Statistic:
    """Return the statistic of a name, or the quantile of a number."""
    if isinstance(statistic, str):
        if statistic not in _STATISTICS:
            raise ArgumentError(
                f"unknown statistic {statistic!r}.",
                hint=f"one of {', '.join(map(repr, _STATISTICS))}, or a number between 0 and 1"
                " for that quantile.",
            )
        return _STATISTICS[statistic]
    if not 0 < statistic < 1:
        raise ArgumentError(
            f"statistic is {statistic!r}.",
            hint='a quantile lies between 0 and 1; "worst" is the smallest.',
        )
    return Statistic("quantile", float(statistic))
