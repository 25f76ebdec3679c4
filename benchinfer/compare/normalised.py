"""Scores brought to one scale over data sets, by references that stand for 0 and 1."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from benchinfer.compare.evidence import Array, Setting
from benchinfer.errors import DesignError, message, unknown
from benchinfer.measure import Measure
from benchinfer.numerics.bootstrap import Sample

type Reference = float | str | Mapping[str, float]
type Normalise = Literal["min-max"] | Mapping[str, Reference] | None


def reference(setting: Setting, sample: Sample, given: Reference) -> Array:
    """Return (D,) oriented values that a reference has on the data sets.

    Parameters
    ----------
    setting, sample
        What is compared, and its scores.
    given
        A number in the measure's unit, one for each data set by name, or the name of an algorithm,
        which stands for its mean.

    Raises
    ------
    DesignError
        The algorithm is not known, a data set has no number, or a number is not finite on the
        measure's scale.
    """
    measure, datasets = setting.measure, setting.coverage.datasets
    if isinstance(given, str):
        if given not in setting.algorithms:
            raise DesignError(unknown("algorithm", given, setting.algorithms))
        return sample.means[:, setting.algorithms.index(given)]
    if isinstance(given, Mapping):
        if lost := [name for name in datasets if name not in given]:
            raise DesignError(
                message(
                    f"{len(lost)} of {len(datasets)} data sets have no reference.",
                    where=[("dataset",), *((name,) for name in lost)],
                    hint="give one number for each data set.",
                )
            )
        numbers = np.array([given[name] for name in datasets], dtype=np.float64)
    else:
        numbers = np.full(len(datasets), given, dtype=np.float64)
    with np.errstate(all="ignore"):
        oriented = measure.orient(numbers)
    if not np.isfinite(oriented).all():
        wrong = datasets[int(np.flatnonzero(~np.isfinite(oriented))[0])]
        raise DesignError(
            message(
                f"the reference on {wrong} is not a number on the {measure.scale} scale.",
                hint="references are in the unit of the measure.",
            )
        )
    return oriented


def normalised(setting: Setting, sample: Sample, normalise: Normalise) -> Sample:
    """Return scores as ``(score - low) / (high - low)`` of each data set, larger is better.

    Parameters
    ----------
    setting, sample
        What is compared, and its scores.
    normalise
        ``{"low": ..., "high": ...}``, references as in `reference`; ``"min-max"``, the worst and
        the best score of each data set; None changes nothing.

    Raises
    ------
    DesignError
        The references are not known, or on some data set high is not better than low.
    """
    if normalise is None:
        return sample
    if isinstance(normalise, str):
        if normalise != "min-max":
            raise DesignError(unknown("normalise", normalise, ["min-max"]))
        low, high = _range(sample)
    else:
        if set(normalise) != {"low", "high"}:
            raise DesignError(
                message(
                    f"normalise names {', '.join(map(repr, normalise)) or 'nothing'}.",
                    hint='normalise={"low": ..., "high": ...} names what stands for 0 and 1.',
                )
            )
        low, high = (reference(setting, sample, normalise[name]) for name in ("low", "high"))
    _refuse_turned(setting, low, high)
    d = sample.dataset
    return sample.with_values((sample.values - low[d, None]) / (high - low)[d, None])


def _range(sample: Sample) -> tuple[Array, Array]:
    first = sample.strata[sample.first_stratum[:-1]]
    low = np.where(sample.present, sample.values, np.inf).min(axis=1)
    high = np.where(sample.present, sample.values, -np.inf).max(axis=1)
    return np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)


def _refuse_turned(setting: Setting, low: Array, high: Array) -> None:
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
        message(
            f"on {len(wrong)} of {len(low)} data sets the reference for 1 is not better than that"
            " for 0.",
            where=[("dataset", "0", "1"), *rows],
            hint=f"of {measure.name} {measure.better} is better: low is the worse reference.",
        )
    )


def reported(
    setting: Setting, normalise: Normalise, tolerance: float | None, *, gap: bool
) -> Measure:
    """Return what the aggregates are measures of.

    Parameters
    ----------
    setting
        What is compared.
    normalise
        As in `normalised`. A tolerance in the measure's unit does not apply to normalised scores.
    tolerance
        In place of the measure's own.
    gap
        Whether shortfalls are aggregated, of which lower is better.
    """
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
