"""Means of the samples of tools, by hand, and files of these names and keys of no tool."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from benchinfer import ScoreTableError, read_scores
from benchinfer.scores.sources.files import open_source
from tests.scores.formats.test_tables import SAMPLES

EVALUATIONS = SAMPLES / "evaluations"
# Sample, measure and mean of each algorithm; the files hold so few numbers that one can add them.
MEANS = [
    (EVALUATIONS / "promptfoo.json", "pass", {"m:one": 4 / 5, "m:two": 2 / 4}),
    (SAMPLES / "timing/data.js", "time", {"c0ffee11": 1655.0, "c0ffee22": 1570.0}),
    (SAMPLES / "timing/data.js", "throughput", {"c0ffee11": 40.5, "c0ffee22": 44.25}),
    (EVALUATIONS / "evalplus", "base", {"tiny_temp_0.2": 3 / 4, "wide_temp_0.2": 3 / 4}),
    (EVALUATIONS / "evalplus", "plus", {"tiny_temp_0.2": 2 / 4, "wide_temp_0.2": 1.0}),
    (EVALUATIONS / "evalplus", "base+plus", {"tiny_temp_0.2": 2 / 4, "wide_temp_0.2": 3 / 4}),
    (EVALUATIONS / "alpaca_eval", "preference", {"duo": 1.65 / 3, "uno": 1.85 / 4}),
    (
        EVALUATIONS / "tau_bench",
        "reward",
        {"tool-calling-large-0.0": 3 / 4, "tool-calling-small-0.0": 1 / 4},
    ),
    (EVALUATIONS / "deepeval", "Answer Relevancy", {"alpha": 1.6 / 2, "beta": 1.0 / 2}),
    (EVALUATIONS / "deepeval", "Faithfulness", {"alpha": 0.5, "beta": 1.0 / 2}),
    (EVALUATIONS / "ragas", "context_recall", {"dense": 2.1 / 3, "sparse": 0.9 / 3}),
    (SAMPLES / "curves/monitor", "return", {"a2c": 95.5 / 3 + 0.5, "ppo": 166.75 / 3 + 0.5}),
    (SAMPLES / "curves/marl_eval.json", "return", {"mappo": 9.5, "qmix": 7.0}),
    (SAMPLES / "boards/gift_eval", "MSE[mean]", {"drift": 18 / 3, "flow": 18.75 / 3}),
    (SAMPLES / "boards/fev", "test_error", {"ets": 4.25 / 3, "tft": 5.75 / 3}),
    (
        SAMPLES / "boards/tiny_mergedTable_VUS-PR.csv",
        "VUS-PR",
        {"Forest": 1.5 / 3, "LOF": 0.625 / 2},
    ),
    (SAMPLES / "boards/scib_metrics.csv", "kBET", {"mnn_full": 0.375, "scvi_embed": 0.125}),
    (SAMPLES / "boards/algoperf", "time to target", {"adam": 700 / 3, "shampoo": 880.5 / 4}),
]


@pytest.mark.parametrize(("place", "measure", "means"), MEANS)
def test_means_are_those_of_the_files(place, measure, means):
    frame = read_scores(place).to_frame(measure)
    found = frame.groupby("algorithm")["value"].mean().to_dict()
    assert found == pytest.approx(means, rel=1e-9)


def test_what_is_no_score_is_a_failure():
    lost = {
        EVALUATIONS / "promptfoo.json": "API error: 529",
        EVALUATIONS / "deepeval": "judge timed out",
        SAMPLES / "boards/algoperf": "target not reached",
    }
    for place, reason in lost.items():
        failures = read_scores(place).failures()
        assert failures["reason"].tolist() == [reason]


def test_what_a_tool_says_beside_its_scores_is_told():
    notes = {f.rule: f.what for f in read_scores(EVALUATIONS / "tau_bench").finding_records}
    assert "1 of 4 trials of tool-calling-small-0.0_range" in notes["tool recognised"]
    assert "inference counts" in notes["units"]


def test_times_of_several_units_are_in_seconds(tmp_path):
    benches = [{"name": "a", "value": 2, "unit": "ms/iter"}, {"name": "b", "value": 3, "unit": "s"}]
    runs = [{"commit": {"id": i * 40}, "date": 1, "tool": "go", "benches": benches} for i in "12"]
    document = {"lastUpdate": 1, "repoUrl": "u", "entries": {"Benchmark": runs}}
    (tmp_path / "data.json").write_text(json.dumps(document))
    scores = read_scores(tmp_path / "data.json")
    assert [(m.name, m.better, m.unit) for m in scores.measures] == [("time", "lower", "s")]
    assert sorted(scores.to_frame()["value"]) == [0.002, 0.002, 3, 3]


def test_prompts_are_algorithms_where_one_provider_has_several(tmp_path):
    results = [
        {
            "provider": {"id": "p"},
            "prompt": {"label": label},
            "promptIdx": k,
            "testIdx": t,
            "success": (t + k) % 2 == 0,
            "score": (t + k) % 2 == 0,
        }
        for k, label in enumerate(("short", "long"))
        for t in (0, 1, 2)
        for _ in range(2)
    ]
    (tmp_path / "a.json").write_text(json.dumps({"evalId": "e", "results": {"results": results}}))
    scores = read_scores(tmp_path / "a.json")
    assert scores.algorithms == ("long", "short")
    assert "3 items, 6 repeats" in "".join(
        f.what for f in scores.finding_records if f.rule == "units"
    )


def test_the_test_split_of_mteb_is_taken(tmp_path):
    entry = {"main_score": 0.5, "hf_subset": "default"}
    splits = {"validation": [entry | {"main_score": 0.25}], "test": [entry], "train": [entry]}
    for model in "ab":
        (tmp_path / model / "1").mkdir(parents=True)
        document = {"task_name": "T", "dataset_revision": "1", "scores": splits}
        (tmp_path / model / "1" / "T.json").write_text(json.dumps(document))
    scores = read_scores(tmp_path)
    assert scores.datasets == ("T",)
    assert scores.to_frame()["value"].tolist() == [0.5, 0.5]
    said = "".join(f.what for f in scores.finding_records)
    assert "the split 'test' is taken, left out: validation, train" in said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("monitor.csv", '#{"host": "h"}\nr,l,t\n1,2,3\n'),
        ("monitor.csv", "#{\nr,l,t\n1,2,3\n"),
        ("metrics.csv", ",NMI,ARI\na/b,0.5,0.5\n"),
        ("metrics.csv", ",NMI,ARI\n/d/metrics/unscaled/full/m,0.5\n"),
        ("x_summary.csv", ",workload,trial,score\n0,w,1,0.5\n"),
        ("x_mergedTable_y.csv", "file,a,b\ns,0.5,0.25\n"),
        ("a.json", '{"evalId": "e", "results": {"results": [{"score": 1}]}}'),
        ("a.json", '{"lastUpdate": 1, "entries": {"x": [{"commit": "c"}]}}'),
        ("a.json", '{"eval": {"t": [{"status": "pass"}]}, "hash": "h", "date": "d"}'),
        ("a.json", '{"testCases": [{"name": "t", "score": 1}], "metricsScores": []}'),
        ("a.json", '{"env": {"task": {"alg": {"seed_1": {"return": [1.0, 2.0]}}}}}'),
    ],
)
def test_other_files_are_of_no_tool(name, text, tmp_path):
    path: Path = tmp_path / name
    path.write_text(text)
    with suppress(ScoreTableError):
        assert open_source(path, None).known is None
