"""The tests of the literature: what they see, refuse and say."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.bayes.pairwise import fit
from benchinfer.comparison.posterior import Convergence
from benchinfer.core.frames import GLOSSARY

TESTS = ("corani2017", "signed-rank", "sign")
SHARES = ["prob_first", "prob_equivalent", "prob_second"]
DOMINANT = ["dominant_first", "dominant_equivalent", "dominant_second"]


def simulated(d=8, b=6, k=3, seed=1, spread=0.4):
    """Return a long frame: the last algorithm is best."""
    rng = np.random.default_rng(seed)
    m, r, a = (x.ravel() for x in np.indices((d, b, k)))
    effect = spread * rng.standard_normal((d, k)) + np.arange(k)
    value = effect[m, a] + rng.standard_normal((d, b))[m, r] + 0.3 * rng.standard_normal(m.size)
    names = np.array([f"a{i}" for i in range(k)])
    return pd.DataFrame(
        {"dataset": [f"d{i}" for i in m], "replication": r, "algorithm": names[a], "value": value}
    )


def read(frame, tolerance=0.2, better="higher", **options):
    rows = frame.assign(measure="score")
    options = {"resampling": bi.Resampling("cv", folds=6)} | options
    return bi.read_scores(
        rows, measures=[bi.Measure("score", better, tolerance=tolerance)], **options
    )


def ask(scores, test, **options):
    brief = {"corani2017": {"draws": 100, "chains": 4}, "signed-rank": {"draws": 4000}}
    options = brief.get(test, {}) | options
    return bi.compare_bayes_pairs(scores, test=test, seed=1, **options)


@pytest.fixture(scope="module", autouse=True)
def brief():
    """Warm up briefly, and take the first draws, however few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fit, "WARM_UP", 100)
        patch.setattr(Convergence, "passed", property(lambda _: True))
        patch.setattr(Convergence, "settled", property(lambda _: True))
        yield


@pytest.fixture(scope="module")
def scores():
    return read(simulated())


@cache
def plainly(test):
    return ask(read(simulated()), test)


@pytest.fixture(scope="module", params=TESTS)
def result(request):
    return plainly(request.param)


def test_probabilities_are_whole_and_verdicts_follow_them(result):
    rows = result.contrasts(all=True)
    np.testing.assert_allclose(rows[SHARES].sum(axis=1), 1)
    np.testing.assert_allclose(result.dominance()[DOMINANT].sum(axis=1), 1)
    assert not rows.drop(columns="winner").isna().any().any()
    high = rows[SHARES].max(axis=1) >= 0.95
    assert ((rows["verdict"] != "undecided") == high).all()
    ahead = result.dominance()[DOMINANT].to_numpy()[
        np.arange(3), rows[SHARES].to_numpy().argmax(axis=1)
    ]
    np.testing.assert_allclose(rows["p_dominant"], ahead)
    assert (rows["quantity"] == "next").all()
    assert set(rows.columns) | set(result.dominance().columns) <= set(GLOSSARY)


def test_dominant_outcomes_decide_as_the_papers_do(result):
    values = result.of("dominant")
    rows, shares = values.contrasts(all=True), result.dominance()[DOMINANT]
    np.testing.assert_array_equal(rows[SHARES], shares)
    assert "not the probability of the outcome" in values.rule
    assert values.headline().startswith("By the most probable outcome on the ")
    best = rows[(rows["first"] == "a0") & (rows["second"] == "a2")]
    assert best["winner"].item() == "a2"


def test_flipping_sign_and_direction_changes_nothing(result):
    turned = simulated()
    turned["value"] = -turned["value"]
    other = ask(read(turned, better="lower"), result.test)
    np.testing.assert_allclose(
        other.contrasts(all=True)[SHARES], result.contrasts(all=True)[SHARES]
    )
    np.testing.assert_allclose(
        other.contrasts(all=True)["estimate"], -result.contrasts(all=True)["estimate"]
    )


