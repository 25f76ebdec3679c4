"""Parts of a report: one for each measure, and those of all measures, orders, gates and plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from benchinfer.analyses.board.result import Board
from benchinfer.analyses.board.sections import board_sections
from benchinfer.analyses.choice.sections import measures_section
from benchinfer.analyses.factors.factors import Factors
from benchinfer.analyses.gate.result import Gate
from benchinfer.analyses.gate.sections import gate_sections
from benchinfer.analyses.plan.allocation import Allocation
from benchinfer.analyses.plan.result import Plan
from benchinfer.analyses.plan.sections import SECTIONS
from benchinfer.analyses.robustness.changes import changes
from benchinfer.analyses.robustness.sections import sensitivity
from benchinfer.comparison.comparison import BestSets, Comparison, TestedComparison
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.comparison.sections import (
    data_section,
    each_dataset,
    inferential,
    method_section,
    refused_section,
    sections_of,
)
from benchinfer.core.errors import DesignError
from benchinfer.core.sections import MeasurePart, Request, Section
from benchinfer.relations.consensus import sections
from benchinfer.relations.consensus.consensus import Consensus, optima
from benchinfer.relations.consensus.sections import consensus_section
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.relation import Relation
from benchinfer.relations.sections import ensemble_section, relation_section
from benchinfer.reports.answer import answer
from benchinfer.reports.gather import ReportInput, Where

if TYPE_CHECKING:
    from benchinfer.core.measure import Measure


def parts_of(gathered: ReportInput) -> list[MeasurePart]:
    """Return the parts of a report, in its order, before their sections have anchors."""
    comparisons = [r for r in gathered.results if isinstance(r, Comparison)]
    parts = [_part(measure, n, gathered) for n, measure in enumerate(_measures(gathered), 1)]
    return [
        *_all_measures(comparisons),
        *parts,
        *_orders(gathered),
        *_decisions(gathered),
    ]


def _measures(gathered: ReportInput) -> list[Measure]:
    """Return the measures of the table or, without one, of the results, each once."""
    measures: dict[str, Measure] = {}
    if gathered.scores is not None:
        measures = {measure.name: measure for measure in gathered.scores.measures}
    where = [r for r in gathered.results if isinstance(r, BestSets | Where)]
    for one in (*_compared(gathered), *where):
        measures[one.measure.name] = one.measure
    return list(measures.values())


def _compared(gathered: ReportInput) -> list[Comparison]:
    """Return the comparisons, followed by the first one of each result per data set."""
    results = [r for r in gathered.results if isinstance(r, Comparison)]
    # A single data set describes a part of the table: used only where no result describes all.
    return results + [
        next(iter(r.values())) for r in gathered.results if isinstance(r, Comparisons)
    ]


def _part(measure: Measure, number: int, gathered: ReportInput) -> MeasurePart:
    """Return the part of a report on one measure."""
    name = measure.name
    comparisons = [
        r for r in gathered.results if isinstance(r, Comparison) and r.setting.measure.name == name
    ]
    comparisons.sort(key=lambda c: not inferential(c))
    anchor = f"measure-{number}"
    content: list[Section] = []
    anchors: dict[int, str] = {}
    for n, c in enumerate(comparisons):
        request = Request(c not in gathered.brief, tuple(comparisons[:n]), gathered.scores)
        first, *further = sections_of(c, request)
        anchors[n] = f"{anchor}-{n + 1}"
        # Method and ranking of the first one stand with the answer, and one analysis stands open.
        further += [method_section(c)] if n else []
        if n == 0:
            first = replace(first, figures=tuple(f for f in first.figures if f.kind != "ranking"))
        group = [replace(first, anchor=anchors[n]), *further]
        content += _folded(group, depth=min(len(comparisons) - 1, 1))
    if comparisons:
        first, *verdicts = answer(comparisons, anchors)
        at_once = [first, method_section(comparisons[0])]
        content = [*at_once, *verdicts, *_folded(_robust(comparisons[0], gathered)), *content]
    local = [
        r
        for r in gathered.results
        if isinstance(r, Comparisons) and next(iter(r.values())).setting.measure.name == name
    ]
    for r in local:
        method = method_section(next(iter(r.values())), each=True)
        content += _folded([each_dataset(r), method])
    if name in gathered.agreed:
        content += _folded([sections.over_datasets(gathered.agreed[name], len(local[0]))])
    effects, others = _of_groups(name, gathered)
    if effects and content:
        content[0] = replace(content[0], title=f"{content[0].title} on the cells")
    content = [*effects, *content, *others]
    if refusals := [r for r in gathered.refusals if r.measure == name]:
        content.append(refused_section(refusals))
    content += _folded(_data(measure, comparisons, gathered))
    if not comparisons:
        content = [replace(one, depth=0) for one in content]
    return MeasurePart(
        anchor=anchor,
        title=measure.title,
        # A comparison has the direction in its sentence.
        tag="" if comparisons else f"{measure.better} is better",
        sections=tuple(content),
    )


def _all_measures(comparisons: Sequence[Comparison]) -> list[MeasurePart]:
    """Return the part with the answers and the levels on all measures; empty for one measure."""
    leads: dict[str, Comparison] = {}
    for one in sorted(comparisons, key=lambda c: not inferential(c)):
        leads.setdefault(one.measure.name, one)
    if len(leads) < 2:
        return []
    return [MeasurePart("measures", "All measures", "", (measures_section(leads),))]


def _of_groups(name: str, gathered: ReportInput) -> tuple[list[Section], list[Section]]:
    """Return the sections on effects of factors, which come first, and on groups of data sets."""
    effects, others = list[Section](), list[Section]()
    for r in gathered.results:
        if isinstance(r, BestSets | Where) and r.measure.name == name:
            parts = sections_of(r, Request(details=True))
            if isinstance(r, Factors):
                effects += parts
            else:
                others += _folded(parts)
    return effects, others


def _folded(group: Sequence[Section], depth: int = 1) -> list[Section]:
    """Return sections with all but the first nested one level deeper."""
    return [replace(one, depth=depth + min(n, 1)) for n, one in enumerate(group)]


def _robust(comparison: Comparison, gathered: ReportInput) -> list[Section]:
    """Return the section on what would change the verdicts of a comparison by tests."""
    scores = gathered.scores
    if scores is not None and comparison.measure.name not in {m.name for m in scores.measures}:
        scores = None
    if not isinstance(comparison, TestedComparison):
        return []
    try:
        return [sensitivity(changes(comparison, scores))]
    except DesignError:
        return []  # verdicts that do not rest on tests of two-sided contrasts


def _orders(gathered: ReportInput) -> list[MeasurePart]:
    """Return the parts on relations, ensembles and consensus, which have no measure."""
    results = gathered.results
    relations = [r for r in results if isinstance(r, Relation)]
    ensembles = [r for r in results if isinstance(r, Ensemble)]
    agreed = [r for r in results if isinstance(r, Consensus)]
    by_title = {
        "Relations": [relation_section(r, n) for n, r in enumerate(relations, 1)],
        "Ensembles": [ensemble_section(r, f"Ensemble {n}") for n, r in enumerate(ensembles, 1)],
        "Consensus": [
            consensus_section(r, f"Consensus {n}: {optima(r)}") for n, r in enumerate(agreed, 1)
        ],
    }
    return [
        MeasurePart(title.lower(), title, "", tuple(content))
        for title, content in by_title.items()
        if content
    ]


def _decisions(gathered: ReportInput) -> list[MeasurePart]:
    """Return one part for each gate, board and plan, numbered where there are several."""
    gates = [r for r in gathered.results if isinstance(r, Gate)]
    plans = [r for r in gathered.results if isinstance(r, Plan | Allocation)]
    parts = [("gate", "Gate", r.verdict, len(gates), gate_sections(r)) for r in gates]
    boards = [r for r in gathered.results if isinstance(r, Board)]
    parts += [("board", "Board", r.verdict, len(boards), board_sections(r)) for r in boards]
    parts += [
        ("plan", "Planned experiment", "", len(plans), SECTIONS[type(r)](r, None)) for r in plans
    ]
    numbers = [n for each in (gates, boards, plans) for n in range(1, len(each) + 1)]
    return [
        MeasurePart(f"{anchor}-{n}", title + f" {n}" * (total > 1), tag, content)
        for n, (anchor, title, tag, total, content) in zip(numbers, parts, strict=True)
    ]


def _data(
    measure: Measure, comparisons: Sequence[Comparison], gathered: ReportInput
) -> list[Section]:
    """Return one section for each table of scores that a measure was compared on."""
    scores = gathered.scores
    if scores is not None and measure.name in {m.name for m in scores.measures}:
        try:
            setting, _ = Setting.of(scores, measure.name)
        except DesignError:
            return []  # fewer than two algorithms: the refusals say so
        return [data_section(setting)]
    # Published effects come without scores.
    settings = {c.setting.digest: c.setting for c in comparisons if c.setting.has_quartiles}
    return [data_section(s) for s in settings.values()]
