"""Changes of rows: some of their labels, or other scores of a measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.measure import Measure
from benchinfer.numerics.types import Array
from benchinfer.scores.columns.engines import Frame, lazy
from benchinfer.scores.columns.roles import SIZE
from benchinfer.scores.rows.engine import EngineRows
from benchinfer.scores.rows.places import PlacedRows, placed_frame
from benchinfer.scores.rows.rows import Names, Rows
from benchinfer.scores.rows.statistics import StatisticsRows
from benchinfer.scores.rows.summary import ScoreRows, Summary, coded, collect, distinct

type Selection = Mapping[str, Sequence[str] | None]  # role to the labels to keep, None for all

NOTHING = message("nothing is left of the table.", hint="ask for less.")


def rows_of(frame: Frame) -> Rows:
    """Return the rows of canonical columns, in their places where these are dense."""
    if SIZE in frame.collect_schema().names():
        return EngineRows(frame, of_units=True)
    return placed_frame(frame) or EngineRows(frame)


def labels_to_keep(
    role: str, labels: str | Sequence[str | int] | None, there: Sequence[str]
) -> list[str] | None:
    """Return the labels to keep as a list, None for all."""
    if labels is None:
        return None
    names = [str(name) for name in ([labels] if isinstance(labels, str | int) else labels)]
    if not names:
        raise DesignError(NOTHING)
    if strange := set(names).difference(there):
        raise DesignError(unknown(role, min(strange), there[:50]))
    return names


def subset(rows: Rows, labels: Selection, domains: Mapping[str, str] | None) -> Rows:
    """Keep the rows of some labels."""
    if not isinstance(rows, StatisticsRows):
        return rows_of(selected(rows.frame(domains), labels))
    summary = rows.held.summary
    datasets, domain = labels["dataset"], labels["domain"]
    datasets = summary.datasets if datasets is None else datasets
    if domains and domain is not None:
        datasets = [name for name in datasets if domains[name] in domain]
    return StatisticsRows(
        rows.held.subset(
            labels["measure"] or summary.measures,
            datasets,
            labels["algorithm"] or summary.algorithms,
        )
    )


def complete_replications(rows: Rows, domains: Mapping[str, str] | None, summary: Summary) -> Rows:
    """Keep the replications that each algorithm has; the summary is that of one measure."""
    keys, frame = ["dataset", "replication"], rows.frame(domains)
    counts = distinct(frame.filter(nw.col("measure") == summary.measures[0]), "algorithm", keys)
    complete = counts.filter(nw.col("n") == len(summary.algorithms)).select(*keys)
    return rows_of(frame.join(complete, on=keys, how="semi"))


def replaced(
    rows: Rows, measure: Measure, new: Measure, names: Names, change: Callable[[ScoreRows], Array]
) -> Rows:
    """Return the rows with one measure and its scores replaced by another."""
    table: Any = rows.frame().collect().to_arrow()
    codes, measures = coded(table.column("measure"))
    value = table.column("value").to_numpy().copy()
    at = np.flatnonzero(codes == measures.index(measure.name))
    value[at] = change(collect(lazy(table), measure.name, *names))
    place = table.column_names.index("value")
    table = renamed(table, measure.name, new.name).set_column(place, "value", [value])
    return rows_of(lazy(table))


def rescaled(
    rows: Rows, measure: Measure, new: Measure, names: Names, low: Array, width: Array
) -> Rows:
    """Turn oriented scores into ``(score - low) / width`` of (D,) data sets, a new measure."""
    match rows:
        case StatisticsRows(held=held):
            return StatisticsRows(held.rescaled(measure, new, low, width))
        case PlacedRows(places=places):
            m = places.measures.index(measure.name)
            dataset, _, at = places.blocks(m)
            value = places.value.copy()
            for part, scores in places.parts(at):
                d = dataset[part, None]
                value[at[part]] = (measure.orient(scores) - low[d]) / width[d]
            return PlacedRows(places.replaced(m, new.name, value))
        case _:
            return replaced(
                rows,
                measure,
                new,
                names,
                lambda scores: (
                    (measure.orient(scores.value) - low[scores.dataset]) / width[scores.dataset]
                ),
            )


def selected(frame: Frame, labels: Selection) -> Frame:
    """Keep the rows of some labels."""
    for role, names in labels.items():
        if names is not None:
            frame = frame.filter(nw.col(role).is_in(list(names)))
    return frame


def renamed(table: Any, measure: str, name: str) -> Any:
    """Return an Arrow table with one measure renamed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table.column("measure").cast(pa.string())
    place = table.column_names.index("measure")
    new = pc.if_else(pc.equal(column, measure), name, column)  # pyright: ignore[reportAttributeAccessIssue]
    return table.set_column(place, "measure", new)
