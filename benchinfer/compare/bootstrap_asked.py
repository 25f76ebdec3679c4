"""What a bootstrap is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchinfer.compare.comparison import Target
from benchinfer.compare.contrasts import Family
from benchinfer.compare.evidence import alpha_of
from benchinfer.numerics.aggregates import Statistic
from benchinfer.numerics.bootstrap import Resample


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for: statistic, resampling, and how many contrasts are adjusted for."""

    statistic: Statistic
    interval: str
    resample: Resample
    resamples: int
    target: Target
    n_contrasts: int
    sides: int
    alpha: float
    normalise: object

    @staticmethod
    def of(statistic: Statistic, family: Family, given: Mapping[str, Any]) -> "Asked":
        """Take it from the arguments of `compare_bootstrap`."""
        return Asked(
            statistic=statistic,
            interval=given["interval"],
            resample=given["resample"],
            resamples=given["resamples"],
            target="datasets" if given["resample"] == "replications" else "domain",
            n_contrasts=len(family.matrix) if given["adjust"] == "holm" else 1,
            sides=2 if given["alternative"] == "two-sided" else 1,
            alpha=alpha_of(given["level"]),
            normalise=given["normalise"],
        )
