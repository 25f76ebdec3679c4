"""Tables of tools that say at which limit runs were stopped."""

import pandas as pd
import pytest

import benchinfer as bi
from tests.scores.formats.catalogue import SAMPLES

SAMPLE = SAMPLES / "timing" / "solver_benchmark.csv"


def test_runs_are_stopped_at_the_limit_of_their_column():
    scores = bi.read_scores(SAMPLE)
    assert scores.measure("Runtime (s)").limit == 3600.0
    runs = scores.runs("Runtime (s)").summary().set_index("algorithm")
    assert runs["stopped"].to_dict() == {"highs/1.10.0": 1, "scip/9.2.2": 1, "glpk/5.0.0": 3}
    assert runs.loc["glpk/5.0.0", "crashed"] == 1
    assert runs.loc["scip/9.2.2", "restricted_mean"] == pytest.approx((40.125 + 95.75 + 3600) / 3)


def test_several_limits_are_read_one_by_one(tmp_path):
    frame = pd.read_csv(SAMPLE)
    frame.loc[frame["Benchmark"] == "grid-uc", "Timeout"] = 36000
    frame.to_csv(tmp_path / "x.csv", index=False)
    said = r"the column Timeout: 3,600 \(6 runs\), 36,000 \(3 runs\)[^$]*Timeout == 3600"
    with pytest.raises(bi.ScoreTableError, match=said):
        bi.read_scores(tmp_path / "x.csv")
    scores = bi.read_scores(tmp_path / "x.csv", where="Timeout == 3600")
    assert scores.measure("Runtime (s)").limit == 3600.0
    assert len(scores.datasets) == 2
    given = bi.read_scores(tmp_path / "x.csv", measures="Runtime (s):lower:limit=36000")
    assert given.runs().summary()["stopped"].sum() == 5


def test_tables_without_the_column_have_no_limit(tmp_path):
    pd.read_csv(SAMPLE).drop(columns="Timeout").to_csv(tmp_path / "x.csv", index=False)
    scores = bi.read_scores(tmp_path / "x.csv")
    assert scores.measure("Runtime (s)").limit is None
    assert "ER" in set(scores.failures()["reason"])
