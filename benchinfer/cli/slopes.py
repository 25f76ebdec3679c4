"""Slopes along covariates, as a table for terminals."""

import math
from typing import TYPE_CHECKING

from benchinfer.cli import rounding
from benchinfer.cli.terminal import Grid
from benchinfer.reports import numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from benchinfer.compare.comparison import Comparison


def heading(result: "Comparison") -> str:
    """Say what slopes are."""
    return f"Slopes: {result.measure.effect_name} per unit of the covariate"


def grid(
    table: "pd.DataFrame",
    result: "Comparison",
    said: "Mapping[str, str]",
    written: "Callable[[float], str]",
) -> Grid:
    """Return one row for each covariate and pair.

    Parameters
    ----------
    table, result
        The slopes, and the comparison that they are of.
    said
        Heads of further columns, and which columns of the table these are.
    written
        How their numbers are written.
    """
    decimals = numbers.decimals(((table["conf_high"] - table["conf_low"]) / 4).tolist())
    lowest = -math.inf if result.measure.scale == "identity" else 0.0
    rows = tuple(
        (
            row["covariate"],
            row["first"],
            row["second"],
            rounding.number(row["estimate"], decimals),
            rounding.interval(row["conf_low"], row["conf_high"], decimals, lowest),
            *(written(row[name]) for name in said.values()),
        )
        for row in table.to_dict("records")
    )
    interval = f"{rounding.percent(result.level)} interval"
    heads = ("covariate", "first", "second", result.measure.effect_name, interval, *said)
    return Grid(heads, rows, frozenset(range(3, len(heads))))
