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
from benchinfer.core.measure import Measure
from benchinfer.core.sections import Page, Refusal, Request, Rows, Section
from benchinfer.scores.resampling import Resampling

if TYPE_CHECKING:
    import pandas as pd

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
    # Key to its type and meaning. Types of parts are documents; ``[D]`` is a list of documents,
    # ``{str: D}`` a mapping from name to document
    keys: Mapping[str, tuple[object, str]]

    def of(self, source: object, **values: object) -> dict[str, object]:
        """Return the document of a result; keys without a value are its attributes or methods."""
        document = {key: values.get(key) for key in self.keys}
        for key in self.keys.keys() - values.keys():
            value = getattr(source, key)
            document[key] = value() if callable(value) else value
        return document


FINDING = Document(
    "FindingDocument",
    "A finding of a check of tables.",
    {
        "rule": (str, "Name of the rule."),
        "severity": (str, "Error, warning or note."),
        "count": (int, "How many rows, cells or names are concerned."),
        "what": (str, "What was found."),
        "where": (list[dict[str, str]], "The first places."),
        "hint": (str, "What to do."),
    },
)
TABLE = Document(
    "TableDocument",
    "A score table, and what the checks found.",
    {
        "source": (str, "Where it was read from."),
        "n": (int, "Number of scores."),
        "datasets": (list[str], "Data sets."),
        "algorithms": (list[str], "Algorithms."),
        "measures": (list[Measure], "Measures."),
        "resampling": (
            Resampling | None,
            "How replications came about; null where that is not declared.",
        ),
        "paired": (bool, "Whether algorithms share replications."),
        "digest": (str, "Fingerprint of the table."),
        "runs": (
            dict[str, Rows],
            "Measure with a limit to its runs; means are of data sets that all algorithms have.",
        ),
        "findings": ([FINDING], "What the checks found; the first places of each as records."),
    },
)
PROVENANCE = Document(
    "ProvenanceDocument",
    "Provenance of a result.",
    {
        "analysis": (str, "The function that made it."),
        "version": (str, "Version of the package."),
        "arguments": (dict[str, object], "Every argument, defaults included."),
        "adjustment": (str, "How p-values and intervals are adjusted for many pairs, in words."),
        "digest": (str, "Fingerprint of the table."),
        "seed": (int | None, "Seed of the random numbers, null where there are none."),
        "choice": (
            str,
            "Why this analysis fits, where it was chosen by the table; empty where it was named.",
        ),
    },
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
        "attention": (list[str], "What asks for attention, in sentences."),
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
        "headline": (str, "The verdict in a sentence."),
        "order": (str, "The order of the algorithms, best first."),
        "decided": (
            bool,
            "Whether one algorithm is better than or equivalent to each of the others.",
        ),
        "measure": (Measure, "The measure."),
        "algorithms": (list[str], "The algorithms."),
        "runs": (
            Rows | None,
            "Runs that each algorithm solved, as in `check`; null where the measure has no limit.",
        ),
        "gaps": (
            (GAPS, None),
            "Failed runs and missing scores; null where results are published ones.",
        ),
        "level": (float, "Confidence level, or the probability that a verdict takes."),
        "target": (str, "What the claims are about: domain or datasets."),
        "proviso": (str, "Condition of what is decided, of so few data sets; empty without one."),
        "level_name": (str, _LEVEL),
        "level_better": (str, _LEVEL),
        "rule": (str, "How evidence becomes verdicts."),
        "formula": (str, "The model or statistic in a line."),
        "method": (str, "Sentences for a methods section."),
        "diagnostics": (Rows, "One row per check."),
        "refused": (dict[str, str], "Key to the reason why its value is null."),
        "sections": ([_SAID_SECTION], "What the terminal and the report say, in words."),
        "provenance": (PROVENANCE, "Where the result comes from."),
    },
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
        "refused": (dict[str, str], "Measure to why it could not be compared."),
    },
)
LOCAL = Document(
    "LocalDocument",
    "One comparison per data set.",
    {
        "datasets": ({str: COMPARISON}, "Data set to its comparison, as `compare` prints it."),
        "refused": (dict[str, str], "Data set to why it could not be compared."),
    },
)
CONSENSUS = Document(
    "ConsensusDocument",
    "A consensus of relations of data sets.",
    {
        "order": (str, "The order that all optima agree on."),
        "decided": (bool, "Whether there is one optimum, and proved to be."),
        "method": (str, "Method."),
        "family": (str, "Family of orders among which the consensus is."),
        "missing_pairs": (str, "How pairs that were not compared count."),
        "weights": (dict[str, float], "Weight of each measure."),
        "cost": (float | None, "Cost of the consensus."),
        "lower_bound": (float | None, "Cost that no relation of the family is below."),
        "optimal": (bool, "Whether the cost is proved to be the least."),
        "count": (int, "Number of optima."),
        "count_exact": (bool, "Whether that number is exact."),
        "optima": (list[str], "The optima."),
        "common": (Rows, "Verdict of each pair."),
        "summary": (Rows, "Ranks of the algorithms."),
        "support": (Rows, "Support of each pair."),
        "concordance": (float, "Concordance of the relations (Kendall's W)."),
        "agreement": (float, "Mean tau of Emond and Mason of two relations."),
        "diagnostics": (Rows, "One row per check."),
        "relations": (dict[str, str], "Order of each relation."),
        "refused": (dict[str, dict[str, str]], "Measure to data set to why it has no relation."),
    },
)
PLAN = Document(
    "PlanDocument",
    "A planned experiment.",
    {
        "asked": (str, "Whether data sets, replications or power were asked for."),
        "plan": (dict[str, float | None], "The design."),
        "text": (list[str], "The plan in sentences."),
        "designs": (Rows, "Data sets that other numbers of replications need."),
        "curve": (Rows, "Power around the design."),
    },
)
ALLOCATION = Document(
    "AllocationDocument",
    "Nested units, and how many of each level a wanted error needs.",
    {
        "text": (list[str], "The plan in sentences."),
        "std_error": (float, "Standard error of a difference in the pilot."),
        "interval": (list[float], "Its 95 % interval by the uncertainty of the pilot."),
        "wanted": (float | None, "Standard error that is wanted."),
        "levels": (Rows, "One row per level of units."),
        "cost": (float | None, "Cost of the cheapest design with that error."),
    },
)
_STABILITY = Document(
    "StabilityDocument",
    "How often characteristics divide subsamples of the data sets.",
    {
        "headline": (str, "What divides how often, in a sentence."),
        "resamples": (int, "Number of subsamples, and data sets in each."),
        "size": (int, "Number of subsamples, and data sets in each."),
        "undivided": (float, "Share of the subsamples without any division."),
        "characteristics": (Rows, "One row per characteristic."),
        "seed": (int, "Seed of the draws."),
    },
)
SUBGROUPS = Document(
    "SubgroupsDocument",
    "Groups of data sets on which algorithms compare differently.",
    {
        "headline": (str, "Whether the comparison depends on the data sets, in a sentence."),
        "rule": (str, "When data sets are divided."),
        "method": (str, "Sentences for a methods section."),
        "splits": (Rows, "One row per division."),
        "tests": (Rows, "One row per node and characteristic."),
        "leaves": (
            {str: COMPARISON},
            "Group of data sets to its comparison, as `compare` prints it.",
        ),
        "datasets": (dict[str, list[str]], "Group to its data sets."),
        "refused": (dict[str, str], "Group to why it could not be compared."),
        "diagnostics": (Rows, "One row per check of the tree."),
        "stability": (
            (_STABILITY, None),
            "How often characteristics divide subsamples, if requested.",
        ),
        "provenance": (PROVENANCE, "How it was made."),
    },
)
_GATED = Document(
    "GatedDocument",
    "What the verdict on one measure rests on.",
    {
        "analysis": (str, "Name of the analysis."),
        "reason": (str, "Why it was taken."),
        "scope": (str, "What the claim is about."),
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
)
GATE = Document(
    "GateDocument",
    "A verdict on a candidate.",
    {
        "verdict": (str, "Pass, fail or undecided."),
        "outcome": (str, "The same, where an undecided gate counts as what --on-undecided says."),
        "headline": (str, "The verdict in a sentence."),
        "baseline": (str, "The algorithm that is in place."),
        "candidate": (str, "The algorithm that is to take its place."),
        "want": (str, "What a pass shows on each measure: noninferior or superior."),
        "level": (float, "Confidence level."),
        "rule": (str, "How evidence becomes a verdict."),
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
