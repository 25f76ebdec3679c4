"""Evidence of contrasts of cells, and interactions of two factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from benchinfer.analyses.factors.numerics.grid import Grid
from benchinfer.analyses.factors.numerics.tests import OwnSpread, adjusted_p, level_of_ends
from benchinfer.analyses.factors.options import FactorsOptions
from benchinfer.comparison.evidence import Evidence, in_agreement, tail_of_step, with_equivalence
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.max_t import critical_t
from benchinfer.numerics.multiplicity import holm
from benchinfer.numerics.types import Array, Codes, Flags


@savable
@shaped(
    pairs="P 2",
    others="P 2",
    estimate="P",
    std_error="P [0,inf] nan",
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
    estimate, std_error, n, flat, statistic, p_value, p_raw, low, high
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


def tested(
    values: Array, weight: float, margin: float, options: FactorsOptions
) -> tuple[Evidence, bool]:
    """Return the evidence of contrasts (D, P), with a share of the level, and whether by flips."""
    effects, alpha = OwnSpread.of(values), options.alpha * weight
    p, by_flips = adjusted_p(values, alpha, options.seed)
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
    grid: Grid,
    factors: tuple[int, int],
    pairs: Sequence[Codes],
    weight: float,
    options: FactorsOptions,
) -> Interaction:
    """Return the differences of differences of two factors, with a share of the level."""
    first, second = pairs[factors[0]], pairs[factors[1]]
    values = grid.double(*factors, first, second)
    effects = OwnSpread.of(values)
    p, by_flips = np.ones(values.shape[1]), False
    low, high = effects.interval(options.alpha)
    if weight:
        evidence, by_flips = tested(values, weight, 0.0, options)
        p, low, high = evidence.p_value, evidence.low, evidence.high
    of_first, of_second = (
        np.repeat(first, len(second), axis=0),
        np.tile(second, (len(first), 1)),
    )
    # On the data sets that the difference of differences is of.
    present = np.isfinite(values)
    means = grid.marginal(*factors)
    simple = np.stack(
        [
            _mean(means[:, of_first[:, at], of_second[:, 0]], present)
            - _mean(means[:, of_first[:, at], of_second[:, 1]], present)
            for at in (0, 1)
        ],
        axis=1,
    )
    return Interaction(
        factors=factors,
        pairs=of_first,
        others=of_second,
        estimate=effects.estimate,
        std_error=effects.std_error,
        n=effects.n,
        flat=effects.flat,
        statistic=effects.statistic,
        p_value=p,
        p_raw=effects.p_raw,
        low=low,
        high=high,
        simple=simple,
        tested=bool(weight),
        by_flips=by_flips,
    )


def _mean(values: Array, present: Flags) -> Array:
    """Return (P,) means over the data sets that hold a contrast, NaN without any."""
    n = present.sum(axis=0)
    total = np.where(present, values, 0.0).sum(axis=0)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)
