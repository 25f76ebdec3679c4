import json

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.errors import BenchinferError
from benchinfer.saving import decode, encode, write_whole


def test_values_come_back_as_they_were():
    value = {
        "a": (1, 2.5, None, "x", float("inf")),
        ("k", 1): [True, {"n": np.arange(6, dtype=np.int64).reshape(2, 3)}],
        "f": np.array([0.1, np.nan, -np.inf]),
        "m": bi.Measure("error", "lower", bounds=(0, 1)),
    }
    back = decode(json.loads(json.dumps(encode(value))))
    assert back["a"] == value["a"]
    assert back["m"] == value["m"]
    np.testing.assert_array_equal(back["f"], value["f"])
    array = back["k", 1][1]["n"]
    assert (array.dtype, array.tolist()) == (np.int64, [[0, 1, 2], [3, 4, 5]])
    # An empty dimension keeps its shape.
    assert decode(encode(np.zeros((0, 3)))).shape == (0, 3)


def test_only_known_records_are_built(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"benchinfer": 1, "result": {"class": "Popen", "fields": {}}}')
    with pytest.raises(BenchinferError, match="not known: 'Popen'"):
        bi.load(path)
    with pytest.raises(BenchinferError, match="cannot save a set"):
        encode({1, 2})


@pytest.mark.parametrize("text", ["", "[]", "{}", "dataset,value\n"])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(BenchinferError, match="is not a saved result"):
        bi.load(path)


def test_nothing_half_written_is_left(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "x", "\ud800")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BenchinferError, match="there is no folder"):
        write_whole(tmp_path / "no" / "x", "")
    assert write_whole(tmp_path / "x", "é").read_text(encoding="utf-8") == "é"


def test_a_file_that_is_not_there_is_named_as_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BenchinferError, match=r"^there is no file 'none\.json'\."):
        bi.load("none.json")
    with pytest.raises(BenchinferError, match="cannot be read"):
        bi.load(tmp_path)
