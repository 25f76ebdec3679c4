"""Tables with an algorithm, or a pair of them, in each row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.effects import BEYOND, level_writer, mean_writer, row_writers
from benchinfer.comparison.options import ContrastOptions, TestedOptions
from benchinfer.comparison.sections import decision, direction
from benchinfer.comparison.wording import (
    LEFT_OPEN,
    decider,
    level_marks,
    level_title,
    margin,
    reversals,
    spanning,
)
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, fixed, level_percent, p_value, places
from benchinfer.papers.styler import PaperTable, Series, one_line, series
from benchinfer.relations.ranks import LETTERED

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.core.measure import Measure

type Write = Callable[[float], str]
# Letters of an algorithm, or the lowest and highest rank that verdicts leave open.
type Standing = str | tuple[int, int]
_PROBABILITIES = {"prob_first": "better", "prob_second": "worse"}


def probability(name: str, measure: Measure, more: str = "more than") -> str:
    """Return the event of a column of posterior probabilities, with the tolerance if there is one.

    Examples
    --------
    >>> from benchinfer.core.measure import Measure
    >>> error = Measure("error", better="lower", tolerance=0.01)
    >>> probability("prob_second", error), probability("prob_equivalent", error)
    ('P(worse by more than 0.01)', 'P(within 0.01)')
    """
    if name == "prob_equivalent":
        return f"P(within {margin(measure)})"
    least = f" by {more} {margin(measure)}" if measure.tolerance else ""
    return f"P({_PROBABILITIES[name]}{least})"


def bounds(low: float, high: float, write: Write, without: float = np.nan) -> str:
    """Return the text of an interval in a table cell, open at `without`; a dash for no interval.

    Examples
    --------
    >>> bounds(0.1, 0.25, places(2)), bounds(0.1, np.inf, places(2))
    ('[0.10, 0.25]', '[0.10, ∞)')
    >>> bounds(0.0, 0.25, places(2), without=0.0)
    '(0.00, 0.25]'
    """
    if np.isnan(low):
        return "\N{EN DASH}"
    ends = (
        "(" if np.isinf(low) or low == without else "[",
        ")" if np.isinf(high) or high == without else "]",
    )
    low_text, high_text = (
        fixed(end, 0) if (text := write(end)) == BEYOND else text for end in (low, high)
    )
    return f"{ends[0]}{low_text}, {high_text}{ends[1]}"


def reference(result: Comparison, against: str | None = None) -> str | None:
    """Return the algorithm that others are compared with: a control, or the best.

    None where some algorithm has no contrast with it as the second side.
    """
    if against is not None and against not in result.algorithms:
        raise DesignError(
            f"there is no algorithm {against!r}.", hint=f"there are {', '.join(result.ranking())}."
        )
    chosen = against or control(result) or result.ranking()[0]
    rows = departures(result, chosen)
    return chosen if len(rows) == len(result.algorithms) - 1 else None


def control(result: Comparison) -> str | None:
    """Return the algorithm that is a side of every contrast, if there is one."""
    sides = result.pairs.sides
    common = set.intersection(*(set(pair) for pair in sides))
    if len(result.algorithms) == 2:
        options = result.provenance.options
        common &= {options.control if isinstance(options, ContrastOptions) else None}
    return common.pop() if len(common) == 1 else None


def departures(result: Comparison, chosen: str) -> pd.DataFrame:
    """Return the contrasts of all other algorithms (first) with a chosen one (second), by first."""
    others = [name for name in result.ranking() if name != chosen]
    rows = result.contrasts(order=[*others, chosen], all=True)
    rows = rows[(rows["second"] == chosen) & rows["first"].isin(others)].set_index("first")
    return rows.reindex([name for name in others if name in rows.index])


def p_head(result: Comparison) -> str:
    """Return the column head of the p-values."""
    options = result.provenance.options
    single = isinstance(options, TestedOptions) and options.adjust == "none"
    return "p" if single or len(result.pairs) == 1 else "adjusted p"


def effect_head(result: Comparison, chosen: str) -> str:
    """Return the column head of the effects against an algorithm; the best is not named."""
    link = "from" if result.measure.scale == "identity" else "to"
    best = chosen == result.ranking()[0] and control(result) is None
    return f"{result.measure.effect_name} {link} {'the best' if best else one_line(chosen)}"


def numbers(
    name: str, values: Iterable[float], write: Write, head: str, group: str = "", short: str = ""
) -> Series:
    """Return a column of numbers."""
    values = list(map(float, values))
    return series(name, values, [write(value) for value in values], head, "number", group, short)


def effects(
    name: str,
    rows: pd.DataFrame,
    writes: Sequence[Write],
    head: str,
    group: str = "",
    short: str = "",
) -> Series:
    """Return a column of estimates, each with the digits of its row."""
    values = rows["estimate"].tolist()
    texts = [write(value) for write, value in zip(writes, values, strict=True)]
    return series(name, values, texts, head, "number", group, short)


def words(name: str, values: Sequence[str], head: str, kind: str = "text") -> Series:
    """Return a column of words or names."""
    return series(name, values, [one_line(text) for text in values], head, kind)


def intervals(
    name: str,
    rows: pd.DataFrame,
    result: Comparison,
    writes: Sequence[Write],
    group: str = "",
) -> list[Series]:
    """Return the column of the intervals, if there are any.

    The text of a decided contrast whose interval includes equality is a dash: see `withheld`.
    """
    if "conf_low" not in rows:
        return []
    ends = list(zip(rows["conf_low"].tolist(), rows["conf_high"].tolist(), strict=True))
    head = f"{level_percent(result.level)} interval"
    shown = ~spanning(rows, result.measure) if "verdict" in rows else rows["conf_low"].notna()
    decided = rows["verdict"].isin(["first", "second"]) if "verdict" in rows else shown & False
    without = np.where(decided, result.measure.neutral, np.nan).tolist()
    texts = [
        bounds(low if visible else np.nan, high, write, leave)
        for (low, high), write, visible, leave in zip(ends, writes, shown, without, strict=True)
    ]
    return [series(name, ends, texts, head, "text", group, head)]


def evidence(result: Comparison, rows: pd.DataFrame) -> list[Series]:
    """Return the columns of p-values or probabilities."""
    if "prob_first" in rows:
        tolerant = rows["prob_equivalent"].gt(0).any()
        shares = ["prob_first", *(["prob_equivalent"] if tolerant else []), "prob_second"]
        heads = [probability(name, result.measure, ">") for name in shares]
        return [numbers(n, rows[n], places(3), head) for n, head in zip(shares, heads, strict=True)]
    if "p_value" not in rows:
        return []
    errors = rows["p_error"] if "p_error" in rows else np.zeros(len(rows))
    texts = [p_value(p, error) for p, error in zip(rows["p_value"], errors, strict=True)]
    return [series("p_value", rows["p_value"].tolist(), texts, p_head(result), "p")]


def _of_equivalence(rows: pd.DataFrame, writes: Sequence[Write]) -> list[Series]:
    """Return the column of the intervals that show equivalence, if any does."""
    if "equivalence_low" not in rows:
        return []
    ends = list(zip(rows["equivalence_low"], rows["equivalence_high"], strict=True))
    texts = [bounds(*end, write) for end, write in zip(ends, writes, strict=True)]
    return [series("equivalence_interval", ends, texts, "interval of equivalence", "text")]


def by_algorithm(
    result: Comparison, against: str | None = None, top: int | None = None
) -> PaperTable:
    """Return the table of a comparison with one row per algorithm, best first."""
    order, measure = result.ranking(), result.measure
    shown = list(order[:top])
    levels = result.summary()
    summary = levels.set_index("algorithm").reindex(shown)
    level, title = level_writer(result, levels), one_line(level_title(result))
    columns = [
        words("algorithm", shown, "algorithm", "name"),
        numbers("estimate", summary["estimate"], level, title, title, "level"),
        *intervals("interval", summary, result, [level] * len(shown), title),
    ]
    chosen, differences = reference(result, against), list[str]()
    if chosen is not None:
        rows = departures(result, chosen).reindex(shown)
        writes = row_writers(measure, result.contrasts(all=True), rows)
        head = effect_head(result, chosen)
        columns += [
            effects("difference", rows, writes, head, head, "estimate"),
            *intervals("difference_interval", rows, result, writes, head),
            *evidence(result, rows),
        ]
        if chosen != order[0] or control(result):
            word = result._comparative.words
            verdicts = [word.get(label, "") for label in rows["verdict"]]
            columns.append(words("verdict", verdicts, "verdict"))
        kind = "Differences are of each algorithm minus"
        if result.measure.scale != "identity":
            kind = f"{result.measure.effect_name.capitalize()}s are of each algorithm divided by"
        best = ", the best" if chosen == result.ranking()[0] else ""
        sentence = f"{kind} {one_line(chosen)}{best}{_with(result)}."
        differences = [sentence, *_apart(result, chosen, columns), *withheld(result, rows)]
    head, standing_of, reading = standings(result)
    if head:
        columns.append(standing(head, head, [standing_of[name] for name in shown]))
    if "mean" in summary:
        head = f"{measure.average} {one_line(measure.display_name)}"
        columns.append(numbers("mean", summary["mean"], mean_writer(result, levels), head))
    if "mean_rank" in summary and result.levels.name != "mean rank":
        columns.append(numbers("mean_rank", summary["mean_rank"], places(2), "mean rank"))
    left_out = len(order) - len(shown)
    level_note = "Levels are relative to the mean of the algorithms." if result._relative else ""
    if "conf_low" in levels and not result._relative:
        level_note = "Intervals of levels are of each algorithm alone."
    notes = (
        *filter(None, [level_note, reversals(result)]),
        *differences,
        *filter(None, [reading]),
        *said(result, left_out),
    )
    column = columns[1].column
    best = {(i, 1) for i, text in enumerate(column.texts) if text == column.texts[0]}
    marked = [f"{x}{level_marks(result)[n]}" for x, n in zip(column.texts, shown, strict=True)]
    columns[1] = replace(columns[1], column=replace(column, texts=tuple(marked)))
    return PaperTable.of(columns, measure.name, caption(result), notes, frozenset(best))


def standings(result: Comparison) -> tuple[str, Mapping[str, Standing], str]:
    """Return the column head, values and note of letters, or of ranks where algorithms are many.

    All are empty where some pairs were not compared.
    """
    groups = result.letters()
    if not groups:
        return "", {}, ""
    if len(groups) <= LETTERED:
        return "letters", groups, reading_of_letters(result)
    return "ranks", result.pairs.possible_ranks, f"Ranks are {LEFT_OPEN}."


def standing(name: str, head: str, values: Sequence[Standing]) -> Series:
    """Return a column of letters or ranks."""
    dash = "\N{EN DASH}"
    texts = [v if isinstance(v, str) else dash.join(map(str, dict.fromkeys(v))) for v in values]
    return series(name, values, texts, head, "text")


def reading_of_letters(result: Comparison) -> str:
    """Return the note that explains the letters of undecided or equivalent algorithms."""
    equivalent = " or equivalent" if result.measure.tolerance > 0 else ""
    return f"Algorithms that share a letter are undecided{equivalent}."


def caption(result: Comparison) -> str:
    """Return the caption of a table of a comparison."""
    k, coverage = len(result.algorithms), result.setting.coverage
    return (
        f"{count(k, 'algorithm')} on {count(len(coverage.datasets), 'data set')}, best first:"
        f" {one_line(result.measure.title)} ({result.measure.better} is better)."
    )


def _apart(result: Comparison, chosen: str, columns: Sequence[Series]) -> list[str]:
    """Return a note where differences are estimated from pairs and differ from those of levels."""
    values = {each.column.name: each.values for each in columns}
    names = list(values["algorithm"])
    if result.measure.scale != "identity" or chosen not in names:
        return []
    level = np.array(values["estimate"], dtype=np.float64)
    difference = np.array(values["difference"], dtype=np.float64)
    apart = np.abs(level - level[names.index(chosen)] - difference)
    if np.nanmax(apart, initial=0.0) <= 1e-6 * np.abs(level).max():
        return []
    return ["They are estimated from pairs, and are not the differences of the levels."]


def _with(result: Comparison) -> str:
    """Return a clause that describes the intervals of contrasts; empty without intervals."""
    return f", with {result._intervals}" if result._intervals else ""


def withheld(result: Comparison, rows: pd.DataFrame) -> list[str]:
    """Return a note on decided contrasts whose interval is not shown; an empty list without any."""
    if not (n := int(spanning(rows, result.measure).sum())):
        return []
    them = "the decided pair" if n == 1 else f"{n} decided pairs"
    return [f"No interval is shown for {them} whose interval includes equality {decider(result)}."]


def said(result: Comparison, left_out: int = 0) -> tuple[str, ...]:
    """Return notes on the decision rule, the scope of the claims and the algorithms left out."""
    rows = result.contrasts(all=True)
    error = float(rows["p_error"].max()) if "p_error" in rows else 0.0
    scope = result.scope()
    more = (f"{count(left_out, 'algorithm')} further down left out.",) if left_out else ()
    note = (result._interval_note(),) if result._interval_note() else ()
    return (decision(result, error), *note, f"Claims: {scope[:1].lower()}{scope[1:]}.", *more)


def by_pair(result: Comparison) -> PaperTable:
    """Return the table of a comparison with one row per contrast, in ranking order."""
    measure, rows = result.measure, result.contrasts(order="result", all=True)
    writes, reading = row_writers(measure, result.contrasts(all=True), rows), direction(result)
    named = [name for name in ("contrast", "first", "second") if name in rows]
    word = result._comparative.words
    verdicts = [word[label] for label in rows["verdict"]]
    columns = [
        *(words(name, rows[name].tolist(), name, "name") for name in named),
        effects("estimate", rows, writes, measure.effect_name),
        *intervals("interval", rows, result, writes),
        *evidence(result, rows),
        *_of_equivalence(rows, writes),
        words("verdict", verdicts, "verdict of first"),
    ]
    note = f"{reading[:1].upper()}{reading[1:]}{_with(result)}."
    notes = (note, *withheld(result, rows), *said(result))
    return PaperTable.of(columns, measure.name, caption(result), notes)
