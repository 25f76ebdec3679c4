"""Filters of rows on the way in."""

from io import StringIO
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest

import benchinfer as bi
from benchinfer.core.errors import ScoreTableError

RUNS = """task,model,fold,imputed,status,acc,size
iris,svm,0,false,FINISHED,0.9,10
iris,svm,1,True,FINISHED,0.8,10
iris,knn,0,false,,0.7,10
iris,knn,1,False,FAILED,0.6,10
wine,svm,0,false,FINISHED,0.5,NA
wine,svm,1,false,FINISHED,0.4,NA
wine,knn,0,false,FINISHED,0.3,20
wine,knn,1,false,FINISHED,0.2,20
"""
KEPT = {"iris svm 0", "wine svm 0", "wine svm 1", "wine knn 0", "wine knn 1"}
WHERE = "imputed == false and status == 'FINISHED'"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "runs.csv"
    file.write_text(RUNS)
    return file


def read(source: object, where: object, **options: object) -> bi.ScoreTable:
    return bi.read_scores(source, measures={"acc": "higher"}, where=where, **options)  # pyright: ignore[reportArgumentType]


def rows(scores: bi.ScoreTable) -> set[str]:
    frame = scores.to_frame()
    return {f"{r.dataset} {r.algorithm} {r.replication}" for r in frame.itertuples()}


def frame() -> pd.DataFrame:
    return pd.read_csv(StringIO(RUNS))


@pytest.mark.parametrize("engine", ["csv", "pandas", "polars", "polars-lazy", "arrow", "duckdb"])
def test_every_engine_keeps_the_same_rows(engine: str, path: Path) -> None:
    source = {
        "csv": lambda: path,
        "pandas": frame,
        "polars": lambda: pl.from_pandas(frame()),
        "polars-lazy": lambda: pl.from_pandas(frame()).lazy(),
        "arrow": lambda: pl.from_pandas(frame()).to_arrow(),
        "duckdb": lambda: duckdb.read_csv(str(path)),
    }[engine]()
    scores = read(source, WHERE)
    assert rows(scores) == KEPT
    (said,) = scores.findings().query("rule == 'rows filtered'")["where"]
    # Of the four rows left out one has no status.
    assert said.startswith("3 of 8 rows left out")
    assert "(1 of them without an answer" in said


def test_a_function_of_the_frame_keeps_the_same_rows(path: Path) -> None:
    def done(runs: pd.DataFrame) -> "pd.Series[bool]":
        return (runs["status"] == "FINISHED") & ~runs["imputed"]

    assert rows(read(path, done)) == rows(read(frame(), done)) == KEPT


def test_the_filter_sees_scores_covariates_and_numbers(path: Path) -> None:
    assert rows(read(path, "acc > 0.75 or acc < 0.25")) == {
        "iris svm 0",
        "iris svm 1",
        "wine knn 1",
    }
    scores = read(path, "size >= 15", covariates="size")
    assert rows(scores) == {"wine knn 0", "wine knn 1"}


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("acc in (select 1)", "holds a subquery"),
        ("row_number() over () > 2", "holds a window"),
        ("columns(*) > 1", "holds a star"),
        ("1) from runs where (2", "cannot be read"),
        ("acc > 1, fold", "is not one expression"),
        ("acc >", "cannot be read"),
        ("acc; drop table runs", "cannot be read"),
        ("stat = 1", "names a column that is not there: stat"),
        ("count(*) > 1", "cannot contain aggregates"),
        ("acc + 'a' = 2", "Could not convert"),
        ("(select content from read_text('runs.csv')) = 'a'", "holds a subquery"),
        ("acc < (select count(*) from read_csv('runs.csv'))", "holds a subquery"),
        ("exists (from 'runs.csv')", "holds a subquery"),
        ("read_text('runs.csv') = 'a'", "read_text"),
        ("acc > 0 or (copy runs to 'x.csv')", "cannot be read"),
        ("true) union select 9 -- ", "cannot be read"),
        ("true; attach 'x.db'", "cannot be read"),
        ("nextval('steps') > 0", "calls nextval, which the row does not determine"),
        ("acc > 1 or RANDOM() < 0.5", "calls random, which the row does not determine"),
        ("write_log('x') is null", "calls write_log"),
    ],
)
def test_what_is_no_expression_of_a_row_is_refused(
    where: str, said: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    # The connection of a relation is the user's: it may read files, attach and write.
    open_connection = duckdb.connect()
    open_connection.execute("CREATE SEQUENCE steps")
    for source in (path, frame(), open_connection.read_csv("runs.csv")):
        with pytest.raises(ScoreTableError, match=said.replace("(", r"\(")) as raised:
            read(source, where)
        assert "Hint:" in str(raised.value)
    assert [file.name for file in path.parent.iterdir()] == ["runs.csv"]
    with pytest.raises(duckdb.Error, match="not yet defined"):
        open_connection.execute("SELECT currval('steps')")


def test_a_function_must_give_one_truth_value_per_row(path: Path) -> None:
    with pytest.raises(ScoreTableError, match=r"returned float64 of shape \(8,\), not 8 truth"):
        read(path, lambda runs: runs["acc"])


def test_nothing_left_is_one_clear_error(path: Path) -> None:
    with pytest.raises(ScoreTableError):
        read(path, "acc > 2")


@pytest.mark.parametrize(
    ("where", "meant"),
    [
        ("model = 'svn'", ("'svn' is no label of model: did you mean 'svm'?",)),
        (
            "model = 'svm' and task in ('Iriss', 'wine') and acc > 2",
            ("'Iriss' is no label of model, task and acc: did you mean 'iris'?",),
        ),
        ("model = 'it''s'", ()),
    ],
)
def test_a_mistyped_label_is_named(where: str, meant: tuple[str, ...], path: Path) -> None:
    relation = duckdb.read_csv(str(path))
    for source in (path, frame(), relation):
        with pytest.raises(ScoreTableError, match="is true for none of 8") as raised:
            read(source, where)
        assert raised.value.hint == meant


def test_a_mistyped_column_of_a_filter_is_named(path: Path) -> None:
    with pytest.raises(ScoreTableError, match="not there: modell") as raised:
        read(path, "modell = 'svm'")
    assert raised.value.hint[0].startswith("did you mean model? The table has: task, model")


def test_columns_that_are_words_of_sql_are_named(path: Path) -> None:
    frame = pd.read_csv(path).rename(columns={"status": "constraint"})
    with pytest.raises(ScoreTableError, match=r"constraint is a word of SQL: .* double quotes"):
        read(frame, "constraint == 'FINISHED'")
    assert len(rows(read(frame, "\"constraint\" == 'FINISHED'"))) == 6
