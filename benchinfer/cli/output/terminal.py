"""Tables and paragraphs on a terminal or in a pipe.

Names from a table are data. They are printed literally, control characters escaped.
"""

import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from textwrap import TextWrapper
from typing import Self

from benchinfer.core.numbers import safe

_WIDTH = 80  # in a pipe, and at most on a terminal: longer lines are hard to read
_SCREEN = 60  # lines that are read on a terminal
# Rows of a table and lines of an order: the most of these that keep the output within that.
_ROWS = (40, 20, 12, 8, 5, 3)
_PIPED = 500  # the same in a pipe
_CUT = 240  # characters of a line of an order that is shortened
# Rows and lines that were asked for: None for as many as fit, infinite for all.
ROWS: ContextVar[float | None] = ContextVar("rows", default=None)


# Numbers are to be copied into programs, and some terminals have no other characters.
_ASCII = str.maketrans({"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "∞": "inf", "²": "2", "≤": "<="})
_PERCENT = re.compile(r"(?<=\d) %")
_STYLE = re.compile("\x1b\\[[0-9;]*m")
_LINES, _LONG = 50, 2000  # lines of an order in a pipe, and characters of each
_NEGATIVE = re.compile("\N{MINUS SIGN}(?=\\d)")


def ascii_number(text: str) -> str:
    """Write a number in ASCII."""
    return text.translate(_ASCII)


def plain(text: str) -> str:
    """Return a text that the terminal can encode, with ASCII minus signs in numbers."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return ascii_number(text)
    return _NEGATIVE.sub("-", text)


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts."""

    heads: tuple[str, ...]  # the column heads
    rows: tuple[tuple[str, ...], ...]  # the cells, as texts
    right: frozenset[int] = frozenset()  # columns that hold numbers
    styles: tuple[str, ...] = ()  # style of each row on a terminal, or nothing
    more: int = 0  # rows that were left out


class Terminal:
    """Standard output, as a terminal or as a pipe.

    On a terminal, what is printed within ``with`` is held until its end, and tables are shortened
    so that it fits.
    """

    def __init__(self) -> None:
        from rich.console import Console

        class Piped(Console):
            """A console that re-raises the error of a closed pipe for the command to handle."""

            def on_broken_pipe(self) -> None:
                """Re-raise the error of the closed pipe."""
                raise  # noqa: PLE0704 (rich calls it while it handles the error)

        self.console = Piped(highlight=False, markup=False, emoji=False)
        self.width = _WIDTH
        if self.console.is_terminal:
            self.width = min(self.console.width, _WIDTH)
        rows = ROWS.get()
        self.fits = rows is None and self.console.is_terminal
        self.most = rows if rows is not None else _ROWS[0] if self.fits else _PIPED
        self._held: list[Callable[[], None]] = []
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if (
            reconfigure is not None
        ):  # a name that the terminal's encoding lacks is no reason to fail
            reconfigure(errors="backslashreplace")

    def __enter__(self) -> Self:
        """Return the terminal, which buffers output until the end of the context."""
        return self

    def __exit__(self, *_: object) -> None:
        """Print the buffered output."""
        if not self.fits:
            return
        lines: list[str] = []
        for most in _ROWS:
            self.most = most
            with self.console.capture() as captured:
                for show in self._held:
                    show()
            lines = captured.get().splitlines()
            if sum(map(self._height, lines)) <= _SCREEN:
                break
        fitting = self._first(lines)
        self.console.file.write("".join(f"{line}\n" for line in lines[:fitting]))
        if (rest := len(lines) - fitting) > 0:
            self.console.print(f"... and {rest:,} more lines; --all prints them", style="dim")
        self.console.file.flush()

    def _height(self, line: str) -> int:
        """Return the number of screen lines that a line needs."""
        return max(1, math.ceil(len(_STYLE.sub("", line)) / self.console.width))

    def _first(self, lines: list[str]) -> int:
        """Return the number of lines that fit, one line reserved for a note on the others."""
        used = 0
        for i, line in enumerate(lines):
            used += self._height(line)
            if used > _SCREEN - (i < len(lines) - 1):
                return i
        return len(lines)

    def _show(self, show: Callable[[], None]) -> None:
        if self.fits:
            self._held.append(show)
        else:
            show()

    def line(self, text: object = "", style: str = "") -> None:
        """Print one line as it is, however long; a terminal wraps it."""
        self._show(lambda: self.console.print(safe(text), style=style or None, soft_wrap=True))

    def listed(self, texts: Sequence[str], style: str = "") -> None:
        """Print indented lines, shortened if necessary, with the number of further lines."""
        self._show(lambda: self._listed(texts, style))

    def _listed(self, texts: Sequence[str], style: str) -> None:
        everything = self.most == math.inf
        most = len(texts) if everything else int(min(self.most, _LINES))
        longest = _CUT if self.fits else _LONG
        for text in texts[:most]:
            short = text if everything or len(text) <= longest else f"{text[:longest]} ..."
            for line in self._wrapped(short, "    ", "  "):
                self.console.print(line, style=style or None, soft_wrap=True)
        if (rest := len(texts) - most) > 0:
            more = "1 more line" if rest == 1 else f"{rest:,} more lines"
            self.console.print(f"    ... and {more}", soft_wrap=True)

    def prose(self, text: str, *, style: str = "", indent: str = "", hanging: str = "") -> None:
        """Print a paragraph, wrapped."""
        for line in self._wrapped(text, indent, hanging):
            self.line(line, style)

    def _wrapped(self, text: str, indent: str, hanging: str) -> list[str]:
        wrapper = TextWrapper(
            self.width,
            initial_indent=indent,
            subsequent_indent=indent + hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
        # A number and its unit stay on one line; what is safe has no such space.
        lines = wrapper.wrap(_PERCENT.sub("\N{NO-BREAK SPACE}%", safe(text)))
        return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]

    def message(self, text: str, style: str = "") -> None:
        """Print a message in lines: sentences and hints wrapped, tables as they are."""
        hint = False
        for line in text.split("\n"):
            hint = line.startswith("Hint: ") or (hint and line.startswith(" "))
            if line.startswith("    ") and not hint:
                self.line(line, style)
            else:
                indent = "      " if line.startswith(" ") else ""
                hanging = "" if indent else "      " if hint else "  "
                self.prose(line.strip(), style=style, indent=indent, hanging=hanging)

    def heading(self, text: str) -> None:
        """Print the heading of a section, with an empty line before it."""
        self.line()
        self.prose(text, style="bold cyan")

    def grid(self, grid: TextTable, indent: str = "", *, complete: bool = False) -> None:
        """Print a table, shortened if necessary, with the number of further rows."""
        self._show(lambda: self._grid(grid, indent, complete=complete and not self.fits))

    def _grid(self, grid: TextTable, indent: str, *, complete: bool) -> None:
        rest, n = grid.more, len(grid.rows)
        complete = complete or (not self.fits and ROWS.get() is None)  # scripts read what they did
        most = n if complete or self.most >= n else int(self.most)
        if most < len(grid.rows):
            rest += len(grid.rows) - most
            grid = replace(grid, rows=grid.rows[:most], styles=grid.styles[:most])
        if self.console.is_terminal:
            from rich import box
            from rich.padding import Padding
            from rich.table import Table
            from rich.text import Text

            table = Table(
                box=box.SIMPLE_HEAD, header_style="dim", show_edge=False, padding=(0, 1, 0, 0)
            )
            for i, head in enumerate(grid.heads):
                justify = "right" if i in grid.right else "left"
                table.add_column(Text(safe(head)), justify=justify, overflow="fold")
            styles = grid.styles or ("",) * len(grid.rows)
            for row, style in zip(grid.rows, styles, strict=True):
                table.add_row(*(Text(safe(cell)) for cell in row), style=style or None)
            self.console.print(Padding(table, (0, 0, 0, len(indent)), expand=False))
        else:
            for text in _aligned(grid):
                self.console.print(indent + text, soft_wrap=True)
        if rest:
            self.console.print(f"{indent}... and {rest:,} more; --all prints them", soft_wrap=True)


def _aligned(grid: TextTable) -> Iterator[str]:
    """Yield the lines of a table with columns aligned by spaces."""
    from rich.cells import cell_len

    rows = [[safe(cell) for cell in row] for row in (grid.heads, *grid.rows)]
    widths = [max(cell_len(row[i]) for row in rows) for i in range(len(grid.heads))]
    for row in rows:
        spaces = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [
            space + cell if i in grid.right else cell + space
            for i, (cell, space) in enumerate(zip(row, spaces, strict=True))
        ]
        yield "  ".join(cells).rstrip()
