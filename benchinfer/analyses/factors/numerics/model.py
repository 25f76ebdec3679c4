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
    beta
        (p,) coefficients, the shortest ones that fit best.
    null
        (p, k) directions of coefficients on which the data say nothing.
    root
        (p, r) root of the covariance of the coefficients for independent errors of variance 1:
        standardised coefficients, which are independent then, are those of ``x @ root``.
    leverage, directions
        (D, r) leverages of data sets with two cells or more, and (D, r, r) their directions among
        the standardised coefficients.
    robust
        (r, r) CR2 covariance of the standardised coefficients.
    middle, level
        (p,) mean row of the design, and mean score, each over the means of data sets.
    """

    sizes: tuple[int, ...]
    beta: Array
    null: Array
    root: Array
    leverage: Array
    directions: Array
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
        total = (x * present.sum(axis=0)[:, None]).T @ x - (middles * n).T @ middles
        values, vectors = np.linalg.eigh(total)
        known = values > NULL * values[-1]
        root = vectors[:, known] / np.sqrt(values[known])
        standard = x @ root
        beta = root @ (y @ standard).sum(axis=0)
        fitted = np.where(present, (x @ beta) - (middles @ beta)[:, None], 0.0)
        leverage, directions, scores = _adjusted(standard, present, y - fitted)
        return GridModel(
            grid.sizes,
            beta,
            vectors[:, ~known],
            root,
            leverage,
            directions,
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
        rows = self.of_both(factor, at)
        return rows[pairs[:, 0]] - rows[pairs[:, 1]]

    def of_both(self, factor: int, at: int) -> Array:
        """Return (L, M, p) rows of the mean at levels of two factors, less that of all cells."""
        codes, of_other = _coding(self.sizes[factor]), _coding(self.sizes[at])
        rows = np.zeros((self.sizes[factor], self.sizes[at], len(self.beta)))
        rows[..., self._place(factor)] = codes[:, None]
        rows[..., self._place(at)] = of_other
        products = np.einsum("ka,lb->klab", codes, of_other)
        if factor > at:
            products = products.transpose(0, 1, 3, 2)
        place = self._place(min(factor, at), max(factor, at))
        rows[..., place] = products.reshape(*products.shape[:2], -1)
        return rows

    def means(self, rows: Array) -> Array:
        """Return (P,) means of rows (P, p) of `main` or `of_both`, NaN where not estimable."""
        rows = rows - self.middle
        return np.where(self._estimable(rows), self.level + rows @ self.beta, np.nan)

    def estimates(self, rows: Array, pairs: Codes) -> ContrastEstimates:
        """Return the estimates of differences of pairs (P, 2) of rows (L, p), with CR2 errors."""
        return self._estimates(rows, pairs, self._forms(rows))

    def _forms(self, rows: Array) -> QuadraticForms:
        """Return the forms of rows (L, p), from which degrees of freedom come."""
        turned = (rows @ self.root) @ self.directions
        g = turned * np.sqrt(self.leverage / _left(self.leverage))[:, None]
        h = (g * np.sqrt(self.leverage)[:, None]) @ self.directions.transpose(0, 2, 1)
        h = np.ascontiguousarray(h.transpose(1, 0, 2))
        return QuadraticForms([g.transpose(1, 0, 2)], h, None, np.ones(len(self.leverage)))

    def _estimates(self, rows: Array, pairs: Codes, forms: QuadraticForms) -> ContrastEstimates:
        """Return the estimates of differences of pairs of rows, of which the forms are given."""
        contrasts = np.zeros((len(pairs), len(rows)))
        contrasts[range(len(pairs)), pairs[:, 0]] = 1.0
        contrasts[range(len(pairs)), pairs[:, 1]] = -1.0
        effects = contrasts @ rows
        estimable = self._estimable(effects)
        n = len(self.leverage)
        error = np.sqrt(np.maximum(contrast_variances(effects @ self.root, self.robust), 0.0))
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
        rows, levels = self.of_both(factor, other), np.arange(self.sizes[other])
        forms = self._forms(rows.reshape(-1, rows.shape[2]))
        parts: list[ContrastEstimates] = []
        for a, b in pairs.tolist():
            of_pair = forms.differences(a * len(levels) + levels, b * len(levels) + levels)
            parts.append(self._estimates(rows[a] - rows[b], others, of_pair))
        return ContrastEstimates.join(parts)

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


def _adjusted(standard: Array, present: Flags, residual: Array) -> tuple[Array, Array, Array]:
    """Return leverages (D, r) with directions (D, r, r), and adjusted scores (D, r), of data sets.

    ``standard`` (C, r) has the standardised design of all cells, and ``present`` and ``residual``
    (D, C) the cells of data sets and their residuals, which sum to 0. The products X'X of data sets
    sum to the identity; their eigenvalues are leverages, and all that is needed of data sets are
    functions of these products.
    """
    every = standard.T @ standard
    products: list[Array] = []
    for cells in present:
        middle = standard[cells].mean(axis=0)
        few = standard[cells if 2 * cells.sum() <= len(cells) else ~cells]
        square = few.T @ few
        square = square if 2 * cells.sum() <= len(cells) else every - square
        products.append(square - cells.sum() * np.outer(middle, middle))
    values, vectors = np.linalg.eigh(np.array(products))
    leverage = np.clip(values, 0.0, 1.0)
    turned = (residual @ standard)[:, None] @ vectors / np.sqrt(_left(leverage))[:, None]
    return leverage, vectors, (turned @ vectors.transpose(0, 2, 1))[:, 0]


def _left(leverage: Array) -> Array:
    """Return what leverages leave to residuals.

    A direction that a data set alone determines has no residual: leverage 1, weight 0.
    """
    return np.where(leverage < 1 - NULL, 1 - leverage, np.inf)


def _coding(size: int) -> Array:
    """Return (L, L - 1) codes of levels that sum to zero."""
    return np.vstack([np.eye(size - 1), -np.ones(size - 1)])


def _products(first: Array, second: Array) -> Array:
    """Return (C, P Q) products of all columns of both."""
    return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)
