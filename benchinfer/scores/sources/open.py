"""The function `open_source`."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import Option
from benchinfer.scores.formats.documents import of_mapping
from benchinfer.scores.formats.recognise import recognised
from benchinfer.scores.sources.databases import relation
from benchinfer.scores.sources.frames import of_frame
from benchinfer.scores.sources.paths import of_path
from benchinfer.scores.sources.source import Source, first_line

_MOST_COLUMNS = 20_000


def open_source(source: object, query: str | None, name: str | None = None) -> Source:
    """Open a table without reading its rows yet, and recognise the tool that wrote it."""
    origin = _opened(source, query, name)
    if (n := len(origin.names)) > _MOST_COLUMNS:
        raise ScoreTableError(
            f"{origin.name!r} has {n:,} columns, and a table has at most {_MOST_COLUMNS:,}.",
            hint="write one row per score, with its data set and algorithm in columns.",
        )
    known = origin.known or recognised(origin.names)
    if known is None:
        return origin
    if known.name is not None and name is None and isinstance(source, str | Path):
        with suppress(ScoreTableError):  # files may have been given other names
            origin = of_path(source, query, known.name)
    return replace(origin, known=known)


def _opened(source: object, query: str | None, name: str | None) -> Source:
    if isinstance(source, str | Path):
        return of_path(source, query, name)
    if name is not None:
        raise ScoreTableError(
            f"{Option('name', '')} was given with a {type(source).__name__}.",
            hint="it is the pattern of files' names.",
        )
    if type(source).__name__ == "DuckDBPyConnection":
        connection = cast("Any", source)
        return of_frame(relation(connection, query, "the connection"), "query")
    if isinstance(source, Mapping):
        return _of_mapping(cast("Mapping[str, Any]", source))
    if query is not None:
        raise ScoreTableError(
            f"{Option('query', '')} was given with a {type(source).__name__}.",
            hint="a query needs a DuckDB file or connection as its source.",
        )
    return of_frame(source, type(source).__name__)


def _of_mapping(source: Mapping[str, Any]) -> Source:
    """Open results by the names of algorithms, or arrays by the names of columns."""
    import pandas as pd

    if (found := of_mapping(source)) is not None:
        known, rows = found
        return replace(of_frame(pd.DataFrame(rows), "dict"), known=known)
    try:
        frame = pd.DataFrame(dict(source))
    except (ValueError, TypeError) as error:
        raise ScoreTableError(
            f"a dict cannot be read as a table: {first_line(error)}",
            hint="columns of one length, or what cross_validate returns by algorithm.",
        ) from None
    return of_frame(frame, "dict")
