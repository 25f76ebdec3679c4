"""Group sequential tests of whole experiments."""

import numpy as np
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.monitor.numerics import stages


def test_boundaries_and_p_values(draw, table):
    rows = draw(200, {"a": 0.0, "b": 0.25}, seed=4)
    y = rows.pivot_table(index="replication", columns="algorithm", values="value")
    d = (y["b"] - y["a"]).to_numpy()
    for shape in ("obrien-fleming", "pocock"):
        found = bi.monitor(table(rows), method="group-sequential", spending=shape, last_stage=4)
        shown = found.stages()
        t = [0.25, 0.5, 0.75, 1.0]
        bounds = stages.boundaries(t, 2 * stages.spent(shape, t, 0.025), sides=2)
        p = [stats.ttest_1samp(d[:n], 0, alternative="greater").pvalue for n in (50, 100, 150, 200)]
        z = stats.norm.isf(p)
        crossed = int(np.argmax(z >= bounds)) if (z >= bounds).any() else 3
        np.testing.assert_allclose(shown["statistic"], -z[: crossed + 1], rtol=1e-9)
        np.testing.assert_allclose(shown["boundary"], bounds[: crossed + 1])
        row = found.contrasts(all=True).iloc[0]
        assert (row["winner"] == "b") == bool((z >= bounds).any())
        assert (row["p_value"] <= 0.05) == (row["winner"] == "b")


def test_rejections_are_those_of_the_p_value(draw, table):
    for seed in range(12):
        scores = table(draw(60, {"a": 0.0, "b": 0.3, "c": 0.0}, seed=seed))
        found = bi.monitor(scores, method="group-sequential", stage=20, last_stage=3).contrasts(
            all=True
        )
        np.testing.assert_array_equal(found["p_value"] <= 0.05, found["verdict"] != "undecided")


def test_conditional_levels_are_those_of_the_design(draw, table):
    scores = table(draw(100, {"a": 0.0, "b": 0.1}))
    found = bi.monitor(scores, method="group-sequential", last_stage=4)
    rest = found.redesign().set_index("side")["conditional_level"]
    t = [0.25, 0.5, 0.75, 1.0]
    bounds = stages.boundaries(t, 2 * stages.spent("obrien-fleming", t, 0.025), sides=2)
    z = found.stages()["statistic"].iloc[-1]
    assert rest["a"] == pytest.approx(stages.conditional_level(t, bounds, 2, z))
    assert rest["b"] == pytest.approx(stages.conditional_level(t, bounds, 2, -z))
