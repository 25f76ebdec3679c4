"""Global tests of all algorithms."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from benchinfer.analyses.permutation.blocks import Exchangeable, standardised
from benchinfer.analyses.permutation.numerics import blocks, friedman, nulls
from benchinfer.analyses.permutation.options import PermutationProcedure
from benchinfer.analyses.permutation.pooled import PooledTests, pooled
from benchinfer.comparison.evidence import Array
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import unknown
from benchinfer.core.frames import records
from benchinfer.core.saving import savable

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
@dataclass(frozen=True, slots=True)
class RankSums:
    """Sums of ranks within blocks, K algorithms, larger ranks for better scores.

    Attributes
    ----------
    deviation, cov
        (K,) sums minus their expectation, and (K, K) covariance under the null hypothesis.
    total
        (K,) sums.
    mean_ranks
        (K,) mean rank with 1 for the best.
    n_blocks
        Blocks with two or more algorithms.
    complete
        Whether each block holds each algorithm once.
    tied
        Rows that share their rank.
    """

    deviation: Array
    cov: Array
    total: Array
    mean_ranks: Array
    n_blocks: int
    complete: bool
    tied: int


def rank_sums(data: Exchangeable) -> RankSums:
    """Rank the scores within blocks and sum up."""
    layout = data.layout
    scored = blocks.score(data.of(layout), layout, "ranks")
    m = nulls.moments(scored.values, layout)
    place = np.subtract(np.repeat(layout.sizes + 1.0, layout.sizes), scored.values)
    count = np.bincount(layout.labels, minlength=data.n_labels)
    mean = np.bincount(layout.labels, place, data.n_labels) / np.where(count > 0, count, np.nan)
    return RankSums(
        m.deviation, m.cov, m.total, mean, len(layout.sizes), layout.complete, scored.tied
    )


def global_tests(
    data: Exchangeable, found: PooledTests, family: str, asked: PermutationProcedure
) -> tuple[GlobalRow, ...]:
    """Return the tests of the chosen scores, and the classical ones that the blocks allow."""
    named = _SCORES[asked.on]
    if asked.scale == "dataset":
        data = standardised(data)
        named = f"{named}, scaled"
    layout = data.layout
    values = data.of(layout)
    inf = float("inf")
    rows = [
        GlobalRow(
            f"quadratic form of {named}",
            found.kind,
            found.quadratic,
            found.df,
            inf,
            *found.overall,
        )
    ]
    if found.single_step.shape[1]:
        size = found.statistic if asked.side >= 0 else -found.statistic
        best = int(np.argmax(size if asked.side else np.abs(size)))
        name = f"largest of {family}, {named}"
        p, error = (float(x) for x in found.single_step[:, best])
        rows.append(
            GlobalRow(name, found.kind, float(found.statistic[best]), np.nan, inf, p, error)
        )
    if layout.complete and asked.on != "dispersion":
        rows += _of_values(data, found, asked)
    ranks = blocks.score(values, layout, "ranks").values
    chi2 = friedman.friedman(ranks, layout)
    rows.append(_row("Friedman (corrected for ties)", chi2))
    if layout.complete:
        rows += _complete(chi2, values, ranks, layout)
    aligned_ranks = blocks.score(values, layout, "aligned-ranks").values
    aligned = nulls.quadratic(nulls.moments(aligned_ranks, layout))
    rows.append(_row("aligned ranks (Hodges-Lehmann)", aligned))
    return tuple(rows)


def _of_values(
    data: Exchangeable, found: PooledTests, asked: PermutationProcedure
) -> list[GlobalRow]:
    """Return Hothorn's t*, permuted as the chosen scores, and the F of the same table."""
    layout = data.layout
    values = data.of(layout)
    if asked.on != "values":
        beside = replace(asked, stop=False, pairs="pairwise")
        found = pooled(data, values, np.zeros((0, data.n_labels)), beside)
    f = friedman.f_form(found.quadratic, len(layout.sizes), data.n_labels)
    t = friedman.t_star(values.reshape(-1, data.n_labels))
    inf = float("inf")
    return [
        GlobalRow("Hothorn's t*", found.kind, t, data.n_labels - 1.0, inf, *found.overall),
        _row("two-way analysis of variance", f),
    ]


def _complete(
    chi2: nulls.GlobalTest, values: Array, ranks: Array, layout: "BlockLayout"
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


def _row(name: str, found: nulls.GlobalTest) -> GlobalRow:
    """Return a test of chi-squared, or of F if it has two degrees of freedom."""
    df, residual = (*found.df, float("inf"))[:2]
    return GlobalRow(name, "asymptotic", found.statistic, df, residual, found.p_value)


def check_order(algorithms: Sequence[str], order: Sequence[str]) -> None:
    """Refuse an order that does not name each algorithm once."""
    if strange := [name for name in order if name not in algorithms]:
        raise ArgumentError(unknown("algorithm", strange[0], algorithms))
    if sorted(order) != sorted(algorithms):
        raise ArgumentError(
            f"the order names {len(set(order)):,} of {len(algorithms):,} algorithms, or some"
            " more than once.",
            hint="Page's test takes all algorithms, best first.",
        )


def trend(ranks: RankSums, places: Array) -> GlobalRow:
    """Return Page's test that ranks grow with the places, for any blocks.

    References
    ----------
    Page, E. B. (1963). Ordered hypotheses for multiple treatments: a significance test for linear
    ranks. Journal of the American Statistical Association 58, 216-230.
    https://doi.org/10.1080/01621459.1963.10500843
    """
    m = nulls.PermutationMoments(ranks.total, ranks.deviation, ranks.cov)
    z = float(nulls.standardized(m, places[None, :])[0])
    name = "Page's trend (standardised)"
    return GlobalRow(name, "asymptotic", z, np.nan, float("inf"), float(ndtr(-z)))


def table(rows: tuple[GlobalRow, ...]) -> "pd.DataFrame":
    """Lay the tests out: ``test null statistic df df_residual p_value p_error``."""
    names = ("test", "null", "statistic", "df", "df_residual", "p_value", "p_error")
    return records(rows, names)
