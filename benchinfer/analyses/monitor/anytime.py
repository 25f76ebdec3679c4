"""Anytime-valid tests of pairs by betting.

E-values of independent data sets multiply; pairs are adjusted by Holm's steps on anytime p-values,
one over the largest e-value so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from benchinfer.analyses.monitor.course import (
    GO_ON,
    NOT_REJECTED,
    POINTS,
    Columns,
    Course,
    Trail,
    joined,
    most_each,
)
from benchinfer.analyses.monitor.design import MonitorDesign
from benchinfer.analyses.monitor.feed import StageDifferences
from benchinfer.analyses.monitor.numerics.betting import ConfidenceSequence, MeanBet, SymmetryBet
from benchinfer.core.measure import Measure
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.multiplicity import holm
from benchinfer.numerics.types import Array, Codes

type Bet = SymmetryBet | MeanBet
# When intervals are worked out for their course, where there are up to so many pairs on data sets:
# the longer the history, the more it costs.
_LONG = frozenset(16**k for k in range(20))
_CHECKS = {
    10: frozenset(round(2 ** (k / 4)) for k in range(40)) | frozenset(2**k for k in range(80)),
    100: frozenset(round(2 ** (k / 2)) for k in range(20)) | _LONG,
}


@savable
@shaped(bets="D?", sequences="D?", peaks="D?")
@dataclass(frozen=True, slots=True)
class WatchedPair:
    """State of the bets on one pair, on each of D data sets."""

    # bets, sequences: the bets, and the confidence sequences, of each data set
    bets: tuple[Bet, ...]
    sequences: tuple[ConfidenceSequence, ...]
    peaks: Array  # (D,) largest log capital so far of each data set by itself
    each: Trail  # log capital and the largest so far, of the data sets one by one (2 D, q)
    # The same of all data sets together (2, q)
    total: Trail = field(default_factory=lambda: Trail(POINTS))
    n: int = 0  # replications per data set so far
    # peak, leader: largest log capital so far, and who was ahead then: 1 the first, -1 the second
    peak: float = 0.0
    leader: int = 0
    # Confidence sequences (D, 2) at some moments and now, by number of replications
    checks: dict[int, Array] = field(default_factory=dict[int, Array])

    @classmethod
    def of(cls, design: MonitorDesign, measure: Measure, n_datasets: int) -> WatchedPair:
        """Return a pair before its first difference."""
        sequence = ConfidenceSequence(design.alpha_pair / n_datasets, bound_of(design, measure))
        return cls(
            (bet_of(design, measure),) * n_datasets,
            (sequence,) * n_datasets,
            np.zeros(n_datasets),
            Trail(most_each(n_datasets)),
        )

    def after(self, design: MonitorDesign, new: Array, d: Array, sizes: Array) -> WatchedPair:
        """Return the pair after bets on (D, n) more differences; d are all, sums over `sizes`."""
        up, down, each = *np.zeros((2, new.shape[1])), np.empty(new.shape)
        bets: list[Bet] = []
        for i, row in enumerate(new):
            bet, paths = self.bets[i].after(row)
            bets.append(bet)
            up, down = up + paths.up, down + paths.down
            each[i] = directed(design, paths.up, paths.down)
        log_e = directed(design, up, down)
        at = int(np.argmax(log_e))
        leader = 1 if up[at] >= down[at] else -1
        peaks = np.maximum.accumulate(np.column_stack([self.peaks, each]), axis=1)[:, 1:]
        peak = np.maximum(np.maximum.accumulate(log_e), self.peak)
        series = design.n_pairs * len(d)
        lasting = next((at for most, at in _CHECKS.items() if series <= most), _LONG)
        last, sequences = d.shape[1], self.sequences
        checks = {n: ends for n, ends in self.checks.items() if n in lasting}
        for n in sorted({last, *(n for n in lasting if self.n < n < last)}):
            sequences = tuple(
                one.after(row[:n], size[:n])
                for one, row, size in zip(sequences, d, sizes, strict=True)
            )
            checks[n] = np.array([one.ends for one in sequences])
        return WatchedPair(
            bets=tuple(bets),
            sequences=sequences,
            peaks=peaks[:, -1].copy(),
            each=self.each.after(np.vstack([each, peaks])),
            total=self.total.after(np.stack([log_e, peak])),
            n=d.shape[1],
            peak=float(peak[-1]),
            leader=leader if log_e[at] > self.peak else self.leader,
            checks=checks,
        )

    @property
    def interval(self) -> tuple[float, float]:
        """Confidence sequence of the mean of the centres: the mean of the ends of data sets."""
        if not self.n:
            return -np.inf, np.inf
        low, high = self.checks[self.n].mean(axis=0)
        return float(low), float(high)

    @property
    def log_e(self) -> float:
        """Log capital now."""
        return float(self.total.values[0, -1]) if self.n else 0.0

    def path(self) -> Columns:
        """Return the course of capital, anytime p-value and interval, at up to 200 moments."""
        at, (log_e, peak) = self.total.at, self.total.values
        low, high = self._held(at).mean(axis=1)
        return {"n": at, "log_e": log_e, "p_raw": np.exp(-peak), "low": low, "high": high}

    def path_each(self) -> Columns:
        """Return the course of the bets on each data set, at fewer moments where there are many."""
        at, n_datasets = self.each.at, len(self.bets)
        log_e, peak = np.split(self.each.values, 2)
        low, high = self._held(at)
        return {
            "dataset": np.repeat(np.arange(n_datasets), len(at)),
            "n": np.tile(at, n_datasets),
            "log_e_dataset": log_e.ravel(),
            "p_raw": np.exp(-peak).ravel(),
            "low": low.ravel(),
            "high": high.ravel(),
        }

    def _held(self, at: Codes) -> Array:
        """Return (2, D, q) intervals; each is valid from its check until the next."""
        ends = np.array(list(self.checks.values()))
        held = np.searchsorted(list(self.checks), at, side="right") - 1
        return np.moveaxis(ends[held], 0, -1).swapaxes(0, 1)


def bound_of(design: MonitorDesign, measure: Measure) -> float | None:
    """Return the largest size of a difference where a mean is bet on."""
    if design.null == "symmetry" or measure.bounds is None:
        return None
    low, high = measure.bounds
    return high - low


def bet_of(design: MonitorDesign, measure: Measure) -> Bet:
    """Return the bet against the null hypothesis, before any difference."""
    bound = bound_of(design, measure)
    return SymmetryBet() if bound is None else MeanBet(bound)


def directed(design: MonitorDesign, up: Array, down: Array) -> Array:
    """Return the log capital in the design's direction: the mean of both sides in two."""
    if len(design.sides) == 2:
        return np.logaddexp(up, down) - np.log(2)
    return up if design.sides[0] > 0 else down


