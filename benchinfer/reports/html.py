"""A page as one HTML file.

Each figure is in it once, as part of the page; what a reader need not see first is in folds, each
of which says what it holds.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise
from typing import Literal

import jinja2
from markupsafe import Markup, escape

from benchinfer.core.errors import DesignError
from benchinfer.core.measure import printable
from benchinfer.core.numbers import count
from benchinfer.core.sections import Cell, Column, Figure, Page, Section, Table, checks_table, row
from benchinfer.plots.draw import vector
from benchinfer.reports import texts
from benchinfer.reports.svg import StyleSheet

type Prints = Literal["short", "full"]
_WIDTH = 4.8  # inches of a figure: two side by side on a screen, one on a small one
_TALL = 800  # CSS pixels of a figure that may fill half a printed page,
_PAGE = 1400  # and of one that has a page
_HIGHEST = 2000  # CSS pixels of a figure that is not folded
_ROWS = 16  # of a table that is not folded
_MANY = 1000  # rows of a table that are made when a reader opens it
_INNER = 2  # depth of a section that stands in the fold of another one
_NARROW = 2  # columns of a table that is placed next to a figure
_LINES, _LONG, _BEGINS = 6, 500, 120  # of an order
_WIDE = 28  # letters of a name that is broken into lines
_HYPHENATED = re.compile(r"(\S*\w-\w\S*)")
_TEMPLATES = files("benchinfer.reports") / "templates"


def render(page: Page, *, prints: Prints = "short") -> str:
    """Turn a page into HTML; every text is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = _unbroken
    writer = _Writer(page)
    script = _template("script.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    text = environment.get_template("page.html").render(
        page=page,
        prints=prints,
        parts=[(part, writer.sections(part.sections)) for part in page.parts],
        provenance=writer.grid(page.provenance),
        sheet=writer.sheet,
        style=Markup(_template("style.css")),  # noqa: S704
        script=Markup(script),  # noqa: S704
        digest=digest,
    )
    # Names may hold what HTML must not, in whichever text they are.
    return printable(text)


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure as an element of the page, with its caption and its height in CSS pixels."""

    svg: Markup
    caption: str
    height: int


@dataclass(frozen=True, slots=True)
class LaidSection:
    """Layout of a section: its elements, the summary line of its fold, and nested sections."""

    section: Section
    order: Markup
    evidence: tuple[Markup, ...]
    figures: tuple[Markup, ...]
    narrow: tuple[Markup, ...]
    tables: tuple[Markup, ...]
    contents: str
    failed: str  # number of checks that failed, in words
    lists: tuple[tuple[str, tuple[Cell, ...]], ...]  # what may change a verdict, and remarks
    inner: tuple[LaidSection, ...] = ()


class _Writer:
    """Writer of the elements of a page, with one style sheet for its figures."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.sheet = StyleSheet()
        self.meaning = {name: text for _, name, text in page.glossary}
        # Anchors that cells of the page lead to.
        sections = [one for part in page.parts for one in part.sections]
        tables = [table for one in sections for table in one.all_tables]
        linked = [t for t in tables if any(column.links for column in t.columns)]
        self.targets = {c.link for t in linked for cells in t.rows for c in cells if c.link}
        lines = (line for one in sections for line in (*one.attention, *one.remarks))
        self.targets |= {line.link for line in lines if line.link}

    def sections(self, sections: Sequence[Section]) -> list[LaidSection]:
        """Return the layouts of the sections of a part, with nested sections in their parents."""
        starts = [n for n, one in enumerate(sections) if n == 0 or one.depth < _INNER]
        groups = [sections[a:b] for a, b in pairwise([*starts, len(sections)])]
        return [self.section(first, inner) for first, *inner in groups]

    def section(self, section: Section, inner: Sequence[Section]) -> LaidSection:
        """Return the layout of a section, with long tables and figures in folds."""
        anchor, drawn = section.anchor, self.pictures(section.figures)
        shown = [f for f in drawn if f.height <= _PAGE]
        tables = [*section.tables, *([checks_table(section.checks)] if section.checks else [])]
        short = [t for t in tables if len(t.frame) <= _ROWS]
        narrow = [t for t in short if shown and len(t.columns) <= _NARROW]
        elements = [
            self.grid(t, anchor) if t in short else self.fold([], [t], anchor)
            for t in tables
            if t not in narrow
        ]
        elements += [
            _figure(f) if f.height <= _HIGHEST else self.fold([f], [], anchor, f.caption)
            for f in drawn
            if f not in shown
        ]
        tables = [*section.evidence, *tables]
        if section.fold:
            pictures, folded = self.pictures(section.fold.figures), section.fold.tables
            elements.append(self.fold(pictures, folded, anchor, section.fold.summary))
            drawn, tables = [*drawn, *pictures], [*tables, *folded]
        return LaidSection(
            section=section,
            order=_order(section),
            evidence=tuple(self.in_sight(table, anchor) for table in section.evidence),
            figures=tuple(map(_figure, shown)),
            narrow=tuple(self.grid(table, anchor) for table in narrow),
            tables=tuple(elements),
            contents=_contents(drawn, tables, len(inner)),
            failed=_failed([section, *inner]),
            lists=texts.attention(section),
            inner=tuple(self.section(one, ()) for one in inner),
        )

    def fold(
        self, figures: Sequence[Picture], tables: Sequence[Table], anchor: str, summary: str = ""
    ) -> Markup:
        """Return figures and tables in a fold whose summary line counts them."""
        held = _contents(figures, tables)
        if summary and len(figures) + len(tables) == 1:
            held = "".join(count(len(table.frame), "row") for table in tables)
        line = ": ".join(text for text in (summary, held) if text)
        drawn = Markup('<div class="figures">{}</div>').format(Markup().join(map(_figure, figures)))
        return Markup('<details class="fold"><summary>{}</summary>\n{}\n</details>').format(
            line[:1].upper() + line[1:],
            Markup("\n").join([drawn, *(self.grid(table, anchor) for table in tables)]),
        )

    def in_sight(self, table: Table, anchor: str) -> Markup:
        """Return a table whose first rows are seen at once, and the others in a fold."""
        n = table.at_once
        if not 0 < n < len(table.frame):
            return self.grid(table, anchor, kind="key")
        first, others = table.frame.head(n), table.frame.iloc[n:]
        shown, folded = (
            self.grid(replace(table, frame=rows, note=""), anchor, kind="key")
            for rows in (first, others)
        )
        return Markup(
            '{}\n<details class="fold"><summary>{}</summary>\n{}\n</details>\n'
            '<p class="note">{}</p>'
        ).format(shown, table.rest, folded, table.note)

    def pictures(self, figures: Sequence[Figure]) -> list[Picture]:
        """Return drawings of the figures that their results support."""
        drawn: list[Picture] = []
        for figure in figures:
            try:
                drawing = vector(figure.result, figure.kind, _WIDTH, top=figure.top)
            except DesignError:
                continue
            drawn.append(Picture(self.sheet.inline(drawing), figure.caption, drawing.height))
        return drawn

    def grid(self, table: Table, anchor: str = "", *, kind: str = "") -> Markup:
        """Return a table in HTML, with anchors for the rows that links refer to."""
        heads = Markup().join(_head(column, self.meaning) for column in table.columns)
        labels = table.frame.index if table.name == "contrasts" else [""] * len(table.frame)
        anchors = [
            name if name in self.targets else "" for name in (row(anchor, x) for x in labels)
        ]
        body, data = "", Markup()
        if len(anchors) > _MANY:
            data = _packed(table, anchors)
        else:
            body = "\n".join(
                f"<tr{f' id="{escape(name)}"' if name else ''}>"
                f"{''.join(map(_cell, cells, table.columns))}</tr>"
                for name, cells in zip(anchors, table.rows, strict=True)
            )
        anchor_id = ""
        if table.name == "diagnostics" and f"{anchor}-diagnostics" in self.targets:
            anchor_id = f' id="{anchor}-diagnostics"'
            self.targets.discard(f"{anchor}-diagnostics")
        note = f'\n<p class="note">{escape(table.note)}</p>' if table.note else ""
        caption, name = escape(table.caption), f"table {kind}".strip()
        return Markup(  # noqa: S704
            f'<figure class="{name}"{anchor_id}>\n<figcaption>{caption}</figcaption>\n'
            f'<div class="scroll" tabindex="0" role="group" aria-label="{caption}">\n'
            f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
            f"{data}</div>{note}\n</figure>"
        )