@pytest.mark.slow
def test_results_are_the_same_from_a_file(result, tmp_path):
    again = bi.load(result.save(tmp_path / "r.json"))
    pd.testing.assert_frame_equal(again.contrasts(all=True), result.contrasts(all=True))
    pd.testing.assert_frame_equal(again.dominance(), result.dominance())
    assert again.method == result.method
    one, other = again.posterior["posterior"], result.posterior["posterior"]
    assert one.to_dataset().identical(other.to_dataset())


def test_posterior_has_the_means_that_are_printed(result):
    values = result.posterior["posterior"]
    if result.test == "corani2017":
        assert set(values.data_vars) == {"delta0", "std0", "nu", "alpha", "beta"}
        mean = values["delta0"].mean(("chain", "draw")).to_numpy()
        np.testing.assert_allclose(mean, result.contrasts("average", all=True)["estimate"])
        return
    share = values["share"]
    error = share.std(("chain", "draw")).to_numpy() / np.sqrt(share.sizes["draw"])
    off = share.mean(("chain", "draw")).to_numpy() - result.contrasts(all=True)[SHARES].to_numpy()
    assert (np.abs(off) < 4.5 * error + 1e-12).all()


@pytest.mark.parametrize("test", TESTS)
def test_missing_cells_are_left_out_and_counted_not_taken_for_equality(test):
    frame = simulated()
    gone = (frame["algorithm"] == "a2") & frame["dataset"].isin(["d0", "d1", "d2"])
    result = ask(read(frame[~gone]), test)
    assert result.dominance()["n_datasets"].tolist() == [8, 5, 5]
    checks = result.diagnostics().set_index("check")
    assert checks.loc["data sets left out of a pair", "value"] == 3
    without = ask(read(frame[~frame["dataset"].isin(["d0", "d1", "d2"])]), test)
    one, other = (x.contrasts(all=True)[SHARES].to_numpy()[1:] for x in (result, without))
    np.testing.assert_allclose(one, other, atol=0.05 if test == "corani2017" else 1e-12)
    assert np.isfinite(result.summary()["estimate"]).all()


def test_levels_are_as_if_no_cell_were_missing():
    frame = simulated(spread=0.0, seed=3)
    hard = frame["dataset"].isin(["d0", "d1", "d2"])
    frame.loc[hard, "value"] -= 50
    level = ask(read(frame[~(hard & (frame["algorithm"] == "a2"))]), "sign").summary()["estimate"]
    assert level[2] - level[0] == pytest.approx(2, abs=0.5)


def test_everything_that_does_not_go_with_a_test_is_named_at_once(scores):
    with pytest.raises(bi.DesignError) as error:
        bi.compare_bayes_pairs(scores, test="sign", quantity="average", draws=200, chains=4)
    text = str(error.value)
    assert text.startswith("3 arguments do not go with test='sign'.")
    for name in ("quantity", "draws", "chains"):
        assert f"{name}=" in text
    with pytest.raises(bi.DesignError, match=r"priors=PseudoObservation\(...\)"):
        bi.compare_bayes_pairs(scores, test="corani2017", priors=bi.priors.PseudoObservation())
    with pytest.raises(bi.DesignError, match="unknown test"):
        bi.compare_bayes_pairs(scores, test="wilcoxon")
    with pytest.raises(bi.DesignError, match="priors is"):
        bi.compare_bayes_pairs(scores, priors=bi.priors.Priors())
    with pytest.raises(bi.DesignError, match="priors is"):
        bi.compare_bayes(scores, priors=bi.priors.PseudoObservation())
    with pytest.raises(bi.DesignError, match="not averages of several"):
        bi.compare_bayes_pairs(scores, test="sign", contrasts="mean")


