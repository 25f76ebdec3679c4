"""Error rates of choosing an analysis and then testing by it: `make calibrate`, 15 minutes.

All algorithms are equal in the null tables; in the others the first one is better than the rest.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import benchinfer as bi
from benchinfer.analyses.choice.choice import choose
from benchinfer.analyses.choice.compare import chosen

TABLES = 400
# Data sets and algorithms of the cells, each with every kind of noise, and two more.
SIZES = [(5, 4), (12, 6), (30, 10)]
KINDS = ("normal", "t3", "skewed", "tied", "bounded", "unequal")
CELLS = [*product(KINDS, SIZES), ("normal", (20, 4)), ("unequal", (20, 4))]
# Any false claim, beyond which the choice would cost too much: 0.05 promised.
BOUND = 0.065


def scores_of(kind, d, k, shift, rng):
    """Return a table of single scores whose interactions have the given shape."""
    shape = (d, k)
    noise = {
        "normal": lambda: rng.normal(size=shape),
        "t3": lambda: rng.standard_t(3, size=shape),
        "skewed": lambda: rng.exponential(size=shape) - 1,
        "tied": lambda: np.round(rng.normal(size=shape)),
        "bounded": lambda: rng.normal(size=shape),
        "unequal": lambda: rng.normal(size=shape) * np.linspace(1, 3, k),
    }[kind]()
    level = 0 if kind in ("tied", "bounded") else 2 * rng.normal(size=(d, 1))
    value = level + noise
    value[:, 0] += shift
    if kind == "bounded":  # a sixth of the scores are on the bound
        value = np.clip(0.85 + 0.15 * value, 0, 1)
    i, j = np.indices(shape).reshape(2, -1)
    frame = pd.DataFrame(
        {"dataset": i.astype(str), "algorithm": [f"a{n}" for n in j], "value": value.ravel()}
    )
    return bi.read_scores(frame, measures="acc:higher")


def rates(kind, d, k, shift, n=TABLES):
    """Return the share of tables with a claim, by what is chosen and by each analysis."""
    rng = np.random.default_rng([d, k, KINDS.index(kind), int(10 * shift)])
    claims = {"chosen": 0, "mixed": 0, "permutation": 0}
    chosen_as = {"mixed": 0, "permutation": 0}
    for _ in range(n):
        scores = scores_of(kind, d, k, shift, rng)
        choice = choose(scores, "acc")
        chosen_as[choice.analysis] += 1
        results = {
            "mixed": bi.compare_mixed(scores),
            "permutation": bi.compare_permutation(scores, resamples=9_999),
        }
        results["chosen"] = (
            chosen(choice, scores, "acc") if choice.options else results[choice.analysis]
        )
        for name, result in results.items():
            decided = np.isin(result.codes, (3, 4))
            first = (result.pairs == 0).any(axis=1) if shift else np.ones(len(decided), bool)
            claims[name] += bool(decided[first].any())
    return {name: count / n for name, count in claims.items()} | {
        f"chosen as {name}": count / n for name, count in chosen_as.items()
    }


@pytest.mark.calibration
@pytest.mark.parametrize(("kind", "size"), CELLS)
def test_choosing_keeps_the_level(kind, size):
    rate = rates(kind, *size, shift=0)
    assert rate["chosen"] <= BOUND + 2.33 * np.sqrt(BOUND * (1 - BOUND) / TABLES)


@pytest.mark.calibration
@pytest.mark.parametrize(("kind", "size"), CELLS)
def test_choosing_has_the_power_of_a_single_analysis(kind, size):
    power = rates(kind, *size, shift=1.0, n=TABLES // 2)
    assert power["chosen"] >= min(power["mixed"], power["permutation"]) - 0.02
