"""Permutation tests: against coin, scipy and brute force; what is refused; what is said."""

import json
from collections import Counter
from functools import partial
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses.permutation import sections
from benchinfer.analyses.permutation.sections import nulls
from benchinfer.core.errors import DesignError
from benchinfer.core.sections import Request
from benchinfer.numerics import closed_testing, multiplicity
from benchinfer.numerics.multiplicity import SPENT
from benchinfer.numerics.shifts import hodges_lehmann
from tests.analyses.mixed.test_compare import simulated, table

GOLDEN = Path(__file__).parents[2] / "golden"
ON = {
    "values": "values",
    "ranks": "ranks",
    "aligned-ranks": "aligned_ranks",
    "normal-scores": "normal_scores",
}


def golden(case):
    return json.loads((GOLDEN / "permutation" / f"{case}.json").read_text())


def scores_of(case):
    if case == "demsar":
        return bi.load_example("demsar2006"), {}
    if case == "means":
        return bi.load_example("simulated/balanced"), {}
    unbalanced = bi.load_example("simulated/unbalanced")
    if case == "incomplete":
        return unbalanced, {"target": "datasets"}
    rows = unbalanced.to_frame()
    return bi.read_scores(rows, measures=unbalanced.measure(), paired=False), {"target": "datasets"}


def paired(differences, **options):
    """A table of two algorithms on data sets with these differences a - b."""
    d = np.asarray(differences, dtype=float)
    return table(np.column_stack([d, np.zeros_like(d)])[:, None, :], **options)


def checks_of(result):
    return result.diagnostics().set_index("check")


def flips(d):
    """P(|sum| >= |observed|) over all sign patterns."""
    sums = np.array(list(product([-1, 1], repeat=len(d)))) @ np.abs(d)
    return (np.abs(sums) >= abs(d.sum()) - 1e-9).mean()


