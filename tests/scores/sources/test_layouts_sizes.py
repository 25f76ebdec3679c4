"""Columns of sizes among columns of scores."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.scores.columns.roles import names_size

NAMES = ["n rows", "n_samples", "size", "#instances", "num_features", "train_size", "length", "n"]


def wide(seed, *, label="dataset"):
    """Draw a wide table of scores of some unit, with a column of sizes somewhere."""
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(3, 25)), int(rng.integers(2, 6))
    unit = float(rng.choice([1.0, 100.0, 0.01]))
    scores = unit * rng.random((d, k)) * float(rng.choice([1.0, -1.0]))
    frame = pd.DataFrame(scores, columns=[f"m{i}" for i in range(k)])
    size = np.round(unit * np.exp(rng.uniform(4, 9, d))) + 31 * unit
    name = NAMES[seed % len(NAMES)]
    frame.insert(int(rng.integers(k + 1)), name, np.ceil(size).astype(int))
    frame.insert(0, label, [f"x{i}" for i in range(d)])
    return frame, name


def finding(scores, rule="columns of sizes"):
    return [f for f in scores.finding_records if f.rule == rule]


@pytest.mark.parametrize("layout", ["auto", "wide-algorithms"])
@pytest.mark.parametrize("seed", range(40))
def test_sizes_are_no_algorithm(seed, layout):
    frame, name = wide(seed)
    scores = bi.read_scores(frame, measures="acc:higher", layout=layout)
    without = bi.read_scores(frame.drop(columns=name), measures="acc:higher", layout=layout)
    assert scores.algorithms == without.algorithms
    pd.testing.assert_frame_equal(scores.to_frame(), without.to_frame())
    (one,) = finding(scores)
    assert one.what.endswith(f"beyond all scores: {name}.")
    kept = bi.read_scores(frame, measures="acc:higher", layout=layout, covariates=name)
    assert kept.algorithms == without.algorithms
    assert not finding(kept)
    assert kept.covariates == (name,)


@pytest.mark.parametrize("seed", range(20))
def test_sizes_are_no_data_set(seed):
    frame, name = wide(seed, label="model")
    scores = bi.read_scores(frame, measures="acc:higher", layout="rows-are-algorithms")
    assert name not in scores.datasets
    assert finding(scores)


@pytest.mark.parametrize("seed", range(20))
def test_algorithms_stay_whatever_their_scores_are(seed):
    """Names of no size, fractions, and numbers in the range of the others are scores."""
    frame, name = wide(seed)
    values = frame[name].to_numpy()
    for column, scores in (
        ("svm", values),
        (name, values + 0.5),
        (name, np.resize(frame.drop(columns=["dataset", name]).to_numpy(), len(frame))),
    ):
        other = frame.drop(columns=name).assign(**{column: scores})
        read = bi.read_scores(other, measures="acc:higher", layout="wide-algorithms")
        assert column in read.algorithms
        assert not finding(read)


def test_whole_numbers_far_beyond_the_bounds_are_no_scores():
    rows = {"m1": [0.1, 0.2, 0.3], "m2": [0.2, 0.4, 0.1], "Seqs": [401, 999, 340]}
    frame = pd.DataFrame({"assay": list("abc"), **rows})
    options = {"columns": {"assay": "dataset"}, "layout": "wide-algorithms"}
    rho = bi.Measure("rho", "higher", bounds=(-1, 1))
    scores = bi.read_scores(frame, measures=rho, **options)
    assert scores.algorithms == ("m1", "m2")
    assert "Seqs" in finding(scores)[0].what
    assert "Seqs" in bi.read_scores(frame, measures="rho:higher", **options).algorithms
    # Per cent in place of fractions are scores in another unit, which are refused by name.
    with pytest.raises(bi.ScoreTableError, match="outside the bounds"):
        bi.read_scores(frame.assign(Seqs=[40, 99, 34]), measures=rho, **options)


def test_a_table_of_sizes_alone_is_read_as_it_is():
    frame = pd.DataFrame({"dataset": list("ab"), "n rows": [1, 2], "size": [3, 4]})
    scores = bi.read_scores(frame, measures="acc:higher", layout="wide-algorithms")
    assert scores.algorithms == ("n rows", "size")


@pytest.mark.parametrize("name", ["N", "n_rows", "Number of samples", "dataset size", "num params"])
def test_names_of_sizes(name):
    assert names_size(name)


@pytest.mark.parametrize("name", ["svm", "knn", "training", "n2v", "sizer", "XGBoost", "dims"])
def test_names_of_no_sizes(name):
    assert not names_size(name)


@pytest.mark.parametrize("missing", ["NA", "", "nan"])
def test_sizes_stand_beside_missing_scores(tmp_path, missing):
    path = tmp_path / "scores.csv"
    rows = ["task,n rows,a,b", f"t,100,0.5,{missing}", "u,240,0.6,0.2", f"v,300,{missing},0.3"]
    path.write_text("\n".join(rows), encoding="utf-8")
    scores = bi.read_scores(path, measures="acc:higher", layout="wide-algorithms")
    assert scores.algorithms == ("a", "b")
    assert finding(scores)


def test_a_column_of_true_and_false_is_no_column_of_sizes():
    frame, name = wide(3)
    frame["solved"] = [True, False] * (len(frame) // 2) + [True] * (len(frame) % 2)
    scores = bi.read_scores(frame, measures="acc:higher", layout="wide-algorithms")
    assert finding(scores)[0].what.endswith(f"beyond all scores: {name}.")
