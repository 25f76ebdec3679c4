"""Aggregates of the algorithms with their bootstrap draws."""

from collections.abc import Callable
from dataclasses import dataclass, replace

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
        (K,) aggregates less the center, larger is better.
    draws
        (N, K) of resamples, alike.
    center
        The mean of all scores.
    jackknife
        Aggregates without each unit, for BCa; None without.
    units
        What the number of units bears, for expanded percentiles; None without.
    least
        The smallest one-sided p-value that the units bear.
    unit
        Size of the scores, for rounding.
    """

    estimate: Array
    draws: Array
    center: float
    jackknife: Jackknife | None
    units: tuple[float, float] | None
    least: float
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
        # Rounding is that of the spread of scores, not of their distance from 0.
        center = float(sample.values[sample.present].mean())
        sample = sample.with_values(sample.values - center)
        return Aggregated(
            aggregates.point(sample, statistic),
            aggregates.draws(sample, statistic, resample, resamples, seed, progress=progress),
            center,
            jackknife(sample, statistic, resample) if interval == "bca" else None,
            sample.units(resample) if interval == "expanded" else None,
            sample.least(resample),
            float(np.abs(sample.values).max(initial=0.0)) or 1.0,
        )

    def contrast(self, matrix: Array) -> Draws:
        """Return the draws of (P, K) combinations of the aggregates."""
        total = matrix.sum(axis=1)
        center = self.center * np.where(np.abs(total) > 1e-9, total, 0.0)
        return gather(
            matrix @ self.estimate + center,
            self.draws @ matrix.T + center,
            self.unit,
            None if self.jackknife is None else self.jackknife.acceleration(matrix),
            self.units,
            self.least,
        )


def levels_of(aggregated: Aggregated, alpha: float) -> Level:
    """Return each algorithm's aggregate with an interval of its own."""
    # No hypothesis is tested here, so that no level is too small for the units.
    found = replace(aggregated, least=0.0).contrast(np.eye(len(aggregated.estimate)))
    return Level(found.estimate, lower(found, alpha / 2), upper(found, alpha / 2))
