"""Sections of an answer."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from benchinfer.analyses.choice.answer import Answer, levels
from benchinfer.comparison.effects import level_writer
from benchinfer.comparison.sections import sections_of
from benchinfer.comparison.wording import direction
from benchinfer.core.sections import Cell, Column, Request, Section, Table, names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchinfer.analyses.factors.factors import Factors
    from benchinfer.comparison.comparison import Comparison


def sections(answer: Answer, request: Request) -> tuple[Section, ...]:
    """Return the levels on all measures, and the sections of each comparison."""
    each = {name: sections_of(result, request) for name, result in answer.items()}
    if len(answer) == 1 and not answer.refused:
        ((name, (first, *rest)),) = each.items()
        return replace(first, text=(answer.basis(name), *first.text)), *rest
    content = [measures_section(answer._comparisons, answer.refused, answer._effects)]
    for name, (first, *rest) in each.items():
        result = answer[name]
        text = answer.basis(name), *first.text
        content.append(replace(first, title=result.measure.title, lead="", text=text))
        content += [replace(section, title=f"{name}: {section.title}") for section in rest]
    return tuple(content)


def measures_section(
    results: Mapping[str, Comparison],
    refused: Mapping[str, str] = MappingProxyType({}),
    effects: Mapping[str, Factors] = MappingProxyType({}),
) -> Section:
    """Return the section on all measures: a sentence for each, and the levels."""
    return Section(
        title="Answer",
        text=("Nothing is adjusted across measures: each is a statement of its own.",),
        # The heads of the columns have the directions.
        facts=tuple(
            (name, result.headline().replace(f" ({direction(result.measure)})", ""))
            for name, result in {**results, **effects}.items()
        ),
        tables=(_levels(results),) if results else (),
        warnings=tuple(f"{name}: {why}" for name, why in refused.items()),
    )


def _levels(results: Mapping[str, Comparison]) -> Table:
    """Return one row per algorithm, and its level on each measure, with letters."""
    lettered = all(result.letters() for result in results.values())
    notes = ["Column heads say which direction is better; an asterisk marks the best level."]
    if lettered:
        tolerant = any(r.measure.tolerance > 0 for r in results.values())
        undecided = "undecided or equivalent" if tolerant else "undecided"
        notes.append(f"Algorithms that share a letter on a measure are {undecided}.")
    notes += [
        f"The level on {name} is the {result.level_name}."
        for name, result in results.items()
        if result.level_name != result.measure.name
    ]
    notes += [_otherwise(result) for result in results.values() if _otherwise(result)]
    return Table(
        name="levels",
        caption="Level of each algorithm on each measure",
        frame=levels(results).reset_index(),
        columns=(
            *names("algorithm"),
            *(_column(name, result) for name, result in results.items()),
        ),
        note=" ".join(notes),
    )


def _otherwise(result: Comparison) -> str:
    """Return a sentence where the best algorithm does not have the best level; else empty."""
    levels = result.levels.shown(result.measure)
    level = dict(zip(result.algorithms, levels.tolist(), strict=True))
    best, sign = result.ranking()[0], 1 if result.level_better == "higher" else -1
    other = max(level, key=lambda name: sign * level[name])
    if not sign * level[other] > sign * level[best]:
        return ""
    word = "highest" if sign > 0 else "lowest"
    order = result.levels.ordered_by(result.measure)
    return f"{best} has the {word} {order}, though {other} has the {word} {result.level_name}."


def _column(name: str, result: Comparison) -> Column:
    """Return the levels on a measure, each with its letters; the best one is marked."""
    write, letters = level_writer(result, result.summary()), result.letters()
    shown = dict(zip(result.algorithms, result.levels.shown(result.measure), strict=True))
    best = write(shown[result.ranking()[0]])  # several may be the best, as they are written

    def cell(value: float, algorithm: str) -> Cell:
        if value != value:  # noqa: PLR0124 (NaN: no scores on this measure)
            return Cell("")
        mark = "*" if write(value) == best else ""
        text = " ".join(filter(None, (f"{write(value)}{mark}", letters.get(algorithm, ""))))
        return Cell(text, "best" if mark else "")

    head = f"{name} ({result.level_better})"
    return Column(name, head, cell, numeric=True, also=("algorithm",), defined=False)


SECTIONS = {Answer: sections}
