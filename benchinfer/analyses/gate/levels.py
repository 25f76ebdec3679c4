"""Levels of a factor as the sides of a gate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.numbers import count
from benchinfer.scores.read import read_scores
from benchinfer.scores.rows.factors import JOIN
from benchinfer.scores.table import ScoreTable


def of_levels(
    scores: ScoreTable, baseline: str, candidate: str, measures: Sequence[str]
) -> ScoreTable:
    """Return the means of two levels of a factor where both sides are such, as in ``aug=none``.

    On each data set a level is the mean over all cells of the other factors, with equal weights, on
    the scale of the measure. Any other table, and sides that are cells, are returned as they are.

    Raises
    ------
    DesignError
        Sides are no two levels of one factor, or a data set lacks some of their cells.
    """
    parts = [side.split("=", 1) for side in (baseline, candidate)]
    named = [len(part) > 1 and part[0] in scores.factors for part in parts]
    if not any(named):
        return scores
    if not all(named) or parts[0][0] != parts[1][0]:
        raise DesignError(
            f"{baseline} and {candidate} are no levels of one factor.",
            hint=f"factors are {', '.join(scores.factors)}; a gate is of two levels of one.",
        )
    name, levels = parts[0][0], [level for _, level in parts]
    for level in levels:
        if level not in scores.factors[name]:
            raise DesignError(unknown(f"level of {name}", level, scores.factors[name]))
    if single := [m for m in measures if scores.measure(m).limit is not None]:
        raise DesignError(
            f"a gate of levels of factors does not go with a limit, as {single[0]} has.",
            hint="a gate of two cells does.",
        )
    place = [*scores.factors].index(name)
    return _read(scores, place, dict(zip(levels, (baseline, candidate), strict=True)), measures)


def _read(
    scores: ScoreTable, place: int, sides: dict[str, str], measures: Sequence[str]
) -> ScoreTable:
    """Return the table of the sides, each the mean of the cells of its level."""
    import pandas as pd

    rows: list[tuple[str, str, str, float]] = []
    for name in measures:
        cells = scores.cells(name)
        others = {level: _cells_of(cells.algorithms, place, level) for level in sides}
        first, second = others.values()
        lacking = sum(1 for cell in {*first, *second} if cell not in first or cell not in second)
        means = {
            sides[level]: cells.mean[:, [*of.values()]].mean(axis=1) for level, of in others.items()
        }
        gaps = ~np.isfinite(np.array([*means.values()])).all(axis=0)
        if lacking or gaps.any():
            raise DesignError(
                f"{name}: {count(int(gaps.sum()), 'data set')} and {count(lacking, 'cell')} of the"
                " other factors lack a score of one of the levels.",
                hint="run the cells that are missing; compare_factors takes incomplete grids.",
            )
        rows += [
            (dataset, side, name, score)
            for side, mean in means.items()
            for dataset, score in zip(
                cells.datasets, cells.measure.level_of(mean).tolist(), strict=True
            )
        ]
    declared = [scores.measure(name) for name in measures]
    columns = {"measure": "measure"}
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "measure", "score"])
    if scores.domains:
        table["domain"] = table["dataset"].map(dict(scores.domains))
        columns["domain"] = "domain"
    return read_scores(table, measures=declared, columns=columns)


def _cells_of(cells: Sequence[str], place: int, level: str) -> dict[str, int]:
    """Return the places of the cells of a level, by the levels of the other factors."""
    parts = [(k, name.split(JOIN)) for k, name in enumerate(cells)]
    return {
        JOIN.join(part[:place] + part[place + 1 :]): k for k, part in parts if part[place] == level
    }
