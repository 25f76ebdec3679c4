"""Sections on a terminal or in a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchinfer.cli.hints import as_options
from benchinfer.cli.output.layout import TextColumn, TextTable
from benchinfer.cli.output.terminal import Terminal, ascii_number, plain
from benchinfer.comparison.checks.caveats import caveats
from benchinfer.core.numbers import join, sentence
from benchinfer.relations.ranks import LETTERED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchinfer.cli.output.layout import Kind
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.core.sections import Check, Column, Section, Table

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
    # Of many algorithms the order is one of ranks, which the table of levels has.
    ranked = any(
        column.name == "rank_low" and len(table.frame) > LETTERED
        for table in section.tables
        for column in table.columns
    )
    if lines := [*(() if ranked else section.order), *section.open_pairs]:
        out.line()
        out.listed(lines, "bold green")
    if section.legend:
        out.line()
    for text in section.legend:
        out.prose(text, style="dim", hanging="  ")
    for i, text in enumerate(section.text):
        if i == 0 and ((first and section.lead) or section.legend):
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
    last = columns[-1].cells(table.frame)
    out.grid(
        TextTable(
            tuple(_text_column(column, table) for column in columns),
            styles=tuple("dim" if cell.role in _DIM else "" for cell in last),
            note=table.note,
            pairs=[column.name for column in columns if _kind(column) == "name"][-2:] == _SIDES,
        )
    )


def _text_column(column: Column, table: Table) -> TextColumn:
    """Return the texts of a column."""
    texts = [cell.text for cell in column.cells(table.frame)]
    return TextColumn(
        head=plain(column.head),
        cells=tuple(map(ascii_number, texts) if column.numeric else texts),
        kind=_kind(column),
        brief=tuple(cell.text for cell in column.nameless(table.frame)),
        spare=column.spare,
        instead=column.instead,
    )


def _kind(column: Column) -> Kind:
    """Return how a column is laid out; names written from several columns are texts."""
    if column.numeric:
        return "number"
    if column.role in _PROSE:
        return "prose"
    if column.role == "verdict" or (column.role == "name" and not column.also):
        return column.role
    return "text"


_SIDES = ["first", "second"]
_PROSE = {"prose", "order"}
_DIM = {f"verdict {word}" for word in ("undecided", "equivalent", "missing")}


def warnings(
    out: Terminal, checks: Mapping[str, Sequence[Check]], names: Sequence[str] = ()
) -> None:
    """Print what checks found, and what follows, as warnings, each once for several measures.

    A sentence that begins with one of the names keeps its first letter.
    """
    texts: dict[str, list[str]] = {}
    for measure, rows in checks.items():
        for check in rows:
            said = (sentence(as_options(t), names) for t in (check.sentence, check.remedy) if t)
            if text := " ".join(said):
                texts.setdefault(text, []).append(measure)
    if texts:
        out.heading("Warnings")
    for text, measures in texts.items():
        of = "" if len(measures) == len(checks) else f"{join(measures)}: "
        out.prose(f"- {of}{text}", hanging="  ")
