"""Documents in JSON.

JSON has no word for what is not finite: NaN and the open end of an interval are ``null``, other
infinities ``"inf"`` and ``"-inf"``.
"""

import dataclasses
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from benchinfer.core.errors import DesignError
from benchinfer.core.sections import Page, Refusal, Request, Rows, Section

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.choice.answer import Answer
    from benchinfer.analyses.subgroups.stability import SubgroupStability
    from benchinfer.analyses.subgroups.subgroups import Subgroups
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.per_dataset import Comparisons
    from benchinfer.core.measure import Measure
    from benchinfer.core.provenance import Provenance
    from benchinfer.relations.consensus.consensus import Consensus
    from benchinfer.relations.ensemble import Ensemble
    from benchinfer.scores.coverage import Finding
    from benchinfer.scores.resampling import Resampling
    from benchinfer.scores.table import ScoreTable


_ENDS = ("conf_low", "conf_high")


def write(document: object) -> None:
    """Print a document."""
    sys.stdout.write(text(document))


def text(document: object) -> str:
    """Return a document as JSON."""
    # In ASCII: what a name holds can neither steer a terminal nor fail to be encoded.
    return json.dumps(plain(document), indent=2, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Turn records, arrays and numbers into what JSON can hold."""
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


def rows(table: "pd.DataFrame") -> list[dict[str, object]]:
    """Turn a table into one record per row; intervals have no end where they are open."""
    found = [dict(zip(table.columns, row, strict=True)) for row in table.itertuples(index=False)]
    for row in found:
        row.update({end: None for end in _ENDS if end in row and math.isinf(row[end])})
    return found


@dataclass(frozen=True, slots=True)
class TableDocument:
    """A score table, and what the checks found.

    Attributes
    ----------
    source
        Where it was read from.
    n
        Number of scores.
    datasets
        Data sets.
    algorithms
        Algorithms.
    measures
        Measures.
    resampling
        How replications came about; null where that is not declared.
    paired
        Whether algorithms share replications.
    digest
        Fingerprint of the table.
    findings
        What the checks found; the first places of each as records.
    """

    source: str
    n: int
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    measures: "tuple[Measure, ...]"
    resampling: "Resampling | None"
    paired: bool
    digest: str
    findings: "tuple[FindingDocument, ...]"


@dataclass(frozen=True, slots=True)
class FindingDocument:
    """A finding of a check of tables.

    Attributes
    ----------
    rule
        Name of the rule.
    severity
        Error, warning or note.
    count
        How many rows, cells or names are concerned.
    what
        What was found.
    where
        The first places.
    hint
        What to do.
    """

    rule: str
    severity: str
    count: int
    what: str
    where: list[dict[str, str]]
    hint: str


@dataclass(frozen=True, slots=True)
class SaidSection:
    """What a section says in words.

    Attributes
    ----------
    title
        Heading.
    lead
        First sentence.
    text
        Paragraphs.
    facts
        Names and what is said about them.
    not_answered
        What could not be done, in the words of the error.
    tables
        The tables that it shows.
    """

    title: str
    lead: str
    text: tuple[str, ...]
    facts: "list[SaidFact]"
    not_answered: tuple[str, ...]
    tables: "list[SaidTable]"


@dataclass(frozen=True, slots=True)
class SaidFact:
    """A name and what is said about it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class SaidTable:
    """Caption and note of a table; `name` is its key in the document, if it has one."""

    name: str
    caption: str
    note: str


@dataclass(frozen=True, slots=True)
class ProvenanceDocument:
    """Provenance of a result.

    Attributes
    ----------
    analysis
        The function that made it.
    version
        Version of the package.
    arguments
        Every argument, defaults included.
    adjustment
        How p-values and intervals are adjusted for many pairs, in words.
    digest
        Fingerprint of the table.
    seed
        Seed of the random numbers, null where there are none.
    choice
        Why this analysis fits, where it was chosen by the table; empty where it was named.
    """

    analysis: str
    version: str
    arguments: Mapping[str, object]
    adjustment: str
    digest: str
    seed: int | None
    choice: str

    @classmethod
    def of(cls, source: "Provenance") -> Self:
        """Return the provenance of a result, with its arguments by name."""
        return cls(**{field.name: getattr(source, field.name) for field in dataclasses.fields(cls)})


@dataclass(frozen=True, slots=True)
class ComparisonDocument:
    """A comparison of algorithms on one measure.

    Attributes
    ----------
    analysis
        Name of the analysis.
    caveats
        Facts of the table to read before the verdict: name to a line.
    headline
        The verdict in a sentence.
    order
        The order of the algorithms, best first.
    decided
        Whether one algorithm is better than or equivalent to each of the others.
    measure
        The measure.
    algorithms
        The algorithms.
    level
        Confidence level, or the probability that a verdict takes.
    target
        What the claims are about: domain or datasets.
    level_name, level_better
        The statistic that estimates of the summary are values of, and its direction.
    rule
        How evidence becomes verdicts.
    formula
        The model or statistic in a line.
    method
        Sentences for a methods section.
    diagnostics
        One row per check.
    refused
        Key to the reason why its value is null.
    sections
        What the terminal and the report say, in words.
    provenance
        Where the result comes from.
    """

    analysis: str
    caveats: "Mapping[str, str]"
    headline: str
    order: str
    decided: bool
    measure: "Measure"
    algorithms: tuple[str, ...]
    level: float
    target: str
    level_name: str
    level_better: str
    rule: str
    formula: str
    method: str
    diagnostics: Rows
    refused: dict[str, str]
    sections: list[SaidSection]
    provenance: "ProvenanceDocument"


@dataclass(frozen=True, slots=True)
class AnswerDocument:
    """Comparisons of measures, each by the analysis that fits.

    Attributes
    ----------
    measures
        Measure to its comparison, as `compare` with the name of an analysis prints it.
    basis
        Measure to the analysis, why it fits, and how far another one agrees.
    refused
        Measure to why it could not be compared.
    """

    measures: dict[str, dict[str, object]]
    basis: dict[str, str]
    refused: dict[str, str]


@dataclass(frozen=True, slots=True)
class LocalDocument:
    """One comparison per data set.

    Attributes
    ----------
    datasets
        Data set to its comparison, as `compare` prints it.
    refused
        Data set to why it could not be compared.
    """

    datasets: dict[str, dict[str, object]]
    refused: dict[str, str]


@dataclass(frozen=True, slots=True)
class ConsensusDocument:
    """A consensus of relations of data sets.

    Attributes
    ----------
    order
        The order that all optima agree on.
    decided
        Whether there is one optimum, and proved to be.
    method
        Method.
    family
        Family of orders among which the consensus is.
    missing_pairs
        How pairs that were not compared count.
    weights
        Weight of each measure.
    cost
        Cost of the consensus.
    lower_bound
        Cost that no relation of the family is below.
    optimal
        Whether the cost is proved to be the least.
    count
        Number of optima.
    count_exact
        Whether that number is exact.
    optima
        The optima.
    common
        Verdict of each pair.
    summary
        Ranks of the algorithms.
    support
        What speaks for each pair.
    concordance
        Concordance of the relations (Kendall's W).
    agreement
        Mean tau of Emond and Mason of two relations.
    diagnostics
        One row per check.
    relations
        Order of each relation.
    refused
        Measure to data set to why it has no relation.
    """

    order: str
    decided: bool
    method: str
    family: str
    missing_pairs: str
    weights: dict[str, float]
    cost: float | None
    lower_bound: float | None
    optimal: bool
    count: int
    count_exact: bool
    optima: list[str]
    common: Rows
    summary: Rows
    support: Rows
    concordance: float
    agreement: float
    diagnostics: Rows
    relations: dict[str, str]
    refused: dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class PlanDocument:
    """A planned experiment.

    Attributes
    ----------
    asked
        Whether data sets, replications or power were asked for.
    plan
        The design.
    text
        The plan in sentences.
    designs
        Data sets that other numbers of replications need.
    curve
        Power around the design.
    """

    asked: str
    plan: dict[str, float | None]
    text: list[str]
    designs: Rows
    curve: Rows


@dataclass(frozen=True, slots=True)
class StabilityDocument:
    """How often characteristics divide subsamples of the data sets.

    Attributes
    ----------
    headline
        What divides how often, in a sentence.
    resamples, size
        Number of subsamples, and data sets in each.
    undivided
        Share of the subsamples without any division.
    characteristics
        One row per characteristic.
    seed
        Seed of the draws.
    """

    headline: str
    resamples: int
    size: int
    undivided: float
    characteristics: Rows
    seed: int


@dataclass(frozen=True, slots=True)
class SubgroupsDocument:
    """Groups of data sets on which algorithms compare differently.

    Attributes
    ----------
    headline
        Whether the comparison depends on the data sets, in a sentence.
    rule
        When data sets are divided.
    method
        Sentences for a methods section.
    splits
        One row per division.
    tests
        One row per node and characteristic.
    leaves
        Group of data sets to its comparison, as `compare` prints it.
    datasets
        Group to its data sets.
    refused
        Group to why it could not be compared.
    diagnostics
        One row per check of the tree.
    stability
        How often characteristics divide subsamples, if requested.
    provenance
        How it was made.
    """

    headline: str
    rule: str
    method: str
    splits: Rows
    tests: Rows
    leaves: dict[str, dict[str, object]]
    datasets: dict[str, list[str]]
    refused: dict[str, str]
    diagnostics: Rows
    stability: StabilityDocument | None
    provenance: "ProvenanceDocument"


@dataclass(frozen=True, slots=True)
class GateDocument:
    """A verdict on a candidate.

    Attributes
    ----------
    verdict
        Pass, fail or undecided.
    outcome
        The same, where an undecided gate counts as what --on-undecided says.
    headline
        The verdict in a sentence.
    baseline
        The algorithm that is in place.
    candidate
        The algorithm that is to take its place.
    want
        What a pass shows on each measure: noninferior or superior.
    level
        Confidence level.
    rule
        How evidence becomes a verdict.
    measures
        One row per measure; the ends of intervals are one-sided bounds at the level.
    evidence
        Measure to what its verdict rests on.
    """

    verdict: str
    outcome: str
    headline: str
    baseline: str
    candidate: str
    want: str
    level: float
    rule: str
    measures: Rows
    evidence: "dict[str, GatedDocument]"


@dataclass(frozen=True, slots=True)
class GatedDocument:
    """What the verdict on one measure rests on.

    Attributes
    ----------
    analysis
        Name of the analysis.
    reason
        Why it was taken.
    scope
        What the claim is about.
    method
        Sentences for a methods section.
    needs
        What would decide an undecided measure; null where it is decided.
    more_datasets
        How many more data sets that takes; null where that is not the way, or not known.
    more_replications
        The same of replications.
    diagnostics
        One row per check.
    provenance
        Where the comparison of the two algorithms comes from, at one minus twice the error.
    """

    analysis: str
    reason: str
    scope: str
    method: str
    needs: str | None
    more_datasets: int | None
    more_replications: int | None
    diagnostics: Rows
    provenance: "ProvenanceDocument"


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A report.

    Attributes
    ----------
    report
        The file.
    title
        Heading.
    version
        Version of the package.
    results
        The comparisons over all data sets, as `compare` prints them.
    refused
        What the table cannot answer.
    agreement
        Measure to the verdict of each analysis on each pair.
    changes
        Measure to the verdicts that change with level, tolerance, scale, or without a data set or
        an algorithm.
    parts
        What the parts of the report say, in words.
    """

    report: str
    title: str
    version: str
    results: list[dict[str, object]]
    refused: "tuple[Refusal, ...]"
    agreement: dict[str, Rows]
    changes: dict[str, Rows]
    parts: "list[SaidPart]"


@dataclass(frozen=True, slots=True)
class SaidPart:
    """What a part of a report says in words.

    Attributes
    ----------
    title
        Heading: the measure, or the kind of results that have none.
    tag
        The direction that is better.
    sections
        Its sections.
    """

    title: str
    tag: str
    sections: list[SaidSection]


def report(
    page: Page, results: Sequence["Comparison"], refused: Sequence[Refusal], name: str
) -> ReportDocument:
    """Write down a report: its comparisons in full, and what the page says."""
    shown = {"agreement": dict[str, Any](), "changes": dict[str, Any]()}
    for part in page.parts:
        for section in part.sections:
            for key in shown.keys() & section.values.keys():
                shown[key][part.title] = section.values[key]
    return ReportDocument(
        report=name,
        title=page.title,
        version=page.version,
        results=[comparison(result, decided=result.relation().settled) for result in results],
        refused=tuple(refused),
        agreement=shown["agreement"],
        changes=shown["changes"],
        parts=[
            SaidPart(part.title, part.tag, [said(section) for section in part.sections])
            for part in page.parts
        ],
    )


def findings(found: Sequence["Finding"]) -> tuple[FindingDocument, ...]:
    """Write down findings, the first places of each as records."""
    return tuple(
        FindingDocument(
            rule=finding.rule,
            severity=finding.severity,
            count=finding.count,
            what=finding.what,
            where=[dict(zip(finding.where[0], row, strict=True)) for row in finding.where[1:]],
            hint=finding.hint,
        )
        for finding in found
    )


def table(scores: "ScoreTable") -> TableDocument:
    """Write down what a table holds, what the checks found, and what its design can decide."""
    from benchinfer.analyses.plan.design import design

    return TableDocument(
        source=scores.source,
        n=scores.n_rows,
        datasets=scores.datasets,
        algorithms=scores.algorithms,
        measures=scores.measures,
        resampling=scores.resampling,
        paired=scores.paired,
        digest=scores.digest,
        findings=findings((*scores.finding_records, *design(scores))),
    )


def comparison(
    result: "Comparison", *, decided: bool, request: Request | None = None
) -> dict[str, object]:
    """Write down a comparison: its verdicts, and what its sections say and show."""
    from benchinfer.comparison.checks import caveats
    from benchinfer.comparison.sections import sections_of

    told = sections_of(result, request or Request(details=False))
    found, refused = values(told)
    document = ComparisonDocument(
        analysis=result.heading,
        caveats=caveats(result),
        headline=result.headline(),
        order=str(result.relation()),
        decided=decided,
        measure=result.measure,
        algorithms=result.algorithms,
        level=result.level,
        target=result.target,
        level_name=result.level_name,
        level_better=result.level_better,
        rule=result.rule,
        formula=result.formula,
        method=result.method,
        diagnostics=result.diagnostics(),
        refused=refused,
        sections=[said(section) for section in told],
        provenance=ProvenanceDocument.of(result.provenance),
    )
    fields = {f.name: getattr(document, f.name) for f in dataclasses.fields(document)}
    return {name: fields.pop(name) for name in _FIRST} | found | fields


_FIRST = (
    "analysis",
    "caveats",
    "headline",
    "order",
    "decided",
    "measure",
    "algorithms",
    "level",
    "target",
)


def values(told: Sequence[Section]) -> tuple[dict[str, object], dict[str, str]]:
    """Return the tables and values of sections by their keys, and why some are not known."""
    found: dict[str, object] = {}
    refused: dict[str, str] = {}
    for section in told:
        for table in section.all_tables:
            if table.name and table.name != "diagnostics":
                found[table.name] = table.frame if table.data is None else table.data
        for name, value in section.values.items():
            try:
                found[name] = value() if callable(value) else value
            except DesignError as error:
                found[name], refused[name] = None, str(error)
    return found, refused


def said(section: Section) -> SaidSection:
    """Write down what a section says."""
    return SaidSection(
        title=section.title,
        lead=section.lead,
        text=section.text,
        facts=[SaidFact(name, text) for name, text in section.facts],
        not_answered=section.warnings,
        tables=[SaidTable(table.name, table.caption, table.note) for table in section.all_tables],
    )


def subgroups(found: "Subgroups", again: "SubgroupStability | None" = None) -> SubgroupsDocument:
    """Write down groups of data sets, with the comparison in each, and their stability."""
    from benchinfer.core.frames import checks_frame

    return SubgroupsDocument(
        headline=found.headline(),
        rule=found.rule,
        method=found.method,
        splits=found.splits(),
        tests=found.tests(),
        leaves={
            name: comparison(one, decided=bool(one.contrasts()["winner"].any()))
            for name, one in found.items()
        },
        datasets={name: list(own) for name, own in found.datasets.items()},
        refused=dict(found.refused),
        diagnostics=checks_frame(found.checks),
        stability=None if again is None else _stability(again),
        provenance=ProvenanceDocument.of(found.provenance),
    )


def _stability(again: "SubgroupStability") -> StabilityDocument:
    """Write down how often characteristics divide subsamples."""
    return StabilityDocument(
        headline=again.sentence(),
        resamples=again.resamples,
        size=again.size,
        undivided=again.undivided,
        characteristics=again.summary(),
        seed=again.seed,
    )


def answer(found: "Answer", decided: Mapping[str, bool], request: Request) -> AnswerDocument:
    """Write down comparisons of measures by the analyses that fit."""
    return AnswerDocument(
        measures={
            name: comparison(result, decided=decided[name], request=request)
            for name, result in found.items()
        },
        basis={name: found.basis(name) for name in found},
        refused=dict(found.refused),
    )


def comparisons(results: "Comparisons", decided: Mapping[str, bool]) -> LocalDocument:
    """Write down one comparison per data set."""
    return LocalDocument(
        datasets={
            name: comparison(result, decided=decided[name]) for name, result in results.items()
        },
        refused=dict(results.refused),
    )


def consensus(
    found: "Consensus",
    ensemble: "Ensemble",
    weights: Mapping[str, float],
    refused: Mapping[str, Mapping[str, str]],
) -> ConsensusDocument:
    """Write down a consensus, the relations that it is of, and the weight of each measure."""
    return ConsensusDocument(
        order=str(found),
        decided=found.decided,
        method=found.method,
        family=found.family,
        missing_pairs=found.missing_pairs,
        weights=dict(weights),
        cost=found.cost,
        lower_bound=found.lower_bound,
        optimal=found.optimal,
        count=found.count,
        count_exact=found.count_exact,
        optima=[str(relation) for relation in found.relations()],
        common=found.relation().to_frame(),
        summary=found.summary(),
        support=found.support(),
        concordance=ensemble.concordance(),
        agreement=ensemble.agreement(),
        diagnostics=found.diagnostics(),
        relations={name: str(relation) for name, relation in ensemble.items()},
        refused={name: dict(each) for name, each in refused.items()},
    )
