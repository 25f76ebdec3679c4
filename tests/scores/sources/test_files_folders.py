"""Several files as one table: all are read, or none; what was read is a finding."""

import datetime as dt
import json
import re

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchinfer.core.errors import ScoreTableError
from benchinfer.scores.read import read_scores

ACC = {"acc": "higher"}


@pytest.fixture
def balanced(balanced):
    """Of scores that JSON can hold."""
    return balanced.round(6)


def refusal(source, **options):
    with pytest.raises(ScoreTableError) as caught:
        read_scores(source, measures=ACC, **options)
    return str(caught.value)


def write(frame, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True, double_precision=15)
    else:
        frame.to_parquet(path, index=False)


def notes(scores):
    return {f.rule: (f.severity, f.what, f.where) for f in scores.finding_records}


def hive(balanced, folder, suffix="parquet"):
    for name, part in balanced.groupby("dataset"):
        write(part.drop(columns="dataset"), folder / f"dataset={name}" / f"part.{suffix}")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_all_tables_of_a_folder_are_read_and_named(balanced, tmp_path, suffix):
    write(balanced.iloc[:9], tmp_path / f"1.{suffix}")
    write(balanced.iloc[9:], tmp_path / "sub" / "deep" / f"2.{suffix}")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "sub" / f".1.{suffix}.crc").write_bytes(b"crc")
    write(balanced, tmp_path / ".ipynb_checkpoints" / f"1.{suffix}")
    (tmp_path / f".hidden.{suffix}").write_bytes(b"")
    scores = read_scores(tmp_path, measures=ACC)
    assert scores.digest == read_scores(balanced, measures=ACC).digest
    told = notes(scores)
    assert told["files read"] == (
        "note",
        "36 rows were read from 2 files.",
        (("file", "rows"), (f"1.{suffix}", "9"), (f"sub/deep/2.{suffix}", "27")),
    )
    assert told["files not read"] == (
        "note",
        "4 were not read.",
        (
            ("file or folder",),
            (f".hidden.{suffix}",),
            (".ipynb_checkpoints",),
            ("_SUCCESS",),
            (f"sub/.1.{suffix}.crc",),
        ),
    )


def test_a_folder_of_several_kinds_is_refused(balanced, tmp_path):
    write(balanced.iloc[:9], tmp_path / "1.parquet")
    write(balanced.iloc[9:], tmp_path / "sub" / "2.csv")
    assert refusal(tmp_path) == (
        f"{str(tmp_path)!r} is 2 files of kinds .csv, .parquet.\n"
        "    file\n"
        "    1.parquet\n"
        "    sub/2.csv\n"
        "Hint: several files are read together when all are of one kind.\n"
        "      a pattern selects, such as 'folder/*.csv'."
    )
    assert read_scores(str(tmp_path / "*.parquet"), measures=ACC).n_rows == 9
    write(balanced.iloc[9:], tmp_path / "2.parquet")
    scores = read_scores(str(tmp_path / "*[!c]"), measures=ACC)
    assert scores.n_rows == 36
    told = notes(scores)["files not read"]
    assert told == ("note", "1 was not read.", (("file or folder",), ("sub",)))


def test_files_that_look_unfinished_are_refused(balanced, tmp_path):
    write(balanced, tmp_path / "1.parquet")
    write(balanced, tmp_path / "_temporary" / "0" / "1.parquet")
    assert refusal(tmp_path).startswith(
        "1 of 2 tables have a name or folder that begins with '_', as unfinished ones do.\n"
        "    file\n"
        "    _temporary/0/1.parquet\n"
        "Hint: a pattern selects"
    )
    (tmp_path / "_temporary" / "0" / "1.parquet").unlink()
    # The log of a table of Delta Lake: some of its Parquet files are no longer part of it.
    log = tmp_path / "_delta_log" / "00000000000000000000.json"
    log.parent.mkdir()
    log.write_text("{}")
    assert "_delta_log/00000000000000000000.json" in refusal(tmp_path)


