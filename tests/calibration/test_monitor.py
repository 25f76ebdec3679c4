"""Sizes and powers of monitored experiments, and kills at random moments: `make calibrate`."""

import json
import multiprocessing
import os
import random
import signal
import time

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import benchinfer as bi
from benchinfer.scores.cells import Blocks
from benchinfer.sequential.anytime import anytime
from benchinfer.sequential.design import MonitorDesign, pairs_of
from benchinfer.sequential.feed import Feed
from benchinfer.sequential.gathered import Gathered
from benchinfer.sequential.group import group_sequential
from benchinfer.sequential.recursive import recursive
from benchinfer.sequential.state import StateFile

RUNS, N = 2000, 250
MEASURE = bi.Measure("x", "higher")
NOISE = {
    "normal": lambda rng, size: rng.normal(size=size),
    "t3": lambda rng, size: rng.standard_t(3, size=size) / np.sqrt(3),
    # Skewed to the left, with a mean of 0 and a standard deviation of 1.
    "skewed": lambda rng, size: (1 - rng.chisquare(1, size=size)) / np.sqrt(2),
}
# Shares of runs in which the first is found better, and mean number of replications: what they
# were in 5,000 to 40,000 runs of another program.
EXPECTED = {
    ("constant", "t", "normal", 0.0): (0.0485, 200),
    ("constant", "t", "normal", 0.1): (0.356, 205),
    ("constant", "t", "normal", 0.2): (0.853, 149),
    ("constant", "t", "normal", 0.3): (0.993, 96),
    ("constant", "t", "normal", 0.5): (1.0, 57),
    ("application", "t", "normal", 0.0): (0.0495, 96),
    ("application", "t", "normal", 0.1): (0.252, 102),
    ("application", "t", "normal", 0.2): (0.631, 98),
    ("application", "t", "normal", 0.3): (0.906, 83),
    ("application", "t", "normal", 0.5): (0.999, 57),
    ("constant", "signed-rank", "normal", 0.0): (0.0498, None),
    ("constant", "t", "t3", 0.0): (0.0472, None),
    ("constant", "t", "skewed", 0.0): (0.174, None),
    ("application", "t", "skewed", 0.0): (0.134, None),
    ("constant", "signed-rank", "skewed", 0.0): (0.937, None),
    ("application", "signed-rank", "skewed", 0.0): (0.751, None),
    ("anytime", "t", "normal", 0.0): (0.0267, None),
    ("anytime", "t", "normal", 0.1): (0.197, None),
    ("anytime", "t", "normal", 0.2): (0.695, None),
    ("anytime", "t", "normal", 0.3): (0.977, None),
    ("anytime", "t", "normal", 0.5): (1.0, None),
    ("anytime", "t", "skewed", 0.0): (0.2508, None),
    ("group-sequential", "t", "normal", 0.0): (0.05, None),
}


def follow(values, how, test, alternative):
    """Follow one experiment of (n, K) values; return its ends and the replications used."""
    n, k = values.shape
    names = tuple(f"a{i}" for i in range(k))
    pairs = pairs_of(names, "all", None)
    method = how if how in {"anytime", "group-sequential"} else "recursive"
    last = None if method == "anytime" else 5
    rule = how if method == "recursive" else "constant"
    design = MonitorDesign(
        method, rule, "obrien-fleming", 50, last, test, "symmetry", alternative, 0.95, len(pairs)
    )
    blocks = Blocks(
        MEASURE,
        ("d",),
        names,
        dataset=np.zeros(n, np.int64),
        replication=np.arange(n),
        labels=LABELS[:n],
        count=np.ones((n, k), np.int64),
        mean=values,
        within=np.zeros((1, k)),
        paired=True,
    )
    gathered = Gathered(Feed(blocks, 50), pairs)
    if method == "anytime":
        return anytime(gathered, design, MEASURE, {})
    return (recursive if method == "recursive" else group_sequential)(gathered, design)


LABELS = tuple(map(str, range(1, N + 1)))


