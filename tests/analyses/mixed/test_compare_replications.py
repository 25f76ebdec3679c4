"""Pairs with errors of their own on given data sets: R's tests, closure, what else there is."""

import json
from html import escape
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.core.errors import DesignError
from benchinfer.numerics import multiplicity
from benchinfer.numerics.closed_testing import bergmann_hommel, partitions
from benchinfer.numerics.multiplicity import SPENT
from tests.analyses.mixed.test_compare import simulated, table
from tests.nested import items_of_passages, read

GOLDEN = Path(__file__).parents[2] / "golden" / "replications"
KINDS = {
    "welch": {"paired": False},
    "paired": {"paired": True},
    "corrected": {"resampling": bi.Resampling("cv", folds=5)},
}


def closed(p, k):
    """Return adjusted p-values of all pairs: Bonferroni's test of each partition."""
    pairs = list(combinations(range(k), 2))
    adjusted = np.zeros(len(p))
    for labels in partitions(k):
        inside = [n for n, (i, j) in enumerate(pairs) if labels[i] == labels[j]]
        if inside:
            of_all = min(len(inside) * p[inside].min(), 1.0)
            adjusted[inside] = np.maximum(adjusted[inside], of_all)
    return adjusted


def scores_of(kind, datasets=None):
    frame = pd.read_csv(GOLDEN / "scores.csv")
    frame = frame if datasets is None else frame[frame["dataset"].isin(datasets)]
    measure = bi.Measure("score", "higher", tolerance=0.5)
    return bi.read_scores(frame, measures=measure, **KINDS[kind])


def one_dataset(seed, n=6, k=5, effect=1.0):
    values = simulated(seed, (1, n, k), effect)
    values[..., -1] *= 5
    return values


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", ["one", "three"])
def test_pairs_are_those_of_r(kind, number):
    reference = json.loads((GOLDEN / "replications.json").read_text())
    expected = reference[number][kind]
    options = {"datasets": ["d1"]} if number == "one" else {}
    scores = scores_of(kind, **options)
    mixed = bi.compare_mixed(scores, target="datasets", interval="simultaneous")
    assert (mixed.structure, mixed.target) == ("pairwise", "datasets")
    rows = mixed.contrasts(all=True)
    assert rows["first"].tolist() == reference["first"]
    assert rows["second"].tolist() == reference["second"]
    for name in ("estimate", "std_error", "df", "statistic", "p_raw", "conf_low", "conf_high"):
        np.testing.assert_allclose(rows[name], expected[name], rtol=1e-9, err_msg=name)
    np.testing.assert_allclose(rows["p_value"], closed(np.array(expected["p_raw"]), 5), rtol=1e-9)
    within = multiplicity.holm(np.array(expected["within"]))
    np.testing.assert_allclose(rows["p_equivalence"], within, rtol=1e-9)
    decided = np.where(
        rows["p_value"] <= 0.05, rows["winner"] != "", rows["verdict"] == "undecided"
    )
    assert decided.all()
    if kind != "corrected":
        levels = mixed.summary()
        for name, values in reference[number]["levels"].items():
            np.testing.assert_allclose(levels[name], values, rtol=1e-9, err_msg=name)


@pytest.mark.parametrize(
    ("options", "test"),
    [
        ({"paired": False}, "welch"),
        ({"paired": True}, "t"),
        ({"resampling": bi.Resampling("cv", folds=5)}, "corrected-t"),
    ],
)
def test_two_algorithms_are_those_of_compare_pair(options, test):
    values = one_dataset(1, n=8, k=2)
    values[0, :2, 1] = np.nan
    scores = table(values, **options)
    mixed = bi.compare_mixed(scores, structure="pairwise")
    pair = bi.compare_pair(scores, test=test)
    for name in ("estimate", "std_error", "df", "p_value", "low", "high", "p_equivalence"):
        ours, theirs = getattr(mixed.evidence, name), getattr(pair.evidence, name)
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, err_msg=name)


