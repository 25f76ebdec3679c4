"""Fit the score model with structured covariances, and what follows from the optimum.

Which algorithms vary how much between data sets is estimated (`between`), as is which of them, or
which data sets, have noisier scores (`residual`); data sets may come from several domains.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import FitError
from benchinfer.numerics.blocks import Residual, contrast_basis
from benchinfer.numerics.covariances import FLOOR, Between, Layout, layout
from benchinfer.numerics.levels import Evaluation, Model
from benchinfer.numerics.newton import curvature, minimise, natural
from benchinfer.numerics.patterns import Patterns
from benchinfer.numerics.reml import Derivatives
from benchinfer.numerics.score_model import OptimizerRecord
from benchinfer.numerics.slopes import derivatives
from benchinfer.numerics.starts import even, start
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
    unit_information, unit_z
        (U, K, K) ``Za' V^-1 Za`` and (U, K) ``Za' P y`` of the independent units, which are the
        domains, or the data sets without a domain level; on the scale of the centred scores.
    derivatives
        Score, informations and matrices over the c parameters, on the scale of the centred scores.
        For an unstructured covariance S the parameters are the lower triangle of ``H' S H``, with H
        from `benchinfer.numerics.blocks.contrast_basis`; degrees of freedom do not depend on that.
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
    unit_information: Array
    unit_z: Array
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


def fit_structured(
    patterns: Patterns,
    *,
    between: Between = "common",
    residual: Residual = "constant",
    terms: Sequence[str] = ("dataset", "dataset:algorithm"),
    domain: NDArray[np.int64] | None = None,
    domain_terms: Sequence[str] = ("domain", "domain:algorithm"),
    x: Array | None = None,
    reml: bool = True,
) -> StructuredFit:
    """Fit the score model with structured covariances.

    Parameters
    ----------
    patterns
        Sufficient statistics of D data sets and K algorithms.
    between
        ``"common"``: the algorithms' effects on a data set have covariance ``sd J + sa I``, each
        term if it is among `terms`. ``"diagonal"``: ``sd J + diag(sa_1, ..., sa_K)``, which takes
        three algorithms. ``"unstructured"``: any covariance; it contains the data sets' intercept.
    residual
        One residual variance (``"constant"``), or one for each ``"algorithm"`` or ``"dataset"``.
    terms
        Of ``"dataset"``, ``"dataset:algorithm"`` and ``"dataset:replication"``; the last needs
        statistics of blocks.
    domain
        (D,) codes 0, 1, ... of the data sets' domains, for a level above the data sets.
    domain_terms
        Of ``"domain"`` and ``"domain:algorithm"``.
    x
        (D, K, p) design of the fixed effects, or None for one mean per algorithm. The means of the
        algorithms must be among its linear combinations.
    reml
        Restricted (default) or full maximum likelihood.

    Returns
    -------
    StructuredFit
        The optimum.

    Raises
    ------
    FitError
        The scores do not vary beyond the fixed effects, there are too few of them, the model cannot
        be told apart from a simpler one, or the likelihood grows without bound.

    Examples
    --------
    >>> from benchinfer.numerics.patterns import from_cells
    >>> n = np.full((4, 2), 1); y = np.array([[1., 2.], [2., 4.], [5., 5.], [0., 3.]])
    >>> model = fit_structured(from_cells(n, y, np.zeros_like(y)), terms=("dataset",))
    >>> model.terms, model.variances.round(4).tolist()
    (('dataset', 'residual'), [2.3333, 0.8333])
    """
    d, k = patterns.delta.shape[0], patterns.offset.shape[0]
    held = () if domain is None else tuple(domain_terms)
    design = np.broadcast_to(np.eye(k), (d, k, k)) if x is None else x
    offset, turn = _offset(patterns, design), _separation(design)
    if "dataset:replication" in terms and not patterns.paired:
        raise FitError("a replication term needs the statistics of blocks.")
    model = Model(
        patterns=patterns,
        layout=layout((d, k), between, tuple(terms), held, residual),
        x=contrast_basis(k).T @ design @ turn,
        member=_member(domain if held else None, d),
        reml=reml,
    )
    _check(model)
    try:
        psi, at, record = _best(model)
        der = derivatives(model, at, matrices=True)
    except np.linalg.LinAlgError as error:
        raise FitError(f"the score model cannot be fitted: {error}.") from error
    _check_bounded(model.layout, at, der)
    return _record(model, psi, at, der, record, offset, turn)


def _member(domain: NDArray[np.int64] | None, d: int) -> Array:
    """Return the (G, D) indicators of domains."""
    if domain is None:
        return np.zeros((0, d))
    return (np.unique(domain)[:, None] == domain).astype(np.float64)


def _best(model: Model) -> tuple[Array, Evaluation, OptimizerRecord]:
    """Return the better of the optima that two starts lead to, if there may be two.

    The likelihood may have several optima where a variance is zero, or where each algorithm or data
    set has a residual variance of its own.
    """
    layout, first = model.layout, start(model)
    psi, at, record = minimise(model, layout.psi(first))
    zero, lacking = _at_zero(layout, at)
    if layout.residual == "constant" and not lacking and not zero.any():
        return psi, at, record
    again, there, other = minimise(model, layout.psi(even(model)))
    record = replace(record, evaluations=record.evaluations + other.evaluations)
    if there.criterion < at.criterion:
        return again, there, replace(other, evaluations=record.evaluations)
    return psi, at, record


def _check(model: Model) -> None:
    """Refuse what leaves nothing to estimate."""
    stats, p = model.patterns, model.x.shape[2]
    if stats.n_scores <= p:
        raise FitError(f"{stats.n_scores} scores cannot tell {p} fixed effects from noise.")
    weight = stats.rows[:, None] * stats.mean**2
    varied = weight.sum() + np.einsum("mkk->", stats.cross) + stats.square.sum() > 0
    # Scores that are constant up to rounding were divided by a spread of rounding size.
    if not varied or (stats.offset**2).max() > 1e28:
        raise FitError("the scores do not vary beyond the algorithm and data set means.")


def _check_bounded(layout: Layout, at: Evaluation, der: Derivatives) -> None:
    """Refuse a residual variance that goes to zero while the likelihood grows without bound."""
    # There -2 log likelihood goes as a multiple of log(theta), whose slope is that over theta.
    steep = (at.theta < 1e4 * FLOOR) & (at.theta * der.score > 1e-3)
    steep[: layout.inner + layout.replicated] = False
    if steep.any():
        names = [name for name, bad in zip(layout.names, steep, strict=True) if bad]
        raise FitError(
            f"nothing varies beyond the random effects ({', '.join(names)}): scores repeat each"
            " other."
        )


def _sampling(model: Model, psi: Array, der: Derivatives) -> Array:
    """Return the covariance of the estimated variances, without directions on the boundary."""
    unit, values, vectors = natural(curvature(model, psi, der, fisher=False))
    held = values > 1e-9 * values.max()
    root = model.layout.jacobian(psi) @ (unit[:, None] * vectors[:, held])
    return 2 * (root / values[held]) @ root.T


def _at_zero(layout: Layout, at: Evaluation) -> tuple[NDArray[np.bool_], bool]:
    """Return which variances are zero, and whether an unstructured covariance lacks rank."""
    zero = at.theta <= 2 * layout.floor
    zero[: layout.outer] &= not layout.factored
    if not layout.factored:
        return zero, False
    matrix = layout.split(at.theta)[0]
    size = np.sqrt(matrix.diagonal())
    if size.min() <= 0:
        return zero, True
    return zero, bool(np.linalg.eigvalsh(matrix / size / size[:, None])[0] < _SINGULAR)


def _offset(patterns: Patterns, x: Array) -> Array:
    """Return the fixed effects that stand for the algorithms' centres."""
    wanted = np.tile(patterns.offset, len(x))
    design = x.reshape(-1, x.shape[2])
    offset = np.linalg.lstsq(design, wanted, rcond=None)[0]
    if np.abs(design @ offset - wanted).max() > 1e-7 * (1 + np.abs(wanted).max()):
        raise FitError("the algorithms' means must be among the fixed effects.")
    return offset