@pytest.mark.calibration
@pytest.mark.parametrize("cell", EXPECTED, ids=lambda cell: " ".join(map(str, cell)))
def test_sizes_and_powers_of_one_pair(cell):
    how, test, noise, delta = cell
    expected, n_expected = EXPECTED[cell]
    rejected, used = 0, 0
    for seed in range(RUNS):
        d = NOISE[noise](np.random.default_rng([seed, 71]), N) + delta
        found = follow(np.column_stack([d, np.zeros(N)]), how, test, "better")
        rejected += found.ends[0] == "first"
        used += found.used[0]
    share, mean = rejected / RUNS, used / RUNS
    print(f"| {how} | {test} | {noise} | {delta} | {share:.4f} | {mean:.0f} |")  # noqa: T201
    error = np.sqrt(max(expected * (1 - expected), 1e-3) * (1 / RUNS + 1 / 5000))
    assert abs(share - expected) < 4 * error
    if n_expected is not None:
        assert abs(mean - n_expected) < 8


@pytest.mark.calibration
@pytest.mark.parametrize("how", ["constant", "application", "anytime", "group-sequential"])
@pytest.mark.parametrize("better", [0.0, 1.0])
def test_family_wise_errors_of_four_algorithms(how, better):
    """Some pair of equal algorithms is decided; with two groups, there are two such pairs."""
    wrong = 0
    equal = [0, 1, 2, 3, 4, 5] if better == 0 else [0, 5]
    for seed in range(RUNS):
        values = np.random.default_rng([seed, 72]).normal(size=(N, 4))
        values[:, 2:] += better
        ends = follow(values, how, "t", "two-sided").ends
        wrong += any(ends[i] in {"first", "second"} for i in equal)
    print(f"| {how} | 4 algorithms | {better} | {wrong / RUNS:.4f} |")  # noqa: T201
    assert wrong <= binom.ppf(0.9999, RUNS, 0.05)


@pytest.mark.calibration
def test_two_hundred_kills_leave_a_whole_state(tmp_path):
    values = np.random.default_rng(3).normal(size=(3000, 2))
    frame = pd.DataFrame(
        {
            "replication": np.repeat(np.arange(1, 3001), 2),
            "algorithm": np.tile(["a", "b"], 3000),
            "value": values.ravel(),
        }
    )
    state, draw = tmp_path / "s.json", random.Random(1)  # noqa: S311
    context = multiprocessing.get_context("fork")
    known = 0
    frame.head(30).to_csv(tmp_path / "scores.csv", index=False)
    _once(tmp_path)
    start = time.perf_counter()
    _once(tmp_path)
    once = time.perf_counter() - start  # so that kills hit on slow machines, too
    for kill in range(200):
        frame.head(30 * (kill + 1)).to_csv(tmp_path / "new.csv", index=False)
        (tmp_path / "new.csv").replace(tmp_path / "scores.csv")
        children = [context.Process(target=_watch, args=(tmp_path,)) for _ in range(2)]
        for child in children:
            child.start()
        time.sleep(draw.uniform(0.0, 4 * once))
        for child in children:
            os.kill(child.pid, signal.SIGKILL)
            child.join()
        if state.exists():
            pins = json.loads(state.read_text())["stages"]
            used = sum(last - first + 1 for pin in pins for first, last in pin[0]["replications"])
            assert known <= used <= 15 * (kill + 1)
            known = used
    assert known > 1000
    with StateFile(state):
        assert sorted(p.name for p in tmp_path.iterdir()) == ["s.json", "s.json.lock", "scores.csv"]


def _watch(folder):
    while True:
        _once(folder)


def _once(folder):
    with StateFile(folder / "s.json") as state:
        scores = bi.read_scores(
            folder / "scores.csv",
            measures={"x": "higher"},
            dataset="d",
            resampling=bi.Resampling("independent", paired=True),
        )
        bi.monitor(scores, method="anytime", stage=10, state=state)
