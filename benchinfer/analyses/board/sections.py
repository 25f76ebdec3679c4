"""Sections of a board."""

from __future__ import annotations

import numpy as np

from benchinfer.analyses.board.result import Board, small
from benchinfer.core import numbers
from benchinfer.core.numbers import sentence
from benchinfer.core.sections import Cell, Column, Figure, Section, Table, names, number

_AT_ONCE = 20  # rows of the table of entries


def board_sections(result: Board) -> tuple[Section, ...]:
    """Return the sections about a board."""
    return (
        Section(
            title=f"Board of {result.measure.noun}: is the record beaten?",
            lead=result.headline(),
            text=(result.rule, sentence(f"{result.provenance.adjustment}.")),
            facts=tuple(("Note", note) for note in result.notes),
            figures=(Figure(result, "record", "The record over time."),),
            tables=(table(result),),
        ),
    )


def table(result: Board) -> Table:
    """Return one row per entry, the last ones first."""
    frame = result.summary()
    effects = frame["estimate"].to_numpy()
    decimals = numbers.decimals([*np.abs(effects[np.isfinite(effects)])])
    levels = numbers.decimals([*np.abs(frame["mean"] - frame["mean"].median())])
    roles = {True: Cell("record", "pass", "✓"), False: Cell("no record")}
    return Table(
        name="entries",
        caption="Entries, the last one first",
        frame=frame.iloc[::-1].reset_index(drop=True),
        columns=(
            number("entry", "entry", str),
            *names("algorithm"),
            number("mean", result.measure.display_name, numbers.places(max(levels, decimals))),
            Column("holder", "record of the day", role="name", brief=False),
            number("estimate", result.measure.effect_name, numbers.places(decimals)),
            number("p_record", "p", small),
            number("level_spent", "level", small),
            Column("record", "verdict", lambda is_record: roles[bool(is_record)]),
            Column("contender", "contender", lambda one: "yes" if one else ""),
        ),
        note="Differences and p-values are of each entry against the record of its day. Contenders"
        " are not shown to be worse than the present record, each tested at one minus the level"
        " alone.",
        data=frame,
        at_once=_AT_ONCE,
        rest="earlier entries",
    )


SECTIONS = {Board: lambda result, _: board_sections(result)}
