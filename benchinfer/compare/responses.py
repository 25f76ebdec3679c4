"""Scores between 0 and 1 as a row-level model sees them: right answers, or shares."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array
from benchinfer.compare.fitted import known_covariates
from benchinfer.compare.phrases import count
from benchinfer.errors import DesignError, message
from benchinfer.numerics.bayes.item_counts import ItemCounts, count_items
from benchinfer.saving import savable

if TYPE_CHECKING:
    from benchinfer.compare.evidence import Setting
    from benchinfer.scores import ScoreTable

type Likelihood = Literal["normal", "binomial", "beta", "logit-normal"]

_WHOLE = 1e-6
_MOST_ANSWERS = 400  # to an item: beyond, nodes of the integral would be too far apart


@savable
@dataclass(frozen=True, slots=True)
class Shares:
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


type Responses = Shares | Answers


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
) -> Shares:
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
    return Shares(place, value[held], bool(blocks.paired))


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
