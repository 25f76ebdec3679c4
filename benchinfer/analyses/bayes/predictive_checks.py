"""Predictive checks of the hierarchical model, by its posterior and by its priors.

Each data set is drawn many times from the model that has not seen it (`leave_one_out`), so that no
score is used twice: the tail probabilities of data sets that are as the model says are uniform.

References
----------
Gelman, A., Meng, X.-L. & Stern, H. (1996). Posterior predictive assessment of model fitness via
realized discrepancies. Statistica Sinica 6, 733-807.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.bayes.leave_one_out import Weighted
from benchinfer.analyses.bayes.numerics.predictive import (
    Replicated,
    compared_cells,
    observed,
    observed_effects,
    predictive,
    present,
    replicate,
    shared_prior,
)
from benchinfer.core.frames import checks_frame, frame
from benchinfer.core.numbers import count, join
from benchinfer.core.result import Readable
from benchinfer.core.sections import Check
from benchinfer.numerics.types import Array, Flags

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.bayes.comparison import BayesComparison
    from benchinfer.analyses.bayes.numerics.contrasts import ContrastData


_DRAWS = 10_000
_RARE = 0.05  # a tail probability, divided by the number of data sets, that a row names
STATISTICS = ("spread of the algorithms", "largest difference", "residual standard deviation")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PredictiveChecks(Readable):
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

    def description(self) -> str:
        """Return the number of data sets beyond their predictions, as text."""
        beyond = int(self.beyond.any(axis=0).sum())
        many = count(len(self.datasets), "data set")
        return f"<PredictiveChecks: {beyond} of {many} beyond what the others predict>"

    def table(self) -> pd.DataFrame:
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
    def beyond(self) -> Flags:
        """(S, M) whether a statistic is beyond what the model predicts."""
        return self.tail < _RARE / len(self.datasets)

    def diagnostics(self) -> pd.DataFrame:
        """Return a table of the checks on data sets that the model predicts badly, one row each."""
        return checks_frame(self.checks())

    def checks(self) -> list[Check]:
        """Return the rows of the diagnostics."""
        checks: list[Check] = []
        for name, row, value in zip(STATISTICS, self.beyond, self.observed, strict=True):
            if np.isnan(value).all():
                continue
            names = join([self.datasets[i] for i in np.flatnonzero(row)][:5])
            checks.append(
                Check.of(
                    f"data sets whose {name} the others do not predict",
                    int(row.sum()),
                    sentence=f"The others do not predict the {name} of {names}.",
                    remedy="Look at the scores there; another scale, Measure(scale=...), or"
                    " other interactions=... may fit better: compare the models.",
                )
            )
        return checks


def predict_each(result: BayesComparison, draws: tuple[Weighted, ...]) -> PredictiveChecks:
    """Predict each data set by the others."""
    data, rng = result.data, np.random.default_rng(result.provenance.seed)
    scale, parts, winner = data.scale, [], []
    for m, one in enumerate(draws):
        drawn = _draw(data, m, one, rng)
        parts.append(_compare(data, m, drawn))
        winner.append(_winner(data, m, drawn))
    observed_, median, low, high, tail = np.array(parts).transpose(1, 2, 0)
    return PredictiveChecks(
        measure=result.measure.name,
        datasets=tuple(result.setting.coverage.datasets[m] for m in data.dataset),
        observed=scale * observed_,
        median=scale * median,
        low=scale * low,
        high=scale * high,
        tail=tail,
        winner=np.array(winner),
    )


def winners(data: ContrastData, draws: tuple[Weighted, ...], rng: np.random.Generator) -> Array:
    """Return (M,) predicted probabilities of the algorithms that are best on the data sets."""
    return np.array([_winner(data, m, _draw(data, m, one, rng)) for m, one in enumerate(draws)])


def _draw(data: ContrastData, m: int, draws: Weighted, rng: np.random.Generator) -> Replicated:
    """Draw a data set by the model without it."""
    weights = np.exp(draws.log_weights)
    rows = rng.choice(len(draws.shared), size=_DRAWS, p=weights / weights.sum())
    return replicate(data, m, draws.shared[rows], rng)


def _compare(data: ContrastData, m: int, drawn: Replicated) -> Array:
    """Return (5, S) statistics: observed, median, low and high of the draws, and tail."""
    there = present(data, m)
    seen, new = (_statistics(x, there) for x in (observed(data, m), drawn))
    low, median, high = np.quantile(new, [0.025, 0.5, 0.975], axis=1)
    # One more than there are: the data set itself is one of those that there might have been.
    above, below = (new >= seen).sum(axis=1) + 1, (new <= seen).sum(axis=1) + 1
    tail = np.minimum(2 * np.minimum(above, below) / (new.shape[1] + 1), 1.0)
    tail = np.where(np.isnan(seen[:, 0]), np.nan, tail)
    return np.array([seen[:, 0], median, low, high, tail])


def _statistics(replicated: Replicated, there: Flags) -> Array:
    """Return (S, draws) statistics of a data set."""
    effects, variance = replicated.effects[:, there], replicated.variance
    sd = np.full(len(effects), np.nan) if variance is None else np.sqrt(variance)
    return np.stack([effects.std(axis=1, ddof=1), np.ptp(effects, axis=1), sd])


def _winner(data: ContrastData, m: int, drawn: Replicated) -> float:
    """Return the predicted probability of the algorithm that is best on the data set."""
    there = present(data, m)
    best = observed(data, m).effects[0, there]
    won = drawn.effects[:, there].argmax(axis=1)
    # Algorithms that tie share it.
    first = np.isclose(best, best.max(), rtol=0, atol=1e-12)
    share = float(sum((won == k).mean() for k in np.flatnonzero(first)))
    return share or 0.5 / (len(won) + 1)


_PRIOR_DRAWS = 2000


def prior_check(result: BayesComparison) -> pd.DataFrame:
    """Compare priors with scores; see `BayesComparison.prior_check`."""
    model, data = result.sampled, result.data
    rng = np.random.default_rng(result.provenance.seed)
    new = predictive(model, shared_prior(model, _PRIOR_DRAWS, rng), rng)
    seen, there = observed_effects(data), compared_cells(data)
    rows: list[tuple[str, float, Array]] = []
    for name, statistic in (("spread of the algorithms", _spread), ("largest difference", _range)):
        median = float(np.median(statistic(seen, there)))
        rows.append((f"{name} on a data set", median, statistic(new, there)))
    overall = float(np.sqrt((_spread(seen, there) ** 2).mean()))
    every = np.sqrt((_spread(new, there) ** 2).mean(axis=-1))
    rows.append(("spread of the algorithms, all data sets", overall, every))
    prior = result.posterior["prior"]
    for name, x in result.draws.parameters.items():
        rows.append((name, float(np.median(x)), prior[name].to_numpy()))
    low, middle, high = np.array([np.quantile(row[2], [0.05, 0.5, 0.95]) for row in rows]).T
    return frame(
        {
            "measure": [result.measure.name] * len(rows),
            "statistic_name": [row[0] for row in rows],
            "estimate": [row[1] for row in rows],
            "predicted_low": low,
            "predicted": middle,
            "predicted_high": high,
        }
    )


def _spread(effects: Array, there: Flags) -> Array:
    """Return (..., M) standard deviations of (..., M, K) effects of algorithms that are there."""
    n = there.sum(axis=1)
    known = np.where(there, effects, 0.0)
    centred = np.where(there, effects - (known.sum(axis=-1) / n)[..., None], 0.0)
    return np.sqrt((centred**2).sum(axis=-1) / (n - 1))


def _range(effects: Array, there: Flags) -> Array:
    top = np.where(there, effects, -np.inf).max(axis=-1)
    return top - np.where(there, effects, np.inf).min(axis=-1)
