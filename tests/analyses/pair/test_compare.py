"""Tests of two algorithms: which one is chosen, what is refused, what is said, what it says."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.pair import rules
from benchinfer.analyses.pair.numerics import outcomes, t_tests
from benchinfer.analyses.pair.tests import screening_size
from benchinfer.comparison.wording import interval_words, over_equality
from benchinfer.core.errors import DesignError
from benchinfer.numerics import rates

GOLDEN = Path(__file__).parents[2] / "golden" / "pairs"
R = json.loads((GOLDEN / "pairs.json").read_text())
FOLDS = pd.read_csv(GOLDEN / "folds.csv")
ITEMS = pd.read_csv(GOLDEN / "items.csv")
CV = bi.Resampling("cv", folds=10)


def read(frame, resampling, measures="accuracy:higher:0.02", **options):
    return bi.read_scores(
        frame, measures=measures, layout="wide-algorithms", resampling=resampling, **options
    )


def wide(**algorithms):
    return pd.DataFrame(algorithms).rename_axis("replication").reset_index()


@pytest.fixture(scope="module")
def folds():
    return read(FOLDS, CV)


@pytest.fixture(scope="module")
def items():
    return read(ITEMS[["replication", "a", "b"]], "items")


def row(comparison):
    return comparison.contrasts(all=True).iloc[0]


# What is declared, and what that makes of 20 scores that are shared or not.
CHOICES = {
    "cv": (CV, "corrected-t"),
    "holdout": (bi.Resampling("holdout", test_fraction=0.2), "corrected-t"),
    "bootstrap": ("bootstrap", "t"),
    "items": ("items", "t"),
    "seeds": ("seeds", "welch"),
    "shared seeds": (bi.Resampling("seeds", paired=True), "t"),
    "unshared": (bi.Resampling("independent", paired=False), "welch"),
    "independent": ("independent", "t"),
    "undeclared": (None, "t"),
}


@pytest.mark.parametrize("declared", CHOICES)
def test_the_resampling_chooses(declared):
    resampling, test = CHOICES[declared]
    found = bi.compare_pair(read(FOLDS, resampling))
    assert found.test == test
    assert found.reason in found.method


def test_outcomes_are_mcnemar_s(items):
    found = bi.compare_pair(items)
    assert found.test == "mcnemar"
    assert row(found)["p_value"] == pytest.approx(R["mcnemar"]["p_exact"])
    assert row(found)["estimate"] == pytest.approx(10 / 240)
    assert bi.compare_pair(read(ITEMS[["replication", "a", "b"]], None)).test == "mcnemar"


def test_errors_of_outcomes_are_the_other_way_round(items):
    wrong = 1 - ITEMS[["a", "b"]]
    table = read(wide(a=wrong["a"], b=wrong["b"]), "items", "error:lower:0.02")
    for test in ("mcnemar", "mcnemar-midp", "mcnemar-chi2", "paired-rates", "t"):
        one = bi.compare_pair(items, test=test, margin=0.1)
        two = bi.compare_pair(table, test=test, margin=0.1)
        for column in ("p_value", "p_equivalence", "statistic"):
            assert row(one)[column] == pytest.approx(row(two)[column], rel=1e-9), (test, column)
        assert row(one)["estimate"] == pytest.approx(-row(two)["estimate"])
        assert row(one)["conf_low"] == pytest.approx(-row(two)["conf_high"])


@pytest.mark.parametrize(
    ("test", "resampling", "right"),
    [
        ("t", CV, "corrected-t"),
        ("wilcoxon", CV, "corrected-t"),
        ("sign-flip", CV, "corrected-t"),
        ("welch", CV, "corrected-t"),
        ("welch", "bootstrap", "t"),
        ("corrected-t", "bootstrap", "t"),
        ("t", "seeds", "welch"),
        ("mcnemar", "items", "t"),
        ("5x2cv-t", CV, "corrected-t"),
        ("parts-t", "bootstrap", "t"),
        ("independent-rates", "seeds", "welch"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_does(test, resampling, right):
    with pytest.raises(DesignError, match=f'test="{test}" does not fit: .*\nHint: test="{right}"'):
        bi.compare_pair(read(FOLDS, resampling), test=test)


def test_overlap_must_be_declared():
    for test in ("auto", "corrected-t", "t"):
        with pytest.raises(DesignError, match='Hint: declare it, as in resampling="holdout:'):
            bi.compare_pair(read(FOLDS, bi.Resampling("holdout")), test=test)


def test_every_test_gives_what_its_kernel_gives(folds, items):
    d = (FOLDS["a"] - FOLDS["b"]).to_numpy()
    corrected = t_tests.t_test(t_tests.corrected_t(d, 1 / 9), 0, 0.02, 0.025)
    found = row(bi.compare_pair(folds))
    for name in ("estimate", "std_error", "df", "statistic"):
        assert found[name] == pytest.approx(getattr(corrected, name)), name
    assert found["p_value"] == pytest.approx(corrected.p)
    assert found["p_equivalence"] == pytest.approx(corrected.equivalence)
    assert [found["conf_low"], found["conf_high"]] == pytest.approx([corrected.low, corrected.high])
    bayes = row(bi.compare_pair(folds, test="bayes-t"))
    shares = [bayes[f"prob_{side}"] for side in ("first", "equivalent", "second")]
    assert shares == pytest.approx(t_tests.posterior(t_tests.corrected_t(d, 1 / 9), 0.02))
    assert "p_value" not in bayes
    shared = read(FOLDS, bi.Resampling("seeds", paired=True))
    assert row(bi.compare_pair(shared))["p_value"] == pytest.approx(R["paired"]["p_value"])
    signed = row(bi.compare_pair(shared, test="wilcoxon"))
    assert signed["p_value"] == pytest.approx(R["wilcoxon"]["p_value"], rel=1e-9)
    assert signed["estimate"] == pytest.approx(R["wilcoxon"]["estimate"], rel=1e-9)
    assert [signed["conf_low"], signed["conf_high"]] == pytest.approx(R["wilcoxon"]["interval"])
    assert row(bi.compare_pair(shared, test="sign"))["p_value"] == pytest.approx(R["sign"])
    unshared = row(bi.compare_pair(read(FOLDS, "seeds")))
    assert unshared["p_value"] == pytest.approx(R["welch"]["p_value"])
    assert row(bi.compare_pair(items, test="mcnemar-chi2"))["p_value"] == pytest.approx(
        R["mcnemar"]["p_chi2"]
    )


def test_sign_flips_are_permutation_tests_of_the_pair():
    shared = read(FOLDS.head(10), "bootstrap")
    one = row(bi.compare_pair(shared, test="sign-flip", seed=1))
    two = row(bi.compare_permutation(shared, on="values", seed=1))
    for name in ("p_value", "p_equivalence", "estimate", "conf_low", "conf_high", "statistic"):
        assert one[name] == pytest.approx(two[name]), name


@pytest.mark.parametrize("resampling", ["bootstrap", CV])
def test_the_verdict_of_a_mixed_model_of_the_pair(resampling):
    table = read(FOLDS, resampling)
    one, two = row(bi.compare_pair(table)), row(bi.compare_mixed(table))
    assert one["verdict"] == two["verdict"]
    for name in ("estimate", "std_error", "df", "p_value", "p_equivalence", "conf_low"):
        assert one[name] == pytest.approx(two[name], rel=1e-6), name


def test_five_by_two():
    d = [0.03, 0.01, 0.02, 0.05, -0.01, 0.03, 0.05, 0.02, 0.01, 0.04]
    table = read(wide(a=d, b=np.zeros(10)), bi.Resampling("cv", folds=2), "gain:higher")
    t = row(bi.compare_pair(table, test="5x2cv-t"))
    squares = t_tests.five_by_two(np.reshape(d, (5, 2)))
    assert t["statistic"] == pytest.approx(0.03 / np.sqrt(squares.mean()))
    f = bi.compare_pair(table, test="5x2cv-f")
    assert row(f)["estimate"] == pytest.approx(np.mean(d))
    assert row(f)["p_value"] == pytest.approx(
        stats.f.sf(np.square(d).sum() / (2 * squares.sum()), 10, 5)
    )
    with pytest.raises(DesignError, match="has no sides"):
        bi.compare_pair(table, test="5x2cv-f", margin=0.1)
    with pytest.raises(DesignError, match="there are 20 of 'cv'"):
        bi.compare_pair(read(FOLDS, bi.Resampling("cv", folds=2)), test="5x2cv-f")


def by_document(frame, **options):
    rows = frame.melt(["replication", "document"], ["a", "b"], "algorithm", "value")
    names = {"replication": "item"}
    units = ("document", "item")
    return bi.read_scores(
        rows.rename(columns=names), measures={"acc": "higher"}, units=units, **options
    )


def test_units_of_equal_size():
    table = by_document(ITEMS[["replication", "document", "a", "b"]])
    found = bi.compare_pair(table)
    words = "240 items in 30 documents (design effect 3.4)"
    assert (found.test, found.setting.units) == ("t", words)
    assert f", {words}, " in str(found)
    assert row(found)["std_error"] == pytest.approx(R["clustered"]["std_error"])
    assert row(found)["df"] == 29


def uneven():
    keep = (ITEMS["document"] < 8) & (ITEMS.groupby("document").cumcount() <= ITEMS["document"])
    return ITEMS.loc[keep, ["replication", "document", "a", "b"]]


def test_units_of_unequal_size_have_the_errors_of_items_in_clusters():
    """CR2 with Satterthwaite's degrees of freedom, by matrices over items.

    Pustejovsky and Tipton (2018), https://doi.org/10.1080/07350015.2016.1247004, formulas 3 and 11.
    """
    frame = uneven()
    found = row(bi.compare_pair(by_document(frame)))
    d, home = (frame["a"] - frame["b"]).to_numpy(float), frame["document"].to_numpy()
    n = len(d)
    hat = np.full((n, n), 1 / n)
    root = []
    for c in np.unique(home):
        at = home == c
        value, vector = np.linalg.eigh(np.eye(at.sum()) - hat[np.ix_(at, at)])
        adjust = vector @ np.diag(value**-0.5) @ vector.T
        root.append((np.eye(n) - hat)[at].T @ adjust @ np.ones(at.sum()) / n)
    root = np.array(root)
    variance = np.square(root @ d).sum()
    gram = root @ root.T
    assert found["estimate"] == pytest.approx(d.mean(), abs=1e-12)
    assert found["std_error"] == pytest.approx(np.sqrt(variance), rel=1e-10)
    assert found["df"] == pytest.approx(np.trace(gram) ** 2 / np.square(gram).sum(), rel=1e-10)
    # With many units it is the error of inspect_ai and Miller (2024): CR0 times C / (C - 1).
    sums = pd.Series(d - d.mean()).groupby(home).sum()
    inspect = np.sqrt(len(sums) / (len(sums) - 1) * np.square(sums).sum()) / n
    assert found["std_error"] == pytest.approx(inspect, rel=0.1)


def test_units_of_unequal_size_leave_out_tests_that_do_not_weigh_them():
    with pytest.raises(DesignError, match='"wilcoxon" does not fit: units differ in their number'):
        bi.compare_pair(by_document(uneven()), test="wilcoxon")


def test_whole_units_are_flipped():
    frame = uneven()
    found = bi.compare_pair(by_document(frame), test="sign-flip", margin=0.2)
    sums = (frame["a"] - frame["b"]).groupby(frame["document"]).sum().to_numpy()
    n = frame.groupby("document").size().to_numpy()
    signs = np.array(list(product((-1, 1), repeat=8)))

    def share(values):
        return (signs @ np.abs(values) >= values.sum() - 1e-9).mean()

    both = (np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9).mean()
    assert row(found)["p_value"] == pytest.approx(both)
    beyond = max(share(sums + 0.2 * n), share(0.2 * n - sums))
    assert row(found)["p_equivalence"] == pytest.approx(beyond)
    robust = row(bi.compare_pair(by_document(frame)))
    for name in ("estimate", "conf_low", "conf_high"):
        assert row(found)[name] == pytest.approx(robust[name])
    permuted = bi.compare_permutation(by_document(frame), on="values")
    assert row(permuted)["p_value"] == pytest.approx(both)


def test_the_score_test_and_its_interval_agree(items):
    table = rates.Fourfold.of(ITEMS["a"].to_numpy() == 1, ITEMS["b"].to_numpy() == 1)
    found = row(bi.compare_pair(items, test="mcnemar-score", margin=0.1))
    assert [found["conf_low"], found["conf_high"]] == pytest.approx(outcomes.tango(table, 0.025))
    z = [outcomes.score_statistic(table, m) for m in (-0.1, 0.0, 0.1)]
    assert found["p_value"] == pytest.approx(2 * stats.norm.sf(abs(z[1])))
    expected = max(stats.norm.sf(z[0]), stats.norm.cdf(z[2]))
    assert found["p_equivalence"] == pytest.approx(expected, rel=1e-6)


def test_a_base_model_and_its_rivals():
    rng = np.random.default_rng(5)
    base = rng.normal(0.8, 0.02, 30)
    frame = wide(
        **{
            k: base + g + rng.normal(0, 0.02, 30)
            for k, g in zip("abcd", (0, 0, 0.03, 0.01), strict=True)
        }
    )
    table = read(frame, "bootstrap", "accuracy:higher")
    found = bi.compare_pair(table, control="a")
    rows = found.contrasts(all=True)
    assert rows[["first", "second"]].to_numpy().tolist() == [["b", "a"], ["c", "a"], ["d", "a"]]
    order = np.sort(rows["p_raw"])
    assert rows["p_value"].min() == pytest.approx(3 * order[0])
    for name in ("b", "c", "d"):
        alone = row(bi.compare_pair(table, pair=(name, "a")))
        mine = rows.set_index("first").loc[name]
        assert mine["p_raw"] == pytest.approx(alone["p_value"])
        assert mine["conf_low"] < alone["conf_low"]
    assert "Holm's over the 3 pairs with the control a" in found.method
    assert len(bi.compare_pair(table).contrasts(all=True)) == 6
    best = bi.compare_pair(table, control="best").contrasts(all=True)
    assert (best["second"] == "c").all()
    assert best["p_value"].min() == pytest.approx(6 * best["p_raw"].min())


def test_pair_names_first_and_second(folds):
    one, two = (row(bi.compare_pair(folds, pair=p)) for p in (("a", "b"), ("b", "a")))
    assert (one["first"], two["first"]) == ("a", "b")
    assert one["estimate"] == -two["estimate"]
    assert one["p_value"] == two["p_value"]
    with pytest.raises(DesignError, match="unknown algorithm 'c'"):
        bi.compare_pair(folds, pair=("a", "c"))
    with pytest.raises(DesignError, match="goes without it"):
        bi.compare_pair(folds, pair=("a", "b"), control="a")


def test_margin_and_sides(folds):
    found = bi.compare_pair(folds, alternative="better", margin=0.03, pair=("a", "b"))
    kernel = t_tests.t_test(
        t_tests.corrected_t((FOLDS["a"] - FOLDS["b"]).to_numpy(), 1 / 9), 1, 0.03, 0.05
    )
    assert row(found)["p_noninferiority"] == pytest.approx(kernel.noninferiority)
    assert found.noninferior() == [("a", "b")]
    assert found.measure.tolerance == 0.03
    assert row(found)["conf_high"] == np.inf
    with pytest.raises(DesignError, match="three posterior probabilities"):
        bi.compare_pair(folds, test="bayes-t", alternative="better")
    table = read(FOLDS, CV, "accuracy:higher")
    assert row(bi.compare_pair(table))["p_equivalence"] == 1
    assert "Set Measure(tolerance=...)" in " ".join(bi.compare_pair(table).diagnostics()["remedy"])


def test_equivalence_of_rates_is_an_interval_within_the_margin(items):
    table = rates.Fourfold.of((ITEMS["a"] == 1).to_numpy(), (ITEMS["b"] == 1).to_numpy())
    low, high = rates.newcombe_paired(table, 0.05)
    for shift, verdict in ((1e-6, "equivalent"), (-1e-6, "undecided")):
        found = bi.compare_pair(items, margin=max(-low, high) + shift)
        assert row(found)["verdict"] == verdict


def test_bayesian_verdicts(folds):
    wide_margin = bi.compare_pair(folds, test="bayes-t", margin=0.08)
    assert str(wide_margin.relation()) == "a ~ b"
    shifted = read(wide(a=FOLDS["a"] + 0.1, b=FOLDS["b"]), CV)
    assert row(bi.compare_pair(shifted, test="bayes-t"))["winner"] == "a"
    with pytest.raises(DesignError, match="not significant or otherwise"):
        wide_margin.relation("not-significant")
    assert wide_margin.irrelevant() == []


@pytest.mark.slow
def test_a_verdict_by_one_direction_names_the_pairs_whose_interval_includes_equality():
    def shifted(by):
        table = read(wide(a=FOLDS["a"] + by, b=FOLDS["b"]), CV, measures="accuracy:higher")
        return bi.compare_pair(table, test="bayes-t")

    steps = [shifted(by) for by in np.linspace(0, 0.05, 26)]
    found = next(one for one in steps if row(one)["winner"] == "a")
    bounds = row(found)[["conf_low", "conf_high"]]
    assert bounds["conf_low"] < 0 < bounds["conf_high"]
    assert 0.95 <= row(found)["prob_first"] < 0.975
    check = found.diagnostics().set_index("check")
    said = check.loc["decided pairs whose interval includes equality"]
    assert (said["value"], said["ok"]) == (1, True)
    assert "2.5 %" in said["remedy"]
    assert "where one direction has a probability of 95 %" in interval_words(found, [0])
    assert "where one direction has a probability of 95 %" in found.sentence()
    assert not over_equality(steps[-1]).any()


def test_several_data_sets_are_compared_one_by_one():
    table = bi.load_example("sklearn_bootstrap")
    with pytest.raises(DesignError, match=r"cannot pool 12 data sets\.\nHint: compare_mixed"):
        bi.compare_pair(table, "error")
    each = bi.per_dataset(bi.compare_pair, table, "error", pair=("rf", "svm"))
    assert len(each) == 12
    assert all(len(result.contrasts(all=True)) == 1 for result in each.values())


def test_parts_and_what_was_published():
    rng = np.random.default_rng(3)
    hard = rng.exponential(size=900)
    table = read(
        wide(a=hard + rng.exponential(0.3, 900), b=hard + rng.exponential(0.3, 900)),
        "items",
        "loss:lower",
    )
    found = bi.compare_pair(table, test="parts-t", parts=30, seed=2)
    assert (row(found)["df"], found.provenance.seed) == (29, 2)
    others = found.tests().set_index("test")
    welch = others.loc["Welch's t-test on parts"]
    assert not welch["fits"]
    # The parts are shared: Welch's test takes them for independent, and finds less.
    assert welch["p_value"] > row(found)["p_value"]
    screening = others.loc["screening: a outside the interval of b"]
    assert "rather than 5 %" in screening["misfit"]
    with pytest.raises(DesignError, match='goes with test="parts-t"'):
        bi.compare_pair(table, parts=30)


def test_screening_as_published():
    sizes = [round(screening_size(rho), 4) for rho in (0, 0.5, 0.75)]
    assert sizes == [0.1658, 0.05, 0.0056]


def test_other_tests_say_whether_they_fit(folds):
    found = bi.compare_pair(folds).tests().set_index("test")
    assert not found["fits"].any()
    assert found.loc["paired t-test", "p_value"] == pytest.approx(R["paired"]["p_value"])
    shared = bi.compare_pair(read(FOLDS, "bootstrap")).tests().set_index("test")
    assert shared["fits"].to_dict() == {
        "Welch's t-test": False,
        "signed-rank test": True,
        "sign test": True,
        "sign-flip test": True,
    }


def test_normality_of_the_differences(folds):
    from statsmodels.stats.diagnostic import lilliefors, normal_ad

    d = (FOLDS["a"] - FOLDS["b"]).to_numpy()
    found = bi.compare_pair(folds).normality().set_index("test")
    assert found.loc["Shapiro-Wilk", "p_value"] == pytest.approx(R["shapiro"]["p_value"], rel=1e-6)
    for name, other in (
        ("D'Agostino K2", stats.normaltest(d)),
        ("Anderson-Darling", normal_ad(d)),
        ("Lilliefors", lilliefors(d, pvalmethod="table")),
    ):
        assert found.loc[name, ["statistic", "p_value"]].tolist() == pytest.approx(list(other))
    assert len(bi.compare_pair(read(FOLDS, "seeds")).normality()) == 0


def test_missing_scores_leave_out_a_replication():
    frame = FOLDS.copy()
    frame.loc[3, "a"] = np.nan
    table = read(frame, "bootstrap", failed="missing")
    found = bi.compare_pair(table)
    assert row(found)["df"] == 18
    check = found.diagnostics().set_index("check").loc["replications that lack algorithms"]
    assert (check["value"], check["ok"]) == (1, False)
    with pytest.raises(DesignError, match="1 of 2 cells lack scores"):
        bi.compare_pair(table, missing="error")


# Scores that differ by the same on all replications, the test that has no error, and what answers.
SAME = wide(a=[0.5] * 8, b=[0.4] * 8)
DISCORDANT = wide(a=[1] * 20, b=[0] * 20)
FLAT = [
    (SAME, "bootstrap", "t", "sign-flip"),
    (SAME, "bootstrap", "welch", ""),
    (SAME, "items", "parts-t", "sign-flip"),
    (SAME, CV, "corrected-t", ""),
    (DISCORDANT, "items", "t", "mcnemar"),
    (DISCORDANT, "items", "paired-rates", "mcnemar"),
]


@pytest.mark.parametrize(("frame", "resampling", "test", "answer"), FLAT)
def test_differences_without_spread_are_refused_with_the_test_that_answers(
    frame, resampling, test, answer
):
    table = read(frame, resampling)
    if test == "welch":
        table = read(frame, bi.Resampling("independent", paired=False))
    options = {"parts": 8} if test == "parts-t" else {}
    with pytest.raises(DesignError, match=r"no error to judge by.*a and b") as error:
        bi.compare_pair(table, test=test, **options)
    assert (f'test="{answer}"' in str(error.value)) is bool(answer)
    if answer:
        assert row(bi.compare_pair(table, test=answer))["verdict"] == "first"
    elif test == "welch":
        found = bi.compare_permutation(table, target="datasets")
        assert row(found)["verdict"] == "first"


def test_differences_without_spread_have_the_exact_p_value():
    found = bi.compare_pair(read(SAME, "bootstrap"))
    assert (found.test, row(found)["p_value"]) == ("sign-flip", pytest.approx(2 * 0.5**8))
    assert "no error" in found.method
    rates = bi.compare_pair(read(DISCORDANT, "items"), test="mcnemar")
    assert row(rates)["p_value"] == pytest.approx(2 * 0.5**20)


def test_one_pair_without_spread_does_not_silence_the_others():
    rng = np.random.default_rng(1)
    table = read(SAME.assign(c=rng.normal(0.3, 0.01, 8)), "bootstrap")
    found = bi.compare_pair(table)
    assert set(found.contrasts()["verdict"]) == {"first"}
    with pytest.raises(DesignError, match="a and b"):
        bi.compare_pair(table, test="t")


def test_no_difference_at_all_shows_none():
    found = bi.compare_pair(read(wide(a=[0.5] * 5, b=[0.5] * 5), "bootstrap"))
    assert row(found)[["p_value", "verdict"]].tolist() == [1, "undecided"]
    checks = found.diagnostics().set_index("check")
    assert not checks.loc["pairs without any spread of differences", "ok"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"test": "anova"}, "unknown test 'anova'"),
        ({"adjust": "tukey"}, "unknown adjust 'tukey'"),
        ({"alternative": "greater"}, "unknown alternative 'greater'"),
        ({"level": 95}, "level is 95"),
        ({"control": "c"}, "unknown control 'c'"),
    ],
)
def test_wrong_arguments(folds, arguments, text):
    with pytest.raises(DesignError, match=text):
        bi.compare_pair(folds, **arguments)


@pytest.mark.parametrize("test", rules.TESTS)
def test_every_test_has_words_formula_and_sources(test):
    table = {
        "corrected-t": read(FOLDS, CV),
        "bayes-t": read(FOLDS, CV),
        "5x2cv-t": read(FOLDS.head(10), bi.Resampling("cv", folds=2)),
        "5x2cv-f": read(FOLDS.head(10), bi.Resampling("cv", folds=2)),
        "welch": read(FOLDS, "seeds"),
        "independent-rates": read(
            ITEMS[["replication", "a", "b"]], bi.Resampling("items", paired=False)
        ),
        "parts-t": read(FOLDS, "items"),
    }.get(test, read(ITEMS[["replication", "a", "b"]], "items"))
    if test in ("wilcoxon", "sign", "sign-flip"):
        table = read(FOLDS, "bootstrap")
    number = {"baseline": 0.5} if test == "binomial" else {}
    found = bi.compare_pair(table, test=test, seed=1, **number)
    assert found.test_name in found.method
    assert found.formula
    assert found.citations().count("doi") >= 1
    assert not found.contrasts(all=True).isna().all().any()
    assert len(found.others) > 0 or test == "welch"


OVER = "decided pairs whose interval includes equality"
ZEROS = "differences of zero left out, largest number of a pair"


@pytest.mark.parametrize(("test", "verdict"), [("wilcoxon", "first"), ("sign", "undecided")])
def test_zeros_that_are_left_out_are_counted_and_ends_at_equality_open(test, verdict):
    gain = np.r_[np.zeros(14), np.full(12, 0.01)]
    found = bi.compare_pair(
        read(wide(a=0.8 + gain, b=np.full(26, 0.8)), "independent", "accuracy:higher"), test=test
    )
    # The median difference is 0, which decides no pair.
    assert row(found)["verdict"] == verdict
    assert row(found)["conf_low"] == 0
    checks = found.diagnostics().set_index("check")
    assert checks.loc[OVER, "value"] == 0
    assert (checks.loc[ZEROS, "value"], checks.loc[ZEROS, "limit"]) == (14, 13)
    assert checks.loc[ZEROS, "sentence"].endswith("(a and b).")
    assert found.zeros.tolist() == [14]
    assert "26 replications" in found.method


def test_a_mean_on_the_other_side_of_the_ranks_is_named():
    d = np.r_[np.full(14, 0.1) + np.arange(14) / 100, -9.0]
    found = bi.compare_pair(
        read(wide(a=d, b=np.zeros(15)), "independent", "accuracy:higher"), test="wilcoxon"
    )
    checks = found.diagnostics().set_index("check")
    assert row(found)["verdict"] == "first"
    assert checks.loc["mean difference of the other sign, decided pairs", "value"] == 1
    assert "Differences of zero" not in found.method


def test_one_data_set_of_several():
    scores = bi.load_example("sklearn_bootstrap")
    found = bi.compare_pair(scores, "error", dataset="iris", pair=("svm", "knn"))
    alone = bi.compare_pair(scores.subset("iris"), "error", pair=("svm", "knn"))
    assert found.contrasts(all=True).equals(alone.contrasts(all=True))
    assert found.headline().startswith("On the data set iris as drawn, ")
    with pytest.raises(DesignError, match="unknown dataset 'irs'"):
        bi.compare_pair(scores, "error", dataset="irs")


def own_items(first, second):
    """Return 0/1 scores of items of each algorithm's own: right ones, and all, of a and b."""
    rows = [
        (f"{name}{i}", name, int(i < right))
        for name, (right, n) in zip("ab", (first, second), strict=True)
        for i in range(n)
    ]
    frame = pd.DataFrame(rows, columns=["item", "algorithm", "accuracy"])
    own = bi.Resampling("items", paired=False)
    return bi.read_scores(
        frame, measures="accuracy:higher", columns={"item": "replication"}, resampling=own
    )


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [((3, 3), (90, 100), 1.0), ((10, 10), (0, 10), 2 * 0.25**10), ((9, 10), (3, 10), 0.00796)],
)
def test_independent_rates_have_an_exact_p_value_and_the_interval_that_says_the_same(
    first, second, p
):
    """Wald's test of the first is .0009, and of the second, without any spread, 1."""
    found = row(bi.compare_pair(own_items(first, second), test="independent-rates"))
    assert found["p_value"] == pytest.approx(p, abs=6e-6)
    low, high = found["conf_low"], found["conf_high"]
    decided = p <= 0.05
    assert found["verdict"] == ("first" if decided else "undecided")
    assert (low >= 0) == decided
    assert low <= first[0] / first[1] - second[0] / second[1] <= high
