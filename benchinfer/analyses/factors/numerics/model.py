"""Linear model of the cells of an incomplete grid.

The mean of a cell on a data set is the level of the data set, plus effects of each factor and of
each pair of factors. Levels of data sets are fixed, so that those which lack cells add what they
know of differences, and nothing of their level.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from benchinfer.analyses.factors.numerics.grid import Grid
from benchinfer.analyses.factors.numerics.tests import ContrastEstimates
from benchinfer.numerics.covariance import (
    NULL,
    QuadraticForms,
    contrast_variances,
    whitened,
)
from benchinfer.numerics.types import Array, Codes, Flags


@dataclass(frozen=True, slots=True)
class GridModel:
    """Least-squares fit of effects of factors and of pairs of factors, up to order two.

    Levels are coded by sums to zero: each factor has one column less than levels, and each pair of
    factors the products of theirs.

    Attributes
    ----------
    sizes
        (F,) number of levels.
    beta, covariance
        (p,) coefficients, the shortest ones that fit best, and (p, p) their covariance for
        independent errors of variance 1.
    null
        (p, k) directions of coefficients on which the data say nothing.
    weights, design
        (D, p, q) weights of residuals of data sets with two cells or more, adjusted for leverage,
        and (D, q, p) their designs.
    robust
        (p, p) CR2 covariance of the coefficients.
    middle, level
        (p,) mean row of the design, and mean score, each over the means of data sets.
    """

    sizes: tuple[int, ...]
    beta: Array
    covariance: Array
    null: Array
    weights: Array
    design: Array
    robust: Array
    middle: Array
    level: float

    @staticmethod
    def of(grid: Grid) -> GridModel:
        """Fit the model to the means of cells."""
        coded = [_coding(size)[grid.codes[:, f]] for f, size in enumerate(grid.sizes)]
        x = np.concatenate([*coded, *(_products(coded[f], coded[g]) for f, g in grid.pairs)], 1)
        present = np.isfinite(grid.means)
        means = grid.means[present.sum(axis=1) > 1]
        present = np.isfinite(means)
        n = present.sum(axis=1, keepdims=True)
        filled = np.where(present, means, 0.0)
        of_dataset = filled.sum(axis=1, keepdims=True) / n
        middles = present @ x / n
        y = np.where(present, filled - of_dataset, 0.0)
        squares = np.array(
            [
                x[cells].T @ x[cells] - size * np.outer(middle, middle)
                for cells, size, middle in zip(present, n[:, 0], middles, strict=True)
            ]
        )
        values, vectors = np.linalg.eigh(squares.sum(axis=0))
        known = values > NULL * values[-1]
        covariance = (vectors[:, known] / values[known]) @ vectors[:, known].T
        beta = covariance @ (y @ x).sum(axis=0)
        fitted = np.where(present, (x @ beta) - (middles @ beta)[:, None], 0.0)
        # Residuals of a data set sum to 0.
        datasets = whitened(squares, (y - fitted) @ x, np.eye(x.shape[1]))
        weights, design, residual = datasets.adjusted(covariance)
        scores = np.einsum("dpq,dq->dp", weights, residual) @ covariance
        return GridModel(
            grid.sizes,
            beta,
            covariance,
            vectors[:, ~known],
            weights,
            design,
            scores.T @ scores,
            middles.mean(axis=0),
            float(of_dataset.mean()),
        )

    def main(self, factor: int) -> Array:
        """Return (L, p) rows of the mean at each level of a factor, less that of all cells."""
        rows = np.zeros((self.sizes[factor], len(self.beta)))
        rows[:, self._place(factor)] = _coding(self.sizes[factor])
        return rows

    def simple(self, factor: int, pairs: Codes, at: int) -> Array:
        """Return (P, L, p) rows of differences of pairs of levels at each level of another one."""
        codes, of_other = _coding(self.sizes[factor]), _coding(self.sizes[at])
        differences = codes[pairs[:, 0]] - codes[pairs[:, 1]]
        rows = np.zeros((len(pairs), self.sizes[at], len(self.beta)))
        rows[..., self._place(factor)] = differences[:, None]
        products = np.einsum("pa,lb->plab", differences, of_other)
        if factor > at:
            products = products.transpose(0, 1, 3, 2)
        place = self._place(min(factor, at), max(factor, at))
        rows[..., place] = products.reshape(*products.shape[:2], -1)
        return rows

    def levels(self, factor: int) -> Array:
        """Return (L,) means at the levels of a factor, NaN where they are not estimable."""
        rows = self.main(factor) - self.middle
        return np.where(self._estimable(rows), self.level + rows @ self.beta, np.nan)

    def estimates(self, rows: Array, pairs: Codes) -> ContrastEstimates:
        """Return the estimates of differences of pairs (P, 2) of rows (L, p), with CR2 errors."""
        contrasts = np.zeros((len(pairs), len(rows)))
        contrasts[range(len(pairs)), pairs[:, 0]] = 1.0
        contrasts[range(len(pairs)), pairs[:, 1]] = -1.0
        effects = contrasts @ rows
        estimable = self._estimable(effects)
        n = len(self.weights)
        adjusted = [(self.weights, self.design)]
        forms = QuadraticForms.of(rows @ self.covariance, adjusted, self.covariance, np.ones(n))
        error = np.sqrt(np.maximum(contrast_variances(effects, self.robust), 0.0))
        estimate = np.where(estimable, effects @ self.beta, np.nan)
        flat = estimable & (error <= 1e-12 * np.abs(self.level + np.nan_to_num(estimate)))
        return ContrastEstimates(
            estimate,
            np.where(estimable, np.where(flat, 0.0, error), np.inf),
            np.where(estimable, n, 0),
            flat,
            np.where(estimable, np.maximum(forms.degrees(contrasts), 1.0), 1.0),
        )

    def double(self, factor: int, other: int, pairs: Codes, others: Codes) -> ContrastEstimates:
        """Return the estimates of differences of differences, those of the first pair first."""
        if len(pairs) * self.sizes[other] > len(others) * self.sizes[factor]:
            turned = self.double(other, factor, others, pairs)
            return turned.take(
                np.arange(len(pairs) * len(others)).reshape(len(others), -1).T.ravel()
            )
        size = self.sizes[other]
        rows = self.simple(factor, pairs, other).reshape(-1, len(self.beta))
        starts = np.repeat(np.arange(len(pairs)) * size, len(others))[:, None]
        return self.estimates(rows, starts + np.tile(others, (len(pairs), 1)))

    def _estimable(self, rows: Array) -> Flags:
        """Return which rows (P, p) the data say something on."""
        lost = np.abs(rows @ self.null).max(axis=1, initial=0.0)
        return lost <= NULL**0.5 * np.maximum(np.abs(rows).max(axis=1, initial=0.0), 1e-300)

    def _place(self, *factors: int) -> slice:
        """Return the columns of a factor, or of a pair of factors."""
        n = range(len(self.sizes))
        terms: list[tuple[int, ...]] = [*((f,) for f in n), *combinations(n, 2)]
        widths = [int(np.prod([self.sizes[f] - 1 for f in term])) for term in terms]
        place = terms.index(factors)
        start = sum(widths[:place])
        return slice(start, start + widths[place])


def _coding(size: int) -> Array:
    """Return (L, L - 1) codes of levels that sum to zero."""
    return np.vstack([np.eye(size - 1), -np.ones(size - 1)])


def _products(first: Array, second: Array) -> Array:
    """Return (C, P Q) products of all columns of both."""
    return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)
