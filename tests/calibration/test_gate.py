"""How often a gate lets pass what it should not.

`make calibrate`;
`python tests/calibration/test_gate.py` prints the tables of benchmarks/results/running.
"""

import sys
from collections import Counter
from itertools import count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from tests.analyses.gate import worse

TABLES, AT_ONCE, ALPHA = 2000, 10, 0.05
MOST = ALPHA + 2 * np.sqrt(ALPHA * (1 - ALPHA) / TABLES)


def datasets(rng, worse, d=12, noise=None):
    """Return scores on data sets whose differences have the error 1 / sqrt(d)."""
    own = rng.normal(size=(d, 1)) if noise is None else noise(rng, (d, 1))
    base = rng.normal(0, 3, (d, 1))
    return base, base + own - worse / np.sqrt(d)


def heavy(rng, shape):
    return rng.standard_t(3, shape) / np.sqrt(3)


def folds(rng, worse, j=10, rho=0.1):
    """Return scores on folds whose differences correlate by rho."""
    own = np.sqrt(rho) * rng.normal() + np.sqrt(1 - rho) * rng.normal(size=(1, j))
    base = rng.normal(0, 3, (1, j))
    return base, base + own - worse * np.sqrt(rho + (1 - rho) / j)


def items(rng, worse, n=400, share=0.1):
    """Return outcomes on items, a share of which one algorithm alone gets right."""
    gap = worse * np.sqrt(share / n)
    cell = rng.choice(3, size=(1, n), p=[(share - gap) / 2, (share + gap) / 2, 1 - share])
    alike = rng.random((1, n)) < 0.85
    new, old = (np.where(cell == 2, alike, cell == which) for which in (0, 1))
    return old.astype(float), new.astype(float)


# Sampling, tolerance (one standard error), and how replications came about.
CELLS = {
    "12 data sets": (datasets, 1 / np.sqrt(12), None),
    "10 folds": (folds, np.sqrt(0.19), bi.Resampling("cv", folds=10)),
    "400 items, 0 or 1": (items, np.sqrt(0.1 / 400), bi.Resampling("items")),
    "6 data sets": (lambda r, w: datasets(r, w, 6), 1 / np.sqrt(6), None),
    "15 data sets, t with 3 df": (
        lambda r, w: datasets(r, w, 15, heavy),
        1 / np.sqrt(15),
        None,
    ),
}


def ask(name, worse, seeds):
    """Return the gate of one table per seed, all of them measures of one, which is read once."""
    sample, tolerance, resampling = CELLS[name]
    frames = []
    for seed in seeds:
        old, new = sample(np.random.default_rng([seed, len(name)]), worse)
        d, r = (np.tile(index.ravel(), 2) for index in np.indices(old.shape))
        frames.append(
            pd.DataFrame(
                {
                    "measure": f"m{seed}",
                    "dataset": [f"d{i:02}" for i in d],
                    "replication": r,
                    "algorithm": np.repeat(["old", "new"], old.size),
                    "value": np.r_[old.ravel(), new.ravel()],
                }
            )
        )
    measures = [bi.Measure(f"m{seed}", "higher", tolerance) for seed in seeds]
    scores = bi.read_scores(pd.concat(frames), measures=measures, resampling=resampling)
    return bi.gate(scores, baseline="old", candidate="new")


def simulate(name, worse, tables=TABLES):
    """Return how often each verdict is given on one measure alone, and by which analyses."""
    said, by = Counter(), Counter()
    # Plans of undecided tables, and tests that do not decide, would take most of the time.
    with (
        patch("benchinfer.analyses.gate.gate.need_of", return_value=None),
        patch("benchinfer.analyses.pair.compare.other_tests", return_value=()),
    ):
        for start in range(0, tables, AT_ONCE):
            for row in ask(name, worse, range(start, start + AT_ONCE)).values():
                said["pass"] += row.p_pass <= ALPHA
                said["fail"] += row.p_fail_raw <= ALPHA
                by[row.comparison.provenance.analysis] += 1
    return {verdict: n / tables for verdict, n in said.items()}, by


@pytest.mark.calibration
@pytest.mark.parametrize("name", CELLS)
def test_a_candidate_at_the_tolerance_seldom_passes(name):
    said, _ = simulate(name, 1.0)
    assert max(said.values()) <= MOST


@pytest.mark.calibration
@pytest.mark.parametrize("name", CELLS)
def test_one_that_is_five_tolerances_worse_never_passes(name):
    said, _ = simulate(name, 5.0)
    assert said["pass"] == 0


