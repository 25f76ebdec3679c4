"""Cells, blocks and observations of a table."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import narwhals as nw
import numpy as np

from benchinfer.core.errors import DesignError
from benchinfer.core.measure import Measure
from benchinfer.numerics.ties import rounding
from benchinfer.numerics.types import Array, Codes, Counts
from benchinfer.scores.columns.engines import Frame
from benchinfer.scores.numerics.domains import domain_levels
from benchinfer.scores.numerics.nested import dense
from benchinfer.scores.numerics.places import Places
from benchinfer.scores.rows.summary import (
    ScoreRows,
    Summary,
    coded,
    collect,
    first_rows,
    matrix,
    moments,
    n_rows,
)


@dataclass(frozen=True, slots=True)
class Cells:
    """Count, mean and standard deviation per data set x algorithm, oriented.

    Exact for Gaussian models with independent replications.

    Attributes
    ----------
    measure
        The measure; values below are on its modelling scale, larger is better.
    datasets, algorithms
        The D and K names, sorted.
    n
        (D, K) number of scores, 0 where the cell is empty.
    mean
        (D, K) means, NaN where the cell is empty.
    sd
        (D, K) standard deviations with n - 1, NaN where n < 2.
    """

    measure: Measure
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    n: Counts
    mean: Array
    sd: Array

    @property
    def rounding(self) -> Array:
        """(D, K) differences from the means that count as none: those of the scores behind them."""
        size = np.sqrt(self.mean**2 + squares_of(self) / np.maximum(self.n, 1))
        return rounding(self.measure.sizes(size))


@dataclass(frozen=True, slots=True)
class Blocks:
    """One row per (data set, replication), one column per algorithm, oriented.

    Attributes
    ----------
    measure
        The measure; values below are on its modelling scale, larger is better.
    datasets, algorithms
        The D and K names, sorted.
    dataset
        (R,) index of each block's data set, non-decreasing.
    replication, labels
        (R,) position of each block's replication among the L labels.
    count
        (R, K) how many scores the block has of the algorithm: 0 or 1, more where repeats are kept.
    mean
        (R, K) the score, or the mean of the repeats; 0 where there is none.
    within
        (D, K) sum of squares of the repeats about their (block, algorithm) mean; 0 without repeats.
    paired
        Whether the replications are shared by the algorithms. Where they are not, each score is a
        block of its own.
    weight
        (R,) number of blocks that each row stands for, where a table holds statistics; else None.
    step
        Smallest step between scores of such a table.
    total, size
        (R, K) of units of unequal size, totals and sizes of `unit_scores`, 0 where there is none;
        else None. The mean is then that of the linear scores.
    items, unit_mean
        (R, K) numbers of items of such units, and means over them; 0 without any.
    """

    measure: Measure
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    dataset: Codes
    replication: Codes
    labels: tuple[str, ...]
    count: Counts
    mean: Array
    within: Array
    paired: bool
    weight: Array | None = None
    step: float | None = None
    total: Array | None = None
    size: Array | None = None
    items: Array | None = None
    unit_mean: Array | None = None

    @property
    def sums(self) -> Array:
        """(R, K) scores that add up over blocks to those of data sets: of units, their totals."""
        return self.mean if self.total is None else self.total

    @property
    def scores(self) -> Array:
        """(R, K) scores, for units the means of their items."""
        return self.mean if self.unit_mean is None else self.unit_mean

    @property
    def rounding(self) -> Array:
        """(R, K) differences from `sums` that count as none."""
        n = np.zeros((len(self.datasets), len(self.algorithms)))
        np.add.at(n, self.dataset, self.count)
        spread = (self.within / np.maximum(n, 1))[self.dataset]
        return rounding(self.measure.sizes(np.sqrt(self.sums**2 + spread)))

    @property
    def resolution(self) -> float:
        """Smallest step between scores of cells without repeats; 0 with fewer than two."""
        if self.step is not None:
            return self.step
        return smallest_step(self.mean[self.count == 1])


def smallest_step(values: Array) -> float:
    """Return the smallest step between numbers, beyond rounding; 0 where there is none.

    The numbers are sorted where they are.

    Examples
    --------
    >>> smallest_step(np.array([0.5, 0.25, 1.0, 0.5]))
    0.25
    """
    values.sort()
    rounding = 1e-12 * np.abs(values[[0, -1]]).max() if len(values) else 0.0
    smallest, size = np.inf, 1 << 16
    for i in range(0, len(values), size):
        steps = np.diff(values[i : i + size + 1])
        smallest = min(smallest, steps[steps > rounding].min(initial=np.inf))
    return float(smallest) if np.isfinite(smallest) else 0.0


def reduce_cells(
    frame: Frame, measure: Measure, datasets: tuple[str, ...], algorithms: tuple[str, ...]
) -> Cells:
    """Compute in the engine the moments of one measure on its modelling scale."""
    require_scale(frame, measure)
    rows = frame.filter(nw.col("measure") == measure.name)
    keys = ("dataset", "algorithm")
    table = moments(rows, on_scale(measure), keys).collect().to_arrow()
    where = (
        coded(table.column("dataset"), datasets)[0],
        coded(table.column("algorithm"), algorithms)[0],
    )
    column = {name: table.column(name).to_numpy() for name in ("n", "centre", "shift", "squares")}
    n = np.zeros((len(datasets), len(algorithms)), np.int64)
    mean, squares = np.full(n.shape, np.nan), np.full(n.shape, np.nan)
    n[where] = column["n"]
    mean[where] = column["centre"] + column["shift"]
    squares[where] = column["squares"] - column["n"] * column["shift"] ** 2
    return Cells(measure, datasets, algorithms, n, measure.sign * mean, deviation(n, squares))


def cells_of(measure: Measure, summary: Summary, frame: Callable[[], Frame]) -> Cells:
    """Return the moments of one measure, of its summary where it is modelled as it is."""
    if measure.scale != "identity":
        return reduce_cells(frame(), measure, *summary.names)
    n, mean = summary.n[0], measure.sign * summary.mean[0]
    return Cells(measure, *summary.names, n, mean, deviation(n, summary.squares[0]))


def squares_of(cells: Cells) -> Array:
    """Return (D, K) sums of squared deviations from the means, 0 where n < 2."""
    return np.where(cells.n > 1, (cells.n - 1) * np.nan_to_num(cells.sd) ** 2, 0.0)


def deviation(n: Counts, squares: Array) -> Array:
    """Turn sums of squared deviations into standard deviations, NaN where n < 2."""
    degrees = np.where(n > 1, n - 1, np.nan)
    return np.sqrt(np.clip(squares, 0.0, None) / degrees)


def reduce_blocks(
    rows: ScoreRows,
    measure: Measure,
    datasets: tuple[str, ...],
    algorithms: tuple[str, ...],
    *,
    paired: bool,
) -> Blocks:
    """Arrange oriented scores of one measure as a matrix of blocks by algorithms."""
    oriented = rows.value
    k = len(algorithms)
    levels = int(rows.replication.max(initial=-1)) + 1
    block = rows.dataset * levels + rows.replication
    if not paired:
        block = block * k + rows.algorithm
    blocks, index = dense(block)
    cell = index * k + rows.algorithm
    size = len(blocks) * k
    count = np.bincount(cell, minlength=size)
    if count.max(initial=0) > 1:
        mean = np.bincount(cell, oriented, size) / np.maximum(count, 1)
        # The first pass rounds the mean of large values; the second puts it right.
        mean += np.bincount(cell, oriented - mean[cell], size) / np.maximum(count, 1)
        squares = (oriented - mean[cell]) ** 2
        within = np.bincount(rows.dataset * k + rows.algorithm, squares, len(datasets) * k)
    else:
        mean = np.zeros(size)
        mean[cell] = oriented
        within = np.zeros(len(datasets) * k)
    place = blocks if paired else blocks // k
    return Blocks(
        measure,
        datasets,
        algorithms,
        dataset=place // max(levels, 1),
        replication=place % max(levels, 1),
        labels=rows.labels,
        count=count.reshape(-1, k),
        mean=mean.reshape(-1, k),
        within=within.reshape(-1, k),
        paired=paired,
    )


def spread(summary: Summary, quartiles: Array) -> Array:
    """Return (D, K, 5) minimum, quartiles and maximum of one measure, NaN where there is none."""
    ends = summary.minimum[0, :, :, None], summary.maximum[0, :, :, None]
    return np.concatenate([ends[0], quartiles, ends[1]], axis=2)


def unit_scores(mean: Array, n: Array, cell: Codes) -> tuple[Array, Array, Array]:
    """Return scores of nested units, of which a data set's level is a ratio of sums.

    With the mean m of a unit over its n items, and C units of the algorithm on the data set, the
    level is ``M = sum n m / sum n``.

    Parameters
    ----------
    mean, n, cell
        (N,) means of units, their numbers of items, and the cell of each.

    Returns
    -------
    tuple
        (N,) linear scores, whose mean is M, and whose sample variance over C is the variance of M
        by linearisation with the leverage of each unit (CR2):
        ``M + (n / n_mean) (m - M) sqrt((1 - 1 / C) / (1 - n / sum n))``, centred at M; totals
        ``m n / n_mean``, whose mean is M; and sizes ``n / n_mean``.

    References
    ----------
    Bell, R. M. & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression
    with multi-stage samples. Survey Methodology 28, 169-181.

    Examples
    --------
    >>> m, n = np.array([1.0, 0.0, 0.5]), np.array([2.0, 1.0, 1.0])
    >>> unit_scores(m, n, np.zeros(3, int))[0].mean().round(9)  # (2 + 0 + 0.5) / 4
    np.float64(0.625)
    """
    units = np.bincount(cell).clip(min=1)[cell]
    size = n / (np.bincount(cell, n)[cell] / units)

    def average(values: Array) -> Array:
        return np.bincount(cell, values)[cell] / units

    level = average(size * mean)
    level = level + average(size * (mean - level))
    leverage = (1 - 1 / units) / np.maximum(1 - size / units, 1e-300)
    residual = size * (mean - level) * np.sqrt(leverage)
    uneven = np.bincount(cell, size != 1)[cell] > 0
    linear = np.where(uneven, level + residual - average(residual), mean)
    return linear, size * mean, size


def reduce_unit_blocks(
    rows: ScoreRows, n: Array, measure: Measure, names: tuple[tuple[str, ...], tuple[str, ...]],
    *, paired: bool
) -> Blocks:  # fmt: skip
    """Arrange oriented means of units with n items as blocks."""
    cell = rows.dataset * len(names[1]) + rows.algorithm
    linear, total, size = unit_scores(rows.value, n, cell)
    even = bool((size == 1).all())
    parts = [
        reduce_blocks(replace(rows, value=value), measure, *names, paired=paired)
        for value in (linear, *(() if even else (total, size, n, rows.value)))
    ]
    names_of = ("total", "size", "items", "unit_mean")
    rest = {name: part.mean for name, part in zip(names_of, parts[1:], strict=False)}
    return replace(parts[0], **rest)


def unit_moments(
    rows: ScoreRows, value: Array, names: tuple[tuple[str, ...], tuple[str, ...]]
) -> tuple[Counts, Array, Array]:
    """Return (D, K) counts of units, levels, and sums of squares of linear `unit_scores`.

    The covariate of `rows` is the number of items of each unit, of which `value` are the means.
    """
    shape = len(names[0]), len(names[1])
    cell, cells = rows.dataset * shape[1] + rows.algorithm, shape[0] * shape[1]
    linear, _, _ = unit_scores(value, rows.covariate[:, 0], cell)
    units = np.bincount(cell, minlength=cells)
    level = np.bincount(cell, linear, cells) / np.maximum(units, 1)
    level += np.bincount(cell, linear - level[cell], cells) / np.maximum(units, 1)
    squares = np.bincount(cell, (linear - level[cell]) ** 2, cells)
    level = np.where(units > 0, level, np.nan)
    return units.reshape(shape), level.reshape(shape), squares.reshape(shape)


def blocks_in_parts(places: Places, measure: Measure, scores: int) -> Iterator[Blocks]:
    """Yield the blocks of shared replications in parts of a limited number of scores."""
    m = places.measures.index(measure.name)
    dataset, replication, rows = places.blocks(m)
    labels = places.replications_of(m)
    size = max(scores // len(places.algorithms), 1)
    for start in range(0, len(rows), size):
        part = slice(start, start + size)
        value = measure.orient(places.value.take(rows[part], axis=0))
        there = ~np.isnan(value)
        value[~there] = 0.0
        yield Blocks(
            measure,
            places.datasets,
            places.algorithms,
            dataset=dataset[part],
            replication=replication[part],
            labels=labels,
            count=there.astype(np.int64),
            mean=value,
            within=np.zeros((len(places.datasets), len(places.algorithms))),
            paired=True,
        )


def require_scale(frame: Frame, measure: Measure) -> None:
    """Raise a DesignError where a score has no finite value on the measure's modelling scale."""
    value = nw.col("value")
    if measure.scale == "identity":
        return
    legal = value > 0 if measure.scale == "log" else (value > 0) & (value < 1)
    bad = frame.filter((nw.col("measure") == measure.name) & ~legal)
    if count := n_rows(bad):
        legal_range = (
            "scores above 0" if measure.scale == "log" else "scores between 0 and 1, both excluded"
        )
        raise DesignError(
            f"{count} {'score' if count == 1 else 'scores'} of measure {measure.name!r} cannot be"
            f" put on the {measure.scale} scale.",
            where=first_rows(bad, ("dataset", "replication", "algorithm", "value")),
            hint=[
                f"the {measure.scale} scale takes {legal_range}:",
                (
                    'say Measure(scale="identity"), or move the scores away from the border and'
                    " say how."
                ),
            ],
        )


