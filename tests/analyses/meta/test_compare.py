"""Meta-analyses of tables and of published effects."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_1samp

import benchinfer as bi
from benchinfer.analyses.meta.numerics.moderation import moderated
from benchinfer.analyses.meta.numerics.pooling import NetworkPart, pool, tau_squared
from tests.analyses.mixed.test_compare import table as scores_table


@pytest.fixture(scope="module")
def scores():
    return bi.load_example("simulated/balanced")


@pytest.fixture(scope="module")
def meta(scores):
    return bi.compare_meta(scores)


def pair_of(scores, first, second):
    """Return differences of data set means with their sampling variances, by pandas."""
    wide = scores.to_frame().pivot_table("value", ["dataset", "replication"], "algorithm")
    gap = (wide[first] - wide[second]).groupby("dataset")
    return gap.mean().to_numpy(), (gap.var() / gap.size()).to_numpy()


def test_a_pair_alone_is_the_textbook_meta_analysis(scores):
    asked = {"pooling": "pairwise", "adjust": "none", "covariance": "own"}
    found = bi.compare_meta(scores, **asked).contrasts(all=True)
    for row in found.itertuples():
        y, v = pair_of(scores, row.first, row.second)
        part = NetworkPart(y, np.ones((len(y), 1)), v)
        got = pool(part, tau_squared([part]))
        assert row.estimate == pytest.approx(got.beta[0], rel=1e-8)
        assert row.std_error == pytest.approx(np.sqrt(got.cov[0, 0]), rel=1e-8)
        reach = student.ppf(0.975, len(y) - 1) * row.std_error
        assert (row.conf_low, row.conf_high) == pytest.approx(
            (row.estimate - reach, row.estimate + reach), rel=1e-8
        )


def test_two_algorithms_are_one_pair_either_way(scores):
    two = scores.subset(algorithms=scores.algorithms[:2])
    joint, alone = (bi.compare_meta(two, pooling=p) for p in ("network", "pairwise"))
    drop = ["p_equivalence"]
    pd.testing.assert_frame_equal(
        joint.contrasts(all=True).drop(columns=drop),
        alone.contrasts(all=True).drop(columns=drop),
        rtol=1e-8,
    )
    assert joint.heterogeneity()["tau2"][0] == pytest.approx(alone.heterogeneity()["tau2"][0])


def test_direction_and_names_do_not_matter(scores):
    frame = scores.to_frame()
    turned = frame.assign(value=-frame["value"])
    up, down = (
        bi.compare_meta(bi.read_scores(f, measures={"score": better}, resampling="independent"))
        for f, better in ((frame, "higher"), (turned, "lower"))
    )
    assert (up.pairs.codes == down.pairs.codes).all()
    np.testing.assert_allclose(
        up.contrasts(all=True)["estimate"], -down.contrasts(all=True)["estimate"]
    )
    np.testing.assert_allclose(up.summary()["prob_best"], down.summary()["prob_best"], atol=1e-9)


def test_predictions_add_the_heterogeneity(meta):
    ahead, now = meta.predict().contrasts(), meta.contrasts(all=True)
    # Robust errors are each pair's own, and so is how much it varies between data sets.
    n, of_all = meta.alone.n_datasets, meta.heterogeneity()["tau2"][0]
    drawn = ((n - 1) * meta.alone.tau2 + 4 * of_all) / (n + 3)
    np.testing.assert_allclose(ahead["std_error"] ** 2, now["std_error"] ** 2 + drawn)
    np.testing.assert_allclose(ahead["estimate"], now["estimate"])
    assert (ahead["conf_low"] < now["estimate"]).all()
    common = bi.compare_meta(bi.load_example("simulated/balanced"), interval="hartung-knapp")
    ahead, now = common.predict().contrasts(), common.contrasts(all=True)
    tau2 = common.heterogeneity()["tau2"][0]
    np.testing.assert_allclose(ahead["std_error"] ** 2, now["std_error"] ** 2 + tau2)


def test_a_pair_on_two_data_sets_varies_as_all_pairs_do():
    rng, rows = np.random.default_rng(5), []
    for d in range(8):
        arms = "abc" if d < 2 else "ab" if d % 2 else "ac"
        level = dict(zip(arms, rng.normal(size=3), strict=False))
        rows += [(f"d{d}", i, j, level[i] - level[j], 0.1) for i in arms for j in arms if i < j]
    frame = pd.DataFrame(rows, columns=["dataset", "first", "second", "estimate", "std_error"])
    meta = bi.compare_meta(bi.read_effects(frame, measures="x:higher"))
    ahead, now = meta.predict().contrasts(), meta.contrasts(all=True)
    tau2 = (ahead["std_error"] ** 2 - now["std_error"] ** 2).to_numpy()
    assert meta.interval == "robust"
    assert meta.alone.n_datasets.tolist() == [5, 5, 2]
    np.testing.assert_allclose(tau2[:2], (meta.alone.tau2[:2] + meta.fit.tau2) / 2)
    assert tau2[2] == pytest.approx(meta.fit.tau2)
    assert ahead["df"][2] == pytest.approx(now["df"][2])
    # Both rest on the same data sets: no more degrees of freedom than either has.
    low = np.minimum(now["df"][:2], 4)
    assert (ahead["df"][:2] <= np.maximum(now["df"][:2], 4) + 1e-9).all()
    assert (ahead["df"][:2] >= low - 1e-9).all()
    assert meta.predict().summary()["prob_best_next"].sum() == pytest.approx(1)


def test_leaving_a_data_set_out_is_the_analysis_of_the_others(scores):
    meta = bi.compare_meta(scores, covariance="common")
    table = meta.influence().set_index("dataset")
    assert list(table.index) == list(scores.datasets)
    name = scores.datasets[3]
    others = scores.subset(datasets=[d for d in scores.datasets if d != name])
    less = bi.compare_meta(others, covariance="common")
    row = table.loc[name]
    move = (meta.evidence.estimate - less.evidence.estimate) / meta.evidence.std_error
    assert row["shift"] == pytest.approx(move[np.abs(move).argmax()], rel=1e-9)
    assert row["tau2"] == pytest.approx(less.heterogeneity()["tau2"][0], rel=1e-9)
    assert row["n_changed"] == (less.pairs.codes != meta.pairs.codes).sum()


def test_networks_without_some_algorithms_agree_with_the_whole(scores, meta):
    frame = scores.to_frame()
    sets, names = scores.datasets, scores.algorithms
    gone = {d: names[i % len(names)] for i, d in enumerate(sets)}
    part = frame[[gone[d] != a for d, a in zip(frame["dataset"], frame["algorithm"], strict=True)]]
    table = bi.read_scores(part, measures={"score": "higher"}, resampling="independent")
    found = bi.compare_meta(table)
    assert len(found.contrasts(all=True)) == len(meta.contrasts(all=True))
    gap = found.evidence.estimate - meta.evidence.estimate
    assert (np.abs(gap) < 2.5 * found.evidence.std_error).all()
    shares = found.network()
    assert (shares["n_datasets"] < len(sets)).all()
    tests = found.consistency()
    assert list(tests["term"][:3]) == ["within designs", "between designs", "design by treatment"]
    # Q of the whole is the sum of both.
    q = found.heterogeneity()["q"][0]
    assert tests["statistic"][:2].sum() == pytest.approx(q, rel=1e-9)


def published(seed=4, d=8):
    """Return differences of a chain of algorithms, so that a and c never meet."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(d):
        first, second, gap = ("a", "b", 0.1) if i % 2 else ("b", "c", 0.2)
        rows.append((f"p{i // 2}", f"d{i}", first, second, gap + rng.normal(0, 0.02), 0.02))
    names = ["study", "dataset", "first", "second", "estimate", "std_error"]
    return pd.DataFrame(rows, columns=names)


