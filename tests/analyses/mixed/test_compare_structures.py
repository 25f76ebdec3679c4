"""Structures, domains and tests of the whole model: by closed forms, and against each other."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.mixed import tables
from benchinfer.analyses.mixed.fit import fit_design
from benchinfer.core.errors import DesignError

D, B, K, G = 12, 4, 3, 3


def frame(seed=0, shape=(D, B, K)):
    """Return a table whose data sets fall into three domains of equal size."""
    rng = np.random.default_rng(seed)
    d, b, k = shape
    domain = np.arange(d) % G
    value = rng.normal(size=(d, 1, 1)) + rng.normal(size=(G, 1, k))[domain]
    value = value + np.arange(k) + rng.normal(0, [0.2, 0.5, 1.5], (d, 1, k))
    value = value + rng.normal(0, 0.3, (d, b, 1)) + rng.normal(0, [0.1, 0.3, 0.3], shape)
    index = pd.MultiIndex.from_product(
        [[f"d{i:02}" for i in range(d)], range(b), [f"a{i}" for i in range(k)]],
        names=["dataset", "replication", "algorithm"],
    )
    table = pd.DataFrame({"value": value.ravel()}, index=index).reset_index()
    table["domain"] = [f"g{int(name[1:]) % G}" for name in table["dataset"]]
    return table, value


@pytest.fixture(scope="module")
def table():
    return frame()


@pytest.fixture(scope="module")
def scores(table):
    return bi.read_scores(table[0], measures={"value": "higher"})


def t_test(values):
    """Return mean, standard error, degrees of freedom and p of (n,) differences."""
    mean, error, df = values.mean(), values.std(ddof=1) / np.sqrt(len(values)), len(values) - 1
    return mean, error, df, 2 * stats.t.sf(abs(mean / error), df)


def paired(value):
    """Return the paired t-tests of all pairs of (n, K) values."""
    return [t_test(value[:, i] - value[:, j]) for i in range(K) for j in range(i + 1, K)]


COLUMNS = ["estimate", "std_error", "df", "p_raw"]


@pytest.mark.parametrize("structure", ["unstructured", "pairwise"])
def test_pairs_have_their_own_errors(scores, table, structure):
    rows = bi.compare_mixed(scores, structure=structure).contrasts(all=True)
    np.testing.assert_allclose(rows[COLUMNS], paired(table[1].mean(axis=1)), rtol=1e-5)


@pytest.mark.parametrize("residual", ["algorithm", "dataset"])
def test_structures_are_told_in_formula_and_method(scores, residual):
    diagonal = bi.compare_mixed(scores, structure="diagonal", residual=residual)
    assert "(1|dataset) + (0 + algorithm||dataset)" in diagonal.formula
    assert f"a residual variance for each {residual.replace('dataset', 'data set')}" in (
        diagonal.method
    )
    whole = bi.compare_mixed(scores, structure="unstructured")
    assert "(0 + algorithm|dataset) + (1|dataset:replication)" in whole.formula
    for mixed in (diagonal, whole):
        assert mixed.variances()["share"].sum() == pytest.approx(1)
        assert mixed.departures()["dataset"].nunique() == D
        assert mixed.anova()["term"].tolist() == ["algorithm"]
    # The erratic algorithm has the largest variance and the widest intervals.
    assert np.argmax(diagonal.model.between.diagonal()) == 2


def test_all_structures_in_one_call(scores):
    found = bi.compare_mixed(scores).structures(scores)
    assert len(found) == 9
    assert found["aic"].is_monotonic_increasing
    best, base = found.iloc[0], found[found["p_value"].isna()].iloc[0]
    assert (base["structure"], base["residual"]) == ("common", "constant")
    assert best["residual"] == "algorithm"
    assert best["statistic"] == pytest.approx(2 * (best["log_likelihood"] - base["log_likelihood"]))
    assert best["p_value"] == pytest.approx(stats.chi2.sf(best["statistic"], best["df"]))
    assert best["aic"] == pytest.approx(2 * best["n_parameters"] - 2 * best["log_likelihood"])


def test_structures_are_not_tested_against_a_common_one_that_cannot_be_fitted(scores, monkeypatch):
    def refused(table, setting, design, **options):
        if design.structure == "common" and design.residual == "constant":
            raise DesignError("the fit did not converge.")
        return fit_design(table, setting, design, **options)

    mixed = bi.compare_mixed(scores)
    monkeypatch.setattr(tables, "fit_design", refused)
    found = mixed.structures(scores)
    assert len(found) == 8
    assert found[["statistic", "df", "p_value"]].isna().all(axis=None)


@pytest.mark.slow
def test_structures_are_compared_for_the_fixed_effects_of_the_model(scores):
    mixed = bi.compare_mixed(scores, domains="separate", structure="diagonal")
    found = mixed.structures(scores).set_index(["structure", "residual"])
    same = found.loc[("diagonal", "constant")]
    assert same["log_likelihood"] == pytest.approx(mixed.model.log_likelihood)
    plain = bi.compare_mixed(scores).structures(scores).set_index(["structure", "residual"])
    assert (found["log_likelihood"] != plain.loc[found.index, "log_likelihood"]).all()


def test_structures_need_the_table_and_a_model_of_all_data_sets(scores):
    mixed = bi.compare_mixed(scores)
    with pytest.raises(DesignError, match="not the one that was compared"):
        mixed.structures(scores.subset(datasets=[f"d{i:02}" for i in range(9)]))
    one = scores.subset(datasets=["d00"])
    with pytest.raises(DesignError, match="supports one structure only"):
        bi.compare_mixed(one).structures(one)
    with pytest.raises(DesignError, match="each data set is fitted by itself"):
        bi.compare_mixed(scores, target="datasets").structures(scores)


def test_domains_apart_are_compared_apart(scores, table):
    mixed = bi.compare_mixed(scores, domains="separate")
    cells = table[1].mean(axis=1)
    by_domain = mixed.by_domain()
    assert list(by_domain) == ["g0", "g1", "g2"]
    means, variances = [], []
    for g, name in enumerate(by_domain):
        expected = np.array(paired(cells[np.arange(D) % G == g]))
        np.testing.assert_allclose(
            by_domain[name].contrasts(all=True)[COLUMNS], expected, rtol=1e-5
        )
        means.append(expected[:, 0])
        variances.append(expected[:, 1] ** 2)
        assert f"in the domain {name}" in by_domain[name].headline()
    rows = mixed.contrasts(all=True)
    np.testing.assert_allclose(rows["estimate"], np.mean(means, axis=0), rtol=1e-9)
    np.testing.assert_allclose(rows["std_error"] ** 2, np.sum(variances, axis=0) / G**2, rtol=1e-6)
    assert "domain:algorithm" in mixed.formula
    assert "domain:algorithm" in set(mixed.anova()["term"])


def test_a_sample_of_domains_has_as_many_units_as_domains(scores, table):
    mixed = bi.compare_mixed(scores, domains="random")
    means = table[1].mean(axis=1).reshape(-1, G, K).mean(axis=0)
    np.testing.assert_allclose(mixed.contrasts(all=True)[COLUMNS], paired(means), rtol=1e-5)
    assert "(1|domain) + (1|domain:algorithm)" in mixed.formula
    assert set(mixed.variances()["source"][:2]) == {"domain", "domain:algorithm"}
    shared = mixed.correlations().set_index("shared")["correlation"]
    assert 0 < shared["domain"] <= shared["domain and algorithm"] < shared["data set and algorithm"]
    departures = mixed.departures()
    assert set(departures["dataset"][departures["source"] == "domain + domain:algorithm"]) == {
        "g0",
        "g1",
        "g2",
    }


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"domains": "fixed"}, "unknown domains 'fixed'"),
        ({"residual": "cell"}, "unknown residual 'cell'"),
        ({"terms": ["dataset"], "structure": "diagonal"}, "has no dataset:algorithm term"),
    ],
)
def test_what_does_not_fit_is_refused(scores, arguments, expected):
    with pytest.raises(DesignError, match=expected):
        bi.compare_mixed(scores, **arguments)


def test_domains_need_a_column_and_scores_in_each(table):
    plain = bi.read_scores(table[0].drop(columns="domain"), measures={"value": "higher"})
    with pytest.raises(DesignError, match="names 0 domains"):
        bi.compare_mixed(plain, domains="separate")
    with pytest.raises(DesignError, match="no levels of their own"):
        bi.compare_mixed(plain).by_domain()
    gone = table[0][~((table[0]["domain"] == "g1") & (table[0]["algorithm"] == "a2"))]
    part = bi.read_scores(gone, measures={"value": "higher"})
    with pytest.raises(DesignError, match="on fewer than two data sets of a"):
        bi.compare_mixed(part, domains="separate")


def test_two_algorithms_or_single_scores_bear_no_structure_of_their_own(scores):
    pair = scores.subset(algorithms=["a0", "a1"])
    with pytest.raises(DesignError, match="needs three algorithms"):
        bi.compare_mixed(pair, structure="diagonal")
    with pytest.raises(DesignError, match="several scores per data set"):
        bi.compare_mixed(scores.subset(replications=["0"]), residual="algorithm")


def test_the_f_test_of_two_algorithms_is_the_squared_t(scores):
    mixed = bi.compare_mixed(scores.subset(algorithms=["a0", "a1"]), structure="common")
    tests, row = mixed.anova().set_index("test"), mixed.contrasts(all=True).iloc[0]
    assert tests.loc["F", "statistic"] == pytest.approx(row["statistic"] ** 2, rel=1e-6)
    assert tests.loc["F", "p_value"] == pytest.approx(row["p_raw"], rel=1e-6)


def test_hotellings_t_squared(scores, table):
    cells = table[1].mean(axis=1)
    contrasts = cells[:, :-1] - cells[:, 1:]
    t2 = D * contrasts.mean(axis=0) @ np.linalg.solve(np.cov(contrasts.T), contrasts.mean(axis=0))
    expected = (D - K + 1) / ((D - 1) * (K - 1)) * t2
    row = bi.compare_mixed(scores).anova().set_index("test").loc["Hotelling's T squared as F"]
    assert row["statistic"] == pytest.approx(expected, rel=1e-6)
    assert (row["df"], row["df_residual"]) == (K - 1, pytest.approx(D - K + 1))


def test_variances_with_intervals_and_correlations(scores):
    mixed = bi.compare_mixed(scores)
    found = mixed.variances(0.95)
    assert (found["conf_low"] <= found["variance"]).all()
    assert (found["conf_high"] >= found["variance"]).all()
    shared = mixed.correlations().set_index("shared")["correlation"]
    shares = found.set_index("source")["share"]
    assert shared["data set"] == pytest.approx(shares["dataset"])
    assert shared["data set and algorithm"] == pytest.approx(shares[:2].sum())
    with pytest.raises(DesignError, match="where the structure is diagonal"):
        bi.compare_mixed(scores, structure="diagonal").variances(0.95)


def test_departures_add_up_to_shrunken_cells(scores, table):
    mixed = bi.compare_mixed(scores)
    found = mixed.departures()
    cells = found[found["source"] == "dataset:algorithm"]
    assert len(cells) == D * K
    sets = found[found["source"] == "dataset"].set_index("dataset")["estimate"]
    level = mixed.summary().set_index("algorithm")["estimate"]
    fitted = [
        level[a] + sets[d] + e
        for d, a, e in cells[["dataset", "algorithm", "estimate"]].itertuples(index=False)
    ]
    raw = table[1].mean(axis=1).ravel()
    assert np.corrcoef(fitted, raw)[0, 1] > 0.99
    with pytest.raises(DesignError, match="no random effects"):
        bi.compare_mixed(scores, target="datasets").departures()


def test_results_of_every_kind_can_be_saved(scores, tmp_path):
    for i, options in enumerate(
        (
            {"structure": "unstructured"},
            {"domains": "random"},
            {"domains": "separate"},
            {"target": "datasets"},
        )
    ):
        mixed = bi.compare_mixed(scores, **options)
        back = bi.load(mixed.save(tmp_path / f"{i}.json"))
        pd.testing.assert_frame_equal(back.contrasts(all=True), mixed.contrasts(all=True))
        pd.testing.assert_frame_equal(back.anova(), mixed.anova())


def spread_out(interaction=1.0, level=1.0, d=8, b=4, k=4):
    """Return a table whose variances are far apart, and its scores."""
    rng = np.random.default_rng(0)
    value = rng.normal(0, level, (d, 1, 1)) + rng.normal(0, interaction, (d, 1, k))
    value = value + rng.normal(size=(d, b, 1)) + rng.normal(size=(d, b, k)) + 0.3 * np.arange(k)
    index = pd.MultiIndex.from_product(
        [range(d), range(b), [f"a{i}" for i in range(k)]],
        names=["dataset", "replication", "algorithm"],
    )
    table = pd.DataFrame({"value": value.ravel()}, index=index).reset_index()
    return bi.read_scores(table, measures={"value": "higher"}), value


def test_interactions_far_above_the_noise():
    mixed = bi.compare_mixed(spread_out(interaction=1e4)[0], structure="common")
    tests = mixed.anova().set_index("test")
    assert tests.loc["F", "df_residual"] == pytest.approx(21, rel=1e-6)
    np.testing.assert_allclose(mixed.predict().contrasts()["df"], 21, rtol=1e-3)


@pytest.mark.parametrize("level", [1e2, 1e4, 1e5])
def test_a_pairs_own_error_whatever_the_spread_of_the_data_sets(level):
    scores, value = spread_out(level=level)
    cells = value.mean(axis=1)
    expected = [t_test(cells[:, i] - cells[:, j]) for i in range(4) for j in range(i + 1, 4)]
    rows = bi.compare_mixed(scores).contrasts(all=True)
    # The covariance of the levels holds that of the data sets, which cancels in differences.
    np.testing.assert_allclose(rows[COLUMNS], expected, rtol=5e-15 * level**2 + 1e-8)


def test_residuals_of_their_own_need_several_data_sets(scores):
    one = scores.subset(datasets=["d00"])
    with pytest.raises(DesignError, match="describes how data sets differ"):
        bi.compare_mixed(one, residual="algorithm")
    with pytest.raises(DesignError, match="describes how data sets differ"):
        bi.compare_mixed(scores, target="datasets", residual="algorithm")


def test_a_domain_of_one_data_set_has_the_spread_of_the_others(table):
    alone = table[0].assign(domain=np.where(table[0]["dataset"] == "d00", "x", "y"))
    scores = bi.read_scores(alone, measures={"value": "higher"})
    mixed = bi.compare_mixed(scores, domains="separate")
    means = table[0].pivot_table("value", "dataset", "algorithm").to_numpy()
    d = len(means)
    for (i, j), error in zip(mixed.pairs.index, mixed.evidence.std_error, strict=True):
        variance = np.var(means[1:, i] - means[1:, j], ddof=1)
        assert error**2 == pytest.approx((variance + variance / (d - 1)) / 4)
    assert mixed.evidence.df == pytest.approx(d - 2)
    each = bi.read_scores(table[0].assign(domain=table[0]["dataset"]), measures={"value": "higher"})
    with pytest.raises(DesignError, match="on fewer than two data sets of a"):
        bi.compare_mixed(each, domains="separate")


def test_more_algorithms_than_data_sets_have_no_f_test_without_a_structure():
    scores, _ = spread_out(d=3, k=6)
    tests = bi.compare_mixed(scores, structure="unstructured").anova()
    assert not tests.isna().any().any()


def test_few_data_sets_rule_no_algorithm_out():
    scores, _ = spread_out(d=3, k=5)
    best = bi.compare_mixed(scores).predict().summary()["prob_best_next"]
    assert best.min() > 0.001
    assert best.sum() == pytest.approx(1)


def test_a_pair_without_spread_has_no_bounds():
    scores, value = spread_out()
    frame = scores.to_frame()
    first = frame.loc[frame["algorithm"] == "a0", "value"].to_numpy()
    frame.loc[frame["algorithm"] == "a1", "value"] = first + 1
    mixed = bi.compare_mixed(bi.read_scores(frame, measures={"value": "higher"}))
    row = mixed.contrasts(all=True).iloc[0]
    assert (row["verdict"], row["std_error"], row["p_value"]) == ("undecided", 0, 1)
    assert np.isinf([row["conf_low"], row["conf_high"]]).all()
    assert 0 < mixed.predict().contrasts().iloc[0]["prob_second"] < 1
    assert len(value) == 8


def test_a_covariance_that_would_not_fit_into_memory_is_refused():
    d, r, k = (i.ravel() for i in np.indices((70, 2, 40)))
    frame = pd.DataFrame(
        {"dataset": d, "replication": r, "algorithm": k, "value": np.sin(d + r * k)}
    )
    scores = bi.read_scores(frame, measures={"value": "higher"})
    said = r"40 algorithms has 820 parameters, which need about 4.2 GB of memory on 70 data sets"
    with pytest.raises(bi.DesignError, match=said):
        bi.compare_mixed(scores, structure="unstructured")


@pytest.mark.parametrize("structure", ["common", "pairwise"])
def test_many_algorithms_on_many_datasets_are_refused_by_memory(structure):
    d, k = (i.ravel() for i in np.indices((660, 200)))
    frame = pd.DataFrame({"dataset": d, "algorithm": k, "value": np.sin(d * k)})
    scores = bi.read_scores(frame, measures={"value": "higher"})
    said = r"the model of 200 algorithms needs about 4.2 GB of memory"
    with pytest.raises(bi.DesignError, match=said):
        bi.compare_mixed(scores, structure=structure)


def test_a_model_of_few_variances_is_compared():
    # One variance between data sets, and a residual one for each of two algorithms.
    rows = frame()[0].query("algorithm != 'a2'")
    scores = bi.read_scores(rows, measures={"value": "higher"})
    mixed = bi.compare_mixed(scores, terms=["dataset"], residual="algorithm")
    assert mixed.model.terms == ("dataset", "residual[0]", "residual[1]")
    assert mixed.contrasts(all=True)["df"].item() == pytest.approx(D - 1)
