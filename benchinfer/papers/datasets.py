"""Tables with a data set in each row and an algorithm in each column."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.sections import WITHIN, level_writer, mean_writer
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import Either
from benchinfer.core.numbers import count, decimals, fixed, places, significant
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.ties import ranked_rows
from benchinfer.numerics.types import Array
from benchinfer.papers.algorithms import control, letters, reading_of_letters, reference
from benchinfer.papers.styler import Paper, PaperColumn, PaperTable, label, one_line

if TYPE_CHECKING:
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
    """Levels of algorithms on data sets.

    Attributes
    ----------
    measure
        Their measure.
    datasets, algorithms
        The D and K names.
    levels
        (D, K) levels in the measure's own unit, NaN where there is none.
    errors
        (D, K) their standard errors, NaN where not known.
    noun
        What they are: means, levels, scores.
    """

    measure: "Measure"
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    levels: Array
    errors: Array
    noun: str

    def of(self, algorithms: Sequence[str]) -> "LocalLevels":
        """Return the columns of algorithms, in their order."""
        at = [self.algorithms.index(name) for name in algorithms]
        levels, errors = self.levels[:, at], self.errors[:, at]
        return LocalLevels(
            self.measure, self.datasets, tuple(algorithms), levels, errors, self.noun
        )

    def writers(self) -> list[Write]:
        """Return how the levels of each data set are written: with digits by their errors.

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
        whole = self.levels[np.isfinite(self.levels).all(axis=1)]
        if not len(whole):
            return np.full(self.levels.shape[1], np.nan)
        return ranked_rows(-self.measure.sign * whole).mean(axis=0)


@dataclass(frozen=True, slots=True)
class Below:
    """A row below those of the data sets: its head, and its values and their texts.

    There is one of each for each algorithm, those left out at the end included.
    """

    head: str
    values: Sequence[float | str]
    texts: Sequence[str]


def _exact(levels: Array) -> int:
    """Return how many decimals give all that there is of some levels, at most 8."""
    known = levels[np.isfinite(levels)]
    return next((n for n in range(8) if np.allclose(known, known.round(n), 0, 1e-9)), 8)


def _least(levels: Array) -> int:
    """Return how many decimals give the largest of some levels three digits."""
    largest = np.nanmax(np.abs(levels), initial=0.0)
    needed = 2 - int(np.floor(np.log10(largest))) if largest > 0 else 0
    return min(max(0, needed), _exact(levels))


def of_scores(result: "Comparison", scores: "ScoreTable | None") -> LocalLevels:
    """Return the means of each data set.

    Raises
    ------
    DesignError
        There are no scores, or not those that the result was made from.
    """
    setting = result.setting
    if scores is None:
        raise DesignError(
            "a result holds no levels of data sets.",
            hint=f"{Either('scores=...', 'a table of scores')} has them.",
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
    result: "Comparison",
    scores: "ScoreTable | None" = None,
    against: str | None = None,
    top: int | None = None,
) -> PaperTable:
    """Lay out a comparison with one row per data set, and what sums them up below."""
    order = result.ranking()
    whole = of_scores(result, scores).of(order)
    same = _plain(whole.measure) == _plain(result.measure)
    overall = result.summary()
    summary = overall.set_index("algorithm").reindex(list(order))
    own_ranks = same and "mean_rank" in summary
    ranks = summary["mean_rank"].to_numpy() if own_ranks else whole.ranks()
    below = [Below("mean rank", list(ranks), [fixed(rank, 2) for rank in ranks])]
    if same and result.levels.name != "mean rank":
        levels, write = summary["estimate"].tolist(), level_writer(result, overall)
        marks = (result.level_marks[name] for name in order)
        texts = [f"{write(value)}{mark}" for value, mark in zip(levels, marks, strict=True)]
        below.append(Below("all data sets", levels, texts))
    if same and "mean" in summary:
        means, write = summary["mean"].tolist(), mean_writer(result, overall)
        below.append(Below(result.measure.average, means, [write(value) for value in means]))
    told = marks_below(result, order, against) if same else []
    below += told
    notes = [
        f"{whole.noun.capitalize()} of each data set, the best in bold type.",
        *_of_ranks(whole, own=own_ranks),
        *([f"All data sets: {_compared(result)}."] if same else []),
        *([result.level_reversals] if same and result.level_reversals else []),
        *(reading(result, row.head) for row in told),
    ]
    return laid_out(whole, below, tuple(notes), top)


def _compared(result: "Comparison") -> str:
    """Name the level that is compared."""
    name = result.levels.name
    return (
        f"the {one_line(result.level_name)}, which is compared"
        if name
        else "the level that is compared"
    )


def _plain(measure: "Measure") -> "Measure":
    """Return a measure without what analyses set beside the scores."""
    return replace(measure, tolerance=0.0, bounds=None)


def _of_ranks(local: LocalLevels, *, own: bool) -> list[str]:
    """Say what mean ranks are of, if not of all that is shown."""
    gaps = int((~np.isfinite(local.levels).all(axis=1)).sum())
    if own:
        return ["Mean ranks are those of the test."]
    if gaps == len(local.levels):
        return ["No data set has all algorithms, so there are no mean ranks."]
    return [f"Mean ranks leave out {count(gaps, 'data set')} with gaps."] if gaps else []