def test_indirect_evidence_adds_up():
    effects = bi.read_effects(published(), measures={"accuracy": "higher"})
    found = bi.compare_meta(effects, nested="none")
    rows = found.contrasts(all=True).set_index(["first", "second"])
    direct = rows.loc[[("a", "b"), ("b", "c")]]
    one = rows.loc[("a", "c")]
    assert one["estimate"] == pytest.approx(direct["estimate"].sum(), rel=1e-9)
    assert one["std_error"] ** 2 == pytest.approx((direct["std_error"] ** 2).sum(), rel=1e-9)
    assert found.network()["n_datasets"].tolist() == [4, 0, 4]
    checks = found.diagnostics().set_index("check")
    assert "a and c" in checks.loc["pairs on indirect evidence only", "sentence"]
    assert found.summary()["estimate"].sum() == pytest.approx(0, abs=1e-12)


def test_studies_are_a_third_level():
    effects = bi.read_effects(published(), measures={"accuracy": "higher"})
    found = bi.compare_meta(effects)
    assert found.third == "study"
    assert {"tau2", "tau2_between"} <= set(found.heterogeneity().columns)
    named = bi.compare_meta(effects, interval="hartung-knapp")
    assert named.evidence.df[0] == 3
    # One row for each data set and four studies alike: the same degrees of freedom.
    assert found.interval == "robust"
    assert found.evidence.df[0] == pytest.approx(3)
    assert "within each study" in found.method


