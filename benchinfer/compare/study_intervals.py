"""Intervals of one pair's effects: of each data set, of the mean, and of a new data set."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.numerics import tukey

if TYPE_CHECKING:
    from benchinfer.compare.meta_comparison import MetaComparison


@dataclass(frozen=True, slots=True)
class StudyIntervals:
    """Effects of one pair, from direct evidence alone, on the scale of effects.

    Attributes
    ----------
    datasets
        The D data sets that hold both.
    estimate, low, high
        (D,) effects with their intervals.
    weight
        (D,) weights in the mean, the largest is 1.
    pooled
        The mean effect and the ends of its interval.
    ahead
        Ends of the interval for a new data set.
    """

    datasets: tuple[str, ...]
    estimate: Array
    low: Array
    high: Array
    weight: Array
    pooled: tuple[float, float, float]
    ahead: tuple[float, float]


def study_intervals(meta: "MetaComparison", p: int) -> StudyIntervals:
    """Return the intervals of the pair at position p, each by itself at the level of `meta`."""
    found = meta.studies.pair(int(meta.pairs[p, 0]), int(meta.pairs[p, 1]))
    y, v = found.y, found.v
    measure, own = meta.measure, meta.alone
    reach = float(tukey.critical_t(np.inf, meta.alpha)) * np.sqrt(v)
    low, high = measure.effect_interval(y - reach, y + reach)
    weight = 1 / (v + own.tau2[p])
    t, error = float(tukey.critical_t(own.df[p], meta.alpha)), float(own.std_error[p])
    mean, wide = float(own.estimate[p]), t * float(np.sqrt(error**2 + own.tau2[p]))
    ends = measure.effect_interval(mean - t * error, mean + t * error)
    ahead = measure.effect_interval(mean - wide, mean + wide)
    return StudyIntervals(
        datasets=tuple(meta.studies.datasets[d] for d in found.held),
        estimate=np.asarray(measure.effect(y)),
        low=np.asarray(low),
        high=np.asarray(high),
        weight=weight / weight.max(),
        pooled=(float(measure.effect(mean)), float(ends[0]), float(ends[1])),
        ahead=(float(ahead[0]), float(ahead[1])),
    )
