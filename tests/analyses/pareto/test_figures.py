"""The figure of a Pareto front: where marks stand, what they say, and refusals."""

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.pareto.figures import layout
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict
from tests.plots.test_draw_boxes import faults

LONG = "gradient_boosting_classifier_with_depth_{}_and_learning_rate_0.05".format


def front(k, name="a{}".format, better="higher", measures=2, seed=1):
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 0.05, (k, 3))
    noise = rng.normal(0, 0.01, (15, k, 3))
    rows = [
        (f"d{i:02d}", name(j), *(0.5 + level[j] + noise[i, j])) for i in range(15) for j in range(k)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "acc", "seconds", "memory"])
    kinds = [
        bi.Measure("acc", better),
        bi.Measure("seconds", "lower", scale="log", unit="s"),
        bi.Measure("memory", "lower"),
    ][:measures]
    scores = bi.read_scores(frame[["dataset", "algorithm", *(m.name for m in kinds)]],
                            measures=kinds)  # fmt: skip
    return frame, bi.pareto(scores)


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_points_are_means_and_marks_are_verdicts(better):
    frame, found = front(12, better=better)
    laid = layout(found)
    means = frame.groupby("algorithm")[["acc", "seconds"]].agg(
        {"acc": "mean", "seconds": lambda x: np.exp(np.log(x).mean())}
    )
    np.testing.assert_allclose(laid.points, means.loc[list(found.algorithms)])
    table = found.summary().set_index("algorithm").loc[list(found.algorithms)]
    wanted = np.where(
        ~table["may_be_on_front"],
        Verdict.SECOND,
        np.where(table["on_front"], Verdict.FIRST, Verdict.UNDECIDED),
    )
    assert list(laid.verdicts) == wanted.tolist()
    assert {Verdict.FIRST, Verdict.SECOND} <= {*laid.verdicts}
    assert laid.best == (int(better == "higher"), 0)
    for name, verdict in zip(found.algorithms, laid.verdicts, strict=True):
        assert name in laid.alt or verdict is None


def test_the_line_has_the_front_of_the_means_as_corners():
    _, found = front(12)
    laid = layout(found)
    on = laid.points[found.summary().set_index("algorithm").loc[list(found.algorithms), "on_front"]]
    for point in on:
        assert np.any(np.all(np.isclose(laid.step, point), axis=1))
    # Higher is better across, lower up: no algorithm is beyond the line.
    steps = np.abs(np.diff(laid.step, axis=0))
    assert np.all(steps.min(axis=1) == 0)
    assert np.all(np.diff(laid.step[:, 0]) <= 0)
    assert np.all(np.diff(laid.step[:, 1]) <= 0)


def test_of_three_measures_two_are_chosen():
    _, found = front(6, measures=3)
    with pytest.raises(DesignError, match="3 measures") as caught:
        found.plot()
    assert 'pair=("acc", "seconds")' in str(caught.value)
    laid = layout(found, pair=("memory", "acc"))
    assert laid.names == ("memory, lower is better", "acc, higher is better")
    assert len(laid.step) == 0
    assert "on all 3 measures" in laid.notes[0]
    with pytest.raises(ArgumentError, match="unknown measure"):
        layout(found, pair=("acc", "gb"))
    with pytest.raises(ArgumentError, match="one measure twice"):
        layout(found, pair=("acc", "acc"))


@pytest.mark.slow
@pytest.mark.parametrize("width", ["page", "column"])
@pytest.mark.parametrize("k", [2, 6, 30, 90])
@pytest.mark.parametrize("name", [LONG, "a{}".format])
def test_texts_keep_to_the_canvas_and_apart(k, name, width):
    _, found = front(k, name)
    assert faults(bi.plot(found, width=width)) == ([], [])


@pytest.mark.parametrize("log", [False, True])
def test_the_word_in_the_best_corner_touches_no_mark(log):
    scores = [(0.90, 1.0), (0.5, 4.0), (0.88, 1.1), (0.4, 8.0)]
    rows = [(d, f"a{n}", *pair) for d in range(6) for n, pair in enumerate(scores)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "acc", "seconds"])
    scale = "log" if log else "identity"
    measures = [bi.Measure("acc", "higher"), bi.Measure("seconds", "lower", scale=scale)]
    figure = bi.plot(bi.pareto(bi.read_scores(frame, measures=measures)), width=3.3)
    figure.draw_without_rendering()
    (ax,) = figure.axes
    (box,) = [text.get_window_extent() for text in ax.texts if text.get_text() == "better"]
    marked = [line for line in ax.lines if line.get_marker() != "None"]
    points = np.vstack([ax.transData.transform(line.get_xydata()) for line in marked])
    assert len(points) == 4
    for x, y in points:
        apart = np.hypot(x - np.clip(x, box.x0, box.x1), y - np.clip(y, box.y0, box.y1))
        assert apart > 3.5 / 72 * figure.dpi


@pytest.mark.slow
def test_a_name_stands_out_among_many():
    _, found = front(40)
    off = next(name for name in found.algorithms if name not in found.front())
    assert off not in {text.text for text in layout(found).texts}
    assert off in {text.text for text in layout(found, highlight=[off]).texts}
    assert bi.plot(found, highlight=off).get_label()
