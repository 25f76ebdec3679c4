"""Scores with their covariates: one row per score, and one number per data set."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from benchinfer.measure import Measure
from benchinfer.scores.cells import require_scale
from benchinfer.scores.rows import collect, matrix
from benchinfer.scores.summary import coded

type Frame = "nw.LazyFrame[Any]"


@dataclass(frozen=True, slots=True)
class Observations:
    """One row per score, oriented, sorted by data set, replication and algorithm.

    Attributes
    ----------
    measure
        The measure; values below are on its modelling scale, larger is better.
    datasets, algorithms, replications, covariates
        The D, K, L and q names; replications in the order of numbers where all are.
    dataset, algorithm, replication
        (N,) positions of the names. A replication is one within its data set: what two data sets
        call alike has one position, and is told apart by the data set.
    value
        (N,) scores.
    covariate
        (N, q) covariates, as they were read.
    paired
        Whether the replications are shared by the algorithms.
    """

    measure: Measure
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    replications: tuple[str, ...]
    covariates: tuple[str, ...]
    dataset: NDArray[np.int64]
    algorithm: NDArray[np.int64]
    replication: NDArray[np.int64]
    value: NDArray[np.float64]
    covariate: NDArray[np.float64]
    paired: bool


@dataclass(frozen=True, slots=True)
class DatasetCovariates:
    """The covariates of a table, by whether they are features of a data set or of a run.

    Attributes
    ----------
    datasets
        The D names, sorted.
    constant
        Covariate to its (D,) numbers, for those that have one number within each data set; NaN
        where the data set has no score of the measure.
    varying
        Covariate to the data sets within which it varies, for all others.
    """

    datasets: tuple[str, ...]
    constant: Mapping[str, NDArray[np.float64]]
    varying: Mapping[str, tuple[str, ...]]


def reduce_observations(
    frame: Frame,
    measure: Measure,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    covariates: Mapping[str, str],
    *,
    paired: bool,
) -> Observations:
    """Collect the scores of one measure with their covariates.

    Parameters
    ----------
    frame
        Canonical columns of the table.
    measure
        The measure.
    names
        Data sets and algorithms.
    covariates
        Name to column.
    paired
        Whether algorithms share replications.

    Returns
    -------
    Observations
        In an order that does not depend on that of the table's rows.

    Raises
    ------
    DesignError
        A score has no finite place on the scale.
    """
    require_scale(frame, measure)
    rows = collect(frame, measure.name, *names, list(covariates.values()))
    keys = (*rows.covariate.T[::-1], rows.value, rows.algorithm, rows.replication, rows.dataset)
    order = np.lexsort(keys)
    return Observations(
        measure,
        *names,
        replications=rows.labels,
        covariates=tuple(covariates),
        dataset=rows.dataset[order],
        algorithm=rows.algorithm[order],
        replication=rows.replication[order],
        value=measure.orient(rows.value[order]),
        covariate=rows.covariate[order],
        paired=paired,
    )


def reduce_covariates(
    frame: Frame, measure: str, datasets: tuple[str, ...], covariates: Mapping[str, str]
) -> DatasetCovariates:
    """Ask the engine for the range of each covariate within each data set.

    Parameters
    ----------
    frame
        Canonical columns of the table.
    measure
        Name of the measure.
    datasets
        The D names.
    covariates
        Name to column.

    Returns
    -------
    DatasetCovariates
        With a covariate as constant where its smallest and largest number are the same.
    """
    columns = list(covariates.values())
    ends = [nw.col(c).min().alias(f"{c}_low") for c in columns]
    ends += [nw.col(c).max().alias(f"{c}_high") for c in columns]
    own = frame.filter(nw.col("measure") == measure)
    table = own.group_by("dataset").agg(*ends, nw.len().alias("n")).collect().to_arrow()
    where = coded(table.column("dataset"), datasets)[0]
    low, high = (np.full((len(datasets), len(columns)), np.nan) for _ in range(2))
    low[where] = matrix(table, [f"{c}_low" for c in columns])
    high[where] = matrix(table, [f"{c}_high" for c in columns])
    differ = low < high  # false for NaN, where there is no score
    constant: dict[str, NDArray[np.float64]] = {}
    varying: dict[str, tuple[str, ...]] = {}
    for i, name in enumerate(covariates):
        if differ[:, i].any():
            varying[name] = tuple(datasets[d] for d in np.flatnonzero(differ[:, i]))
        else:
            constant[name] = low[:, i] + 0.0
    return DatasetCovariates(datasets, constant, varying)
