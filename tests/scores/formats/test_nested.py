"""Nested documents of no tool: lists of numbers, records of records, messages beside scores."""

import json

import pytest

from benchinfer import ScoreTableError, read_scores
from benchinfer.scores.formats.nested import levels, replicated

ACC = {"acc": "higher"}


@pytest.fixture
def read(tmp_path):
    def call(document, **options):
        (tmp_path / "file.json").write_text(json.dumps(document))
        return read_scores(tmp_path / "file.json", **options)

    return call


def means(scores):
    return scores.to_frame().groupby("algorithm")["value"].mean().to_dict()


def test_lists_of_numbers_are_replications(read):
    document = [
        {"model": m, "dataset": d, "times": {"total": [k + i, k + i + 1, k + i + 2]}}
        for k, m in enumerate(("a", "b"))
        for i, d in enumerate(("x", "y"))
    ]
    scores = read(document, measures={"total": "lower"})
    assert scores.n_rows == 12
    assert means(scores) == {"a": 1.5, "b": 2.5}


def test_lists_beside_a_score_are_no_replications(read):
    document = [{"model": m, "dataset": d, "acc": 0.5, "shape": [3, 4]} for m in "ab" for d in "xy"]
    assert read(document, measures=ACC).n_rows == 4


def test_lists_beside_a_replication_stay_text():
    rows = replicated([{"model": "a", "seed": 1, "losses": [3.0, 2.0]}])
    assert rows == [{"model": "a", "seed": 1, "losses": "[3.0, 2.0]"}]


def test_lists_of_other_lengths_stay_text():
    rows = replicated([{"model": "a", "x": [1, 2], "y": [1, 2, 3]}])
    assert rows == [{"model": "a", "x": "[1, 2]", "y": "[1, 2, 3]"}]


def test_levels_of_records_are_columns(read):
    document = {
        m: {d: {s: k + i / 2 + j / 4 for j, s in enumerate("01")} for i, d in enumerate("xy")}
        for k, m in enumerate(("a", "b"))
    }
    roles = {"key 1": "algorithm", "key 2": "dataset", "key 3": "replication"}
    scores = read(document, columns=roles, measures={"value": "higher"})
    assert scores.n_rows == 8
    assert means(scores) == {"a": 0.375, "b": 1.375}


def test_six_levels_are_read_and_a_seventh_is_not():
    def nested(depth):
        return {"a": nested(depth - 1), "b": nested(depth - 1)} if depth else 0.5

    assert len(levels(nested(6))) == 64
    assert list(levels(nested(6))[0]) == [*(f"key {i}" for i in range(1, 7)), "value"]
    assert levels(nested(9)) is None


@pytest.mark.parametrize(
    "document",
    [
        {"settings": {"depth": 3}, "metrics": {"acc": 0.5}},
        {"a": {"x": 0.5}, "b": {"x": "text"}},
        {"a": {"x": 0.5}, "b": 0.5},
        {"a": {"x": 0.5}},
    ],
)
def test_other_records_are_no_levels(document):
    assert levels(document) is None


def test_records_without_scores_are_left_aside(read):
    talk = [{"role": "user", "content": "x"}, {"role": "agent", "content": "y"}]
    document = [
        {"model": m, "dataset": d, "acc": k, "traj": talk, "messages": talk}
        for k, m in enumerate(("a", "b"))
        for d in "xy"
    ]
    scores = read(document, measures=ACC)
    assert scores.n_rows == 4
    assert means(scores) == {"a": 0, "b": 1}


def test_scalars_above_a_list_belong_to_each_record(tmp_path):
    for k, m in enumerate(("a", "b")):
        rows = [{"dataset": d, "acc": k + i} for i, d in enumerate(("x", "y"))]
        document = {"model": m, "version": 1, "results": rows}
        (tmp_path / f"{m}.json").write_text(json.dumps(document))
    scores = read_scores([tmp_path / "a.json", tmp_path / "b.json"], measures=ACC)
    assert means(scores) == {"a": 0.5, "b": 1.5}


def test_a_script_that_gives_a_document_to_a_page(tmp_path):
    rows = [{"model": m, "dataset": d, "acc": 0.5} for m in "ab" for d in "xy"]
    (tmp_path / "data.js").write_text(f"window.RESULTS = {json.dumps(rows)};\n")
    assert read_scores(tmp_path / "data.js", measures=ACC).n_rows == 4


def tasks_of_a_model(model, *, criteria=True):
    """Return a document whose tasks have steps with times, files and, some of them, criteria."""
    tasks = []
    for i in range(6):
        steps = [{"step": j, "latencyMs": 9 + j, "calls": [{"n": 1}, {"n": 2}]} for j in (1, 2)]
        of_task = {"taskId": f"t{i}", "score": (i + len(model)) % 4 / 4, "iterations": steps}
        of_task["files"] = {f"{model}.py": "x = 1\n", "README.md": ""}
        if criteria and i % 2:
            of_task["criteria"] = [{"name": n, "score": 1} for n in "abc"]
        tasks.append(of_task)
    overall = sum(task["score"] for task in tasks) / len(tasks)
    return {"modelId": model, "tasks": tasks, "score": overall}


def test_details_of_scored_tasks_are_no_rows(tmp_path):
    """Neither steps, nor criteria that some tasks have, repeat the score of a task."""
    documents = [tasks_of_a_model(m, criteria=m != "bb") for m in ("a", "bb", "ccc")]
    for document in documents:
        path = tmp_path / f"{document['modelId']}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
    columns = {"modelId": "algorithm", "taskId": "dataset"}
    scores = read_scores(tmp_path, columns=columns, measures={"tasks.score": "higher"})
    frame = scores.to_frame().set_index(["algorithm", "dataset"])["value"]
    right = {(d["modelId"], t["taskId"]): t["score"] for d in documents for t in d["tasks"]}
    assert frame.to_dict() == right


def test_a_list_that_sums_up_another_is_left_aside(tmp_path):
    runs = [{"solver": s, "task": t, "seconds": i + 1.0} for i, s in enumerate("xyz") for t in "ab"]
    overview = [{"solver": s, "solved": 2, "seconds": 9.0} for s in "xyz"]
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"overview": overview, "runs": runs}), encoding="utf-8")
    scores = read_scores(path, columns={"solver": "algorithm"}, measures={"seconds": "lower"})
    values = scores.to_frame().groupby("algorithm")["value"].agg(["size", "min", "max"])
    assert values.to_numpy().tolist() == [[2, 1, 1], [2, 2, 2], [2, 3, 3]]
    parts = {"train": runs, "test": runs[:3]}  # parts of one table, of which none sums up another
    path.write_text(json.dumps(parts), encoding="utf-8")
    with pytest.raises(ScoreTableError, match="several lists of records: train and test"):
        read_scores(path, columns={"solver": "algorithm"}, measures={"seconds": "lower"})
