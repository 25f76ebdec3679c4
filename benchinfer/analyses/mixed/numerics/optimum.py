"""Maximum likelihood of the score model."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchinfer.analyses.mixed.numerics.likelihood import (
    COMPONENTS,
    Derivatives,
    Workspace,
    derivatives,
    evaluate,
    pseudo_inverse,
)
from benchinfer.analyses.mixed.numerics.moments import Statistics
from benchinfer.core.errors import FitError
from benchinfer.core.saving import savable
from benchinfer.numerics.types import Array, Codes, Flags

_MAX_STEPS = 100
# Newton decrement (squared length of the step in standard errors of the variances) to stop at.
_DECREMENT = 1e-18
# Share of a variance, relative to the largest start value, below which it is tried at 0.
_FLOOR = 1e-10
# Residual variance, relative to that of the centred scores, below which it is rounding only.
_LEAST_RESIDUAL = 1e-13


@savable
@dataclass(frozen=True, slots=True)
class OptimizerRecord:
    """Record of the optimisation."""

    evaluations: int  # number of evaluations of the criterion
    steps: int  # number of Newton steps taken
    decrement: float  # squared length of the last Newton step, in standard errors of the variances
    # Whether the decrement fell below its limit, or no step could improve the criterion further
    converged: bool


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A fitted score model; p fixed effects, c variances and covariances, on the scores' own scale.

    D data sets, K algorithms.
    """

    # Names of the variances and covariances in the model, those of residuals last
    terms: tuple[str, ...]
    variances: Array  # their estimates
    # beta, cov: (p,) fixed effects and (p, p) their covariance
    beta: Array
    cov: Array
    criterion: float  # -2 log (restricted) likelihood
    reml: bool  # whether the likelihood is restricted
    n: int  # number of scores
    singular: tuple[str, ...]  # variances that are estimated to be zero
    derivatives: Derivatives  # score, informations and matrices on the scale of the centred scores
    scale: float  # what that scale was divided by
    phi: Array  # (p, p) covariance of the fixed effects on the scale of the centred scores
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


@savable
@dataclass(frozen=True, slots=True)
class ScoreModelFit(FittedModel):
    """A fit with one variance per source.

    Its (4,) variances are in the order of `likelihood.COMPONENTS`, 0 where a component is not in
    the model; `singular` are components that are estimated to be exactly zero.
    """

    # blup_dataset, blup_interaction: (D,) and (D, K) predicted random effects
    blup_dataset: Array
    blup_interaction: Array

    @property
    def members(self) -> Codes:
        """Indices of the variances in the model."""
        return np.array([i for i, name in enumerate(COMPONENTS) if name in self.terms])

    @property
    def interior(self) -> Codes:
        """Indices of the variances in the model that are not estimated to be zero."""
        return self.members[self.variances[self.members] > 0]

    @property
    def sampling(self) -> Array:
        """(4, 4) covariance of the estimated variances, zero at the boundary."""
        block = np.ix_(self.interior, self.interior)
        sampling = np.zeros_like(self.derivatives.expected)
        sampling[block] = 2 * np.linalg.inv(self.derivatives.observed[block])
        return sampling

    @property
    def second(self) -> Array:
        """(p, p) ``sum_ij w_ij X' V^-1 V_i V^-1 V_j V^-1 X``, w twice the inverse information."""
        block = np.ix_(self.members, self.members)
        w = 2 * pseudo_inverse(self.derivatives.expected[block])
        return np.einsum("ij,ijpq->pq", w, self.derivatives.ff[block])


def fit(
    stats: Statistics, terms: tuple[str, ...], x: Array | None = None, *, reml: bool = True
) -> ScoreModelFit:
    """Fit the score model.

    Parameters
    ----------
    stats
        Sufficient statistics of D data sets and K algorithms.
    terms
        Components besides the residual, from `likelihood.COMPONENTS`.
    x
        (D, K, p) design of the fixed effects, or None for one mean per algorithm.
    reml
        Restricted (default) or full maximum likelihood.

    Returns
    -------
    ScoreModelFit
        The optimum.

    Examples
    --------
    >>> from benchinfer.analyses.mixed.numerics.moments import from_cells
    >>> n = np.full((4, 2), 1); y = np.array([[1., 2.], [2., 4.], [5., 5.], [0., 3.]])
    >>> model = fit(from_cells(n, y, np.zeros_like(y)), ("dataset",))
    >>> model.variances.round(4).tolist()
    [2.3333, 0.0, 0.0, 0.8333]
    >>> model.beta.round(6).tolist()
    [2.0, 3.5]
    """
    free = np.array([name in terms or name == "residual" for name in COMPONENTS])
    p = stats.n.shape[1] if x is None else x.shape[2]
    if stats.n_scores <= p:
        raise FitError(f"{stats.n_scores:,} scores cannot tell {p} fixed effects from noise.")
    if stats.square.sum() <= 1e-30 * (stats.n.sum() * (1 + (stats.offset**2).max())):
        raise FitError("the scores do not vary beyond the algorithm and data set means.")
    try:
        work, der, record = _optimize(stats, _start(stats, free), free, x, reml=reml)
    except np.linalg.LinAlgError as error:
        raise FitError(f"the score model cannot be fitted: {error}.") from error
    require_converged(record)
    s, theta = stats.scale, work.theta
    offset = (
        stats.offset
        if x is None
        else np.linalg.lstsq(x.reshape(-1, p), np.tile(stats.offset, len(x)), rcond=None)[0]
    )
    zero = tuple(
        name for name, on, value in zip(COMPONENTS, free, theta, strict=True) if on and value == 0
    )
    return ScoreModelFit(
        terms=tuple(name for name, on in zip(COMPONENTS, free, strict=True) if on),
        variances=theta * s**2,
        beta=(work.beta + offset) * s,
        cov=work.phi * s**2,
        criterion=work.criterion + 2 * (stats.n_scores - p * reml) * float(np.log(s)),
        reml=reml,
        n=stats.n_scores,
        singular=zero,
        blup_dataset=theta[0] * der.z.sum(axis=1) * s,
        blup_interaction=theta[1] * der.z * s,
        derivatives=der,
        scale=s,
        phi=work.phi,
        optimizer=record,
    )


