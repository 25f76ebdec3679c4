"""All pairs of algorithms by ten procedures on the same simulated tables: errors and power.

Run as ``python benchmarks/procedures.py [TABLES]``: so many tables per cell (100), half as
many of six and ten algorithms. Every table is looked at without any difference, with two groups of
algorithms far apart, and with levels on a ladder.

The choices of autorank and evalstats are repeated here as they stand in their sources, to save
hours; the packages themselves come from PyPI into an environment that is thrown away, and judge
the first tables of each cell, too: the last lines count on how many of these they agree.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import batched
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr, ndtri, stdtr

import benchinfer as bi
from benchinfer.numerics import closed_testing, rotations, signs

type Array = NDArray[np.float64]
type Decided = dict[str, NDArray[np.bool_]]

ALPHA = 0.05
# Levels of groups so far apart that all pairs across are decided, and of the ends of the ladder in
# standard errors of a difference.
FAR, ENDS = 1e6, 6.0
# Standard deviation of data sets; that of an algorithm's effect on a data set is about 1.
DATASETS = 2.0
# Correlation of two near-duplicates among algorithms of unequal variances.
NEAR = 0.98
# Share of scores at the ceiling.
CEILING = 0.28
NOISES = ("normal", "t3", "rows", "exponential", "ceiling")
DESIGNS = ((5, 4), (8, 4), (12, 4), (20, 4), (5, 6), (12, 6), (12, 10))
TRUTHS = ("none", "groups", "ladder")
# Random directions: each table has its own, as so few of one seed err by a hundredth at the level.
DIRECTIONS = 999
# Tables that are simulated at once.
BATCH = 125
# Tables of each cell and truth that the packages themselves judge.
JUDGED = 1
WORDS = {
    "normal": "normal",
    "t3": "t, 3 df",
    "rows": "data sets unequal",
    "exponential": "exponential",
    "ceiling": "ceiling",
}
DEFAULT = "compare_mixed"


@dataclass(frozen=True, slots=True)
class Cell:
    """D data sets and K algorithms; whether their variances are unequal, and the kind of noise."""

    d: int
    k: int
    unequal: bool
    noise: str

    def __str__(self) -> str:
        return ", ".join(words(self))

    @property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first and second algorithms of all pairs."""
        first, second = np.triu_indices(self.k, 1)
        return first, second

    @property
    def within(self) -> NDArray[np.bool_]:
        """Which pairs are alike where there are two groups."""
        group = np.arange(self.k) >= (self.k + 1) // 2
        first, second = self.pairs
        return group[first] == group[second]

    @property
    def fair(self) -> bool:
        """Whether the differences of algorithms that are equal are at most a little skew."""
        return not (self.unequal and self.noise == "exponential")


CELLS = [Cell(d, k, u, noise) for d, k in DESIGNS for u in (False, True) for noise in NOISES]


def effects(rng: np.random.Generator, cell: Cell, n: int) -> tuple[Array, Array]:
    """Return (n, D, K) effects of equal means, and (n, K) standard deviations of algorithms."""
    shape = (n, cell.d, cell.k)
    draw: dict[str, Callable[[], Array]] = {
        "t3": lambda: rng.standard_t(3, shape) / np.sqrt(3),
        "exponential": lambda: rng.exponential(size=shape) - 1,
        "rows": lambda: rng.standard_normal(shape) * np.exp(0.7 * rng.normal(size=(n, cell.d, 1))),
    }
    effect = draw.get(cell.noise, lambda: rng.standard_normal(shape))()
    if not cell.unequal:
        return effect, np.ones((n, cell.k))
    spread = np.exp(0.5 * rng.normal(size=(n, cell.k)))
    spread[:, 1] = spread[:, 0]
    effect[..., 1] = NEAR * effect[..., 0] + np.sqrt(1 - NEAR**2) * effect[..., 1]
    return effect * spread[:, None], spread


