"""DuckDB and SQLite files, queries and filters of rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import narwhals as nw

from benchinfer.core.errors import ScoreTableError, optional
from benchinfer.core.numbers import join
from benchinfer.scores.columns.engines import BLANKS, NONE, engine_errors, engine_of
from benchinfer.scores.coverage import Finding
from benchinfer.scores.sources.frames import Columns, Loaded, Source, first_line

if TYPE_CHECKING:
    from collections.abc import Mapping


def duckdb_file(path: Path, typed: str, query: str | None) -> object:
    """Return the rows of a query of a DuckDB file, read into memory.

    A view or a query may name other files or write to them. The connection reads this file alone;
    once the configuration is locked, nothing in the file or the query can change that.
    """
    duckdb = optional("duckdb", "sql")

    quoted = str(path.absolute()).replace("'", "''")
    try:
        connection = _connection(
            f"ATTACH '{quoted}' AS source (READ_ONLY, TYPE duckdb)", "USE source"
        )
    except (duckdb.Error, OSError) as error:
        raise ScoreTableError(
            f"{typed!r} cannot be read by DuckDB: {str(error).splitlines()[0]}"
        ) from None
    with connection, engine_errors(repr(typed), query):
        return open_relation(connection, query, repr(typed)).to_arrow_table()


def sqlite_file(path: Path, typed: str, query: str | None) -> object:
    """Return the rows of a query of a SQLite file, or of its only table, and change nothing."""
    import sqlite3

    import pandas as pd

    reads = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}
    reads |= {sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}

    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as base:
            names = base.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
            )
            tables = [row[0] for row in names if not row[0].startswith("sqlite_")]
            if query is None and len(tables) != 1:
                raise _several_tables(repr(typed), tables)
            base.set_authorizer(
                lambda act, *_: sqlite3.SQLITE_OK if act in reads else sqlite3.SQLITE_DENY
            )
            quoted = tables[0].replace('"', '""') if query is None else ""
            cursor = base.execute(query or f'SELECT * FROM "{quoted}"')  # noqa: S608 - its own name
            names = [column[0] for column in cursor.description or ()]
            rows = cursor.fetchall()
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
        hint = [] if query is None else [f"the query was {query!r}; it takes one SELECT."]
        raise ScoreTableError(f"{typed!r} cannot be read: {error}", hint=hint) from None
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ScoreTableError(f"the query gives a name twice: {', '.join(twice)}.")
    return pd.DataFrame(rows, columns=pd.Index(names, dtype=object))


def _several_tables(what: str, tables: Sequence[str]) -> ScoreTableError:
    return ScoreTableError(
        f"{what} holds {len(tables)} tables: {', '.join(tables) or 'none'}.",
        hint=('Declaration(query="SELECT ... FROM ...") says what to read.'),
    )


def open_relation(connection: Any, query: str | None, what: str) -> Any:
    """Return the relation of a query, or of the only table."""
    with engine_errors(what, query):
        if query is not None:
            _refuse_all_but_one_select(connection, query)
            return connection.sql(query)
        tables = [row[0] for row in connection.execute("SHOW TABLES").fetchall()]
        if len(tables) != 1:
            raise _several_tables(what, tables)
        return connection.table(tables[0])


def _refuse_all_but_one_select(connection: Any, query: str) -> None:
    """Raise a ScoreTableError where a query is not a single SELECT statement."""
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


# Parts of an expression that look beyond the row. The locks of a connection do not stop them, as a
# relation of the user is filtered on its connection, which has none.
_BEYOND = {"SUBQUERY": "a subquery", "WINDOW": "a window", "STAR": "a star"}
# Parts of a query that is more than one expression: LIMIT, OFFSET and ORDER BY are modifiers.
_CLAUSES = ("modifiers", "where_clause", "group_expressions", "having", "qualify", "sample")
# Another value at each call, or an effect beside the value, such as a step of a sequence.
_VOLATILE = "SELECT function_name FROM duckdb_functions() WHERE stability = 'VOLATILE'"
_RESERVED = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'"
_ROW = "benchinfer_row"
_TRUTH = {"true": True, "false": False}


def filtered(source: Source, where: str | Callable[[Any], Any]) -> Source:
    """Return the source with the rows for which an expression is true.

    Parameters
    ----------
    source
        Any source.
    where
        One expression over the columns of the source, or a function of a pandas frame of all its
        columns that returns one truth value per row.

    Raises
    ------
    ScoreTableError
        The expression cannot be read, looks beyond the row, or names a column that is not there.
    """
    used = _columns_of(where, source.names) if isinstance(where, str) else source.names

    def load(labels: Columns, scores: Columns, covariates: Columns) -> Loaded:
        held = [*labels, *scores]
        more = [name for name in used if name not in held]
        frame, findings = source.load([*labels, *more], scores, covariates)
        native = nw.to_native(frame)
        if isinstance(where, str) and engine_of(native) in {"duckdb", "_duckdb"}:
            selected, counts = _of_relation(native, where)
        else:
            table = cast("Any", frame.collect().to_arrow())
            rows = _rows(table.select(list(used)), where)
            selected, counts = table.take(rows[0]), (len(table), len(rows[0]), rows[1])
            for name in scores:
                selected = _as_numbers(selected, table, name)
        before, after, unknown = counts
        if before and not after:
            raise _none_left(where, used, native, before)
        rule = repr(where) if isinstance(where, str) else "the filter"
        what = f"{before - after:,} of {before:,} rows left out, for which {rule} is not true"
        what += f" ({unknown} of them without an answer: a value is missing)." if unknown else "."
        findings.append(Finding("rows filtered", "note", before - after, what))
        return nw.from_native(selected).lazy().drop(more), findings

    return replace(source, load=load, stream=None)


def _columns_of(where: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a filter; raise a ScoreTableError if it is no expression of one row."""
    # In parentheses, as it is used, and without: an expression is whole by itself.
    trees: list[dict[str, Any]] = []
    with _connection() as connection:
        for text in (f"({where})", where):
            answer = connection.execute("SELECT json_serialize_sql(?)", [f"SELECT {text}"])
            trees.append(json.loads(answer.fetchone()[0]))
        volatile = {row[0] for row in connection.execute(_VOLATILE).fetchall()}
        reserved = {row[0] for row in connection.execute(_RESERVED).fetchall()}
    for tree in trees:
        if tree["error"]:
            words = {*re.findall(r"\w+", where)} & {*names}
            odd = sorted(name for name in words if name.casefold() in reserved)
            hint = (
                f"{odd[0]} is a word of SQL: as a column it stands in double quotes." if odd else ""
            )
            raise _refused(where, f"cannot be read: {tree['error_message']}", hint)
    tree = trees[1]
    node = tree["statements"][0]["node"]
    plain = node["type"] == "SELECT_NODE" and node["from_table"]["type"] == "EMPTY"
    if len(tree["statements"]) != 1 or not plain or len(node["select_list"]) != 1:
        raise _refused(where, "is not one expression")
    if any(node[clause] for clause in _CLAUSES) or node["select_list"][0]["alias"]:
        raise _refused(where, "is not one expression")
    parts = list(_parts(node["select_list"][0]))
    if beyond := [_BEYOND[part["class"]] for part in parts if part["class"] in _BEYOND]:
        raise _refused(where, f"holds {beyond[0]}")
    called = [part["function_name"].casefold() for part in parts if "function_name" in part]
    if odd := [name for name in called if name in volatile]:
        raise _refused(where, f"calls {odd[0]}, which the row does not determine")
    columns = dict.fromkeys(part["column_names"][0] for part in parts if "column_names" in part)
    same = {name.casefold(): name for name in reversed(names)}
    absent = [name for name in columns if name.casefold() not in same]
    if absent:
        what = f"names {len(absent)} columns that are not there: {', '.join(absent)}"
        if len(absent) == 1:
            what = f"names a column that is not there: {absent[0]}"
        near = [close[0] for name in absent if (close := get_close_matches(name, names, 1))]
        hint = f"did you mean {join(near)}? The" if near else "the"
        raise _refused(where, what, f"{hint} table has: {', '.join(names)}.")
    return tuple(dict.fromkeys(same[name.casefold()] for name in columns))


