"""Sections of trees of data sets."""

from __future__ import annotations

import numpy as np

from benchinfer.analyses.subgroups.stability import SubgroupStability
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.comparison.sections import legend, not_compared, on_one_line
from benchinfer.core.numbers import brief, fixed, p_value, percent
from benchinfer.core.sections import Column, Figure, Fold, Section, Table, number

_P = number("p_value", "p", p_value, also=("p_error",))


def subgroup_sections(result: Subgroups, *, details: bool = True) -> tuple[Section, ...]:
    """Return the sections about a tree: what it shows and, in detail, how it was grown."""
    divided = len(result.tree.leaves) > 1
    tables = [_leaves(result), *([_splits(result)] if divided else [])]
    if result.refused:
        tables.append(not_compared(result.refused, "group"))
    return (
        Section(
            title=f"Where: groups of data sets by {result.measure.name}",
            lead=result.headline(),
            legend=legend(*(one.relation() for one in result.values())),
            text=(result.rule, *result.cautions),
            figures=(Figure(result, "tree", "Levels of the algorithms in each group."),),
            tables=tuple(tables),
            checks=result.checks,
            fold=Fold("Tests along each characteristic", (), (_tests(result),)),
        ),
        *([Section(title="Method: groups of data sets", text=(result.method,))] if details else []),
    )


def _leaves(result: Subgroups) -> Table:
    import pandas as pd

    rows = [
        (name, len(result.datasets[name]), on_one_line(one.relation()))
        for name, one in result.items()
    ]
    return Table(
        name="",
        caption="Order in each group, best first",
        frame=pd.DataFrame(rows, columns=["leaf", "n_datasets", "order"]),
        columns=(
            Column("leaf", "data sets", role="name"),
            number("n_datasets", "number", str),
            Column("order", "order", role="order", defined=False),
        ),
    )


def _splits(result: Subgroups) -> Table:
    return Table(
        name="",
        caption="Divisions, that of all data sets first",
        frame=result.splits(),
        columns=(
            Column("characteristic", "along", role="name"),
            Column("first_part", "first part", role="name"),
            number("n_first", "number", str),
            Column("second_part", "second part", role="name"),
            number("n_second", "number", str),
            _P,
        ),
        note="p-values are adjusted for the number of characteristics.",
    )


def _tests(result: Subgroups) -> Table:
    rows = result.tests()
    rows = rows[rows["p_value"].notna()].reset_index(drop=True)
    return Table(
        name="",
        caption="Stability of the comparison along each characteristic",
        frame=rows,
        columns=(
            Column("leaf", "data sets", role="name"),
            Column("characteristic", "characteristic", role="name"),
            number("statistic", "statistic", lambda value: fixed(value, 2)),
            _P,
        ),
        note="Of numbers the largest statistic over all places of a break, of categories a"
        " chi-squared statistic. Adjusted for the number of characteristics.",
    )


def stability_sections(result: SubgroupStability) -> tuple[Section, ...]:
    """Return the section about the stability of a tree."""
    table = Table(
        name="subgroup_stability",
        caption="Characteristics that divide subsamples, the most frequent first",
        frame=result.summary(),
        columns=(
            Column("characteristic", "characteristic", role="name"),
            Column("chosen", "in the tree", lambda value: "yes" if value else "no"),
            number("share_root", "first division", percent),
            number("share", "some division", percent),
            number("threshold", "threshold", _threshold),
            number("threshold_low", "from", _threshold),
            number("threshold_high", "to", _threshold),
        ),
        note="Of numbers the median and the 5 and 95 % quantiles of the threshold of the uppermost"
        " division.",
    )
    return (
        Section(
            title="Stability of the groups",
            lead=result.sentence(),
            text=(
                "Subsamples, drawn without replacement, find less than all data sets do.",
                "Shares are no p-values.",
            ),
            figures=(Figure(result, "divisions", "Divisions of the subsamples."),)
            if result.undivided < 1
            else (),
            tables=(table,),
        ),
    )


def _threshold(value: float) -> str:
    return "" if np.isnan(value) else brief(value)


# By class: what is said of a result when a reader requests it.
SECTIONS = {
    Subgroups: lambda result, request: subgroup_sections(result, details=request.details),
    SubgroupStability: lambda result, _: stability_sections(result),
}
