"""Models of the nodes of a tree: worths by wins, or mean scores."""

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from benchinfer.analyses.subgroups.numerics.worths import worths
from benchinfer.analyses.wins.numerics.likelihood import score_of
from benchinfer.analyses.wins.numerics.tally import Tally, count
from benchinfer.numerics.types import Array, Codes, Flags

type Model = Literal["wins", "mixed"]

# Sums of squares below this part of the total are zero but for rounding.
_ROUNDING = 1e-24


@dataclass(frozen=True, slots=True)
class NodeFit:
    """Model of the data sets of one node."""

    levels: Array  # (K,) log worths, or mean scores on the measure's modelling scale; they sum to 0
    parameters: int  # number of parameters
    log_likelihood: float  # at the estimates
    scores: Array  # (n, Q) derivatives of the log likelihood of each data set


class NodeModel(Protocol):
    """Model that can be fitted to any data sets."""

    def fit(self, rows: Codes) -> NodeFit:
        """Return the fit to some data sets."""
        ...

    def log_likelihoods(self, rows: Codes, sides: Flags) -> Array:
        """Return (M,) largest log likelihoods of M divisions of the data sets in two.

        Parameters
        ----------
        rows
            (n,) data sets.
        sides
            (M, n) whether a data set is on the first side.
        """
        ...


@dataclass(frozen=True, slots=True)
class WinsModel:
    """Bradley-Terry model, with Davidson's parameter where there are ties."""

    tally: Tally  # wins and ties of each data set

    def fit(self, rows: Codes) -> NodeFit:
        """Return the fit to some data sets."""
        tally = Tally(self.tally.pairs, self.tally.wins[rows], self.tally.ties[rows],
                    self.tally.losses[rows])  # fmt: skip
        fit = worths(tally.total)
        return NodeFit(
            levels=fit.log_worth[0],
            parameters=fit.log_worth.shape[1] - 1 + (fit.tie is not None),
            log_likelihood=float(fit.log_likelihood[0]),
            scores=score_of(tally, fit.log_worth, fit.tie),
        )

    def log_likelihoods(self, rows: Codes, sides: Flags) -> Array:
        """Return the largest log likelihoods of divisions in two."""
        tally, total = self.tally, np.zeros(len(sides))
        for side in (sides, ~sides):
            some = side.astype(np.float64)
            sums = (some @ outcomes[rows] for outcomes in (tally.wins, tally.ties, tally.losses))
            total += worths(Tally(tally.pairs, *sums)).log_likelihood
        return total


@dataclass(frozen=True, slots=True)
class MeansModel:
    """Normal model of mean scores: algorithms and data sets add, with one residual variance."""

    scores: Array  # (D, K) means of each data set and algorithm, on the measure's modelling scale

    def fit(self, rows: Codes) -> NodeFit:
        """Return the fit to some data sets."""
        centred = self._centred(rows)
        level = centred.mean(axis=0)
        k = len(level)
        everything = np.ones((1, len(rows)), dtype=np.bool_)
        return NodeFit(level, k, float(_normal(centred, everything)[0]), centred - level)

    def log_likelihoods(self, rows: Codes, sides: Flags) -> Array:
        """Return the largest log likelihoods of divisions in two."""
        centred = self._centred(rows)
        return _normal(centred, sides) + _normal(centred, ~sides)

    def _centred(self, rows: Codes) -> Array:
        """Return the scores without the means of data sets, which say nothing of algorithms."""
        scores = self.scores[rows]
        return scores - scores.mean(axis=1, keepdims=True)


def _normal(centred: Array, sides: Flags) -> Array:
    """Return (M,) largest normal log likelihoods of the data sets on one side."""
    some = sides.astype(np.float64)
    n, squares = some.sum(axis=1), (centred**2).sum(axis=1)
    residual = some @ squares - ((some @ centred) ** 2).sum(axis=1) / n
    least = max(float(squares.sum()), 1.0) * _ROUNDING
    free = n * (centred.shape[1] - 1)
    variance = np.maximum(residual, least) / free
    return -free / 2 * (np.log(2 * math.pi * variance) + 1)


def model_of(kind: Model, means: Array, margin: float) -> NodeModel:
    """Return the model of (D, K) means, larger is better; differences within a margin are ties."""
    if kind == "mixed":
        return MeansModel(means)
    return WinsModel(count(means, np.arange(len(means)), margin))
