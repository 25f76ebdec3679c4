"""What scores between 0 and 1 say of logits at first sight: where samplers start from."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logit

from benchinfer.compare.responses import Answers

if TYPE_CHECKING:
    from benchinfer.compare.evidence import Array
    from benchinfer.compare.responses import Responses, Shares

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


def _moments(found: "Shares", x: "Array", m: int) -> tuple["Array", "Array", "Array"]:
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
