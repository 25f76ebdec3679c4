"""compare_bootstrap: numbers against their definition, verdicts, words, refusals."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.core.errors import DesignError
from benchinfer.core.verdict import Verdict
from tests.analyses.mixed.test_compare import simulated, table

SHAPE = (8, 6, 4)


def boot(scores, **options):
    return bi.compare_bootstrap(scores, **({"seed": 1, "resamples": 2000} | options))


def checks(result):
    return result.diagnostics().set_index("check")


@pytest.mark.parametrize(
    ("statistic", "reduce"),
    [
        ("iqm", lambda x: stats.trim_mean(x.reshape(-1, x.shape[2]), 0.25)),
        ("mean", lambda x: x.mean(axis=(0, 1))),
        ("median", lambda x: np.median(x.mean(axis=1), axis=0)),
        ("worst", lambda x: x.mean(axis=1).min(axis=0)),
        (0.25, lambda x: np.quantile(x.mean(axis=1), 0.25, axis=0)),
    ],
)
def test_aggregates(statistic, reduce):
    values = simulated(1, SHAPE)
    result = boot(table(values), statistic=statistic)
    np.testing.assert_allclose(result.summary()["estimate"], reduce(values))
    turned = boot(table(-values, measures={"error": "lower"}), statistic=statistic)
    np.testing.assert_allclose(turned.summary()["estimate"], -reduce(values))


@pytest.mark.parametrize("shape", [(5, 12, 3), (1, 30, 3)])
def test_scores_of_0_and_1_are_compared_by_their_rates(shape):
    items = (np.random.default_rng(4).random(shape) < 0.75).astype(float)
    result = boot(table(items))
    assert result.options.statistic == "mean"
    assert result.headline().startswith("By the mean, ")
    np.testing.assert_allclose(result.summary()["estimate"], items.mean(axis=(0, 1)))
    asked = boot(table(items), statistic="iqm")
    assert (asked.summary()["estimate"] > items.mean(axis=(0, 1))).all()
    assert boot(table(simulated(4, shape))).options.statistic == "iqm"


@pytest.mark.parametrize("statistic", ["iqm", "worst"])
def test_threads_do_not_matter(statistic, monkeypatch):
    monkeypatch.setattr("benchinfer.numerics.shuffle._HELD", 3_000)
    scores = table(simulated(2, SHAPE))
    one, two = (boot(scores, statistic=statistic, n_jobs=n) for n in (1, 2))
    pd.testing.assert_frame_equal(
        one.contrasts(all=True), two.contrasts(all=True), check_exact=True
    )
    for name in ("estimate", "low", "high", "p_value"):
        np.testing.assert_array_equal(getattr(one.improved, name), getattr(two.improved, name))


def test_direction_and_sign_turned_together_change_nothing():
    values = simulated(2, SHAPE, effect=0.2)
    one = boot(table(values)).contrasts(all=True)
    lower = bi.Measure("score", "lower", tolerance=0.3)
    other = boot(table(-values, measures=lower)).contrasts(all=True)
    for name in ("p_value", "p_raw", "p_equivalence", "p_error", "std_error", "verdict", "winner"):
        assert one[name].tolist() == other[name].tolist()
    np.testing.assert_array_equal(one["conf_low"], -other["conf_high"])


def test_verdicts_follow_p_values_and_intervals():
    values = simulated(3, SHAPE, effect=0.25)
    for interval, adjust in itertools.product(("percentile", "expanded"), ("holm", "none")):
        rows = boot(table(values), interval=interval, adjust=adjust).contrasts(all=True)
        p, q = rows["p_value"], rows["p_equivalence"]
        expected = np.where(p <= 0.05, np.where(rows["estimate"] > 0, "first", "second"), "")
        expected = np.where(q <= 0.05, "equivalent", expected)
        assert rows["verdict"].tolist() == [word or "undecided" for word in expected]
        out = (rows["conf_low"] > 0) | (rows["conf_high"] < 0)
        assert (p[out] <= 0.05).all()
        if adjust == "none":
            assert (out == (p <= 0.05)).all()
            assert (rows["p_raw"] == p).all()
            # Equivalent: the interval at twice the level is inside the tolerance.
            wide = boot(table(values), interval=interval, adjust=adjust, level=0.9).contrasts(
                all=True
            )
            inside = (wide["conf_low"] > -0.3) & (wide["conf_high"] < 0.3)
            assert (inside == (q <= 0.05)).all()


def test_p_value_is_the_share_of_draws_on_the_other_side():
    values = simulated(4, (1, 12, 2), effect=0.1)
    difference = values[0, :, 1] - values[0, :, 0]
    rows = boot(table(values), statistic="mean", interval="percentile", resamples=20_000)
    rows = rows.contrasts(all=True)
    rng = np.random.default_rng(1)
    draws = rng.choice(difference, (20_000, 12)).mean(axis=1)
    expected = 2 * min((draws <= 0).mean(), (draws >= 0).mean())
    assert rows["p_value"][0] == pytest.approx(expected, abs=5 * rows["p_error"][0] + 1e-4)
    assert rows["std_error"][0] == pytest.approx(difference.std() / np.sqrt(12), rel=0.03)


def test_one_sided_tests_and_noninferiority():
    values = simulated(5, SHAPE, effect=0.3)
    both = boot(table(values)).contrasts(all=True)
    better = boot(table(values), alternative="better").contrasts(all=True)
    worse = boot(table(values), alternative="worse").contrasts(all=True)
    assert np.isposinf(better["conf_high"]).all()
    assert np.isneginf(worse["conf_low"]).all()
    smaller = np.minimum(better["p_raw"], worse["p_raw"])
    np.testing.assert_allclose(both["p_raw"], np.minimum(2 * smaller, 1))
    assert (worse["p_noninferiority"] <= worse["p_value"]).all()


def test_a_normalised_table():
    values = simulated(6, SHAPE)
    low = {f"d{i:02d}": float(i) - 10 for i in range(8)}
    scores = table(values).normalise({"low": low, "high": "d"})
    result = boot(scores, statistic="mean", tolerance=0.1)
    bottom = np.arange(8.0) - 10
    top = values[:, :, 3].mean(axis=1)
    expected = ((values.mean(axis=1) - bottom[:, None]) / (top - bottom)[:, None]).mean(axis=0)
    np.testing.assert_allclose(result.summary()["estimate"], expected[:3])
    assert result.measure.name == "normalised score"
    assert result.measure.tolerance == 0.1
    spread = boot(table(values).normalise("min-max")).profile()["threshold"]
    assert spread.min() == 0
    assert spread.max() == 1


@pytest.mark.parametrize(
    ("by", "resample", "expected"),
    [
        ("min-max", "replications", False),
        ("min-max", "both", False),
        ("min-max", "datasets", None),  # which are drawn with their scale
        ({"low": -20, "high": 20}, "replications", True),
        ({"low": -20, "high": "d"}, "replications", False),
        (None, "replications", None),
    ],
)
def test_a_scale_of_the_same_scores_is_held_fixed(by, resample, expected):
    scores = table(simulated(6, SHAPE))
    rows = checks(boot(scores if by is None else scores.normalise(by), resample=resample))["ok"]
    assert rows.get("scale computed of the same scores") == expected


def test_normalised_errors_count_upwards():
    values = simulated(7, SHAPE)
    scores = table(values, measures={"error": "lower"}).normalise({"low": 20, "high": -20})
    result = boot(scores, statistic="mean")
    np.testing.assert_allclose(
        result.summary()["estimate"], (20 - values.mean(axis=(0, 1))) / 40, rtol=1e-12
    )
    scale = "0 = a score of 20, 1 = a score of -20"
    assert f"normalised error on the scale where {scale}, higher is better" in result.headline()
    assert result.relation().algorithms == tuple("abcd")


def test_optimality_gap():
    values = np.abs(simulated(8, SHAPE))
    result = boot(table(values), statistic="optimality-gap", goal=1.5)
    expected = 1.5 - np.minimum(values, 1.5).mean(axis=(0, 1))
    np.testing.assert_allclose(result.summary()["estimate"], expected)
    assert "optimality gap of score, lower is better" in result.headline()
    best = result.summary().sort_values("rank")["algorithm"].iloc[0]
    assert best == "abcd"[int(expected.argmin())]
    share = boot(table(values).normalise({"low": 0, "high": 2}), statistic="optimality-gap")
    expected = 1 - np.minimum(values / 2, 1).mean(axis=(0, 1))
    np.testing.assert_allclose(share.summary()["estimate"], expected)
    seconds = bi.Measure("seconds", "lower", scale="log")
    factor = boot(table(values, measures=seconds), statistic="optimality-gap", goal=0.5)
    expected = np.exp(np.maximum(np.log(values / 0.5), 0).mean(axis=(0, 1)))
    np.testing.assert_allclose(factor.summary()["estimate"], expected)


@pytest.mark.slow
def test_targets_and_words():
    scores = table(simulated(9, SHAPE))
    here, domain, both = (boot(scores, resample=r) for r in ("replications", "datasets", "both"))
    assert here.target == "datasets"
    assert domain.target == both.target == "domain"
    assert not checks(here).loc["claims go beyond these data sets", "ok"]
    assert checks(domain).loc["claims go beyond these data sets", "ok"]
    assert not checks(domain).loc["number of data sets", "ok"]
    assert "share were drawn together" in here.method
    spread = [r.contrasts(all=True)["std_error"].mean() for r in (here, domain, both)]
    assert spread == sorted(spread)
    for name in ("Agarwal", "Dolan", "Holm", "Hesterberg"):
        assert name in here.citations()
    assert "Hesterberg" not in boot(scores, interval="percentile").citations()
    one = boot(table(simulated(9, (1, 9, 2))), statistic="median")
    assert one.scope() == "by the median of the scores, on the data set d00"


def test_the_seed_is_recorded_and_decides():
    scores = table(simulated(10, SHAPE, effect=0.1))
    first = bi.compare_bootstrap(scores, resamples=500)
    again = bi.compare_bootstrap(scores, resamples=500, seed=first.provenance.seed)
    pd.testing.assert_frame_equal(first.contrasts(all=True), again.contrasts(all=True))
    assert first.provenance.seed == first.provenance.arguments["seed"]
    other = bi.compare_bootstrap(scores, resamples=500, seed=first.provenance.seed + 1)
    assert not first.contrasts(all=True)["p_raw"].equals(other.contrasts(all=True)["p_raw"])


def test_renaming_renames():
    values = simulated(11, SHAPE, effect=0.2)
    one = boot(table(values)).contrasts(all=True)
    other = boot(table(values, ["w - x", "x <b>", "y, z", "z"])).contrasts(all=True)
    names = dict(zip("abcd", ["w - x", "x <b>", "y, z", "z"], strict=True))
    assert one["first"].map(names).tolist() == other["first"].tolist()
    assert one["p_value"].tolist() == other["p_value"].tolist()


def test_probability_of_improvement():
    values = np.round(simulated(12, SHAPE, effect=0.2), 1)
    for paired in (True, False):
        found = boot(table(values, paired=paired)).probability_of_improvement()
        for row in found.itertuples():
            i, j = "abcd".index(row.first), "abcd".index(row.second)
            one, other = values[:, :, None, i], values[:, None, :, j]
            expected = ((one > other) + 0.5 * (one == other)).mean()
            assert row.prob_improvement == pytest.approx(expected)
            assert 0 <= row.conf_low <= expected <= row.conf_high <= 1
    turned = table(-values, measures={"error": "lower"})
    np.testing.assert_allclose(
        boot(turned).probability_of_improvement()["prob_improvement"], found["prob_improvement"]
    )


def test_profiles():
    values = np.exp(simulated(13, SHAPE))
    result = boot(table(values, measures={"seconds": "lower"}))
    rows = result.profile()
    for name, part in rows.groupby("algorithm"):
        own = values[:, :, "abcd".index(name)].ravel()
        expected = (own[:, None] < part["threshold"].to_numpy()).mean(axis=0)
        np.testing.assert_allclose(part["proportion"], expected, atol=1e-12)
    ratios = result.profile("ratios")
    means = values.mean(axis=1)
    best = (means == means.min(axis=1, keepdims=True)).mean(axis=0)
    start = ratios[ratios["threshold"] == 1].set_index("algorithm")["proportion"]
    np.testing.assert_allclose(start[list("abcd")], best)
    with pytest.raises(DesignError, match="not above 0"):
        boot(table(simulated(13, SHAPE))).profile("ratios")
    with pytest.raises(DesignError, match="unknown kind 'radar'"):
        result.profile("radar")


def test_identical_algorithms_are_named_and_not_decided():
    values = simulated(14, SHAPE)
    values[:, :, 1] = values[:, :, 0]
    values[:, :, 3] = values[:, :, 2] + 1
    result = boot(table(values), statistic="mean")
    rows = result.contrasts(all=True).set_index(["first", "second"])
    for pair in (("a", "b"), ("c", "d")):
        assert rows.loc[pair, "p_value"] == 1
        assert rows.loc[pair, "verdict"] == "undecided"
    row = checks(result).loc["pairs with the same difference in every resample"]
    assert row["value"] == 2
    assert row["sentence"].endswith("(d and c; a and b).")


def test_thin_cells_are_used_and_counted():
    values = simulated(15, SHAPE)
    values[0, 0, 0] = values[3, 1:4, 2] = np.nan
    result = boot(table(values))
    assert checks(result).loc["thin cells", "value"] == 2
    assert checks(result).loc["replications that cannot be drawn", "value"] == 1
    mean = boot(table(values), statistic="mean").summary()["estimate"]
    np.testing.assert_allclose(mean, np.nanmean(values, axis=1).mean(axis=0))


def test_diagnostics_of_small_samples():
    few = checks(boot(table(simulated(16, (5, 3, 4))), interval="percentile"))
    assert not few.loc["fewest replications drawn from", "ok"]
    name = "error rate of one contrast / nominal, for means of normal scores"
    assert not few.loc[name, "ok"]
    wider = checks(boot(table(simulated(16, (5, 3, 4)))))
    assert wider.loc[name, "ok"]
    assert wider.loc[name, "value"] == pytest.approx(1)
    many = checks(boot(table(simulated(16, (20, 30, 3)))))
    assert many.loc[name, "ok"]
    assert many.loc["smallest p-value that the resamples allow, adjusted", "ok"]
    short = boot(table(simulated(16, (5, 6, 6))), resamples=100)
    assert not checks(short).loc["smallest p-value that the resamples allow, adjusted", "ok"]
    assert np.isinf(short.contrasts(all=True)["conf_low"]).all()
    assert not short.relation().strict.any()
    worst = checks(boot(table(simulated(16, SHAPE)), statistic="worst", resample="datasets"))
    assert not worst.loc["data sets beyond the quantile", "ok"]


@pytest.mark.slow
def test_a_verdict_near_the_level_is_named():
    scores = table(simulated(17, (1, 30, 2), effect=0.35))
    for seed in range(40):
        result = boot(scores, resamples=200, seed=seed)
        row, p = checks(result), result.contrasts(all=True).iloc[0]
        near = abs(p["p_value"] - 0.05) < 2 * p["p_error"]
        assert row.loc["pairs within the Monte Carlo error of the level", "ok"] <= (not near)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"statistic": "mode"}, "statistic is 'mode'"),
        ({"statistic": 1.5}, "statistic is 1.5"),
        ({"resample": "rows"}, "unknown resample 'rows'"),
        ({"interval": "normal"}, "unknown interval 'normal'"),
        ({"adjust": "bonferroni"}, "unknown adjust 'bonferroni'"),
        ({"alternative": "less"}, "unknown alternative 'less'"),
        ({"resamples": 10}, "resamples is 10"),
        ({"resamples": 1000.5}, "resamples is 1000.5"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 1.5}, "seed is 1.5"),
        ({"level": 1}, "level is 1"),
        ({"goal": 1.0}, "goal is 1.0"),
        ({"statistic": "optimality-gap"}, "what counts as reached"),
        ({"missing": "drop"}, "unknown missing 'drop'"),
    ],
)
def test_refusals(options, text):
    with pytest.raises(DesignError, match=text):
        boot(table(simulated(18, SHAPE)), **options)


def test_three_pairs_on_two_replications_are_undecided():
    # t with one degree of freedom reaches so far out that no share of the draws is left.
    found = boot(table(simulated(19, (1, 2, 3))))
    assert (found.contrasts(all=True)["verdict"] == "undecided").all()
    assert np.isinf(found.contrasts(all=True)["conf_low"]).all()


def test_refusals_of_tables():
    values = simulated(19, SHAPE)
    values[1, :, 2] = np.nan
    with pytest.raises(DesignError, match="1 of 32 cells lack scores"):
        boot(table(values), missing="error")
    with pytest.raises(DesignError, match="there is one data set"):
        boot(table(simulated(19, (1, 9, 2))), resample="both")
    with pytest.raises(DesignError, match="no data set has several replications"):
        boot(table(simulated(19, (9, 1, 2))))
    twice = pd.concat([table(simulated(seed, (1, 1, 2))).to_frame() for seed in (1, 2)])
    kept = bi.read_scores(twice, measures="score:higher", repeats="keep", paired=True)
    with pytest.raises(DesignError, match="repeats count as one replication: a column"):
        boot(kept)
    cv = table(simulated(19, (4, 10, 2)), resampling=bi.Resampling("cv", folds=10))
    with pytest.raises(DesignError, match="replications come from 'cv'"):
        boot(cv)
    assert boot(cv, resample="datasets").target == "domain"


def test_of_a_table_with_empty_cells_the_complete_part_is_resampled():
    values = simulated(19, SHAPE)
    values[1, :, 2] = np.nan
    found, whole = boot(table(values)), boot(table(values).subset(datasets=_but(1)))
    pd.testing.assert_frame_equal(found.contrasts(all=True), whole.contrasts(all=True))
    assert "leaving out the data set d01 for empty cells" in found.headline()
    assert "scores left out of the complete part" in found.diagnostics()["check"].tolist()
    values[3:, :, 2] = np.nan
    assert boot(table(values)).algorithms == ("a", "b", "d")
    assert boot(table(values), control="c", contrasts="dunnett").algorithms == tuple("abcd")


def _but(one):
    return [f"d{i:02d}" for i in range(SHAPE[0]) if i != one]


def test_contrasts_of_averages_and_a_control():
    values = simulated(20, SHAPE)
    weights = {"ab - cd": {"a": 0.5, "b": 0.5, "c": -0.5, "d": -0.5}}
    rows = boot(table(values), contrasts=weights, statistic="mean").contrasts(all=True)
    means = values.mean(axis=(0, 1))
    assert rows["estimate"][0] == pytest.approx(means[:2].mean() - means[2:].mean())
    dunnett = boot(table(values), contrasts="dunnett", control="b")
    assert len(dunnett.contrasts(all=True)) == 3
    best = boot(table(values), contrasts="dunnett", control="best")
    assert len(best.contrasts(all=True)) == 3
    assert "shown: the 3 pairs with d" in best.method


@pytest.mark.slow
def test_report_and_data_sets_one_by_one(tmp_path):
    scores = table(simulated(21, (3, 8, 3)))
    gap = boot(scores, statistic="optimality-gap", goal=2.0)
    page = bi.report([gap, boot(scores)], tmp_path / "report.html").read_text()
    assert "optimality gap of score" in page
    assert "Bootstrap of aggregates" in page
    local = bi.per_dataset(bi.compare_bootstrap, scores, resamples=500, seed=1)
    assert len(local) == 3


@pytest.mark.slow
def test_resamples_grow_with_the_pairs_so_that_bounds_are_finite():
    few = bi.compare_bootstrap(table(simulated(19, (10, 8, 2))), seed=1)
    assert few.provenance.arguments["resamples"] == 10_000
    many = bi.compare_bootstrap(table(simulated(19, (10, 8, 10)), "abcdefghij"), seed=1)
    n = many.provenance.arguments["resamples"]
    assert 100_000 < n < 300_000
    assert f"In {n:,} bootstrap resamples" in many.method
    assert np.isfinite(many.contrasts(all=True)[["conf_low", "conf_high"]]).all(axis=None)
    assert checks(many).loc["smallest p-value that the resamples allow, adjusted", "ok"]


@pytest.mark.parametrize("resamples", ["auto", 50_000])
@pytest.mark.parametrize("interval", ["expanded", "percentile"])
def test_of_five_data_sets_no_number_of_resamples_decides_a_pair(resamples, interval):
    scores = table(simulated(20, (5, 3, 2)) + np.array([0.0, 50.0]))
    found = boot(scores, resample="datasets", resamples=resamples, interval=interval)
    row = found.contrasts(all=True).iloc[0]
    assert (row["p_value"], row["verdict"], row["p_error"]) == (2 * 2**-5, "undecided", 0)
    assert np.isinf([row["conf_low"], row["conf_high"]]).all()
    assert np.isfinite(found.summary()[["conf_low", "conf_high"]]).all(axis=None)
    told = checks(found).loc["smallest p-value that the resamples allow, adjusted"]
    assert (told["value"], told["ok"]) == (0.0625, False)
    assert "6 data sets" in told["remedy"]
    six = table(simulated(20, (6, 3, 2)) + np.array([0.0, 50.0]))
    assert boot(six, resample="datasets").contrasts(all=True)["verdict"][0] == "second"


def test_scores_far_from_zero_are_told_apart_as_near_it():
    values = simulated(21, SHAPE)
    near = boot(table(values)).contrasts(all=True)
    far = boot(table(1e9 + np.round(values * 1e3) / 1e6)).contrasts(all=True)
    assert far["p_value"].to_numpy() == pytest.approx(near["p_value"].to_numpy(), abs=0.01)


def test_a_median_of_data_sets_far_apart_rests_on_the_replications_of_one():
    rng = np.random.default_rng(8)
    values = rng.normal(size=(5, 5, 3)) + 20 * np.arange(5)[:, None, None] + 5 * np.arange(3)
    far = boot(table(values), statistic="median")
    assert (far.pairs.codes == Verdict.UNDECIDED).all()
    row = checks(far).loc["smallest p-value that the resamples allow, adjusted"]
    assert not row["ok"]
    assert row["value"] == pytest.approx(2 * 3 * 0.5**5)
    assert "No number of resamples helps" in row["remedy"]
    # The mean of all data sets rests on all of them.
    assert (boot(table(values), statistic="mean").pairs.codes != Verdict.UNDECIDED).all()


def test_a_failed_run_that_carries_the_error_has_a_row():
    values = np.random.default_rng(9).normal(size=(5, 10, 3))
    name = "share of one replication in the variance of a contrast, largest"
    assert checks(boot(table(values))).loc[name, "ok"]
    values[2, 4, 1] -= 50
    mean = checks(boot(table(values), statistic="mean")).loc[name]
    assert (mean["ok"], mean["value"] > 0.8) == (False, True)
    # The interquartile mean cuts it off.
    assert checks(boot(table(values))).loc[name, "ok"]
    assert name not in checks(boot(table(values), resample="datasets")).index
