"""The score model by restricted or full maximum likelihood, from sufficient statistics.

``value = X b + d_m + a_mk + r_mb + e`` for data set m, replication b, algorithm k, with variances
``dataset``, ``dataset:algorithm``, ``dataset:replication`` and ``residual``. Data sets are
independent blocks, so the cost of an evaluation is that of D small (K, K) problems, whatever the
number of replications.

References
----------
Patterson, H. D. & Thompson, R. (1971). Recovery of inter-block information when block sizes are
unequal. Biometrika 58, 545-554. https://doi.org/10.1093/biomet/58.3.545

Gilmour, A. R., Thompson, R. & Cullis, B. R. (1995). Average information REML. Biometrics 51,
1440-1450. https://doi.org/10.2307/2533274
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import FitError
from benchinfer.numerics.sufficient import Statistics

type Array = NDArray[np.float64]

# Components in the order of every array over components; the residual is always last.
COMPONENTS = ("dataset", "dataset:algorithm", "dataset:replication", "residual")
_D, _A, _R, _E = range(4)


@dataclass(frozen=True, slots=True)
class Workspace:
    """What an evaluation at given variances needs again for derivatives; D data sets.

    Attributes
    ----------
    theta
        (4,) variances.
    h
        (M,) ``1 / (residual + replication * size)`` of each class.
    g_matrix
        (D, K, K) ``Za' R^-1 Za``.
    t_matrix
        (D, K, K) conditional covariance of the algorithm profile given the data set's scores.
    q_matrix
        (D, K, K) ``Za' V^-1 Za``;  ``q_one`` (D, K) its row sums.
    e_matrix
        (D, K, K) ``I - t_matrix g_matrix``; ``e_one`` (D, K) its row sums.
    c
        (D, K) ``Za' V^-1 y``.
    phi
        (p, p) covariance of the fixed effects, ``(X' V^-1 X)^-1``.
    beta
        (p,) fixed effects of the centred scores.
    y_p_y
        ``y' P y``.
    criterion
        -2 log (restricted) likelihood on the scale of the centred scores.
    """

    theta: Array
    h: Array
    g_matrix: Array
    t_matrix: Array
    q_matrix: Array
    q_one: Array
    e_matrix: Array
    e_one: Array
    c: Array
    profile_y: Array
    phi: Array
    information: Array
    beta: Array
    y_p_y: float
    criterion: float


@dataclass(frozen=True, slots=True)
class Derivatives:
    """Derivatives at given variances, over the four components.

    Attributes
    ----------
    score
        (4,) gradient of the criterion.
    expected
        (4, 4) ``tr(P V_i P V_j)``; the expected information of the variances is half of it.
    average
        (4, 4) ``y' P V_i P V_j P y``.
    f
        (4, p, p) ``X' V^-1 V_i V^-1 X``.
    ff
        (4, 4, p, p) ``X' V^-1 V_i V^-1 V_j V^-1 X``, symmetrised.
    z
        (D, K) ``Za' P y``.
    """

    score: Array
    expected: Array
    average: Array
    f: Array
    ff: Array
    z: Array

    @property
    def observed(self) -> Array:
        """(4, 4) Hessian of the criterion."""
        return 2 * self.average - self.expected


def _by_dataset(values: Array, start: NDArray[np.int64], n_datasets: int) -> Array:
    """Sum class values (M, ...) within data sets to (D, ...)."""
    if not len(start):
        return np.zeros((n_datasets, *values.shape[1:]))
    return np.add.reduceat(values, start, axis=0)


def _project(x: Array | None, m: Array) -> Array:
    """Return the sum over data sets of ``X_m' M_m X_m``; without X the design is the identity."""
    return m.sum(axis=0) if x is None else np.einsum("dkp,dkl,dlq->pq", x, m, x, optimize=True)


def _gather(x: Array | None, v: Array) -> Array:
    """Return the sum over data sets of ``X_m' v_m``."""
    return v.sum(axis=0) if x is None else np.einsum("dkp,dk->p", x, v)


def _fitted(x: Array | None, beta: Array) -> Array:
    """Return ``X_m b`` as (D, K), or (K,) without X."""
    return beta if x is None else x @ beta


def evaluate(stats: Statistics, theta: Array, x: Array | None = None, *, reml: bool) -> Workspace:
    """Evaluate the criterion at the variances `theta`.

    Parameters
    ----------
    stats
        Sufficient statistics.
    theta
        (4,) variances; a component that is not in the model is 0.
    x
        (D, K, p) design of the fixed effects, or None for one mean per algorithm.
    reml
        Restricted (True) or full maximum likelihood.

    Returns
    -------
    Workspace
        The criterion and what its derivatives need.
    """
    d, k = stats.n.shape
    var_d, var_a, var_r, var_e = theta
    h = 1 / (var_e + var_r * stats.size)
    w = var_r * h
    eye = np.eye(k)
    start = stats.start
    g_matrix = -_by_dataset(w[:, None, None] * stats.cross, start, d)
    g_matrix[:, range(k), range(k)] += stats.n
    g_matrix /= var_e
    g = (stats.total - _by_dataset(w[:, None] * stats.moment, start, d)) / var_e
    y_r_y = (stats.square - _by_dataset(w * stats.block_square, start, d)) / var_e
    inner = eye + var_a * g_matrix
    e_a = np.linalg.inv(inner)
    q_a = g_matrix @ e_a
    e_a_one, q_a_one = e_a.sum(axis=2), q_a.sum(axis=2)
    total_q = q_a_one.sum(axis=1)
    # The data set effect comes last, as a rank-one update: stable however large its variance.
    den = 1 + var_d * total_q
    kappa = (var_d / den)[:, None, None]
    q_matrix = q_a - kappa * q_a_one[:, :, None] * q_a_one[:, None, :]
    q_one = q_a_one / den[:, None]
    t_matrix = var_a * e_a + kappa * e_a_one[:, :, None] * e_a_one[:, None, :]
    e_matrix = e_a - kappa * e_a_one[:, :, None] * q_a_one[:, None, :]
    t_g = np.einsum("dkl,dl->dk", t_matrix, g)
    c_centred = g - np.einsum("dkl,dl->dk", g_matrix, t_g)
    c = c_centred + stats.delta[:, None] * q_one
    y_v_y = (
        y_r_y
        - (g * t_g).sum(axis=1)
        + 2 * stats.delta * c_centred.sum(axis=1)
        + stats.delta**2 * q_one.sum(axis=1)
    ).sum()
    information = _project(x, q_matrix)
    try:
        lower = np.linalg.cholesky(information)
    except np.linalg.LinAlgError:
        raise FitError("the fixed effects cannot be told apart in this table.") from None
    half = np.linalg.inv(lower)
    phi = half.T @ half
    right = _gather(x, c)
    beta = phi @ right
    y_p_y = float(y_v_y - right @ beta)
    n, p = stats.n_scores, len(beta)
    log_det = (
        (n - stats.rows.sum()) * np.log(var_e)
        - (stats.rows * np.log(h)).sum()
        + np.linalg.slogdet(inner)[1].sum()
        + np.log(den).sum()
    )
    extra = 2 * np.log(lower.diagonal()).sum() if reml else 0.0
    criterion = log_det + extra + y_p_y + (n - p * reml) * np.log(2 * np.pi)
    return Workspace(
        theta=theta,
        h=h,
        g_matrix=g_matrix,
        t_matrix=t_matrix,
        q_matrix=q_matrix,
        q_one=q_one,
        e_matrix=e_matrix,
        e_one=e_a_one / den[:, None],
        c=c,
        profile_y=g,
        phi=phi,
        information=information,
        beta=beta,
        y_p_y=y_p_y,
        criterion=float(criterion),
    )


def block_profile(stats: Statistics, work: Workspace, x: Array | None = None) -> Array:
    """Return ``f`` (D, K) such that a block's residual sum is its sum minus counts times f."""
    mean = _fitted(x, work.beta)
    residual = work.profile_y - np.einsum(
        "dkl,dl->dk", work.g_matrix, np.broadcast_to(mean, stats.n.shape)
    )
    f = np.einsum("dkl,dl->dk", work.t_matrix, residual) + mean
    return f - stats.delta[:, None] * work.e_one


def derivatives(
    stats: Statistics, work: Workspace, x: Array | None = None, *, reml: bool
) -> Derivatives:
    """Return score, informations and the matrices that degrees of freedom need.

    Everything that concerns the residual follows from ``sum_i theta_i V_i = V``.
    """
    d, _ = stats.n.shape
    q, q1, e, t = work.q_matrix, work.q_one, work.e_matrix, work.t_matrix
    h, size = work.h, stats.size
    s2 = _by_dataset((h**2)[:, None, None] * stats.cross, stats.start, d)
    s3 = _by_dataset((h**3 * size)[:, None, None] * stats.cross, stats.start, d)
    t_s2 = t @ s2
    e_t = e.transpose(0, 2, 1)
    qq, u_r = q @ q, e_t @ s2 @ e
    q_u = np.einsum("dkl,dl->dk", u_r, np.ones_like(q1))
    total = q1.sum(axis=1)
    z = work.c - np.einsum("dkl,dl->dk", q, np.broadcast_to(_fitted(x, work.beta), stats.n.shape))
    z_sum = z.sum(axis=1)
    f_profile = block_profile(stats, work, x)
    home = np.repeat(np.arange(d), np.diff(np.r_[stats.start, len(size)])) if len(size) else []
    f_class = f_profile[home]
    p_f = np.einsum("mkl,ml->mk", stats.cross, f_class)
    ss = stats.block_square - 2 * (f_class * stats.moment).sum(1) + (f_class * p_f).sum(1)
    t2 = _by_dataset((h**2)[:, None] * (stats.moment - p_f), stats.start, d)

    trace = np.array(
        [
            total.sum(),
            np.trace(q, axis1=1, axis2=2).sum(),
            (stats.rows * h * size).sum() - np.trace(t_s2, axis1=1, axis2=2).sum(),
        ]
    )
    quad = np.array([(z_sum**2).sum(), (z**2).sum(), (h**2 * ss).sum()])
    outer = q1[:, :, None] * q1[:, None, :]
    f = np.array([_project(x, m) for m in (outer, qq, u_r)])
    a = np.empty((3, 3))
    a[_D, _D], a[_D, _A], a[_A, _A] = (total**2).sum(), (q1**2).sum(), (q * q).sum()
    a[_A, _R], a[_D, _R] = np.trace(u_r, axis1=1, axis2=2).sum(), q_u.sum()
    a[_R, _R] = (
        (stats.rows * (h * size) ** 2).sum()
        - 2 * np.einsum("dkl,dlk->", t, s3)
        + np.einsum("dkl,dlk->", t_s2, t_s2)
    )
    qq1 = np.einsum("dkl,dl->dk", q, q1)
    middle = s3 - s2 @ t_s2
    parts = {
        (_D, _D): total[:, None, None] * outer,
        (_D, _A): qq1[:, :, None] * q1[:, None, :],
        (_A, _A): qq @ q,
        (_A, _R): q @ u_r,
        (_D, _R): q1[:, :, None] * q_u[:, None, :],
        (_R, _R): e_t @ middle @ e,
    }
    e_t2 = np.einsum("dkl,dk->dl", e, t2)
    q_z = np.einsum("dkl,dl->dk", q, z)
    ai = np.empty((3, 3))
    ai[_D, _D], ai[_D, _A] = (z_sum**2 * total).sum(), (z_sum * (z * q1).sum(1)).sum()
    ai[_A, _A], ai[_A, _R] = (z * q_z).sum(), (z * e_t2).sum()
    ai[_D, _R] = (z_sum * e_t2.sum(1)).sum()
    ai[_R, _R] = (h**3 * size * ss).sum() - np.einsum("dk,dkl,dl->", t2, t, t2)
    v = np.array([_gather(x, u) for u in (q1 * z_sum[:, None], q_z, e_t2)])
    p = len(work.beta)
    ff = np.empty((3, 3, p, p))
    for (i, j), part in parts.items():
        m = _project(x, part)
        ff[i, j] = ff[j, i] = (m + m.T) / 2
        a[j, i], ai[j, i] = a[i, j], ai[i, j]
    ai -= v @ work.phi @ v.T
    return _with_residual(stats, work, trace, quad, a, ai, f, ff, z, reml=reml)


def _with_residual(
    stats: Statistics,
    work: Workspace,
    trace: Array,
    quad: Array,
    a: Array,
    ai: Array,
    f: Array,
    ff: Array,
    z: Array,
    *,
    reml: bool,
) -> Derivatives:
    """Add the residual component by homogeneity and the terms of the fixed effects."""
    sigma, var_e = work.theta[:3], work.theta[3]

    def close(values: Array, total: Array | float) -> Array:
        """Append the entry that makes the variance-weighted sum over components `total`."""
        last = (total - np.tensordot(sigma, values, axes=(0, 0))) / var_e
        return np.concatenate([values, np.asarray(last)[None]])

    trace = close(trace, float(stats.n_scores))
    quad = close(quad, work.y_p_y)
    f = close(f, work.information)
    rows_a, rows_ai = close(a, trace[:3]), close(ai, quad[:3])
    a = close(rows_a.T, trace)
    ai = close(rows_ai.T, quad)
    ff = close(np.swapaxes(close(ff, f[:3]), 0, 1), f)
    if reml:
        phi_f = work.phi @ f
        trace_f = np.trace(phi_f, axis1=1, axis2=2)
        cross = np.einsum("ipq,jqp->ij", phi_f, phi_f)
        expected = a - 2 * np.einsum("pq,ijqp->ij", work.phi, ff) + cross
        score = trace - trace_f - quad
    else:
        expected, score = a, trace - quad
    return Derivatives(score=score, expected=expected, average=ai, f=f, ff=ff, z=z)