@pytest.mark.parametrize("on", ON)
@pytest.mark.parametrize("case", ["demsar", "means", "incomplete", "repeated"])
def test_pooled_asymptotic_tests_are_those_of_coin(case, on):
    expected = golden(case)["tests"][ON[on]]
    scores, options = scores_of(case)
    found = bi.compare_permutation(scores, on=on, pairs="pooled", null="asymptotic", **options)
    overall = found.tests().iloc[0]
    np.testing.assert_allclose(overall["statistic"], expected["quadratic"], rtol=1e-9)
    # Beyond 1e-15 coin prints zero.
    np.testing.assert_allclose(overall["p_value"], expected["p_quadratic"], rtol=1e-8, atol=1e-15)
    rows = found.contrasts(all=True)
    np.testing.assert_allclose(rows["statistic"], -np.array(expected["z"]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(rows["p_raw"], expected["p_raw"], rtol=1e-8)


@pytest.mark.parametrize("on", ["values", "aligned-ranks"])
@pytest.mark.parametrize("case", ["demsar", "means", "incomplete", "repeated"])
def test_pooled_monte_carlo_tests_are_those_of_coin(case, on):
    expected = golden(case)["resampled"][ON[on]]
    n = expected["resamples"]
    scores, options = scores_of(case)
    options |= {"on": on, "pairs": "pooled", "null": "monte-carlo", "resamples": n, "seed": 3}
    for adjust in ("single-step", "step-down"):
        found = bi.compare_permutation(scores, adjust=adjust, **options)
        theirs = np.array(expected[f"p_{adjust.replace('-', '_')}"])
        error = np.sqrt(2 * np.maximum(theirs * (1 - theirs), 1 / n) / n)
        assert (np.abs(found.contrasts(all=True)["p_value"] - theirs) < 4 * error).all()
        assert (found.contrasts(all=True)["p_error"] <= 0.5 / np.sqrt(n)).all()
    overall = found.tests().iloc[0]
    theirs = expected["p_quadratic"]
    error = np.sqrt(2 * max(theirs * (1 - theirs), 1 / n) / n)
    assert abs(overall["p_value"] - theirs) < 4 * error


@pytest.mark.parametrize("case", ["demsar", "means"])
def test_classical_global_tests(case):
    expected = golden(case)["classical"]
    found = bi.compare_permutation(scores_of(case)[0], seed=1)
    rows = found.tests().set_index("test")

    def check(name, numbers):
        row = rows.loc[name]
        np.testing.assert_allclose([row["statistic"], row["p_value"]], numbers, rtol=1e-9)

    check("Friedman (corrected for ties)", expected["friedman"])
    check("Quade", expected["quade"])
    check("two-way analysis of variance", expected["anova"])
    b = found.ranks.n_blocks
    t = rows.loc["Hothorn's t*", "statistic"]
    np.testing.assert_allclose(b * (b - 1) * t, expected["anova"][0], rtol=1e-9)
    # coin's order is the alphabet, the worst first, and its p-value the normal limit.
    limit = bi.compare_permutation(scores_of(case)[0], null="asymptotic", pairs="pooled")
    trend = limit.tests(order=list(found.algorithms)[::-1]).iloc[-1]
    z, p = expected["page"]
    np.testing.assert_allclose([trend["statistic"], trend["p_value"]], [z, p], rtol=1e-9)


def test_demsars_published_numbers_need_his_rounding_and_no_correction():
    # Table 6 prints three digits; the published ranks take C4.5+cf on voting as .9751.
    rows = bi.load_example("demsar2006").to_frame()
    there = (rows["dataset"].str.startswith("voting")) & (rows["algorithm"] == "C4.5+cf")
    assert there.sum() == 1
    rows.loc[there, "value"] = 0.9751
    found = bi.compare_permutation(bi.read_scores(rows, measures={"AUC": "higher"}), seed=1)
    tests = found.tests().set_index("test")["statistic"]
    np.testing.assert_allclose(tests["Friedman (no correction)"], 9.28, atol=0.005)
    np.testing.assert_allclose(tests["Iman-Davenport (no correction)"], 3.69, atol=0.005)
    np.testing.assert_allclose(tests["Friedman (corrected for ties)"], 10.228346456692915)
    np.testing.assert_allclose(found.summary()["mean_rank"], [3.143, 2.893, 2.0, 1.964], atol=5e-4)
    np.testing.assert_allclose(found.critical_difference(), 1.2535, atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_a_pair_is_tested_as_by_hand(seed):
    rng = np.random.default_rng(seed)
    d = rng.normal(0.4, 1, size=11)
    ranks = bi.compare_permutation(paired(d), seed=1).contrasts(all=True).iloc[0]
    np.testing.assert_allclose(ranks["p_value"], stats.wilcoxon(d, method="exact").pvalue)
    values = bi.compare_permutation(paired(d), on="values", seed=1).contrasts(all=True).iloc[0]
    assert values["p_value"] == flips(d)
    np.testing.assert_allclose(values["statistic"], d.sum() / np.sqrt((d**2).sum()))
    interval = stats.ttest_1samp(d, 0).confidence_interval(0.95)
    np.testing.assert_allclose(values[["conf_low", "conf_high"]].tolist(), interval)
    size = stats.norm.ppf((1 + stats.rankdata(np.abs(d)) / 12) / 2)
    normal = (
        bi.compare_permutation(paired(d), on="normal-scores", seed=1).contrasts(all=True).iloc[0]
    )
    assert normal["p_value"] == flips(np.sign(d) * size)


@pytest.mark.parametrize("case", ["plain", "ties", "zeros"])
def test_signed_ranks_with_ties_and_zeros_are_those_of_coin(case):
    reference = json.loads((GOLDEN / "closed_testing" / "values.json").read_text())["values"]
    expected = reference["paired"][case]
    names = {"two.sided": "two-sided", "greater": "better", "less": "worse"}
    for theirs, ours in names.items():
        found = bi.compare_permutation(paired(expected["d"]), alternative=ours, seed=1)
        np.testing.assert_allclose(
            found.contrasts(all=True)["p_value"], expected["wilcoxon"][theirs], rtol=1e-10
        )


def test_intervals_are_those_of_r():
    reference = json.loads((GOLDEN / "closed_testing" / "values.json").read_text())["values"]
    for expected in reference["shifts"]:
        found = bi.compare_permutation(paired(expected["d"]), level=expected["level"], seed=1)
        row = found.contrasts(all=True).iloc[0]
        np.testing.assert_allclose(row["p_value"], expected["p"], rtol=1e-8)
        numbers = row[["estimate", "conf_low", "conf_high"]].tolist()
        np.testing.assert_allclose(numbers, [expected["estimate"], *expected["interval"]])


@pytest.mark.parametrize("on", ["values", "aligned-ranks", "normal-scores"])
def test_a_third_algorithm_has_no_say(on):
    values = simulated(5)
    both = bi.compare_permutation(table(values), on=on, adjust="none", seed=1).contrasts(all=True)
    noisy = values.copy()
    noisy[..., 3] = 50 * np.random.default_rng(1).normal(size=values.shape[:2])
    other = bi.compare_permutation(table(noisy), on=on, adjust="none", seed=1).contrasts(all=True)
    columns = ["estimate", "conf_low", "conf_high", "statistic", "p_raw", "p_equivalence"]
    rows = both["second"] != "d"
    pd.testing.assert_frame_equal(both.loc[rows, columns], other.loc[rows, columns])


@pytest.mark.parametrize("on", ["values", "ranks", "aligned-ranks", "normal-scores"])
def test_exact_pooled_tests_are_brute_force(on):
    values = simulated(6, shape=(4, 1, 3))
    found = bi.compare_permutation(table(values), on=on, pairs="pooled", seed=1)
    assert set(found.kinds) == {"exact"}
    assert found.provenance.seed is None
    arrangements = 6**4
    counts = found.contrasts(all=True)[["p_value", "p_raw"]].to_numpy() * arrangements
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    again = bi.compare_permutation(
        table(values), on=on, pairs="pooled", null="monte-carlo", resamples=40_000, seed=1
    )
    gap = np.abs(again.contrasts(all=True)["p_value"] - found.contrasts(all=True)["p_value"])
    assert (gap < 4 * again.contrasts(all=True)["p_error"] + 1e-4).all()
    # Under "pairwise" one block may be held fixed: the same global p-value.
    alone = bi.compare_permutation(table(values), on=on, seed=1)
    pd.testing.assert_frame_equal(alone.tests().head(2), found.tests().head(2))


@pytest.mark.parametrize("adjust", ["bonferroni", "holm", "hochberg", "hommel", "none"])
def test_adjustments(adjust):
    found = bi.compare_permutation(
        table(simulated(7, shape=(9, 1, 4))), adjust=adjust, contrasts="dunnett", control="b"
    )
    rows = found.contrasts(all=True)
    step = (lambda p: p) if adjust == "none" else getattr(multiplicity, adjust)
    if adjust == "holm":
        step = partial(multiplicity.holm, spent=SPENT)
    np.testing.assert_allclose(rows["p_value"], step(rows["p_raw"].to_numpy()))
    named = "adjustment holds under any dependence" in set(found.diagnostics()["check"])
    assert named == (adjust not in ("bonferroni", "holm", "none"))
    assert (len(rows), {*rows["second"]}) == (3, {"b"})


@pytest.mark.parametrize("adjust", ["shaffer", "bergmann-hommel"])
def test_closed_testing_of_pooled_pairs(adjust):
    found = bi.compare_permutation(
        bi.load_example("demsar2006"), adjust=adjust, pairs="pooled", on="ranks", null="asymptotic"
    )
    rows = found.contrasts(all=True)
    closed = getattr(closed_testing, adjust.replace("-", "_"))
    np.testing.assert_allclose(rows["p_value"], closed(rows["p_raw"].to_numpy(), 4))
    assert not checks_of(found).loc[
        "errors over pairs are controlled whichever algorithms differ", "ok"
    ]


@pytest.mark.slow
def test_equivalence_is_the_inverted_test():
    rng = np.random.default_rng(3)
    seen = set()
    for seed in range(30):
        d = rng.normal(0.1 * (seed % 3), 0.25, size=10)
        found = bi.compare_permutation(paired(d), seed=1)
        interval = hodges_lehmann(d, 0.90)
        inside = max(-interval.low, interval.high) < 0.3
        assert (found.contrasts(all=True)["p_equivalence"][0] <= 0.05) == inside
        assert (found.contrasts(all=True)["verdict"][0] == "equivalent") == inside
        seen.add(inside)
    assert seen == {True, False}


def test_without_a_tolerance_nothing_is_equivalent():
    same = simulated(1, effect=0)
    found = bi.compare_permutation(table(same, measures={"score": "higher"}), seed=1)
    assert (found.contrasts(all=True)["p_equivalence"] == 1).all()
    assert not checks_of(found).loc["tolerance", "ok"]


@pytest.mark.parametrize("on", ["values", "aligned-ranks", "normal-scores"])
def test_one_sided_tests_and_noninferiority(on):
    scores = table(simulated(2, shape=(12, 1, 3), effect=0.5))
    better = bi.compare_permutation(scores, on=on, alternative="better", seed=1)
    worse = bi.compare_permutation(scores, on=on, alternative="worse", seed=1)
    both = bi.compare_permutation(scores, on=on, seed=1)
    low = np.minimum(better.contrasts(all=True)["p_raw"], worse.contrasts(all=True)["p_raw"])
    np.testing.assert_allclose(np.minimum(2 * low, 1), both.contrasts(all=True)["p_raw"])
    assert np.isinf(better.contrasts(all=True)["conf_high"]).all()
    assert np.isinf(worse.contrasts(all=True)["conf_low"]).all()
    assert (
        better.contrasts(all=True)["p_noninferiority"] <= better.contrasts(all=True)["p_value"]
    ).all()
    assert set(better.contrasts(all=True)["verdict"]) <= {"first", "undecided", "equivalent"}
    assert better.noninferior() == [] or worse.noninferior()
    pooled = bi.compare_permutation(scores, on=on, alternative="worse", pairs="pooled", seed=1)
    assert (pooled.contrasts(all=True)["p_raw"] <= 0.5).tolist() == (
        pooled.contrasts(all=True)["statistic"] <= 0
    ).tolist()


@pytest.mark.parametrize(
    ("on", "place"),
    [
        ("values", "On average over"),
        ("ranks", "On a typical one of"),
        ("aligned-ranks", "On a typical one of"),
        ("normal-scores", "On a typical one of"),
        ("dispersion", "In the spread of scores, on average over"),
    ],
)
def test_claims_about_the_centre_of_symmetry_are_about_a_typical_data_set(on, place):
    found = bi.compare_permutation(table(simulated(1, shape=(8, 3, 3))), on=on, seed=1)
    assert found.headline().startswith(f"{place} data sets like these 8, ")


def test_direction_follows_the_ranks_and_the_means_are_named():
    d = np.r_[np.full(14, 0.1) + np.arange(14) / 100, -9.0]
    found = bi.compare_permutation(paired(d, measures={"score": "higher"}), seed=1)
    row = found.contrasts(all=True).iloc[0]
    assert row["winner"] == "a"
    assert row["estimate"] > 0 > d.mean()
    named = checks_of(found).loc["mean difference of the other sign, decided pairs"]
    assert not named["ok"]
    assert named["sentence"].endswith("(a and b).")


def test_a_design_that_cannot_reach_the_level_gives_a_result_that_says_so():
    found = bi.compare_permutation(paired([0.5, 0.7, 0.6, 0.9, 1.1]), on="values", seed=1)
    assert found.contrasts(all=True)["p_value"][0] == 2 / 2**5
    assert found.contrasts(all=True)["verdict"][0] == "undecided"
    row = checks_of(found).loc["smallest attainable adjusted p-value"]
    assert (row["value"], row["limit"], row["ok"]) == (0.0625, 0.05, False)
    assert "5 data sets" in row["sentence"]
    assert "6 data sets" in row["remedy"]
    six = bi.compare_permutation(paired([0.5, 0.7, 0.6, 0.9, 1.1, 1]), on="values", seed=1)
    assert six.contrasts(all=True)["verdict"][0] == "first"


def test_replications_within_data_sets():
    values = simulated(4, shape=(3, 6, 3))
    found = bi.compare_permutation(table(values), target="datasets", on="values", seed=1)
    d = (values[..., 0] - values[..., 1]).ravel()
    np.testing.assert_allclose(found.contrasts(all=True)["estimate"][0], d.mean())
    assert "18 blocks" in found.method
    assert found.target == "datasets"
    assert not checks_of(found).loc["claims go beyond these data sets", "ok"]
    domain = bi.compare_permutation(table(values), on="values", seed=1)
    means = values.mean(axis=1)
    assert domain.contrasts(all=True)["p_raw"][0] == flips(means[:, 0] - means[:, 1])


def test_unpaired_replications_of_one_data_set_are_a_rank_sum_test():
    values = simulated(8, shape=(1, 6, 3))
    scores = table(values, paired=False)
    rows = bi.compare_permutation(scores, adjust="none", seed=1).contrasts(all=True)
    x, y = values[0, :, 0], values[0, :, 1]
    found = stats.mannwhitneyu(x, y, method="exact")
    np.testing.assert_allclose(rows["p_raw"][0], found.pvalue)
    np.testing.assert_allclose(rows["estimate"][0], np.median(x[:, None] - y))
    rows = bi.compare_permutation(scores, on="values", adjust="none", seed=1).contrasts(all=True)
    welch = stats.ttest_ind(x, y, equal_var=False).confidence_interval()
    np.testing.assert_allclose(rows.loc[0, ["conf_low", "conf_high"]].tolist(), welch)
    both = np.r_[x, y]
    sums = [abs(both[list(c)].sum() * 2 - both.sum()) for c in combinations(range(12), 6)]
    expected = np.mean(np.array(sums) >= abs(x.sum() - y.sum()) - 1e-9)
    np.testing.assert_allclose(rows["p_raw"][0], expected)


def test_unpaired_replications_stay_in_their_data_set():
    values = simulated(9, shape=(3, 4, 2), effect=0.6)
    values[1] += 100
    far = bi.compare_permutation(table(values, paired=False), target="datasets", seed=1)
    values[1] -= 100
    near = bi.compare_permutation(table(values, paired=False), target="datasets", seed=1)
    columns = ["estimate", "conf_low", "conf_high", "statistic", "p_value", "p_equivalence"]
    np.testing.assert_allclose(
        far.contrasts(all=True)[columns], near.contrasts(all=True)[columns], rtol=1e-9
    )
    assert "the joint ranks of the pair's scores" in far.method


def test_dispersion():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(12, 8, 2)) * [1.0, 4.0]
    for target in ("domain", "datasets"):
        found = bi.compare_permutation(
            table(values, measures=bi.Measure("score", "higher", tolerance=9.0)),
            on="dispersion",
            target=target,
            seed=1,
        )
        row = found.contrasts(all=True).iloc[0]
        assert row["winner"] == "a"
        assert row["estimate"] < 0
        assert row["p_equivalence"] == 1
        assert "in the spread of scores" in found.headline().lower()
        assert "lower is better" in found.headline()
    assert (bi.compare_permutation(table(values), on="dispersion").summary()["estimate"] > 0).all()


def test_pairs_without_a_common_block_are_left_out_and_named():
    values = simulated(3, shape=(8, 1, 3))
    values[:4, :, 0] = np.nan
    values[4:, :, 2] = np.nan
    found = bi.compare_permutation(table(values), seed=1)
    rows = found.contrasts(all=True)
    assert rows[["first", "second"]].to_numpy().tolist() == [["a", "b"], ["b", "c"]]
    said = checks_of(found).loc["pairs that no block holds", "sentence"]
    assert said.endswith("(a and c).")
    assert not checks_of(found).loc["blocks (data sets) that lack algorithms", "ok"]
    assert set(rows["verdict"]) == {"undecided"}


def test_an_algorithm_of_easy_data_sets_has_no_higher_level():
    noise = np.random.default_rng(3).normal(size=(10, 1, 3))
    values = 0.1 * noise + np.array([0.0, 0.5, 1.0])
    values[5:] += 5
    values[:5, :, 0] = np.nan
    result = bi.compare_permutation(table(values))
    summary = result.summary().set_index("algorithm")
    assert summary["rank"].tolist() == [3, 2, 1]
    # Levels are the algorithms' own medians, and the order is that of the pairs.
    medians = np.nanmedian(values[:, 0], axis=0)
    np.testing.assert_allclose(summary["estimate"], medians)
    assert "c has the highest" in result.headline() or "c is better" in result.headline()


def test_averages_are_compared_on_pooled_scores():
    scores = table(simulated(3))
    weights = {"new - old": {"c": 0.5, "d": 0.5, "a": -0.5, "b": -0.5}}
    found = bi.compare_permutation(scores, contrasts=weights, pairs="pooled", seed=1)
    assert found.contrasts(all=True)["contrast"].tolist() == ["new - old"]
    assert found.pairs.codes.tolist() == [3]
    mean = bi.compare_permutation(scores, contrasts="mean", pairs="pooled", on="values", seed=1)
    np.testing.assert_allclose(mean.contrasts(all=True)["estimate"].sum(), 0, atol=1e-12)
    with pytest.raises(DesignError) as caught:
        bi.compare_permutation(scores, contrasts="mean")
    assert str(caught.value) == (
        "averages of algorithms have no pair of scores to exchange.\n"
        'Hint: pairs="pooled" tests them by exchanging the labels of all algorithms.'
    )


def test_control_best_is_adjusted_for_all_pairs():
    scores = table(simulated(3))
    everything = bi.compare_permutation(scores, seed=1).contrasts(all=True)
    best = bi.compare_permutation(scores, contrasts="dunnett", control="best", seed=1)
    assert len(best.contrasts(all=True)) == 3
    d = everything[(everything["second"] == "d")]
    np.testing.assert_allclose(best.contrasts(all=True)["p_value"], d["p_value"])
    assert len(best.post_hoc().query("test == 'single-step'")) == 3


def test_where_pooled_tests_decide_otherwise_than_pairwise_ones_a_row_says_so():
    name, scores = "pairwise and pooled tests disagree, pairs", bi.load_example("demsar2006")
    row = checks_of(bi.compare_permutation(scores, pairs="pooled", seed=1)).loc[name]
    assert row["value"] == 2
    assert "C4.5+m and C4.5" in row["sentence"]
    assert "trust" not in row["remedy"]
    # What decides pairwise tests depends on no other algorithm.
    assert name not in checks_of(bi.compare_permutation(scores, seed=1)).index


@pytest.mark.parametrize("pairs", ["pairwise", "pooled"])
def test_threads_do_not_matter(pairs):
    scores = table(simulated(3, shape=(70, 1, 3)))
    options = {"null": "monte-carlo", "resamples": 21_000, "pairs": pairs}
    one, two, every = (bi.compare_permutation(scores, n_jobs=n, **options) for n in (1, 2, -1))
    for other in (two, every):
        pd.testing.assert_frame_equal(
            one.contrasts(all=True), other.contrasts(all=True), check_exact=True
        )
        pd.testing.assert_frame_equal(one.tests(), other.tests(), check_exact=True)
    with pytest.raises(DesignError, match="n_jobs is 0"):
        bi.compare_permutation(scores, n_jobs=0)


def test_seed_and_progress():
    scores = table(simulated(3, shape=(70, 1, 3)))
    told = []
    options = {"on": "values", "null": "monte-carlo", "resamples": 3000}
    one = bi.compare_permutation(
        scores,
        seed=5,
        progress=lambda task, done, total: told.append((task, done, total)),
        **options,
    )
    again = bi.compare_permutation(scores, seed=5, **options)
    pd.testing.assert_frame_equal(one.contrasts(all=True), again.contrasts(all=True))
    done = pd.DataFrame(told, columns=["task", "done", "total"]).groupby("task")["done"].sum()
    assert done.to_dict() == {"all algorithms": 3000, "pairs": 3000}
    drawn = bi.compare_permutation(scores, **options)
    same = bi.compare_permutation(scores, seed=drawn.provenance.seed, **options)
    pd.testing.assert_frame_equal(drawn.contrasts(all=True), same.contrasts(all=True))
    assert bi.compare_permutation(scores, null="asymptotic").provenance.seed is None


def test_stopping_early():
    scores = table(simulated(3, shape=(40, 1, 3)))
    options = {"pairs": "pooled", "null": "monte-carlo", "seed": 1}
    whole = bi.compare_permutation(scores, **options)
    early = bi.compare_permutation(scores, stop=True, **options)
    assert early.pooled.stopped
    assert early.pooled.n < whole.pooled.n == 100_000
    assert early.relation() == whole.relation()


def test_monte_carlo_error_near_the_level_is_named():
    d = np.r_[np.full(8, 1.0), -0.3, -0.2, -0.1] + np.arange(11) / 1000
    p = flips(d)
    found = bi.compare_permutation(
        paired(d), on="values", null="monte-carlo", resamples=400, level=1 - p, seed=1
    )
    assert not checks_of(found).loc["pairs within the Monte Carlo error of the level", "ok"]


def test_skew_differences_are_named():
    d = np.random.default_rng(1).exponential(size=60) - 0.7
    row = checks_of(bi.compare_permutation(paired(d), seed=1)).loc[
        "asymmetry of differences, in standard errors"
    ]
    assert not row["ok"]
    assert row["sentence"].endswith("make these tests reject (a and b).")


@pytest.mark.parametrize("case", ["demsar", "incomplete", "repeated"])
@pytest.mark.parametrize("pairs", ["pairwise", "pooled"])
def test_saved_and_loaded(case, pairs, tmp_path):
    scores, options = scores_of(case)
    found = bi.compare_permutation(scores, pairs=pairs, resamples=500, seed=2, **options)
    back = bi.load(found.save(tmp_path / "result.json"))
    assert type(back) is type(found)
    for name in ("contrasts", "summary", "diagnostics", "tests", "post_hoc"):
        pd.testing.assert_frame_equal(getattr(back, name)(), getattr(found, name)())
    assert (back.method, back.rule, back.formula) == (found.method, found.rule, found.formula)
    assert back.provenance == found.provenance
    assert back.citations() == found.citations()


def test_renaming_turns_pairs_and_signs():
    values = simulated(11)
    ours = bi.compare_permutation(table(values, algorithms="abcd"), seed=1).contrasts(all=True)
    names = {"a": "z", "b": "y", "c": "x", "d": "w"}
    theirs = bi.compare_permutation(table(values, algorithms="zyxw"), seed=1).contrasts(all=True)
    theirs = theirs.set_index(["second", "first"])
    for _, row in ours.iterrows():
        other = theirs.loc[(names[row["first"]], names[row["second"]])]
        np.testing.assert_allclose(
            [row["estimate"], row["conf_low"], row["statistic"], row["p_value"]],
            [-other["estimate"], -other["conf_high"], -other["statistic"], other["p_value"]],
        )


REFUSED = [
    (
        {"adjust": "single-step"},
        (
            "adjust='single-step' needs the joint distribution of statistics on pooled scores.\n"
            'Hint: adjust="step-down" goes with tests of each pair alone; pairs="pooled" lets all'
            " algorithms share their scores, and controls errors only if all are alike."
        ),
    ),
    (
        {"adjust": "shaffer"},
        (
            "adjust='shaffer' bounds what the joint distribution of single pairs tells.\n"
            'Hint: adjust="closed" goes through the same hypotheses by sign flips.'
        ),
    ),
    (
        {"adjust": "bergmann-hommel", "pairs": "pooled", "alternative": "better"},
        (
            "adjust='bergmann-hommel' uses how the equalities of all pairs depend on each other.\n"
            'Hint: adjust="holm" goes with any family and with one-sided tests.'
        ),
    ),
    (
        {"adjust": "step-down", "pairs": "pooled", "null": "asymptotic"},
        (
            'adjust="step-down" has no asymptotic form here.\n'
            'Hint: null="monte-carlo", or adjust="single-step".'
        ),
    ),
    (
        {"pairs": "pooled", "null": "exact"},
        (
            "more than 100000000 arrangements.\n"
            'Hint: null="monte-carlo" goes with any design and family.'
        ),
    ),
    ({"resamples": 0}, "resamples is 0.\nHint: at least 1, as in 100_000."),
    ({"resamples": 9.5}, "resamples is 9.5.\nHint: an integer."),
    ({"seed": -1}, "seed is -1.\nHint: an integer from 0 to 2^64 - 1."),
    (
        {"contrasts": np.eye(3)},
        (
            "contrasts is a ndarray.\nHint: 'tukey', 'dunnett', 'sequential', 'mean', a list of"
            " texts or a mapping of texts to mappings of texts to numbers."
        ),
    ),
    (
        {"on": "medians"},
        (
            "unknown on 'medians'.\nHint: one of 'aligned-ranks', 'ranks', 'values',"
            " 'normal-scores', 'dispersion'."
        ),
    ),
    (
        {"null": "exakt"},
        (
            "unknown null 'exakt'.\nHint: did you mean 'exact'? One of 'auto', 'exact',"
            " 'monte-carlo', 'asymptotic'."
        ),
    ),
    ({"pairs": "all"}, "unknown pairs 'all'.\nHint: one of 'pairwise', 'pooled'."),
    (
        {"adjust": "shafer"},
        (
            "unknown adjust 'shafer'.\nHint: did you mean 'shaffer'? One of 'auto', 'single-step',"
            " 'step-down', 'closed', 'shaffer', 'bergmann-hommel', 'bonferroni', 'holm',"
            " 'hochberg', 'hommel', 'bh', 'by', 'none'."
        ),
    ),
    (
        {"target": "world"},
        ("unknown target 'world'.\nHint: one of 'auto', 'domain', 'datasets'."),
    ),
]


@pytest.mark.parametrize(("arguments", "text"), REFUSED)
def test_refusals(arguments, text):
    with pytest.raises(DesignError) as caught:
        bi.compare_permutation(table(simulated(1)), **arguments)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("kind", "undeclared"),
    [
        (bi.Resampling("cv", folds=5), ""),
        (bi.Resampling("holdout"), ', once it is declared, as in resampling="holdout:0.1"'),
    ],
)
def test_overlapping_resamples_are_no_blocks(kind, undeclared):
    scores = table(simulated(1), resampling=kind, paired=None)
    with pytest.raises(DesignError, match=f"come from '{kind.kind}'") as caught:
        bi.compare_permutation(scores, target="datasets")
    for said in ('target="domain"', "compare_mixed(", undeclared):
        assert said in str(caught.value)
    assert bi.compare_permutation(scores).target == "domain"
    with pytest.raises(DesignError, match="none of the 8 data sets can be compared by itself"):
        bi.per_dataset(bi.compare_permutation, scores)


def test_other_refusals():
    with pytest.raises(DesignError, match="one data set says nothing about a domain"):
        bi.compare_permutation(table(simulated(1, shape=(1, 5, 3))), target="domain")
    with pytest.raises(DesignError, match="one score per data set and algorithm has no spread"):
        bi.compare_permutation(bi.load_example("demsar2006"), on="dispersion")
    values = np.full((4, 1, 2), np.nan)
    values[:2, :, 0], values[2:, :, 1] = 1.0, 2.0
    with pytest.raises(DesignError, match="no data set has scores of two algorithms"):
        bi.compare_permutation(table(values))
    found = bi.compare_permutation(bi.load_example("demsar2006"), seed=1)
    with pytest.raises(DesignError, match="the order names 2 of 4 algorithms"):
        found.tests(order=["C4.5", "C4.5+m"])
    with pytest.raises(DesignError, match="unknown algorithm 'C5'"):
        found.tests(order=["C5"])
    with pytest.raises(DesignError, match="unknown kind 'tukey'"):
        found.critical_difference("tukey")


def test_identical_algorithms_are_undecided_and_equivalent_with_a_tolerance():
    values = simulated(1, shape=(8, 1, 3))
    values[..., 1] = values[..., 0]
    found = bi.compare_permutation(table(values), seed=1)
    row = found.contrasts(all=True).iloc[0]
    assert (row["p_value"], row["estimate"], row["verdict"]) == (1.0, 0.0, "equivalent")
    bare = bi.compare_permutation(table(values, measures={"score": "higher"}), seed=1)
    assert bare.contrasts(all=True)["verdict"][0] == "undecided"
    zeros = checks_of(bare).loc["differences of zero left out, largest number of a pair"]
    assert (zeros["value"], zeros["limit"], zeros["ok"]) == (8, 4, False)


OVER = "decided pairs whose interval includes equality"


def test_an_interval_that_ends_at_equality_is_open_where_the_pair_is_decided():
    d = np.r_[np.zeros(6), np.full(6, 0.01)]
    options = {"on": "ranks", "null": "exact", "seed": 1}
    measured = {"measures": {"score": "higher"}}
    found = bi.compare_permutation(paired(d, **measured), **options)
    row = found.contrasts(all=True).iloc[0]
    assert (row["verdict"], row["conf_low"]) == ("first", 0)
    # The end is open.
    assert checks_of(found).loc[OVER, "value"] == 0


def test_wider_intervals_beside_stepwise_tests_inform_without_a_limit():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(12, 1, 1)) + rng.normal(size=(12, 1, 4)) + [1.6, 0.8, 0.8, 0]
    options = {"on": "ranks", "null": "exact", "seed": 1}
    assert checks_of(bi.compare_permutation(table(values), **options)).loc[OVER, "value"] == 0
    found = bi.compare_permutation(table(values), interval="simultaneous", **options)
    over = (found.contrasts(all=True)["p_value"] <= 0.05) & (
        found.contrasts(all=True)["conf_low"] <= 0
    )
    check = checks_of(found).loc[OVER]
    assert check["value"] == over.sum() > 0
    assert (np.isnan(check["limit"]), check["ok"]) == (True, True)


