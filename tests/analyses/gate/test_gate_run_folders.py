"""Gate on times of programs, as each tool leaves its runs: files in a folder, or folders."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_ind

import benchinfer as bi

SAMPLES = Path(__file__).parents[2] / "scores" / "formats" / "samples" / "timing"
OLD, NEW = [1.0, 1.02, 0.99], [1.25, 1.22, 1.28, 1.26]


def times(value, factor):
    """Return numbers, however they are nested, times a factor."""
    if isinstance(value, list):
        return [times(inner, factor) for inner in value]
    return value * factor if isinstance(value, int | float) else value


def slower(document, keys, factor):
    """Return a document whose numbers under some keys are times a factor."""
    if isinstance(document, list):
        return [slower(inner, keys, factor) for inner in document]
    if not isinstance(document, dict):
        return document
    return {
        key: times(inner, factor) if key in keys else slower(inner, keys, factor)
        for key, inner in document.items()
    }


def file_of(tool, keys, path, factor):
    path = path.with_suffix(".json")
    document = json.loads((SAMPLES / f"{tool}.json").read_text(encoding="utf-8"))
    path.write_text(json.dumps(slower(document, keys, factor)), encoding="utf-8")


def criterion(path, factor):
    shutil.copytree(SAMPLES / "criterion", path / "target" / "criterion")
    for file in path.rglob("sample.json"):
        document = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps(slower(document, ["times"], factor)), encoding="utf-8")


def asv(path, factor):
    shutil.copytree(SAMPLES / "asv", path / "results")
    for file in path.rglob("*-virtualenv-*.json"):
        document = json.loads(file.read_text(encoding="utf-8"))
        for result in document["results"].values():
            result[:] = [times(of, factor) if i in (0, 11) else of for i, of in enumerate(result)]
        file.write_text(json.dumps(document), encoding="utf-8")


TOOLS = {
    "jmh": lambda *of: file_of("jmh", ["score", "rawData"], *of),
    "hyperfine": lambda *of: file_of("hyperfine", ["mean", "times"], *of),
    "pytest-benchmark": lambda *of: file_of("pytest_benchmark", ["mean", "data"], *of),
    "criterion": criterion,
    "asv": asv,
}


def sides(folder, tool, old=OLD, new=NEW):
    """Write the runs of both sides with these speeds; return their folders."""
    for name, speeds in (("old", old), ("new", new)):
        (folder / name).mkdir()
        for i, speed in enumerate(speeds):
            TOOLS[tool](folder / name / f"run{i}", speed)
    return [folder / "old", folder / "new"]


@pytest.mark.parametrize("kind", ["folders", "folder", "patterns"])
@pytest.mark.parametrize("tool", TOOLS)
def test_runs_of_a_side_are_the_units(tmp_path, tool, kind):
    paths = sides(tmp_path, tool)
    source = {"folders": paths, "folder": tmp_path, "patterns": [f"{p}/run*" for p in paths]}[kind]
    scores = bi.read_scores(source, measures="time:lower:0.05:log")
    row = bi.gate(scores, "time", baseline="old", candidate="new")["time"]
    assert row.runs == (3, 4)
    logs = [np.log(NEW), np.log(OLD) + np.log(1.05)]
    found = ttest_ind(*logs, equal_var=False, alternative="greater")
    assert row.p_fail == pytest.approx(found.pvalue, rel=1e-6)
    assert row.verdict == "fail"


@pytest.mark.parametrize("tool", ["criterion", "asv"])
def test_runs_of_one_side_are_replications_of_what_they_hold(tmp_path, tool):
    old, _ = sides(tmp_path, tool)
    scores = bi.read_scores(old)
    assert scores.resampling.kind == "runs"
    assert scores.coverage("time").counts.max() == 3


@pytest.mark.parametrize("tool", ["criterion", "asv"])
def test_one_run_of_each_side_decides_nothing(tmp_path, tool):
    paths = sides(tmp_path, tool, OLD[:1], NEW[:1])
    scores = bi.read_scores(paths, measures="time:lower:0.05:log")
    found = bi.gate(scores, "time", baseline="old", candidate="new")
    assert "one run each: the ratio 1.25" in str(found)


def test_commits_of_several_runs_of_asv_are_the_sides(tmp_path):
    for side, commit in zip(sides(tmp_path, "asv"), ("1f0c3aa2", "2f0c3aa2"), strict=True):
        for file in side.rglob("*-virtualenv-*.json"):
            if not file.name.startswith(commit):
                file.unlink()
    scores = bi.read_scores(tmp_path, measures="time:lower:0.05:log")
    row = bi.gate(scores, "time", baseline="1f0c3aa2", candidate="2f0c3aa2")["time"]
    assert row.runs == (3, 4)


def test_baselines_of_one_tree_of_criterion_are_no_runs(tmp_path):
    """Samples in folders other than ``new`` are saved baselines of one run or another."""
    criterion(tmp_path / "tree", 1.0)
    scores = bi.read_scores(tmp_path / "tree")
    assert scores.resampling.kind == "independent"
    assert set(scores.algorithms) == {"merge", "quick"}
