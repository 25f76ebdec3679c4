"""Prediction of a new data set by a mixed model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.mixed.numerics import degrees
from benchinfer.analyses.mixed.numerics.moments import Statistics
from benchinfer.analyses.mixed.numerics.new_dataset import predict_common, predict_pairwise
from benchinfer.analyses.mixed.numerics.optimum import ModelFit
from benchinfer.analyses.mixed.numerics.robust import cr2_errors
from benchinfer.comparison.further.prediction import NewDataset, Prediction
from benchinfer.core.errors import DesignError
from benchinfer.numerics import max_t
from benchinfer.numerics.covariance import all_pairs
from benchinfer.numerics.posterior.outcome_probabilities import (
    NewDatasetDistribution,
    probability_above,
    probability_best,
)
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    from benchinfer.analyses.mixed.comparison import MixedComparison
    from benchinfer.comparison.further.prediction import Quantity


def check_predictable(stats: Statistics, model: ModelFit, *, one_dataset: bool) -> None:
    """Raise a DesignError where the model cannot predict differences on other data sets."""
    if one_dataset:
        raise DesignError(
            "one data set says nothing about how algorithms differ on another.",
            hint="add data sets.",
        )
    if "dataset:algorithm" not in model.terms and stats.n.max() > 1:
        raise DesignError(
            "without the dataset:algorithm term algorithms differ alike on every data set.",
            hint='terms="auto" has the term; predictions need it.',
        )


def predict(
    stats: Statistics,
    model: ModelFit,
    matrix: Array,
    *,
    robust: bool,
    df: str = "kenward-roger",
    level: float = 0.95,
    margin: float = 0.0,
    noise: Array | None = None,
    replications: int | None = None,
) -> Prediction:
    """Predict contrasts and the best algorithm on a new data set."""
    if replications is not None and replications < 1:
        raise DesignError(f"replications is {replications!r}.", hint="a number from 1, or None.")
    n_pairs, k = len(matrix), matrix.shape[1]
    pairs, every = all_pairs(k)
    rows = every if np.array_equal(matrix, every) else np.vstack([matrix, every])
    b = np.inf if replications is None else float(replications)
    predicted = common = predict_common(model, degrees.METHODS[df](model, rows), rows, df, b)
    ranked = predicted.variance
    if robust:
        errors = cr2_errors(stats, model, rows, asymptotic=df == "asymptotic")
        predicted = predict_pairwise(stats, model, errors, rows, noise, b)
        ranked = predicted.variance
    if robust and k > 2:
        predicted, ranked = _steadied(predicted, common, len(stats.n), k)
    wanted = NewDatasetDistribution(
        predicted.variance[:n_pairs],
        predicted.df[:n_pairs],
        predicted.between[:n_pairs],
        predicted.noise[:n_pairs],
    )
    rest = slice(-len(every), None)
    estimate = matrix @ model.beta
    reach = max_t.critical_t(wanted.df, 1 - level) * np.sqrt(wanted.variance)
    first = probability_above(estimate, wanted, margin)
    second = probability_above(-estimate, wanted, margin)
    # With a tolerance of zero no pair is ever equivalent.
    between = np.maximum(1 - first - second, 0.0) if margin > 0 else np.zeros(n_pairs)
    variances = np.zeros((k, k))
    variances[pairs[:, 0], pairs[:, 1]] = variances[pairs[:, 1], pairs[:, 0]] = ranked[rest]
    plain: Quantity = "difference" if replications is None else "mean"
    return Prediction(
        quantity=plain if "dataset:algorithm" in model.terms else "score",
        level=level,
        estimate=estimate,
        low=estimate - reach,
        high=estimate + reach,
        predicted=wanted,
        prob_first=first,
        prob_equivalent=between,
        prob_second=second,
        best=probability_best(model.beta, variances, float(np.median(predicted.df[rest])), margin),
    )


def _steadied(
    pairwise: NewDatasetDistribution, common: NewDatasetDistribution, d: int, k: int
) -> tuple[NewDatasetDistribution, Array]:
    """Return the variances of pairs, shrunk to the common one where they are zero or for ranks.

    A pair whose difference does not vary has no variance of its own and takes the common one. For
    the ranks own variances count as D - 1 and the common one as K observations: of few data sets
    the own ones alone rule out algorithms that may well be best.
    """
    flat = pairwise.variance <= 1e-14 * pairwise.variance.max()
    variance = np.where(flat, common.variance, pairwise.variance)
    ranked = ((d - 1) * variance + k * common.variance) / (d - 1 + k)
    return replace(pairwise, variance=variance), ranked


def new_dataset(mixed: MixedComparison, replications: int | None) -> NewDataset:
    """Predict the contrasts of a comparison on a new data set; see `MixedComparison.predict`."""
    plain = mixed.fitted.plain
    if plain is None or mixed.fitted.fixed.x is not None:
        raise DesignError(
            f"predictions are not worked out where {mixed.fitted.peculiarity}.",
            hint='target="domain" with structure="auto" or'
            ' "common", residual="constant" and no covariates or domains'
            " makes them.",
        )
    stats, model = plain
    check_predictable(stats, model, one_dataset=mixed.design.one_dataset)
    family, _ = mixed._family()
    residuals = mixed.fitted.residuals
    prediction = predict(
        stats,
        model,
        family.matrix[family.wanted],
        robust=mixed.structure == "pairwise",
        df=mixed.options.df,
        level=mixed.level,
        margin=mixed.measure.margin,
        noise=None if residuals is None else residuals.spread.difference,
        replications=replications,
    )
    return NewDataset(mixed.measure, mixed.algorithms, tuple(mixed.pairs.sides), prediction)
