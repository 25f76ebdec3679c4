"""What a mixed model says about a data set that was not seen."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare import prediction
from benchinfer.compare.contrasts import family_of
from benchinfer.compare.whole import plain
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.measure import Measure
from benchinfer.numerics.score_model import ScoreModelFit

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
            f" {best[k]:.2f} ({self.measure.name}, {self.measure.better} is better); intervals are"
            f" of {_quantities[self.predicted.quantity]}."
        )


def new_dataset(mixed: "MixedComparison", replications: int | None) -> NewDataset:
    """Predict the contrasts of a comparison on a new data set; see `MixedComparison.predict`."""
    stats, model = plain(mixed.fitted), mixed.model
    fixed, arguments = mixed.fitted.fixed, mixed.provenance.arguments
    if stats is None or not isinstance(model, ScoreModelFit) or fixed.x is not None:
        raise DesignError(
            message(
                "predictions are worked out for one variance per source and one level per"
                " algorithm.",
                hint='structure="auto" or "common", residual="constant" and no covariates or'
                " domains make such a model.",
            )
        )
    prediction.check_predictable(stats, model, one_dataset=mixed.design.one_dataset)
    family = family_of(mixed.algorithms, arguments["contrasts"], arguments["control"], model.beta)
    residuals = mixed.fitted.residuals
    found = prediction.predict(
        stats,
        model,
        family.matrix[family.wanted],
        own=mixed.structure == "pairwise",
        df=str(arguments["df"]),
        level=mixed.level,
        margin=mixed.measure.margin,
        noise=None if residuals is None else residuals.spread.difference,
        replications=replications,
    )
    return NewDataset(mixed.measure, mixed.algorithms, tuple(mixed.named_sides()), found)
