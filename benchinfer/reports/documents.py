"""Documents in JSON.

JSON has no word for what is not finite: NaN and the open end of an interval are ``null``, other
infinities ``"inf"`` and ``"-inf"``.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchinfer.core.errors import DesignError
from benchinfer.core.sections import Page, Refusal, Request, Rows, Section

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.board.result import Board
    from benchinfer.analyses.choice.answer import Answer
    from benchinfer.analyses.factors.factors import Factors
    from benchinfer.analyses.gate.result import Gate
    from benchinfer.analyses.plan.allocation import Allocation
    from benchinfer.analyses.plan.result import Plan
    from benchinfer.analyses.subgroups.stability import SubgroupStability
    from benchinfer.analyses.subgroups.subgroups import Subgroups
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.per_dataset import Comparisons
    from benchinfer.relations.consensus.consensus import Consensus
    from benchinfer.relations.ensemble import Ensemble
    from benchinfer.scores.coverage import Coverage, Finding
    from benchinfer.scores.table import ScoreTable


_ENDS = ("conf_low", "conf_high")


def with_options(
    document: Mapping[str, object], options: Mapping[str, object]
) -> Mapping[str, object]:
    """Return a document with the options that came from a file, where there are any."""
    return {**document, "from_file": options} if options else document


def text(document: object) -> str:
    """Return a document as JSON."""
    # In ASCII: what a name holds can neither steer a terminal nor fail to be encoded.
    return json.dumps(plain(document), indent=2, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Return records, arrays and numbers as JSON values."""
    if isinstance(value, str) or value is None:
        return value
    if hasattr(value, "itertuples"):  # a frame; pandas takes time to load
        return plain(rows(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if (as_list := getattr(value, "tolist", None)) is not None:  # NumPy's arrays and scalars
        value = as_list()
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def rows(table: pd.DataFrame) -> list[dict[str, object]]:
    """Turn a table into one record per row; intervals have no end where they are open."""
    records = [dict(zip(table.columns, row, strict=True)) for row in table.itertuples(index=False)]
    for record in records:
        record.update({end: None for end in _ENDS if end in record and math.isinf(record[end])})
    return records


@dataclass(frozen=True, slots=True)
class Document:
    """A kind of document in JSON."""

    # name, title: its name in the schema, and what it is
    name: str
    title: str
    # Key to its type and meaning, None for an attribute or method of the source, which has both.
    # Types of parts are documents; ``[D]`` is a list of documents, ``{str: D}`` a mapping from name
    # to document
    keys: Mapping[str, tuple[object, str] | None]
    # Module and class of the result, as in ``"benchinfer.scores.table:ScoreTable"``
    source: str = ""

    def of(self, source: object, **values: object) -> dict[str, object]:
        """Return the document of a result; keys without a value are its attributes or methods."""
        document = {key: values.get(key) for key in self.keys}
        for key in self.keys.keys() - values.keys():
            value = getattr(source, key)
            document[key] = value() if callable(value) else value
        return document


def of_source(*names: str) -> dict[str, None]:
    """Return keys that are attributes or methods of the source, with its types and sentences."""
    return dict.fromkeys(names)


FINDING = Document(
    "FindingDocument",
    "A finding of a check of tables.",
    {
        **of_source("rule", "severity", "count", "what"),
        "where": (list[dict[str, str]], "The first places."),
        **of_source("hint"),
    },
    source="benchinfer.scores.coverage:Finding",
)
TABLE = Document(
    "TableDocument",
    "A score table, and what the checks found.",
    {
        **of_source("source"),
        "n": (int, "Number of scores."),
        **of_source("datasets", "algorithms", "measures", "resampling", "paired", "digest"),
        "runs": (
            dict[str, Rows],
            "Measure with a limit to its runs; means are of data sets that all algorithms have.",
        ),
        "findings": ([FINDING], "What the checks found; the first places of each as records."),
    },
    source="benchinfer.scores.table:ScoreTable",
)
PROVENANCE = Document(
    "ProvenanceDocument",
    "Provenance of a result.",
    {
        **of_source("analysis", "version", "arguments", "adjustment", "digest", "seed", "choice"),
    },
    source="benchinfer.core.provenance:Provenance",
)
_SAID_FACT = Document(
    "SaidFact", "A name and what is said about it.", {"name": (str, ""), "text": (str, "")}
)
_SAID_TABLE = Document(
    "SaidTable",
    "Caption and note of a table; `name` is its key in the document, if it has one.",
    {"name": (str, ""), "caption": (str, ""), "note": (str, "")},
)
_SAID_SECTION = Document(
    "SaidSection",
    "What a section says in words.",
    {
        "title": (str, "Heading."),
        "lead": (str, "First sentence."),
        "text": (list[str], "Paragraphs."),
        "facts": ([_SAID_FACT], "Names and what is said about them."),
        "attention": (list[str], "What may change a verdict, in sentences."),
        "remarks": (list[str], "What else there is to know, in sentences."),
        "not_answered": (list[str], "What could not be done, in the words of the error."),
        "tables": ([_SAID_TABLE], "The tables that it shows."),
    },
)
GAPS = Document(
    "GapsDocument",
    "Failed runs and missing scores of a measure.",
    {
        "failed": (dict[str, int], "Algorithm to the number of its runs that failed."),
        "counted": (str, "What failed runs count as; empty where they are left out."),
        "missing": (dict[str, int], "Algorithm to the number of scores that are missing besides."),
    },
)
_LEVEL = "The statistic that estimates of the summary, levels, are values of, and its direction."
COMPARISON = Document(
    "ComparisonDocument",
    "A comparison of algorithms on one measure.",
    {
        "analysis": (str, "Name of the analysis."),
        "caveats": (
            dict[str, str],
            "Facts of the table to read before the verdict: name to a line.",
        ),
        **of_source("headline"),
        "order": (str, "The order of the algorithms, best first."),
        "decided": (
            bool,
            "Whether one algorithm is better than or equivalent to each of the others.",
        ),
        **of_source("measure", "algorithms"),
        "runs": (
            Rows | None,
            "Runs that each algorithm solved, as in `check`; null where the measure has no limit.",
        ),
        "gaps": (
            (GAPS, None),
            "Failed runs and missing scores; null where results are published ones.",
        ),
        **of_source(
            "level",
            "target",
            "proviso",
            "level_name",
            "level_better",
            "rule",
            "formula",
            "method",
            "diagnostics",
        ),
        "refused": (dict[str, str], "Key to the reason why its value is null."),
        "sections": ([_SAID_SECTION], "What the terminal and the report say, in words."),
        "provenance": (PROVENANCE, "Where the result comes from."),
    },
    source="benchinfer.comparison.comparison:Comparison",
)
# Keys of a comparison that stand before those of its sections.
_FIRST = (
    *("analysis", "caveats", "headline", "order", "decided", "measure", "algorithms", "level"),
    "target",
)
FACTORS = Document(
    "FactorsDocument",
    "Effects of factors, of which algorithms are the cells.",
    {
        "headline": (str, "Which effects are shown, in sentences."),
        "sentence": (str, "The same with estimates and intervals."),
        "rule": (str, "How evidence becomes verdicts."),
        "method": (str, "Sentences for a methods section."),
        "levels": (dict[str, list[str]], "Factor to its levels."),
        "factors": ({str: COMPARISON}, "Factor to the comparison of its levels."),
        "refused": (dict[str, str], "Factor to why it could not be compared."),
        "interactions": (Rows, "One row per difference of differences of two factors."),
        "shares": (Rows | None, "Shares of the variation of cells; null where cells are missing."),
        "cells": (Rows, "Mean of each cell."),
        "diagnostics": (Rows, "One row per check."),
        "provenance": (PROVENANCE, "How it was made."),
    },
)
ANSWER = Document(
    "AnswerDocument",
    "Comparisons of measures, each by the analysis that fits.",
    {
        "measures": ({str: COMPARISON}, "Measure to its comparison."),
        "effects": ({str: FACTORS}, "Measure to the effects of factors, where a table has some."),
        "basis": (
            dict[str, str],
            "Measure to the analysis, why it fits, and how far another one agrees.",
        ),
        **of_source("refused"),
    },
    source="benchinfer.analyses.choice.answer:Answer",
)
LOCAL = Document(
    "LocalDocument",
    "One comparison per data set.",
    {
        "datasets": ({str: COMPARISON}, "Data set to its comparison, as `compare` prints it."),
        **of_source("refused"),
    },
    source="benchinfer.comparison.per_dataset:Comparisons",
)
CONSENSUS = Document(
    "ConsensusDocument",
    "A consensus of relations of data sets.",
    {
        "order": (str, "The order that all optima agree on."),
        **of_source("decided", "method", "family", "missing_pairs"),
        "weights": (dict[str, float], "Weight of each measure."),
        **of_source("cost", "lower_bound", "optimal", "count", "count_exact"),
        "optima": (list[str], "The optima."),
        "common": (Rows, "Verdict of each pair."),
        **of_source("summary", "support"),
        "concordance": (float, "Concordance of the relations (Kendall's W)."),
        "agreement": (float, "Mean tau of Emond and Mason of two relations."),
        **of_source("diagnostics"),
        "relations": (dict[str, str], "Order of each relation."),
        "refused": (dict[str, dict[str, str]], "Measure to data set to why it has no relation."),
    },
    source="benchinfer.relations.consensus.consensus:Consensus",
)
PLAN = Document(
    "PlanDocument",
    "A planned experiment.",
    {
        **of_source("asked"),
        "plan": (dict[str, float | None], "The design."),
        "text": (list[str], "The plan in sentences."),
        "designs": (Rows, "Data sets that other numbers of replications need."),
        **of_source("curve"),
    },
    source="benchinfer.analyses.plan.result:Plan",
)
ALLOCATION = Document(
    "AllocationDocument",
    "Nested units, and how many of each level a wanted error needs.",
    {
        "text": (list[str], "The plan in sentences."),
        **of_source("std_error", "interval", "wanted"),
        "levels": (Rows, "One row per level of units."),
        **of_source("cost"),
    },
    source="benchinfer.analyses.plan.allocation:Allocation",
)
_STABILITY = Document(
    "StabilityDocument",
    "How often characteristics divide subsamples of the data sets.",
    {
        "headline": (str, "What divides how often, in a sentence."),
        **of_source("resamples", "size", "undivided"),
        "characteristics": (Rows, "One row per characteristic."),
        **of_source("seed"),
    },
    source="benchinfer.analyses.subgroups.stability:SubgroupStability",
)
SUBGROUPS = Document(
    "SubgroupsDocument",
    "Groups of data sets on which algorithms compare differently.",
    {
        **of_source("headline", "rule", "method", "splits", "tests"),
        "leaves": (
            {str: COMPARISON},
            "Group of data sets to its comparison, as `compare` prints it.",
        ),
        **of_source("datasets", "refused"),
        "diagnostics": (Rows, "One row per check of the tree."),
        "stability": (
            (_STABILITY, None),
            "How often characteristics divide subsamples, if requested.",
        ),
        "provenance": (PROVENANCE, "How it was made."),
    },
    source="benchinfer.analyses.subgroups.subgroups:Subgroups",
)
_GATED = Document(
    "GatedDocument",
    "What the verdict on one measure rests on.",
    {
        "analysis": (str, "Name of the analysis."),
        **of_source("reason", "scope"),
        "typical": (
            float | None,
            "Their typical difference on the scale of the model; null for one data set.",
        ),
        "beyond": (
            dict[str, float],
            "Data sets beyond the tolerance, to their difference on that scale.",
        ),
        "method": (str, "Sentences for a methods section."),
        "needs": (str | None, "What would decide an undecided measure; null where it is decided."),
        "more_datasets": (
            int | None,
            "How many more data sets that takes; null where that is not the way, or not known.",
        ),
        "more_replications": (int | None, "The same of replications."),
        "diagnostics": (Rows, "One row per check."),
        "provenance": (
            PROVENANCE,
            "Where the comparison of the two algorithms comes from, at one minus twice the error.",
        ),
    },
    source="benchinfer.analyses.gate.result:GatedMeasure",
)
GATE = Document(
    "GateDocument",
    "A verdict on a candidate.",
    {
        **of_source(
            *("verdict", "outcome", "headline", "baseline", "candidate", "want", "by_more_than"),
            *("level", "rule"),
        ),
        "measures": (
            Rows,
            "One row per measure; the ends of intervals are one-sided bounds at the level.",
        ),
        "evidence": ({str: _GATED}, "Measure to what its verdict rests on."),
        "notes": (
            list[str],
            "What the verdict leaves out, what differs between runs, and options from a file.",
        ),
    },
    source="benchinfer.analyses.gate.result:Gate",
)
BOARD = Document(
    "BoardDocument",
    "Verdicts on the entries of a board.",
    {
        **of_source("verdict", "headline", "measure", "level"),
        "by_more_than": (float, "Difference that a record has to be better by."),
        "spending": (str, "How the level is spent over the entries."),
        **of_source("records", "contenders", "rule", "method"),
        "entries": (Rows, "One row per entry, in their order."),
        "notes": (list[str], "On the order of the entries, and what their tests take for granted."),
        "provenance": (PROVENANCE, "Where the result comes from."),
    },
    source="benchinfer.analyses.board.result:Board",
)
_SAID_PART = Document(
    "SaidPart",
    "What a part of a report says in words.",
    {
        "title": (str, "Heading: the measure, or the kind of results that have none."),
        "tag": (str, "The direction that is better."),
        "sections": ([_SAID_SECTION], "Its sections."),
    },
)
_CHANGES = (
    "Measure to the verdicts that change with level, tolerance, scale, or without a data set or an"
    " algorithm."
)
REPORT = Document(
    "ReportDocument",
    "A report.",
    {
        "report": (str, "The file."),
        "title": (str, "Heading."),
        "version": (str, "Version of the package."),
        "results": ([COMPARISON], "The comparisons over all data sets, as `compare` prints them."),
        "refused": (list[Refusal], "What the table cannot answer."),
        "agreement": (dict[str, Rows], "Measure to the verdict of each analysis on each pair."),
        "changes": (
            dict[str, Rows],
            _CHANGES,
        ),
        "parts": ([_SAID_PART], "What the parts of the report say, in words."),
    },
)


def report(
    page: Page, results: Sequence[Comparison], refused: Sequence[Refusal], name: str
) -> dict[str, object]:
    """Return the document of a report: its comparisons in full, and the texts of its page."""
    shown = {"agreement": dict[str, Any](), "changes": dict[str, Any]()}
    for part in page.parts:
        for section in part.sections:
            for key in shown.keys() & section.values.keys():
                shown[key][part.title] = section.values[key]
    return REPORT.of(
        page,
        report=name,
        results=[comparison(result, decided=result.relation().settled) for result in results],
        refused=refused,
        parts=[
            _SAID_PART.of(part, sections=[said(section) for section in part.sections])
            for part in page.parts
        ],
        **shown,
    )


def findings(records: Sequence[Finding]) -> list[dict[str, object]]:
    """Write down findings, the first places of each as records."""
    return [
        FINDING.of(
            finding,
            where=[dict(zip(finding.where[0], row, strict=True)) for row in finding.where[1:]],
        )
        for finding in records
    ]


def table(scores: ScoreTable) -> dict[str, object]:
    """Return the document of a score table: its size, findings and the power of its design."""
    from benchinfer.analyses.plan.design import design
    from benchinfer.comparison.checks.tables import solved_runs

    records = (*scores.finding_records, *design(scores))
    stopped = {m.name: scores.runs(m.name).stopped() for m in scores.measures}
    runs = {name: solved_runs(held, scores.algorithms) for name, held in stopped.items() if held}
    return TABLE.of(scores, n=scores.n_rows, runs=runs, findings=findings(records))


def comparison(
    result: Comparison, *, decided: bool, request: Request | None = None
) -> dict[str, object]:
    """Return the document of a comparison: its verdicts, evidence and sections."""
    from benchinfer.comparison.checks.caveats import caveats
    from benchinfer.comparison.checks.tables import solved_runs
    from benchinfer.comparison.sections import sections_of

    sections = sections_of(result, request or Request(details=False))
    shown, refused = values(sections)
    held = result.setting.stopped
    document = COMPARISON.of(
        result,
        analysis=result._heading,
        caveats=caveats(result),
        order=str(result.relation()),
        decided=decided,
        runs=held and solved_runs(held, result.setting.algorithms),
        gaps=_gaps(result.setting.coverage),
        refused=refused,
        sections=[said(section) for section in sections],
        provenance=PROVENANCE.of(result.provenance),
    )
    return {name: document.pop(name) for name in _FIRST} | shown | document


def _gaps(coverage: Coverage) -> dict[str, object] | None:
    """Write down failed runs and missing scores."""
    if (lacking := coverage.gaps) is None:
        return None
    numbers = zip(coverage.algorithms, lacking.missing.sum(axis=0).tolist(), strict=True)
    missing = {name: n for name, n in numbers if n}
    return GAPS.of(lacking, failed=dict(lacking.runs), missing=missing)


def values(sections: Sequence[Section]) -> tuple[dict[str, object], dict[str, str]]:
    """Return tables and values of sections by key, and the reasons why some are unknown."""
    known: dict[str, object] = {}
    refused: dict[str, str] = {}
    for section in sections:
        for table in section.all_tables:
            if table.name and table.name != "diagnostics":
                known[table.name] = table.frame if table.data is None else table.data
        for name, value in section.values.items():
            try:
                known[name] = value() if callable(value) else value
            except DesignError as error:
                known[name], refused[name] = None, str(error)
    return known, refused


def said(section: Section) -> dict[str, object]:
    """Return the document of a section: its texts, facts and tables."""
    return _SAID_SECTION.of(
        section,
        facts=[{"name": name, "text": text} for name, text in section.facts],
        attention=[line.text for line in section.attention],
        remarks=[line.text for line in section.remarks],
        not_answered=section.warnings,
        tables=[_SAID_TABLE.of(table) for table in section.all_tables],
    )


def subgroups(groups: Subgroups, stability: SubgroupStability | None = None) -> dict[str, object]:
    """Write down groups of data sets, with the comparison in each, and their stability."""
    from benchinfer.core.frames import checks_frame

    return SUBGROUPS.of(
        groups,
        leaves={
            name: comparison(result, decided=bool(result.contrasts(all=True)["winner"].any()))
            for name, result in groups.items()
        },
        diagnostics=checks_frame(groups.checks),
        stability=stability
        and _STABILITY.of(
            stability, headline=stability.sentence(), characteristics=stability.summary()
        ),
        provenance=PROVENANCE.of(groups.provenance),
    )


def factors(effects: Factors) -> dict[str, object]:
    """Write down effects of factors, with the comparison of the levels of each."""
    try:
        shares = effects.shares()
    except DesignError:
        shares = None
    return FACTORS.of(
        effects,
        headline=effects.headline(),
        sentence=effects.sentence(),
        factors={
            name: comparison(one, decided=bool(one.pairs.decided.any()))
            for name, one in effects.items()
        },
        interactions=effects.interactions(),
        shares=shares,
        cells=effects.cells(),
        diagnostics=effects.diagnostics(),
        provenance=PROVENANCE.of(effects.provenance),
    )


def answer(result: Answer, decided: Mapping[str, bool], request: Request) -> dict[str, object]:
    """Write down comparisons of measures by the analyses that fit."""
    return ANSWER.of(
        result,
        measures={
            name: comparison(one, decided=decided[name], request=request)
            for name, one in result._comparisons.items()
        },
        effects={name: factors(one) for name, one in result._effects.items()},
        basis={name: result.basis(name) for name in result},
    )


def comparisons(results: Comparisons, decided: Mapping[str, bool]) -> dict[str, object]:
    """Write down one comparison per data set."""
    return LOCAL.of(
        results,
        datasets={
            name: comparison(result, decided=decided[name]) for name, result in results.items()
        },
    )


def consensus(
    result: Consensus,
    ensemble: Ensemble,
    weights: Mapping[str, float],
    refused: Mapping[str, Mapping[str, str]],
) -> dict[str, object]:
    """Write down a consensus, the relations that it is of, and the weight of each measure."""
    return CONSENSUS.of(
        result,
        order=str(result),
        weights=weights,
        optima=[str(relation) for relation in result.relations()],
        common=result.relation().to_frame(),
        concordance=ensemble.concordance(),
        agreement=ensemble.agreement(),
        relations={name: str(relation) for name, relation in ensemble.items()},
        refused=refused,
    )


def plan(result: Plan | Allocation) -> dict[str, object]:
    """Write down a plan."""
    from benchinfer.analyses.plan.allocation import Allocation

    if isinstance(result, Allocation):
        return ALLOCATION.of(result, text=str(result).split("\n"), levels=result.summary())
    designs = result.designs()
    return PLAN.of(
        result,
        plan=result.summary().iloc[0].to_dict(),
        text=str(result).split("\n"),
        designs=designs if result.floor is not None else designs.head(0),
    )


def gate(result: Gate) -> dict[str, object]:
    """Write down a gate."""
    evidence = {
        name: _GATED.of(
            row,
            analysis=row.comparison._heading,
            typical=row.harm and row.harm.typical,
            beyond=dict(row.harm.beyond) if row.harm else {},
            method=row.comparison.method,
            needs=row.need and row.need.text,
            more_datasets=row.need and row.need.datasets,
            more_replications=row.need and row.need.replications,
            diagnostics=row.comparison.diagnostics(),
            provenance=PROVENANCE.of(row.comparison.provenance),
        )
        for name, row in result.items()
    }
    return GATE.of(result, measures=result.summary(), evidence=evidence, notes=list(result.notes))


def board(result: Board) -> dict[str, object]:
    """Write down a board."""
    return BOARD.of(
        result,
        by_more_than=result.options.by_more_than,
        spending=result.provenance.adjustment,
        entries=result.summary(),
        notes=list(result.notes),
        provenance=PROVENANCE.of(result.provenance),
    )
