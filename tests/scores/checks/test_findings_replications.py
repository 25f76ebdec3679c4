"""Replications whose names say how they came about: folds, repeats, splits."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.verdict import Verdict
from benchinfer.scores.checks.findings import by_names
from benchinfer.scores.resampling import Resampling


def table(labels, columns, effect=0.0, seed=1, algorithms="ab"):
    rng = np.random.default_rng(seed)
    rows = [
        (*label, name, 0.8 + effect * i + 0.02 * rng.normal())
        for label in labels
        for i, name in enumerate(algorithms)
    ]
    return pd.DataFrame(rows, columns=[*columns, "algorithm", "accuracy"])


def read(*args, resampling=None, **options):
    return bi.read_scores(
        table(*args, **options), measures="accuracy:higher", resampling=resampling
    )


TEN = [(k,) for k in range(10)]
REPEATED = [(r, k) for r in range(3) for k in range(5)]


@pytest.mark.parametrize("name", ["fold", "Fold", "fold_id", "cv_fold"])
def test_folds_are_cross_validation(name):
    scores = read(TEN, [name])
    assert scores.resampling == Resampling("cv", folds=10)
    found = bi.compare_pair(scores)
    assert found.test == "corrected-t"
    assert "in 10-fold cross-validation" in found.headline()
    assert "corrected" in bi.compare(scores).headline()


@pytest.mark.parametrize("columns", [("repeat", "fold"), ("rep", "cv_fold")])
def test_repeats_and_folds_are_repeated_cross_validation(columns):
    scores = read(REPEATED, columns)
    assert scores.resampling == Resampling("cv", folds=5)
    assert int(scores.blocks("accuracy").count.shape[0]) == 15


def test_declared_cross_validation_takes_its_folds_from_the_labels():
    assert read(TEN, ["run"], resampling="cv").resampling == Resampling("cv", folds=10)
    assert read(REPEATED, ["repeat", "fold"], resampling="cv").resampling.folds == 5
    # What is said stays.
    assert read(TEN, ["fold"], resampling="cv:5").resampling.folds == 5
    assert read(TEN, ["fold"], resampling="independent").resampling.kind == "independent"


@pytest.mark.parametrize("name", ["seed", "run", "item", "replication"])
def test_other_names_say_nothing(name):
    assert read(TEN, [name]).resampling is None


def test_data_sets_with_other_numbers_of_folds_are_left_open():
    assert by_names(["fold"], ["1", "2", "3"], np.array([3, 2])) is None
    assert by_names(["fold"], ["1"], np.array([1])) is None
    assert by_names(["repeat", "fold"], ["1/1", "1/2", "2/1"], np.array([3])) is None


@pytest.mark.parametrize("algorithms", ["ab", "abc"])
def test_random_splits_of_one_data_set_decide_nothing(algorithms):
    scores = read(TEN, ["split"], effect=0.2, algorithms=algorithms)
    assert (scores.resampling.kind, scores.resampling.overlap) == ("holdout", None)
    found = bi.compare(scores)
    assert [one._tested for one in found.values()] == [False]
    assert "nothing was tested" in found.headline()
    declared = read(TEN, ["split"], effect=0.2, algorithms=algorithms, resampling="holdout:0.1")
    assert [one._tested for one in bi.compare(declared).values()] == [True]


def of_several(name, datasets, resampling=None):
    frame = pd.concat([table(TEN, [name], effect=0.2).assign(dataset=d) for d in datasets])
    return bi.read_scores(frame, measures="accuracy:higher", resampling=resampling)


def test_splits_of_two_data_sets_decide_nothing_as_claims_are_about_these():
    scores = of_several("split", "xy")
    assert scores.resampling.overlap is None
    found = bi.compare(scores)
    assert "nothing was tested" in found.headline()
    assert "random splits of two data sets" in scores.findings().to_string()
    declared = bi.compare(of_several("split", "xy", "holdout:0.1"))
    assert [one._tested for one in declared.values()] == [True]


def test_splits_of_several_data_sets_stay_open():
    assert of_several("split", "xyz").resampling is None


@pytest.mark.parametrize(("name", "datasets"), [("repeat", "x"), ("Repetition", "xy")])
def test_repetitions_of_unknown_kind_are_cautioned(name, datasets):
    scores = of_several(name, datasets)
    assert scores.resampling is None
    failing = bi.compare(scores)["accuracy"].diagnostics().query("not ok").set_index("check")
    said = failing.loc["repetitions of unknown kind", "sentence"]
    assert "if they are of cross-validation or of random splits" in said
    for resampling in ("seeds", "holdout:0.1"):
        told = of_several(name, datasets, resampling).findings()
        assert "repetitions of unknown kind" not in set(told["rule"])
    assert "repetitions" not in of_several(name, "xyz").findings().to_string()


@pytest.mark.slow
def test_cross_validation_of_one_data_set_keeps_its_level():
    # Fold means share the training data: correlated by 1/k.
    rng, k, false = np.random.default_rng(5), 10, 0
    for seed in range(240):
        shared, own = rng.normal(size=2), rng.normal(size=(k, 2))
        values = np.sqrt(1 / k) * shared + np.sqrt(1 - 1 / k) * own
        rows = pd.DataFrame(values, columns=["a", "b"]).rename_axis("fold").reset_index()
        scores = bi.read_scores(
            rows, measures="accuracy:higher", layout="wide-algorithms", dataset=f"d{seed}"
        )
        false += bi.compare_pair(scores).pairs.codes[0] != Verdict.UNDECIDED
    assert false <= 12  # of the test that takes folds as independent 25
