"""The rows themselves: fetched from the engine as codes and values, shown, and fingerprinted."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from benchinfer.frames import frame as tidy
from benchinfer.scores.roles import LABELS
from benchinfer.scores.summary import coded, distinct

if TYPE_CHECKING:
    import pandas as pd

type Frame = "nw.LazyFrame[Any]"


@dataclass(frozen=True, slots=True)
class Rows:
    """The scores of one measure as codes and values, in the user's unit, in no set order.

    Attributes
    ----------
    dataset, replication, algorithm
        (N,) positions.
    labels
        The replications in order.
    value
        (N,) scores.
    covariate
        (N, q) covariates, as far as they were asked for.
    """

    dataset: NDArray[np.int64]
    replication: NDArray[np.int64]
    algorithm: NDArray[np.int64]
    labels: tuple[str, ...]
    value: NDArray[np.float64]
    covariate: NDArray[np.float64]


def collect(
    frame: Frame,
    measure: str,
    datasets: tuple[str, ...],
    algorithms: tuple[str, ...],
    covariates: Sequence[str] = (),
) -> Rows:
    """Fetch the scores of one measure from the engine.

    Parameters
    ----------
    frame
        Canonical columns of the table.
    measure
        Name of the measure.
    datasets, algorithms
        The D and K names.
    covariates
        The q columns of covariates to fetch along.
    """
    table = (
        frame.filter(nw.col("measure") == measure)
        .select("dataset", "replication", "algorithm", "value", *covariates)
        .collect()
        .to_arrow()
    )
    replication, labels = in_order(*coded(table.column("replication")))
    return Rows(
        coded(table.column("dataset"), datasets)[0],
        replication,
        coded(table.column("algorithm"), algorithms)[0],
        labels,
        table.column("value").to_numpy(),
        matrix(table, covariates),
    )


def in_order(
    codes: NDArray[np.int64], labels: tuple[str, ...]
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Order labels as numbers where all are, and the codes with them."""
    if not labels or not all(label.isdecimal() and len(label) < 19 for label in labels):
        return codes, labels
    order = sorted(range(len(labels)), key=lambda i: (int(labels[i]), labels[i]))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], tuple(labels[i] for i in order)


def matrix(table: Any, columns: Sequence[str]) -> NDArray[np.float64]:
    """Put Arrow columns of numbers side by side: (N, q)."""
    found = [table.column(name).to_numpy() for name in columns]
    return np.column_stack(found) if found else np.empty((table.num_rows, 0))


def quantiles(
    rows: Rows, n: NDArray[np.int64], probabilities: Sequence[float]
) -> list[NDArray[np.float64]]:
    """Interpolate linearly between the order statistics of each cell.

    Parameters
    ----------
    rows
        The scores.
    n
        (C,) counts of the cells that have a score, by data set, then by algorithm.
    probabilities
        Which quantiles.

    Returns
    -------
    list
        One (C,) array for each probability.
    """
    ordered = rows.value[np.lexsort((rows.value, rows.algorithm, rows.dataset))]
    start = np.cumsum(n) - n
    found: list[NDArray[np.float64]] = []
    for probability in probabilities:
        position = (n - 1) * probability
        below = np.floor(position).astype(np.int64)
        low, high = ordered[start + below], ordered[start + np.minimum(below + 1, n - 1)]
        found.append(low + (high - low) * (position - below))
    return found


def digest(
    fetch: Callable[[str], Rows],
    names: tuple[tuple[str, ...], ...],
    domains: Mapping[str, str] | None,
    covariates: Sequence[str],
) -> str:
    """Fingerprint a table.

    SHA-256 over the names and, per measure, the sorted codes, scores and covariates: independent of
    the order of rows and of covariates, and of the engine.

    Parameters
    ----------
    fetch
        Gives the rows of a measure, with all covariates.
    names
        Measures, data sets and algorithms.
    domains
        Data set to domain.
    covariates
        Their names.

    Returns
    -------
    str
        Sixteen hexadecimal digits.
    """
    measures, _, algorithms = names
    sha = hashlib.sha256(repr((names, sorted((domains or {}).items()))).encode())
    if covariates:
        sha.update(repr(sorted(covariates)).encode())
    columns = sorted(range(len(covariates)), key=lambda i: covariates[i])
    for measure in measures:
        rows = fetch(measure)
        sha.update(repr(rows.labels).encode())
        place = (rows.dataset * len(rows.labels) + rows.replication) * len(algorithms)
        place += rows.algorithm
        numbers = [
            c + 0.0 for c in (rows.value, *rows.covariate.T[columns])
        ]  # -0.0 has other bytes than 0.0
        order = np.lexsort((*reversed(numbers), place))
        sha.update(place[order].astype("<i8").tobytes())
        for number in numbers:
            sha.update(number[order].astype("<f8").tobytes())
    return sha.hexdigest()[:16]


def long_frame(
    frame: Frame, covariates: Mapping[str, str], measure: str | None = None
) -> "pd.DataFrame":
    """Fetch a table as a long pandas frame, sorted by its labels.

    Parameters
    ----------
    frame
        Canonical columns of the table.
    covariates
        Name to column.
    measure
        The measure to keep; all of them by default.
    """
    if measure is not None:
        frame = frame.filter(nw.col("measure") == measure)
    table = frame.collect().to_arrow()
    labels = [name for name in LABELS if name in table.column_names]
    columns: dict[str, object] = {}
    for name in labels:
        codes, names = coded(table.column(name))
        columns[name] = np.array(names, dtype=object)[codes]
    pandas = tidy({**columns, "value": table.column("value").to_numpy()})
    for name, column in covariates.items():
        pandas[name] = table.column(column).to_numpy()
    return pandas.sort_values(labels, ignore_index=True)


def whole_replications(frame: Frame, measure: str, algorithms: int) -> Frame:
    """Keep the replications of which all algorithms have a score of the measure."""
    keys = ["dataset", "replication"]
    counts = distinct(frame.filter(nw.col("measure") == measure), "algorithm", keys)
    whole = counts.filter(nw.col("n") == algorithms).select(*keys)
    return frame.join(whole, on=keys, how="semi")


def labels_of(frame: Frame, column: str) -> set[str]:
    """List the labels that occur in a column."""
    found = frame.select(column).unique().collect().to_arrow().column(0)
    return {str(label) for label in found.to_pylist()}


def first_rows(frame: Frame, columns: Sequence[str], shown: int = 5) -> list[tuple[str, ...]]:
    """Fetch the first rows by their labels, whatever the order of the table.

    Parameters
    ----------
    frame
        The rows that are meant.
    columns
        What to show of them.
    shown
        How many.

    Returns
    -------
    list of tuple
        A header, then the rows as text.
    """
    keys = [name for name in columns if name != "value"]
    text = frame.select(
        *(nw.col(k).cast(nw.String) for k in keys), *(["value"] if "value" in columns else [])
    )
    rows = text.sort(*columns, nulls_last=True).head(shown).select(*columns).collect().to_arrow()
    return [
        tuple(columns),
        *zip(*([_shown(v) for v in c.to_pylist()] for c in rows.columns), strict=True),
    ]


def _shown(value: object) -> str:
    if value is None:
        return "(none)"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
