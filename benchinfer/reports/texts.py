"""Texts of a page: prose of hints, parts of plain formats, references, how a report was made."""

from __future__ import annotations

import platform
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields, replace
from importlib.metadata import PackageNotFoundError, version
from inspect import Parameter, signature
from pprint import pformat
from typing import TYPE_CHECKING, Any

from benchinfer.analyses.subgroups.archetypes.result import Archetypes
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.core.hints import named_arguments
from benchinfer.core.numbers import join, sentence
from benchinfer.core.provenance import __version__
from benchinfer.core.sections import Cell, Check, Figure, Reference, Section, Table, checks_table

if TYPE_CHECKING:
    from benchinfer.reports.gather import ReportInput
    from benchinfer.scores.table import ScoreTable

ROWS = 60  # of a table; the HTML and JSON files have all of them
FIGURES = "Figures are in the HTML report"
WORDS = {
    "compare_bayes": "a Bayesian model",
    "compare_bayes_pairs": "a Bayesian test of each pair",
    "compare_bootstrap": "the bootstrap",
    "compare_meta": "a meta-analysis",
    "compare_mixed": "a mixed model",
    "compare_pair": "a test of two algorithms",
    "compare_permutation": "a permutation test",
    "compare_points": "a point comparison",
    "compare_wins": "a model of wins",
    "plan": "a plan of sample sizes",
    "read_scores": "reading the scores",
    "direct": "the table of direct estimates",
    "influence": "the table of influence",
    "predicted": "the table of predicted wins",
    "scores.complete": "a smaller table",
    "scores.failures": "the list of failures",
    "scores.findings": "the list of findings",
    "scores.solved": "a measure of 0 and 1",
}


def as_prose(text: str) -> str:
    """Return a hint with analyses and options in words, for readers who do not call functions.

    Examples
    --------
    >>> as_prose('compare_permutation(..., on="ranks").')
    'a permutation test (on: ranks).'
    >>> as_prose('residual="dataset" models this.')
    'the option residual (dataset) models this.'
    """
    return named_arguments(text, _argument, _named)


def _argument(name: str, value: object) -> str:
    if name == "measures" and isinstance(value, dict):
        return f"the direction of {join(list(map(str, value)))}, higher or lower"
    what = (
        f"the measure's {name.removeprefix('Measure.')}"
        if name.startswith("Measure.")
        else f"the option {name}"
    )
    return f"{what} ({said})" if (said := _value(value)) else what


def _named(function: str, name: str, value: object) -> str:
    if function == "scores.subset":
        return f"a table of some {name.replace('datasets', 'data sets')}"
    known = WORDS.get(function, function)
    if name in ("", "per_dataset"):
        return f"{known} on each data set" if name else known
    said = _value(value)
    return f"{known} ({name}: {said})" if said else f"{known} (with {name})"


def _value(value: Any) -> str:
    if isinstance(value, tuple | list):
        return join([str(one) for one in value])
    return "" if value is None or value == {} else str(value)


def in_prose(section: Section) -> Section:
    """Return a section with all hints as prose; see `as_prose`."""
    fold = section.fold
    return replace(
        section,
        lead=as_prose(section.lead),
        text=tuple(map(as_prose, section.text)),
        attention=_lines(section.attention),
        remarks=_lines(section.remarks),
        checks=tuple(map(_check, section.checks)),
        evidence=tuple(map(_reading, section.evidence)),
        tables=tuple(map(_reading, section.tables)),
        fold=fold and replace(fold, tables=tuple(map(_reading, fold.tables))),
    )


def _lines(lines: Sequence[Cell]) -> tuple[Cell, ...]:
    return tuple(replace(line, text=as_prose(line.text)) for line in lines)


def _check(check: Check) -> Check:
    remedy = sentence(as_prose(check.remedy))
    return replace(check, remedy=remedy, sentence=as_prose(check.sentence))


