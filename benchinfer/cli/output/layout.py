"""TextLayout of tables of text within the width of a terminal.

Names and numbers stand on one line. What does not fit is laid out otherwise, in this order: heads
on several lines; without columns that a note replaces; verdicts without names; texts wrapped; rows
grouped by their first name; further columns below the first ones; names cut in the middle, which
are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import TextWrapper
from typing import Literal

from benchinfer.core.numbers import join, safe

type Kind = Literal["name", "number", "verdict", "text", "prose"]
_GAP = 2  # spaces between columns
_INDENT = "  "  # of the rows of a group
_PROSE, _TEXT = 24, 14  # least widths to which a column of prose, and one of texts, is wrapped
_NAME = 10  # least width of a name that is cut
_DOTS = "..."


def cell_len(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len as columns_of  # which takes time to load

    return columns_of(text)


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column of a table of text."""

    head: str
    cells: tuple[str, ...]
    kind: Kind = "text"
    brief: tuple[str, ...] = ()  # the cells without names, where names make them long
    spare: int = 0  # 1: goes first where there is no room, 2: goes later, 0: stays
    instead: str = ""  # sentence in its place, where it has gone

    @property
    def width(self) -> int:
        """Width of the widest line of a cell or of the head."""
        lines = (line for text in (self.head, *self.cells) for line in text.split("\n"))
        return max(map(cell_len, lines))


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts."""

    columns: tuple[TextColumn, ...]
    styles: tuple[str, ...] = ()  # style of each row on a terminal, or nothing
    note: str = ""  # sentences below
    more: int = 0  # rows that were left out
    pairs: bool = False  # whether the first two names of a row are the algorithms of a pair
    once: bool = False  # whether a name that rows share stands in the first of them alone

    @staticmethod
    def of(
        heads: Sequence[str],
        rows: Sequence[Sequence[str]],
        kinds: Sequence[Kind],
        *,
        styles: Sequence[str] = (),
        note: str = "",
        once: bool = False,
    ) -> TextTable:
        """Return a table of rows, with the kind of each column, without columns that are empty."""
        cells = zip(*rows, strict=True) if rows else ((),) * len(heads)
        every = map(TextColumn, heads, map(tuple, cells), kinds)
        columns = tuple(one for one in every if one.head or any(one.cells))
        return TextTable(columns, tuple(styles), note, once=once)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0].cells)

    def first(self, most: int) -> TextTable:
        """Return a table of the first rows, of pairs all with the same first algorithm or none."""
        if self.n_rows <= most:
            return self
        names = self.columns[0].cells
        if self.pairs and names[0] != names[most]:
            while names[most - 1] == names[most]:
                most -= 1
        columns = tuple(
            replace(one, cells=one.cells[:most], brief=one.brief[:most]) for one in self.columns
        )
        more = self.more + self.n_rows - most
        return replace(self, columns=columns, styles=self.styles[:most], more=more)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a table: of its heads, or of a row with its style."""

    text: str
    head: bool = False
    style: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Columns as they are laid out.

    Attributes
    ----------
    columns
        The columns, those of the names first.
    headings
        By row the heading of the group that begins there, else empty; nothing without groups.
    styles
        Style of each row.
    notes
        Sentences about what is not shown.
    cut
        Names that are cut, each with the whole one.
    """

    columns: tuple[TextColumn, ...]
    headings: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Width of the widest line."""
        across = sum(one.width for one in self.columns) + _GAP * (len(self.columns) - 1)
        return max(across, *map(cell_len, self.headings), 0)

    @property
    def leading(self) -> int:
        """Number of columns of names at the beginning."""
        kinds = [one.kind == "name" for one in self.columns]
        return [*kinds, False].index(False)

    def lines(self) -> Iterator[TextLine]:
        """Yield the lines of the heads and of the rows."""
        columns = [(one.width, one.kind == "number") for one in self.columns]
        heads = [one.head.split("\n") for one in self.columns]
        most = max(map(len, heads))
        heads = [[*[""] * (most - len(lines)), *lines] for lines in heads]
        yield from (TextLine(text, head=True) for text in _aligned(heads, columns))
        for n in range(len(self.columns[0].cells)):
            style = self.styles[n] if self.styles else ""
            if self.headings and self.headings[n]:
                yield TextLine(self.headings[n])
            cells = [one.cells[n].split("\n") for one in self.columns]
            yield from (TextLine(text, style=style) for text in _aligned(cells, columns))


