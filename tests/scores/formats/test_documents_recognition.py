"""Documents that have a key of a tool, and nothing else of it.

A tool is recognised by what it alone writes: several keys and kinds of values together. Whatever
has only some of that is read as any other document, or refused without the name of a tool.
"""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchinfer import ScoreTableError, read_scores
from benchinfer.scores.sources.files import open_source
from tests.scores.formats.test_tables import SAMPLES

ROWS = [
    {"dataset": d, "algorithm": a, "score": i + j / 2}
    for i, d in enumerate(("iris", "wine"))
    for j, a in enumerate(("knn", "svm"))
]
VALUES = {
    "a record": {"a": 1},
    "records by name": {"a": {"b": 1}, "c": {"b": 2}},
    "numbers": [1, 2],
    "an empty list": [],
    "records": [{"a": 1}, {"a": 2}],
    "a text": "x",
    "a number": 3,
}


def known(source: Path) -> str:
    """Return the tool that a sample is taken to be of, empty where it is of none."""
    try:
        form = open_source(source, None).known
    except ScoreTableError:
        return ""  # part of a folder, or a folder of several
    return "" if form is None else form.tool.removesuffix(" -q")


def documents() -> dict[str, tuple[str, Path]]:
    """Return the smallest document of each tool and kind of file, and the name of the tool."""
    smallest: dict[str, tuple[str, Path]] = {}
    for path in sorted(SAMPLES.rglob("*.json"), key=lambda path: path.stat().st_size):
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict):
            smallest.setdefault(known(path) or path.name, (known(path), path))
    return smallest


def names() -> set[str]:
    """Return the names of the tools of all samples."""
    folders = {path.parent for path in SAMPLES.rglob("*") if path.is_file()}
    above = {parent for path in folders for parent in path.parents if SAMPLES in parent.parents}
    found: set[str] = set()
    for path in {*SAMPLES.rglob("*.*"), *folders, *above} - {SAMPLES}:
        tool = known(path).partition(",")[0]
        found |= {name for name in tool.split(" or ") if name}
    return found - {"lists of numbers", "runs by tasks"}


DOCUMENTS = documents()
NAMES = re.compile("|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in sorted(names())))
KEYS = sorted(
    {"runs", "data"}.union(*(json.loads(p.read_text("utf-8")) for _, p in DOCUMENTS.values()))
)


def said_of(document: object) -> str:
    """Return what is said of a document: its tool, and an error or the notes on the table."""
    Path("file.json").write_text(json.dumps(document), encoding="utf-8")
    try:
        scores = read_scores("file.json", measures={"score": "higher"})
    except ScoreTableError as error:
        return f"{error}\n{known(Path('file.json'))}"
    return "\n".join(finding.what for finding in scores.finding_records)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Work in an empty folder: paths have no names of tools."""
    monkeypatch.chdir(tmp_path)


def test_samples_are_of_many_tools():
    assert len(NAMES.pattern.split("|")) >= 35
    assert sum(bool(tool) for tool, _ in DOCUMENTS.values()) >= 9
    assert {"results", "benchmarks", "scores", "eval", "log_history", "scenarios"} <= set(KEYS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", VALUES)
def test_one_key_is_of_no_tool(kind):
    found = {key: said_of({key: VALUES[kind]}) for key in KEYS}
    assert {key: text for key, text in found.items() if NAMES.search(text)} == {}


@pytest.mark.parametrize("key", KEYS)
def test_scores_under_one_key_are_records(key):
    Path("file.json").write_text(json.dumps({key: ROWS}), encoding="utf-8")
    scores = read_scores("file.json", measures={"score": "higher"})
    table = scores.to_frame().set_index(["dataset", "algorithm"])["value"]
    assert table.to_dict() == {(r["dataset"], r["algorithm"]): r["score"] for r in ROWS}
    assert "tool recognised" not in {finding.rule for finding in scores.finding_records}


def alike(value: object) -> object:
    """Return something else of the same kind."""
    if isinstance(value, dict):
        return {"a": 1}
    if isinstance(value, list):
        return [{"a": 1}, {"a": 2}]
    return "x" if isinstance(value, str) else 1


@pytest.mark.parametrize("name", DOCUMENTS)
def test_all_keys_without_what_is_below_are_of_no_tool(name):
    document = json.loads(DOCUMENTS[name][1].read_text("utf-8"))
    others = [{**dict.fromkeys(document, value)} for value in VALUES.values()]
    others.append({key: alike(value) for key, value in document.items()})
    said = [said_of(other) for other in others]
    assert [text for text in said if NAMES.search(text)] == []


@pytest.mark.slow
def test_scores_beside_all_other_keys_are_records():
    """A list of scores, and settings as texts; one key of each document holds the scores."""
    for _, path in DOCUMENTS.values():
        keys = list(json.loads(path.read_text("utf-8")))
        for key in keys:
            document = {**dict.fromkeys(keys, "x"), key: ROWS}
            text = said_of(document)
            assert NAMES.search(text) is None, (key, text)


@pytest.mark.parametrize("sides", [("old",), ("new",), ("old", "new")])
def test_scores_that_are_called_old_and_new_are_of_no_tool(sides):
    document = {name: {"iris": dict.fromkeys(sides, 0.5)} for name in ("knn", "svm")}
    assert NAMES.search(said_of(document)) is None


def broken(document: object, depth: int = 4) -> Iterator[object]:
    """Yield a document with another kind of value in one place, for each place of it."""
    if isinstance(document, dict):
        places = list(document)
    else:
        places = list(range(len(document)))[:2] if isinstance(document, list) else []
    for place in places if depth else ():
        for value in ({"x": "x"}, "x"):
            other = copy.copy(document)
            other[place] = value
            yield other
        for part in broken(document[place], depth - 1):
            other = copy.copy(document)
            other[place] = part
            yield other


# A difference of DVC has numbers alone: one that is none is a failure.
DAMAGED = [tool for tool, _ in DOCUMENTS.values() if tool and "DVC" not in tool]


@pytest.mark.slow
@pytest.mark.parametrize("tool", [tool for tool in DAMAGED if NAMES.search(tool)])
def test_a_broken_value_of_a_tool_is_its_error(tool):
    """Its other keys are there: the tool is named, and what is broken."""
    document = json.loads(DOCUMENTS[tool][1].read_text("utf-8"))
    said = [said_of(other) for other in broken(document)]
    name = tool.partition(",")[0]
    assert [text for text in said if text.startswith(f"results of {name}: ")]
    others = {found for text in said for found in NAMES.findall(text)} - {name}
    assert others == set()