@pytest.mark.slow
def test_each_data_set_by_itself():
    scores = bi.load_example("sklearn_bootstrap")
    options = {"on": "values", "resamples": 999, "seed": 1}
    local = bi.per_dataset(bi.compare_permutation, scores, "error", **options)
    assert len(local) == 12
    assert "as drawn" in next(iter(local.values())).headline()


def test_constant_scores_are_no_evidence():
    found = bi.compare_permutation(table(np.ones((8, 1, 3))), seed=1)
    tests = found.tests().set_index("test")
    assert (tests["p_value"] == 1).all()
    assert (tests["statistic"] == 0).all()
    said = checks_of(found).loc["smallest attainable adjusted p-value", "sentence"]
    assert " 0 data sets" in said


def test_words_count_the_pairs_that_blocks_bear_out():
    values = simulated(3, shape=(12, 1, 3))
    values[:6, :, 0] = np.nan
    values[6:, :, 1] = np.nan
    found = bi.compare_permutation(table(values), seed=1)
    said = "of the closed test of the 2 contrasts that blocks bear out of all 3 pairs"
    assert said in found.method


def test_resampling_goes_on_where_stepwise_p_values_decide():
    scores = table(simulated(3, shape=(40, 1, 4)) + np.array([0, 0, 3, 6]))
    asked = {"pairs": "pooled", "null": "monte-carlo", "resamples": 20_000, "stop": True, "seed": 1}
    assert bi.compare_permutation(scores, **asked).pooled.stopped
    assert not bi.compare_permutation(scores, adjust="holm", **asked).pooled.stopped


