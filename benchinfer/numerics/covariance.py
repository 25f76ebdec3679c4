"""Covariance of estimates: degrees of freedom and cluster-robust errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.numerics.types import Array, Codes, Flags

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Covariance of the fixed effects and degrees of freedom of J contrasts."""

    cov: Array  # (p, p) covariance, adjusted where the method adjusts it
    df: Array  # (J,) degrees of freedom, ``inf`` for the asymptotic method

    def first(self, n: int) -> Adjusted:
        """Return the first n contrasts."""
        return Adjusted(self.cov, self.df[:n])


@dataclass(frozen=True, slots=True)
class Estimates:
    """Estimates with errors of their own, which no covariance of levels need have; (J,) arrays."""

    estimate: Array
    std_error: Array  # 0 where nothing varies, and there is no error
    df: Array

    def first(self, n: int) -> Estimates:
        """Return the first n estimates."""
        return Estimates(self.estimate[:n], self.std_error[:n], self.df[:n])


def pairs_of(k: int) -> Codes:
    """Return the pairs (P, 2) of k with first < second."""
    return np.column_stack(np.triu_indices(k, 1)).astype(np.int64)


def all_pairs(k: int) -> tuple[Codes, Array]:
    """Return the pairs (P, 2) with first < second, and their contrasts (P, K): Tukey's family."""
    pairs = pairs_of(k)
    contrasts = np.zeros((len(pairs), k))
    contrasts[range(len(pairs)), pairs[:, 0]] = 1
    contrasts[range(len(pairs)), pairs[:, 1]] = -1
    return pairs, contrasts


def differences(
    contrasts: Array,
) -> tuple[Flags, Codes, Codes]:
    """Return (J,) whether a contrast is one estimate less another, and the numbers of these.

    Examples
    --------
    >>> differences(np.array([[0.0, 1.0, -1.0], [1.0, -0.5, -0.5]]))[0].tolist()
    [True, False]
    """
    first, second = contrasts.argmax(axis=1), contrasts.argmin(axis=1)
    each = np.arange(len(contrasts))
    ends = (contrasts[each, first] == 1) & (contrasts[each, second] == -1)
    return ends & (np.count_nonzero(contrasts, axis=1) == 2), first, second


def contrast_variances(contrasts: Array | csr_array, cov: Array) -> Array:
    """Return the (J,) variances of (J, p) contrasts of estimates with a (p, p) covariance.

    Examples
    --------
    >>> contrast_variances(np.array([[1.0, -1.0]]), np.eye(2)).tolist()
    [2.0]
    """
    return ((contrasts @ cov) * contrasts).sum(axis=1)


# Numbers handled at a time, so that (contrasts, D, p) arrays stay in the cache.
_SLICE = 1 << 17
# The same of (contrasts, q, q) arrays.
_PRODUCTS = 1 << 17
# Share of the largest eigenvalue below which one is zero.
NULL = 1e-10
# Share of the largest trace below which one is zero.
_ROUNDING = 1e-14


@dataclass(frozen=True, slots=True)
class IndependentGroups:
    """M independent groups of scores, reduced to combinations that are all that matters.

    Groups that differ in their residuals alone are of one of U kinds.
    """

    working: Array | None  # (U, q, q) covariances under the model, or None for identities
    design: Array  # (U, q, p) columns of the fixed effects
    residual: Array  # (M, q) residuals
    kind: Codes  # (M,) the kind of each group

    def adjusted(self, phi: Array) -> tuple[Array, Array, Array]:
        """Return (U, p, q) adjusted weights, (U, q, p) design and (M, q) residuals, whitened."""
        design, residual = self.design, self.residual
        if self.working is not None:
            # Of full rank, however much more data sets vary than their scores.
            (white,) = _roots(self.working, -0.5, null=np.finfo(float).eps)
            design = white @ design
            residual = np.einsum("mqr,mr->mq", white[self.kind], residual)
        spread = np.eye(design.shape[1]) - design @ phi @ design.transpose(0, 2, 1)
        spread = (spread + spread.transpose(0, 2, 1)) / 2
        # A direction that a group alone determines has no residual: leverage 1, weight 0.
        root, weights = _roots(spread, 0.5, -0.5, least=NULL)
        if self.working is not None:
            u, _, v = np.linalg.svd(root @ self.working)
            weights = (u @ v).transpose(0, 2, 1) @ weights
        return design.transpose(0, 2, 1) @ weights, design, residual


