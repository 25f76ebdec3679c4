"""Aggregates of the algorithms with their bootstrap draws."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchinfer.compare.evidence import Array, Level
from benchinfer.numerics import aggregates
from benchinfer.numerics.aggregates import Statistic
from benchinfer.numerics.bootstrap import Resample, Sample
from benchinfer.numerics.bootstrap_intervals import Draws, gather, lower, upper
from benchinfer.numerics.jackknife import Jackknife, jackknife


@dataclass(frozen=True, slots=True)
class Aggregated:
    """Aggregates of K algorithms with N bootstrap draws.

    Attributes
    ----------
    estimate
        (K,) aggregates, larger is better.
    draws
        (N, K) of resamples.
    jackknife
        Aggregates without each unit, for BCa; None without.
    units
        What the number of units bears, for expanded percentiles; None without.
    unit
        Size of the scores, for rounding.
    """

    estimate: Array
    draws: Array
    jackknife: Jackknife | None
    units: tuple[float, float] | None
    unit: float

    @staticmethod
    def of(
        sample: Sample,
        statistic: Statistic,
        resample: Resample,
        resamples: int,
        seed: int,
        interval: str,
        progress: Callable[[int], None] | None = None,
    ) -> "Aggregated":
        """Aggregate the sample and its resamples."""
        return Aggregated(
            aggregates.point(sample, statistic),
            aggregates.draws(sample, statistic, resample, resamples, seed, progress=progress),
            jackknife(sample, statistic, resample) if interval == "bca" else None,
            sample.units(resample) if interval == "expanded" else None,
            float(np.abs(sample.values).max(initial=0.0)) or 1.0,
        )

    def contrast(self, matrix: Array) -> Draws:
        """Return the draws of (P, K) combinations of the aggregates."""
        return gather(
            matrix @ self.estimate,
            self.draws @ matrix.T,
            self.unit,
            None if self.jackknife is None else self.jackknife.acceleration(matrix),
            self.units,
        )


def levels_of(aggregated: Aggregated, alpha: float) -> Level:
    """Return each algorithm's aggregate with an interval of its own."""
    found = aggregated.contrast(np.eye(len(aggregated.estimate)))
    return Level(aggregated.estimate, lower(found, alpha / 2), upper(found, alpha / 2))
