import json
import random

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.errors import BenchinferError
from benchinfer.saving import decode, encode, sealed, write_whole


def kept(path, result):
    """Write a document whose checksum is right."""
    path.write_text(json.dumps(sealed({"benchinfer": 2, "result": result})))
    return path


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
    with pytest.raises(BenchinferError, match="not known: 'Popen'"):
        bi.load(kept(tmp_path / "x.json", {"class": "Popen", "fields": {}}))
    with pytest.raises(BenchinferError, match="cannot save a set"):
        encode({1, 2})


@pytest.mark.parametrize("text", ["", "[]", "{}", "dataset,value\n", "[" * 100_000, '{"x": {}}'])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(BenchinferError, match=r"is not a saved result, or only a part of one\."):
        bi.load(path)


def test_files_of_another_format_are_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"benchinfer": 1, "result": {}}')
    with pytest.raises(BenchinferError, match=r"has format 1; this version reads 2\.\nHint"):
        bi.load(path)


def test_a_changed_result_is_refused(tmp_path):
    path = bi.compare_points(bi.load_example("sklearn_bootstrap"), "error").save(tmp_path / "x")
    text = path.read_text()
    for old, new in {'"mean"': '"median"', "wine": "wane", '"values":[': '"values":[NaN,'}.items():
        assert old in text
        path.write_text(text.replace(old, new, 1))
        with pytest.raises(BenchinferError, match="changed after it was written"):
            bi.load(path)
    path.write_text(json.dumps(json.loads(text), indent=3) + "\n")  # other spacing is no change
    assert bi.load(path).statistic == "mean"


MEASURE = encode(bi.Measure("error", "lower"))["fields"]
FORGED = {
    "holds no result": 5,
    "an array of type '<U500000000'": {"array": "<U500000000", "shape": [9], "values": [""] * 9},
    "an array of type '|V4'": {"array": "|V4", "shape": [1], "values": [0]},
    r"1 values of an array of shape \[100000": {
        "array": "<f8",
        "shape": [10**5] * 3,
        "values": [1],
    },
    r"of shape \[-1\]": {"array": "<f8", "shape": [-1], "values": [1.0]},
    "values of other types in an array": {"array": "<f8", "shape": [1], "values": ["1"]},
    "cannot be a saved result: .*out of bounds": {"array": "|i1", "shape": [1], "values": [300]},
    "an object that is none": {"class": "Measure"},
    "no pair of key and value": {"mapping": [[[], 1]]},
    "lacks, the field 'better'": {"class": "Measure", "fields": {"name": "x"}},
    "lacks, the field 'colour'": {"class": "Measure", "fields": MEASURE | {"colour": 1}},
    "Measure.tolerance cannot be 'x'": {"class": "Measure", "fields": MEASURE | {"tolerance": "x"}},
    "Measure.better cannot be 'x'": {"class": "Measure", "fields": MEASURE | {"better": "x"}},
    "Measure.bounds cannot be": {"class": "Measure", "fields": MEASURE | {"bounds": [0, 1]}},
    "tolerance is": {"class": "Measure", "fields": MEASURE | {"tolerance": -1.0}},
}


@pytest.mark.parametrize("message", FORGED)
def test_what_save_does_not_write_is_refused(tmp_path, message):
    """Even where the checksum is right; nothing large is built."""
    with pytest.raises(BenchinferError, match=message) as error:
        bi.load(kept(tmp_path / "x.json", FORGED[message]))
    assert str(error.value).startswith(f"'{tmp_path}")
    assert "Hint: results are written by result.save(path)" in str(error.value)


def test_wide_text_takes_no_more_room_than_the_file():
    values = ["x" * 100_000, *[""] * 10_000]  # 4 GB as an array of fixed width
    array = decode({"array": "<U", "shape": [len(values)], "values": values})
    assert (array.dtype, array[0]) == (object, values[0])


def test_mutations_are_refused_or_change_nothing(tmp_path):
    """Bytes that are changed, lost, doubled or moved; a checksum that is right, or not."""
    result = bi.compare_points(bi.load_example("sklearn_bootstrap"), "error")
    text = result.save(tmp_path / "x").read_text()
    draw = random.Random(1)  # noqa: S311
    refused = 0
    for _ in range(150):
        mutant = mutated(text, draw)
        if draw.random() < 0.5:
            mutant = with_checksum(mutant)
        (tmp_path / "y").write_text(mutant)
        try:
            bi.load(tmp_path / "y")
        except BenchinferError:
            refused += 1
        else:
            assert "sha256" in mutant
    assert refused > 100


def mutated(text, draw):
    """Do one thing to a text."""
    i, j = sorted(draw.sample(range(len(text)), 2))
    j = min(j, i + draw.choice([1, 5, 50]))
    new = draw.choice(["", '"', "-", "9", "null", "NaN", "[]", "{}", "1e999", text[i:j] * 2])
    return text[:i] + new + text[j:]


def with_checksum(text):
    """Make the checksum anew, where there is a document."""
    try:
        return json.dumps(sealed(json.loads(text)))
    except (ValueError, TypeError):
        return text


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
    with pytest.raises(BenchinferError, match="is a folder, not a saved result"):
        bi.load(tmp_path)