def _head(column: Column, meaning: Mapping[str, str]) -> Markup:
    kind = Markup(' class="number"') if column.numeric else ""
    said = meaning.get(column.name) if column.defined else None
    title = Markup(' title="{}"').format(said) if said else ""
    return Markup('<th scope="col"{}{}>{}</th>').format(kind, title, _unbroken(column.head))


def _packed(table: Table, anchors: Sequence[str]) -> Markup:
    """Return the rows of a table as JSON, which a script renders when their fold is opened.

    A cell is its text, or text, kind and link where the last two are not those of its column.
    """
    kinds: dict[tuple[str, str, bool], int] = {}
    usual: list[int] = []
    rows: list[list[object]] = []
    for anchor, cells in zip(anchors, table.rows, strict=True):
        packed: list[object] = [anchor]
        for i, (cell, column) in enumerate(zip(cells, table.columns, strict=True)):
            wide = cell.role == "name" and len(cell.text) > _WIDE
            kind = kinds.setdefault((_role(cell, column), cell.mark, wide), len(kinds))
            usual += [kind] if i == len(usual) else []
            text = printable(cell.text)
            plain = kind == usual[i] and not cell.link
            packed.append(text if plain else [text, kind, cell.link])
        rows.append(packed)
    folds = {"long": _LONG, "begins": _BEGINS}
    content = {"kinds": list(kinds), "columns": usual, "rows": rows, **folds}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    note = f"{count(len(rows), 'row')} that a script of this page shows; the JSON report has them."
    return Markup(  # noqa: S704
        f'<script type="application/json">{text}</script>\n'
        f'<noscript><p class="note">{note}</p></noscript>\n'
    )


