"""Covariance within blocks: independent residuals and, if modelled, a replication effect.

A block with counts n has values ``m`` (means of repeats) with covariance
``replication J + diag(residual / n)``; ``O`` is its inverse, zero where an algorithm is absent.

What leaves this level is in the coordinates of `contrast_basis`: there the variance between data
sets, often larger than all others by orders of magnitude, stays in the first coordinate and does
not swamp the differences between algorithms.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import helmert

from benchinfer.numerics.patterns import Patterns

type Array = NDArray[np.float64]
type Residual = Literal["constant", "algorithm", "dataset"]


def contrast_basis(k: int) -> Array:
    """Return the orthogonal (K, K) matrix of the mean and Helmert contrasts in its columns."""
    return np.asarray(helmert(k, full=True)).T


@dataclass(frozen=True, slots=True)
class BlockLevel:
    """The blocks of D data sets at given variances; M classes, K algorithms.

    Z are the algorithms' indicators, in contrast coordinates.

    Attributes
    ----------
    patterns
        The statistics.
    kind
        Which scores share a residual variance.
    replicated
        Whether the model has a replication variance.
    residual
        (D, K) residual variances.
    per_count
        (M, K) one over the counts, 0 where an algorithm is absent.
    inverse, inverse_one
        (M, K, K) ``O`` and (M, K) its row sums.
    information, moment
        (D, K, K) ``Z' R^-1 Z`` and (D, K) ``Z' R^-1 y`` for the covariance R within blocks.
    basis
        (K, K) the coordinates.
    log_det
        ``log|R|``.
    """

    patterns: Patterns
    kind: Residual
    replicated: bool
    residual: Array
    per_count: Array
    inverse: Array
    inverse_one: Array
    information: Array
    moment: Array
    log_det: float
    basis: Array

    @staticmethod
    def of(
        patterns: Patterns, kind: Residual, residual: Array, replication: float, *, replicated: bool
    ) -> "BlockLevel":
        """Evaluate at (D, K) residual variances and the replication variance."""
        p, k = patterns, patterns.counts.shape[1]
        weight = p.counts / residual[p.dataset]
        den = 1 + replication * weight.sum(axis=1)
        inverse = -(replication / den)[:, None, None] * weight[:, :, None] * weight[:, None, :]
        # The diagonal without subtraction: a residual variance may be close to zero.
        others = weight @ (1 - np.eye(k))
        inverse[:, range(k), range(k)] = weight * (1 + replication * others) / den[:, None]
        basis = contrast_basis(k)
        return BlockLevel(
            patterns=p,
            kind=kind,
            replicated=replicated,
            residual=residual,
            per_count=np.where(p.counts > 0, 1 / np.maximum(p.counts, 1), 0.0),
            inverse=inverse,
            inverse_one=weight / den[:, None],
            information=basis.T @ p.by_dataset(p.rows[:, None, None] * inverse) @ basis,
            moment=p.by_dataset(p.rows[:, None] * np.einsum("mkl,ml->mk", inverse, p.mean)) @ basis,
            log_det=float((p.n * np.log(residual)).sum() + (p.rows * np.log(den)).sum()),
            basis=basis,
        )

    def _local(self, replication: Array, residual: Array, axis: int = 1) -> Array:
        """Stack what belongs to the variances that act on a data set along `axis`."""
        return np.concatenate([replication, residual], axis) if self.replicated else residual

    def _pool(self, values: Array, axis: int = 1) -> Array:
        """Sum over the algorithms that share a residual variance."""
        return values if self.kind == "algorithm" else values.sum(axis=axis, keepdims=True)

    def first(self) -> Array:
        """Return ``Z' R^-1 R_i R^-1 Z`` (D, c, K, K) for the c variances that act on a data set.

        The replication variance, if modelled, comes first.
        """
        p, inverse, one = self.patterns, self.inverse, self.inverse_one
        weighted = p.rows[:, None, None] * inverse * self.per_count[:, None, :]
        replication = p.by_dataset(p.rows[:, None, None] * one[:, :, None] * one[:, None, :])
        if self.kind == "algorithm":
            # For each algorithm the sum over classes of its column times its row.
            residual = np.array(
                [
                    weighted[part].transpose(2, 1, 0) @ inverse[part].transpose(1, 0, 2)
                    for part in p.parts
                ]
            )
        else:
            residual = p.by_dataset(weighted @ inverse)[:, None]
        return self.basis.T @ self._local(replication[:, None], residual) @ self.basis

    def applied(self, profile: Array) -> Array:
        """Return ``Z' R^-1 R_i R^-1 (y - Z f)`` (D, c, K) for profiles f (D, K)."""
        p = self.patterns
        rest = p.rows[:, None] * self._rest(profile)
        a = np.einsum("mkl,ml->mk", self.inverse, rest)
        replication = p.by_dataset(self.inverse_one * a.sum(axis=1)[:, None])
        each = (a * self.per_count)[:, :, None] * self.inverse
        residual = each if self.kind == "algorithm" else each.sum(axis=1, keepdims=True)
        return self._local(replication[:, None], p.by_dataset(residual)) @ self.basis

    def _rest(self, profile: Array) -> Array:
        """Return the classes' means less the profiles, 0 where an algorithm is absent."""
        p = self.patterns
        return np.where(p.counts > 0, p.mean - (profile @ self.basis.T)[p.dataset], 0.0)

    def _squares(self, profile: Array) -> Array:
        rest, p = self._rest(profile), self.patterns
        return p.cross + p.rows[:, None, None] * rest[:, :, None] * rest[:, None, :]

    def square(self, profile: Array) -> float:
        """Return ``(y - Z f)' R^-1 (y - Z f)`` over all data sets for profiles f (D, K)."""
        repeats = (self.patterns.square / self.residual).sum()
        return float((self.inverse * self._squares(profile)).sum() + repeats)

    def outer(self, profile: Array) -> Array:
        """Return ``sum O (m - f)(m - f)' O`` over the blocks of a class (M, K, K)."""
        return self.inverse @ self._squares(profile) @ self.inverse

    def spread(self, cov: Array) -> Array:
        """Return ``sum O C O`` over the blocks of a class (M, K, K) for C (D, K, K)."""
        p = self.patterns
        plain = self.basis @ cov @ self.basis.T
        return p.rows[:, None, None] * (self.inverse @ plain[p.dataset] @ self.inverse)

    def total_inverse(self) -> Array:
        """Return ``sum O`` over the blocks of a class (M, K, K)."""
        return self.patterns.rows[:, None, None] * self.inverse

    def once(self, matrices: Array, repeats: Array) -> Array:
        """Return ``sum tr(R_i U)`` (D, c); `repeats` (D, K) is what the repeats add."""
        p = self.patterns
        replication = p.by_dataset(matrices.sum(axis=(1, 2)))[:, None]
        diagonal = np.einsum("mkk->mk", matrices) * self.per_count
        return self._local(replication, self._pool(p.by_dataset(diagonal) + repeats))

    def twice(self, matrices: Array, repeats: Array) -> Array:
        """Return ``sum tr(R_i O R_j U)`` (D, c, c) for symmetric U (M, K, K)."""
        p, c, k = self.patterns, self.per_count, self.residual.shape[1]
        one, u_one = self.inverse_one, matrices.sum(axis=2)
        both = p.by_dataset(self.inverse * matrices * c[:, :, None] * c[:, None, :])
        both[:, range(k), range(k)] += repeats
        cross = self._pool(p.by_dataset(one * u_one * c))
        alone = p.by_dataset(one.sum(axis=1) * u_one.sum(axis=1))[:, None]
        residual = self._pool(self._pool(both, 1), 2)
        top = self._local(alone[:, None], cross[:, None], axis=2)
        return self._local(top, self._local(cross[:, :, None], residual, axis=2))

    def between(self, design: Array) -> Array:
        """Return ``D' Z' R^-1 R_i R^-1 R_j R^-1 Z D`` (D, c, c, p, p) for designs D (D, K, p)."""
        p = self.patterns
        o_d = self.inverse @ (self.basis @ design)[p.dataset]
        one, rows = o_d.sum(axis=1), p.rows
        each = o_d * self.per_count[:, :, None]
        if self.kind == "algorithm":
            weight = rows[:, None, None] * self.inverse
            both = np.array([_pairs(each[part], weight[part]) for part in p.parts])
        else:
            alike = each.transpose(0, 2, 1) @ self.inverse @ each
            both = p.by_dataset(rows[:, None, None] * alike)[:, None, None]
        half = (rows[:, None] * self.inverse_one)[:, :, None, None] * (
            one[:, None, :, None] * each[:, :, None, :]
        )
        mixed = self._pool(p.by_dataset(half))
        weight = (rows * self.inverse_one.sum(axis=1))[:, None, None]
        alone = p.by_dataset(weight * one[:, :, None] * one[:, None, :])[:, None, None]
        top = self._local(alone, mixed[:, None], axis=2)
        back = mixed.swapaxes(2, 3)[:, :, None]
        return self._local(top, self._local(back, both, axis=2))


def _pairs(each: Array, weight: Array) -> Array:
    """Return ``sum_m w_mjk e_mj' e_mk`` (K, K, p, p) for e (M, K, p) and w (M, K, K)."""
    right = weight.transpose(1, 2, 0)[:, :, :, None] * each.transpose(1, 0, 2)[None]
    return each.transpose(1, 2, 0)[:, None] @ right
