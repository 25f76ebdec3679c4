"""DuckDB files are read, and nothing else is reached through them."""

import sqlite3
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest

from benchinfer.analyses.meta.read import read_effects
from benchinfer.analyses.wins.counts import read_wins
from benchinfer.core.errors import ScoreTableError
from benchinfer.scores.declaration import Declaration
from benchinfer.scores.read import read_scores
from benchinfer.scores.sources.files import open_source

ACC = {"acc": "higher"}
BEFORE_2 = duckdb.__version__.startswith("1.")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in a folder with a private table, as a query would find it."""
    monkeypatch.chdir(tmp_path)
    Path("private.csv").write_text("task,model,score\nx,a,1\nx,b,2\n")
    return tmp_path


def database(frame, *more, name="runs.duckdb"):
    with duckdb.connect(name) as connection:
        connection.from_df(frame).create("results")
        for statement in more:
            connection.execute(statement)
    return name


def refusal(source, query=None):
    with pytest.raises(ScoreTableError) as caught:
        read_scores(source, measures=Declaration(ACC, query=query))
    return str(caught.value)


@pytest.mark.parametrize("reach", ["file", "connection"])
@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("COPY (SELECT 1) TO 'victim.txt'", "is a statement of kind COPY"),
        ("COPY results TO 'victim.txt'", "is a statement of kind COPY"),
        ("EXPORT DATABASE 'victim'", "is a statement of kind EXPORT"),
        ("ATTACH 'other.duckdb'", "is a statement of kind ATTACH"),
        (
            "ATTACH 'other.duckdb' AS o; DROP TABLE o.results; SELECT * FROM results",
            "holds 3 statements: ATTACH, DROP, SELECT",
        ),
        ("INSTALL sqlite", "is a statement of kind LOAD"),
        ("LOAD sqlite", "is a statement of kind LOAD"),
        ("SET enable_external_access = true", "is a statement of kind SET"),
        ("CREATE TABLE t AS SELECT 1", "is a statement of kind CREATE"),
        ("CALL enable_logging()", "is a statement of kind CALL"),
        ("EXPLAIN SELECT 1", "is a statement of kind EXPLAIN"),
        ("PRAGMA enable_profiling", "is a statement of kind PRAGMA"),
        ("INSERT INTO results SELECT * FROM results", "is a statement of kind INSERT"),
        (
            "SELECT * FROM results LIMIT 1; SELECT * FROM results",
            "holds 2 statements: SELECT, SELECT",
        ),
        (
            "PIVOT results ON algorithm USING avg(score)",
            "holds 2 statements: CREATE, SELECT"
            if BEFORE_2
            else "is a statement of kind PIVOT without IN",
        ),
        ("", "holds no statement"),
        ("  ; -- nothing", "holds no statement"),
    ],
)
def test_a_query_is_one_select(balanced, folder, query, says, reach):
    path = database(balanced)
    database(balanced, name="other.duckdb")
    before = sorted(folder.iterdir())
    source = path if reach == "file" else duckdb.connect(path)
    assert refusal(source, query).startswith(
        f"the query {says}.\nHint: the query was {query!r}; it takes one SELECT."
    )
    if reach == "connection":
        source.close()
    assert sorted(folder.iterdir()) == before
    with duckdb.connect("other.duckdb") as other:
        assert other.sql("FROM results").shape == balanced.shape


@pytest.mark.parametrize(
    "reads",
    [
        "read_csv('private.csv')",
        "'private.csv'",
        "glob('*')",
        "read_text('private.csv')",
        "read_blob('private.csv')",
        "sniff_csv('private.csv')",
        "parquet_metadata('private.parquet')",
        "query('FROM read_csv(''private.csv'')')",
        "read_json('https://localhost/private.json')",
    ],
)
def test_a_query_reads_no_other_file(balanced, reads):
    message = refusal(database(balanced), f"FROM {reads}")
    assert message.startswith("the query failed: Permission Error:")
    assert "Hint: the query was" in message
    assert "the database is open without access to other files" in message


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM enable_logging('QueryLog', storage = 'file', storage_path = 'victim')",
        "SELECT * FROM enable_profiling(save_location = 'victim.txt')",
        "WITH x AS (INSERT INTO results FROM results RETURNING *) FROM x",
        "SELECT nextval('counter')",
        "SELECT * FROM sqlite_scan('other.db', 't')",
        "SELECT * FROM frame",
    ],
)
def test_a_select_writes_nothing_and_reaches_no_variable(balanced, folder, query):
    frame = balanced  # which DuckDB would find by its name
    path = database(frame, "CREATE SEQUENCE counter")
    before = {p: p.read_bytes() for p in folder.iterdir()}
    # Before 2.0 DuckDB lets settings of logs pass, and refuses to open their files.
    passes = BEFORE_2 and "enable_logging" in query
    assert refusal(path, query).startswith("2 faults in" if passes else "the query failed: ")
    assert {p: p.read_bytes() for p in folder.iterdir()} == before


@pytest.mark.parametrize(
    "made",
    [
        "CREATE VIEW v AS SELECT * FROM read_csv('private.csv')",
        "CREATE MACRO m() AS TABLE FROM read_csv('private.csv'); CREATE VIEW v AS FROM m()",
    ],
)
def test_a_view_that_reads_another_file(balanced, made):
    path = database(balanced, made, "DROP TABLE results")
    assert refusal(path).startswith(
        "'runs.duckdb' cannot be read: Permission Error: Cannot access file"
    )
    with duckdb.connect(path) as connection:
        assert read_scores(connection, measures=ACC).algorithms == ("a", "b")


def test_the_configuration_of_our_connection_is_locked(balanced, monkeypatch):
    made = []

    def connect(*args, **options):
        made.append(duckdb_connect(*args, **options))
        return made[-1].cursor()  # stays open when ours is closed

    duckdb_connect = duckdb.connect
    path = database(balanced)
    monkeypatch.setattr(duckdb, "connect", connect)
    read_scores(path, measures=ACC)
    names = (
        "autoinstall_known_extensions",
        "autoload_known_extensions",
        "enable_external_access",
        "lock_configuration",
    )
    values = [made[0].execute(f"SELECT current_setting('{n}')").fetchone()[0] for n in names]
    assert values == [False, False, False, True]
    with pytest.raises(duckdb.Error, match="locked"):
        made[0].execute("SET enable_external_access = true")


def test_connections_of_others_are_left_as_they_are(balanced):
    with duckdb.connect(database(balanced)) as connection:
        settings = "SELECT name, value FROM duckdb_settings() ORDER BY name"
        before = connection.execute(settings).fetchall()
        read_scores(connection, measures=ACC)
        scores = read_scores(
            connection, measures=Declaration(ACC, query="SELECT * FROM 'private.csv'")
        )
        assert scores.algorithms == ("a", "b")
        relation = connection.sql("PIVOT results ON algorithm USING avg(score) GROUP BY dataset")
        read_scores(relation, layout="wide-algorithms", measures=ACC)
        assert connection.execute(settings).fetchall() == before


@pytest.fixture
def sqlite(tmp_path):
    """A database of SQLite with two tables."""
    path = tmp_path / "runs.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE results (task TEXT, model TEXT, score REAL)")
        rows = [(d, m, len(d) / 10 + i / 100) for d in ("a", "bb") for i, m in enumerate("xy")]
        connection.executemany("INSERT INTO results VALUES (?, ?, ?)", rows)
        connection.execute("CREATE TABLE notes (text TEXT)")
    connection.close()
    return path


@pytest.mark.parametrize("suffix", ["db", "duckdb", "ddb", "sqlite", "sqlite3"])
def test_tables_of_sqlite_are_named_and_queried(sqlite, suffix, monkeypatch):
    path = sqlite.rename(sqlite.with_suffix(f".{suffix}"))
    monkeypatch.delattr(duckdb, "connect")  # DuckDB would fetch an extension
    first, hint = refusal(path).splitlines()
    assert first == f"{str(path)!r} holds 2 tables: notes, results."
    assert hint == 'Hint: Declaration(query="SELECT ... FROM ...") says what to read.'
    scores = read_scores(path, measures=Declaration(ACC, query="SELECT * FROM results"))
    assert (scores.datasets, scores.algorithms, scores.n_rows) == (("a", "bb"), ("x", "y"), 4)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE notes")
    connection.close()
    assert read_scores(path, measures=ACC).digest == scores.digest


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM results",
        "SELECT 1; SELECT 2",
        "ATTACH 'other.db' AS other",
        "PRAGMA journal_mode = DELETE",
        "SELECT * FROM nothing",
        "CREATE TABLE x (y)",
    ],
)
def test_queries_of_sqlite_only_read(sqlite, query):
    before = sqlite.read_bytes()
    with pytest.raises(ScoreTableError, match=r"cannot be read: [^$]*it takes one SELECT"):
        read_scores(sqlite, measures=Declaration(ACC, query=query))
    assert sqlite.read_bytes() == before
    assert not (sqlite.parent / "other.db").exists()


def test_names_of_files_and_tables_are_not_parsed(balanced, folder):
    (folder / "it's").mkdir()
    path = database(
        balanced,
        'CREATE TABLE "a.b; DROP ""x""" AS FROM results',
        "DROP TABLE results",
        name="it's/md:runs.DB",
    )
    assert read_scores(path, measures=ACC).algorithms == ("a0", "a1", "a2")
    query = 'FROM "a.b; DROP ""x""" WHERE algorithm <> \'a0\''
    assert read_scores(path, measures=Declaration(ACC, query=query)).algorithms == ("a1", "a2")