def _role(cell: Cell, column: Column) -> str:
    return f"{cell.role} number".strip() if column.numeric else cell.role


def _cell(cell: Cell, column: Column) -> str:
    role = _role(cell, column)
    text: str = _unbroken(cell.text) if "prose" in cell.role else escape(cell.text)
    if cell.role == "order":
        text = _long(cell.text)
    if cell.role == "name" and len(cell.text) > _WIDE:
        text = f"<span>{text}</span>"
    if cell.link:
        text = f'<a href="#{escape(cell.link)}">{text}</a>'
    if cell.mark:
        mark = f'<span class="mark" aria-hidden="true">{escape(cell.mark)}</span>'
        text = f"{mark}<span>{text}</span>"
    return f'<td class="{escape(role)}">{text}</td>' if role else f"<td>{text}</td>"


def _unbroken(text: str) -> Markup:
    """Return a text in which names are not broken at their hyphens, unless they are long."""
    parts = (
        Markup('<span class="unbroken">{}</span>').format(part)
        if n % 2 and len(part) <= _WIDE
        else escape(part)
        for n, part in enumerate(_HYPHENATED.split(text))
    )
    return Markup().join(parts)


def _long(text: str) -> Markup:
    """Return a text, a long one as a fold with its beginning as the summary."""
    if len(text) <= _LONG:
        return _unbroken(text)
    return Markup("<details><summary>{} …</summary>{}</details>").format(
        _unbroken(text[:_BEGINS]), _unbroken(text)
    )


def _order(section: Section) -> Markup:
    """Return the lines of the order in HTML, with lines beyond the first few in a fold."""
    lines = [Markup('<div class="order">{}</div>').format(_long(x)) for x in section.order]
    left = [Markup('<div class="open">{}</div>').format(_long(x)) for x in section.open_pairs]
    shown = Markup("\n").join(lines[:_LINES])
    if rest := lines[_LINES:]:
        shown += Markup("<details><summary>{} of the order</summary>{}</details>").format(
            count(len(rest), "further line"), Markup("\n").join(rest)
        )
    return Markup("\n").join([shown, *left])


def _figure(picture: Picture) -> Markup:
    kind = " long" if picture.height > _PAGE else " tall" if picture.height > _TALL else ""
    return Markup(
        '<figure class="drawn{}"><div class="card" tabindex="0" role="group" aria-label="Figure">'
        "{}</div><figcaption>{}</figcaption></figure>"
    ).format(kind, picture.svg, picture.caption)


def _contents(figures: Sequence[Picture], tables: Sequence[Table], sections: int = 0) -> str:
    """Return the contents of a fold in words: figures, tables with their rows, and sections."""
    held = [count(len(figures), "figure")] if figures else []
    for table in tables:
        name = table.caption.partition(":")[0].partition(",")[0]
        held.append(f"{name[:1].lower()}{name[1:]}: {count(len(table.frame), 'row')}")
    held += [count(sections, "section")] if sections else []
    return "; ".join(held)


def _failed(sections: Sequence[Section]) -> str:
    """Return the number of failed checks in sections as text; empty if all passed."""
    passed = [check.ok for section in sections for check in section.checks]
    tables = [table for section in sections for table in section.all_tables]
    passed += [ok for t in tables if t.name == "diagnostics" for ok in t.frame["ok"]]
    failed = len(passed) - sum(passed)
    asks = "asks" if failed == 1 else "ask"
    return f"{failed} of {count(len(passed), 'check')} {asks} for attention" if failed else ""