def test_parts_that_nothing_joins_are_listed():
    frame = published().replace({"second": {"c": "d"}}).replace({"first": {"b": "c"}})
    effects = bi.read_effects(frame, measures={"accuracy": "higher"})
    with pytest.raises(bi.DesignError) as caught:
        bi.compare_meta(effects)
    assert str(caught.value) == (
        "the algorithms fall into 2 parts that no data set joins.\n"
        "    algorithms  data sets\n"
        "    a and b             4\n"
        "    c and d             4\n"
        "Hint: compare each part by itself, or add a data set with algorithms of several parts."
    )


def test_slopes_are_found_again():
    rng = np.random.default_rng(3)
    frame = published(d=20)
    frame["size"] = np.round(rng.uniform(0, 2, 20), 2)
    frame["estimate"] += 0.3 * (frame["size"] - 1) * (frame["first"] == "a")
    effects = bi.read_effects(frame, measures={"accuracy": "higher"}, covariates="size")
    found = bi.compare_meta(effects, covariates="size", nested="none")
    slopes = found.slopes().set_index(["first", "second"])
    assert slopes.loc[("a", "b"), "estimate"] == pytest.approx(0.3, abs=0.03)
    assert slopes.loc[("b", "c"), "estimate"] == pytest.approx(0.0, abs=0.03)
    flat = bi.compare_meta(effects, nested="none")
    assert found.heterogeneity()["tau2"][0] < flat.heterogeneity()["tau2"][0]
    with pytest.raises(bi.DesignError, match="no slopes"):
        flat.slopes()


def test_subgroups_are_the_parts_alone():
    frame = (
        published(d=16)
        .query("first == 'a'")
        .assign(domain=["x"] * 4 + ["y"] * 4, study=[f"p{i}" for i in range(8)])
    )
    effects = bi.read_effects(frame, measures={"accuracy": "higher"})
    table = bi.compare_meta(effects, nested="none").subgroups().set_index("domain")
    assert set(table.index) == {"x", "y"}
    part = bi.read_effects(frame[frame["domain"] == "x"], measures={"accuracy": "higher"})
    alone = bi.compare_meta(part, nested="none").contrasts(all=True)
    assert table.loc["x", "estimate"] == pytest.approx(alone["estimate"][0], rel=1e-9)
    assert table.loc["x", "conf_low"] == pytest.approx(alone["conf_low"][0], rel=1e-9)
    gap = table.loc["x", "estimate"] - table.loc["y", "estimate"]
    q = gap**2 / (table["std_error"] ** 2).sum()
    assert table["q_between"].tolist() == pytest.approx([q, q], rel=1e-9)


