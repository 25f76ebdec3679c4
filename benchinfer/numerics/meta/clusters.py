r"""Errors of a network from the spread of its data sets: cluster-robust, one for each contrast.

One variance tau^2 for all pairs gives pairs that vary little between data sets errors that are too
large, and pairs with an erratic algorithm errors that are too small. Here tau^2 only sets the
weights; the residuals of the data sets (of studies, where data sets lie within them) give the
covariance (CR2), with Satterthwaite degrees of freedom for each contrast. Rows are whitened by the
symmetric root of their covariance, so that no choice of baselines matters.

References
----------
Hedges, L. V., Tipton, E. & Johnson, M. C. (2010). Robust variance estimation in meta-regression
with dependent effect size estimates. Research Synthesis Methods 1, 39-65.
https://doi.org/10.1002/jrsm.5

Tipton, E. (2015). Small sample adjustments for robust variance estimation with meta-regression.
Psychological Methods 20, 375-393. https://doi.org/10.1037/met0000011
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.degrees import Adjusted
from benchinfer.numerics.meta.pooling import Part
from benchinfer.numerics.robust import cluster_robust, whitened

type Array = NDArray[np.float64]
type Codes = NDArray[np.int64]

# A leverage this close to 1 leaves no residual but rounding.
_ALONE = 1e-7


@dataclass(frozen=True, slots=True)
class Clusters:
    """Rows of a network by independent groups, all of the length m of the longest.

    Attributes
    ----------
    precision
        (G, m, m) inverse covariances of the rows, 0 where a group has fewer.
    x
        (G, m, p) columns.
    weighted
        (G, m) precision times residuals.
    phi
        (p, p) covariance of the coefficients under the model.
    """

    precision: Array
    x: Array
    weighted: Array
    phi: Array

    def determined_alone(self) -> NDArray[np.bool_]:
        """Return (G,) whether some combination of coefficients is known from that group only.

        Such a group has a residual of 0 however large its error is, so that nothing says how far
        off the combination may be.
        """
        # Eigenvalues of the leverage: those of phi^(1/2) X' V^-1 X phi^(1/2).
        root = np.linalg.cholesky(self.phi)
        half = self.x @ root
        leverage = half.transpose(0, 2, 1) @ self.precision @ half
        return np.linalg.eigvalsh(leverage)[:, -1] > 1 - _ALONE

    def errors(self, contrasts: Array) -> Adjusted:
        """Return the (p, p) covariance and the degrees of freedom of (J, p) contrasts."""
        rows = whitened(self.precision, self.weighted, self.x)
        return cluster_robust([rows], self.phi, contrasts)


def clusters(
    part: Part, group: Codes, beta: Array, tau2: float, shared: Array | None = None
) -> Clusters:
    """Gather rows by groups.

    Parameters
    ----------
    part
        The rows.
    group
        (n,) codes of the independent groups, without gaps.
    beta
        (p,) coefficients.
    tau2
        Variance of each row beyond that of sampling.
    shared
        (n, K) combinations of levels that vary from group to group, scaled so that ``shared @
        shared.T`` is the covariance they add; None without such a level.
    """
    p = part.x.shape[1]
    groups = int(group.max()) + 1
    size = int(np.bincount(group).max())
    precision = np.zeros((groups, size, size))
    x, weighted = np.zeros((groups, size, p)), np.zeros((groups, size))
    rest = part.y - part.x @ beta
    information = np.zeros((p, p))
    order = np.argsort(group, kind="stable")
    for g, own in enumerate(np.split(order, np.flatnonzero(np.diff(group[order])) + 1)):
        total = np.diag(part.v[own] + tau2)
        if shared is not None:
            total += shared[own] @ shared[own].T
        m = len(own)
        inverse = np.linalg.inv(total)
        precision[g, :m, :m], x[g, :m] = inverse, part.x[own]
        weighted[g, :m] = inverse @ rest[own]
        information += part.x[own].T @ inverse @ part.x[own]
    return Clusters(precision, x, weighted, np.linalg.inv(information))
