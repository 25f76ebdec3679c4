"""Network meta-analysis: robust errors and consistency.

One variance tau^2 for all pairs gives pairs that vary little between data sets errors that are too
large, and pairs with an erratic algorithm errors that are too small. Here tau^2 only sets the
weights; the residuals of the data sets (of studies, where data sets lie within them) give the
covariance (CR2), with Satterthwaite degrees of freedom for each contrast. Rows are whitened by the
symmetric root of their covariance, so that no choice of baselines matters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import chdtrc, fdtrc

from benchinfer.analyses.meta.numerics.effects import Block, EffectRows
from benchinfer.analyses.meta.numerics.pooling import (
    Method,
    NetworkPart,
    PooledEffects,
    at,
    least_effective_number,
    pool,
    solve,
    tau_squared,
)
from benchinfer.numerics.covariance import Adjusted, cluster_robust, contrast_variances, whitened
from benchinfer.numerics.types import Array, Codes, Flags

# A leverage this close to 1 leaves no residual but rounding.
_ALONE = 1e-7


@dataclass(frozen=True, slots=True)
class NetworkClusters:
    """Rows of a network by independent groups, all of the length m of the longest."""

    precision: Array  # (G, m, m) inverse covariances of the rows, 0 where a group has fewer
    x: Array  # (G, m, p) columns
    weighted: Array  # (G, m) precision times residuals
    phi: Array  # (p, p) covariance of the coefficients under the model

    def determined_alone(self) -> Flags:
        """Return (G,) whether some combination of coefficients is known from that group only.

        Such a group has a residual of 0 however large its error is, so that nothing says how far
        off the combination may be.
        """
        # Eigenvalues of the leverage: those of phi^(1/2) X' V^-1 X phi^(1/2).
        root = np.linalg.cholesky(self.phi)
        half = self.x @ root
        leverage = half.transpose(0, 2, 1) @ self.precision @ half
        return np.linalg.eigvalsh(leverage)[:, -1] > 1 - _ALONE

    def errors(self, contrasts: Array) -> Adjusted:
        """Return the (p, p) covariance and the degrees of freedom of (J, p) contrasts."""
        rows = whitened(self.precision, self.weighted, self.x)
        return cluster_robust([rows], self.phi, contrasts)


def clusters(
    part: NetworkPart, group: Codes, beta: Array, tau2: float, shared: Array | None = None
) -> NetworkClusters:
    """Gather rows by groups.

    `group` (n,) are codes of the independent groups, without gaps; `tau2` is the variance of each
    row beyond that of sampling. `shared` (n, K), if there is such a level, are combinations of
    levels that vary from group to group, scaled so that ``shared @ shared.T`` is the covariance
    they add.

    References
    ----------
    Hedges, L. V., Tipton, E. & Johnson, M. C. (2010). Robust variance estimation in meta-regression
    with dependent effect size estimates. Research Synthesis Methods 1, 39-65.
    https://doi.org/10.1002/jrsm.5

    Tipton, E. (2015). Small sample adjustments for robust variance estimation with meta-regression.
    Psychological Methods 20, 375-393. https://doi.org/10.1037/met0000011
    """
    p = part.x.shape[1]
    groups = int(group.max()) + 1
    size = int(np.bincount(group).max())
    precision = np.zeros((groups, size, size))
    x, weighted = np.zeros((groups, size, p)), np.zeros((groups, size))
    rest = part.y - part.x @ beta
    information = np.zeros((p, p))
    order = np.argsort(group, kind="stable")
    for g, rows in enumerate(np.split(order, np.flatnonzero(np.diff(group[order])) + 1)):
        total = np.diag(part.v[rows] + tau2)
        if shared is not None:
            total += shared[rows] @ shared[rows].T
        m = len(rows)
        inverse = np.linalg.inv(total)
        precision[g, :m, :m], x[g, :m] = inverse, part.x[rows]
        weighted[g, :m] = inverse @ rest[rows]
        information += part.x[rows].T @ inverse @ part.x[rows]
    return NetworkClusters(precision, x, weighted, np.linalg.inv(information))


def equally_exact(part: NetworkPart) -> NetworkPart:
    """Return rows that weigh the same, as if all were equally exact."""
    return replace(part, v=np.ones(len(part.v)))


def effective_share(part: NetworkPart, group: Codes) -> float:
    """Return the smallest of the pairs' effective numbers of groups, over the number needed.

    The groups (data sets) make the variance of the estimate of a pair, each a share ``s_g`` of it,
    and ``1 / sum s_g^2`` equally exact ones would make as large shares. By the sampling variances
    that is ``n0``, and by equal weights ``D``, for two algorithms the number of effects; the number
    needed is ``max(D / 2, 5)``.
    """
    exact, equal = (_shares(rows, group) for rows in (part, equally_exact(part)))
    return float(min(n / least_effective_number(d) for n, d in zip(exact, equal, strict=True)))


def _shares(part: NetworkPart, group: Codes) -> Array:
    """Return (P,) the effective number of groups behind each pair, at tau^2 = 0."""
    influence = part.x @ solve(part, 0.0)[1] / np.sqrt(part.v)[:, None]
    levels = np.column_stack([np.zeros(len(influence)), influence])
    groups, k = int(group.max()) + 1, levels.shape[1]
    numbers: list[Array] = []
    for first in range(k - 1):
        squares = (levels[:, first + 1 :] - levels[:, [first]]) ** 2
        by_group = np.zeros((groups, k - 1 - first))
        np.add.at(by_group, group, squares)
        numbers.append(by_group.sum(axis=0) ** 2 / (by_group**2).sum(axis=0))
    return np.concatenate(numbers)


def pool_network_equally(part: NetworkPart, group: Codes, tau2: float) -> PooledEffects:
    """Pool the rows of a network with equal weights.

    Least squares, with robust errors (CR2) from the spread of the groups, not below what sampling
    errors alone would make of them: the covariance is ``C + (S - C)+``, with C the robust one, S
    that by the sampling variances, and + the part with positive eigenvalues in the metric of the
    information, so that no choice of a first algorithm matters. Where all groups hold
    all algorithms, each pair has the mean of its differences and D - 1 degrees of freedom, as
    `pool_equally` has.

    Parameters
    ----------
    part
        The rows, whose coefficients are levels of all algorithms but the first.
    group
        (n,) codes of the independent groups, without gaps; none alone determines a coefficient.
    tau2
        Variance between data sets, as it was estimated: it does not enter.

    References
    ----------
    As of `clusters` and `pool_equally`.
    """
    flat = equally_exact(part)
    beta, phi = solve(flat, 0.0)
    robust = clusters(flat, group, beta, 0.0).errors(np.eye(len(beta)))
    half = phi @ part.x.T
    sampling = (half * part.v) @ half.T
    root = np.linalg.cholesky(phi)
    half = solve_triangular(root, sampling - robust.cov, lower=True)
    values, vectors = np.linalg.eigh(solve_triangular(root, half.T, lower=True))
    lifted = root @ vectors
    cov = robust.cov + (lifted * np.maximum(values, 0.0)) @ lifted.T
    return PooledEffects(beta, cov, tau2, 1.0, float(np.median(robust.df)), equal=True)


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
    """Cochran's Q split by the set of algorithms that a data set compares."""

    within: Test  # heterogeneity between data sets of the same design
    between: Test  # inconsistency between designs, effects fixed
    # Inconsistency between designs with tau^2 from within designs (design-by-treatment); None where
    # no design has two data sets, or all data sets have one design
    interaction: Test | None