# What so many differences per data set make of up to so many series is worth being remembered.
_REMEMBERED, _SERIES = 1_000, 1_000


@savable
@shaped(ends="P", pairs="P")
@dataclass(frozen=True, slots=True)
class Bets:
    """State of the bets on all pairs."""

    ends: NDArray[np.object_]  # (P,) states of the pairs
    pairs: tuple[WatchedPair, ...]  # the P pairs

    @property
    def worth(self) -> bool:
        """True if a start from this state is cheaper than one from the first difference."""
        series = sum(len(pair.bets) for pair in self.pairs)
        return series <= _SERIES and max(pair.n for pair in self.pairs) >= _REMEMBERED

    def fit(self, lengths: Sequence[int], n_pairs: int, n_datasets: int) -> bool:
        """Return whether stages of these lengths can result in this state."""
        ends = {pair.n for pair in self.pairs}
        return (
            len(self.ends) == len(self.pairs) == n_pairs
            and {len(pair.bets) for pair in self.pairs} == {n_datasets}
            and ends <= {0, *accumulate(lengths)}
            and max(ends) == sum(lengths)
        )

    def retrace(self, gathered: StageDifferences) -> None:
        """Gather the differences of the stages so far, without betting on them again."""
        ends = np.array([pair.n for pair in self.pairs])
        done = 0
        while (live := ends > done).any() and gathered.take(live, _ALL, complete=False):
            done = int(gathered.used.max())


_ALL = np.iinfo(np.int64).max


def anytime(
    gathered: StageDifferences,
    design: MonitorDesign,
    measures: Sequence[Measure],
    past: Bets | None = None,
) -> tuple[Course, Bets]:
    """Bet on the differences of all pairs, as far as replications are complete.

    With a `past`, only the differences of later stages are bet on.
    """
    if past is None:
        pairs = [WatchedPair.of(design, measure, gathered.n_datasets) for measure in measures]
        ends = np.full(len(pairs), GO_ON, dtype=object)
    else:
        past.retrace(gathered)
        pairs, ends = list(past.pairs), past.ends.copy()
    most = _ALL if design.last_stage is None else design.last_stage * design.stage
    while (live := ends == GO_ON).any():
        left = most - int(gathered.used[live].max())
        if left <= 0:
            ends[live] = NOT_REJECTED
            break
        if not gathered.take(live, left, complete=False):
            break
        for i in np.flatnonzero(live):
            new = gathered.new[i]
            if new is not None:
                sums, sizes = gathered.of(int(i)), gathered.sizes(int(i))
                pairs[i] = pairs[i].after(design, new, sums, sizes)
        _decide(ends, pairs, design, measures)
    return _course(gathered, design, pairs, ends), Bets(ends, tuple(pairs))


def _p(pairs: list[WatchedPair]) -> Array:
    return np.exp(-np.array([one.peak for one in pairs]))


def _decide(
    ends: NDArray[np.object_],
    pairs: list[WatchedPair],
    design: MonitorDesign,
    measures: Sequence[Measure],
) -> None:
    """Record verdicts on pairs; one within the tolerance is equivalent, even if significant."""
    small = holm(_p(pairs)) <= design.alpha
    for i in np.flatnonzero(ends == GO_ON).tolist():
        margin, (low, high) = measures[i].margin, pairs[i].interval
        if margin > 0 and -margin <= low and high <= margin:
            ends[i] = "equivalent"
        elif small[i]:
            leader = pairs[i].leader if len(design.sides) == 2 else design.sides[0]
            ends[i] = "first" if leader > 0 else "second"


def _course(
    gathered: StageDifferences,
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
    """Return the state of a pair at its last look, one row per data set."""
    each = pair.each.values[: len(pair.bets), -1]
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
