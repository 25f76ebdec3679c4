"""False claims and coverage where scores come as answers to items of passages: `make calibrate`.

`python tests/calibration/test_units.py` prints the tables of benchmarks/results/nested-units.
"""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import binom

import benchinfer as bi

TABLES, ALPHA = 1000, 0.05
MEASURES = {"acc": "higher"}


def answers(seed, datasets=4, items=30, repeats=5, sd=1.5):
    """Return answers of two equal algorithms, whose logits vary by item and algorithm."""
    rng = np.random.default_rng([seed, datasets, items])
    shape = (datasets, items, 2)
    logit = rng.normal(size=(datasets, items, 1)) + sd * rng.normal(size=shape)
    right = rng.random((*shape, repeats)) < expit(logit)[..., None]
    d, i, k, a = np.indices(right.shape).reshape(4, -1)
    names = ("dataset", "item", "algorithm", "answer")
    frame = pd.DataFrame(dict(zip(names, (d, i, k, a), strict=True)))
    return frame.assign(algorithm=np.array(["a", "b"])[k], acc=right.ravel().astype(float))


def joined(frame):
    """Return the table in which each answer passes for a replication."""
    label = frame["item"].astype(str) + "-" + frame["answer"].astype(str)
    frame = frame.drop(columns=["item", "answer"]).assign(replication=label)
    return bi.read_scores(frame, measures=MEASURES)


def claims(result):
    return result.evidence.p_value[0] <= ALPHA


def gated(scores):
    """Return whether the candidate passes without a tolerance."""
    return bi.gate(scores, baseline="a", candidate="b", target="datasets").passed


# On each table: analyses of four data sets, then of the first of them.
ANALYSES = {
    "mixed": lambda s: claims(bi.compare_mixed(s, target="datasets")),
    "mixed, domain": lambda s: claims(bi.compare_mixed(s)),
    "permutation, aligned ranks": lambda s: claims(bi.compare_permutation(s, target="datasets")),
    "permutation, values": lambda s: claims(
        bi.compare_permutation(s, target="datasets", on="values")
    ),
    "bootstrap, mean": lambda s: claims(bi.compare_bootstrap(s, statistic="mean", resamples=2000)),
    "bootstrap, iqm": lambda s: claims(bi.compare_bootstrap(s, statistic="iqm", resamples=2000)),
    "meta": lambda s: claims(bi.compare_meta(s)),
    "bayes": lambda s: (
        bi.compare_bayes(s, target="datasets").contrasts()["verdict"][0] != "undecided"
    ),
    "gate (one-sided)": gated,
}
ON_ONE = {
    "pair": lambda s: claims(bi.compare_pair(s)),
    "pair, signed ranks": lambda s: claims(bi.compare_pair(s, test="wilcoxon")),
    "pair, sign flips": lambda s: claims(bi.compare_pair(s, test="sign-flip")),
    "wins": lambda s: claims(bi.compare_wins(s, by="replications")),
}


def false_claims(tables=TABLES, names=None):
    """Return how often each analysis claims a difference of two equal algorithms."""
    every = {**ANALYSES, **ON_ONE}
    count = dict.fromkeys(names or (*every, "joined: mixed", "joined: pair"), 0)
    for seed in range(tables):
        frame = answers(seed)
        scores = bi.read_scores(frame, measures=MEASURES, units=("item", "answer"))
        one = scores.subset(datasets=scores.datasets[:1])
        wrong = joined(frame) if "joined: mixed" in count else None
        for name in count:
            if name == "joined: mixed":
                count[name] += claims(bi.compare_mixed(wrong, target="datasets"))
            elif name == "joined: pair":
                part = wrong.subset(datasets=wrong.datasets[:1])
                count[name] += claims(bi.compare_pair(part))
            else:
                count[name] += every[name](one if name in ON_ONE else scores)
    return {name: n / tables for name, n in count.items()}


@pytest.mark.calibration
@pytest.mark.parametrize("name", [*ANALYSES, *ON_ONE])
def test_answers_to_one_item_are_no_replications(name):
    found = false_claims(300, [name])[name]
    assert found <= binom.isf(1e-4, 300, ALPHA) / 300


@pytest.mark.calibration
def test_joined_answers_claim_three_times_as_often():
    assert false_claims(300, ["joined: mixed"])["joined: mixed"] > 0.1


def passages(seed, units, rho):
    """Return scores of items in passages of 1 to 40, whose differences correlate by rho within."""
    rng = np.random.default_rng([seed, units, int(10 * rho)])
    size = rng.integers(1, 41, units)
    passage = np.repeat(np.arange(units), size)
    shared = np.sqrt(rho) * rng.normal(size=(units, 2))[passage]
    score = shared + np.sqrt(1 - rho) * rng.normal(size=(len(passage), 2))
    score += rng.normal(size=(len(passage), 1))  # items are harder or easier for both
    frame = pd.DataFrame({"passage": passage, "item": np.arange(len(passage))})
    frame = frame.assign(a=score[:, 0], b=score[:, 1]).melt(
        ["passage", "item"], var_name="algorithm", value_name="acc"
    )
    return bi.read_scores(frame, measures=MEASURES, units=("passage", "item"))


INTERVALS = {
    "pair": bi.compare_pair,
    "mixed": bi.compare_mixed,
    "permutation, values": lambda s: bi.compare_permutation(s, on="values"),
    "bootstrap, mean": lambda s: bi.compare_bootstrap(s, resamples=4000),
}


def coverage(units, rho, tables=TABLES):
    """Return how often each interval covers the difference, 0, and how often p exceeds 5 %."""
    covered = np.zeros((len(INTERVALS), 2))
    for seed in range(tables):
        scores = passages(seed, units, rho)
        for i, compare in enumerate(INTERVALS.values()):
            e = compare(scores).evidence
            covered[i] += e.low[0] <= 0 <= e.high[0], e.p_value[0] > ALPHA
    return covered / tables


@pytest.mark.calibration
@pytest.mark.parametrize("rho", [0.0, 0.2, 0.6])
@pytest.mark.parametrize("units", [8, 15, 40])
def test_intervals_of_passages_of_unequal_size_cover(units, rho):
    covered = coverage(units, rho, 200)
    assert (covered[0] >= binom.ppf(1e-4, 200, 0.95) / 200).all()
    assert (covered[1:] >= binom.ppf(1e-4, 200, 0.92) / 200).all()


if __name__ == "__main__":
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else TABLES
    for name, share in false_claims(tables).items():
        sys.stdout.write(f"| {name} | {share:.3f} |\n")
        sys.stdout.flush()
    for units in (8, 15, 40):
        for rho in (0.0, 0.2, 0.6):
            shares = coverage(units, rho, tables)
            cells = " | ".join(f"{low:.3f} ({p:.3f})" for low, p in shares)
            sys.stdout.write(f"| {units} | {rho} | {cells} |\n")
            sys.stdout.flush()
