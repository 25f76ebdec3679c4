"""The function `open_source`."""

from pathlib import Path
from typing import Any, cast

from benchinfer.core.errors import ScoreTableError, message
from benchinfer.core.hints import Option
from benchinfer.scores.sources.databases import relation
from benchinfer.scores.sources.frames import of_frame
from benchinfer.scores.sources.paths import of_path
from benchinfer.scores.sources.source import Source


def open_source(source: object, query: str | None, name: str | None = None) -> Source:
    """Open a table without reading its rows yet."""
    if isinstance(source, str | Path):
        return of_path(source, query, name)
    if name is not None:
        raise ScoreTableError(
            message(
                f"{Option('name', '')} was given with a {type(source).__name__}.",
                hint="it is the pattern of files' names.",
            )
        )
    if type(source).__name__ == "DuckDBPyConnection":
        connection = cast("Any", source)
        return of_frame(relation(connection, query, "the connection"), "query")
    if query is not None:
        raise ScoreTableError(
            message(
                f"{Option('query', '')} was given with a {type(source).__name__}.",
                hint="a query needs a DuckDB file or connection as its source.",
            )
        )
    return of_frame(source, type(source).__name__)