def simulated(rng: np.random.Generator, cell: Cell, n: int) -> dict[str, Array]:
    """Return (n, D, K) scores for each truth.

    Scores at a ceiling, 0, are cut after the levels of the ladder are added, and before those of
    the groups: each group has its own.
    """
    effect, spread = effects(rng, cell, n)
    scores = effect + DATASETS * rng.standard_normal((n, cell.d, 1))
    size = np.sqrt((spread**2).mean(axis=1))
    steps = np.linspace(0.5, -0.5, cell.k) * ENDS * np.sqrt(2 / cell.d)
    ladder = scores + size[:, None, None] * steps
    if cell.noise == "ceiling":
        level = under_ceiling(np.sqrt(DATASETS**2 + spread**2))[:, None]
        scores, ladder = np.minimum(scores + level, 0.0), np.minimum(ladder + level, 0.0)
    apart = FAR * (np.arange(cell.k) >= (cell.k + 1) // 2)
    return {"none": scores, "groups": scores + apart, "ladder": ladder}


def under_ceiling(sd: Array) -> Array:
    """Return (n, K) latent levels with one mean of the cut scores, `CEILING` of these cut."""
    level = np.sqrt((sd**2).mean(axis=1, keepdims=True)) * ndtri(CEILING)

    def mean(at: Array, spread: Array) -> Array:
        z = at / spread
        return at * ndtr(-z) - spread * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)

    goal = mean(level, np.sqrt((sd**2).mean(axis=1, keepdims=True)))
    at = np.broadcast_to(level, sd.shape).copy()
    for _ in range(50):  # Newton's steps: the slope is the share below the ceiling
        at -= (mean(at, sd) - goal) / ndtr(-at / sd)
    return at


# --- what others do, of n tables at once -------------------------------------------------------


def stepped(p: Array, divisors: NDArray[np.int64]) -> Array:
    """Adjust rows of p-values step by step."""
    order = p.argsort(axis=-1)
    grown = np.maximum.accumulate(np.take_along_axis(p, order, -1) * divisors, axis=-1)
    result = np.empty_like(p)
    np.put_along_axis(result, order, grown, -1)
    return result


def of_holm(m: int) -> NDArray[np.int64]:
    """Return how many of m hypotheses are left."""
    return np.arange(m, 0, -1)


def of_shaffer(m: int, k: int) -> NDArray[np.int64]:
    """Return how many pairs of k algorithms can be equal at most, of those that are left."""
    sizes = np.arange(1, k + 1)
    possible = sizes * (sizes - 1) // 2
    return np.array([max(possible[possible <= left].max(), 1) for left in of_holm(m)])


def paired_t(x: Array, cell: Cell) -> Array:
    """Return (n, P) p-values of paired t tests, 1 where a difference does not vary."""
    first, second = cell.pairs
    differences = x[..., first] - x[..., second]
    error = differences.std(axis=1, ddof=1) / np.sqrt(cell.d)
    size = np.divide(
        np.abs(differences.mean(axis=1)), error, out=np.zeros_like(error), where=error > 0
    )
    return 2 * stdtr(cell.d - 1, -size)


def signed_ranks(x: Array, cell: Cell) -> tuple[Array, Array]:
    """Return (D, n, P) signed ranks of differences, and (n, P) exact p-values."""
    first, second = cell.pairs
    differences = (x[..., first] - x[..., second]).transpose(1, 0, 2)
    columns = signs.signed_ranks(differences.reshape(cell.d, -1), 1e-12)
    p = signs.sign_tests(columns, two_sided=np.ones(columns.shape[1], np.bool_), null="exact")
    return columns.reshape(differences.shape), p.p_value.reshape(differences.shape[1:])


def tukey(mean: Array, error: Array, cell: Cell, df: int) -> NDArray[np.bool_]:
    """Return (n, P) decisions by one standard error of means."""
    first, second = cell.pairs
    return np.abs(mean[:, first] - mean[:, second]) > critical(cell.k, df) * error[:, None]


@cache
def critical(k: int, df: int) -> float:
    """Return the critical value of the studentised range."""
    return float(stats.studentized_range.ppf(1 - ALPHA, k, df))


