"""Predictive checks: what the model says of each data set by the others, beside what is there.

Each data set is drawn many times from the model that has not seen it (`bayes_left_out`), so that no
score is used twice: the tail probabilities of data sets that are as the model says are uniform.

References
----------
Gelman, A., Meng, X.-L. & Stern, H. (1996). Posterior predictive assessment of model fitness via
realized discrepancies. Statistica Sinica 6, 733-807.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array, Check, checks_frame
from benchinfer.compare.phrases import join
from benchinfer.frames import frame
from benchinfer.numerics.bayes.replicated import Replicated, observed, present, replicate

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.compare.bayes_left_out import Weighted
    from benchinfer.numerics.bayes.reduction import ContrastData

_DRAWS = 10_000
_RARE = 0.05  # a tail probability, divided by the number of data sets, that a row names
STATISTICS = ("spread of the algorithms", "largest difference", "residual standard deviation")


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """Data sets as observed and as predicted by the others; S statistics, M data sets.

    Attributes
    ----------
    measure, datasets
        What was compared.
    observed, median, low, high
        (S, M) statistics as observed, and median and 95 % interval of the prediction, on the
        modelling scale; NaN where a data set does not have one.
    tail
        (S, M) probability of something as extreme, on either side.
    winner
        (M,) predicted probability of the algorithm that is best on the data set.
    """

    measure: str
    datasets: tuple[str, ...]
    observed: Array
    median: Array
    low: Array
    high: Array
    tail: Array
    winner: Array

    def table(self) -> "pd.DataFrame":
        """One row per data set and statistic.

        Returns
        -------
        pandas.DataFrame
            ``measure dataset statistic_name estimate predicted predicted_low predicted_high
            tail_probability``.
        """
        s, m = self.observed.shape
        return frame(
            {
                "measure": [self.measure] * (s * m),
                "dataset": list(np.repeat(np.array(self.datasets, dtype=object), s)),
                "statistic_name": list(STATISTICS) * m,
                "estimate": self.observed.T.ravel(),
                "predicted": self.median.T.ravel(),
                "predicted_low": self.low.T.ravel(),
                "predicted_high": self.high.T.ravel(),
                "tail_probability": self.tail.T.ravel(),
            }
        )

    @property
    def beyond(self) -> NDArray[np.bool_]:
        """(S, M) whether a statistic is beyond what the model predicts."""
        return self.tail < _RARE / len(self.datasets)

    def diagnostics(self) -> "pd.DataFrame":
        """Name the data sets that are not as the model says, one row per check."""
        return checks_frame(self.checks())

    def checks(self) -> list[Check]:
        """Return the rows of the diagnostics."""
        found: list[Check] = []
        for name, row, value in zip(STATISTICS, self.beyond, self.observed, strict=True):
            if np.isnan(value).all():
                continue
            names = join([self.datasets[i] for i in np.flatnonzero(row)][:5])
            found.append(
                Check.of(
                    f"data sets whose {name} the others do not predict",
                    int(row.sum()),
                    0.0,
                    ok=not row.any(),
                    remedy=f"{names}: look at the scores there; another scale (scale=...) or"
                    " interactions may fit better: compare_models()",
                )
            )
        return found


def predicted(result: "BayesComparison", draws: "tuple[Weighted, ...]") -> Predicted:
    """Predict each data set by the others.

    Parameters
    ----------
    result
        The comparison.
    draws
        Draws of the models without each data set.
    """
    data, rng = result.data, np.random.default_rng(result.provenance.seed)
    scale, found = data.scale, [_one(data, m, one, rng) for m, one in enumerate(draws)]
    parts = np.array([part for part, _ in found]).transpose(1, 2, 0)
    return Predicted(
        measure=result.measure.name,
        datasets=tuple(result.setting.coverage.datasets[m] for m in data.dataset),
        observed=scale * parts[0],
        median=scale * parts[1],
        low=scale * parts[2],
        high=scale * parts[3],
        tail=parts[4],
        winner=np.array([winner for _, winner in found]),
    )


def winners(data: "ContrastData", draws: "tuple[Weighted, ...]", rng: np.random.Generator) -> Array:
    """Return (M,) predicted probabilities of the algorithms that are best on the data sets."""
    return np.array([_winner(data, m, _drawn(data, m, one, rng)) for m, one in enumerate(draws)])


def _one(
    data: "ContrastData", m: int, draws: "Weighted", rng: np.random.Generator
) -> tuple[Array, float]:
    """Return (5, S): observed, median, low, high and tail; and the winner's probability."""
    drawn = _drawn(data, m, draws, rng)
    there = present(data, m)
    seen, new = (_statistics(x, there) for x in (observed(data, m), drawn))
    low, median, high = np.quantile(new, [0.025, 0.5, 0.975], axis=1)
    # One more than there are: the data set itself is one of those that there might have been.
    above, below = (new >= seen).sum(axis=1) + 1, (new <= seen).sum(axis=1) + 1
    tail = np.minimum(2 * np.minimum(above, below) / (new.shape[1] + 1), 1.0)
    tail = np.where(np.isnan(seen[:, 0]), np.nan, tail)
    return np.array([seen[:, 0], median, low, high, tail]), _winner(data, m, drawn)


def _drawn(data: "ContrastData", m: int, draws: "Weighted", rng: np.random.Generator) -> Replicated:
    """Draw a data set by the model that has not seen it."""
    n = len(draws.shared)
    weights = np.exp(draws.log_weights)
    picked = rng.choice(n, size=_DRAWS, p=weights / weights.sum())
    return replicate(data, m, draws.shared[picked], rng)


def _statistics(found: Replicated, there: NDArray[np.bool_]) -> Array:
    """Return (S, draws) statistics."""
    effects = found.effects[:, there]
    sd = np.full(len(effects), np.nan) if found.variance is None else np.sqrt(found.variance)
    spread = effects.std(axis=1, ddof=1)
    return np.stack([spread, np.ptp(effects, axis=1), sd])


def _winner(data: "ContrastData", m: int, drawn: Replicated) -> float:
    """Return the probability of the algorithm that is best on the data set, as it is drawn."""
    there = present(data, m)
    best = observed(data, m).effects[0, there]
    won = drawn.effects[:, there].argmax(axis=1)
    # Algorithms that tie share it.
    first = np.isclose(best, best.max(), rtol=0, atol=1e-12)
    shares = np.array([(won == k).mean() for k in np.flatnonzero(first)])
    return (
        float((shares.sum() + 0.5) / (len(won) + 1)) if shares.sum() == 0 else float(shares.sum())
    )