def test_types_that_only_a_database_has(balanced):
    query = """
        SELECT dataset::ENUM('d0', 'd1', 'd2') AS dataset, algorithm,
            md5(replication::VARCHAR)::UUID AS replication, sum((score * 1e6)::BIGINT) AS score
        FROM results GROUP BY ALL"""
    scores = read_scores(database(balanced), measures=Declaration(ACC, query=query))
    assert scores.n_rows == len(balanced)
    assert scores.datasets == ("d0", "d1", "d2")


def test_errors_while_the_query_runs(balanced):
    path = database(balanced)
    query = "SELECT * REPLACE (algorithm::INTEGER AS algorithm) FROM results"
    assert refusal(path, query).startswith("the query failed: Conversion Error: Could not convert")
    assert refusal(path, "SELECT * FROM result").startswith(
        "the query failed: Catalog Error: Table with name result does not exist!"
    )
    assert refusal(path, "SELEC 1").startswith("the query failed: Parser Error:")
    assert refusal(path, "SELECT $1").startswith("the query failed: ")
    with duckdb.connect(path) as connection:
        assert refusal(connection, query).startswith("the query failed: Conversion Error:")
        relation = connection.sql(query)
        begin = "DuckDBPyRelation cannot be read: Conversion Error:"
        assert refusal(relation).startswith(begin)
        with pytest.raises(ScoreTableError, match=begin):
            read_wins(connection.sql("SELECT 'a' AS first, 'b' AS second, 'x'::INT wins, 1 losses"))
        with pytest.raises(ScoreTableError, match=begin):
            read_effects(
                connection.sql(
                    "SELECT 1 study, 'a' AS first, 'b' AS second, 'x'::INT estimate, 1 se"
                ),
                measures=ACC,
            )
    assert refusal(connection).startswith("the connection cannot be read: Connection Error:")
    lazy = pl.LazyFrame(balanced.to_dict("list")).with_columns(pl.col("algorithm").cast(pl.Int64))
    assert refusal(lazy).startswith("LazyFrame cannot be read: conversion from `str` to `i64`")


