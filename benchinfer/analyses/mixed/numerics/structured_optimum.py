"""Maximum likelihood with structured covariances.

Which algorithms vary how much between data sets is estimated (`between`), as is which of them, or
which data sets, have noisier scores (`residual`); data sets may come from several domains.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchinfer.analyses.mixed.numerics.likelihood import Derivatives, pseudo_inverse
from benchinfer.analyses.mixed.numerics.moments import Patterns
from benchinfer.analyses.mixed.numerics.optimum import (
    FittedModel,
    OptimizerRecord,
    halve,
    newton,
    require_converged,
)
from benchinfer.analyses.mixed.numerics.structured_likelihood import (
    FLOOR,
    Between,
    CovarianceLayout,
    Evaluation,
    Residual,
    StructuredModel,
    contrast_basis,
    derivatives,
    evaluate,
    layout,
    second,
)
from benchinfer.core.errors import FitError
from benchinfer.core.saving import savable
from benchinfer.numerics.types import Array, Codes, Flags

_MAX_STEPS = 200
# The first steps use the expected information, which is positive however bad the start.
_FISHER_STEPS = 3
# Least curvature, relative to the largest, that a step divides by.
_FLAT = 1e-9
# Share of the largest variance below which one is tried at 0.
_SMALL = 1e-8


def curvature(model: StructuredModel, psi: Array, der: Derivatives, *, fisher: bool) -> Array:
    """Return the (c, c) Hessian of the criterion by square roots psi, or its expectation."""
    jacobian = model.layout.jacobian(psi)
    if fisher:
        return jacobian.T @ der.expected @ jacobian
    return jacobian.T @ der.observed @ jacobian + model.layout.bend(der.score)


def natural(hessian: Array) -> tuple[Array, Array, Array]:
    """Return units in which a Hessian has diagonal 1, and its eigenvalues and vectors in them."""
    size = np.abs(hessian.diagonal())
    # A variance at zero may have no curvature at all.
    unit = 1 / np.sqrt(np.maximum(size, 1e-14 * size.max()))
    values, vectors = np.linalg.eigh(hessian * unit * unit[:, None])
    return unit, values, vectors


def minimise(model: StructuredModel, psi: Array) -> tuple[Array, Evaluation, OptimizerRecord]:
    """Minimise the criterion from square roots psi (c,).

    Directions of negative curvature are followed downhill, so that saddle points, such as a
    variance near 0 that belongs elsewhere, do not hold the search.

    Returned are those at the optimum, the evaluation there, and how it was found.
    """

    def direction(point: tuple[Array, Evaluation], fisher: bool) -> tuple[Array, float]:  # noqa: FBT001
        psi, der = point[0], derivatives(model, point[1])
        gradient = model.layout.jacobian(psi).T @ der.score
        unit, values, vectors = natural(curvature(model, psi, der, fisher=fisher))
        values = np.maximum(np.abs(values), _FLAT * np.abs(values).max())
        along = vectors.T @ (unit * gradient)
        return -unit * (vectors @ (along / values)), float((along**2 / values).sum() / 2)

    def search(
        point: tuple[Array, Evaluation], step: Array, decrement: float
    ) -> tuple[tuple[Array, Evaluation] | None, int]:
        psi, at = point

        def trial(length: float) -> tuple[Array, Evaluation] | None:
            there = _evaluate(model, psi + length * step)
            return None if there is None else (psi + length * step, there)

        noise = 1e-13 * (abs(at.criterion) + model.patterns.n_scores)
        return halve(
            trial, lambda there: at.criterion - there[1].criterion, decrement, noise, most=40
        )

    start = psi, evaluate(model, model.layout.theta(psi))
    point, record = newton(start, direction, search, most=_MAX_STEPS, fisher_steps=_FISHER_STEPS)
    psi, at = _clean(model, *point)
    return psi, at, replace(record, evaluations=record.evaluations + 1)


def _evaluate(model: StructuredModel, psi: Array) -> Evaluation | None:
    """Evaluate the criterion at a trial point; None where that is beyond double precision."""
    try:
        return evaluate(model, model.layout.theta(psi))
    except (FitError, np.linalg.LinAlgError):
        return None


def _rounding(model: StructuredModel, at: Evaluation) -> float:
    """Return how far criteria that differ by rounding alone may be apart."""
    return 1e-12 * (abs(at.criterion) + model.patterns.n_scores)


def _clean(model: StructuredModel, psi: Array, at: Evaluation) -> tuple[Array, Evaluation]:
    """Set variances that came close to zero to zero, if the criterion agrees."""
    small = at.theta - model.layout.floor < _SMALL * at.theta.max()
    small[: model.layout.outer] &= not model.layout.factored
    # A residual variance is small in comparison with its own scores, not with the others.
    small[model.layout.inner + model.layout.replicated :] = False
    trial = np.where(small, 0.0, psi)
    there = _evaluate(model, trial)
    if there is None or there.criterion > at.criterion + _rounding(model, at):
        return psi, at
    return trial, there


# Least eigenvalue of an unstructured covariance, scaled to diagonal 1, that is not zero.
_SINGULAR = 1e-9


@savable
@dataclass(frozen=True, slots=True)
class StructuredFit(FittedModel):
    """A fit with structured covariances: c variances and covariances, G domains.

    Indices in `terms` stand for algorithms or data sets. In `singular`, ``"dataset:algorithm"``
    stands for an unstructured covariance without full rank; a residual variance among them is as
    small as double precision can carry. For an unstructured covariance S the parameters of
    `derivatives` are the lower triangle of ``H' S H``, with H from `contrast_basis`; degrees of
    freedom do not depend on that.
    """

    between: Array  # (K, K) covariance of the algorithms' effects between data sets
    # (K, K) covariance of the algorithms' effects between domains; None without a domain level
    domain: Array | None
    replication: float  # replication variance, 0 where the model has none
    residual: Array  # (1,), (K,) or (D,) residual variances
    interior: Codes  # (i,) positions of the variances that are not estimated to be zero
    # blup_profile, blup_profile_variance: (D, K) predicted effects of the algorithms on the data
    # sets, without the domains' effects, and their conditional variances, the fixed effects taken
    # as known
    blup_profile: Array
    blup_profile_variance: Array
    # blup_domain, blup_domain_variance: (G, K) the same for domains
    blup_domain: Array
    blup_domain_variance: Array
    # (c, c) covariance of the estimates of the parameters: twice the inverse Hessian, zero in
    # directions in which the optimum lies on the boundary
    sampling: Array
    # (p, p) ``sum_ij w_ij X' V^-1 V_i V^-1 V_j V^-1 X``, w twice the inverse expected information
    second: Array

    @property
    def members(self) -> Codes:
        """Positions of the variances in the model: all of them."""
        return np.arange(len(self.terms))


def _sampling(model: StructuredModel, psi: Array, der: Derivatives) -> Array:
    """Return the covariance of the estimated variances, without directions on the boundary."""
    unit, values, vectors = natural(curvature(model, psi, der, fisher=False))
    held = values > 1e-9 * values.max()
    root = model.layout.jacobian(psi) @ (unit[:, None] * vectors[:, held])
    return 2 * (root / values[held]) @ root.T


def at_zero(layout: CovarianceLayout, at: Evaluation) -> tuple[Flags, bool]:
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


def describe(
    model: StructuredModel,
    psi: Array,
    at: Evaluation,
    der: Derivatives,
    record: OptimizerRecord,
    offset: Array,
    turn: Array,
) -> StructuredFit:
    """Put an optimum on the scores' own scale.

    `psi` are the square roots of the variances there, `at` and `der` the evaluation and the
    derivatives, `record` how it was found; `offset` (p,) are the fixed effects that stand for the
    algorithms' centres, `turn` (p, p) is an orthogonal basis of the fixed effects in the model.
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
        derivatives=replace(der, f=turn @ der.f @ turn.T),
        sampling=_sampling(model, psi, der),
        second=turn @ second(model, at, 2 * pseudo_inverse(der.expected)) @ turn.T,
        scale=s,
        phi=phi,
        optimizer=record,
    )


