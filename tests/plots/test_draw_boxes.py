"""No text of a figure leaves the canvas or meets another one."""

import warnings
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import benchinfer as bi
from benchinfer.comparison.figures import COMPARISON

KINDS = [name for name in COMPARISON if not name.startswith("hasse")]
LONG = "gradient_boosting_classifier_with_depth_{}_and_learning_rate_0.05".format


def table(k, name):
    """Ten data sets, two replications, lower is better."""
    rng = np.random.default_rng(k)
    level = 0.01 * rng.gamma(2, 1, k).cumsum()
    value = rng.uniform(0.1, 0.4, (10, 1, 1)) + level[:, None] + rng.normal(0, 0.02, (10, k, 2))
    at = np.indices(value.shape).reshape(3, -1)
    frame = pd.DataFrame(at.T, columns=["dataset", "algorithm", "replication"])
    frame["dataset"] = "dataset_" + frame["dataset"].astype(str)
    frame["algorithm"] = [name(a) for a in frame["algorithm"]]
    measure = bi.Measure("error", "lower", 0.001, label="misclassification error in per cent")
    return bi.read_scores(frame.assign(error=value.ravel()), measures=[measure])


@pytest.fixture(scope="module")
def results():
    return {
        2: bi.compare_mixed(table(2, LONG)),
        6: bi.compare_mixed(table(6, LONG)),
        30: bi.compare_mixed(table(30, LONG)),
        90: bi.compare_points(table(90, "a{}".format)),
    }


def faults(figure):
    """Return the texts that leave the canvas, and the pairs that overlap by a point or two."""
    drawn = []
    with patch.object(Text, "draw", lambda text, _: drawn.append(text)):
        figure.draw_without_rendering()  # ticks beyond the limits are not drawn
    texts = [text for text in drawn if text.get_text().strip() and text.get_visible()]
    x0, y0, x1, y1 = np.array([text.get_window_extent().extents for text in texts]).T
    outside = (x0 < -0.5) | (y0 < -0.5) | (x1 > figure.bbox.x1 + 0.5) | (y1 > figure.bbox.y1 + 0.5)
    across = np.minimum.outer(x1, x1) - np.maximum.outer(x0, x0)
    down = np.minimum.outer(y1, y1) - np.maximum.outer(y0, y0)
    over = np.argwhere(np.triu((across > 1) & (down > 2), 1))
    said = [text.get_text() for text in texts]
    return [said[i] for i in np.flatnonzero(outside)], [(said[i], said[j]) for i, j in over]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "width"),
    [
        *((2, "column"), (6, "page"), (6, "column"), (30, "page"), (90, "column")),
        *(
            pytest.param(*case, marks=pytest.mark.calibration)
            for case in ((2, "page"), (30, "column"))
        ),
    ],
)
def test_texts_keep_to_the_canvas_and_apart(k, width, results):
    for kind in KINDS:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figure = bi.plot(results[k], kind, width=width)
            assert faults(figure) == ([], []), kind
        assert figure.get_size_inches()[0] == pytest.approx({"page": 6.9, "column": 3.3}[width])
        assert figure.get_size_inches()[1] <= 20


@pytest.mark.slow
def test_other_fonts_keep_to_the_canvas_and_apart(results):
    import matplotlib as mpl

    for size in (7, 12):
        with mpl.rc_context({"font.size": size}):
            for kind in ("ranking", "forest", "critical-difference"):
                figure = bi.plot(results[6], kind, width="column")
                assert faults(figure) == ([], []), (kind, size)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (
            lambda scores: bi.compare_bootstrap(
                scores, resample="datasets", adjust="none", resamples=2000, seed=1
            ),
            "improvement",
        ),
        (bi.compare_wins, "worths"),
        (bi.compare_points, "rank-intervals"),
        (lambda scores: bi.plan(scores, 0.001), "power"),
    ],
)
def test_short_names_leave_room_for_what_the_axis_means(make, kind):
    for k in (2, 6):
        figure = bi.plot(make(table(k, "a{}".format)), kind, width="column")
        assert faults(figure) == ([], [])
        ticks = figure.axes[0].get_xticks()
        assert kind not in ("rank-intervals", "power") or not (ticks % 1).any()
