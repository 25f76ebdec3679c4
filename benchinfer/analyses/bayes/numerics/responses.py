"""Counts of right answers and the mean response.

Algorithm k answers item i of data set m rightly with log odds ``theta_mk + u_i``. With
``u_i ~ N(0, s^2)`` integrated out, items that the same algorithms tried equally often differ in
nothing but the number r of right answers:

    p(y_i) = exp(sum_k y_ik theta_mk) * integral exp(r u) / prod_k (1 + exp(theta_mk + u))^n_k dN(u)

so that right answers per algorithm and a histogram of r say all that the items do (Rasch).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, gammaincinv

from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes

_FURTHEST = 6.0  # standard deviations
_WIDEST = 3.0  # of item effects, for which nodes are close enough


@savable
@shaped(
    dataset="G [0,inf)",
    trials="G K [0,inf)",
    items="G [0,inf)",
    right="G K [0,inf)",
    group="L <G",
    total="L [0,inf)",
    count="L [0,inf)",
)
@dataclass(frozen=True, slots=True)
class ItemCounts:
    """Right answers of G groups of items, which K algorithms tried equally often."""

    dataset: Codes  # (G,) data set of each group, from 0
    trials: Codes  # (G, K) answers of each algorithm to each item of the group
    items: Codes  # (G,) number of items
    right: Codes  # (G, K) right answers
    # group, total, count: (L,) groups, totals r of right answers to an item, and how many items
    # have that total
    group: Codes
    total: Codes
    count: Codes

    @property
    def answers(self) -> Codes:
        """(G, K) answers of each algorithm to all items of the group."""
        return self.trials * self.items[:, None]


def count_items(dataset: Codes, trials: Codes, right: Codes) -> ItemCounts:
    """Collapse items.

    Parameters
    ----------
    dataset
        (I,) data set of each item.
    trials, right
        (I, K) answers, and those that are right.

    References
    ----------
    Bock, R. D. & Aitkin, M. (1981). Marginal maximum likelihood estimation of item parameters:
    application of an EM algorithm. Psychometrika 46, 443-459. https://doi.org/10.1007/BF02293801

    Examples
    --------
    >>> answers = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
    >>> found = count_items(np.zeros(4, int), np.ones((4, 2), int), answers)
    >>> found.right.tolist(), found.total.tolist(), found.count.tolist()
    ([[2, 2]], [0, 1, 2], [1, 2, 1])
    """
    keys, group = np.unique(np.column_stack([dataset, trials]), axis=0, return_inverse=True)
    group = group.ravel()
    summed = np.zeros((len(keys), trials.shape[1]), dtype=np.int64)
    np.add.at(summed, group, right)
    pairs = np.column_stack([group, right.sum(axis=1)])
    kinds, count = np.unique(pairs, axis=0, return_counts=True)
    return ItemCounts(
        dataset=keys[:, 0],
        trials=keys[:, 1:],
        items=np.bincount(group, minlength=len(keys)),
        right=summed,
        group=kinds[:, 0],
        total=kinds[:, 1],
        count=count,
    )


def nodes(answers: int) -> tuple[Array, Array]:
    """Return nodes and log weights that integrate over a standard normal variable.

    Parameters
    ----------
    answers
        The most answers to an item: the more, the narrower what they say of its effect.

    Returns
    -------
    nodes, log_weights
        (Q,) evenly spaced: the trapezoid rule is exact for smooth densities but for errors that
        fall exponentially with the spacing.
    """
    step = min(0.3, 2 / (_WIDEST * np.sqrt(answers)))
    half = int(np.ceil(_FURTHEST / step))
    z = step * np.arange(-half, half + 1, dtype=np.float64)
    log = -(z**2) / 2
    return z, log - float(np.log(np.exp(log).sum()))


_STEP, _FURTHEST_NODE = 1 / 3, 8.0
_MIXED = 21  # nodes for mixing scales


def mean_response(location: Array, variance: Array) -> Array:
    """Return the mean of ``1 / (1 + exp(-x))`` where x is normal.

    Parameters
    ----------
    location, variance
        Means and variances of x, which broadcast.

    Examples
    --------
    >>> mean_response(np.array([0.0, 1.0]), np.array(4.0)).round(4)
    array([0.5   , 0.6477])
    """
    z = np.arange(-_FURTHEST_NODE, _FURTHEST_NODE + _STEP / 2, _STEP)
    weights = np.exp(-(z**2) / 2)
    weights /= weights.sum()
    sd = np.sqrt(variance)
    mean = np.zeros(np.broadcast_shapes(location.shape, sd.shape))
    for node, weight in zip(z, weights, strict=True):
        mean += weight * expit(location + node * sd)
    return mean


def population_response(
    location: Array, variance: Array, between: Array, df: Array | None = None
) -> Array:
    """Return the mean of ``1 / (1 + exp(-x))`` over data sets.

    Parameters
    ----------
    location
        (C, T, K) means of x.
    variance
        (C, T, 1) variances of what is normal.
    between
        (C, T, K) squared scales of the interactions.
    df
        (C, T) degrees of freedom of the interactions, None where they are normal.
    """
    if df is None:
        return mean_response(location, variance + between)
    u, weights = np.polynomial.legendre.leggauss(_MIXED)
    mean = np.zeros_like(location)
    for node, weight in zip((u + 1) / 2, weights / 2, strict=True):
        # The variance of a t is inverse gamma: its quantiles from those of a gamma.
        inverse = np.maximum(gammaincinv(df / 2, node) / (df / 2), 1e-9)
        mean += weight * mean_response(location, variance + between / inverse[:, :, None])
    return mean