def test_what_replications_do_not_bear_is_refused():
    frame = simulated()
    with pytest.raises(bi.DesignError, match="needs replications that algorithms share"):
        ask(read(frame, resampling=bi.Resampling("seeds")), "corani2017")
    one = frame[frame["replication"] == 0]
    with pytest.raises(bi.DesignError, match="3 of 3 pairs have fewer than 2 data sets") as error:
        ask(read(one), "corani2017")
    assert 'test="signed-rank" needs no replications' in str(error.value)
    assert len(ask(read(one), "signed-rank").contrasts(all=True)) == 3
    with pytest.raises(bi.DesignError, match="fewer than 2 data sets with scores of both"):
        ask(read(frame[frame["dataset"] == "d0"]), "sign")


def test_differences_that_repeat_exactly_get_the_noise_of_the_paper():
    frame = simulated()
    wide = frame.pivot_table(index=["dataset", "replication"], columns="algorithm", values="value")
    wide.loc["d1", "a1"] = wide.loc["d1", "a0"].to_numpy() + 0.05
    frame = wide.reset_index().melt(["dataset", "replication"])
    result = ask(read(frame), "corani2017")
    row = result.diagnostics().set_index("check").loc["differences that repeat exactly"]
    assert row["value"] == 1
    assert result.differences.square[0, 1] == pytest.approx(6 * 0.2**2 / 3)
    assert result.differences.mean[0, 1] == pytest.approx(-0.05)
    with pytest.raises(bi.DesignError, match="in 1 of 24 cases differences of a pair repeat"):
        ask(read(frame, tolerance=0.0), "corani2017")


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("scale", [2.0**30, 2.0**-30])
def test_units_change_nothing(test, scale):
    frame, plain = simulated(), plainly(test)
    frame["value"] *= scale
    scaled = ask(read(frame, tolerance=0.2 * scale), test)
    np.testing.assert_allclose(
        scaled.contrasts(all=True)[SHARES], plain.contrasts(all=True)[SHARES], atol=1e-9
    )
    frame["value"] += 1e8 * scale
    shifted = ask(read(frame, tolerance=0.2 * scale), test)
    np.testing.assert_allclose(
        shifted.contrasts(all=True)[SHARES], plain.contrasts(all=True)[SHARES], atol=0.02
    )


@pytest.mark.parametrize("test", TESTS)
def test_duplicates_are_equivalent(test):
    frame = simulated(d=12)
    twin = frame[frame["algorithm"] == "a2"].assign(algorithm="twin")
    result = ask(read(pd.concat([frame, twin])), test, quantity="dominant")
    rows = result.contrasts(all=True).set_index(["first", "second"])
    assert rows.loc[("a2", "twin"), "verdict"] == "equivalent"
    assert np.isfinite(rows[SHARES].to_numpy()).all()


@pytest.mark.parametrize("test", TESTS)
def test_two_data_sets_are_answered_with_a_warning(test):
    result = ask(read(simulated(d=2)), test)
    assert np.isfinite(result.contrasts(all=True)[SHARES].to_numpy()).all()
    failed = result.diagnostics().query("not ok").set_index("check")
    assert failed.loc["fewest data sets of a pair", "sentence"].endswith(
        "leaves much to the prior."
    )


@pytest.mark.parametrize("test", ["signed-rank", "sign"])
def test_equal_scores_are_equivalent_or_no_answer(test):
    frame = simulated().assign(value=1.0)
    assert (ask(read(frame), test).contrasts(all=True)["verdict"] == "equivalent").all()
    open_ = ask(read(frame, tolerance=0.0), test)
    np.testing.assert_allclose(open_.contrasts(all=True)[SHARES], [[0.5, 0, 0.5]] * 3, atol=1e-12)