def marks_below(result: "Comparison", order: Sequence[str], against: str | None) -> "list[Below]":
    """Return the row of letters, or of marks against a control or another algorithm."""
    found = None if against else letters(result, order)
    if found is not None:
        return [Below("letters", found, found)]
    chosen = against or control(result)
    chosen = reference(result, chosen) if chosen else None
    if chosen is None:
        return []
    relation = result.relation()
    at = relation.algorithms.index(chosen)
    states = [relation.states[relation.algorithms.index(name), at] for name in order]
    marks = ["" if n == chosen else _sign(s) for n, s in zip(order, states, strict=True)]
    return [Below(f"against {one_line(chosen)}", marks, marks)]


def _sign(state: int) -> str:
    signs = {Verdict.FIRST: "+", Verdict.SECOND: "\N{MINUS SIGN}", Verdict.EQUIVALENT: "="}
    return signs.get(Verdict(int(state)), "?")


def reading(result: "Comparison", head: str) -> str:
    """Say how to read letters or marks."""
    if head == "letters":
        return reading_of_letters(result)
    return (
        f"{head[:1].upper()}{head[1:]}: + better, \N{MINUS SIGN} worse, = equivalent, ? undecided."
    )


def caption_of(local: LocalLevels) -> str:
    """Return the caption of a table of data sets."""
    d, k = local.levels.shape
    return (
        f"{count(k, 'algorithm')}, best first, on {count(d, 'data set')}:"
        f" {one_line(local.measure.title)} ({local.measure.better} is better)."
    )


def laid_out(
    local: LocalLevels,
    below: "Sequence[Below]",
    notes: tuple[str, ...],
    top: int | None = None,
    marks: Sequence[Sequence[str]] = (),
) -> PaperTable:
    """Lay out levels, the best of each data set in bold type, each with its mark, if any."""
    import pandas as pd

    shown = local.algorithms[:top]
    signs = marks or [[""] * len(shown)] * len(local.datasets)
    plain = [
        [write(value) for value in row]
        for write, row in zip(local.writers(), local.levels, strict=True)
    ]
    oriented = np.nan_to_num(local.measure.sign * local.levels, nan=-np.inf)
    best = [row[at] for row, at in zip(plain, oriented.argmax(axis=1), strict=True)]
    known = np.isfinite(local.levels[:, : len(shown)])
    strong = frozenset((i, 1 + j) for i, j in np.argwhere(known).tolist() if plain[i][j] == best[i])
    key = "dataset"
    while key in shown:  # the key of the first column is no algorithm's name
        key += "_"
    values = {
        name: [*local.levels[:, j], *(row.values[j] for row in below)]
        for j, name in enumerate(shown)
    }
    texts = [
        *(
            [one_line(name), *(a + b for a, b in zip(row, own, strict=False))]
            for name, row, own in zip(local.datasets, plain, signs, strict=True)
        ),
        *([row.head, *row.texts[: len(shown)]] for row in below),
    ]
    columns = (PaperColumn("data set", "name"), *(PaperColumn(one_line(n)) for n in shown))
    left_out = len(local.algorithms) - len(shown)
    more = (f"{count(left_out, 'algorithm')} further down left out.",) if left_out else ()
    name = label(f"{local.measure.name} data sets")
    paper = Paper(columns, caption_of(local), (*notes, *more), name, strong, len(below))
    frame = pd.DataFrame({key: [*local.datasets, *(row.head for row in below)], **values})
    return PaperTable.of(frame, texts, paper)


def each_dataset(
    results: "Comparisons", against: str | None = None, top: int | None = None
) -> PaperTable:
    """Lay out comparisons of single data sets, with marks against the best or another algorithm."""
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
    whole = LocalLevels(measure, tuple(results), tuple(names), levels, errors, "levels")
    order = _by_rank(whole)
    local = whole.of(order)
    chosen = against or control(first)
    marks = [[_mark(result, name, chosen) for name in order] for result in results.values()]
    ranks = local.ranks()
    below = [Below("mean rank", list(ranks), [fixed(rank, 2) for rank in ranks])]
    compared = one_line(chosen) if chosen else "the best of the data set"
    marked = (
        f"Against {compared}: {_MARKS[Verdict.FIRST]} better, {_MARKS[Verdict.SECOND]} worse,"
        f" {_MARKS[Verdict.EQUIVALENT]} equivalent, without a mark undecided."
    )
    notes = (
        "Levels of each data set by itself, the best in bold type.",
        *_of_ranks(local, own=False),
        marked,
        first.rule,
        *([WITHIN] if "p_value" in first.contrasts() else []),
    )
    return laid_out(local, below, notes, top, marks)


def _by_rank(local: LocalLevels) -> list[str]:
    """Return the algorithms by their mean rank, then by the number of data sets that have them."""
    ranks, found = local.ranks(), np.isfinite(local.levels).sum(axis=0)
    return [local.algorithms[j] for j in np.lexsort((-found, np.nan_to_num(ranks)))]


def _mark(result: "Comparison", name: str, chosen: str | None) -> str:
    """Return the mark of an algorithm against another one, or the best, on a data set."""
    other = chosen or result.ranking()[0]
    if name == other or not {name, other} <= set(result.algorithms):
        return ""
    relation = result.relation()
    i, j = relation.algorithms.index(name), relation.algorithms.index(other)
    return _MARKS.get(Verdict(int(relation.states[i, j])), "")
