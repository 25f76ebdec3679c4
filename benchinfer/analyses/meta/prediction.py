"""Prediction of a new data set by a meta-analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.meta.pooling import joint_errors, pairwise
from benchinfer.comparison.further.prediction import NewDataset, Prediction
from benchinfer.core.errors import DesignError
from benchinfer.numerics import max_t
from benchinfer.numerics.covariance import contrast_variances
from benchinfer.numerics.posterior.outcome_probabilities import (
    NewDatasetDistribution,
    probability_above,
    probability_best,
)
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    from benchinfer.analyses.meta.comparison import MetaComparison
    from benchinfer.analyses.meta.pooling import Interval, NetworkFit


# Two data sets say next to nothing of a variance between them.
_ENOUGH = 3
# Few data sets often show none at all: the network's variance counts as so many degrees of freedom.
_DRAWN = 4.0


def between(meta: MetaComparison, fit: NetworkFit) -> tuple[Array, Array]:
    """Return (K, K) variances of differences between data sets, and degrees of freedom of each.

    The network's, known as if without error (infinite), where pairs are taken to vary equally, and
    for pairs that fewer than three data sets hold; else each pair's own from these n data sets,
    shrunk to the network's: ``((n - 1) own + 4 network) / (n + 3)``, with n - 1.
    """
    k = len(meta.algorithms)
    tau2, df = fit.heterogeneity * (1 - np.eye(k)), np.full((k, k), np.inf)
    # With errors of its own each pair has its own variance.
    if not fit.own_errors or meta.third or meta.studies.covariates:
        return tau2, df
    i, j = np.triu_indices(k, 1)
    interval: Interval = "hartung-knapp"
    pairs = pairwise(meta.studies, np.column_stack([i, j]), meta.estimator, interval)
    held = pairs.n_datasets >= _ENOUGH
    i, j, free = i[held], j[held], pairs.n_datasets[held] - 1.0
    shrunk = (free * pairs.tau2[held] + _DRAWN * fit.heterogeneity) / (free + _DRAWN)
    tau2[i, j] = tau2[j, i] = shrunk
    df[i, j] = df[j, i] = free
    return tau2, df


def prediction_of(meta: MetaComparison) -> tuple[Array, Array, Array]:
    """Return (P,) standard errors of the contrasts on a new data set, df, and tau^2.

    Where a pair has a tau^2 of its own, it and the variance V of the estimate come from the same
    differences: ``df = (V + tau^2)^2 / (V / sqrt(f) + tau^2 / sqrt(n - 1))^2``.
    """
    e = meta.evidence
    if meta.fit is None:
        tau2 = meta.alone.tau2[: len(e.estimate)]
        return np.sqrt(e.std_error**2 + tau2), e.df, tau2
    return _of_network(meta, *between(meta, meta.fit))


def _of_network(meta: MetaComparison, each: Array, free: Array) -> tuple[Array, Array, Array]:
    e, (family, _) = meta.evidence, meta._family()
    c = family.matrix[family.wanted]
    # The variance of a contrast c; with one tau^2 for all pairs |c|^2 tau^2 / 2.
    tau2 = np.maximum(-contrast_variances(c, each) / 2, 0.0)
    involved = (c != 0)[:, :, None] & (c != 0)[:, None, :]
    fewest = np.where(involved, free, np.inf).min(axis=(1, 2))
    variance = e.std_error**2 + tau2
    if np.isinf(fewest).all():
        return np.sqrt(variance), e.df, tau2
    root = e.std_error**2 / np.sqrt(e.df) + tau2 / np.sqrt(fewest)
    df = np.divide(variance, root, out=np.ones_like(root), where=root > 0) ** 2
    return np.sqrt(variance), np.where(np.isinf(fewest), e.df, np.maximum(df, 1.0)), tau2


def predict(meta: MetaComparison) -> NewDataset:
    """Predict contrasts on a new data set; see `MetaComparison.predict`."""
    if meta.fit is None:
        raise DesignError(
            "pairs pooled alone have no joint distribution to rank algorithms by.",
            hint='pooling="network"; the forest plot shows the prediction of each pair.',
        )
    if meta.fixed:
        raise DesignError(
            "fixed effects say nothing of a data set not yet seen.",
            hint='method="reml" takes data sets as drawn from a domain.',
        )
    each, free = between(meta, meta.fit)
    error, df, tau2 = _of_network(meta, each, free)
    estimate, margin, k = meta.evidence.estimate, meta.measure.margin, len(meta.algorithms)
    wanted = NewDatasetDistribution(error**2, df, tau2, np.zeros_like(tau2))
    reach = max_t.critical_t(df, meta._alpha) * error
    first = probability_above(estimate, wanted, margin)
    second = probability_above(-estimate, wanted, margin)
    levels, apart, joint_df = joint_errors(meta.studies, meta.fit, k)
    prediction = Prediction(
        quantity="difference",
        level=meta.level,
        estimate=estimate,
        low=estimate - reach,
        high=estimate + reach,
        predicted=wanted,
        prob_first=first,
        prob_equivalent=np.maximum(1 - first - second, 0.0) if margin > 0 else 0 * first,
        prob_second=second,
        best=probability_best(levels, apart + each, joint_df, margin),
    )
    return NewDataset(meta.measure, meta.algorithms, tuple(meta.pairs.sides), prediction)