@pytest.mark.parametrize("on", ["aligned-ranks", "ranks", "normal-scores"])
def test_data_sets_of_tiny_scores_count_beside_those_of_huge_ones(on):
    values = np.array([[[1.0, 2.0]]]) * 10.0 ** np.linspace(-3, 6, 12)[:, None, None]
    row = bi.compare_permutation(table(values), on=on, seed=1).contrasts(all=True).iloc[0]
    assert row["p_value"] == 2 / 2**12


def test_noise_of_rounding_is_no_difference_whatever_the_unit():
    unit = 10.0 ** np.arange(-6, 6)[:, None, None]
    values = np.array([[[0.1 + 0.2, 0.3]]]) * unit
    found = bi.compare_permutation(table(values), seed=1)
    assert found.contrasts(all=True)["p_value"][0] == 1
    zeros = checks_of(found).loc["differences of zero left out, largest number of a pair"]
    assert zeros["value"] == 12


def test_scores_far_from_zero_are_not_tied():
    # Steps of 1e-6 are beyond the twelfth digit from 1e6 on.
    values = np.round(simulated(5, shape=(12, 1, 3)) * 1e3) / 1e6
    shares = [
        checks_of(bi.compare_permutation(table(values + zero), seed=1)).loc[
            "share of tied scores", "value"
        ]
        for zero in (0.0, 1e5, 1e9)
    ]
    assert shares[0] == shares[1] < 0.2
    assert shares[2] == 1


