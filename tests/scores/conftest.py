"""The engines, and small tables to put into them."""

from collections.abc import Callable, Mapping, Sequence

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

type Columns = Mapping[str, Sequence[object]]


def _pandas(columns: Columns) -> object:
    return pd.DataFrame({name: list(values) for name, values in columns.items()})


def _polars(columns: Columns) -> object:
    return pl.DataFrame(dict(columns))


def _polars_lazy(columns: Columns) -> object:
    return pl.LazyFrame(dict(columns))


def _pyarrow(columns: Columns) -> object:
    return pa.table({name: list(values) for name, values in columns.items()})


def _duckdb(columns: Columns) -> object:
    return duckdb.from_arrow(_pyarrow(columns))


def _dask(columns: Columns) -> object:
    dd = pytest.importorskip("dask.dataframe")
    return dd.from_pandas(_pandas(columns), npartitions=2)


ENGINES: dict[str, Callable[[Columns], object]] = {
    "pandas": _pandas,
    "polars": _polars,
    "polars-lazy": _polars_lazy,
    "pyarrow": _pyarrow,
    "duckdb": _duckdb,
}


@pytest.fixture(params=[*ENGINES, "dask"])
def engine(request: pytest.FixtureRequest) -> Callable[[Columns], object]:
    """Each engine in turn: columns to its frame."""
    return _dask if request.param == "dask" else ENGINES[request.param]


def long(datasets: int = 3, replications: int = 4, algorithms: int = 3, seed: int = 0) -> dict:
    """Make a balanced long table of scores between 0 and 1."""
    d, r, k = (i.ravel() for i in np.indices((datasets, replications, algorithms)))
    rng = np.random.default_rng(seed)
    return {
        "dataset": [f"d{i}" for i in d],
        "replication": r.tolist(),
        "algorithm": [f"a{i}" for i in k],
        "score": rng.uniform(0.1, 0.9, d.size).tolist(),
    }


@pytest.fixture
def balanced() -> pd.DataFrame:
    """Three data sets, four replications, three algorithms."""
    return pd.DataFrame(long())


@pytest.fixture
def make() -> Callable[..., dict]:
    """The maker of balanced tables."""
    return long
