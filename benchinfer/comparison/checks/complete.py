"""The complete part of a table."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from benchinfer.comparison.checks.validation import check_missing
from benchinfer.comparison.evidence import Setting
from benchinfer.core.errors import DesignError
from benchinfer.numerics.ties import joined_levels
from benchinfer.numerics.types import Array, Flags
from benchinfer.scores.checks.gaps import (
    dataset_levels,
    fewest_lost,
)
from benchinfer.scores.table import ScoreTable


def complete_part(
    setting: Setting, scores: ScoreTable, missing: str, named: Iterable[object] = ()
) -> tuple[Setting, ScoreTable]:
    """Return the setting and table of a part in which all algorithms have scores on all data sets.

    An average over other data sets than those of its rivals would flatter an algorithm that lacks
    the hard ones.
    """
    check_missing(setting, missing, complete=True)
    coverage = setting.coverage
    if not coverage.empty:
        return setting, scores
    fixed = np.isin(coverage.algorithms, [name for name in named if isinstance(name, str)])
    datasets, algorithms = fewest_lost(coverage.counts, fixed)
    if not datasets.any():
        name = setting.measure.name
        raise DesignError(
            f"{len(coverage.empty):,} of {coverage.counts.size:,} cells have no score for measure"
            f" {name!r}, and no part of the table is complete.",
            where=[("dataset", "algorithm"), *coverage.empty],
            hint="compare_mixed uses all scores that are there.",
        )
    part = scores.subset(
        measures=[setting.measure.name],
        datasets=names_of(coverage.datasets, datasets),
        algorithms=names_of(coverage.algorithms, algorithms),
    )
    order, ahead = _best_first(scores.cells(setting.measure.name).mean, algorithms)
    part_setting, part = Setting.of(part)
    return replace(
        part_setting,
        coverage=part_setting.coverage.within(coverage),
        measure=setting.measure,
        absent=setting.absent,
        digest=setting.digest,
        datasets_left_out=names_of(coverage.datasets, ~datasets),
        algorithms_left_out=tuple(coverage.algorithms[k] for k in order),
        ahead_left_out=ahead,
        scores_left_out=coverage.n - part_setting.coverage.n,
    ), part


def _best_first(means: Array, included: Flags) -> tuple[list[int], int]:
    """Return indices of excluded algorithms, best first, and the number better than all included.

    By their means less the levels of the data sets, estimated from the other algorithms' scores.
    """
    level, _ = dataset_levels(means)
    relative = joined_levels(np.nanmean(means - level[:, None], axis=0))
    order = [k for k in np.argsort(-relative, kind="stable").tolist() if not included[k]]
    return order, int((relative[order] > relative[included].max()).sum())


def names_of(names: tuple[str, ...], chosen: Flags) -> tuple[str, ...]:
    """Return the names at which a mask is true."""
    return tuple(name for name, one in zip(names, chosen, strict=True) if one)