def by_design(
    rows: EffectRows, blocks: Sequence[Block], method: Method, *, refined: bool
) -> Designs:
    """Split Q by designs.

    `rows` are those of `blocks`, and `method` is how tau^2 within designs is estimated. With
    `refined` the test with tau^2 is an F test of Q scaled by that within designs.

    References
    ----------
    Higgins, J. P. T., Jackson, D., Barrett, J. K., Lu, G., Ades, A. E. & White, I. R. (2012).
    Consistency and inconsistency in network meta-analysis: concepts and models for multi-arm
    studies. Research Synthesis Methods 3, 98-110. https://doi.org/10.1002/jrsm.1044

    Dias, S., Welton, N. J., Caldwell, D. M. & Ades, A. E. (2010). Checking consistency in mixed
    treatment comparison meta-analysis. Statistics in Medicine 29, 932-944.
    https://doi.org/10.1002/sim.3767
    """
    # The code of each data set's set of algorithms.
    codes: dict[tuple[int, ...], int] = {}
    arms = [tuple(sorted(block.arms.tolist())) for block in blocks]
    design = np.array([codes.setdefault(each, len(codes)) for each in arms])
    parts: list[NetworkPart] = []
    for d in range(len(codes)):
        chosen = design[rows.dataset] == d
        x = rows.x[chosen]
        x = x[:, np.abs(x).max(axis=0) > 0][:, 1:]  # contrasts of the algorithms of the design
        parts.append(NetworkPart(rows.y[chosen], x, rows.v[chosen]))
    every = [rows.part()]
    q, q_within = at(every, 0.0).q, at(parts, 0.0).q
    free, left = every[0].free, sum(part.free for part in parts)
    within = _chi2(q_within, left, 0.0)
    between = _chi2(q - q_within, free - left, 0.0)
    if left in (0, free):
        return Designs(within, between, None)
    tau2 = tau_squared(parts, method)
    scaled, inner = at(every, tau2).q, at(parts, tau2).q
    if not refined:
        return Designs(within, between, _chi2(scaled - inner, free - left, tau2))
    f = (scaled - inner) / (free - left) / (inner / left)
    p = float(fdtrc(free - left, left, f))
    return Designs(within, between, Test(f, free - left, float(left), p, tau2))


