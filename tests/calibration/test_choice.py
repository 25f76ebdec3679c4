"""Error rates and power of `compare`, which chooses an analysis and tests by it: `make calibrate`.

Cells of algorithms whose means are equal, 300 tables each; a claim is false if it is not true of
what it is about: the mean difference of a pair, or the typical one. 40 CPU minutes.
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
from benchinfer.comparison.evidence import PairVerdicts
from benchinfer.core.verdict import Verdict

TABLES, MORE = 300, 1200
TURN = (-1.0, 1.0)
BETTER = (Verdict.FIRST, Verdict.SECOND)


@dataclass(frozen=True)
class Cell:
    """Tables of scores of K algorithms on D data sets, and what is true of them."""

    noise: str
    d: int
    k: int
    # (D, K) scores, or (D, K, R) of R seeds; NaN where there is none.
    draw: Callable[[np.random.Generator, int, int], np.ndarray]
    # Algorithms whose mean, or typical score, is above (1) or below (-1) that of the others.
    means: tuple[float, ...] = ()
    typical: tuple[float, ...] = ()
    domains: int = 0  # declared ones, of as many data sets each
    holds: bool = True  # whether the claims are said to hold as they stand

    def __str__(self):
        return f"{self.noise}, {self.d} x {self.k}"

    @property
    def seed(self):
        return [self.d, self.k, *self.noise.encode()]

    def false(self, choice, found):
        """Return whether any claim is false."""
        typical = choice.analysis == "permutation" or choice.normalise == "ranks"
        truth = self.typical if typical and self.typical else self.means
        sign = (found.codes == BETTER[0]) * 1.0 - (found.codes == BETTER[1])
        pairs = np.array(found.sides, dtype=int)
        true = np.sign(np.subtract(*np.array(truth or (0.0,) * self.k)[pairs.T]))
        return bool((sign != 0)[sign != true].any())


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


def rounded(rng, d, k):
    return np.round(rng.normal(size=(d, k)))


def unequal(rng, d, k):
    return 2 * rng.normal(size=(d, 1)) + rng.normal(size=(d, k)) * np.linspace(1, 3, k)


def erratic(sd):
    return levels(lambda rng, d, k: rng.normal(size=(d, k)) * np.r_[sd, np.ones(k - 1)])


def groups(rng, d, k):
    """Put the first half of the algorithms far above the others."""
    return levels(normal)(rng, d, k) + 4.0 * (np.arange(k) < k // 2)


def collapsing(fall):
    """Let the first algorithm fall on a tenth of the data sets, and be better elsewhere."""

    def drawn(rng, d, k):
        values = 2 * rng.normal(size=(d, 1)) + rng.normal(size=(d, k))
        values[:, 0] += np.where(rng.random(d) < 0.1, -0.9, 0.1) * fall
        return values

    return drawn


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


def without_worst(n):
    """Take the n worst results of the first algorithm, for their data sets."""

    def drawn(rng, d, k):
        values = levels(normal)(rng, d, k)
        own = values[:, 0] - values[:, 1:].mean(axis=1)
        values[np.argsort(own)[:n], 0] = np.nan
        return values

    return drawn


def of_seeds(draw):
    """Add the noise of five seeds of each algorithm's own."""
    return lambda rng, d, k: draw(rng, d, k)[..., None] + rng.normal(size=(d, k, 5))


def of_noisy_seeds(rng, d, k):
    """Add noise whose standard deviation differs by data set and by algorithm."""
    sd = 10 ** rng.uniform(-1, 0.5, (d, 1)) * np.linspace(0.5, 2, k)
    return levels(normal)(rng, d, k)[..., None] + sd[..., None] * rng.normal(size=(d, k, 5))


def one_dataset(*sizes, sd=1.0):
    """Give the algorithms of one data set so many seeds, and the first another deviation."""

    def drawn(rng, d, k):
        values = rng.normal(size=(d, k, max(sizes)))
        values[:, 0] *= sd
        values[:, np.arange(max(sizes)) >= np.array(sizes)[:, None]] = np.nan
        return values

    return drawn


