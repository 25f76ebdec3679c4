"""The table of a paper with the levels of the algorithms on several measures."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from benchinfer.analyses.choice.answer import levels
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.effects import level_writer
from benchinfer.comparison.wording import level_marks, reversals
from benchinfer.core.numbers import count, join, within
from benchinfer.papers.algorithms import numbers, standing, standings, words
from benchinfer.papers.styler import PaperTable, one_line

if TYPE_CHECKING:
    from benchinfer.papers.styler import Series


def by_measure(results: Mapping[str, Comparison], top: int | None = None) -> PaperTable:
    """Return the table of levels on several measures, one row per algorithm."""
    order = list(levels(results).index)
    shown = order[:top]
    columns: list[Series] = [words("algorithm", shown, "algorithm", "name")]
    best: set[tuple[int, int]] = set()
    notes: dict[str, None] = {
        "The level of the best algorithm on each measure is in bold type.": None
    }
    for name, result in results.items():
        frame = result.summary()
        estimates = frame.set_index("algorithm").reindex(shown)["estimate"]
        group = f"{one_line(name)} ({result.level_better} is better)"
        head, standing_of, reading = standings(result)
        level = numbers(name, estimates, level_writer(result, frame), group, group, "level")
        first = result.ranking()[0]
        top_text = level.column.texts[shown.index(first)] if first in shown else None
        best |= {(i, len(columns)) for i, x in enumerate(level.column.texts) if x == top_text}
        marked = [
            f"{x}{level_marks(result).get(n, '')}"
            for x, n in zip(level.column.texts, shown, strict=True)
        ]
        columns.append(replace(level, column=replace(level.column, texts=tuple(marked))))
        if head:
            title = f"{one_line(name)}: {head}"
            made = standing(f"{name}_{head}", title, [standing_of.get(n, "") for n in shown])
            columns.append(replace(made, column=replace(made.column, group=group, short=head)))
        notes |= dict.fromkeys(filter(None, [reading, reversals(result)]))
    notes |= dict.fromkeys(_analyses(results))
    if left_out := len(order) - len(shown):
        notes[f"{count(left_out, 'algorithm')} further down left out."] = None
    caption = f"Levels of {count(len(order), 'algorithm')} on {count(len(results), 'measure')}."
    return PaperTable.of(columns, "measures", caption, tuple(notes), frozenset(best))


def _analyses(results: Mapping[str, Comparison]) -> list[str]:
    """Return a note on the analysis of each measure and the statistic of its levels."""
    said: dict[str, list[str]] = {}
    for name, result in results.items():
        level = (
            "" if result.level_name == result.measure.name else f" (levels: {result.level_name})"
        )
        said.setdefault(f"{within(result._heading)}{level}", []).append(name)
    if len(said) == 1:
        return [f"Verdicts are by {next(iter(said))}."]
    each = [f"on {join(list(map(one_line, names)))} are by {how}" for how, names in said.items()]
    return [f"Verdicts {join(each)}."]
