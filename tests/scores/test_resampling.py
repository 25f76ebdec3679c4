import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.errors import BenchinferError
from benchinfer.scores.resampling import Resampling


@pytest.mark.parametrize(
    ("kind", "pairs"),
    [
        ("independent", None),
        ("bootstrap", True),
        ("holdout", True),
        ("cv", True),
        ("seeds", False),
        ("items", True),
    ],
)
def test_who_shares_replications(kind, pairs):
    assert Resampling(kind).pairs is pairs
    assert Resampling(kind, paired=True).pairs is True
    assert Resampling(kind, paired=False).pairs is False


def test_overlap_of_training_sets():
    assert Resampling("cv", folds=5).overlap == 0.2
    assert Resampling("cv").overlap is None
    assert Resampling("holdout", test_fraction=0.3).overlap == 0.3
    assert Resampling("holdout").overlap is None
    assert Resampling("seeds").overlap == 0.0


@pytest.mark.parametrize(
    "arguments",
    [
        {"kind": "jackknife"},
        {"kind": "cv", "folds": 1},
        {"kind": "seeds", "folds": 5},
        {"kind": "holdout", "test_fraction": 1.0},
        {"kind": "cv", "test_fraction": 0.1},
    ],
)
def test_what_is_refused(arguments):
    with pytest.raises(BenchinferError, match="Hint:"):
        Resampling(**arguments)


def test_folds_and_fractions_stand_behind_a_colon():
    assert Resampling.of("cv:4") == Resampling("cv", folds=4)
    assert Resampling.of("holdout:0.25") == Resampling("holdout", test_fraction=0.25)
    assert Resampling.of("seeds") == Resampling("seeds")


def test_a_table_takes_the_same_words_as_the_command_line():
    frame = pd.DataFrame({"fold": [1, 2], "model": ["a", "b"], "score": [0.1, 0.2]})
    read = bi.read_scores(frame, measures="score:higher", resampling="cv:4")
    assert read.resampling == Resampling("cv", folds=4)


@pytest.mark.parametrize("text", ["cv:many", "kfold:3", "holdout:2", "bootstrap:3", "cv:"])
def test_what_is_refused_behind_a_colon(text):
    with pytest.raises(BenchinferError, match="Hint:"):
        Resampling.of(text)
