"""Prediction of a data set not seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure
from benchinfer.core.result import Readable
from benchinfer.numerics.posterior.outcome_probabilities import Best, NewDatasetDistribution
from benchinfer.numerics.ties import joined_levels
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd


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
    predicted: NewDatasetDistribution
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


_quantities = {
    "difference": "the true differences",
    "mean": "differences of means over the replications asked for",
    "score": "differences of single scores, as one score per cell cannot tell noise apart",
}


@dataclass(frozen=True, slots=True, repr=False)
class NewDataset(Readable):
    """Predictions for a data set of the same domain that is not yet seen.

    Attributes
    ----------
    measure, algorithms
        The measure and the K names.
    sides
        (P,) names of both sides of the contrasts.
    predicted
        The numbers, on the modelling scale.
    """

    _home: ClassVar[str] = "benchinfer.comparison"

    measure: Measure
    algorithms: tuple[str, ...]
    sides: tuple[tuple[str, str], ...]
    predicted: Prediction

    def contrasts(self) -> pd.DataFrame:
        """One row per contrast.

        Returns
        -------
        pandas.DataFrame
            The estimate with an interval for the difference on one new data set, each by itself,
            and the probabilities that the first is better there by more than the tolerance, that
            they differ by less, and that the second is better.
        """
        return frame(
            {
                "measure": [self.measure.name] * len(self.sides),
                "first": [pair[0] for pair in self.sides],
                "second": [pair[1] for pair in self.sides],
                **self.predicted.pairs(self.measure),
            }
        )

    def summary(self) -> pd.DataFrame:
        """One row per algorithm: the probability that it is best there, or near best.

        ``prob_near_best`` is the probability to be within the tolerance of the best one.
        """
        columns = self.predicted.algorithms()
        return frame(
            {
                "measure": [self.measure.name] * len(self.algorithms),
                "algorithm": list(self.algorithms),
                **columns,
            }
        )

    def __str__(self) -> str:
        """Return a sentence with the algorithm most likely to be best on the new data set."""
        best = self.predicted.best.best
        k = int(np.argmax(joined_levels(best)))
        return (
            f"On a new data set of the domain, {self.algorithms[k]} is best with probability"
            f" {best[k]:.2f} ({self.measure.title}, {self.measure.better} is better)."
        )

    @property
    def quantity(self) -> str:
        """Quantity of estimates and intervals, in words."""
        return _quantities[self.predicted.quantity]
