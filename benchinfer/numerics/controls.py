"""Families of normal statistics with a known distribution: exact ones, and similar ones.

A similar family is a control variate: its sampling error, known because its distribution is, is
taken off the sampling error of the family asked for.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics import dunnett, mixing, ranges, studentized

type Array = NDArray[np.float64]

# An estimate's control may be off by this much, relative to its probability.
_CLOSE = 1e-5
# Limits of the ratio of variances, for the width of the integrals.
_RATIO = 400.0


@dataclass(frozen=True, slots=True)
class Similar:
    """A family with the distribution `tail` and statistics ``root u R``."""

    tail: mixing.NormalTail
    root: Array


def product_tail(root: Array, sides: int) -> mixing.NormalTail | None:
    """Return the normal tail where the correlations are products of loadings, else None."""
    found = dunnett.loadings(root @ root.T)
    return None if found is None else _product(found, sides, 1e-11)


def _product(loading: Array, sides: int, tolerance: float) -> mixing.NormalTail:
    low = 0.0 if sides == 2 else mixing.LOWEST
    return mixing.normal_tail(
        lambda w: dunnett.survival(w, loading, sides), sides * len(loading), low, tolerance
    )


def similar_product(root: Array, sides: int) -> Similar | None:
    """Return the family with product correlations next to those of (J, J) unit rows."""
    j, r = root.shape
    if r < j:
        return None  # a product structure has full rank: its radius has another distribution
    loading = dunnett.nearest_loadings(root @ root.T)
    correlation = np.outer(loading, loading)
    np.fill_diagonal(correlation, 1.0)
    values, vectors = np.linalg.eigh(correlation)
    own = np.linalg.svd(root)
    near = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T @ own.U @ own.Vh
    return Similar(_product(loading, sides, _CLOSE), near)


@lru_cache(maxsize=64)
def range_tail(k: int) -> mixing.NormalTail:
    """Return the normal tail of all pairs of k means with equal variances; many tables share it."""
    return mixing.normal_tail(
        lambda w: studentized.range_survival(np.sqrt(2) * w, k), k * (k - 1), 0.0
    )


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of K means.

    Attributes
    ----------
    contrasts
        (P, p), 1 and -1 in each row.
    spread
        (P,) variances of the differences.
    """

    contrasts: Array
    spread: Array

    @classmethod
    def of(cls, contrasts: Array, cov: Array) -> Self | None:
        """Return the family if it is all pairs of the means that occur in it, else None."""
        k = int(contrasts.any(axis=0).sum())
        ends = np.sort(contrasts, axis=1)[:, [0, -1]]
        if not (
            len(contrasts) == k * (k - 1) // 2
            and (ends == [-1, 1]).all()
            and (np.abs(contrasts).sum(axis=1) == 2).all()
            and len(np.unique(np.abs(contrasts), axis=0)) == len(contrasts)
        ):
            return None
        return cls(contrasts, np.einsum("jp,pq,jq->j", contrasts, cov, contrasts))

    @property
    def k(self) -> int:
        """Number of means."""
        return int(self.contrasts.any(axis=0).sum())

    @property
    def equal(self) -> bool:
        """Whether all differences have the same variance."""
        return bool(np.ptp(self.spread) <= 1e-9 * self.spread.max())

    def exact(self, sides: int) -> mixing.NormalTail | None:
        """Return the normal tail of the range, for equal variances and absolute values."""
        if sides == 1 or not self.equal:
            return None
        return range_tail(self.k)

    def similar(self, basis: Array, sides: int) -> Similar | None:
        """Return the pairs of independent means, allowances in place of standard errors.

        Parameters
        ----------
        basis
            (r, p) orthonormal basis of the contrasts in which directions are drawn.
        sides
            2 for absolute differences; 1 for differences, each from a mean to a later one.
        """
        ends, error = np.abs(self.contrasts), np.sqrt(self.spread)
        if self.equal:
            variance = ends.any(axis=0) * self.spread[0] / 2
            own = np.sqrt(variance / 2)
        else:
            variance = np.linalg.lstsq(ends, self.spread)[0]
            variance = np.clip(variance, variance.max() / _RATIO, None)
            own = np.linalg.lstsq(ends / error[:, None], np.ones(len(ends)))[0]
            own = np.clip(own, 1e-2 * own.max(), None)
        tail = self._tail(np.sqrt(variance), own, sides)
        if tail is None:
            return None
        values, vectors = np.linalg.eigh(basis * variance @ basis.T)
        half = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        return Similar(tail, self.contrasts @ basis.T @ half / (ends @ own)[:, None])

    def _tail(self, sd: Array, own: Array, sides: int) -> mixing.NormalTail | None:
        used = self.contrasts.any(axis=0)
        tolerance = 1e-10 if self.equal else _CLOSE
        if sides == 2:
            return mixing.normal_tail(
                lambda w: ranges.gap_survival(w, sd[used], own[used]),
                2 * len(self.spread),
                0.0,
                tolerance,
            )
        # Later means are first in fewer pairs.
        firsts = (self.contrasts[:, used] > 0).sum(axis=0)
        if len(np.unique(firsts)) < self.k:
            return None
        order = np.argsort(-firsts)
        return mixing.normal_tail(
            lambda w: ranges.ordered_survival(w, sd[used][order], own[used][order]),
            len(self.spread),
            0.0,
            tolerance,
        )