def require_converged(record: OptimizerRecord) -> None:
    """Refuse variances that are not at an optimum: errors and verdicts would rest on them."""
    if not record.converged:
        raise FitError(
            f"the fit did not converge in {record.steps} steps: the variances differ by more orders"
            " of magnitude than it can tell."
        )


def _start(stats: Statistics, free: Flags) -> Array:
    """Return start values: the spread of the data sets' means, thirds of the rest."""
    theta = np.where(free, 1 / 3, 0.0)
    if free[0]:
        theta[0] = max(float(np.var(stats.delta)), 0.01)
    return theta


def _optimize(
    stats: Statistics, theta: Array, free: Flags, x: Array | None, *, reml: bool
) -> tuple[Workspace, Derivatives, OptimizerRecord]:
    """Minimise the criterion over variances >= 0: two Fisher steps, then Newton."""

    def direction(point: tuple[Workspace, Derivatives], fisher: bool) -> tuple[Array, float]:  # noqa: FBT001
        work, der = point
        # A zero component stays there as long as the criterion grows away from it (KKT).
        active = free & ~((work.theta <= 0) & (der.score >= 0))
        return newton_direction(der, active, fisher=fisher)

    def search(
        point: tuple[Workspace, Derivatives], step: Array, decrement: float
    ) -> tuple[tuple[Workspace, Derivatives] | None, int]:
        better, tried = line_search(stats, point[0], step, decrement, x, reml=reml)
        if better is None:
            return None, tried
        return (better, derivatives(stats, better, x, reml=reml)), tried

    work = evaluate(stats, theta, x, reml=reml)
    start = work, derivatives(stats, work, x, reml=reml)
    (work, der), record = newton(start, direction, search, most=_MAX_STEPS, fisher_steps=2)
    return work, der, record


def newton[P](
    point: P,
    direction: Callable[[P, bool], tuple[Array, float]],
    search: Callable[[P, Array, float], tuple[P | None, int]],
    *,
    most: int,
    fisher_steps: int,
) -> tuple[P, OptimizerRecord]:
    """Minimise a criterion by Newton steps, until they are shorter than rounding or not downhill.

    Parameters
    ----------
    point
        The start.
    direction
        From a point, and whether the expected information is used, to the step and its decrement.
    search
        From a point, a step and its decrement to a better point, None where there is none, and the
        number of evaluations.
    most
        Number of steps at the most.
    fisher_steps
        How many first steps use the expected information.
    """
    evaluations, decrement, converged, step_no = 1, np.inf, False, 0
    for step_no in range(1, most + 1):
        step, decrement = direction(point, step_no <= fisher_steps)
        if decrement < _DECREMENT:
            converged = True
            break
        better, tried = search(point, step, decrement)
        evaluations += tried
        if better is None:
            # No measurable descent is left: at the optimum up to rounding, or in trouble.
            converged = decrement < 1e-8
            if converged or step_no > fisher_steps:
                break
            continue
        point = better
    return point, OptimizerRecord(evaluations, step_no, float(decrement), converged)


def newton_direction(der: Derivatives, active: Flags, *, fisher: bool) -> tuple[Array, float]:
    """Return the step over the active components and its decrement (score' H^-1 score / 2)."""
    index = np.flatnonzero(active)
    score, block = der.score[index], np.ix_(index, index)
    step = None if fisher else _solve(der.observed[block], score, floor=0.0)
    if step is None:
        # The expected information is positive; its smallest eigenvalues may drown in rounding.
        step = _solve(der.expected[block], score, floor=1e-10)
    direction = np.zeros(len(active))
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


def line_search(
    stats: Statistics,
    work: Workspace,
    direction: Array,
    decrement: float,
    x: Array | None,
    *,
    reml: bool,
) -> tuple[Workspace | None, int]:
    """Halve the step until the criterion falls; clamp variances at zero."""

    def trial(length: float) -> Workspace | None:
        theta = np.maximum(work.theta + length * direction, 0.0)
        theta[:3][theta[:3] < _FLOOR * theta.max() * 1e-6] = 0.0
        if theta[3] <= 0:
            theta[3] = work.theta[3] / 10
        if theta[3] < _LEAST_RESIDUAL:
            raise FitError("nothing varies beyond the random effects: scores repeat each other.")
        try:
            return evaluate(stats, theta, x, reml=reml)
        except (FitError, np.linalg.LinAlgError):
            return None  # too far away for double precision

    noise = 1e-13 * (abs(work.criterion) + stats.n_scores)
    return halve(trial, lambda point: work.criterion - point.criterion, decrement, noise, most=30)


def halve[P](
    trial: Callable[[float], P | None],
    gain_of: Callable[[P], float],
    decrement: float,
    noise: float,
    *,
    most: int,
) -> tuple[P | None, int]:
    """Halve a step until the criterion falls; return the point there and the number of trials.

    `trial` is the point at a share of the step, None where it cannot be evaluated.
    """
    length = 1.0
    for tried in range(1, most + 1):
        point = trial(length)
        length /= 2
        if point is None:
            continue
        gain = gain_of(point)
        # Near the optimum the gain drowns in rounding: the Newton step is the better guide.
        if gain > 0 or (decrement < 1e-6 and tried == 1 and gain > -noise):
            return point, tried
    return None, most
