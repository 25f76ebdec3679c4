"""Whether direct and indirect evidence agree: designs against each other, and split pairs.

References
----------
Higgins, J. P. T., Jackson, D., Barrett, J. K., Lu, G., Ades, A. E. & White, I. R. (2012).
Consistency and inconsistency in network meta-analysis: concepts and models for multi-arm studies.
Research Synthesis Methods 3, 98-110. https://doi.org/10.1002/jrsm.1044

Dias, S., Welton, N. J., Caldwell, D. M. & Ades, A. E. (2010). Checking consistency in mixed
treatment comparison meta-analysis. Statistics in Medicine 29, 932-944.
https://doi.org/10.1002/sim.3767
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import chdtrc, fdtrc

from benchinfer.numerics.meta.clusters import clusters
from benchinfer.numerics.meta.pooling import Method, Part, at, pool, tau_squared
from benchinfer.numerics.meta.rows import Block, Codes, Rows

if TYPE_CHECKING:
    from benchinfer.numerics.meta.rows import Array


@dataclass(frozen=True, slots=True)
class Test:
    """A test: its statistic, degrees of freedom, those of its denominator, p-value and tau^2."""

    statistic: float
    df: int
    df_residual: float
    p_value: float
    tau2: float


@dataclass(frozen=True, slots=True)
class Designs:
    """Cochran's Q split by the set of algorithms that a data set compares.

    Attributes
    ----------
    within
        Heterogeneity between data sets of the same design.
    between
        Inconsistency between designs, effects fixed.
    interaction
        Inconsistency between designs with tau^2 from within designs (design-by-treatment); None
        where no design has two data sets, or all data sets have one design.
    """

    within: Test
    between: Test
    interaction: Test | None


def by_design(rows: Rows, blocks: Sequence[Block], method: Method, *, refined: bool) -> Designs:
    """Split Q by designs.

    Parameters
    ----------
    rows
        The rows of `blocks`.
    blocks
        Effects of the data sets.
    method
        How tau^2 within designs is estimated.
    refined
        Whether the test with tau^2 is an F test of Q scaled by that within designs.
    """
    design = _codes(blocks)
    parts = [_own(rows, design[rows.dataset] == d) for d in range(int(design.max()) + 1)]
    whole = [rows.part()]
    q, own = at(whole, 0.0).q, at(parts, 0.0).q
    free, left = whole[0].free, sum(part.free for part in parts)
    within = _chi2(own, left, 0.0)
    between = _chi2(q - own, free - left, 0.0)
    if left in (0, free):
        return Designs(within, between, None)
    tau2 = tau_squared(parts, method)
    scaled, inner = at(whole, tau2).q, at(parts, tau2).q
    if not refined:
        return Designs(within, between, _chi2(scaled - inner, free - left, tau2))
    f = (scaled - inner) / (free - left) / (inner / left)
    p = float(fdtrc(free - left, left, f))
    return Designs(within, between, Test(f, free - left, float(left), p, tau2))


def _codes(blocks: Sequence[Block]) -> Codes:
    """Return (D,) codes of the sets of algorithms."""
    known: dict[tuple[int, ...], int] = {}
    return np.array([known.setdefault(tuple(sorted(b.arms.tolist())), len(known)) for b in blocks])


def _own(rows: Rows, chosen: "np.typing.NDArray[np.bool_]") -> Part:
    """Return rows of one design with contrasts of its own."""
    x = rows.x[chosen]
    x = x[:, np.abs(x).max(axis=0) > 0][:, 1:]
    return Part(rows.y[chosen], x, rows.v[chosen])


def _chi2(q: float, df: int, tau2: float) -> Test:
    q = max(q, 0.0)
    return Test(q, df, np.inf, float(chdtrc(df, q)) if df else 1.0, tau2)


@dataclass(frozen=True, slots=True)
class Split:
    """Direct and indirect evidence of one pair; first minus second, with standard errors.

    Attributes
    ----------
    direct, indirect, difference
        Estimate and standard error of each.
    df
        Degrees of freedom, infinite for normal tests.
    tau2
        Variance between data sets, estimated with both apart.
    robust
        Whether errors are from the spread of the data sets.
    """

    direct: tuple[float, float]
    indirect: tuple[float, float]
    difference: tuple[float, float]
    df: float
    tau2: float
    robust: bool = False


def split(
    rows: Rows,
    blocks: Sequence[Block],
    pair: tuple[int, int],
    method: Method,
    *,
    refined: bool,
    robust: bool = False,
) -> Split | None:
    """Let a pair differ by another amount where both are compared than the network implies.

    Data sets that hold both get an extra half of the difference for the first algorithm and minus
    a half for the second, so that no baseline is preferred in data sets of several algorithms.
    Robust errors are from the spread of the data sets, where no data set alone determines either
    kind of evidence; else they are of the model with one variance, as without them.

    Returns
    -------
    Split or None
        None where there is no direct or no indirect evidence.
    """
    i, j = pair
    both = np.array([i in b.arms and j in b.arms for b in blocks])
    if not both.any():
        return None
    extra = np.where(both[rows.dataset], (rows.x[:, i] - rows.x[:, j]) / 2, 0.0)
    part = rows.part(extra)
    if np.linalg.matrix_rank(part.x / np.sqrt(part.v)[:, None]) < part.x.shape[1]:
        return None
    tau2 = tau_squared([part], method)
    found = pool(part, tau2, refined=refined)
    cov, df = found.cov, found.df
    c: Array = np.zeros((3, part.x.shape[1]))
    for row in c[:2]:
        if i:
            row[i - 1] = 1.0
        if j:
            row[j - 1] = -1.0
    c[[0, 2], -1] = 1.0
    own = clusters(part, rows.dataset, found.beta, tau2) if robust else None
    spread = own is not None and not own.determined_alone().any()
    if own is not None and spread:
        errors = own.errors(c)
        cov, df = errors.cov, float(errors.df[2])
    estimate = c @ found.beta
    error = np.sqrt(np.einsum("jp,pq,jq->j", c, cov, c))
    direct, indirect, apart = ((float(a), float(b)) for a, b in zip(estimate, error, strict=True))
    return Split(direct, indirect, apart, df, tau2, spread)
