import shutil
from pathlib import Path

import pytest

from benchinfer.core.errors import ScoreTableError
from benchinfer.scores import examples as module
from benchinfer.scores.examples import examples, load_example


@pytest.mark.parametrize("name", list(examples()))
def test_every_example_is_read(name):
    scores = load_example(name)
    assert scores.n_rows > 50
    assert not [f for f in scores.finding_records if f.rule == "swapped roles"]
    assert scores.source == name.split("/")[-1]


def test_there_are_examples():
    assert {"demsar2006", "simulated/balanced", "sklearn_bootstrap"} <= set(examples())


def test_unknown_example():
    with pytest.raises(
        ScoreTableError, match=r"unknown example 'iris'\.\nHint: one of 'demsar2006'"
    ):
        load_example("iris")
    with pytest.raises(ScoreTableError, match="unknown example"):
        load_example("../tests")


def test_the_wheel_has_them_inside_the_package(tmp_path, monkeypatch):
    folder = tmp_path / "benchinfer" / "_datasets" / "mine"
    folder.mkdir(parents=True)
    shutil.copy(examples()["demsar2006"] / "scores.csv", folder)
    shutil.copy(examples()["demsar2006"] / "measures.toml", folder)
    monkeypatch.setattr(module, "__file__", str(tmp_path / "benchinfer" / "scores" / "examples.py"))
    assert list(examples()) == ["mine"]
    assert load_example("mine").n_rows == 56
    shutil.rmtree(Path(tmp_path, "benchinfer", "_datasets"))
    assert examples() == {}
