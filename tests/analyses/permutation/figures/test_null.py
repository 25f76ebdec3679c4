import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.permutation.figures import draw_null, layout_null


@pytest.fixture(scope="module")
def demsar():
    return bi.load_example("demsar2006")


@pytest.fixture(scope="module")
def two(demsar):
    return demsar.subset(algorithms=list(demsar.algorithms[:2]))


def test_bars_are_a_density(demsar):
    found = bi.compare_permutation(demsar, seed=1, resamples=20_000)
    laid = layout_null(found)
    assert laid.heights.sum() * laid.step == pytest.approx(1, abs=1e-3)
    edges = laid.step * np.arange(61)
    limit = np.diff(stats.chi2.cdf(edges, 3)) / laid.step
    assert np.abs(laid.heights - limit).max() < 0.05
    # The p-value is the area beyond the line, up to the bin that the line is in.
    beyond = laid.heights[edges[:-1] > laid.observed].sum() * laid.step
    inside = laid.heights[edges[1:] > laid.observed].sum() * laid.step
    assert beyond - 1e-3 <= found.tests()["p_value"][0] <= inside + 1e-3
    assert laid.observed == found.tests()["statistic"][0]
    p = found.tests()["p_value"][0]
    assert laid.title.endswith(f": all algorithms alike? p = {p:.3f} (Monte Carlo)")


def test_exact(two):
    laid = layout_null(bi.compare_permutation(two, on="values", seed=1))
    assert laid.title.endswith("p = 0.697 (exact)")
    assert laid.notes[0] == "bars: all 8,192 arrangements within blocks"
    assert laid.heights.sum() * laid.step == pytest.approx(1)


@pytest.mark.parametrize("name", ["demsar", "two"])
def test_asymptotic_is_the_curve_alone(name, request):
    laid = layout_null(
        bi.compare_permutation(request.getfixturevalue(name), null="asymptotic", seed=1)
    )
    assert len(laid.heights) == 0
    assert laid.title.endswith("(asymptotic)")
    df = 3 if name == "demsar" else 1
    np.testing.assert_allclose(laid.curve[1], stats.chi2.pdf(laid.curve[0], df))
    assert 0 < laid.top < 5


def test_far_beyond_is_an_arrow():
    rng = np.random.default_rng(1)
    rows = [(d, a, i + 0.01 * rng.normal()) for d in range(80) for i, a in enumerate("abc")]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "m"])
    scores = bi.read_scores(frame, measures={"m": "lower"})
    laid = layout_null(bi.compare_permutation(scores, null="asymptotic", seed=1))
    assert laid.observed > 2 * laid.right
    ax = Figure().add_subplot()
    draw_null(laid, ax)
    assert any(text.get_text() == f"observed {laid.observed:.4g}" for text in ax.texts)
    assert max(line.get_xdata().max() for line in ax.lines) <= laid.right
