"""Global tests of all algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from benchinfer.analyses.permutation.blocks import Exchangeable, standardised
from benchinfer.analyses.permutation.numerics import blocks, friedman, nulls, page
from benchinfer.analyses.permutation.numerics.page import RankedBlocks, ranked_blocks
from benchinfer.analyses.permutation.options import PermutationProcedure
from benchinfer.analyses.permutation.pooled import PooledTests, pooled_tests
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import unknown
from benchinfer.core.frames import records
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.signs import NullKind
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.permutation.numerics.blocks import BlockLayout


_SCORES = {
    "values": "scores",
    "ranks": "ranks within blocks",
    "aligned-ranks": "aligned ranks",
    "normal-scores": "normal scores of aligned ranks",
    "dispersion": "spreads",
}


@savable
@shaped(p_value="[0,1] nan", p_error="[0,1] nan")
@dataclass(frozen=True, slots=True)
class GlobalRow:
    """One test: its name, null distribution, statistic, degrees of freedom, p-value and error."""

    test: str
    null: str
    statistic: float
    df: float
    df_residual: float
    p_value: float
    p_error: float = 0.0


@savable
@shaped(deviation="K", cov="K K", total="K", mean_ranks="K")
@dataclass(frozen=True, slots=True)
class RankSums:
    """Sums of ranks within blocks, K algorithms, larger ranks for better scores."""

    # deviation, cov: (K,) sums minus their expectation, and (K, K) covariance under the null
    # hypothesis
    deviation: Array
    cov: Array
    total: Array  # (K,) sums
    mean_ranks: Array  # (K,) mean rank with 1 for the best
    n_blocks: int  # blocks with two or more algorithms
    complete: bool  # whether each block holds each algorithm once
    tied: int  # rows that share their rank
    kinds: tuple[RankedBlocks, ...] = ()  # blocks by their labels and ties


def rank_sums(data: Exchangeable) -> RankSums:
    """Rank the scores within blocks and sum up."""
    layout = data.layout
    scored = blocks.score(data.of(layout), layout, "ranks", rounding=data.rounding[layout.rows])
    m = nulls.moments(scored.values, layout)
    place = np.subtract(np.repeat(layout.sizes + 1.0, layout.sizes), scored.values)
    count = np.bincount(layout.labels, minlength=data.n_labels)
    mean = np.bincount(layout.labels, place, data.n_labels) / np.where(count > 0, count, np.nan)
    return RankSums(
        m.deviation,
        m.cov,
        m.total,
        mean,
        len(layout.sizes),
        layout.complete,
        scored.tied,
        ranked_blocks(scored.values, layout),
    )


def global_tests(
    data: Exchangeable, pooled: PooledTests, family: str, procedure: PermutationProcedure
) -> tuple[GlobalRow, ...]:
    """Return the tests of the chosen scores, and the classical ones that the blocks allow."""
    scores = _SCORES[procedure.on]
    if procedure.scale == "dataset":
        data = standardised(data)
        scores = f"{scores}, scaled"
    layout = data.layout
    values, rounding = data.of(layout), data.rounding[layout.rows]
    name = f"quadratic form of {scores}"
    rows = [GlobalRow(name, pooled.kind, pooled.quadratic, pooled.df, np.inf, *pooled.overall)]
    if pooled.single_step.shape[1]:
        size = pooled.statistic if procedure.side >= 0 else -pooled.statistic
        best = int(np.argmax(size if procedure.side else np.abs(size)))
        p, error = (float(x) for x in pooled.single_step[:, best])
        largest = float(pooled.statistic[best])
        name = f"largest of {family}, {scores}"
        rows.append(GlobalRow(name, pooled.kind, largest, np.nan, np.inf, p, error))
    if layout.complete and procedure.on != "dispersion":
        rows += _of_values(data, pooled, procedure)
    ranks = blocks.score(values, layout, "ranks", rounding=rounding).values
    chi2 = friedman.friedman(ranks, layout)
    rows.append(_row("Friedman (corrected for ties)", chi2))
    if layout.complete:
        rows += _complete(chi2, values, ranks, layout)
    aligned_ranks = blocks.score(values, layout, "aligned-ranks", rounding=rounding).values
    aligned = nulls.quadratic(nulls.moments(aligned_ranks, layout))
    rows.append(_row("aligned ranks (Hodges-Lehmann)", aligned))
    return tuple(rows)


def _of_values(
    data: Exchangeable, pooled: PooledTests, procedure: PermutationProcedure
) -> list[GlobalRow]:
    """Return Hothorn's t*, permuted as the chosen scores, and the F of the same table."""
    layout, k = data.layout, data.n_labels
    values = data.of(layout)
    if procedure.on != "values":
        pairwise = replace(procedure, stop=False, pairs="pairwise")
        pooled = pooled_tests(data, values, np.zeros((0, k)), pairwise)
    f = friedman.f_form(pooled.quadratic, len(layout.sizes), k)
    t = friedman.t_star(values.reshape(-1, k))
    return [
        # With the p-value of the quadratic form of pooled scores.
        GlobalRow("Hothorn's t*", pooled.kind, t, k - 1.0, np.inf, *pooled.overall),
        _row("two-way analysis of variance", f),
    ]


