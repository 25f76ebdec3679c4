"""Error rates and power of pairs with errors of their own on given data sets: `make calibrate`.

A minute. All algorithms are equal in the null tables; in the others the first is better. Tables are
reduced to means as `compare_mixed` does, and tested by its evidence.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from benchinfer.analyses.mixed.numerics.replications import (
    ReplicationMeans,
    independent_means,
    paired_means,
)
from benchinfer.comparison.contrasts import family_of
from benchinfer.comparison.normal import evidence_of
from benchinfer.numerics.closed_testing import bergmann_hommel
from benchinfer.numerics.max_t import max_t, quantile

TABLES = 4000
BOUND = 0.05 + 2 * np.sqrt(0.05 * 0.95 / TABLES)


@dataclass(frozen=True)
class Cell:
    """Numbers of replications and standard deviations of K algorithms, and how tables are drawn."""

    sizes: tuple[int, ...]
    sd: tuple[float, ...]
    paired: bool
    heavy: bool = False  # t with three degrees of freedom
    datasets: int = 1
    rho: float = 0.0  # correlation by overlapping training sets
    shift: float = 0.0  # of the first algorithm

    def __str__(self):
        words = [",".join(map(str, self.sizes)), "x".join(f"{s:g}" for s in self.sd)]
        words += ["paired" if self.paired else "unpaired", "t3" if self.heavy else "normal"]
        return " ".join([*words, f"D={self.datasets}", f"rho={self.rho:g}", f"+{self.shift:g}"])

    def scores(self, rng):
        """Return (D, R, K) scores, NaN beyond the number of an algorithm's replications."""
        shape = (self.datasets, max(self.sizes), len(self.sizes))
        noise = rng.standard_t(3, shape) / np.sqrt(3) if self.heavy else rng.normal(size=shape)
        shared = rng.normal(size=(self.datasets, 1, len(self.sizes)))
        noise = np.sqrt(1 - self.rho) * noise + np.sqrt(self.rho) * shared
        value = noise * self.sd
        if self.paired:
            value += rng.normal(size=(*shape[:2], 1))
        value[..., 0] += self.shift
        value[:, np.arange(shape[1])[:, None] >= self.sizes] = np.nan
        return value

    def means(self, value):
        """Return the means over replications, as `compare_mixed` has them."""
        ratio, present = self.rho / (1 - self.rho), np.isfinite(value)
        n, mean = present.sum(axis=1), np.nanmean(value, axis=1)
        squares = np.nansum((value - mean[:, None]) ** 2, axis=1)
        return ReplicationMeans.of(
            [
                paired_means(value[d], present[d], ratio)
                if self.paired
                else independent_means(n[d], mean[d], squares[d], ratio)
                for d in range(self.datasets)
            ]
        )


def shares(cell, seed, n_tables, *, common=False):
    """Return shares of tables with a claim, and of decided pairs of the first; by Tukey's, too."""
    rng, k = np.random.default_rng(seed), len(cell.sizes)
    family = family_of(tuple("abcdefgh"[:k]), "tukey", None, np.zeros(k))
    critical, first = {}, family.pairs[:, 0] == 0
    found = np.zeros((n_tables, 2, 2))
    for table in found:
        value = cell.scores(rng)
        errors = cell.means(value).estimates(family.matrix).first(len(family.matrix))
        closed = lambda raw, _, __: (bergmann_hommel(raw, k), np.zeros(len(raw)))  # noqa: E731
        evidence, _ = evidence_of(
            family, np.zeros(k), errors, "bergmann-hommel", 0.05, 0.0, closed=closed
        )
        decided = [evidence.p_value <= 0.05]
        if common:  # the two-way, or one-way, analysis of variance of complete tables
            y = value[0]
            rest = y - y.mean(axis=0)
            rest = rest - rest.mean(axis=1, keepdims=True) if cell.paired else rest
            df = (len(y) - 1) * (k - 1 if cell.paired else k)
            error = np.sqrt(2 * (rest**2).sum() / df / len(y))
            if df not in critical:
                critical[df] = quantile(max_t(family.matrix, np.eye(k), float(df)), 0.05)
            decided.append(np.abs(family.matrix @ y.mean(axis=0)) > critical[df] * error)
        for part, row in zip(table, decided, strict=False):
            part[:] = row.any(), row[first].mean()
    return found.mean(axis=0)


def erratic(k):
    return (*[1.0] * (k - 1), 5.0)


EQUAL = (1.0,) * 5
BOTH = (False, True)
NULLS = [
    *(Cell((5,) * k, erratic(k), paired) for k in (5, 8) for paired in BOTH),
    *(Cell((3,) * 5, sd, paired) for sd in (EQUAL, erratic(5)) for paired in BOTH),
    *(Cell((10,) * 5, sd, paired) for sd in (EQUAL, erratic(5)) for paired in BOTH),
    *(Cell((5,) * 5, erratic(5), paired, heavy=True) for paired in BOTH),
    Cell((3, 3, 10, 10, 30), EQUAL, paired=False),
    Cell((3, 3, 10, 10, 30), (5.0, 1.0, 1.0, 1.0, 1.0), paired=False),
    Cell((3, 3, 3, 6, 6), EQUAL, paired=False),
    Cell((5, 5, 15, 15, 50), EQUAL, paired=False),
    *(Cell((5,) * 5, erratic(5), paired, datasets=3) for paired in BOTH),
    *(Cell((10,) * 5, erratic(5), paired=True, datasets=d, rho=0.1) for d in (1, 3)),
]


@pytest.mark.calibration
@pytest.mark.parametrize("cell", NULLS, ids=str)
def test_equal_algorithms_are_not_told_apart(cell, record_property):
    rate = shares(cell, NULLS.index(cell), TABLES)[0, 0]
    record_property(str(cell), rate)
    assert rate <= BOUND


@pytest.mark.calibration
@pytest.mark.parametrize(
    "cell", [Cell((5,) * k, erratic(k), paired) for k in (5, 8) for paired in BOTH], ids=str
)
def test_a_common_error_tells_equal_algorithms_apart(cell, record_property):
    """What errors of their own are for: one erratic algorithm among equals."""
    rate = shares(cell, 0, TABLES, common=True)[1, 0]
    record_property(f"common, {cell}", rate)
    assert rate >= 0.11


@pytest.mark.calibration
@pytest.mark.parametrize("paired", BOTH, ids=["unpaired", "paired"])
@pytest.mark.parametrize("k", [3, 5, 8])
@pytest.mark.parametrize(("n", "shift"), [(3, 5.0), (5, 3.0), (10, 1.8), (20, 1.2)])
def test_power_of_equal_spreads(n, shift, k, paired, record_property):
    """The price of errors of their own: high with few replications, little with twenty."""
    cell = Cell((n,) * k, (1.0,) * k, paired, shift=shift)
    own, common = shares(cell, n, 1000, common=True)[:, 1]
    record_property(f"power, {cell}", [own, common])
    least = {3: -0.95, 5: -0.68, 10: -0.32, 20: -0.15}[n]
    assert own >= common + least