def test_two_tables_of_scores_in_one_folder(balanced, tmp_path):
    write(balanced, tmp_path / "scores.csv")
    write(balanced, tmp_path / "more.csv")
    (tmp_path / "README.md").write_text("about")
    told = notes(read_scores(tmp_path, measures=ACC))
    assert told["files not read"][1:] == (
        "1 was not read.",
        (("file or folder",), ("more.csv",)),
    )
    assert "files read" not in told
    write(balanced, tmp_path / "scores.parquet")
    assert "holds 2 tables of scores: scores.csv, scores.parquet." in refusal(tmp_path)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_empty_files_of_a_folder_are_refused(balanced, tmp_path, suffix):
    write(balanced, tmp_path / f"1.{suffix}")
    (tmp_path / f"2.{suffix}").touch()
    (tmp_path / f"3.{suffix}").symlink_to("gone")
    assert refusal(tmp_path).startswith(
        f"2 of 3 files are empty.\n    file\n    2.{suffix}\n    3.{suffix}\nHint: write them again"
    )
    assert refusal(str(tmp_path / "3*")).startswith("1 of 1 files is empty.")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_without_rows_are_named(balanced, tmp_path, suffix):
    write(balanced, tmp_path / f"1.{suffix}")
    write(balanced.iloc[:0], tmp_path / f"2.{suffix}")
    scores = read_scores(tmp_path, measures=ACC)
    assert scores.digest == read_scores(balanced, measures=ACC).digest
    assert notes(scores)["files without rows"][1:] == (
        "1 of 2 files holds no rows.",
        (("file",), (f"2.{suffix}",)),
    )


def test_linked_folders_are_read_once(balanced, tmp_path):
    write(balanced.iloc[:9], tmp_path / "runs" / "1.parquet")
    write(balanced.iloc[9:], tmp_path / "elsewhere" / "2.parquet")
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "runs" / "loop").symlink_to(tmp_path / "runs")
    scores = read_scores(tmp_path / "runs", measures=ACC)
    assert scores.digest == read_scores(balanced, measures=ACC).digest


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("pattern", ["", "*/*", "dataset=*/*", "**/*.*"])
def test_folders_that_name_a_column(balanced, tmp_path, suffix, pattern):
    hive(balanced, tmp_path / "runs", suffix)
    scores = read_scores(str(tmp_path / "runs" / pattern), measures=ACC)
    assert scores.digest == read_scores(balanced, measures=ACC).digest


def test_folders_that_name_labels_covariates_and_nothing(tmp_path):
    for size, seed, score in (("50", "1.5", 1.0), ("100", "__HIVE_DEFAULT_PARTITION__", 2.0)):
        frame = pd.DataFrame({"algorithm": ["a", "b"], "score": [score, 3.0], "n": [1, 2]})
        place = tmp_path / f"size={size}" / "data set=a%2Fb %C3%A9" / f"seed={seed}"
        write(frame, place / "1.parquet")
    options = {
        "measures": ACC,
        "columns": {"data set": "dataset", "size": "replication"},
        "covariates": ["size", "n"],
    }
    scores = read_scores(tmp_path, **options)
    assert scores.datasets == ("a/b é",)
    found = scores.to_frame().sort_values(["replication", "algorithm"])
    assert found["size"].tolist() == [100, 100, 50, 50]
    assert found["n"].tolist() == [1, 2, 1, 2]
    assert found["value"].tolist() == [2, 3, 1, 3]
    options["columns"] |= {"seed": "replication"}
    with pytest.raises(ScoreTableError, match="2 rows lack a label"):
        read_scores(tmp_path, **options)


def test_a_column_in_the_files_and_in_their_folders(balanced, tmp_path):
    for (name, number), part in balanced.groupby(["dataset", "replication"]):
        write(part, tmp_path / f"dataset={name}" / f"replication={number}" / "1.parquet")
    scores = read_scores(tmp_path, measures=ACC)
    assert scores.digest == read_scores(balanced, measures=ACC).digest
    (tmp_path / "dataset=d1" / "replication=0").rename(tmp_path / "dataset=d1" / "replication=9")
    assert refusal(tmp_path) == (
        "'dataset=d1/replication=9/1.parquet' holds replication 0 in a folder of replication 9.\n"
        "Hint: the column or the folder's name is wrong."
    )


