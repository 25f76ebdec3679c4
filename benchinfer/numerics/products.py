"""Sums over data sets and domains of what single variances and pairs of them contribute.

A variance acts within the blocks of data sets (some of them, such as a residual of its own), or
between all data sets; results are arranged by the order of the parameters.
"""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.covariances import Layout
from benchinfer.numerics.levels import Model

type Array = NDArray[np.float64]


def over_data_sets(layout: Layout, within: Array, between: Array) -> Array:
    """Sum (D, r, ...) within blocks and (D, b, ...) between data sets to (c, ...)."""
    total = np.zeros((len(layout.names), *within.shape[2:]))
    total[: layout.outer] = between.sum(axis=0)
    np.add.at(total, layout.home, within)
    return total


def over_domains(model: Model, within: Array, between: Array) -> Array:
    """Sum as `over_data_sets` does, but within domains, to (G, c, ...)."""
    layout = model.layout
    total = np.zeros((len(model.member), len(layout.names), *within.shape[2:]))
    total[:, : layout.outer] = model.by_domain(between)
    # Each data set is of one domain, so this lists the data sets once each.
    domain, dataset = np.nonzero(model.member)
    np.add.at(total, (domain[:, None], layout.home[dataset]), within[dataset])
    return total


def over_pairs(layout: Layout, local: Array, mixed: Array, outer: Array) -> Array:
    """Sum pairs of variances over data sets to (c, c, ...).

    Parameters
    ----------
    layout
        The order of the parameters.
    local
        (D, r, r, ...) pairs that act within blocks.
    mixed
        (D, r, b, ...) pairs of one within blocks and one between data sets.
    outer
        (b, b, ...) pairs between data sets, summed already.
    """
    c, b = len(layout.names), layout.outer
    total = np.zeros((c, c, *outer.shape[2:]))
    total[:b, :b] = outer
    np.add.at(total, (layout.home[:, :, None], layout.home[:, None, :]), local)
    side = np.zeros((c, *mixed.shape[2:]))
    np.add.at(side, layout.home, mixed)
    total[:, :b] += side
    total[:b, :] += side.swapaxes(0, 1)
    return total


def paired_traces(basis: Array, left: Array, right: Array) -> Array:
    """Return ``sum_u tr(B_i L_u B_j R_u)`` (b, b) for symmetric (U, K, K) L and R."""
    k = basis.shape[1]
    both = left.reshape(-1, k * k).T @ right.reshape(-1, k * k)
    # An entry at (kl, mn) of L (x) R meets B_i at (n, k) and B_j at (l, m).
    both = both.reshape(k, k, k, k).transpose(3, 0, 1, 2).reshape(k * k, k * k)
    flat = basis.reshape(-1, k * k)
    return flat @ both @ flat.T


def paired_x(left: Array, right: Array) -> Array:
    """Return ``sum_u L_ui' R_uj`` (i, j, p, p) of (U, i, K, p) and (U, j, K, p)."""
    p = left.shape[3]
    flat = [v.transpose(0, 2, 1, 3).reshape(-1, v.shape[1] * p) for v in (left, right)]
    product = (flat[0].T @ flat[1]).reshape(left.shape[1], p, right.shape[1], p)
    return product.transpose(0, 2, 1, 3)
