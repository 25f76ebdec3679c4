"""Sections of a monitored experiment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from benchinfer.analyses.monitor.comparison import MonitorComparison, pair_count, shared_by
from benchinfer.analyses.monitor.course import decided, runs
from benchinfer.analyses.monitor.feed import said
from benchinfer.analyses.monitor.measures import MonitoredMeasures
from benchinfer.analyses.monitor.numerics.stages import first_boundaries, spent
from benchinfer.analyses.monitor.stagewise import bounds_of
from benchinfer.comparison.effects import effect_columns
from benchinfer.comparison.sections import contrasts, leading
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import (
    amount,
    brief,
    count,
    join,
    level_percent,
    ordinal,
    p_value,
    places,
    significant,
)
from benchinfer.core.sections import (
    Column,
    Figure,
    Fold,
    Request,
    Rows,
    Section,
    Table,
    names,
    number,
)
from benchinfer.core.verdict import Verdict, words

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.monitor.design import MonitorDesign
    from benchinfer.core.measure import Measure
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


def section(result: MonitorComparison) -> Section:
    """Return the section on the design of the experiment."""
    design = result.design
    tables = (looks(design),) if design.method == "group-sequential" else ()
    level = f"{level_percent(design.alpha)} over all {shared_by(design, 'looks')}"
    if design.method != "anytime" and design.n_pairs > 1:
        level += f"; {level_percent(design.alpha_pair)} for each of {pair_count(design)}"
    if design.method != "anytime" and len(design.sides) > 1:
        level += f"; {level_percent(design.alpha_one)} in each direction"
    return Section(
        title="The design",
        text=("It was fixed before the first score, and every number here rests on that.",),
        facts=(("Level", level), *_facts(result)),
        tables=tables,
    )


def _facts(result: MonitorComparison) -> tuple[tuple[str, str], ...]:
    design, d = result.design, len(result.setting.coverage.datasets)
    each = "" if d == 1 else f" on each of {d} data sets"
    size = f"{count(design.stage, 'replication')}{each}"
    last = design.last_stage
    if design.method == "anytime":
        limit = f"an e-value of {1 / design.alpha_pair:.4g}"
        if design.n_pairs > 1:
            limit += f", {1 / design.alpha:.4g} for the last of all pairs (Holm's steps)"
        null = {
            "symmetry": "differences are symmetric about 0",
            "mean": "differences have a mean of 0",
        }
        budget = "none" if design.last_stage is None else f"{design.last_stage} times {size}"
        return (
            ("Looks", f"at any time; the next {size} are asked for together"),
            ("Hypothesis", null[design.null]),
            ("Decided by", limit),
            ("Budget", budget),
        )
    if design.method == "group-sequential":
        total = (last or 1) * design.stage
        return (
            ("Looks", f"{last}, each after {size} more; {total:,} replications in all"),
            ("Spending", _SPENDING[design.spending]),
        )
    first = first_boundaries(design.rule, design.alpha_one, (1,))
    ended = "none is declared the last"
    if last is not None:
        ended = f"the {ordinal(last)} is the last one, declared in advance"
    rule = "literal" if design.rule.startswith("literal") else design.rule.removesuffix("-power")
    reject, accept = (f"{float(p[0]):.2g}" for p in (first.reject, first.accept))
    between = f"in between the next stage has the level {float(first.critical[0]):.4g} / p"
    stops = f"rejects at p up to {reject} and stops for futility above {accept}"
    return (
        ("Stages", f"{size} each; {ended}"),
        ("First stage", f"in each direction it {stops}; {between}"),
        ("Rule", f"{design.rule}: {_RULES[rule]}"),
    )


def looks(design: MonitorDesign) -> Table:
    """One row per planned look: its boundaries, and the share of the level spent by then."""
    import pandas as pd

    bounds, total, sides = bounds_of(design), design.last_stage or 1, len(design.sides)
    stage = np.arange(1, total + 1)
    frame = pd.DataFrame(
        {
            "stage": stage,
            "n": stage * design.stage,
            "information": stage / total,
            "boundary": bounds[:total],
            "p": sides * ndtr(-bounds[:total]),
            "spent": sides * spent(design.spending, stage / total, design.alpha_one),
        }
    )
    return Table(
        name="",
        caption="Boundaries of the planned looks, for each pair",
        frame=frame,
        columns=(
            number("stage", "look", str),
            number("n", "replications", amount),
            number("information", "information", places(2)),
            number("boundary", "boundary of z", places(3)),
            number("p", "p at the boundary", p_value),
            number(
                "spent",
                "level spent so far",
                lambda level: "<0.0001 %" if level < 1e-6 else f"{100 * level:.4f} %",
            ),
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
_COLUMNS = (
    number("stage", "stage", brief),
    number("n", "replications", amount),
    number("p_dataset", "p of the data set", p_value),
    number("p_stage", "p of the stage", p_value),
    number("conditional_level", "level", significant),
    number("reject_at", "rejects up to", significant),
    number("accept_above", "futile above", significant),
    number("critical", "critical value", significant),
    number("statistic_dataset", "z of the data set", places(2)),
    number("statistic", "z", places(2)),
    number("boundary", "boundary", places(2)),
    number("log_e_dataset", "log e of the data set", places(2)),
    number("log_e", "log e", places(2)),
    number("p_raw", "p (anytime, unadjusted)", p_value),
)
_MOST = 200  # rows


def stages(result: MonitorComparison) -> Table:
    """One row per pair, direction, data set and stage; of one data set without columns for it."""
    data = result.stages()
    skipped = {"state"}
    if len(result.setting.coverage.datasets) == 1:
        skipped |= {"dataset", "p_dataset", "statistic_dataset", "log_e_dataset"}
    frame = result.pairs.in_order(data.sort_values("stage", kind="stable"))
    texts = [
        Column(name, head, role="name")
        for name, head in _TEXTS.items()
        if name in frame and name not in skipped
    ]
    left = len(frame) - _MOST
    return Table(
        name="stages",
        caption="Stages, with their statistics and boundaries",
        frame=frame.head(_MOST),
        data=data,
        columns=(
            *texts,
            *(column for column in _COLUMNS if column.name in frame and column.name not in skipped),
            Column("state", _TEXTS["state"], _state, role="name", also=("first", "second")),
        ),
        note=f"{left:,} more rows are in stages()." if left > 0 else "",
    )


def _state(state: str, first: str, second: str) -> str:
    """Return the state of a pair in words, with the name of the better algorithm if decided."""
    return words(Verdict[state.upper()], first, second) if state in ("first", "second") else state


def pairs(result: MonitorComparison) -> Table:
    """One row per pair: estimate, interval where there is one, p-value, and state."""
    table = contrasts(result)
    data, measure = result.contrasts(all=True), result.measure
    kind = f"{level_percent(result.level)} sequence"
    star = (data["provisional"] & (data["n_used"] > 0)).any()
    shown = {"first", "second", "n_used", "estimate", "conf_low", "p_value", "state"}
    shown |= {"provisional", "verdict"}
    return replace(
        table,
        columns=(
            *names("first", "second"),
            Column(
                "state",
                "state",
                _state,
                role="verdict",
                also=("first", "second"),
                without_names=lambda state, *_: _state(state, "first", "second"),
            ),
            number("n_used", "n", amount),
            *effect_columns(measure, data, kind),
            number(
                "p_value",
                "p (* provisional)" if star else "p",
                _marked,
                also=("provisional", "n_used"),
            ),
            *(replace(c, brief=False) for c in table.columns if c.name not in shown),
        ),
        note=f"{result.provenance.adjustment}. {result.rule}{_wider(data, measure)}",
    )


def _marked(p: float, provisional: object, n: int) -> str:
    return p_value(p) + "*" * bool(provisional) if n else p_value(float("nan"))


def _wider(table: pd.DataFrame, measure: Measure) -> str:
    """Return a note if the interval of a decided pair includes no difference, else empty text."""
    if "conf_low" not in table:
        return ""
    neutral = measure.neutral
    holds = (table["conf_low"] <= neutral) & (neutral <= table["conf_high"])
    if not (holds & (table["winner"] != "")).any():
        return ""
    return (
        f" A sequence may hold {neutral:g} where a pair is decided: sequences are for all pairs at"
        " once, Holm's steps are less strict."
    )


_LISTED = 8  # decided pairs that are named
_WORK = 100_000  # differences beyond which random orders take too long
_CAPTIONS = {
    "path": "Each stage between the boundaries that decide.",
    "e-process": "What a bet of 1 on a difference has become.",
    "sequence": "What the differences may be, as replications came in.",
}


def sections(comparison: MonitorComparison, request: Request) -> tuple[Section, ...]:
    """Return the verdicts so far, and what to run next."""
    rows = pairs(comparison)
    first = leading(comparison, request, rows)
    if not request.details:
        first = replace(first, tables=(rows,), values={"summary": comparison.summary})
        return first, standing(comparison, request)
    shown = [first, standing(comparison, request), section(comparison)]
    if request.scores is not None:
        shown += _orders(comparison, request.scores)
    return tuple(shown)


def standing(result: MonitorComparison, request: Request) -> Section:
    """Return the section on the state of the experiment: decisions, next cells, runs."""
    import pandas as pd

    kinds = ["path"] if result.design.method != "anytime" else ["e-process"]
    redesigned = result.design.method != "anytime" and result.decision == "go on"
    if result.course.bounded.any():
        kinds.append("sequence")
    fold = None
    if request.details and result.course.stages:
        noun = "stages" if result.design.method == "recursive" else "looks"
        fold = Fold(f"Table of all {noun}", (), (stages(result),))
    return Section(
        title="Where the experiment stands",
        lead=result.standing,
        text=_text(result),
        facts=run_next(result.next_cells()),
        figures=tuple(Figure(result, kind, _CAPTIONS[kind]) for kind in kinds),
        fold=fold,
        values={
            "stages": result.stages,
            # No rows where the rest may not be designed anew.
            "conditional_levels": result.redesign if redesigned else pd.DataFrame,
            "next_cells": result.next_cells,
        },
    )


def _text(result: MonitorComparison) -> tuple[str, ...]:
    sentences: list[str] = []
    known = decided(result)
    if known:
        listed = [f"{text} (after {n:,})" for text, n in known[:_LISTED]]
        more = f"; and {count(len(known) - _LISTED, 'more pair')}" if len(known) > _LISTED else ""
        did = "were looked at" if result.design.method == "anytime" else "it took"
        sentences.append(
            f"Decided, with the replications per data set that {did}: {'; '.join(listed)}{more}."
        )
    table = result.contrasts(all=True)
    waiting = int((table["provisional"] & (table["n_used"] > 0)).sum())
    if waiting:
        who, are = count(waiting, "pair"), "is" if waiting == 1 else "are"
        sentences.append(
            f"The p-value of {who} {are} provisional: a part of the level is kept for later stages,"
            " so that it decides nothing yet, however small it is, and may grow again."
        )
    ended = [end for end in ("futile", "not rejected") if end in result.course.ends]
    if ended:
        sentences.append(
            f"Pairs that ended without a verdict ({join(ended)}) are not known to be alike: a"
            " difference could not be shown."
        )
    by = "" if result.design.n_measures == 1 else "By this measure alone: "
    return (*sentences, f"{by}{runs(result)}")


def run_next(cells: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    """Return the cells to run next as labelled lines, one per data set."""
    return tuple(("Run next" if i == 0 else "", line) for i, line in enumerate(said(cells)))


def _orders(result: MonitorComparison, scores: ScoreTable) -> list[Section]:
    """Return the section on decisions in random orders, where they are quick to compute."""
    if int(result.setting.coverage.counts.sum()) * len(result.pairs) > _WORK:
        return []
    try:
        consecutive = result.consecutive(scores, permutations=100, seed=1)
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
            lead=str(consecutive),
            text=(text,),
            figures=(Figure(consecutive, "order", "Growing samples in random orders."),),
        )
    ]


def _measures(results: MonitoredMeasures, request: Request) -> tuple[Section, ...]:
    """Return the state of the experiment, and the verdicts so far by each measure."""
    return (
        Section(
            title="Monitored measures",
            lead=results.headline(),
            facts=tuple((name, result.headline()) for name, result in results.items()),
        ),
        *(replace(sections(result, request)[0], title=name) for name, result in results.items()),
    )


SECTIONS = {MonitorComparison: sections, MonitoredMeasures: _measures}
KEYS = {
    "decision": (str, "decided, go on or undecidable"),
    "stages": (Rows, "stages so far"),
    "conditional_levels": (Rows, "levels at which the rest may be designed anew"),
    "next_cells": (Rows, "what to run next"),
}
