"""Many simulated tables at once, for tests within blocks: their noise, layout and moments."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchinfer.analyses.permutation.blocks import Exchangeable
from benchinfer.analyses.permutation.numerics import nulls
from benchinfer.analyses.permutation.numerics.blocks import lay_out
from benchinfer.analyses.permutation.options import PermutationProcedure
from benchinfer.comparison.contrasts import family_of

ALPHA = 0.05
# Tables whose moments are computed in one go.
WIDTH = 25


@dataclass(frozen=True)
class Cell:
    """Tables of B blocks and K algorithms with some noise, all of the same mean."""

    noise: str
    b: int
    k: int

    def __str__(self):
        return f"{self.noise} B={self.b} K={self.k}"

    @property
    def seed(self):
        return [list(NOISES).index(self.noise), self.b, self.k]

    @property
    def alike(self):
        """Whether algorithms are exchangeable."""
        return self.noise in ("normal", "skewed", "tied")

    @property
    def symmetric(self):
        """Whether differences of pairs are symmetric."""
        return self.noise != "one skewed"

    @cached_property
    def family(self):
        return family_of(tuple(f"a{i}" for i in range(self.k)), "tukey", None, np.zeros(self.k))

    @cached_property
    def group(self):
        return np.arange(self.k) >= (self.k + 1) // 2

    @cached_property
    def within(self):
        """Pairs of one group; without groups where there are two algorithms only."""
        i, j = self.family.pairs.T
        return self.group[i] == self.group[j]

    @cached_property
    def layout(self):
        return laid_out(self.b, self.k)

    def data(self, value):
        """Return one table (B, K) as the package has it."""
        block = np.repeat(np.arange(self.b), self.k)
        label = np.tile(np.arange(self.k), self.b)
        return Exchangeable(
            np.ravel(value),
            block,
            label,
            block,
            self.k,
            "data set",
            repeated=False,
            target="domain",
        )

    def batches(self, rng, n, width=WIDTH):
        """Yield n tables, as arrays (width, B, K)."""
        for start in range(0, n, width):
            shape = (min(width, n - start), self.b, self.k)
            value = 2 * rng.normal(size=(*shape[:2], 1)) + NOISES[self.noise](rng, shape)
            yield np.round(value) if self.noise == "tied" else value

    def tables(self, rng, n):
        """Yield n tables (B, K)."""
        for batch in self.batches(rng, n):
            yield from batch


def _unequal(rng, shape):
    noise = rng.normal(size=shape)
    noise[..., -1] *= 5
    return noise


def _one_skewed(rng, shape):
    noise = rng.normal(size=shape)
    noise[..., -1] = rng.exponential(size=shape[:2]) - 1
    return noise


NOISES = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "skewed": lambda rng, shape: rng.exponential(size=shape),
    "tied": lambda rng, shape: rng.normal(size=shape),
    "unequal": _unequal,
    "one skewed": _one_skewed,
}


def asked(on="values", *, null="monte-carlo", resamples=199, pairs="pooled", adjust="holm", seed=1):
    return PermutationProcedure(on, null, resamples, pairs, "two-sided", adjust, ALPHA, 0.0, seed)


def laid_out(b, k, n=1):
    """Return the layout of n tables side by side: each has its own blocks and labels."""
    blocks = np.repeat(np.arange(n * b), k)
    labels = np.tile(np.arange(k), n * b) + k * np.repeat(np.arange(n), b * k)
    return lay_out(blocks, labels, n * k)


def moments(scores, cell):
    """Return the moments of each row of scores (n, B K), by one call for all of them."""
    n, k = len(scores), cell.k
    m = nulls.moments(scores.ravel(), laid_out(cell.b, k, n))
    parts = [slice(i * k, (i + 1) * k) for i in range(n)]
    return [nulls.PermutationMoments(m.total[at], m.deviation[at], m.cov[at, at]) for at in parts]


def between(bounds, share, n, name):
    """Assert that a share of n tables lies within four standard errors of its bounds."""
    low, high = np.array(bounds) + [-4, 4] * np.sqrt(np.multiply(bounds, 1 - np.array(bounds)) / n)
    assert low <= share <= high, (name, share, bounds)