def test_robust_errors_of_a_whole_table_are_those_of_the_mixed_model():
    scores = bi.load_example("sklearn_bootstrap")
    meta, mixed = bi.compare_meta(scores, "error"), bi.compare_mixed(scores, "error")
    assert meta.interval == "robust"
    found, known = meta.contrasts(all=True), mixed.contrasts(all=True)
    # Sampling errors are small beside the differences between data sets: weights hardly differ.
    np.testing.assert_allclose(found["std_error"], known["std_error"], rtol=0.02)
    np.testing.assert_allclose(found["df"], known["df"], rtol=1e-3)
    assert (meta.pairs.codes == mixed.pairs.codes).all()
    assert "Holm" in meta.method
    assert "CR2" in meta.method
    named = bi.compare_meta(scores, "error", interval="hartung-knapp")
    assert (
        named.contrasts(all=True)["std_error"].max()
        < 1.01 * named.contrasts(all=True)["std_error"].min()
    )
    assert (named.pairs.codes != mixed.pairs.codes).any()


def test_what_auto_means(scores, meta):
    assert meta.interval == "robust"
    two = scores.subset(algorithms=scores.algorithms[:2])
    for table, asked in ((two, {}), (scores, {"pooling": "pairwise"})):
        # Eight replications: errors are shrunk, and robust.
        assert bi.compare_meta(table, **asked).interval == "robust"
        assert bi.compare_meta(table, **asked, covariance="own").interval == "hartung-knapp"
    assert bi.compare_meta(two, adjust="single-step").evidence.p_value.shape == (1,)


def test_a_difference_known_from_one_data_set_has_no_robust_error():
    frame = published().assign(study=[f"p{i}" for i in range(8)])
    frame.loc[8] = ["p8", "d8", "c", "lone", 0.3, 0.02]
    effects = bi.read_effects(frame, measures={"accuracy": "higher"})
    found = bi.compare_meta(effects)
    assert found.interval == "hartung-knapp"
    checks = found.diagnostics().set_index("check")
    assert not checks.loc["each contrast has its own error", "ok"]
    with pytest.raises(bi.DesignError, match="without p8: d8, some"):
        bi.compare_meta(effects, interval="robust")


def test_slopes_have_robust_errors_too():
    rng = np.random.default_rng(6)
    frame = published(d=20).assign(size=np.round(rng.uniform(0, 2, 20), 2))
    effects = bi.read_effects(frame, measures={"accuracy": "higher"}, covariates="size")
    found, named = (
        bi.compare_meta(effects, covariates="size", nested="none", interval=interval)
        for interval in ("auto", "hartung-knapp")
    )
    own, common = found.slopes(), named.slopes()
    np.testing.assert_allclose(own["estimate"], common["estimate"])
    assert np.ptp(own["df"]) > 0
    assert np.ptp(common["df"]) == 0
    assert (np.abs(np.log(own["std_error"] / common["std_error"])) < 1).all()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"pooling": "both"}, "unknown pooling"),
        ({"method": "ml"}, "unknown method"),
        ({"interval": "exact"}, "unknown interval"),
        ({"nested": "domain"}, "do not lie within several domain groups"),
        ({"effect": "odds"}, "unknown effect"),
        ({"covariance": "own!"}, "unknown covariance"),
        ({"covariates": "size"}, "unknown covariate"),
        ({"pooling": "pairwise", "contrasts": "mean"}, "no pairs"),
        ({"pooling": "pairwise", "interval": "robust"}, "errors of their own already"),
        ({"adjust": "westfall"}, "common to all pairs"),
        ({"pooling": "pairwise", "adjust": "single-step"}, "common to all pairs"),
    ],
)
def test_what_cannot_be_asked(scores, arguments, said):
    with pytest.raises(bi.DesignError, match=said):
        bi.compare_meta(scores, **arguments)


