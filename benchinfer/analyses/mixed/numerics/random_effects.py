"""Predicted random effects.

Interactions are judged by ``z = Za' V^-1 (y - X b)``, which is proportional to their predictions,
centred within the data set, divided by its standard deviation under the model and by the spread
that the algorithm has on the other data sets. A healthy value is a draw from the standard normal
distribution, whatever the algorithm's own variance.

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

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri, stdtr

from benchinfer.analyses.mixed.numerics.moments import Patterns, Statistics
from benchinfer.analyses.mixed.numerics.optimum import ModelFit
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Flags

# Sizes of samples that the approximation of a Shapiro-Francia test holds for.
_LEAST, _MOST = 5, 5000
# Interactions below this, in their standard deviations, are rounding.
_NONE = 1e-9


@savable
@dataclass(frozen=True, slots=True)
class Shape:
    """Shape of a sample."""

    n: int  # its size; 0 where there is none, and then the rest is NaN
    # skewness, kurtosis: of its values; kurtosis is the excess over 3
    skewness: float
    kurtosis: float
    sample: Array  # every so many-th value, 5,000 at most; empty where normality is not tested

    @property
    def p_normal(self) -> float:
        """Shapiro-Francia p-value of the sample, NaN where there is none."""
        return shapiro_francia(self.sample)


def shapiro_francia(sample: Array) -> float:
    """Return the p-value of a test of normality; NaN of fewer than 5 or more than 5,000 values.

    W is the squared correlation of the ordered values with normal scores, and log(1 - W) is about
    normal, with mean and standard deviation by [1]_.

    References
    ----------
    .. [1] P. Royston, "A pocket-calculator algorithm for the Shapiro-Francia test for
       non-normality: an application to medicine", *Statistics in Medicine*, vol. 12, pp. 181-184,
       1993. https://doi.org/10.1002/sim.4780120209

    Examples
    --------
    >>> round(shapiro_francia(np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0])), 4)
    0.0117
    """
    n = len(sample)
    if not _LEAST <= n <= _MOST:
        return np.nan
    scores = ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    centred = np.sort(sample) - sample.mean()
    w = (centred @ scores) ** 2 / (centred @ centred) / (scores @ scores)
    u, v = np.log(n), np.log(np.log(n))
    z = (np.log(max(1 - w, _NONE)) + 1.2725 - 1.0521 * (v - u)) / (1.0308 - 0.26758 * (v + 2 / u))
    return float(ndtr(-z))


UNKNOWN = Shape(0, np.nan, np.nan, np.empty(0))


@savable
@shaped(
    dataset="N",
    interaction="N K",
    distance="N",
    p_distance="N [0,1] nan",
    p_interaction="N K [0,1] nan",
)
@dataclass(frozen=True, slots=True)
class RandomEffects:
    """Predicted random effects, standardised.

    Attributes
    ----------
    dataset
        (D,) data set effects in their standard deviations.
    interaction
        (D, K) interactions: standard normal in a healthy table, 0 where a cell is empty.
    distance
        (D,) squared lengths of the interactions, chi-squared with one degree of freedom fewer than
        the data set has algorithms.
    p_distance, p_interaction
        (D,) and (D, K) p-values of outlying data sets and cells, Bonferroni-adjusted.
    dataset_shape, interaction_shape
        Of both; the interactions are rotated within data sets so that they are independent.
    """

    dataset: Array
    interaction: Array
    distance: Array
    p_distance: Array
    p_interaction: Array
    dataset_shape: Shape
    interaction_shape: Shape


def shape_of(values: Array, *, test: bool = True) -> Shape:
    """Return the shape of a sample; `test` stores the values for a Shapiro-Francia test."""
    n = len(values)
    if n < 3 or not np.ptp(values):
        return UNKNOWN
    sample = values[:: -(-n // _MOST)].copy() if test else np.empty(0)
    centred = values - values.mean()
    square = centred * centred
    sd = np.sqrt(square.mean())
    skewness, kurtosis = square @ centred / n / sd**3, square @ square / n / sd**4 - 3
    return Shape(n, float(skewness), float(kurtosis), sample)


def _studentized(u: Array, held: Flags) -> Array:
    """Divide columns by their spread on the other rows and turn the t into normal scores."""
    n = held.sum(axis=0)
    spread = np.sqrt((u**2).sum(axis=0) / np.maximum(n, 1))
    # An algorithm that does what the others do on each data set has no spread but rounding.
    inner = np.divide(u, spread, out=np.zeros_like(u), where=spread > _NONE)
    df = np.maximum(n - 2, 1)
    t = np.abs(inner) * np.sqrt(df / np.maximum(n - 1 - inner**2, 1e-12))
    score = -ndtri(np.maximum(stdtr(df, -t), 1e-300))
    return np.where(held, np.sign(inner) * np.where(n > 3, score, np.abs(u)), 0.0)


def effects_of(stats: Statistics, model: ModelFit) -> RandomEffects:
    """Standardise the predicted random effects, and return them with tests for outliers."""
    d, k = stats.n.shape
    work = model.evaluation(stats)
    z, q = model.derivatives.z, work.q_matrix
    cov = q - q @ work.phi @ q
    held = stats.n > 0
    several = held.sum(axis=1)
    centre = held[:, :, None] * (np.eye(k) - 1 / several[:, None, None]) * held[:, None, :]
    variance = np.einsum("dkl,dlm,dkm->dk", centre, cov, centre, optimize=True)
    # A cell that alone determines its algorithm has no residual.
    sized = held & (variance > 1e-8 * np.where(held, q.diagonal(axis1=1, axis2=2), 1.0))
    u = np.einsum("dkl,dl->dk", centre, z) / np.sqrt(np.where(sized, variance, 1.0))
    interaction = _studentized(np.where(sized, u, 0.0), sized)
    mean = interaction.sum(axis=1) / np.maximum(several, 1)
    square = (np.where(held, interaction - mean[:, None], 0.0) ** 2).sum(axis=1)
    distance = square * (several - 1) / several
    p = chdtrc(np.maximum(several - 1, 1), distance)
    p_cell = 2 * ndtr(-np.abs(interaction))
    total = np.maximum(cov.sum(axis=(1, 2)), 0.0)
    safe = total > 1e-12 * np.abs(q).sum(axis=(1, 2))
    effect = np.where(safe, z.sum(axis=1) / np.sqrt(np.where(safe, total, 1.0)), 0.0)
    contrasts = np.linalg.qr(np.eye(k)[:, :-1] - 1 / k)[0]
    complete = interaction[sized.all(axis=1)]
    return RandomEffects(
        dataset=effect,
        interaction=interaction,
        distance=distance,
        p_distance=np.minimum(d * np.where(several > 1, p, 1.0), 1.0),
        p_interaction=np.minimum(float(held.sum()) * p_cell, 1.0),
        dataset_shape=shape_of(effect),
        interaction_shape=shape_of((complete @ contrasts).ravel()),
    )


@dataclass(frozen=True, slots=True)
class PredictedEffects:
    """Predicted random effects of one source, three arrays of one shape."""

    mean: Array  # predictions on the scores' scale
    conditional_sd: Array  # standard deviations given the fixed effects
    # Standard deviations of the errors of prediction, never smaller; of `Patterns` those given the
    # fixed effects
    prediction_sd: Array

    @staticmethod
    def of(mean: Array, conditional: Array, added: Array | float, scale: float) -> PredictedEffects:
        """Return effects from variances on the scale of the centred scores."""
        # An effect without variance is 0; rounding may leave less.
        conditional = np.maximum(conditional, np.zeros_like(mean))
        total = conditional + np.maximum(added, 0.0)
        return PredictedEffects(mean, np.sqrt(conditional) * scale, np.sqrt(total) * scale)


def predicted_effects(
    stats: Statistics | Patterns,
    fit: ModelFit,
    x: Array | None = None,
) -> dict[str, PredictedEffects]:
    """Return the predicted effects of each source between data sets.

    `x` is that of the fit. With one variance per source ``"dataset"`` (D,) and
    ``"dataset:algorithm"`` (D, K), beyond the algorithms' means, where they are in the model; else
    the sums of both, ``"dataset + dataset:algorithm"``, after those of the domains, if any. An
    effect of a cell without scores is predicted from the others of the data set.

    Examples
    --------
    >>> from benchinfer.analyses.mixed.numerics.optimum import fit
    >>> from benchinfer.analyses.mixed.numerics.moments import from_cells
    >>> y = np.array([[1., 2.], [2., 4.], [5., 5.], [0., 3.]])
    >>> stats = from_cells(np.ones((4, 2), int), y, np.zeros_like(y))
    >>> effects = predicted_effects(stats, fit(stats, ("dataset",)))["dataset"]
    >>> effects.mean.round(3).tolist()
    [-1.061, 0.212, 1.909, -1.061]
    >>> effects.conditional_sd.round(3).tolist()
    [0.595, 0.595, 0.595, 0.595]
    >>> effects.prediction_sd.round(3).tolist()
    [0.921, 0.921, 0.921, 0.921]
    """
    if isinstance(stats, Patterns):
        sources = {"dataset + dataset:algorithm": (fit.blup, fit.blup_variance)}
        if fit.domain is not None:
            parts = fit.domain_blup, fit.domain_blup_variance
            sources = {"domain + domain:algorithm": parts} | sources
        return {name: PredictedEffects.of(*parts, 0.0, 1.0) for name, parts in sources.items()}
    work = fit.evaluation(stats, x)
    z, k, (var_d, var_a) = fit.derivatives.z, stats.n.shape[1], work.theta[:2].tolist()
    # Given the sums ``u_k = d + a_k``, ``d ~ N(weight * sum(u), rest)``: variances are sums of
    # positive terms.
    total = var_a + k * var_d
    weight, rest = (var_d / total, var_d * var_a / total) if total > 0 else (0.0, 0.0)
    row = work.t_matrix.sum(axis=2)
    both = weight**2 * row.sum(axis=1, keepdims=True) + rest

    def added(share: Array) -> Array:
        """Return the variance of fixed effects ``w' X Phi X' w`` for weights (D, ..., K)."""
        moved = share if x is None else np.einsum("d...k,dkp->d...p", share, x)
        return np.einsum("...p,pq,...q->...", moved, work.phi, moved, optimize=True)

    effects: dict[str, PredictedEffects] = {}
    if "dataset" in fit.terms:
        mean = fit.variances[0] * z.sum(axis=1) / stats.scale
        spread = added(var_d * work.q_one), stats.scale
        effects["dataset"] = PredictedEffects.of(mean, both[:, 0], *spread)
    if "dataset:algorithm" in fit.terms:
        # The variance of u_k less the part of d in it.
        variance = (var_a > 0) * (np.einsum("dkk->dk", work.t_matrix) - 2 * weight * row + both)
        mean = fit.variances[1] * z / stats.scale
        spread = added(var_a * work.q_matrix), stats.scale
        effects["dataset:algorithm"] = PredictedEffects.of(mean, variance, *spread)
    return effects
