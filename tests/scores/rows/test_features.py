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


def test_columns_that_are_features_are_used():
    found = read(["size", "kind"], SCORES.assign(left=1.0, size=[10, 10, 20, 20]))
    (said,) = [finding.what for finding in found.notes if finding.rule == "unused columns"]
    assert "left" in said
    assert not {"size", "kind"} & set(said.replace(",", " ").replace(".", " ").split())


def test_the_digest_changes_with_any_feature():
    table = pd.DataFrame({"dataset": ["a", "b"], "n": [1.5, 2], "kind": ["v", "w"]})
    one = read(table)
    assert read(table[["kind", "n", "dataset"]].iloc[::-1]).digest == one.digest
    changed = [table.assign(n=[1.5, 2.5]), table.assign(kind=["v", "u"]), table.drop(columns="n")]
    assert len({one.digest, *(read(other).digest for other in changed)}) == 4


def test_statistics_carry_features_and_pool_them(tmp_path):
    table = pd.DataFrame({"dataset": ["a", "b"], "n": [1.5, None], "kind": ["v", "w"]})
    whole = read(table)
    parts = [whole.subset(datasets=name) for name in whole.datasets]
    saved = bi.load(parts[0].statistics().save(tmp_path / "part.json"))
    pooled = saved + parts[1]
    for one in (whole.statistics(), pooled):
        assert one.features["kind"].labels() == ["v", "w"]
        assert one.features["n"].labels() == [1.5, ""]
    with pytest.raises(bi.DesignError, match="declare differently: n"):
        _ = saved + read(table.drop(columns="n")).subset(datasets="b")
    other = read(table.assign(kind=["u", "w"])).subset(datasets="a")
    with pytest.raises(bi.DesignError, match="kind"):
        _ = parts[0].statistics() + bi.read_scores(
            other.to_frame().assign(value=lambda t: t["value"] + 1, replication="x"),
            measures={"accuracy": "higher"},
            features=pd.DataFrame({"dataset": ["a"], "n": [1.5], "kind": ["u"]}),
        )
