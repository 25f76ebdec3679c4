"""Normalised scores with their bootstrap draws."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.analyses.bootstrap.numerics import aggregates, resampling
from benchinfer.analyses.bootstrap.numerics.resampling import Resample, ScoreSample
from benchinfer.comparison.evidence import Array, Setting
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.hints import Call, Field, Option
from benchinfer.core.measure import Measure

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


type Reference = float | str | Mapping[str, float]
type Normalise = Literal["min-max"] | Mapping[str, Reference] | None


def reference(setting: Setting, sample: ScoreSample, values: Reference) -> Array:
    """Return (D,) oriented values that a reference has on the data sets."""
    measure, datasets = setting.measure, setting.coverage.datasets
    if isinstance(values, str):
        if values not in setting.algorithms:
            raise ArgumentError(unknown("algorithm", values, setting.algorithms))
        return sample.means[:, setting.algorithms.index(values)]
    if isinstance(values, Mapping):
        if lost := [name for name in datasets if name not in values]:
            raise DesignError(
                f"{len(lost):,} of {len(datasets):,} data sets have no reference.",
                where=[("dataset",), *((name,) for name in lost)],
                hint="give one number for each data set.",
            )
        numbers = np.array([values[name] for name in datasets], dtype=np.float64)
    else:
        numbers = np.full(len(datasets), values, dtype=np.float64)
    with np.errstate(all="ignore"):
        oriented = measure.orient(numbers)
    if not np.isfinite(oriented).all():
        wrong = datasets[int(np.flatnonzero(~np.isfinite(oriented))[0])]
        raise DesignError(
            f"the reference on {wrong} is not a number on the {measure.scale} scale.",
            hint="references are in the unit of the measure.",
        )
    return oriented


def normalised(setting: Setting, sample: ScoreSample, normalise: Normalise) -> ScoreSample:
    """Return scores as ``(score - low) / (high - low)`` of each data set, larger is better."""
    if normalise is None:
        return sample
    if isinstance(normalise, str):
        if normalise != "min-max":
            raise ArgumentError(unknown("normalise", normalise, ["min-max"]))
        first = sample.strata[sample.first_stratum[:-1]]
        lowest = np.where(sample.present, sample.values, np.inf).min(axis=1)
        highest = np.where(sample.present, sample.values, -np.inf).max(axis=1)
        low, high = np.minimum.reduceat(lowest, first), np.maximum.reduceat(highest, first)
    else:
        if set(normalise) != {"low", "high"}:
            raise ArgumentError(
                f"normalise names {', '.join(map(repr, normalise)) or 'nothing'}.",
                hint=f"{Option('normalise', {'low': None, 'high': None})} names what stands for"
                " 0 and 1.",
            )
        low, high = (reference(setting, sample, normalise[name]) for name in ("low", "high"))
    _check_references(setting, low, high)
    d = sample.dataset
    return sample.with_values((sample.values - low[d, None]) / (high - low)[d, None])


def _check_references(setting: Setting, low: Array, high: Array) -> None:
    """Refuse references of which the better one is not better."""
    measure = setting.measure
    wrong = np.flatnonzero(~(high > low))
    if not len(wrong):
        return
    rows = [
        (setting.coverage.datasets[m], *(f"{measure.level_of(x[m]):.6g}" for x in (low, high)))
        for m in wrong
    ]
    raise DesignError(
        f"on {len(wrong):,} of {len(low):,} data sets the reference for 1 is not better than"
        " that for 0.",
        where=[("dataset", "0", "1"), *rows],
        hint=f"of {measure.name} {measure.better} is better: low is the worse reference.",
    )


def reported(
    setting: Setting, normalise: Normalise, tolerance: float | None, *, gap: bool
) -> Measure:
    """Return what the aggregates are measures of."""
    measure = setting.measure
    if normalise is not None:
        measure = Measure(
            f"normalised {measure.name}",
            "higher",
            label=f"normalised {measure.label}" if measure.label else "",
        )
    if gap:
        name, label = f"optimality gap of {measure.name}", measure.label
        label = f"optimality gap of {label}" if label else ""
        measure = replace(measure, name=name, better="lower", label=label, bounds=None)
    return measure if tolerance is None else replace(measure, tolerance=tolerance)


@dataclass(frozen=True, slots=True)
class BootstrapSample:
    """Scores of one measure, larger is better.

    Attributes
    ----------
    raw, normalised, aggregated
        On the measure's scale; between the references; and those that aggregates are taken of,
        which for a gap are shortfalls. The same where nothing is normalised, or there is no gap.
    measure
        What the aggregates measure.
    """

    raw: ScoreSample
    normalised: ScoreSample
    aggregated: ScoreSample
    measure: "Measure"

    @staticmethod
    def of(
        scores: "ScoreTable",
        setting: "Setting",
        resample: Resample,
        normalise: Normalise,
        goal: Reference | None,
        tolerance: float | None,
        *,
        gap: bool,
    ) -> "BootstrapSample":
        """Take the scores as the arguments of `compare_bootstrap` ask."""
        blocks = scores.blocks(setting.measure.name)
        raw = resampling.lay_out(blocks.mean, blocks.count > 0, blocks.dataset)
        refuse_undrawable(setting, raw, resample)
        sample = normalised(setting, raw, normalise)
        target = _goal(setting, raw, normalise, goal, gap=gap)
        aggregated = sample if target is None else aggregates.clipped(sample, target)
        measure = reported(setting, normalise, tolerance, gap=gap)
        return BootstrapSample(raw, sample, aggregated, measure)


def refuse_undrawable(setting: "Setting", sample: ScoreSample, resample: Resample) -> None:
    """Refuse to draw what cannot be drawn, or what is not independent."""
    if resample != "replications":
        if sample.n_datasets < 2:
            raise DesignError(
                "there is one data set, and data sets are to be drawn.",
                hint=f"{Option('resample', 'replications')} draws within it."
                if (np.diff(sample.strata) > 1).any()
                else f"{Call('compare_points')} describes such a table.",
            )
        if resample == "datasets":
            return
    kind = setting.resampling and setting.resampling.kind
    if kind in ("cv", "holdout"):
        raise DesignError(
            f"replications come from {kind!r}, whose training sets overlap: drawn one by one"
            " they would pass for independent.",
            hint=f"{Option('resample', 'datasets')} draws data sets alone;"
            f" {Call('compare_mixed')} corrects for the overlap.",
        )
    if (np.diff(sample.strata) < 2).all():
        coverage = setting.coverage
        repeated = bool((coverage.found > coverage.expected[:, None]).any())
        number = ["repeats count as one replication: a column replication that numbers them"]
        number.append("makes each a replication of its own;")
        raise DesignError(
            "no data set has several replications to draw from.",
            hint=[
                *(number if repeated else []),
                f"{Option('resample', 'datasets')} draws data sets alone."
                if sample.n_datasets > 1
                else f"{Call('compare_points')} describes such a table.",
            ],
        )


def _goal(
    setting: "Setting",
    raw: ScoreSample,
    normalise: Normalise,
    goal: Reference | None,
    *,
    gap: bool,
) -> "Array | None":
    """Return the (D,) oriented goal on the data sets, for an optimality gap."""
    if not gap:
        if goal is not None:
            raise ArgumentError(
                f"goal is {goal!r}.", hint=f"it goes with {Option('statistic', 'optimality-gap')}."
            )
        return None
    if normalise is not None:
        if goal is None or isinstance(goal, int | float):
            return np.full(raw.n_datasets, 1.0 if goal is None else float(goal))
        raise ArgumentError(
            "the goal on normalised scores is not a number.",
            hint="it is 1 unless given; the reference for 1 can be what counts as reached.",
        )
    if goal is None:
        raise ArgumentError(
            "an optimality gap needs to know what counts as reached.",
            hint=f"{Option('goal')} names it, in the unit of the measure;"
            f" {Option('normalise')} makes it 1.",
        )
    if setting.measure.scale == "logit":
        raise DesignError(
            "an optimality gap on the logit scale has no unit.",
            hint=f"{Field('scale', 'identity')} or {Option('normalise')} gives it one.",
        )
    return reference(setting, raw, goal)
