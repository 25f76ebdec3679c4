"""Newton's method on the square roots of variances and covariances."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import FitError
from benchinfer.numerics.levels import Evaluation, Model, evaluate
from benchinfer.numerics.reml import Derivatives
from benchinfer.numerics.score_model import OptimizerRecord
from benchinfer.numerics.slopes import derivatives

type Array = NDArray[np.float64]

_MAX_STEPS = 200
# The first steps use the expected information, which is positive however bad the start.
_FISHER_STEPS = 3
# Newton decrement (squared length of the step in standard errors) to stop at.
_DECREMENT = 1e-18
# Least curvature, relative to the largest, that a step divides by.
_FLAT = 1e-9
# Share of the largest variance below which one is tried at 0.
_SMALL = 1e-8


def curvature(model: Model, psi: Array, der: Derivatives, *, fisher: bool) -> Array:
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


def minimise(model: Model, psi: Array) -> tuple[Array, Evaluation, OptimizerRecord]:
    """Minimise the criterion from square roots psi (c,).

    Directions of negative curvature are followed downhill, so that saddle points, such as a
    variance near 0 that belongs elsewhere, do not hold the search.

    Returns
    -------
    tuple
        The square roots at the optimum, the evaluation there, and how it was found.
    """
    at = evaluate(model, model.layout.theta(psi))
    evaluations, decrement, converged, step = 1, np.inf, False, 0
    for step in range(1, _MAX_STEPS + 1):
        der = derivatives(model, at)
        direction, decrement = _direction(model, psi, der, fisher=step <= _FISHER_STEPS)
        if decrement < _DECREMENT:
            converged = True
            break
        better, tried = _search(model, psi, at, direction, decrement)
        evaluations += tried
        if better is None:
            # No measurable descent is left: at the optimum up to rounding, or in trouble.
            converged = decrement < 1e-8
            if converged or step > _FISHER_STEPS:
                break
            continue
        psi, at = better
    psi, at = _clean(model, psi, at)
    return psi, at, OptimizerRecord(evaluations + 1, step, float(decrement), converged)


def _direction(model: Model, psi: Array, der: Derivatives, *, fisher: bool) -> tuple[Array, float]:
    """Return the step and its decrement."""
    gradient = model.layout.jacobian(psi).T @ der.score
    unit, values, vectors = natural(curvature(model, psi, der, fisher=fisher))
    values = np.maximum(np.abs(values), _FLAT * np.abs(values).max())
    along = vectors.T @ (unit * gradient)
    return -unit * (vectors @ (along / values)), float((along**2 / values).sum() / 2)


def _search(
    model: Model, psi: Array, at: Evaluation, direction: Array, decrement: float
) -> tuple[tuple[Array, Evaluation] | None, int]:
    """Halve the step until the criterion falls."""
    noise = 1e-13 * (abs(at.criterion) + model.patterns.n_scores)
    length = 1.0
    for tried in range(1, 41):
        trial = psi + length * direction
        try:
            there = evaluate(model, model.layout.theta(trial))
        except (FitError, np.linalg.LinAlgError):
            # Too far away for double precision.
            length /= 2
            continue
        gain = at.criterion - there.criterion
        # Near the optimum the gain drowns in rounding: the Newton step is the better guide.
        if gain > 0 or (decrement < 1e-6 and length == 1.0 and gain > -noise):
            return (trial, there), tried
        length /= 2
    return None, 40


def _clean(model: Model, psi: Array, at: Evaluation) -> tuple[Array, Evaluation]:
    """Set variances that came close to zero to zero, if the criterion agrees."""
    small = at.theta - model.layout.floor < _SMALL * at.theta.max()
    small[: model.layout.outer] &= not model.layout.factored
    # A residual variance is small where its own scores say so, not beside the others.
    small[model.layout.inner + model.layout.replicated :] = False
    trial = np.where(small, 0.0, psi)
    there = evaluate(model, model.layout.theta(trial))
    noise = 1e-12 * (abs(at.criterion) + model.patterns.n_scores)
    return (trial, there) if there.criterion <= at.criterion + noise else (psi, at)