def common(x: Array, cell: Cell) -> tuple[NDArray[np.bool_], Array]:
    """Return Tukey's decisions with the residual variance, and p-values of the two-way F test."""
    d, k = cell.d, cell.k
    mean = x.mean(axis=1)
    residual = (
        x - mean[:, None] - x.mean(axis=2, keepdims=True) + x.mean(axis=(1, 2))[:, None, None]
    )
    df = (d - 1) * (k - 1)
    square = (residual**2).sum(axis=(1, 2)) / df
    f = d * mean.var(axis=1, ddof=1) / square
    return tukey(mean, np.sqrt(square / d), cell, df), stats.f.sf(f, k - 1, df)


def nemenyi(x: Array, cell: Cell) -> tuple[NDArray[np.bool_], Array]:
    """Return Nemenyi's decisions, and p-values of Friedman's test, corrected for ties."""
    d, k = cell.d, cell.k
    ranks = stats.rankdata(x, axis=2)
    mean = ranks.mean(axis=1)
    spread = ((ranks - (k + 1) / 2) ** 2).sum(axis=(1, 2)) / (d * (k - 1))
    between = d * ((mean - (k + 1) / 2) ** 2).sum(axis=1)
    p = stats.chi2.sf(np.divide(between, spread, out=np.zeros(len(x)), where=spread > 0), k - 1)
    error = np.full(len(x), np.sqrt(k * (k + 1) / (12 * d)))
    return tukey(mean, error, cell, np.iinfo(np.int64).max), p


def by_autorank(x: Array, cell: Cell) -> NDArray[np.bool_]:
    """Return autorank's decisions.

    Shapiro and Wilk's test of each column at alpha / K and, if none rejects, Bartlett's test at
    alpha choose between repeated-measures analysis of variance with Tukey's test, whose error is
    that of independent samples, and Friedman's test with Nemenyi's.
    """
    with np.errstate(all="ignore"):
        normal = (stats.shapiro(x, axis=1).pvalue >= ALPHA / cell.k).all(axis=1)
        alike = stats.bartlett(*np.moveaxis(x, 2, 0), axis=1).pvalue >= ALPHA
    error = np.sqrt(x.var(axis=1, ddof=1).mean(axis=1) / cell.d)
    by_means = tukey(x.mean(axis=1), error, cell, cell.k * (cell.d - 1))
    by_ranks, friedman = nemenyi(x, cell)
    by_means &= (common(x, cell)[1] < ALPHA)[:, None]
    by_ranks &= (friedman < ALPHA)[:, None]
    return np.where((normal & alike)[:, None], by_means, by_ranks)


def others(x: Array, cell: Cell) -> Decided:
    """Return (n, P) decisions of the procedures of others."""
    t, ranked = paired_t(x, cell), signed_ranks(x, cell)[1]
    m = t.shape[1]
    return {
        "paired t, Holm": stepped(t, of_holm(m)) <= ALPHA,
        "Wilcoxon, Holm": stepped(ranked, of_holm(m)) <= ALPHA,
        "Nemenyi": nemenyi(x, cell)[0],
        "common Tukey": common(x, cell)[0],
        "autorank": by_autorank(x, cell),
        # Sidak's t intervals decide; below 30 data sets the p-values beside them are these.
        "evalstats, bands": t < -np.expm1(np.log1p(-ALPHA) / m),
        "evalstats, p": stepped(ranked, of_shaffer(m, cell.k)) < ALPHA,
    }


# --- what benchinfer does, table by table ------------------------------------------------------


def ours(x: Array, cell: Cell, asked: NDArray[np.bool_], seeds: NDArray[np.int64]) -> Decided:
    """Return (n, P) decisions by default, and of the closed test by flips where there is one."""
    found = {DEFAULT: by_mixed(x, cell, asked, seeds)}
    if cell.k <= rotations.MOST_ALGORITHMS:
        found["by flips"] = by_flips(x, cell, seeds)
    return found | {"compare_permutation": by_permutation(x, cell, asked, seeds)}


def by_mixed(
    x: Array, cell: Cell, asked: NDArray[np.bool_], seeds: NDArray[np.int64] | None = None
) -> NDArray[np.bool_]:
    """Return decisions of `compare_mixed`.

    An adjusted p-value is never below the pair's own, and Bergmann and Hommel's test of all pairs
    that are alike is Bonferroni's: where that decides none of those asked for, nothing is adjusted.
    """
    t = paired_t(x, cell)
    by_sets = cell.k > rotations.MOST_ALGORITHMS
    decided = np.zeros(t.shape, np.bool_)
    for i in np.flatnonzero(t[:, asked].min(axis=1) <= ALPHA / (asked.sum() if by_sets else 1)):
        decided[i] = of_means(x[i], t[i], **drawn(seeds, i)) <= ALPHA
    return decided


