"""Gate: one-sided tests, the rule over measures, and what would decide."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm, t, ttest_1samp, wilcoxon

import benchinfer as bi
from benchinfer.analyses.gate.needs import signed_rank_size
from benchinfer.analyses.pair.numerics.outcomes import Fourfold, score_statistic
from benchinfer.core.arguments import ArgumentError


def table(columns, measures="acc:higher:0.02", **options):
    """Return scores of (data set, replication) arrays by measure and algorithm."""
    rows = [
        (m, f"d{d:02}", r, name, value)
        for m, each in columns.items()
        for name, values in each.items()
        for (d, r), value in np.ndenumerate(values)
    ]
    names = ["measure", "dataset", "replication", "algorithm", "value"]
    return bi.read_scores(pd.DataFrame(rows, columns=names), measures=measures, **options)


def of_datasets(seed=1, d=12, shift=0.0, spread=0.02, sign=1):
    rng = np.random.default_rng(seed)
    base = rng.normal(0.7, 0.1, (d, 1))
    return {"old": base, "new": base + sign * (shift + spread * rng.normal(size=(d, 1)))}


def of_items(seed=1, n=400, both=0.8, first=0.05, second=0.05):
    """Return outcomes of new (first) and old (second) on shared items, these counts exactly."""
    cells = np.repeat(
        [0, 1, 2, 3],
        [round(n * share) for share in (both, first, second, 1 - both - first - second)],
    )
    cells = np.random.default_rng(seed).permutation(cells)[None]
    return {"new": (cells <= 1).astype(float), "old": np.isin(cells, (0, 2)).astype(float)}


def ask(scores, **options):
    return bi.gate(scores, baseline="old", candidate="new", **options)


@pytest.mark.parametrize(("better", "sign"), [("higher", 1), ("lower", -1)])
def test_on_data_sets_it_is_the_paired_t_test_of_their_means(better, sign):
    columns = of_datasets(shift=-0.01, sign=sign)
    row = ask(table({"acc": columns}, f"acc:{better}:0.02"), by="mixed")["acc"]
    d = sign * (columns["new"] - columns["old"]).ravel()
    for shift, side, p in ((0.02, "greater", row.p_pass), (0.02, "less", row.p_fail_raw)):
        assert p == pytest.approx(ttest_1samp(d + shift, 0.0, alternative=side).pvalue, rel=1e-9)
    for side, bound in (("greater", row.low), ("less", row.high)):
        ends = ttest_1samp(d, 0.0, alternative=side).confidence_interval(0.95)
        assert bound == pytest.approx(ends.low if side == "greater" else ends.high, rel=1e-9)


def test_a_log_scale_has_a_relative_tolerance():
    rng = np.random.default_rng(2)
    base = np.exp(rng.normal(0, 1, (10, 1)))
    columns = {"old": base, "new": base * np.exp(rng.normal(0.01, 0.04, (10, 1)))}
    row = ask(table({"s": columns}, "s:lower:0.05:log"), by="mixed")["s"]
    d = -np.log(columns["new"] / columns["old"]).ravel()
    found = ttest_1samp(d + np.log(1.05), 0.0, alternative="greater")
    assert row.p_pass == pytest.approx(found.pvalue, rel=1e-9)
    estimate, low, high = row.effects()
    assert low < estimate < high
    assert estimate == pytest.approx(np.exp(-d.mean()))


def test_folds_have_the_corrected_error():
    rng = np.random.default_rng(3)
    base = rng.normal(0.8, 0.02, (1, 10))
    columns = {"old": base, "new": base + rng.normal(0, 0.01, (1, 10))}
    scores = table({"acc": columns}, resampling=bi.Resampling("cv", folds=10))
    row = ask(scores)["acc"]
    assert row.comparison.provenance.analysis == "compare_pair"
    d = (columns["new"] - columns["old"]).ravel()
    error = np.sqrt((1 / 10 + 1 / 9) * d.var(ddof=1))
    assert row.p_pass == pytest.approx(t.sf((d.mean() + 0.02) / error, 9), rel=1e-9)
    assert row.p_fail_raw == pytest.approx(t.cdf((d.mean() + 0.02) / error, 9), rel=1e-9)


def test_items_have_tangos_score_test():
    columns = of_items(first=0.03, second=0.05)
    row = ask(table({"acc": columns}, resampling="items"))["acc"]
    z = score_statistic(Fourfold(320, 12, 20, 48), -0.02)
    assert row.p_pass == pytest.approx(norm.sf(z), rel=1e-12)
    assert row.p_fail_raw == pytest.approx(norm.cdf(z), rel=1e-12)
    errors = {name: 1 - values for name, values in columns.items()}
    turned = ask(table({"acc": errors}, "acc:lower:0.02", resampling="items"))["acc"]
    assert (turned.p_pass, turned.p_fail) == (row.p_pass, row.p_fail)


def test_signed_ranks_are_those_of_all_signs():
    columns = of_datasets(4, d=9, shift=-0.02)
    row = ask(table({"acc": columns}, "acc:higher:0.013"), by="permutation")["acc"]
    d = (columns["new"] - columns["old"]).ravel() + 0.013
    ranks = np.abs(d).argsort().argsort() + 1
    null = np.array([ranks @ s for s in itertools.product((-1, 1), repeat=9)])
    observed = np.sign(d) @ ranks
    assert row.p_pass == pytest.approx((null >= observed).mean())
    assert row.p_fail_raw == pytest.approx((null <= observed).mean())


ANALYSES = {
    "mixed": (lambda s: table({"acc": of_datasets(s)}), bi.compare_mixed, {}),
    "permutation": (
        lambda s: table({"acc": of_datasets(s)}),
        bi.compare_permutation,
        {"seed": 1},
    ),
    "pair": (
        lambda s: table({"acc": of_items(s, first=0.06)}, resampling="items"),
        bi.compare_pair,
        {"test": "mcnemar-score"},
    ),
}


@pytest.mark.parametrize("by", ANALYSES)
def test_p_values_and_bounds_are_those_of_the_analysis(by):
    """One-sided comparisons at the level say the same of not worse and of better."""
    make, compare, options = ANALYSES[by]
    scores = make(5)
    row = ask(scores, by=by)["acc"]
    order = (
        {"pair": ("new", "old")}
        if by == "pair"
        else {"contrasts": ["old", "new"], "adjust": "none"}
    )
    found = compare(scores, alternative="better", **order, **options).contrasts(all=True).iloc[0]
    assert (found["first"], found["second"]) == ("new", "old")
    assert row.p_pass == pytest.approx(found["p_noninferiority"], rel=1e-6)
    assert row.low == pytest.approx(found["conf_low"], rel=1e-9)
    worse = compare(scores, alternative="worse", **order, **options).contrasts(all=True).iloc[0]
    assert row.high == pytest.approx(worse["conf_high"], rel=1e-9)
    better = ask(scores, by=by, want="superior")["acc"]
    assert better.p_pass == pytest.approx(found["p_raw"], rel=1e-9)
    assert better.p_fail == row.p_fail


@pytest.mark.parametrize("by", ANALYSES)
def test_bounds_are_dual_to_the_tests(by):
    """A tolerance at a bound has a p-value of 5 % there."""
    make, _, _ = ANALYSES[by]
    scores = make(6)
    row = ask(scores, by=by)["acc"]
    frame = scores.to_frame()
    for bound, p in ((row.low, "p_pass"), (row.high, "p_fail_raw")):
        if bound >= 0:
            continue
        inside = ask(
            bi.read_scores(frame, measures=f"acc:higher:{-bound}", resampling=scores.resampling),
            by=by,
        )
        assert getattr(inside["acc"], p) == pytest.approx(
            0.05, abs=0.012 if by == "permutation" else 1e-6
        )


@pytest.mark.slow
def test_a_pass_is_an_intersection_and_a_fail_is_after_holm():
    three = {
        name: of_datasets(seed, shift=shift)
        for seed, (name, shift) in enumerate({"a": 0.0, "b": 0.0, "c": -0.033}.items(), 1)
    }
    measures = [f"{name}:higher:0.02" for name in three]
    scores = table(three, measures)
    found = ask(scores)
    raw = np.array([row.p_fail_raw for row in found.values()])
    assert found["c"].p_fail == pytest.approx(min(1.0, 3 * raw.min()))
    alone = ask(scores, measure="c")["c"]
    assert alone.p_fail == alone.p_fail_raw == found["c"].p_fail_raw
    # At a level between both only the measure alone fails.
    level = 1 - 2 * alone.p_fail
    assert ask(scores, measure="c", level=level).verdict == "fail"
    assert ask(scores, level=level)["c"].verdict == "undecided"
    assert ask(scores, measure=["a", "b"]).verdict == "pass"
    assert ask(scores, level=level).verdict == "undecided"


def test_the_worse_wins_over_what_passes():
    scores = table(
        {"good": of_datasets(1, shift=0.1), "bad": of_datasets(2, shift=-0.2)},
        ["good:higher:0.02", "bad:higher:0.02"],
    )
    found = ask(scores, on_undecided="pass")
    assert {name: row.verdict for name, row in found.items()} == {"good": "pass", "bad": "fail"}
    assert (found.verdict, found.outcome, found.passed) == ("fail", "fail", False)
    assert "worse than old by more than 0.02" in str(found)


def test_what_undecided_counts_as():
    scores = table({"acc": of_datasets(1, d=3, spread=0.1)}, "acc:higher:0.01")
    outcomes = {on: ask(scores, on_undecided=on).outcome for on in (None, "fail", "pass")}
    assert outcomes == {None: "undecided", "fail": "fail", "pass": "pass"}
    assert "Undecided counts as a pass here." in str(ask(scores, on_undecided="pass"))
    assert ask(scores, on_undecided="fail").verdict == "undecided"


def test_without_a_tolerance_not_worse_means_better():
    scores = table({"acc": of_datasets(1, shift=0.05)}, "acc:higher")
    found = ask(scores)
    assert found["acc"].p_pass == ask(scores, want="superior")["acc"].p_pass
    assert "as no tolerance is set" in str(found)
    assert "No tolerance is set on acc" in found.rule


def test_other_algorithms_change_nothing():
    columns = of_datasets(1)
    more = columns | {"far": columns["old"] - 0.4, "zoo": columns["old"] * 0.5}
    one, other = (ask(table({"acc": each}))["acc"] for each in (columns, more))
    assert (one.p_pass, one.p_fail, one.low, one.high) == (
        other.p_pass,
        other.p_fail,
        other.low,
        other.high,
    )


@pytest.mark.parametrize("want", ["noninferior", "superior"])
def test_what_is_needed_is_what_plan_says(want):
    scores = table({"acc": of_datasets(1, d=6, shift=-0.02, spread=0.05)}, "acc:higher:0.02")
    need = ask(scores, want=want, by="mixed")["acc"].need
    planned = bi.plan(
        scores.subset(algorithms=["old", "new"]), 0.02, aim="non-inferiority", contrasts=None
    )
    assert need.datasets == planned.n_datasets - 6 > 0
    assert f"{need.datasets} more data sets let a candidate" in need.text


@pytest.mark.parametrize("want", ["noninferior", "superior"])
def test_signed_ranks_say_what_they_need(want):
    columns = of_datasets(1, d=12, shift=-0.01, spread=0.08)
    need = ask(table({"acc": columns}, "acc:higher:0.02"), want=want, by="permutation")["acc"].need
    d = (columns["new"] - columns["old"]).ravel()
    i, j = np.triu_indices(12, 1)
    walsh = (d[i] + d[j]) / 2
    share = (walsh - np.median(walsh) + 0.02 > 0).mean()
    z = norm.ppf(0.95) + norm.ppf(0.8)
    assert need.datasets == np.ceil(z**2 / (3 * (share - 0.5) ** 2)) - 12 > 0
    assert f"{need.datasets} more data sets let a candidate" in need.text


@pytest.mark.parametrize("shift", [0.35, 0.6])
def test_signed_ranks_of_that_size_have_that_power(shift):
    size = signed_rank_size(norm.cdf(shift * np.sqrt(2)), 0.05, 0.8)
    values = np.random.default_rng(1).normal(shift, 1, (4000, size))
    passed = (wilcoxon(values, alternative="greater", axis=1).pvalue <= 0.05).mean()
    assert 0.77 < passed < 0.88  # the formula takes the variance of no difference: a little many
    assert signed_rank_size(0.5, 0.05, 0.8) is None
    assert signed_rank_size(1.0, 0.001, 0.8) >= 10


def test_items_are_what_one_data_set_needs():
    need = ask(table({"acc": of_items(n=100)}, resampling="items"))["acc"].need
    assert need.datasets is None
    assert need.replications > 0
    assert f"{need.replications:,} more items let" in need.text


def test_folds_cannot_be_multiplied():
    rng = np.random.default_rng(3)
    base = rng.normal(0.8, 0.02, (1, 10))
    columns = {"old": base, "new": base + rng.normal(0, 0.05, (1, 10))}
    need = ask(table({"acc": columns}, resampling=bi.Resampling("cv", folds=10)))["acc"].need
    assert need.replications is None
    assert "resamples overlap" in need.text


def test_the_same_scores_pass_where_signs_can_tell():
    base = of_datasets(1)["old"]
    found = ask(table({"acc": {"old": base, "new": base}}))
    assert found["acc"].comparison.provenance.analysis == "compare_permutation"
    assert found["acc"].p_pass == pytest.approx(2.0**-12)
    scores = table(
        {m: {"old": base[:4], "new": base[:4]} for m in "ab"}, ["a:higher:1", "b:higher"]
    )
    with pytest.raises(bi.DesignError, match="a: the scores do not vary beyond"):
        ask(scores)


def test_a_constant_difference_has_no_error():
    base = np.random.default_rng(1).normal(0.7, 0.1, (1, 8))
    scores = table({"acc": {"old": base, "new": base + 0.5}}, resampling="independent", paired=True)
    found = ask(scores)
    assert found.verdict == "undecided"
    assert "the difference is the same throughout" in found["acc"].need.text
    assert found.plot().get_label()


def test_right_and_wrong_answers_on_several_data_sets_are_compared_by_rates():
    rng = np.random.default_rng(1)
    columns = {n: rng.binomial(1, 0.8, (10, 50)).astype(float) for n in ("old", "new")}
    row = ask(table({"acc": columns}, resampling="items"))["acc"]
    assert row.comparison.provenance.analysis == "compare_mixed"
    assert "rates" in row.reason


def test_claims_about_two_data_sets_are_about_these():
    rng = np.random.default_rng(1)
    columns = {n: rng.normal(0.8, 0.1, (2, 20)) for n in ("old", "new")}
    row = ask(table({"acc": columns}))["acc"]
    assert row.comparison.target == "datasets"
    assert ask(table({"acc": columns}), target="domain")["acc"].comparison.target == "domain"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"candidate": "newest"}, "unknown candidate 'newest'"),
        ({"baseline": "oldest"}, "unknown baseline 'oldest'"),
        ({"candidate": "old"}, "'old' is baseline and candidate"),
        ({"measure": ["acc", "acc"]}, "measures are acc, acc"),
        ({"measure": []}, "measures are none"),
        ({"level": 0.5}, "level is 0.5"),
        ({"want": "equal"}, "unknown want 'equal'"),
        ({"by": "bayes"}, "unknown by 'bayes'"),
        ({"on_undecided": "skip"}, "unknown on_undecided 'skip'"),
    ],
)
def test_arguments_are_checked(options, text):
    scores = table({"acc": of_datasets(1)})
    with pytest.raises(ArgumentError, match=text):
        bi.gate(scores, **{"baseline": "old", "candidate": "new", **options})


def test_a_frame_is_no_score_table():
    with pytest.raises(bi.DesignError, match="scores is a DataFrame"):
        ask(pd.DataFrame())


def test_one_score_each_cannot_answer():
    columns = {"old": np.array([[0.7]]), "new": np.array([[0.8]])}
    with pytest.raises(bi.DesignError, match="there is no error to judge a difference in acc by"):
        ask(table({"acc": columns}))


def test_scores_of_starts_have_no_signs_to_turn():
    rng = np.random.default_rng(1)
    columns = {n: rng.normal(0.8, 0.1, (1, 20)) for n in ("old", "new")}
    scores = table({"acc": columns}, resampling="seeds")
    with pytest.raises(bi.DesignError, match="do not share replications"):
        ask(scores, by="permutation")
    assert ask(scores)["acc"].comparison.test == "welch"


def test_items_of_each_own_have_newcombes_bounds():
    rng = np.random.default_rng(1)
    columns = {n: rng.binomial(1, 0.8, (1, 300)).astype(float) for n in ("old", "new")}
    row = ask(table({"acc": columns}, resampling="items", paired=False))["acc"]
    assert row.comparison.test == "independent-rates"
    at = [
        ask(table({"acc": columns}, f"acc:higher:{-bound}", resampling="items", paired=False))[
            "acc"
        ]
        for bound in (row.low, row.high)
        if bound < 0
    ]
    assert at[0].p_pass == pytest.approx(0.05, abs=1e-6)


def test_it_is_saved_shown_and_reported(tmp_path):
    scores = table(
        {"acc": of_datasets(1), "s": of_datasets(2, d=12, spread=0.3)},
        ["acc:higher:0.02", "s:lower:0.01"],
    )
    found = ask(scores)
    again = bi.load(found.save(tmp_path / "gate.json"))
    pd.testing.assert_frame_equal(again.summary(), found.summary())
    assert (str(again), again.rule, again["s"].need) == (str(found), found.rule, found["s"].need)
    assert repr(again) == "<Gate: undecided, new against old>"
    assert "acc pass" in found.plot().get_label()
    text = found.report(tmp_path / "gate.html").read_text(encoding="utf-8")
    assert "Gate: new in place of old" in text
    assert "Evidence on acc" in text
    assert {"berger1982", "holm1979"} <= set(re.findall(r"@article{(\w+),", found.citations()))


@pytest.mark.parametrize(("n", "share"), [(100, 0.1), (200, 0.1), (500, 0.1), (200, 0.3)])
def test_the_size_of_the_score_test_at_the_tolerance(n, share):
    """Counted over all tables of n items, a share of which one alone gets right."""
    tolerance = 0.05
    z = {
        (b, c): score_statistic(Fourfold(n - b - c, b, c, 0), -tolerance)
        for m in range(n + 1)
        if binom.pmf(m, n, share) > 1e-7
        for b in range(m + 1)
        for c in [m - b]
    }
    first = (share - tolerance) / 2 / share
    size = sum(
        binom.pmf(b + c, n, share) * binom.pmf(b, b + c, first)
        for (b, c), value in z.items()
        if value > 1.6448536269514722
    )
    assert 0.04 < size < 0.052


def test_the_figure_is_in_units_of_the_tolerance():
    from benchinfer.analyses.gate.figures import FIGURES

    shifts = {"a": -0.5, "b": 0.0}
    scores = table(
        {name: of_datasets(3, shift=shift) for name, shift in shifts.items()},
        ["a:higher:0.02", "b:higher"],
    )
    found = ask(scores, by="mixed")
    laid = FIGURES[bi.typing.Gate]["measures"].layout(found)
    assert [row.limit for row in laid.rows] == [-1.0, 0.0]
    assert laid.rows[0].estimate == pytest.approx(found["a"].estimate / 0.02)
    assert laid.rows[0].said.startswith("fail: difference")
    drawn = found.plot().axes[0]
    assert any(line.get_marker() == "<" for line in drawn.lines)


def lacking(n):
    """Return scores of 12 data sets of which the candidate lacks n, better on the others."""
    columns = of_datasets(shift=0.1)
    columns["new"][:n] = np.nan
    return table({"acc": columns})


def test_missing_scores_are_saved_with_the_verdict(tmp_path):
    found = ask(lacking(3))
    again = bi.load(found.save(tmp_path / "gate.json"))
    assert str(again) == str(found)
    assert (again["acc"].missing.candidate, again["acc"].withheld) == (3, True)
    assert (found.verdict, found.outcome) == ("undecided", "undecided")


def test_undecided_by_missing_scores_does_not_count_as_a_pass():
    assert ask(lacking(3), on_undecided="pass").outcome == "undecided"
    assert ask(lacking(3), on_undecided="fail").outcome == "fail"


def test_the_worst_score_is_that_of_the_table_whatever_the_bounds_are():
    scores = lacking(3)
    low = scores.to_frame()["value"].min()
    for bounds in (None, (-5.0, 5.0)):
        declared = scores.declare(replace(scores.measure("acc"), bounds=bounds))
        headline = ask(declared, failed="worst").headline()
        assert f"count as {low:g}, the worst score of the table" in headline


def test_capitals_of_the_algorithm_whose_scores_stand_for_failures_do_not_matter():
    scores = lacking(3)
    assert str(ask(scores, failed="OLD")) == str(ask(scores, failed="old"))


@pytest.mark.parametrize("kind", ["normal", "heavy", "one data set"])
def test_the_default_is_that_of_compare_but_for_tests_of_a_typical_difference(kind):
    rng = np.random.default_rng(4)
    d, r = (1, 20) if kind == "one data set" else (20, 1)
    noise = rng.standard_cauchy((d, 2, r)) if kind == "heavy" else rng.normal(size=(d, 2, r))
    i, j, n = np.indices(noise.shape).reshape(3, -1)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{x}" for x in i],
            "algorithm": [f"a{x}" for x in j],
            "replication": n,
            "value": noise.ravel(),
        }
    )
    scores = bi.read_scores(
        frame, measures="acc:higher:0.1", resampling=bi.Resampling("independent")
    )
    choice = bi.compare(scores).choices["acc"]
    row = bi.gate(scores, baseline="a0", candidate="a1")["acc"]
    mean = {"permutation": "mixed"}.get(choice.analysis, choice.analysis)
    assert row.comparison.provenance.analysis == f"compare_{mean}"
    assert row.reason.endswith(choice.reason)


def with_limit(stopped, n=80, replications=1, par=1, status="timeout", gain=0.1, **options):
    """Return times of an old program, and of a new one that is faster and is stopped on some."""
    rng = np.random.default_rng(3)
    old = 500 + rng.exponential(400, (n, replications))
    new = gain * old
    is_stopped = np.arange(n)[:, None] < np.atleast_1d(stopped)
    new = np.where(is_stopped, 3600.0, new)
    d, r = np.indices(new.shape)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i:03}" for i in (*d.ravel(), *d.ravel())],
            "replication": [*r.ravel(), *r.ravel()],
            "algorithm": ["old"] * new.size + ["new"] * new.size,
            "seconds": [*old.ravel(), *new.ravel()],
            "status": ["ok"] * new.size
            + np.where(np.broadcast_to(is_stopped, new.shape), status, "ok").ravel().tolist(),
        }
    )
    text = f"seconds:lower:50:identity:limit=3600:par={par}"
    return bi.read_scores(frame, measures=bi.Declaration(text, **options))


def test_stopped_runs_are_not_missing():
    gate = ask(with_limit(0, gain=0.9))
    assert (gate.verdict, list(gate), gate.gaps()) == ("pass", ["seconds"], [])
    gate = ask(with_limit(2))
    assert gate["seconds"].missing.any is False
    assert gate["seconds"].estimate == pytest.approx(-np.diff(means(with_limit(2)))[0], rel=1e-9)


def means(scores):
    frame = scores.to_frame()
    return [frame.loc[frame["algorithm"] == name, "value"].mean() for name in ("new", "old")][::-1]


@pytest.mark.parametrize("replications", [1, 3])
def test_a_faster_candidate_that_is_stopped_more_fails_on_the_share_solved(replications):
    n = 80
    gate = ask(with_limit(10, n, replications))
    assert gate["seconds"].verdict == "pass"
    row = gate["solved (seconds)"]
    assert (gate.verdict, row.verdict, row.fails_only) == ("fail", "fail", True)
    assert "share solved within 3,600" in gate.headline()
    assert row.estimate == pytest.approx(-10 / n)
    assert row.p_fail_raw == pytest.approx(binom.cdf(0, 10, 0.5), rel=1e-9)  # exact sign test
    assert row.p_fail == pytest.approx(2 * row.p_fail_raw, rel=1e-9)  # Holm's step


@pytest.mark.slow
def test_a_share_solved_that_is_not_shown_to_be_less_leaves_the_pass_to_the_times():
    gate = ask(with_limit(1))
    assert (gate.verdict, gate["solved (seconds)"].verdict) == ("pass", "undecided")
    assert "It solved fewer runs" in gate.headline()
    assert "-1.2 points" in gate.headline()
    assert gate["solved (seconds)"].need is None
    assert "fails, whatever its times are" in gate.rule


@pytest.mark.slow
def test_the_share_solved_by_another_analysis():
    row = ask(with_limit(10), by="mixed")["solved (seconds)"]
    lost = np.repeat([-1.0, 0.0], [10, 70])
    p = ttest_1samp(lost, 0.0, alternative="less").pvalue
    assert row.p_fail_raw == pytest.approx(p, rel=1e-9)
    unpaired = ask(with_limit(40, replications=3, paired=False))
    assert unpaired.verdict == "fail"


def test_the_same_share_solved_everywhere_is_said():
    frame = with_limit(5).to_frame()
    same = frame["dataset"].isin([f"d{i:03}" for i in range(5)])
    frame.loc[same, "value"] = 3600.0
    scores = bi.read_scores(frame, measures="seconds:lower:50:identity:limit=3600")
    gate = ask(scores)
    assert list(gate) == ["seconds"]
    assert "both have the same share solved" in " ".join(gate.notes)


@pytest.mark.slow
@pytest.mark.parametrize("par", [1, 10])
@pytest.mark.parametrize("failed", ["worst", 3600])
def test_crashes_without_a_score_count_as_stopped_runs(par, failed):
    scores = with_limit(10, par=par, status="crash", crashed="missing")
    lacking = ask(scores)
    assert (lacking.verdict, lacking["seconds"].missing.candidate) == ("undecided", 10)
    filled, stopped = ask(scores, failed=failed), ask(with_limit(10, par=par, status="crash"))
    for name in ("seconds", "solved (seconds)"):
        assert filled[name].estimate == pytest.approx(stopped[name].estimate, rel=1e-9)
        assert filled[name].p_fail == pytest.approx(stopped[name].p_fail, rel=1e-9)
    assert "stopped" in filled.gaps()[0]


def test_crashes_of_replications_that_are_not_shared_are_missing():
    options = {"replications": 2, "status": "crash", "paired": False}
    assert ask(with_limit([4, 8], crashed="missing", **options))["seconds"].missing.of_candidate
    assert not ask(with_limit([4, 8], **options))["seconds"].missing.any


def test_method_says_which_tests_bounds_and_power_are_of():
    found = bi.gate(table({"acc": of_datasets()}), baseline="old", candidate="new", level=0.9)
    assert found.method.count("once for a pass and once for a fail, one-sided at 10 %") == 1


@pytest.mark.parametrize("by", ANALYSES)
@pytest.mark.parametrize("margin", [0.004, 0.02])
def test_better_by_more_than_a_margin_is_worse_by_more_than_a_tolerance_turned_round(by, margin):
    make, _, _ = ANALYSES[by]
    scores = make(1)
    acc = scores.measure("acc")
    better, worse = (
        replace(scores, measures=(replace(acc, tolerance=each),)) for each in (0.0, margin)
    )
    better = ask(better, by=by, want="superior", by_more_than=margin)
    worse = bi.gate(worse, baseline="new", candidate="old", by=by)
    assert better["acc"].p_pass == pytest.approx(worse["acc"].p_fail, rel=1e-9)


def test_a_margin_by_the_t_test_and_by_signed_ranks():
    columns = of_datasets(3, d=12, shift=0.03, spread=0.02)
    scores = table({"acc": columns}, "acc:higher:0.02")
    d = (columns["new"] - columns["old"]).mean(axis=-1).ravel()
    found = ask(scores, by="mixed", want="superior", by_more_than=0.005)
    t_test = ttest_1samp(d, 0.005, alternative="greater").pvalue
    assert found["acc"].p_pass == pytest.approx(t_test, rel=1e-6)
    ranks = ask(scores, by="permutation", want="superior", by_more_than=0.005)
    by_ranks = wilcoxon(d - 0.005, alternative="greater", method="exact").pvalue
    assert ranks["acc"].p_pass == pytest.approx(by_ranks, rel=1e-9)
    assert "by more than 0.005" in str(found)
    assert "by more than 0.005" in found.rule


def test_a_margin_on_a_log_scale_is_relative():
    columns = {name: np.exp(v) for name, v in of_datasets(3, d=12, shift=0.3).items()}
    scores = table({"acc": columns}, bi.Measure("acc", "higher", scale="log"))
    found = ask(scores, by="mixed", want="superior", by_more_than=0.05)
    d = (np.log(columns["new"]) - np.log(columns["old"])).mean(axis=-1).ravel()
    t_test = ttest_1samp(d, np.log(1.05), alternative="greater").pvalue
    assert found["acc"].p_pass == pytest.approx(t_test, rel=1e-6)
    assert "by more than a factor of 1.05" in str(found)


def test_a_difference_within_the_margin_never_passes_and_what_is_needed_is_said():
    columns = of_datasets(1, d=8, shift=0.02, spread=0.02)
    scores = table({"acc": columns}, "acc:higher")
    row = ask(scores, by="mixed", want="superior", by_more_than=0.5)["acc"]
    assert row.verdict == "undecided"
    assert row.p_pass > 0.99
    assert (row.need.datasets, row.need.replications) == (None, None)
    near = ask(scores, by="mixed", want="superior", by_more_than=row.estimate * 0.9)["acc"]
    planned = bi.plan(scores, row.estimate * 0.1, aim="non-inferiority", contrasts=None)
    assert near.need.datasets == planned.n_datasets - 8 > 0
    assert f"a candidate that is better by {row.estimate:.3g} pass" in near.need.text
    lower = table({"acc": {name: -v for name, v in columns.items()}}, "acc:lower")
    turned = ask(lower, by="mixed", want="superior", by_more_than=row.estimate * 0.9)["acc"]
    assert turned.need == near.need


def test_a_margin_needs_one_measure_and_superiority():
    columns = of_datasets(1)
    scores = table({"acc": columns, "f1": columns}, ["acc:higher", "f1:higher"])
    with pytest.raises(ArgumentError, match="has one unit, and measures are acc, f1"):
        ask(scores, want="superior", by_more_than=0.1)
    with pytest.raises(ArgumentError, match="is to be better"):
        ask(scores, measure="acc", by_more_than=0.1)
    for bad in (-0.1, np.nan, np.inf):
        with pytest.raises(ArgumentError, match="by_more_than is"):
            ask(scores, measure="acc", want="superior", by_more_than=bad)