def _connection(*attach: str) -> Any:
    """Return a connection that reads no file but those attached, no variable and no extension."""
    duckdb = optional("duckdb", "sql")

    connection = duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    )
    locks = ("SET enable_external_access = false", "SET lock_configuration = true")
    for statement in (*attach, *locks):
        connection.execute(statement)
    return connection


def _refused(where: str, what: str, hint: str = "") -> ScoreTableError:
    usual = "one expression over the columns, as in \"status == 'done' and not imputed\"."
    return ScoreTableError(f"{where=} {what}.", hint=hint or usual)


def _none_left(
    where: str | Callable[[Any], Any], used: Sequence[str], native: Any, n: int
) -> ScoreTableError:
    """Return the error on a filter that is true for no row, with the labels that may be meant."""
    if not isinstance(where, str):
        return ScoreTableError(f"the table has no rows: the filter is true for none of {n:,}.")
    columns = nw.from_native(native).lazy().select(nw.col(*used).cast(nw.String)) if used else None
    held = None if columns is None else columns.unique().collect().to_arrow()
    labels = {} if held is None else {c: {*held[c].to_pylist()} - {None} for c in used}
    known = sorted(set[str]().union(*labels.values()))
    texts = [text.replace("''", "'") for text in re.findall(r"'((?:[^']|'')*)'", where)]
    near = {text: get_close_matches(text, known, 1) for text in texts if text not in known}
    hints = [
        f"{text!r} is no label of {join(used)}: did you mean {close[0]!r}?"
        for text, close in near.items()
        if close
    ]
    what = f"the table has no rows: {where=} is true for none of {n:,}."
    return ScoreTableError(what, hint=hints)


