"""Likelihood of the score model with one variance per source.

``value = X b + d_m + a_mk + r_mb + e`` for data set m, replication b, algorithm k, with variances
``dataset``, ``dataset:algorithm``, ``dataset:replication`` and ``residual``. Data sets are
independent blocks, so the cost of an evaluation is that of D small (K, K) problems, whatever the
number of replications; of one, where all data sets have the same design, as in a complete table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from benchinfer.analyses.mixed.numerics.moments import Statistics
from benchinfer.core.errors import FitError
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes, Flags

# Components in the order of every array over components; the residual is always last.
COMPONENTS = ("dataset", "dataset:algorithm", "dataset:replication", "residual")
_D, _A, _R = range(3)
# Numbers summed up at a time, so that their products with weights stay in the cache.
_SLICE = 1 << 17
# Share of the largest variance below which another is set to 0 after a step.
_FLOOR = 1e-16
# Residual variance, relative to that of the centred scores, below which it is rounding only.
LEAST_RESIDUAL = 1e-13


@dataclass(frozen=True, slots=True)
class Workspace:
    """Intermediate results of an evaluation that its derivatives need; D data sets.

    What depends on the design alone is of U data sets: one that stands for all where all have the
    same design, else D.
    """

    theta: Array  # (4,) variances
    h: Array  # (M,) ``1 / (residual + replication * size)`` of each class
    each: int  # ``D / U``, the number of data sets that each design stands for
    # g_matrix, g: (U, K, K) ``Za' R^-1 Za`` and (D, K) ``Za' R^-1 y``
    g_matrix: Array
    g: Array
    # (U, K, K) conditional covariance of a data set's effects on the algorithms, given its scores
    t_matrix: Array
    q_matrix: Array  # (U, K, K) ``Za' V^-1 Za``;  ``q_one`` (U, K) its row sums
    q_one: Array
    e_matrix: Array  # (U, K, K) ``I - t_matrix g_matrix``; ``e_one`` (U, K) its row sums
    e_one: Array
    c: Array  # (D, K) ``Za' V^-1 y``
    # phi, information: (p, p) covariance of the fixed effects, ``(X' V^-1 X)^-1``, and its inverse
    phi: Array
    information: Array
    beta: Array  # (p,) fixed effects of the centred scores
    y_p_y: float  # ``y' P y``
    criterion: float  # -2 log (restricted) likelihood on the scale of the centred scores


@savable
@shaped(score="c", expected="c c", average="c c", f="c p p", ff="c c p p?", z="N K")
@dataclass(frozen=True, slots=True)
class Derivatives:
    """Derivatives by c parameters: the four components, or those of a structured model."""

    score: Array  # (c,) gradient of the criterion
    # (c, c) ``tr(P V_i P V_j)``; the expected information of the variances is half of it
    expected: Array
    average: Array  # (c, c) ``y' P V_i P V_j P y``
    f: Array  # (c, p, p) ``X' V^-1 V_i V^-1 X``
    # (c, c, p, p) ``X' V^-1 V_i V^-1 V_j V^-1 X``, symmetrised; empty where covariances are
    # structured, and in a fit
    ff: Array
    z: Array  # (D, K) ``Za' P y``

    @property
    def observed(self) -> Array:
        """(c, c) Hessian of the criterion."""
        return 2 * self.average - self.expected


def _by_dataset(weight: Array, values: Array, start: Codes, n_datasets: int) -> Array:
    """Sum class values (M, ...), multiplied by weights (M,), within data sets to (D, ...)."""
    total = np.zeros((n_datasets, *values.shape[1:]))
    step = max(1, _SLICE * len(start) // max(values.size, 1))
    ends = np.append(start, len(values))
    for first in range(0, len(start), step):
        bounds = ends[first : first + step + 1]
        part = slice(bounds[0], bounds[-1])
        weighted = weight[part].reshape(-1, *[1] * (values.ndim - 1)) * values[part]
        total[first : first + step] = np.add.reduceat(weighted, bounds[:-1] - bounds[0], axis=0)
    return total


def _designs(stats: Statistics) -> int:
    """Return the number U of data sets whose designs are solved: 1 where all are the same."""
    d = len(stats.n)
    same = len(stats.rows) in (0, d) and all(
        (each == each[:1]).all() for each in (stats.n, stats.size, stats.rows, stats.cross)
    )
    return 1 if same else d


def _applied(m: Array, v: Array) -> Array:
    """Return ``M_m v_m`` as (D, K) of matrices (U, K, K) and vectors (D, K)."""
    return v @ m[0].T if len(m) == 1 else np.einsum("dkl,dl->dk", m, v)


def _by_design(weight: Array, stats: Statistics, u: int) -> Array:
    """Return the (U, K, K) sums of products of counts, multiplied by weights (M,) of classes."""
    part = slice(None) if u == len(stats.n) else slice(1)
    return _by_dataset(weight[part], stats.cross[part], stats.start[part], u)


def _project(x: Array | None, m: Array, d: int) -> Array:
    """Return the sum over D data sets of ``X_m' M_m X_m``, M symmetric; without X that of M."""
    total = m if x is None else x.swapaxes(1, 2) @ m @ x
    return d // len(total) * total.sum(axis=0)


