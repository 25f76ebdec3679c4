"""Features of data sets: numbers and categories, one value for each data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import narwhals as nw
import numpy as np

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.saving import savable
from benchinfer.numerics.types import Array
from benchinfer.scores.columns.engines import engine_errors
from benchinfer.scores.columns.tables import column_roles, label, numbers
from benchinfer.scores.coverage import Finding, refuse
from benchinfer.scores.sources.files import as_files, open_source
from benchinfer.scores.sources.frames import Source

_SHOWN = 5
_DATASET = {"dataset": ("dataset", "data_set", "task", "problem", "data")}


@savable
@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of D data sets.

    Attributes
    ----------
    values
        (D,) numbers; of categories their codes; NaN where it is not known.
    levels
        Names of the categories; none of a number.
    ordered
        Whether the categories have an order.
    """

    values: Array
    levels: tuple[str, ...] = ()
    ordered: bool = False

    @property
    def content(self) -> tuple[list[float], tuple[str, ...], bool]:
        """Values, categories and their order, from which the fingerprint of a table is computed."""
        return self.values.tolist(), self.levels, self.ordered

    @property
    def categorical(self) -> bool:
        """True of categories without an order."""
        return bool(self.levels) and not self.ordered

    def at(self, rows: Sequence[int]) -> Feature:
        """Return the feature of some of the data sets."""
        return Feature(self.values[list(rows)], self.levels, self.ordered)

    def labels(self) -> list[float | str]:
        """Return numbers, or names of categories; an empty text where it is not known."""
        values = self.values.tolist()
        if not self.levels:
            return ["" if np.isnan(value) else value for value in values]
        return ["" if np.isnan(value) else self.levels[int(value)] for value in values]


type Described = tuple[Mapping[str, Feature], Sequence[str]]  # features, and the data sets


def differing_features(first: Described, second: Described) -> list[str]:
    """Return the names of features that two parts do not share, or in which they differ."""
    (a, first_datasets), (b, second_datasets) = first, second
    faults = sorted(set(a) ^ set(b))
    for name in sorted(set(a) & set(b)):
        one, two = a[name], b[name]
        kinds = {(bool(f.levels), f.ordered, f.levels if f.ordered else ()) for f in (one, two)}
        known = dict(zip(first_datasets, one.labels(), strict=True))
        values = zip(second_datasets, two.labels(), strict=True)
        if len(kinds) > 1 or any(known.get(d, value) != value for d, value in values):
            faults.append(name)
    return faults


def pool_features(
    first: Described, second: Described, datasets: Sequence[str]
) -> dict[str, Feature]:
    """Return the features of the data sets of two parts that do not differ."""
    pooled: dict[str, Feature] = {}
    for name, feature in first[0].items():
        known = dict(zip(second[1], second[0][name].labels(), strict=True))
        known |= dict(zip(first[1], feature.labels(), strict=True))
        labels = [known[dataset] for dataset in datasets]
        if feature.levels:
            texts = [str(value) for value in labels]
            pooled[name] = of_categories(texts, feature.levels if feature.ordered else None)
        else:
            pooled[name] = Feature(np.array([np.nan if x == "" else x for x in labels], float))
    return pooled


def of_categories(texts: Sequence[str], order: Sequence[str] | None = None) -> Feature:
    """Return a feature of categories, sorted by name where they have no order, empty if unknown."""
    there = set(texts) - {""}
    levels = tuple(x for x in order if x in there) if order else tuple(sorted(there))
    code = {name: float(n) for n, name in enumerate(levels)} | {"": np.nan}
    return Feature(np.array([code[text] for text in texts]), levels, order is not None)


def read_features(
    source: object,
    datasets: Sequence[str],
    table: Source,
    dataset_columns: Sequence[str],
    names: Mapping[str, str],
) -> dict[str, Feature]:
    """Read features and join them to data sets.

    Parameters
    ----------
    source
        A frame or a path with one row per data set, or the names of columns of the table of scores.
    datasets
        The data sets that have scores.
    table, dataset_columns
        The table of scores, and its columns that name data sets.
    names
        New names of data sets, by those of the features.

    Raises
    ------
    ScoreTableError
        All faults at once: data sets without features, or with two; features without any value;
        names that are no columns.
    """
    if isinstance(source, Sequence) and not isinstance(source, str):
        columns = [str(name) for name in cast("Sequence[object]", source)]
        read = _columns(table, dataset_columns, columns, names)
        return _joined(read, datasets, table.name, "column")
    origin = open_source(as_files(source), None)
    of, faults = column_roles(origin.names, {}, _DATASET)
    refuse(faults, origin.name)
    if "dataset" not in of:
        raise ScoreTableError(
            f"the features of {origin.name} have no column that names data sets.",
            hint=f"call it dataset; the table has: {', '.join(origin.names)}.",
        )
    columns = [name for name in origin.names if name != of["dataset"]]
    read = _columns(origin, [of["dataset"]], columns, names)
    return _joined(read, datasets, origin.name, "row", _orders(source, columns))


