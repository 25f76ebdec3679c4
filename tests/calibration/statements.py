"""Simulated tables whose verdicts and intervals are judged together, by four procedures.

The closed test by rotations that shares its level with the intervals, the same test at the whole
level beside Sidak's intervals, Tukey's single step, and Holm's steps that share their level. A
statement is wrong where a pair of equal algorithms is decided or an interval misses its difference.
"""

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


@cache
def tukey(k, df):
    """Return the critical value of the largest of all |t|, with one error for all pairs."""
    return studentized_range.ppf(1 - ALPHA, k, df) / 2**0.5


def stated(x, seed, directions=DIRECTIONS):
    """Return p-values decided at the level, and ends, of each procedure: name to (p, low, high)."""
    d, k = x.shape
    i, j = np.triu_indices(k, 1)
    m, pairs = len(i), x[:, i] - x[:, j]
    estimate, error = pairs.mean(axis=0), pairs.std(axis=0, ddof=1) / d**0.5
    raw = 2 * stdtr(d - 1, -np.abs(estimate / error))

    def ends(level):
        reach = -stdtrit(d - 1, level / 2) * error
        return estimate - reach, estimate + reach

    def agreed(p):
        return in_agreement(*ends(ends_level(ALPHA, m)), estimate, p <= ALPHA)

    closed = {
        spent: rotations.closed_pairs(
            x, raw, ALPHA, directions=directions, seed=seed, spent=spent
        ).p_value
        for spent in (0.0, SPENT)
    }
    holm = multiplicity.holm(raw, SPENT)
    pooled = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    common = (2 * (pooled**2).sum() / ((d - 1) * (k - 1)) / d) ** 0.5
    reach = tukey(k, (d - 1) * (k - 1)) * common
    single = np.where(np.abs(estimate) > reach, 0.0, 1.0)
    return {
        "one statement": (closed[SPENT], *agreed(closed[SPENT])),
        "closed, Sidak's": (closed[0.0], *ends(sidak(ALPHA, m))),
        "Tukey": (single, estimate - reach, estimate + reach),
        "Holm, one statement": (holm, *agreed(holm)),
    }, estimate


def counted(cell, x, seed):
    """Return what holds of a table by procedure: wrong, misdirected, found, width, over equality.

    Wrong is a decided pair of equal algorithms or an interval that misses; widths are in those of
    Sidak's intervals.
    """
    i, j = np.triu_indices(cell.k, 1)
    truth = cell.centre[i] - cell.centre[j]
    equal, rows = truth == 0, {}
    claims, estimate = stated(x, seed)
    sidaks = claims["closed, Sidak's"][2] - claims["closed, Sidak's"][1]
    for name, (p, low, high) in claims.items():
        decided = p <= ALPHA
        # Ends at equality are open where a pair is decided.
        missed = (low > truth) | (high < truth) | (decided & ((low == truth) | (high == truth)))
        over = decided & (low < 0) & (high > 0)
        rows[name] = (
            (decided & equal).any() or missed.any(),
            (decided & ~equal & (np.sign(estimate) != np.sign(truth))).any(),
            (decided & ~equal).sum() / max((~equal).sum(), 1),
            ((high - low) / sidaks).mean(),
            over.sum() / max(decided.sum(), 1),
        )
    return rows


def decided_of_many(x):
    """Return how many pairs each procedure for many algorithms decides of a (D, K) table."""
    d, k = x.shape
    i, j = np.triu_indices(k, 1)
    pairs = x[:, i] - x[:, j]
    t = pairs.mean(axis=0) / pairs.std(axis=0, ddof=1) * d**0.5
    raw = 2 * stdtr(d - 1, -np.abs(t))

    def stepped(spent):  # as compare_mixed chooses
        if k > 15:
            return multiplicity.holm(raw, spent)
        return closed_testing.bergmann_hommel(raw, k, spent)

    p = {
        "one statement": stepped(SPENT),
        "whole level": stepped(0.0),
        "Sidak's single step": -np.expm1(len(raw) * np.log1p(-raw)),
    }
    return {name: (each <= ALPHA).mean() for name, each in p.items()}