def on_scale(measure: Measure) -> nw.Expr:
    """Return the expression of the scores on the measure's modelling scale."""
    value = nw.col("value")
    if measure.scale == "log":
        return value.log()
    return (value / (1 - value)).log() if measure.scale == "logit" else value


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
        call alike has one position, and is distinguished by the data set.
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
    dataset: Codes
    algorithm: Codes
    replication: Codes
    value: Array
    covariate: Array
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
    constant: Mapping[str, Array]
    varying: Mapping[str, tuple[str, ...]]


def reduce_observations(
    frame: Frame,
    measure: Measure,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    covariates: Mapping[str, str],
    *,
    paired: bool,
) -> Observations:
    """Collect the scores of one measure with their covariates."""
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
    """Compute in the engine the range of each covariate within each data set."""
    columns = list(covariates.values())
    ends = [nw.col(c).min().alias(f"{c}_low") for c in columns]
    ends += [nw.col(c).max().alias(f"{c}_high") for c in columns]
    rows = frame.filter(nw.col("measure") == measure)
    table = rows.group_by("dataset").agg(*ends, nw.len().alias("n")).collect().to_arrow()
    where = coded(table.column("dataset"), datasets)[0]
    low, high = (np.full((len(datasets), len(columns)), np.nan) for _ in range(2))
    low[where] = matrix(table, [f"{c}_low" for c in columns])
    high[where] = matrix(table, [f"{c}_high" for c in columns])
    differ = low < high  # false for NaN, where there is no score
    constant: dict[str, Array] = {}
    varying: dict[str, tuple[str, ...]] = {}
    for i, name in enumerate(covariates):
        if differ[:, i].any():
            varying[name] = tuple(datasets[d] for d in np.flatnonzero(differ[:, i]))
        else:
            constant[name] = low[:, i] + 0.0
    return DatasetCovariates(datasets, constant, varying)


