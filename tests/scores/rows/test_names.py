"""New names of algorithms, data sets and measures on reading."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import ScoreTableError

# The order of the new names is not that of the old ones.
NAMES = {"a0": "z", "d1": "A", "score": "Score (top 1)"}
MEASURES = {"score": "higher"}


def read(source, names=NAMES, **options):
    return bi.read_scores(source, measures=MEASURES, names=names, **options)


@pytest.mark.slow
def test_every_engine_reads_what_a_renamed_table_says(engine, make):
    columns = make()
    renamed = {
        role: [NAMES.get(name, name) for name in columns[role]] for role in ("dataset", "algorithm")
    }
    scores, expected = read(engine(columns)), read(engine(columns | renamed), names=None)
    assert scores.algorithms == ("a1", "a2", "z")
    assert scores.datasets == ("A", "d0", "d2")
    assert scores.measures[0].label == "Score (top 1)"
    assert scores.digest == expected.digest
    pd.testing.assert_frame_equal(scores.to_frame(), expected.to_frame())
    pd.testing.assert_frame_equal(scores.describe(), expected.describe())


@pytest.mark.parametrize("gap", [False, True])
def test_a_streamed_file_reads_the_same(tmp_path, balanced, gap):
    frame = balanced.iloc[1:] if gap else balanced
    frame.to_csv(tmp_path / "scores.csv", index=False)
    scores, expected = read(tmp_path / "scores.csv"), read(frame)
    assert scores.digest == expected.digest
    means = scores.to_frame().groupby("algorithm")["value"].mean()
    old = frame.groupby("algorithm")["score"].mean().rename(NAMES)
    assert np.allclose(means, old.loc[means.index])


def test_names_are_swapped_at_once(balanced):
    scores = read(balanced, {"a0": "a1", "a1": "a0"})
    old = read(balanced, None).describe().set_index(["dataset", "algorithm"])["mean"]
    new = scores.describe().set_index(["dataset", "algorithm"])["mean"]
    assert new["d0", "a0"] == old["d0", "a1"]
    assert new["d0", "a1"] == old["d0", "a0"]


def test_wide_columns_failures_domains_and_features_follow(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("domain,task,fold,a0,b\nm,d1,1,0.5,0.4\nm,d1,2,,0.6\nn,d2,1,0.2,0.1\n")
    features = pd.DataFrame({"dataset": ["d2", "d1"], "size": [2, 1]})
    # An algorithm may get the name of a data set.
    scores = read(path, {"a0": "d2", "d1": "zoo"}, features=features, layout="wide-algorithms")
    assert scores.algorithms == ("b", "d2")
    assert scores.domains == {"d2": "n", "zoo": "m"}
    assert scores.features["size"].values.tolist() == [2, 1]
    assert scores.failures()[["dataset", "algorithm"]].values.tolist() == [["zoo", "d2"]]


def test_what_was_replaced_is_a_finding(balanced):
    (finding,) = [f for f in read(balanced).notes if f.rule == "names replaced"]
    assert finding.severity == "note"
    assert finding.what == "3 names replaced: a0 by z, d1 by A, score by Score (top 1)."
    assert not [f for f in read(balanced, {}).notes if f.rule == "names replaced"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({"a": "x", "nothing": "y"}, ["2 names to replace are none", "a (did you mean a2 or",
                                      "nothing.", "algorithms: a0, a1 and a2"]),
        ({"a0": "a1"}, ["1 new name of several algorithms: a0 and a1 would be a1"]),
        ({"a0": "x", "a2": "x"}, ["a0 and a2 would be x"]),
        ({"d0": "d1"}, ["1 new name of several data sets: d0 and d1 would be d1"]),
        ({"a0": " "}, ["1 new name without text in UTF-8, of: a0"]),
    ],
)  # fmt: skip
def test_names_that_do_not_fit_are_refused(balanced, names, said):
    with pytest.raises(ScoreTableError) as error:
        read(balanced, names)
    assert not [part for part in said if part not in str(error.value)], str(error.value)


@pytest.mark.parametrize("names", [{"a0": "\ud800"}, {"a0": 3}, "a0=x"])
def test_what_is_no_mapping_of_names_is_refused(balanced, names):
    with pytest.raises(bi.BenchinferError, match="names is "):
        read(balanced, names)


def test_faults_of_names_come_with_all_others(balanced):
    with pytest.raises(ScoreTableError, match="2 faults") as error:
        bi.read_scores(balanced, names={"b": "x"})
    assert {f.rule for f in error.value.findings if f.severity == "error"} == {
        "unknown names",
        "direction not given",
    }


def test_names_stand_in_results(balanced):
    result = bi.compare_mixed(read(balanced, {"a0": "Ours (k=3)"}))
    assert "Ours (k=3)" in set(result.contrasts()["first"]) | set(result.contrasts()["second"])
    assert "a0" not in str(result.summary())
