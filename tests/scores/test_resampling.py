import pytest

from benchinfer.errors import BenchinferError
from benchinfer.scores import Resampling


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
