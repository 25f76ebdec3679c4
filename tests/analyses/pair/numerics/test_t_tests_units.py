"""Errors of units of unequal size: clubSandwich, inspect_ai and lm-evaluation-harness."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.pair.numerics import t_tests

GOLDEN = Path(__file__).parents[3] / "golden" / "units"
R = json.loads((GOLDEN / "units.json").read_text())
ITEMS = pd.read_csv(GOLDEN / "items.csv")


def read(items, units=("passage", "item")):
    long = items.assign(item=np.arange(len(items))).melt(
        ["passage", "item"], ["a", "b"], var_name="algorithm"
    )
    return bi.read_scores(long, measures={"score": "higher"}, units=units)


@pytest.mark.parametrize("table", sorted(R))
def test_cr2_and_satterthwaite_are_clubsandwich_s(table):
    items, expected = ITEMS[ITEMS["table"] == table], R[table]
    grouped = items.groupby("passage")[["a", "b"]]
    size = grouped.size().to_numpy(np.float64)[:, None] * np.ones(2)
    found = t_tests.t_test(t_tests.units_t(grouped.sum().to_numpy(), size), 0, 0.0, 0.025)
    columns = ("estimate", "std_error", "df", "statistic", "p_value", "low", "high")
    np.testing.assert_allclose(
        [
            found.estimate,
            found.std_error,
            found.df,
            found.statistic,
            found.p,
            found.low,
            found.high,
        ],
        [expected[column] for column in columns],
        rtol=1e-10,
    )
    evidence = bi.compare_pair(read(items.drop(columns="table"))).evidence
    for column in columns:
        assert getattr(evidence, column).item() == pytest.approx(expected[column], rel=1e-10)


def of_inspect(values, passage):
    """Return the clustered standard error of inspect_ai.

    ``sqrt(C / (C - 1) sum_c (sum_i (x_ci - mean))^2) / n``: ``stderr(cluster=...)`` in
    UKGovernmentBEIS/inspect_ai, src/inspect_ai/scorer/_metrics/std.py.
    """
    sums = np.bincount(passage, values - np.mean(values))
    return np.sqrt(len(sums) / (len(sums) - 1) * (sums**2).sum()) / len(values)


def of_lm_eval(values):
    """Return the standard error of lm-evaluation-harness, ``s / sqrt(n)``.

    ``mean_stderr`` in EleutherAI/lm-evaluation-harness, lm_eval/api/metrics.py.
    """
    return np.sqrt(((values - np.mean(values)) ** 2).sum() / (len(values) - 1) / len(values))


RIGHT = pd.DataFrame(
    {
        "passage": [0, 0, 1, 1, 2, 2, 3, 3],
        "a": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0],
        "b": [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0],
    }
)


def test_of_units_of_equal_size_inspect_ai_s():
    # Deviations from 5/8 sum to 3/4, -1/4, -5/4 and 3/4 in the passages of a.
    by_hand = np.sqrt(4 / 3 * (9 + 1 + 25 + 9) / 16) / 8
    assert of_inspect(RIGHT["a"], RIGHT["passage"]) == pytest.approx(by_hand, rel=1e-14)
    scores = read(RIGHT)
    cells = scores.cells()
    assert cells.sd[0, 0] / np.sqrt(cells.n[0, 0]) == pytest.approx(by_hand, rel=1e-12)
    expected = of_inspect(RIGHT["a"] - RIGHT["b"], RIGHT["passage"])
    assert bi.compare_pair(scores).evidence.std_error.item() == pytest.approx(expected)


def test_of_items_by_themselves_lm_evaluation_harness_s():
    # Five of eight are right.
    assert of_lm_eval(RIGHT["a"]) == pytest.approx(np.sqrt(5 / 8 * 3 / 8 / 7), rel=1e-14)
    cells = read(RIGHT.assign(passage=range(8))).cells()
    for k, name in enumerate("ab"):
        assert cells.sd[0, k] / np.sqrt(8) == pytest.approx(of_lm_eval(RIGHT[name]), rel=1e-12)


def test_of_units_of_unequal_size_near_inspect_ai_s_where_there_are_many():
    for table, factor in (("few", 1.3), ("many", 1.02)):
        items = ITEMS[ITEMS["table"] == table]
        d = (items["a"] - items["b"]).to_numpy()
        theirs = of_inspect(d, items["passage"].to_numpy() - 1)
        c = items["passage"].nunique()
        assert theirs == pytest.approx(R[table]["std_error_cr0"] * np.sqrt(c / (c - 1)), rel=1e-10)
        assert theirs == pytest.approx(R[table]["std_error_cr1"], rel=1e-10)
        assert 1 / factor < R[table]["std_error"] / theirs < factor
