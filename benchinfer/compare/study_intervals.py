"""Intervals of one pair's effects: of each data set, of the mean, and of a new data set."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.compare.meta_prediction import prediction_of
from benchinfer.numerics import tukey

if TYPE_CHECKING:
    from benchinfer.compare.meta_comparison import MetaComparison


@dataclass(frozen=True, slots=True)
class StudyIntervals:
    """Effects of one pair on the scale of effects, from direct evidence and from the network.

    Attributes
    ----------
    datasets
        The D data sets that hold both.
    estimate, low, high
        (D,) effects with their intervals.
    weight
        (D,) weights in the mean, the largest is 1.
    pooled
        The mean of these effects and the ends of its interval.
    network
        The same from all data sets jointly, None where there are two algorithms or pairs are pooled
        alone.
    ahead
        Ends of the interval for a new data set: of the network, if there is one.
    """

    datasets: tuple[str, ...]
    estimate: Array
    low: Array
    high: Array
    weight: Array
    pooled: tuple[float, float, float]
    network: tuple[float, float, float] | None
    ahead: tuple[float, float]


def study_intervals(meta: "MetaComparison", p: int) -> StudyIntervals:
    """Return the intervals of the pair at position p, each by itself at the level of `meta`."""
    found = meta.studies.pair(int(meta.pairs[p, 0]), int(meta.pairs[p, 1]))
    y, v = found.y, found.v
    measure, own = meta.measure, meta.alone
    reach = float(tukey.critical_t(np.inf, meta.alpha)) * np.sqrt(v)
    low, high = measure.effect_interval(y - reach, y + reach)
    weight = 1 / (v + own.tau2[p])
    mean, reach_of_mean = float(own.estimate[p]), _reach(meta, own.df[p], own.std_error[p])
    joint = meta.joint and len(meta.algorithms) > 2
    network, centre = None, mean
    wide = _reach(meta, own.df[p], np.sqrt(own.std_error[p] ** 2 + own.tau2[p]))
    if joint:
        error, df, _ = prediction_of(meta)
        centre, wide = float(meta.evidence.estimate[p]), _reach(meta, df[p], error[p])
        e = meta.evidence
        network = _ends(meta, centre, _reach(meta, e.df[p], e.std_error[p]))
    _, *ahead = _ends(meta, centre, wide)
    return StudyIntervals(
        datasets=tuple(meta.studies.datasets[d] for d in found.held),
        estimate=np.asarray(measure.effect(y)),
        low=np.asarray(low),
        high=np.asarray(high),
        weight=weight / weight.max(),
        pooled=_ends(meta, mean, reach_of_mean),
        network=network,
        ahead=(ahead[0], ahead[1]),
    )


def _reach(meta: "MetaComparison", df: float, error: float) -> float:
    return float(tukey.critical_t(df, meta.alpha)) * float(error)


def _ends(meta: "MetaComparison", mean: float, reach: float) -> tuple[float, float, float]:
    """Return an effect and the ends of its interval, on the scale of effects."""
    low, high = meta.measure.effect_interval(mean - reach, mean + reach)
    return float(meta.measure.effect(mean)), float(low), float(high)
