"""Counts of the claims of published orders."""

import math
import os

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.reproductions.atlas import NAMES, entry
from benchinfer.reproductions.claims import count_claims, counts_of, what_holds
from benchinfer.reproductions.entry import Entry

_QUICK = 40  # algorithms
_NOT_COUNTED = {"garcia2008"}  # a table of an R package


def simulated(levels: dict[str, float], n: int = 40, better: str = "higher") -> bi.ScoreTable:
    rng = np.random.default_rng(3)
    blocks = rng.normal(0, 5, n)
    rows = [
        {"dataset": f"d{i}", "algorithm": name, "score": block + level + rng.normal(0, 1)}
        for i, block in enumerate(blocks)
        for name, level in levels.items()
    ]
    return bi.read_scores(pd.DataFrame(rows), measures=f"score:{better}")


@pytest.mark.slow
def test_claims_are_decided_open_or_contradicted():
    scores = simulated({"a": 9.0, "b": 6.0, "c": 6.0, "d": 0.0})
    counts = count_claims(scores, ["a", "b", "c", "d"])
    assert (counts.algorithms, counts.units_compared) == (4, 40)
    assert (counts.adjacent, counts.adjacent_decided, counts.adjacent_contradicted) == (3, 2, 0)
    assert (counts.best, counts.best_decided, counts.best_contradicted) == (3, 3, 0)
    turned = count_claims(scores, ["d", "b", "c", "a"])
    assert (turned.adjacent_decided, turned.adjacent_contradicted) == (0, 2)
    assert (turned.best_decided, turned.best_contradicted) == (0, 3)
    assert turned.needed_first == math.inf


def test_lower_scores_turn_every_claim():
    levels = {"a": 9.0, "b": 6.0, "c": 0.0}
    lower = count_claims(simulated(levels, better="lower"), ["c", "b", "a"])
    assert (lower.best_decided, lower.adjacent_decided) == (2, 2)


def test_numbers_needed_are_those_of_a_normal_approximation():
    scores = simulated({"a": 0.6, "b": 0.0, "c": -3.0}, n=200)
    wide = scores.to_frame().pivot_table("value", "dataset", "algorithm")
    difference = wide["a"] - wide["b"]
    quantiles = stats.norm.ppf(1 - 0.05 / (2 * 3)) + stats.norm.ppf(0.8)
    expected = (quantiles * difference.std() / difference.mean()) ** 2
    assert count_claims(scores, ["a", "b", "c"]).needed_first == pytest.approx(expected, rel=0.12)


def test_relative_differences_are_those_of_logarithms():
    rows = simulated({"a": 0.0, "b": 0.7}, n=60).to_frame()[["dataset", "algorithm", "value"]]
    logs = bi.read_scores(rows, measures={"value": "lower"})
    errors = bi.read_scores(
        rows.assign(value=np.exp(rows["value"])),
        measures=bi.Measure("value", better="lower", scale="log"),
    )
    on_logs, on_ratios = (count_claims(scores, ["a", "b"]) for scores in (logs, errors))
    assert on_ratios.needed_first == pytest.approx(on_logs.needed_first, abs=1)


def test_replications_of_one_dataset_are_counted():
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(
        {"dataset": "d", "replication": r, "algorithm": name, "score": level + rng.normal()}
        for r in range(80)
        for name, level in (("a", 1.0), ("b", 0.0))
    )
    counts = count_claims(
        bi.read_scores(rows, measures="score:higher", resampling="items"), ["a", "b"]
    )
    assert (counts.units_compared, counts.best_decided) == (80, 1)
    assert 5 < counts.needed_first < 60


def test_the_table_has_a_row_of_every_study_that_orders_algorithms_by_scores():
    table = what_holds().set_index("study")
    ordered = {name for name in NAMES if entry(name).claims is not None}
    assert set(table.index) == ordered - _NOT_COUNTED
    for name, row in table.iterrows():
        study: Entry = entry(name)
        assert study.claims is not None
        assert row["units"] == study.claims.units
        assert row["adjacent"] == row["best"] == row["algorithms"] - 1
        assert row["needed_first"] > 1
    # What the page says.
    assert not table[["adjacent_contradicted", "best_contradicted"]].to_numpy().any()


@pytest.mark.parametrize("name", what_holds()["study"])
def test_the_table_is_that_of_the_files(name):
    """With the folder of `make reproduce`; of the large boards by hand."""
    study, shown = entry(name), what_holds().set_index("study").loc[[name]]
    folder = os.environ.get("BENCHINFER_TABLES")
    if (study.files and not folder) or shown["algorithms"].iloc[0] > _QUICK:
        pytest.skip("needs tables that are not part of the project, or long")
    counts = counts_of([(study, [folder] if study.files and folder else [])])
    pd.testing.assert_frame_equal(counts.set_index("study"), shown, check_dtype=False)
