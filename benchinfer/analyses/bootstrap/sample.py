"""Scores with their bootstrap draws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.bootstrap.numerics import aggregates, resampling
from benchinfer.analyses.bootstrap.numerics.aggregates import Statistic
from benchinfer.analyses.bootstrap.numerics.resampling import Resample, ScoreSample
from benchinfer.comparison.evidence import Setting
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.measure import Measure
from benchinfer.scores.normalisation import Reference, reference_levels

if TYPE_CHECKING:
    from benchinfer.numerics.types import Array
    from benchinfer.scores.table import ScoreTable


def reported(setting: Setting, tolerance: float | None, *, gap: bool) -> Measure:
    """Return the measure of the aggregates: that of the scores, or its optimality gap."""
    measure = setting.measure
    if gap:
        name, label = f"optimality gap of {measure.name}", measure.label
        label = f"optimality gap of {label}" if label else ""
        measure = replace(measure, name=name, better="lower", label=label, bounds=None)
    return measure if tolerance is None else replace(measure, tolerance=tolerance)


@dataclass(frozen=True, slots=True)
class BootstrapSample:
    """Scores of one measure, larger is better."""

    # raw, aggregated: on the measure's scale; and those that aggregates are taken of, which for a
    # gap are shortfalls
    raw: ScoreSample
    aggregated: ScoreSample
    measure: Measure  # what the aggregates measure

    @staticmethod
    def of(
        scores: ScoreTable,
        setting: Setting,
        resample: Resample,
        statistic: Statistic,
        goal: Reference | None,
        tolerance: float | None,
        *,
        gap: bool,
    ) -> BootstrapSample:
        """Return the scores to resample and to aggregate, by arguments of `compare_bootstrap`."""
        blocks = scores.blocks(setting.measure.name)
        if blocks.size is not None and statistic.pools(len(blocks.datasets)):
            raise DesignError(
                "units hold different numbers of items, and this statistic is of units, not of"
                " items.",
                hint='statistic="mean" resamples units with their items; with'
                ' Declaration(unit_weights="units") units count alike.',
            )
        raw = resampling.lay_out(blocks.scores, blocks.count > 0, blocks.dataset, blocks.size)
        refuse_undrawable(setting, raw, resample)
        target = _goal(setting, raw, goal, gap=gap)
        aggregated = raw if target is None else aggregates.clipped(raw, target)
        return BootstrapSample(raw, aggregated, reported(setting, tolerance, gap=gap))


def refuse_undrawable(setting: Setting, sample: ScoreSample, resample: Resample) -> None:
    """Raise a DesignError where there are too few units to draw from, or they overlap."""
    if resample != "replications":
        if sample.n_datasets < 2:
            raise DesignError(
                "there is one data set, and data sets are to be drawn.",
                hint='resample="replications" draws within it.'
                if (np.diff(sample.strata) > 1).any()
                else "compare_points describes such a table.",
            )
        if resample == "datasets":
            return
    kind = setting.resampling and setting.resampling.kind
    if kind in ("cv", "holdout"):
        raise DesignError(
            f"replications come from {kind!r}, whose training sets overlap: drawn one by one they"
            " would pass for independent.",
            hint='resample="datasets" draws data sets alone;'
            " compare_mixed corrects for the overlap.",
        )
    if (np.diff(sample.strata) < 2).all():
        coverage = setting.coverage
        repeated = bool((coverage.counts > coverage.expected[:, None]).any())
        number = ["repeats count as one replication: a column replication that numbers them"]
        number.append("makes each a replication of its own;")
        raise DesignError(
            "no data set has several replications to draw from.",
            hint=[
                *(number if repeated else []),
                'resample="datasets" draws data sets alone.'
                if sample.n_datasets > 1
                else "compare_points describes such a table.",
            ],
        )


def _goal(setting: Setting, raw: ScoreSample, goal: Reference | None, *, gap: bool) -> Array | None:
    """Return the (D,) oriented goal on the data sets, for an optimality gap."""
    measure = setting.measure
    if not gap:
        if goal is not None:
            raise ArgumentError(
                f"goal is {goal!r}.", hint='it goes with statistic="optimality-gap".'
            )
        return None
    if goal is None and measure.normalised is not None and measure.normalised.kind != "z":
        goal = 1.0
    if goal is None:
        raise ArgumentError(
            "an optimality gap needs to know what counts as reached.",
            hint="goal=... names it, in the unit of the measure; it is 1 where 1 stands for the"
            " best or for a reference of normalised scores.",
        )
    if measure.scale == "logit":
        raise DesignError(
            "an optimality gap on the logit scale has no unit.",
            hint='Measure(scale="identity") or scores.normalise("min-max") gives it one.',
        )
    levels = dict(zip(setting.algorithms, raw.means.T, strict=True))
    return reference_levels(goal, measure, setting.coverage.datasets, levels)