def test_automatic_structures():
    values = one_dataset(2)
    assert bi.compare_mixed(table(values)).structure == "pairwise"
    assert bi.compare_mixed(table(values[..., :2])).structure == "common"
    several = np.concatenate([values, one_dataset(3)])
    assert bi.compare_mixed(table(several), target="datasets").structure == "pairwise"
    pooled = bi.compare_mixed(table(values[..., :2], paired=False)).evidence
    expected = stats.ttest_ind(values[0, :, 0], values[0, :, 1])
    assert pooled.p_value[0] == pytest.approx(expected.pvalue, rel=1e-9)
    assert pooled.df[0] == pytest.approx(10)


@pytest.mark.parametrize(
    ("arguments", "k", "method"),
    [
        ({}, 5, "bergmann-hommel"),
        ({}, 15, "bergmann-hommel"),
        ({}, 16, "holm"),
        ({"alternative": "better"}, 4, "holm"),
        ({"control": "a"}, 4, "holm"),
        ({"contrasts": "mean"}, 4, "holm"),
        ({"adjust": "shaffer"}, 4, "shaffer"),
        ({"adjust": "bh", "control": "a"}, 4, "bh"),
        ({"adjust": "none"}, 4, "none"),
    ],
)
def test_adjustments(arguments, k, method):
    scores = table(simulated(4, (1, 6, k)), "abcdefghijklmnop")
    mixed = bi.compare_mixed(scores, **arguments)
    assert mixed._family()[1].method == method
    assert "rotations" not in mixed.method
    rows = mixed.contrasts(all=True)
    if method == "bergmann-hommel":
        expected = bergmann_hommel(rows["p_raw"].to_numpy(), k, SPENT)
        np.testing.assert_allclose(rows["p_value"], expected, rtol=1e-12)
    if method == "holm":
        expected = multiplicity.holm(rows["p_raw"].to_numpy(), SPENT)
        np.testing.assert_allclose(rows["p_value"], expected)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"adjust": "single-step"}, "needs one variance common to all pairs"),
        ({"adjust": "westfall"}, "needs one variance common to all pairs"),
        ({"adjust": "rotation"}, "as claims are about given data sets"),
        ({"structure": "diagonal"}, "describes how data sets differ: there is one"),
        ({"residual": "algorithm"}, "describes how data sets differ: there is one"),
    ],
)
def test_what_does_not_go_with_errors_of_their_own_is_refused(arguments, words):
    with pytest.raises(DesignError, match=words):
        bi.compare_mixed(table(one_dataset(5)), **arguments)


@pytest.mark.parametrize("paired", [True, False])
def test_an_algorithm_with_one_replication_is_refused_by_name(paired):
    values = one_dataset(6)
    values[0, 1:, 2] = np.nan
    with pytest.raises(DesignError, match=r'c has one replication.*\n.*structure="common"'):
        bi.compare_mixed(table(values, paired=paired))
    assert len(bi.compare_mixed(table(values, paired=paired), structure="common").pairs) == 10


def test_pairs_without_spread_are_undecided_and_named():
    values = one_dataset(7)
    values[..., 1] = values[..., 0] + 3.0  # the same difference everywhere
    values[..., 2] = 1.5
    for paired in (True, False):
        mixed = bi.compare_mixed(table(values, paired=paired))
        row = mixed.contrasts(all=True).iloc[0]
        checks = mixed.diagnostics().set_index("check")
        check = checks.loc["pairs with the same difference in every replication"]
        assert check["value"] == paired
        if paired:
            assert (row["verdict"], row["p_value"], row["std_error"]) == ("undecided", 1, 0)
            assert np.isinf(row[["conf_low", "conf_high"]].tolist()).all()
            assert check["sentence"].endswith("(b and a).")
        # An algorithm without spread has the error of the model for its level, and is named.
        levels = mixed.summary().set_index("algorithm")
        assert levels.loc["c", "conf_low"] < 1.5 < levels.loc["c", "conf_high"]
        named = checks.loc["algorithms with the same score in every replication"]
        assert named["value"] == 1
        assert named["sentence"].startswith("c ")
    constant = np.tile(np.arange(3.0), (1, 4, 1))
    constant[0, :, 2] += np.arange(4)
    mixed = bi.compare_mixed(table(constant, paired=False))
    assert mixed.contrasts(all=True)["p_raw"][0] == 1
    permuted = bi.compare_permutation(table(constant, paired=False)).contrasts(all=True)
    assert permuted["p_raw"][0] < 0.05  # the test that the check names