def test_views_that_are_broken(balanced):
    path = database(balanced, "CREATE VIEW v AS SELECT * FROM results", "DROP TABLE results")
    says = " cannot be read: Catalog Error: Table with name results does not exist!"
    assert refusal(path).startswith(f"'runs.duckdb'{says}")
    with duckdb.connect(path) as connection:
        assert refusal(connection).startswith(f"the connection{says}")


@pytest.mark.parametrize("place", ["pages", "header", "end"])
def test_pages_that_are_corrupt(place):
    path = Path(database(pd.DataFrame({"task": range(5000), "model": "a", "score": 0.5})))
    data = bytearray(path.read_bytes())
    if place == "end":
        del data[len(data) // 2 :]
    else:
        first, size = 12_288, 262_144  # DuckDB's headers end, and blocks begin
        for begin in [8] if place == "header" else range(first + 100, len(data), size):
            data[begin] ^= 255
    path.write_bytes(data)
    assert refusal(str(path)).startswith("'runs.duckdb' cannot be read")


def test_a_query_with_a_folder_or_a_pattern(balanced, folder):
    (folder / "scores.csv").write_text("task,model,score\nx,a,1\n")
    assert refusal(folder, "SELECT 1").startswith(f"query= was given with {folder.name!r}.")
    assert refusal("*.csv", "SELECT 1").startswith("query= was given with '*.csv'.")
    Path(database(balanced)).rename("RUNS.DB")
    assert open_source("RUNS.DB", "SELECT 1 AS one").names == ("one",)
