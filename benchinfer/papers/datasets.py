"""Tables of levels on data sets, or in groups of data sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.comparison.effects import level_writer, mean_writer
from benchinfer.comparison.sections import WITHIN, decision
from benchinfer.comparison.wording import level_marks, reversals
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, decimals, fixed, places, significant
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.ties import ranked_rows
from benchinfer.numerics.types import Array
from benchinfer.papers.algorithms import (
    control,
    reading_of_letters,
    reference,
    words,
)
from benchinfer.papers.styler import PaperTable, Series, one_line, series

if TYPE_CHECKING:
    from benchinfer.analyses.subgroups.subgroups import Subgroups
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.per_dataset import Comparisons
    from benchinfer.core.measure import Measure
    from benchinfer.scores.table import ScoreTable

type Write = Callable[[float], str]
_MARKS = {
    Verdict.FIRST: "\N{SUPERSCRIPT PLUS SIGN}",
    Verdict.SECOND: "\N{SUPERSCRIPT MINUS}",
    Verdict.EQUIVALENT: "\N{SUPERSCRIPT EQUALS SIGN}",
}


@dataclass(frozen=True, slots=True)
class LocalLevels:
    """Levels of algorithms on data sets."""

    measure: Measure
    # datasets, algorithms: the D and K names
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    levels: Array  # (D, K) levels in the measure's own unit, NaN where there is none
    errors: Array  # (D, K) their standard errors, NaN where not known
    noun: str  # what they are: means, levels, scores

    def of(self, algorithms: Sequence[str]) -> LocalLevels:
        """Return the levels of some algorithms, in the order of their names in the argument."""
        at = [self.algorithms.index(name) for name in algorithms]
        levels, errors = self.levels[:, at], self.errors[:, at]
        return LocalLevels(
            self.measure, self.datasets, tuple(algorithms), levels, errors, self.noun
        )

    def writers(self) -> list[Write]:
        """Return a formatter for the levels of each data set, with digits by their standard errors.

        Where errors are not known, by the steps between the levels, and with three digits at least.
        """
        if self.measure.scale != "identity":
            return [significant] * len(self.levels)
        steps = np.diff(np.sort(self.levels, axis=1), axis=1)
        common = min(decimals(steps[np.isfinite(steps)].tolist()), _exact(self.levels))
        return [
            places(decimals(errors.tolist()) if np.isfinite(errors).any() else max(common, least))
            for errors, least in zip(self.errors, map(_least, self.levels), strict=True)
        ]

    def ranks(self) -> Array:
        """Return (K,) mean ranks, 1 best, over data sets without gaps; NaN if there are none."""
        complete = self.levels[np.isfinite(self.levels).all(axis=1)]
        if not len(complete):
            return np.full(self.levels.shape[1], np.nan)
        return ranked_rows(-self.measure.sign * complete).mean(axis=0)


@dataclass(frozen=True, slots=True)
class Below:
    """A summary row below the data sets: its head, its values and their texts.

    There is one of each for each algorithm, those left out at the end included.
    """

    head: str
    values: Sequence[float | str]
    texts: Sequence[str]


def _exact(levels: Array) -> int:
    """Return the number of decimals that represents levels exactly, at most 8."""
    known = levels[np.isfinite(levels)]
    return next((n for n in range(8) if np.allclose(known, known.round(n), 0, 1e-9)), 8)


def _least(levels: Array) -> int:
    """Return the number of decimals that shows three digits of the largest level."""
    largest = np.nanmax(np.abs(levels), initial=0.0)
    needed = 2 - int(np.floor(np.log10(largest))) if largest > 0 else 0
    return min(max(0, needed), _exact(levels))


def of_scores(result: Comparison, scores: ScoreTable | None) -> LocalLevels:
    """Return the mean score of each algorithm on each data set.

    Raises
    ------
    DesignError
        There are no scores, or not those that the result was made from.
    """
    setting = result.setting
    if scores is None:
        raise DesignError(
            "a result holds no levels of data sets.",
            hint="the table of scores has them.",
        )
    if scores.digest != setting.digest:
        raise DesignError(
            "the scores are not those that the result was made from.",
            hint="take the table that was compared, with all its measures.",
        )
    name = result.provenance.arguments.get("measure")
    cells = scores.cells(None if name is None else str(name))
    rows, columns = setting.coverage.datasets, setting.algorithms
    at = np.ix_(
        [cells.datasets.index(d) for d in rows], [cells.algorithms.index(k) for k in columns]
    )
    n, mean, sd = cells.n[at], cells.mean[at], cells.sd[at]
    noun = "scores" if n.max() == 1 else "means"
    errors = sd / np.sqrt(np.where(n > 0, n, np.nan))
    return LocalLevels(cells.measure, rows, columns, cells.measure.level_of(mean), errors, noun)


def by_dataset(
    result: Comparison,
    scores: ScoreTable | None = None,
    against: str | None = None,
    top: int | None = None,
) -> PaperTable:
    """Return the table of levels by data set, with mean ranks and overall levels below."""
    order = result.ranking()
    local = of_scores(result, scores).of(order)
    plain, other = (
        replace(measure, tolerance=0.0, bounds=None) for measure in (local.measure, result.measure)
    )
    same = plain == other
    overall = result.summary()
    summary = overall.set_index("algorithm").reindex(list(order))
    tested = same and "mean_rank" in summary
    ranks = summary["mean_rank"].to_numpy() if tested else local.ranks()
    below = [Below("mean rank", list(ranks), [fixed(rank, 2) for rank in ranks])]
    if same and result.levels.name != "mean rank":
        levels, write = summary["estimate"].tolist(), level_writer(result, overall)
        marks = (level_marks(result)[name] for name in order)
        texts = [f"{write(value)}{mark}" for value, mark in zip(levels, marks, strict=True)]
        below.append(Below("all data sets", levels, texts))
    if same and "mean" in summary:
        means, write = summary["mean"].tolist(), mean_writer(result, overall)
        below.append(Below(result.measure.average, means, [write(value) for value in means]))
    marks = marks_below(result, order, against) if same else []
    compared = "the level that is compared"
    if result.levels.name:
        ends = ", which is compared" if result.levels.order is None else ""
        compared = f"the {one_line(result.level_name)}{ends}"
    notes = [
        f"{local.noun.capitalize()} of each data set, the best in bold type.",
        *_of_ranks(local, tested=tested),
        *([f"All data sets: {compared}."] if same else []),
        *filter(None, [reversals(result) if same else ""]),
        *(reading(result, row.head) for row in marks),
    ]
    return laid_out(local, [*below, *marks], tuple(notes), top)


def _of_ranks(local: LocalLevels, *, tested: bool) -> list[str]:
    """Return a note where mean ranks are those of the test, or not of all data sets."""
    gaps = int((~np.isfinite(local.levels).all(axis=1)).sum())
    if tested:
        return ["Mean ranks are those of the test."]
    if gaps == len(local.levels):
        return ["No data set has all algorithms, so there are no mean ranks."]
    return [f"Mean ranks leave out {count(gaps, 'data set')} with gaps."] if gaps else []


def marks_below(result: Comparison, order: Sequence[str], against: str | None) -> list[Below]:
    """Return the row of letters, or of marks against a control or another algorithm."""
    letters = {} if against else result.letters()
    if letters:
        groups = [letters[name] for name in order]
        return [Below("letters", groups, groups)]
    chosen = against or control(result)
    chosen = reference(result, chosen) if chosen else None
    if chosen is None:
        return []
    relation = result.relation()
    at = relation.algorithms.index(chosen)
    states = [relation.states[relation.algorithms.index(name), at] for name in order]
    signs = {Verdict.FIRST: "+", Verdict.SECOND: "\N{MINUS SIGN}", Verdict.EQUIVALENT: "="}
    marks = [
        "" if name == chosen else signs.get(Verdict(int(state)), "?")
        for name, state in zip(order, states, strict=True)
    ]
    return [Below(f"against {one_line(chosen)}", marks, marks)]


def reading(result: Comparison, head: str) -> str:
    """Return the note that explains a row of letters or of marks."""
    if head == "letters":
        return reading_of_letters(result)
    better = result._comparative
    return (
        f"{head[:1].upper()}{head[1:]}: + {better.first}, \N{MINUS SIGN} {better.second},"
        " = equivalent, ? undecided."
    )


def laid_out(
    local: LocalLevels,
    below: Sequence[Below],
    notes: tuple[str, ...],
    top: int | None = None,
    marks: Sequence[Sequence[str]] = (),
) -> PaperTable:
    """Return the table of levels by data set, with summary rows and the best levels in bold."""
    shown = local.algorithms[:top]
    texts = [
        [write(value) for value in row]
        for write, row in zip(local.writers(), local.levels, strict=True)
    ]
    oriented = np.nan_to_num(local.measure.sign * local.levels, nan=-np.inf)
    best = [row[at] for row, at in zip(texts, oriented.argmax(axis=1), strict=True)]
    known = np.isfinite(local.levels[:, : len(shown)])
    bold = frozenset((i, 1 + j) for i, j in np.argwhere(known).tolist() if texts[i][j] == best[i])
    key = "dataset"
    while key in shown:  # the key of the first column is no algorithm's name
        key += "_"
    heads = [row.head for row in below]
    names = [*map(one_line, local.datasets), *heads]
    columns = [series(key, [*local.datasets, *heads], names, "data set", "name")]
    for j, name in enumerate(shown):
        values = [*local.levels[:, j], *(row.values[j] for row in below)]
        signs = [row[j] for row in marks] or [""] * len(texts)
        cells = [row[j] + sign for row, sign in zip(texts, signs, strict=True)]
        cells += [row.texts[j] for row in below]
        columns.append(series(name, values, cells, one_line(name), "number"))
    left_out = len(local.algorithms) - len(shown)
    more = (f"{count(left_out, 'algorithm')} further down left out.",) if left_out else ()
    d, k = local.levels.shape
    caption = (
        f"{count(k, 'algorithm')}, best first, on {count(d, 'data set')}:"
        f" {one_line(local.measure.title)} ({local.measure.better} is better)."
    )
    label = f"{local.measure.name} data sets"
    return PaperTable.of(columns, label, caption, (*notes, *more), bold, len(below))


def each_dataset(
    results: Comparisons, against: str | None = None, top: int | None = None
) -> PaperTable:
    """Return the table of comparisons per data set, with marks against the best or a control."""
    first = next(iter(results.values()))
    names = sorted({name for result in results.values() for name in result.algorithms})
    levels = np.full((len(results), len(names)), np.nan)
    errors = levels.copy()
    for d, result in enumerate(results.values()):
        at = [names.index(name) for name in result.algorithms]
        summary = result.summary()
        levels[d, at] = summary["estimate"]
        if "conf_low" in summary:
            errors[d, at] = (summary["conf_high"] - summary["conf_low"]) / 4
    measure = replace(first.measure, better=first.level_better)
    if first.levels.name:
        measure = replace(measure, label=first.level_name)
    by_name = LocalLevels(measure, tuple(results), tuple(names), levels, errors, "levels")
    missing = -np.isfinite(levels).sum(axis=0)  # of equal ranks, most data sets first
    order = [names[j] for j in np.lexsort((missing, np.nan_to_num(by_name.ranks())))]
    local = by_name.of(order)
    chosen = against or control(first)
    marks = [[_mark(result, name, chosen) for name in order] for result in results.values()]
    ranks = local.ranks()
    below = [Below("mean rank", list(ranks), [fixed(rank, 2) for rank in ranks])]
    compared = one_line(chosen) if chosen else "the best of the data set"
    better = first._comparative
    marked = (
        f"Against {compared}: {_MARKS[Verdict.FIRST]} {better.first}, {_MARKS[Verdict.SECOND]}"
        f" {better.second},"
        f" {_MARKS[Verdict.EQUIVALENT]} equivalent, without a mark undecided."
    )
    notes = (
        "Levels of each data set by itself, the best in bold type.",
        *_of_ranks(local, tested=False),
        marked,
        *results.rules,
        *([WITHIN] if "p_value" in results.contrasts(all=True) else []),
    )
    return laid_out(local, below, notes, top, marks)


def _mark(result: Comparison, name: str, chosen: str | None) -> str:
    """Return the mark of an algorithm against another one, or the best, on a data set."""
    other = chosen or result.ranking()[0]
    if name == other or not {name, other} <= set(result.algorithms):
        return ""
    relation = result.relation()
    i, j = relation.algorithms.index(name), relation.algorithms.index(other)
    return _MARKS.get(Verdict(int(relation.states[i, j])), "")


@dataclass(frozen=True, slots=True)
class LeafColumn:
    """Levels of K algorithms in a leaf."""

    head: str  # the leaf, with its number of data sets
    # levels, texts: (K,) levels in the measure's own unit, NaN where there is none, and how they
    # are written
    levels: list[float]
    texts: list[str]
    marks: list[str]  # (K,) letters or, where there are none, verdicts against a control
    best: list[int]  # positions of the algorithms that are written with the best level


def by_leaf(
    groups: Subgroups, rows: Literal["algorithms", "leaves"], top: int | None = None
) -> PaperTable:
    """Return the table of groups of data sets, with algorithms or groups in rows."""
    order, first = _mean_order(groups), next(iter(groups.values()))
    shown = order[:top]
    marked = marks_below(first, first.ranking(), None)
    kind = marked[0].head if marked else ""
    width = 2 if kind else 1
    leaves = [_leaf(name, groups, shown) for name in groups]
    if rows == "algorithms":
        columns = [words("algorithm", shown, "algorithm", "name")]
        for name, leaf in zip(groups, leaves, strict=True):
            columns += _cells(name, leaf.head, leaf.levels, leaf.texts, leaf.marks, kind)
        bold = {(i, 1 + j * width) for j, leaf in enumerate(leaves) for i in leaf.best}
    else:
        sizes = [len(groups.datasets[name]) for name in groups]
        conditions = [_condition(name) for name in groups]
        columns = [
            series("leaf", [*groups], conditions, "data sets", "name"),
            series("n_datasets", sizes, [str(n) for n in sizes], "number", "number"),
        ]
        for k, name in enumerate(shown):
            levels, texts, marks = (
                [getattr(leaf, part)[k] for leaf in leaves] for part in ("levels", "texts", "marks")
            )
            columns += _cells(name, one_line(name), levels, texts, marks, kind)
        bold = {(i, 2 + k * width) for i, leaf in enumerate(leaves) for k in leaf.best}
    measure, n = first.measure, sum(map(len, groups.datasets.values()))
    caption = (
        f"{count(len(groups), 'group')} of {count(n, 'data set')}: {one_line(measure.title)}"
        f" ({measure.better} is better)."
    )
    notes = _leaf_notes(groups, first, kind, len(order) - len(shown))
    return PaperTable.of(columns, f"{measure.name} groups", caption, notes, frozenset(bold))


def _mean_order(groups: Subgroups) -> list[str]:
    """Return the algorithms by their mean place over leaves, weighted by their data sets."""
    places = dict[str, list[tuple[int, int]]]()
    for leaf, result in groups.items():
        for place, name in enumerate(result.ranking()):
            places.setdefault(name, []).append((place, len(groups.datasets[leaf])))
    means = {
        name: sum(place * n for place, n in weighted) / sum(n for _, n in weighted)
        for name, weighted in places.items()
    }
    return sorted(means, key=means.__getitem__)


def _leaf(name: str, groups: Subgroups, shown: Sequence[str]) -> LeafColumn:
    """Return the levels of some algorithms in a leaf."""
    result, n = groups[name], len(groups.datasets[name])
    summary = result.summary()
    write = level_writer(result, summary)
    known = summary.set_index("algorithm")["estimate"]
    best = write(known[result.ranking()[0]])
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
    """Return the name of a leaf as printed, with a single sign for ``<=``."""
    return one_line(leaf).replace(" <= ", " \N{LESS-THAN OR EQUAL TO} ")


def _cells(
    name: str, head: str, levels: list[float], texts: list[str], marks: list[str], kind: str
) -> list[Series]:
    """Return the columns of levels and of marks under one head."""
    level = series(name, levels, texts, head, "number", head, "level")
    if not kind:
        return [level]
    return [level, series(f"{name} {kind}", marks, marks, f"{head}, {kind}", "text", head, kind)]


def _leaf_notes(groups: Subgroups, first: Comparison, kind: str, left_out: int) -> tuple[str, ...]:
    """Return notes on levels, marks and the formation of groups, and on what is not shown."""
    order = (
        "Algorithms by their mean place over the groups, each with the weight of its number of data"
        " sets; the best of each group in bold type."
    )
    notes = [order]
    if first._relative:
        notes.append("Levels are relative to the mean of the algorithms.")
    if kind:
        notes.append(reading(first, kind))
    notes += [decision(first, 0.0), groups.rule, *groups.cautions]
    if groups.refused:
        notes.append(f"Not compared: {', '.join(map(_condition, groups.refused))}.")
    if left_out:
        notes.append(f"{count(left_out, 'algorithm')} further down left out.")
    return tuple(notes)