def test_pairs_of_a_table_with_gaps_use_the_replications_of_both():
    values = one_dataset(8, n=9)
    values[0, :4, 0] = values[0, 6:, 1] = np.nan
    mixed = bi.compare_mixed(table(values))
    row = mixed.contrasts(all=True).iloc[0]
    both = stats.ttest_rel(values[0, 4:6, 0], values[0, 4:6, 1])
    assert (row["df"], row["p_raw"]) == (1, pytest.approx(both.pvalue, rel=1e-9))
    checks = mixed.diagnostics().set_index("check")
    assert checks.loc["thin cells", "value"] == 2
    assert "pairs compared as independent samples" not in checks.index
    values[0, :6, 0] = np.nan
    apart = bi.compare_mixed(table(values)).diagnostics().set_index("check")
    named = apart.loc["pairs compared as independent samples"]
    assert (named["value"], named["ok"]) == (1, True)
    assert named["sentence"].endswith("(a and b).")


def test_method_and_formula_say_what_was_done():
    values = one_dataset(9)
    paired, welch = (bi.compare_mixed(table(values, paired=p)) for p in (True, False))
    assert paired.formula == "score ~ algorithm + (1|replication), each pair by the paired t-test"
    assert welch.formula == "score ~ algorithm, each pair by Welch's t-test"
    for result, key in ((paired, "student1908"), (welch, "welch1947")):
        assert key in result.citations()
        assert "bell2002" not in result.citations()
        assert "bergmann1988" in result.citations()
    folds = bi.compare_mixed(table(values, resampling=bi.Resampling("cv", folds=5)))
    assert "0.25 times" in folds.method
    assert "nadeau2003" in folds.citations()
    these = bi.compare_mixed(table(np.concatenate([values, values + 1])), target="datasets")
    assert "student1908" in these.citations()
    normal = bi.compare_mixed(table(values), df="asymptotic")
    assert np.isinf(normal.evidence.df).all()


def test_bootstrap_replications_speak_of_the_sample_as_drawn():
    values = one_dataset(10, n=20)
    few, many = (
        bi.compare_mixed(table(v, resampling="bootstrap"))
        for v in (values, np.concatenate([values] * 4, axis=1))
    )
    ratio = few.evidence.std_error / many.evidence.std_error
    np.testing.assert_allclose(ratio, 2 * np.sqrt(79 / 76), rtol=1e-9)
    assert "conditional on the learning sample" in few.diagnostics()["check"].tolist()


def test_terms_without_replications_take_scores_as_independent():
    values = one_dataset(11)
    mixed = bi.compare_mixed(table(values), terms=[])
    row = mixed.contrasts(all=True).iloc[0]
    expected = stats.ttest_ind(values[0, :, 0], values[0, :, 1], equal_var=False)
    assert row["p_raw"] == pytest.approx(expected.pvalue, rel=1e-9)


