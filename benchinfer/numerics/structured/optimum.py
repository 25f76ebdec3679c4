"""A fitted score model with structured covariances, on the scores' own scale."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.reml import Derivatives
from benchinfer.numerics.score_model import OptimizerRecord
from benchinfer.numerics.structured.covariances import Layout
from benchinfer.numerics.structured.levels import Evaluation, Model
from benchinfer.numerics.structured.newton import curvature, natural
from benchinfer.saving import savable

type Array = NDArray[np.float64]

# Least eigenvalue of an unstructured covariance, scaled to diagonal 1, that is not zero.
_SINGULAR = 1e-9


@savable
@dataclass(frozen=True, slots=True)
class StructuredFit:
    """A fitted score model; p fixed effects, c variances and covariances, on the scores' own scale.

    D data sets, K algorithms, G domains.

    Attributes
    ----------
    terms
        Names of the c variances and covariances; indices in them stand for algorithms or data sets.
    variances
        (c,) variances and covariances.
    between
        (K, K) covariance of the algorithms' effects between data sets.
    domain
        (K, K) covariance of the algorithms' effects between domains; None without a domain level.
    replication
        Replication variance, 0 where the model has none.
    residual
        (1,), (K,) or (D,) residual variances.
    beta, cov
        (p,) fixed effects and (p, p) their covariance.
    criterion
        -2 log (restricted) likelihood.
    reml
        Whether the likelihood is restricted.
    n
        Number of scores.
    singular
        Variances that are estimated to be zero; ``"dataset:algorithm"`` stands for an unstructured
        covariance without full rank. A residual variance among them is as small as double precision
        can carry.
    interior
        (i,) positions of the other variances.
    blup_profile, blup_profile_variance
        (D, K) predicted effects of the algorithms on the data sets, without the domains' effects,
        and their conditional variances, the fixed effects taken as known.
    blup_domain, blup_domain_variance
        (G, K) the same for domains.
    derivatives
        Score, informations and matrices over the c parameters, on the scale of the centred scores.
        For an unstructured covariance S the parameters are the lower triangle of ``H' S H``, with H
        from `contrast_basis`; degrees of freedom do not depend on that.
    sampling
        (c, c) covariance of the estimates of these parameters: twice the inverse Hessian, zero in
        directions in which the optimum lies on the boundary.
    scale
        What that scale was divided by.
    phi
        (p, p) covariance of the fixed effects on the scale of the centred scores.
    optimizer
        How the optimum was found.
    """

    terms: tuple[str, ...]
    variances: Array
    between: Array
    domain: Array | None
    replication: float
    residual: Array
    beta: Array
    cov: Array
    criterion: float
    reml: bool
    n: int
    singular: tuple[str, ...]
    interior: NDArray[np.int64]
    blup_profile: Array
    blup_profile_variance: Array
    blup_domain: Array
    blup_domain_variance: Array
    derivatives: Derivatives
    sampling: Array
    scale: float
    phi: Array
    optimizer: OptimizerRecord

    @property
    def members(self) -> NDArray[np.int64]:
        """Positions of the variances in the model: all of them."""
        return np.arange(len(self.terms))

    @property
    def log_likelihood(self) -> float:
        """Log (restricted) likelihood."""
        return -self.criterion / 2

    @property
    def n_parameters(self) -> int:
        """Number of fixed effects, variances and covariances."""
        return len(self.beta) + len(self.terms)

    @property
    def aic(self) -> float:
        """Akaike's criterion, with the (restricted) likelihood at hand."""
        return self.criterion + 2 * self.n_parameters

    @property
    def bic(self) -> float:
        """Schwarz's criterion with the number of scores, as lme4 counts."""
        return self.criterion + float(np.log(self.n)) * self.n_parameters


def _sampling(model: Model, psi: Array, der: Derivatives) -> Array:
    """Return the covariance of the estimated variances, without directions on the boundary."""
    unit, values, vectors = natural(curvature(model, psi, der, fisher=False))
    held = values > 1e-9 * values.max()
    root = model.layout.jacobian(psi) @ (unit[:, None] * vectors[:, held])
    return 2 * (root / values[held]) @ root.T


def at_zero(layout: Layout, at: Evaluation) -> tuple[NDArray[np.bool_], bool]:
    """Return which variances (c,) are zero, and whether an unstructured covariance lacks rank."""
    zero = at.theta <= 2 * layout.floor
    zero[: layout.outer] &= not layout.factored
    if not layout.factored:
        return zero, False
    matrix = layout.split(at.theta)[0]
    size = np.sqrt(matrix.diagonal())
    if size.min() <= 0:
        return zero, True
    return zero, bool(np.linalg.eigvalsh(matrix / size / size[:, None])[0] < _SINGULAR)


def _turned(der: Derivatives, turn: Array) -> Derivatives:
    """Return the derivatives with matrices over the fixed effects themselves."""
    return replace(der, f=turn @ der.f @ turn.T, ff=turn @ der.ff @ turn.T)


def describe(
    model: Model,
    psi: Array,
    at: Evaluation,
    der: Derivatives,
    record: OptimizerRecord,
    offset: Array,
    turn: Array,
) -> StructuredFit:
    """Put an optimum on the scores' own scale.

    Parameters
    ----------
    model, psi, at, der, record
        The model, the square roots of its variances at the optimum, the evaluation and the
        derivatives there, and how it was found.
    offset
        (p,) fixed effects that stand for the algorithms' centres.
    turn
        (p, p) orthogonal basis of the fixed effects in the model.

    Returns
    -------
    StructuredFit
        The fit.
    """
    stats, parts, s, basis = model.patterns, model.layout, model.patterns.scale, at.blocks.basis
    k, phi = len(basis), turn @ at.phi @ turn.T
    between, domain, replication, _ = parts.split(at.theta)
    zero, lacking = at_zero(parts, at)
    # What the uncertainty of the domain's effect adds to a data set's.
    share = np.eye(k) - at.data.keep
    carried = share.transpose(0, 2, 1) @ model.of_domain(at.domains.cov) @ share
    plain = basis @ between @ basis.T * s**2
    variances = at.theta * s**2
    if parts.factored:
        variances[: parts.outer] = plain[np.tril_indices(k)]
    return StructuredFit(
        terms=parts.names,
        variances=variances,
        between=plain,
        domain=basis @ domain @ basis.T * s**2 if len(model.member) else None,
        replication=replication * s**2,
        residual=variances[parts.inner + parts.replicated :],
        beta=(turn @ at.beta + offset) * s,
        cov=phi * s**2,
        criterion=at.criterion + 2 * (stats.n_scores - len(phi) * model.reml) * float(np.log(s)),
        reml=model.reml,
        n=stats.n_scores,
        singular=(
            *(["dataset:algorithm"] if lacking else []),
            *(parts.names[i] for i in np.flatnonzero(zero)),
        ),
        interior=np.flatnonzero(~zero),
        blup_profile=at.z @ between @ basis.T * s,
        blup_profile_variance=_diagonal(basis, at.data.cov + carried) * s**2,
        blup_domain=at.domain_effect @ basis.T * s,
        blup_domain_variance=_diagonal(basis, at.domains.cov) * s**2,
        derivatives=_turned(der, turn),
        sampling=_sampling(model, psi, der),
        scale=s,
        phi=phi,
        optimizer=record,
    )


def _diagonal(basis: Array, cov: Array) -> Array:
    """Return the variances (U, K) of the algorithms from (U, K, K) in contrast coordinates."""
    return np.einsum("kl,ulm,km->uk", basis, cov, basis, optimize=True)