def test_all_of_two_algorithms_are_their_pair_where_arrangements_are_too_many_to_list():
    d = np.random.default_rng(4).normal(0.1, 1, 60)
    found = bi.compare_permutation(paired(d), on="ranks", resamples=20_000)
    assert (found.pooled.kind, found.pooled.n, len(found.pooled.bins)) == ("exact", np.inf, 0)
    # Ranks within pairs say who is ahead: the sign test.
    assert found.rows[0].p_value == pytest.approx(
        stats.binomtest(int((d > 0).sum()), 60).pvalue, rel=1e-12
    )
    assert found.pooled.single_step[0].tolist() == [found.rows[0].p_value]
    values = bi.compare_permutation(paired(d), on="values", resamples=20_000, seed=2)
    drawn = bi.compare_permutation(
        paired(d), on="values", resamples=20_000, seed=2, null="monte-carlo", stop=True
    )
    assert values.pooled.kind == "monte-carlo"
    error = np.hypot(values.pooled.overall[1], drawn.pooled.overall[1])
    assert abs(values.pooled.overall[0] - drawn.pooled.overall[0]) < 5 * error
    figure = bi.plot(found, "null")
    assert figure.axes
    assert "all arrangements, counted" in sections.global_tests(found, Request()).text[0]


@pytest.mark.parametrize(("side", "tail"), [("better", "greater"), ("worse", "less")])
def test_one_sided_pairs_of_two_algorithms_are_one_sided_together(side, tail):
    d = np.random.default_rng(5).normal(0.2, 1, 40)
    found = bi.compare_permutation(paired(d), on="ranks", alternative=side)
    expected = stats.binomtest(int((d > 0).sum()), 40, alternative=tail).pvalue
    assert found.pooled.raw[0].tolist() == pytest.approx([expected], rel=1e-12)


def test_the_method_counts_the_pairs_of_each_null_distribution():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(100, 1, 3))
    values[12:, :, 2] = np.nan  # pairs with it share 12 data sets, the other one 100
    found = bi.compare_permutation(table(values), on="values", adjust="holm", seed=1)
    counts = Counter(found.kinds)
    assert len(found.kinds) == len(found.pairs) == 3
    assert counts.keys() == {"exact", "monte-carlo"}
    for kind, words in (("exact", "equally likely arrangements"), ("monte-carlo", "random arr")):
        n = f"({counts[kind]} pair{'s' * (counts[kind] > 1)})"
        for said in (found.method, nulls(found)):
            assert words in said
            assert n in said
    assert " or " not in nulls(found)
    # Of one kind no number is said.
    assert "pair" not in nulls(bi.compare_permutation(table(values[:10]), adjust="holm", seed=1))
