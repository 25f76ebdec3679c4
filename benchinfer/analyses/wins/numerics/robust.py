"""Errors of worths from the spread of clusters.

Contests of a cluster, as a rule of a data set, depend on each other. The scores of clusters do not:
their spread gives the covariance of the worths (Liang and Zeger). As the scores were made small by
the fit, those of a cluster m are multiplied by ``(I - G_m)^(-1/2)``, where ``G_m`` is its share of
the information, in coordinates in which the shares sum to the identity (CR2 of Bell and
McCaffrey). With equal shares, as of complete tables, that is the factor M / (M - 1).
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from benchinfer.analyses.wins.numerics.likelihood import WinFit, information_of, score_of
from benchinfer.analyses.wins.numerics.tally import Tally
from benchinfer.numerics.covariance import all_pairs, contrast_variances
from benchinfer.numerics.types import Array, Codes

# Share of an eigenvalue short of 1, or of the largest one, below which it is 0.
_NULL = 1e-8
# Share of the variance of a contrast without an error, from which it has none itself.
_LONE = 0.05
# Multiplications from which degrees of freedom are those of a bound, which take seconds else; and
# numbers handled at a time.
_MOST, _SLICE = 1e9, 1 << 20


@dataclass(frozen=True, slots=True)
class RobustErrors:
    """Covariance and degrees of freedom from the spread of M clusters, of U kinds.

    Clusters of a kind have the same contests. Quadratic forms of (J, K) contrasts in the arrays are
    what counts.
    """

    cov: Array  # (K, K) covariance of the log worths
    model: Array  # (K, K) covariance with contests taken as independent
    # (U, K, K) parts of it that each cluster of a kind contributes. Directions in which a cluster
    # has all of the information are left out: it has no residual there, and they no error
    share: Array
    # (U, q, K) what the residuals of a cluster of a kind have in common with those of all, in
    # coordinates in which the shares sum to the identity
    pull: Array
    clusters: Codes  # (U,) number of clusters of each kind

    def degrees(self, contrasts: Array) -> Array:
        """Return (J,) degrees of freedom of contrasts; 0 where a single cluster informs on one.

        Those of Bell and McCaffrey, ``tr(S)^2 / tr(S^2)`` of the covariance S of the M terms of the
        variance under the model: M - 1 of equal clusters. Of very many clusters and contrasts the
        products of different terms are taken at the most that Cauchy and Schwarz allow.
        """
        n, products = self.clusters[:, None], _products(contrasts)
        share = (products @ self.share.reshape(len(n), -1).T).T
        trace = (n * share).sum(axis=0)
        square = (n * share**2).sum(axis=0) + self._across(contrasts, products)
        known = trace > (1 - _LONE) * (products @ self.model.ravel())
        # Of equal clusters M - 1, not 10.999999999999998.
        return np.where(known, trace**2 / np.where(known, square, 1.0), 0.0).round(9)

    def _across(self, contrasts: Array, products: csr_array) -> Array:
        """Return the (J,) sums of squares of the products of different terms."""
        n, (u, q, k) = self.clusters.astype(np.float64), self.pull.shape
        if len(contrasts) * u * u * q > _MOST:
            leverage = self.pull.transpose(0, 2, 1) @ self.pull
            size = products @ leverage.reshape(u, -1).T
            return np.square(size @ n) - np.square(size) @ n
        sums = np.empty(len(contrasts))
        step = max(1, _SLICE // (u * max(u, q)))
        for first in range(0, len(contrasts), step):
            part = slice(first, first + step)
            h = (contrasts[part] @ self.pull.reshape(-1, k).T).reshape(-1, u, q)
            square = (h @ h.transpose(0, 2, 1)) ** 2
            diagonal = square.diagonal(axis1=1, axis2=2)
            sums[part] = (square @ n) @ n - diagonal @ n
        return sums

    def inflation(self) -> float:
        """Return the median ratio to errors of independent contests, over pairs."""
        _, matrix = all_pairs(len(self.cov))
        robust, model = (contrast_variances(matrix, cov) for cov in (self.cov, self.model))
        return float(np.median(np.sqrt(np.maximum(robust, 0.0) / model)))


def robust_errors(tally: Tally, fit: WinFit) -> RobustErrors:
    """Return errors from the spread of two clusters or more.

    References
    ----------
    Liang, K.-Y. & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear models.
    Biometrika 73, 13-22. https://doi.org/10.1093/biomet/73.1.13

    Bell, R. M. & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression
    with multi-stage samples. Survey Methodology 28, 169-181.

    Pustejovsky, J. E. & Tipton, E. (2018). Small-sample methods for cluster-robust variance
    estimation and hypothesis testing in fixed effects models. Journal of Business & Economic
    Statistics 36, 672-683. https://doi.org/10.1080/07350015.2016.1247004

    Examples
    --------
    Of one contest in each of eight clusters the variance is the binomial one, times 8 / 7.

    >>> from benchinfer.analyses.wins.numerics.likelihood import fit_wins
    >>> wins = np.array([1.0, 1, 1, 0, 1, 1, 0, 1])[:, None]
    >>> counts = Tally(np.array([[0, 1]]), wins, 0 * wins, 1 - wins)
    >>> found = robust_errors(counts, fit_wins(counts))
    >>> found.cov / fit_wins(counts).cov * 7
    array([[8., 8.],
           [8., 8.]])
    >>> found.degrees(np.array([[1.0, -1.0]]))
    array([7.])
    """
    k, met = tally.n_algorithms, tally.met
    score = score_of(tally, fit.log_worth, fit.tie)[met]
    n = tally.n[met]
    kinds: dict[bytes, int] = {}
    kind = np.array([kinds.setdefault(row.tobytes(), len(kinds)) for row in n])
    _, one, clusters = np.unique(kind, return_index=True, return_counts=True)
    information = information_of(tally.pairs, n[one], fit.log_worth, fit.tie)
    value, vector = np.linalg.eigh(np.einsum("u,ukl->kl", clusters, information))
    # The common shift has no information.
    value, vector = value[1:], vector[:, 1:]
    root = vector / np.sqrt(value)
    g, turn = np.linalg.eigh(root.T @ information @ root)
    lone = g > 1 - _NULL
    g = np.where(lone, 0.0, np.maximum(g, 0.0))
    turned = root @ turn  # (U, Q, q)
    scale = np.where(lone, 0.0, 1 / np.sqrt(1 - g))
    influence = np.empty((len(score), k))
    for u in range(len(one)):
        of_kind = kind == u
        influence[of_kind] = score[of_kind] @ (turned[u] * scale[u]) @ turned[u, :k].T
    worth = turned[:, :k]
    return RobustErrors(
        cov=influence.T @ influence,
        model=root[:k] @ root[:k].T,
        share=(worth * g[:, None, :]) @ worth.transpose(0, 2, 1),
        pull=(turn * (g * scale)[:, None, :]) @ worth.transpose(0, 2, 1),
        clusters=clusters,
    )


def _products(contrasts: Array) -> csr_array:
    """Return the (J, K K) products of the coefficients of each contrast."""
    sparse = csr_array(contrasts)
    j, k = sparse.shape
    size = np.diff(sparse.indptr)
    row = np.repeat(np.arange(j), size**2)
    start = np.r_[0, np.cumsum(size**2)]
    within = np.arange(start[-1]) - start[row]
    left = sparse.indptr[row] + within // size[row]
    right = sparse.indptr[row] + within % size[row]
    values = sparse.data[left] * sparse.data[right]
    return csr_array((values, sparse.indices[left] * k + sparse.indices[right], start), (j, k * k))