def test_one_score_per_cell_has_no_sampling_error():
    with pytest.raises(bi.DesignError, match="with a standard error"):
        bi.compare_meta(bi.load_example("demsar2006"))


def test_pairs_alone_have_no_network(scores):
    alone = bi.compare_meta(scores, pooling="pairwise")
    for ask in (alone.consistency, alone.network, alone.predict):
        with pytest.raises(bi.DesignError):
            ask()
    assert "prob_best" not in alone.summary()


@pytest.mark.slow
def test_report_and_saving_of_published_effects(tmp_path):
    effects = bi.read_effects(published(), measures={"accuracy": "higher"})
    found = bi.compare_meta(effects, nested="none")
    text = found.report(tmp_path / "report.html").read_text(encoding="utf-8")
    for words in ("Meta-analysis", "Differences between data sets", "Network", "Egger"):
        assert words in text
    back = bi.load(found.save(tmp_path / "meta.json"))
    pd.testing.assert_frame_equal(back.influence(), found.influence())
    pd.testing.assert_frame_equal(back.network(), found.network())
    for kind in ("studies", "funnel", "network", "influence", "prediction"):
        assert back.plot(kind).get_label()


@pytest.mark.slow
def test_cooks_distance_is_the_squared_move_of_the_contrasts_by_their_number_less_one():
    scores = bi.load_example("sklearn_bootstrap")
    kept = scores.subset(algorithms=scores.algorithms[:3])
    meta = bi.compare_meta(kept, "error", interval="wald")
    moved = meta.influence().set_index("dataset")
    # Variances of the three differences of three levels give their covariances.
    at = meta.contrasts(all=True).set_index(["first", "second"])
    a, b, c = meta.algorithms
    v = {pair: at.loc[pair, "std_error"] ** 2 for pair in [(a, b), (a, c), (b, c)]}
    joint = (v[a, b] + v[a, c] - v[b, c]) / 2
    cov = np.array([[v[a, b], joint], [joint, v[a, c]]])
    for name in kept.datasets[:3]:
        rest = kept.subset(datasets=[d for d in kept.datasets if d != name])
        less = bi.compare_meta(rest, "error", interval="wald").contrasts(all=True)
        less = less.set_index(["first", "second"])["estimate"]
        gone = np.array([at.loc[pair, "estimate"] - less[pair] for pair in [(a, b), (a, c)]])
        expected = gone @ np.linalg.solve(cov, gone) / 2
        assert moved.loc[name, "cooks_distance"] == pytest.approx(expected, rel=1e-5)
    words = [text for text in moved["changes"] if text]
    assert all(" becomes " in text and "->" not in text for text in words)


def test_of_many_data_sets_those_that_move_most_are_left_out():
    meta = bi.compare_meta(bi.load_example("sklearn_bootstrap"), "error")
    whole = meta.influence().set_index("dataset")
    some = meta.influence(4).set_index("dataset")
    kept = some.index[some["refitted"]]
    assert len(kept) == 4
    pd.testing.assert_frame_equal(some.loc[kept], whole.loc[kept])
    # One step of weights at the tau^2 of all says nearly what a refit says.
    distance = "cooks_distance"
    assert kept[0] in set(whole[distance].nlargest(4).index)
    rest = some.index.difference(kept)
    assert np.corrcoef(some.loc[rest, distance], whole.loc[rest, distance])[0, 1] > 0.9
    assert np.isfinite(some.loc[rest, distance]).all()


@pytest.mark.parametrize("step", [0.0, 1.0])
def test_scores_without_any_noise_have_nothing_to_weigh_by(step):
    rows = pd.DataFrame(
        [
            (f"d{d}", r, a, 0.5 + step * k)
            for d in range(6)
            for r in range(3)
            for k, a in enumerate("abc")
        ],
        columns=["dataset", "replication", "algorithm", "score"],
    )
    scores = bi.read_scores(rows, measures={"score": "higher"})
    for pooling in ("network", "pairwise"):
        with pytest.raises(bi.errors.FitError, match="3 of 3 pairs have no sampling") as error:
            bi.compare_meta(scores, pooling=pooling)
        assert re.search(r"a +b +6 +the same on all", str(error.value))
        assert "Hint: are scores constant" in str(error.value)


