"""Predicted random effects, standardised: are they normal, and which lie far out.

Interactions are judged by ``z = Za' V^-1 (y - X b)``, which is proportional to their predictions,
centred within the data set, divided by its standard deviation under the model and by the spread
that the algorithm has on the other data sets. A healthy value is a draw from the standard normal
distribution, whatever the algorithm's own variance.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats as distributions
from scipy.special import chdtrc, ndtr, ndtri, stdtr

from benchinfer.numerics.reml import evaluate
from benchinfer.numerics.score_model import ScoreModelFit
from benchinfer.numerics.sufficient import Statistics
from benchinfer.saving import savable

type Array = NDArray[np.float64]

# The most values that a Shapiro-Wilk test takes.
_MOST = 5000


@savable
@dataclass(frozen=True, slots=True)
class Shape:
    """Shape of a sample.

    Attributes
    ----------
    n
        Its size; 0 where there is none, and then the rest is NaN.
    skewness, kurtosis
        Of its values; kurtosis is the excess over 3.
    p_normal
        Shapiro-Wilk p-value, NaN where it was not asked for.
    """

    n: int
    skewness: float
    kurtosis: float
    p_normal: float


@savable
@dataclass(frozen=True, slots=True)
class Effects:
    """Predicted random effects, standardised.

    Attributes
    ----------
    dataset
        (D,) data set effects in their standard deviations.
    profile
        (D, K) interactions: standard normal in a healthy table, 0 where a cell is empty.
    distance
        (D,) squared lengths of the profiles, chi-squared with one degree of freedom fewer than the
        data set has algorithms.
    p_distance, p_profile
        (D,) and (D, K) p-values of outlying data sets and cells, Bonferroni-adjusted.
    dataset_shape, profile_shape
        Of both; the interactions are rotated within data sets so that they are independent.
    """

    dataset: Array
    profile: Array
    distance: Array
    p_distance: Array
    p_profile: Array
    dataset_shape: Shape
    profile_shape: Shape


def shape_of(values: Array, *, test: bool = True) -> Shape:
    """Describe a sample of values; `test` asks for the Shapiro-Wilk test."""
    n = len(values)
    if n < 3 or not np.ptp(values):
        return Shape(0, np.nan, np.nan, np.nan)
    p = float(distributions.shapiro(values[:: -(-n // _MOST)]).pvalue) if test else np.nan
    centred = values - values.mean()
    square = centred * centred
    sd = np.sqrt(square.mean())
    skewness, kurtosis = square @ centred / n / sd**3, square @ square / n / sd**4 - 3
    return Shape(n, float(skewness), float(kurtosis), p)


def _studentized(u: Array, held: NDArray[np.bool_]) -> Array:
    """Divide columns by their spread on the other rows and turn the t into normal scores."""
    n = held.sum(axis=0)
    inner = u / np.sqrt((u**2).sum(axis=0) / np.maximum(n, 1))
    df = np.maximum(n - 2, 1)
    t = np.abs(inner) * np.sqrt(df / np.maximum(n - 1 - inner**2, 1e-12))
    score = -ndtri(np.maximum(stdtr(df, -t), 1e-300))
    return np.where(held, np.sign(u) * np.where(n > 3, score, np.abs(u)), 0.0)


def _rotation(k: int) -> Array:
    """Return (K, K - 1) orthonormal contrasts."""
    return np.linalg.qr(np.eye(k)[:, :-1] - 1 / k)[0]


def effects_of(stats: Statistics, model: ScoreModelFit) -> Effects:
    """Standardise the predicted random effects and find what lies far out."""
    d, k = stats.n.shape
    work = evaluate(stats, model.variances / stats.scale**2, reml=model.reml)
    z, q = model.derivatives.z, work.q_matrix
    cov = q - q @ work.phi @ q
    held = stats.n > 0
    several = held.sum(axis=1)
    centre = held[:, :, None] * (np.eye(k) - 1 / several[:, None, None]) * held[:, None, :]
    variance = np.einsum("dkl,dlm,dkm->dk", centre, cov, centre, optimize=True)
    # A cell that alone determines its algorithm has no residual.
    sized = held & (variance > 1e-8 * np.where(held, q.diagonal(axis1=1, axis2=2), 1.0))
    u = np.einsum("dkl,dl->dk", centre, z) / np.sqrt(np.where(sized, variance, 1.0))
    profile = _studentized(np.where(sized, u, 0.0), sized)
    mean = profile.sum(axis=1) / np.maximum(several, 1)
    square = (np.where(held, profile - mean[:, None], 0.0) ** 2).sum(axis=1)
    distance = square * (several - 1) / several
    p = chdtrc(np.maximum(several - 1, 1), distance)
    p_cell = 2 * ndtr(-np.abs(profile))
    total = np.maximum(cov.sum(axis=(1, 2)), 0.0)
    safe = total > 1e-12 * np.abs(q).sum(axis=(1, 2))
    effect = np.where(safe, z.sum(axis=1) / np.sqrt(np.where(safe, total, 1.0)), 0.0)
    whole = profile[sized.all(axis=1)]
    return Effects(
        dataset=effect,
        profile=profile,
        distance=distance,
        p_distance=np.minimum(d * np.where(several > 1, p, 1.0), 1.0),
        p_profile=np.minimum(float(held.sum()) * p_cell, 1.0),
        dataset_shape=shape_of(effect),
        profile_shape=shape_of((whole @ _rotation(k)).ravel()),
    )
