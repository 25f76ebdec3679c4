"""Sections of a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison import wording
from benchinfer.core import numbers
from benchinfer.core.numbers import level_percent, sentence
from benchinfer.core.sections import Cell, Column, Figure, Section, Table, names, number

if TYPE_CHECKING:
    from benchinfer.analyses.gate.result import Gate, GatedMeasure


_ROLES = {"pass": Cell("pass", "pass", "✓"), "fail": Cell("fail", "fail", "!")}


def gate_sections(gate: Gate) -> tuple[Section, ...]:
    """Return the sections about a gate."""
    return (
        Section(
            title=f"Gate: {gate.candidate} in place of {gate.baseline}",
            lead=gate.headline(),
            text=(gate.rule, *map(sentence, gate.notes)),
            facts=tuple((name, row.need.text) for name, row in gate.items() if row.need),
            figures=(Figure(gate, "measures", "Differences with one-sided bounds."),),
            tables=(table(gate),),
        ),
        *(_measure(name, row) for name, row in gate.items()),
    )


def _measure(name: str, row: GatedMeasure) -> Section:
    comparison = row.comparison
    facts = (
        ("Analysis", comparison._heading),
        ("Reason", row.reason),
        ("Claim", row.scope or "none"),
    )
    return Section(title=f"Evidence on {name}", text=(comparison.method,), facts=facts)


def table(gate: Gate) -> Table:
    """Return one row per measure."""
    rows = list(gate.values())
    frame = gate.summary().assign(
        effect=[effect(row) for row in rows],
        limits=[limits(row) for row in rows],
        margin=[margin(row) for row in rows],
        p=[p_of(row) for row in rows],
    )
    return Table(
        name="measures",
        caption=f"{gate.candidate} against {gate.baseline}",
        frame=frame,
        columns=(
            *names("measure"),
            number("effect", "estimate", str),
            number("limits", f"{level_percent(gate.level)} bounds", str),
            number("margin", "tolerance", str),
            number("p", "p", str),
            Column("outcome", "verdict", lambda word: _ROLES.get(word, Cell(word))),
        ),
        note="Bounds are one-sided, each at the level; p-values are of the test that"
        " decides, or of both where none does.",
        data=gate.summary(),
    )


def effect(row: GatedMeasure) -> str:
    """Write the estimate with its kind."""
    return f"{row.measure.effect_name} {numbers.fixed(row.effects()[0], _decimals(row))}"


def limits(row: GatedMeasure) -> str:
    """Write both one-sided bounds."""
    _, *ends = row.effects()
    if not np.isfinite(ends).all():
        return "none"
    return " and ".join(numbers.fixed(end, _decimals(row)) for end in ends)


def margin(row: GatedMeasure) -> str:
    """Write the tolerance."""
    return wording.margin(row.measure) if row.measure.tolerance else "none"


def p_of(row: GatedMeasure) -> str:
    """Write the p-value of the test that decides, or where none does both."""
    if not np.isfinite([row.low, row.high]).any():
        return "none"
    passing, failing = (numbers.p_value(p) for p in (row.p_pass, row.p_fail))
    if row.fails_only and row.verdict != "fail":
        return f"{failing} for a fail"
    if row.verdict == "undecided":
        return f"{passing} for a pass, {failing} for a fail"
    return failing if row.verdict == "fail" else passing


def _decimals(row: GatedMeasure) -> int:
    _, low, high = row.effects()
    return numbers.decimals([high - low])