def _project_product(x: Array | None, a: Array, b: Array, d: int) -> Array:
    """Return the sum over D data sets of ``X_m' A_m B_m X_m``, A (U, K, r) and B (U, r, K)."""
    left, right = (a.swapaxes(1, 2), b) if x is None else (a.swapaxes(1, 2) @ x, b @ x)
    return d // len(left) * np.tensordot(left, right, ((0, 1), (0, 1)))


def _gather(x: Array | None, v: Array) -> Array:
    """Return the sum over data sets of ``X_m' v_m``."""
    return v.sum(axis=0) if x is None else np.einsum("dkp,dk->p", x, v)


def inverted(information: Array) -> tuple[Array, Array]:
    """Return the Cholesky factor and the inverse of the fixed effects' information."""
    try:
        lower = np.linalg.cholesky(information)
    except np.linalg.LinAlgError:
        raise FitError("the fixed effects are confounded in this table.") from None
    half = np.linalg.inv(lower)
    return lower, half.T @ half


def pseudo_inverse(information: Array) -> Array:
    """Invert in natural units: variances may differ by many orders of magnitude."""
    size = information.diagonal()
    unit = np.where(size > 0, 1 / np.sqrt(np.where(size > 0, size, 1.0)), 0.0)
    unit = unit * unit[:, None]
    return unit * np.linalg.pinv(information * unit, rcond=1e-12, hermitian=True)


@dataclass(frozen=True, slots=True)
class _Replication:
    """Contribution of the replication term, per design (U), data set (D) and class (M).

    ``u`` (U, K, K) is ``Za' V^-1 Zr Zr' V^-1 Za`` with row sums ``u_one``; ``ss`` (M,) are sums of
    squares of the blocks' residual sums, ``e_t2`` (D, K) is ``Za' V^-1 Zr Zr' P y``.
    """

    s2: Array
    s3: Array
    t_s2: Array
    u: Array
    u_one: Array
    ss: Array
    t2: Array
    e_t2: Array


def _replication(stats: Statistics, work: Workspace, x: Array | None) -> _Replication:
    (d, k), h = stats.n.shape, work.h
    designs = d // work.each
    if not len(stats.start):
        square, vector, none = np.zeros((designs, k, k)), np.zeros((d, k)), np.empty(0)
        return _Replication(square, square, square, square, vector[:designs], none, vector, vector)
    s2 = _by_design(h**2, stats, designs)
    s3 = _by_design(h**3 * stats.size, stats, designs)
    u = work.e_matrix.transpose(0, 2, 1) @ s2 @ work.e_matrix
    home = np.repeat(np.arange(len(stats.start)), np.diff(np.r_[stats.start, len(stats.size)]))
    # Profiles f (D, K): a block's residual sum is its sum minus its counts times f.
    mean = work.beta if x is None else x @ work.beta
    residual = work.g - _applied(work.g_matrix, np.broadcast_to(mean, (d, k)))
    f = _applied(work.t_matrix, residual) + mean - stats.delta[:, None] * work.e_one
    f = f[home]
    p_f = _applied(stats.cross[:1] if designs == 1 else stats.cross, f)
    t2 = _by_dataset(h**2, stats.moment - p_f, stats.start, d)
    return _Replication(
        s2=s2,
        s3=s3,
        t_s2=work.t_matrix @ s2,
        u=u,
        u_one=u.sum(axis=2),
        ss=stats.block_square - 2 * (f * stats.moment).sum(axis=1) + (f * p_f).sum(axis=1),
        t2=t2,
        e_t2=_applied(work.e_matrix.swapaxes(1, 2), t2),
    )


