"""Predictions for a data set that was not seen."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.errors import DesignError, message
from benchinfer.measure import Measure
from benchinfer.numerics import degrees, tukey
from benchinfer.numerics.best import Best, probability_best
from benchinfer.numerics.degrees import Adjusted
from benchinfer.numerics.new_dataset import (
    Predicted,
    predict_common,
    predict_pairwise,
    probability_above,
)
from benchinfer.numerics.robust import of_fit
from benchinfer.numerics.score_model import ScoreModelFit
from benchinfer.numerics.sufficient import Statistics

type Quantity = Literal["difference", "mean", "score"]


@dataclass(frozen=True, slots=True)
class Prediction:
    """Contrasts and ranks on a new data set, on the modelling scale; P contrasts, K algorithms.

    Attributes
    ----------
    quantity
        What is predicted: the true ``"difference"`` there, that of a ``"mean"`` of replications, or
        of single scores (``"score"``), where one score per cell does not tell the two apart.
    level
        Probability of each interval.
    estimate, low, high
        (P,) contrasts and prediction intervals, each for itself.
    predicted
        Variances and degrees of freedom.
    prob_first, prob_equivalent, prob_second
        (P,) probabilities that the first is better by more than the tolerance, that they differ by
        at most the tolerance, and that the second is better by more.
    best
        Probabilities of the algorithms to be best there, and best up to the tolerance.
    """

    quantity: Quantity
    level: float
    estimate: Array
    low: Array
    high: Array
    predicted: Predicted
    prob_first: Array
    prob_equivalent: Array
    prob_second: Array
    best: Best

    def pairs(self, measure: Measure) -> Mapping[str, object]:
        """Return the columns that hold numbers of the contrasts, in the measure's own unit."""
        low, high = measure.effect_interval(self.low, self.high)
        return {
            "estimate": measure.effect(self.estimate),
            "conf_low": low,
            "conf_high": high,
            "std_error": np.sqrt(self.predicted.variance),
            "df": self.predicted.df,
            "prob_first": self.prob_first,
            "prob_equivalent": self.prob_equivalent,
            "prob_second": self.prob_second,
        }

    def algorithms(self) -> Mapping[str, object]:
        """Return the columns that hold numbers of the algorithms."""
        return {"prob_best_next": self.best.best, "prob_near_best": self.best.near}


def _errors(
    stats: Statistics, model: ScoreModelFit, rows: Array, df: str, *, own: bool
) -> Adjusted:
    if not own:
        return degrees.METHODS[df](model, rows)
    found = of_fit(stats, model.variances, rows)
    return Adjusted(found.cov, np.full_like(found.df, np.inf) if df == "asymptotic" else found.df)


def check_predictable(stats: Statistics, model: ScoreModelFit, *, one_dataset: bool) -> None:
    """Refuse models that say nothing about other data sets.

    Raises
    ------
    DesignError
        There is one data set, or the model has algorithms differ alike on all.
    """
    if one_dataset:
        raise DesignError(
            message(
                "one data set says nothing about how algorithms differ on another.",
                hint="add data sets.",
            )
        )
    if "dataset:algorithm" not in model.terms and stats.n.max() > 1:
        raise DesignError(
            message(
                "without the dataset:algorithm term algorithms differ alike on every data set.",
                hint='terms="auto" has the term; predictions need it.',
            )
        )


def predict(
    stats: Statistics,
    model: ScoreModelFit,
    matrix: Array,
    *,
    own: bool,
    df: str = "kenward-roger",
    level: float = 0.95,
    margin: float = 0.0,
    noise: Array | None = None,
    replications: int | None = None,
) -> Prediction:
    """Predict contrasts, and which algorithm is best, on a data set that was not seen.

    Parameters
    ----------
    stats, model
        Statistics and fit of the table.
    matrix
        (P, K) contrasts.
    own
        Whether each contrast has its own variance between data sets.
    df
        One of `degrees.METHODS`.
    level
        Probability of each interval.
    margin
        Tolerance on the modelling scale.
    noise
        (K, K) variances of replications' differences, from ``residuals.Spread.difference``.
    replications
        Predict the mean of so many replications instead of the true difference.

    Returns
    -------
    Prediction
        Intervals and probabilities.

    Raises
    ------
    DesignError
        The number of replications is not positive.
    """
    if replications is not None and replications < 1:
        raise DesignError(
            message(f"replications is {replications!r}.", hint="a number from 1, or None.")
        )
    n_pairs, k = len(matrix), matrix.shape[1]
    pairs, every = tukey.all_pairs(k)
    rows = np.vstack([matrix, every])
    errors = _errors(stats, model, rows, df, own=own)
    b = np.inf if replications is None else float(replications)
    predicted = (
        predict_pairwise(stats, model, errors, rows, noise, b)
        if own
        else predict_common(model, errors, rows, df, b)
    )
    if own and k > 2:
        predicted = _steadied(predicted, _common(model, rows, df, b), len(stats.n), n_pairs)
    wanted, rest = _part(predicted, slice(n_pairs)), _part(predicted, slice(n_pairs, None))
    estimate = matrix @ model.beta
    reach = tukey.critical_t(wanted.df, 1 - level) * np.sqrt(wanted.variance)
    first = probability_above(estimate, wanted, margin)
    second = probability_above(-estimate, wanted, margin)
    # With a tolerance of zero no pair is ever equivalent.
    between = np.maximum(1 - first - second, 0.0) if margin > 0 else np.zeros(n_pairs)
    variances = np.zeros((k, k))
    variances[pairs[:, 0], pairs[:, 1]] = variances[pairs[:, 1], pairs[:, 0]] = rest.variance
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
        best=probability_best(model.beta, variances, float(np.median(rest.df)), margin),
    )


def _common(model: ScoreModelFit, rows: Array, df: str, replications: float) -> Predicted:
    return predict_common(model, degrees.METHODS[df](model, rows), rows, df, replications)


def _steadied(own: Predicted, common: Predicted, d: int, n_pairs: int) -> Predicted:
    """Return pairs' own variances, steadied where they alone would claim too much.

    A pair whose difference does not vary has no variance of its own and takes the common one. For
    the ranks (after the first `n_pairs`) own variances count as D - 1 and the common one as K
    observations: of few data sets the own ones alone rule out algorithms that may well be best.
    """
    flat = own.variance <= 1e-14 * own.variance.max()
    variance = np.where(flat, common.variance, own.variance)
    k = round((1 + np.sqrt(1 + 8 * (len(variance) - n_pairs))) / 2)
    ranks = np.arange(len(variance)) >= n_pairs
    mixed = ((d - 1) * variance + k * common.variance) / (d - 1 + k)
    return replace(own, variance=np.where(ranks, mixed, variance))


def _part(predicted: Predicted, part: slice) -> Predicted:
    return Predicted(
        predicted.variance[part], predicted.df[part], predicted.between[part], predicted.noise[part]
    )
