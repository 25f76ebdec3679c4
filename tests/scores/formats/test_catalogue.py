"""Lines of the catalogue: each is of a sample, of no other file, and imported for its own only."""

import ast
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from benchinfer import ScoreTableError, read_scores
from benchinfer.scores.formats import catalogue
from benchinfer.scores.sources.files import open_source
from tests.scores.formats.test_documents_recognition import NAMES, ROWS
from tests.scores.formats.test_tables import SAMPLES
from tests.trees import FILES, PACKAGE, nodes

BY_KEYS = (
    *catalogue.TABLES,
    *catalogue.ATTRIBUTES,
    *catalogue.DOCUMENTS,
    *catalogue.RECORDS,
    *catalogue.ARCHIVES,
)
PLACES = sorted({place for *_, place in (*BY_KEYS, *catalogue.FILES, *catalogue.FOLDERS)})
MODULES = {f"benchinfer.scores.formats.{place.rpartition('.')[0]}" for place in PLACES}
CSV = "dataset,algorithm,score\n" + "".join(f"{d},{a},0.5\n" for d in "xy" for a in "ab")
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
TEXTS = [CSV, LINES, "nothing\n", "map of cities\n", "a b 1\nc d 2\n", "| a | b |\n|---|---|\n"]
TIMES = {"fit_time": [1, 1], "score_time": [1, 1], "test_score": [0.5, 0.6]}
SAMPLES_OF_DOCS = pd.DataFrame(
    {"doc_id": [1, 2], "doc": ["x", "y"], "target": "a", "filtered_resps": "a", "acc": [0, 1]}
)
SCENARIO = """@relation runs
@attribute instance_id string
@attribute repetition numeric
@attribute algorithm string
@attribute runtime numeric
@attribute runstatus {ok}
@data
a,1,x,3,ok
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Work in an empty folder: paths have no names of tools."""
    monkeypatch.chdir(tmp_path)


def said_of(source: object) -> str:
    """Return what is said of a source: an error, or the notes on the table that it is."""
    try:
        scores = read_scores(source, measures={"score": "higher"})
    except ScoreTableError as error:
        return str(error)
    return "\n".join(finding.what for finding in scores.finding_records)


@pytest.mark.slow
def test_each_function_reads_a_sample(monkeypatch):
    Path("runs.arff").write_text(SCENARIO, encoding="utf-8")
    used: set[str] = set()
    of_place = catalogue._function

    def function(at):
        def call(*arguments):
            results = of_place(at)(*arguments)
            used.update({at} if results is not None else ())
            return results

        return call

    monkeypatch.setattr(catalogue, "_function", function)
    for source in ({"a": TIMES, "b": TIMES}, SAMPLES_OF_DOCS, "runs.arff", *SAMPLES.rglob("*")):
        try:
            open_source(source, None)
        except ScoreTableError:
            continue  # part of a folder, or a folder of several
    assert set(PLACES) - used == set()


@pytest.mark.parametrize("column", sorted({c for keys, _ in catalogue.TABLES for c in keys}))
def test_one_column_is_of_no_tool(column):
    table = pd.DataFrame(ROWS)
    if column not in table:
        table[column] = [*"1212"]
    for frame in (table, table[[column, *table.columns.drop(column)]]):
        assert NAMES.search(said_of(frame)) is None
        assert open_source(frame, None).known is None


