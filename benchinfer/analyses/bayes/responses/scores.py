"""Scores as single responses."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from benchinfer.analyses.bayes.numerics.responses import ItemCounts, count_items
from benchinfer.comparison.evidence import Array
from benchinfer.comparison.groups import known_covariates
from benchinfer.core.errors import DesignError, message
from benchinfer.core.numbers import count
from benchinfer.core.saving import savable

if TYPE_CHECKING:
    from benchinfer.comparison.evidence import Setting
    from benchinfer.scores.table import ScoreTable


type Likelihood = Literal["normal", "binomial", "beta", "logit-normal"]
type Responses = ShareScores | Answers
_WHOLE = 1e-6
_MOST_ANSWERS = 400  # to an item: beyond, nodes of the integral would be too far apart


@savable
@dataclass(frozen=True, slots=True)
class ShareScores:
    """Scores strictly between 0 and 1, one row per replication and one column per algorithm.

    Attributes
    ----------
    dataset
        (B,) data set of each row, from 0.
    value
        (B, K) scores in the user's unit, NaN where there is none.
    shared
        Whether the replications are shared by algorithms and repeat, so that they have effects.
    """

    dataset: NDArray[np.int64]
    value: Array
    shared: bool


@savable
@dataclass(frozen=True, slots=True)
class Answers:
    """Numbers of successes: in cells, or of items that algorithms share.

    Attributes
    ----------
    trials, successes
        (M, K) numbers in the cells.
    items
        What items say, where algorithms share them; None where trials are independent.
    """

    trials: NDArray[np.int64]
    successes: NDArray[np.int64]
    items: ItemCounts | None


def read_responses(
    scores: "ScoreTable",
    setting: "Setting",
    kept: NDArray[np.int64],
    likelihood: Likelihood,
    trials: str | None,
) -> Responses:
    """Return the scores as a row-level model sees them.

    Parameters
    ----------
    scores, setting
        The table, and what is compared.
    kept
        (M,) indices of the data sets that the model learns from.
    likelihood, trials
        As in `compare_bayes`.

    Raises
    ------
    DesignError
        Scores are not what the likelihood is for.
    """
    if setting.measure.scale != "identity":
        raise DesignError(
            message(
                f"{setting.measure.name} is compared on the {setting.measure.scale} scale, and"
                f" likelihood={likelihood!r} has a scale of its own.",
                hint='a Measure(scale="identity") with it.',
            )
        )
    if likelihood != "binomial":
        return _shares(scores, setting, kept, likelihood)
    if trials is not None:
        return _counted(scores, setting, kept, trials)
    return _answers(scores, setting, kept)


def _shares(
    scores: "ScoreTable", setting: "Setting", kept: NDArray[np.int64], likelihood: str
) -> ShareScores:
    blocks = scores.blocks(setting.measure.name)
    value = np.where(blocks.count > 0, setting.measure.sign * blocks.mean, np.nan)
    _refuse_outside(value, likelihood)
    if (blocks.count > 1).any():
        raise DesignError(
            message(
                f"{int((blocks.count > 1).sum())} cells have several scores of one replication.",
                hint="give them replications of their own, or unpaired=True.",
            )
        )
    place, held = _places(blocks.dataset, kept)
    cells = scores.cells(setting.measure.name).n[kept]
    if (cells.max(axis=1) < 2).any():
        n = int((cells.max(axis=1) < 2).sum())
        raise DesignError(
            message(
                f"{count(n, 'data set')} with one score per algorithm: noise and interaction cannot"
                f" be told apart by likelihood={likelihood!r}.",
                hint='likelihood="normal" with Measure(scale="logit") takes single scores.',
            )
        )
    return ShareScores(place, value[held], bool(blocks.paired))


def _refuse_outside(value: Array, likelihood: str) -> None:
    found = value[np.isfinite(value)]
    if beyond := int(((found < 0) | (found > 1)).sum()):
        raise DesignError(
            message(
                f"{beyond} of {count(len(found), 'score')} are below 0 or above 1.",
                hint=f"likelihood={likelihood!r} is for scores between 0 and 1.",
            )
        )
    zeros, ones = int((found == 0).sum()), int((found == 1).sum())
    if zeros or ones:
        raise DesignError(
            message(
                f"{zeros} scores are 0 and {ones} are 1, which likelihood={likelihood!r} gives no"
                " probability.",
                hint="if scores are shares of n right answers, likelihood='binomial' with"
                " trials=... takes them as they are; else shrink them before reading, as in"
                " (score * (n - 1) + 0.5) / n, and say so.",
            )
        )


def _places(
    dataset: NDArray[np.int64], kept: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return positions among the data sets kept of the rows that are on them, and which are."""
    held = np.isin(dataset, kept)
    return np.searchsorted(kept, dataset[held]), held


