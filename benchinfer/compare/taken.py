"""The scores that a bootstrap takes: as they are, normalised, and as they are aggregated."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.normalised import Normalise, Reference, normalised, reference, reported
from benchinfer.errors import DesignError, message
from benchinfer.numerics import aggregates, bootstrap
from benchinfer.numerics.bootstrap import Resample, Sample

if TYPE_CHECKING:
    from benchinfer.compare.evidence import Array, Setting
    from benchinfer.measure import Measure
    from benchinfer.scores import ScoreTable


@dataclass(frozen=True, slots=True)
class Taken:
    """Scores of one measure, larger is better.

    Attributes
    ----------
    raw, normalised, aggregated
        On the measure's scale; between the references; and those that aggregates are taken of,
        which for a gap are shortfalls. The same where nothing is normalised, or there is no gap.
    measure
        What the aggregates measure.
    """

    raw: Sample
    normalised: Sample
    aggregated: Sample
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
    ) -> "Taken":
        """Take the scores as the arguments of `compare_bootstrap` ask.

        Raises
        ------
        DesignError
            There is nothing to draw from, or a reference is not usable.
        """
        blocks = scores.blocks(setting.measure.name)
        raw = bootstrap.lay_out(blocks.mean, blocks.count > 0, blocks.dataset)
        refuse_undrawable(setting, raw, resample)
        sample = normalised(setting, raw, normalise)
        reached = _goal(setting, raw, normalise, goal, gap=gap)
        kept = sample if reached is None else aggregates.clipped(sample, reached)
        return Taken(raw, sample, kept, reported(setting, normalise, tolerance, gap=gap))


def refuse_undrawable(setting: "Setting", sample: Sample, resample: Resample) -> None:
    """Refuse to draw what cannot be drawn, or what is not independent.

    Raises
    ------
    DesignError
        There is nothing to draw from, or replications overlap.
    """
    if resample != "replications":
        if sample.n_datasets < 2:
            raise DesignError(
                message(
                    "there is one data set, and data sets are to be drawn.",
                    hint='resample="replications" draws within it.',
                )
            )
        if resample == "datasets":
            return
    kind = setting.resampling and setting.resampling.kind
    if kind in ("cv", "holdout"):
        raise DesignError(
            message(
                f"replications come from {kind!r}, whose training sets overlap: drawn one by one"
                " they would pass for independent.",
                hint='resample="datasets" draws data sets alone; compare_mixed corrects for the'
                " overlap.",
            )
        )
    if (np.diff(sample.strata) < 2).all():
        coverage = setting.coverage
        repeated = bool((coverage.found > coverage.expected[:, None]).any())
        number = ["repeats count as one replication: a column replication that numbers them"]
        number.append("makes each a replication of its own;")
        raise DesignError(
            message(
                "no data set has several replications to draw from.",
                hint=[*(number if repeated else []), 'resample="datasets" draws data sets alone.'],
            )
        )


def _goal(
    setting: "Setting",
    raw: Sample,
    normalise: Normalise,
    goal: Reference | None,
    *,
    gap: bool,
) -> "Array | None":
    """Return the (D,) oriented goal on the data sets, for an optimality gap."""
    if not gap:
        if goal is not None:
            raise DesignError(
                message(f"goal is {goal!r}.", hint='it goes with statistic="optimality-gap".')
            )
        return None
    if normalise is not None:
        if goal is None or isinstance(goal, int | float):
            return np.full(raw.n_datasets, 1.0 if goal is None else float(goal))
        raise DesignError(
            message(
                "the goal on normalised scores is not a number.",
                hint="it is 1 unless given; the reference for 1 can be what counts as reached.",
            )
        )
    if goal is None:
        raise DesignError(
            message(
                "an optimality gap needs to know what counts as reached.",
                hint="goal=... names it, in the unit of the measure; normalise=... makes it 1.",
            )
        )
    if setting.measure.scale == "logit":
        raise DesignError(
            message(
                "an optimality gap on the logit scale has no unit.",
                hint='Measure(scale="identity") or normalise=... gives it one.',
            )
        )
    return reference(setting, raw, goal)
