"""Damaged binary files and texts in other encodings: one sentence each, and no signal."""

import json
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import benchinfer as bi
from tests.scores.damaged import KINDS, check

ROWS = [
    {"dataset": f"d{i}", "algorithm": name, "acc": 0.5 + i / 10}
    for i in range(4)
    for name in ("rf", "svm")
]


def refusal(path, text):
    """Check that a file is refused by one sentence with a text."""
    with pytest.raises(bi.ScoreTableError, match=text) as refused:
        bi.read_scores(path, measures="acc:higher")
    sentence, _, hint = str(refused.value).partition("\nHint: ")
    assert "\n" not in sentence
    assert "\n" not in hint


@pytest.mark.parametrize("kind", ["offset", "text"])
def test_offsets_and_text_of_feather_are_looked_at_before_they_are_used(tmp_path, kind):
    path = tmp_path / "scores.feather"
    feather.write_feather(pa.Table.from_pylist(ROWS), str(path), compression="uncompressed")
    data = path.read_bytes()
    offsets = struct.pack("<9i", *range(0, 18, 2))
    harm = {
        "offset": (offsets, struct.pack("<4i", 0, 2, 4, 1 << 30) + offsets[16:]),
        "text": (b"d0d0d1", b"d0\xe9\xe9d1"),
    }
    assert harm[kind][0] in data
    path.write_bytes(data.replace(*harm[kind], 1))
    refusal(path, "cannot be read as feather: In column 0")


def test_batches_of_feather_that_say_a_number_of_rows_they_do_not_have(tmp_path):
    path = tmp_path / "scores.feather"
    feather.write_feather(pa.Table.from_pylist(ROWS), str(path), compression="uncompressed")
    said = struct.pack("<q", len(ROWS))
    places = [i for i in range(path.stat().st_size) if path.read_bytes()[i : i + 8] == said]
    assert places
    data = path.read_bytes()
    for rows in (1 << 33, 1 << 40, (1 << 63) - 1, -1):
        harmed = data
        for i in places:
            harmed = harmed[:i] + struct.pack("<q", rows) + harmed[i + 8 :]
        path.write_bytes(harmed)
        with pytest.raises(bi.ScoreTableError):
            bi.read_scores(path, measures="acc:higher")


@pytest.mark.parametrize("seed", [53134, 53234, 53834])
def test_feather_files_that_ended_the_process_one_time_in_three(tmp_path, seed):
    """Damaged batches that were read at the same time."""
    assert check(tmp_path, "feather", [seed] * 12)[1] == []


def test_codes_beyond_the_dictionary_of_feather(tmp_path):
    path = tmp_path / "scores.feather"
    table = pa.Table.from_pylist(ROWS)
    codes = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0, 1, 0, 1, 0, 119], pa.int8()), ["a", "b"], safe=False
    )
    feather.write_feather(table.set_column(1, "algorithm", codes), str(path))
    refusal(path, "cannot be read as feather: In column 1")


@pytest.mark.parametrize("write", [feather.write_feather, parquet.write_table])
@pytest.mark.parametrize("place", ["name", "metadata"])
def test_names_and_metadata_in_latin_1(tmp_path, write, place):
    path = tmp_path / ("x.feather" if write is feather.write_feather else "x.parquet")
    table = pa.Table.from_pylist([{**row, "note": 1} for row in ROWS])
    table = table.replace_schema_metadata({"pandas": '{"note": 1}'})
    write(table, str(path))
    data = path.read_bytes()
    harmed = {
        "name": data.replace(b"note", b"n\xf6te"),
        "metadata": data.replace(b'{"no', b'{"n\xf6'),
    }
    path.write_bytes(harmed[place])
    if place == "metadata":  # which nothing needs
        assert bi.read_scores(path, measures="acc:higher").n_rows == len(ROWS)
    else:
        refusal(path, "'utf-8' codec can't decode byte 0xf6")


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
@pytest.mark.parametrize("key", ["note", "nöte"])
def test_documents_in_latin_1(tmp_path, name, key):
    rows = [json.dumps({**row, key: "ö"}, ensure_ascii=False) for row in ROWS]
    text = "\n".join(rows) if name == "x.jsonl" else f"[{', '.join(rows)}]"
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    refusal(tmp_path / name, "is not text in UTF-8")


def test_unknown_compressions(tmp_path):
    np.savez(tmp_path / "x.npz", rf=np.ones((2, 2)), svm=np.ones((2, 2)))
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as archive:
        archive.writestr("header.json", '{"eval": {"task": "quiz", "model": "m"}}')
    for name, text in (("x.npz", "as arrays: That"), ("x.eval", "as a log of Inspect: That")):
        data = bytearray((tmp_path / name).read_bytes())
        for sign, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            data[data.find(sign) + at] = 77
        (tmp_path / name).write_bytes(data)
        refusal(tmp_path / name, f"cannot be read {text} compression method is not supported")


@pytest.mark.parametrize("shape", [(2**63, 1), (2**62, 2), (2**40, 2**40), (-1, 2)])
def test_shapes_of_arrays_beyond_memory(tmp_path, shape):
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive, archive.open("svm.npy", "w") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
    refusal(tmp_path / "x.npz", "cannot be read as arrays")


@pytest.mark.parametrize("kind", ["feather", "parquet", "npz", "eval"])
def test_damaged_binaries_are_read_or_refused(tmp_path, kind):
    read, faults = check(tmp_path, kind, range(25))
    assert faults == []
    assert 0 < read < 25


@pytest.mark.calibration
@pytest.mark.parametrize("kind", KINDS)
def test_more_damaged_binaries_are_read_or_refused(tmp_path, kind):
    read, faults = check(tmp_path, kind, range(1000, 1850))
    assert faults == []
    assert read < 850
