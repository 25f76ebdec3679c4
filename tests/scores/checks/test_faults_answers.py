"""pass^k and pass@k of repeated answers, by brute force and by published figures."""

import json
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import ScoreTableError
from benchinfer.scores.numerics.attempts import share_all_right, share_any_right

# Tasks of tau-bench's airline domain by how many of the four trials of its tool-calling gpt-4o are
# right (historical_trajectories/gpt-4o-airline.json of sierra-research/tau-bench).
TASKS = {0: 14, 1: 12, 2: 10, 3: 4, 4: 10}
PUBLISHED = {1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}


def trials(counts):
    """Return rows of four trials a task, of two agents of which the second is always right."""
    right = [c for c, n in counts.items() for _ in range(n)]
    rows = [
        (f"t{i}", trial, agent, float(trial < c or agent == "sure"))
        for i, c in enumerate(right)
        for trial in range(4)
        for agent in ("gpt-4o", "sure")
    ]
    return pd.DataFrame(rows, columns=["task", "trial", "agent", "reward"])


def read(frame, repeats, **options):
    roles = {"agent": "algorithm", "task": "replication", **options.pop("columns", {})}
    declared = bi.Declaration("reward:higher", roles, repeats=repeats, dataset="air", **options)
    return bi.read_scores(frame, measures=declared)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_shares_are_those_of_all_subsets(k):
    for n in (6, 7):
        for c in range(n + 1):
            answers = [1] * c + [0] * (n - c)
            sets = list(combinations(answers, k))
            size, right = np.array([float(n)]), np.array([float(c)])
            assert share_all_right(size, right, k)[0] == pytest.approx(
                np.mean([all(s) for s in sets]), abs=1e-12
            )
            assert share_any_right(size, right, k)[0] == pytest.approx(
                np.mean([any(s) for s in sets]), abs=1e-12
            )


def test_large_numbers_of_answers():
    share = share_any_right(np.array([1000.0]), np.array([10.0]), 100)
    assert share[0] == pytest.approx(1 - comb(990, 100) / comb(1000, 100), rel=1e-12)


@pytest.mark.parametrize("units", [None, ("task", "trial")])
@pytest.mark.parametrize("k", PUBLISHED)
def test_published_figures_of_tau_bench_come_out(k, units):
    columns = {"trial": "ignore"} if units is None else {}
    scores = read(trials(TASKS), f"pass^{k}", units=units, columns=columns, resampling="items")
    assert scores.cells().mean[0] == pytest.approx([PUBLISHED[k], 1.0], abs=5e-4)
    assert scores.cells().n.tolist() == [[50, 50]]
    assert scores.measures[0].noun == f"reward (pass^{k})"


def test_any_of_three():
    scores = read(trials(TASKS), "pass@3", columns={"trial": "ignore"})
    # of one right answer of four, 3 of 4 sets of three hold it; of two, all
    assert scores.cells().mean[0, 0] == pytest.approx((12 * 0.75 + 24) / 50)


def test_one_measure_of_files_of_tau_bench(tmp_path):
    for agent in ("one", "two"):
        frame = trials({1: 3, 3: 4}).query("agent == 'gpt-4o'")
        records = [
            {"task_id": int(t[1:]), "reward": r, "info": {}, "traj": [], "trial": int(i)}
            for t, i, r in frame[["task", "trial", "reward"]].itertuples(index=False)
        ]
        (tmp_path / f"tool-calling-{agent}-0.0_range_0--1.json").write_text(json.dumps(records))
    scores = bi.read_scores(tmp_path, repeats="pass^2")
    assert scores.cells().mean[0] == pytest.approx([4 * 0.5 / 7] * 2)
    assert scores.cells().n.tolist() == [[7, 7]]


def test_failed_attempts_are_wrong_ones_only_if_that_is_said():
    frame = trials({4: 3, 2: 3})
    frame.loc[frame.index[(frame["trial"] == 0) & (frame["agent"] == "gpt-4o")], "reward"] = np.nan
    columns = {"trial": "ignore"}
    three = read(frame, "pass^3", columns=columns)
    assert three.cells().mean[0, 0] == pytest.approx(0.5)
    wrong = read(frame, "pass^3", columns=columns, failed=0.0)
    assert wrong.cells().mean[0, 0] == pytest.approx(3 * 0.25 / 6)
    with pytest.raises(ScoreTableError, match="6 items of an algorithm have fewer than 4 answers"):
        read(frame, "pass^4", columns=columns)


def test_scores_that_are_not_right_or_wrong_are_refused():
    frame = trials({1: 3})
    frame.loc[0, "reward"] = 0.5
    with pytest.raises(ScoreTableError, match="1 score of answers is neither 0 nor 1") as caught:
        read(frame, "pass^2", columns={"trial": "ignore"})
    assert "several scores" not in str(caught.value)
    declared = bi.Declaration(
        "reward:lower", {"agent": "algorithm", "trial": "ignore"}, repeats="pass^2", dataset="air"
    )
    with pytest.raises(ScoreTableError, match="of reward lower is better"):
        bi.read_scores(trials({1: 3}), measures=declared)


def test_answers_that_are_taken_for_replications_are_named():
    with pytest.raises(
        ScoreTableError, match=r"fewer than 2 answers, which pass\^2 takes"
    ) as caught:
        bi.read_scores(trials({1: 3}), measures="reward:higher", repeats="pass^2")
    assert 'units=("ITEM", "ANSWER")' in str(caught.value)


@pytest.mark.parametrize("word", ["pass^0", "pass", "pass^-1", "pass@x", "median"])
def test_other_words_are_refused(word):
    with pytest.raises(ArgumentError, match="unknown repeats"):
        read(trials({1: 3}), word)