def _separation(x: Array) -> Array:
    """Return an orthogonal (p, p) basis that parts fixed effects common to all algorithms.

    Where data sets vary much more than algorithms, little is known of these; mixed with the others
    they would spoil what is known of those.
    """
    contrasts = contrast_basis(x.shape[1])[:, 1:].T @ x
    return np.linalg.eigh(np.einsum("dkp,dkq->pq", contrasts, contrasts, optimize=True))[1]


def _turned(der: Derivatives, turn: Array) -> Derivatives:
    """Return the derivatives with matrices over the fixed effects themselves."""
    return replace(der, f=turn @ der.f @ turn.T, ff=turn @ der.ff @ turn.T)


def _record(
    model: Model,
    psi: Array,
    at: Evaluation,
    der: Derivatives,
    record: OptimizerRecord,
    offset: Array,
    turn: Array,
) -> StructuredFit:
    """Put the optimum on the scores' own scale."""
    stats, parts, s, basis = model.patterns, model.layout, model.patterns.scale, at.blocks.basis
    k, phi = len(basis), turn @ at.phi @ turn.T
    between, domain, replication, _ = parts.split(at.theta)
    zero, lacking = _at_zero(parts, at)
    # What the uncertainty of the domain's effect adds to a data set's.
    share = np.eye(k) - at.data.keep
    carried = share.transpose(0, 2, 1) @ model.of_domain(at.domains.cov) @ share
    plain = basis @ between @ basis.T * s**2
    units = at.domains.information if len(model.member) else at.data.information
    z = model.by_domain(at.z) if len(model.member) else at.z
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
        unit_information=basis @ units @ basis.T,
        unit_z=z @ basis.T,
        derivatives=_turned(der, turn),
        sampling=_sampling(model, psi, der),
        scale=s,
        phi=phi,
        optimizer=record,
    )


def _diagonal(basis: Array, cov: Array) -> Array:
    """Return the variances (U, K) of the algorithms from (U, K, K) in contrast coordinates."""
    return np.einsum("kl,ulm,km->uk", basis, cov, basis, optimize=True)
