"""Multi-comparison matrix: cells are contrasts and counts of data sets; sizes and refusals."""

import itertools

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.figures.multi_comparison import layout
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import p_value, significant
from tests.plots.test_draw_boxes import faults


def table(k=5, better="lower", name="a{}".format, tolerance=0.02, seed=1):
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{i}", r, name(j), 0.3 + 0.02 * j + rng.normal(0, 0.03))
        for i, j, r in itertools.product(range(12), range(k), range(3))
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "replication", "algorithm", "x"])
    return frame, bi.read_scores(frame, measures=bi.Measure("x", better, tolerance))


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_cells_are_contrasts_and_counts_of_data_sets(better):
    frame, scores = table(better=better)
    result = bi.compare_mixed(scores)
    laid = layout(result)
    middle = frame.pivot_table("x", "dataset", "algorithm", "median")
    contrasts = result.contrasts(order="result", all=True).set_index(["first", "second"])
    assert len(laid.cells) == 10
    assert laid.rows == result.ranking()[:-1]
    assert laid.columns == result.ranking()[1:]
    for cell in laid.cells:
        first, second = laid.rows[cell.row], laid.columns[cell.column]
        row = contrasts.loc[(first, second)]
        ahead = (middle[first] - middle[second]) * (1 if better == "higher" else -1)
        won = (ahead > 0.02).sum(), (ahead.abs() <= 0.02).sum(), (ahead < -0.02).sum()
        estimate = significant(row["estimate"], 2).replace("-", "\N{MINUS SIGN}")
        assert cell.texts == (estimate, "{}/{}/{}".format(*won), f"p {p_value(row['p_value'])}")
        assert cell.verdict.label == row["verdict"]


def test_without_tests_there_are_no_p_values():
    _, scores = table()
    laid = layout(bi.compare_points(scores))
    assert {len(cell.texts) for cell in laid.cells} == {2}
    assert not any("p-value" in note for note in laid.notes)


def test_one_against_all_has_cells_of_the_control_alone():
    _, scores = table()
    laid = layout(bi.compare_mixed(scores, contrasts="dunnett", control="a2"))
    pairs = {(laid.rows[cell.row], laid.columns[cell.column]) for cell in laid.cells}
    assert len(pairs) == 4
    assert all("a2" in pair for pair in pairs)


def test_of_many_the_best_are_shown_and_those_that_are_to_stand_out():
    _, scores = table(30)
    result = bi.compare_points(scores)
    laid = layout(result)
    shown = len(laid.columns) + 1
    assert laid.rows == result.ranking()[: shown - 1]
    assert f'the {shown} best of 30; kind="matrix" has all' in laid.notes
    last = result.ranking()[-1]
    assert layout(result, highlight=[last]).columns[-1] == last
    with pytest.raises(DesignError, match="has room for") as caught:
        layout(result, top=shown + 1)
    assert f"top={shown}" in str(caught.value)
    assert len(layout(result, top=shown).columns) == shown - 1
    with pytest.raises(ArgumentError, match="unknown algorithm"):
        layout(result, algorithms=["b"])


LONG = "gradient_boosting_classifier_with_depth_{}_and_learning_rate_0.05".format


@pytest.mark.parametrize("width", ["page", "column"])
@pytest.mark.parametrize("k", [2, 6, 30])
@pytest.mark.parametrize("name", ["a{}".format, LONG])
def test_texts_keep_to_the_canvas_and_apart(k, name, width):
    _, scores = table(k, name=name)
    assert faults(bi.plot(bi.compare_points(scores), "multi-comparison", width=width)) == ([], [])
