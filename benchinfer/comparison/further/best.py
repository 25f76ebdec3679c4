"""Sets of the best algorithm and of ranks by tests of their own, beside the verdicts on pairs.

What the verdicts leave open is read off the pairs. These sets ask another question, with a level of
its own, and are computed when asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import stdtr

from benchinfer.comparison.evidence import Setting
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.numbers import level_percent, several
from benchinfer.core.result import Showable
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.covariance import Adjusted, Estimates, all_pairs, contrast_variances
from benchinfer.numerics.directions.rank_sets import (
    NormalReference,
    RankSets,
    normal_rank_sets,
    rank_sets_of_p_values,
)
from benchinfer.numerics.types import Array, Codes, Flags
from benchinfer.relations.numerics import posets

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.comparison.comparison import Comparison, TestedComparison
    from benchinfer.core.measure import Measure

_NAMED = 6  # algorithms that a sentence names; of more it gives the number


@savable
@shaped(setting=SAME, sets=SAME, best_first="K <K")
@dataclass(frozen=True, eq=False, repr=False)
class BestSets(Showable):
    """Which algorithms may be the best, and which ranks each may have, by tests of their own.

    Attributes
    ----------
    setting
        What was compared.
    sets
        The sets of the K algorithms.
    best_first
        Indices of the algorithms in the order of the comparison.
    level
        Confidence level, of each kind of set by itself; of draws the credible level.
    where
        What the claims are about, in words.
    """

    _home: ClassVar[str] = "benchinfer.comparison"

    setting: Setting
    sets: RankSets
    best_first: tuple[int, ...]
    level: float
    where: str

    @property
    def measure(self) -> Measure:
        """The measure compared."""
        return self.setting.measure

    @property
    def credible(self) -> bool:
        """Whether sets are of posterior draws."""
        return self.sets.p_best is None

    def table(self) -> pd.DataFrame:
        """One row per algorithm, best first: ``measure algorithm [p_not_beaten] not_beaten ...``.

        ``p_not_beaten`` is the p-value of the hypothesis that no other algorithm is better, and
        ``not_beaten`` whether the algorithm is in the set of the best; with a tolerance
        ``p_not_beaten_beyond`` and ``not_beaten_beyond``, that none is better by more than that.
        Ranks from ``rank_low`` to ``rank_high`` hold for all algorithms together, from
        ``rank_low_alone`` to ``rank_high_alone`` for each by itself.
        """
        sets, order = self.sets, [*self.best_first]
        names = np.array(self.setting.algorithms, dtype=object)
        columns: dict[str, object] = {
            "measure": [self.setting.measure.name] * len(order),
            "algorithm": names[order].tolist(),
            **({} if sets.p_best is None else {"p_not_beaten": sets.p_best[order]}),
            "not_beaten": sets.best[order],
        }
        if sets.near is not None and sets.p_near is not None:
            columns |= {
                "p_not_beaten_beyond": sets.p_near[order],
                "not_beaten_beyond": sets.near[order],
            }
        columns |= {
            "rank_low": sets.low[order],
            "rank_high": sets.high[order],
            "rank_low_alone": sets.marginal_low[order],
            "rank_high_alone": sets.marginal_high[order],
        }
        return frame(columns)

    def headline(self) -> str:
        """Return the set of the best in one sentence."""
        names = [self.setting.algorithms[i] for i in self.best_first if self.sets.best[i]]
        k, level = len(self.setting.algorithms), level_percent(self.level)
        where = f"{self.where[0].upper()}{self.where[1:]}, "
        if len(names) == k:
            return f"{where}any of the {k} algorithms may be the best ({level})."
        who = f"only {names[0]}" if len(names) == 1 else several(names, _NAMED)
        return f"{where}of the {k} algorithms, {who} may be the best ({level})."

    def __str__(self) -> str:
        """Return the headline."""
        return self.headline()

    def description(self) -> str:
        """Return the set of the best."""
        return f"<BestSets of {self.setting.measure.name}: {self.headline()}>"


def sets_of(result: Comparison, compute: Callable[[], RankSets]) -> BestSets:
    """Return the sets of a comparison, with a check that the question has an answer."""
    refuse(result)
    return BestSets(
        setting=result.setting,
        sets=compute(),
        best_first=result.pairs.best_first,
        level=result.level,
        where=result.scope(),
    )


def refuse(result: Comparison) -> None:
    """Raise a DesignError where no set of the best or of ranks has a meaning."""
    if result.pairs.averages:
        raise DesignError(
            "contrasts of averages rank no algorithms.",
            hint="compare pairs of algorithms, the default of contrasts.",
        )
    circles = [members for members in posets.classes(result.pairs.better) if len(members) > 1]
    if circles:
        names = several([result.algorithms[i] for i in circles[0]], _NAMED)
        raise DesignError(
            f"verdicts run in a circle among {names}: none of them is the best.",
            hint="consensus rankings order relations with circles.",
        )
    if not result._differences_of_levels:
        raise DesignError(
            "the tests are of typical differences of pairs, which are no differences of levels: the"
            " best level is another question.",
            hint="the table of levels has the ranks that the verdicts leave open.",
        )
    if result._withheld.any():
        n = int(result._withheld.sum())
        verdicts = "1 verdict is" if n == 1 else f"{n:,} verdicts are"
        raise DesignError(
            f"{verdicts} withheld for what is missing, and sets of the best do not know that.",
            hint='complete the runs, or say what a failure counts as (failed="worst").',
        )


def of_normal(
    levels: Array,
    errors: Adjusted,
    alpha: float,
    margin: float,
    least: Array | float = 0.0,
) -> RankSets:
    """Return confidence sets for the best and for ranks from K levels with normal or t errors.

    Degrees of freedom are those of all pairs, in the order of `all_pairs`, as are the least
    standard errors of these, infinite for pairs without evidence.
    """
    pairs, matrix = all_pairs(len(levels))
    df, error = np.full((2, len(levels), len(levels)), np.inf)
    i, j = pairs.T
    df[i, j] = df[j, i] = errors.df[: len(pairs)]
    spread = np.sqrt(np.maximum(contrast_variances(matrix, errors.cov), 0.0))
    error[i, j] = error[j, i] = np.maximum(spread, least)
    return normal_rank_sets(NormalReference(levels, errors.cov, df, error), alpha, margin)


def of_estimates(
    estimates: Estimates, pairs: Codes, silent: Flags, alpha: float, margin: float
) -> RankSets:
    """Return the sets of all pairs (P, 2) with errors of their own, whatever their dependence.

    Pairs without an error, and (P,) silent ones, say nothing.
    """
    of_pairs, (i, j) = estimates.first(len(pairs)), pairs.T
    flat = (of_pairs.std_error == 0) | silent
    error = np.where(flat, 1.0, of_pairs.std_error)
    k = int(pairs.max()) + 1
    p = np.ones((2, k, k))  # that the row is better, and that it is by more than the tolerance
    for ahead, least in zip(p, (0.0, margin), strict=True):
        for row, column, turn in ((i, j, -1.0), (j, i, 1.0)):
            t = (least + turn * of_pairs.estimate) / error
            ahead[row, column] = np.where(flat, 1.0, stdtr(of_pairs.df, t))
    return rank_sets_of_p_values(p[0], alpha, p[1] if margin > 0 else None)


def of_raw_p_values(result: TestedComparison) -> RankSets:
    """Return rank sets from unadjusted p-values of the pairs, valid under any dependence.

    Pairs that were not compared give no evidence.
    """
    return rank_sets_of_p_values(one_sided(result), result._alpha)


def one_sided(result: TestedComparison) -> Array:
    """Return (K, K) unadjusted one-sided p-values that the row is better than the column.

    They are 1 for pairs that were not compared, and for pairs without a standard error.
    """
    evidence, k = result.evidence, len(result.algorithms)
    i, j = result.pairs.index.T
    side = {"two-sided": 0, "better": 1, "worse": -1}[result.alternative]
    ahead = np.where(evidence.estimate > 0, evidence.p_raw / 2, 1 - evidence.p_raw / 2)
    ahead = evidence.p_raw if side > 0 else 1 - evidence.p_raw if side < 0 else ahead
    p = np.ones((k, k))
    p[i, j], p[j, i] = ahead, 1 - ahead
    silent = evidence.std_error == 0
    p[i[silent], j[silent]] = p[j[silent], i[silent]] = 1.0
    return p
