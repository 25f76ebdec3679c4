"""The design of a running experiment in a report: levels, stages, boundaries and their spending."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from benchinfer.compare.phrases import count, ordinal
from benchinfer.numerics import boundaries, spending
from benchinfer.reports.numbers import brief, fixed, p_value
from benchinfer.reports.records import Cell, Column, Section, Table
from benchinfer.sequential.group import bounds_of
from benchinfer.sequential.words import pairs, percent, shared_by

if TYPE_CHECKING:
    from benchinfer.sequential.design import MonitorDesign
    from benchinfer.sequential.monitor_comparison import MonitorComparison

_SPENDING = {
    "obrien-fleming": "O'Brien and Fleming's shape: little at the first looks, most at the last",
    "pocock": "Pocock's shape: about evenly over the looks",
}
_RULES = {
    "constant": "the boundaries of the first stage stay, moved where they would not be valid",
    "application": "boundaries follow the conditional level of each stage",
    "scenario2": "the upper boundary follows the conditional level of each stage",
    "literal": "as printed, which has no boundaries after some stages",
}


def section(result: "MonitorComparison") -> Section:
    """Say how the experiment is watched."""
    design = result.design
    tables = (looks(design),) if design.method == "group-sequential" else ()
    return Section(
        title="The design",
        text=("It was fixed before the first score, and every number here rests on that.",),
        facts=(("Level", _level(design)), *_facts(result)),
        tables=tables,
    )


def _level(design: "MonitorDesign") -> str:
    text = f"{percent(design.alpha)} over all {shared_by(design, 'looks')}"
    if design.method == "anytime":
        return text
    if design.n_pairs > 1:
        text += f"; {percent(design.alpha_pair)} for each of {pairs(design)}"
    if len(design.sides) > 1:
        text += f"; {percent(design.alpha_one)} in each direction"
    return text


def _facts(result: "MonitorComparison") -> tuple[tuple[str, str], ...]:
    design, d = result.design, len(result.setting.coverage.datasets)
    each = "" if d == 1 else f" on each of {d} data sets"
    size = f"{count(design.stage, 'replication')}{each}"
    last = design.last_stage
    if design.method == "anytime":
        return _anytime(design, size)
    if design.method == "group-sequential":
        whole = (last or 1) * design.stage
        return (
            ("Looks", f"{last}, each after {size} more; {whole:,} replications in all"),
            ("Spending", _SPENDING[design.spending]),
        )
    first = boundaries.first(design.rule, design.alpha_one, (1,))
    ended = "none is declared the last"
    if last is not None:
        ended = f"the {ordinal(last)} is the last one, declared in advance"
    rule = "literal" if design.rule.startswith("literal") else design.rule.removesuffix("-power")
    reject, accept = p_value(float(first.reject[0])), brief(float(first.accept[0]))
    between = f"in between the next stage has the level {float(first.critical[0]):.4g} / p"
    stops = f"rejects at p up to {reject} and stops for futility above {accept}"
    return (
        ("Stages", f"{size} each; {ended}"),
        ("First stage", f"in each direction it {stops}; {between}"),
        ("Rule", f"{design.rule}: {_RULES[rule]}"),
    )


def _anytime(design: "MonitorDesign", size: str) -> tuple[tuple[str, str], ...]:
    limit = f"an e-value of {1 / design.alpha_pair:.4g}"
    if design.n_pairs > 1:
        limit += f", {1 / design.alpha:.4g} for the last of all pairs (Holm's steps)"
    null = {"symmetry": "differences are symmetric about 0", "mean": "differences have a mean of 0"}
    budget = "none" if design.last_stage is None else f"{design.last_stage} times {size}"
    return (
        ("Looks", f"at any time; the next {size} are asked for together"),
        ("Hypothesis", null[design.null]),
        ("Decided by", limit),
        ("Budget", budget),
    )


def _spent(level: float) -> str:
    return "<0.0001 %" if level < 1e-6 else f"{100 * level:.4f} %"


def looks(design: "MonitorDesign") -> Table:
    """One row per planned look: what is needed, and how much of the level is spent by then."""
    bounds, total, sides = bounds_of(design), design.last_stage or 1, len(design.sides)
    fractions = np.arange(1, total + 1) / total
    spent = sides * spending.spent(design.spending, fractions, design.alpha_one)
    return Table(
        caption="Boundaries of the planned looks, for each pair",
        columns=(
            Column("stage", "look", numeric=True),
            Column("n", "replications", numeric=True),
            Column("", "information", numeric=True),
            Column("boundary", "boundary of z", numeric=True),
            Column("", "p at the boundary", numeric=True),
            Column("", "level spent so far", numeric=True),
        ),
        rows=tuple(
            (
                Cell(str(t + 1)),
                Cell(f"{(t + 1) * design.stage:,}"),
                Cell(fixed(float(fractions[t]), 2)),
                Cell(fixed(float(bounds[t]), 3)),
                Cell(p_value(float(sides * ndtr(-bounds[t])))),
                Cell(_spent(float(spent[t]))),
            )
            for t in range(total)
        ),
        note="A look decides where z lies beyond its boundary"
        + (", on either side." if sides == 2 else "."),
    )
