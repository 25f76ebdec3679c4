"""The function `report`, and the page that it writes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchinfer.analyses.board.result import Board
from benchinfer.analyses.gate.result import Gate
from benchinfer.analyses.plan.allocation import Allocation
from benchinfer.analyses.plan.result import Plan
from benchinfer.analyses.plan.sections import plan_citations
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.comparison.sections import explained
from benchinfer.core.arguments import ArgumentError, checked
from benchinfer.core.numbers import count
from benchinfer.core.provenance import __version__
from benchinfer.core.saving import check_target, followed, write_atomically, writing
from benchinfer.core.sections import Column, MeasurePart, Page, Section, Table, checks_table
from benchinfer.relations.consensus import sections
from benchinfer.relations.consensus.consensus import Consensus
from benchinfer.reports import documents, html, markdown
from benchinfer.reports.gather import ReportInput, Where, gather
from benchinfer.reports.parts import parts_of
from benchinfer.reports.texts import in_prose, making, reference

if TYPE_CHECKING:
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
    parts = [replace(part, sections=_ready(part)) for part in parts_of(gathered)]
    cited = [c.citations() for c in everyone]
    cited += [r.citations() for r in gathered.results if isinstance(r, Gate | Board | Where)]
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