def test_folders_that_name_other_columns(balanced, tmp_path):
    hive(balanced, tmp_path)
    (tmp_path / "dataset=d1").rename(tmp_path / "task=d1")
    assert refusal(tmp_path).startswith(
        "1 of 3 files have other columns than 'dataset=d0/part.parquet'."
    )


def test_what_duckdb_and_pyarrow_partition(balanced, tmp_path):
    expected = read_scores(balanced, measures=ACC).digest
    relation = duckdb.from_df(balanced)
    relation.to_parquet(str(tmp_path / "duckdb"), partition_by=["dataset", "algorithm"])
    assert read_scores(tmp_path / "duckdb", measures=ACC).digest == expected
    pq.write_to_dataset(
        pa.table(balanced), tmp_path / "pyarrow", partition_cols=["dataset", "replication"]
    )
    assert read_scores(tmp_path / "pyarrow", measures=ACC).digest == expected


STAMP = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("first", "second", "labels"),
    [
        (1, "1", ("1",)),
        (1, "x", ("1", "x")),
        (1.0, "1", ("1",)),
        (1.5, "x", ("1.5", "x")),
        (True, "True", ("True",)),
        (1, 2.5, ("1", "2.5")),
        (dt.date(2026, 1, 1), "2026-01-01", ("2026-01-01",)),
        (STAMP, 7, None),
        (None, "x", None),
    ],
)
def test_labels_of_other_types_in_each_file(tmp_path, first, second, labels):
    for i, label in enumerate((first, second)):
        table = pa.table(
            {"task": [label] * 2, "fold": [i, i], "model": ["a", "b"], "score": [0.5, i]}
        )
        pq.write_table(table, tmp_path / f"{i}.parquet")
    if first is None:
        assert refusal(tmp_path).startswith("2 rows lack a label")
        return
    scores = read_scores(tmp_path, measures=ACC)
    assert scores.n_rows == 4
    if labels is not None:
        assert scores.datasets == labels


def test_files_where_labels_and_scores_differ_in_type(balanced, tmp_path):
    write(balanced.iloc[:18], tmp_path / "1.parquet")
    other = balanced.iloc[18:].astype({"replication": str})
    pl.from_pandas(other).with_columns(pl.col("algorithm").cast(pl.Categorical)).write_parquet(
        tmp_path / "2.parquet"
    )
    scores = read_scores(tmp_path, measures=ACC)
    assert scores.digest == read_scores(balanced, measures=ACC).digest
    other = other.astype({"score": object})
    other.loc[:, "score"] = "n.n."
    write(other, tmp_path / "2.parquet")
    assert refusal(tmp_path).startswith("18 scores are not numbers.")


def test_a_pattern_that_matches_folders(balanced, tmp_path):
    hive(balanced, tmp_path)
    assert re.fullmatch(
        r"no file matches '.*'\.\nHint: it matches folders; .*/dataset=\*/\*.csv matches files .*",
        refusal(str(tmp_path / "dataset=*")),
    )


def test_a_pattern_finds_measures_and_a_name_above_it(balanced, tmp_path):
    folder = tmp_path / "runs"
    for i in range(2):
        part = balanced.query("dataset == 'd0'").iloc[6 * i : 6 * i + 6].drop(columns="dataset")
        write(part, folder / f"job{i}" / "1.parquet")
    (folder / "measures.toml").write_text('[measures.acc]\nbetter = "higher"\n', encoding="utf-8")
    scores = read_scores(str(folder / "*" / "*.parquet"))
    assert scores.datasets == ("runs",)
    assert scores.measure().name == "acc"


