"""Choices of algorithm, data set and further labels, each with a weight of evidence."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchinfer.scores.roles.dependencies import crossing_rate
from benchinfer.scores.roles.directions import direction, plain
from benchinfer.scores.roles.effects import Effect
from benchinfer.scores.roles.labels import known_labels, like_replications
from benchinfer.scores.roles.names import ITEMS, OWN
from benchinfer.scores.roles.profile import ColumnProfile
from benchinfer.scores.roles.structure import Structure
from benchinfer.scores.roles.vetoes import DECLARED, may_be_algorithm, may_be_dataset

MOST_ALGORITHMS = 200  # of a table that nobody declares
_ITEM = 8.0  # evidence for items as replications of a data set that has a column
MOST_LEVELS = 12  # of a factor that nobody declares
_MOST_CHOICES = 81  # of the further labels, for one pair of algorithm and data set


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """Roles of the label columns of a table.

    Attributes
    ----------
    weight
        Evidence for these roles, on an arbitrary scale.
    algorithm, dataset
        Their columns, if they have some.
    keys
        All label columns that tell rows apart.
    roles
        Column to role, of all columns that are settled.
    """

    weight: float
    algorithm: ColumnProfile | None
    dataset: ColumnProfile | None
    keys: tuple[ColumnProfile, ...]
    roles: dict[str, str]

    def of(self, *roles: str) -> list[ColumnProfile]:
        """Return the key columns of these roles."""
        return [k for k in self.keys if self.roles.get(k.name) in roles]


def crossings(table: Structure) -> Iterator[Crossing]:
    """Yield the roles that label columns may have."""
    key = table.key
    single = [c for c in table.columns if table.fixed.get(c.name) == "algorithm"]
    if single and not any(c.named("algorithm") >= OWN for c in key):
        return  # one algorithm
    fixed = {n: "ignored: constant" if r == "algorithm" else r for n, r in table.fixed.items()}
    answers = [k for k in key if k.named("replication") >= OWN and not _is_item(k)]
    # Items are replications of a data set that has a column, unless their answers are repeated.
    one_set = "dataset" in fixed.values() and not answers
    for keys, nested in _variants(table):
        for algorithm, dataset in _pairs(keys):
            weight = _weight_of_pair(table, algorithm, dataset, nested=bool(nested))
            if weight is None:
                continue
            weight -= _ITEM * (one_set and dataset is not None and _is_item(dataset))
            rest = [k for k in keys if k is not algorithm and k is not dataset]
            items = [k for k in rest if one_set and dataset is None and _is_item(k)]
            options = [
                [(_ITEM, "replication", k.name)]
                if k in items
                else _further_roles(k, table.effects.get(k.name), algorithm, dataset)
                for k in rest
            ]
            options += [_nested_roles(key, nested, dataset)] if nested else []
            base = {n: role for n, role in fixed.items() if n not in nested.values()}
            base |= {algorithm.name: "algorithm"} if algorithm else {}
            base |= {dataset.name: "dataset"} if dataset else {}
            for chosen in itertools.islice(itertools.product(*options), _MOST_CHOICES):
                roles = base | {name: role for _, role, name in chosen}
                if [*roles.values()].count("measure") > 1:
                    continue
                total = weight + sum(part for part, _, _ in chosen)
                yield Crossing(total, algorithm, dataset, keys, roles)


def _pairs(
    keys: Sequence[ColumnProfile],
) -> Iterator[tuple[ColumnProfile | None, ColumnProfile | None]]:
    """Yield the pairs of algorithm and data set that columns may be; None stands for no column.

    Where algorithms are declared, the first is of these.
    """
    declared = [k for k in keys if k.named("algorithm") >= DECLARED]
    for algorithm, dataset in itertools.product((None, *keys), repeat=2):
        same = algorithm is dataset and (algorithm is not None or len(keys) > 1)
        other = bool(declared) and algorithm not in declared
        if same or other or (algorithm is not None and not may_be_algorithm(algorithm)):
            continue
        if dataset is None or may_be_dataset(dataset):
            yield algorithm, dataset


def _variants(table: Structure) -> Iterator[tuple[tuple[ColumnProfile, ...], dict[str, str]]]:
    """Yield the key columns, and those with a coarser column in place of a nested one."""
    yield table.key, {}
    if table.row_label is not None:
        return
    for column in table.key:
        for parent in table.parents.get(column.name, ()):
            if 2 <= parent.n < column.n:
                keys = tuple(parent if k is column else k for k in table.key)
                yield keys, {column.name: parent.name}


def _is_item(column: ColumnProfile) -> bool:
    """Return whether a column is named as items, which are replications within a data set."""
    return plain(column.name) in ITEMS


def lead(column: ColumnProfile, role: str) -> float:
    """Return how far a name suggests a role, and not another one."""
    weight = column.suggested.get(role, 0.0)
    other = max((w for r, w in column.suggested.items() if r != role), default=0.0)
    return weight - (0.9 * other if weight < other else 0.0)


def _weight_of_pair(
    table: Structure,
    algorithm: ColumnProfile | None,
    dataset: ColumnProfile | None,
    *,
    nested: bool,
) -> float | None:
    """Return the evidence for a pair of algorithm and data set; None where they do not cross."""
    weight = _as_algorithm(algorithm) if algorithm else 0.0
    weight += _as_dataset(dataset) if dataset else 0.0
    if algorithm is None or dataset is None:
        return weight
    rate = crossing_rate(algorithm, dataset)
    if rate * min(algorithm.n, dataset.n) < 1.3:
        return None
    weight += 2.5 * rate - 1.0
    weight += float(np.clip(0.25 * np.log2(dataset.n / algorithm.n), -0.8, 0.8))
    if not nested and {algorithm.name, dataset.name} <= table.effects.keys():
        larger = table.effects[dataset.name].size - table.effects[algorithm.name].size
        weight += float(np.clip(0.7 * larger, -2.0, 2.0))
    return weight


def _as_algorithm(column: ColumnProfile) -> float:
    """Return the evidence that a column holds algorithms."""
    weight = lead(column, "algorithm") + {"text": 0.8, "whole": -1.2}.get(column.kind, -2.5)
    weight -= 0.15 * np.log2(max(column.n, 2)) + 3.0 * (column.n > 60) + 4.0 * (column.n > 200)
    weight -= 2.0 * (column.unique and column.n > 60)
    weight += 1.5 * known_labels(column.labels) - 1.5 * column.counts()
    weight -= 2.0 * (column.missing > 0.02)
    return float(weight)


def _as_dataset(column: ColumnProfile) -> float:
    """Return the evidence that a column holds data sets."""
    weight = lead(column, "dataset") + {"text": 0.6, "whole": -0.4}.get(column.kind, -2.5)
    weight -= 0.8 * (column.n == 2) + 2.2 * column.counts() + 2.0 * (column.missing > 0.02)
    weight -= 1.5 * known_labels(column.labels) + 2.0 * like_replications(column.labels)
    return float(weight + 0.05 * np.log2(max(column.n, 2)))


def _further_roles(
    column: ColumnProfile,
    effect: Effect | None,
    algorithm: ColumnProfile | None,
    dataset: ColumnProfile | None,
) -> list[tuple[float, str, str]]:
    """Return roles of a key column that is neither algorithm nor data set, the likeliest first."""
    ratio = effect.ratio if effect else 0.0
    text = column.kind == "text"
    replication = lead(column, "replication") + 3.0 * like_replications(column.labels)
    replication += {"whole": 0.6, "text": -0.9}.get(column.kind, -2.0) + 1.1 * column.counts()
    replication += float(np.clip(1.2 - 0.5 * ratio, -1.5, 1.2))
    # A few levels that cross all others are factors, no repeated answer, unless they may count.
    repeated = column.named("replication") > 0 or like_replications(column.labels) > 0
    levels = column.kind != "whole" and column.n <= MOST_LEVELS
    replication -= 9.0 * (levels and not repeated)
    factor = lead(column, "factor") - 0.3 + {"real": 0.6, "boolean": 0.6}.get(column.kind, 0.0)
    if column.named("attribute", "companion") >= OWN:  # a size or version that crosses all others
        factor, replication = factor - lead(column, "factor"), -9.0
    # A second column of algorithms is a factor beside those that are declared.
    declared = algorithm is not None and algorithm.named("algorithm") >= DECLARED
    least = DECLARED if declared else OWN
    factor += 0.3 if column.n <= 6 else -0.4 if column.n <= MOST_LEVELS else -3.0
    of_measures = sum(bool(direction(label)) for label in column.labels) / max(
        1, len(column.labels)
    )
    weights = {
        "replication": replication,
        "factor": factor if column.named("replication") < OWN else -9.0,
        "measure": lead(column, "measure") - 1.5 + 4.0 * of_measures * text
        if column.named("measure") or of_measures >= 0.5
        else -9.0,
        "dataset": lead(column, "dataset") - 1.6
        if dataset is not None and may_be_dataset(column)
        else -9.0,
        "algorithm": lead(column, "algorithm") - 0.6
        if column.named("algorithm") >= least
        else -9.0,
        "status": lead(column, "status") - 2.5 - 2.0 * column.balanced if text else -9.0,
    }
    if column.of_measures and max(column.suggested.values(), default=0.0) < DECLARED:
        weights = {"measure": weights["measure"]}
    ranked = sorted(weights.items(), key=lambda item: -item[1])[:3]
    return [(weight, role, column.name) for role, weight in ranked]


def _nested_roles(
    key: Sequence[ColumnProfile], nested: dict[str, str], dataset: ColumnProfile | None
) -> list[tuple[float, str, str]]:
    """Return the role of the nested column in whose place a coarser one stands: its units."""
    ((inner, outer),) = nested.items()
    column = next(k for k in key if k.name == inner)
    of_dataset = dataset is not None and outer == dataset.name
    known = max(lead(column, "replication"), 0.6 * lead(column, "dataset") * of_dataset)
    weight = known - 2.2 + max(0.0, -lead(column, "algorithm"))
    weight += 2.0 * (of_dataset and _is_item(column))
    return [(weight, "replication" if of_dataset else "unit", inner)]
