"""Report sections of a monitored experiment."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from benchinfer.analyses.monitor.comparison import MonitorComparison, pairs, shared_by
from benchinfer.analyses.monitor.feed import said
from benchinfer.analyses.monitor.numerics import spending
from benchinfer.analyses.monitor.numerics import stages as numerics_stages
from benchinfer.analyses.monitor.path import decided, runs
from benchinfer.analyses.monitor.stagewise import bounds_of
from benchinfer.comparison import sections as comparison_sections
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import (
    brief,
    count,
    fixed,
    join,
    level_percent,
    ordinal,
    p_value,
    significant,
)
from benchinfer.core.sections import Cell, Column, Figure, Fold, Section, Table
from benchinfer.core.verdict import Verdict
from benchinfer.plots.style import words
from benchinfer.relations.sections import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchinfer.analyses.monitor.design import MonitorDesign
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.scores.table import ScoreTable


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
    text = f"{level_percent(design.alpha)} over all {shared_by(design, 'looks')}"
    if design.method == "anytime":
        return text
    if design.n_pairs > 1:
        text += f"; {level_percent(design.alpha_pair)} for each of {pairs(design)}"
    if len(design.sides) > 1:
        text += f"; {level_percent(design.alpha_one)} in each direction"
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
    first = numerics_stages.first(design.rule, design.alpha_one, (1,))
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


_TEXTS = {
    "first": "first",
    "second": "second",
    "side": "better?",
    "dataset": "data set",
    "state": "state after it",
}
_HEADS = {
    "stage": "stage",
    "n": "replications",
    "p_dataset": "p of the data set",
    "p_stage": "p of the stage",
    "conditional_level": "level",
    "reject_at": "rejects up to",
    "accept_above": "futile above",
    "critical": "critical value",
    "statistic_dataset": "z of the data set",
    "statistic": "z",
    "boundary": "boundary",
    "log_e_dataset": "log e of the data set",
    "log_e": "log e",
    "p_raw": "p (anytime, unadjusted)",
}
_MOST = 200  # rows


def stages(result: "MonitorComparison") -> Table:
    """One row per pair, direction, data set and stage; of one data set without its own columns."""
    frame = result.stages()
    if len(result.setting.coverage.datasets) == 1:
        own = ["dataset", "p_dataset", "statistic_dataset", "log_e_dataset"]
        frame = frame.drop(columns=[name for name in own if name in frame])
    frame["state"] = [
        words(Verdict[end.upper()], a, b) if end in ("first", "second") else end
        for end, a, b in rows_of(frame, "state", "first", "second")
    ]
    frame = frame.sort_values(["first", "second", "stage"], kind="stable")
    shown = frame.head(_MOST)
    names = [name for name in ("first", "second", "side", "dataset", "stage", "n") if name in frame]
    names += [name for name in frame.columns if name not in (*names, "state")] + ["state"]
    columns = tuple(
        Column(name, _TEXTS.get(name) or _HEADS[name], numeric=name not in _TEXTS) for name in names
    )
    cells = [
        [Cell(str(v), "name") if name in _TEXTS else Cell(_written(name, v)) for v in shown[name]]
        for name in names
    ]
    left = len(frame) - len(shown)
    return Table(
        caption="Stages, what they found, and what they were held against",
        columns=columns,
        rows=tuple(zip(*cells, strict=True)),
        note=f"{left:,} more rows are in stages()." if left else "",
    )


def _written(name: str, value: object) -> str:
    number = float(str(value))
    if np.isnan(number):
        return fixed(number, 0)
    write: Callable[[float], str] = significant
    if name in ("stage", "n"):
        write = brief
    elif name in ("p_dataset", "p_stage", "p_raw"):
        write = p_value
    elif name.startswith(("statistic", "boundary", "log_e")):
        return fixed(number, 2)
    return write(number)


_LISTED = 8  # decided pairs that are named
_WORK = 100_000  # differences beyond which random orders take too long
_CAPTIONS = {
    "path": "Each stage between the boundaries that decide.",
    "e-process": "What a bet of 1 on a difference has become.",
    "sequence": "What the differences may be, as replications came in.",
}


def sections(
    comparison: MonitorComparison, before: "Sequence[Comparison]", scores: "ScoreTable | None"
) -> tuple[Section, ...]:
    """Return the sections about a comparison: verdicts, and what follows from them."""
    return (comparison_sections.leading(comparison, before), *_beyond(comparison, scores))


def _beyond(comparison: MonitorComparison, scores: "ScoreTable | None") -> tuple[Section, ...]:
    found = [standing(comparison), section(comparison)]
    if scores is not None:
        found += _orders(comparison, scores)
    return tuple(found)


def standing(result: MonitorComparison) -> Section:
    """Say what is decided, what to run next, and how many runs it took."""
    kinds = ["path"] if result.design.method != "anytime" else ["e-process"]
    if result.course.low is not None:
        kinds.append("sequence")
    fold = None
    if result.course.stages:
        noun = "stages" if result.design.method == "recursive" else "looks"
        fold = Fold(f"Table of all {noun}", (), (stages(result),))
    return Section(
        title="Where the experiment stands",
        lead=result.standing,
        text=_text(result),
        facts=_next(result),
        figures=tuple(Figure(result, kind, _CAPTIONS[kind]) for kind in kinds),
        fold=fold,
    )


def _text(result: MonitorComparison) -> tuple[str, ...]:
    found: list[str] = []
    known = decided(result)
    if known:
        listed = [f"{text} (after {n:,})" for text, n in known[:_LISTED]]
        more = f"; and {count(len(known) - _LISTED, 'more pair')}" if len(known) > _LISTED else ""
        did = "were looked at" if result.design.method == "anytime" else "it took"
        found.append(
            f"Decided, with the replications per data set that {did}: {'; '.join(listed)}{more}."
        )
    waiting = int(result.course.provisional.sum())
    if waiting:
        who, are = count(waiting, "pair"), "is" if waiting == 1 else "are"
        found.append(
            f"The p-value of {who} {are} provisional: a part of the level is kept for later stages,"
            " so that it decides nothing yet, however small it is, and may grow again."
        )
    ended = [end for end in ("futile", "not rejected") if end in result.course.ends]
    if ended:
        found.append(
            f"Pairs that ended without a verdict ({join(ended)}) are not known to be alike: a"
            " difference could not be shown."
        )
    by = "" if result.design.n_measures == 1 else "By this measure alone: "
    return (*found, f"{by}{runs(result)}")


def _next(result: MonitorComparison) -> tuple[tuple[str, str], ...]:
    """Say what to run next, a line per data set."""
    lines = said(result.next_cells())
    return tuple(("Run next" if i == 0 else "", line) for i, line in enumerate(lines[:_LISTED])) + (
        (("", f"and on {count(len(lines) - _LISTED, 'more data set')}"),)
        if len(lines) > _LISTED
        else ()
    )


def _orders(result: MonitorComparison, scores: "ScoreTable") -> list[Section]:
    """Show what random orders would have led to, where that takes no long time."""
    if int(result.setting.coverage.found.sum()) * len(result.pairs) > _WORK:
        return []
    try:
        found = result.consecutive(scores, permutations=100, seed=1)
    except DesignError:
        return []  # another table, or nothing in it yet
    text = (
        "Replications came in one order out of many. The shares say how often each of two"
        " algorithms would have been found better by this design, had they come in another one;"
        " they describe the experiment and decide nothing."
    )
    return [
        Section(
            title="What is owed to the order",
            lead=str(found),
            text=(text,),
            figures=(Figure(found, "order", "Growing samples in random orders."),),
        )
    ]


SECTIONS = {MonitorComparison: sections}
