"""Comparison of point estimates, without inference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from benchinfer.comparison import wording
from benchinfer.comparison.checks import tables
from benchinfer.comparison.checks.complete import complete_part
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.evidence import Level, Scores, Setting
from benchinfer.comparison.pairs import ComparedPairs
from benchinfer.core.arguments import checked
from benchinfer.core.numbers import sentence, several
from benchinfer.core.provenance import AnalysisOptions
from benchinfer.core.saving import savable, shaped
from benchinfer.core.sections import Check
from benchinfer.core.verdict import Comparative, Verdict
from benchinfer.numerics import ties
from benchinfer.numerics.covariance import pairs_of
from benchinfer.numerics.types import Array
from benchinfer.scores.rows.sufficient import rows_needed

type Statistic = Literal["mean", "median", "worst"]
_statistics = {"mean": "means", "median": "medians", "worst": "worst scores"}


@dataclass(frozen=True, kw_only=True)
class PointsOptions(AnalysisOptions):
    """Arguments of `compare_points`; see there."""

    analysis: ClassVar[str] = "compare_points"

    measure: str | None
    statistic: Statistic
    tolerance: float | None
    missing: Literal["use", "error"]


@savable
@shaped(level="(0,1) nan")
@dataclass(frozen=True, eq=False, repr=False)
class PointsComparison(Comparison):
    """Verdicts from a statistic of each algorithm alone.

    Attributes
    ----------
    statistic
        ``"mean"``, ``"median"`` or ``"worst"``.
    """

    statistic: Statistic

    _title: ClassVar[str] = "Point comparison"
    _tested: ClassVar[bool] = False

    @property
    def words(self) -> str:
        """The statistic in words; on log and logit scales averages are taken there."""
        inner = _statistics[self.statistic]
        if self.statistic == "mean" and self.measure.scale == "log":
            inner = "geometric means"
        return f"the {self.measure.average} of the data sets' {inner}"

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        if self.measure.tolerance == 0:
            equal = "No tolerance is set: equal values are undecided"
        else:
            equal = (
                f"A pair is called equivalent when {self.words} differs by at most"
                f" {wording.margin(self.measure)}"
            )
        return (
            f"{equal}, and otherwise the {self._comparative.first} value goes first. No error is"
            " controlled."
        )

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        return (
            f"Algorithms were compared by {self.words}"
            f" ({self.measure.noun}, {self.measure.better} is better), without inference."
        )

    @property
    def formula(self) -> str:
        """The statistic in one line."""
        return self.words

    @property
    def _comparative(self) -> Comparative:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Words that describe the numbers: of what was not tested none is better."""
        higher = self.measure.better == "higher"
        first, second = ("higher", "lower") if higher else ("lower", "higher")
        return Comparative(first, second, f"has the {first} {self._name}")

    @property
    def _name(self) -> str:
        return self.measure.average if self.statistic == "mean" else self.words[4:]

    def headline(self) -> str:
        """Return the order of the statistic in one sentence: nothing is tested, or better."""
        order, level = self.pairs.best_first, self.levels.quality
        top = [self.algorithms[i] for i in order if level[i] == level[order[0]]]
        most = self._comparative.first
        if len(self.algorithms) > 2:
            most = "highest" if self.measure.better == "higher" else "lowest"
        name = self._name
        has = f"{top[0]} has the {most} {name}"
        if len(top) > 1:
            has = f"{several(top)} have the same {most} {name}"
        return (
            f"{sentence(self.scope())}, {has}; nothing was tested"
            f" ({self.measure.noun}, {self.measure.better} is better)."
            f"{wording.gaps(self.setting.coverage)}"
        )

    def scope(self) -> str:
        """Return what is described, in words: data sets, and never a domain."""
        return wording.scope(self.setting, self.target, where="over")

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        return [compare_points]

    def _effects(self) -> Mapping[str, Array]:
        """Return the estimates of the pairs, in the measure's own unit."""
        i, j = self.pairs.index.T
        return {"estimate": self.measure.effect(self.levels.estimate[i] - self.levels.estimate[j])}