def _mirrored(upper: Mapping[tuple[int, int], Array | float]) -> Array:
    """Return the (3, 3, ...) array whose upper triangle is given."""
    return np.array([[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])


def _traces(stats: Statistics, work: Workspace, rep: _Replication) -> tuple[Array, Array]:
    """Return ``tr(V^-1 V_i)`` (3,) and ``tr(V^-1 V_i V^-1 V_j)`` (3, 3)."""
    q, q1, h, size, each = work.q_matrix, work.q_one, work.h, stats.size, work.each
    total = q1.sum(axis=1)
    first = [
        each * total.sum(),
        each * np.einsum("dkk->", q),
        (stats.rows * h * size).sum() - each * np.einsum("dkk->", rep.t_s2),
    ]
    second = {
        (_D, _D): each * (total**2).sum(),
        (_D, _A): each * (q1**2).sum(),
        (_D, _R): each * rep.u_one.sum(),
        (_A, _A): each * (q * q).sum(),
        (_A, _R): each * np.einsum("dkk->", rep.u),
        (_R, _R): (stats.rows * (h * size) ** 2).sum()
        - 2 * each * np.einsum("dkl,dlk->", work.t_matrix, rep.s3)
        + each * np.einsum("dkl,dlk->", rep.t_s2, rep.t_s2),
    }
    return np.array(first), _mirrored(second)


def _fixed_effects(work: Workspace, rep: _Replication, x: Array | None) -> tuple[Array, Array]:
    """Return F (3, p, p) and FF (3, 3, p, p), the fixed effects' share in the informations."""
    q, q1, e = work.q_matrix, work.q_one, work.e_matrix
    d = len(q) * work.each
    qq, row = q @ q, q1[:, None, :]
    column, q_column = q1[:, :, None], (q @ q1[:, :, None])
    products = {
        (_D, _D): (q1.sum(axis=1)[:, None, None] * column, row),
        (_D, _A): (q_column, row),
        (_D, _R): (column, rep.u_one[:, None, :]),
        (_A, _A): (qq, q),
        (_A, _R): (q, rep.u),
        (_R, _R): (e.swapaxes(1, 2), (rep.s3 - rep.s2 @ rep.t_s2) @ e),
    }
    double = {key: _project_product(x, a, b, d) for key, (a, b) in products.items()}
    ff = _mirrored({key: (m + m.T) / 2 for key, m in double.items()})
    single = [
        _project_product(x, column, row, d),
        _project(x, qq, d),
        _project(x, rep.u, d),
    ]
    return np.array(single), ff


def _quadratics(
    stats: Statistics, work: Workspace, rep: _Replication, z: Array, x: Array | None
) -> tuple[Array, Array]:
    """Return ``y' P V_i P y`` (3,) and ``y' P V_i P V_j P y`` (3, 3)."""
    h, q1, z_sum = work.h, work.q_one, z.sum(axis=1)
    q_z = _applied(work.q_matrix, z)
    first = [(z_sum**2).sum(), (z**2).sum(), (h**2 * rep.ss).sum()]
    second = {
        (_D, _D): (z_sum**2 * q1.sum(axis=1)).sum(),
        (_D, _A): (z_sum * (z * q1).sum(axis=1)).sum(),
        (_D, _R): (z_sum * rep.e_t2.sum(axis=1)).sum(),
        (_A, _A): (z * q_z).sum(),
        (_A, _R): (z * rep.e_t2).sum(),
        (_R, _R): (h**3 * stats.size * rep.ss).sum()
        - (rep.t2 * _applied(work.t_matrix, rep.t2)).sum(),
    }
    v = np.array([_gather(x, u) for u in (q1 * z_sum[:, None], q_z, rep.e_t2)])
    return np.array(first), _mirrored(second) - v @ work.phi @ v.T


@dataclass(frozen=True, slots=True)
class CommonModel:
    """The score model with one variance per source, searched by its (4,) variances."""

    fisher_steps: ClassVar[int] = 2  # how many first steps use the expected information
    halvings: ClassVar[int] = 30  # of a step, before none is downhill

    stats: Statistics
    # (D, K, p) design of the fixed effects, (1, K, p) if it is the same everywhere, None for one
    # mean per algorithm
    x: Array | None = None
    reml: bool = True  # restricted or full maximum likelihood
    # (4,) variances that are estimated
    free: Flags = field(default_factory=lambda: np.ones(4, dtype=np.bool_))

    def start(self) -> Array:
        """Return start values: the spread of the data sets' means, thirds of the rest."""
        theta = np.where(self.free, 1 / 3, 0.0)
        if self.free[0]:
            theta[0] = max(float(np.var(self.stats.delta)), 0.01)
        return theta

    def evaluate(self, theta: Array) -> Workspace:
        """Evaluate the criterion at the variances `theta`.

        Of the variances (4,) those that are not in the model are 0.

        References
        ----------
        Patterson, H. D. & Thompson, R. (1971). Recovery of inter-block information when block sizes
        are unequal. Biometrika 58, 545-554. https://doi.org/10.1093/biomet/58.3.545

        Gilmour, A. R., Thompson, R. & Cullis, B. R. (1995). Average information REML. Biometrics
        51, 1440-1450. https://doi.org/10.2307/2533274
        """
        stats, x = self.stats, self.x
        d, k = stats.n.shape
        var_d, var_a, var_r, var_e = theta
        h = 1 / (var_e + var_r * stats.size)
        w = var_r * h
        u = _designs(stats)
        each = d // u
        g_matrix = -_by_design(w, stats, u)
        g_matrix[:, range(k), range(k)] += stats.n[:u]
        g_matrix /= var_e
        g = (stats.total - _by_dataset(w, stats.moment, stats.start, d)) / var_e
        y_r_y = (stats.square - _by_dataset(w, stats.block_square, stats.start, d)) / var_e
        inner = np.eye(k) + var_a * g_matrix
        e_a = np.linalg.inv(inner)
        q_a = g_matrix @ e_a
        e_a_one, q_a_one = e_a.sum(axis=2), q_a.sum(axis=2)
        # The data set effect comes last, as a rank-one update: stable however large its variance.
        den = 1 + var_d * q_a_one.sum(axis=1)
        kappa = (var_d / den)[:, None, None]
        q_matrix = q_a - kappa * q_a_one[:, :, None] * q_a_one[:, None, :]
        q_one = q_a_one / den[:, None]
        t_matrix = var_a * e_a + kappa * e_a_one[:, :, None] * e_a_one[:, None, :]
        e_matrix = e_a - kappa * e_a_one[:, :, None] * q_a_one[:, None, :]
        t_g = _applied(t_matrix, g)
        c_centred = g - _applied(g_matrix, t_g)
        c = c_centred + stats.delta[:, None] * q_one
        y_v_y = (
            y_r_y
            - (g * t_g).sum(axis=1)
            + 2 * stats.delta * c_centred.sum(axis=1)
            + stats.delta**2 * q_one.sum(axis=1)
        ).sum()
        lower, phi = inverted(information := _project(x, q_matrix, d))
        beta = phi @ (right := _gather(x, c))
        y_p_y = float(y_v_y - right @ beta)
        n, n_effects = stats.n_scores, len(beta) * self.reml
        # ``log|V|`` over all data sets
        log_det = (n - stats.rows.sum()) * np.log(var_e) - (stats.rows * np.log(h)).sum()
        log_det += each * (np.linalg.slogdet(inner)[1] + np.log(den)).sum()
        extra = 2 * np.log(lower.diagonal()).sum() if self.reml else 0.0
        criterion = log_det + extra + y_p_y + (n - n_effects) * np.log(2 * np.pi)
        return Workspace(
            theta=theta,
            h=h,
            each=each,
            g_matrix=g_matrix,
            t_matrix=t_matrix,
            q_matrix=q_matrix,
            q_one=q_one,
            e_matrix=e_matrix,
            e_one=e_a_one / den[:, None],
            c=c,
            g=g,
            phi=phi,
            information=information,
            beta=beta,
            y_p_y=y_p_y,
            criterion=float(criterion),
        )

    def derivatives(self, work: Workspace) -> Derivatives:
        """Return score, informations and the matrices that degrees of freedom need.

        Everything that concerns the residual follows from ``sum_i theta_i V_i = V``.
        """
        stats, x = self.stats, self.x
        rep = _replication(stats, work, x)
        mean = np.broadcast_to(work.beta if x is None else x @ work.beta, stats.n.shape)
        z = work.c - _applied(work.q_matrix, mean)
        trace, a = _traces(stats, work, rep)
        f, ff = _fixed_effects(work, rep, x)
        quad, ai = _quadratics(stats, work, rep, z, x)
        sigma, var_e = work.theta[:3], work.theta[3]

        def close(values: Array, total: Array | float) -> Array:
            """Append the entry that makes the variance-weighted sum over components `total`."""
            held = (sigma @ values.reshape(3, -1)).reshape(values.shape[1:])
            last = (total - held) / var_e
            return np.concatenate([values, np.asarray(last)[None]])

        def close_both(values: Array, totals: Array, total: Array) -> Array:
            """Append the row and the column of the residual."""
            return close(np.swapaxes(close(values, totals[:3]), 0, 1), total)

        trace, quad = close(trace, float(stats.n_scores)), close(quad, work.y_p_y)
        f = close(f, work.information)
        a, ai, ff = close_both(a, trace, trace), close_both(ai, quad, quad), close_both(ff, f, f)
        if not self.reml:
            return Derivatives(score=trace - quad, expected=a, average=ai, f=f, ff=ff, z=z)
        phi_f = work.phi @ f
        expected = (
            a - 2 * np.einsum("pq,ijqp->ij", work.phi, ff) + np.einsum("ipq,jqp->ij", phi_f, phi_f)
        )
        score = trace - np.einsum("ipp->i", phi_f) - quad
        return Derivatives(score=score, expected=expected, average=ai, f=f, ff=ff, z=z)

    def theta(self, coordinates: Array) -> Array:
        """Return the variances: the coordinates themselves."""
        return coordinates

    def moved(self, theta: Array, step: Array) -> Array:
        """Return the variances after a step, none below zero."""
        moved = np.maximum(theta + step, 0.0)
        moved[:3][moved[:3] < _FLOOR * moved.max()] = 0.0
        if moved[3] <= 0:
            moved[3] = theta[3] / 10
        if moved[3] < LEAST_RESIDUAL:
            raise FitError("nothing varies beyond the random effects: scores repeat each other.")
        return moved

    def direction(self, theta: Array, der: Derivatives, *, fisher: bool) -> tuple[Array, float]:
        """Return Newton's step and its decrement (score' H^-1 score / 2)."""
        # A zero component stays there as long as the criterion grows away from it (KKT).
        index = np.flatnonzero(self.free & ~((theta <= 0) & (der.score >= 0)))
        direction, step = np.zeros(len(theta)), None
        if not len(index):
            return direction, 0.0
        score, block = der.score[index], np.ix_(index, index)
        if not fisher:
            step = _solve(der.observed[block], score, floor=0.0)
        if step is None:
            # The expected information is positive; its smallest eigenvalues may drown in rounding.
            step = _solve(der.expected[block], score, floor=1e-10)
        if step is not None:
            direction[index] = step
        return direction, float(-score @ direction[index] / 2)


def _solve(hessian: Array, score: Array, floor: float) -> Array | None:
    """Return the Newton step, or None where the Hessian is not positive definite.

    With a positive floor eigenvalues are raised to that share of the largest one.
    """
    # Variances may differ by many orders of magnitude: solve in their natural units.
    size = np.abs(hessian.diagonal())
    if not size.all():
        raise FitError("a random term leaves no trace in the scores.")
    unit = 1 / np.sqrt(size)
    values, vectors = np.linalg.eigh(hessian * unit * unit[:, None])
    if floor == 0 and values[0] <= 1e-10 * values[-1]:
        return None
    values = np.maximum(values, floor * values[-1])
    return -unit * (vectors @ ((vectors.T @ (unit * score)) / values))
