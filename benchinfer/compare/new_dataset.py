"""What a mixed model says about a data set that was not seen."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare import prediction
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.measure import Measure

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.mixed_comparison import MixedComparison

_quantities = {
    "difference": "the true differences",
    "mean": "differences of means over the replications asked for",
    "score": "differences of single scores, as one score per cell cannot tell noise apart",
}


@dataclass(frozen=True, slots=True)
class NewDataset:
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

    measure: Measure
    algorithms: tuple[str, ...]
    sides: tuple[tuple[str, str], ...]
    predicted: prediction.Prediction

    def contrasts(self) -> "pd.DataFrame":
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

    def summary(self) -> "pd.DataFrame":
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
        """Say which algorithm is most likely to be best there."""
        best = self.predicted.best.best
        k = int(np.argmax(best))
        return (
            f"On a new data set of the domain, {self.algorithms[k]} is best with probability"
            f" {best[k]:.2f} ({self.measure.title}, {self.measure.better} is better)."
        )

    @property
    def quantity(self) -> str:
        """What estimates and intervals are of, in words."""
        return _quantities[self.predicted.quantity]


def new_dataset(mixed: "MixedComparison", replications: int | None) -> NewDataset:
    """Predict the contrasts of a comparison on a new data set; see `MixedComparison.predict`."""
    plain = mixed.fitted.plain
    if plain is None or mixed.fitted.fixed.x is not None:
        raise DesignError(
            message(
                f"predictions are not worked out where {mixed.fitted.peculiarity}.",
                hint='target="domain" with structure="auto" or "common", residual="constant" and no'
                " covariates or domains makes them.",
            )
        )
    stats, model = plain
    prediction.check_predictable(stats, model, one_dataset=mixed.design.one_dataset)
    family, _ = mixed.asked()
    residuals = mixed.fitted.residuals
    found = prediction.predict(
        stats,
        model,
        family.matrix[family.wanted],
        own=mixed.structure == "pairwise",
        df=str(mixed.provenance.arguments["df"]),
        level=mixed.level,
        margin=mixed.measure.margin,
        noise=None if residuals is None else residuals.spread.difference,
        replications=replications,
    )
    return NewDataset(mixed.measure, mixed.algorithms, tuple(mixed.named_sides()), found)