def families(n):
    """Let each algorithm have an effect in each of n families of data sets."""

    def drawn(rng, d, k):
        effects = np.repeat(rng.normal(size=(n, k)), d // n, axis=0)
        return levels(normal)(rng, d, k) * 0.5 + effects

    return drawn


HALF6, COLLAPSE = (1.0, -1.0) * 3, (1.0, *(0.0,) * 5)
UNEQUAL_SEEDS = (3, 3, 10, 10, 30)
SKEW = "half of the algorithms {}, half turned round"
CELLS = [
    *(
        Cell("normal", *size, levels(normal))
        for size in [(3, 4), (4, 4), (5, 4), (6, 4), (12, 2), (12, 5), (12, 6), (20, 4), (20, 15)]
    ),
    *(Cell("normal", *size, levels(normal)) for size in [(30, 2), (30, 10)]),
    Cell("normal, half of the algorithms far better", 12, 6, groups, HALF6[:1] * 3 + (0.0,) * 3),
    *(Cell("normal, sd 1 to 3", *size, unequal) for size in [(5, 4), (12, 6), (20, 4)]),
    Cell("normal, one algorithm with sd 5", 12, 6, erratic(5.0)),
    *(Cell("t, 3 df", *size, t(3)) for size in [(5, 4), (12, 6), (30, 10)]),
    *(Cell("t, 2 df", *size, t(2)) for size in [(12, 2), (20, 5)]),
    *(Cell("exponential", *size, levels(exponential)) for size in [(5, 4), (12, 6), (30, 10)]),
    *(Cell("rounded to whole numbers", *size, rounded) for size in [(5, 4), (12, 6)]),
    *(Cell("a sixth on a bound", *size, bounded) for size in [(5, 4), (12, 5), (12, 6)]),
    *(
        Cell("units over 3 powers of ten", *size, in_units(normal, 3))
        for size in [(5, 4), (12, 2), (12, 5), (30, 6)]
    ),
    Cell("units over 3 powers of ten, t with 2 df", 12, 5, in_units(t(2), 3)),
    Cell("log-normal, over 5 powers of ten", 12, 5, ratios),
    Cell("1 score of 50 missing", 50, 5, with_gaps(levels(normal), 1)),
    Cell("2 scores of 20 missing", 20, 5, with_gaps(levels(normal), 2)),
    Cell("2 scores of 20 missing, of each algorithm", 20, 5, with_gaps(levels(normal), 2, 5)),
    Cell("t, 2 df, 2 scores of 20 missing", 20, 5, with_gaps(t(2), 2)),
    Cell("units, 2 scores of 14 missing", 14, 4, with_gaps(in_units(normal, 3), 2)),
    Cell("the worst 2 of 20 scores missing", 20, 4, without_worst(2)),
    Cell("the worst 5 of 20 scores missing", 20, 4, without_worst(5)),
    Cell("5 seeds", 8, 5, of_seeds(levels(normal))),
    Cell("5 seeds, noise of sd 0.05 to 6", 12, 5, of_noisy_seeds),
    Cell("t, 2 df, 5 seeds", 20, 5, of_seeds(t(2))),
    Cell("5 seeds of one data set", 1, 5, one_dataset(*(5,) * 5)),
    Cell("5 seeds of one data set, one algorithm with sd 5", 1, 5, one_dataset(*(5,) * 5, sd=5)),
    Cell("5 seeds of one data set, one algorithm with sd 5", 1, 8, one_dataset(*(5,) * 8, sd=5)),
    Cell("20 seeds of one data set, one algorithm with sd 5", 1, 5, one_dataset(*(20,) * 5, sd=5)),
    Cell("3, 3, 10, 10, 30 seeds of one data set", 1, 5, one_dataset(*UNEQUAL_SEEDS)),
    Cell("3, 3, 10, 10, 30 seeds, the first with sd 5", 1, 5, one_dataset(*UNEQUAL_SEEDS, sd=5)),
    Cell("3 families declared, which are alike", 12, 5, levels(normal), domains=3),
    Cell("6 families declared, which differ", 24, 5, families(6), domains=6),
    Cell("8 families declared, which differ", 24, 5, families(8), domains=8),
    Cell("3 families not declared, which differ", 12, 5, families(3), holds=False),
    *(
        Cell(SKEW.format("exponential"), d, 6, turned(exponential), (), HALF6, 0, d >= 30)
        for d in (12, 30, 60)
    ),
    *(
        Cell(SKEW.format("log-normal"), d, 6, turned(lognormal), (), HALF6, 0, d >= 30)
        for d in (12, 30)
    ),
    *(
        Cell(f"one falls by {fall} on a tenth", d, 6, collapsing(fall), (), COLLAPSE, 0, d >= 30)
        for fall in (5, 30)
        for d in (12, 30)
    ),
]


def read(values, domains=0):
    """Return (D, K) scores, or (D, K, R) ones of seeds of each algorithm's own, as a table."""
    d, k, *r = np.nonzero(np.isfinite(values))
    frame = pd.DataFrame({"dataset": d.astype(str), "algorithm": k.astype(str)})
    frame["score"] = values[d, k, *r]
    columns, arguments = {}, {}
    if r:
        frame["seed"] = r[0] + 1000 * k
        columns["seed"], arguments["resampling"] = "replication", "seeds"
    if domains:
        frame["family"] = (d * domains // len(values)).astype(str)
        columns["family"] = "domain"
    if columns:
        arguments["columns"] = columns
    return bi.read_scores(frame, measures="score:higher", **arguments)


def verdicts(values, domains=0):
    """Return the choice of `compare` for a table of scores, and its verdicts."""
    scores = read(values, domains)
    choice = choose(scores, "score")
    if np.isnan(values).any() or choice.analysis not in ("mixed", "permutation"):
        result = chosen(choice, scores, "score")
        return choice, PairVerdicts(result._heading, result.pairs.sides, result.pairs.codes)
    # Nothing is missing that might turn them.
    module = import_module(ANALYSES[choice.analysis])
    return choice, module.verdicts(choice.applied(scores, "score"), "score", **choice.options)


def name(choice):
    """Return the analysis that was chosen, in few words."""
    of = {"": "", "domains": ", domains", "within domains": ", these domains"}
    target = ", these data sets" if choice.options.get("target") == "datasets" else ""
    gaps = ", shared" if choice.options.get("missing") == "shared" else ""
    scale = choice.normalise or choice.scale
    return (
        choice.analysis
        + (f" of {scale}" if scale else "")
        + gaps
        + target
        + of.get(choice.units, "")
    )


def rates(cell, tables=TABLES, *, others=False):
    """Return the share of tables with a false claim, and how often each analysis was chosen."""
    rng, wrong, by = np.random.default_rng([*cell.seed, *[1] * others]), 0, Counter()
    for _ in range(tables):
        choice, found = verdicts(cell.draw(rng, cell.d, cell.k), cell.domains)
        wrong += cell.false(choice, found)
        by[name(choice)] += 1
    return wrong / tables, {key: n / tables for key, n in by.most_common()}


@pytest.mark.calibration
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_choosing_keeps_the_level(cell, record_property):
    bound, tables = 0.05 if cell.holds else 0.7, TABLES
    rate, by = rates(cell)
    if rate > limit(bound, tables):  # as by chance in a cell of forty: other tables decide
        tables = MORE
        rate, by = rates(cell, tables, others=True)
    record_property(str(cell), [rate, by])
    shares = ", ".join(by) if len(by) == 1 else ", ".join(f"{k} {n:.3f}" for k, n in by.items())
    print(f"| {cell.noise} | {cell.d} x {cell.k} | {shares} | {rate:.3f} |")  # noqa: T201 (for the docs)
    assert rate <= limit(bound, tables)


def limit(share, tables):
    return share + 2 * np.sqrt(share * (1 - share) / tables)


def holm(p):
    """Return Holm's adjusted p-values."""
    order = np.argsort(p)
    steps = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1)
    return adjusted


def stepped(draw, step):
    """Let levels rise evenly, up to `step` in all."""
    return lambda rng, d, k: draw(rng, d, k) + np.linspace(0, step, k)


def under_ceiling(rng, d, k):
    return np.minimum(0.85 + 0.1 * (normal(rng, d, k) + np.linspace(0, 2, k)), 1)


def in_steps(rng, d, k):
    """Return scores of a unit of each data set's own, with steps in it."""
    return 10 ** rng.uniform(0, 4, (d, 1)) * stepped(levels(normal), 2.0)(rng, d, k)


POWER = [
    Cell("normal", 12, 2, stepped(levels(normal), 1.0)),
    Cell("normal", 12, 5, stepped(levels(normal), 2.0)),
    Cell("normal", 20, 15, stepped(levels(normal), 2.0)),
    Cell("normal, sd 1 to 3", 12, 6, stepped(unequal, 3.0)),
    Cell("t, 3 df", 30, 6, stepped(t(3), 1.5)),
    Cell("t, 2 df", 20, 5, stepped(t(2), 3.0)),
    Cell("exponential", 12, 6, stepped(levels(exponential), 1.5)),
    Cell("a third at the ceiling", 12, 5, under_ceiling),
    Cell("units over 4 powers of ten", 20, 5, in_steps),
    Cell("2 scores of 20 missing", 20, 5, with_gaps(stepped(levels(normal), 1.5), 2)),
    Cell("5 seeds", 8, 5, of_seeds(stepped(levels(normal), 2.5))),
    Cell("5 seeds of one data set", 1, 5, of_seeds(stepped(levels(normal), 4.0))),
]


def power(cell, tables=TABLES):
    """Return shares of pairs that are decided: by `compare`, t and Wilcoxon with Holm, Tukey."""
    rng, found = np.random.default_rng(cell.seed), Counter()
    for _ in range(tables):
        values = cell.draw(rng, cell.d, cell.k)
        found["compare"] += decided(verdicts(values)[1])
        found["t, Holm"] += (holm(pairwise(values, student)) <= 0.05).mean()
        if cell.d > 1:
            found["Wilcoxon, Holm"] += (holm(pairwise(values, wilcoxon)) <= 0.05).mean()
        found["Tukey"] += decided(
            bi.compare_mixed(read(values), structure="common", adjust="single-step", missing="use")
        )
    return {key: float(n / tables) for key, n in found.items()}


def decided(result):
    return np.isin(result.pairs.codes, BETTER).mean()


def pairwise(values, test):
    """Return a test's p-values of all pairs, on means over seeds, or on seeds of one data set."""
    scores = values if values.ndim == 2 else np.nanmean(values, axis=2)
    scores = values[0].T if len(values) == 1 else scores
    pairs = zip(*np.triu_indices(scores.shape[1], 1), strict=True)
    return np.array([test(scores[:, i], scores[:, j], len(values)) for i, j in pairs])


def student(x, y, d):
    shared = np.isfinite(x) & np.isfinite(y)
    if d == 1:  # Welch's
        return stats.ttest_ind(x, y, equal_var=False).pvalue
    return np.nan_to_num(stats.ttest_rel(x[shared], y[shared]).pvalue, nan=1.0)


def wilcoxon(x, y, _):
    differences = (x - y)[np.isfinite(x) & np.isfinite(y)]
    return stats.wilcoxon(differences).pvalue if differences.any() else 1.0


@pytest.mark.calibration
@pytest.mark.parametrize("cell", POWER, ids=str)
def test_choosing_has_the_power_of_the_usual_tests(cell, record_property):
    shares = power(cell)
    record_property(f"power: {cell}", shares)
    columns = ("compare", "t, Holm", "Wilcoxon, Holm", "Tukey")
    row = " | ".join(f"{shares[key]:.3f}" if key in shares else "" for key in columns)
    print(f"| {cell.noise} | {cell.d} x {cell.k} | {row} |")  # noqa: T201 (for the docs)
    assert shares["compare"] >= max(shares["t, Holm"], shares.get("Wilcoxon, Holm", 0)) - 0.02