def _reading(table: Table) -> Table:
    columns = (
        replace(column, write=lambda *texts, write=column.write: as_prose(str(write(*texts))))
        if column.role == "prose"
        else column
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))


def tables(section: Section) -> Iterator[Table]:
    """Yield the tables of a section, including those of its fold and its diagnostics."""
    yield from (table for table in section.all_tables if not table.frame.empty)
    if section.checks:
        yield checks_table(section.checks)


def attention(section: Section) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    """Return what may change a verdict, and remarks, each with a heading."""
    kinds = ("What may change a verdict", section.attention), ("Remarks", section.remarks)
    return tuple((heading, lines) for heading, lines in kinds if lines)


def figures(section: Section) -> tuple[Figure, ...]:
    """Return the figures of a section, including those of its fold."""
    return (*section.figures, *(section.fold.figures if section.fold else ()))


def cells(table: Table) -> list[list[str]]:
    """Return the texts of the first rows of a table."""
    return [[cell.text for cell in row] for row in table.rows[: table.at_once or ROWS]]


def rest(table: Table) -> str:
    """Return a note on the number of rows left out; empty if there are none."""
    more = len(table.frame) - (table.at_once or ROWS)
    return f"{more:,} more rows are in the HTML and JSON reports." if more > 0 else ""


_ACCENTS = {
    '"': "\N{COMBINING DIAERESIS}",
    "'": "\N{COMBINING ACUTE ACCENT}",
    "`": "\N{COMBINING GRAVE ACCENT}",
    "^": "\N{COMBINING CIRCUMFLEX ACCENT}",
    "~": "\N{COMBINING TILDE}",
    "v": "\N{COMBINING CARON}",
    "c": "\N{COMBINING CEDILLA}",
}
_LETTERS = {r"\o": "ø", r"\O": "Ø", r"\ss": "ß", r"\aa": "å", r"\ae": "æ"}
_field = re.compile(r"^\s*(\w+)\s*=\s*\{(.*?)\},?\s*$", re.MULTILINE | re.DOTALL)


def reference(entry: str) -> Reference:
    r"""Return a BibTeX entry as a line of a reference list.

    Examples
    --------
    >>> reference("@article{x,\n  author = {Dem{\\v s}ar, J.},\n  title = {On {F}},\n"
    ...       "  journal = {Machine Learning},\n  year = {2006},\n}").text
    'Demšar, J. (2006). On F. Machine Learning.'
    """
    fields = {name.lower(): _without_latex(value) for name, value in _field.findall(entry)}
    authors = fields.get("author", "").replace(" and ", "; ")
    venue = next((fields[k] for k in ("journal", "booktitle", "publisher") if k in fields), "")
    volume = fields.get("volume", "") + (f"({fields['number']})" if "number" in fields else "")
    where = ", ".join(part for part in (venue, volume, fields.get("pages", "")) if part)
    head = f"{authors} ({fields.get('year', 'n.d.')})".strip()
    parts = [part for part in (head, fields.get("title", ""), where) if part]
    doi = fields.get("doi", "")
    return Reference(
        ". ".join(parts) + ".", f"https://doi.org/{doi}" if doi else fields.get("url", "")
    )


def _without_latex(value: str) -> str:
    """Return a text with LaTeX commands replaced by characters."""
    text = re.sub(
        r"""\{?\\(["'`^~]|[vc](?=[\s{]))\s*\{?(\w)\}?\}?""",
        lambda m: unicodedata.normalize("NFC", m[2] + _ACCENTS[m[1]]),
        " ".join(value.split()),
    )
    for macro, letter in _LETTERS.items():
        text = re.sub(re.escape(macro) + r"(?![a-z])\s*", letter, text)
    return text.replace(r"\&", "&").replace("{", "").replace("}", "").replace("--", "\N{EN DASH}")


_Made = Comparison | Comparisons | Subgroups | Archetypes
_PACKAGES = ("numpy", "scipy", "numba", "pandas", "narwhals", "matplotlib")


