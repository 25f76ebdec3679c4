"""Predicted random effects with their standard deviations.

With u the random effects of a data set, ``mean = E(u | y)`` at the estimated fixed effects. Two
standard deviations say how far u may lie from it:

- ``conditional_sd``, as if the fixed effects were known: ``Var(u | y)``. It is what lme4's
  ``ranef(condVar = TRUE)`` gives.
- ``prediction_sd``, with the uncertainty of the fixed effects: ``Var(mean - u)`` (Henderson).

Both take the variances as known.

References
----------
Henderson, C. R. (1975). Best linear unbiased estimation and prediction under a selection model.
Biometrics 31, 423-447. https://doi.org/10.2307/2529430
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.reml import Workspace, block_profile, evaluate
from benchinfer.numerics.score_model import ScoreModelFit
from benchinfer.numerics.sufficient import Statistics

type Array = NDArray[np.float64]

# Numbers in the (blocks, K, K) arrays that are held at a time.
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Effects:
    """Predicted random effects of one component, three arrays of one shape.

    Attributes
    ----------
    mean
        Predictions on the scores' scale.
    conditional_sd
        Standard deviations given the fixed effects.
    prediction_sd
        Standard deviations of the errors of prediction, never smaller.
    """

    mean: Array
    conditional_sd: Array
    prediction_sd: Array


def _workspace(stats: Statistics, fit: ScoreModelFit, x: Array | None) -> Workspace:
    """Return the evaluation at the fitted variances."""
    return evaluate(stats, fit.variances / stats.scale**2, x, reml=fit.reml)


def _spread(work: Workspace, x: Array | None, weight: Array) -> Array:
    """Return ``w' X Phi X' w`` of weights (D, ..., K): what the uncertainty of b adds."""
    moved = weight if x is None else np.einsum("d...k,dkp->d...p", weight, x)
    return np.einsum("...p,pq,...q->...", moved, work.phi, moved, optimize=True)


def _split(work: Workspace, k: int) -> tuple[float, float]:
    """Return weight and variance of the data set effect d given the profile ``u_k = d + a_k``.

    ``d | u ~ N(weight * sum(u), variance)``, so that ``Var(d | y)`` is a sum of positive terms.
    """
    var_d, var_a = float(work.theta[0]), float(work.theta[1])
    total = var_a + k * var_d
    return (var_d / total, var_d * var_a / total) if total > 0 else (0.0, 0.0)


def _effects(mean: Array, conditional: Array, added: Array, scale: float) -> Effects:
    """Return effects from variances on the scale of the centred scores."""
    # An effect without variance is 0; rounding may leave less.
    conditional, added = np.maximum(conditional, 0.0), np.maximum(added, 0.0)
    return Effects(mean, np.sqrt(conditional) * scale, np.sqrt(conditional + added) * scale)


def dataset_effects(stats: Statistics, fit: ScoreModelFit, x: Array | None = None) -> Effects:
    """Return the predicted effects of the data sets.

    Parameters
    ----------
    stats, fit, x
        A fit, and the sufficient statistics and the design it was fitted with.

    Returns
    -------
    Effects
        (D,) arrays; all zero where the component is not in the model.

    Examples
    --------
    >>> from benchinfer.numerics.score_model import fit
    >>> from benchinfer.numerics.sufficient import from_cells
    >>> y = np.array([[1., 2.], [2., 4.], [5., 5.], [0., 3.]])
    >>> stats = from_cells(np.ones((4, 2), int), y, np.zeros_like(y))
    >>> effects = dataset_effects(stats, fit(stats, ("dataset",)))
    >>> effects.mean.round(3).tolist()
    [-1.061, 0.212, 1.909, -1.061]
    >>> effects.conditional_sd.round(3).tolist()
    [0.595, 0.595, 0.595, 0.595]
    >>> effects.prediction_sd.round(3).tolist()
    [0.921, 0.921, 0.921, 0.921]
    """
    work = _workspace(stats, fit, x)
    weight, rest = _split(work, stats.n.shape[1])
    variance = weight**2 * work.t_matrix.sum(axis=(1, 2)) + rest
    added = _spread(work, x, work.theta[0] * work.q_one)
    return _effects(fit.blup_dataset, variance, added, stats.scale)


def interaction_effects(stats: Statistics, fit: ScoreModelFit, x: Array | None = None) -> Effects:
    """Return the predicted effects of the algorithms on the data sets, beyond their means.

    See `dataset_effects` for the parameters.

    Returns
    -------
    Effects
        (D, K) arrays; all zero where the component is not in the model. An effect of a cell without
        scores is predicted from the others of the data set.
    """
    work = _workspace(stats, fit, x)
    if work.theta[1] == 0:
        zero = np.zeros_like(fit.blup_interaction)
        return Effects(fit.blup_interaction, zero, zero)
    weight, rest = _split(work, stats.n.shape[1])
    # The variance of u_k less the part of d in it, weight * sum(u).
    row = work.t_matrix.sum(axis=2)
    variance = np.einsum("dkk->dk", work.t_matrix) - 2 * weight * row + rest
    variance += weight**2 * row.sum(axis=1, keepdims=True)
    added = _spread(work, x, work.theta[1] * work.q_matrix)
    return _effects(fit.blup_interaction, variance, added, stats.scale)


def replication_effects(
    stats: Statistics,
    fit: ScoreModelFit,
    dataset: NDArray[np.int64],
    count: NDArray[np.int64],
    mean: Array,
    x: Array | None = None,
) -> Effects:
    """Return the predicted effects of the replications.

    Parameters
    ----------
    stats, fit, x
        A fit, and the sufficient statistics and the design it was fitted with.
    dataset, count, mean
        (R,), (R, K) and (R, K): the blocks as for `sufficient.from_blocks`.

    Returns
    -------
    Effects
        (R,) arrays in the order of the blocks; all zero where the component is not in the model.
    """
    work = _workspace(stats, fit, x)
    profile = block_profile(stats, work, x)
    moved = work.e_matrix if x is None else work.e_matrix @ x
    added = moved @ work.phi @ moved.transpose(0, 2, 1)
    var_r, var_e = float(work.theta[2]), float(work.theta[3])
    found = np.empty((3, len(dataset)))
    step = max(1, _CHUNK // count.shape[1] ** 2)
    for begin in range(0, len(dataset), step):
        part = slice(begin, begin + step)
        home, weight = dataset[part], count[part].astype(np.float64)
        centred = mean[part] / stats.scale - stats.offset - stats.delta[home][:, None]
        shrunk = var_r / (var_e + var_r * weight.sum(axis=1))
        residual = np.where(weight > 0, weight * (centred - profile[home]), 0.0)
        found[0, part] = shrunk * residual.sum(axis=1)
        # The error of the block's own scores, then that of the profile they are compared with.
        found[1, part] = shrunk * var_e + shrunk**2 * _quadratic(weight, work.t_matrix[home])
        found[2, part] = shrunk**2 * _quadratic(weight, added[home])
    return _effects(found[0] * stats.scale, found[1], found[2], stats.scale)


def _quadratic(weight: Array, matrices: Array) -> Array:
    """Return ``w' M w`` (R,) of each block."""
    return np.einsum("rk,rkl,rl->r", weight, matrices, weight, optimize=True)
