"""Evidence of contrasts of cells, and interactions of two factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from benchinfer.analyses.factors.numerics.grid import Grid
from benchinfer.analyses.factors.numerics.model import GridModel
from benchinfer.analyses.factors.numerics.tests import ContrastEstimates, adjusted_p, level_of_ends
from benchinfer.analyses.factors.options import FactorsOptions
from benchinfer.comparison.evidence import Evidence, in_agreement, tail_of_step, with_equivalence
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.max_t import critical_t
from benchinfer.numerics.multiplicity import holm
from benchinfer.numerics.types import Array, Codes, Flags

# Data sets, and share of them, that hold all cells of a contrast; of fewer there is a model.
_LEAST_COMPLETE = 5


@savable
@shaped(
    pairs="P 2",
    others="P 2",
    estimate="P",
    std_error="P [0,inf] nan",
    df="P [0,inf]",
    n="P [0,inf)",
    flat="P",
    statistic="P",
    p_value="P [0,1] nan",
    p_raw="P [0,1] nan",
    low="P",
    high="P",
    simple="P 2",
)
@dataclass(frozen=True, slots=True)
class Interaction:
    """Differences of differences of two factors; (P,) arrays on the modelling scale.

    Attributes
    ----------
    factors
        Places of both factors.
    pairs, others
        (P, 2) levels of the first factor, and of the second one, by their sorted names.
    estimate, std_error, df, n, flat, statistic, p_value, p_raw, low, high
        As in `Evidence`, with the number of data sets, and which do not vary between them.
    simple
        (P, 2) difference of the second pair of levels at either one of the first pair.
    tested
        Whether interactions are in the family.
    by_flips
        Whether p-values are by flips of whole data sets.
    """

    factors: tuple[int, int]
    pairs: Codes
    others: Codes
    estimate: Array
    std_error: Array
    df: Array
    n: Codes
    flat: Flags
    statistic: Array
    p_value: Array
    p_raw: Array
    low: Array
    high: Array
    simple: Array
    tested: bool
    by_flips: bool

    @property
    def p_omnibus(self) -> float:
        """Adjusted p-value of the hypothesis that there is no interaction."""
        return float(self.p_value.min(initial=1.0))

    @property
    def largest(self) -> int:
        """Place of the difference of differences with the most evidence."""
        return int(np.abs(self.statistic).argmax())


@dataclass(frozen=True, slots=True)
class CellEffects:
    """Effects of factors on the cells of a grid: by data set, or by a model of incomplete grids."""

    grid: Grid
    model: GridModel | None

    @staticmethod
    def of(grid: Grid, pairs: Sequence[Codes]) -> CellEffects:
        """Return effects of complete data sets, or by the model where these are too few."""
        simple = CellEffects(grid, None)
        parts = [simple.main(f, each)[0] for f, each in enumerate(pairs)]
        parts += [simple.double(f, g, pairs[f], pairs[g])[0] for f, g in grid.pairs]
        n = np.concatenate([part.n for part in parts])
        d = len(grid.means)
        few = n.min() < min(d, max(_LEAST_COMPLETE, d / 2))
        return CellEffects(grid, GridModel.of(grid)) if few and not _one_at_a_time(grid) else simple

    def main(self, factor: int, pairs: Codes) -> tuple[ContrastEstimates, Array | None]:
        """Return the main effects of pairs of levels, and their (D, P) values by data set."""
        if self.model:
            return self.model.estimates(self.model.main(factor), pairs), None
        values = self.grid.main(factor, pairs)
        return ContrastEstimates.of(values), values

    def double(
        self, factor: int, other: int, pairs: Codes, others: Codes
    ) -> tuple[ContrastEstimates, Array | None]:
        """Return differences of differences, and their (D, P) values by data set."""
        if self.model:
            return self.model.double(factor, other, pairs, others), None
        values = self.grid.double(factor, other, pairs, others)
        return ContrastEstimates.of(values), values

    def simple(self, factor: int, pairs: Codes, at: int) -> tuple[ContrastEstimates, Array | None]:
        """Return effects at each level of another factor in turn, and their (D, L P) values."""
        if self.model:
            rows = self.model.simple(factor, pairs, at).transpose(1, 0, 2)
            rows = rows.reshape(-1, rows.shape[2])
            zero = np.zeros((1, rows.shape[1]))
            sides = np.column_stack([np.arange(len(rows)), np.full(len(rows), len(rows))])
            return self.model.estimates(np.vstack([rows, zero]), sides), None
        values = self.grid.simple(factor, pairs, at)
        values = values.reshape(len(values), -1)
        return ContrastEstimates.of(values), values

    def levels(self, factor: int) -> Array:
        """Return (L,) means at the levels of a factor, NaN where they are not estimable."""
        if self.model:
            return self.model.means(self.model.main(factor))
        by_level = self.grid.marginal(factor)
        return _mean(by_level, np.isfinite(by_level))

    def means(self, factor: int, at: int) -> Array:
        """Return (L, M) means at the levels of two factors, NaN where they are not estimable.

        They are over the data sets that hold all cells, where there are any.
        """
        if self.model:
            rows = self.model.of_both(factor, at)
            return self.model.means(rows.reshape(-1, rows.shape[2])).reshape(rows.shape[:2])
        means = self.grid.marginal(factor, at)
        complete = np.isfinite(means).all(axis=(1, 2))
        means = means[complete] if complete.any() else means
        return _mean(means, np.isfinite(means))

    def sides(self, factors: tuple[int, int], pairs: Codes, others: Codes) -> Array:
        """Return (P, 2) differences of a second pair of levels at either one of a first pair.

        Of data sets these are all that hold the difference of both.
        """
        if self.model:
            second, place = np.unique(others, axis=0, return_inverse=True)
            rows = self.model.simple(factors[1], second, factors[0]) @ self.model.beta
            return np.stack([rows[place.ravel(), pairs[:, at]] for at in (0, 1)], axis=1)
        means = self.grid.marginal(*factors)
        at_levels = [
            means[:, pairs[:, at], others[:, 0]] - means[:, pairs[:, at], others[:, 1]]
            for at in (0, 1)
        ]
        present = np.isfinite(at_levels[0] - at_levels[1])
        return np.stack([_mean(values, present) for values in at_levels], axis=1)


def _one_at_a_time(grid: Grid) -> bool:
    """Return whether cells are too few to tell factors apart from their interactions."""
    return len(grid.codes) <= 1 + sum(size - 1 for size in grid.sizes)


def tested(
    effects: ContrastEstimates,
    values: Array | None,
    weight: float,
    margin: float,
    options: FactorsOptions,
) -> tuple[Evidence, bool]:
    """Return the evidence of contrasts, with a share of the level, and whether by flips.

    Flips are of their (D, P) values by data set.
    """
    alpha = options.alpha * weight
    p, by_flips = adjusted_p(effects, values, alpha, options.seed)
    p = np.minimum(p / weight, 1.0)
    m = int(effects.estimable.sum())
    low, high = effects.interval(level_of_ends(max(m, 1), alpha))
    low, high = in_agreement(low, high, np.nan_to_num(effects.estimate), p <= options.alpha)
    safe = np.where(effects.estimable, effects.std_error, 1.0)
    gap = np.where(
        effects.estimable, (margin - np.abs(np.nan_to_num(effects.estimate))) / safe, -np.inf
    )
    one_sided = stdtr(effects.df, -gap)
    evidence = Evidence(
        estimate=effects.estimate,
        std_error=effects.std_error,
        df=effects.df,
        statistic=effects.statistic,
        p_value=p,
        p_raw=effects.p_raw,
        p_equivalence=np.minimum(holm(one_sided) / weight, 1.0),
        low=low,
        high=high,
    )

    def ends(rows: Codes, tails: Array) -> tuple[Array, Array]:
        reach = critical_t(effects.df[rows], 2 * tails) * effects.std_error[rows]
        return effects.estimate[rows] - reach, effects.estimate[rows] + reach

    tail = tail_of_step(one_sided, evidence.p_equivalence, options.alpha)
    return with_equivalence(evidence, tail, options.alpha, margin, ends), by_flips


def interaction(
    effects: CellEffects,
    factors: tuple[int, int],
    pairs: Sequence[Codes],
    weight: float,
    options: FactorsOptions,
) -> Interaction:
    """Return the differences of differences of two factors, with a share of the level."""
    first, second = pairs[factors[0]], pairs[factors[1]]
    estimates, values = effects.double(*factors, first, second)
    p, by_flips = np.ones(len(estimates.n)), False
    low, high = estimates.interval(options.alpha)
    if weight:
        evidence, by_flips = tested(estimates, values, weight, 0.0, options)
        p, low, high = evidence.p_value, evidence.low, evidence.high
    of_first = np.repeat(first, len(second), axis=0)
    of_second = np.tile(second, (len(first), 1))
    return Interaction(
        factors=factors,
        pairs=of_first,
        others=of_second,
        estimate=estimates.estimate,
        std_error=estimates.std_error,
        df=estimates.df,
        n=estimates.n,
        flat=estimates.flat,
        statistic=estimates.statistic,
        p_value=p,
        p_raw=estimates.p_raw,
        low=low,
        high=high,
        simple=effects.sides(factors, of_first, of_second),
        tested=bool(weight),
        by_flips=by_flips,
    )


def _mean(values: Array, present: Flags) -> Array:
    """Return (P,) means over the data sets that hold a contrast, NaN without any."""
    n = present.sum(axis=0)
    total = np.where(present, values, 0.0).sum(axis=0)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)
