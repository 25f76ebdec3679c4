"""Sections of effects of factors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.factors.comparison import LevelComparison
from benchinfer.analyses.factors.factors import Factors
from benchinfer.comparison.effects import effect_columns
from benchinfer.comparison.sections import leading, not_compared
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import p_value, percent
from benchinfer.core.sections import Column, Request, Rows, Section, Table, names, number
from benchinfer.relations.sections import outcome

if TYPE_CHECKING:
    import pandas as pd

_MOST = 10  # pairs of levels of a factor, and interactions of two, that are shown


def factor_sections(result: Factors, request: Request) -> tuple[Section, ...]:
    """Return the sections on effects: main effects, interactions, and shares of the variation."""
    tables = (
        [_main(result), _interactions(result, request)]
        if result
        else [_interactions(result, request)]
    )
    shares, why = _shares(result)
    tables += [] if shares is None else [shares]
    if result.refused:
        tables.append(not_compared(result.refused, "factor"))
    return (
        Section(
            title=f"Which part matters: effects of factors on {result.measure.name}",
            lead=result.sentence(),
            text=(result.rule,),
            tables=tuple(tables),
            checks=result.checks,
            warnings=why,
        ),
        *([Section(title="Method: factors", text=(result.method,))] if request.details else []),
    )


def _main(result: Factors) -> Table:
    """Return the main effects, of many levels those of the best one and what is decided."""
    parts: list[pd.DataFrame] = []
    left_out = 0
    for name, one in result.items():
        rows = one.contrasts(order="result", all=True)
        if len(rows) > _MOST:
            best = one.ranking()[0]
            keep = rows[(rows["first"] == best) | (rows["second"] == best)]
            left_out += len(rows) - len(keep)
            rows = keep
        rows.insert(0, "factor", name)
        parts.append(rows)
    import pandas as pd

    table = pd.concat(parts, ignore_index=True)
    note = f"{left_out:,} pairs without the best level are not shown." if left_out else ""
    return Table(
        name="main_effects",
        caption="Main effects, on average over the cells of the other factors",
        frame=table,
        data=result.contrasts(all=True),
        columns=(
            *names("factor", "first", "second"),
            *effect_columns(result.measure, table, f"{100 * result.level:g} % interval"),
            number("p_value", "p", p_value, spare=1),
            outcome(),
        ),
        note=note,
    )


def _interactions(result: Factors, request: Request) -> Table:
    """Return the clearest difference of differences of each pair of factors, or all."""
    table = result.interactions()
    shown = table
    if len(table) > _MOST or not request.details:
        starts = np.cumsum([0, *(len(one.n) for one in result.pairs_of_factors)])
        picked = [
            int(s) + one.largest for s, one in zip(starts, result.pairs_of_factors, strict=False)
        ]
        shown = table.iloc[picked]
    shown = shown.assign(verdict=np.where(shown["decided"], "first", "undecided"))
    shown.loc[shown["decided"] & (shown["estimate"] < result.measure.neutral), "verdict"] = "second"
    return Table(
        name="interactions",
        caption="Interactions of two factors: how much a difference changes between two levels",
        frame=shown,
        data=table,
        columns=(
            Column("first", "difference", _difference, also=("second",), role="name"),
            Column("other_first", "at, less at", _difference, also=("other_second",), role="name"),
            *effect_columns(result.measure, shown, f"{100 * result.level:g} % interval"),
            number("p_value", "p", partial(p_value), spare=1),
            Column("decided", "shown", _shown, also=("p_value",)),
        ),
        note=" ".join(
            (["Of each pair of factors the clearest one."] if len(shown) < len(table) else [])
            + (["Each interval by itself."] if shown["p_value"].isna().all() else [])
        ),
    )


def _shown(decided: bool, p: float) -> str:  # noqa: FBT001 (a value of a column)
    return "yes" if decided else "not tested" if np.isnan(p) else "undecided"


def _difference(first: str, second: str) -> str:
    return f"{first} - {second}"


def _shares(result: Factors) -> tuple[Table | None, tuple[str, ...]]:
    """Return the shares of the variation, or why there are none."""
    try:
        table = result.shares()
    except DesignError as error:
        return None, (str(error).splitlines()[0],)
    error = [number("std_error", "error", percent)] if table["std_error"].notna().all() else []
    return (
        Table(
            name="shares",
            caption="Shares of the variation of cells within data sets",
            frame=table,
            columns=(
                Column("source", "source", role="name"),
                number("share", "share", percent),
                *error,
            ),
            note="A factor x data set is how much its effects differ between data sets.",
        ),
        (),
    )


SECTIONS = {
    Factors: factor_sections,
    LevelComparison: lambda comparison, request: (leading(comparison, request),),
}
KEYS = {
    "main_effects": (Rows, "effects of the levels of each factor"),
    "interactions": (Rows, "differences of differences of two factors"),
    "shares": (Rows, "shares of the variation of cells within data sets"),
}
