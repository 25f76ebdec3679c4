"""Regions of a covariate in which one of two algorithms is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from benchinfer.core.arguments import check_index, checked
from benchinfer.core.citations import bibtex
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import brief, count, level_percent
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable, shaped
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, States

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of the covariate with one verdict on a pair."""

    # low, high: its ends
    low: float
    high: float
    verdict: Verdict  # what holds all along it
    n_datasets: int  # data sets whose value lies in it


@checked
@savable
@shaped(
    values="D",
    pairs="P",
    places="G",
    estimate="P G",
    low="P G",
    high="P G",
    critical="P [0,inf)",
    level="(0,1)",
)
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Regions(Showable):
    """Differences of P pairs along a covariate, with bands and regions.

    Attributes
    ----------
    measure, covariate
        The measure and the name of the covariate.
    values
        (D,) values of the data sets.
    pairs
        The P pairs.
    places
        (G,) values of the covariate, from the smallest to the largest of the data sets.
    estimate, low, high
        (P, G) first minus second on the modelling scale with its simultaneous band; positive where
        the first is better.
    critical
        (P,) half the widths of the bands in standard errors.
    level
        Probability that all bands hold.
    bayesian
        Whether the band is one of a posterior distribution.
    digest
        Fingerprint of the table.
    """

    _home: ClassVar[str] = "benchinfer.analyses.subgroups.regions"

    measure: Measure
    covariate: str
    values: Array
    pairs: tuple[tuple[str, str], ...]
    places: Array
    estimate: Array
    low: Array
    high: Array
    critical: Array
    level: float
    bayesian: bool
    digest: str

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms of the pairs, sorted."""
        return tuple(sorted({name for pair in self.pairs for name in pair}))

    @property
    def codes(self) -> States:
        """(P, G) verdicts at the places: equivalent where the band is within the tolerance."""
        margin = self.measure.margin
        codes = np.where(self.low > 0, Verdict.FIRST, Verdict.UNDECIDED)
        codes = np.where(self.high < 0, Verdict.SECOND, codes)
        inside = (self.low >= -margin) & (self.high <= margin) & (margin > 0)
        return np.where(inside, Verdict.EQUIVALENT, codes).astype(np.int8)

    def of_pair(self, p: int) -> list[Region]:
        """Return the regions of a pair, from the smallest value on."""
        check_index("p", p, len(self.pairs))
        codes = self.codes[p]
        starts = np.r_[0, np.flatnonzero(np.diff(codes)) + 1]
        ends = [self._crossing(p, int(s)) for s in starts[1:]]
        lows, highs = [self.places[0], *ends], [*ends, self.places[-1]]
        regions: list[Region] = []
        for s, low, high in zip(starts.tolist(), lows, highs, strict=True):
            last = high >= self.places[-1]
            inside = (self.values >= low - 1e-12) & ((self.values < high) | last)
            regions.append(Region(float(low), float(high), Verdict(codes[s]), int(inside.sum())))
        return regions

    def _crossing(self, p: int, after: int) -> float:
        """Return where an end of the band crosses a limit, before a place of the grid."""
        margin = self.measure.margin
        x0, x1 = self.places[after - 1 : after + 1]
        crossed = [
            x0 + (limit - end[after - 1]) / (end[after] - end[after - 1]) * (x1 - x0)
            for end in (self.low[p], self.high[p])
            for limit in {0.0, margin, -margin}
            if (end[after - 1] - limit) * (end[after] - limit) <= 0 and end[after] != end[after - 1]
        ]
        return float(min(crossed)) if crossed else float(x1)

    def summary(self) -> pd.DataFrame:
        """One row per pair and region.

        Returns
        -------
        pandas.DataFrame
            ``covariate first second value_low value_high n_datasets verdict winner``.
        """
        rows = [(pair, r) for p, pair in enumerate(self.pairs) for r in self.of_pair(p)]
        return frame(
            {
                "covariate": [self.covariate] * len(rows),
                "first": [a for (a, _), _ in rows],
                "second": [b for (_, b), _ in rows],
                "value_low": [r.low for _, r in rows],
                "value_high": [r.high for _, r in rows],
                "n_datasets": [r.n_datasets for _, r in rows],
                "verdict": [r.verdict.label for _, r in rows],
                "winner": [
                    {Verdict.FIRST: a, Verdict.SECOND: b}.get(r.verdict, "") for (a, b), r in rows
                ],
            }
        )

    to_frame = summary

    def curve(self) -> pd.DataFrame:
        """One row per pair and place: the difference with its band.

        Returns
        -------
        pandas.DataFrame
            ``covariate value first second estimate conf_low conf_high verdict``, differences in the
            measure's own unit (ratios on log and logit scales).
        """
        p, g = self.estimate.shape
        low, high = self.measure.effect_interval(self.low.ravel(), self.high.ravel())
        return frame(
            {
                "covariate": [self.covariate] * (p * g),
                "value": np.tile(self.places, p),
                "first": np.repeat([a for a, _ in self.pairs], g),
                "second": np.repeat([b for _, b in self.pairs], g),
                "estimate": self.measure.effect(self.estimate.ravel()),
                "conf_low": low,
                "conf_high": high,
                "verdict": [Verdict(code).label for code in self.codes.ravel()],
            }
        )

    def describe(self, p: int) -> str:
        """Return the regions of a pair in words."""
        check_index("p", p, len(self.pairs))
        first, second = self.pairs[p]
        regions = self.of_pair(p)
        decided = [r for r in regions if r.verdict != Verdict.UNDECIDED]
        if not decided:
            return f"{first} and {second}: undecided over the whole range of {self.covariate}"
        words = {
            Verdict.FIRST: f"{first} is better than {second}",
            Verdict.SECOND: f"{second} is better than {first}",
            Verdict.EQUIVALENT: f"{first} and {second} are equivalent",
        }
        return "; ".join(f"{words[r.verdict]} {self._where(r)}" for r in decided)

    def _where(self, region: Region) -> str:
        """Return the range of a region and its number of data sets, in words."""
        left, right = region.low <= self.places[0], region.high >= self.places[-1]
        name, low, high = self.covariate, brief(region.low), brief(region.high)
        if left and right:
            where = f"over the whole range of {name}"
        elif left or right:
            where = f"where {name} is {'below' if left else 'above'} {high if left else low}"
        else:
            where = f"where {name} is between {low} and {high}"
        return f"{where} ({count(region.n_datasets, 'data set')})"

    def sentence(self) -> str:
        """Return the regions of all pairs, one pair after the other."""
        return ". ".join(self.describe(p) for p in range(len(self.pairs))) + "."

    @property
    def rule(self) -> str:
        """Decision rule of the regions, in words."""
        kind = "credible" if self.bayesian else "confidence"
        pairs = "" if len(self.pairs) == 1 else f" and all {len(self.pairs)} pairs"
        return (
            f"A {level_percent(self.level)} {kind} band holds over the whole range of"
            f" {self.covariate} in the data sets{pairs}; one is better where it leaves out no"
            " difference."
        )

    def __str__(self) -> str:
        """Return the regions, a line for each pair."""
        return "\n".join(self.describe(p) for p in range(len(self.pairs)))

    def citations(self) -> str:
        """Return the BibTeX entries of the methods."""
        from benchinfer.analyses.subgroups.numerics import bands  # brings integration: slow

        used = [bands.band_critical, bands.exceedance]
        return bibtex([*used, bands.drawn_critical] if self.bayesian else used)