@checked
def compare_points(
    scores: Scores,
    measure: str | None = None,
    *,
    statistic: Statistic = "mean",
    tolerance: float | None = None,
    missing: Literal["use", "error"] = "use",
) -> PointsComparison:
    """Compare algorithms by a statistic of their scores, without inference.

    Each data set contributes one value per algorithm with equal weight, whatever its number of
    replications: its mean, median or worst score on the measure's scale.

    Parameters
    ----------
    scores
        The table.
    measure
        Name of the measure; may be omitted where there is one.
    statistic
        Statistic of the scores of a data set: ``"mean"``, ``"median"`` or ``"worst"``.
    tolerance
        Difference that does not matter, in place of the measure's own.
    missing
        Cells that lack scores: ``"use"`` takes the complete part of the table, so that all
        algorithms are averaged over the same data sets; ``"error"`` refuses them.

        Algorithms with the most empty cells are left out, and data sets on which one of the others
        has no score, so that the fewest scores are lost.

    Returns
    -------
    PointsComparison
        Pairs that differ by at most the tolerance are ``equivalent`` by rule.

    Raises
    ------
    DesignError
        Cells lack scores and ``missing="error"``, or no two algorithms share a data set.

    References
    ----------
    Eugster, Hothorn & Leisch (2012), https://doi.org/10.17713/ajs.v41i1.185

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("demsar2006")
    >>> str(compare_points(scores, tolerance=0.005).relation())
    'C4.5+m+cf > C4.5+m > C4.5+cf ~ C4.5'
    """
    options = PointsOptions.from_call(locals())
    setting, scores = complete_part(*Setting.of(scores, measure), missing)
    if tolerance is not None:
        setting = replace(setting, measure=replace(setting.measure, tolerance=tolerance))
    chosen, coverage = setting.measure, setting.coverage
    best_first = 2 if statistic == "median" else (0 if chosen.better == "higher" else 4)
    if statistic == "median" and not setting.has_quartiles:
        raise rows_needed()
    means = scores.cells(chosen.name).mean  # which refuses scores without a place on the scale
    values = means if statistic == "mean" else chosen.orient(setting.quantiles[:, :, best_first])
    level = values.mean(axis=0)
    levels = Level(level)
    if statistic != "mean":
        levels = Level(level, mean=means.mean(axis=0), name=f"{statistic} {{}}")
    pairs = pairs_of(len(coverage.algorithms))
    difference = level[pairs[:, 0]] - level[pairs[:, 1]]
    rounding = ties.rounding(chosen.sizes(np.abs(values).mean(axis=0)))
    equal = np.abs(difference) <= chosen.margin + rounding[pairs].max(axis=1)
    better = np.where(difference > 0, Verdict.FIRST, Verdict.SECOND)
    # A tie is no evidence of equality unless a difference that does not matter has been named.
    tied = Verdict.EQUIVALENT if chosen.margin > 0 else Verdict.UNDECIDED
    alone = len(coverage.datasets) == 1 and bool((coverage.counts < 2).any())
    evidence = "For evidence, use compare_mixed."
    if alone:
        evidence = "Evidence takes repeated scores of every algorithm."
    codes = np.where(equal, tied, better).astype(np.int8)
    return PointsComparison(
        setting=setting,
        pairs=ComparedPairs.between(pairs, setting, codes, levels),
        level=float("nan"),
        target="datasets",
        levels=levels,
        stored_checks=(
            *tables.of_table(setting),
            Check.of(
                "inference",
                0.0,
                1.0,
                least=True,
                concerns="verdict",
                sentence="Nothing is tested: point rules describe these scores.",
                remedy=evidence,
            ),
        ),
        provenance=replace(options, measure=chosen.name).provenance(
            setting.digest, "none (no tests)"
        ),
        statistic=statistic,
    )
