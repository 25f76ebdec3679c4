"""Paired scores of two algorithms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchinfer.comparison.evidence import Level, Setting, mean_ranks
from benchinfer.core.errors import DesignError
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count
from benchinfer.numerics.ties import midranks, rounding
from benchinfer.numerics.types import Array
from benchinfer.scores.table import ScoreTable

# The tests that leave out differences of zero, and whose claims are about the middle of the others.
OF_RANKS = ("wilcoxon", "sign")


@dataclass(frozen=True, slots=True)
class PairedScores:
    """The scores of K algorithms on one data set, larger is better."""

    # (R, K) scores, NaN where there is none; a row is a replication, or where these are not shared
    # a single score. Outcomes are 1 where an algorithm is right, else 0
    table: Array
    rounding: Array  # (R, K) differences from the scores that count as none
    # (R, K) of nested units of unequal size, totals and sizes of `unit_scores`, or None
    total: Array | None
    size: Array | None
    paired: bool  # whether algorithms share replications
    # kind, overlap, folds: how replications came about, the correlation by overlapping training
    # sets (None where it is not declared), and the number of folds
    kind: str | None
    overlap: float | None
    folds: int | None
    right_or_wrong: bool  # whether all scores are 0 or 1, those of a number apart
    bar: int | None = None  # column of a number that the algorithms are compared with

    def level(self, test: str, means: Array, measure: Measure) -> Level:
        """Return the levels of the algorithms that go with a test, by their own scores."""
        if test == "5x2cv-t":
            first = "{} of the first fold"
            return Level(self.table[0], mean=means, name=first, order_name=first)
        if test in OF_RANKS:
            middle = np.nanmedian(self.table, axis=0)
            middle -= 1.0 if self.right_or_wrong and measure.better == "lower" else 0.0
            return Level.of_medians(middle, means)
        return Level(means)

    def ranks(self) -> Array:
        """Return (K,) mean ranks, 1 for the best: of scores that are not shared among all."""
        if self.paired:
            return mean_ranks(self.table)
        held = np.isfinite(self.table)
        ranks = np.zeros(self.table.shape)
        ranks[held] = midranks(-self.table[held], self.rounding[held]).values
        return ranks.sum(axis=0) / held.sum(axis=0)

    def of(self, first: int, second: int) -> Pair:
        """Return the scores of two algorithms: on the replications that both have, if shared."""
        one, two = self.table[:, first], self.table[:, second]
        if not self.paired:
            return Pair(one[np.isfinite(one)], two[np.isfinite(two)])
        both = np.isfinite(one) & np.isfinite(two)
        sides = np.ix_(both, [first, second])
        noise = self.rounding[sides].max(axis=1)
        if self.total is None or self.size is None:
            return Pair(one[both], two[both], noise)
        return Pair(one[both], two[both], noise, self.total[sides], self.size[sides])


@dataclass(frozen=True, slots=True)
class Pair:
    """Scores of two algorithms: (n,) each where replications are shared, else (n,) and (m,)."""

    first: Array
    second: Array
    # (n,) differences of shared replications that count as none
    noise: Array | None = None
    # (n, 2) of units of unequal size
    total: Array | None = None
    size: Array | None = None

    @property
    def differences(self) -> Array:
        """First minus second, of shared replications."""
        return self.first - self.second


def paired_scores(scores: ScoreTable, setting: Setting, bar: str | None = None) -> PairedScores:
    """Return the scores of one data set, a row per replication and a column per algorithm.

    One of the algorithms may be a number, `bar`, that the others are compared with.
    """
    _refuse_several(setting)
    name, resampling = setting.measure.name, setting.resampling
    blocks = scores.blocks(name)
    if (more := int((blocks.count > 1).sum())) > 0:
        raise DesignError(
            f"{count(more, 'replication')} of an algorithm {'has' if more == 1 else 'have'}"
            " several scores.",
            hint="tests of a pair take one score of each: average the repeats, or use"
            " compare_mixed.",
        )
    table = np.where(blocks.count > 0, blocks.mean, np.nan)
    column = None if bar is None else setting.algorithms.index(bar)
    there = np.abs(table[(blocks.count > 0) & (np.arange(table.shape[1]) != column)])
    outcomes = setting.measure.scale == "identity" and bool(np.isin(there, (0, 1)).all())
    if outcomes and setting.measure.better == "lower":
        table = table + 1.0  # an error of 0 is right
    return PairedScores(
        table=table,
        rounding=rounding(setting.measure.sizes(table)),
        total=blocks.total,
        size=blocks.size,
        paired=blocks.paired,
        kind=None if resampling is None else resampling.kind,
        overlap=0.0 if resampling is None else resampling.overlap,
        folds=None if resampling is None else resampling.folds,
        right_or_wrong=outcomes,
        bar=column,
    )


def _refuse_several(setting: Setting) -> None:
    if (d := len(setting.coverage.datasets)) > 1:
        raise DesignError(
            f"tests of two algorithms within a data set cannot pool {d} data sets.",
            hint=[
                "compare_mixed makes claims about all of them;",
                ("per_dataset(compare_pair, scores) compares on each data set by itself,"),
                "dataset=... on one of them.",
            ],
        )
