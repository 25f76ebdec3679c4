"""Frames of mixed models as tables for readers."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.wording import margin
from benchinfer.plots.variances import words
from benchinfer.reports.numbers import decimals, fixed, p_value, percent, significant
from benchinfer.reports.records import Cell, Column, Table
from benchinfer.reports.tables import effect_head, favours, rows_of

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.new_dataset import NewDataset
    from benchinfer.measure import Measure
    from benchinfer.plots.influence import LeftOut

_TERMS = {"algorithm": "levels of the algorithms", "domain:algorithm": "algorithms, by domain"}


def variances(frame: "pd.DataFrame", measure: "Measure") -> Table:
    """One row per source of variation."""
    scale = {"identity": "the measure's own", "log": "the logarithmic", "logit": "the logit"}
    return Table(
        caption=f"Where the scores vary, on {scale[measure.scale]} scale",
        columns=(
            Column("", "what varies"),
            Column("share", "share of variance", numeric=True),
            Column("variance", "variance", numeric=True),
            Column("sd", "std. deviation", numeric=True),
            Column("source", "source"),
        ),
        rows=tuple(
            (
                Cell(words(source)),
                Cell(percent(share)),
                Cell(significant(variance)),
                Cell(significant(max(variance, 0.0) ** 0.5)),
                Cell(source, "code"),
            )
            for source, variance, share in rows_of(frame, "source", "variance", "share")
        ),
    )


def tests(frame: "pd.DataFrame") -> Table:
    """One row per test of a whole term."""
    names = ("term", "test", "statistic", "df", "df_residual", "p_value")
    return Table(
        caption="Tests of whole terms",
        columns=(
            Column("term", "term"),
            # Not adjusted, hence not what the glossary says of p_value.
            Column("", "p", numeric=True),
            Column("test", "test"),
            Column("statistic", "statistic", numeric=True),
            Column("df", "df", numeric=True),
            Column("df_residual", "residual df", numeric=True),
        ),
        rows=tuple(
            (
                Cell(_TERMS.get(term) or words(term)),
                Cell(p_value(p)),
                Cell(test),
                Cell(fixed(statistic, 2)),
                Cell(fixed(df, 0)),
                Cell(fixed(rest, 1)),
            )
            for term, test, statistic, df, rest, p in rows_of(frame, *names)
        ),
        note="Each p-value is that of its test alone. Residual df without limit (∞): a chi-squared"
        " test.",
    )


def influence(left: "LeftOut") -> Table:
    """One row per data set without which some verdict changes."""
    frame, rows = left.changing, []
    names = ("unit", "shift", "first", "second", "cooks_distance", "changes")
    for unit, shift, first, second, cook, changes in rows_of(frame, *names):
        rows.append(
            (
                Cell(str(unit), "name"),
                Cell(changes, "prose"),
                Cell(fixed(abs(shift), 2)),
                Cell(f"{first}, {second}", "name"),
                Cell(fixed(cook, 3)),
            )
        )
    return Table(
        caption=f"Verdicts that change when one {left.unit} is left out",
        columns=(
            Column("dataset", left.unit),
            Column("changes", "verdicts that change"),
            Column("shift", "largest move (std. errors)", numeric=True),
            Column("", "of the difference"),
            Column("cooks_distance", "Cook's distance", numeric=True),
        ),
        rows=tuple(rows),
        note=">: the first is better, <: the second is, ~: equivalent, ?: undecided.",
    )


def new_dataset(new: "NewDataset") -> Table:
    """One row per contrast, with the probabilities of its three outcomes."""
    measure, frame = new.measure, new.contrasts()
    places = decimals(frame["std_error"].tolist())

    def effect(value: float) -> str:
        return fixed(value, places) if measure.scale == "identity" else significant(value)

    tolerant = measure.tolerance > 0
    by = f" by more than {margin(measure)}" if tolerant else ""
    columns = [
        Column("first", "first"),
        Column("second", "second"),
        Column("prob_first", "P(first better)", numeric=True),
        *([Column("prob_equivalent", "P(equivalent)", numeric=True)] if tolerant else []),
        Column("prob_second", "P(second better)", numeric=True),
        Column("estimate", effect_head(measure), numeric=True),
        Column("conf_low", "from", numeric=True),
        Column("conf_high", "to", numeric=True),
    ]
    cells = [
        [Cell(str(text), "name") for text in frame[column.name]]
        if not column.numeric
        else [
            Cell(fixed(value, 2) if column.name.startswith("prob") else effect(value))
            for value in frame[column.name]
        ]
        for column in columns
    ]
    level = f"{100 * new.predicted.level:g} %"
    return Table(
        caption=f"Contrasts in {measure.title} on one new data set, {measure.better} is better",
        columns=tuple(columns),
        rows=tuple(zip(*cells, strict=True)),
        note=f"{favours(measure)} From, to: {level} prediction interval of each contrast alone."
        f" P: probability to be better there{by}.",
    )


def correlations(frame: "pd.DataFrame") -> str:
    """Say the intraclass correlations in a sentence, or nothing where there are none."""
    found = [
        f"{value:.2f} if they share {_shared(shared)}"
        for shared, value in rows_of(frame, "shared", "correlation")
        if np.isfinite(value)
    ]
    if not found:
        return ""
    return f"Under the model two scores correlate by {'; by '.join(found)}."


def _shared(words: str) -> str:
    """Put articles before what two scores share."""
    return " and ".join(
        f"{'an' if word[0] in 'aeiou' else 'a'} {word}" for word in words.split(" and ")
    )
