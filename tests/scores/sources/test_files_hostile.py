"""Files that would fill memory, take hours, or end in an error of the library that reads them."""

import gzip
import io
import zipfile

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import benchinfer as bi
from benchinfer.scores.formats import packed
from benchinfer.scores.sources import frames, text

LINE = "a" * 5000


@pytest.fixture
def short_lines(monkeypatch):
    monkeypatch.setattr(text, "_LONGEST", 1 << 12)
    monkeypatch.setattr("benchinfer.scores.formats.documents.MOST_BYTES", 1 << 12)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("header.csv.gz", LINE),
        ("second_line_of_the_header.csv.gz", f'dataset,"algo\n{LINE}'),
        ("string.json.gz", f'[{{"a": "{LINE}'),
        ("string.jsonl.gz", f'{{"a": "{LINE}'),
        ("later.jsonl", f'{{"a": 1}}\n{{"a": "{LINE}"}}\n'),
    ],
)
@pytest.mark.usefixtures("short_lines")
def test_a_line_without_end_is_refused_where_the_limit_is_reached(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith("gz") else content.encode())
    with pytest.raises(bi.ScoreTableError, match=r"has a line of more than 0 MB\.\nHint: the file"):
        bi.read_scores(path, measures="a:higher")


def test_lines_up_to_the_limit_are_read(tmp_path):
    path = tmp_path / "scores.jsonl"
    rows = [{"dataset": f"d{i % 2}", "algorithm": f"a{i // 2}"} for i in range(4)]
    note = "x" * (3 << 20)  # longer than a block of the reader
    lines = [f'{{"dataset": "{r["dataset"]}", "algorithm": "{r["algorithm"]}"' for r in rows]
    path.write_text(
        "".join(f'{x}, "score": {i}, "note": "{note}"}}\n' for i, x in enumerate(lines))
    )
    scores = bi.read_scores(path, measures="score:higher")
    assert scores.algorithms == ("a0", "a1")


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("x.csv.gz", "d,a,0.5\n"),
        ("text.csv.gz", "d,a,x\n"),
        ("ragged.csv.gz", "d,a\n"),
        ("blank.csv.gz", "\n"),
        ("x.jsonl.gz", '{"dataset": "d", "algorithm": "a", "score": 0.5}\n'),
        ("x.json.gz", '{"dataset": "d", "algorithm": "a", "score": 0.5},'),
        ("x.arff.gz", "d,a,0.5\n"),
    ],
)
def test_equal_rows_of_a_small_file_are_not_unpacked(tmp_path, monkeypatch, name, row):
    monkeypatch.setattr(packed, "_SMALL", 1 << 16)
    head = {"csv": "dataset,algorithm,score\n", "jsonl": "", "json": "[", "arff": "@data\n"}
    text = head[name.split(".")[1]] + row * (2_000_000 // len(row))
    (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    with pytest.raises(bi.ScoreTableError, match=r"unpacks to more than 250 times its [\d,]+ byt"):
        bi.read_scores(tmp_path / name, measures="score:higher")


def test_archives_that_unpack_to_far_more(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "_SMALL", 1 << 16)
    np.savez_compressed(tmp_path / "x.npz", svm=np.zeros((1000, 1000)))
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", "<row/>" * 500_000)
    with zipfile.ZipFile(tmp_path / "x.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("summaries.json", "[" + "{}," * 500_000)
    for name in ("x.npz", "x.xlsx", "x.eval"):
        with pytest.raises(bi.ScoreTableError, match=r"unpacks to more than 250 times"):
            bi.read_scores(tmp_path / name, measures="score:higher")


def test_arrays_of_more_scores_than_records_can_hold(tmp_path, monkeypatch):
    monkeypatch.setattr("benchinfer.scores.formats.documents._MOST_ROWS", 99)
    np.savez(tmp_path / "x.npz", svm=np.zeros((10, 10)))
    with pytest.raises(bi.ScoreTableError, match=r"arrays of 100 scores are more than the 99"):
        bi.read_scores(tmp_path / "x.npz", measures="score:higher")


def test_an_array_whose_header_lies(tmp_path):
    held = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)}
    np.lib.format.write_array_header_1_0(held, shape)
    with zipfile.ZipFile(tmp_path / "scores.npz", "w") as archive:
        archive.writestr("svm.npy", held.getvalue() + bytes(64))
    with pytest.raises(bi.ScoreTableError, match=r"scores\.npz.*cannot be read as arrays"):
        bi.read_scores(tmp_path / "scores.npz", measures="score:higher")


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_more_rows_than_memory_holds_are_refused_before_they_are_sorted(
    tmp_path, monkeypatch, ending
):
    monkeypatch.setattr(frames, "_BYTES_OF_A_ROW", 1e12)
    table = pa.table({"dataset": ["d"] * 9, "algorithm": ["a"] * 9, "score": [1.0] * 9})
    path = tmp_path / f"scores.{ending}"
    if ending == "csv":
        table.to_pandas().to_csv(path, index=False)
    else:
        parquet.write_table(table, path)
    with pytest.raises(bi.ScoreTableError, match=r"has 9 rows, which need about 9,000 GB of mem"):
        bi.read_scores(path, measures="score:higher")


@pytest.mark.parametrize("name", ["deep.json", "deep.jsonl"])
def test_documents_that_are_nested_deep(tmp_path, name):
    path = tmp_path / name
    path.write_text('{"a":' * 3000 + "1" + "}" * 3000 + "\n")
    with pytest.raises(bi.ScoreTableError, match="is nested more than 20 deep"):
        bi.read_scores(path, measures="a:higher")


def test_a_record_may_hold_records(tmp_path):
    path = tmp_path / "scores.jsonl"
    path.write_text('{"dataset": "d", "algorithm": "a", "score": 1, "c": {"b": [{"x": 1}]}}\n' * 1)
    found = bi.read_scores(path, measures="score:higher")
    assert found.algorithms == ("a",)


def test_a_table_of_very_many_columns(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("dataset," + ",".join(f"c{i}" for i in range(200_000)) + "\n")
    with pytest.raises(bi.ScoreTableError, match="has 200,001 columns, and a table has at most 20"):
        bi.read_scores(path, measures="score:higher")
