"""Covariance structures of the score model: which variances there are, and where they act.

All variances and covariances (``theta``) enter the covariance of the scores linearly. The
optimiser moves square roots instead (``psi``): standard deviations, and the Cholesky factor of an
unstructured covariance, so that every step stays in the parameter space. Each theta is a quadratic
form in psi, hence second derivatives by psi are exact, too. Covariances of the algorithms are
written in the coordinates of `benchinfer.numerics.blocks.contrast_basis`.

References
----------
Pinheiro, J. C. & Bates, D. M. (1996). Unconstrained parametrizations for variance-covariance
matrices. Statistics and Computing 6, 289-296. https://doi.org/10.1007/BF00140873
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchinfer.errors import FitError
from benchinfer.numerics.blocks import Residual, contrast_basis

type Array = NDArray[np.float64]
type Between = Literal["common", "diagonal", "unstructured"]

# Least residual variance, relative to that of the centred scores: what double precision can carry.
FLOOR = 1e-9


@dataclass(frozen=True, slots=True)
class Layout:
    """The c variances and covariances of a model of D data sets and K algorithms.

    Attributes
    ----------
    names
        Of the parameters: those between data sets, those of domains, ``dataset:replication``, and
        the residual ones. Indices stand for algorithms or data sets.
    between, domain
        (b, K, K) and (g, K, K) matrices that the first b and the next g parameters multiply.
    replicated
        Whether there is a replication variance.
    residual
        Which scores share a residual variance.
    home
        (D, r) positions of the parameters that act within the blocks of a data set.
    factored
        Whether the first b parameters are the lower triangle of an unstructured covariance, in
        contrast coordinates.
    """

    names: tuple[str, ...]
    between: Array
    domain: Array
    replicated: bool
    residual: Residual
    home: NDArray[np.int64]
    factored: bool

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


def layout(
    shape: tuple[int, int],
    between: Between,
    terms: tuple[str, ...],
    domain_terms: tuple[str, ...],
    residual: Residual,
) -> Layout:
    """Lay out the parameters of a model.

    Parameters
    ----------
    shape
        Numbers D of data sets and K of algorithms.
    between
        ``"common"``: one variance for each of the `terms` ``dataset`` and ``dataset:algorithm``.
        ``"diagonal"``: ``dataset``, and a variance of ``dataset:algorithm`` for each algorithm; the
        two can be told apart for K >= 3 only. ``"unstructured"``: any covariance of the algorithms,
        which contains the ``dataset`` term.
    terms
        Of ``dataset``, ``dataset:algorithm`` and ``dataset:replication``; the first two have a say
        under ``"common"`` only.
    domain_terms
        Of ``domain`` and ``domain:algorithm``.
    residual
        One residual variance, or one for each algorithm or data set.

    Raises
    ------
    FitError
        The structure cannot be told apart from a simpler one.
    """
    d, k = shape
    if between == "diagonal" and k < 3:
        raise FitError(
            f"one variance for each of {k} algorithms and one of the data sets cannot be told"
            " apart: that takes three algorithms."
        )
    names, basis = _between(k, between, terms)
    simple = {"": _level(k), ":algorithm": np.eye(k)}
    domain = [name for name in ("domain", "domain:algorithm") if name in domain_terms]
    replicated = "dataset:replication" in terms
    count = {"constant": 1, "algorithm": k, "dataset": d}[residual]
    first = len(names) + len(domain)
    replication = np.full((d, int(replicated)), first)
    own = np.arange(count) + first + replicated
    within = own[:, None] if residual == "dataset" else np.tile(own, (d, 1))
    return Layout(
        names=(
            *names,
            *domain,
            *(["dataset:replication"] if replicated else []),
            *(["residual"] if residual == "constant" else [f"residual[{i}]" for i in range(count)]),
        ),
        between=basis,
        domain=np.array([simple[name.removeprefix("domain")] for name in domain]).reshape(-1, k, k),
        replicated=replicated,
        residual=residual,
        home=np.hstack([replication, within]),
        factored=between == "unstructured",
    )


def _between(k: int, between: Between, terms: tuple[str, ...]) -> tuple[list[str], Array]:
    """Return names and matrices of the parameters between data sets."""
    unit = np.eye(k)
    if between == "common":
        held = {"dataset": _level(k), "dataset:algorithm": unit}
        kept = {name: matrix for name, matrix in held.items() if name in terms}
        return list(kept), np.array(list(kept.values())).reshape(-1, k, k)
    if between == "diagonal":
        single = contrast_basis(k)
        names = [f"dataset:algorithm[{i}]" for i in range(k)]
        return ["dataset", *names], np.concatenate(
            [_level(k)[None], single[:, :, None] * single[:, None, :]]
        )
    row, col = np.tril_indices(k)
    basis = unit[row][:, :, None] * unit[col][:, None, :]
    # A covariance stands on both sides of the diagonal.
    basis = np.maximum(basis, basis.transpose(0, 2, 1))
    return [f"dataset:algorithm[{i},{j}]" for i, j in zip(row, col, strict=True)], basis


def _level(k: int) -> Array:
    """Return the matrix of ones in contrast coordinates."""
    level = np.zeros((k, k))
    level[0, 0] = k
    return level
