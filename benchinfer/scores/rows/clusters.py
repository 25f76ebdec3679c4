"""Tables of a cluster, reduced where they are.

The engine groups twice: scores by cell, and, where algorithms share replications, blocks by the
algorithms that they hold. Only statistics come back.
"""

from __future__ import annotations

import hashlib
from itertools import combinations_with_replacement

import narwhals as nw
import numpy as np

from benchinfer.scores.columns.engines import Frame
from benchinfer.scores.rows.reductions import Cells, on_scale
from benchinfer.scores.rows.sufficient import (
    BlockMoments,
    Reducible,
    SufficientStatistics,
    condensed,
    statistics_of,
)
from benchinfer.scores.rows.summary import coded, matrix, with_centre

_MOST_ALGORITHMS = 64  # each pair is a column
_BITS = 50  # flags in one whole number that all engines hold


def cluster_statistics(table: Reducible, frame: Frame) -> SufficientStatistics:
    """Reduce a table of a cluster."""
    cells = {name: table.cells(name) for name in table.summary.measures}
    blocks = dict[str, BlockMoments]()
    once = bool((table.summary.n == table.summary.replications).all())
    if table.paired and once and len(table.algorithms) <= _MOST_ALGORITHMS:
        blocks = {name: block_moments(frame, of_measure) for name, of_measure in cells.items()}
    exact = (
        table.summary.measures,
        table.summary.datasets,
        table.summary.algorithms,
        table.summary.n.tolist(),
    )
    sums = [f"{x:.6g}" for x in (*table.summary.mean.ravel(), *table.summary.squares.ravel())]
    ends = (table.summary.minimum.tolist(), table.summary.maximum.tolist())
    described = [(name, *known.content) for name, known in sorted(table.features.items())]
    return statistics_of(
        table,
        cells,
        blocks,
        steps=dict.fromkeys(blocks, 0.0),
        digest=hashlib.sha256(repr((exact, ends, sums, *described)).encode()).hexdigest()[:16],
        sample=np.empty(0, np.uint64),
    )


def grouped_blocks(frame: Frame, cells: Cells) -> Frame:
    """Return sums and cross products of the blocks that hold the same algorithms.

    Scores are centred by their cell before they are multiplied, so that nothing cancels.
    """
    names = range(len(cells.algorithms))
    x, rows = nw.col("x"), frame.filter(nw.col("measure") == cells.measure.name)
    rows = rows.select("dataset", "replication", "algorithm", on_scale(cells.measure).alias("x"))
    rows = with_centre(rows, ("dataset", "algorithm"))
    rows = rows.with_columns((x - nw.col("centre")).alias("x"))
    rows = rows.with_columns(
        nw.when(nw.col("algorithm") == cells.algorithms[k]).then(x).alias(f"x{k}") for k in names
    )
    wide = rows.group_by("dataset", "replication").agg(nw.col(f"x{k}").max() for k in names)
    held = [~nw.col(f"x{k}").is_null() for k in names]
    keys = [f"held{i}" for i in range(-(-len(names) // _BITS))]
    flags = [
        nw.sum_horizontal(
            *(
                nw.when(held[k]).then(nw.lit(2 ** (k - i * _BITS))).otherwise(nw.lit(0))
                for k in names[i * _BITS : (i + 1) * _BITS]
            )
        ).alias(key)
        for i, key in enumerate(keys)
    ]
    wide = wide.with_columns(*flags).with_columns(nw.col(f"x{k}").fill_null(0.0) for k in names)
    pairs = list(combinations_with_replacement(names, 2))
    wide = wide.with_columns(
        (nw.col(f"x{i}") * nw.col(f"x{j}")).alias(f"x{i}x{j}") for i, j in pairs
    )
    sums = [f"x{k}" for k in names] + [f"x{i}x{j}" for i, j in pairs]
    return wide.group_by("dataset", *keys).agg(
        nw.len().alias("rows"), *(nw.col(name).sum() for name in sums)
    )


def block_moments(frame: Frame, cells: Cells) -> BlockMoments:
    """Reduce the blocks of one measure, without its direction."""
    table = grouped_blocks(frame, cells).collect().to_arrow()
    k = len(cells.algorithms)
    dataset = coded(table.column("dataset"), cells.datasets)[0]
    rows = table.column("rows").to_numpy().astype(np.int64)
    keys = [table.column(f"held{i}").to_numpy() for i in range(-(-k // _BITS))]
    held = np.column_stack([keys[j // _BITS] >> (j % _BITS) & 1 for j in range(k)]).astype(np.int64)
    shift = matrix(table, [f"x{j}" for j in range(k)]) / rows[:, None]
    i, j = np.array(list(combinations_with_replacement(range(k), 2))).T
    cross = np.zeros((len(rows), k, k))
    cross[:, i, j] = matrix(table, [f"x{a}x{b}" for a, b in zip(i, j, strict=True)])
    cross[:, j, i] = cross[:, i, j]
    cross -= rows[:, None, None] * shift[:, :, None] * shift[:, None, :]
    level = np.nan_to_num(cells.measure.sign * cells.mean)
    mean = np.where(held, level[dataset] + shift, 0.0)
    values, vectors = np.linalg.eigh(cross)
    size = values[:, -1:]
    positive = (values > np.finfo(float).eps * len(cross[0]) * size) & (rows > 1)[:, None]
    home, at = np.nonzero(positive)
    roots = home, np.sqrt(values[home, at])[:, None] * vectors[home, :, at]
    nothing = np.zeros((len(cells.datasets), k))
    return condensed(dataset, held, rows, mean, roots, nothing)