def _roots(matrices: Array, *powers: float, null: float = NULL, least: float = 0.0) -> list[Array]:
    """Return symmetric powers of positive semi-definite matrices, zero on their null space."""
    values, vectors = np.linalg.eigh(matrices)
    held = values > np.maximum(null * np.maximum(values[:, -1:], 1e-300), least)
    raised = [np.where(held, np.where(held, values, 1.0) ** power, 0.0) for power in powers]
    return [(vectors * each[:, None, :]) @ vectors.transpose(0, 2, 1) for each in raised]


def whitened(q_matrix: Array, z: Array, x: Array) -> IndependentGroups:
    """Return groups whose scores are whitened, so that no coordinates are preferred.

    `q_matrix` (D, K, K) is ``Za' V^-1 Za`` of the working model, `z` (D, K) ``Za' V^-1 (y - X b)``,
    and `x` (D, K, p) the design.
    """
    root, inverse = _roots(q_matrix, 0.5, -0.5)
    residual = np.einsum("dkl,dl->dk", inverse, z)
    return IndependentGroups(None, root @ x, residual, np.arange(len(z)))


def cluster_robust(
    groups: Sequence[IndependentGroups],
    phi: Array,
    contrasts: Array,
    basis: Array | None = None,
) -> Adjusted:
    """Return the CR2 covariance of the fixed effects and the contrasts' degrees of freedom.

    Parameters
    ----------
    groups
        The independent groups, by their size q.
    phi
        (p, p) covariance of the fixed effects under the working model.
    contrasts
        (J, L) contrasts, fast where few of their coefficients are not 0.
    basis
        (L, p) combinations of the fixed effects that are contrasted; by default these themselves.

    Returns
    -------
    Adjusted
        (p, p) covariance and (J,) degrees of freedom.

    References
    ----------
    Bell, R. M. & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression
    with multi-stage samples. Survey Methodology 28, 169-181.

    Pustejovsky, J. E. & Tipton, E. (2018). Small-sample methods for cluster-robust variance
    estimation and hypothesis testing in fixed effects models. Journal of Business & Economic
    Statistics 36, 672-683. https://doi.org/10.1080/07350015.2016.1247004
    """
    adjusted = [group.adjusted(phi) for group in groups]
    scores = np.concatenate(
        [
            np.einsum("mpq,mq->mp", weights[group.kind], residual)
            for group, (weights, _, residual) in zip(groups, adjusted, strict=True)
        ]
    )
    meat = scores.T @ scores
    rows = phi if basis is None else basis @ phi
    count = np.concatenate([np.bincount(group.kind).astype(float) for group in groups])
    forms = QuadraticForms.of(rows, [(w, x) for w, x, _ in adjusted], phi, count)
    return Adjusted(phi @ meat @ phi, forms.degrees(contrasts))


