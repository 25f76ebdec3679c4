"""Scores that stand for a limit, and answers that are no replications."""

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


def test_time_outs_that_are_written_as_the_limit_are_warned_of(tmp_path):
    frame = times()
    n = int((frame["runstatus"] == "timeout").sum())
    said = f"{n} scores of runtime equal the largest (5,000), and runstatus says timeout"
    frame.to_csv(tmp_path / "runs.csv", index=False)
    for source in (frame, tmp_path / "runs.csv"):
        row = rule(bi.read_scores(source, measures="runtime:lower"), "scores at a limit").iloc[0]
        assert (row["where"], row["severity"], row["count"]) == (said, "warning", n)
    plain = bi.read_scores(frame.drop(columns="runstatus"), measures="runtime:lower")
    assert rule(plain, "scores at a limit")["where"].item() == said.partition(", and")[0]


def test_the_state_of_a_run_has_a_role():
    columns = {"runstatus": "failure"}
    scores = bi.read_scores(times(), measures="runtime:lower", columns=columns)
    assert "of runs that failed" in rule(scores, "scores of failures")["where"].item()


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
    assert 'the column epoch repeats within item: repeats="mean" averages over it.' in str(
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
    assert 'repeats="mean"' in row["hint"]
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
