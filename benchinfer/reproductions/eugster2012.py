"""Eugster, Hothorn and Leisch (2012): relations of data sets and their consensus."""

from collections.abc import Mapping
from pathlib import Path

import benchinfer as bi
from benchinfer.reproductions.entry import Entry, SourceFile, numbers, relations_of

_DOMAINS = {"UCI": "Misclassification", "grasshopper": "vmiscl"}


def _computed(path: Path, measure: str) -> Mapping[str, bi.Relation]:
    scores = bi.read_scores(path, measures=f"{measure}:lower", where=f"measure = '{measure}'")
    local = bi.per_dataset(
        bi.compare_mixed, scores, measure, structure="common", df="asymptotic", adjust="single-step"
    )
    return local.relations(rule="not-significant")  # R's benchmark calls such pairs equal


def _compute(*paths: Path) -> Mapping[str, float]:
    numbers: dict[str, float] = {}
    for n, (domain, measure) in enumerate(_DOMAINS.items()):
        theirs, ours = relations_of(paths[2 * n + 1], "better"), _computed(paths[2 * n], measure)
        agreeing = [int((ours[name].strict == theirs[name].strict).sum()) - 6 for name in theirs]
        numbers[f"{domain}: entries of relations that agree"] = sum(agreeing)
        order = bi.consensus(bi.Ensemble(theirs), family="linear")
        # R counts the six entries of the diagonal of each relation.
        numbers[f"{domain}: cost of the linear order"] = float(order.cost or 0) + 6 * len(theirs)
    return numbers


_PACKAGE = "R package benchmark 0.3-6, {}, written as the page says"
_FILES = {
    "uci21.csv": "uci621raw",
    "uci21_relations.csv": "uci621rel",
    "grasshopper33.csv": "ghraw",
    "grasshopper33_relations.csv": "ghrel",
}
ENTRY = Entry(
    name="eugster2012",
    study="eugster2012",
    title="Domain-based benchmark experiments",
    files=tuple(SourceFile(file, _PACKAGE.format(name)) for file, name in _FILES.items()),
    licence="GPL-2 or later (benchmark)",
    published=(
        *numbers("package data", {"UCI: entries of relations that agree": 630}, 0),
        *numbers("package data", {"grasshopper: entries of relations that agree": 990}, 0),
        *numbers("package demo", {"UCI: cost of the linear order": 300}, 0),
        *numbers("package demo", {"grasshopper: cost of the linear order": 337}, 0),
    ),
    compute=_compute,
)
