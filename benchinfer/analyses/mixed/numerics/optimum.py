"""Maximum likelihood of the score model.

With one variance per source the likelihood has a closed form in the moments of `Statistics`. Else,
from those of `Patterns`, which algorithms vary how much between data sets is estimated (`between`),
as is which of them, or which data sets, have noisier scores (`residual`); data sets may come from
several domains.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from benchinfer.analyses.mixed.numerics.likelihood import (
    COMPONENTS,
    CommonModel,
    Derivatives,
    Workspace,
    pseudo_inverse,
)
from benchinfer.analyses.mixed.numerics.moments import Patterns, Statistics
from benchinfer.analyses.mixed.numerics.structured_covariance import (
    FLAT,
    FLOOR,
    Between,
    CovarianceLayout,
    Residual,
    contrast_basis,
)
from benchinfer.analyses.mixed.numerics.structured_likelihood import Evaluation, StructuredModel
from benchinfer.core.errors import FitError
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.numerics.types import Array, Codes, Flags

_MAX_STEPS = 200
# Newton decrement (squared length of the step in standard errors of the variances) to stop at.
_DECREMENT = 1e-18
# Share of the largest variance below which one is tried at 0.
_SMALL = 1e-8
# Least eigenvalue of an unstructured covariance, scaled to diagonal 1, that is not zero.
_SINGULAR = 1e-9


@savable
@dataclass(frozen=True, slots=True)
class OptimizerRecord:
    """Record of the optimisation."""

    evaluations: int  # number of evaluations of the criterion
    steps: int  # number of Newton steps taken
    # Squared length of the Newton step at the optimum, in standard errors of the variances
    decrement: float
    # Whether the decrement fell below its limit, or no step could improve the criterion further
    converged: bool


@savable
@shaped(
    variances="v",
    members="m <v",
    interior="i <v",
    between="K K (-inf,inf)",
    domain="K K (-inf,inf)",
    beta="p (-inf,inf)",
    cov="p p (-inf,inf)",
    blup="N K",
    blup_variance="N K",
    domain_blup="G K",
    domain_blup_variance="G K",
    phi="p p (-inf,inf)",
    sampling="s s",
    expected_sampling="m m",
    second="p p (-inf,inf)",
    derivatives=SAME,
    scale="(0,inf)",
)
@dataclass(frozen=True, slots=True)
class ModelFit:
    """A fitted score model; p fixed effects, on the scores' own scale.

    D data sets, K algorithms, G domains. Indices in `terms` stand for algorithms or data sets. In
    `singular`, ``"dataset:algorithm"`` stands for an unstructured covariance without full rank; a
    residual variance among them is as small as double precision can carry. For an unstructured
    covariance S the parameters of `derivatives` are the lower triangle of ``H' S H``, with H from
    `contrast_basis`; degrees of freedom do not depend on that.
    """

    # Names of the variances and covariances in the model, those of residuals last
    terms: tuple[str, ...]
    # (c,) their estimates; under one variance per source (4,), in the order of
    # `likelihood.COMPONENTS`, and 0 where a component is not in the model
    variances: Array
    # members, interior: positions of the terms among them, and of those that are not estimated to
    # be zero
    members: Codes
    interior: Codes
    singular: tuple[str, ...]  # variances that are estimated to be zero
    between: Array  # (K, K) covariance of the algorithms' effects between data sets
    # (K, K) covariance of the algorithms' effects between domains; None without a domain level
    domain: Array | None
    replication: float  # replication variance, 0 where the model has none
    residual: Array  # residual variances, (1, 1), (1, K) or (D, 1)
    # beta, cov: (p,) fixed effects and (p, p) their covariance
    beta: Array
    cov: Array
    # blup, blup_variance: (D, K) predicted effects of the algorithms on the data sets,
    # without the domains' effects, and their variances, the fixed effects taken as known
    blup: Array
    blup_variance: Array
    # domain_blup, domain_blup_variance: (G, K) the same for domains
    domain_blup: Array
    domain_blup_variance: Array
    criterion: float  # -2 log (restricted) likelihood
    reml: bool  # whether the likelihood is restricted
    n: int  # number of scores
    derivatives: Derivatives  # score, informations and matrices on the scale of the centred scores
    scale: float  # what that scale was divided by
    phi: Array  # (p, p) covariance of the fixed effects on the scale of the centred scores
    # (c, c) covariance of the estimates of the parameters: twice the inverse Hessian, zero in
    # directions in which the optimum lies on the boundary
    sampling: Array
    # (m, m) the same of the m members by the expected information, which counts those at zero
    expected_sampling: Array
    # (p, p) ``sum_ij w_ij X' V^-1 V_i V^-1 V_j V^-1 X``, w the expected sampling
    second: Array
    optimizer: OptimizerRecord  # record of the optimisation

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

    def evaluation(self, stats: Statistics, x: Array | None = None) -> Workspace:
        """Evaluate the likelihood at the variances, of a fit under one variance per source."""
        return CommonModel(stats, x, self.reml).evaluate(self.variances / stats.scale**2)


def fit(
    stats: Statistics | Patterns,
    terms: Sequence[str] = ("dataset", "dataset:algorithm"),
    x: Array | None = None,
    *,
    between: Between = "common",
    residual: Residual = "constant",
    domain: Codes | None = None,
    reml: bool = True,
) -> ModelFit:
    """Fit the score model.

    Parameters
    ----------
    stats
        Moments of D data sets and K algorithms: `Statistics` with one variance per source,
        `Patterns` for any model.
    terms
        Components besides the residual, from `likelihood.COMPONENTS`; of `Patterns`
        ``"dataset:replication"`` needs those of blocks.
    x
        (D, K, p) design of the fixed effects, or None for one mean per algorithm. The means of the
        algorithms, as far as statistics are centred by them, must be among its linear combinations.
    between
        ``"common"``: the algorithms' effects on a data set have covariance ``sd J + sa I``, each
        term if it is among `terms`. ``"diagonal"``: ``sd J + diag(sa_1, ..., sa_K)``, which takes
        three algorithms. ``"unstructured"``: any covariance; it contains the data sets' intercept.
    residual
        One residual variance (``"constant"``), or one for each ``"algorithm"`` or ``"dataset"``.
    domain
        (D,) codes 0, 1, ... of the data sets' domains, for a level above the data sets.
    reml
        Restricted (default) or full maximum likelihood.

    Returns
    -------
    ModelFit
        The optimum.

    Examples
    --------
    >>> from benchinfer.analyses.mixed.numerics.moments import from_cells, structured_from_cells
    >>> n = np.full((4, 2), 1); y = np.array([[1., 2.], [2., 4.], [5., 5.], [0., 3.]])
    >>> model = fit(from_cells(n, y, np.zeros_like(y)), ("dataset",))
    >>> model.variances.round(4).tolist()
    [2.3333, 0.0, 0.0, 0.8333]
    >>> model.beta.round(6).tolist()
    [2.0, 3.5]
    >>> model = fit(structured_from_cells(n, y, np.zeros_like(y)), ("dataset",))
    >>> model.terms, model.variances.round(4).tolist()
    (('dataset', 'residual'), [2.3333, 0.8333])
    """
    p = len(stats.offset) if x is None else x.shape[2]
    if stats.n_scores <= p:
        raise FitError(f"{stats.n_scores:,} scores cannot tell {p} fixed effects from noise.")
    try:
        if isinstance(stats, Statistics):
            if between != "common" or residual != "constant" or domain is not None:
                raise ValueError("variances that differ, and domains, need `Patterns`.")
            free = np.array([name in terms or name == "residual" for name in COMPONENTS])
            return _fit_common(CommonModel(stats, x, reml, free))
        model = _structured_model(stats, terms, x, between, residual, domain, reml=reml)
        return _fit_structured(*model)
    except np.linalg.LinAlgError as error:
        raise FitError(f"the score model cannot be fitted: {error}.") from error


def _fit_common(model: CommonModel) -> ModelFit:
    stats, x, reml = model.stats, model.x, model.reml
    if stats.square.sum() <= 1e-30 * (stats.n.sum() * (1 + (stats.offset**2).max())):
        raise FitError("the scores do not vary beyond the algorithm and data set means.")
    best = minimise(model, model.start())
    _check_converged(best.record)
    s, work, der, theta = stats.scale, best.at, best.derivatives, best.at.theta
    k, p = stats.n.shape[1], len(work.beta)
    offset = stats.offset if x is None else _offset(stats.offset, x)
    variances, members = theta * s**2, np.flatnonzero(model.free)
    interior = members[variances[members] > 0]
    inner, every = np.ix_(interior, interior), np.ix_(members, members)
    sampling = np.zeros_like(der.expected)
    sampling[inner] = 2 * pseudo_inverse(
        der.observed[inner]
    )  # of two terms only the sum may be known
    w = 2 * pseudo_inverse(der.expected[every])
    return ModelFit(
        terms=tuple(COMPONENTS[i] for i in members),
        variances=variances,
        members=members,
        interior=interior,
        singular=tuple(COMPONENTS[i] for i in members if theta[i] == 0),
        between=variances[0] + variances[1] * np.eye(k),
        domain=None,
        replication=float(variances[2]),
        residual=variances[3:, None],
        beta=(work.beta + offset) * s,
        cov=work.phi * s**2,
        blup=theta[0] * der.z.sum(axis=1, keepdims=True) * s + theta[1] * der.z * s,
        blup_variance=np.tile(np.einsum("dkk->dk", work.t_matrix) * s**2, (work.each, 1)),
        domain_blup=np.empty((0, k)),
        domain_blup_variance=np.empty((0, k)),
        criterion=work.criterion + 2 * (stats.n_scores - p * reml) * float(np.log(s)),
        reml=reml,
        n=stats.n_scores,
        derivatives=replace(der, ff=der.ff[:0]),
        scale=s,
        phi=work.phi,
        sampling=sampling,
        expected_sampling=w,
        second=np.einsum("ij,ijpq->pq", w, der.ff[every]),
        optimizer=best.record,
    )


def _structured_model(
    stats: Patterns,
    terms: Sequence[str],
    x: Array | None,
    between: Between,
    residual: Residual,
    domain: Codes | None,
    *,
    reml: bool,
) -> tuple[StructuredModel, Array, Array]:
    """Return the model, the basis of its fixed effects, and the effects that equal the centres."""
    d, k = stats.free.shape
    design = np.broadcast_to(np.eye(k), (d, k, k)) if x is None else x
    offset = _offset(stats.offset, design)
    basis = contrast_basis(k)
    # A basis that parts fixed effects common to all algorithms: where data sets vary much more than
    # algorithms, little is known of these; mixed with the others they would spoil what is known of
    # those.
    contrasts = basis[:, 1:].T @ design
    turn = np.linalg.eigh(np.einsum("dkp,dkq->pq", contrasts, contrasts, optimize=True))[1]
    if "dataset:replication" in terms and not stats.paired:
        raise FitError("a replication term needs the statistics of blocks.")
    weight = stats.rows[:, None] * stats.mean**2
    varied = weight.sum() + np.einsum("mkk->", stats.cross) + stats.square.sum() > 0
    # Scores that are constant up to rounding were divided by a spread of rounding size.
    if not varied or (stats.offset**2).max() > 1e28:
        raise FitError("the scores do not vary beyond the algorithm and data set means.")
    member = np.zeros((0, d))
    if domain is not None:
        member = (np.unique(domain)[:, None] == domain).astype(np.float64)
    model = StructuredModel(
        stats=stats,
        layout=CovarianceLayout.of((d, k), between, terms, residual, domains=domain is not None),
        x=basis.T @ design @ turn,
        member=member,
        reml=reml,
    )
    return model, turn, offset


def _fit_structured(model: StructuredModel, turn: Array, offset: Array) -> ModelFit:
    stats, k, basis = model.stats, len(model.stats.offset), contrast_basis(len(model.stats.offset))
    best = _best(model)
    parts, psi, at, der = model.layout, best.coordinates, best.at, best.derivatives
    _check_bounded(parts, at, der)
    _check_converged(best.record)
    s, phi = stats.scale, turn @ at.phi @ turn.T
    covariance, across, replication, _ = parts.split(at.theta)
    zero, lacking = at_zero(parts, at)
    plain = basis @ covariance @ basis.T * s**2
    variances = at.theta * s**2
    if parts.factored:
        variances[: parts.outer] = plain[np.tril_indices(k)]
    # What the uncertainty of the domain's effect adds to a data set's.
    share = np.eye(k) - at.data.keep
    carried = share.transpose(0, 2, 1) @ model.of_domain(at.domains.cov) @ share
    # Directions on the boundary have no curvature.
    unit, values, vectors = model.curvature(psi, der, fisher=False)
    curved = values > FLAT * values.max()
    root = parts.jacobian(psi) @ (unit[:, None] * vectors[:, curved])
    lacked = ("dataset:algorithm",) if lacking else ()
    noise, w = variances[parts.inner + parts.replicated :], 2 * pseudo_inverse(der.expected)
    return ModelFit(
        terms=parts.names,
        variances=variances,
        members=np.arange(len(variances)),
        interior=np.flatnonzero(~zero),
        singular=(*lacked, *(parts.names[i] for i in np.flatnonzero(zero))),
        between=plain,
        domain=basis @ across @ basis.T * s**2 if len(model.member) else None,
        replication=replication * s**2,
        residual=noise[:, None] if parts.residual == "dataset" else noise[None],
        beta=(turn @ at.beta + offset) * s,
        cov=phi * s**2,
        blup=at.z @ covariance @ basis.T * s,
        blup_variance=_diagonal(basis, at.data.cov + carried) * s**2,
        domain_blup=at.domain_effect @ basis.T * s,
        domain_blup_variance=_diagonal(basis, at.domains.cov) * s**2,
        criterion=at.criterion + 2 * (stats.n_scores - len(phi) * model.reml) * float(np.log(s)),
        reml=model.reml,
        n=stats.n_scores,
        derivatives=replace(der, f=turn @ der.f @ turn.T),
        scale=s,
        phi=phi,
        sampling=2 * (root / values[curved]) @ root.T,
        expected_sampling=w,
        second=turn @ model.second(at, w) @ turn.T,
        optimizer=best.record,
    )


def _diagonal(basis: Array, cov: Array) -> Array:
    """Return the variances (U, K) of the algorithms from (U, K, K) in contrast coordinates."""
    return np.einsum("kl,ulm,km->uk", basis, cov, basis, optimize=True)


class ScoreModel[E: (Workspace, Evaluation)](Protocol):
    """A likelihood with the coordinates of its variances, such as these or their square roots."""

    fisher_steps: ClassVar[int]
    halvings: ClassVar[int]

    @property
    def stats(self) -> Statistics | Patterns:
        """The sufficient statistics."""
        ...

    def theta(self, coordinates: Array, /) -> Array:
        """Return the variances at coordinates."""
        ...

    def evaluate(self, theta: Array, /) -> E:
        """Evaluate the criterion."""
        ...

    def derivatives(self, at: E, /) -> Derivatives:
        """Return the derivatives by the variances at an evaluation."""
        ...

    def moved(self, coordinates: Array, step: Array, /) -> Array:
        """Return the coordinates after a step."""
        ...

    def direction(
        self, coordinates: Array, der: Derivatives, /, *, fisher: bool
    ) -> tuple[Array, float]:
        """Return a step downhill and its decrement."""
        ...


@dataclass(frozen=True, slots=True)
class Optimum[E: (Workspace, Evaluation)]:
    """Minimum of a criterion."""

    coordinates: Array
    at: E  # the evaluation there
    derivatives: Derivatives
    record: OptimizerRecord


def minimise[E: (Workspace, Evaluation)](
    model: ScoreModel[E], coordinates: Array, *, fisher: bool = True, limit: float = _DECREMENT
) -> Optimum[E]:
    """Minimise the criterion by Newton steps, until they are shorter than rounding or not downhill.

    The first steps take the expected information if `fisher`; `limit` is the decrement to stop at.
    """
    at = model.evaluate(model.theta(coordinates))
    der, fisher_steps = model.derivatives(at), model.fisher_steps if fisher else 0
    evaluations, steps, decrement, converged = 1, 0, np.inf, False
    for step_no in range(1, _MAX_STEPS + 1):
        step, decrement = model.direction(coordinates, der, fisher=step_no <= fisher_steps)
        if decrement < limit:
            converged = True
            break
        better, tried = _search(model, coordinates, at, step, decrement)
        evaluations += tried
        if better is None:
            # No measurable descent is left: at the optimum up to rounding, or in trouble.
            converged = decrement < 1e-8
            if converged or step_no > fisher_steps:
                break
            continue
        coordinates, at = better
        steps += 1
        der = model.derivatives(at)
    record = OptimizerRecord(evaluations, steps, float(decrement), converged)
    return Optimum(coordinates, at, der, record)


def _search[E: (Workspace, Evaluation)](
    model: ScoreModel[E], coordinates: Array, at: E, step: Array, decrement: float
) -> tuple[tuple[Array, E] | None, int]:
    """Halve the step until the criterion falls; also return the number of trials."""
    noise, length = 1e-13 * (abs(at.criterion) + model.stats.n_scores), 1.0
    for tried in range(1, model.halvings + 1):
        there = model.moved(coordinates, length * step)
        length /= 2
        try:
            point = model.evaluate(model.theta(there))
        except (FitError, np.linalg.LinAlgError):
            continue  # too far away for double precision
        gain = at.criterion - point.criterion
        # Near the optimum the gain drowns in rounding: the Newton step is the better guide.
        if gain > 0 or (decrement < 1e-6 and tried == 1 and gain > -noise):
            return (there, point), tried
    return None, model.halvings


def _check_converged(record: OptimizerRecord) -> None:
    """Raise a FitError where the optimiser of the variances did not converge."""
    if not record.converged:
        raise FitError(
            f"the fit did not converge in {record.steps} steps: the variances differ by more orders"
            " of magnitude than it can tell."
        )


def _best(model: StructuredModel) -> Optimum[Evaluation]:
    """Return the better of the optima that two starts lead to, if there may be two.

    The likelihood may have several optima where a variance is zero, or where each algorithm or data
    set has a residual variance of its own.
    """
    layout = model.layout
    first = _cleaned(model, minimise(model, layout.psi(model.start())))
    zero, lacking = at_zero(layout, first.at)
    if layout.residual == "constant" and not lacking and not zero.any():
        return first
    try:
        other = _cleaned(model, minimise(model, layout.psi(model.even_start())))
    except (FitError, np.linalg.LinAlgError):
        return first  # a start that cannot be evaluated leads nowhere
    better = (
        other if other.at.criterion < first.at.criterion - _rounding(model, first.at) else first
    )
    evaluations = first.record.evaluations + other.record.evaluations
    return replace(better, record=replace(better.record, evaluations=evaluations))


def _rounding(model: StructuredModel, at: Evaluation) -> float:
    """Return the largest difference of two criteria that rounding alone can explain."""
    return 1e-12 * (abs(at.criterion) + model.stats.n_scores)


def _cleaned(model: StructuredModel, best: Optimum[Evaluation]) -> Optimum[Evaluation]:
    """Set variances close to zero to zero, unless that raises the criterion."""
    layout, at = model.layout, best.at
    small = at.theta - layout.floor < _SMALL * at.theta.max()
    small[: layout.outer] &= not layout.factored
    # A residual variance is small in comparison with its own scores, not with the others.
    small[layout.inner + layout.replicated :] = False
    if not (small & (best.coordinates != 0)).any():
        return best
    psi = np.where(small, 0.0, best.coordinates)
    try:
        there = model.evaluate(model.theta(psi))
    except (FitError, np.linalg.LinAlgError):
        return best
    if there.criterion > at.criterion + _rounding(model, at):
        return best
    record = replace(best.record, evaluations=best.record.evaluations + 1)
    return Optimum(psi, there, model.derivatives(there), record)


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


def _check_bounded(layout: CovarianceLayout, at: Evaluation, der: Derivatives) -> None:
    """Raise a FitError where a residual variance tends to zero and the likelihood is unbounded."""
    # There -2 log likelihood goes as a multiple of log(theta), whose slope is that over theta.
    steep = (at.theta < 1e4 * FLOOR) & (at.theta * der.score > 1e-3)
    steep[: layout.inner + layout.replicated] = False
    if steep.any():
        names = [name for name, bad in zip(layout.names, steep, strict=True) if bad]
        raise FitError(
            f"nothing varies beyond the random effects ({', '.join(names)}): scores repeat each"
            " other."
        )


def _offset(centres: Array, x: Array) -> Array:
    """Return the fixed effects that reproduce the algorithms' centres (K,)."""
    wanted, design = np.tile(centres, len(x)), x.reshape(-1, x.shape[2])
    offset = np.linalg.lstsq(design, wanted, rcond=None)[0]
    if np.abs(design @ offset - wanted).max() > 1e-7 * (1 + np.abs(wanted).max()):
        raise FitError("the algorithms' means must be among the fixed effects.")
    return offset