def _counted(
    scores: "ScoreTable", setting: "Setting", kept: NDArray[np.int64], trials: str
) -> Answers:
    """Return successes of scores that are shares of so many trials."""
    known_covariates(scores, (trials,))
    found = scores.observations(setting.measure.name)
    n = found.covariate[:, found.covariates.index(trials)]
    right = setting.measure.sign * found.value * n
    whole = (n >= 1) & (np.abs(n - np.round(n)) < _WHOLE)
    if wrong := int((~whole).sum()):
        raise DesignError(
            message(
                f"{trials!r} is no number of trials in {count(wrong, 'row')}.",
                hint="whole numbers from 1.",
            )
        )
    counted = (np.abs(right - np.round(right)) < _WHOLE * np.maximum(n, 1)) & (right >= -_WHOLE)
    if wrong := int((~(counted & (right <= n + _WHOLE))).sum()):
        raise DesignError(
            message(
                f"{count(wrong, 'score')} times {trials} is no number of successes.",
                hint="scores are shares of successes: divide counts by the number of trials, and"
                " keep enough digits.",
            )
        )
    shape = setting.coverage.found.shape
    cell = found.dataset * shape[1] + found.algorithm
    tried, won = (
        np.bincount(cell, np.round(x), shape[0] * shape[1]).reshape(shape).astype(np.int64)[kept]
        for x in (n, right)
    )
    return Answers(tried, won, None)


def _answers(scores: "ScoreTable", setting: "Setting", kept: NDArray[np.int64]) -> Answers:
    """Return successes of rows that are 0 or 1."""
    name, sign = setting.measure.name, setting.measure.sign
    cells = scores.cells(name)
    mean = sign * np.nan_to_num(cells.mean)
    # Of zeros and ones, and of nothing else between them, the squares' sum is the sum.
    squares = np.where(cells.n > 1, (cells.n - 1) * np.nan_to_num(cells.sd) ** 2, 0.0)
    ends = setting.quantiles[:, :, [0, -1]]
    within = np.isnan(ends[..., 0]) | ((ends[..., 0] >= 0) & (ends[..., 1] <= 1))
    binary = within & (np.abs(cells.n * mean * (1 - mean) - squares) <= _WHOLE * (cells.n + 1))
    if not binary.all():
        raise DesignError(
            message(
                f"{count(int((~binary).sum()), 'cell')} with scores other than 0 and 1.",
                hint="likelihood='binomial' takes a row per item, 0 or 1; or shares of successes"
                " with trials=... naming the covariate that has their number.",
            )
        )
    successes = np.round(cells.n * mean).astype(np.int64)
    return Answers(cells.n[kept], successes[kept], _items(scores, setting, kept))


def _items(scores: "ScoreTable", setting: "Setting", kept: NDArray[np.int64]) -> ItemCounts | None:
    """Return what items say, where algorithms share them."""
    if not setting.paired:
        return None
    blocks = scores.blocks(setting.measure.name)
    place, held = _places(blocks.dataset, kept)
    trials = blocks.count[held]
    right = np.round(setting.measure.sign * blocks.mean[held] * trials).astype(np.int64)
    if (most := int(trials.sum(axis=1).max())) > _MOST_ANSWERS:
        raise DesignError(
            message(
                f"{most} answers to one item, of at most {_MOST_ANSWERS}.",
                hint="unpaired=True takes answers as independent.",
            )
        )
    return count_items(place, trials, right)


_NOTHING = 1e-6  # weight of a cell without scores


@dataclass(frozen=True, slots=True)
class Guess:
    """Logits of cells.

    Attributes
    ----------
    logit, weight
        (M, K) logits, and inverse variances.
    log_sd
        Log of the pooled residual standard deviation on the logit scale (logit-normal), or half the
        log of one over the precision (beta); 0 for right answers.
    """

    logit: "Array"
    weight: "Array"
    log_sd: float = 0.0


def guessed(responses: "Responses", likelihood: str) -> Guess:
    """Guess the logits of the cells.

    Parameters
    ----------
    responses, likelihood
        The scores, and how they come about.
    """
    if isinstance(responses, Answers):
        n = responses.trials.astype(np.float64)
        share = (responses.successes + 0.5) / (n + 1)
        return Guess(*_filled(logit(share), n, n * share * (1 - share)))
    m = int(responses.dataset.max()) + 1
    n, mean, square = _moments(responses, logit(responses.value), m)
    variance = square.sum() / max(float((n - 1).clip(0).sum()), 1.0)
    log_sd = np.log(variance) / 2
    if likelihood == "beta":
        _, level, spread = _moments(responses, responses.value, m)
        ratio = spread.sum() / ((n - 1).clip(0) * level * (1 - level)).sum()
        log_sd = np.log(ratio / (1 - ratio)) / 2
    return Guess(*_filled(mean, n, n / variance), float(log_sd))


def _moments(found: "ShareScores", x: "Array", m: int) -> tuple["Array", "Array", "Array"]:
    """Return (M, K) numbers, means and sums of squares about them of the cells."""
    held = np.isfinite(x)
    sums = np.zeros((3, m, x.shape[1]))
    for part, value in zip(sums, (held, x, x**2), strict=True):
        np.add.at(part, found.dataset, np.where(held, value, 0.0))
    n = sums[0]
    mean = sums[1] / np.maximum(n, 1)
    return n, mean, np.maximum(sums[2] - n * mean**2, 0.0)


def _filled(x: "Array", n: "Array", weight: "Array") -> tuple["Array", "Array"]:
    """Give cells without scores the mean of their data set, and next to no weight."""
    held = n > 0
    mean = np.where(held, x, 0.0).sum(axis=1) / held.sum(axis=1)
    return np.where(held, x, mean[:, None]), np.where(held, weight, _NOTHING)