def _parts(tree: object) -> list[Mapping[str, Any]]:
    """Return all parts of an expression."""
    if isinstance(tree, list):
        return [part for item in cast("list[object]", tree) for part in _parts(item)]
    if not isinstance(tree, dict):
        return []
    held = cast("dict[str, Any]", tree)
    inner = [part for item in held.values() for part in _parts(item)]
    return [held, *inner] if "class" in held else inner


def _rows(table: Any, where: str | Callable[[Any], Any]) -> tuple[Any, int]:
    """Return the rows for which a filter is true, and the number for which it is null."""
    import numpy as np
    import pyarrow as pa

    if not isinstance(where, str) and not callable(where):
        raise ScoreTableError(
            f"where is {where!r}.", hint="an expression over the columns, or a function of a frame."
        )
    for i, name in enumerate(table.schema.names):
        table = table.set_column(i, name, _typed(table.column(i)))
    if not isinstance(where, str):
        keep = np.asarray(where(table.to_pandas()))
        if keep.shape != (len(table),) or keep.dtype != np.bool_:
            raise ScoreTableError(
                f"the filter returned {keep.dtype} of shape {keep.shape}, not {len(table)} truth"
                " values.",
                hint='a function of a frame, as in lambda df: df["status"] == "done".',
            )
        return np.flatnonzero(keep), 0
    duckdb = optional("duckdb", "sql")

    table = table.append_column(_ROW, pa.array(np.arange(len(table))))
    with _connection() as connection:
        connection.register("scores", table)
        try:
            null = connection.sql(f"SELECT count(*) FROM scores WHERE ({where}) IS NULL")  # noqa: S608
            unknown = int(null.fetchall()[0][0])
            selected = connection.sql(f"SELECT {_ROW} FROM scores WHERE ({where})")  # noqa: S608
            return np.sort(selected.fetchnumpy()[_ROW]), unknown
        except duckdb.Error as error:
            raise _refused(where, f"fails: {first_line(error)}") from None


def _of_relation(relation: Any, where: str) -> tuple[Any, tuple[int, int, int]]:
    """Filter in DuckDB itself."""
    duckdb = optional("duckdb", "sql")

    try:
        selected = relation.filter(f"({where})")
        unknown = relation.filter(f"({where}) IS NULL")
        counts = tuple(
            int(rows.aggregate("count(*)").fetchall()[0][0])
            for rows in (relation, selected, unknown)
        )
    except duckdb.Error as error:
        raise _refused(where, f"fails: {first_line(error)}") from None
    return selected, cast("tuple[int, int, int]", counts)


def _as_numbers(selected: Any, table: Any, name: str) -> Any:
    """Convert scores to numbers where only rows that were filtered out had text."""
    import pyarrow as pa

    i = table.schema.get_field_index(name)
    column = table.column(i)
    if not pa.types.is_string(column.type) or numbers_of_text(column) is not None:
        return selected
    numbers = numbers_of_text(selected.column(i))
    return selected if numbers is None else selected.set_column(i, name, numbers)


def numbers_of_text(column: Any) -> Any:
    """Return text as numbers; None where some text is no number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_trim(column, BLANKS)  # pyright: ignore[reportAttributeAccessIssue]
    absent = pc.is_in(text, value_set=pa.array(NONE))  # pyright: ignore[reportAttributeAccessIssue]
    try:
        return pc.if_else(absent, None, text).cast(pa.float64())  # pyright: ignore[reportAttributeAccessIssue]
    except pa.ArrowInvalid:
        return None


def _typed(column: Any) -> Any:
    """Cast text to the type that all its values have: Booleans, numbers, or text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type) or not column.num_chunks:
        return column
    dictionary = column.chunk(0).dictionary  # the same in all chunks, once unified
    text = pc.utf8_trim(dictionary, BLANKS).to_pylist()  # pyright: ignore[reportAttributeAccessIssue]
    words = [None if word in NONE else word.casefold() for word in text]
    there = {word for word in words if word is not None}
    # As in the other engines, an empty place is no text.
    values = pa.array([word or None for word in dictionary.to_pylist()], pa.string())
    if there and there <= set(_TRUTH):
        values = pa.array([None if word is None else _TRUTH[word] for word in words])
    else:
        for kind in (pa.int64(), pa.float64()):
            with suppress(pa.ArrowInvalid):
                values = pa.array(words, pa.string()).cast(kind)
                break
    return pa.chunked_array([values.take(chunk.indices) for chunk in column.chunks])