@pytest.mark.parametrize(
    "columns",
    [
        ("run_id", "experiment_id", "status"),
        ("params",),
        ("fit_time", "score_time"),
        ("folds:", "knn", "svm"),
        (".metric", "mean"),
        ("dataset", "fold", "metric", "metric_error"),
    ],
)
def test_columns_that_many_tables_have_are_of_no_tool(columns):
    frame = pd.DataFrame({name: [*"1212"] for name in columns})
    scores = pd.DataFrame(ROWS)
    frame = frame.assign(**{name: scores[name] for name in scores if name not in frame})
    assert open_source(frame, None).known is None


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.Table.from_pylist, pd.DataFrame])
def test_frames_of_all_kinds_hold_records(kind):
    (path,) = SAMPLES.glob("samples/org__small/*.jsonl")
    lines = [json.loads(line) | {"model": "m"} for line in path.read_text("utf-8").splitlines()]
    Path("file.json").write_text(json.dumps(lines), encoding="utf-8")
    scores, expected = (read_scores(s, dataset="arc") for s in (kind(lines), "file.json"))
    assert scores.digest == expected.digest
    assert scores.n_rows == 24


@pytest.mark.parametrize("column", sorted({c for keys, _ in catalogue.RECORDS for c in keys}))
@pytest.mark.parametrize("name", ["file.json", "file.jsonl"])
def test_one_key_of_each_record_is_of_no_tool(name, column):
    rows = [{**row, column: row.get(column, "x")} for row in ROWS]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    Path(name).write_text(json.dumps(rows) if name == "file.json" else lines, encoding="utf-8")
    assert NAMES.search(said_of(name)) is None


@pytest.mark.parametrize("name", sorted({c for keys, _ in catalogue.ARCHIVES for c in keys}))
def test_one_array_is_of_no_tool(name):
    np.savez("file.npz", **{name: np.ones((3, 2))})
    assert NAMES.search(said_of("file.npz")) is None


def example(pattern: str) -> str:
    """Return the name of a sample that a pattern of names matches, or one with its ending."""
    files = sorted(path.name for path in SAMPLES.rglob("*.*") if path.is_file())
    matches = [name for name in files if re.fullmatch(pattern, name)]
    return matches[0] if matches else "file" + pattern[pattern.index(r"\.") + 1 :].strip("()")


NAMED = sorted({example(pattern) for pattern, *_ in catalogue.FILES} | {"file.txt", "file.trec"})


@pytest.mark.parametrize("name", [name for name in NAMED if not name.endswith((".db", ".parquet"))])
@pytest.mark.parametrize("text", TEXTS)
def test_other_texts_in_files_that_a_tool_may_name_so(name, text):
    Path(name).write_text(text, encoding="utf-8")
    assert NAMES.search(said_of(name)) is None


def test_other_files_that_a_tool_may_name_so():
    for table in ("studies", "trials", "trial_values"):
        with sqlite3.connect(f"{table}.db") as base:
            pd.DataFrame(ROWS).to_sql(table, base)
        base.close()
        assert NAMES.search(said_of(f"{table}.db")) is None
    (name,) = [name for name in NAMED if name.endswith(".parquet")]
    pd.DataFrame(ROWS).to_parquet(name)
    assert NAMES.search(said_of(name)) is None
    with zipfile.ZipFile("file.eval", "w") as archive:
        archive.writestr("scores.json", json.dumps(ROWS))
    assert NAMES.search(said_of("file.eval")) is None


FOUND = {pattern: pattern.replace("*", "f1") for pattern, _ in catalogue.FOLDERS}


@pytest.mark.parametrize("pattern", FOUND)
@pytest.mark.parametrize("text", ['{"a": 1}', json.dumps(ROWS), "a: 1\n", "a = 1, b = 2\n"])
@pytest.mark.parametrize("beside", ["table.csv", "metrics.csv", "results.csv"])
def test_folders_with_a_file_that_a_tool_names_so(pattern, text, beside):
    Path("folder").mkdir()
    Path("folder", FOUND[pattern]).write_text(text, encoding="utf-8")
    Path("folder", beside).write_text(CSV, encoding="utf-8")
    said = said_of("folder")
    assert NAMES.search(said) is None
    scores = read_scores("folder", measures={"score": "higher"})
    assert scores.n_rows == 4
    assert "files not read" in {finding.rule for finding in scores.finding_records}


