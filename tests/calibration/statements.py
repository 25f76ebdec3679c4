"""Simulated tables whose verdicts and intervals are judged together, by several procedures.

Tests in steps that share their level with the intervals: closed by rotations or sign flips,
Bergmann and Hommel's, Shaffer's, Holm's and steps down by the largest statistic; beside them the
closed test at the whole level with Sidak's intervals, and two single steps. A statement is wrong
where a pair of equal algorithms is decided or an interval misses its difference.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import stdtr, stdtrit
from scipy.stats import studentized_range

from benchinfer.comparison.adjustment import sidak
from benchinfer.comparison.evidence import in_agreement
from benchinfer.numerics import closed_testing, multiplicity, rotations
from benchinfer.numerics.multiplicity import SPENT, ends_level

ALPHA, DIRECTIONS = 0.05, 999
# Draws of the joint distribution of all |t| with one error.
DRAWS = 20_000


@dataclass(frozen=True, slots=True)
class Cell:
    """D data sets, the levels of K algorithms in standard errors of a difference, and the noise."""

    d: int
    levels: tuple[float, ...]
    noise: str = "equal"

    def __str__(self) -> str:
        steps = ", ".join(f"{level:g}" for level in self.levels)
        return f"{self.d} x {len(self.levels)}, {self.noise}, levels {steps}"

    @property
    def k(self) -> int:
        return len(self.levels)

    def drawn(self, rng, n):
        """Return (n, D, K) scores whose differences of equal algorithms are symmetric."""
        shape = (n, self.d, self.k)
        x = rng.standard_t(3, shape) / 3**0.5 if self.noise == "t, 3 df" else None
        x = rng.standard_normal(shape) if x is None else x
        if self.noise == "duplicates":
            x[..., 1] = 0.95 * x[..., 0] + (1 - 0.95**2) ** 0.5 * x[..., 1]
        if self.noise == "sd 1 to 5":
            x *= np.linspace(1, 5, self.k)
        if self.noise == "data sets unequal":
            x *= np.exp(rng.standard_normal((n, self.d, 1)))
        return x + self.centre

    @property
    def centre(self):
        return np.array(self.levels) * (2 / self.d) ** 0.5

    @property
    def truth(self):
        """True differences of all pairs."""
        i, j = np.triu_indices(self.k, 1)
        return self.centre[i] - self.centre[j]


def ladder(k, ends=6.0):
    return tuple(np.linspace(ends, 0, k).round(2).tolist())


CELLS = [
    *(Cell(d, (0.0,) * 4) for d in (5, 8, 12, 20)),
    *(Cell(d, ladder(4)) for d in (5, 8, 12, 20)),
    *(Cell(d, (0.0, 0.0, 50.0, 100.0)) for d in (5, 8, 12)),
    *(Cell(d, (0.0, 0.0, 50.0, 50.0)) for d in (5, 8, 12)),
    *(Cell(12, levels) for levels in ((0.0,) * 5, ladder(5), (0.0, 0.0, 3.0, 3.0, 6.0))),
    Cell(8, (0.0,) * 4, "duplicates"),
    Cell(8, (0.0, 0.0, 3.0, 6.0), "duplicates"),
    Cell(8, (0.0,) * 4, "t, 3 df"),
    Cell(8, (0.0, 0.0, 0.0, 50.0), "sd 1 to 5"),
    Cell(8, (0.0,) * 4, "data sets unequal"),
    Cell(12, (0.0,) * 8),
    Cell(12, (0.0, 0.0, *ladder(6, 60.0))),
    # Directions of differences so small are hardly more than guesses.
    Cell(12, ladder(5, 0.2)),
]


@dataclass(frozen=True, slots=True)
class Tests:
    """Differences of all pairs of a (D, K) table, with a t test of each pair and of one error."""

    x: np.ndarray
    differences: np.ndarray  # (D, P)
    estimate: np.ndarray
    error: np.ndarray
    p: np.ndarray  # of each pair's own t test
    common: float  # one error for all pairs, of the two-way analysis of variance

    @staticmethod
    def of(x):
        d, k = x.shape
        i, j = np.triu_indices(k, 1)
        pairs = x[:, i] - x[:, j]
        estimate, error = pairs.mean(axis=0), pairs.std(axis=0, ddof=1) / d**0.5
        centred = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
        common = (2 * (centred**2).sum() / ((d - 1) * (k - 1)) / d) ** 0.5
        return Tests(x, pairs, estimate, error, 2 * stdtr(d - 1, -np.abs(estimate / error)), common)

    @property
    def df_common(self):
        d, k = self.x.shape
        return (d - 1) * (k - 1)

    def ends(self, level):
        reach = -stdtrit(len(self.x) - 1, level / 2) * self.error
        return self.estimate - reach, self.estimate + reach

    def ends_common(self, critical):
        reach = critical * self.common
        return self.estimate - reach, self.estimate + reach

    def agreed(self, p, ends=None):
        """Return p-values, and ends that leave equality out just where a pair is decided."""
        ends = self.ends(ends_level(ALPHA, len(p))) if ends is None else ends
        return (p, *in_agreement(*ends, self.estimate, p <= ALPHA))

    def closed(self, seed, directions, spent=SPENT, reference="rotation"):
        return rotations.closed_pairs(
            self.x,
            self.p,
            ALPHA,
            reference=reference,
            directions=directions,
            seed=seed,
            spent=spent,
        ).p_value

    def stepped_flips(self, seed, directions):
        return rotations.step_down_flips(
            self.differences,
            two_sided=True,
            alpha=ALPHA,
            directions=directions,
            most=directions,
            seed=seed,
            spent=SPENT,
        )[0]

    def westfalls(self):
        k = self.x.shape[1]
        p = 2 * stdtr(self.df_common, -np.abs(self.estimate) / self.common)
        critical = -stdtrit(self.df_common, ends_level(ALPHA, len(p)) / 2)
        stepped = closed_testing.westfall(p, k, self.survival, SPENT)
        return self.agreed(stepped, self.ends_common(critical))

    def stepped(self):
        t = np.abs(self.estimate) / self.common
        critical = -stdtrit(self.df_common, ends_level(ALPHA, len(t)) / 2)
        stepped = closed_testing.step_down_largest(t, self.survival, SPENT)
        return self.agreed(stepped, self.ends_common(critical))

    def survival(self, members, hypothesis):
        largest = largest_of(self.x.shape[1], self.df_common, tuple(sorted(members)))
        t = abs(self.estimate[hypothesis]) / self.common
        return 1 - np.searchsorted(largest, t) / DRAWS

    def tukeys(self):
        critical = tukey(self.x.shape[1], self.df_common)
        outside = np.abs(self.estimate) > critical * self.common
        return (np.where(outside, 0.0, 1.0), *self.ends_common(critical))

    def in_sets(self, procedure):
        return self.agreed(procedure(self.p, self.x.shape[1], SPENT))


@cache
def tukey(k, df):
    """Return the critical value of the largest of all |t|, with one error for all pairs."""
    return studentized_range.ppf(1 - ALPHA, k, df) / 2**0.5


@cache
def _drawn(k, df):
    rng = np.random.default_rng([k, df])
    i, j = np.triu_indices(k, 1)
    levels = rng.standard_normal((DRAWS, k))
    error = (2 * rng.chisquare(df, DRAWS) / df) ** 0.5
    return np.abs(levels[:, i] - levels[:, j]) / error[:, None]


@cache
def largest_of(k, df, members):
    """Return draws of the largest |t| of some pairs with one error, ascending."""
    return np.sort(_drawn(k, df)[:, list(members)].max(axis=1))


# From tests, a seed and a number of directions to p-values decided at the level, and both ends.
PROCEDURES: dict[str, Callable] = {
    "one statement": lambda t, seed, n: t.agreed(t.closed(seed, n)),
    "closed, Sidak's": lambda t, seed, n: (
        t.closed(seed, n, spent=0.0),
        *t.ends(sidak(ALPHA, len(t.p))),
    ),
    "by flips": lambda t, seed, n: t.agreed(t.closed(seed, n, reference="flips")),
    "Bergmann and Hommel's": lambda t, *_: t.in_sets(closed_testing.bergmann_hommel),
    "Bergmann and Hommel's, Sidak's": lambda t, *_: (
        closed_testing.bergmann_hommel(t.p, t.x.shape[1]),
        *t.ends(sidak(ALPHA, len(t.p))),
    ),
    "Shaffer's": lambda t, *_: t.in_sets(closed_testing.shaffer),
    "Holm, one statement": lambda t, *_: t.agreed(multiplicity.holm(t.p, SPENT)),
    "steps down by flips": lambda t, seed, n: t.agreed(t.stepped_flips(seed, n)),
    "Westfall's": lambda t, *_: t.westfalls(),
    "steps down by the largest t": lambda t, *_: t.stepped(),
    "Tukey": lambda t, *_: t.tukeys(),
    "Sidak's single step": lambda t, *_: (
        -np.expm1(len(t.p) * np.log1p(-t.p)),
        *t.ends(sidak(ALPHA, len(t.p))),
    ),
}
BY_ROTATIONS = ("one statement", "closed, Sidak's", "Tukey", "Holm, one statement")


def stated(x, seed, names=BY_ROTATIONS, directions=DIRECTIONS):
    """Return p-values decided at the level, and ends, of each procedure: name to (p, low, high)."""
    tests = Tests.of(x)
    return {name: PROCEDURES[name](tests, seed, directions) for name in names}, tests.estimate


def judged(claims, estimate, truth):
    """Return what holds of statements by name: wrong, misdirected, found, width, over equality.

    Wrong is a decided pair of equal algorithms or an interval that misses; (P,) `truth` are the
    differences.
    """
    equal, rows = truth == 0, {}
    for name, (p, low, high) in claims.items():
        decided = p <= ALPHA
        # Ends at equality are open where a pair is decided.
        missed = (low > truth) | (high < truth) | (decided & ((low == truth) | (high == truth)))
        over = decided & (low < 0) & (high > 0)
        rows[name] = (
            (decided & equal).any() or missed.any(),
            (decided & ~equal & (np.sign(estimate) != np.sign(truth))).any(),
            (decided & ~equal).sum() / max((~equal).sum(), 1),
            (high - low).mean(),
            over.sum() / max(decided.sum(), 1),
        )
    return rows


def counted(cell, x, seed, names=BY_ROTATIONS, directions=DIRECTIONS):
    """Return what holds of a table by procedure, as `judged`; widths in those of Sidak's."""
    claims, estimate = stated(x, seed, names, directions)
    low, high = Tests.of(x).ends(sidak(ALPHA, len(estimate)))
    return {
        name: (*row[:3], row[3] / (high - low).mean(), row[4])
        for name, row in judged(claims, estimate, cell.truth).items()
    }
