"""Levels of the algorithms by the statistic that is tested.

Tests of pairs alone are about typical differences (or mean ones), so that levels are placed by the
estimates of the pairs; tests of pooled scores are about the means of these.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.permutation.blocks import Exchangeable, standardised
from benchinfer.analyses.permutation.numerics.blocks import additive_levels, center
from benchinfer.analyses.permutation.pooled import scores_of
from benchinfer.comparison.evidence import Level
from benchinfer.core.errors import DesignError
from benchinfer.core.measure import Measure
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    from benchinfer.analyses.permutation.options import PermutationProcedure
    from benchinfer.analyses.permutation.overall import RankSums
    from benchinfer.numerics.types import Codes


def means_of(data: Exchangeable, on: str) -> Array:
    """Return (K,) means over blocks, in repeated blocks over data sets, as if none were missing."""
    layout = data.layout
    if not len(layout.rows):
        raise DesignError(
            f"no {data.unit} has scores of two algorithms.",
            hint="permutation tests move labels within blocks; check the labels of"
            f" {'data sets' if data.unit == 'data set' else 'replications'}.",
        )
    if on == "dispersion" and data.target == "datasets":
        return _over_blocks(data, layout.rows, scores_of(data, layout, on).values)
    return _over_blocks(data, np.arange(len(data.values)), data.values)


def _over_blocks(data: Exchangeable, rows: Codes, values: Array) -> Array:
    """Return (K,) means of values that some rows have."""
    cells = (data.dataset if data.repeated else data.block)[rows]
    shape = (int(cells.max()) + 1, data.n_labels)
    at = cells * data.n_labels + data.label[rows]
    n = np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape)
    total = np.bincount(at, values, shape[0] * shape[1]).reshape(shape)
    mean = np.divide(total, n, out=np.zeros(shape), where=n > 0)
    if (n > 0).all():
        return mean.sum(axis=0) / len(mean)
    return additive_levels(mean, n > 0)


def tested_level(
    data: Exchangeable,
    measure: Measure,
    ranks: RankSums,
    pairs: Codes,
    estimates: Array,
    procedure: PermutationProcedure,
) -> Level:
    """Return the levels by the statistic that is tested, given (P,) estimates of pairs."""
    mean, on = means_of(data, procedure.on), procedure.on
    of_means = data.outcomes or on == "values"
    if on == "dispersion":
        return replace(Level.of_pairs(mean, pairs, estimates), name="spread of {}")
    if of_means and procedure.scale == "none":
        return Level.of_pairs(mean, pairs, estimates)
    scaled = standardised(data) if procedure.scale == "dataset" else data
    layout = scaled.layout
    if of_means:
        level = _over_blocks(scaled, layout.rows, center(scaled.of(layout), layout))
        return Level(level, mean=mean, name="standardised {}", better=measure.better)
    if procedure.pairs == "pairwise":
        return Level.of_pairs(mean, pairs, estimates, "typical {}")
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
