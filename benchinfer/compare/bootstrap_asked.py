"""What a bootstrap is asked for, and how many resamples that takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchinfer.compare.adjust import sidak
from benchinfer.compare.comparison import Target
from benchinfer.compare.contrasts import Family
from benchinfer.compare.evidence import alpha_of
from benchinfer.numerics.aggregates import Statistic
from benchinfer.numerics.bootstrap import Resample, Sample
from benchinfer.numerics.bootstrap_intervals import contracted

# Resamples beyond a bound that place it well; the fewest that are drawn unless asked for; the most
# scores visited (seconds), and the most numbers held (100 MB), for the sake of more.
BEYOND, _FEWEST, _VISITS, _HELD = 25, 10_000, 1e9, 1.2e7


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for: statistic, resampling, and how many contrasts are adjusted for.

    Attributes
    ----------
    statistic, interval, resample, target, n_contrasts, sides, alpha, normalise
        As in `compare_bootstrap`, and what follows from it.
    resamples
        Their number.
    least
        The smallest one-sided p-value that the units bear.
    share
        Share of resamples beyond a bound of one contrast.
    """

    statistic: Statistic
    interval: str
    resample: Resample
    resamples: int
    target: Target
    n_contrasts: int
    sides: int
    alpha: float
    normalise: object
    least: float
    share: float

    @staticmethod
    def of(
        statistic: Statistic, family: Family, given: Mapping[str, Any], sample: Sample
    ) -> "Asked":
        """Take it from the arguments of `compare_bootstrap`."""
        n = len(family.matrix) if given["adjust"] == "holm" else 1
        sides = 2 if given["alternative"] == "two-sided" else 1
        alpha, resample = alpha_of(given["level"]), given["resample"]
        one = sidak(alpha, n) / 2 if sides == 2 else alpha / n
        least, share = sample.least(resample), one
        if given["interval"] == "expanded":
            share = float(contracted(np.array(one), sample.units(resample)))
        resamples = given["resamples"]
        if resamples == "auto":
            # Where the units cannot bear the level, no number helps.
            many = _enough(share, sample, len(family.matrix)) if one >= least else 0
            resamples = max(_FEWEST, many)
        return Asked(
            statistic=statistic,
            interval=given["interval"],
            resample=resample,
            resamples=resamples,
            target="datasets" if resample == "replications" else "domain",
            n_contrasts=n,
            sides=sides,
            alpha=alpha,
            normalise=given["normalise"],
            least=least,
            share=share,
        )


def _enough(share: float, sample: Sample, contrasts: int) -> int:
    """Return how many resamples place the bounds, or as many as time and memory allow."""
    held = max(contrasts, sample.values.shape[1])
    return int(min(np.ceil(BEYOND / share), _VISITS / sample.values.size, _HELD / held))
