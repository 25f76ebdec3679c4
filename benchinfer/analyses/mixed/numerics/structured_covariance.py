"""Structured covariances: blocks of a data set, and the variances as an optimiser moves them.

All variances and covariances (``theta``) enter the covariance of the scores linearly. The
optimiser moves square roots instead (``psi``): standard deviations, and the Cholesky factor of an
unstructured covariance, so that every step stays in the parameter space. Each theta is a quadratic
form in psi, hence second derivatives by psi are exact, too. A variance acts within the blocks of
data sets (some of them, such as a residual of its own), or between all data sets; results are
arranged by the order of the parameters.

References
----------
Pinheiro, J. C. & Bates, D. M. (1996). Unconstrained parametrizations for variance-covariance
matrices. Statistics and Computing 6, 289-296. https://doi.org/10.1007/BF00140873
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import helmert

from benchinfer.analyses.mixed.numerics.moments import Patterns
from benchinfer.core.errors import FitError
from benchinfer.numerics.types import Array, Codes

type Residual = Literal["constant", "algorithm", "dataset"]
type Between = Literal["common", "diagonal", "unstructured"]


def contrast_basis(k: int) -> Array:
    """Return the orthogonal (K, K) matrix of the mean and Helmert contrasts in its columns."""
    return np.asarray(helmert(k, full=True)).T


@dataclass(frozen=True, slots=True)
class BlockLevel:
    """The blocks of D data sets at given variances; M classes, K algorithms.

    Z are the algorithms' indicators, in contrast coordinates.
    """

    patterns: Patterns  # the statistics
    kind: Residual  # which scores share a residual variance
    replicated: bool  # whether the model has a replication variance
    residual: Array  # (D, K) residual variances
    per_count: Array  # (M, K) one over the counts, 0 where an algorithm is absent
    # inverse, inverse_one: (M, K, K) ``O`` and (M, K) its row sums
    inverse: Array
    inverse_one: Array
    # information, moment: (D, K, K) ``Z' R^-1 Z`` and (D, K) ``Z' R^-1 y`` for the covariance R
    # within blocks
    information: Array
    moment: Array
    log_det: float  # ``log|R|``
    basis: Array  # (K, K) the coordinates

    @staticmethod
    def of(
        patterns: Patterns, kind: Residual, residual: Array, replication: float, *, replicated: bool
    ) -> BlockLevel:
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
        """Stack the parts of the variances that act on a data set along `axis`."""
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

    def applied(self, level: Array) -> Array:
        """Return ``Z' R^-1 R_i R^-1 (y - Z f)`` (D, c, K) for levels f (D, K)."""
        p = self.patterns
        rest = p.rows[:, None] * self._rest(level)
        a = np.einsum("mkl,ml->mk", self.inverse, rest)
        replication = p.by_dataset(self.inverse_one * a.sum(axis=1)[:, None])
        each = (a * self.per_count)[:, :, None] * self.inverse
        residual = each if self.kind == "algorithm" else each.sum(axis=1, keepdims=True)
        return self._local(replication[:, None], p.by_dataset(residual)) @ self.basis

    def _rest(self, level: Array) -> Array:
        """Return the classes' means less the levels, 0 where an algorithm is absent."""
        p = self.patterns
        return np.where(p.counts > 0, p.mean - (level @ self.basis.T)[p.dataset], 0.0)

    def _squares(self, level: Array) -> Array:
        rest, p = self._rest(level), self.patterns
        return p.cross + p.rows[:, None, None] * rest[:, :, None] * rest[:, None, :]

    def square(self, level: Array) -> float:
        """Return ``(y - Z f)' R^-1 (y - Z f)`` over all data sets for levels f (D, K)."""
        repeats = (self.patterns.square / self.residual).sum()
        return float((self.inverse * self._squares(level)).sum() + repeats)

    def outer(self, level: Array) -> Array:
        """Return ``sum O (m - f)(m - f)' O`` over the blocks of a class (M, K, K)."""
        return self.inverse @ self._squares(level) @ self.inverse

    def spread(self, cov: Array) -> Array:
        """Return ``sum O C O`` over the blocks of a class (M, K, K) for C (D, K, K)."""
        p = self.patterns
        plain = self.basis @ cov @ self.basis.T
        return p.rows[:, None, None] * (self.inverse @ plain[p.dataset] @ self.inverse)

    def total_inverse(self) -> Array:
        """Return ``sum O`` over the blocks of a class (M, K, K)."""
        return self.patterns.rows[:, None, None] * self.inverse

    def once(self, matrices: Array, repeats: Array) -> Array:
        """Return ``sum tr(R_i U)`` (D, c); `repeats` (D, K) are the terms of the repeats."""
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
            products = each.transpose(0, 2, 1) @ self.inverse @ each
            both = p.by_dataset(rows[:, None, None] * products)[:, None, None]
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


# Least residual variance, relative to that of the centred scores: what double precision can carry.
FLOOR = 1e-9
# Least curvature, relative to the largest, that is divided by.
FLAT = 1e-9


