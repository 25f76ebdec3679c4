"""The score model with structured covariances: likelihood by levels.

``y_mbk = X_mk b + w_gk + u_mk + r_mb + e_mbk`` for data set m of domain g, replication b and
algorithm k, with ``u_m ~ N(0, S)`` and ``w_g ~ N(0, W)``. Blocks are summed within data sets, the
algorithm effects u of the data sets are integrated out, then those of the domains. Each level needs
only the K x K information about the algorithms from the level below, so the cost of an evaluation
is that of D small problems, whatever the number of replications.

References
----------
Patterson, H. D. & Thompson, R. (1971). Recovery of inter-block information when block sizes are
unequal. Biometrika 58, 545-554. https://doi.org/10.1093/biomet/58.3.545

Longford, N. T. (1987). A fast scoring algorithm for maximum likelihood estimation in unbalanced
mixed models with nested random effects. Biometrika 74, 817-827.
https://doi.org/10.1093/biomet/74.4.817
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import FitError
from benchinfer.numerics.blocks import BlockLevel
from benchinfer.numerics.covariances import Layout
from benchinfer.numerics.patterns import Patterns

type Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Model:
    """What is fitted: D data sets, K algorithms, p fixed effects, G domains.

    Attributes
    ----------
    patterns
        Sufficient statistics.
    layout
        The variances.
    x
        (D, K, p) design of the fixed effects, its rows in contrast coordinates.
    member
        (G, D) one where the data set is of the domain, else zero; G is 0 without a domain level.
    reml
        Restricted or full maximum likelihood.
    """

    patterns: Patterns
    layout: Layout
    x: Array
    member: Array
    reml: bool

    @property
    def centre(self) -> Array:
        """(D, K) the data sets' centres, as profiles in contrast coordinates."""
        d, k = self.x.shape[:2]
        centre = np.zeros((d, k))
        centre[:, 0] = self.patterns.delta * np.sqrt(k)
        return centre

    def by_domain(self, values: Array) -> Array:
        """Sum values of data sets (D, ...) within domains to (G, ...)."""
        return np.tensordot(self.member, values, 1)

    def of_domain(self, values: Array) -> Array:
        """Give each data set (D, ...) the value of its domain (G, ...), 0 without domains."""
        return np.tensordot(self.member.T, values, 1)


@dataclass(frozen=True, slots=True)
class Lift:
    """Random effects with covariance C integrated out of U units with information G.

    Attributes
    ----------
    inner
        (U, K, K) ``I + G C``.
    keep
        (U, K, K) ``E = (I + G C)^-1``: what is left of a direction of the information.
    cov
        (U, K, K) ``T = C E = (C^-1 + G)^-1``, the effects' covariance given the scores.
    information
        (U, K, K) ``Q = E G``.
    log_det
        ``sum log|I + G C|``.
    """

    inner: Array
    keep: Array
    cov: Array
    information: Array
    log_det: float

    @staticmethod
    def of(information: Array, covariance: Array) -> "Lift":
        """Integrate effects with covariance (K, K) out of (U, K, K) information."""
        inner = np.eye(len(covariance)) + information @ covariance
        keep = np.linalg.inv(inner)
        return Lift(
            inner=inner,
            keep=keep,
            cov=symmetric(covariance @ keep),
            information=_mirrored(np.linalg.solve(inner, information)),
            log_det=float(np.linalg.slogdet(inner)[1].sum()),
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The likelihood at given variances, and what derivatives need.

    Attributes
    ----------
    theta
        (c,) variances and covariances.
    blocks, data, domains
        The three levels.
    design
        (D, K, p) X less its prediction by the domains' effects.
    domain_design
        (G, K, p) ``Z' V^-1 X`` summed over a domain.
    phi
        (p, p) covariance of the fixed effects.
    beta
        (p,) fixed effects of the centred scores.
    domain_effect
        (G, K) predicted effects of the domains.
    z
        (D, K) ``Z' P y``.
    profile
        (D, K) fitted value of a score, by all effects of its data set, less the data set's centre.
    y_p_y
        ``y' P y``.
    criterion
        -2 log (restricted) likelihood on the scale of the centred scores.
    """

    theta: Array
    blocks: BlockLevel
    data: Lift
    domains: Lift
    design: Array
    domain_design: Array
    phi: Array
    beta: Array
    domain_effect: Array
    z: Array
    profile: Array
    y_p_y: float
    criterion: float


def symmetric(matrices: Array) -> Array:
    """Return the symmetric part."""
    return (matrices + matrices.swapaxes(-1, -2)) / 2


def _mirrored(matrices: Array) -> Array:
    """Return symmetric matrices with the upper triangles given.

    The first row belongs to the data sets' intercepts; it is exact relative to its own, small size.
    """
    upper = np.triu(matrices)
    return upper + np.triu(matrices, 1).swapaxes(-1, -2)


def evaluate(model: Model, theta: Array) -> Evaluation:
    """Evaluate the criterion at the variances and covariances `theta` (c,).

    Raises
    ------
    FitError
        The fixed effects cannot be told apart.
    """
    layout, stats, x = model.layout, model.patterns, model.x
    s, w, replication, residual = layout.split(theta)
    blocks = BlockLevel.of(
        stats, layout.residual, residual, replication, replicated=layout.replicated
    )
    data = Lift.of(blocks.information, s)
    # A solution is exact relative to its own size, which a product with the inverse is not.
    c = np.linalg.solve(data.inner, blocks.moment[:, :, None])[:, :, 0]
    # The data sets' centres come back only now: the first row of the information is exact.
    c += model.centre[:, :1] * data.information[:, 0]
    q_x = data.information @ x
    information = np.einsum("dkp,dkq->pq", x, q_x, optimize=True)
    right = np.einsum("dkp,dk->p", x, c)
    domains = Lift.of(model.by_domain(data.information), w)
    b, c_g = model.by_domain(q_x), model.by_domain(c)
    t_b = domains.cov @ b
    lower, phi = _invert(information - np.einsum("gkp,gkq->pq", b, t_b, optimize=True))
    beta = phi @ (right - np.einsum("gkp,gk->p", t_b, c_g))
    effect = np.einsum("gkl,gl->gk", domains.cov, c_g - b @ beta)
    mean = x @ beta + model.of_domain(effect)
    z = c - np.einsum("dkl,dl->dk", data.information, mean)
    profile = mean + z @ s - model.centre
    z_g = model.by_domain(z)
    # A sum of positive terms, least at the predicted effects, so that their rounding cancels.
    y_p_y = blocks.square(profile) + float(((z @ s) * z).sum() + ((z_g @ w) * z_g).sum())
    n, p = stats.n_scores, len(beta)
    criterion = blocks.log_det + data.log_det + domains.log_det + y_p_y
    criterion += 2 * float(np.log(lower.diagonal()).sum()) * model.reml
    criterion += (n - p * model.reml) * np.log(2 * np.pi)
    return Evaluation(
        theta=theta,
        blocks=blocks,
        data=data,
        domains=domains,
        design=x - model.of_domain(t_b),
        domain_design=domains.keep @ b,
        phi=phi,
        beta=beta,
        domain_effect=effect,
        z=z,
        profile=profile,
        y_p_y=y_p_y,
        criterion=float(criterion),
    )


def _invert(information: Array) -> tuple[Array, Array]:
    """Return the Cholesky factor and the inverse of the fixed effects' information."""
    try:
        lower = np.linalg.cholesky(information)
    except np.linalg.LinAlgError:
        raise FitError("the fixed effects cannot be told apart in this table.") from None
    half = np.linalg.inv(lower)
    return lower, half.T @ half
