"""Arguments of `compare_permutation`, and the procedure that follows from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from benchinfer.analyses.permutation.adjustment import Adjust, Pairs, resolve
from benchinfer.analyses.permutation.blocks import On, Scale
from benchinfer.comparison.adjustment import SIDES, Interval, agreeing, level_spent, tail_level
from benchinfer.comparison.comparison import Alternative, Target
from benchinfer.comparison.options import TestedOptions
from benchinfer.core.arguments import ArgumentError, check_count, seed_of
from benchinfer.core.progress import Progress, of_task
from benchinfer.numerics.signs import NullKind
from benchinfer.numerics.types import Array

# Scores that depend on the order of differences alone, or nearly so.
RANKED = ("ranks", "aligned-ranks", "normal-scores")


@dataclass(frozen=True, kw_only=True)
class PermutationOptions(TestedOptions):
    """Arguments of `compare_permutation`; see there.

    References
    ----------
    Hothorn, Leisch, Zeileis & Hornik (2005), https://doi.org/10.1198/106186005X59630
    """

    analysis: ClassVar[str] = "compare_permutation"

    on: On
    null: NullKind
    resamples: int
    adjust: Adjust
    interval: Interval
    pairs: Pairs
    target: Literal["auto"] | Target
    missing: Literal["use", "error"]
    seed: int | None
    stop: bool
    scale: Scale
    trend: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("resamples", self.resamples, 1, "at least 1, as in 100_000.")
        if (self.on, self.scale) == ("dispersion", "dataset"):
            raise ArgumentError(
                'on="dispersion" compares spreads, which scale="dataset" takes as the unit.',
                hint='scale="none".',
            )
        self.resolved()

    def resolved(self) -> str:
        """Return the adjustment, checked; ``"auto"`` of pairwise tests depends on the blocks."""
        return resolve(self.adjust, self.pairs, self.contrasts, self.alternative, self.null)

    def procedure(self, margin: float) -> PermutationProcedure:
        """Return the settings of the tests, given the tolerance on the modelling scale."""
        return PermutationProcedure(
            on=self.on,
            null=self.null,
            resamples=self.resamples,
            pairs=self.pairs,
            alternative=self.alternative,
            adjust=self.resolved(),
            interval=self.interval,
            alpha=self.alpha,
            margin=margin,
            seed=seed_of(self.seed),
            stop=self.stop,
            scale=self.scale,
        )


@dataclass(frozen=True, slots=True)
class PermutationProcedure:
    """The settings of the tests."""

    # on, null, resamples, pairs, alternative: as in `compare_permutation`
    on: On
    null: NullKind
    resamples: int
    pairs: Pairs
    alternative: Alternative
    adjust: str  # the adjustment, resolved
    interval: Interval
    alpha: float  # family-wise error rate
    margin: float  # tolerance on the modelling scale
    seed: int  # of the random numbers
    stop: bool = False  # whether resampling ends as soon as all decisions are certain
    progress: Progress | None = None  # progress callback
    scale: Scale = "none"  # whether tests take scores in units of their data set
    n_jobs: int | None = None  # threads, as `parallel.workers` has them

    @property
    def side(self) -> int:
        """0 for two-sided tests, 1 or -1 where first is to be shown better or worse."""
        return SIDES[self.alternative]

    @property
    def of_estimates(self) -> bool:
        """True if tests are of what is estimated: not of pooled scores, nor of data sets' units."""
        return self.pairs == "pairwise" and self.scale == "none"

    @property
    def statement(self) -> Interval:
        """Intervals beside a test in steps: simultaneous ones where they are of something else."""
        return self.interval if self.of_estimates else "simultaneous"

    def confidence(self, n: int) -> float:
        """Return the two-sided confidence of each of n intervals; a one-sided bound is one end."""
        return 1 - tail_level(self.adjust, self.alpha, n, self.statement, directed=bool(self.side))

    def spent(self, n: int) -> float:
        """Return the share of the level that the intervals of n contrasts take from their tests."""
        return level_spent(self.adjust, n, self.statement)

    def agreeing(self, n: int) -> bool:
        """Return whether intervals of n contrasts leave equality out just where one is decided."""
        return self.of_estimates and agreeing(self.adjust, n, self.statement)

    def bounds(self, low: Array, high: Array) -> tuple[Array, Array]:
        """Return bounds of intervals, infinite on the open side of one-sided ones."""
        return (
            low if self.side >= 0 else np.full_like(low, -np.inf),
            high if self.side <= 0 else np.full_like(high, np.inf),
        )

    def callback(self, task: str, total: int) -> Callable[[int], None] | None:
        """Return the callback of numerics with the number of resamples just done."""
        return of_task(self.progress, task, total)
