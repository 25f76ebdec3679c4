"""Heat map of the means of cells."""

from __future__ import annotations

from itertools import combinations, product
from math import log, prod

import numpy as np

from benchinfer.analyses.factors.comparison import in_units
from benchinfer.analyses.factors.factors import Factors
from benchinfer.analyses.factors.figures.order import in_order
from benchinfer.comparison.figures import heatmap
from benchinfer.core.numbers import count
from benchinfer.plots.style import PAGE, Width, measure_name
from benchinfer.scores.rows.factors import JOIN


def layout(result: Factors, width: Width = PAGE, *, top: int | None = None) -> heatmap.HeatMap:
    """Return the layout of a tile for each cell, levels of some factors down, of others across.

    The rows are about as many as the columns, or more. Numbers are by size, other levels from the
    best mean on.
    """
    names = [*result.levels]
    effects = result._effects()
    levels = [sorted(of) for of in result.levels.values()]
    orders = [in_order(of, effects.levels(f)) for f, of in enumerate(levels)]
    down = _down([len(of) for of in levels])
    across = [f for f in range(len(names)) if f not in down]
    cells = dict(zip(result.setting.algorithms, result._cell_means(), strict=True))
    rows = [*product(*(orders[f] for f in down))][:top]
    columns = [*product(*(orders[f] for f in across))]
    oriented = np.array(
        [
            [
                cells.get(JOIN.join(levels[f][place] for f, place in at), np.nan)
                for column in columns
                for at in [
                    sorted([*zip(down, row, strict=True), *zip(across, column, strict=True)])
                ]
            ]
            for row in rows
        ]
    )
    measure = result.measure
    shade, ends = heatmap.shades(np.nanmax(oriented) - oriented, measure)
    best = cells[max(cells, key=lambda cell: np.nan_to_num(cells[cell], nan=-np.inf))]
    of_rows, of_columns = (JOIN.join(names[f] for f in part) for part in (down, across))
    n_rows = prod(len(levels[f]) for f in down)
    incomplete = not np.isfinite(result.means).all()
    unit = in_units(result.setting, "data sets")
    return heatmap.tiles(
        oriented,
        [JOIN.join(levels[f][place] for f, place in zip(down, row, strict=True)) for row in rows],
        [
            JOIN.join(levels[f][p] for f, p in zip(across, column, strict=True))
            for column in columns
        ],
        measure,
        width,
        shade=shade,
        ends=ends,
        best=oriented == best,
        best_of="the best mean",
        order=f"down: {of_rows}; across: {of_columns}; levels from the best mean on,"
        " numbers by size",
        notes=(
            *((f"means over the {unit} that hold a cell",) if incomplete else ()),
            *((f"{len(rows):,} of {n_rows:,} rows",) if len(rows) < n_rows else ()),
        ),
        title=f"Means of cells: {measure_name(measure)}{measure.unit_mark}, {measure.better} is"
        " better",
        alt=f"Heat map of the means of {count(len(cells), 'cell')} of {' x '.join(names)}; best:"
        f" {max(cells, key=lambda cell: np.nan_to_num(cells[cell], nan=-np.inf))}.",
    )


def _down(sizes: list[int]) -> list[int]:
    """Return the factors of rows: at least as many rows as columns, and as few more as can be."""
    places = range(len(sizes))
    parts = [part for n in range(1, len(sizes)) for part in combinations(places, n)]
    excess = {part: 2 * log(prod(sizes[f] for f in part)) - log(prod(sizes)) for part in parts}
    return [*min(parts, key=lambda part: (excess[part] < -1e-9, round(excess[part], 9), len(part)))]
