"""Scores as single responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logit

from benchinfer.analyses.bayes.numerics.responses import ItemCounts, count_items
from benchinfer.comparison.checks.groups import known_covariates
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Codes

if TYPE_CHECKING:
    from benchinfer.comparison.evidence import Setting
    from benchinfer.numerics.types import Array
    from benchinfer.scores.table import ScoreTable


_WHOLE = 1e-6
_MOST_ANSWERS = 400  # to an item: beyond, nodes of the integral would be too far apart


@savable
@shaped(trials="M K [0,inf)", successes="M K [0,inf)")
@dataclass(frozen=True, slots=True)
class Answers:
    """Numbers of successes: in cells, or of items that algorithms share."""

    # trials, successes: (M, K) numbers in the cells
    trials: Codes
    successes: Codes
    # What items say, where algorithms share them; None where trials are independent
    items: ItemCounts | None

    @property
    def rates(self) -> Array:
        """(K,) observed rates of success, each the mean over the data sets that have trials."""
        tried = self.trials > 0
        rates = self.successes / np.maximum(self.trials, 1)
        return rates.sum(axis=0, where=tried) / tried.sum(axis=0)


def read_responses(
    scores: ScoreTable,
    setting: Setting,
    datasets: Codes,
    trials: str | None,
) -> Answers:
    """Return the scores as numbers of successes, for a row-level model."""
    if setting.measure.scale != "identity":
        raise DesignError(
            f"{setting.measure.noun} is compared on the {setting.measure.scale} scale, and"
            " likelihood='binomial' has a scale of its own.",
            hint='a Measure(scale="identity") with it.',
        )
    if trials is not None:
        return _counted(scores, setting, datasets, trials)
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
            f"{count(int((~binary).sum()), 'cell')} with scores other than 0 and 1.",
            hint="likelihood='binomial' takes a row per item, 0 or 1; or shares of successes with"
            " trials=... naming the covariate that has their number.",
        )
    successes = np.round(cells.n * mean).astype(np.int64)
    return Answers(cells.n[datasets], successes[datasets], _items(scores, setting, datasets))


def _counted(scores: ScoreTable, setting: Setting, datasets: Codes, trials: str) -> Answers:
    """Return the numbers of successes of scores that are shares of trials."""
    if scores.units is not None:
        raise DesignError(
            "scores are means of nested units, and trials=... is of single scores.",
            hint="likelihood='normal' takes means of units.",
        )
    known_covariates(scores, (trials,))
    rows = scores.observations(setting.measure.name)
    n = rows.covariate[:, rows.covariates.index(trials)]
    right = setting.measure.sign * rows.value * n
    is_count = (n >= 1) & (np.abs(n - np.round(n)) < _WHOLE)
    if wrong := int((~is_count).sum()):
        raise DesignError(
            f"{trials!r} is no number of trials in {count(wrong, 'row')}.",
            hint="whole numbers from 1.",
        )
    counted = (np.abs(right - np.round(right)) < _WHOLE * np.maximum(n, 1)) & (right >= -_WHOLE)
    if wrong := int((~(counted & (right <= n + _WHOLE))).sum()):
        raise DesignError(
            f"{count(wrong, 'score')} times {trials} is no number of successes.",
            hint="scores are shares of successes: divide counts by the number of trials, and keep"
            " enough digits.",
        )
    shape = setting.coverage.counts.shape
    cell = rows.dataset * shape[1] + rows.algorithm
    tried, won = (
        np.bincount(cell, np.round(x), shape[0] * shape[1])
        .reshape(shape)
        .astype(np.int64)[datasets]
        for x in (n, right)
    )
    return Answers(tried, won, None)


def _items(scores: ScoreTable, setting: Setting, datasets: Codes) -> ItemCounts | None:
    """Return the answers to items that algorithms share; None where they share none."""
    if not setting.paired:
        return None
    blocks = scores.blocks(setting.measure.name)
    held = np.isin(blocks.dataset, datasets)
    place = np.searchsorted(datasets, blocks.dataset[held])
    trials = blocks.count[held]
    right = np.round(setting.measure.sign * blocks.mean[held] * trials).astype(np.int64)
    if (most := int(trials.sum(axis=1).max())) > _MOST_ANSWERS:
        raise DesignError(
            f"{most} answers to one item, of at most {_MOST_ANSWERS}.",
            hint="paired=False takes answers as independent.",
        )
    return count_items(place, trials, right)


_NOTHING = 1e-6  # weight of a cell without scores


def guess_logits(responses: Answers) -> tuple[Array, Array]:
    """Return (M, K) first guesses of the cells' logits, and their inverse variances.

    Cells without scores have the mean of their data set, and next to no weight.
    """
    n = responses.trials.astype(np.float64)
    share = (responses.successes + 0.5) / (n + 1)
    x, held = logit(share), n > 0
    mean = np.where(held, x, 0.0).sum(axis=1) / held.sum(axis=1)
    weight = np.where(held, n * share * (1 - share), _NOTHING)
    return np.where(held, x, mean[:, None]), weight
