"""Simulated tables whose verdicts and intervals are judged together, by eight procedures.

A statement is wrong where a pair of equal algorithms is decided or an interval misses its
difference, as each interval of a pair that is decided in the wrong direction does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import stdtr, stdtrit
from scipy.stats import studentized_range

from benchinfer.comparison.adjustment import sidak
from benchinfer.comparison.evidence import in_agreement
from benchinfer.numerics import closed_testing, multiplicity, rotations
from benchinfer.numerics.multiplicity import SPENT, ends_level

ALPHA = 0.05
# As `compare_mixed` chooses: rotations of few algorithms, Bergmann and Hommel's steps, Holm's.
MOST_ROTATED, MOST_IN_SETS = rotations.MOST_ALGORITHMS, 15


@dataclass(frozen=True, slots=True)
class Cell:
    """D data sets, the levels of K algorithms in standard errors of a difference, and the noise."""

    d: int
    levels: tuple[float, ...]
    noise: str = "equal"
    words: str = ""  # for the levels

    def __str__(self) -> str:
        noise = "" if self.noise == "equal" else f", {self.noise}"
        levels = self.words or "levels " + ", ".join(f"{level:g}" for level in self.levels)
        return f"{self.d} x {self.k}, {levels}{noise}"

    @property
    def k(self) -> int:
        return len(self.levels)

    @property
    def centre(self):
        return np.array(self.levels) * (2 / self.d) ** 0.5

    def drawn(self, rng, n):
        """Return (n, D, K) scores whose differences of equal algorithms are symmetric."""
        shape = (n, self.d, self.k)
        if self.noise == "t, 3 df":
            x = rng.standard_t(3, shape) / 3**0.5
        else:
            x = rng.standard_normal(shape)
        if self.noise == "near-duplicates":
            x[..., 1] = 0.95 * x[..., 0] + (1 - 0.95**2) ** 0.5 * x[..., 1]
        if self.noise == "sd 1 to 5":
            x *= np.linspace(1, 5, self.k)
        if self.noise == "data sets unequal":
            x *= np.exp(rng.standard_normal((n, self.d, 1)))
        return x + self.centre


def equal(d: int, k: int, noise: str = "equal") -> Cell:
    return Cell(d, (0.0,) * k, noise, "all equal")


def ladder(d: int, k: int, ends: float = 6.0) -> Cell:
    """Return levels in equal steps, the ends so many standard errors apart."""
    return Cell(d, tuple(np.linspace(ends, 0, k).round(2).tolist()), words="ladder")


def pair_far_off(d: int, k: int) -> Cell:
    """Return two equal algorithms, and all others far from them and from each other."""
    return Cell(d, (0.0, 0.0, *np.arange(50.0, 50.0 * (k - 1), 50.0).tolist()), words="one pair")


def groups(d: int, k: int, noise: str = "equal") -> Cell:
    """Return two groups of equal algorithms, far from each other."""
    first = (k + 1) // 2
    return Cell(d, (0.0,) * first + (50.0,) * (k - first), noise, "two groups")


CELLS = [
    *(equal(d, 4) for d in (5, 8, 12)),
    *(ladder(d, 4) for d in (5, 8, 12)),
    *(pair_far_off(d, 4) for d in (5, 8, 12)),
    equal(8, 4, "near-duplicates"),
    equal(8, 4, "t, 3 df"),
    equal(8, 4, "data sets unequal"),
    equal(12, 5),
    ladder(20, 5),
    Cell(12, (0.2, 0.15, 0.1, 0.05, 0.0), words="steps of 0.05"),
    Cell(20, (0.0, 0.0, 3.0, 3.0, 6.0), words="equal pairs on a ladder"),
    groups(8, 5, "sd 1 to 5"),
    equal(12, 8),
    pair_far_off(8, 8),
    equal(5, 15),
    ladder(12, 15),
    pair_far_off(12, 15),
    groups(20, 15, "sd 1 to 5"),
    equal(20, 15, "t, 3 df"),
]


@dataclass(frozen=True, slots=True)
class Stated:
    """Which of P pairs a procedure decides, and its intervals; (P,) arrays."""

    decided: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def missed(self, truth):
        """Return which intervals miss; ends at equality are open where a pair is decided."""
        at_end = (self.low == truth) | (self.high == truth)
        return (self.low > truth) | (self.high < truth) | (self.decided & at_end)

    @property
    def over_equality(self):
        """Pairs that are decided while their interval holds 0."""
        return self.decided & (self.low < 0) & (self.high > 0)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Differences of all pairs of a (D, K) table, with t-tests by errors of their own."""

    table: np.ndarray
    estimate: np.ndarray
    error: np.ndarray
    raw: np.ndarray

    @staticmethod
    def of(table) -> "Pairs":
        i, j = np.triu_indices(table.shape[1], 1)
        d, pairs = len(table), table[:, i] - table[:, j]
        estimate, error = pairs.mean(axis=0), pairs.std(axis=0, ddof=1) / d**0.5
        return Pairs(table, estimate, error, 2 * stdtr(d - 1, -np.abs(estimate / error)))

    @property
    def shape(self) -> tuple[int, int]:
        return self.table.shape

    def ends(self, level):
        reach = -stdtrit(len(self.table) - 1, level / 2) * self.error
        return self.estimate - reach, self.estimate + reach

    def compatible(self, p) -> Stated:
        """Return verdicts of a test that shares the level, and the intervals that agree."""
        decided = p <= ALPHA
        ends = self.ends(ends_level(ALPHA, len(p)))
        return Stated(decided, *in_agreement(*ends, self.estimate, decided))

    def beside_sidaks(self, p) -> Stated:
        return Stated(p <= ALPHA, *self.ends(sidak(ALPHA, len(p))))

    def by_one_error(self, *, normal: bool) -> Stated:
        """Return Tukey's tests with the residual variance of rows and algorithms."""
        x, (d, k) = self.table, self.shape
        residual = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
        df = (d - 1) * (k - 1)
        reach = tukey(k, np.inf if normal else df) * (2 * (residual**2).sum() / df / d) ** 0.5
        return Stated(np.abs(self.estimate) > reach, self.estimate - reach, self.estimate + reach)

    def closed(self, seed, directions, spent, reference="rotation"):
        """Return p-values of the default closed test, or of that by sign flips."""
        k = self.shape[1]
        if k > MOST_IN_SETS:
            return multiplicity.holm(self.raw, spent)
        if k > MOST_ROTATED:
            return closed_testing.bergmann_hommel(self.raw, k, spent)
        return rotations.closed_pairs(
            self.table,
            self.raw,
            ALPHA,
            reference=reference,
            directions=directions,
            seed=seed,
            spent=spent,
        ).p_value