def test_a_common_error_is_flagged_where_spreads_differ_for_sure():
    name = "own / common standard error, largest factor"
    values = simulated(12, (1, 25, 4))
    rows = [
        bi.compare_mixed(table(v, paired=False), structure="common").diagnostics()
        for v in (values, values * [1, 1, 1, 8])
    ]
    even, erratic = (r.set_index("check").loc[name] for r in rows)
    assert (even["ok"], erratic["ok"]) == (True, False)
    assert 'structure="pairwise"' in erratic["remedy"]
    own = bi.compare_mixed(table(values * [1, 1, 1, 8], paired=False)).diagnostics()
    assert own.set_index("check").loc[name, "ok"]
    # Of four replications own errors differ by chance.
    flagged = [
        bi.compare_mixed(table(simulated(s, (1, 4, 4)), paired=False), structure="common")
        .diagnostics()
        .set_index("check")
        .loc[name, "ok"]
        for s in range(20)
    ]
    assert all(flagged)


def test_influence_compares_without_each_replication():
    values = one_dataset(13, n=7, effect=0.6)
    values[0, 2, 1] += 4
    mixed = bi.compare_mixed(table(values))
    found = mixed.influence()
    for r in range(7):
        rest = [i for i in range(7) if i != r]
        without = bi.compare_mixed(table(values[:, rest]))
        assert found["n_changed"][r] == (without.pairs.codes != mixed.pairs.codes).sum()
        moved = (mixed.evidence.estimate - without.evidence.estimate) / mixed.evidence.std_error
        assert abs(found["shift"][r]) == pytest.approx(np.abs(moved).max(), rel=1e-6)
    with pytest.raises(DesignError, match="replications are not shared"):
        bi.compare_mixed(table(values, paired=False)).influence()


@pytest.mark.slow
def test_further_questions_answer_or_refuse_in_a_sentence(tmp_path):
    scores = table(np.concatenate([one_dataset(14), one_dataset(15)]))
    for mixed, why in (
        (bi.compare_mixed(scores.subset(datasets=["d00"])), "one data set"),
        (bi.compare_mixed(scores, target="datasets"), "each data set is fitted by itself"),
    ):
        assert mixed.variances()["share"].sum() == pytest.approx(1)
        assert len(mixed.correlations())
        for question in (mixed.predict, mixed.direct):
            with pytest.raises(DesignError, match=why):
                question()
        with pytest.raises(DesignError, match="no random effects"):
            mixed.departures()
        page = mixed.report(tmp_path / "page.html").read_text(encoding="utf-8")
        assert escape(mixed.formula) in page


def test_units_of_unequal_size_are_those_of_compare_pair():
    scores = read(items_of_passages((1, 2, 4, 7, 3, 13), seed=2))
    mixed, pair = bi.compare_mixed(scores, structure="pairwise"), bi.compare_pair(scores)
    assert mixed.evidence.estimate == pytest.approx(pair.evidence.estimate, rel=1e-9)
    assert mixed.evidence.df == pytest.approx(pair.evidence.df, rel=1e-9)
    # That of the pair leaves the leverage of a unit out of what both have in common.
    assert mixed.evidence.std_error == pytest.approx(pair.evidence.std_error, rel=0.02)


def test_saved_results_answer_the_same(tmp_path):
    scores = table(np.concatenate([one_dataset(16), one_dataset(17)]))
    mixed = bi.compare_mixed(scores, target="datasets")
    mixed.save(tmp_path / "mixed.json")
    again = bi.load(tmp_path / "mixed.json")
    pd.testing.assert_frame_equal(again.contrasts(all=True), mixed.contrasts(all=True))
    assert again.method == mixed.method


def test_replications_that_pairs_share_in_part_are_saved_and_loaded(tmp_path):
    """On one data set the rows of means are data sets, and those of scores are replications."""
    labels = {"a": (0, 1, 2), "b": (0, 1, 2), "c": (0, 1), "d": (3, 4)}
    rng = np.random.default_rng(1)
    rows = [("d", name, r, rng.normal()) for name, parts in labels.items() for r in parts]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "replication", "value"])
    result = bi.compare_mixed(bi.read_scores(frame, measures="value:higher"), missing="use")
    result.save(tmp_path / "result.json")
    again = bi.load(tmp_path / "result.json")
    pd.testing.assert_frame_equal(again.contrasts(all=True), result.contrasts(all=True))
