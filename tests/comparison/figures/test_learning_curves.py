"""Learning curves: means and intervals at each step by itself."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.comparison.figures import learning_curves
from benchinfer.comparison.figures.learning_curves import layout
from benchinfer.core.errors import DesignError

STEPS = (10, 100, 1000)


def frame(d=2, k=3, runs=5, steps=STEPS, seed=0):
    rng = np.random.default_rng(seed)
    names = ["dataset", "algorithm", "seed", "step"]
    at = pd.MultiIndex.from_product(
        [[f"d{i}" for i in range(d)], [f"a{i}" for i in range(k)], range(runs), steps],
        names=names,
    ).to_frame(index=False)
    spread = 0.01 * (1 + at["dataset"].str[1:].astype(int))
    return at.assign(accuracy=rng.normal(0.6 + 0.1 * np.log10(at["step"]) / 3, spread))


def read(table, **options):
    roles = {"step": "replication", "seed": "replication"}
    given = {"measures": "accuracy:higher", "columns": roles, "covariates": "step", **options}
    return bi.read_scores(table, **given)


def curves(scores):
    table = scores.observations()
    return table, learning_curves._curves(table, table.covariates.index("step"))


def test_with_one_data_set_intervals_are_of_student():
    rows = frame(d=1)
    table, found = curves(read(rows))
    assert found.of_runs
    assert found.steps.tolist() == list(STEPS)
    for k, name in enumerate(table.algorithms):
        for g, step in enumerate(STEPS):
            of_cell = rows[(rows["algorithm"] == name) & (rows["step"] == step)]["accuracy"]
            wanted = stats.ttest_1samp(of_cell, 0).confidence_interval(0.95)
            got = found.mean[k, g] - found.half[k, g], found.mean[k, g] + found.half[k, g]
            np.testing.assert_allclose(got, wanted)


def test_with_two_data_sets_intervals_are_of_welch():
    rows = frame(d=2)
    table, found = curves(read(rows))
    for k, name in enumerate(table.algorithms):
        at = rows[(rows["algorithm"] == name) & (rows["step"] == 100)]
        one, two = (at[at["dataset"] == d]["accuracy"].to_numpy() for d in ("d0", "d1"))
        # The sum of two means is the difference of one and minus the other.
        wanted = stats.ttest_ind(one, -two, equal_var=False).confidence_interval(0.95)
        got = found.mean[k, 1] - found.half[k, 1], found.mean[k, 1] + found.half[k, 1]
        np.testing.assert_allclose(got, np.array(wanted) / 2)


def test_with_one_run_data_sets_are_the_sample():
    rows = frame(d=6, runs=1)
    table, found = curves(read(rows))
    assert not found.of_runs
    at = rows[(rows["algorithm"] == table.algorithms[1]) & (rows["step"] == 1000)]["accuracy"]
    wanted = stats.ttest_1samp(at, 0).confidence_interval(0.95)
    got = found.mean[1, 2] - found.half[1, 2], found.mean[1, 2] + found.half[1, 2]
    np.testing.assert_allclose(got, wanted)
    assert "new data sets, at each step by itself" in layout(read(rows)).notes[0]


def test_one_run_on_one_data_set_has_no_interval():
    laid = layout(read(frame(d=1, runs=1)))
    assert laid.notes[0] == "one run of each: no intervals"
    assert all(np.isnan(curve.low).all() for curve in laid.curves)
    bi.plot(read(frame(d=1, runs=1)), "learning-curves")


def test_a_step_that_a_data_set_lacks_is_a_gap():
    rows = frame()
    lacking = (rows["dataset"] == "d1") & (rows["algorithm"] == "a1") & (rows["step"] == 100)
    laid = layout(read(rows[~lacking]))
    with_gap = next(curve for curve in laid.curves if curve.label == "a1")
    assert np.isnan(with_gap.share).tolist() == [False, True, False]
    assert "gap in a curve: not on all data sets" in laid.notes


def test_steps_are_logarithmic_where_their_ratios_are_alike():
    np.testing.assert_allclose(layout(read(frame())).across, [0, 0.5, 1])
    even = read(frame(steps=(10, 20, 30, 40, 50)))
    np.testing.assert_allclose(layout(even).across, np.linspace(0, 1, 5))


def test_wide_intervals_do_not_squeeze_the_means():
    rows = frame(d=1, runs=2, seed=3)
    rows.loc[(rows["algorithm"] == "a0") & (rows["seed"] == 0), "accuracy"] -= 0.3
    laid = layout(read(rows))
    assert "intervals beyond the axis are cut" in laid.notes
    means = [curve.share for curve in laid.curves]
    assert np.ptp(means) > 0.3
    ends = np.array([(curve.low, curve.high) for curve in laid.curves])
    assert ends.min() >= 0
    assert ends.max() <= 1


def test_the_best_at_the_end_comes_first_where_lower_is_better():
    rows = frame(k=4).rename(columns={"accuracy": "loss"})
    rows["loss"] += rows["algorithm"].map({"a0": 0.2, "a1": 0.0, "a2": 0.3, "a3": 0.1})
    for scale in ("identity", "log"):
        laid = layout(read(rows, measures=[bi.Measure("loss", "lower", scale=scale)]), top=3)
        assert [curve.label for curve in laid.curves] == ["a1", "a3", "a0"]
        assert "3 of 4 algorithms, the best at the end" in laid.notes


def test_tables_without_steps_say_how_to_keep_them():
    rows = frame()
    with pytest.raises(DesignError, match="there are no steps") as caught:
        bi.plot(
            bi.read_scores(rows, measures="accuracy:higher", take="last:step"), "learning-curves"
        )
    assert 'covariates="epoch"' in str(caught.value)
    roles = {"step": "replication", "seed": "replication"}
    many = read(rows.assign(size=rows["step"] * 2), columns=roles, covariates=("step", "size"))
    with pytest.raises(DesignError, match="several covariates that vary"):
        layout(many)
    rows["step"] += 1 * (rows["dataset"] == "d1")
    with pytest.raises(DesignError, match="no two values of 'step' have scores on all 2 data sets"):
        layout(read(rows))
