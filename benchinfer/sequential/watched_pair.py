"""The bets on one pair: capital, confidence sequences and their course."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.measure import Measure
from benchinfer.numerics.betting import MeanBet, SymmetryBet
from benchinfer.numerics.confidence_sequence import ConfidenceSequence
from benchinfer.sequential.course import Columns
from benchinfer.sequential.design import MonitorDesign
from benchinfer.sequential.trail import POINTS, Trail, most_each

type Array = NDArray[np.float64]
type Bet = SymmetryBet | MeanBet

# When intervals are worked out for their course, where there are up to so many pairs on data sets:
# the longer the history, the more it costs.
_LONG = frozenset(16**k for k in range(20))
_CHECKS = {
    10: frozenset(round(2 ** (k / 4)) for k in range(40)) | frozenset(2**k for k in range(80)),
    100: frozenset(round(2 ** (k / 2)) for k in range(20)) | _LONG,
}


class WatchedPair:
    """One pair on D data sets: bets on each, and what they have made of it.

    Attributes
    ----------
    n
        Replications per data set so far.
    peak, leader
        Largest log capital so far, and who was ahead then: 1 the first, -1 the second.
    whole, each
        Log capital and the largest so far, of all data sets together (2, q) and one by one
        (2 D, q).
    checks
        Confidence sequences (D, 2) at some moments and now, by number of replications.
    """

    def __init__(self, design: MonitorDesign, measure: Measure, n_datasets: int) -> None:
        self._design = design
        self._bets = [bet_of(design, measure)] * n_datasets
        alpha, bound = design.alpha_pair / n_datasets, bound_of(design, measure)
        self._sequences = [ConfidenceSequence(alpha, bound)] * n_datasets
        self.n, self.peak, self.leader = 0, 0.0, 0
        self.whole = Trail(POINTS)
        self.each = Trail(most_each(n_datasets))
        self._peaks = np.zeros(n_datasets)
        series = design.n_pairs * n_datasets
        self._lasting = next((at for most, at in _CHECKS.items() if series <= most), _LONG)
        self.checks: dict[int, Array] = {}

    def bet(self, new: Array, d: Array) -> None:
        """Bet on (D, n) more differences; d are all."""
        up, down, each = *np.zeros((2, new.shape[1])), np.empty(new.shape)
        for i, row in enumerate(new):
            self._bets[i], paths = self._bets[i].after(row)
            up, down = up + paths.up, down + paths.down
            each[i] = directed(self._design, paths.up, paths.down)
        log_e = directed(self._design, up, down)
        at = int(np.argmax(log_e))
        leader = 1 if up[at] >= down[at] else -1
        self.leader = leader if log_e[at] > self.peak else self.leader
        peaks = np.maximum.accumulate(np.column_stack([self._peaks, each]), axis=1)[:, 1:]
        peak = np.maximum(np.maximum.accumulate(log_e), self.peak)
        self.whole = self.whole.after(np.stack([log_e, peak]))
        self.each = self.each.after(np.vstack([each, peaks]))
        self.peak, self._peaks = float(peak[-1]), peaks[:, -1].copy()
        self._narrow(d)

    def _narrow(self, d: Array) -> None:
        last = d.shape[1]
        self.checks = {n: ends for n, ends in self.checks.items() if n in self._lasting}
        for n in sorted({last, *(n for n in self._lasting if self.n < n < last)}):
            self._sequences = [
                one.after(row[:n]) for one, row in zip(self._sequences, d, strict=True)
            ]
            self.checks[n] = np.array([one.ends for one in self._sequences])
        self.n = last

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
        return float(self.whole.values[0, -1]) if self.n else 0.0

    @property
    def log_e_datasets(self) -> Array:
        """(D,) log capital of each data set now."""
        return self.each.values[: len(self._bets), -1]

    def path(self) -> Columns:
        """Return the course of capital, anytime p-value and interval, at up to 200 moments."""
        at, (log_e, peak) = self.whole.at, self.whole.values
        low, high = self._held(at).mean(axis=1)
        return {"n": at, "log_e": log_e, "p_raw": np.exp(-peak), "low": low, "high": high}

    def path_each(self) -> Columns:
        """Return that of each data set by itself, at fewer moments where there are many."""
        at, n_datasets = self.each.at, len(self._bets)
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

    def _held(self, at: NDArray[np.int64]) -> Array:
        """Return (2, D, q) the intervals, each held from its check until the next."""
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
