import json
import multiprocessing
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

import benchinfer as bi
from benchinfer.core.errors import BenchinferError
from benchinfer.core.saving import FORMAT, decode, encode, sealed, write_atomically


def kept(path, result):
    """Write a document whose checksum is right."""
    path.write_text(json.dumps(sealed({"benchinfer": FORMAT, "result": result})))
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


@pytest.mark.parametrize("form", [1, FORMAT - 1, FORMAT + 1])
def test_files_of_another_format_are_refused(tmp_path, form):
    path = bi.compare_points(bi.load_example("sklearn_bootstrap"), "error").save(tmp_path / "x")
    document = json.loads(path.read_text()) | {"benchinfer": form}
    del document["sha256"]
    path.write_text(json.dumps(sealed(document)))
    with pytest.raises(BenchinferError) as error:
        bi.load(path)
    what, hint = str(error.value).split("\n", 1)
    assert what == f"{str(path)!r} has format {form}; this version reads {FORMAT}."
    assert hint.startswith("Hint: ")


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
        write_atomically(tmp_path / "x", "\ud800")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BenchinferError, match="there is no folder"):
        write_atomically(tmp_path / "no" / "x", "")
    assert write_atomically(tmp_path / "x", "é").read_text(encoding="utf-8") == "é"


def test_a_file_that_is_not_there_is_named_as_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BenchinferError, match=r"^there is no file 'none\.json'\."):
        bi.load("none.json")
    with pytest.raises(BenchinferError, match="is a folder, not a saved result"):
        bi.load(tmp_path)


# --- files as they are


def test_links_are_followed_and_the_mode_is_kept(tmp_path):
    real, link = tmp_path / "real.html", tmp_path / "link.html"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to("real.html")
    assert write_atomically(link, "new") == link
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


