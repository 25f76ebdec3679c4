"""Restricted means of runs that were stopped at one limit, against survival in R."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi

GOLDEN = Path(__file__).parents[2] / "golden" / "limits"


@pytest.fixture(scope="module")
def scores():
    roles = {"solver": "algorithm"}
    return bi.read_scores(GOLDEN / "runs.csv", measures="seconds:lower:limit=100", columns=roles)


@pytest.mark.parametrize("row", json.loads((GOLDEN / "limits.json").read_text()), ids=str)
def test_means_up_to_the_limit_are_restricted_means(scores, row):
    table = scores.declare(bi.Measure("seconds", "lower", limit=float(row["limit"])))
    runs = table.runs().summary().set_index("algorithm").loc[row["solver"]]
    of = table.to_frame().query(f"algorithm == '{row['solver']}'")["value"]
    if row["limit"] == 100:  # below it survival counts what is solved later, too
        assert runs["solved"] == row["events"]
    assert runs["n"] == row["n"]
    assert runs["restricted_mean"] == pytest.approx(row["rmean"], rel=1e-12)
    # Greenwood's variance divides by n, that of a mean of scores by n - 1.
    error = of.std(ddof=0) / np.sqrt(len(of))
    assert error == pytest.approx(row["se"], rel=1e-9)


def test_comparisons_are_of_restricted_means(scores):
    means = pd.read_json(GOLDEN / "limits.json").query("limit == 100").set_index("solver")["rmean"]
    result = bi.compare_points(scores)
    for row in result.contrasts().itertuples():
        assert row.estimate == pytest.approx(means[row.first] - means[row.second], rel=1e-9)
    levels = bi.compare_mixed(scores).summary().set_index("algorithm")["estimate"]
    assert levels.to_dict() == pytest.approx(means.to_dict(), rel=1e-6)
