"""Three-level meta-analysis.

Rows of data sets as in `rows`, with ``u_sk ~ N(0, sigma^2 / 2)`` for each study and algorithm on
top: the rows of a study have the covariance ``diag(v + tau^2) + sigma^2 X X' / 2``, X the rows'
combinations of levels. Both variances are estimated by restricted maximum likelihood.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from benchinfer.analyses.meta.numerics.pooling import NetworkPart, unit
from benchinfer.core.errors import FitError
from benchinfer.numerics.types import Array, Codes

# Slopes of the deviance by the logs of the variances, and by variances that are zero.
_FLAT = 1e-3
_STARTS = ((0.5, 0.5), (0.9, 0.1), (0.1, 0.9), (0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Nested:
    """Fit of three levels."""

    # beta, cov: (p,) coefficients and their (p, p) covariance
    beta: Array
    cov: Array
    # within, between: variances of data sets within studies, and between studies
    within: float
    between: float
    log_likelihood: float  # restricted log-likelihood
    groups: int  # number of studies


@dataclass(frozen=True, slots=True)
class _Model:
    part: NetworkPart
    shared: tuple[Array, ...]
    members: tuple[Codes, ...]

    def value(self, variances: Array) -> tuple[float, Array, Array, Array]:
        """Return minus twice the restricted log-likelihood, gradient, coefficients, covariance."""
        p = self.part.x.shape[1]
        information, moment = np.zeros((p, p)), np.zeros(p)
        logdet, square, inverses = 0.0, 0.0, list[Array]()
        for rows, z in zip(self.members, self.shared, strict=True):
            total = np.diag(self.part.v[rows] + variances[0]) + variances[1] * z
            inverse = np.linalg.inv(total)
            x, y = self.part.x[rows], self.part.y[rows]
            information += x.T @ inverse @ x
            moment += x.T @ inverse @ y
            square += float(y @ inverse @ y)
            logdet += float(np.linalg.slogdet(total)[1])
            inverses.append(inverse)
        cov = np.linalg.inv(information)
        beta = cov @ moment
        deviance = logdet + float(np.linalg.slogdet(information)[1]) + square - moment @ beta
        gradient = np.zeros(2)
        for rows, z, inverse in zip(self.members, self.shared, inverses, strict=True):
            half = inverse @ self.part.x[rows]
            weighted = inverse @ (self.part.y[rows] - self.part.x[rows] @ beta)
            for i, part in enumerate((np.eye(len(rows)), z)):
                trace = np.sum(inverse * part) - np.trace(cov @ half.T @ part @ half)
                gradient[i] += trace - weighted @ part @ weighted
        return float(deviance), gradient, beta, cov


def nested(part: NetworkPart, shared: Array, study: Codes) -> Nested:
    """Fit data sets within studies.

    `part` has the rows of all data sets, `shared` (n, K) the combinations of levels whose study
    effects a row holds, and `study` (n,) codes.

    References
    ----------
    Konstantopoulos, S. (2011). Fixed effects and variance components estimation in three-level
    meta-analysis. Research Synthesis Methods 2, 61-76. https://doi.org/10.1002/jrsm.35
    """
    members = tuple(np.flatnonzero(study == s) for s in range(int(study.max()) + 1))
    model = _Model(part, tuple(shared[rows] @ shared[rows].T / 2 for rows in members), members)
    size = unit([part])

    def scaled(theta: Array) -> tuple[float, Array]:
        value, gradient, _, _ = model.value(theta * size)
        return value, gradient * size

    optima = [
        minimize(
            scaled,
            np.array(start),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0, None)] * 2,
            options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 500},
        )
        for start in _STARTS
    ]
    best = min(optima, key=lambda result: float(result.fun))
    if not np.isfinite(best.fun):
        raise FitError("the restricted likelihood of three levels has no maximum.")
    theta = _polished(scaled, np.asarray(best.x, np.float64))
    _, slope = scaled(theta)
    if np.where(theta > 0, np.abs(slope) * theta, -slope).max() > _FLAT:
        raise FitError("the fit of three levels did not converge.")
    deviance, _, beta, cov = model.value(theta * size)
    free = part.free
    constant = free * np.log(2 * np.pi) - float(np.linalg.slogdet(part.x.T @ part.x)[1])
    within, between = (float(value) for value in theta * size)
    return Nested(beta, cov, within, between, -(deviance + constant) / 2, len(members))


def _polished(scaled: Callable[[Array], tuple[float, Array]], theta: Array) -> Array:
    """Return variances refined by Newton steps with a numerical Hessian; those at 0 stay there."""
    for _ in range(6):
        inside = np.flatnonzero(theta > 1e-9)
        if not len(inside):
            return np.where(theta > 1e-9, theta, 0.0)
        _, gradient = scaled(theta)
        curvature = np.zeros((len(inside), len(inside)))
        for a, i in enumerate(inside):
            step = 1e-4 * theta[i] * (np.arange(2) == i)
            curvature[a] = (scaled(theta + step)[1] - scaled(theta - step)[1])[inside] / (
                2 * step[i]
            )
        move = np.linalg.solve(curvature, gradient[inside])
        new = theta.copy()
        new[inside] -= move
        if (new < 0).any() or not np.isfinite(new).all():
            break
        theta = new
        if np.abs(move).max() < 1e-12 * max(theta.max(), 1e-12):
            break
    return np.where(theta > 1e-9, theta, 0.0)