def test_names_of_files_are_kept_whole(tmp_path):
    """What trec_eval printed of three runs, whose names hold points."""
    values = {"bm25-0.1": 0.25, "bm25-0.2": 0.5, "dense": 0.75}
    for name, value in values.items():
        lines = [f"ndcg\t{topic}\t{value + i / 100}\n" for i, topic in enumerate((301, 302, 303))]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    (tmp_path / "README.txt").write_text("runs of trec_eval\n")
    (tmp_path / "queries.sh").write_text("trec_eval -q\n")
    for source in (tmp_path, f"{tmp_path}/[bd]*.txt"):
        scores = read_scores(source)
        means = scores.to_frame().groupby("algorithm")["value"].mean().to_dict()
        assert means == pytest.approx({name: value + 0.01 for name, value in values.items()})
    two = read_scores([tmp_path / "bm25-0.1.txt", tmp_path / "bm25-0.2.txt"])
    assert two.algorithms == ("bm25-0.1", "bm25-0.2")


def test_a_file_without_scores_is_named(tmp_path):
    """Documents of a tool, one of which ended before its first score, beside settings."""
    for model, score in (("a", 0.5), ("b", 0.25), ("c", None)):
        samples = [{"id": i, "scores": {"match": {"value": score}}} for i in range(2)]
        log = {"eval": {"task": "t", "model": model}, "status": "success", "version": 2}
        log |= {"samples": samples} if score is not None else {"results": {"scores": []}}
        (tmp_path / f"{model}.json").write_text(json.dumps(log))
    (tmp_path / "config.json").write_text(json.dumps({"limit": 3}))
    (tmp_path / "names.json").write_text(json.dumps(["a", "b"]))
    scores = read_scores(tmp_path, measures={"match": "higher"})
    assert scores.algorithms == ("a", "b")
    found = {f.rule: [row[0] for row in f.where[1:]] for f in scores.finding_records}
    assert found["files without scores"] == ["c.json", "names.json"]
    assert found["files not read"] == ["config.json"]


@pytest.mark.parametrize(("name", "text"), [("c.json", '[{"a": 1'), ("c.json", "\xff\xfe")])
def test_one_file_that_cannot_be_read_is_named_and_left_out(tmp_path, name, text):
    rows = [{"dataset": d, "algorithm": a, "acc": 0.5} for d in "xy" for a in "ab"]
    for file in ("a.json", "b.json"):
        of_file = [{**row, "seed": file} for row in rows]
        (tmp_path / file).write_text(json.dumps(of_file), encoding="utf-8")
    (tmp_path / name).write_text(text, encoding="latin-1")
    scores = read_scores(tmp_path, measures={"acc": "higher"})
    assert scores.n_rows == 8
    found = {f.rule: f for f in scores.finding_records}["files that cannot be read"]
    assert found.severity == "warning"
    assert found.where[1][0] == name
    (tmp_path / "b.json").unlink()  # half of the files are no rest
    with pytest.raises(ScoreTableError, match=r"c\.json"):
        read_scores(tmp_path, measures={"acc": "higher"})


def test_one_file_of_ragged_rows_is_named_and_left_out(tmp_path):
    for model, score in (("a", 0.5), ("b", 0.6), ("c", 0.9)):
        rows = [f"{d},{model},{score}" for d in "xyz"]
        text = "\n".join(["dataset,algorithm,acc", *rows, *["x,c"][: model == "c"], ""])
        (tmp_path / f"{model}.csv").write_text(text, encoding="utf-8")
    scores = read_scores(tmp_path, measures={"acc": "higher"})
    assert scores.algorithms == ("a", "b")
    finding = {f.rule: f for f in scores.finding_records}["files that cannot be read"]
    assert finding.severity == "warning"
    assert finding.where[1:] == (("c.csv", "1 row does not have 3 fields."),)


def test_a_fault_of_a_file_names_it(tmp_path):
    table = "dataset,algorithm,seed,acc\nx,a,1,0.5\nx,b,1,0.6\n"
    (tmp_path / "one.csv").write_text(table, encoding="utf-8")
    (tmp_path / "two.csv").write_text(table.replace(",1,", ",2,") + "x,a\n", encoding="utf-8")
    with pytest.raises(ScoreTableError, match=r"two\.csv: 1 row does not have 4 fields"):
        read_scores(tmp_path, measures={"acc": "higher"})
