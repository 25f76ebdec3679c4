"""Tables of the groups of data sets of a tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.comparison.sections import decision, level_writer
from benchinfer.core.numbers import count
from benchinfer.papers.algorithms import Series, words
from benchinfer.papers.datasets import marks_below, reading
from benchinfer.papers.styler import Paper, PaperColumn, PaperTable, label, one_line

if TYPE_CHECKING:
    from benchinfer.analyses.subgroups.subgroups import Subgroups
    from benchinfer.comparison.comparison import Comparison


@dataclass(frozen=True, slots=True)
class LeafColumn:
    """What a leaf shows of each algorithm.

    Attributes
    ----------
    head
        The leaf, with its number of data sets.
    levels, texts
        (K,) levels in the measure's own unit, NaN where there is none, and how they are written.
    marks
        (K,) letters or, where there are none, verdicts against a control.
    best
        Positions of the algorithms that are written with the best level.
    """

    head: str
    levels: list[float]
    texts: list[str]
    marks: list[str]
    best: list[int]


def by_leaf(
    found: "Subgroups", rows: Literal["algorithms", "leaves"], top: int | None = None
) -> PaperTable:
    """Lay out groups of data sets: algorithms in rows and leaves in columns, or turned."""
    order = _order(found)
    shown, first = order[:top], next(iter(found.values()))
    marked = marks_below(first, first.ranking(), None)
    kind = marked[0].head if marked else ""
    width = 2 if kind else 1
    leaves = [_leaf(name, found, shown) for name in found]
    names = [one_line(name) for name in shown]
    if rows == "algorithms":
        columns = [words("algorithm", shown, "algorithm", "name")]
        for name, leaf in zip(found, leaves, strict=True):
            columns += _cells(name, leaf.head, leaf.levels, leaf.texts, leaf.marks, kind)
        strong = {(i, 1 + j * width) for j, leaf in enumerate(leaves) for i in leaf.best}
    else:
        sizes = [len(found.datasets[name]) for name in found]
        columns = [
            Series("leaf", [*found], PaperColumn("data sets", "name"), [*map(_condition, found)]),
            Series("n_datasets", sizes, PaperColumn("number"), [str(n) for n in sizes]),
        ]
        for k, name in enumerate(names):
            own = [[part[k] for part in (x.levels, x.texts, x.marks)] for x in leaves]
            levels, texts, marks = (list(part) for part in zip(*own, strict=True))
            columns += _cells(shown[k], name, levels, texts, marks, kind)
        strong = {(i, 2 + k * width) for i, leaf in enumerate(leaves) for k in leaf.best}
    left_out = len(order) - len(shown)
    notes = (*_notes(found, first, kind), *_left_out(found, left_out))
    return _laid_out(found, columns, notes, frozenset(strong))


def _order(found: "Subgroups") -> list[str]:
    """Return the algorithms by their mean place over leaves, weighted by their data sets."""
    places = dict[str, list[tuple[int, int]]]()
    for leaf, result in found.items():
        for place, name in enumerate(result.ranking()):
            places.setdefault(name, []).append((place, len(found.datasets[leaf])))
    means = {
        name: sum(place * n for place, n in own) / sum(n for _, n in own)
        for name, own in places.items()
    }
    return sorted(means, key=means.__getitem__)


def _leaf(name: str, found: "Subgroups", shown: Sequence[str]) -> LeafColumn:
    """Return what a leaf shows of some algorithms."""
    result, n = found[name], len(found.datasets[name])
    summary = result.summary()
    write = level_writer(result, summary)
    known = summary.set_index("algorithm")["estimate"]
    best = write(known.max() if result.level_better == "higher" else known.min())
    levels = known.reindex(list(shown)).tolist()
    texts = ["" if np.isnan(level) else write(level) for level in levels]
    ranking = result.ranking()
    marks = [
        dict(zip(ranking, row.texts, strict=True)) for row in marks_below(result, ranking, None)
    ]
    return LeafColumn(
        f"{_condition(name)} ({count(n, 'data set')})",
        levels,
        texts,
        [marks[0].get(algorithm, "") if marks else "" for algorithm in shown],
        [k for k, text in enumerate(texts) if text == best],
    )


def _condition(leaf: str) -> str:
    """Write the name of a leaf as it goes to print."""
    return one_line(leaf).replace(" <= ", " \N{LESS-THAN OR EQUAL TO} ")


def _cells(
    name: str, head: str, levels: list[float], texts: list[str], marks: list[str], kind: str
) -> list[Series]:
    """Return the columns of levels and of marks under one head."""
    level = Series(name, levels, PaperColumn(head, "number", head, "level"), texts)
    if not kind:
        return [level]
    looks = PaperColumn(f"{head}, {kind}", "text", head, kind)
    return [level, Series(f"{name} {kind}", marks, looks, marks)]


def _notes(found: "Subgroups", first: "Comparison", kind: str) -> list[str]:
    """Say how levels and marks are read, and how groups came about."""
    relative = ["Levels are relative to the mean of the algorithms."] if first.relative else []
    order = (
        "Algorithms by their mean place over the groups, each with the weight of its number of data"
        " sets; the best of each group in bold type."
    )
    return [
        order,
        *relative,
        *([reading(first, kind)] if kind else []),
        decision(first, 0.0),
        found.rule,
        *found.cautions,
    ]


def _left_out(found: "Subgroups", algorithms: int) -> list[str]:
    """Say what the table does not show."""
    told = list[str]()
    if found.refused:
        told.append(f"Not compared: {', '.join(map(_condition, found.refused))}.")
    if algorithms:
        told.append(f"{count(algorithms, 'algorithm')} further down left out.")
    return told


def _laid_out(
    found: "Subgroups",
    columns: Sequence[Series],
    notes: tuple[str, ...],
    strong: frozenset[tuple[int, int]],
) -> PaperTable:
    """Lay out columns as a table."""
    import pandas as pd

    values = dict[str, Sequence[object]]()
    for each in columns:
        name = each.name
        while name in values:  # an algorithm may be called as another column
            name += "_"
        values[name] = each.values
    frame = pd.DataFrame(values)
    texts = list(zip(*(each.texts for each in columns), strict=True))
    first = next(iter(found.values()))
    measure, n = first.measure, sum(map(len, found.datasets.values()))
    caption = (
        f"{count(len(found), 'group')} of {count(n, 'data set')}: {one_line(measure.title)}"
        f" ({measure.better} is better)."
    )
    looks, place = tuple(each.column for each in columns), label(f"{measure.name} groups")
    return PaperTable.of(frame, texts, Paper(looks, caption, notes, place, strong))
