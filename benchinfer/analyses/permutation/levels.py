"""Levels of the algorithms, and their order by the statistic that is tested.

Tests of pairs alone are about typical differences (or mean ones), which algorithms are ordered by;
their levels are the medians (or means) of their own scores. Tests of pooled scores are about the
means of these, which are levels and order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.permutation.blocks import Exchangeable, standardised
from benchinfer.analyses.permutation.numerics.blocks import additive_levels, center
from benchinfer.analyses.permutation.pooled import scores_of
from benchinfer.comparison.evidence import Level, Setting
from benchinfer.core.errors import DesignError
from benchinfer.numerics.types import Array, States

if TYPE_CHECKING:
    from benchinfer.analyses.permutation.options import PermutationProcedure
    from benchinfer.analyses.permutation.overall import RankSums
    from benchinfer.numerics.types import Codes


def means_of(data: Exchangeable, on: str) -> Array:
    """Return (K,) means over blocks, in repeated blocks over data sets, as if none were missing."""
    if not len(data.layout.rows):
        raise DesignError(
            f"no {data.unit} has scores of two algorithms.",
            hint="permutation tests move labels within blocks; check the labels of"
            f" {'data sets' if data.unit == 'data set' else 'replications'}.",
        )
    return _over_blocks(data, *_averaged(data, on))


def _averaged(data: Exchangeable, on: str) -> tuple[Codes, Array]:
    """Return the rows whose values are averaged, and these: scores, or their spreads."""
    if on == "dispersion" and data.target == "datasets":
        return data.layout.rows, scores_of(data, data.layout, on).values
    return np.arange(len(data.values)), data.values


def _over_blocks(data: Exchangeable, rows: Codes, values: Array) -> Array:
    """Return (K,) means of values that some rows have, as if none were missing."""
    mean = _cells(data, rows, values)
    held = np.isfinite(mean)
    return mean.mean(axis=0) if held.all() else additive_levels(np.nan_to_num(mean), held)


def _cells(data: Exchangeable, rows: Codes, values: Array) -> Array:
    """Return (B, K) means in the blocks, of repeated ones on the data sets; NaN where none is."""
    cells = (data.dataset if data.repeated else data.block)[rows]
    shape = (int(cells.max()) + 1, data.n_labels)
    at = cells * data.n_labels + data.label[rows]
    n = np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape)
    total = np.bincount(at, values, shape[0] * shape[1]).reshape(shape)
    return np.divide(total, n, out=np.full(shape, np.nan), where=n > 0)


def _own_means(data: Exchangeable, on: str) -> Array:
    """Return (K,) means over the blocks, or data sets, that an algorithm has."""
    return np.nanmean(_cells(data, *_averaged(data, on)), axis=0)


def _medians(data: Exchangeable) -> Array:
    """Return (K,) medians over the blocks that an algorithm has, of its scores on a single one."""
    if int(data.block.max()) == 0:
        return np.array([np.median(data.values[data.label == k]) for k in range(data.n_labels)])
    return np.nanmedian(_cells(data, np.arange(len(data.values)), data.values), axis=0)


def tested_level(
    data: Exchangeable,
    setting: Setting,
    ranks: RankSums,
    pairs: Codes,
    estimates: Array,
    codes: States,
    procedure: PermutationProcedure,
) -> Level:
    """Return the levels, given (P,) estimates of pairs and the verdicts on the first of these."""
    mean, on = means_of(data, procedure.on), procedure.on
    of_means = data.outcomes or on in ("values", "dispersion")
    if not of_means and procedure.pairs == "pairwise":
        medians, units = Level.of_medians(_medians(data), mean), setting.one_unit
        return Level.of_pairs(medians, pairs, estimates, codes, ranks.mean_ranks, units=units)
    if on == "dispersion" or (of_means and procedure.scale == "none"):
        name = "spread of {}" if on == "dispersion" else ""
        means = Level(_own_means(data, on), name=name, order_name=name)
        return Level.of_pairs(means, pairs, estimates, codes, ranks.mean_ranks, units=True)
    scaled = standardised(data) if procedure.scale == "dataset" else data
    layout = scaled.layout
    if of_means:
        level = _over_blocks(scaled, layout.rows, center(scaled.of(layout), layout))
        return Level(level, mean=mean, name="standardised {}", better=setting.measure.better)
    return _of_pooled(scaled, on, ranks, mean)


def _of_pooled(data: Exchangeable, on: str, ranks: RankSums, mean: Array) -> Level:
    """Return the means of ranks or normal scores that all algorithms share."""
    if on == "ranks":
        return Level(-ranks.mean_ranks, mean=mean, name="mean rank", better="lower")
    layout = data.layout
    count = np.bincount(layout.labels, minlength=data.n_labels)
    total = np.bincount(layout.labels, scores_of(data, layout, on).values, data.n_labels)
    score = total / np.where(count > 0, count, np.nan)
    if on == "normal-scores":
        return Level(score, mean=mean, name="mean normal score", better="higher")
    return Level(score - len(layout.rows) - 1, mean=mean, name="mean aligned rank", better="lower")
