"""The Pareto front of a table, against means and dominance by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.compare.pareto import Pareto, pareto

MEASURES = [bi.Measure("error", "lower"), bi.Measure("seconds", "lower", scale="log")]


def table(rng: np.random.Generator, n: int = 8) -> pd.DataFrame:
    """Four algorithms: fast, good, bad at both, and one like the good but slower."""
    true = {"bad": (0.5, 9.0), "fast": (0.4, 1.0), "good": (0.1, 5.0), "late": (0.12, 6.0)}
    return pd.DataFrame(
        [
            {"dataset": f"d{d}", "algorithm": a, "replication": r, "error": e + x, "seconds": s * y}
            for d in range(n)
            for a, (e, s) in true.items()
            for r in range(2)
            for x, y in [(rng.normal(0, 0.08), np.exp(rng.normal(0, 0.3)))]
        ]
    )


def scores(frame: pd.DataFrame) -> bi.ScoreTable:
    """Read the table."""
    return bi.read_scores(frame, measures=MEASURES, layout="wide-measures")


def test_front_and_dominance() -> None:
    frame = table(np.random.default_rng(1))
    found = pareto(scores(frame), seed=1)
    assert found.front() == ["fast", "good"]
    summary = found.summary().set_index("algorithm")
    assert summary.loc["fast", "prob_front"] == 1
    assert summary.loc["bad", "prob_front"] < 0.01
    assert 0 < summary.loc["late", "prob_front"] < 0.5
    p = summary.loc["late", "prob_front"]
    assert summary.loc["late", "prob_error"] == pytest.approx(np.sqrt(p * (1 - p) / 1000))
    pairs = found.dominance().set_index(["first", "second"])
    assert pairs.loc[("good", "late"), "prob_dominates"] == pytest.approx(1 - p)
    assert pairs.loc[("fast", "bad"), "dominates"]
    assert ("fast", "good") not in pairs.index
    means = (
        frame.assign(seconds=np.log(frame["seconds"]))
        .groupby("algorithm")[["error", "seconds"]]
        .mean()
    )
    estimates = found.estimates().set_index(["measure", "algorithm"])["estimate"]
    np.testing.assert_allclose(estimates["error"], means["error"])
    np.testing.assert_allclose(estimates["seconds"], np.exp(means["seconds"]))


def test_relation_at_a_level() -> None:
    found = pareto(scores(table(np.random.default_rng(1))), seed=1)
    sure, some = found.relation(level=0.99), found.relation()
    assert sure.strict.sum() < some.strict.sum()
    assert (sure.strict <= some.strict).all()
    with pytest.raises(bi.DesignError, match=r"level is 0\.5"):
        found.relation(level=0.5)


def test_direction_is_that_of_the_measure() -> None:
    frame = table(np.random.default_rng(2))
    turned = bi.read_scores(
        frame.assign(error=-frame["error"], speed=1 / frame["seconds"]).drop(columns="seconds"),
        measures=[bi.Measure("error", "higher"), bi.Measure("speed", "higher", scale="log")],
        layout="wide-measures",
    )
    one, two = pareto(scores(frame), seed=3), pareto(turned, seed=3)
    np.testing.assert_array_equal(one.dominates, two.dominates)
    np.testing.assert_array_equal(one.prob_front, two.prob_front)


def test_seed_is_kept_and_the_result_saved(tmp_path: Path) -> None:
    source = scores(table(np.random.default_rng(3)))
    found = pareto(source, ["seconds", "error"], resamples=50)
    assert found.provenance.seed is not None
    again = pareto(source, ["seconds", "error"], resamples=50, seed=found.provenance.seed)
    np.testing.assert_array_equal(found.prob_dominates, again.prob_dominates)
    loaded = bi.load(found.save(tmp_path / "pareto.json"))
    assert isinstance(loaded, Pareto)
    assert loaded.summary().equals(found.summary())
    assert repr(loaded) == repr(found)


def test_refused() -> None:
    frame = table(np.random.default_rng(4))
    whole = scores(frame)
    for measures in (["error"], "error", ["error", "error"]):
        with pytest.raises(bi.DesignError, match="several different measures"):
            pareto(whole, measures)
    with pytest.raises(bi.DesignError, match="resamples is 0"):
        pareto(whole, resamples=0)
    with pytest.raises(bi.DesignError, match="there is one data set"):
        pareto(whole.subset(datasets=["d1"]))
    with pytest.raises(bi.DesignError, match="1 of 32 cells"):
        pareto(scores(lacking(frame)), missing="error")


def lacking(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out one cell."""
    return frame[(frame["dataset"] != "d3") | (frame["algorithm"] != "bad")]


def test_complete_part_by_default() -> None:
    frame = table(np.random.default_rng(4))
    found = pareto(scores(lacking(frame)), resamples=50, seed=1)
    alone = pareto(scores(frame[frame["dataset"] != "d3"]), resamples=50, seed=1)
    assert found.left_out == ("d3",)
    assert "7 data sets, without d3:" in repr(found)
    np.testing.assert_array_equal(found.levels, alone.levels)
    np.testing.assert_array_equal(found.prob_front, alone.prob_front)


def test_complete_part_over_measures_of_different_data_sets() -> None:
    frame = table(np.random.default_rng(4))
    long = frame.melt(["dataset", "algorithm", "replication"], var_name="measure")
    part = long[(long["measure"] != "seconds") | (long["dataset"] != "d2")]
    found = pareto(bi.read_scores(part, measures=MEASURES), resamples=50, seed=1)
    alone = pareto(scores(frame[frame["dataset"] != "d2"]), resamples=50, seed=1)
    assert found.left_out == ("d2",)
    np.testing.assert_array_equal(found.levels, alone.levels)
    apart = long[(long["measure"] == "error") == (long["dataset"] < "d4")]
    with pytest.raises(bi.DesignError, match="no part of the table is complete"):
        pareto(bi.read_scores(apart, measures=MEASURES))
    with pytest.raises(bi.DesignError, match=r"no scores of measure .seconds. for d2"):
        pareto(bi.read_scores(part, measures=MEASURES), missing="error")
