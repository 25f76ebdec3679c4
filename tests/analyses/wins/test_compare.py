"""Comparisons by wins."""

from dataclasses import replace

import arviz
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import benchinfer as bi
from benchinfer.analyses.wins import compare as asking
from benchinfer.analyses.wins import posterior
from benchinfer.analyses.wins.figures import layout_worths
from benchinfer.analyses.wins.numerics import likelihood
from benchinfer.analyses.wins.numerics.robust import robust_errors
from benchinfer.analyses.wins.numerics.tally import count
from benchinfer.comparison import posterior as comparison_posterior
from benchinfer.comparison.figures.forest import layout
from benchinfer.comparison.sections import contrasts
from tests.analyses.mixed.test_compare import table as scores_table


def _table(seed=1, datasets=20, k=4, replications=1, step=0.5, *, paired=True):
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{m:02}", f"r{b}", f"a{i}", step * i + rng.gumbel())
        for m in range(datasets)
        for b in range(replications)
        for i in range(k)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "replication", "algorithm", "value"])
    return bi.read_scores(frame, measures={"value": "higher"}, paired=paired)


@pytest.fixture(scope="module", autouse=True)
def brief():
    """Warm up briefly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(posterior, "WARM_UP", 300)
        yield


@pytest.fixture(scope="module")
def scores():
    return _table()


@pytest.fixture(scope="module")
def found(scores):
    return bi.compare_wins(scores)


@pytest.fixture(scope="module")
def sampled(scores):
    return bi.compare_wins(scores, inference="bayes", seed=1, draws=400)


WINS = pd.DataFrame(
    {
        "first": ["a", "a", "b"],
        "second": ["b", "c", "c"],
        "wins": [6, 7, 5],
        "ties": [1, 0, 2],
        "losses": [3, 3, 4],
    }
)


def test_contrasts_are_odds_with_counts(found, scores):
    table, cells = found.contrasts(all=True), scores.cells("value").mean
    names = list(found.algorithms)
    for row in table.to_dict("records"):
        i, j = names.index(row["first"]), names.index(row["second"])
        assert row["wins"] == (cells[:, i] > cells[:, j]).sum()
        assert row["losses"] == (cells[:, i] < cells[:, j]).sum()
        assert row["n_contests"] == 20
        worth = found.log_worth[i] - found.log_worth[j]
        assert row["estimate"] == pytest.approx(np.exp(worth))
        assert row["prob_win"] == pytest.approx(expit(worth))
    assert (table["df"] == 19).all()
    assert found.errors == "robust"


def test_counts_of_a_control_are_those_of_its_pairs(scores, found):
    table = bi.compare_wins(scores, contrasts="dunnett", control="a0").contrasts(all=True)
    all_pairs = found.contrasts(all=True)
    turned = all_pairs[all_pairs["first"] == "a0"]
    assert table["wins"].tolist() == turned["losses"].tolist()
    mean = bi.compare_wins(scores, contrasts="mean").contrasts(all=True)
    assert "wins" not in mean
    assert "prob_win" in mean


def test_lower_is_better_turns_wins_around():
    rng = np.random.default_rng(3)
    rows = [(f"d{m}", f"a{i}", rng.normal() + i) for m in range(12) for i in range(3)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "value"])
    up = bi.compare_wins(bi.read_scores(frame, measures={"value": "higher"}))
    frame["value"] *= -1
    down = bi.compare_wins(bi.read_scores(frame, measures={"value": "lower"}))
    np.testing.assert_allclose(up.log_worth, down.log_worth)
    assert up.relation() == down.relation()
    assert "(value, lower is better)" in down.headline()


def test_summary_has_worths_and_contests(found):
    table = found.summary()
    assert table["worth"].sum() == pytest.approx(1)
    assert (table["wins"] + table["losses"] == 60).all()
    np.testing.assert_allclose(table["estimate"], expit(found.log_worth))
    assert (table["quasi_error"] > 0).all()


def test_robust_errors_exceed_those_of_independent_contests(scores, found):
    other = bi.compare_wins(scores, errors="independent")
    assert robust_errors(found.counted.tally, found.inference.fit).inflation() > 1.2
    checks = other.diagnostics().set_index("check")
    name = "standard errors by data set, over those of independent contests"
    assert not checks.loc[name, "ok"]
    assert found.diagnostics().set_index("check").loc[name, "ok"]
    assert other.evidence.std_error.mean() < found.evidence.std_error.mean()


def test_robust_errors_go_with_holm_and_sidak(scores, found):
    assert "Holm's over all 6 pairs" in found.method
    assert "Sidak" not in found.method
    apart = bi.compare_wins(scores, interval="simultaneous").method
    assert "Holm's over all 6 pairs" in apart
    assert "Sidak's" in apart
    for adjust in ("single-step", "westfall"):
        with pytest.raises(bi.DesignError, match='adjust="holm" goes with robust errors'):
            bi.compare_wins(scores, adjust=adjust)
    other = bi.compare_wins(scores, errors="independent")
    assert "single-step" in other.method


@pytest.mark.parametrize("datasets", [2, 3, 4])
def test_few_data_sets_are_refused_unless_asked_for(datasets):
    few = _table(datasets=datasets, seed=3, step=0.0)
    asked = {"ties": "half", "penalised": True}
    with pytest.raises(bi.DesignError, match=f"^{datasets} data sets .* fewer than 5") as error:
        bi.compare_wins(few, **asked)
    assert 'errors="independent"' in str(error.value)
    for errors in ("independent", "robust"):
        found = bi.compare_wins(few, errors=errors, **asked)
        rows = found.diagnostics().set_index("check")
        assert not rows.loc["data sets with contests", "ok"]
        assert rows.loc["data sets with contests", "direction"] == "at least"
        assert not rows["remedy"].str.contains('errors="robust"').any()


def test_algorithms_that_always_tie_are_undecided_and_named():
    rng = np.random.default_rng(6)
    values = rng.normal(size=(10, 1, 4))
    values[:, :, 3] = values[:, :, 2]
    found = bi.compare_wins(scores_table(values, measures={"score": "higher"}))
    table = found.contrasts(all=True).set_index(["first", "second"])
    same = table.loc[("c", "d")]
    assert (same["estimate"], same["verdict"]) == (1.0, "undecided")
    assert same["ties"] == 10
    # The others are as sure as without the copy's pair.
    assert np.isfinite(table.drop(("c", "d"))[["conf_low", "conf_high"]]).all(axis=None)
    rows = found.diagnostics().set_index("check")
    row = rows.loc["pairs with the same difference on every data set"]
    assert row["sentence"].endswith("(c and d).")


def test_ties_are_those_of_ranks_whatever_the_unit():
    first = np.round([1 / 3, 2 / 3, 1 / 7], 12)
    second = np.array([first[2] + 1e-12, first[0], first[1]])
    one = np.stack([first, second, [0.1, 0.2, 0.3]], axis=1)
    for unit, zero in ((1.0, 0.0), (1e-9, 0.0), (1e6, 0.0), (1.0, 50.0)):
        values = np.repeat(one[None], 8, axis=0) * unit + zero
        scores = scores_table(values, measures={"score": "higher"})
        found = bi.compare_wins(scores, ties="half", penalised=True)
        pair = found.contrasts(all=True).iloc[0]
        assert (pair["wins"], pair["ties"], pair["losses"]) == (0, 8, 0)
        ranked = bi.compare_permutation(scores, seed=1)
        assert ranked.ranks.mean_ranks.tolist() == [1.5, 1.5, 3]
        for result in (found, ranked):
            rows = result.diagnostics().set_index("check")
            assert rows.loc["scores taken as equal to another though they differ", "value"] == 8
    assert "scores taken" not in " ".join(bi.compare_wins(_table()).diagnostics()["check"])


def test_ties_come_from_the_tolerance_and_are_stated(scores):
    wide = bi.compare_wins(scores, tie_tolerance=0.5)
    counted = count(scores.cells("value").mean, np.arange(20), 0.5).total
    assert wide.wins()["ties"].tolist() == counted.ties[0].tolist()
    assert "means that differ by at most 0.5 are ties" in wide.method
    assert wide.inference.fit.tie is not None
    assert "Davidson" in wide.method
    half = bi.compare_wins(scores, tie_tolerance=0.5, ties="half")
    assert "half a win" in half.method
    assert half.inference.fit.tie is None


def test_a_local_rope_of_paired_replications_is_wainers():
    table = _table(2, replications=5, step=0.4)
    found = bi.compare_wins(table, local_rope=0.4).wins()
    blocks = table.blocks("value")
    for row in found.to_dict("records"):
        i, j = int(row["first"][1]), int(row["second"][1])
        ties = 0
        for m in range(20):
            d = (blocks.mean[:, i] - blocks.mean[:, j])[blocks.dataset == m]
            ties += abs(d.mean()) <= 0.4 * d.std(ddof=1)
        assert row["ties"] == ties
    assert found["ties"].sum() > 0


def test_a_local_rope_of_unpaired_replications_pools_the_deviations():
    table = _table(2, replications=5, step=0.4, paired=False)
    found = bi.compare_wins(table, local_rope=0.4).wins()
    cells = table.cells("value")
    d = np.abs(cells.mean[:, 0] - cells.mean[:, 1])
    sd = np.sqrt((cells.sd[:, 0] ** 2 + cells.sd[:, 1] ** 2) / 2)
    assert found["ties"].iloc[0] == (d <= 0.4 * sd).sum()


def test_replications_are_clustered_by_data_set():
    table = _table(4, replications=6)
    found = bi.compare_wins(table, by="replications")
    assert (found.wins()["n_contests"] == 120).all()
    assert (found.contrasts(all=True)["df"] == 19).all()
    assert "by wins on replications of data sets like these 20" in found.scope()


def test_one_data_set_is_compared_by_its_replications():
    table = _table(5, datasets=1, replications=30)
    found = bi.compare_wins(table, by="replications")
    assert found.target == "datasets"
    assert (found.contrasts(all=True)["df"] == 29).all()
    assert "replications of the data set d00" in found.headline()
    with pytest.raises(bi.DesignError, match="one data set is a single contest"):
        bi.compare_wins(table)


def test_only_data_sets_with_both_scores_count():
    rng = np.random.default_rng(6)
    rows = [
        (f"d{m:02}", f"a{i}", 0.3 * i + rng.gumbel())
        for m in range(16)
        for i in range(3)
        if not (i == 2 and m < 6)
    ]
    kept = pd.DataFrame(rows, columns=["dataset", "algorithm", "value"])
    found = bi.compare_wins(bi.read_scores(kept, measures={"value": "higher"}))
    assert found.wins()["n_contests"].tolist() == [16, 10, 10]
    with pytest.raises(bi.DesignError, match="6 of 48 cells lack scores"):
        bi.compare_wins(
            bi.read_scores(kept, measures={"value": "higher"}), missing="error"
        )  # fmt: skip


def _gapped(lone):
    """Return scores of 12 data sets: d on three of them, e on so many."""
    rng = np.random.default_rng(2)
    values = np.arange(5) / 2 + rng.gumbel(size=(12, 1, 5))
    values[3:, :, 3], values[lone:, :, 4] = np.nan, np.nan
    return scores_table(values, measures={"score": "higher"})


def test_gaps_leave_pairs_the_degrees_of_freedom_of_their_data_sets():
    found = bi.compare_wins(_gapped(12))
    df = found.contrasts(all=True).set_index(["first", "second"])["df"]
    of_d = df.index.get_level_values(0).isin(["d"]) | df.index.get_level_values(1).isin(["d"])
    assert (df[of_d] < 4).all()
    assert (df[~of_d] > 9).all()
    low, high = df.min(), df.max()
    assert f"with {low:.1f} to {high:.1f} degrees of freedom (Bell and McCaffrey)" in found.method
    row = found.diagnostics().set_index("check").loc["fewest degrees of freedom of a pair"]
    assert row["value"] == pytest.approx(low)
    assert row["sentence"].endswith("(e and d; d and c; d and b; and 1 more).")
    assert "Pustejovsky" in found.citations()


def test_pairs_of_an_algorithm_that_met_others_once_are_undecided_and_named():
    found = bi.compare_wins(_gapped(1), adjust="none")
    rows = found.contrasts(all=True).set_index(["first", "second"])
    lone = rows.index.get_level_values(1) == "e"
    assert set(rows["verdict"][lone]) == {"undecided"}
    assert (rows["p_value"][lone] == 1).all()
    assert (rows["conf_low"][lone] == 0).all()
    assert np.isinf(rows["conf_high"][lone]).all()
    assert np.isfinite(rows[~lone][["conf_low", "conf_high", "std_error"]]).all(axis=None)
    checks = found.diagnostics().set_index("check")
    row = checks.loc["pairs with an algorithm that met others on a single data set"]
    assert row["value"] == 4
    assert row["sentence"].endswith("(e and d; e and c; e and b; and 1 more).")
    assert checks.loc["pairs with the same difference on every data set", "ok"]
    table = found.summary().set_index("algorithm")
    assert table["quasi_error"].isna().tolist() == [False] * 4 + [True]
    assert "algorithms without a quasi-standard error" not in checks.index


def test_bounds_beyond_what_contests_show_are_open():
    rng = np.random.default_rng(4)
    values = np.array([0, 5, 1, 4, 2, 3]) / 2 + rng.gumbel(size=(6, 1, 6))
    found = bi.compare_wins(scores_table(values, measures={"score": "higher"}))
    bounds = found.contrasts(all=True)[["conf_low", "conf_high"]].to_numpy()
    low, high = bounds.T
    assert (low == 0).any()
    assert np.isinf(high).any()
    closed = bounds[(bounds > 0) & (bounds < np.inf)]
    assert len(closed)
    assert ((closed >= 1 / 1000) & (closed <= 1000)).all()
    said = (
        "Odds, and bounds of odds, beyond 1,000 to 1 are open: 90 contests do not show such odds."
    )
    assert found._interval_note() == said
    assert said in found.sentence()
    assert said in layout(found).notes
    levels = found.summary()[["conf_low", "conf_high"]].to_numpy()
    inner = levels[(levels > 0) & (levels < 1)]
    assert ((inner >= 1 / 1001) & (inner <= 1000 / 1001)).all()
    written = {cell.text for cells in contrasts(found).rows for cell in cells}
    assert any(text.startswith(("at most ", "at least ", "no bound")) for text in written)
    assert not any("e-" in text or "e+" in text for text in written)


def test_bounds_of_ordinary_tables_are_closed():
    rng = np.random.default_rng(3)
    values = np.arange(4) / 2 + rng.gumbel(size=(20, 1, 4))
    found = bi.compare_wins(scores_table(values, measures={"score": "higher"}))
    assert np.isfinite(found.contrasts(all=True)[["conf_low", "conf_high"]]).all(axis=None)
    assert found._interval_note() == ""


def test_odds_of_algorithms_that_never_lose_to_others_are_open():
    levels = np.arange(6) + np.random.default_rng(5).normal(size=(12, 1, 6)) / 10
    found = bi.compare_wins(scores_table(levels, measures={"score": "higher"}))
    odds = found.contrasts(all=True)["estimate"]
    assert np.isinf(odds).any() or (odds == 0).any()
    closed = odds[(odds > 0) & (odds < np.inf)]
    assert closed.between(1 / 1000, 1000).all()
    assert np.isfinite(found.evidence.estimate).all()
    assert found.contrasts(all=True)["prob_win"].between(0, 1, inclusive="neither").all()
    assert "open, at" in found.sentence()
    written = {cell.text for cells in contrasts(found).rows for cell in cells}
    assert "open" in written
    found.plot("forest")
    found.plot("ranking")


def test_published_counts():
    found = bi.compare_wins(bi.read_wins(WINS, name="accuracy"))
    assert found.errors == "independent"
    assert str(found).startswith("By wins as published, ")
    assert "accuracy, higher is better" in found.headline()
    checks = found.diagnostics().set_index("check")
    assert not checks.loc["contests known to be of one data set", "ok"]
    with pytest.raises(bi.DesignError, match="counted already"):
        bi.compare_wins(bi.read_wins(WINS), tie_tolerance=0.1)
    with pytest.raises(bi.DesignError, match="need to know which contests go together"):
        bi.compare_wins(bi.read_wins(WINS), errors="robust")
    with pytest.raises(bi.DesignError, match="departures of data sets show"):
        bi.compare_wins(bi.read_wins(WINS), inference="bayes", departures=True)
    with pytest.raises(bi.DesignError, match="without scores"):
        found.plot("distributions")


@pytest.mark.slow
def test_separated_algorithms_are_penalised_and_named():
    table = bi.read_wins(WINS.assign(losses=[3, 0, 0], ties=0))
    found = bi.compare_wins(table)
    asked = bi.compare_wins(table, penalised=True, ties="half")
    np.testing.assert_array_equal(found.log_worth, asked.log_worth)
    assert found.log_worth.argmin() == 2
    assert "never lose to" in found.method
    assert "never lose to" not in asked.method
    row = found.diagnostics().iloc[-1]
    assert not row["ok"]
    assert row["sentence"].endswith(": a and b; c.")
    bayes = bi.compare_wins(table, inference="bayes", seed=1, draws=200, chains=4)
    assert bayes.log_worth.argmin() == 2


@pytest.mark.parametrize(("datasets", "decided"), [(5, 0), (6, 0), (8, 2), (9, 2)])
def test_one_that_always_loses_is_decided_where_sign_tests_are(datasets, decided):
    values = np.random.default_rng(datasets).random((datasets, 1, 3))
    values[1::2, 0, :2] = values[1::2, 0, 1::-1]
    values[:, 0, 2] -= 2
    found = bi.compare_wins(scores_table(values, measures={"score": "higher"}), adjust="none")
    rows = found.contrasts(all=True).set_index(["first", "second"])
    lost = rows.loc[[("a", "c"), ("b", "c")]]
    assert (lost["p_value"] >= 2 * 0.5**datasets - 1e-12).all()
    assert lost["p_value"].max() == pytest.approx(2 * 0.5**datasets)
    # Intervals go with the tests, of differences and of the level.
    low, high = (np.log(lost[name]) for name in ("conf_low", "conf_high"))
    own = np.log(lost["estimate"])
    reach = own - low
    # Odds beyond 1,000 to 1 are not told by so few contests.
    np.testing.assert_allclose(high - own, np.where(own + reach > np.log(1000), np.inf, reach))
    assert ((low > 0) == (lost["p_value"] <= 0.05)).all()
    held = bi.compare_wins(scores_table(values, measures={"score": "higher"}))
    assert (held.contrasts(all=True)["winner"] != "").sum() == decided


def test_ties_with_a_parameter_are_halved_where_one_always_loses():
    values = np.random.default_rng(5).random((9, 1, 4)).round(1)
    values[:, 0, 3] -= 3
    table = scores_table(values, measures={"score": "higher"})
    found, half = bi.compare_wins(table), bi.compare_wins(table, ties="half", penalised=True)
    assert found.counted.tally.ties.sum() > 0
    assert (found.ties, found.modelled_ties) == ("half", False)
    assert found.contrasts(all=True).equals(half.contrasts(all=True))
    assert found.predicted().equals(half.predicted())
    assert "half a win" in found.method
    assert "nu" not in found.formula


def test_parts_that_ties_alone_connect_are_refused_without_them():
    table = bi.read_wins(WINS.assign(wins=[4, 0, 0], losses=[3, 0, 0], ties=[0, 2, 2]))
    with pytest.raises(bi.DesignError, match="without ties the algorithms are in 2 parts"):
        bi.compare_wins(table, ties="drop")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"rope": 0.5}, "rope is 0.5"),
        ({"tie_tolerance": -1}, "tie_tolerance is -1"),
        ({"local_rope": np.nan}, "local_rope is nan"),
        ({"local_rope": 0.4}, "needs several scores"),
        ({"ties": "spread"}, "'spread'"),
        ({"inference": "mcmc"}, "'mcmc'"),
        ({"penalised": True}, "wins and losses alone"),
        ({"departures": True}, "departures is of a posterior"),
        ({"inference": "bayes", "adjust": "holm"}, "adjust is of tests"),
        ({"inference": "bayes", "draws": 33}, "draws is 33"),
        ({"inference": "bayes", "chains": 1}, "chains is 1"),
        ({"tie_tolerance": 1e6}, "all 120 contests are ties"),
        ({"level": 2}, "level is 2"),
    ],
)
def test_what_cannot_be_answered(scores, given, text):
    with pytest.raises(bi.DesignError, match=text):
        bi.compare_wins(scores, **given)


@pytest.mark.parametrize(("won", "decided"), [(1, False), (5, False), (10, True)])
def test_ties_whose_parameter_is_not_finite_are_halved(won, decided):
    values = np.full((12, 1, 3), 0.7)
    values[:won, 0, 0] = 1.7
    table = scores_table(values, measures={"score": "higher"})
    found = bi.compare_wins(table)
    half = bi.compare_wins(table, ties="half", penalised=True)
    np.testing.assert_array_equal(found.log_worth, half.log_worth)
    assert "parameter of ties" in found.method
    row = found.diagnostics().iloc[-1]
    assert row["value"] == found.counted.tally.ties.sum()
    assert not row["ok"]
    # Whoever lost to nobody is not surer than by the sign test of the contests that decide.
    rows = found.contrasts(all=True).set_index(["first", "second"]).loc[[("a", "b"), ("a", "c")]]
    assert (rows["p_raw"] >= 2.0 ** (1 - max(won, 2)) - 1e-12).all()
    assert ((rows["winner"] == "a") == decided).all()


def test_a_negative_quasi_variance_has_no_error():
    rng = np.random.default_rng(36)
    values = rng.normal(size=(8, 1, 5))
    values[:, :, 1] = values[:, :, 0] + 0.2 * rng.normal(size=(8, 1))
    found = bi.compare_wins(scores_table(values, measures={"score": "higher"}))
    assert (found.quasi.variance < 0).tolist() == [False, True, False, False, False]
    assert found.summary()["quasi_error"].isna().tolist() == [False, True, False, False, False]
    row = found.diagnostics().set_index("check").loc["algorithms without a quasi-standard error"]
    assert "worth of b " in row["sentence"]
    figure = layout_worths(found)
    lines = [row.low < row.high for row in figure.rows]
    assert sorted(lines) == [False, True, True, True, True]
    assert np.isfinite(figure.limits).all()
    assert "no line where" in figure.notes[0]


def test_a_likelihood_that_was_not_maximised_gives_no_verdict(scores, monkeypatch):
    monkeypatch.setattr(likelihood, "_STEPS", 1)
    with pytest.raises(bi.errors.FitError, match="no maximum that was reached"):
        bi.compare_wins(scores)


@pytest.mark.slow
def test_chains_that_do_not_agree_decide_no_pair(scores, sampled, monkeypatch):
    assert sampled.contrasts(all=True)["verdict"].isin(["first", "second"]).any()
    looked = comparison_posterior.settled
    monkeypatch.setattr(posterior, "settled", lambda *a: replace(looked(*a), r_hat=1.2))
    found = bi.compare_wins(scores, inference="bayes", seed=1, draws=400)
    assert set(found.contrasts(all=True)["verdict"]) == {"undecided"}
    rows = found.diagnostics().set_index("check")
    assert not rows.loc["largest R-hat of average effects and scales", "ok"]


def test_parts_that_never_met():
    rows = [(f"d{m}", a, float(m % 3 + n)) for m in range(8) for n, a in
            enumerate(("a", "b") if m < 4 else ("c", "d"))]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "value"])
    with pytest.raises(bi.DesignError, match="2 parts that never met"):
        bi.compare_wins(bi.read_scores(frame, measures={"value": "higher"}))


@pytest.mark.slow
def test_a_posterior_has_probabilities_and_gates(sampled):
    table = sampled.contrasts(all=True)
    three = table[["prob_first", "prob_equivalent", "prob_second"]]
    np.testing.assert_allclose(three.sum(axis=1), 1)
    assert (table["prob_more_wins"] >= table["prob_first"]).all()
    assert "p_value" not in table
    assert sampled.inference.convergence.passed
    decided = table["verdict"].isin(["first", "second"])
    assert (three.max(axis=1)[decided] >= 0.95).all()
    assert sampled.summary()["prob_best"].sum() == pytest.approx(1)
    assert "sampled by NUTS (nutpie; " in sampled.method
    with pytest.raises(bi.DesignError, match="not significant or otherwise"):
        sampled.relation("not-significant")
    names = sampled.diagnostics()["check"]
    assert not names.str.contains("data sets' effects").any()


def test_the_same_seed_gives_the_same_posterior(scores, sampled):
    again = bi.compare_wins(scores, inference="bayes", seed=1, draws=400)
    pd.testing.assert_frame_equal(again.contrasts(all=True), sampled.contrasts(all=True))


@pytest.fixture(scope="module")
def with_departures(scores):
    return bi.compare_wins(
        scores, inference="bayes", departures=True, seed=1, draws=200, chains=4
    )  # fmt: skip


@pytest.mark.slow
def test_posteriors_are_trees_that_arviz_reads(sampled, with_departures, found, scores):
    tied = bi.compare_wins(
        scores, inference="bayes", tie_tolerance=0.2, seed=1, draws=100, chains=4
    )
    for result, names in (
        (sampled, {"log_worth", "worth_scale"}),
        (tied, {"log_worth", "worth_scale", "log_nu"}),
        (with_departures, {"log_worth", "worth_scale", "departure_scale"}),
    ):
        tree = result.posterior
        assert set(tree.children) == {"posterior", "prior", "observed_data"}
        assert set(tree["posterior"].data_vars) == set(tree["prior"].data_vars) == names
        worth = tree["posterior"]["log_worth"]
        assert worth.dims == ("chain", "draw", "algorithm")
        np.testing.assert_allclose(worth.mean(("chain", "draw")), result.log_worth)
        seen = tree["observed_data"]
        assert float(seen["wins"].sum() + seen["ties"].sum() + seen["losses"].sum()) == 120
    summary = arviz.summary(sampled.posterior, var_names=["log_worth"])
    assert list(summary.index) == [f"log_worth[a{i}]" for i in range(4)]
    # Log worths have the prior's scale, about 1, less the one that their mean takes.
    prior = tied.posterior["prior"]
    assert np.median(prior["worth_scale"]) == pytest.approx(1, abs=0.3)
    with pytest.raises(bi.DesignError, match="maximum likelihood has no posterior"):
        _ = found.posterior


def test_departures_of_very_many_data_sets_are_refused(scores, monkeypatch):
    monkeypatch.setattr(asking, "_MOST_PAIRS", 100)
    with pytest.raises(bi.DesignError, match="20 data sets are too many to sample") as error:
        bi.compare_wins(scores, inference="bayes", departures=True)
    assert "robust errors" in str(error.value)


@pytest.mark.slow
def test_departures_make_a_posterior_less_sure(scores, sampled, with_departures):
    of_both = (result.inference.outcomes for result in (with_departures, sampled))
    wide, narrow = (np.mean(outcomes.high - outcomes.low) for outcomes in of_both)
    assert wide > 1.1 * narrow
    assert "worths of each data set that depart" in with_departures.method
    assert "R-hat of the data sets' effects" in " ".join(with_departures.diagnostics()["check"])
    with pytest.raises(bi.DesignError, match="contests are ties: with departures"):
        bi.compare_wins(scores, inference="bayes", departures=True, tie_tolerance=0.2)


def test_saved_and_loaded_again(sampled, tmp_path):
    back = bi.load(sampled.save(tmp_path / "wins.json"))
    pd.testing.assert_frame_equal(back.contrasts(all=True), sampled.contrasts(all=True))
    pd.testing.assert_frame_equal(back.predicted(), sampled.predicted())
    assert back.method == sampled.method


@pytest.mark.parametrize("which", ["found", "sampled"])
def test_predictions_are_near_what_was_seen(which, request):
    result = request.getfixturevalue(which)
    table = result.predicted()
    assert table["inside"].mean() > 0.6
    # A maximum of the likelihood has the wins of each algorithm right.
    if which == "found":
        total = dict.fromkeys(result.algorithms, 0.0)
        for row in table.to_dict("records"):
            n = 20
            total[row["first"]] += row["expected_wins"]
            total[row["second"]] += n - row["expected_wins"]
        wins = result.summary().set_index("algorithm")["wins"]
        np.testing.assert_allclose(list(total.values()), wins.to_numpy(), atol=1e-6)


@pytest.mark.parametrize("ties", ["davidson", "half"])
def test_predictions_from_the_other_side(ties):
    """With names that sort the other way the table stores each pair's other side."""
    other = {"a": "z", "b": "y", "c": "x"}
    named = WINS.replace({"first": other, "second": other})
    found, stored_turned = (bi.compare_wins(bi.read_wins(w), ties=ties) for w in (WINS, named))
    back = {new: old for old, new in other.items()}
    as_seen = stored_turned.predicted().replace({"first": back, "second": back})
    sides = as_seen[["first", "second"]].agg("".join, axis=1).tolist()
    assert sides == ["cb", "ca", "ba"]
    ranking = found.ranking()
    assert ranking == ("a", "b", "c")
    pd.testing.assert_frame_equal(
        found.pairs.in_order(as_seen).reset_index(drop=True),
        found.predicted(),
        rtol=1e-7,
    )
    pd.testing.assert_frame_equal(
        found.pairs.in_order(found.predicted(), ranking=ranking[::-1]).reset_index(drop=True),
        as_seen,
        rtol=1e-7,
    )
    assert as_seen["losses"].tolist() != as_seen["wins"].tolist()


