import bz2
import gzip
import re
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from benchinfer.core.errors import MissingExtra, ScoreTableError
from benchinfer.scores.declaration import Declaration
from benchinfer.scores.read import read_scores
from benchinfer.scores.sources.files import open_source

ACC = {"acc": "higher"}
ROWS = "task,model,score\n" + "".join(f"t{i},{m},0.5\n" for i in range(50_000) for m in "ab")
CUT = gzip.compress(ROWS.encode(), 1)[:-5000]  # with a whole header


def refusal(source, **options):
    with pytest.raises(ScoreTableError) as caught:
        read_scores(source, measures=Declaration(ACC, **options))
    return str(caught.value)


def test_a_missing_file_is_named_as_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal("nope/a.csv") == (
        "there is no file 'nope/a.csv'.\nHint: looked in folder 'nope'."
    )
    assert refusal("a.csv") == "there is no file 'a.csv'.\nHint: looked in the current folder."
    assert refusal("*/a.csv").startswith("no file matches '*/a.csv'.\nHint: the pattern")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", b"", "'a.csv' is empty."),
        ("a.csv", b"\n\n", "'a.csv' is empty: it has no header."),
        ("a.csv", b"task,model,score\n", "the table has no rows."),
        ("a.csv", b"x,x,y\n1,2,3\n", "columns given twice in 'a.csv': x.\nHint: keep one of each."),
        ("a.txt", b"hello", "'a.txt' is not a kind of file that can be read.\nHint: csv, tsv"),
        ("a.doc", b"hello", "'a.doc' is not a kind of file that can be read.\nHint: csv, tsv"),
        ("a.csv", b"task,model,score\n\xff,b,1\n", "'a.csv' is not text in UTF-8.\nHint: save it"),
        ("a.csv", "task,model".encode("utf-16"), "'a.csv' is not text in UTF-8."),
        (
            "a.csv",
            b'task,"model,score\nx,a,1\n',
            "the header of 'a.csv' cannot be read: unexpected",
        ),
        (
            "a.csv",
            b"x" * 200_000 + b",y\n1,2\n",
            "the header of 'a.csv' cannot be read: field larger",
        ),
        ("a.csv.gz", CUT, "'a.csv.gz' cannot be read: Truncated compressed stream."),
        ("a.csv.bz2", b"task\n", "'a.csv.bz2' cannot be read: bz2 decompress failed"),
        (
            "a.jsonl",
            b'{"task": "\xff", "model": "a", "score": 1}',
            "'a.jsonl' is not text in UTF-8.",
        ),
        ("a.xlsx", b"abc", "'a.xlsx' cannot be read as Excel: Excel file format cannot"),
        ("a.xlsx", b"PK\x03\x04" + b"abc" * 9, "'a.xlsx' cannot be read as Excel: "),
        ("a.xls", b"abc", "'a.xls' cannot be read as Excel: "),
        (
            "a.csv.gz",
            b"abc",
            "'a.csv.gz' cannot be read: zlib inflate failed: incorrect header check",
        ),
        ("a.parquet", b"abc", "'a.parquet' cannot be read as parquet:"),
        ("a.feather", b"abc", "'a.feather' cannot be read as feather:"),
        ("a.jsonl", b"{a", "'a.jsonl' cannot be read as JSON lines:"),
        ("a.duckdb", b"abc" * 100, "'a.duckdb' cannot be read by DuckDB:"),
    ],
)
def test_files_that_are_no_tables(tmp_path, monkeypatch, name, content, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    assert refusal(name).startswith(expected)


def test_a_folder_without_tables(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing")
    assert refusal(tmp_path).startswith(f"the folder {str(tmp_path)!r} holds no table.")


def test_a_folder_of_ours(balanced, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    balanced.to_csv(folder / "scores.csv", index=False)
    (folder / "measures.toml").write_text('[measures.acc]\nbetter = "higher"\n', encoding="utf-8")
    scores = read_scores(folder)
    assert scores.source == "mine"
    assert scores.measure().name == "acc"
    assert str(tmp_path) not in repr(scores)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_glob_reads_files_together(balanced, tmp_path, suffix):
    for i, (_, part) in enumerate(balanced.groupby("dataset")):
        folder = tmp_path / f"run{i}"
        folder.mkdir()
        path = folder / f"part.{suffix}"
        part.to_csv(path, index=False) if suffix == "csv" else part.to_parquet(path)
    scores = read_scores(str(tmp_path / "*" / f"*.{suffix}"), measures=ACC)
    assert scores.digest == read_scores(balanced, measures=ACC).digest


def test_a_glob_where_one_file_holds_text(balanced, tmp_path):
    balanced.iloc[:18].to_csv(tmp_path / "a.csv", index=False)
    text = balanced.iloc[18:].astype({"score": object})
    text.iloc[0, 3] = "n.n."
    text.to_csv(tmp_path / "b.csv", index=False)
    assert refusal(str(tmp_path / "*.csv")).startswith("1 score is not a number.")


def test_files_with_other_columns(balanced, tmp_path):
    balanced.to_csv(tmp_path / "a.csv", index=False)
    balanced.rename(columns={"score": "acc"}).to_csv(tmp_path / "b.csv", index=False)
    said = refusal(str(tmp_path / "*.csv"))
    assert "1 of 2 files have other columns than 'a.csv'." in said
    assert re.search(r"file +lacks +has besides\n +b\.csv +score +acc\n", said)
    balanced.to_parquet(tmp_path / "c.parquet")
    assert "3 files of kinds .csv, .parquet" in refusal(str(tmp_path / "*"))


def test_columns_that_some_files_lack_are_left_out(balanced, tmp_path):
    for name, part in balanced.groupby("algorithm"):
        part.assign(**{f"of_{name}": 1}).to_csv(tmp_path / f"{name}.csv", index=False)
    scores = read_scores(tmp_path, measures={"score": "higher"})
    assert scores.digest == read_scores(balanced, measures={"score": "higher"}).digest
    (found,) = [f for f in scores.finding_records if f.rule == "columns of some files"]
    assert found.what == "3 columns were left out, which not all files have."
    assert found.where[1] == ("of_a0", "1 of 3")


def test_documents_of_no_tool_beside_tables_are_not_read(balanced, tmp_path):
    for name, part in balanced.groupby("algorithm"):
        (tmp_path / str(name)).mkdir()
        part.to_csv(tmp_path / str(name) / "scores.csv", index=False)
        (tmp_path / str(name) / "config.json").write_text('{"lr": 0.1}')
    (tmp_path / "log.txt").write_text("epoch 1\n")
    scores = read_scores(tmp_path, measures={"score": "higher"})
    assert scores.digest == read_scores(balanced, measures={"score": "higher"}).digest
    (found,) = [f for f in scores.finding_records if f.rule == "files not read"]
    assert (found.count, found.where[1]) == (4, ("log.txt",))


def test_the_order_of_columns_is_free(balanced, tmp_path):
    balanced.iloc[:18].to_csv(tmp_path / "a.csv", index=False)
    balanced.iloc[18:, ::-1].to_csv(tmp_path / "b.csv", index=False)
    scores = read_scores(f"{tmp_path}/*.csv", measures=ACC)
    assert scores.digest == read_scores(balanced, measures=ACC).digest


def test_text_with_a_byte_order_mark_semicolons_and_blank_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf\n\ntask;model;score\n\nx;a;1\nx;b;2\n")
    scores = read_scores(path, measures=ACC)
    assert scores.algorithms == ("a", "b")


def test_whole_numbers_in_text_lose_their_point(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("task,seed,model,score\nx,1.0,a,1\nx,1.0,b,2\nx,2.0,a,1\nx,2.0,b,3\n")
    assert set(read_scores(path, measures=ACC).to_frame()["replication"]) == {"1", "2"}
    path.write_text("task,seed,model,score\nx,1.0,a,1\nx,1.0,b,2\nx,1.5,a,1\nx,1.5,b,3\n")
    assert set(read_scores(path, measures=ACC).to_frame()["replication"]) == {"1.0", "1.5"}


def test_words_for_nothing_are_labels_but_no_scores(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("task,model,score\nNA,None,1\nNA,nan,2\n")
    assert read_scores(path, measures=ACC).algorithms == ("None", "nan")
    path.write_text("task,model,score\nx,,1\nx,b,NA\n")
    message = refusal(path)
    assert "1 row lacks a label" in message
    assert "1 row has no score" in message


@pytest.mark.parametrize("source", [5, {1, 2}, [1], None, pd.Series([1.0])])
def test_what_is_no_table(source):
    expected = f"a {type(source).__name__} cannot be read as a table."
    assert refusal(source).startswith(expected)


def test_pandas_frames_that_are_not_tidy(balanced):
    twice = pd.concat([balanced, balanced], axis=1)
    assert refusal(twice).startswith("columns given twice: algorithm, dataset, replication, score.")
    levels = balanced.pivot_table(
        index="dataset", columns=["algorithm", "replication"], values="score"
    )
    assert refusal(levels).startswith("the frame has 2 levels of column names.")
    both = balanced.set_index("dataset", drop=False)
    assert refusal(both).startswith("named both a column and an index: dataset.")


def test_categories_and_mixed_columns(balanced):
    expected = read_scores(balanced, measures=ACC).digest
    frame = balanced.astype({"dataset": "category", "replication": "category"})
    assert read_scores(frame, measures=ACC).digest == expected
    mixed = balanced.assign(replication=[str(r) if r % 2 else r for r in balanced["replication"]])
    assert read_scores(mixed, measures=ACC).digest == expected
    lazy = pl.LazyFrame(balanced.to_dict("list")).with_columns(
        pl.col("dataset").cast(pl.Categorical)
    )
    assert read_scores(lazy, measures=ACC).digest == expected
    assert read_scores(lazy.collect(), measures=ACC).digest == expected


def test_a_query_needs_a_database(balanced, tmp_path):
    assert refusal(balanced, query="SELECT 1").startswith("query= was given with a DataFrame.")
    balanced.to_csv(tmp_path / "a.csv", index=False)
    assert refusal(tmp_path / "a.csv", query="SELECT 1").startswith("query= was given with 'a.csv'")


def test_excel_needs_its_extra(balanced, tmp_path, monkeypatch):
    balanced.to_excel(tmp_path / "a.xlsx", index=False)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r"benchinfer\[excel\]"):
        open_source(tmp_path / "a.xlsx", None)


def test_a_json_array_is_read_and_named_among_lines(balanced, tmp_path):
    balanced.to_json(tmp_path / "a.json", orient="records")
    assert read_scores(tmp_path / "a.json", measures=ACC).n_rows == len(balanced)
    balanced.to_json(tmp_path / "a.jsonl", orient="records")
    message = refusal(tmp_path / "a.jsonl")
    assert "a.jsonl' is one JSON array" in message
    assert "with the ending .json" in message


@pytest.mark.parametrize("text", ["null", 'null\n{"a": 1}', '{"a": 1}\n\nnull\n'])
def test_a_null_in_place_of_an_object_is_told_in_words(tmp_path, text):
    (tmp_path / "a.jsonl").write_text(text)
    assert "a.jsonl' has a line that is no object" in refusal(tmp_path / "a.jsonl")


@pytest.mark.parametrize("line", ["[1]", "1", '"a"'])
def test_a_line_that_is_no_object_is_told_in_words(tmp_path, line):
    (tmp_path / "a.jsonl").write_text(f'{{"algorithm": "a"}}\n{line}\n')
    assert "a.jsonl' has a line that is no object, and JSON lines" in refusal(tmp_path / "a.jsonl")


@pytest.mark.parametrize("at", [0.3, 0.6, 0.9])
def test_damaged_archives_are_one_error(tmp_path, at):
    content = bytearray(gzip.compress(ROWS.encode(), 1))
    content[int(at * len(content))] ^= 255
    (tmp_path / "a.csv.gz").write_bytes(content)
    assert "cannot be read: " in (said := refusal(tmp_path / "a.csv.gz"))
    assert "Hint: the file is cut, damaged" in said


@pytest.mark.parametrize(("suffix", "packed"), [("bz2", bz2.compress), ("zst", None)])
def test_other_archives_of_text(balanced, tmp_path, suffix, packed):
    packed = packed or (lambda content: pa.compress(content, "zstd").to_pybytes())
    path = tmp_path / f"a.csv.{suffix}"
    path.write_bytes(packed(balanced.to_csv(index=False).encode()))
    assert read_scores(path, measures=ACC).digest == read_scores(balanced, measures=ACC).digest


@pytest.mark.parametrize(
    ("encoding", "hint"),
    [
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("cp1252", "latin-1"),
    ],
)
def test_other_encodings_are_named_in_the_hint(tmp_path, encoding, hint):
    path = tmp_path / "a.csv"
    path.write_bytes(
        "task,model,score\nd\N{LATIN SMALL LETTER E WITH ACUTE},a,1\n".encode(encoding)
    )
    said = refusal(path)
    assert "is not text in UTF-8." in said
    assert f"takes the encoding {hint}." in said


def test_line_breaks_in_quoted_names(tmp_path):
    path = tmp_path / "a.csv"
    names = [f"t{i}\nof {i}" for i in range(60_000)]
    rows = "".join(f'"{name}",{model},0.5\n' for name in names for model in "ab")
    path.write_text(f'"task",model,"the\nscore"\n{rows}')
    assert path.stat().st_size > 2 << 20  # Arrow reads blocks of one megabyte
    scores = read_scores(path, measures=ACC, columns={"the\nscore": "value"})
    assert scores.datasets == tuple(sorted(names))
    assert scores.n_rows == 120_000


def test_a_quotation_mark_that_is_not_closed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('task,model,score\nt,"a,1\n' + "t,b,2\n" * 400_000)
    assert "a quotation mark is not closed" in refusal(path)


def test_dates_and_long_lines_of_json(tmp_path):
    path = tmp_path / "a.jsonl"
    long = "x" * (3 << 20)
    path.write_text(
        f'{{"task": "2020-01-01", "model": "{long}", "score": 1}}\n'
        '{"task": "2020-01-01", "model": "b", "score": 2}\n'
    )
    scores = read_scores(path, measures=ACC)
    assert scores.datasets == ("2020-01-01",)
    assert scores.algorithms == ("b", long)


def test_a_damaged_spreadsheet(balanced, tmp_path):
    path = tmp_path / "a.xlsx"
    balanced.to_excel(path, index=False)
    content = path.read_bytes()
    for at in range(400, len(content), len(content) // 8):
        path.write_bytes(content[:at] + b"\xff" * 8 + content[at + 8 :])
        assert "cannot be read as Excel: " in refusal(path)


def test_several_sheets_are_not_passed_over(balanced, tmp_path):
    path = tmp_path / "a.xlsx"
    with pd.ExcelWriter(path) as book:
        balanced.iloc[:18].to_excel(book, sheet_name="first", index=False)
        pd.DataFrame().to_excel(book, sheet_name="empty", index=False)
    assert read_scores(path, measures=ACC).n_rows == 18
    with pd.ExcelWriter(path) as book:
        balanced.iloc[:18].to_excel(book, sheet_name="first", index=False)
        balanced.iloc[18:].to_excel(book, sheet_name="second", index=False)
    assert "holds 2 sheets: first, second." in refusal(path)


def test_paths_that_cannot_be_opened(tmp_path):
    assert "cannot be opened: File name too long" in refusal("x" * 5000 + ".csv")
    assert "cannot be opened: " in refusal("~nobody-of-that-name/a.csv")
    path = tmp_path / "a\udcff.csv"
    path.write_text("task,model,score\nx,a,1\n")
    assert "is not text in UTF-8." in refusal(path)


def test_a_plan_that_fails_is_one_error(balanced):
    lazy = pl.LazyFrame(balanced.to_dict("list"))
    assert "cannot be read as a table: unable to find column" in refusal(
        lazy.with_columns(x=pl.col("nope"))
    )
    assert "LazyFrame cannot be read: conversion from" in refusal(
        lazy.with_columns(score=pl.col("dataset").cast(pl.Float64))
    )


@pytest.mark.slow
def test_a_plan_of_dask_that_fails_is_one_error(balanced, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    text = balanced.to_csv(index=False).rstrip() + "x\n"
    (tmp_path / "a.csv").write_text(text)
    frame = dd.read_csv(tmp_path / "a.csv", dtype={"score": float})
    assert "DataFrame cannot be read: could not convert" in refusal(frame)
    named = dd.from_pandas(balanced.drop(columns="replication").set_index("dataset"), npartitions=2)
    scores = read_scores(named, measures=ACC, repeats="keep")
    assert scores.datasets == ("d0", "d1", "d2")


def test_a_record_in_a_comment_ahead_of_the_header_is_skipped(balanced, tmp_path):
    text = '#{"host": "h1"}\n# {"seed": 3}\n' + balanced.to_csv(index=False)
    (tmp_path / "a.csv").write_text(text)
    scores = read_scores(tmp_path / "a.csv", measures={"score": "higher"})
    assert scores.digest == read_scores(balanced, measures={"score": "higher"}).digest
