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
from benchinfer.analyses.monitor.anytime import anytime
from benchinfer.analyses.monitor.design import MonitorDesign, pairs_of
from benchinfer.analyses.monitor.diagnostics import _skew as skewed_row
from benchinfer.analyses.monitor.feed import Feed, StageDifferences
from benchinfer.analyses.monitor.numerics.betting import ConfidenceSequence
from benchinfer.analyses.monitor.stagewise import group_sequential, recursive, redesigned
from benchinfer.analyses.monitor.state import StateFile
from benchinfer.scores.rows.reductions import Blocks

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


def follow(values, how, test, alternative, measures=1, level=0.95, last=5):
    """Follow one experiment of (n, K) values, K / M for each of M measures."""
    return followed(values, how, test, alternative, measures, level, last)[0]


def followed(values, how, test, alternative, measures=1, level=0.95, last=5):
    """Follow an experiment; return its course, its design, and its differences."""
    n, k = values.shape
    names = tuple(f"a{i}" for i in range(k))
    own = pairs_of(names[: k // measures], "all", None)
    pairs = np.vstack([own + i * k // measures for i in range(measures)])
    method = how if how in {"anytime", "group-sequential"} else "recursive"
    last = None if method == "anytime" else last
    rule = how if method == "recursive" else "constant"
    design = MonitorDesign(
        method, rule, "obrien-fleming", 50, last, test, "symmetry", alternative, level, len(pairs)
    )
    blocks = Blocks(
        MEASURE,
        ("d",),
        names,
        dataset=np.zeros(n, np.int64),
        replication=np.arange(n),
        labels=tuple(map(str, range(1, n + 1))),
        count=np.ones((n, k), np.int64),
        mean=values,
        within=np.zeros((1, k)),
        paired=True,
    )
    gathered = StageDifferences(Feed(blocks, 50), pairs)
    if method == "anytime":
        course, _ = anytime(gathered, design, [MEASURE] * len(pairs))
        return course, design, gathered
    course = (recursive if method == "recursive" else group_sequential)(gathered, design)
    return course, design, gathered


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
@pytest.mark.parametrize("how", ["constant", "application", "anytime", "group-sequential"])
def test_family_wise_errors_of_two_measures(how):
    """Some of the twelve pairs of four algorithms is decided; measures correlate by a half."""
    wrong = 0
    for seed in range(RUNS):
        values = np.random.default_rng([seed, 73]).normal(size=(N, 3, 4))
        both = np.hstack([values[:, 0] + values[:, 2], values[:, 1] + values[:, 2]])
        ends = follow(both, how, "t", "two-sided", measures=2).ends
        wrong += any(end in {"first", "second"} for end in ends)
    print(f"| {how} | 2 measures of 4 algorithms | {wrong / RUNS:.4f} |")  # noqa: T201
    assert wrong <= binom.ppf(0.9999, RUNS, 0.05)


@pytest.mark.calibration
@pytest.mark.parametrize("how", ["constant", "group-sequential"])
@pytest.mark.parametrize("mean", [0.0, 0.2])
def test_a_design_changed_midway_keeps_its_level(how, mean):
    """After two stages of four the rest is designed anew, by what has been seen.

    Where the first half is promising the rest is four times as long as planned, in five looks at
    new replications alone; else it is one short stage.
    """
    rejected = dict.fromkeys(["kept", "changed"], 0)
    for seed in range(RUNS):
        d = np.random.default_rng([seed, 74]).normal(size=600) + mean
        values = np.column_stack([d, np.zeros(600)])
        kept = follow(values[:200], how, "t", "two-sided", last=4)
        rejected["kept"] += kept.ends[0] in {"first", "second"}
        first, design, _ = followed(values[:100], how, "t", "two-sided", last=4)
        if first.ends[0] != "go on":
            rejected["changed"] += first.ends[0] in {"first", "second"}
            continue
        levels = redesigned(first, design)
        looks = 5 if abs(d[:100].mean()) > 0.08 else 1
        rest = values[100 : 100 + 50 * looks]
        ends = set()
        for side, level in zip(levels["side"], levels["conditional_level"], strict=True):
            if level > 0:
                towards = "better" if side > 0 else "worse"
                new = "group-sequential" if how == "constant" else "constant"
                ends |= set(follow(rest, new, "t", towards, 1, 1 - level, looks).ends)
        rejected["changed"] += bool(ends & {"first", "second"})
    shares = {name: n / RUNS for name, n in rejected.items()}
    print(f"| {how} | changed midway | {mean} | {shares} |")  # noqa: T201
    if mean == 0:
        assert max(rejected.values()) <= binom.ppf(0.9999, RUNS, 0.05)
    else:
        assert shares["changed"] > shares["kept"]


@pytest.mark.calibration
@pytest.mark.parametrize(("noise", "low", "high"), [("normal", 0, 0.02), ("skewed", 0.99, 1)])
def test_users_are_warned_of_skewed_differences(noise, low, high):
    shares = {}
    for n in (50, 100, 250):
        warned = 0
        for seed in range(RUNS):
            d = NOISE[noise](np.random.default_rng([seed, 75]), n)
            _, design, gathered = followed(np.column_stack([d, 0 * d]), "constant", "t", "better")
            warned += not skewed_row(design, gathered, str).ok
        shares[n] = warned / RUNS
    print(f"| {noise} | warned | {shares} |")  # noqa: T201
    assert low <= shares[250] <= high


@pytest.mark.calibration
@pytest.mark.parametrize("noise", ["symmetric", "skewed"])
def test_confidence_sequences_hold_at_all_times(noise):
    """Of centres of symmetry and of means within bounds, after 1,000 differences."""
    missed, width = {"symmetry": 0, "mean": 0}, {"symmetry": [], "mean": []}
    for seed in range(RUNS):
        rng = np.random.default_rng([seed, 76])
        shape = (4, 4) if noise == "symmetric" else (0.4, 3.6)
        d = rng.beta(*shape, size=1000) - shape[0] / sum(shape)
        for null, bound in (("symmetry", None), ("mean", 1.0)):
            low, high = ConfidenceSequence(0.05, bound).after(d).ends
            missed[null] += not low <= 0 <= high
            width[null].append((high - low) / 2 / d.std() * np.sqrt(1000))
    errors = {null: np.nanmean(width[null]).round(2) for null in width}
    print(f"| {noise} | missed {missed} of {RUNS} | half widths {errors} |")  # noqa: T201
    held = ["mean"] if noise == "skewed" else ["symmetry", "mean"]
    assert all(missed[null] <= binom.ppf(0.9999, RUNS, 0.05) for null in held)


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
    _once(tmp_path)
    killed = state.read_text()
    state.unlink()
    _once(tmp_path)  # one that nobody disturbed, and that looks at all rows at once
    assert killed == state.read_text()


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
