import dataclasses

import numpy as np
import pandas as pd
import pytest

from benchinfer.core.errors import DesignError
from benchinfer.scores.read import read_scores
from benchinfer.scores.table import ScoreTable


@pytest.fixture
def scores(balanced):
    return read_scores(balanced, measures="acc:higher")


@pytest.fixture
def two(balanced):
    frame = pd.concat(
        [
            balanced.assign(measure="acc"),
            balanced.assign(measure="loss", score=1 - balanced["score"]).query("algorithm != 'a2'"),
        ]
    )
    return read_scores(frame, measures={"acc": "higher", "loss": "lower"})


def test_repr_says_what_is_there(scores, balanced):
    assert str(scores) == (
        "ScoreTable(DataFrame: 3 data sets x 3 algorithms, 4 paired replications, 36 scores,"
        " none missing; acc (higher is better))"
    )
    thin = read_scores(balanced.drop([0, 4, 5]), measures="acc:higher")
    assert "33 scores, 3 missing" in repr(thin)


def test_tables_are_frozen(scores):
    with pytest.raises(dataclasses.FrozenInstanceError):
        scores.paired = False
    assert not hasattr(scores, "__dict__")


def test_measure_may_be_omitted_where_there_is_one(scores, two):
    assert scores.measure().name == "acc"
    for call in (two.measure, two.cells, two.blocks, two.describe, two.coverage, two.complete):
        with pytest.raises(DesignError) as caught:
            call()
        assert str(caught.value) == "the table has 2 measures.\nHint: say which: 'acc', 'loss'."
    with pytest.raises(DesignError, match=r"unknown measure 'f1'\.\nHint: one of 'acc', 'loss'"):
        two.measure("f1")


def test_describe_against_pandas(balanced, scores):
    found = scores.describe().set_index(["dataset", "algorithm"])
    expected = balanced.groupby(["dataset", "algorithm"])["score"].describe()
    expected = expected.rename(
        columns={"count": "n", "std": "sd", "min": "minimum", "25%": "q25", "50%": "median"}
    ).rename(columns={"75%": "q75", "max": "maximum"})
    pd.testing.assert_frame_equal(found, expected[found.columns], check_dtype=False, rtol=1e-12)


def test_describe_of_uneven_cells(balanced):
    frame = balanced.drop([0, 3, 6, 10]).reset_index(drop=True)
    found = read_scores(frame, measures="acc:higher").describe()
    groups = frame.groupby(["dataset", "algorithm"])["score"]
    for name, q in (("q25", 0.25), ("median", 0.5), ("q75", 0.75)):
        np.testing.assert_allclose(found[name], groups.quantile(q), rtol=1e-12)
    np.testing.assert_array_equal(found["n"], groups.size())
    np.testing.assert_allclose(found["sd"], groups.std(), rtol=1e-12)


def test_algorithms_are_those_of_the_whole_table(two):
    assert two.cells("loss").n[:, 2].tolist() == [0, 0, 0]
    assert two.blocks("loss").mean.shape == (12, 3)
    assert two.coverage("loss").empty == [("d0", "a2"), ("d1", "a2"), ("d2", "a2")]
    assert two.subset(measures="loss").algorithms == ("a0", "a1")


def test_subset(scores, two):
    assert scores.subset(datasets="d1").datasets == ("d1",)
    part = scores.subset(datasets=["d2", "d0"], algorithms=["a1", "a2"], replications=[0, 3])
    assert part.datasets == ("d0", "d2")
    assert part.algorithms == ("a1", "a2")
    assert part.n_rows == 8
    np.testing.assert_array_equal(part.blocks().mean, scores.blocks().mean[[0, 3, 8, 11], 1:])
    assert [m.name for m in two.subset(measures=["loss"]).measures] == ["loss"]
    assert scores.subset().digest == scores.digest


@pytest.mark.parametrize("role", ["datasets", "algorithms", "measures", "domains", "replications"])
def test_subset_of_unknown_names(scores, role):
    with pytest.raises(DesignError, match=f"unknown {role[:-1]} 'x'"):
        scores.subset(**{role: ["x"]})


def test_subset_of_nothing(scores):
    with pytest.raises(DesignError, match="nothing is left of the table"):
        scores.subset(datasets=[])


def test_by_dataset(scores, two):
    parts = scores.by_dataset()
    assert list(parts) == ["d0", "d1", "d2"]
    for d, (name, part) in enumerate(parts.items()):
        assert isinstance(part, ScoreTable)
        assert part.datasets == (name,)
        assert part.digest == scores.subset(datasets=name).digest
        np.testing.assert_array_equal(part.cells().mean[0], scores.cells().mean[d])
        np.testing.assert_array_equal(part.blocks().mean, scores.blocks().mean[4 * d : 4 * d + 4])
        assert "one data set" in set(part.findings()["rule"])
    assert [t.n_rows for t in two.by_dataset().values()] == [20, 20, 20]


def test_by_dataset_keeps_what_is_there(balanced):
    frame = balanced.drop(balanced.query("dataset == 'd0' and algorithm == 'a1'").index)
    parts = read_scores(frame, measures="acc:higher").by_dataset()
    assert parts["d0"].algorithms == ("a0", "a2")
    assert parts["d1"].algorithms == ("a0", "a1", "a2")


def test_complete(balanced):
    scores = read_scores(balanced.drop([0, 35]), measures="acc:higher")
    assert scores.complete().datasets == ("d1",)
    rows = scores.complete(by="replication")
    assert rows.n_rows == 30
    assert rows.datasets == ("d0", "d1", "d2")
    assert (rows.blocks().count == 1).all()
    with pytest.raises(DesignError, match="unknown by 'row'"):
        scores.complete(by="row")


def test_complete_of_nothing(balanced):
    scores = read_scores(balanced.drop([0, 12, 35]), measures="acc:higher")
    with pytest.raises(DesignError, match="no data set is whole for measure 'acc'"):
        scores.complete()


def test_complete_keeps_other_measures(two):
    assert two.complete("acc").n_rows == two.n_rows
    with pytest.raises(DesignError, match="no data set is whole for measure 'loss'"):
        two.complete("loss")


def test_digest_changes_with_scores_and_labels_only(balanced):
    digest = read_scores(balanced, measures="acc:higher").digest
    assert len(digest) == 16
    assert read_scores(balanced, measures="acc:lower:0.1", resampling="cv").digest == digest
    assert read_scores(balanced, measures="f1:higher").digest != digest
    assert read_scores(balanced.replace("a1", "b1"), measures="acc:higher").digest != digest
    assert (
        read_scores(balanced.replace({"replication": {3: 4}}), measures="acc:higher").digest
        != digest
    )
    changed = balanced.copy()
    changed.loc[5, "score"] = np.nextafter(changed.loc[5, "score"], 1)
    assert read_scores(changed, measures="acc:higher").digest != digest


def test_digest_does_not_tell_zeros_apart(balanced):
    zero = balanced.assign(score=0.0)
    minus = balanced.assign(score=-0.0)
    assert (
        read_scores(zero, measures="x:higher").digest
        == read_scores(minus, measures="x:higher").digest
    )


def test_to_frame(balanced, two):
    found = two.to_frame("acc")
    assert list(found) == ["dataset", "replication", "algorithm", "measure", "value"]
    np.testing.assert_array_equal(found["value"], balanced["score"])
    assert len(two.to_frame()) == 60


def test_a_table_is_not_saved(scores, tmp_path):
    with pytest.raises(DesignError, match=r"scores\.to_frame\(\)"):
        scores.save(tmp_path / "x.json")
