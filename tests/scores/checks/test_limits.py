"""Scores that stand for a limit, and answers that are no replications."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi


def times(limit=5000.0, seed=1):
    """Return run times of three solvers on 40 instances, stopped at a limit."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(40):
        hard = rng.normal(7, 3)
        for solver in ("glucose", "kissat", "minisat"):
            time = float(np.exp(hard + rng.normal()))
            state = "ok" if time < limit else "timeout"
            rows.append((f"i{i:02}", 1, solver, min(time, limit), state))
    columns = ["instance_id", "repetition", "algorithm", "runtime", "runstatus"]
    return pd.DataFrame(rows, columns=columns)


def rule(scores, name):
    findings = scores.findings()
    return findings[findings["rule"] == name]


def test_time_outs_that_are_written_as_the_limit_ask_for_it(tmp_path):
    frame = times()
    n = int((frame["runstatus"] == "timeout").sum())
    frame.to_csv(tmp_path / "runs.csv", index=False)
    for source in (frame, tmp_path / "runs.csv"):
        with pytest.raises(bi.errors.ScoreTableError, match=f"names {n} time-outs") as error:
            bi.read_scores(source, measures="runtime:lower")
        assert 'measures="runtime:lower:limit=5000"' in str(error.value)
    plain = bi.read_scores(frame.drop(columns="runstatus"), measures="runtime:lower")
    what = f"{n} scores of runtime equal the largest (5,000)"
    assert rule(plain, "scores at a limit")["where"].item() == what


def test_the_state_of_a_run_has_a_role():
    columns = {"runstatus": "failure"}
    scores = bi.read_scores(times(), measures="runtime:lower", columns=columns)
    assert "of runs that failed" in rule(scores, "scores of failures")["where"].item()


def test_times_of_failed_runs_are_named_where_the_state_has_no_role():
    frame = times()
    failed = frame.index[:3]
    frame["runstatus"] = "ok"
    frame.loc[failed, "runstatus"] = "ERROR"
    frame["runtime"] = 1.0 + frame.index
    found = rule(bi.read_scores(frame, measures="runtime:lower"), "scores of failures")
    assert found["where"].item() == "3 scores are of runs that failed, as runstatus says: 'ERROR'"
    assert found["severity"].item() == "warning"
    assert "where=\"runstatus is null or runstatus not in ('ERROR')\"" in found["hint"].item()
    left = frame.drop(index=failed)
    assert rule(bi.read_scores(left, measures="runtime:lower"), "scores of failures").empty
    dashes = frame.assign(runstatus=frame["runstatus"].replace("ERROR", "-"))
    assert rule(bi.read_scores(dashes, measures="runtime:lower"), "scores of failures").empty
    # Of what is better the higher, failed may be what the score says.
    higher = bi.read_scores(frame, measures="runtime:higher")
    assert rule(higher, "scores of failures").empty


@pytest.mark.parametrize("words", [["ERROR"], ["Crashed", "ERROR"], ["it's", "ERROR"]])
@pytest.mark.parametrize("column", ["runstatus", "run status", "status"])
@pytest.mark.parametrize("role", ["failure", None])
@pytest.mark.parametrize("at_limit", [True, False])
def test_the_condition_of_a_hint_leaves_out_failed_runs_and_no_others(
    words, column, role, at_limit
):
    frame = times()
    frame["runtime"] = 1.0 + frame.index
    failed = frame.index[: 12 * len(words)]
    frame["runstatus"] = frame["runstatus"].where(frame.index % 3 != 0, None)
    frame.loc[frame["runstatus"].notna(), "runstatus"] = "ok"
    frame.loc[failed, "runstatus"] = np.resize(words, len(failed))
    if at_limit:
        frame.loc[failed, "runtime"] = 5000.0
    frame = frame.rename(columns={"runstatus": column})
    columns = {"instance_id": "dataset", "repetition": "replication", "algorithm": "algorithm"}
    columns |= {} if role is None else {column: role}
    how = {"measures": "runtime:lower", "columns": columns}
    try:
        hints = "".join(bi.read_scores(frame, **how).findings()["hint"])
    except bi.errors.ScoreTableError as error:
        hints = str(error)
    for argument in re.findall(r'where=("(?:[^"\\]|\\.)*")', hints):
        scores = bi.read_scores(frame, **how, where=json.loads(argument))
        named = [word for word in words if repr(word) in hints]
        kept = frame[~frame[column].isin(named)]
        assert frame[column].isna().any()
        assert scores.n_rows == len(kept)
    assert role is None or "where=" in hints


