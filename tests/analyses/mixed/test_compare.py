"""compare_mixed: numbers against R, verdicts against their definition, designs, refusals."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind

import benchinfer as bi
from benchinfer.analyses.mixed.numerics import optimum
from benchinfer.core.errors import DesignError

GOLDEN = Path(__file__).parents[2] / "golden" / "lmm"


def table(values, algorithms="abcdef", **options):
    """Scores from an array (data sets, replications, algorithms); NaN is a missing row."""
    d, b, k = np.indices(np.shape(values)).reshape(3, -1)
    rows = pd.DataFrame(
        {
            "dataset": [f"d{i:02d}" for i in d],
            "replication": b + 1,
            "algorithm": [algorithms[i] for i in k],
            "value": np.ravel(values),
        }
    ).dropna()
    options = {"measures": bi.Measure("score", "higher", tolerance=0.3), "paired": True} | options
    return bi.read_scores(rows, **options)


def simulated(seed, shape=(8, 5, 4), effect=1.0):
    rng = np.random.default_rng(seed)
    d, b, k = shape
    return (
        rng.normal(size=(d, 1, 1))
        + 0.3 * rng.normal(size=(d, 1, k))
        + 0.2 * rng.normal(size=(d, b, 1))
        + 0.5 * rng.normal(size=(d, b, k))
        + effect * np.arange(k)
    )


@pytest.mark.parametrize("method", ["kenward-roger", "satterthwaite", "asymptotic"])
@pytest.mark.parametrize("name", ["balanced", "unbalanced", "singular", "heteroscedastic"])
def test_contrasts_agree_with_emmeans(name, method):
    reference = json.loads((GOLDEN / f"simulated_{name}.json").read_text())["values"]["M4_reml"]
    expected = reference[method]
    mixed = bi.compare_mixed(bi.load_example(f"simulated/{name}"), df=method, structure="common")
    ours, levels = mixed.contrasts(all=True), mixed.summary()
    # The tolerance is that of lme4's polished optimum; p-values move by more in the far tail.
    np.testing.assert_allclose(ours["estimate"], expected["estimate"], rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(ours["std_error"], expected["std_error"], rtol=1e-6)
    np.testing.assert_allclose(ours["df"], np.array(expected["df"], dtype=float), rtol=1e-5)
    np.testing.assert_allclose(ours["p_raw"], expected["p_raw"], rtol=2e-4, atol=1e-13)
    np.testing.assert_allclose(levels["estimate"], expected["mean"], rtol=1e-6)
    if method == "asymptotic":
        # multcomp's family, second minus first; its p-values carry their own error.
        step = reference["single_step"]
        names = [pair.split(" - ")[::-1] for pair in step["pair"]]
        p = {tuple(pair): value for pair, value in zip(names, step["p_value"], strict=True)}
        pairs = zip(ours["first"], ours["second"], strict=True)
        expected_p = [p[pair] for pair in pairs]
        np.testing.assert_allclose(ours["p_value"], expected_p, atol=max(2 * step["p_error"], 2e-5))


def test_intervals_and_verdicts_follow_from_estimates():
    mixed = bi.compare_mixed(table(simulated(1)), structure="common")
    rows = mixed.contrasts(all=True)
    c = ((rows["conf_high"] - rows["estimate"]) / rows["std_error"]).mean()
    np.testing.assert_allclose(rows["conf_high"], rows["estimate"] + c * rows["std_error"])
    np.testing.assert_allclose(rows["conf_low"], rows["estimate"] - c * rows["std_error"])
    excludes = (rows["conf_low"] > 0) | (rows["conf_high"] < 0)
    assert ((rows["p_value"] <= 0.05) == excludes).all()
    decided = rows["verdict"].isin(["first", "second"])
    assert decided.any()
    expected = np.where(rows["estimate"] > 0, rows["first"], rows["second"])
    assert (rows["winner"][decided] == expected[decided]).all()


def test_equivalence_is_the_interval_inside_the_tolerance():
    values = simulated(2, shape=(30, 5, 3), effect=0.05)
    for tolerance in (0.05, 0.15, 0.3, 0.6):
        measure = bi.Measure("score", "higher", tolerance=tolerance)
        scores = table(values, measures=measure)
        mixed = bi.compare_mixed(scores, structure="common")
        wide = bi.compare_mixed(scores, structure="common", level=0.9).contrasts(all=True)
        # The simultaneous (1 - 2 alpha) interval inside the tolerance.
        inside = (wide["conf_low"] > -tolerance) & (wide["conf_high"] < tolerance)
        assert ((mixed.contrasts(all=True)["verdict"] == "equivalent") == inside).all()
    assert inside.any()


def test_without_a_tolerance_nothing_is_equivalent():
    values = simulated(3, effect=0.0)
    mixed = bi.compare_mixed(table(values, measures={"score": "higher"}))
    assert "equivalent" not in set(mixed.contrasts(all=True)["verdict"])
    row = mixed.diagnostics().set_index("check").loc["tolerance"]
    assert not row["ok"]


def test_two_algorithms_one_replication_is_the_paired_t_test():
    from scipy import stats

    rng = np.random.default_rng(4)
    values = rng.normal(size=(12, 1, 1)) + rng.normal(size=(12, 1, 2)) + [0.0, 0.6]
    mixed = bi.compare_mixed(table(values))
    expected = stats.ttest_rel(values[:, 0, 0], values[:, 0, 1])
    row = mixed.contrasts(all=True).iloc[0]
    assert row["statistic"] == pytest.approx(expected.statistic, rel=1e-9)
    assert row["df"] == pytest.approx(11, rel=1e-9)
    assert row["p_value"] == pytest.approx(expected.pvalue, rel=1e-8)
    interval = expected.confidence_interval()
    assert row["conf_low"] == pytest.approx(interval.low, rel=1e-8)


def test_one_data_set_unpaired_is_the_pooled_t_test():
    from scipy import stats

    values = np.random.default_rng(5).normal(size=(1, 9, 2)) + np.array([0.0, 1.0])
    values[0, 7:, 0] = np.nan
    mixed = bi.compare_mixed(table(values, paired=False))
    a, b = values[0, :7, 0], values[0, :, 1]
    expected = stats.ttest_ind(a, b)
    row = mixed.contrasts(all=True).iloc[0]
    assert row["statistic"] == pytest.approx(expected.statistic, rel=1e-10)
    assert row["df"] == pytest.approx(14, rel=1e-9)
    assert row["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)
    assert mixed.formula == "score ~ algorithm"


def test_overlapping_folds_get_the_corrected_variance():
    # Nadeau & Bengio: variance of the difference times (1/B + rho/(1 - rho)).
    values = np.random.default_rng(6).normal(size=(1, 10, 2)) + np.array([0.0, 1.0])
    difference = values[0, :, 0] - values[0, :, 1]
    folds = bi.Resampling("cv", folds=10)
    mixed = bi.compare_mixed(table(values, resampling=folds))
    expected = np.sqrt(np.var(difference, ddof=1) * (1 / 10 + (1 / 10) / (9 / 10)))
    assert mixed.contrasts(all=True)["std_error"][0] == pytest.approx(expected, rel=1e-7)
    with pytest.raises(DesignError, match=r"whose training sets overlap.*\n.*holdout:"):
        bi.compare_mixed(table(values, resampling="holdout"))
    labelled = bi.compare_mixed(table(values, resampling="cv"))  # ten labels are ten folds
    assert labelled.contrasts(all=True)["std_error"][0] == pytest.approx(expected, rel=1e-7)


def test_levels_on_one_data_set_share_what_overlapping_folds_share():
    # Nadeau & Bengio for one algorithm: the variance of its scores times (1/B + rho/(1 - rho)).
    values = np.random.default_rng(6).normal(size=(1, 10, 3))
    values += 3 * np.random.default_rng(7).normal(size=(1, 10, 1))
    mixed = bi.compare_mixed(table(values, resampling=bi.Resampling("cv", folds=10)))
    variances = mixed.variances()["variance"]
    assert len(variances) == 2
    errors = mixed.fitted.errors(np.eye(3), "asymptotic")
    expected = variances.sum() * (1 / 10 + 1 / 9)
    np.testing.assert_allclose(errors.cov.diagonal(), expected, rtol=1e-6)


def test_overlapping_folds_of_several_data_sets_without_their_interactions():
    """The error is that of weights of scores that are correlated within the cells."""
    folds, values = bi.Resampling("cv", folds=10), simulated(6, (5, 10, 3))
    complete = bi.compare_mixed(
        table(values, resampling=folds), terms=["dataset"], structure="common"
    )
    residual = complete.variances()["variance"].iloc[-1]
    expected = np.sqrt(2 * residual * (1 / 10 + 1 / 9) / 5)
    np.testing.assert_allclose(complete.contrasts(all=True)["std_error"], expected, rtol=1e-6)
    assert "0.111 times" in complete.method
    assert "nadeau2003" in complete.citations()
    values[0, 3:, 0] = values[1, 5:, 2] = values[4, 1:, :2] = np.nan
    terms = ["dataset", "dataset:replication"]
    mixed = bi.compare_mixed(table(values, resampling=folds), terms=terms, structure="common")
    d, b, k = np.argwhere(~np.isnan(values)).T
    of_d, of_b, of_a = (np.equal.outer(v, v) for v in (d, 10 * d + b, 3 * d + k))
    variances = mixed.variances().set_index("source")["variance"]
    v = variances["dataset"] * of_d + variances["dataset:replication"] * of_b
    v += variances["residual"] * np.eye(len(d))
    x = np.eye(3)[k]
    weight = np.linalg.solve(x.T @ np.linalg.solve(v, x), np.linalg.solve(v, x).T)
    cov = weight @ (v + variances["residual"] / 9 * of_a) @ weight.T
    contrast = np.array([[1, -1, 0], [1, 0, -1], [0, 1, -1]])
    expected = np.sqrt(np.diag(contrast @ cov @ contrast.T))
    ours = bi.compare_mixed(
        table(values, resampling=folds), terms=terms, structure="common", df="asymptotic"
    )
    np.testing.assert_allclose(ours.contrasts(all=True)["std_error"], expected, rtol=1e-5)


def test_overlap_is_not_corrected_for_under_residual_variances_of_algorithms():
    scores = table(simulated(6, (5, 10, 3)), resampling=bi.Resampling("cv", folds=10))
    with pytest.raises(DesignError, match=r"(?s)training sets overlap.*terms=\"auto\" keeps"):
        bi.compare_mixed(scores, terms=["dataset"], structure="common", residual="algorithm")


@pytest.mark.parametrize(
    ("shape", "paired", "formula"),
    [
        ((6, 4, 3), True, "(1|dataset) + (1|dataset:algorithm) + (1|dataset:replication)"),
        ((6, 4, 3), False, "(1|dataset) + (1|dataset:algorithm)"),
        ((6, 1, 3), True, "(1|dataset)"),
        ((1, 6, 3), True, "(1|replication), each pair by the paired t-test"),
    ],
)
def test_terms_follow_from_the_design(shape, paired, formula):
    mixed = bi.compare_mixed(table(simulated(7, shape), paired=paired))
    assert mixed.formula == f"score ~ algorithm + {formula}"
    assert mixed.target == ("datasets" if shape[0] == 1 else "domain")
    assert set(mixed.variances()["source"]) >= {"residual"}


def test_terms_that_cannot_be_estimated_are_refused_with_the_reason():
    with pytest.raises(DesignError) as caught:
        bi.compare_mixed(table(simulated(8, (6, 1, 3))), terms=["dataset", "dataset:algorithm"])
    assert str(caught.value) == (
        "1 of the terms asked for cannot be estimated from this table.\n"
        "    term               reason\n"
        "    dataset:algorithm  with one score per data set and algorithm it cannot be told from"
        " the residual\n"
        'Hint: terms="auto" keeps what the design can estimate.'
    )
    mixed = bi.compare_mixed(table(simulated(8)), terms=["dataset"])
    assert mixed.formula == "score ~ algorithm + (1|dataset)"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.ones((3, 2, 2)), "do not vary"),
        (np.array([[[1.0, 2.0]]]), "one data set with one score per algorithm"),
        (
            np.array([[[1.0, np.nan]], [[np.nan, 2.0]]]),
            "no data set, nor chain of data sets, connects b with a",
        ),
        (np.arange(6.0).reshape(3, 2, 1), "a comparison needs at least two"),
    ],
)
def test_impossible_designs_are_refused(values, words):
    with pytest.raises(DesignError, match=words):
        bi.compare_mixed(table(values))


def test_wrong_arguments_are_refused():
    scores = table(simulated(9))
    with pytest.raises(DesignError, match="unknown df 'kr'"):
        bi.compare_mixed(scores, df="kr")
    with pytest.raises(DesignError, match="level is 95"):
        bi.compare_mixed(scores, level=95)
    with pytest.raises(DesignError, match="unknown term 'fold'"):
        bi.compare_mixed(scores, terms=["fold"])


def test_direction_turns_no_verdict():
    values = simulated(10)
    up = bi.compare_mixed(table(values))
    down = bi.compare_mixed(table(-values, measures=bi.Measure("score", "lower", tolerance=0.3)))
    a, b = up.contrasts(all=True), down.contrasts(all=True)
    assert a["verdict"].tolist() == b["verdict"].tolist()
    np.testing.assert_allclose(a["estimate"], -b["estimate"])
    np.testing.assert_allclose(a["conf_low"], -b["conf_high"])
    np.testing.assert_allclose(a["statistic"], b["statistic"])
    assert up.relation() == down.relation()


def test_a_change_of_units_scales_estimates_and_keeps_verdicts():
    values = simulated(11)
    one = bi.compare_mixed(table(values)).contrasts(all=True)
    measure = bi.Measure("score", "higher", tolerance=300.0)
    other = bi.compare_mixed(table(1000 * values + 5e4, measures=measure)).contrasts(all=True)
    np.testing.assert_allclose(other["estimate"], 1000 * one["estimate"], rtol=1e-8)
    np.testing.assert_allclose(other["p_value"], one["p_value"], rtol=1e-6, atol=1e-12)
    assert one["verdict"].tolist() == other["verdict"].tolist()


def test_log_scale_reports_ratios():
    seconds = np.exp(simulated(12))
    measure = bi.Measure("seconds", "lower", scale="log", tolerance=0.05)
    ours = bi.compare_mixed(table(seconds, measures=measure)).contrasts(all=True)
    logs = bi.compare_mixed(table(np.log(seconds))).contrasts(all=True)
    np.testing.assert_allclose(ours["estimate"], np.exp(logs["estimate"]))
    np.testing.assert_allclose(ours["conf_low"], np.exp(logs["conf_low"]))
    assert (
        ours["winner"][ours["verdict"] == "first"] == ours["first"][ours["verdict"] == "first"]
    ).all()


def test_holm_on_a_complete_table_is_the_paired_t_test_with_holm():
    from scipy import stats

    values = simulated(21)
    values[..., 3] *= 4  # an erratic algorithm: no common error fits
    rows = bi.compare_mixed(table(values), adjust="holm", interval="simultaneous").contrasts(
        all=True
    )
    means = values.mean(axis=1)
    index = {name: i for i, name in enumerate("abcd")}
    raw = []
    for _, row in rows.iterrows():
        i, j = index[row["first"]], index[row["second"]]
        expected = stats.ttest_rel(means[:, i], means[:, j])
        assert row["statistic"] == pytest.approx(expected.statistic, rel=1e-8)
        assert row["df"] == pytest.approx(7, rel=1e-9)
        assert row["p_raw"] == pytest.approx(expected.pvalue, rel=1e-7)
        low, high = expected.confidence_interval(0.95 ** (1 / 6))  # Sidak over six pairs
        assert (row["conf_low"], row["conf_high"]) == pytest.approx((low, high), rel=1e-7)
        raw.append(expected.pvalue)
    order = np.argsort(raw)
    holm = np.minimum(np.maximum.accumulate(np.sort(raw) * np.arange(6, 0, -1)), 1)
    np.testing.assert_allclose(rows["p_value"].to_numpy()[order], holm, rtol=1e-7)


def test_common_error_is_flagged_where_pairs_vary_differently():
    values = simulated(21)
    values[..., 3] *= 4
    checks = bi.compare_mixed(table(values), structure="common").diagnostics().set_index("check")
    row = checks.loc["own / common standard error, largest factor"]
    assert not row["ok"]
    assert row["value"] > 2


def test_dunnett_compares_with_the_control_alone():
    scores = table(simulated(22))
    rows = bi.compare_mixed(scores, contrasts="dunnett", control="b").contrasts(all=True)
    assert rows["first"].tolist() == ["a", "c", "d"]
    assert set(rows["second"]) == {"b"}
    tukey = bi.compare_mixed(scores).contrasts(all=True).set_index(["first", "second"])
    assert rows["p_raw"][1] == pytest.approx(tukey.loc[("b", "c"), "p_raw"])
    assert rows["estimate"][1] == pytest.approx(-tukey.loc[("b", "c"), "estimate"])
    relation = bi.compare_mixed(scores, contrasts="dunnett", control="b").relation()
    assert relation.incidence().loc["a", "c"] == "missing"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"adjust": "single-step"}, "needs one variance common to all pairs"),
        ({"adjust": "fdr"}, "unknown adjust 'fdr'"),
        ({"structure": "own"}, "unknown structure 'own'"),
        ({"contrasts": "dunnett"}, "Dunnett's contrasts need a control"),
        ({"contrasts": "mean", "control": "a"}, "'a' does not go with contrasts='mean'"),
        (
            {"contrasts": "dunnett", "control": "a", "adjust": "shaffer"},
            "how the equalities of all pairs depend",
        ),
        ({"contrasts": "williams"}, "unknown contrasts 'williams'"),
    ],
)
def test_contrasts_that_do_not_fit_are_refused(arguments, words):
    with pytest.raises(DesignError, match=words):
        bi.compare_mixed(table(simulated(23)), **arguments)


@pytest.mark.parametrize("adjust", ["westfall", "shaffer", "holm"])
def test_intervals_that_stepwise_tests_do_not_reflect_inform(adjust):
    scores = bi.load_example("simulated/balanced")
    options = {"structure": "common", "adjust": adjust}
    compatible = bi.compare_mixed(scores, **options).diagnostics().set_index("check")
    assert compatible.loc["decided pairs whose interval includes equality", "value"] == 0
    mixed = bi.compare_mixed(scores, interval="simultaneous", **options)
    checks = mixed.diagnostics().set_index("check")
    row = checks.loc["decided pairs whose interval includes equality"]
    assert (row["value"], row["ok"], row["direction"]) == (1, True, "")
    assert row["sentence"].endswith("(alg1 and alg2).")


def test_variances_of_algorithms_between_data_sets_need_several():
    with pytest.raises(DesignError, match="there is one"):
        bi.compare_mixed(table(simulated(24, (1, 6, 3))), structure="unstructured")


def test_identical_algorithms_are_undecided_and_named():
    values = simulated(25)
    values[..., 1] = values[..., 0]
    mixed = bi.compare_mixed(table(values))
    row = mixed.contrasts(all=True).iloc[0]
    assert (row["first"], row["second"], row["verdict"]) == ("a", "b", "undecided")
    checks = mixed.diagnostics().set_index("check")
    named = checks.loc["pairs with the same difference on every data set", "sentence"]
    assert named.endswith("(a and b).")


@pytest.mark.parametrize("adjust", ["single-step", "westfall", "shaffer", "holm", "none"])
def test_adjustments_of_a_common_error_agree_with_multcomp(adjust):
    path = GOLDEN / "simulated_unbalanced.json"
    step = json.loads(path.read_text())["values"]["M4_reml"]["single_step"]
    scores = bi.load_example("simulated/unbalanced")
    rows = bi.compare_mixed(
        scores, structure="common", df="asymptotic", adjust=adjust, interval="simultaneous"
    ).contrasts(all=True)
    name = {"single-step": "p_value", "none": "p_raw"}.get(adjust, f"p_{adjust}")
    names = [tuple(pair.split(" - ")[::-1]) for pair in step["pair"]]
    p = dict(zip(names, step[name], strict=True))
    expected = [p[pair] for pair in zip(rows["first"], rows["second"], strict=True)]
    # Joint distributions carry multcomp's Monte Carlo error; the others only that of the fit.
    joint = adjust in {"single-step", "westfall"}
    np.testing.assert_allclose(rows["p_value"], expected, rtol=1e-5, atol=2e-4 if joint else 1e-12)


def test_names_and_order_of_rows_do_not_matter():
    values = simulated(13)
    strange = {"a": "svm - rbf <b>x</b>", "b": "a - b", "c": "é", "d": "x" * 200}
    plain = bi.compare_mixed(table(values)).contrasts(all=True)
    named = bi.compare_mixed(table(values, algorithms=list(strange.values()))).contrasts(all=True)
    renamed = {
        tuple(sorted((strange[a], strange[b]))): abs(e)
        for a, b, e in zip(plain["first"], plain["second"], plain["estimate"], strict=True)
    }
    for a, b, e in zip(named["first"], named["second"], named["estimate"], strict=True):
        assert renamed[tuple(sorted((a, b)))] == pytest.approx(abs(e))


def test_missing_cells_are_used_and_reported():
    values = simulated(14)
    values[2, :, 1] = np.nan
    values[3, :2, 0] = np.nan
    mixed = bi.compare_mixed(table(values))
    rows = mixed.diagnostics().set_index("check")
    assert rows.loc["empty cells", "value"] == 1
    assert rows.loc["thin cells", "value"] == 1
    assert "b on d02" in rows.loc["empty cells", "sentence"]


def test_repeated_scores_are_kept_by_their_exact_likelihood():
    values = simulated(15, (5, 3, 3))
    frame = pd.concat(
        [
            pd.DataFrame(
                {
                    "dataset": f"d{d}",
                    "replication": b,
                    "algorithm": "abc"[k],
                    "value": values[d, b, k] + shift,
                },
                index=[0],
            )
            for d, b, k in np.ndindex(5, 3, 3)
            for shift in (-0.1, 0.1)
        ]
    )
    scores = bi.read_scores(frame, measures={"score": "higher"}, repeats="keep", paired=True)
    mixed = bi.compare_mixed(scores)
    # Each score twice, 0.1 to either side: the residual is what the repeats say it is not, so only
    # the means are known in closed form.
    means = values.mean(axis=(0, 1))
    np.testing.assert_allclose(mixed.summary()["estimate"], means, rtol=1e-9)
    assert mixed.model.n == 90


def repeated(datasets, algorithms, replications, repeats, seed=5):
    """Scores with repeats of each replication, which names of replications do not tell apart."""
    values = simulated(seed, (datasets, replications, algorithms))[..., None]
    values = values + 0.5 * np.random.default_rng(seed).normal(size=(*values.shape[:3], repeats))
    d, b, k, _ = np.indices(values.shape).reshape(4, -1)
    columns = {"dataset": d.astype(str), "replication": b, "algorithm": k.astype(str)}
    return pd.DataFrame({**columns, "value": values.ravel()})


@pytest.mark.parametrize("resampling", ["items", "bootstrap", "independent"])
def test_repeats_of_one_replication_have_no_replication_term(resampling):
    frame = pd.DataFrame({"model": list("aaaaabbbbb"), "reward": [1, 2, 3, 4, 5, 3, 4, 5, 6, 7.5]})
    scores = bi.read_scores(frame, measures="reward:higher", repeats="keep", resampling=resampling)
    mixed = bi.compare_mixed(scores)
    row = mixed.contrasts(all=True).iloc[0]
    two = ttest_ind(frame["reward"][:5], frame["reward"][5:])
    assert mixed.formula == "reward ~ algorithm"
    assert "no dataset:replication term, as" in mixed.design.reason
    np.testing.assert_allclose([row["p_value"], row["df"]], [two.pvalue, two.df], rtol=1e-6)
    np.testing.assert_allclose(row["statistic"], two.statistic, rtol=1e-9)
    assert row["verdict"] == "undecided"


@pytest.mark.parametrize(
    ("size", "terms"),
    [
        ((1, 9, 1, 5), ", each pair by Welch's t-test"),
        ((6, 3, 1, 4), " + (1|dataset) + (1|dataset:algorithm)"),
        ((1, 3, 2, 3), " + (1|replication), each pair by the paired t-test"),
    ],
)
def test_repeats_of_replications_keep_the_terms_that_have_levels(size, terms):
    scores = bi.read_scores(
        repeated(*size), measures="value:higher", repeats="keep", resampling="items"
    )
    mixed = bi.compare_mixed(scores)
    assert mixed.formula == "value ~ algorithm" + terms
    assert np.isfinite(mixed.contrasts(all=True)["std_error"]).all()


@pytest.mark.parametrize("paired", [True, False])
def test_these_data_sets_are_the_mean_of_each_by_itself(paired):
    scores = table(simulated(7, (3, 6, 3)), paired=paired)
    found = bi.compare_mixed(scores, target="datasets").contrasts(all=True)
    each = [
        bi.compare_mixed(scores.subset(datasets=[name])).contrasts(all=True)
        for name in scores.datasets
    ]
    mean = np.mean([own["estimate"] for own in each], axis=0)
    error = np.sqrt(np.sum([own["std_error"] ** 2 for own in each], axis=0)) / 3
    np.testing.assert_allclose(found["estimate"], mean, rtol=1e-9)
    np.testing.assert_allclose(found["std_error"], error, rtol=1e-6)


def test_a_constant_algorithm_has_an_interval():
    values = simulated(9, (8, 3, 4))
    values[:, :, 0] = 0.5
    scores = table(values)
    result = bi.compare_mixed(scores)
    summary = result.summary()
    common = bi.compare_mixed(scores, structure="common").summary()
    columns = ["conf_low", "conf_high"]
    np.testing.assert_allclose(summary.loc[0, columns].tolist(), common.loc[0, columns].tolist())
    assert (summary["conf_low"] < summary["conf_high"]).all()
    row = result.diagnostics().set_index("check")
    told = row.loc["algorithms with the same level on every data set", "sentence"]
    assert told.startswith("a ")
    again = bi.compare_mixed(table(simulated(9, (8, 3, 4)))).diagnostics()["check"]
    assert "algorithms with the same level on every data set" not in set(again)


def test_repeats_of_one_replication_on_each_data_set():
    frame = repeated(4, 3, 1, 4)
    paired, apart = (
        bi.read_scores(frame, measures="value:higher", repeats="keep", paired=paired)
        for paired in (True, False)
    )
    ours, same = (bi.compare_mixed(scores, target="datasets") for scores in (paired, apart))
    assert "there is one replication" in ours.design.reason
    pd.testing.assert_frame_equal(ours.contrasts(all=True), same.contrasts(all=True))


def test_intervals_beyond_the_bounds_of_a_measure():
    name = "intervals of levels beyond the measure's bounds"
    near = 0.8 + 0.02 * simulated(3, (4, 3, 3))
    shares = bi.Measure("accuracy", "higher", bounds=(0, 1), tolerance=0.3)
    inside = bi.compare_mixed(table(near, measures=shares)).diagnostics().set_index("check")
    assert inside.loc[name, ["value", "direction", "limit", "ok"]].tolist() == [
        0,
        "at most",
        0,
        True,
    ]
    few = 0.5 + 0.45 * np.tanh(3 * simulated(3, (3, 3, 3)))
    beyond = bi.compare_mixed(table(few, measures=shares))
    low, high = (beyond.summary()[column] for column in ("conf_low", "conf_high"))
    row = beyond.diagnostics().set_index("check").loc[name]
    assert row["value"] == ((low < 0) | (high > 1)).sum() > 0
    assert f"reach from {low.min():.3g} to {high.max():.3g}." in row["sentence"]
    assert name not in bi.compare_mixed(table(near)).diagnostics()["check"].tolist()
    undeclared = bi.compare_mixed(table(few)).diagnostics().set_index("check")
    row = undeclared.loc["intervals of levels beyond 0 and 1, where all scores lie"]
    assert (row["ok"], row["direction"]) == (True, "")
    assert "bounds=(0, 1)" in row["remedy"]


@pytest.mark.parametrize("residual", ["constant", "algorithm"])
def test_a_fit_that_does_not_converge_gives_no_verdict(residual, monkeypatch):
    scores = table(simulated(3))
    monkeypatch.setattr(optimum, "_MAX_STEPS", 1)
    with pytest.raises(bi.BenchinferError, match="did not converge in 1 steps"):
        bi.compare_mixed(scores, residual=residual)


def test_data_sets_whose_fit_does_not_converge_are_refused(monkeypatch):
    minimise, scores = optimum.minimise, table(simulated(3))
    calls = iter([1, *[100] * 9])

    def stopped(*arguments, **options):
        monkeypatch.setattr(optimum, "_MAX_STEPS", next(calls))
        return minimise(*arguments, **options)

    monkeypatch.setattr(optimum, "minimise", stopped)
    local = bi.per_dataset(bi.compare_mixed, scores)
    assert list(local.refused) == ["d00"]
    assert "did not converge" in local.refused["d00"]
    assert len(local) == 7


def test_legacy_rule_calls_not_significant_equal():
    mixed = bi.compare_mixed(table(simulated(16, effect=0.4)))
    relation = mixed.relation(rule="not-significant").to_frame()
    p = mixed.contrasts(all=True)["p_value"]
    assert ((relation["verdict"] == "equivalent") == (p > 0.05)).all()
    with pytest.raises(DesignError, match="unknown rule 'p'"):
        mixed.relation(rule="p")


def test_per_dataset_equals_one_by_one():
    scores = table(simulated(17))
    local = bi.per_dataset(bi.compare_mixed, scores)
    assert list(local) == [f"d{i:02d}" for i in range(8)]
    assert len(local) == 8
    one = bi.compare_mixed(scores.subset(datasets=["d03"]))
    pd.testing.assert_frame_equal(local["d03"].contrasts(all=True), one.contrasts(all=True))
    assert local.contrasts(all=True).columns[0] == "dataset"
    assert set(local.relations()) == set(local)
    with pytest.raises(DesignError, match="none of the 6 data sets can be compared by itself"):
        bi.per_dataset(bi.compare_mixed, table(simulated(17, (6, 1, 3))))


@pytest.mark.slow
def test_confidence_holds_the_truth_as_often_as_it_says():
    # 60 tables at nominal 90 %: 99.8 % of binomial counts lie in [46, 59]; more are calibrated.
    held = 0
    for seed in range(60):
        rows = bi.compare_mixed(table(simulated(seed, (6, 2, 3))), level=0.9).contrasts(all=True)
        truth = np.array([-1.0, -2.0, -1.0])
        held += ((rows["conf_low"] < truth) & (truth < rows["conf_high"])).all()
    assert 46 <= held <= 59


def test_without_the_interaction_claims_stay_with_these_data_sets():
    mixed = bi.compare_mixed(table(simulated(30)), terms=["dataset"], structure="common")
    assert mixed.target == "datasets"
    with pytest.raises(DesignError, match="about these data sets, not their domain"):
        bi.compare_mixed(
            table(simulated(30)), terms=["dataset"], structure="common", target="domain"
        )
    row = mixed.diagnostics().set_index("check").loc["claims go beyond these data sets"]
    assert not row["ok"]
    # Errors from the spread between data sets speak of their domain, whatever the terms.
    assert bi.compare_mixed(table(simulated(30)), terms=["dataset"]).target == "domain"
    # One replication: the residual holds the interaction, so the domain is meant.
    assert bi.compare_mixed(table(simulated(30, (8, 1, 3)))).target == "domain"


def test_several_domains_are_named_when_pooled():
    rows = table(simulated(31)).to_frame().drop(columns="measure", errors="ignore")
    rows["domain"] = np.where(rows["dataset"] < "d04", "text", "vision")
    scores = bi.read_scores(rows, measures={"score": "higher"}, paired=True)
    mixed = bi.compare_mixed(scores)
    assert "2 domains taken as one" in mixed.headline()
    assert not mixed.diagnostics().set_index("check").loc["domains taken as one", "ok"]
    within = bi.compare_mixed(scores.subset(domains=["text"]))
    assert "domains taken" not in within.headline()


def test_the_overlap_correction_is_said_and_cited():
    scores = table(simulated(32, (1, 10, 3)), resampling=bi.Resampling("cv", folds=10))
    mixed = bi.compare_mixed(scores)
    assert "0.111 times" in mixed.method
    assert "nadeau2003" in mixed.citations()
    checks = mixed.diagnostics().set_index("check")
    assert checks.loc["replications are a multiple of the folds", "ok"]
    odd = table(simulated(32, (1, 10, 3)), resampling=bi.Resampling("cv", folds=3))
    checks = bi.compare_mixed(odd).diagnostics().set_index("check")
    assert not checks.loc["replications are a multiple of the folds", "ok"]


def test_only_what_was_used_is_cited():
    scores = table(simulated(33))
    default = bi.compare_mixed(scores).citations()
    assert "pustejovsky2018" in default
    assert "nadeau2003" not in default
    assert "kenward1997" not in default
    common = bi.compare_mixed(scores, structure="common").citations()
    assert "kenward1997" in common
    assert "pustejovsky2018" not in common
    asymptotic = bi.compare_mixed(scores, structure="common", df="asymptotic").citations()
    assert "kenward1997" not in asymptotic


def test_short_texts():
    scores = table(simulated(34))
    mixed = bi.compare_mixed(scores)
    assert repr(mixed) == f"<MixedComparison of score: {mixed.relation()}>"
    local = bi.per_dataset(bi.compare_mixed, scores)
    assert repr(local) == "<Comparisons of 8 data sets>"
    assert str(local).splitlines()[0] == f"d00  {local['d00'].relation()}"
    pair = bi.compare_mixed(table(simulated(34, (4, 1, 2), effect=0.0)))
    assert "whether it is better than" in pair.headline()
    assert pair.provenance.adjustment == "There is one contrast, and nothing to adjust for"


def test_a_frame_in_place_of_a_score_table_is_refused():
    with pytest.raises(DesignError, match="scores is a DataFrame"):
        bi.compare_mixed(pd.DataFrame({"value": [1.0]}))


def test_a_zero_component_on_one_data_set_is_named_as_in_the_formula():
    rng = np.random.default_rng(35)
    noise = rng.normal(size=(1, 8, 3))
    noise -= noise.mean(axis=2, keepdims=True)  # no spread between replications at all
    mixed = bi.compare_mixed(table(noise + np.arange(3)))
    row = mixed.diagnostics().set_index("check").loc["variance components at zero"]
    assert "replications" in row["sentence"]


def test_a_control_leaves_the_other_pairs_open_and_says_so():
    mixed = bi.compare_mixed(table(simulated(36)), contrasts="dunnett", control="a")
    relation = mixed.relation()
    assert not relation.is_weak_order()
    assert str(relation).endswith("not compared: 3 of 6 pairs")
    assert set(mixed.contrasts()["winner"]) == {"b", "c", "d"}
    with pytest.raises(bi.errors.NotAWeakOrder, match="3 of 6 pairs were not compared"):
        relation.ranking()


@pytest.mark.slow
def test_stepwise_equivalence_beyond_its_interval_is_named():
    rng = np.random.default_rng(37)
    values = rng.normal(size=(40, 1, 1)) + 0.3 * rng.normal(size=(40, 1, 4))
    found = set()
    for tolerance in np.linspace(0.1, 0.4, 20):
        measure = bi.Measure("score", "higher", tolerance=tolerance)
        mixed = bi.compare_mixed(table(values, measures=measure))
        name = "equivalent pairs whose interval leaves the tolerance"
        row = mixed.diagnostics().set_index("check").loc[name]
        wide = bi.compare_mixed(
            table(values, measures=measure), level=0.9, interval="simultaneous"
        ).contrasts(all=True)
        outside = (wide["conf_low"] < -tolerance) | (wide["conf_high"] > tolerance)
        equivalent = mixed.contrasts(all=True)["verdict"] == "equivalent"
        assert row["value"] == (equivalent & outside).sum()
        found.add(row["value"])
    assert len(found) > 1


def test_an_algorithm_on_one_data_set_has_no_error_of_its_own():
    values = simulated(40)
    values[1:, :, 3] = np.nan
    with pytest.raises(DesignError, match="d has scores on one data set only"):
        bi.compare_mixed(table(values))
    assert len(bi.compare_mixed(table(values), structure="common").contrasts(all=True)) == 6


def test_scores_that_repeat_each_other_are_refused():
    cells = np.repeat(simulated(41)[:, :1], 3, axis=1)  # replications are copies
    with pytest.raises(DesignError, match="nothing varies beyond the random effects"):
        bi.compare_mixed(table(cells))
    twins = np.repeat(simulated(42)[..., :1], 2, axis=2)
    with pytest.raises(DesignError, match="scores repeat each other"):
        bi.compare_mixed(table(twins))


def test_a_constant_algorithm_and_a_large_offset_are_no_obstacle():
    values = simulated(43)
    values[..., 2] = 1.0
    mixed = bi.compare_mixed(table(values))
    assert np.isfinite(mixed.summary()[["conf_low", "conf_high"]]).all(axis=None)
    far = bi.compare_mixed(table(simulated(44) + 1e11))
    near = bi.compare_mixed(table(simulated(44)))
    # A score near 1e11 holds 1e-5 of a unit.
    np.testing.assert_allclose(
        far.contrasts(all=True)["statistic"], near.contrasts(all=True)["statistic"], rtol=1e-3
    )


def test_missing_scores_can_be_refused():
    values = simulated(45)
    values[2, :, 1] = np.nan
    values[3, :2, 0] = np.nan
    scores = table(values)
    assert bi.compare_mixed(scores).provenance.arguments["missing"] == "use"
    with pytest.raises(DesignError) as caught:
        bi.compare_mixed(scores, missing="error")
    assert str(caught.value) == (
        "2 of 32 cells lack scores for measure 'score'.\n"
        "    dataset  algorithm  found  expected\n"
        "    d02      b              0         5\n"
        "    d03      a              3         5\n"
        'Hint: compare with missing="use" to let the model use what is there,\n'
        "      or scores.complete('score') to keep what is whole."
    )
    whole = scores.complete("score")
    assert bi.compare_mixed(whole, missing="error").setting.coverage.n == 6 * 5 * 4
    with pytest.raises(DesignError, match="unknown missing 'drop'"):
        bi.compare_mixed(scores, missing="drop")


@pytest.mark.parametrize(("role", "name"), [("dataset", "d2"), ("algorithm", "y")])
def test_what_has_no_score_of_the_measure_is_left_out_and_named(role, name):
    rng = np.random.default_rng(46)
    rows = pd.DataFrame(
        [
            (f"d{d}", b, a, m, rng.normal())
            for d, b in np.ndindex(6, 3)
            for a in "xyz"
            for m in ("acc", "sec")
        ],
        columns=["dataset", "replication", "algorithm", "measure", "value"],
    )
    kept = rows[(rows[role] != name) | (rows["measure"] == "acc")]
    scores = bi.read_scores(kept, measures={"acc": "higher", "sec": "lower"}, paired=True)
    mixed = bi.compare_mixed(scores, "sec")
    alone = bi.read_scores(kept[kept["measure"] == "sec"], measures={"sec": "lower"}, paired=True)
    pd.testing.assert_frame_equal(
        mixed.contrasts(all=True), bi.compare_mixed(alone).contrasts(all=True)
    )
    check = "data sets and algorithms without scores of the measure"
    row = mixed.diagnostics().set_index("check").loc[check]
    assert row["value"] == 1
    assert row["sentence"].startswith(f"{name} has no score of ")
    with pytest.raises(DesignError, match=f"no scores of measure 'sec' for {name}"):
        bi.compare_mixed(scores, "sec", missing="error")
    assert len(bi.compare_points(scores, "sec").algorithms) == len(mixed.algorithms)
