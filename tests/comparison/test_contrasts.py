"""Contrast families and alternatives of compare_mixed: against multcomp, and by definition."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.comparison.contrasts import MOST_IN_PAIRS, family_of
from benchinfer.comparison.normal import evidence_of
from benchinfer.core.errors import DesignError
from benchinfer.numerics import max_t
from benchinfer.numerics.covariance import Adjusted

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/contrasts/contrasts.json").read_text())
FAMILIES = ("mean", "sequential", "dunnett", "weights")
# R's name of what is to be shown of the first side, on a measure of which more is better.
ALTERNATIVES = {"two-sided": "two.sided", "better": "greater", "worse": "less"}


def asked(family, algorithms):
    """Return the arguments that ask for a family of the golden script."""
    k = len(algorithms)
    if family == "dunnett":
        return {"contrasts": "dunnett", "control": algorithms[0]}
    if family == "weights":
        rest = dict.fromkeys(algorithms[1:], -1 / (k - 1))
        pair = dict.fromkeys(algorithms[:2], 0.5)
        return {
            "contrasts": {"two": {**pair, algorithms[-1]: -1}, "one": {algorithms[0]: 1, **rest}}
        }
    return {"contrasts": family}


def test_levels_equal_but_for_rounding_keep_the_order_of_the_table():
    rows = {"dataset": "d1", "algorithm": ["a", "b", "c"], "acc": [0.3, 0.1 + 0.2, 0.4]}
    scores = bi.read_scores(pd.DataFrame(rows), measures="acc:higher")
    pairs = bi.compare_points(scores).pairs.oriented()
    assert list(pairs.items()) == [(1, ("c", "a")), (2, ("c", "b")), (0, ("a", "b"))]


def test_pairs_are_turned_only_where_neither_user_nor_test_fixed_their_order():
    worth = dict(zip("abc", (0.3, 0.1, 0.6), strict=True))
    rows = [
        (name, d, value + (7 * d + 3 * i) % 5 / 100)
        for d in range(8)
        for i, (name, value) in enumerate(worth.items())
    ]
    frame = pd.DataFrame(rows, columns=["algorithm", "dataset", "acc"])
    scores = bi.read_scores(frame, measures="acc:higher")

    def read(**options):
        return list(bi.compare_mixed(scores, **options).pairs.oriented().items())

    assert read() == [(1, ("c", "a")), (2, ("c", "b")), (0, ("a", "b"))]
    assert read(control="a") == [(1, ("c", "a")), (0, ("a", "b"))]
    fixed = [(1, ("a", "c")), (2, ("b", "c")), (0, ("a", "b"))]
    assert read(alternative="better") == fixed
    mean = "mean of all algorithms"
    assert read(contrasts="mean") == [(2, ("c", mean)), (0, ("a", mean)), (1, ("b", mean))]
    named = {"one": {"b": 1, "c": -1}, "two": {"b": 0.5, "a": 0.5, "c": -1}}
    assert read(contrasts=named) == [(0, ("b", "c")), (1, ("mean of a and b", "c"))]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", ["balanced", "unbalanced"])
def test_families_agree_with_multcomp(name, family, alternative):
    scores = bi.load_example(f"simulated/{name}")
    expected = GOLDEN["values"][f"{name}_{family}_{ALTERNATIVES[alternative]}"]
    rows = bi.compare_mixed(
        scores,
        structure="common",
        df="asymptotic",
        adjust="single-step",
        alternative=alternative,
        **asked(family, scores.algorithms),
    ).contrasts(all=True)
    # lme4's polished optimum is good to about 1e-8 in the variances.
    for column in ("estimate", "std_error", "statistic", "p_raw"):
        wanted = np.array(expected[column], dtype=float)
        np.testing.assert_allclose(rows[column], wanted, rtol=2e-6, atol=1e-9)
    # mvtnorm integrates by randomised lattices: the error it reports is about a standard error.
    noise = 4 * np.max(expected["p_error"]) + 2e-6
    np.testing.assert_allclose(rows["p_value"], expected["p_value"], atol=noise)
    for ours, theirs in (("conf_low", "low"), ("conf_high", "high")):
        wanted = np.array([float(str(x).replace("Inf", "inf")) for x in expected[theirs]])
        np.testing.assert_allclose(rows[ours], wanted, atol=5e-3 * rows["std_error"].max())


@pytest.fixture(scope="module")
def scores():
    return bi.load_example("sklearn_bootstrap").subset(measures=["error"])


def test_the_best_is_adjusted_for_all_pairs(scores):
    every = bi.compare_mixed(scores).contrasts(all=True)
    best = bi.compare_mixed(scores, contrasts="dunnett", control="best")
    rows = best.contrasts(all=True)
    assert set(rows["second"]) == {"svm"}
    assert len(rows) == 5
    both = rows.merge(every, on=["first", "second"], suffixes=("", "_all"))
    assert len(both) == 5
    for column in ("estimate", "conf_low", "conf_high", "p_value", "p_equivalence"):
        np.testing.assert_allclose(both[column], both[f"{column}_all"], rtol=1e-12)
    assert "all 15 pairs (shown: the 5 pairs with svm, best by its estimate)" in best.method


def test_a_contrast_of_means_is_the_t_test_of_the_data_sets_contrasts(scores):
    weights = {"cart": 0.5, "rf": 0.5, "svm": -1}
    row = bi.compare_mixed(scores, contrasts={"trees - svm": weights}).contrasts(all=True).iloc[0]
    cells = scores.describe("error").pivot_table(
        index="dataset", columns="algorithm", values="mean"
    )
    values = sum(w * cells[name] for name, w in weights.items())
    assert row["estimate"] == pytest.approx(values.mean(), rel=1e-9)
    assert row["std_error"] == pytest.approx(values.std() / np.sqrt(len(values)), rel=1e-7)
    assert row["df"] == pytest.approx(len(values) - 1, rel=1e-7)
    assert (row["contrast"], row["first"], row["second"]) == (
        "trees - svm",
        "mean of cart and rf",
        "svm",
    )


def test_averages_are_in_no_relation_but_in_words_figures_and_files(scores, tmp_path):
    mixed = bi.compare_mixed(scores, contrasts="mean")
    states = mixed.relation().states
    assert (states[~np.eye(6, dtype=bool)] == 0).all()
    assert "the mean of all algorithms" in mixed.headline()
    mixed.plot("forest")
    back = bi.load(mixed.save(tmp_path / "mean.json"))
    pd.testing.assert_frame_equal(back.contrasts(all=True), mixed.contrasts(all=True))


def test_steps_follow_the_order_given(scores):
    rows = bi.compare_mixed(scores, contrasts=["rf", "cart", "lda"]).contrasts(all=True)
    assert list(zip(rows["first"], rows["second"], strict=True)) == [
        ("cart", "rf"),
        ("lda", "cart"),
    ]


def test_one_sided_tests_halve_the_p_value_and_open_the_interval(scores):
    options = {"contrasts": "dunnett", "control": "svm", "adjust": "none"}
    both = bi.compare_mixed(scores, **options).contrasts(all=True)
    worse = bi.compare_mixed(scores, alternative="worse", **options)
    rows = worse.contrasts(all=True)
    np.testing.assert_allclose(rows["p_value"], both["p_value"] / 2, rtol=1e-10)
    # Worse is a larger error: the interval of the difference is open above.
    assert np.isinf(rows["conf_high"]).all()
    narrower = bi.compare_mixed(scores, level=0.9, **options).contrasts(all=True)
    np.testing.assert_allclose(rows["conf_low"], narrower["conf_low"], rtol=1e-9)
    better = bi.compare_mixed(scores, alternative="better", **options).contrasts(all=True)
    np.testing.assert_allclose(better["p_value"], 1 - rows["p_value"], rtol=1e-9)
    assert set(better["verdict"]) == {"undecided"}


def test_noninferiority_is_the_bound_beyond_the_tolerance(scores):
    options = {"contrasts": "dunnett", "control": "svm", "adjust": "none", "alternative": "worse"}
    mixed = bi.compare_mixed(scores, level=0.99, **options)
    rows = mixed.contrasts(all=True)
    # svm is not worse by the tolerance where the lower bound of (other - svm) is above -0.01.
    shown = rows["conf_low"] > -0.01
    assert ((rows["p_noninferiority"] <= 0.01) == shown).all()
    assert mixed.noninferior() == [("svm", name) for name in rows["first"][shown]]
    assert 0 < shown.sum() < 5
    assert "p_noninferiority" not in bi.compare_mixed(scores).contrasts(all=True)


def test_equivalence_does_not_lend_itself_to_the_logic_of_equalities():
    # Any number of pairs may differ by the tolerance at once, whatever is rejected.
    scores = bi.load_example("simulated/balanced")
    shaffer = bi.compare_mixed(scores, adjust="shaffer").contrasts(all=True)
    holm = bi.compare_mixed(scores, adjust="holm").contrasts(all=True)
    np.testing.assert_array_equal(shaffer["p_equivalence"], holm["p_equivalence"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"contrasts": {}}, "there are no contrasts"),
        ({"contrasts": {"x": {"svm": 1, "knn": -2}}}, "do not compare two means"),
        ({"contrasts": {"x": {"svm": 1, "nobody": -1}}}, "unknown algorithm 'nobody'"),
        ({"contrasts": ["svm"]}, "does not name two or more"),
        ({"contrasts": ["svm", "nobody"]}, "unknown algorithm 'nobody'"),
        ({"alternative": "greater"}, "unknown alternative 'greater'"),
        ({"alternative": "better", "adjust": "shaffer"}, "equalities of all pairs"),
        (
            {"alternative": "better", "contrasts": "dunnett", "control": "best"},
            "which one is best was seen in the scores",
        ),
    ],
)
def test_what_makes_no_contrast_is_refused(scores, arguments, expected):
    with pytest.raises(DesignError, match=expected):
        bi.compare_mixed(scores, **arguments)


def test_a_claim_about_these_data_sets_averages_their_own_fits(scores):
    mixed = bi.compare_mixed(scores, target="datasets", df="satterthwaite")
    local = bi.per_dataset(bi.compare_mixed, scores, df="satterthwaite").contrasts(all=True)
    by_pair = local.groupby(["first", "second"])
    rows = mixed.contrasts(all=True).set_index(["first", "second"])
    np.testing.assert_allclose(
        rows["estimate"], by_pair["estimate"].mean().loc[rows.index], rtol=1e-9
    )
    variance = by_pair["std_error"].apply(lambda s: (s**2).sum() / len(s) ** 2)
    np.testing.assert_allclose(rows["std_error"] ** 2, variance.loc[rows.index], rtol=1e-9)
    share = by_pair[["std_error", "df"]].apply(
        lambda g: (g["std_error"] ** 2).sum() ** 2 / (g["std_error"] ** 4 / g["df"]).sum()
    )
    np.testing.assert_allclose(rows["df"], share.loc[rows.index], rtol=1e-7)
    assert mixed.target == "datasets"
    assert "these 12 data sets" in mixed.headline()


def test_overlapping_resamples_count_on_each_of_these_data_sets():
    rng = np.random.default_rng(4)
    # Hard and easy folds, so that no variance is estimated to be zero.
    values = rng.normal([0.0, 0.5], size=(3, 10, 2)) + rng.normal(0, 3, (3, 10, 1))
    index = pd.MultiIndex.from_product([range(3), range(10), ["a", "b"]])
    frame = pd.DataFrame({"value": values.ravel()}, index=index).rename_axis(
        ["dataset", "replication", "algorithm"]
    )
    read = {"measures": {"value": "higher"}}
    plain = bi.read_scores(frame.reset_index(), resampling="independent", **read)
    folds = bi.read_scores(frame.reset_index(), resampling=bi.Resampling("cv", folds=10), **read)
    rows = [
        bi.compare_mixed(s, target="datasets").contrasts(all=True).iloc[0] for s in (plain, folds)
    ]
    difference = values[:, :, 0] - values[:, :, 1]
    # var(difference) (1/B + rho / (1 - rho)), rho = 1/10, averaged over three data sets.
    for row, factor in zip(rows, (1 / 10, 1 / 10 + 1 / 9), strict=True):
        expected = difference.var(axis=1, ddof=1).sum() * factor / 9
        assert row["std_error"] ** 2 == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"target": "domains"}, "unknown target 'domains'"),
        ({"target": "datasets", "terms": ["dataset"]}, "fits each data set by itself"),
        ({"target": "datasets", "structure": "diagonal"}, "takes each data set by itself"),
    ],
)
def test_targets_that_do_not_fit_are_refused(scores, arguments, expected):
    with pytest.raises(DesignError, match=expected):
        bi.compare_mixed(scores, **arguments)


def test_these_data_sets_need_noise_on_each():
    scores = bi.load_example("demsar2006")
    with pytest.raises(DesignError, match="fewer than two scores"):
        bi.compare_mixed(scores, scores.measures[0].name, target="datasets")


def test_one_data_set_is_no_domain(scores):
    part = scores.subset(datasets=[scores.datasets[0]])
    with pytest.raises(DesignError, match="says nothing about a domain"):
        bi.compare_mixed(part, target="domain")


@pytest.mark.parametrize("alternative", ["two-sided", "better", "worse"])
@pytest.mark.parametrize("adjust", ["single-step", "holm", "none"])
def test_a_pair_without_an_error_leaves_no_number_undefined(adjust, alternative, monkeypatch):
    cov = np.array([[1.0, 1.0 - 1e-15, 0.2], [1.0 - 1e-15, 1.0, 0.2], [0.2, 0.2, 1.5]])
    family = family_of(("a", "b", "c"), "tukey", None, np.zeros(3))
    asked, survival = [], max_t.survival
    monkeypatch.setattr(max_t, "survival", lambda f, t: (asked.append(t), survival(f, t))[1])
    errors, levels = Adjusted(cov, np.full(3, 10.0)), np.array([0.0, 1.0, 2.0])
    found, p_error = evidence_of(
        family, levels, errors, adjust, 0.05, 0.1, alternative, interval="compatible"
    )
    assert (found.p_value[0], found.p_equivalence[0], found.std_error[0]) == (1, 1, 0)
    numbers = [found.p_value, found.p_raw, found.p_equivalence, found.low, found.high, p_error]
    assert not np.isnan(np.hstack([*numbers, *asked])).any()


@pytest.mark.parametrize(
    ("compare", "options"),
    [
        (bi.compare_mixed, {}),
        (bi.compare_permutation, {"on": "values", "null": "asymptotic", "seed": 1}),
        (bi.compare_bootstrap, {"resamples": 20_000, "seed": 1}),
        (bi.compare_bayes_pairs, {"test": "sign", "seed": 1}),
        (bi.compare_meta, {}),
        (bi.compare_wins, {"ties": "half"}),
    ],
)
def test_a_control_alone_asks_for_comparisons_with_it(compare, options):
    scores = bi.load_example("sklearn_bootstrap").subset(algorithms=["cart", "knn", "lda"])
    found = compare(scores, "error", control="cart", **options)
    assert found.contrasts(all=True)[["first", "second"]].to_numpy().tolist() == [
        ["knn", "cart"],
        ["lda", "cart"],
    ]
    assert found.provenance.arguments["contrasts"] == "dunnett"
    with pytest.raises(DesignError, match="'cart' does not go with contrasts='mean'"):
        bi.compare_mixed(scores, "error", contrasts="mean", control="cart")


@pytest.mark.parametrize("unit", [1e140, 1e-140])
@pytest.mark.parametrize("compare", [bi.compare_mixed, bi.compare_meta, bi.compare_permutation])
def test_scores_out_of_the_range_of_numbers_are_refused(compare, unit):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        [(d, a, rng.normal() * unit) for d in range(5) for a in "abc"],
        columns=["dataset", "algorithm", "score"],
    )
    scores = bi.read_scores(frame, measures="score:higher")
    with pytest.raises(DesignError, match="powers of them leave the range of numbers"):
        compare(scores)


def many_algorithms(k: int) -> bi.ScoreTable:
    """Read a table of two data sets and two replications."""
    names = [f"a{i:03d}" for i in range(k)]
    rng = np.random.default_rng(1)
    rows = [(d, a, r, rng.normal()) for d in range(2) for a in names for r in range(2)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "score"])
    return bi.read_scores(frame, measures="score:higher")


@pytest.mark.parametrize("question", [{}, {"control": "best"}])
@pytest.mark.parametrize(
    ("compare", "engine"),
    [
        (bi.compare_mixed, "mixed.compare.fit_design"),
        (bi.compare_permutation, "permutation.compare.exchangeable"),
        (bi.compare_bootstrap, "bootstrap.compare.BootstrapSample"),
        (bi.compare_bayes, "bayes.compare.reduced"),
        (partial(bi.compare_bayes_pairs, test="sign"), "bayes.pairwise.compare.differences"),
        (bi.compare_wins, "wins.counts.count"),
        (bi.compare_meta, "meta.compare.of_scores"),
    ],
)
def test_all_pairs_of_very_many_algorithms_are_refused_first(
    monkeypatch, compare, engine, question
):
    scores = many_algorithms(MOST_IN_PAIRS + 1)
    monkeypatch.setattr(f"benchinfer.analyses.{engine}", None)  # reached, it cannot be called
    with pytest.raises(DesignError, match=r"(?s)algorithms are [\d,]+ contrasts.*control="):
        compare(scores, **question)


def test_a_control_of_very_many_algorithms_is_no_matter_of_all_pairs():
    scores = many_algorithms(MOST_IN_PAIRS + 1)
    found = bi.compare_mixed(scores, control="a000")
    assert len(found.contrasts(all=True)) == MOST_IN_PAIRS
