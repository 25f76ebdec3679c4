"""Start values of the structured score model."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.blocks import contrast_basis
from benchinfer.numerics.levels import Model

type Array = NDArray[np.float64]


def start(model: Model) -> Array:
    """Return start values of the variances from moments of the cells."""
    stats, layout = model.patterns, model.layout
    d, k = stats.free.shape
    n = stats.n
    weight = stats.rows[:, None] * stats.counts
    cell = stats.by_dataset(weight * stats.mean) / np.maximum(n, 1)
    square = stats.by_dataset(
        stats.counts * np.einsum("mkk->mk", stats.cross)
        + weight * (stats.mean - cell[stats.dataset]) ** 2
    )
    square, free = square + stats.square, np.maximum(n - 1, 0)
    interaction = max(float((cell**2).sum() / (n > 0).sum()), 0.01)
    share = 2.0 if len(model.member) else 1.0
    simple = {
        "dataset": max(float(np.var(stats.delta)), 0.01),
        "dataset:algorithm": interaction,
        "dataset:replication": 1 / 3,
    }
    theta = np.zeros(len(layout.names))
    for i, name in enumerate(layout.names[: layout.inner + layout.replicated]):
        theta[i] = simple[name.replace("domain", "dataset").split("[")[0]] / share
    if layout.factored:
        profile = cell + stats.delta[:, None]
        profile = (profile - profile.mean(axis=0)) @ contrast_basis(k)
        matrix = (0.7 * profile.T @ profile / d + 0.3 * interaction * np.eye(k)) / share
        theta[: layout.outer] = matrix[np.tril_indices(k)]
    # A third of a degree of freedom at the pooled value keeps cells without repeats in.
    pooled = (square.sum() + 1 / 3) / (free.sum() + 1)
    axis = {"constant": (0, 1), "algorithm": (0,), "dataset": (1,)}[layout.residual]
    own = (square.sum(axis=axis) + pooled) / (free.sum(axis=axis) + 1)
    theta[layout.inner + layout.replicated :] = np.maximum(own, 1e-6)
    return theta


def even(model: Model) -> Array:
    """Return start values that give each source of variation the same variance."""
    layout = model.layout
    theta = np.full(len(layout.names), 1 / 3)
    if layout.factored:
        k = layout.between.shape[1]
        theta[: layout.outer] = np.eye(k)[np.tril_indices(k)] / 3
    return theta