def test_a_circle_does_not_fit_one_worth_each():
    beats = pd.DataFrame(
        {"first": ["a", "b", "c"], "second": ["b", "c", "a"], "wins": 20, "ties": 0, "losses": 2}
    )
    found = bi.compare_wins(bi.read_wins(beats))
    checks = found.diagnostics().set_index("check")
    name = "p-value of the win table under the model, contests taken as independent"
    assert checks.loc[name, "value"] < 1e-6
    assert not checks.loc[name, "ok"]
    np.testing.assert_allclose(found.log_worth, 0, atol=1e-9)
    assert not found.predicted()["inside"].any()


@pytest.mark.slow
def test_many_wins_within_the_region_are_equivalent():
    even = pd.DataFrame(
        {"first": ["a"], "second": ["b"], "wins": [2010], "ties": [0], "losses": [1990]}
    )
    found = bi.compare_wins(bi.read_wins(even))
    assert found.contrasts(all=True)["verdict"].tolist() == ["equivalent"]
    assert found.rope == pytest.approx(0.05)
    none = bi.compare_wins(bi.read_wins(even), rope=0)
    assert none.contrasts(all=True)["verdict"].tolist() == ["undecided"]
    assert "No region of equivalence" in none.rule
    bayes = bi.compare_wins(bi.read_wins(even), inference="bayes", seed=1, draws=1000)
    assert bayes.contrasts(all=True)["verdict"].tolist() == ["equivalent"]


