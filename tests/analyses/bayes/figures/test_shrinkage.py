import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.bayes import figures


def noisy(better="higher"):
    """Three algorithms, few noisy replications; c is missing on d2."""
    rng = np.random.default_rng(1)
    d, r, a = (x.ravel() for x in np.indices((8, 3, 3)))
    mean = (np.arange(3) * 0.4 + 0.3 * rng.standard_normal((8, 3)))[d, a]
    value = mean + 0.6 * rng.standard_normal(d.size)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i}" for i in d],
            "replication": r,
            "algorithm": np.array(list("abc"))[a],
            "value": value if better == "higher" else -value,
        }
    )
    return frame[~((frame["dataset"] == "d2") & (frame["algorithm"] == "c"))]


@pytest.fixture(scope="module", params=["higher", "lower"])
def laid(request):
    scores = bi.read_scores(
        noisy(request.param), measures=[bi.Measure("value", request.param)], paired=True
    )
    return figures.layout_shrinkage(bi.compare_bayes(scores, draws=200, seed=1)), request.param


def test_observed_are_the_differences_of_means(laid):
    figure, better = laid
    assert figure.title.startswith("c vs b by data set")
    means = noisy(better).pivot_table("value", "dataset", "algorithm")
    wanted = (means["c"] - means["b"]).to_dict()
    for row in figure.rows:
        if row.label == "d2":
            assert row.observed is None
        else:
            assert row.observed == pytest.approx(wanted[row.label], abs=1e-9)


def test_differences_are_drawn_to_the_average(laid):
    figure, _ = laid
    shrunken = np.array([row.shrunken for row in figure.rows])
    assert (np.diff(shrunken) >= 0).all()
    pulled = [(row.observed, row.shrunken) for row in figure.rows if row.observed is not None]
    raw, own = np.array(pulled).T
    assert (np.abs(own - figure.average) < np.abs(raw - figure.average) + 0.1).all()
    assert own.std() < 0.8 * raw.std()
    assert figure.low < figure.average < figure.high