def making(gathered: ReportInput) -> tuple[tuple[str, str], ...]:
    """Return the command, Python calls, input and versions that reproduce a report."""
    texts: list[tuple[str, str]] = []
    if gathered.command:
        texts.append(("Command", gathered.command))
    if gathered.from_file:
        options = (f"{name} {_typed(value)}" for name, value in gathered.from_file.items())
        texts.append(("Options from a file", "\n".join(options)))
    lines = python(gathered)
    if lines:
        texts.append(("Python", "\n".join(lines)))
    if (scores := gathered.scores) is not None:
        texts.append(("Input", f"{scores.source}\ndigest {scores.digest}"))
    versions = [f"benchinfer {__version__}", f"Python {platform.python_version()}"]
    for name in _PACKAGES:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    texts.append(("Versions", ", ".join(versions)))
    return tuple(texts)


def _typed(value: object) -> str:
    return " ".join(value) if isinstance(value, list) else str(value).lower()


def python(gathered: ReportInput) -> list[str]:
    """Return the lines of Python that reproduce the results, without default arguments."""
    results = [r for r in gathered.results if isinstance(r, _Made)]
    if not results and gathered.scores is None:
        return []
    lines = ["import benchinfer as bi", ""]
    lines += _reading_call(gathered.scores) if gathered.scores is not None else []
    if gathered.call:
        return [*lines, gathered.call]
    lines.append("results = [")
    lines += [f"    {_call(result)}," for result in results]
    return [*lines, "]", 'bi.report(results, "report.html")']


def _reading_call(scores: ScoreTable) -> list[str]:
    """Return the lines of Python that read a table and normalise its scores."""
    source = "table" if scores.source.isidentifier() else repr(scores.source)
    as_read = [m.normalised.measure if m.normalised else m for m in scores.measures]
    measures = [f"    {_record_call(measure)}," for measure in as_read]
    kind = (
        f", resampling={_record_call(scores.resampling)}" if scores.resampling is not None else ""
    )
    read = [f"scores = bi.read_scores({source}, measures=[", *measures, f"]{kind})"]
    names: dict[str, list[str]] = {}
    for measure in scores.measures:
        if (origin := measure.normalised) is None:
            continue
        by: object = origin.kind
        if origin.references:
            tolerance = {"tolerance": measure.tolerance} if measure.tolerance else {}
            by = {**origin.references, **tolerance}
        elif measure.tolerance:
            by = f"{origin.kind}:{measure.tolerance!r}"
        names.setdefault(pformat(by, width=88, sort_dicts=False), []).append(origin.measure.name)
    return read + [f"scores = scores.normalise({by}, {each!r})" for by, each in names.items()]


def _record_call(record: Any) -> str:
    """Return the constructor call of a record, without fields at their defaults."""
    values = [(field.name, getattr(record, field.name), field.default) for field in fields(record)]
    shown = [
        f"{name}={value!r}" for name, value, usual in values if usual is MISSING or value != usual
    ]
    return f"bi.{type(record).__name__}({', '.join(shown)})"


def _call(result: _Made) -> str:
    """Return the call of an analysis."""
    import benchinfer

    one = next(iter(result.values())) if isinstance(result, Comparisons) else result
    source = one.provenance
    function = getattr(benchinfer, source.analysis, None)
    known = {} if function is None else signature(function).parameters
    together = source.arguments.get("measures")
    given = [repr(one.measure.name if together is None else together)]
    for name, value in source.arguments.items():
        default = known[name].default if name in known else Parameter.empty
        if name not in ("measure", "measures") and value != default:
            given.append(f"{name}={value!r}")
    if isinstance(result, Comparisons):
        return f"bi.per_dataset(bi.{source.analysis}, scores, {', '.join(given)})"
    call = f"bi.{source.analysis}(scores, {', '.join(given)})"
    return call if together is None else f"{call}[{one.measure.name!r}]"
