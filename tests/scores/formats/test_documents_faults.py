"""JSON documents that would lose a score, and metrics that are no numbers."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

import benchinfer as bi

SAMPLES = Path(__file__).parent / "samples"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_a_key_that_occurs_twice_is_refused(tmp_path, name):
    row = '{"dataset": "a", "algorithm": "x", "score": 1, "score": 2}'
    path = write(tmp_path / name, f"[{row}]" if name == "x.json" else row)
    with pytest.raises(bi.ScoreTableError, match="twice"):
        bi.read_scores(path, measures="score:higher")


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
@pytest.mark.parametrize(
    "twice", ['"r.score": 1, "r": {"score": 2}', '"r": {"s": [{"score": 1}], "s.score": 2}']
)
def test_two_spellings_of_one_key_are_refused(tmp_path, name, twice):
    rows = [f'{{"dataset": "a", "algorithm": "{a}", {twice}}}' for a in "xy"]
    text = f"[{', '.join(rows)}]" if name == "x.json" else "\n".join(rows)
    path = write(tmp_path / name, text)
    with pytest.raises(bi.ScoreTableError, match=r"key twice, of which one value .*: r\..*score\."):
        bi.read_scores(path, measures="score:higher")


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
@pytest.mark.parametrize("key", ["dataset", "data\\ud800"])
def test_half_a_character_is_refused(tmp_path, name, key):
    row = f'{{"{key}": "a\\ud800", "algorithm": "x", "score": 1}}'
    path = write(tmp_path / name, f"[{row}]" if name == "x.json" else row)
    with pytest.raises(bi.ScoreTableError, match=r"half a character|surrogate"):
        bi.read_scores(path, measures="score:higher")
    whole = write(tmp_path / "y.json", '[{"dataset": "\\ud83d\\ude00", "algorithm": "x", "s": 1}]')
    assert bi.read_scores(whole, measures="s:higher", columns={"s": "value"}).datasets == ("😀",)


@pytest.mark.parametrize("coding", ["utf-8", "utf-16"])
def test_half_a_character_in_another_encoding_is_refused(tmp_path, coding):
    row = '{"dataset": "a\ud873", "algorithm": "x", "score": 1}'
    (tmp_path / "x.json").write_bytes(f"[{row}]".encode(coding, "surrogatepass"))
    with pytest.raises(bi.ScoreTableError, match="is not text in UTF-8"):
        bi.read_scores(tmp_path / "x.json", measures="score:higher")


@pytest.mark.parametrize("value", [None, "N/A", True, "nan"])
def test_metrics_without_a_number_are_failures(tmp_path, value):
    harness = {
        "results": {
            "arc": {"alias": "arc", "acc,none": 0.5, "acc_stderr,none": "N/A"},
            "boolq": {"alias": "boolq", "acc,none": value, "acc_stderr,none": "N/A"},
        },
        "higher_is_better": {"arc": {"acc": True}, "boolq": {"acc": True}},
        "versions": {}, "n-shot": {}, "config": {"model_args": "pretrained=m"}, "model_name": "m",
    }  # fmt: skip
    path = write(tmp_path / "results.json", json.dumps(harness))
    scores = bi.read_scores(path)
    assert scores.failures()[["dataset", "algorithm"]].to_numpy().tolist() == [["boolq", "m"]]
    entries = [{"main_score": 0.5, "ap": 0.5, "hf_subset": "en"},
               {"main_score": value, "ap": 0.4, "hf_subset": "de"}]  # fmt: skip
    mteb = {"task_name": "T", "dataset_revision": "1", "scores": {"test": entries}}
    folder = tmp_path / "results" / "m" / "r"
    folder.mkdir(parents=True)
    scores = bi.read_scores(write(folder / "T.json", json.dumps(mteb)))
    assert scores.failures()["dataset"].tolist() == ["T/de"]


def test_cross_validation_without_a_score_is_a_failure():
    result = {"fit_time": [1, 2, 3], "score_time": [1, 2, 3], "test_score": [0.1, None, 0.3]}
    scores = bi.read_scores({"svm": result, "knn": result}, dataset="iris")
    assert len(scores.failures()) == 2
    lost = bi.read_scores({"svm": result, "knn": {**result, "test_score": None}}, dataset="iris")
    assert set(lost.failures()["algorithm"]) == {"svm", "knn"}


@pytest.mark.parametrize("scale", ["log", "logit"])
@pytest.mark.parametrize("statistic", ["mean", "median", "worst"])
def test_scores_without_a_place_on_the_scale_are_refused(scale, statistic):
    rows = [("d", a, r, v) for a in "xy" for r, v in enumerate([0.0, 0.0, 0.5])]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "p"])
    scores = bi.read_scores(frame, measures=[bi.Measure("p", "higher", scale=scale)])
    with pytest.raises(bi.errors.DesignError, match="cannot be put on"):
        bi.compare_points(scores, statistic=statistic)


def test_effects_take_two_algorithms_on_a_data_set():
    rows = [("d0", "x", 0, 0.1), ("d0", "x", 1, 0.2), ("d1", "y", 0, 0.3), ("d1", "y", 1, 0.4)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "p"])
    scores = bi.read_scores(frame, measures="p:higher")
    with pytest.raises(bi.errors.DesignError, match="no two of the 2 algorithms share a data set"):
        bi.compare_meta(scores)


@pytest.mark.parametrize("other", [1, pd.DataFrame({"a": [1]})])
def test_statistics_are_added_to_statistics_alone(other):
    with pytest.raises(bi.errors.DesignError, match="cannot be added to statistics"):
        _ = bi.load_example("demsar2006").statistics() + other


@pytest.mark.parametrize(
    "where",
    ["true) LIMIT (1", "true) OFFSET (1", "true) ORDER BY (1", "value > 0) or (1 = 1", "true AS x",
     "true) UNION (SELECT true", "true -- all", "1, 2", "true FROM range(3)"],
)  # fmt: skip
def test_filters_are_one_expression(tmp_path, where):
    bi.load_example("demsar2006").to_frame().to_csv(tmp_path / "x.csv", index=False)
    n = bi.read_scores(
        tmp_path / "x.csv", measures="AUC:higher", where="(value > 0) or true"
    ).n_rows
    assert n == 56
    with pytest.raises(bi.ScoreTableError, match=r"where="):
        bi.read_scores(tmp_path / "x.csv", measures="AUC:higher", where=where)


def test_a_class_called_nan_is_a_class(tmp_path):
    head = "d,svm,TEST,0,,\nparameters\n" + ",".join(["1"] * 9) + "\n"
    path = write(tmp_path / "testResample0.csv", head + "nan,nan,,1\na,a,,1\na,nan,,1\n")
    assert bi.read_scores(path).to_frame()["value"].item() == pytest.approx(2 / 3)


def test_classes_called_10_and_1_0_are_two(tmp_path):
    head = "d,svm,TEST,0,,\nparameters\n" + ",".join(["1"] * 9) + "\n"
    path = write(tmp_path / "testResample0.csv", head + "1_0,10,,1\n10,10.0,,1\n")
    assert bi.read_scores(path).to_frame()["value"].item() == 0.5


def test_a_log_without_scores_is_named(tmp_path):
    for name, value in (("ada", 1), ("bert", 0), ("cleo", None)):
        log = {"version": 2, "status": "error", "eval": {"task": "quiz", "model": name}}
        scores = {} if value is None else {"match": {"value": value}}
        log |= {"samples": [{"id": i, "epoch": 1, "scores": scores} for i in range(3)]}
        write(tmp_path / f"{name}.json", json.dumps(log))
    scores = bi.read_scores(tmp_path, measures="match:higher")
    assert (scores.algorithms, scores.n_rows) == (("ada", "bert"), 6)
    finding = {f.rule: f for f in scores.finding_records}["files without scores"]
    assert finding.where[1:] == (("cleo.json",),)
    with pytest.raises(bi.ScoreTableError, match="holds no scores of Inspect"):
        bi.read_scores(tmp_path / "cleo.json", measures="match:higher")


def changed(tmp_path, sample, file, change):
    """Copy a sample, one file of which is changed, and return its place."""
    place = tmp_path / Path(sample).name
    (shutil.copytree if (SAMPLES / sample).is_dir() else shutil.copy)(SAMPLES / sample, place)
    at = min(place.glob(file)) if file else place
    document = json.loads(at.read_text(encoding="utf-8"))
    change(document)
    at.write_text(json.dumps(document), encoding="utf-8")
    return place


def test_a_unit_of_time_that_is_not_known_is_refused(tmp_path):
    def change(document):
        document["benchmarks"][0]["time_unit"] = "fortnights"

    place = changed(tmp_path, "timing/google_benchmark.json", "", change)
    with pytest.raises(bi.errors.ScoreTableError, match="'fortnights' is no unit of time"):
        bi.read_scores(place)


def test_a_unit_of_jmh_that_is_not_known_is_refused_beside_others(tmp_path):
    def change(document):
        document[0]["primaryMetric"]["scoreUnit"] = "fortnights/op"

    place = changed(tmp_path, "timing/jmh.json", "", change)
    with pytest.raises(bi.errors.ScoreTableError, match="'fortnights' is no unit of time"):
        bi.read_scores(place)


def test_times_and_counts_of_criterion_are_as_many(tmp_path):
    place = changed(tmp_path, "timing/criterion", "**/new/sample.json", lambda d: d["times"].pop())
    with pytest.raises(bi.errors.ScoreTableError, match=r"times of \d+ counts of iterations"):
        bi.read_scores(place)


def test_samples_of_asv_are_lists(tmp_path):
    def change(document):
        at = document["result_columns"].index("samples")
        name = next(n for n, values in document["results"].items() if len(values) > at)
        document["results"][name][at] = [3] * 4

    place = changed(tmp_path, "timing/asv", "host/*-*.json", change)
    with pytest.raises(bi.errors.ScoreTableError, match="'samples' is 3, not a list"):
        bi.read_scores(place)


def test_a_solution_without_a_status_is_no_wrong_one(tmp_path):
    def change(document):
        *_, last = document["eval"].values()
        del last[0]["base_status"]

    before = bi.read_scores(SAMPLES / "evaluations" / "evalplus").to_frame()
    place = changed(tmp_path, "evaluations/evalplus", "*.json", change)
    scores = bi.read_scores(place)
    assert len(scores.failures()) >= 1
    after = scores.to_frame()
    assert (after["value"] == 0).sum() <= (before["value"] == 0).sum()


def test_a_metric_of_dvc_without_values_is_missing(tmp_path):
    def change(document):
        document["eval/iris/metrics.json"]["acc"] = "none"

    sample = "tuning/dvc_metrics_diff.json"
    n = bi.read_scores(SAMPLES / sample).n_rows
    scores = bi.read_scores(changed(tmp_path, sample, "", change))
    assert (scores.n_rows, len(scores.failures())) == (n - 2, 2)
    assert scores.algorithms == ("new", "old")


def test_predictions_of_unequal_lengths_are_refused(tmp_path):
    path = tmp_path / "testResample0.csv"
    text = (SAMPLES / "tsml_regression" / path.name).read_text(encoding="utf-8")
    path.write_text(text + "something, else\n", encoding="utf-8")
    with pytest.raises(bi.errors.ScoreTableError, match="predictions of aeon or tsml"):
        bi.read_scores(path)


@pytest.mark.parametrize(
    ("sample", "bounds"),
    [
        ("boards/tiny_mergedTable_VUS-PR.csv", r"VUS-PR \[0, 1\]"),
        (
            "evaluations/opencompass/summary_20260102_030405.csv",
            r"accuracy \[0, 100\]",
        ),
    ],
)
def test_a_further_column_beyond_the_bounds_is_no_algorithm(tmp_path, sample, bounds):
    table = pd.read_csv(SAMPLES / sample, dtype=str)
    table["extra"] = "1000"
    place = tmp_path / Path(sample).name
    table.to_csv(place, index=False)
    with pytest.raises(bi.errors.ScoreTableError, match=bounds):
        bi.read_scores(place)


def test_columns_of_a_merged_table_are_in_any_order(tmp_path):
    place = tmp_path / "tiny_mergedTable_VUS-PR.csv"
    table = pd.read_csv(SAMPLES / "boards" / place.name)
    table[table.columns[::-1]].to_csv(place, index=False)
    expected = bi.read_scores(SAMPLES / "boards" / place.name)
    assert bi.read_scores(place).digest == expected.digest
