"""State of Markov chains, and the input of their compiled sweeps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchinfer.numerics.types import Array, Codes, Flags


class GibbsState(NamedTuple):
    """One point of each of C chains; M data sets, J contrasts.

    Attributes
    ----------
    average
        (C, J) contrasts of the average effects: beta.
    effect_sd
        (C,) standard deviation of beta.
    interaction
        (C, M, J) departures of the data sets' effects: w.
    domains
        (C, G, J) departures of the domains' effects: g; G is 0 where the model has none.
    domain_scale
        (C,) their standard deviation.
    slopes
        (C, q, J) slopes along the scaled covariates; q is 0 without them.
    log_sd
        (C, M) logs of the residual scales over the pooled one.
    centre, spread
        (C,) mean and standard deviation of these logs between data sets.
    vectors, values
        (C, J, J) and (C, J) eigenvectors and -values of the interactions' covariance Sigma.
    scale
        (C,) its scale s.
    shrinkage
        (C,) kappa; infinite for a common covariance.
    mixing
        (C, M) mixing scales of the interactions, 1 for normal ones.
    df
        (C,) their degrees of freedom, infinite for normal ones.
    """

    average: Array
    effect_sd: Array
    interaction: Array
    domains: Array
    domain_scale: Array
    slopes: Array
    log_sd: Array
    centre: Array
    spread: Array
    vectors: Array
    values: Array
    scale: Array
    shrinkage: Array
    mixing: Array
    df: Array

    @property
    def covariance(self) -> Array:
        """(..., J, J) Sigma."""
        return (self.vectors * self.values[..., None, :]) @ self.vectors.swapaxes(-1, -2)

    def packed(self) -> Array:
        """Return (C, S) all numbers of each chain, by `_ORDER`."""
        parts = [getattr(self, name).reshape(len(self.scale), -1) for name in _ORDER]
        return np.ascontiguousarray(np.concatenate(parts, axis=1), dtype=np.float64)

    def places(self) -> Codes:
        """Return where the numbers of each of `_ORDER` begin, and S."""
        sizes = [getattr(self, name)[0].size for name in _ORDER]
        return np.cumsum([0, *sizes])

    def unpacked(self, packed: Array) -> GibbsState:
        """Return states of the same model as views of the (..., S) numbers of chains."""
        places, arrays = self.places(), {}
        for i, name in enumerate(_ORDER):
            shape = *packed.shape[:-1], *getattr(self, name).shape[1:]
            arrays[name] = packed[..., places[i] : places[i + 1]].reshape(shape)
        return GibbsState(**arrays)


# Of a chain in compiled code: first its seven scalars, then its vectors and its tables.
_ORDER = (
    "effect_sd",
    "domain_scale",
    "centre",
    "spread",
    "scale",
    "shrinkage",
    "df",
    "average",
    "log_sd",
    "mixing",
    "values",
    "interaction",
    "domains",
    "slopes",
    "vectors",
)


class CompiledPriors(NamedTuple):
    """Numbers of `Priors`; `effect_sd` is 0 where it is estimated."""

    effect_scale: float
    effect_sd: float
    interaction_scale: float
    tail_shape: float
    tail_rate: float
    shrinkage_median: float
    shrinkage_sd: float
    residual_sd: float
    residual_spread: float
    domain_scale: float
    slope_sd: float


class CompiledModel(NamedTuple):
    """Data and model of a sampler.

    Attributes
    ----------
    z, rss
        (T, M, J) and (T, M) as in `ContrastData`, of T = C tables, or one table for all chains.
    design, variance, rank, df
        As in `ContrastData`.
    balanced
        (M,) its `balanced`.
    others
        (R,) indices of the data sets that are not balanced.
    pooled
        Pooled residual variance, 0 without residuals.
    n_median
        Median of df plus rank.
    domain
        (M,) domain of each data set, 0 without domains.
    covariates
        (M, 1 + q) one, and the scaled covariates.
    heavy, unstructured
        Whether interactions are t, and whether their covariance is unstructured.
    prior
        Numbers of the priors.
    """

    z: Array
    rss: Array
    design: Array
    variance: Array
    rank: Codes
    df: Array
    balanced: Flags
    others: Codes
    pooled: float
    n_median: float
    domain: Codes
    covariates: Array
    heavy: bool
    unstructured: bool
    prior: CompiledPriors


def effect_centres(model: CompiledModel, now: GibbsState) -> Array:
    """Return (..., M or 1, J) centres of the data sets' effects."""
    centre = now.average[..., None, :]
    if now.slopes.shape[-2]:
        centre = centre + model.covariates[:, 1:] @ now.slopes
    return centre + now.domains[..., model.domain, :] if now.domains.shape[-2] else centre
