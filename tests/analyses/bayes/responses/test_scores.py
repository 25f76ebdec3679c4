"""What row-level models read of a table, and what they refuse."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes.responses.scores import read_responses
from benchinfer.comparison.evidence import Setting

M, K, N = 3, 2, 6


def table(values, better="higher", **options):
    """Read (M, K, N) scores."""
    m, k, n = (x.ravel() for x in np.indices(np.shape(values)))
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i}" for i in m],
            "algorithm": [f"a{i}" for i in k],
            "replication": n,
            "measure": "score",
            "value": np.ravel(values),
        }
    )
    columns = options.pop("more", {})
    frame = frame.assign(**columns).dropna(subset="value")
    options.setdefault("resampling", "items")
    measures = [bi.Measure("score", better, scale=options.pop("scale", "identity"))]
    return bi.read_scores(frame, measures=measures, **options)


def read(scores, trials=None, kept=None):
    setting, scores = Setting.of(scores)
    places = np.arange(M) if kept is None else kept
    return read_responses(scores, setting, places, trials)


def binary(seed=1):
    return np.random.default_rng(seed).integers(0, 2, (M, K, N)).astype(float)


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_items(better):
    values = binary()
    values[0, 1, 2] = np.nan
    found = read(table(values, better))
    np.testing.assert_array_equal(found.successes, np.nansum(values, axis=2))
    np.testing.assert_array_equal(found.trials, np.isfinite(values).sum(axis=2))
    assert found.items.count.sum() == M * N
    np.testing.assert_array_equal(found.items.right.sum(axis=0), found.successes.sum(axis=0))
    some = read(table(values, better), kept=np.array([0, 2]))
    assert set(some.items.dataset) == {0, 1}
    np.testing.assert_array_equal(some.successes, found.successes[[0, 2]])


def test_answers_that_are_not_shared():
    values = read(table(binary(), resampling=bi.Resampling("items", paired=False)))
    assert values.items is None
    assert values.trials.tolist() == [[N] * K] * M


def test_shares_of_trials():
    rng = np.random.default_rng(2)
    n = rng.integers(5, 50, (M, K, N))
    right = rng.binomial(n, 0.6)
    scores = table(right / n, more={"n": n.ravel()}, covariates=["n"])
    values = read(scores, trials="n")
    np.testing.assert_array_equal(values.trials, n.sum(axis=2))
    np.testing.assert_array_equal(values.successes, right.sum(axis=2))
    assert values.items is None
    wrong = table(right, more={"n": n.ravel()}, covariates=["n"])
    with pytest.raises(bi.DesignError, match="is no number of successes"):
        read(wrong, trials="n")
    half = table(right / n, more={"n": n.ravel() + 0.5}, covariates=["n"])
    with pytest.raises(bi.DesignError, match="'n' is no number of trials in 36 rows"):
        read(half, trials="n")
    with pytest.raises(bi.DesignError, match="m"):
        read(scores, trials="m")


def test_refusals():
    with pytest.raises(bi.DesignError, match="cells with scores other than 0 and 1"):
        read(table(np.random.default_rng(4).random((M, K, N))))
    with pytest.raises(bi.DesignError, match="on the log scale"):
        read(table(binary() + 1, scale="log"))