@cache
def tukey(k, df):
    """Return the critical value of the largest of all |t|, with one error for all pairs."""
    return studentized_range.ppf(1 - ALPHA, k, df) / 2**0.5


def stated(pairs: Pairs, seed, directions=rotations.DIRECTIONS) -> dict[str, Stated]:
    """Return what `compare_mixed` states by default, and what others do, by name."""
    shared = pairs.closed(seed, directions, SPENT)
    sidaks = -np.expm1(len(pairs.raw) * np.log1p(-pairs.raw))
    return {
        "default": pairs.compatible(shared),
        "simultaneous": pairs.beside_sidaks(pairs.closed(seed, directions, 0.0)),
        "Holm": pairs.compatible(multiplicity.holm(pairs.raw, SPENT)),
        "single step, own errors": pairs.beside_sidaks(sidaks),
        "single step, one error": pairs.by_one_error(normal=False),
        "single step, normal": pairs.by_one_error(normal=True),
    }


def further(pairs: Pairs, seed, directions) -> dict[str, Stated]:
    """Return statements of procedures that power alone is asked of."""
    k = pairs.shape[1]
    found = {"Holm, simultaneous": pairs.beside_sidaks(multiplicity.holm(pairs.raw))}
    if k <= MOST_IN_SETS:
        steps = closed_testing.bergmann_hommel(pairs.raw, k, SPENT)
        found["Bergmann and Hommel"] = pairs.compatible(steps)
    if k <= MOST_ROTATED:
        found["flips"] = pairs.compatible(pairs.closed(seed, directions, SPENT, "flips"))
    return found


# What `judged` returns: shares of tables, then shares and widths of pairs.
COLUMNS = ("wrong", "verdict", "interval", "direction", "decided", "width", "over equality")


def judged(cell: Cell, pairs: Pairs, what: Stated) -> tuple[float, ...]:
    """Return whether a statement is wrong, by its parts, and what it says; as `COLUMNS`.

    Widths are in those of Sidak's intervals with errors of each pair.
    """
    i, j = np.triu_indices(cell.k, 1)
    truth = cell.centre[i] - cell.centre[j]
    same, missed = truth == 0, what.missed(truth)
    turned = what.decided & ~same & (np.sign(pairs.estimate) != np.sign(truth))
    low, high = pairs.ends(sidak(ALPHA, len(truth)))
    false = (what.decided & same).any()
    return (
        float(false or missed.any()),
        float(false),
        float(missed.any()),
        float(turned.any()),
        (what.decided & ~same).sum() / max((~same).sum(), 1),
        ((what.high - what.low) / (high - low)).mean(),
        what.over_equality.sum() / max(what.decided.sum(), 1),
    )


def simulated(cell: Cell, rng, n) -> Iterator[tuple[Pairs, int]]:
    """Yield n tables and a seed for each: few directions of one seed err in all tables alike."""
    for table in cell.drawn(rng, n):
        yield Pairs.of(table), int(rng.integers(2**32))


def shares_of(rows: dict[str, list[tuple[float, ...]]]) -> dict[str, dict[str, float]]:
    """Return means over tables, by procedure and column."""
    return {
        name: dict(zip(COLUMNS, np.mean(found, axis=0).tolist(), strict=True))
        for name, found in rows.items()
    }
