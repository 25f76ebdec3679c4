"""One-sided tests of an entry of a board against an earlier one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import ndtr, stdtr

from benchinfer.analyses.board.numerics.pooled import (
    pooled_paired,
    pooled_welch,
    squares_about_means,
)
from benchinfer.analyses.pair import rules
from benchinfer.analyses.pair.numerics import independent_rates, outcomes
from benchinfer.analyses.pair.numerics.t_tests import EstimatedDifference
from benchinfer.analyses.pair.rules import Test
from benchinfer.analyses.pair.scores import Pair, PairedScores, paired_scores
from benchinfer.analyses.pair.tests import PairProcedure, estimated, fourfold
from benchinfer.comparison.evidence import Setting
from benchinfer.numerics.ties import rounding
from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.table import ScoreTable

type Spread = Literal["auto", "own", "pooled"]
_FEW = 5  # replications, of which fewer say little of how an entry varies


@dataclass(frozen=True, slots=True)
class EntryTest:
    """Test of an entry against an earlier one; larger is better."""

    estimate: float  # the entry less the earlier one
    # p: of the hypothesis that it is not better by more than is asked; p_worse: that it is not
    # worse
    p: float
    p_worse: float
    pooled: bool = False  # whether the error is from the spread of all entries so far
    judged: bool = True  # whether there is an error to judge by


@dataclass(frozen=True, slots=True)
class BoardTests:
    """Tests of the entries of a board."""

    data: PairedScores  # scores, columns in the order of the entries
    test: Test
    ahead: float  # difference that better has to exceed, on the modelling scale
    spread: Spread
    # squares, df: (N,) of each entry about its mean
    squares: Array
    df: Array

    @staticmethod
    def of(
        scores: ScoreTable, setting: Setting, order: Codes, ahead: float, spread: Spread
    ) -> BoardTests:
        """Return the tests that fit the scores: on one data set, or of means of data sets."""
        if len(setting.coverage.datasets) > 1:
            means = scores.cells(setting.measure.name).mean[:, order]
            noise = rounding(setting.measure.sizes(means))
            data = PairedScores(
                means,
                noise,
                None,
                None,
                paired=True,
                kind=None,
                overlap=0.0,
                folds=None,
                right_or_wrong=False,
            )
            return BoardTests(data, "t", ahead, spread, *squares_about_means(means))
        data = paired_scores(scores, setting)
        test, _ = rules.fitting(data)
        columns: dict[str, Array | None] = {
            name: None if (values := getattr(data, name)) is None else values[:, order]
            for name in ("table", "rounding", "total", "size")
        }
        data = replace(data, **columns)
        return BoardTests(data, test, ahead, spread, *squares_about_means(data.table))

    @property
    def counts(self) -> Codes:
        """(N,) replications of each entry, or data sets where there are several."""
        return np.isfinite(self.data.table).sum(axis=0)

    def compared(self, entry: int, other: int) -> EntryTest:
        """Test an entry against an earlier one.

        Scores that leave no error to judge by show nothing: p-values are 1.
        """
        pair = self.data.of(entry, other)
        if min(len(pair.first), len(pair.second)) < 2:
            return EntryTest(self._difference(pair), 1.0, 1.0, judged=False)
        if self.test == "mcnemar":
            return self._by_outcomes(pair)
        if self.test == "independent-rates":
            return self._by_rates(pair)
        difference, pooled = self._estimated(pair, entry, other)
        if not difference.std_error > 0:
            return EntryTest(difference.estimate, 1.0, 1.0, pooled, judged=False)
        t, t0 = (difference.estimate - m for m in (self.ahead, 0.0))
        p, p_worse = (float(stdtr(difference.df, z / difference.std_error)) for z in (-t, t0))
        return EntryTest(difference.estimate, p, p_worse, pooled)

    def _difference(self, pair: Pair) -> float:
        if not min(len(pair.first), len(pair.second)):
            return np.nan
        return float(pair.first.mean() - pair.second.mean())

    def _estimated(self, pair: Pair, entry: int, other: int) -> tuple[EstimatedDifference, bool]:
        """Return the difference with its error, and whether that is from all entries so far."""
        few = self.spread == "auto" and min(len(pair.first), len(pair.second)) < _FEW
        can = self.test in ("t", "welch") and self.data.total is None
        if can and (few or self.spread == "pooled"):
            far = max(entry, other) + 1
            difference = (
                pooled_paired(self.data.table[:, :far], entry, other)
                if self.data.paired
                else pooled_welch(pair.first, pair.second, self.squares[:far], self.df[:far])
            )
            if difference is not None:
                return difference, True
        procedure = PairProcedure(self.test, 1, 0.0, 0.025, None, 1)
        return estimated(pair, self.data, procedure), False

    def _by_outcomes(self, pair: Pair) -> EntryTest:
        """Test by the items that one alone gets right: exact, by Tango's score beyond a margin."""
        table = fourfold(pair)
        p, p_worse = (outcomes.mcnemar(table, side, "exact")[1] for side in (1, -1))
        if self.ahead > 0:
            p = float(ndtr(-outcomes.score_statistic(table, self.ahead)))
        return EntryTest(outcomes.paired_difference(table).estimate, p, p_worse)

    def _by_rates(self, pair: Pair) -> EntryTest:
        """Test rates of items of their own: exact, by scores beyond a margin."""
        first, second = ((int((s > 0.5).sum()), len(s)) for s in (pair.first, pair.second))
        p, p_worse = (independent_rates.compared(first, second, side)[1] for side in (1, -1))
        if self.ahead > 0:
            p = float(ndtr(-independent_rates.score_statistic(first, second, self.ahead)))
        return EntryTest(self._difference(pair), p, p_worse)
