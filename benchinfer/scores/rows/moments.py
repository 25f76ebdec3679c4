"""Sufficient statistics of the rows of a table."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from benchinfer.scores.columns.roles import slots
from benchinfer.scores.rows.engine import EngineRows
from benchinfer.scores.rows.reductions import Blocks, smallest_step
from benchinfer.scores.rows.rows import Rows
from benchinfer.scores.rows.statistics import StatisticsRows
from benchinfer.scores.rows.sufficient import (
    SAMPLE,
    BlockMoments,
    Reducible,
    SufficientStatistics,
    condensed,
    merged,
    statistics_of,
)
from benchinfer.scores.rows.summary import ScoreRows


def reduce_statistics(table: Reducible, rows: Rows) -> SufficientStatistics:
    """Reduce a table and its rows to sufficient statistics."""
    if isinstance(rows, StatisticsRows):
        return rows.held
    if isinstance(rows, EngineRows) and rows.in_cluster:
        from benchinfer.scores.rows.clusters import cluster_statistics

        return cluster_statistics(table, rows.columns)
    cells = {name: table.cells(name) for name in table.summary.measures}
    blocks, steps = dict[str, BlockMoments](), dict[str, float]()
    samples: list[NDArray[np.uint64]] = []
    values = np.empty(max(each.n.sum() for each in cells.values()) if table.paired else 0)
    for name in cells:
        if not table.paired:
            samples.append(
                _sample(
                    name,
                    rows.scores(name, table.summary.names, slots(table.covariates)),
                    table,
                )
            )
            continue
        parts: list[BlockMoments] = []
        end = 0
        for part in rows.block_parts(table.measure(name), table.summary.names):
            samples.append(_sample(name, part, table))
            each = np.arange(len(part.dataset))
            mean = part.measure.sign * part.mean
            roots = each[:0], part.mean[:0]
            ones = np.ones_like(each)
            parts.append(condensed(part.dataset, part.count, ones, mean, roots, part.within))
            single = part.count == 1
            once = part.mean.ravel() if single.all() else part.mean[single]
            values[end : (end := end + len(once))] = once
        blocks[name] = merged(parts, np.sum([part.within for part in parts], axis=0))
        steps[name] = smallest_step(values[:end])
    sample = np.sort(np.concatenate(samples))  # np.unique takes twenty times as long
    sample = sample[np.diff(sample, prepend=~sample[:1]) != 0][:SAMPLE]
    return statistics_of(
        table,
        cells,
        blocks,
        steps=steps,
        digest=table.digest,
        sample=sample,
        unit_size=rows.unit_size,
    )


def _sample(measure: str, scores: Blocks | ScoreRows, table: Reducible) -> NDArray[np.uint64]:
    """Return the smallest hashes of the blocks, or of the scores where none are shared."""
    mixed = _mixed(_hashes((measure,)), _hashes(table.datasets)[scores.dataset])
    mixed = _mixed(mixed, _hashes(scores.labels)[scores.replication])
    if isinstance(scores, ScoreRows):
        mixed = _mixed(mixed, _hashes(table.algorithms)[scores.algorithm])
    return np.partition(mixed, SAMPLE)[:SAMPLE].copy() if len(mixed) > SAMPLE else mixed


@lru_cache(4)  # a table's labels, once for all of its parts
def _hashes(labels: tuple[str, ...]) -> NDArray[np.uint64]:
    digests = [hashlib.blake2b(label.encode(), digest_size=8).digest() for label in labels]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def _mixed(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix pairs of hashes, each bit of a pair with all others (the finaliser of SplitMix64)."""
    x = a * np.uint64(0x9E3779B97F4A7C15) + b
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
