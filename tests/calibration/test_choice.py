"""Error rates and power of choosing an analysis and then testing by it: `make calibrate`.

Cells of equal algorithms, 400 tables each; a claim is false if it is not true of what it is about:
the mean difference of a pair, or the typical one. 20 CPU minutes.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import benchinfer as bi
from benchinfer.analyses import ANALYSES
from benchinfer.analyses.choice.choice import choose
from benchinfer.analyses.choice.compare import chosen
from benchinfer.core.verdict import Verdict

TABLES = 400
TURN = (-1.0, 1.0)


@dataclass(frozen=True)
class Cell:
    """Equal algorithms: how D x K scores are drawn, and what is true of typical differences."""

    d: int
    k: int
    draw: Callable[[np.random.Generator, int, int], np.ndarray]
    # Algorithms whose typical score is above (1) or below (-1) that of the others.
    typical: tuple[float, ...] = ()
    holds: bool = True  # whether the claims are said to hold

    @property
    def name(self) -> str:
        return f"{self.d} x {self.k}"


def normal(rng, d, k):
    return rng.normal(size=(d, k))


def levels(draw):
    return lambda rng, d, k: 2 * rng.normal(size=(d, 1)) + draw(rng, d, k)


def t(df):
    return levels(lambda rng, d, k: rng.standard_t(df, size=(d, k)))


def exponential(rng, d, k):
    return rng.exponential(size=(d, k)) - 1


def lognormal(rng, d, k):
    return np.exp(rng.normal(size=(d, k))) - np.exp(0.5)


def turned(draw):
    """Turn every second algorithm round: means are equal, and typical scores are not."""
    return levels(lambda rng, d, k: draw(rng, d, k) * np.resize(TURN, k))


def bounded(rng, d, k):
    """Put a sixth of the scores on the bound."""
    return np.clip(0.85 + 0.15 * rng.normal(size=(d, k)), 0, 1)


def unequal(rng, d, k):
    return 2 * rng.normal(size=(d, 1)) + rng.normal(size=(d, k)) * np.linspace(1, 3, k)


def erratic(sd):
    return levels(lambda rng, d, k: rng.normal(size=(d, k)) * np.r_[sd, np.ones(k - 1)])


def collapsing(rng, d, k):
    """The first algorithm falls by 5 on a tenth of the data sets, and is better elsewhere."""
    values = 2 * rng.normal(size=(d, 1)) + rng.normal(size=(d, k))
    values[:, 0] += np.where(rng.random(d) < 0.1, -4.5, 0.5)
    return values


def in_units(draw, decades):
    """Give each data set a unit of its own, over so many powers of ten."""
    return lambda rng, d, k: 10 ** rng.uniform(0, decades, (d, 1)) * levels(draw)(rng, d, k)


def ratios(rng, d, k):
    return 10 ** rng.uniform(0, 5, (d, 1)) * np.exp(0.2 * rng.normal(size=(d, k)))


def with_gaps(draw, n, algorithms=1):
    """Take n scores from each of so many algorithms."""

    def drawn(rng, d, k):
        values = draw(rng, d, k)
        for j in range(algorithms):
            values[rng.choice(d, n, replace=False), j] = np.nan
        return values

    return drawn


HALF6 = (1.0, -1.0) * 3
CELLS = {
    "normal": [Cell(*size, levels(normal)) for size in [(5, 4), (12, 6), (20, 4), (30, 10)]],
    "normal, algorithms' sd 1 to 3": [Cell(*size, unequal) for size in [(5, 4), (12, 6), (20, 4)]],
    "t, 3 df": [Cell(*size, t(3)) for size in [(5, 4), (12, 6), (30, 10)]],
    "t, 2 df": [Cell(20, 5, t(2))],
    "exponential, all alike": [
        Cell(*size, levels(exponential)) for size in [(5, 4), (12, 6), (30, 10)]
    ],
    "rounded to whole numbers": [
        Cell(*size, lambda rng, d, k: np.round(normal(rng, d, k))) for size in [(5, 4), (12, 6)]
    ],
    "a sixth on a bound": [Cell(*size, bounded) for size in [(5, 4), (12, 6)]],
    "one algorithm, sd 5": [Cell(12, 6, erratic(5.0))],
    "units over 4 powers of ten": [
        Cell(*size, in_units(normal, 4)) for size in [(5, 4), (12, 2), (12, 5), (30, 6)]
    ],
    "units over 4 powers of ten, t with 2 df": [
        Cell(12, 5, in_units(lambda rng, d, k: rng.standard_t(2, size=(d, k)), 4))
    ],
    "ratios, over 5 powers of ten": [Cell(12, 5, ratios)],
    "2 scores of an algorithm missing": [
        Cell(14, 4, with_gaps(levels(normal), 2)),
        Cell(30, 6, with_gaps(levels(normal), 2)),
    ],
    "t with 2 df, 2 scores of an algorithm missing": [Cell(14, 4, with_gaps(t(2), 2))],
    "2 scores of each algorithm missing": [Cell(20, 5, with_gaps(levels(normal), 2, 5))],
    "units, 2 scores of an algorithm missing": [Cell(14, 4, with_gaps(in_units(normal, 4), 2))],
    "skew: half exponential, half turned round": [
        Cell(12, 6, turned(exponential), HALF6, holds=False),
        Cell(30, 6, turned(exponential), HALF6),
        Cell(60, 6, turned(exponential), HALF6),
    ],
    "skew: half log-normal, half turned round": [
        Cell(12, 6, turned(lognormal), HALF6, holds=False),
        Cell(30, 6, turned(lognormal), HALF6),
    ],
    "one collapses on a tenth": [
        Cell(12, 6, collapsing, (1.0, *(0.0,) * 5), holds=False),
        Cell(30, 6, collapsing, (1.0, *(0.0,) * 5)),
    ],
}


def read(values):
    """Return (D, K) scores as a table."""
    d, k = np.nonzero(np.isfinite(values))
    frame = pd.DataFrame({"dataset": d.astype(str), "algorithm": k.astype(str)})
    frame["score"] = values[d, k]
    return bi.read_scores(frame, measures="score:higher")


def verdicts(values):
    """Return the choice, and the (P, 2) pairs with their codes."""
    scores = read(values)
    choice = choose(scores, "score")
    if np.isnan(values).any() or choice.analysis not in ("mixed", "permutation"):
        result = chosen(choice, scores, "score")
        return choice, result.named_sides(), result.codes
    module = import_module(ANALYSES[choice.analysis])
    found = module.verdicts(choice.applied(scores, "score"), "score", **choice.options)
    return choice, found.sides, found.codes


def false(cell, choice, sides, codes):
    """Return whether any claim is false."""
    pairs = np.array(sides, dtype=int)
    sign = (codes == Verdict.FIRST) * 1.0 - (codes == Verdict.SECOND)
    of_means = choice.analysis == "mixed" and choice.normalise != "ranks"
    if of_means or not cell.typical:
        return bool(sign.any())
    true = np.sign(np.subtract(*np.array(cell.typical)[pairs.T]))
    return bool((sign != 0)[sign != true].any())


def rates(cell, tables=TABLES):
    """Return the share of tables with a false claim, and how often each analysis was chosen."""
    rng = np.random.default_rng([cell.d, cell.k, int(cell.holds)])
    wrong, by = 0, Counter()
    for _ in range(tables):
        choice, sides, codes = verdicts(cell.draw(rng, cell.d, cell.k))
        wrong += false(cell, choice, sides, codes)
        by[f"{choice.analysis}{choice.of_scores}"] += 1
    return wrong / tables, {name: n / tables for name, n in by.items()}


EVERY = [
    pytest.param(name, cell, id=f"{name}, {cell.name}") for name in CELLS for cell in CELLS[name]
]


@pytest.mark.calibration
@pytest.mark.parametrize(("name", "cell"), EVERY)
def test_choosing_keeps_the_level(name, cell):
    rate, _ = rates(cell)
    bound = 0.05 if cell.holds else 0.4
    assert rate <= bound + 2 * np.sqrt(bound * (1 - bound) / TABLES)


def erratic_seeds(rng, k, seeds):
    """Return scores of one data set with an erratic algorithm, each with seeds of its own."""
    values = rng.normal(size=(k, seeds)) * np.r_[5, np.ones(k - 1)][:, None]
    k, r = np.indices(values.shape).reshape(2, -1)
    frame = pd.DataFrame(
        {"dataset": "d", "algorithm": k.astype(str), "seed": r + 100 * k, "score": values[k, r]}
    )
    return bi.read_scores(
        frame, measures="score:higher", columns={"seed": "replication"}, resampling="seeds"
    )


@pytest.mark.calibration
@pytest.mark.parametrize(("k", "seeds"), [(5, 5), (8, 5), (5, 20)])
def test_an_erratic_algorithm_on_one_data_set_keeps_the_level(k, seeds):
    rng, wrong = np.random.default_rng([k, seeds]), 0
    for _ in range(TABLES):
        scores = erratic_seeds(rng, k, seeds)
        codes = chosen(choose(scores, "score"), scores, "score").codes
        wrong += bool((codes != Verdict.UNDECIDED).any())
    assert wrong / TABLES <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / TABLES)


def holm(p):
    """Return Holm's adjusted p-values."""
    order = np.argsort(p)
    steps = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1)
    return adjusted


