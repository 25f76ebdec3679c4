"""Tables in Markdown, LaTeX and HTML: those that tools print, and published ones."""

import csv
from collections.abc import Callable
from io import StringIO
from pathlib import Path

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.numbers import count, several
from benchinfer.scores.coverage import Finding
from benchinfer.scores.formats.format import Rows
from benchinfer.scores.formats.published.cells import Grid, PublishedTable, check_size, numbers_of
from benchinfer.scores.formats.published.html import html
from benchinfer.scores.formats.published.latex import latex
from benchinfer.scores.formats.published.markdown import HEADING, markdown

_READERS: dict[str, Callable[[str], list[Grid]]] = {
    ".md": markdown,
    ".markdown": markdown,
    ".tex": latex,
    ".html": html,
    ".htm": html,
    **dict.fromkeys((".csv", ".tsv", ".tab"), lambda text: [_delimited(text)]),
}
_MOST_BYTES = 1 << 24


def _delimited(text: str) -> Grid:
    """Return a plain table, its rows filled up to the length of the first."""
    first = text.partition("\n")[0]
    rows = csv.reader(StringIO(text), delimiter=max(",;\t|", key=first.count))
    header, *others = [row for row in rows if row]
    if longer := [row for row in others if len(row) > len(header)]:
        raise ScoreTableError(
            f"{count(len(longer), 'row')} with more cells than the {len(header)} columns, the"
            f" first {','.join(longer[0])!r}.",
            hint="quote cells that hold the sign between columns.",
        )
    check_size(len(others) + 1, len(header))
    return [header, *([*row, *[""] * (len(header) - len(row))] for row in others)]


def read_page(path: Path, typed: str) -> str:
    """Return the text of a page."""
    if path.stat().st_size > _MOST_BYTES:
        raise ScoreTableError(
            f"{typed!r} has more than {_MOST_BYTES >> 20} MB, too many for a page.",
            hint="save its table as CSV.",
        )
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ScoreTableError(
            f"{typed!r} is not text in UTF-8.", hint="save it as UTF-8."
        ) from None
    except OSError as error:
        raise ScoreTableError(f"{typed!r} cannot be read: {error.strerror}") from None


def published_table(path: Path, typed: str) -> PublishedTable:
    """Return the table of numbers of a page; several are one where they have the same columns."""
    text = read_page(path, typed)
    grids = [grid for grid in _READERS[path.suffix.casefold()](text) if len(grid) > 1]
    scores: list[Grid] = []
    for grid in grids:
        columns = numbers_of(grid, typed).means.values()
        numeric = [any(isinstance(v, float) for v in column) for column in columns]
        scores += [grid] if any(numeric) and not all(numeric) else []
    if not scores:
        raise ScoreTableError(
            f"{typed!r} holds no table of scores: {count(len(grids), 'table')}, none with a column"
            " of numbers beside one of names.",
            hint="a table has a row of names of columns, and a row per algorithm or data set.",
        )
    headers = list(dict.fromkeys(tuple(grid[0]) for grid in scores))
    if len(headers) > 1:
        raise ScoreTableError(
            f"{typed!r} holds {len(headers)} tables with different columns:"
            f" {'; '.join(several(list(names)) for names in headers[:3])}.",
            hint="save one as a file of its own.",
        )
    if twice := sorted({name for name in headers[0] if headers[0].count(name) > 1}):
        raise ScoreTableError(
            f"columns given twice in {typed!r}: {', '.join(map(repr, twice))}.",
            hint="give each column of the table a name of its own.",
        )
    return numbers_of([list(headers[0]), *(row for grid in scores for row in grid[1:])], typed)


def rows_of_page(table: PublishedTable) -> tuple[Rows, list[Finding]]:
    """Return a score per cell, and a note on the parts of cells that were left out."""
    n = max(map(len, table.means.values()))
    rows: Rows = [{name: cells[i] for name, cells in table.means.items()} for i in range(n)]
    findings: list[Finding] = []
    if table.marks:
        what = f"emphasis or footnotes were left out of {count(table.marks, 'cell')}."
        findings.append(Finding("marks left out", "note", table.marks, what))
    if table.ranks:
        what = f"{count(table.ranks, 'whole number')} in brackets, as ranks have, left out."
        findings.append(Finding("ranks left out", "note", table.ranks, what))
    if HEADING in table.means:
        headings = list(dict.fromkeys(map(str, table.means[HEADING])))
        what = (
            f"{count(len(headings), 'table')} of the same columns are one, with their headings in"
            f" the column {HEADING}: {several(headings)}."
        )
        hint = f"columns={ {HEADING: 'dataset'}!r} if each is of data of its own."
        findings.append(Finding("several tables", "warning", len(headings), what, (), hint))
    if table.times:
        what = f"times with units, of {several(table.times)}, are in seconds."
        findings.append(Finding("units of time", "note", len(table.times), what))
    if table.spreads:
        cells = sum(v is not None for column in table.spreads.values() for v in column)
        what = f"{count(cells, 'cell')} hold a mean and its spread: only means are read here."
        hint = "read_effects(..., n=...) reads both for a meta-analysis."
        findings.append(Finding("spreads left out", "note", cells, what, (), hint))
    return rows, findings