def _aligned(cells: Sequence[Sequence[str]], columns: Sequence[tuple[int, bool]]) -> Iterator[str]:
    """Yield the lines of a row, of cells of one or more lines: by column width and side."""
    for texts in zip_longest(*cells, fillvalue=""):
        spaces = [" " * (w - cell_len(text)) for text, (w, _) in zip(texts, columns, strict=True)]
        aligned = [
            f"{space}{text}" if right else f"{text}{space}"
            for text, space, (_, right) in zip(texts, spaces, columns, strict=True)
        ]
        yield (" " * _GAP).join(aligned).rstrip()


@dataclass(frozen=True, slots=True)
class TextLayout:
    """A table as it is printed: its lines, sentences on what is not shown, and lines of names."""

    lines: tuple[TextLine, ...]
    notes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def lay_out(table: TextTable, width: int) -> TextLayout:
    """Return the layout of a table, with no line wider than a width.

    The width is exceeded only where words of texts or heads are longer than it.
    """
    columns = tuple(
        replace(one, head=safe(one.head), cells=_safe(one.cells), brief=_safe(one.brief))
        for one in table.columns
    )
    sheet = Sheet(columns, styles=table.styles)
    if columns[-1].kind == "prose":
        for heads in (sheet, _heads_wrapped(sheet)):
            wrapped = _wrapped(heads, [len(columns) - 1], width, _PROSE)
            if wrapped.width <= width:
                return TextLayout(tuple(wrapped.lines()))
        return TextLayout(tuple(_paragraphs(sheet, width)))
    for shown in _layouts(sheet, table, width):
        if shown.width <= width:
            return TextLayout(tuple(shown.lines()), shown.notes, _packed(shown.cut, width))
    lines: list[TextLine] = []
    sheet = _without(_verdicts_without_names(_without(sheet, 1)), 2)
    sheet = _heads_wrapped(sheet, len(columns))
    sheet = _grouped(_names_cut(sheet, width // 2), pairs=table.pairs)
    for part in _parts(sheet, width):
        lines += [*([TextLine("")] if lines else []), *part.lines()]
    return TextLayout(tuple(lines), sheet.notes, _packed(sheet.cut, width))


def _packed(texts: Sequence[str], width: int) -> tuple[str, ...]:
    """Return texts on lines, as many on each as there is room for."""
    lines: list[str] = []
    for text in texts:
        longer = f"{lines[-1]}; {text}" if lines else ""
        if longer and cell_len(longer) < width:
            lines[-1] = longer
        else:
            lines = [*lines[:-1], *(f"{line};" for line in lines[-1:]), text]
    return tuple(lines)


def _layouts(sheet: Sheet, table: TextTable, width: int) -> Iterator[Sheet]:
    """Yield a table as it is, and then in less and less width."""
    once = _once if table.once else lambda sheet: sheet
    yield once(sheet)
    sheet = _heads_wrapped(sheet)
    yield once(sheet)
    sheet = _without(sheet, spare=1)
    yield once(sheet)
    sheet = _verdicts_without_names(sheet)
    yield once(sheet)
    sheet = _heads_wrapped(sheet, len(sheet.columns))
    yield once(sheet)
    yield once(_texts_wrapped(sheet, width))
    yield _texts_wrapped(_grouped(sheet, pairs=table.pairs), width)
    sheet = _without(sheet, spare=2)
    if any(one.kind == "verdict" for one in sheet.columns):
        yield _grouped(sheet, pairs=table.pairs)
        sheet = _names_cut(sheet, _room(sheet, width))
    yield _grouped(sheet, pairs=table.pairs)


def _safe(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(safe, texts))


def _once(sheet: Sheet) -> Sheet:
    """Return a sheet in which rows do not repeat the first name of the row before."""
    first, *others = sheet.columns
    cells = ["" if n and name == first.cells[n - 1] else name for n, name in enumerate(first.cells)]
    return replace(sheet, columns=(replace(first, cells=tuple(cells)), *others))


def _lines_of(text: str, width: int) -> str:
    """Return a text on lines of at most a width, or of its longest word."""
    wrapper = TextWrapper(max(width, 1), break_long_words=False, break_on_hyphens=False)
    return "\n".join(wrapper.wrap(text)) or text


def _heads_wrapped(sheet: Sheet, most: int = 2) -> Sheet:
    """Return a sheet with heads on at most so many lines, no wider than their cells if possible."""
    heads: list[str] = []
    for one in sheet.columns:
        text = one.head.replace("\n", " ")
        width = max(cell_len(line) for cell in (*one.cells, "") for line in cell.split("\n"))
        while _lines_of(text, width).count("\n") >= most:
            width += 1
        # Words that share a line with the longest one make no column wider.
        heads.append(_lines_of(text, max(width, *map(cell_len, text.split()), 1)))
    columns = [replace(one, head=text) for one, text in zip(sheet.columns, heads, strict=True)]
    return replace(sheet, columns=tuple(columns))


def _without(sheet: Sheet, spare: int) -> Sheet:
    """Return a sheet without the columns that can be spared, and with notes in their place."""
    gone = [one for one in sheet.columns if one.spare == spare]
    notes = [one.instead for one in gone if one.instead]
    if silent := [one.head.replace("\n", " ") for one in gone if not one.instead]:
        they = "it" if len(silent) == 1 else "them"
        notes.append(f"No room for {join(silent)}: --json has {they}.")
    columns = tuple(one for one in sheet.columns if one.spare != spare)
    return replace(sheet, columns=columns, notes=(*sheet.notes, *notes))


def _verdicts_without_names(sheet: Sheet) -> Sheet:
    columns = tuple(replace(one, cells=one.brief) if one.brief else one for one in sheet.columns)
    return replace(sheet, columns=columns)


def _wrapped(sheet: Sheet, at: Sequence[int], width: int, least: int) -> Sheet:
    """Return a sheet with the cells of some columns wrapped to what the others leave of a width."""
    widths = [one.width for one in sheet.columns]
    room = width - _GAP * (len(widths) - 1) - sum(w for n, w in enumerate(widths) if n not in at)
    columns = list(sheet.columns)
    # Narrow columns leave of their share to wide ones.
    for done, n in enumerate(sorted(at, key=widths.__getitem__)):
        share = max(room // (len(at) - done), least)
        cells = tuple(_lines_of(text, share) for text in columns[n].cells)
        columns[n] = replace(columns[n], cells=cells)
        room -= columns[n].width
    return replace(sheet, columns=tuple(columns))


def _texts_wrapped(sheet: Sheet, width: int) -> Sheet:
    """Return a sheet with its texts wrapped."""
    return _wrapped(
        sheet, [n for n, c in enumerate(sheet.columns) if c.kind == "text"], width, _TEXT
    )


def _grouped(sheet: Sheet, *, pairs: bool) -> Sheet:
    """Return a sheet with rows in groups that share their first names, below a line with these.

    Groups of pairs share the first algorithm, or the second where more rows share that.
    """
    n = sheet.leading
    if n < 2:
        return sheet
    names = [*zip(*(one.cells for one in sheet.columns[:n]), strict=True)]
    by_second = _share_the_second(names) if pairs else [False] * len(names)
    headings = [
        _heading(name, by_second=second, pairs=pairs)
        for name, second in zip(names, by_second, strict=True)
    ]
    cells = tuple(
        f"{_INDENT}{name[-2] if second else name[-1]}"
        for name, second in zip(names, by_second, strict=True)
    )
    head = "algorithm" if any(by_second) else sheet.columns[n - 1].head
    starts = ["" if i and text == headings[i - 1] else text for i, text in enumerate(headings)]
    column = TextColumn(f"{_INDENT}{head}", cells, "name")
    return replace(sheet, columns=(column, *sheet.columns[n:]), headings=tuple(starts))


def _heading(names: tuple[str, ...], *, by_second: bool, pairs: bool) -> str:
    """Return the line above a group of rows."""
    *others, first, second = names
    if not pairs:
        return ", ".join(names[:-1])
    text = f"against {second}" if by_second else f"{first} against"
    return f"{', '.join(others)}: {text}" if others else text


def _share_the_second(names: Sequence[tuple[str, ...]]) -> list[bool]:
    """Return by row whether its group shares the second algorithm of the pairs."""
    shared: list[bool] = []
    while (n := len(shared)) < len(names):
        without = [[(*row[:-2], row[i]) for row in names[n:]] for i in (-2, -1)]
        by_first, by_second = (_run(keys) for keys in without)
        shared += [by_second > by_first] * max(by_first, by_second)
    return shared


def _run(keys: Sequence[object]) -> int:
    """Return how many keys at the beginning are the same."""
    return next((n for n, key in enumerate(keys) if key != keys[0]), len(keys))


def _room(sheet: Sheet, width: int) -> int:
    """Return the width that other columns leave to the names of a sheet."""
    n = sheet.leading
    others = sum(one.width + _GAP for one in sheet.columns[n:])
    return width - others - (len(_INDENT) if n > 1 else 0)


def _names_cut(sheet: Sheet, room: int) -> Sheet:
    """Return a sheet with names cut in the middle, which are listed, if there is room for some."""
    n = sheet.leading
    names = dict.fromkeys(name for one in sheet.columns[:n] for name in one.cells)
    if room < _NAME or all(cell_len(name) <= room for name in names):
        return sheet
    short: dict[str, str] = {}
    for name in names:
        short[name] = _cut(name, room, {*short.values()})
    columns = tuple(
        replace(one, cells=tuple(short[name] for name in one.cells)) for one in sheet.columns[:n]
    )
    cut = tuple(f"{new} = {name}" for name, new in short.items() if new != name)
    return replace(sheet, columns=(*columns, *sheet.columns[n:]), cut=cut)


def _cut(name: str, width: int, others: set[str]) -> str:
    """Return a name cut in the middle, with a number where another one is cut to the same text."""
    if cell_len(name) <= width:
        return name
    marks = (_DOTS, *(f"{_DOTS}{n}{_DOTS}" for n in range(2, len(others) + 2)))
    texts = (_around(name, mark, width - len(mark)) for mark in marks)
    return next(text for text in texts if text not in others)


def _around(name: str, mark: str, width: int) -> str:
    """Return the beginning and the end of a name, together of a width, around a mark."""
    end = max(width, 0) // 2
    return f"{_start(name, max(width, 0) - end)}{mark}{_start(name[::-1], end)[::-1]}"


def _start(text: str, width: int) -> str:
    """Return what fits of a text."""
    n = len(text)
    while cell_len(text[:n]) > width:
        n -= 1
    return text[:n]


def _parts(sheet: Sheet, width: int) -> list[Sheet]:
    """Return the columns of a sheet in parts that fit a width, each with the names."""
    kinds = [one.kind for one in sheet.columns]
    n = max(sheet.leading, 1 + kinds.index("name") if "name" in kinds[:2] else 1)
    names = sheet.columns[:n]
    left = width - sum(one.width + _GAP for one in names)
    parts: list[list[TextColumn]] = [[]]
    for one in sheet.columns[n:]:
        texts = (_lines_of(text, max(left, _TEXT)) for text in one.cells)
        column = replace(one, cells=tuple(texts)) if one.kind == "text" else one
        used = sum(other.width + _GAP for other in parts[-1])
        if parts[-1] and used + column.width > left:
            parts.append([])
        parts[-1].append(column)
    return [replace(sheet, columns=(*names, *part)) for part in parts]


def _paragraphs(sheet: Sheet, width: int) -> Iterator[TextLine]:
    """Yield each row as its names, with the prose below them."""
    *before, prose = sheet.columns
    yield from (
        TextLine(text, head=True)
        for text in _filled(", ".join(c.head for c in sheet.columns), width)
    )
    for n, text in enumerate(prose.cells):
        style = sheet.styles[n] if sheet.styles else ""
        names = "  ".join(one.cells[n] for one in before if one.cells[n])
        yield from (TextLine(line, style=style) for line in _filled(names, width))
        yield from (TextLine(f"    {line}", style=style) for line in _filled(text, width - 4))


def _filled(text: str, width: int) -> list[str]:
    return _lines_of(text, width).split("\n")