@pytest.mark.calibration
def test_none_of_1000_tables_worse_by_twice_the_tolerance_passes(tmp_path):
    assert verdicts(1000, tmp_path)["pass"] == 0


def verdicts(n, folder):
    """Return how often each verdict is given on random tables worse by twice the tolerance."""
    drawn = (worse.verdict(seed, folder) for seed in count())
    return Counter(islice(filter(None, drawn), n))


SERIES, CASES = 200, 10  # simulated series of runs, and cases of a run
STATE = 0.02  # standard deviation of the logarithm of the speed of a machine between runs


def drifting(rng, n=60):
    """Return (n, cases) logarithms of times of consecutive runs of one program.

    The machine drifts, and in a third of the runs its clock is slower by a fifth.
    """
    state = np.cumsum(rng.normal(0, 0.01, n)) + 0.2 * (rng.random(n) < 1 / 3)
    return state[:, None] + 0.01 * rng.normal(size=(n, CASES)) + np.arange(CASES)


def gated(old, new):
    """Return the gate of runs of both sides, (runs, cases) logarithms of times each."""
    frames = [
        pd.DataFrame(
            {
                "dataset": np.tile([f"c{i}" for i in range(CASES)], len(runs)),
                "replication": np.repeat(np.arange(len(runs)), CASES),
                "algorithm": name,
                "time": np.exp(runs).ravel(),
            }
        )
        for name, runs in (("old", old), ("new", new))
    ]
    scores = bi.read_scores(
        pd.concat(frames), measures="time:lower:0.05:log", layout="wide-measures", resampling="runs"
    )
    with patch("benchinfer.analyses.gate.gate.need_of", return_value=None):
        return bi.gate(scores, baseline="old", candidate="new").verdict


def of_consecutive_runs(a_side, turns, series=4):
    """Return the verdicts on consecutive runs of one program, half after half or in turn."""
    said = Counter()
    for seed in range(series):
        runs = drifting(np.random.default_rng(seed))
        for start in range(0, 60 - 2 * a_side + 1, a_side):
            part = runs[start : start + 2 * a_side]
            halves = (part[::2], part[1::2]) if turns else (part[:a_side], part[a_side:])
            said[gated(*halves)] += 1
    return said


def of_slow_downs(by=1.1, a_side=5, series=SERIES):
    """Return the verdicts on a program that is slower by a factor."""
    said = Counter()
    for seed in range(series):
        rng = np.random.default_rng(seed)
        state = STATE * rng.normal(size=(2, a_side, 1))
        runs = state + 0.01 * rng.normal(size=(2, a_side, CASES)) + np.arange(CASES)
        said[gated(runs[0], runs[1] + np.log(by))] += 1
    return said


@pytest.mark.calibration
@pytest.mark.parametrize(("a_side", "turns"), [(1, False), (5, False), (5, True)])
def test_consecutive_runs_of_one_program_seldom_fail(a_side, turns):
    said = of_consecutive_runs(a_side, turns)
    assert said["fail"] <= ALPHA * said.total()


@pytest.mark.calibration
def test_a_slow_down_of_a_tenth_is_found_with_five_runs_a_side():
    assert of_slow_downs()["fail"] >= 0.8 * SERIES


def main():
    lines = ["| table | worse by | pass | fail | by |", "|---|--:|--:|--:|---|"]
    for name in CELLS:
        for factor in (1.0, 5.0):
            said, by = simulate(name, factor)
            shares = " | ".join(f"{said[verdict]:.4f}" for verdict in ("pass", "fail"))
            words = ", ".join(f"{one.removeprefix('compare_')} {n}" for one, n in by.most_common())
            lines.append(f"| {name} | {factor:g} | {shares} | {words} |")
            sys.stdout.write("\n".join(lines) + "\n")
            sys.stdout.flush()
            lines = []
    with TemporaryDirectory() as folder:
        sys.stdout.write(f"worse by twice the tolerance: {dict(verdicts(1000, Path(folder)))}\n")
    for a_side, turns in ((1, False), (5, False), (5, True)):
        said = of_consecutive_runs(a_side, turns)
        sys.stdout.write(f"consecutive runs, {a_side} a side, in turn {turns}: {dict(said)}\n")
    sys.stdout.write(f"slower by a tenth, five runs a side: {dict(of_slow_downs())}\n")


if __name__ == "__main__":
    main()