POWER = {
    "normal, 12 x 5": (12, 5, 2.0, levels(normal)),
    "t, 2 df, 20 x 5": (20, 5, 3.0, t(2)),
    "ceiling, 12 x 5": (12, 5, 2.0, None),
    "sd 1 to 3, 12 x 6": (12, 6, 3.0, unequal),
    "exponential, 12 x 6": (12, 6, 1.5, levels(exponential)),
    "t, 3 df, 30 x 6": (30, 6, 1.5, t(3)),
    "units over 4 powers of ten, 20 x 5": (20, 5, 2.0, in_units(normal, 4)),
}


def ladder(rng, d, k, step, draw):
    """Return scores of algorithms that get better by equal steps, up to `step` in all."""
    better = np.linspace(0, step, k)
    if draw is None:
        return np.minimum(0.85 + 0.1 * (normal(rng, d, k) + better), 1)
    if draw is POWER["units over 4 powers of ten, 20 x 5"][3]:
        return 10 ** rng.uniform(0, 4, (d, 1)) * (levels(normal)(rng, d, k) + better)
    return draw(rng, d, k) + better


def power(d, k, step, draw, tables=200):
    """Return the shares of decided pairs: by the choice, t and Wilcoxon with Holm, and Tukey."""
    rng, (i, j) = np.random.default_rng([d, k, int(10 * step)]), np.triu_indices(k, 1)
    limit = stats.studentized_range.ppf(0.95, k, (d - 1) * (k - 1))
    shares = {"choice": 0.0, "t, Holm": 0.0, "Wilcoxon, Holm": 0.0, "Tukey": 0.0}
    for _ in range(tables):
        values = ladder(rng, d, k, step, draw)
        shares["choice"] += np.isin(verdicts(values)[2], (Verdict.FIRST, Verdict.SECOND)).mean()
        differences = values[:, i] - values[:, j]
        own = np.nan_to_num(stats.ttest_1samp(differences, 0).pvalue, nan=1.0)
        ranks = [stats.wilcoxon(x).pvalue if x.any() else 1.0 for x in differences.T]
        left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
        df = (d - 1) * (k - 1)
        error = np.sqrt((left**2).sum() / df / d)
        shares["t, Holm"] += (holm(own) <= 0.05).mean()
        shares["Wilcoxon, Holm"] += (holm(np.array(ranks)) <= 0.05).mean()
        shares["Tukey"] += (np.abs(differences.mean(axis=0)) > limit * error).mean()
    return {name: float(share / tables) for name, share in shares.items()}


@pytest.mark.calibration
@pytest.mark.parametrize("name", POWER)
def test_choosing_has_the_power_of_the_usual_tests(name):
    shares = power(*POWER[name])
    assert shares["choice"] >= max(shares["t, Holm"], shares["Wilcoxon, Holm"]) - 0.02
