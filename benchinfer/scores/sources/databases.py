"""DuckDB files, connections and queries."""

from pathlib import Path
from typing import Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.hints import Option, Phrase
from benchinfer.scores.sources.source import engine_errors


def duckdb_file(path: Path, typed: str, query: str | None) -> object:
    """Run the query once, into memory, and let go of the file.

    A view or a query may name other files or write to them. The connection reads this file alone;
    once the configuration is locked, nothing in the file or the query can change that.
    """
    import duckdb

    quoted = str(path.absolute()).replace("'", "''")
    try:
        if _is_sqlite(path):
            raise ScoreTableError(
                f"{typed!r} is a database of SQLite, not of DuckDB.",
                hint="query it yourself and save the rows as CSV or Parquet.",
            )
        connection = duckdb.connect(
            config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        )
        for statement in (
            f"ATTACH '{quoted}' AS source (READ_ONLY, TYPE duckdb)",
            "USE source",
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        ):
            connection.execute(statement)
    except (duckdb.Error, OSError) as error:
        raise ScoreTableError(
            f"{typed!r} cannot be read by DuckDB: {str(error).splitlines()[0]}"
        ) from None
    with connection, engine_errors(repr(typed), query):
        return relation(connection, query, repr(typed)).to_arrow_table()


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def relation(connection: Any, query: str | None, what: str) -> Any:
    """Take a query, or the only table there is."""
    with engine_errors(what, query):
        if query is not None:
            _refuse_all_but_one_select(connection, query)
            return connection.sql(query)
        tables = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
        if len(tables) != 1:
            listed = ", ".join(tables) or "none"
            raise ScoreTableError(
                f"{what} holds {len(tables)} tables: {listed}.",
                hint=Phrase(Option("query", "SELECT ... FROM ..."), " says what to read."),
            )
        return connection.table(tables[0])


def _refuse_all_but_one_select(connection: Any, query: str) -> None:
    """Refuse what would do more than read, and what DuckDB would read the last part of."""
    kinds = [statement.type.name for statement in connection.extract_statements(query)]
    if kinds == ["SELECT"]:
        return
    # DuckDB first creates a type of the values that a PIVOT finds.
    named = ["PIVOT without IN" if kind == "MULTI" else kind for kind in kinds]
    what = (
        f"holds {len(kinds)} statements: {', '.join(named)}"
        if len(kinds) > 1
        else (f"is a statement of kind {named[0]}" if named else "holds no statement")
    )
    hint = [f"the query was {query!r}; it takes one SELECT."]
    if kinds == ["MULTI"]:
        hint.append("PIVOT ... ON column IN (...) with the values named is one.")
    raise ScoreTableError(f"the query {what}.", hint=hint)
