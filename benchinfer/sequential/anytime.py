"""E-processes of all pairs: look as often as you like.

E-values of independent data sets multiply; pairs are adjusted by Holm's steps on anytime p-values,
one over the largest e-value so far.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchinfer.measure import Measure
from benchinfer.numerics.multiplicity import holm
from benchinfer.sequential.course import GO_ON, NOT_REJECTED, Array, Columns, Course
from benchinfer.sequential.design import MonitorDesign
from benchinfer.sequential.gathered import Gathered
from benchinfer.sequential.paths import joined
from benchinfer.sequential.watched_pair import WatchedPair

_ALL = np.iinfo(np.int64).max


def anytime(
    gathered: Gathered,
    design: MonitorDesign,
    measures: Sequence[Measure],
) -> Course:
    """Bet on the differences of all pairs, as far as replications are complete.

    Parameters
    ----------
    gathered
        The differences.
    design
        What is watched.
    measures
        The measure of each pair.
    """
    pairs = [WatchedPair(design, measure, gathered.n_datasets) for measure in measures]
    ends = np.full(len(pairs), GO_ON, dtype=object)
    most = _ALL if design.last_stage is None else design.last_stage * design.stage
    while (live := ends == GO_ON).any():
        left = most - int(gathered.used[live].max())
        if left <= 0:
            ends[live] = NOT_REJECTED
            break
        if not gathered.take(live, left, whole=False):
            break
        for i in np.flatnonzero(live):
            new = gathered.new[i]
            if new is not None:
                pairs[i].bet(new, gathered.of(int(i)))
        _decide(ends, pairs, design, measures)
    return _course(gathered, design, pairs, ends)


def _p(pairs: list[WatchedPair]) -> Array:
    return np.exp(-np.array([one.peak for one in pairs]))


def _decide(
    ends: NDArray[np.object_],
    pairs: list[WatchedPair],
    design: MonitorDesign,
    measures: Sequence[Measure],
) -> None:
    """Retire decided pairs; a difference that does not matter is equivalent, even if shown."""
    small = holm(_p(pairs)) <= design.alpha
    for i in np.flatnonzero(ends == GO_ON).tolist():
        margin, (low, high) = measures[i].margin, pairs[i].interval
        if margin > 0 and -margin <= low and high <= margin:
            ends[i] = "equivalent"
        elif small[i]:
            leader = pairs[i].leader if len(design.sides) == 2 else design.sides[0]
            ends[i] = "first" if leader > 0 else "second"


def _course(
    gathered: Gathered,
    design: MonitorDesign,
    pairs: list[WatchedPair],
    ends: NDArray[np.object_],
) -> Course:
    p = _p(pairs)
    low, high = np.array([pair.interval for pair in pairs]).T
    some = [(i, pair) for i, pair in enumerate(pairs) if pair.n]
    several = gathered.n_datasets > 1
    return Course(
        ends=tuple(ends.tolist()),
        used=gathered.used,
        estimate=gathered.estimates,
        p_value=holm(p),
        p_raw=p,
        provisional=np.zeros(len(pairs), dtype=np.bool_),
        stages=joined([_of(i, _stage(pair, design, p[i], ends[i])) for i, pair in some]),
        path=joined([_of(i, pair.path()) for i, pair in some]),
        path_each=joined([_of(i, pair.path_each()) for i, pair in some if several]),
        low=low,
        high=high,
        log_e=np.array([pair.log_e for pair in pairs]),
    )


def _stage(pair: WatchedPair, design: MonitorDesign, p: float, end: str) -> Columns:
    """Return one row per data set: how the pair stood when it was last looked at."""
    each = pair.log_e_datasets
    same = {
        "stage": -(-pair.n // design.stage),
        "n": pair.n,
        "log_e": pair.log_e,
        "p_raw": p,
        "decision": np.array(end, dtype=object),
    }
    return {
        "dataset": np.arange(len(each)),
        "log_e_dataset": each,
        **{name: np.full(len(each), value) for name, value in same.items()},
    }


def _of(pair: int, columns: Columns) -> Columns:
    return {"pair": np.full(len(columns["n"]), pair), **columns}
