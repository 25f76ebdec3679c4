"""E-processes of all pairs: look as often as you like.

E-values of independent data sets multiply; pairs are adjusted by Holm's steps on anytime p-values,
one over the largest e-value so far.
"""

import numpy as np
from numpy.typing import NDArray

from benchinfer.measure import Measure
from benchinfer.numerics.betting import MeanBet, SymmetryBet
from benchinfer.numerics.multiplicity import holm
from benchinfer.sequential.anytime_paths import paths
from benchinfer.sequential.course import GO_ON, NOT_REJECTED, Array, Course, Log
from benchinfer.sequential.design import MonitorDesign
from benchinfer.sequential.gathered import Gathered
from benchinfer.sequential.sequences import intervals

type Bet = SymmetryBet | MeanBet
type Settled = dict[int, int]

_ALL = np.iinfo(np.int64).max


class _Capital:
    """The capital of one pair: bets on each data set, and what they have made of it."""

    def __init__(self, bet: Bet, n_datasets: int, design: MonitorDesign) -> None:
        self._bets = [bet] * n_datasets
        self._design = design
        self.log_e: list[Array] = []
        self.by_dataset: list[Array] = []
        self.peak, self.leader = 0.0, 0

    def bet(self, new: Array) -> None:
        """Bet on (D, n) more differences."""
        up, down, each = *np.zeros((2, new.shape[1])), np.empty(new.shape)
        for d, row in enumerate(new):
            self._bets[d], paths = self._bets[d].after(row)
            up, down = up + paths.up, down + paths.down
            each[d] = self._directed(paths.up, paths.down)
        log_e = self._directed(up, down)
        at = int(np.argmax(log_e))
        if log_e[at] > self.peak:
            self.peak, self.leader = float(log_e[at]), 1 if up[at] >= down[at] else -1
        self.log_e.append(log_e)
        self.by_dataset.append(each)

    def _directed(self, up: Array, down: Array) -> Array:
        if len(self._design.sides) == 2:
            return np.logaddexp(up, down) - np.log(2)
        return up if self._design.sides[0] > 0 else down


def anytime(
    gathered: Gathered, design: MonitorDesign, measure: Measure, settled: Settled
) -> Course:
    """Bet on the differences of all pairs, as far as replications are complete.

    Parameters
    ----------
    gathered
        The differences.
    design, measure
        What is watched.
    settled
        Pairs found equivalent before, with their replications then; new ones are added.
    """
    m = len(gathered.pairs)
    capital = [_Capital(bet_of(design, measure), gathered.n_datasets, design) for _ in range(m)]
    ends, log = np.full(m, GO_ON, dtype=object), Log()
    look, most = 0, _ALL if design.last_stage is None else design.last_stage * design.stage
    while (live := ends == GO_ON).any():
        left = most - int(gathered.used[live].max())
        if left <= 0:
            ends[live] = NOT_REJECTED
            break
        if not gathered.take(live, left, whole=False):
            # Nothing more is complete: pairs that are equivalent need nothing more.
            if gathered.feed.broken or not _retire_equivalent(gathered, design, measure, ends):
                break
            for i in np.flatnonzero(live & (ends != GO_ON)):
                settled[int(i)] = int(gathered.used[i])
            continue
        look += 1
        for i in np.flatnonzero(live):
            capital[i].bet(gathered.new[i])  # pyright: ignore[reportArgumentType]
        _decide(ends, capital, design)
        for i, at in settled.items():
            if at == gathered.used[i] and ends[i] == GO_ON:
                ends[i] = "equivalent"
        _write_down(log, gathered, capital, ends, live, look)
    return _course(gathered, design, measure, ends, capital, log)


def bet_of(design: MonitorDesign, measure: Measure) -> Bet:
    """Return the bet against the null hypothesis, before any difference."""
    if design.null == "symmetry" or measure.bounds is None:
        return SymmetryBet()
    low, high = measure.bounds
    return MeanBet(high - low)


def _p(capital: list[_Capital]) -> Array:
    return np.exp(-np.array([one.peak for one in capital]))


def _decide(ends: NDArray[np.object_], capital: list[_Capital], design: MonitorDesign) -> None:
    small = holm(_p(capital)) <= design.alpha
    for i in np.flatnonzero(small & (ends == GO_ON)):
        leader = capital[i].leader if len(design.sides) == 2 else design.sides[0]
        ends[i] = "first" if leader > 0 else "second"


def _retire_equivalent(
    gathered: Gathered, design: MonitorDesign, measure: Measure, ends: NDArray[np.object_]
) -> bool:
    """Retire pairs whose confidence sequence lies inside the tolerance; whether there were some."""
    if measure.margin == 0 or design.null != "symmetry":
        return False
    found = False
    for i in np.flatnonzero(ends == GO_ON):
        low, high = intervals(gathered.of(int(i)), design.alpha_pair).mean(axis=0)
        if -measure.margin <= low and high <= measure.margin:
            ends[i], found = "equivalent", True
    return found


def _write_down(
    log: Log,
    gathered: Gathered,
    capital: list[_Capital],
    ends: NDArray[np.object_],
    live: NDArray[np.bool_],
    look: int,
) -> None:
    p = _p(capital)
    for i in np.flatnonzero(live):
        for d, log_e_dataset in enumerate(capital[i].by_dataset[-1][:, -1]):
            log.add(
                pair=i,
                dataset=d,
                stage=look,
                n=gathered.of(int(i)).shape[1],
                log_e_dataset=log_e_dataset,
                log_e=capital[i].log_e[-1][-1],
                p_raw=p[i],
                decision=ends[i],
            )


def _course(
    gathered: Gathered,
    design: MonitorDesign,
    measure: Measure,
    ends: NDArray[np.object_],
    capital: list[_Capital],
    log: Log,
) -> Course:
    p = _p(capital)
    log_e = [np.concatenate([np.zeros(0), *one.log_e]) for one in capital]
    each = [
        np.concatenate([np.empty((gathered.n_datasets, 0)), *one.by_dataset], axis=1)
        for one in capital
    ]
    found: list[Array] | None = None
    low = high = None
    if design.null == "symmetry":
        found = [intervals(gathered.of(i), design.alpha_pair) for i in range(len(capital))]
        low, high = np.mean(found, axis=1).T
        inside = (low >= -measure.margin) & (high <= measure.margin) & (measure.margin > 0)
        ends[inside] = "equivalent"  # even if the difference is shown: it does not matter
    path, path_each = paths(gathered, design, log_e, each, found)
    return Course(
        ends=tuple(ends.tolist()),
        used=gathered.used,
        estimate=gathered.estimates,
        p_value=holm(p),
        p_raw=p,
        provisional=np.zeros(len(p), dtype=np.bool_),
        stages=log.columns(),
        path=path,
        path_each=path_each,
        low=low,
        high=high,
        log_e=np.array([e[-1] if len(e) else 0.0 for e in log_e]),
    )
