"""Score tables with known truth: value = mu + alpha_k + d_m + a_mk + r_mb + e_mkb.

Algorithm k has the fixed effect alpha_k; data set m, data set x algorithm (m, k), replication b
within data set m, and the residual are independent normal draws with mean 0.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from score_file import Row, figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What the scores are drawn from.

    Parameters
    ----------
    mean
        The grand mean mu.
    effects
        alpha of each algorithm, with sum 0; larger is better.
    dataset_sd
        Standard deviation of d.
    interaction_sd
        Standard deviation of a, for each algorithm.
    replication_sd
        Standard deviation of r.
    residual_sd
        Standard deviation of e, for each data set; its length is the number of data sets.
    twins
        Positions of two algorithms whose interactions are correlated, if there are any.
    twin_correlation
        That correlation.
    """

    mean: float
    effects: tuple[float, ...]
    dataset_sd: float
    interaction_sd: tuple[float, ...]
    replication_sd: float
    residual_sd: tuple[float, ...]
    twins: tuple[int, int] | None = None
    twin_correlation: float = 0.0


def cell_means(truth: Truth, seed: int) -> NDArray[np.float64]:
    """Draw the true mean of every cell: what its scores scatter around.

    Parameters
    ----------
    truth
        The model.
    seed
        Seed of the table.

    Returns
    -------
    array
        mu + alpha_k + d_m + a_mk, data sets x algorithms.
    """
    rng = np.random.default_rng([seed, 0])
    shape = len(truth.residual_sd), len(truth.effects)
    correlation = np.eye(shape[1])
    if truth.twins is not None:
        first, second = truth.twins
        correlation[first, second] = correlation[second, first] = truth.twin_correlation
    dataset = truth.dataset_sd * rng.standard_normal((shape[0], 1))
    standard = rng.standard_normal(shape) @ np.linalg.cholesky(correlation).T
    return truth.mean + np.array(truth.effects) + dataset + truth.interaction_sd * standard


def simulate(truth: Truth, replications: Sequence[int], seed: int) -> list[Row]:
    """Draw a table of scores.

    Parameters
    ----------
    truth
        The model.
    replications
        How many replications each data set has; the algorithms share them.
    seed
        Seed of the table.

    Returns
    -------
    list of tuple of str
        One row per data set, replication and algorithm, measure ``score``.
    """
    rng = np.random.default_rng([seed, 1])
    rows: list[Row] = []
    means = cell_means(truth, seed)
    for m, (mean, size, sd) in enumerate(zip(means, replications, truth.residual_sd, strict=True)):
        shared = truth.replication_sd * rng.standard_normal((size, 1))
        values = mean + shared + sd * rng.standard_normal((size, len(mean)))
        rows += [
            (f"d{m + 1:02}", str(b + 1), f"alg{k + 1}", "score", figure(value))
            for (b, k), value in np.ndenumerate(values)
        ]
    return rows
