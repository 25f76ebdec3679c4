"""Columns that the names of folders and files give."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import narwhals as nw

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.numbers import number_of
from benchinfer.scores.columns.engines import as_label
from benchinfer.scores.columns.roles import slots
from benchinfer.scores.formats.catalogue import ARROW, suffix_of
from benchinfer.scores.sources.frames import Columns, Loaded, Source

_NO_LABEL = "__HIVE_DEFAULT_PARTITION__"


def partitions(path: Path, folder: Path) -> dict[str, str | None]:
    """Return the columns that folders name, as in ``dataset=d1/part.parquet``.

    Names of runs such as ``mmlu:subject=law,model=a`` name none, but above Parquet.
    """
    pairs = [part.partition("=") for part in path.relative_to(folder).parent.parts]
    columnar = suffix_of(path) in ARROW
    return {
        unquote(name): None if value == _NO_LABEL else unquote(value)
        for name, sign, value in pairs
        if name and sign and (columnar or (":" not in name and "=" not in value))
    }


def with_partitions(source: Source, values: Mapping[str, str | None]) -> Source:
    """Add the columns that the folders of a file name; one that the file has, too, must agree."""

    def load(labels: Columns, scores: Columns, covariates: Columns) -> Loaded:
        held = [[n for n in names if n in source.names] for names in (labels, scores, covariates)]
        frame, findings = source.load(*held)
        slot = dict(zip(held[2], slots(held[2]), strict=True))
        same = {name: name for name in (*held[0], *held[1])}
        _refuse_contradictions(source.name, frame, slot | same, values)

        def column(name: str, loaded: Mapping[str, str], *, number: bool) -> nw.Expr:
            if name in loaded:
                return nw.col(loaded[name])
            text = values[name]
            if number and (text is None or number_of(text) is not None):
                return nw.lit(None if text is None else number_of(text), dtype=nw.Float64)
            return nw.lit(text, dtype=nw.String)

        slot_of = zip(covariates, slots(covariates), strict=True)
        return frame.select(
            *(column(name, same, number=False).alias(name) for name in labels),
            *(column(name, same, number=True).alias(name) for name in scores),
            *(column(name, slot, number=True).alias(to) for name, to in slot_of),
        ), findings

    names = tuple(dict.fromkeys([*source.names, *values]))
    return replace(source, names=names, load=load, stream=None) if values else source


def _refuse_contradictions(
    name: str,
    frame: nw.LazyFrame[Any],
    loaded: Mapping[str, str],
    values: Mapping[str, str | None],
) -> None:
    schema = frame.collect_schema()
    for label in values.keys() & loaded.keys():
        column = loaded[label]
        text = frame.select(as_label(column, schema[column]).alias("held")).unique().collect()
        if odd := sorted(str(held) for held in text["held"] if held != values[label]):
            raise ScoreTableError(
                f"{name!r} holds {label} {', '.join(odd[:3])} in a folder of {label}"
                f" {values[label]}.",
                hint="the column or the folder's name is wrong.",
            )