def test_citations_name_the_models(found, sampled):
    assert "Davidson" in found.citations()
    assert "Quasi-Variances" in found.citations()
    assert "Hamiltonian" in sampled.citations()


@pytest.mark.parametrize(
    "options", [{"errors": "independent"}, {"inference": "bayes", "draws": 500}]
)
def test_levels_of_two_algorithms_are_against_the_other_one(options):
    # a beats b on 9 of 10 data sets.
    values = np.column_stack([np.r_[np.ones(9), -1.0], np.zeros(10)])
    found = bi.compare_wins(scores_table(values[:, None, :]), **options)
    rows, pair = found.summary().set_index("algorithm"), found.contrasts(all=True).iloc[0]
    odds = pair["estimate"]
    np.testing.assert_allclose(rows.loc["a", "estimate"], odds / (1 + odds), rtol=1e-9)
    np.testing.assert_allclose(rows.loc["b", "estimate"], 1 / (1 + odds), rtol=1e-9)
    np.testing.assert_allclose(np.diff(found.log_worth), -np.log(odds), rtol=1e-9)
    if "errors" in options:
        assert rows["estimate"].tolist() == pytest.approx([0.9, 0.1])
    low, high = pair["conf_low"], pair["conf_high"]
    np.testing.assert_allclose(rows.loc["a", "conf_low"], low / (1 + low), rtol=1e-6)
    np.testing.assert_allclose(rows.loc["a", "conf_high"], high / (1 + high), rtol=1e-6)
