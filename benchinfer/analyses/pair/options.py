"""Arguments of `compare_pair`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from benchinfer.analyses.pair.rules import Test
from benchinfer.comparison.adjustment import Interval
from benchinfer.comparison.contrasts import Contrasts
from benchinfer.comparison.options import TestedOptions
from benchinfer.core.arguments import ArgumentError

type Procedure = Literal["holm", "bonferroni", "hochberg", "hommel", "bh", "by", "none"]
type Adjust = Literal["auto"] | Procedure


@dataclass(frozen=True, kw_only=True)
class PairOptions(TestedOptions):
    """Arguments of `compare_pair`; see there.

    References
    ----------
    Dietterich (1998), https://doi.org/10.1162/089976698300017197
    """

    analysis: ClassVar[str] = "compare_pair"

    test: Literal["auto"] | Test
    dataset: str | None
    pair: tuple[str, str] | None
    baseline: float | None = None
    contrasts: Contrasts = "tukey"
    margin: float | None
    adjust: Procedure
    interval: Interval
    parts: int | None
    missing: Literal["use", "error"]
    seed: int | None

    def __post_init__(self) -> None:
        super().__post_init__()
        pair = self.pair
        if pair is not None and (self.control is not None or len(pair) != 2 or pair[0] == pair[1]):
            raise ArgumentError(
                f"pair is {pair!r}, control is {self.control!r}.",
                hint="pair names two algorithms; control, a base model for all, goes without it.",
            )
        if self.baseline is not None and (pair is not None or self.control is not None):
            raise ArgumentError(
                f"baseline is {self.baseline!r}, pair is {pair!r}, control is {self.control!r}.",
                hint="a number is what each algorithm is compared with; it goes without them.",
            )
        if self.parts is not None and self.test != "parts-t":
            raise ArgumentError(f"parts is {self.parts}.", hint='it goes with test="parts-t".')
        if self.test == "5x2cv-f" and (self.directed or self.margin is not None):
            raise ArgumentError(
                "the F-test of 5x2cv has no sides: it shows neither direction nor equivalence.",
                hint='test="5x2cv-t" or test="corrected-t" have.',
            )
        if self.test == "bayes-t" and self.directed:
            raise ArgumentError(
                f'alternative={self.alternative!r} does not go with test="bayes-t".',
                hint="its three posterior probabilities answer both sides at once.",
            )
