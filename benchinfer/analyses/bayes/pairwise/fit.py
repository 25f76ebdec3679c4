"""Posterior of each pair's differences."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.bayes.numerics.priors import PseudoObservation
from benchinfer.analyses.bayes.options import BayesPairsOptions
from benchinfer.analyses.bayes.pairwise.numerics import dirichlet, pair_model
from benchinfer.analyses.bayes.pairwise.numerics.pair_model import (
    PairData,
    PairDensity,
    PairDraws,
    Votes,
    next_dataset,
)
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.posterior import Convergence, segments_r_hat, settled
from benchinfer.core.errors import DesignError
from benchinfer.core.progress import of_task
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.posterior import nuts
from benchinfer.numerics.posterior.outcome_probabilities import Outcomes, average_outcomes
from benchinfer.numerics.types import Array, Codes, Flags

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from benchinfer.core.progress import Progress
    from benchinfer.scores.table import ScoreTable


_FEWEST = 2
# A standard deviation below this share of the largest score is the noise of subtracted scores.
_NOISE = 1e-14


@savable
@shaped(n="P D [0,inf)", mean="P D", square="P D [0,inf)", top="P [0,inf)", constant="P D")
@dataclass(frozen=True, slots=True)
class Differences:
    """Differences of P pairs, first minus second, on D data sets; larger is better."""

    # (P, D) number of differences, 0 where the data set is left out for the pair. Where
    # replications are not shared, 1: the difference of two means
    n: Codes
    # mean, square: (P, D) mean of the differences, and sum of squared deviations; 0 where there are
    # none
    mean: Array
    square: Array
    top: Array  # (P,) size of the largest difference
    size: float  # size of the largest score
    constant: Flags  # (P, D) where differences of several replications are all the same

    @property
    def datasets(self) -> Codes:
        """(P,) number of data sets that have differences of the pair."""
        return (self.n > 0).sum(axis=1)


def differences(scores: ScoreTable, setting: Setting, pairs: Codes) -> Differences:
    """Return the differences of each pair on shared replications, or else of means of data sets."""
    name, d = setting.measure.name, len(setting.coverage.datasets)
    if setting.paired:
        blocks = scores.blocks(name)
        values = np.where(blocks.count > 0, blocks.mean, np.nan)
        dataset = blocks.dataset
    else:
        values, dataset = scores.cells(name).mean, np.arange(d)
    moments = [_moments(values[:, i] - values[:, j], dataset, d) for i, j in pairs]
    n, mean, square, top = (np.array(part) for part in zip(*moments, strict=True))
    size = float(np.nanmax(np.abs(values)))
    constant = (n > 1) & (square <= (n - 1) * (_NOISE * size) ** 2)
    return Differences(n, mean, np.where(constant, 0.0, square), top, size, constant)


def _moments(difference: Array, dataset: Codes, d: int) -> tuple[Codes, Array, Array, float]:
    """Return number, mean and sum of squares of each data set, and the largest size."""
    there = np.isfinite(difference)
    x, index = difference[there], dataset[there]
    n = np.bincount(index, minlength=d)
    mean = np.bincount(index, x, d) / np.maximum(n, 1)
    # The first pass rounds the mean of large values; the second puts it right.
    mean += np.bincount(index, x - mean[index], d) / np.maximum(n, 1)
    square = np.bincount(index, (x - mean[index]) ** 2, d)
    return n, mean, square, float(np.abs(x).max(initial=0.0))


def require_datasets(
    data: Differences, setting: Setting, pairs: Codes, what: str, hint: str
) -> None:
    """Raise a DesignError where a pair shares fewer than two data sets."""
    few = np.flatnonzero(data.datasets < _FEWEST)
    if not len(few):
        return
    names = setting.algorithms
    rows = [(names[pairs[p, 0]], names[pairs[p, 1]], int(data.datasets[p])) for p in few]
    raise DesignError(
        f"{len(few):,} of {len(pairs):,} pairs have fewer than {_FEWEST} data sets with {what}.",
        where=[("first", "second", "data sets"), *rows],
        hint=hint,
    )


# Three parameters and the effects of data sets, close to independent: half the usual warm-up serves
# as well. Longer steps do not: a pair of near-duplicates then often needs a second try.
_ACCEPT, WARM_UP = nuts.TARGET_ACCEPT, 500
SIGN_DRAWS = 4000  # for the interval of the mean difference alone
OUTCOMES = ("first", "equivalent", "second")
_MOST = 600_000  # draws that a result holds, of all pairs


@savable
@shaped(centre="P C T", std="P C T", nu="P C T", effect="P D", effect_sd="P D [0,inf)")
@dataclass(frozen=True, slots=True)
class PairPosterior:
    """Draws of P models on the modelling scale, thinned where there are many."""

    # centre, std, nu: (P, C, T) delta_0, std_0 and degrees of freedom
    centre: Array
    std: Array
    nu: Array
    # effect, effect_sd: (P, D) posterior means and standard deviations of delta_m, 0 where a data
    # set is left out
    effect: Array
    effect_sd: Array


@dataclass(frozen=True, slots=True)
class PairwiseFit:
    """Results of a test on P pairs."""

    # following, votes: outcomes on the next data set (or the mean of the next two), and which is
    # ahead
    following: Outcomes
    votes: Votes
    average: Outcomes | None = None  # outcomes of delta_0, for the hierarchical model
    convergence: Convergence | None = None  # the worst over pairs, of the hierarchical model
    extended: int = 0  # how many pairs were sampled once more
    draws: PairPosterior | None = None  # draws of the hierarchical model
    # (P,) whether each pair's chains have; True where there are no chains
    settled: Flags | bool = True


def hierarchical(
    differences: Differences,
    setting: Setting,
    size: tuple[int, int],
    level: float,
    rng: np.random.Generator,
    progress: Progress | None,
) -> PairwiseFit:
    """Sample the model of Corani et al. (2017) for each pair."""
    overlap = setting.resampling.overlap if setting.resampling else None
    d = differences
    data = pair_model.pair_data(d.n, d.mean, d.square, d.top, overlap or 0.0)
    margin, p = setting.measure.margin, len(d.n)
    sampled = [
        _Sampled.of(data, k, size, rng, _of_pair(progress, f"pair {k + 1} of {p}, "))
        for k in range(p)
    ]
    outcomes = [one.outcomes(margin, level, rng) for one in sampled]
    step = max(-(-p * size[0] * size[1] // _MOST), 1)
    convergence = [one.convergence for one in sampled]
    return PairwiseFit(
        following=_joined(Outcomes, [following for following, _, _ in outcomes]),
        votes=_joined(Votes, [votes for _, votes, _ in outcomes]),
        average=_joined(Outcomes, [average for _, _, average in outcomes]),
        convergence=Convergence(
            r_hat=max(one.r_hat for one in convergence),
            r_hat_effects=max(one.r_hat_effects for one in convergence),
            bulk=min(one.bulk for one in convergence),
            tail=min(one.tail for one in convergence),
            divergences=sum(one.divergences or 0 for one in convergence),
        ),
        settled=np.array([one.settled for one in convergence]),
        extended=sum(one.extended for one in sampled),
        draws=_joined(PairPosterior, [one.thinned(step) for one in sampled]),
    )


def _of_pair(progress: Progress | None, pair: str) -> Progress | None:
    """Return a callback whose tasks name the pair."""
    return None if progress is None else lambda task, *done: progress(pair + task, *done)


@dataclass(frozen=True, slots=True)
class _Sampled:
    """Draws of the model of a pair."""

    data: PairData  # of the one pair
    draws: PairDraws
    convergence: Convergence
    extended: bool  # whether these are the second try

    @classmethod
    def of(
        cls,
        data: PairData,
        pair: int,
        size: tuple[int, int],
        rng: np.random.Generator,
        progress: Progress | None,
    ) -> _Sampled:
        """Sample; once more where chains fail the convergence checks."""
        density = PairDensity.of(data, pair)

        def fit(drawn: nuts.NutsDraws) -> tuple[_Sampled, bool]:
            draws = density.draws(drawn.points)
            convergence = _settled(draws, drawn.divergences)
            return cls(density.data, draws, convergence, drawn.again), convergence.passed

        return nuts.until_settled(
            density, size, rng, progress, fit, accept=_ACCEPT, warm_up=WARM_UP
        )

    def outcomes(
        self, margin: float, level: float, rng: np.random.Generator
    ) -> tuple[Outcomes, Votes, Outcomes]:
        """Return the outcomes on the next data set, their votes, and the outcomes of delta_0."""
        one, scale = self.draws, self.data.scale[0]
        centre, std, nu = (x[:, :, None] for x in (one.centre * scale, one.std * scale, one.nu))
        following, votes = next_dataset(centre, std, nu, np.array([margin]), level, rng)
        return following, votes, average_outcomes(centre, np.eye(1), margin, level)

    def thinned(self, step: int) -> PairPosterior:
        """Return thinned draws on the modelling scale; a second try has two for one."""
        one, scale, there = self.draws, self.data.scale[0], self.data.n > 0
        every = np.s_[None, :, :: step * (1 + self.extended)]
        return PairPosterior(
            centre=scale * one.centre[every],
            std=scale * one.std[every],
            nu=one.nu[every],
            effect=np.where(there, scale * one.mean.mean(axis=(0, 1)), 0.0),
            effect_sd=np.where(there, scale * _spread(one), 0.0),
        )


def _settled(draws: PairDraws, divergences: int) -> Convergence:
    """Return the convergence diagnostics of the draws of one pair."""
    segments = (draws.mean, draws.square, draws.nu.shape[1])
    return settled([draws.centre, draws.std, draws.nu], segments_r_hat(*segments), divergences)


def _spread(draws: PairDraws) -> Array:
    """Return (D,) posterior standard deviations of delta_m from the moments of segments."""
    n = draws.nu.shape[1] / len(draws.mean)
    return np.sqrt(draws.square.mean(axis=(0, 1)) / n + draws.mean.var(axis=(0, 1)))


def _joined[T: DataclassInstance](kind: type[T], parts: list[T]) -> T:
    """Concatenate records of some pairs; fields that they lack stay None."""
    columns = [[getattr(part, one.name) for part in parts] for one in fields(kind)]
    return kind(*(None if c[0] is None else np.concatenate(c) for c in columns))


def by_dirichlet(
    differences: Differences,
    setting: Setting,
    options: BayesPairsOptions,
    rng: np.random.Generator,
    progress: Progress | None,
) -> PairwiseFit:
    """Test each pair by the Bayesian sign or signed-rank test."""
    callback = of_task(progress, "pairs", len(differences.n))
    prior, level = options.priors or PseudoObservation(), options.level
    scale = setting.measure.margin, differences.size
    strength, side = prior.strength or 0.0, OUTCOMES.index(prior.place)
    shares: list[dirichlet.OutcomeShares] = []
    for n, mean in zip(differences.n, differences.mean, strict=True):
        z = mean[n > 0]
        if options.test == "sign":
            weight = strength * np.eye(3)[side]
            one = dirichlet.sign_test(z, *scale, weight, level, SIGN_DRAWS, rng)
        else:
            place, draws = (np.inf, 0.0, -np.inf)[side], options.size[1]
            one = dirichlet.signed_rank_test(z, *scale, (strength, place), level, draws, rng)
        shares.append(one)
        if callback is not None:
            callback(1)
    expected = np.array([one.expected for one in shares])
    votes = np.array([one.votes for one in shares])
    likeliest = expected.argmax(axis=1)[:, None]
    return PairwiseFit(
        following=Outcomes(
            estimate=np.array([one.estimate for one in shares]),
            low=np.array([one.low for one in shares]),
            high=np.array([one.high for one in shares]),
            first=expected[:, 0],
            equivalent=expected[:, 1],
            second=expected[:, 2],
            error=np.zeros(len(shares)),
            dominant=np.take_along_axis(votes, likeliest, axis=1)[:, 0],
        ),
        votes=Votes(votes[:, 0], votes[:, 1], votes[:, 2], np.array([one.error for one in shares])),
    )
