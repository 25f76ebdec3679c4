"""Comparison by the analysis that fits a table."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.choice.agreement import SECOND, in_words
from benchinfer.analyses.choice.choice import choose
from benchinfer.core.verdict import Verdict
from benchinfer.scores.checks import decision


def table(values, *, measure="acc:higher:0.01", resampling=None, names=None):
    """Return scores (D, K, R) as a table."""
    values = np.asarray(values, dtype=float)
    d, k, r = np.indices(values.shape).reshape(3, -1)
    names = [f"a{i}" for i in range(values.shape[1])] if names is None else names
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i:02d}" for i in d],
            "algorithm": [names[i] for i in k],
            "replication": r,
            "value": values.ravel(),
        }
    )
    return bi.read_scores(frame, measures=measure, resampling=resampling)


def normal(d, k, r=1, seed=3):
    rng = np.random.default_rng(seed)
    level = rng.normal(size=(d, 1, 1)) + np.linspace(0.3, 0, k)[:, None]
    return level + 0.3 * rng.normal(size=(d, k, 1)) + 0.05 * rng.normal(size=(d, k, r))


def heavy(d, k, seed=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(d, 1, 1)) + rng.standard_cauchy(size=(d, k, 1))


def tied(d, k, seed=3):
    return np.random.default_rng(seed).integers(0, 4, size=(d, k, 1)) / 4


def right_or_wrong(d, k, r=40, seed=3):
    rng = np.random.default_rng(seed)
    return (rng.random((d, k, r)) < np.linspace(0.8, 0.5, k)[:, None]).astype(float)


def ranks(d, k):
    return normal(d, k).argsort(axis=1).argsort(axis=1) + 1


CASES = {
    "normal": (normal(12, 4), "mixed", {}, "permutation"),
    "heavy tails": (heavy(15, 4), "permutation", {}, "mixed"),
    "ties": (tied(12, 4), "permutation", {}, "mixed"),
    "few data sets": (heavy(4, 3), "mixed", {}, ""),
    "two data sets": (normal(2, 3, 6), "mixed", {"target": "datasets"}, ""),
    "one data set": (normal(1, 4, 8), "mixed", {}, ""),
    "two algorithms on one data set": (normal(1, 2, 8), "pair", {}, ""),
    "items of several data sets": (right_or_wrong(4, 2, 30), "mixed", {}, ""),
    "few items of many data sets": (
        right_or_wrong(12, 2, 2),
        "permutation",
        {"on": "values"},
        "mixed",
    ),
    "items of two data sets": (right_or_wrong(2, 3), "permutation", {"target": "datasets"}, ""),
    "items of one data set": (right_or_wrong(1, 3), "permutation", {}, ""),
    "items of one data set, two algorithms": (right_or_wrong(1, 2), "pair", {}, ""),
    "one score of each": (normal(1, 3), "points", {}, ""),
    "ranks": (ranks(9, 4), "permutation", {"on": "values"}, "mixed"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_analysis_fits_the_table(name):
    values, analysis, options, other = CASES[name]
    measure = "rank:lower" if name == "ranks" else "acc:higher:0.01"
    scores = table(values, measure=measure, resampling=bi.Resampling("independent"))
    answer = bi.compare(scores)
    ((of, choice),) = answer.choices.items()
    assert (choice.analysis, dict(choice.options), choice.second) == (analysis, options, other)
    assert answer[of].provenance.choice == choice.reason != ""
    assert answer[of].provenance.analysis == f"compare_{analysis}"
    assert list(answer.others) == ([of] if other else [])


@pytest.mark.parametrize("name", ["normal", "heavy tails", "ties"])
def test_the_choice_is_the_same_whoever_is_better(name):
    values = CASES[name][0]
    scores = table(values)
    reversed_names = table(values, names=[f"a{i}" for i in reversed(range(values.shape[1]))])
    mirrored = table(-values, measure="acc:lower:0.01")
    chosen = [choose(each, "acc") for each in (scores, reversed_names, mirrored)]
    assert len({choice.analysis for choice in chosen}) == 1


@pytest.mark.parametrize("name", ["normal", "heavy tails", "two algorithms on one data set"])
def test_the_answer_is_that_of_the_analysis_by_name(name):
    scores = table(CASES[name][0], resampling=bi.Resampling("independent"))
    answer = bi.compare(scores)
    choice = answer.choices["acc"]
    named = getattr(bi, f"compare_{choice.analysis}")(scores, "acc", **choice.options)
    pd.testing.assert_frame_equal(answer["acc"].contrasts(all=True), named.contrasts(all=True))
    assert answer["acc"].headline() == named.headline()
    if choice.second:
        other = getattr(bi, f"compare_{choice.second}")(scores, "acc", **choice.second_options)
        assert answer.others["acc"].codes.tolist() == other.pairs.codes.tolist()
        assert answer.others["acc"].sides == other.pairs.sides
        words = agreement_words(named.pairs.codes, other.pairs.codes)
        assert words in answer.agreement("acc")


def agreement_words(codes, theirs):
    """Return the end of the sentence on two analyses that do not call opposite sides better."""
    if (codes == theirs).all():
        return "the same verdicts"
    decided = codes >= Verdict.EQUIVALENT
    also, n = int((decided & (codes == theirs)).sum()), int(decided.sum())
    return f"{n} pairs and" if also == n else f"{also} of these {n} pairs, too"


@pytest.mark.parametrize(
    ("codes", "theirs", "words"),
    [
        ("", "", "test none of these pairs"),
        ("f", "f", "give the same verdict"),
        ("f", "u", "do not decide this pair"),
        ("fsu", "fsu", "give the same verdicts"),
        ("fsu", "fsf", "decide these 2 pairs and 1 more"),
        ("fsu", "fuu", "decide 1 of these 2 pairs, too; none the other way"),
        ("fsu", "fuf", "decide 1 of these 2 pairs, too, and 1 that is undecided here; none"),
        ("fsu", "ffu", "decide 1 of these 2 pairs, too; on 1 the other algorithm is better by it"),
        ("uue", "uuu", "do not decide this pair"),
        ("uuu", "uff", "decide 2 that are undecided here"),
    ],
)
def test_the_agreement_of_two_analyses_in_words(codes, theirs, words):
    states = {"f": Verdict.FIRST, "s": Verdict.SECOND, "e": Verdict.EQUIVALENT}
    both = ([states.get(c, Verdict.UNDECIDED) for c in row] for row in (codes, theirs))
    lead, second = (np.array(row, dtype=np.int8) for row in both)
    text = in_words(SECOND["permutation"], lead, second)
    assert text.startswith(
        f"Permutation tests of the same means, which need no normal distribution, {words}"
    )


def test_published_results_are_compared_by_the_analysis_of_their_kind():
    pairs = {"first": ["a", "a", "b"], "second": ["b", "c", "c"]}
    wins = bi.read_wins(pd.DataFrame(pairs | {"wins": [30, 33, 25], "losses": [10, 7, 15]}))
    answer = bi.compare(wins)
    assert answer.choices["score"].analysis == "wins"
    named = bi.compare_wins(wins)
    pd.testing.assert_frame_equal(answer["score"].contrasts(), named.contrasts())
    effects = pd.DataFrame(pairs | {"study": ["x", "y", "z"], "estimate": 0.1, "std_error": 0.02})
    read = bi.read_effects(effects, measures="acc:higher")
    answer = bi.compare(read, control="a")
    assert answer.choices["acc"].analysis == "meta"
    assert answer["acc"].headline() == bi.compare_meta(read, control="a").headline()
    with pytest.raises(bi.DesignError, match="goes with scores"):
        bi.compare(wins, target="domain")


def test_each_data_set_has_the_analysis_that_fits_it():
    rng = np.random.default_rng(2)
    values = normal(2, 3, 30)
    values[1, 0, 4] += 9 + rng.normal()
    scores = table(values, resampling=bi.Resampling("independent"))
    local = bi.per_dataset(bi.compare, scores)
    assert [r.provenance.analysis for r in local.values()] == [
        "compare_mixed",
        "compare_permutation",
    ]
    for name, result in local.items():
        single = bi.compare(scores.subset(datasets=name))["acc"]
        pd.testing.assert_frame_equal(result.contrasts(), single.contrasts())


def test_the_second_analysis_answers_the_same_question():
    """Of means by sign flips where they are compared, and of the same scores where not as read."""
    normal_, heavy_ = (bi.compare(table(CASES[name][0])) for name in ("normal", "heavy tails"))
    assert dict(normal_.choices["acc"].second_options) == {"on": "values", "resamples": 9_999}
    assert dict(heavy_.choices["acc"].second_options) == {}
    units = 10.0 ** np.linspace(-3, 3, 15)[:, None, None]
    answer = bi.compare(table(units * normal(15, 4)))
    assert answer.choices["acc"].normalise == "ranks"
    ranked = table(units * normal(15, 4)).normalise("ranks")
    assert answer.others["acc"].codes.tolist() == bi.compare_mixed(ranked).pairs.codes.tolist()


def test_verdicts_alone_are_those_of_the_comparison():
    from benchinfer.analyses.mixed.compare import verdicts as mixed
    from benchinfer.analyses.permutation.compare import verdicts as permutation

    values = normal(12, 4)
    values[2, 1] = np.nan
    for scores in (table(normal(12, 4)), table(values[~np.isnan(values).any(axis=(1, 2))])):
        for arguments in ({}, {"control": "a3", "level": 0.9}, {"alternative": "better"}):
            for alone, whole in (
                (mixed, bi.compare_mixed),
                (permutation, bi.compare_permutation),
            ):
                found = alone(scores, "acc", **arguments)
                expected = whole(scores, "acc", **arguments)
                assert found.codes.tolist() == expected.pairs.codes.tolist()
                assert found.sides == expected.pairs.sides
                assert found.title == expected._title


def test_agreement_is_on_the_pairs_of_the_lead_with_the_best():
    values = normal(15, 4)
    values[0, 1] += 40
    answer = bi.compare(table(values), control="best")
    assert len(answer["acc"].pairs) == 3
    assert len(answer.others["acc"].sides) == 6
    assert answer.agreement("acc").startswith("The mixed model, which compares means, ")


def test_scores_in_several_units_are_compared_on_one_scale(tmp_path):
    draw = np.random.default_rng(8)
    units = 10.0 ** np.linspace(0, 5, 15)[:, None, None]
    ratios = np.exp(0.1 * draw.normal(size=(15, 4, 1)) + 0.2 * np.arange(4)[:, None])
    answer = bi.compare(table(units * ratios, measure="mae:lower:5"))
    choice, result = answer.choices["mae"], answer["mae"]
    assert (choice.analysis, choice.scale, choice.normalise) == ("mixed", "log", "")
    assert (result.measure.scale, result.measure.tolerance) == ("log", 0.0)
    assert "of logarithms" in answer.basis("mae")
    named = bi.compare_mixed(table(units * ratios, measure="mae:lower:0:log"))
    pd.testing.assert_frame_equal(result.contrasts(all=True), named.contrasts(all=True))

    shifts = units * normal(15, 4)
    answer = bi.compare(table(shifts))
    assert (answer.choices["acc"].normalise, list(answer)) == ("ranks", ["acc"])
    named = bi.compare_permutation(table(shifts).normalise("ranks"), on="values")
    pd.testing.assert_frame_equal(answer["acc"].contrasts(all=True), named.contrasts(all=True))
    assert "of ranks" in answer.headline()
    levels = answer.levels()["acc"]
    assert levels.between(1, 4).all()
    assert levels.sum() == pytest.approx(10)
    again = bi.load(answer.save(tmp_path / "answer.json"))
    assert again.choices == answer.choices
    assert again.headline() == answer.headline()


def test_few_data_sets_in_several_units_are_divided_by_their_spread():
    values = 100.0 ** np.arange(5)[:, None, None] * normal(5, 4)
    answer = bi.compare(table(values))
    assert (answer.choices["acc"].analysis, answer.choices["acc"].normalise) == ("mixed", "z")
    named = bi.compare_mixed(table(values).normalise("z"))
    pd.testing.assert_frame_equal(answer["acc"].contrasts(all=True), named.contrasts(all=True))
    assert "standard deviations" in answer.basis("acc")


def test_gaps_that_are_an_error_are_refused_whatever_fits():
    values = normal(12, 4)
    frame = table(values).to_frame()
    scores = bi.read_scores(frame[1:], measures="acc:higher:0.01")
    assert bi.compare(scores).choices["acc"].options == {"missing": "shared"}
    with pytest.raises(bi.DesignError, match="1 of 48 cells lack scores"):
        bi.compare(scores, missing="error")


def test_measures_are_compared_each_by_its_own_analysis():
    frame = table(normal(12, 3)).to_frame()
    more = table(tied(12, 3), measure="f1:higher").to_frame()
    scores = bi.read_scores(pd.concat([frame, more]), measures=["acc:higher", "f1:higher"])
    answer = bi.compare(scores)
    assert {m: c.analysis for m, c in answer.choices.items()} == {
        "acc": "mixed",
        "f1": "permutation",
    }
    levels = answer.levels()
    assert list(levels.columns) == ["acc", "f1"]
    for name, result in answer.items():
        shown = result.summary().set_index("algorithm")["estimate"]
        pd.testing.assert_series_equal(levels[name], shown[levels.index], check_names=False)
    assert answer.summary()["measure"].unique().tolist() == ["acc", "f1"]
    assert str(answer).count("\n") == 1
    with pytest.raises(bi.DesignError, match="there are 2 measures: acc and f1"):
        answer.plot()
    assert bi.compare(scores, "f1").keys() == {"f1"}
    assert bi.compare(scores, ["f1", "acc"]).levels().columns.tolist() == ["f1", "acc"]


def test_a_measure_that_cannot_be_compared_does_not_stop_the_others():
    frame = table(normal(6, 3)).to_frame()
    lone = frame[(frame["algorithm"] == "a0")].assign(measure="f1")
    scores = bi.read_scores(pd.concat([frame, lone]), measures=["acc:higher", "f1:higher"])
    answer = bi.compare(scores)
    assert list(answer) == ["acc"]
    assert "fewer than two algorithms" in answer.refused["f1"]
    assert "f1: not compared" in answer.headline()


@pytest.mark.parametrize(
    ("values", "arguments", "words"),
    [
        (normal(1, 2, 8), {"target": "domain"}, "nothing can be said of a domain"),
        (normal(1, 3), {"control": "a0"}, "which tests nothing"),
        (normal(6, 3), {"level": 2.0}, "level"),
        (normal(6, 3), {"measure": "f1"}, "unknown measure 'f1'"),
    ],
)
def test_arguments_that_do_not_go_with_the_analysis_are_refused(values, arguments, words):
    scores = table(values, resampling=bi.Resampling("independent"))
    with pytest.raises(bi.DesignError, match=words):
        bi.compare(scores, **arguments)


def test_arguments_reach_the_analysis():
    scores = table(normal(12, 4))
    answer = bi.compare(scores, control="a3", level=0.9, alternative="better")
    result = answer["acc"]
    assert (len(result.pairs), result.level, result.alternative) == (3, 0.9, "better")
    given = {"control": "a3", "level": 0.9, "alternative": "better", "on": "values"}
    other = bi.compare_permutation(scores, resamples=9_999, **given)
    assert answer.others["acc"].codes.tolist() == other.pairs.codes.tolist()


def test_an_answer_is_saved_with_its_choice(tmp_path):
    answer = bi.compare(table(normal(8, 3)))
    again = bi.load(answer.save(tmp_path / "answer.json"))
    assert again.headline() == answer.headline()
    assert again.choices == answer.choices
    assert again["acc"].provenance == answer["acc"].provenance
    assert repr(again) == "<Answer: acc by mixed>"


@pytest.mark.slow
def test_the_report_answers_as_compare_does(tmp_path):
    scores = table(heavy(15, 4))
    answer = bi.compare(scores)
    page = bi.report(scores, tmp_path / "report.html", bayes=False).read_text("utf-8")
    first = page.index("Answer")
    assert answer["acc"].headline() in page[first : first + 20_000]
    own = bi.report(answer, tmp_path / "own.html").read_text("utf-8")
    assert answer["acc"].headline() in own


@pytest.mark.slow
def test_the_rules_are_asked_once_for_a_table(monkeypatch):
    asked, rules = [], decision._across

    def counted(*arguments, **options):
        asked.append(arguments)
        return rules(*arguments, **options)

    monkeypatch.setattr(decision, "_across", counted)
    values = normal(40, 3)
    values[4, 1] = np.nan
    bi.compare(table(values))
    assert len(asked) == 1


def frame_of_tasks(measure="auc"):
    scores = [0.91, 0.84, 0.82, 0.80, 0.95, 0.83, 0.77, 0.71]
    return pd.DataFrame({"task": [*"aabbccdd"], "solver": ["svm", "knn"] * 4, measure: scores})


@pytest.mark.parametrize("measure", ["auc:higher", "auc", ["auc"], None])
def test_a_frame_is_read_by_its_structure(measure):
    answer, frame = bi.compare(frame_of_tasks(), measure), frame_of_tasks()
    scores = bi.read_scores(frame, measures="auc:higher", columns={"solver": "algorithm"})
    assert answer.headline() == bi.compare(scores).headline()
    assert answer["auc"].levels.estimate == pytest.approx(
        [frame.auc[frame.solver == name].mean() for name in answer["auc"].algorithms]
    )


def test_a_frame_is_read_with_the_direction_that_is_said():
    assert bi.compare(frame_of_tasks(), "auc:lower")["auc"].ranking() == ("knn", "svm")


def test_files_are_read_as_by_read_scores(tmp_path):
    frame = frame_of_tasks()
    frame.to_csv(tmp_path / "all.csv", index=False)
    one = bi.compare(tmp_path / "all.csv", "auc")
    for name, part in frame.groupby("solver"):
        part.drop(columns="solver").to_csv(tmp_path / f"{name}.csv", index=False)
    two = bi.compare([tmp_path / "svm.csv", tmp_path / "knn.csv"], "auc:higher")
    assert str(one) == str(bi.compare(bi.read_scores(tmp_path / "all.csv")))
    assert two["auc"].headline() == one["auc"].headline()


def test_a_frame_of_which_the_direction_is_unknown_ends_in_the_proposals_of_reading():
    frame = frame_of_tasks("quality")
    with pytest.raises(bi.ScoreTableError) as read:
        bi.read_scores(frame)
    with pytest.raises(bi.ScoreTableError) as compared:
        bi.compare(frame)
    assert str(compared.value) == str(read.value)
    assert compared.value.proposals == read.value.proposals != ()
    with pytest.raises(bi.errors.BenchinferError, match="not said whether higher or lower"):
        bi.compare(frame, "quality")


def test_what_is_no_table_is_refused_as_by_read_scores():
    with pytest.raises(bi.ScoreTableError, match="a int cannot be read as a table"):
        bi.compare(3, "auc:higher")


def test_ablations_have_the_t_tests_and_verdicts_of_r():
    """The step-down p-values of multcomp take the whole level; ours leave some to intervals."""
    golden = Path(__file__).parents[2] / "golden" / "factors"
    frame = pd.read_csv(golden / "scores.csv")
    full = {"net": "vit", "aug": "mixup", "opt": "adam"}
    changed = sum((frame[name] != level).astype(int) for name, level in full.items())
    roles = dict.fromkeys(full, "factor")
    scores = bi.read_scores(frame[changed <= 1], measures="score:higher", columns=roles)
    rows = bi.compare(scores)["score"].contrasts(all=True).set_index("first")
    expected = json.loads((golden / "ablation.json").read_text())
    for one in expected["own"]:
        row = rows.loc[one["cell"]]
        found = [row["estimate"], row["std_error"], row["df"], row["p_raw"]]
        assert found == pytest.approx([one[k] for k in ("estimate", "std_error", "df", "p")])
    p = rows.loc[expected["names"], "p_value"].to_numpy()
    step_down = np.array(expected["step_down"])
    assert ((p <= 0.05) == (step_down <= 0.05)).all()
    assert (p <= 2 * step_down + 0.001).all()
    assert (p >= 0.5 * step_down).all()