def rows_of_domains(cells: Cells, domains: Mapping[str, str] | None) -> Frame:
    """Return one row for each domain and algorithm: the mean of the means of its data sets.

    The mean is taken on the scale of the measure and turned back to its unit. Data sets weigh
    equally within a domain. Where an algorithm lacks some of them, means are those of an additive
    fit of data sets and algorithms to the domain; an algorithm that shares no data set of the
    domain with most others has no mean there.

    Parameters
    ----------
    cells
        Means of the data sets and algorithms.
    domains
        Data set to domain.

    Raises
    ------
    DesignError
        The table names no domains.
    """
    if domains is None:
        raise DesignError(
            "the table names no domains.",
            hint='a column with the role domain says which data sets are alike: columns={"NAME":'
            ' "domain"}.',
        )
    import pyarrow as pa

    of = np.array([domains[name] for name in cells.datasets])
    rows: dict[str, list[str]] = {"dataset": [], "algorithm": []}
    values: list[float] = []
    for name in sorted(set(domains.values())):
        levels = domain_levels(cells.mean[of == name])
        for k in np.flatnonzero(np.isfinite(levels)).tolist():
            rows["dataset"].append(name)
            rows["algorithm"].append(cells.algorithms[k])
            values.append(float(cells.measure.level_of(levels[k])))
    table = {
        "dataset": rows["dataset"],
        "replication": ["1"] * len(values),
        "algorithm": rows["algorithm"],
        "measure": [cells.measure.name] * len(values),
        "value": values,
    }
    return nw.from_native(pa.table(table)).lazy()
