"""Complete part of a table."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchinfer.comparison.checks import check_missing
from benchinfer.comparison.evidence import Setting
from benchinfer.core.errors import DesignError, message
from benchinfer.core.hints import Call
from benchinfer.scores.table import ScoreTable

type Flags = NDArray[np.bool_]


def complete_part(
    setting: Setting, scores: ScoreTable, missing: str, named: Iterable[object] = ()
) -> tuple[Setting, ScoreTable]:
    """Narrow a table to a part in which every algorithm has scores on every data set.

    An average over other data sets than those of its rivals would flatter an algorithm that lacks
    the hard ones.
    """
    check_missing(setting, missing, "complete")
    coverage = setting.coverage
    if not coverage.empty:
        return setting, scores
    fixed = np.isin(coverage.algorithms, [name for name in named if isinstance(name, str)])
    datasets, algorithms = fewest_lost(coverage.found, fixed)
    if not datasets.any():
        name = setting.measure.name
        raise DesignError(
            message(
                f"{len(coverage.empty)} of {coverage.found.size} cells have no score for measure"
                f" {name!r}, and no part of the table is complete.",
                where=[("dataset", "algorithm"), *coverage.empty],
                hint=f"{Call('compare_mixed')} uses all scores that are there.",
            )
        )
    kept = scores.subset(
        measures=[setting.measure.name],
        datasets=names_of(coverage.datasets, datasets),
        algorithms=names_of(coverage.algorithms, algorithms),
    )
    own, kept = Setting.of(kept)
    return replace(
        own,
        measure=setting.measure,
        absent=setting.absent,
        digest=setting.digest,
        datasets_left_out=names_of(coverage.datasets, ~datasets),
        algorithms_left_out=names_of(coverage.algorithms, ~algorithms),
        scores_left_out=coverage.n - own.coverage.n,
    ), kept


def fewest_lost(found: NDArray[np.int64], fixed: Flags) -> tuple[Flags, Flags]:
    """Return the data sets and algorithms to keep, so that the fewest scores are lost.

    Algorithms go in the order of their empty cells, those with as many together; then go the data
    sets on which one of the others has no score. Of equal losses the one of fewer algorithms.
    """
    empty = (found == 0).sum(axis=0)
    best = -1, np.zeros(len(found), np.bool_), np.ones(found.shape[1], np.bool_)
    for most in np.unique(empty)[::-1]:
        algorithms = (empty <= most) | fixed
        if algorithms.sum() < 2:
            break
        datasets = (found[:, algorithms] > 0).all(axis=1)
        kept = int(found[np.ix_(datasets, algorithms)].sum())
        if kept > best[0]:
            best = kept, datasets, algorithms
    return best[1:]


def names_of(names: tuple[str, ...], chosen: Flags) -> tuple[str, ...]:
    """Return the names that are chosen."""
    return tuple(name for name, one in zip(names, chosen, strict=True) if one)