@pytest.mark.parametrize("worst", [0.0, 1.0, 100.0])
def test_ends_of_a_scale_are_no_limit(worst):
    frame = times().drop(columns="runstatus")
    frame["runtime"] = np.where(frame["runtime"] == 5000, worst, -frame.index - 1.0)
    assert rule(bi.read_scores(frame, measures="runtime:lower"), "scores at a limit").empty


def answers(d=4, items=30, epochs=5, seed=1):
    """Return answers to items that are as hard for one algorithm as for the other."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{i}", item, epoch, name, float(rng.random() < hard))
        for i in range(d)
        for item in range(items)
        for name in "ab"
        for hard in [rng.beta(0.3, 0.3)]
        for epoch in range(epochs)
    ]
    return pd.DataFrame(rows, columns=["dataset", "item", "epoch", "model", "correct"])


def read(frame, **options):
    return bi.read_scores(frame, measures="correct:higher", **options)


def test_repeats_of_an_item_are_averaged_as_the_hint_says():
    frame = answers()
    with pytest.raises(bi.ScoreTableError) as error:
        read(frame, columns={"item": "replication"})
    assert 'the column epoch repeats within item: units=("item", "epoch") averages over it' in str(
        error.value
    )
    scores = read(frame, columns={"item": "replication"}, repeats="mean")
    keys = ["dataset", "item", "model"]
    expected = frame.groupby(keys)["correct"].mean()
    held = scores.to_frame().astype({"replication": int})
    held = held.set_index(["dataset", "replication", "algorithm"])["value"].sort_index()
    np.testing.assert_allclose(held, expected, rtol=1e-15)
    assert rule(scores, "repeats averaged")["count"].item() == len(expected)


def test_repeats_without_a_score_are_left_out_of_the_mean():
    frame = answers(d=1, items=3, epochs=2)
    frame.loc[0, "correct"] = np.nan
    scores = read(frame, columns={"item": "replication"}, repeats="mean")
    expected = frame.groupby(["item", "model"])["correct"].mean()
    assert scores.to_frame()["value"].sum() == pytest.approx(expected.sum(), rel=1e-14)
    assert len(scores.failures()) == 1


def test_labels_of_data_sets_are_no_repeats_of_a_replication():
    frame = times().rename(columns={"instance_id": "name"})
    with pytest.raises(bi.ScoreTableError) as error:
        bi.read_scores(frame, measures="runtime:lower")
    assert "averages over" not in str(error.value)


def test_answers_joined_with_their_items_are_warned_of():
    columns = {"item": "replication", "epoch": "replication"}
    row = rule(read(answers(), columns=columns), "joined replications").iloc[0]
    assert row["severity"] == "warning"
    assert 'units=("item", "epoch") averages over epoch and counts item' in row["hint"]
    folds = answers().rename(columns={"item": "repeat", "epoch": "fold"})
    joined = read(folds, columns={"repeat": "replication", "fold": "replication"})
    assert rule(joined, "joined replications").empty


@pytest.mark.calibration
def test_averaged_answers_keep_the_level():
    """Three in 100 errors of 300 tables are within Monte Carlo error of the level."""
    joined = {"columns": {"item": "replication", "epoch": "replication"}}
    averaged = {"columns": {"item": "replication"}, "repeats": "mean"}
    claims = {"joined": 0, "averaged": 0}
    for seed in range(300):
        frame = answers(seed=seed)
        for name, options in (("joined", joined), ("averaged", averaged)):
            result = bi.compare_bootstrap(read(frame, **options), resamples=500, statistic="mean")
            claims[name] += result.contrasts(all=True)["verdict"].item() in ("first", "second")
    assert claims["averaged"] / 300 < 0.1
    assert claims["joined"] > claims["averaged"]


LIMIT = "runtime:lower:0:identity:limit=5000"


def limited(frame=None, **options):
    frame = times() if frame is None else frame
    declaration = bi.Declaration(options.pop("measures", LIMIT), **options)
    return bi.read_scores(frame, measures=declaration)


def test_the_column_of_status_says_which_runs_were_stopped():
    frame = times()
    scores = limited(frame)
    stopped = frame["runstatus"] == "timeout"
    assert scores.runs().summary()["stopped"].sum() == stopped.sum()
    note = rule(scores, "stopped runs").iloc[0]
    assert f"{stopped.sum():,} of 120" in note["where"]
    assert rule(scores, "scores at a limit").empty
    failures = scores.failures()
    assert failures.columns[:2].tolist() == ["algorithm", "run_state"]
    assert (failures["reason"] == "timeout").all()
    assert (failures["algorithm"] == sorted(failures["algorithm"])).all()


def test_scores_equal_to_the_limit_are_stopped_without_a_status():
    frame = times().drop(columns="runstatus")
    at = frame.index[frame["runtime"] == 5000][0]
    frame.loc[at, "runtime"] = 5000 * (1 - 1e-7)
    scores = limited(frame)
    pd.testing.assert_frame_equal(scores.runs().summary(), limited().runs().summary())
    assert "as their scores equal it" in rule(scores, "stopped runs")["where"].item()


def test_a_run_that_took_longer_than_the_limit_was_not_solved():
    frame = times()
    frame.loc[[3, 5], ["runtime", "runstatus"]] = [5000.5, "ok"]
    with pytest.raises(bi.errors.ScoreTableError, match="2 scores are above the limit"):
        limited(frame)
    with pytest.raises(bi.errors.ScoreTableError, match="2 scores are above the limit"):
        limited(frame.drop(columns="runstatus"))
    frame.loc[[3, 5], "runstatus"] = "timeout"
    assert limited(frame).describe()["maximum"].max() == 5000


def test_words_that_are_not_known_are_listed_together():
    frame = times()
    frame.loc[[0, 1, 2], "runstatus"] = ["maybe", "maybe", None]
    with pytest.raises(bi.errors.ScoreTableError) as caught:
        limited(frame)
    text = str(caught.value)
    assert "2 words of the column runstatus" in text
    assert "maybe" in text
    assert "(empty)" in text


@pytest.mark.parametrize("word", ["Time_Out", "memout", "TLE", "out-of-memory"])
def test_words_are_read_without_case_and_dashes(word):
    frame = times()
    frame["runstatus"] = frame["runstatus"].replace("timeout", word)
    pd.testing.assert_frame_equal(limited(frame).runs().summary(), limited().runs().summary())


def test_crashes_count_as_stopped_or_are_missing():
    frame = times()
    frame.loc[[0, 4, 8], "runstatus"] = ["crash", "Segfault", "error"]
    frame.loc[0, "runtime"] = np.nan
    scores, without = limited(frame), limited(frame, crashed="missing")
    assert scores.runs().summary()["crashed"].tolist() == [1, 1, 1]
    assert scores.n_rows == 120
    assert without.n_rows == 117
    assert (without.failures()["run_state"] == "crashed").sum() == 3
    assert "of which 3 crashed" in rule(scores, "stopped runs")["where"].item()
    with pytest.raises(bi.errors.ScoreTableError, match="crashed"):
        limited(frame, crashed="solved")


def test_a_solved_run_needs_a_time():
    frame = times()
    at = frame.index[frame["runstatus"] == "ok"][0]
    frame.loc[at, "runtime"] = np.nan
    with pytest.raises(bi.errors.ScoreTableError, match="1 solved run has no score"):
        limited(frame)


def test_words_in_place_of_times(tmp_path):
    frame = times().astype({"runtime": object})
    stopped = frame["runstatus"] == "timeout"
    frame.loc[stopped, "runtime"] = "timeout"
    frame.drop(columns="runstatus").to_csv(tmp_path / "runs.csv", index=False)
    pd.testing.assert_frame_equal(
        limited(tmp_path / "runs.csv").runs().summary(), limited().runs().summary()
    )


def test_a_run_solved_at_the_very_limit_counts_as_solved():
    frame = times()
    frame.loc[0, ["runtime", "runstatus"]] = [5000.0, "ok"]
    runs, before = limited(frame).runs().summary(), limited(times()).runs().summary()
    was = times()["runstatus"][0] == "ok"
    assert runs["solved"].sum() == before["solved"].sum() + (not was)


def test_a_status_asks_for_a_limit():
    with pytest.raises(bi.errors.ScoreTableError, match="no measure has a limit"):
        limited(measures="runtime:lower", columns={"runstatus": "status"})


def test_other_measures_keep_their_scores():
    frame = times()
    long = pd.concat(
        [
            frame.assign(measure="runtime", value=frame["runtime"]),
            frame.assign(measure="cost", value=np.arange(120.0)),
        ]
    ).drop(columns="runtime")
    scores = limited(long, measures=[LIMIT, "cost:lower"])
    assert scores.describe("cost")["mean"].sum() == np.arange(120).sum()
    assert len(scores.runs().summary()) == 3


@pytest.mark.parametrize("par", [1, 2, 10])
def test_penalised_means_against_a_group_by(par):
    frame = times()
    score = frame["runtime"].where(frame["runstatus"] == "ok", par * 5000.0)
    means = score.groupby(frame["algorithm"]).mean()
    read = limited(frame, measures=f"{LIMIT}:par={par}")
    for scores in (limited(frame).penalise(par), read):
        of = scores.describe().groupby("algorithm")["mean"].mean()
        assert np.allclose(of, means, rtol=1e-12)
        assert scores.runs().summary()["solved"].sum() == (frame["runstatus"] == "ok").sum()
        restricted = frame["runtime"].clip(upper=5000).groupby(frame["algorithm"]).mean()
        runs = scores.runs().summary(par=par).set_index("algorithm").sort_index()
        assert np.allclose(runs["restricted_mean"], restricted, rtol=1e-12)
        assert np.allclose(runs["penalised"], means, rtol=1e-12)


def test_a_lower_limit_stops_more_runs():
    frame = times()
    scores = limited(frame)
    lower = scores.declare(bi.Measure("runtime", "lower", limit=1000))
    assert lower.runs().summary()["solved"].sum() == (frame["runtime"] <= 1000).sum()
    assert lower.describe()["maximum"].max() == 1000
    with pytest.raises(bi.errors.DesignError, match="before the new limit"):
        scores.declare(bi.Measure("runtime", "lower", limit=6000))
    with pytest.raises(bi.errors.DesignError, match="were stopped at 5,000"):
        scores.declare(bi.Measure("runtime", "lower"))


def test_parts_of_a_table_keep_their_stopped_runs():
    scores = limited()
    parts = scores.by_dataset()
    stopped = sum(int(part.runs().stopped().stopped.sum()) for part in parts.values())
    assert (
        stopped
        == scores.runs().summary()["stopped"].sum()
        == int(scores.runs().stopped().stopped.sum())
    )


def test_shares_solved_are_scores_of_0_and_1():
    solved = limited().solved(tolerance=0.05)
    share = limited().runs().summary().set_index("algorithm")["solved_share"].sort_index()
    assert np.allclose(solved.describe().groupby("algorithm")["mean"].mean(), share)
    assert (solved.measure().better, solved.measure().tolerance) == ("higher", 0.05)


def test_expected_running_times_against_a_direct_sum():
    rng = np.random.default_rng(5)
    rows = [
        (f"f{p}", run, name, t)
        for p in range(6)
        for name in ("cma", "de")
        for run in range(9)
        for t in [min(float(rng.exponential(40 if p < 5 else 1e9)), 60.0)]
    ]
    frame = pd.DataFrame(rows, columns=["problem", "run", "algorithm", "evaluations"])
    scores = bi.read_scores(frame, measures="evaluations:lower:limit=60", paired=False)
    table = scores.runs().running_times().set_index(["dataset", "algorithm"])
    for key, part in frame.groupby(["problem", "algorithm"]):
        solved = (part["evaluations"] < 60).sum()
        row = table.loc[key]
        if solved:
            assert row["running_time"] == pytest.approx(part["evaluations"].sum() / solved)
        else:
            assert np.isinf(row["running_time"])
            assert row["running_time_shown"] == "> 540"
    assert np.isinf(table.loc["f5", "running_time"]).all()


def test_statistics_of_measures_without_a_limit_are_refused():
    scores = bi.read_scores(times().drop(columns="runstatus"), measures="runtime:lower")
    runs = scores.runs()
    for method in (runs.summary, runs.penalties, scores.solved, runs.running_times):
        with pytest.raises(bi.errors.DesignError, match="has no limit"):
            method()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t:higher:0:identity:limit=5", "does not go with"),
        ("t:lower:0:logit:limit=5", "does not go with"),
        ("t:lower:limit=0", "limit is 0.0"),
        ("t:lower:limit=5:par=0.5", "par is 0.5"),
        ("t:lower:par=2", "there is no limit"),
        ("t:lower:limit=x", "cannot read"),
        ("t:lower:limits=5", "cannot read"),
        ("t:lower:limit=5:limit=6", "cannot read"),
    ],
)
def test_limits_that_no_run_can_have(text, said):
    with pytest.raises(bi.errors.BenchinferError, match=said):
        bi.Measure.parse(text)


def test_a_limit_in_a_toml(tmp_path):
    times().to_csv(tmp_path / "scores.csv", index=False)
    (tmp_path / "measures.toml").write_text('[measures.runtime]\nbetter = "lower"\nlimit = 5000\n')
    pd.testing.assert_frame_equal(
        bi.read_scores(tmp_path).runs().summary(), limited().runs().summary()
    )


def test_saved_comparisons_keep_their_stopped_runs(tmp_path):
    result = bi.compare_mixed(limited())
    again = bi.load(result.save(tmp_path / "result.json"))
    assert again.setting.stopped.order_range == result.setting.stopped.order_range
    row = result.diagnostics().set_index("check").loc["share of runs that were stopped, largest"]
    assert row["value"] == pytest.approx(limited().runs().summary()["stopped"].max() / 40)


def test_the_mean_up_to_the_limit_is_what_is_compared():
    scores = limited()
    answer = bi.compare(scores)
    assert answer.choices["runtime"].analysis == "mixed"
    assert "runtime up to 5,000" in str(answer)
    estimate = answer["runtime"].contrasts().iloc[0]
    mean = times()["runtime"].groupby(times()["algorithm"]).mean()
    assert estimate["estimate"] == pytest.approx(mean[estimate["first"]] - mean[estimate["second"]])


@pytest.mark.parametrize(
    ("word", "n_solved"),
    [*((w, 1) for w in ("infeasible", "unbounded", "unsolvable", "UNSAT")),
     *((w, 0) for w in ("unknown", "feasible", "gave_up", "undecided", "ITERATION-LIMIT"))],
)  # fmt: skip
def test_proofs_solve_and_giving_up_does_not(word, n_solved):
    rows = [("p1", "a", 5.0, word), ("p1", "b", 9.0, "ok"), ("p2", "a", 100.0, "timeout")]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "seconds", "status"])
    runs = (
        bi.read_scores(frame, measures="seconds:lower:limit=100")
        .runs()
        .summary()
        .set_index("algorithm")
    )
    assert runs.loc["a", ["n", "solved", "stopped"]].tolist() == [2, n_solved, 2 - n_solved]


def test_algorithms_that_solve_nothing_are_no_copies_of_each_other():
    frame = pd.DataFrame(
        {"dataset": f"d{d}", "algorithm": a, "seconds": 3.0 + d if a == "x" else 60.0}
        for d in range(5)
        for a in "xyz"
    )
    limited = bi.read_scores(frame, measures="seconds:lower:limit=60").findings()["rule"]
    assert not {"constant algorithms", "identical algorithms"} & set(limited)
    plain = bi.read_scores(frame, measures="seconds:lower").findings()["rule"]
    assert {"constant algorithms", "identical algorithms"} <= set(plain)


def test_a_limit_that_no_stopped_run_came_near_is_warned_of():
    finding = rule(
        bi.read_scores(times(), measures="runtime:lower:limit=9000"), "limit not reached"
    )
    n = int((times()["runstatus"] == "timeout").sum())
    assert (finding["count"].item(), finding["severity"].item()) == (n, "warning")
    assert "ended at 5,000, and each counts as 9,000" in finding["where"].item()
    for limit in (5000, 5100):  # a machine stops some time before or after
        scores = bi.read_scores(times(), measures=f"runtime:lower:limit={limit}")
        assert rule(scores, "limit not reached").empty


def test_means_of_incomplete_tables_are_over_shared_data_sets():
    whole = times()
    easy = whole.groupby("instance_id")["runtime"].mean().nsmallest(20).index
    hard = ~whole["instance_id"].isin(easy)
    part = whole[~(hard & (whole["algorithm"] == "minisat"))]
    shared = bi.read_scores(whole[~hard], measures="runtime:lower:limit=5000").runs().summary()
    runs = bi.read_scores(part, measures="runtime:lower:limit=5000").runs().summary()
    columns = ["algorithm", "restricted_mean", "penalised", "best_on", "contribution"]
    pd.testing.assert_frame_equal(runs[columns], shared[columns])
    assert runs.set_index("algorithm")["n"].to_dict() == {
        "glucose": 40,
        "kissat": 40,
        "minisat": 20,
    }


def test_penalised_runs_are_said_to_count_as_such():
    scores = bi.read_scores(times(), measures="runtime:lower:0:identity:limit=5000:par=2")
    said = rule(scores, "stopped runs")["hint"].item()
    assert said == "each counts as 10,000, 2 times the limit."