def _diagonal(basis: Array, cov: Array) -> Array:
    """Return the variances (U, K) of the algorithms from (U, K, K) in contrast coordinates."""
    return np.einsum("kl,ulm,km->uk", basis, cov, basis, optimize=True)


def start(model: StructuredModel) -> Array:
    """Return start values of the variances from moments of the cells."""
    stats, layout = model.patterns, model.layout
    d, k = stats.free.shape
    n = stats.n
    weight = stats.rows[:, None] * stats.counts
    cell = stats.by_dataset(weight * stats.mean) / np.maximum(n, 1)
    square = stats.by_dataset(
        stats.counts * np.einsum("mkk->mk", stats.cross)
        + weight * (stats.mean - cell[stats.dataset]) ** 2
    )
    square, free = square + stats.square, np.maximum(n - 1, 0)
    interaction = max(float((cell**2).sum() / (n > 0).sum()), 0.01)
    share = 2.0 if len(model.member) else 1.0
    simple = {
        "dataset": max(float(np.var(stats.delta)), 0.01),
        "dataset:algorithm": interaction,
        "dataset:replication": 1 / 3,
    }
    theta = np.zeros(len(layout.names))
    for i, name in enumerate(layout.names[: layout.inner + layout.replicated]):
        theta[i] = simple[name.replace("domain", "dataset").split("[")[0]] / share
    if layout.factored:
        profile = cell + stats.delta[:, None]
        profile = (profile - profile.mean(axis=0)) @ contrast_basis(k)
        matrix = (0.7 * profile.T @ profile / d + 0.3 * interaction * np.eye(k)) / share
        theta[: layout.outer] = matrix[np.tril_indices(k)]
    # A third of a degree of freedom at the pooled value keeps cells without repeats in.
    pooled = (square.sum() + 1 / 3) / (free.sum() + 1)
    axis = {"constant": (0, 1), "algorithm": (0,), "dataset": (1,)}[layout.residual]
    variance = (square.sum(axis=axis) + pooled) / (free.sum(axis=axis) + 1)
    theta[layout.inner + layout.replicated :] = np.maximum(variance, 1e-6)
    return theta