def _complete(
    chi2: nulls.GlobalTest, values: Array, ranks: Array, layout: BlockLayout
) -> list[GlobalRow]:
    """Return the classical tests that need every algorithm once in each block."""
    b, k = len(layout.sizes), layout.n_labels
    plain = friedman.friedman(ranks, layout, corrected=False)
    f, plain_f = (friedman.f_form(each.statistic, b, k) for each in (chi2, plain))
    return [
        _row("Friedman (no correction)", plain),
        _row("Iman-Davenport (corrected for ties)", f),
        _row("Iman-Davenport (no correction)", plain_f),
        _row("Quade", friedman.quade(values, ranks, layout)),
    ]


def _row(name: str, test: nulls.GlobalTest) -> GlobalRow:
    """Return a test of chi-squared, or of F if it has two degrees of freedom."""
    df, residual = (*test.df, np.inf)[:2]
    return GlobalRow(name, "asymptotic", test.statistic, df, residual, test.p_value)


def check_order(algorithms: Sequence[str], order: Sequence[str]) -> None:
    """Raise an ArgumentError where an order does not list each algorithm exactly once."""
    if strange := [name for name in order if name not in algorithms]:
        raise ArgumentError(unknown("algorithm", strange[0], algorithms))
    if sorted(order) != sorted(algorithms):
        raise ArgumentError(
            f"the order names {len(set(order)):,} of {len(algorithms):,} algorithms, or some"
            " more than once.",
            hint="Page's test takes all algorithms, best first.",
        )


def trend(
    ranks: RankSums, places: Array, null: NullKind, *, resamples: int, seed: int
) -> GlobalRow:
    """Test by Page's statistic that ranks grow with the places, for any blocks.

    Parameters
    ----------
    ranks
        Sums of ranks, with what blocks they are of.
    places
        (K,) whole numbers, the largest for the algorithm that is to be the best.
    null
        ``"exact"``, ``"monte-carlo"``, ``"asymptotic"``, or ``"auto"``: exact where that is quick.
        Where it is not, ``"exact"`` draws random arrangements, too, and the row says so.
    resamples, seed
        Of random arrangements.

    References
    ----------
    Page, E. B. (1963). Ordered hypotheses for multiple treatments: a significance test for linear
    ranks. Journal of the American Statistical Association 58, 216-230.
    https://doi.org/10.1080/01621459.1963.10500843
    """
    m = nulls.PermutationMoments(ranks.total, ranks.deviation, ranks.cov)
    z = float(nulls.standardized(m, places[None, :])[0])
    name = "Page's trend (standardised)"
    if null == "asymptotic":
        return GlobalRow(name, null, z, np.nan, np.inf, float(ndtr(-z)))
    p = None if null == "monte-carlo" else page.exact(ranks.kinds, places, ranks.total)
    if p is not None:
        return GlobalRow(name, "exact", z, np.nan, np.inf, p)
    drawn = page.monte_carlo(ranks.kinds, places, m, resamples, seed)
    return GlobalRow(name, "monte-carlo", z, np.nan, np.inf, *drawn)


def table(rows: tuple[GlobalRow, ...]) -> pd.DataFrame:
    """Return the tests as a table: ``test null statistic df df_residual p_value p_error``."""
    names = ("test", "null", "statistic", "df", "df_residual", "p_value", "p_error")
    return records(rows, names)