def test_links_to_nothing_are_not_written_through(tmp_path):
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "later")
    with pytest.raises(BenchinferError, match="is a link to a file that is not there"):
        write_atomically(dangling, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["dangling"]


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_of_the_process(tmp_path, mask):
    code = f"import os; os.umask({mask}); "
    code += "from benchinfer.core.saving import write_atomically as w; w('x', '')"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o666 & ~mask


def test_pipes_and_devices_stay_what_they_are(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, "through")
    reader.join()
    assert got == [b"through"]
    assert pipe.is_fifo()
    device = Path("/dev/null")
    if os.geteuid() == 0:
        device = tmp_path / "null"  # a copy: what breaks is not the machine
        try:
            os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            device.read_bytes()
        except PermissionError:
            pytest.skip("no devices can be made here")
    write_atomically(device, "gone")
    assert device.is_char_device()
    assert [*tmp_path.glob(".benchinfer*")] == []


def test_a_full_device_is_told():
    with pytest.raises(BenchinferError, match=r"^'/dev/full' cannot be written: the disk is full"):
        write_atomically("/dev/full", "x" * 100_000)


def test_a_file_too_large_leaves_the_old_one(tmp_path):
    (tmp_path / "x").write_text("old")
    code = """
import resource; from benchinfer.core.saving import write_atomically
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_atomically("x", "new" * 1000)
except ValueError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.startswith("'x' cannot be written: it is larger than files may be.")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("x", "old")]


def test_names_may_be_long(tmp_path):
    path = tmp_path / ("n" * 250)
    assert write_atomically(path, "a").read_text() == "a"
    assert write_atomically(path, "b").read_text() == "b"
    with pytest.raises(BenchinferError, match="cannot be written: its name is too long"):
        write_atomically(tmp_path / ("n" * 300), "a")


def test_an_empty_path_names_no_file():
    with pytest.raises(BenchinferError, match="'' names no file"):
        write_atomically("", "x")


def test_what_cannot_be_written_is_told_in_words(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "round").symlink_to("round")
    for name, why in (
        ("", "is a folder"),
        ("new/", "is a folder"),
        ("file/x", "a part of its path is a file, not a folder"),
        ("round", "it is a link that leads to itself"),
        ("no/x", "there is no folder"),
    ):
        with pytest.raises(BenchinferError, match=why) as error:
            write_atomically(f"{tmp_path}/{name}", "x")
        assert "Errno" not in str(error.value)
        assert "Hint: " in str(error.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "round"]


def _as_nobody(paths):
    """Write as a user who may do little; exit with the number of clear refusals."""
    os.setuid(65534)
    refused = 0
    for path in paths:
        try:
            write_atomically(path, "new")
        except BenchinferError as error:
            refused += "cannot be written: there is no permission." in str(error)
    os._exit(refused)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be someone else")
def test_files_and_folders_that_are_protected(tmp_path):
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    (tmp_path / "file").write_text("old")
    (tmp_path / "mine").mkdir(mode=0o700)
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "open" / "file").write_text("old")
    paths = [tmp_path / name for name in ("new", "file", "mine/new", "open/file")]
    child = multiprocessing.get_context("fork").Process(target=_as_nobody, args=(paths,))
    child.start()
    child.join()
    assert child.exitcode == 4
    assert (tmp_path / "file").read_text() == (tmp_path / "open" / "file").read_text() == "old"


# --- what killed processes leave


PARTS = f".benchinfer-{'?' * 16}.part"


def _slowly(path):
    """Write, and wait for ever before the new name."""
    with patch("os.fsync", side_effect=lambda _: time.sleep(60)):
        write_atomically(path, "half")


def _begun(path):
    child = multiprocessing.get_context("fork").Process(target=_slowly, args=(path,))
    child.start()
    while not any(part.read_text() for part in path.parent.glob(PARTS)):
        assert child.is_alive(), child.exitcode
        time.sleep(0.01)
    return child


def test_what_a_killed_process_left_is_cleared_by_the_next_and_nothing_else(tmp_path):
    others = [".x.swp", ".x.local", ".benchinfer-notes.part", ".benchinfer", "x.part"]
    for name in others:
        (tmp_path / name).write_text("not ours")
    child = _begun(tmp_path / "x")
    write_atomically(tmp_path / "y", "whole")
    assert len([*tmp_path.glob(PARTS)]) == 1  # its writer lives
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    assert len([*tmp_path.glob(PARTS)]) == 1
    write_atomically(tmp_path / "y", "whole")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*others, "y"])


def _often(path, text):
    for _ in range(60):
        write_atomically(path, text)


@pytest.mark.slow
def test_many_who_write_one_file_do_not_disturb_each_other(tmp_path):
    context, texts = multiprocessing.get_context("fork"), [c * 5000 for c in "abc"]
    children = [context.Process(target=_often, args=(tmp_path / "x", text)) for text in texts]
    for child in children:
        child.start()
    while any(child.is_alive() for child in children):
        assert not (tmp_path / "x").exists() or (tmp_path / "x").read_text() in texts
    assert [child.exitcode for child in children] == [0, 0, 0]
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


# --- inputs


@pytest.mark.parametrize("name", ["scores.csv", "soft", "hard", "./scores.csv", "measures.toml"])
def test_what_was_read_is_not_written_over(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text("dataset,algorithm,value\nd1,a,1\nd1,b,2\nd2,a,1\nd2,b,3\n")
    Path("measures.toml").write_text('[measures.acc]\nbetter = "higher"\n')
    Path("soft").symlink_to("scores.csv")
    Path("hard").hardlink_to("scores.csv")
    scores = bi.read_scores("scores.csv")
    before = Path(name).read_bytes()
    found = bi.compare_points(scores)
    for write in (found.save, found.report, lambda path: bi.report(scores, path, bayes=False)):
        with pytest.raises(BenchinferError, match="was read as input and is not overwritten"):
            write(name)
    assert Path(name).read_bytes() == before
    # Another file that was there is.
    Path("old").write_text("old")
    assert str(bi.load(found.save("old"))) == str(found)
