"""Report sections of a meta-analysis."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.meta.comparison import MetaComparison
from benchinfer.analyses.meta.influence import SHOWN, looked_at
from benchinfer.comparison import sections as comparison_sections
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, fixed, p_value, significant
from benchinfer.core.sections import Cell, Column, Figure, Fold, Section, Table
from benchinfer.relations.sections import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.scores.table import ScoreTable


def sections(
    comparison: MetaComparison, before: "Sequence[Comparison]", _: "ScoreTable | None"
) -> tuple[Section, ...]:
    """Return the sections about a comparison: verdicts, and what follows from them."""
    return (comparison_sections.leading(comparison, before), *_beyond(comparison))


def _beyond(comparison: MetaComparison) -> tuple[Section, ...]:
    found = [heterogeneity(comparison)]
    if comparison.joint and len(comparison.algorithms) > 2:
        found.append(network(comparison))
    return tuple(found)


def heterogeneity(meta: MetaComparison) -> Section:
    """Show how effects differ between data sets, for one pair also one by one."""
    found, d = meta.heterogeneity(), len(meta.studies.datasets)
    tau = np.sqrt(found["tau2"].to_numpy())
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
            " that is large beside the average: the bar below the diamond says where a new one is"
            " expected."
        )
    ]
    if meta.joint:
        text.append(str(meta.predict()))
    return Section(
        title="Differences between data sets",
        text=tuple(text),
        figures=_figures(meta),
        tables=(_amounts(meta),),
        fold=Fold("Without one data set", (), (_influence(meta),)),
    )


def _figures(meta: MetaComparison) -> tuple[Figure, ...]:
    kinds = {
        "studies": "Effects of each data set, pooled, and what to expect on a new one.",
        "funnel": "Effects against their standard errors.",
    }
    on_two = meta.alone.n_datasets[: len(meta.pairs)] > 1
    if not ((meta.pairs >= 0).all(axis=1) & on_two).any():
        return ()
    return tuple(Figure(meta, kind, caption) for kind, caption in kinds.items())


def _amounts(meta: MetaComparison) -> Table:
    frame = meta.heterogeneity()
    names = [name for name in frame.columns if name != "measure"]
    heads = {
        "tau2": "tau²",
        "tau2_low": "from",
        "tau2_high": "to",
        "tau2_between": "tau² between",
        "i2": "I² in %",
        "i2_low": "from",
        "i2_high": "to",
        "h2": "H²",
        "q": "Q",
        "p_value": "p",
    }

    def cell(name: str, value: object) -> Cell:
        if isinstance(value, str):
            return Cell(value, "name")
        number = float(str(value))
        if name == "p_value":
            return Cell(p_value(number))
        return Cell(f"{number:g}" if name == "df" else significant(number, 3))

    return Table(
        caption="Heterogeneity",
        columns=tuple(
            Column(name, heads.get(name, name), numeric=name not in ("first", "second"))
            for name in names
        ),
        rows=tuple(
            tuple(cell(name, value) for name, value in zip(names, row, strict=True))
            for row in rows_of(frame, *names)
        ),
    )


def _influence(meta: MetaComparison) -> Table:
    names = ("dataset", "shift", "first", "second", "changes")
    more, found = len(meta.studies.datasets) - SHOWN, looked_at(meta.influence(SHOWN))
    return Table(
        caption="What changes without a data set",
        columns=(
            Column("dataset", "data set"),
            Column("shift", "largest move", numeric=True),
            Column("first", "first"),
            Column("second", "second"),
            Column("changes", "verdicts that change"),
        ),
        rows=tuple(
            (
                Cell(dataset, "name"),
                Cell(fixed(shift, 2) if np.isfinite(shift) else "not refitted"),
                Cell(first, "name"),
                Cell(second, "name"),
                Cell(changes),
            )
            for dataset, shift, first, second, changes in rows_of(found, *names)
        ),
        note="Moves are in standard errors of the difference that moves most."
        + (f" Refitted without the {SHOWN} that move most by one step." if more > 0 else ""),
    )


def network(meta: MetaComparison) -> Section:
    """Say who was compared with whom, and whether direct and indirect evidence agree."""
    k = len(meta.algorithms)
    shown = Figure(meta, "network", "Who was compared with whom.")
    try:
        tests = meta.consistency()
    except DesignError as refusal:
        return Section(title="Network", text=(str(refusal).splitlines()[0],), figures=(shown,))
    names = ("term", "test", "statistic", "df", "p_value")
    text = (
        f"The {k} algorithms were estimated jointly: a data set with the first and the second of"
        " three bears on the pair of the first and third, too. That is fair if data sets that"
        " compare different algorithms are otherwise alike. The tests ask whether evidence from"
        " data sets with both algorithms of a pair (direct) and from the others (indirect) agree;"
        " a large p-value does not show that they do."
    )
    table = Table(
        caption="Consistency of direct and indirect evidence",
        columns=(
            Column("term", "term"),
            Column("test", "test"),
            Column("statistic", "statistic", numeric=True),
            Column("df", "df", numeric=True),
            Column("", "p", numeric=True),
        ),
        rows=tuple(
            (Cell(term), Cell(test), Cell(fixed(value, 2)), Cell(f"{df:g}"), Cell(p_value(p)))
            for term, test, value, df, p in rows_of(tests, *names)
        ),
        note="P-values are of each test alone.",
    )
    return Section(title="Network", text=(text,), figures=(shown,), tables=(table,))


SECTIONS = {MetaComparison: sections}