def _columns(
    origin: Source,
    dataset_columns: Sequence[str],
    names: Sequence[str],
    new_names: Mapping[str, str],
) -> dict[str, list[Any]]:
    """Return the data sets, under an empty name, and their features, each combination once."""
    if lacking := [name for name in names if name not in origin.names]:
        raise ScoreTableError(
            f"there is no column {', '.join(map(repr, lacking))} to be a feature.",
            hint=f"the table has: {', '.join(origin.names)}.",
        )
    if not dataset_columns:
        raise ScoreTableError(
            "features need a column that names data sets.",
            hint='columns={"NAME": "dataset"} says which column it is.',
        )
    with engine_errors(origin.name):
        frame, _ = origin.load([*dataset_columns, *names], [], [])
        rows = frame.select(*dict.fromkeys([*dataset_columns, *names])).unique().collect()
        table_rows = rows.to_arrow()
    parts = [table_rows.column(name).to_pylist() for name in dataset_columns]
    joined = ["/".join(map(label, row)) for row in zip(*parts, strict=True)]
    joined = [new_names.get(name, name) for name in joined]
    return {"": joined} | {name: table_rows.column(name).to_pylist() for name in names}


def _orders(source: object, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the categories of columns of a frame that have an order."""
    frame = nw.from_native(cast("Any", source), pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return {}
    kinds = frame.collect_schema()
    return {
        name: tuple(kind.categories) for name in names if isinstance(kind := kinds[name], nw.Enum)
    }


def _joined(
    read: Mapping[str, list[Any]],
    datasets: Sequence[str],
    name: str,
    unit: str,
    orders: Mapping[str, tuple[str, ...]] | None = None,
) -> dict[str, Feature]:
    """Return the features in the order of the data sets; raise an error where they do not match."""
    row_of: dict[str, int] = {}
    twice: dict[str, None] = {}
    for row, dataset in enumerate(read[""]):
        if row_of.setdefault(dataset, row) != row:
            twice[dataset] = None
    faults = _misfits(row_of, list(twice), datasets, unit)
    rows = [row_of[dataset] for dataset in datasets if dataset in row_of]
    features: dict[str, Feature] = {}
    for column, cells in read.items():
        if column == "":
            continue
        texts = [label(cells[row]) for row in rows]
        if texts and not any(texts):
            faults.append(
                _fault("feature missing", [column], "feature has no values.", "leave it out.")
            )
        order = (orders or {}).get(column)
        values, wrong = numbers(column, texts)
        categorical = wrong or order is not None or not texts
        features[column] = of_categories(texts, order) if categorical else Feature(values)
        if np.isinf(features[column].values).any():
            faults.append(
                _fault(
                    "feature not finite", [column], "feature has infinite values.", "correct them."
                )
            )
    refuse(faults, name)
    return features


def characteristics(
    features: Mapping[str, Feature],
    constant: Mapping[str, Array],
    domains: Sequence[str] | None,
) -> dict[str, Feature]:
    """Return features of data sets, with covariates that are constant there and their domains."""
    named = {name: Feature(values) for name, values in constant.items()} | dict(features)
    if domains is not None:
        named.setdefault("domain", of_categories(domains))
    return named


def _misfits(
    row_of: Mapping[str, int], twice: list[str], datasets: Sequence[str], unit: str
) -> list[Finding]:
    """Report data sets with two rows of features, and those with none, or without scores."""
    faults: list[Finding] = []
    if twice:
        what = (
            "data sets have several rows of features that differ."
            if unit == "row"
            else "data sets have several values of a column that is to be a feature."
        )
        hint = "a feature has one value for each data set: keep one row, or leave it out."
        faults.append(_fault("repeated features", twice, what, hint))
    if lacking := [dataset for dataset in datasets if dataset not in row_of]:
        unknown = sorted(set(row_of) - set(datasets))
        hint = "add them, or leave these data sets out of the table of scores."
        if unknown:
            hint += f"\nfeatures without scores: {', '.join(unknown[:_SHOWN])}."
        faults.append(_fault("no features", lacking, "data sets have no features.", hint))
    return faults


def _fault(rule: str, names: Sequence[str], what: str, hint: str) -> Finding:
    where = (("name",), *((name,) for name in names[:_SHOWN]))
    return Finding(rule, "error", len(names), f"{len(names)} {what}", where, hint)
