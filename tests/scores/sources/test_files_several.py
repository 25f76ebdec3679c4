"""Two files as one table, where each is one model."""

import json
import shutil

import pytest

from benchinfer import ScoreTableError, read_scores
from tests.scores.formats.test_tables import SAMPLES

ACC = {"acc": "higher"}


def write(path, rows, head="task,fold,acc"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + "\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def cells(scores):
    table = scores.to_frame()
    return {(r.dataset, r.algorithm, r.replication): r.value for r in table.itertuples()}


@pytest.mark.parametrize("names", [("old.csv", "new.csv"), ("old/s.csv", "new/s.csv")])
def test_files_without_an_algorithm_are_one_each(tmp_path, names):
    paths = [
        write(tmp_path / name, [f"{d},{k},0.{i}{k}" for d in "ab" for k in (1, 2)])
        for i, name in enumerate(names)
    ]
    scores = read_scores(paths, measures=ACC)
    assert set(scores.algorithms) == {"old", "new"}
    assert cells(scores)["b", "new", "2"] == 0.12
    assert cells(scores)["b", "old", "2"] == 0.02
    (note,) = [f for f in scores.finding_records if f.rule == "files as algorithms"]
    assert note.what == "each file is an algorithm: old and new."


def test_files_of_the_same_model_are_one_each(tmp_path):
    head = "model,task,acc"
    paths = [write(tmp_path / f"{n}.csv", [f"m,{d},0.{n}" for d in "abc"], head) for n in (1, 2)]
    scores = read_scores(paths, measures=ACC)
    assert scores.algorithms == ("1", "2")
    assert scores.datasets == ("a", "b", "c")


def test_what_both_files_compare_becomes_data_sets(tmp_path):
    source = SAMPLES / "timing" / "pytest_benchmark.json"
    paths = [tmp_path / "main.json", tmp_path / "branch.json"]
    for path in paths:
        shutil.copy(source, path)
    one, both = read_scores(source), read_scores(paths)
    assert both.algorithms == ("branch", "main")
    assert both.datasets == tuple(f"{d}/{a}" for d in one.datasets for a in one.algorithms)
    # A file of times is a run, which what it repeats is averaged in.
    assert both.resampling.kind == "runs"
    means = one.to_frame().groupby(["dataset", "algorithm"], observed=True)["value"].mean()
    for (d, a), value in means.items():
        assert cells(both)[f"{d}/{a}", "main", "main"] == pytest.approx(value, rel=1e-12)


def test_files_of_different_models_are_put_together():
    paths = sorted((SAMPLES / "evaluations" / "inspect_json").glob("*.json"))
    assert read_scores(paths).digest == read_scores(SAMPLES / "evaluations" / "inspect_json").digest
    runs = sorted((SAMPLES / "evaluations" / "trec").glob("*.txt"))
    assert read_scores(runs).algorithms == ("bm25", "dense")


def test_models_that_are_shared_in_part_are_refused(tmp_path):
    head = "model,task,acc"
    first = write(tmp_path / "x.csv", ["a,t,0.1", "b,t,0.2"], head)
    second = write(tmp_path / "y.csv", ["b,t,0.3", "c,t,0.4"], head)
    with pytest.raises(ScoreTableError, match="2 files share 1 algorithm: b"):
        read_scores([first, second], measures=ACC)


def test_files_of_different_tools_and_columns_are_refused(tmp_path):
    timing = [SAMPLES / "timing" / name for name in ("hyperfine.json", "pytest_benchmark.json")]
    with pytest.raises(ScoreTableError, match="different tools: hyperfine; pytest-benchmark"):
        read_scores(timing)
    first = write(tmp_path / "x.csv", ["a,1,0.1"])
    second = write(tmp_path / "y.csv", ["a,0.1"], "task,acc")
    with pytest.raises(ScoreTableError, match=r"1 of 2 files have other columns than 'x'"):
        read_scores([first, second], measures=ACC)
    with pytest.raises(ScoreTableError, match="no names by which to tell them apart"):
        read_scores([first, first], measures=ACC)


def test_lists_of_numbers(tmp_path):
    for name, shift in (("old", 0), ("new", 1)):
        (tmp_path / f"{name}.json").write_text(json.dumps([0.5 + shift / 10, 0.6, 0.7]))
        lists = {"iris": [0.9, 0.8 + shift / 10], "wine": [0.7, 0.6, 0.5]}
        (tmp_path / f"{name}_all.json").write_text(json.dumps(lists))
    scores = read_scores([tmp_path / "old.json", tmp_path / "new.json"], measures=ACC)
    assert cells(scores)[scores.datasets[0], "new", "0"] == 0.6
    one = read_scores(tmp_path / "old_all.json", measures=ACC)
    assert (one.algorithms, one.n_rows) == (("iris", "wine"), 5)
    both = read_scores([tmp_path / "old_all.json", tmp_path / "new_all.json"], measures=ACC)
    assert (both.datasets, both.algorithms) == (("iris", "wine"), ("new_all", "old_all"))
    assert cells(both)["iris", "new_all", "1"] == 0.9