@dataclass(frozen=True, slots=True)
class QuadraticForms:
    """Quadratic forms ``sum_m (g_m' e_m)^2`` in residuals e, g a contrast of L rows.

    ``Cov(g_m' e_m, g_n' e_n)`` is ``[m = n] |g_m|^2 - h_m' phi h_n``.
    """

    g: list[Array]  # for each size q of groups (L, U, q)
    h: Array  # (L, U, p), the products of g with the design
    phi: Array | None  # (p, p) covariance of the fixed effects, or None for the identity
    count: Array  # (U,) groups of each kind

    @classmethod
    def of(
        cls, rows: Array, groups: list[tuple[Array, Array]], phi: Array | None, count: Array
    ) -> QuadraticForms:
        """Combine (L, p) rows with weights and design, by the size of groups."""
        g = [np.tensordot(rows, weights, (1, 1)) for weights, _ in groups]
        h = [
            (each.transpose(1, 0, 2) @ design).transpose(1, 0, 2)
            for each, (_, design) in zip(g, groups, strict=True)
        ]
        # Contiguous, or each slice of contrasts would copy it.
        return cls(g, np.ascontiguousarray(np.concatenate(h, axis=1)), phi, count)

    def differences(self, first: Codes, second: Codes) -> QuadraticForms:
        """Return the forms of differences of rows, whose numbers are given."""
        g = [each[first] - each[second] for each in self.g]
        return QuadraticForms(g, self.h[first] - self.h[second], self.phi, self.count)

    def degrees(self, contrasts: Array) -> Array:
        """Return ``tr(M)^2 / tr(M^2)`` of the (J, L) contrasts' forms."""
        df = np.empty(len(contrasts))
        pair, first, second = differences(contrasts)
        if pair.any():
            df[pair] = self._ratio(*self._pairs(first[pair], second[pair]))
        if not pair.all():
            df[~pair] = self._ratio(*self._contrasts(contrasts[~pair]))
        return df

    def _ratio(self, length: Array, overlap: Array, across: Array) -> Array:
        """Return the ratio from ``|g_m|^2`` and ``h_m' phi h_m`` (J, U) and the sums (J,).

        These are of the squares of ``h_m' phi h_n`` over all m and n. A form that is 0 up to
        rounding has one degree of freedom, the fewest there are.
        """
        square = (length**2 - 2 * length * overlap) @ self.count + across
        trace = (length - overlap) @ self.count
        some = trace > _ROUNDING * trace.max()
        return np.where(some, trace**2 / np.where(some, square, 1.0), 1.0)

    def _contrasts(self, contrasts: Array) -> tuple[Array, Array, Array]:
        """Return the parts of the ratio for any contrasts."""
        length, overlap = np.empty((2, len(contrasts), len(self.count)))
        across = np.empty(len(contrasts))
        h_phi, count = self.h if self.phi is None else self.h @ self.phi, self.count[:, None]
        step = max(1, _SLICE // max(self.h[0].size, *(each[0].size for each in self.g)))
        for start in range(0, len(contrasts), step):
            part = slice(start, start + step)
            some = contrasts[part]
            length[part] = np.concatenate(
                [(np.tensordot(some, each, 1) ** 2).sum(axis=2) for each in self.g], axis=1
            )
            left, right = np.tensordot(some, self.h, 1), np.tensordot(some, h_phi, 1)
            overlap[part] = (left * right).sum(axis=2)
            left = left * count
            # The trace of the square is that of the product in the other order.
            inner = (
                left.transpose(0, 2, 1) @ right
                if left.shape[1] > left.shape[2]
                else right @ left.transpose(0, 2, 1)
            )
            across[part] = (inner * inner.transpose(0, 2, 1)).sum(axis=(1, 2))
        return length, overlap, across

    def _pairs(self, first: Codes, second: Codes) -> tuple[Array, Array, Array]:
        """Return them for differences of two rows, by products of all rows with all.

        Less their mean, rows are of the size of their differences.
        """
        used, (first, second) = np.unique([first, second], return_inverse=True)
        h = self.h[used] - self.h[used].mean(axis=0)
        length = [_squares(g[used] - g[used].mean(axis=0), None, first, second) for g in self.g]
        left = h * np.sqrt(self.count)[:, None]
        wide = left.shape[1] <= left.shape[2]
        overlap = _squares(h, self.phi, first, second)
        if wide and self.phi is None:
            return np.concatenate(length, axis=1), overlap, _across(left, first, second)
        left = left if wide else np.ascontiguousarray(left.transpose(0, 2, 1))
        right = left @ self.phi if wide and self.phi is not None else left
        products, size = right @ left.transpose(0, 2, 1), left.shape[1]
        across = np.empty(len(first))
        for a in np.unique(first):
            every = np.flatnonzero(first == a)
            for some in np.array_split(every, 1 + len(every) * size**2 // _PRODUCTS):
                b = second[some]
                product = (left[b].reshape(-1, left.shape[2]) @ right[a].T).reshape(-1, size, size)
                inner = products[b]
                inner += products[a]
                inner -= product
                inner -= product.transpose(0, 2, 1)
                inner = inner if wide or self.phi is None else inner @ self.phi
                across[some] = np.einsum("nij,nji->n", inner, inner)
        return np.concatenate(length, axis=1), overlap, across


def _across(rows: Array, first: Codes, second: Codes) -> Array:
    """Return the (J,) sums of squares of all inner products of differences of (L, U, p) rows."""
    sums = np.empty(len(first))
    for some in np.array_split(np.arange(len(first)), 1 + len(first) * rows[0].size // _SLICE):
        difference = rows[second[some]] - rows[first[some]]
        inner = difference @ difference.transpose(0, 2, 1)
        sums[some] = np.einsum("nij,nij->n", inner, inner)
    return sums


def _squares(rows: Array, metric: Array | None, first: Codes, second: Codes) -> Array:
    """Return the (J, U) squared lengths of differences of (L, U, q) rows."""
    vectors = rows.transpose(1, 0, 2)
    products = (vectors if metric is None else vectors @ metric) @ vectors.transpose(0, 2, 1)
    size = products.diagonal(axis1=1, axis2=2)
    return (size[:, first] + size[:, second] - 2 * products[:, first, second]).T


@dataclass(frozen=True, slots=True)
class AdditiveFit:
    """Least-squares fit of one effect for each row and each column of a table with gaps."""

    values: Array  # (D, K) the table, NaN in its gaps
    row: Array  # (D,) effects of rows
    column: Array  # (K,) effects of columns
    levels: Array  # (K,) means of the columns, gaps filled

    @property
    def filled(self) -> Array:
        """(D, K) the table with its gaps filled."""
        expected = self.row[:, None] + self.column
        return np.where(np.isfinite(self.values), self.values, expected)

    def covariance(self) -> Array:
        """Return the (K, K) covariance of the levels from the spread between independent rows.

        The sum of outer products of the rows' influence on the levels (infinitesimal jackknife),
        with n / (n - 1) for a column of n values: of a table without gaps the sample covariance of
        its columns over their number of rows. Rows connect all columns.

        References
        ----------
        Jaeckel, L. A. (1972). The infinitesimal jackknife. Bell Laboratories Memorandum MM
        72-1215-11.
        """
        held = np.isfinite(self.values)
        weight = held.astype(np.float64)
        size = weight.sum(axis=1)
        residual = np.where(held, self.values - self.row[:, None] - self.column, 0.0)
        of_column = residual @ np.linalg.pinv(_swept(weight), rcond=NULL, hermitian=True)
        of_row = (self.row - self.row.mean()) / len(weight)
        of_row = of_row - of_column @ (weight / size[:, None]).mean(axis=0)
        n = weight.sum(axis=0)
        influence = (of_row[:, None] + of_column) * np.sqrt(n / np.maximum(n - 1, 1))
        return influence.T @ influence


def additive_fit(values: Array) -> AdditiveFit:
    """Fit rows and columns to a (D, K) table with gaps, so that easy rows are no advantage.

    Columns that no chain of rows connects are fitted apart, each group over its own rows.

    Examples
    --------
    >>> fit = additive_fit(np.array([[1.0, 2.0], [5.0, 6.0], [9.0, np.nan]]))
    >>> fit.levels.tolist(), fit.filled[2].tolist()
    ([5.0, 6.0], [9.0, 10.0])
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    held = np.isfinite(values)
    weight, known = held.astype(np.float64), np.where(held, values, 0.0)
    row, (column, levels) = np.zeros(len(values)), np.zeros((2, values.shape[1]))
    n, group = connected_components(csr_array(weight.T @ weight), directed=False)
    for one in range(n):
        connected = group == one
        rows = held[:, connected].any(axis=1)
        w, y = weight[np.ix_(rows, connected)], known[np.ix_(rows, connected)]
        # Rows are swept out: what is left are equations of the columns.
        size, middle = w.sum(axis=1), y.sum(axis=1) / w.sum(axis=1)
        effect = np.linalg.lstsq(_swept(w), y.sum(axis=0) - w.T @ middle, rcond=None)[0]
        row[rows], column[connected] = middle - w @ effect / size, effect
        gaps = (1 - w) * (row[rows, None] + effect)
        levels[connected] = (y + gaps).sum(axis=0) / len(w)
    return AdditiveFit(values, row, column, levels)


def _swept(weight: Array) -> Array:
    """Return the (K, K) normal equations of the columns without the rows' effects."""
    return np.diag(weight.sum(axis=0)) - weight.T @ (weight / weight.sum(axis=1)[:, None])
