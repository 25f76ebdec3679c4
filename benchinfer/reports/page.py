"""The function `report`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchinfer.analyses.choice.sections import measures_section
from benchinfer.analyses.gate.result import Gate
from benchinfer.analyses.gate.sections import gate_sections
from benchinfer.analyses.plan.allocation import Allocation
from benchinfer.analyses.plan.result import Plan
from benchinfer.analyses.plan.sections import SECTIONS, plan_citations
from benchinfer.analyses.robustness.changes import changes
from benchinfer.analyses.robustness.sections import sensitivity
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.comparison.comparison import BestSets, Comparison, TestedComparison
from benchinfer.comparison.evidence import Setting
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.comparison.sections import (
    data_section,
    each_dataset,
    explained,
    inferential,
    method_section,
    refused_section,
    sections_of,
)
from benchinfer.core.arguments import ArgumentError, checked
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.core.provenance import __version__
from benchinfer.core.saving import check_target, followed, write_atomically, writing
from benchinfer.core.sections import (
    Column,
    MeasurePart,
    Page,
    Request,
    Section,
    Table,
    checks_table,
)
from benchinfer.relations.consensus import sections
from benchinfer.relations.consensus.consensus import Consensus, optima
from benchinfer.relations.consensus.sections import consensus_section
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.relation import Relation
from benchinfer.relations.sections import ensemble_section, relation_section
from benchinfer.reports import documents, html, markdown
from benchinfer.reports.answer import answer
from benchinfer.reports.gather import ReportInput, Where, gather
from benchinfer.reports.texts import in_prose, making, reference

if TYPE_CHECKING:
    from benchinfer.core.measure import Measure
    from benchinfer.scores.table import ScoreTable


type Format = Literal["html", "json", "md"]
_SUFFIXES: dict[str, Format] = {".json": "json", ".md": "md", ".markdown": "md"}
_NOT_WRITTEN = {".tex": "LaTeX", ".pdf": "PDF"}


@checked
def report(
    results: object,
    path: str | Path,
    *,
    scores: ScoreTable | None = None,
    title: str | None = None,
    bayes: bool = True,
    format: Format | None = None,  # noqa: A002
    print: html.Prints = "short",  # noqa: A002
) -> Path:
    """Write results as one self-contained HTML file, or as JSON or Markdown.

    Parameters
    ----------
    results
        A score table (everything that it supports is run, as on the command line), a comparison,
        comparisons per data set or of monitored measures, a relation, an ensemble, a consensus, a
        plan, a gate, groups of data sets with their stability, archetypes, regions, or a list of
        them.
    path
        The file to write.
    scores
        The table that the results come from, for its coverage and findings on all measures.
    title
        Heading of the report.
    bayes
        Of a score table: whether a hierarchical Bayesian model is run as well, which takes the
        most time.
    format
        ``"html"``, ``"json"`` (in the documented schema) or ``"md"``; by default that of the file's
        suffix, else HTML. Figures are in HTML only.
    print
        What HTML puts on paper: ``"short"``, the answers, the method and the provenance, and
        whatever a reader has opened; ``"full"``, all of it.

    Returns
    -------
    pathlib.Path
        The file. The same results give the same bytes.

    Raises
    ------
    BenchinferError
        Something cannot be reported, or the folder does not exist.

    Examples
    --------
    >>> import tempfile
    >>> import benchinfer as bi
    >>> relation = bi.Relation.from_pairs(["rf", "svm"], {("rf", "svm"): "second"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bi.report(relation, f"{folder}/report.html").name
    'report.html'
    """
    format_of(path, format)  # before the work
    check_target(path)
    with writing(path):
        followed(path)
    gathered = gather(results, scores, bayes=bayes)
    return write(compose(gathered, title), gathered, path, format, print)


def write(
    page: Page,
    gathered: ReportInput,
    path: str | Path,
    format: Format | None = None,  # noqa: A002
    print: html.Prints = "short",  # noqa: A002
) -> Path:
    """Write a page in a format, by default that of the file's suffix; see `report`."""
    chosen = format_of(path, format)
    if chosen == "json":
        return write_atomically(path, documents.text(document(page, gathered, Path(path).name)))
    if chosen == "html":
        return write_atomically(path, html.render(page, prints=print))
    return write_atomically(path, markdown.render(page))


def format_of(path: str | Path, format: Format | None = None) -> Format:  # noqa: A002
    """Return the format of a report: the one requested, else that of the file's suffix, or HTML."""
    suffix = Path(path).suffix.lower()
    if format is None and suffix in _NOT_WRITTEN:
        raise ArgumentError(
            f"a report is written in HTML, JSON or Markdown, not in {_NOT_WRITTEN[suffix]}.",
            hint="a browser prints HTML to PDF; result.table().to_latex(path) writes the table of a"
            " result in LaTeX.",
        )
    return format or _SUFFIXES.get(suffix, "html")


def document(page: Page, gathered: ReportInput, name: str) -> dict[str, object]:
    """Return a report as a JSON document."""
    compared = [r for r in gathered.results if isinstance(r, Comparison)]
    result = documents.report(page, compared, gathered.refusals, name)
    return dict(documents.with_options(result, gathered.from_file))


def compose(gathered: ReportInput, title: str | None = None) -> Page:
    """Return the page of a report: its parts, references, provenance and glossary."""
    comparisons = [r for r in gathered.results if isinstance(r, Comparison)]
    everyone = [
        *comparisons,
        *(c for r in gathered.results if isinstance(r, Comparisons) for c in r.values()),
    ]
    parts = [_part(measure, n, gathered) for n, measure in enumerate(_measures(gathered), 1)]
    parts = [*_all_measures(comparisons), *parts]
    parts += [*_orders(gathered), *_gates_and_plans(gathered)]
    parts = [replace(part, sections=_ready(part)) for part in parts]
    cited = [c.citations() for c in everyone]
    cited += [r.citations() for r in gathered.results if isinstance(r, Gate | Where)]
    if gathered.agreed or any(isinstance(r, Consensus) for r in gathered.results):
        cited.append(sections.citations())
    cited += [plan_citations(r) for r in gathered.results if isinstance(r, Plan | Allocation)]
    entries = [e for text in cited for e in re.findall(r"@\w+\{.*?\n\}", text, flags=re.DOTALL)]
    entries = list(dict.fromkeys(entries))
    content = [section for part in parts for section in part.sections]
    shown = [table for section in content for table in section.all_tables]
    shown += [checks_table(section.checks) for section in content if section.checks]
    return Page(
        title=title or _title(gathered),
        parts=tuple(parts),
        references=tuple(reference(entry) for entry in entries),
        bibtex="\n\n".join(entries),
        provenance=_provenance(gathered),
        glossary=explained(shown),
        version=__version__,
        making=making(gathered),
    )


def _ready(part: MeasurePart) -> tuple[Section, ...]:
    """Return the sections of a part with anchors from their titles and with hints as prose."""
    uses: Counter[str] = Counter()
    ready: list[Section] = []
    for section in part.sections:
        words = re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-")[:60]
        uses[words] += 1
        anchor = "-".join([part.anchor, words, *([str(uses[words])] if uses[words] > 1 else [])])
        ready.append(replace(in_prose(section), anchor=section.anchor or anchor))
    return tuple(ready)


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
    where = [
        r for r in gathered.results if isinstance(r, BestSets | Where) and r.measure.name == name
    ]
    for r in where:
        content += _folded(sections_of(r, Request(details=True)))
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


def _gates_and_plans(gathered: ReportInput) -> list[MeasurePart]:
    """Return one part for each gate and planned experiment, numbered where there are several."""
    gates = [r for r in gathered.results if isinstance(r, Gate)]
    plans = [r for r in gathered.results if isinstance(r, Plan | Allocation)]
    parts = [("gate", "Gate", r.verdict, len(gates), gate_sections(r)) for r in gates]
    parts += [
        ("plan", "Planned experiment", "", len(plans), SECTIONS[type(r)](r, None)) for r in plans
    ]
    numbers = [*range(1, len(gates) + 1), *range(1, len(plans) + 1)]
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


def _title(gathered: ReportInput) -> str:
    if gathered.scores is not None:
        k, d = len(gathered.scores.algorithms), len(gathered.scores.datasets)
    else:
        algorithms: set[str] = set()
        datasets: set[str] = set()
        for result in gathered.results:
            if isinstance(result, Plan | Allocation):
                continue
            for one in _each(result):
                setting = getattr(one, "setting", None)
                algorithms |= set((setting or one).algorithms)
                datasets |= set(setting.coverage.datasets) if setting else set()
        k, d = len(algorithms), len(datasets)
    if not k:
        return "Plan of an experiment"
    on = f" on {count(d, 'data set')}" if d else ""
    return f"Comparison of {count(k, 'algorithm')}{on}"


def _each(result: Any) -> Sequence[Any]:
    """Return the comparisons that a result is made of, or the result alone."""
    if isinstance(result, Gate):
        return [row.comparison for row in result.values()]
    return list(result.values()) if isinstance(result, Comparisons | Subgroups) else [result]


def _provenance(gathered: ReportInput) -> Table:
    import pandas as pd

    rows: list[dict[str, str]] = []
    for result in gathered.results:
        results = _each(result)
        if not all(hasattr(one, "provenance") for one in results):
            continue
        local = isinstance(result, Comparisons)
        results = [result] if isinstance(result, Subgroups) else results[:1] if local else results
        rows += [
            {
                "analysis": one.provenance.analysis + (", each data set" if local else ""),
                "arguments": ", ".join(
                    f"{n}={value!r}" for n, value in one.provenance.arguments.items()
                ),
                "digest": "of each data set" if local else one.provenance.digest,
                "version": one.provenance.version,
                "seed": "" if one.provenance.seed is None else str(one.provenance.seed),
            }
            for one in results
        ]
    roles = {"analysis": "code", "arguments": "code prose", "digest": "code", "version": ""}
    roles |= {"seed": ""} if any(row["seed"] for row in rows) else {}
    return Table(
        name="",
        caption="How each result was made",
        frame=pd.DataFrame(rows, columns=list(roles)),
        columns=tuple(Column(name, name, role=role) for name, role in roles.items()),
    )
