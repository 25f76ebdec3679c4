"""Sections of a meta-analysis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.meta.comparison import MetaComparison, without_datasets
from benchinfer.analyses.meta.influence import SHOWN
from benchinfer.analyses.meta.numerics.effects import unequal_pairs
from benchinfer.comparison.further.influence import influence_table
from benchinfer.comparison.sections import columns_of_tests, leading
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import amount, count, interval, p_value, percent, significant
from benchinfer.core.sections import (
    Column,
    Figure,
    Fold,
    Request,
    Rows,
    Section,
    Table,
    names,
    number,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd


def sections(comparison: MetaComparison, request: Request) -> tuple[Section, ...]:
    """Return the verdict, and how much data sets differ and agree."""
    return (
        leading(comparison, request),
        heterogeneity(comparison, request),
        *(_details(comparison) if request.details else ()),
    )


def _details(meta: MetaComparison) -> tuple[Section, ...]:
    joint = meta.joint and len(meta.algorithms) > 2
    tables: dict[str, Callable[[], pd.DataFrame]] = {
        "consistency": meta.consistency,
        "egger": meta.egger,
    }
    written: dict[str, Section] = {}
    for name, ask in tables.items():
        write = network if name == "consistency" else small
        try:
            written[name] = write(meta, ask())
        except DesignError as error:
            shown = _of_network(meta) if name == "consistency" and joint else ()
            warnings = (str(error),)
            written[name] = Section(title=_TITLES[name], figures=shown, warnings=warnings)
    return tuple(written.values())


def _of_network(meta: MetaComparison) -> tuple[Figure, ...]:
    """Return the figure of the network, where pairs differ."""
    if not unequal_pairs(meta.studies.blocks, len(meta.algorithms)):
        return ()
    return (Figure(meta, "network", "Who was compared with whom."),)


_TITLES = {
    "consistency": "Do direct and indirect evidence agree?",
    "egger": "Do small data sets show other effects? (Egger's test)",
}


def heterogeneity(meta: MetaComparison, request: Request) -> Section:
    """Show how effects differ between data sets, for one pair also one by one."""
    table, d = meta.heterogeneity(), len(meta.studies.datasets)
    tau = np.sqrt(table["tau2"].to_numpy())
    size = (
        f"has a standard deviation of {significant(float(tau[0]), 2)}"
        if len(tau) == 1
        else "has a standard deviation from"
        f" {significant(float(tau.min()), 2)} to {significant(float(tau.max()), 2)}, by the pair"
    )
    text = [
        (
            f"Over {count(d, 'data set')}, a true difference of two algorithms"
            f" {size}, on the modelling scale. An average says little about one data set where"
            " that is large beside the average."
        )
    ]
    if meta.joint and not meta.fixed:
        text.append(str(meta.predict()))
    return Section(
        title="Differences between data sets",
        text=tuple(text),
        figures=_figures(meta),
        tables=(_amounts(meta, table),),
        fold=Fold("Without one data set", (), (_influence(meta),)) if request.details else None,
    )


def _figures(meta: MetaComparison) -> tuple[Figure, ...]:
    kinds = {
        "studies": "Effects of each data set, pooled, and (bar below the diamond) where a new one"
        " is expected.",
        "funnel": "Effects against their standard errors.",
    }
    on_two = meta.alone.n_datasets[: len(meta.pairs)] > 1
    if not (meta.pairs.real & on_two).any():
        return ()
    return tuple(Figure(meta, kind, caption) for kind, caption in kinds.items())


def _amounts(meta: MetaComparison, frame: pd.DataFrame) -> Table:
    """One row for all pairs, or for each that is pooled by itself."""
    between = "tau2_between" in frame
    columns: list[Column] = [
        *(names("first", "second") if "first" in frame else ()),
        *(
            number(name, head, lambda variance: significant(math.sqrt(variance)))
            for name, head in {"tau2": "tau", "tau2_between": "tau between"}.items()
            if name == "tau2" or between
        ),
    ]
    if "tau2_low" in frame:
        columns.append(
            number(
                "tau2_low",
                "95 % interval",
                lambda low, high: (
                    "empty"
                    if math.isnan(low)
                    else interval(math.sqrt(low), math.sqrt(high), significant)
                ),
                also=("tau2_high",),
            )
        )
    if "i2" in frame:
        columns.append(number("i2", "I²", lambda value: percent(value / 100)))
    columns += [
        number("q", "Q", significant),
        number("df", "df", amount),
        number("p_value", "p", p_value, defined=False),
    ]
    shown = {column.name for column in columns} | {"tau2_high", "measure"}
    rest = [name for name in map(str, frame.columns) if name not in shown]
    columns += [number(name, _HEADS.get(name, name), significant, brief=False) for name in rest]
    return Table(
        name="heterogeneity",
        caption="Heterogeneity",
        frame=meta.pairs.in_order(frame) if "first" in frame else frame,
        data=frame,
        columns=tuple(columns),
        note="tau: standard deviation of a true difference between data sets, on the modelling"
        f" scale{', within studies or domains and between them' * between}; I²: its share of the"
        " variance of what was observed.",
    )


_HEADS = {"i2_low": "I² in % from", "i2_high": "to", "h2": "H²"}


def _influence(meta: MetaComparison) -> Table:
    more, without = len(meta.studies.datasets) - SHOWN, without_datasets(meta, SHOWN)
    ranked = without.ranked()
    # Without these data sets the model was fitted again, or could not be.
    tried = ranked["refitted"] | ~np.isfinite(ranked["cooks_distance"])
    return influence_table(
        without,
        ranked[tried],
        caption="What changes without a data set",
        note="Moves are in standard errors of the difference that moves most."
        + (
            f" Refitted without the {SHOWN} data sets that move the estimates most by one step;"
            f" {more} others move them less."
            if more > 0
            else ""
        ),
    )


def network(meta: MetaComparison, tests: pd.DataFrame) -> Section:
    """Show the network, and the tests of direct against indirect evidence."""
    k = len(meta.algorithms)
    text = (
        f"The {k} algorithms were estimated jointly: a data set with the first and the second of"
        " three bears on the pair of the first and third, too. That is fair if data sets that"
        " compare different algorithms are otherwise alike. The tests ask whether evidence from"
        " data sets with both algorithms of a pair (direct) and from the others (indirect) agree;"
        " a large p-value does not show that they do."
    )
    table = Table(
        name="consistency",
        caption="Consistency of direct and indirect evidence",
        frame=tests,
        columns=(Column("term", "term"), Column("test", "test"), *columns_of_tests()),
        note="P-values are of each test alone.",
    )
    return Section(
        title=_TITLES["consistency"],
        text=(text,),
        figures=_of_network(meta),
        tables=(table,),
    )


def small(meta: MetaComparison, tests: pd.DataFrame) -> Section:
    """Show the tests of funnel asymmetry."""
    table = Table(
        name="egger",
        caption="Slope of effects on their standard errors",
        frame=meta.pairs.in_order(tests),
        data=tests,
        columns=(
            *names("first", "second"),
            number("n_datasets", "data sets", amount),
            number("slope", "slope", lambda value: significant(value, 4)),
            number("p_value", "p", p_value, defined=False),
        ),
    )
    return Section(title=_TITLES["egger"], tables=(table,))


SECTIONS = {MetaComparison: sections}
KEYS = {
    "heterogeneity": (Rows, "variance of differences between data sets"),
    "consistency": (Rows, "tests of direct against indirect evidence"),
    "egger": (Rows, "Egger's tests"),
    "influence": (Rows | None, "what changes without a data set"),
}
