"""Options of permutation tests."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from benchinfer.analyses.permutation.blocks import On, Scale
from benchinfer.comparison.adjustment import sidak
from benchinfer.comparison.comparison import Alternative
from benchinfer.core.progress import Progress, of_task
from benchinfer.numerics.signs import NullKind

type Pairs = Literal["pairwise", "pooled"]
_SIDES: dict[Alternative, int] = {"two-sided": 0, "better": 1, "worse": -1}


@dataclass(frozen=True, slots=True)
class PermutationOptions:
    """The settings of the tests.

    Attributes
    ----------
    on, null, resamples, pairs, alternative
        As in `compare_permutation`.
    adjust
        The adjustment, resolved.
    alpha
        Family-wise error rate.
    margin
        Tolerance on the modelling scale.
    seed
        Of the random numbers.
    stop
        Whether resampling ends as soon as all decisions are certain.
    progress
        Progress callback.
    scale
        Whether tests take scores in units of their data set.
    """

    on: On
    null: NullKind
    resamples: int
    pairs: Pairs
    alternative: Alternative
    adjust: str
    alpha: float
    margin: float
    seed: int
    stop: bool = False
    progress: Progress | None = None
    scale: Scale = "none"

    @property
    def side(self) -> int:
        """0 for two-sided tests, 1 or -1 where first is to be shown better or worse."""
        return _SIDES[self.alternative]

    def alone(self, n: int) -> float:
        """Return the two-sided confidence of each of n intervals; a one-sided bound is one end."""
        n = 1 if self.adjust == "none" else n
        return 1 - (2 * self.alpha / n if self.side else sidak(self.alpha, n))

    def told(self, task: str, total: int) -> Callable[[int], None] | None:
        """Return what numerics call with the number of resamples just done."""
        return of_task(self.progress, task, total)