def by_flips(x: Array, cell: Cell, seeds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return decisions of `compare_mixed` by sign flips, none where these can decide nothing."""
    t = paired_t(x, cell)
    decided = np.zeros(t.shape, np.bool_)
    if 2.0 ** (1 - cell.d) <= ALPHA:
        for i, table in enumerate(x):
            p = of_means(table, t[i], reference="flips", **drawn(seeds, i))
            decided[i] = p <= ALPHA
    return decided


def by_permutation(
    x: Array, cell: Cell, asked: NDArray[np.bool_], seeds: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return decisions of `compare_permutation`."""
    terms, p = signed_ranks(x, cell)
    decided = np.zeros(p.shape, np.bool_)
    for i in np.flatnonzero(p[:, asked].min(axis=1) <= ALPHA):
        decided[i] = of_ranks(terms[:, i], p[i], **drawn(seeds, i)) <= ALPHA
    return decided


def drawn(seeds: NDArray[np.int64] | None, i: int) -> dict[str, int]:
    """Return how directions are drawn of a table; Bergmann and Hommel's steps need none."""
    return {} if seeds is None else {"directions": DIRECTIONS, "seed": int(seeds[i])}


def of_means(table: Array, alone: Array, **how: Any) -> Array:
    """Return adjusted p-values of `compare_mixed`."""
    k = table.shape[1]
    if k > rotations.MOST_ALGORITHMS:
        return closed_testing.bergmann_hommel(alone, k)
    first, second = np.triu_indices(k, 1)
    silent = np.ptp(table[:, first] - table[:, second], axis=0) == 0
    return rotations.closed_pairs(table, alone, ALPHA, silent=silent, **how).p_value


def of_ranks(terms: Array, alone: Array, **how: Any) -> Array:
    """Return adjusted p-values of `compare_permutation`."""
    k = round((1 + np.sqrt(1 + 8 * len(alone))) / 2)
    if k > rotations.MOST_ALGORITHMS:
        p, _ = rotations.step_down_flips(terms, two_sided=True, alpha=ALPHA, **how)
        return np.maximum(p, alone)
    silent = np.zeros(len(alone), np.bool_)
    return rotations.closed_flips(terms, alone, k, ALPHA, silent=silent, **how).p_value


def check_ours(x: Array, cell: Cell) -> None:
    """Refuse to go on if the public functions say otherwise of a (D, K) table."""
    m, k = np.indices(x.shape)
    rows = {"dataset": m.ravel(), "algorithm": k.ravel(), "score": x.ravel()}
    frame = pd.DataFrame(rows).astype({"dataset": str, "algorithm": str})
    scores = bi.read_scores(frame, measures={"score": "higher"})
    terms, ranked = signed_ranks(x[None], cell)
    known = (
        (bi.compare_mixed(scores), of_means(x, paired_t(x[None], cell)[0])),
        (bi.compare_permutation(scores, seed=1), of_ranks(terms[:, 0], ranked[0])),
    )
    for found, p in known:
        np.testing.assert_allclose(found.contrasts(all=True)["p_value"], p, atol=0.02)


# --- the packages themselves -------------------------------------------------------------------

PEERS = ("autorank", "evalstats")
JUDGE = """
import json, sys, warnings
from importlib.metadata import version
import matplotlib
matplotlib.use("Agg")
warnings.simplefilter("ignore")
import numpy as np, pandas as pd
import evalstats
from autorank import autorank
from evalstats.core.report import band_criterion, pair_significant

def of_autorank(x):
    names = [f"a{i:02}" for i in range(x.shape[1])]
    found = autorank(pd.DataFrame(x, columns=names))
    rows = found.rankdf.loc[names]
    first, second = np.triu_indices(len(names), 1)
    if found.pvalue >= 0.05:
        return [False] * len(first)
    if found.posthoc == "tukeyhsd":
        low, high = (rows[c].to_numpy(float) for c in ("ci_lower", "ci_upper"))
        return ((low[first] > high[second]) | (low[second] > high[first])).tolist()
    rank = rows["meanrank"].to_numpy()
    return (np.abs(rank[first] - rank[second]) > found.cd).tolist()

def of_evalstats(x):
    d, k = x.shape
    scores = evalstats.BenchmarkResult(
        scores=x.T.reshape(k, d, 1, 1),
        template_labels=[f"a{i:02}" for i in range(k)],
        input_labels=[f"d{i:02}" for i in range(d)],
    )
    pairs = evalstats.analyze(scores, p_values=True, omnibus=True, ci_style="line").pairwise
    criterion = band_criterion(pairs)
    found = [pairs.get(f"a{i:02}", f"a{j:02}") for i in range(k) for j in range(i + 1, k)]
    bands = [bool(pair_significant(one, criterion=criterion, alpha=0.05)) for one in found]
    return bands, [bool(one.p_value < 0.05) for one in found]

tables = np.load(sys.argv[1])
said = {}
for name in tables.files:
    rows = [(of_autorank(x), *of_evalstats(x)) for x in tables[name]]
    said[name] = dict(zip(("autorank", "evalstats, bands", "evalstats, p"), zip(*rows)))
print(json.dumps([{name: version(name) for name in ("autorank", "evalstats")}, said]))
"""


def judged(tables: dict[str, Array]) -> tuple[dict[str, str], dict[str, dict[str, object]]] | None:
    """Return the versions and decisions of the packages themselves, None where there are none."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = folder / "venv" / "bin" / "python"
        np.savez(folder / "tables.npz", **tables)
        try:
            subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", *PEERS], check=True)
            done = subprocess.run(
                [python, "-c", JUDGE, str(folder / "tables.npz")],
                check=True,
                stdout=subprocess.PIPE,
                env=os.environ | {"OMP_NUM_THREADS": "1"},
            )
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"autorank and evalstats themselves could not be run: {error}")
            return None
    versions, said = json.loads(done.stdout.splitlines()[-1])
    return versions, said


def as_scores(x: Array, cell: Cell) -> Array:
    """Return scores as a package gets them: those at a ceiling between 0 and 1."""
    return 1 + x / 20 if cell.noise == "ceiling" else x


# --- cells -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rates:
    """What a procedure does in a cell; (n,) per table.

    Attributes
    ----------
    none, groups
        Whether it decides a pair without any difference, or a pair within one of two groups.
    power
        Share of the ladder's pairs that it decides.
    """

    none: NDArray[np.bool_]
    groups: NDArray[np.bool_]
    power: Array

    @property
    def error(self) -> float:
        """The larger of the two shares of tables with a false decision."""
        return float(max(self.none.mean(), self.groups.mean()))


def measured(cell: Cell, tables: int) -> tuple[dict[str, Rates], dict[str, Array], Decided]:
    """Return rates of all procedures, the first tables for the packages, and decisions on these."""
    rng = np.random.default_rng([16, CELLS.index(cell)])
    found: dict[str, dict[str, list[Array]]] = {}
    given: dict[str, Array] = {}
    decided_on: Decided = {}
    n = tables // 2 if cell.k > 4 else tables
    for part in batched(range(n), BATCH):
        x = simulated(rng, cell, len(part))
        for truth in TRUTHS:
            asked = cell.within if truth == "groups" else np.ones_like(cell.within)
            seeds = rng.integers(2**32, size=len(part))
            decided = ours(x[truth], cell, asked, seeds) | others(x[truth], cell)
            if not part[0] and truth != "groups":
                key = f"{CELLS.index(cell)} {truth}"
                check_ours(x[truth][0], cell)
                given[key] = as_scores(x[truth][:JUDGED], cell)
                decided_on |= {f"{key} {name}": rows[:JUDGED] for name, rows in decided.items()}
            for name, rows in decided.items():
                value = rows.mean(axis=1) if truth == "ladder" else (rows & asked).any(axis=1)
                found.setdefault(name, {}).setdefault(truth, []).append(value)
    rates = {name: Rates(*(np.concatenate(of[t]) for t in TRUTHS)) for name, of in found.items()}
    return rates, given, decided_on


def row(*cells: object) -> str:
    """Return a row of a table."""
    return "| " + " | ".join(f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells) + " |"


def words(cell: Cell) -> tuple[str, str, str]:
    """Return size, variances and noise."""
    return f"{cell.d} x {cell.k}", "unequal" if cell.unequal else "equal", WORDS[cell.noise]


type Results = dict[Cell, dict[str, Rates]]


def print_errors(results: Results) -> None:
    """Print the largest share of tables with a false decision, by noise, and over all cells."""
    names = list(next(iter(results.values())))
    print(row("variances", "noise", *names))
    print(row(*["---"] * 2 + ["--:"] * len(names)))

    def largest(first: str, second: str, chosen: Callable[[Cell], bool]) -> None:
        cells = [rates for cell, rates in results.items() if chosen(cell)]
        print(row(first, second, *(max(r[n].error for r in cells if n in r) for n in names)))

    for unequal in (False, True):
        for noise in NOISES:
            kind = (unequal, noise)
            largest(
                "unequal" if unequal else "equal",
                WORDS[noise],
                lambda cell, kind=kind: (cell.unequal, cell.noise) == kind,
            )
    largest("all", "", lambda _: True)
    largest("all", "but skew", lambda cell: cell.fair)


def print_levels(results: Results) -> None:
    """Print the default's shares of tables with a false decision, without differences and with."""
    heads = [f"{d} x {k}" for d, k in DESIGNS]
    for truth in ("none", "groups"):
        print(row("variances", "noise", *heads))
        print(row(*["---"] * 2 + ["--:"] * len(heads)))
        for unequal in (False, True):
            for noise in NOISES:
                found = (results[Cell(d, k, unequal, noise)][DEFAULT] for d, k in DESIGNS)
                shares = (float(getattr(one, truth).mean()) for one in found)
                print(row("unequal" if unequal else "equal", WORDS[noise], *shares))
        print()


def print_power(results: Results) -> None:
    """Print the share of pairs of the ladder that are decided."""
    names = list(next(iter(results.values())))
    print(row("size", "variances", "noise", *names))
    print(row(*["---"] * 3 + ["--:"] * len(names)))
    for cell, rates in results.items():
        shares = (float(rates[name].power.mean()) if name in rates else "" for name in names)
        print(row(*words(cell), *shares))


def ahead(results: Results) -> Iterator[tuple[Cell, str, float, float]]:
    """Yield where a procedure decides more than the default, by more than two errors, and both."""
    for cell, rates in results.items():
        for name, other in rates.items():
            more = other.power - rates[DEFAULT].power
            error = float(more.std(ddof=1) / np.sqrt(len(more)))
            if more.mean() > 2 * error:
                yield cell, name, float(more.mean()), error


def print_exceptions(results: Results) -> None:
    """Print where another procedure decides more pairs."""
    print(row("size", "variances", "noise", "procedure", "more", "error"))
    print(row(*["---"] * 4 + ["--:"] * 2))
    for cell, name, more, error in ahead(results):
        print(row(*words(cell), name, more, error))


def print_agreement(tables: dict[str, Array], decided: Decided) -> None:
    """Print on how many tables the packages decide as they do here."""
    answer = judged(tables)
    if answer is None:
        return
    versions, said = answer
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    for name in ("autorank", "evalstats, bands", "evalstats, p"):
        same = [
            np.array_equal(mine, theirs)
            for key in tables
            for mine, theirs in zip(decided[f"{key} {name}"], said[key][name], strict=True)
        ]
        print(f"{name}: the same decisions on {sum(same)} of {len(same)} tables")


def main() -> None:
    """Print tables."""
    # A p-value near the level is else evaluated with a hundred times as many directions.
    rotations._CLOSE = 0.0
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    results: Results = {}
    given: dict[str, Array] = {}
    decided: Decided = {}
    for cell in CELLS:
        results[cell], first, on_these = measured(cell, tables)
        given |= first
        decided |= on_these
    for show in (print_levels, print_errors, print_power, print_exceptions):
        show(results)
        print()
    print_agreement(given, decided)


if __name__ == "__main__":
    main()