def test_sign_test_is_a_dirichlet_distribution(scores):
    result = ask(scores, "sign")
    difference = scores.cells("score").mean @ np.array([1.0, -1.0, 0.0])
    counts = [
        (difference > 0.2).sum(),
        (np.abs(difference) <= 0.2).sum(),
        (difference < -0.2).sum(),
    ]
    alpha = np.array(counts) + np.array([0, 1, 0])
    np.testing.assert_allclose(result.contrasts(all=True)[SHARES].iloc[0], alpha / 9)
    drawn = stats.dirichlet(np.maximum(alpha, 1e-9)).rvs(100_000, random_state=1).argmax(axis=1)
    shares = np.bincount(drawn, minlength=3) / 100_000
    np.testing.assert_allclose(result.dominance()[DOMINANT].iloc[0], shares, atol=0.007)


def test_pseudo_observation_moves_what_is_expected(scores):
    first, second = (
        ask(scores, "sign", priors=bi.priors.PseudoObservation(strength=3, place=place)).contrasts(
            all=True
        )
        for place in ("first", "second")
    )
    assert (first["prob_first"] - second["prob_first"]).to_numpy() == pytest.approx(3 / 11)
    with pytest.raises(bi.DesignError, match="strength is -1"):
        bi.priors.PseudoObservation(strength=-1)
    with pytest.raises(bi.DesignError, match="unknown place"):
        bi.priors.PseudoObservation(place="left")


def test_average_is_that_of_the_hierarchical_model_alone(scores):
    result = ask(scores, "corani2017", quantity="average")
    assert result.contrasts(all=True)["winner"].tolist() == ["a1", "a2", "a2"]
    assert "on a typical data set (delta0)" in result.rule
    with pytest.raises(bi.DesignError, match="says nothing of the average"):
        ask(scores, "sign").of("average")
    with pytest.raises(bi.DesignError, match="unknown quantity"):
        result.of("mean")


def test_control_narrows_the_pairs(scores):
    result = ask(scores, "sign", contrasts="dunnett", control="a0")
    assert result.contrasts(all=True)["second"].tolist() == ["a0", "a0"]


def test_what_a_data_set_says_is_drawn_to_the_average(scores):
    values = plainly("corani2017")
    table = values.shrunken()
    assert len(table) == 24
    assert set(table.columns) <= set(GLOSSARY)
    cells = scores.cells("score").mean
    own = table[(table["first"] == "a0") & (table["second"] == "a1")]
    np.testing.assert_allclose(own["estimate"], cells[:, 0] - cells[:, 1])
    assert own["shrunken"].std() < own["estimate"].std()
    average = values.contrasts("average", all=True)["estimate"].iloc[0]
    nearer = (own["shrunken"] - average).abs() < (own["estimate"] - average).abs() + 0.02
    assert nearer.all()
    assert (table["std_error"] > 0).all()
    with pytest.raises(bi.DesignError, match="takes each data set's mean difference as it is"):
        ask(scores, "sign").shrunken()


def test_headings_name_the_test(result):
    words = {"corani2017": "Corani et al. 2017", "signed-rank": "signed-rank", "sign": "sign test"}
    assert words[result.test] in result._heading


@pytest.mark.slow
def test_pairs_that_do_not_settle_are_sampled_twice_and_it_is_said(scores, monkeypatch):
    monkeypatch.setattr(Convergence, "passed", property(lambda _: False))
    monkeypatch.setattr("benchinfer.comparison.posterior.ESS", 1e6)
    result = ask(scores, "corani2017", draws=100)
    assert result.extended == 3
    assert result.draws.nu.shape == (3, 4, 100)
    checks = result.diagnostics().set_index("check")
    assert (
        "(3 pairs sampled twice)"
        in checks.loc["smallest effective sample size, middle", "sentence"]
    )


def test_many_draws_are_thinned_in_the_result(scores, monkeypatch):
    monkeypatch.setattr(fit, "_MOST", 1000)
    tasks = []
    result = ask(scores, "corani2017", progress=lambda task, *_: tasks.append(task))
    assert result.draws.nu.shape == (3, 4, 50)
    assert set(tasks) <= {f"pair {k} of 3, draws" for k in (1, 2, 3)}