def _chi2(q: float, df: int, tau2: float) -> Test:
    q = max(q, 0.0)
    return Test(q, df, np.inf, float(chdtrc(df, q)) if df else 1.0, tau2)


@dataclass(frozen=True, slots=True)
class Split:
    """Direct and indirect evidence of one pair; first minus second, with standard errors."""

    # direct, indirect, difference: estimate and standard error of each
    direct: tuple[float, float]
    indirect: tuple[float, float]
    difference: tuple[float, float]
    df: float  # degrees of freedom, infinite for normal tests
    tau2: float  # variance between data sets, estimated with both apart
    robust: bool = False  # whether errors are from the spread of the data sets


def split(
    rows: EffectRows,
    blocks: Sequence[Block],
    pair: tuple[int, int],
    method: Method,
    *,
    refined: bool,
    robust: bool = False,
) -> Split | None:
    """Split the evidence of a pair into direct and indirect (node splitting).

    Data sets that hold both get an extra half of the difference for the first algorithm and minus
    a half for the second, so that no baseline is preferred in data sets of several algorithms.
    Robust errors are from the spread of the data sets, where no data set alone determines either
    kind of evidence; else they are of the model with one variance, as without them.

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
    pooled = pool(part, tau2, refined=refined)
    cov, df = pooled.cov, pooled.df
    c: Array = np.zeros((3, part.x.shape[1]))
    for row in c[:2]:
        if i:
            row[i - 1] = 1.0
        if j:
            row[j - 1] = -1.0
    c[[0, 2], -1] = 1.0
    groups = clusters(part, rows.dataset, pooled.beta, tau2) if robust else None
    spread = groups is not None and not groups.determined_alone().any()
    if groups is not None and spread:
        errors = groups.errors(c)
        cov, df = errors.cov, float(errors.df[2])
    estimate = c @ pooled.beta
    error = np.sqrt(contrast_variances(c, cov))
    direct, indirect, apart = ((float(a), float(b)) for a, b in zip(estimate, error, strict=True))
    return Split(direct, indirect, apart, df, tau2, spread)