def even(model: StructuredModel) -> Array:
    """Return start values that give each source of variation the same variance.

    All but the distance between data sets, which may be larger by any factor: from a start that is
    far too small the first step leads out of double precision.
    """
    layout, k = model.layout, model.x.shape[1]
    theta = np.full(len(layout.names), 1 / 3)
    level = max(float(np.var(model.patterns.delta)), 1 / 3)
    if layout.factored:
        theta[: layout.outer] = np.eye(k)[np.tril_indices(k)] / 3
        theta[0] = k * level
    elif layout.names[0] == "dataset":
        theta[0] = level
    return theta


def fit_structured(
    patterns: Patterns,
    *,
    between: Between = "common",
    residual: Residual = "constant",
    terms: Sequence[str] = ("dataset", "dataset:algorithm"),
    domain: Codes | None = None,
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
    x
        (D, K, p) design of the fixed effects, or None for one mean per algorithm. The means of the
        algorithms must be among its linear combinations.
    reml
        Restricted (default) or full maximum likelihood.

    Returns
    -------
    StructuredFit
        The optimum.

    Examples
    --------
    >>> from benchinfer.analyses.mixed.numerics.moments import structured_from_cells
    >>> n = np.full((4, 2), 1); y = np.array([[1., 2.], [2., 4.], [5., 5.], [0., 3.]])
    >>> model = fit_structured(structured_from_cells(n, y, np.zeros_like(y)), terms=("dataset",))
    >>> model.terms, model.variances.round(4).tolist()
    (('dataset', 'residual'), [2.3333, 0.8333])
    """
    d, k = patterns.delta.shape[0], patterns.offset.shape[0]
    held = () if domain is None else ("domain", "domain:algorithm")
    design = np.broadcast_to(np.eye(k), (d, k, k)) if x is None else x
    offset = _offset(patterns, design)
    # A basis that parts fixed effects common to all algorithms: where data sets vary much more than
    # algorithms, little is known of these; mixed with the others they would spoil what is known of
    # those.
    contrasts = contrast_basis(k)[:, 1:].T @ design
    turn = np.linalg.eigh(np.einsum("dkp,dkq->pq", contrasts, contrasts, optimize=True))[1]
    if "dataset:replication" in terms and not patterns.paired:
        raise FitError("a replication term needs the statistics of blocks.")
    member = np.zeros((0, d))
    if domain is not None:
        member = (np.unique(domain)[:, None] == domain).astype(np.float64)
    model = StructuredModel(
        patterns=patterns,
        layout=layout((d, k), between, tuple(terms), held, residual),
        x=contrast_basis(k).T @ design @ turn,
        member=member,
        reml=reml,
    )
    _check(model)
    try:
        psi, at, record = _best(model)
        der = derivatives(model, at)
    except np.linalg.LinAlgError as error:
        raise FitError(f"the score model cannot be fitted: {error}.") from error
    _check_bounded(model.layout, at, der)
    require_converged(record)
    return describe(model, psi, at, der, record, offset, turn)


def _best(model: StructuredModel) -> tuple[Array, Evaluation, OptimizerRecord]:
    """Return the better of the optima that two starts lead to, if there may be two.

    The likelihood may have several optima where a variance is zero, or where each algorithm or data
    set has a residual variance of its own.
    """
    layout, first = model.layout, start(model)
    psi, at, record = minimise(model, layout.psi(first))
    zero, lacking = at_zero(layout, at)
    if layout.residual == "constant" and not lacking and not zero.any():
        return psi, at, record
    try:
        again, there, other = minimise(model, layout.psi(even(model)))
    except (FitError, np.linalg.LinAlgError):
        return psi, at, record  # a start that cannot be evaluated leads nowhere
    record = replace(record, evaluations=record.evaluations + other.evaluations)
    if there.criterion < at.criterion - _rounding(model, at):
        return again, there, replace(other, evaluations=record.evaluations)
    return psi, at, record


def _check(model: StructuredModel) -> None:
    """Refuse what leaves nothing to estimate."""
    stats, p = model.patterns, model.x.shape[2]
    if stats.n_scores <= p:
        raise FitError(f"{stats.n_scores:,} scores cannot tell {p} fixed effects from noise.")
    weight = stats.rows[:, None] * stats.mean**2
    varied = weight.sum() + np.einsum("mkk->", stats.cross) + stats.square.sum() > 0
    # Scores that are constant up to rounding were divided by a spread of rounding size.
    if not varied or (stats.offset**2).max() > 1e28:
        raise FitError("the scores do not vary beyond the algorithm and data set means.")


def _check_bounded(layout: CovarianceLayout, at: Evaluation, der: Derivatives) -> None:
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


def _offset(patterns: Patterns, x: Array) -> Array:
    """Return the fixed effects that stand for the algorithms' centres."""
    wanted = np.tile(patterns.offset, len(x))
    design = x.reshape(-1, x.shape[2])
    offset = np.linalg.lstsq(design, wanted, rcond=None)[0]
    if np.abs(design @ offset - wanted).max() > 1e-7 * (1 + np.abs(wanted).max()):
        raise FitError("the algorithms' means must be among the fixed effects.")
    return offset