def test_a_pair_without_sampling_error_is_named(scores):
    frame = scores.to_frame()
    twice = frame[frame["algorithm"] == scores.algorithms[0]].assign(algorithm="twin")
    both = bi.read_scores(pd.concat([frame, twice]), measures={"score": "higher"})
    with pytest.raises(bi.errors.FitError, match=r"1 of \d+ pairs have no sampling error") as error:
        bi.compare_meta(both, pooling="pairwise", covariance="own")
    assert re.search(rf"{scores.algorithms[0]} +twin +\d+ +the same", str(error.value))


def few(spread, effect=0.0, seed=3):
    """Return a table of 8 data sets x 3 algorithms with 3 shared replications each."""
    rng = np.random.default_rng(seed)
    noise = np.exp(spread * rng.normal(size=(8, 1, 1))) * rng.normal(size=(8, 3, 3))
    return scores_table(100 + noise + effect * np.arange(3), measures={"score": "higher"})


@pytest.mark.parametrize("effect", ["difference", "log-ratio"])
def test_sampling_errors_of_few_replications_are_shrunk(effect):
    table = few(1.5)
    own, found = (bi.compare_meta(table, effect=effect, covariance=c) for c in ("common", "auto"))
    assert found.provenance.arguments["covariance"] == "auto"
    assert "shrunk towards each other (moderated, " in found.method
    assert own.studies.prior_df == 0
    before, after = (np.array([b.cov[0, 0] for b in m.studies.blocks]) for m in (own, found))
    variance = before
    if effect == "log-ratio":
        # On the scale of relative noise, each with its own mean.
        means = np.exp(own.studies.levels)
        variance = before / (1 / means[:, :2] ** 2).sum(axis=1) / means.mean(axis=1) ** 2
    expected = moderated(variance, np.full(8, 4.0))
    np.testing.assert_allclose(after / before, expected.variance / variance)
    assert found.studies.prior_df == pytest.approx(expected.prior_df)
    for one, other in zip(own.studies.blocks, found.studies.blocks, strict=True):
        np.testing.assert_array_equal(one.y, other.y)


def test_variances_that_differ_by_chance_alone_weigh_data_sets_alike():
    table = few(0.0, effect=1.0, seed=1)
    found = bi.compare_meta(table, adjust="none")
    assert np.isinf(found.studies.prior_df)
    assert "differ no more than by chance (moderated)" in found.method
    wide = table.to_frame().pivot_table("value", "dataset", "algorithm").to_numpy()
    rows = found.contrasts(all=True).set_index(["first", "second"])
    gap = wide[:, 0] - wide[:, 1]
    row = rows.iloc[0]
    assert row["estimate"] == pytest.approx(gap.mean())
    assert row["p_raw"] == pytest.approx(ttest_1samp(gap, 0).pvalue)
    alone = bi.compare_meta(table, pooling="pairwise", adjust="none").contrasts(all=True)
    np.testing.assert_allclose(rows["p_raw"], alone["p_raw"])


def test_published_errors_and_data_sets_without_noise_are_not_shrunk():
    assert (
        bi.compare_meta(bi.read_effects(published(), measures="accuracy:higher")).studies.prior_df
        == 0
    )
    table = few(1.0).to_frame()
    quiet = table["dataset"] == table["dataset"].iloc[0]
    table.loc[quiet, "value"] = table.loc[quiet].groupby("algorithm")["value"].transform("mean")
    found = bi.compare_meta(bi.read_scores(table, measures={"score": "higher"}, resampling="seeds"))
    rows = found.diagnostics().set_index("check")
    assert rows.loc["sampling variances of 0", "value"] == 2
