import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.pair.figures import layout, size
from benchinfer.core.errors import DesignError


def table(values, resampling="bootstrap"):
    frame = pd.DataFrame(values).rename_axis("replication").reset_index()
    return bi.read_scores(
        frame, measures="accuracy:higher", layout="wide-algorithms", resampling=resampling
    )


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(4)


def test_points_are_ordered_differences_against_normal_quantiles(rng):
    a, b = rng.normal(size=(2, 12))
    laid = layout(bi.compare_pair(table({"a": a, "b": b})))
    (panel,) = laid.panels
    d = a - b
    np.testing.assert_allclose(panel.observed, np.sort((d - d.mean()) / d.std(ddof=1)))
    at = (np.arange(1, 13) - 0.375) / 12.25
    np.testing.assert_allclose(panel.normal, stats.norm.ppf(at))
    assert panel.note == f"n = 12, Shapiro-Wilk p = {stats.shapiro(d).pvalue:.3f}"
    assert laid.reach > np.abs(panel.observed).max()


def test_many_differences_are_99_quantiles_and_many_pairs_six_panels(rng):
    values = {name: rng.normal(size=300) for name in "abcde"}
    laid = layout(bi.compare_pair(table(values)))
    assert len(laid.panels) == 6
    assert len(laid.panels[0].observed) == 99
    assert laid.notes == ("6 of 10 pairs; other algorithms can be chosen",)
    assert size(laid)[0] > size(layout(bi.compare_pair(table(values)), 3.3))[0]
    (ax,) = bi.compare_pair(table(values)).plot("quantiles").axes
    assert len(ax.child_axes) == 6


def test_nothing_to_draw(rng):
    found = bi.compare_pair(table({"a": rng.normal(size=5), "b": rng.normal(size=5)}, "seeds"))
    with pytest.raises(DesignError, match="there are no quantiles of differences"):
        layout(found)
