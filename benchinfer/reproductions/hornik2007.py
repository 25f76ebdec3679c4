"""Hornik and Meyer (2007): consensus of benchmarks of support vector machines."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import benchinfer as bi
from benchinfer.relations.consensus.consensus import Family
from benchinfer.reproductions.entry import Entry, SourceFile, numbers, relations_of

_KINDS = ("classification", "regression")
_FAMILIES: tuple[Family, ...] = ("linear", "weak", "partial")
_COST = dict(zip(product(_KINDS, _FAMILIES), (1866, 1807, 1505, 313, 297, 195), strict=True))
_OPTIMA = dict(zip(_COST, (4, 4, 2, 12, 2, 6), strict=True))


def _compute(*paths: Path) -> Mapping[str, float]:
    numbers: dict[str, float] = {}
    ensembles = {
        kind: bi.Ensemble(relations_of(path, "relations"))
        for kind, path in zip(_KINDS, paths, strict=True)
    }
    for kind, family in _COST:
        # Failures are incomparable, as R reads them.
        order = bi.consensus(
            ensembles[kind], family=family, solutions="all", missing_pairs="undecided"
        )
        numbers[f"{kind}, {family}: cost"] = float(order.cost or 0)
        numbers[f"{kind}, {family}: optima"] = len(order.relations())
    return numbers


_PACKAGE = "R package relations, SVM_Benchmarking_{}, written as the page says"
ENTRY = Entry(
    name="hornik2007",
    study="hornik2007",
    title="Consensus of benchmarks of support vector machines",
    files=tuple(SourceFile(f"svm_{kind}.csv", _PACKAGE.format(kind.title())) for kind in _KINDS),
    licence="GPL-2 (relations)",
    published=(
        *numbers("package data", {f"{k}, {f}: cost": v for (k, f), v in _COST.items()}, 0),
        *numbers("package data", {f"{k}, {f}: optima": v for (k, f), v in _OPTIMA.items()}, 0),
    ),
    compute=_compute,
)
