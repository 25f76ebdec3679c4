"""Sections on a terminal or in a pipe."""

from __future__ import annotations

from textwrap import TextWrapper
from typing import TYPE_CHECKING

from benchinfer.cli.hints import as_options
from benchinfer.cli.output.terminal import Terminal, TextTable, ascii_number, plain
from benchinfer.comparison.checks.caveats import caveats
from benchinfer.core.numbers import join, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.core.sections import Check, Section, Table

_PLAIN = 2  # more paragraphs are a list


def write(
    out: Terminal, sections: Iterable[Section], *, details: bool = False, first: bool = True
) -> None:
    """Print sections, the first one without its title, and folded parts if requested."""
    for n, section in enumerate(sections):
        top = first and not n
        if not top:
            out.heading(section.title)
        _section(out, section, details=details, first=top)


def beforehand(out: Terminal, result: Comparison) -> None:
    """Print the caveats of a comparison, before any verdict."""
    for name, text in caveats(result).items():
        out.prose(f"{name}: {as_options(text)}", style="yellow", hanging="  ")


def _section(out: Terminal, section: Section, *, details: bool, first: bool) -> None:
    if section.lead:
        out.prose(plain(section.lead), style="bold" if first else "")
    if lines := [*section.order, *section.open_pairs]:
        out.line()
        out.listed(lines, "bold green")
    if section.legend:
        out.line()
    for text in section.legend:
        out.line(text, "dim")
    for i, text in enumerate(section.text):
        if i == 0 and (first or section.legend):
            out.line()
        listed = len(section.text) > _PLAIN
        out.prose(f"{'- ' * listed}{plain(text)}", hanging="  " * listed)
    for text in section.warnings:
        out.message(f"Not answered: {as_options(text)}", style="yellow")
    for name, text in section.facts:
        out.prose(plain(f"{name}: {text}" if name else text), hanging="  ")
    for table in section.tables + (section.fold.tables if section.fold and details else ()):
        grid(out, table)


def grid(out: Terminal, table: Table) -> None:
    """Print a table with its caption and note; one without brief columns is for pages."""
    # The verdict comes last, where the eye rests.
    columns = sorted((c for c in table.columns if c.brief), key=lambda c: c.role == "verdict")
    if not columns or table.frame.empty:
        return
    out.heading(plain(table.caption))
    frame = table.frame if out.most >= len(table.frame) else table.frame.head(int(out.most))
    cells = [column.cells(frame) for column in columns]
    rows = [*zip(*cells, strict=True)]
    texts = [
        [
            ascii_number(cell.text) if c.numeric else cell.text
            for cell, c in zip(row, columns, strict=True)
        ]
        for row in rows
    ]
    heads = tuple(plain(column.head) for column in columns)
    styles = ["dim" if row[-1].role in _DIM else "" for row in rows]
    if columns[-1].role in _PROSE and not out.console.is_terminal:
        texts = list(_wrapped(heads, texts, out.width))
        styles = [""] * len(texts)
    numeric = frozenset(i for i, column in enumerate(columns) if column.numeric)
    rest = len(table.frame) - len(frame)
    rows = tuple(map(tuple, texts))
    out.grid(TextTable(heads, rows, numeric, tuple(styles), rest), complete=True)
    if table.note:
        out.line()
        out.prose(plain(table.note))


def _wrapped(heads: tuple[str, ...], rows: list[list[str]], width: int) -> Iterator[list[str]]:
    """Yield rows with the text of the last column wrapped to a width."""
    from rich.cells import cell_len

    others = zip(*(row[:-1] for row in (list(heads), *rows)), strict=True)
    left = width - sum(2 + max(map(cell_len, texts)) for texts in others)
    wrapper = TextWrapper(max(left, _NARROW), break_long_words=False, break_on_hyphens=False)
    for *first, text in rows:
        lines = wrapper.wrap(text) or [""]
        yield [*first, lines[0]]
        yield from ([*([""] * len(first)), line] for line in lines[1:])


_NARROW = 30
_PROSE = {"prose", "order"}
_DIM = {f"verdict {word}" for word in ("undecided", "equivalent", "missing")}


def warnings(
    out: Terminal, checks: Mapping[str, Sequence[Check]], names: Sequence[str] = ()
) -> None:
    """Print the checks that have a remedy as warnings, each once for several measures.

    A remedy that begins with one of the names is data, and its first letter stays.
    """
    said: dict[str, list[str]] = {}
    for measure, rows in checks.items():
        for check in rows:
            if not check.remedy:
                continue
            remedy = sentence(as_options(check.remedy), names)
            end = "" if remedy.endswith((".", "?")) else "."
            said.setdefault(f"{check.check}: {check.held}. {remedy}{end}", []).append(measure)
    if said:
        out.heading("Warnings")
    for text, measures in said.items():
        of = "" if len(measures) == len(checks) else f"{join(measures)}: "
        out.prose(f"- {of}{text}", hanging="  ")