@dataclass(frozen=True, slots=True)
class CovarianceLayout:
    """The c variances and covariances of a model of D data sets and K algorithms."""

    # Of the parameters: those between data sets, those of domains, ``dataset:replication``, and the
    # residual ones. Indices stand for algorithms or data sets
    names: tuple[str, ...]
    # between, domain: (b, K, K) and (g, K, K) matrices that the first b and the next g parameters
    # multiply
    between: Array
    domain: Array
    replicated: bool  # whether there is a replication variance
    residual: Residual  # which scores share a residual variance
    home: Codes  # (D, r) positions of the parameters that act within the blocks of a data set
    # Whether the first b parameters are the lower triangle of an unstructured covariance, in
    # contrast coordinates
    factored: bool

    @staticmethod
    def of(
        shape: tuple[int, int],
        between: Between,
        terms: Sequence[str],
        residual: Residual,
        *,
        domains: bool,
    ) -> CovarianceLayout:
        """Return the layout of variances of a model of D data sets and K algorithms, the `shape`.

        See `optimum.fit`; `domains` says whether these are a level above the data sets, with an
        effect of their own and one for each algorithm.
        """
        d, k = shape
        if between == "diagonal" and k < 3:
            raise FitError(
                f"one variance for each of {k} algorithms and one of the data sets cannot be told"
                " apart: that takes three algorithms."
            )
        names, basis = _between(k, between, terms)
        names += ["domain", "domain:algorithm"] * domains
        replicated, first = "dataset:replication" in terms, len(names)
        names += ["dataset:replication"] * replicated
        count = {"constant": 1, "algorithm": k, "dataset": d}[residual]
        noise = ["residual"] if residual == "constant" else [f"residual[{i}]" for i in range(count)]
        positions = np.arange(count) + first + replicated
        within = positions[:, None] if residual == "dataset" else np.tile(positions, (d, 1))
        return CovarianceLayout(
            names=(*names, *noise),
            between=basis,
            domain=np.array([_level(k), np.eye(k)] * domains).reshape(-1, k, k),
            replicated=replicated,
            residual=residual,
            home=np.hstack([np.full((d, int(replicated)), first), within]),
            factored=between == "unstructured",
        )

    @property
    def outer(self) -> int:
        """Number b of parameters between data sets."""
        return len(self.between)

    @property
    def inner(self) -> int:
        """Number of parameters between data sets and of domains."""
        return len(self.between) + len(self.domain)

    def split(self, theta: Array) -> tuple[Array, Array, float, Array]:
        """Return the covariances between data sets and domains, replication and residuals.

        The residual variances are (D, K).
        """
        b, g, k = self.outer, self.inner, self.between.shape[1]
        replication = float(theta[g]) if self.replicated else 0.0
        residual = theta[self.home[:, int(self.replicated) :]]
        return (
            np.einsum("j,jkl->kl", theta[:b], self.between),
            np.einsum("j,jkl->kl", theta[b:g], self.domain),
            replication,
            np.broadcast_to(residual, (len(self.home), k)),
        )

    @property
    def floor(self) -> Array:
        """(c,) least values of the variances."""
        floor = np.zeros(len(self.names))
        floor[self.inner + self.replicated :] = FLOOR
        return floor

    def _factor(self, psi: Array) -> Array:
        k = self.between.shape[1]
        lower = np.zeros((k, k))
        lower[np.tril_indices(k)] = psi[: self.outer]
        return lower

    def theta(self, psi: Array) -> Array:
        """Return the variances and covariances for square roots psi (c,)."""
        theta = psi**2 + self.floor
        if self.factored:
            lower = self._factor(psi)
            theta[: self.outer] = (lower @ lower.T)[np.tril_indices(len(lower))]
        return theta

    def jacobian(self, psi: Array) -> Array:
        """Return the (c, c) derivatives of theta by psi."""
        jacobian = np.diag(2 * psi)
        if self.factored:
            lower, same = self._factor(psi), np.eye(self.between.shape[1])
            row, col = np.tril_indices(len(lower))
            jacobian[: self.outer, : self.outer] = (
                same[row][:, row] * lower[col][:, col] + same[col][:, row] * lower[row][:, col]
            )
        return jacobian

    def bend(self, score: Array) -> Array:
        """Return ``sum_i score_i d2 theta_i / d psi d psi`` (c, c)."""
        bend = np.diag(2 * score)
        if self.factored:
            row, col = np.tril_indices(self.between.shape[1])
            gamma = np.einsum("j,jkl->kl", score[: self.outer], self.between) / 2
            gamma[range(len(gamma)), range(len(gamma))] *= 2
            bend[: self.outer, : self.outer] = 2 * gamma[row][:, row] * (col[:, None] == col)
        return bend

    def psi(self, theta: Array) -> Array:
        """Return square roots of positive definite start values."""
        psi = np.sqrt(np.maximum(theta - self.floor, 0.0))
        if self.factored:
            lower = np.linalg.cholesky(self.split(theta)[0])
            psi[: self.outer] = lower[np.tril_indices(len(lower))]
        return psi


def _between(k: int, between: Between, terms: Sequence[str]) -> tuple[list[str], Array]:
    """Return names and matrices of the parameters between data sets."""
    unit = np.eye(k)
    if between == "common":
        held = {"dataset": _level(k), "dataset:algorithm": unit}
        matrices = {name: matrix for name, matrix in held.items() if name in terms}
        return list(matrices), np.array(list(matrices.values())).reshape(-1, k, k)
    if between == "diagonal":
        single = contrast_basis(k)
        names = [f"dataset:algorithm[{i}]" for i in range(k)]
        return ["dataset", *names], np.concatenate(
            [_level(k)[None], single[:, :, None] * single[:, None, :]]
        )
    row, col = np.tril_indices(k)
    basis = unit[row][:, :, None] * unit[col][:, None, :]
    # A covariance is on both sides of the diagonal.
    basis = np.maximum(basis, basis.transpose(0, 2, 1))
    return [f"dataset:algorithm[{i},{j}]" for i, j in zip(row, col, strict=True)], basis


def _level(k: int) -> Array:
    """Return the matrix of ones in contrast coordinates."""
    level = np.zeros((k, k))
    level[0, 0] = k
    return level