@pytest.mark.parametrize(
    ("sample", "file", "old", "new", "name"),
    [
        ("evaluations/helm", "**/run_spec.json", '"model": "org/', '"models": "org/', "HELM"),
        ("timing/criterion", "**/new/sample.json", '"times": [', '"times": ["x", ', "Criterion"),
        (
            "timing/asv",
            "host/*-*.json",
            '"result_columns": [',
            '"result_columns": 3, "x": [',
            "asv",
        ),
        ("tuning/mlruns", "**/metrics/acc", " ", ";", "MLflow"),
        ("tuning/automl.log", "", "\n", "\nnothing\n", "FLAML"),
        ("evaluations/trec/bm25.txt", "", "\n", "\nmore of it\nis nothing\n", "trec_eval"),
        ("curves/ioh", "**/*.json", '"runs": [', '"runs": 3, "x": [', "IOHprofiler"),
        ("tsml_regression/testResample0.csv", "", "-1,", "", "tsml"),
    ],
)
def test_damaged_results_of_a_tool_are_its_error(sample, file, old, new, name):
    place = Path("results" if file else Path(sample).name)
    (shutil.copytree if file else shutil.copy)(SAMPLES / sample, place)
    damaged = min(place.glob(file)) if file else place
    text = damaged.read_text(encoding="utf-8")
    damaged.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert damaged.read_text(encoding="utf-8") != text
    with pytest.raises(ScoreTableError, match=name):
        read_scores(place)


def test_a_metric_of_mlflow_that_ends_within_its_value_is_no_shorter_number():
    shutil.copytree(SAMPLES / "tuning" / "mlruns", "runs")
    metric = min(Path("runs").glob("**/metrics/acc"))
    time, value, _ = metric.read_text(encoding="utf-8").splitlines()[-1].split()
    metric.write_text(f"{time} {value[:3]}", encoding="utf-8")
    with pytest.raises(ScoreTableError, match="no whole metric of MLflow: it ends within a line"):
        read_scores("runs")
    metric.write_text(f"{time} {value[:3]}\n", encoding="utf-8")  # as MLflow wrote them once
    assert float(value[:3]) in read_scores("runs").to_frame()["value"].tolist()


def test_a_damaged_storage_of_optuna_is_its_error():
    shutil.copy(SAMPLES / "tuning" / "optuna.db", "results.db")
    with sqlite3.connect("results.db") as base:
        base.execute("UPDATE trial_user_attributes SET value_json = '{'")
        base.execute("UPDATE trial_params SET distribution_json = '{'")
    base.close()
    with pytest.raises(ScoreTableError, match=r"the storage of Optuna .* cannot be read"):
        read_scores("results.db")


def test_a_folder_of_a_tool_is_read_beside_other_documents():
    """A file that is no result, as people leave them there."""
    for name in ("timing/asv", "curves/ioh"):
        shutil.copytree(SAMPLES / name, name)
        before = open_source(name, None)
        Path(name, "conf.json").write_text('{"project": "x"}', encoding="utf-8")
        after = open_source(name, None)
        assert (after.known, after.names) == (before.known, before.names)


def test_modules_of_tools_are_imported_in_the_catalogue_alone():
    """A table is written for Every Eval Ever on demand, which `ScoreTable` does by a method."""
    strays: set[str] = set()
    for path in FILES:
        home = path.relative_to(PACKAGE).as_posix()
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and node.module in MODULES:
                strays.add(f"{home}: {node.module.removeprefix('benchinfer.scores.formats.')}")
    assert strays == {"scores/table.py: evaluations.every_eval_ever"}


@pytest.mark.slow
def test_a_plain_table_imports_no_module_of_a_tool():
    Path("table.csv").write_text(CSV, encoding="utf-8")
    code = (
        "import sys, benchinfer;"
        " benchinfer.read_scores('table.csv', measures='score:higher');"
        " print(*sys.modules)"
    )
    held = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(held.stdout.split()) & MODULES == set()
