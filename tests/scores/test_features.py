"""Features that are joined to data sets."""

import pandas as pd
import pytest

import benchinfer as bi

SCORES = pd.DataFrame(
    {"dataset": ["a", "a", "b", "b"], "algorithm": ["x", "y"] * 2, "accuracy": [0.1, 0.2, 0.3, 0.4],
     "size": [10, 10, 20, 20], "kind": ["text", "text", "image", "image"], "seed": [1, 2, 1, 2]}
)  # fmt: skip


def read(features, scores=SCORES[["dataset", "algorithm", "accuracy"]], **options):
    return bi.read_scores(scores, measures={"accuracy": "higher"}, features=features, **options)


def test_features_are_joined_by_name_in_any_order():
    table = pd.DataFrame({"task": ["c", "b", "a"], "n": [3, 2, 1], "kind": ["u", "v", "w"]})
    found = read(table)
    assert found.features["n"].values.tolist() == [1, 2]
    assert found.features["kind"].levels == ("v", "w")
    assert found.features["kind"].values.tolist() == [1, 0]
    assert found.subset(datasets="b").features["n"].values.tolist() == [2]
    assert found.by_dataset()["a"].features["kind"].values.tolist() == [1]


def test_columns_of_the_scores_may_be_features():
    found = read(["size", "kind"], SCORES.drop(columns="seed"))
    assert found.features["size"].values.tolist() == [10, 20]
    assert found.characteristics()["kind"].levels == ("image", "text")


def test_files_say_the_same_as_frames(tmp_path):
    table = pd.DataFrame({"dataset": ["a", "b"], "n": [1.5, 2], "kind": ["v", "w"]})
    table.to_csv(tmp_path / "features.csv", index=False)
    one, two = read(table), read(tmp_path / "features.csv")
    assert one.features["kind"].levels == two.features["kind"].levels
    assert (one.features["n"].values == two.features["n"].values).all()


def test_constant_covariates_and_the_domain_are_characteristics():
    scores = SCORES.assign(domain=SCORES["kind"])
    found = bi.read_scores(scores, measures={"accuracy": "higher"}, covariates=["size", "seed"])
    assert set(found.characteristics()) == {"size", "domain"}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"dataset": ["a"], "n": [1]}, ["1 data sets have no features", "b"]),
        ({"dataset": ["a", "a", "b"], "n": [1, 2, 3]}, ["several rows of features that differ"]),
        ({"dataset": ["a", "b"], "n": [None, None]}, ["1 feature has no values", "n"]),
        ({"dataset": ["a", "b"], "n": [1, float("inf")]}, ["infinite"]),
        ({"dataset": ["a", "c"], "n": [1, 2]}, ["no features", "features without scores: c"]),
        ({"name": ["a", "b"], "n": [1, 2]}, ["no column that names data sets"]),
        ({"dataset": ["a", "a"], "n": [1, None]}, ["2 faults", "several rows", "no features"]),
    ],
)
def test_all_faults_at_once(table, said):
    with pytest.raises(bi.ScoreTableError) as caught:
        read(pd.DataFrame(table))
    assert all(text in str(caught.value) for text in said)


def test_columns_that_vary_within_data_sets_are_refused():
    with pytest.raises(bi.ScoreTableError, match="2 data sets have several values"):
        read(["seed"], SCORES)
    with pytest.raises(bi.ScoreTableError, match="no column 'sise'"):
        read(["sise"], SCORES)
