"""Tables and paragraphs on a terminal or in a pipe.

Names from a table are data. They are printed literally, control characters escaped.
"""

import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from textwrap import TextWrapper
from typing import Self

import typer

from benchinfer.cli.output.layout import TextTable, cell_len, lay_out
from benchinfer.core.numbers import safe

_WIDTH = 80  # of prose at most, as longer lines are hard to read, and of tables in a pipe
_SCREEN = 60  # lines that are read on a terminal
# Rows of a table and lines of an order: in a pipe 40, on a terminal the most of these that keep the
# output within that.
_ROWS = (40, 20, 12, 8, 5, 3)
_CUT = 240  # characters of a line of an order that is shortened
# Rows and lines that were asked for: None for as many as fit, infinite for all.
ROWS: ContextVar[float | None] = ContextVar("rows", default=None)
# Whether nothing but errors, and documents that are asked for, is printed.
QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


# Numbers are to be copied into programs, and some terminals have no other characters.
_ASCII = str.maketrans({"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "∞": "inf", "²": "2", "≤": "<="})
_PERCENT = re.compile(r"(?<=\d) %")
_STYLE = re.compile("\x1b\\[[0-9;]*m")
_LONG = 2000  # characters of a line of an order in a pipe
_NEGATIVE = re.compile("\N{MINUS SIGN}(?=\\d)")


def note(text: str) -> None:
    """Print a line on stderr about what is done, unless nothing but errors is asked for.

    Names in it are made safe: a column may be called as what a terminal or a runner obeys.
    """
    if not QUIET.get():
        typer.echo(safe(text), err=True)


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


def _piped_width() -> int:
    """Return the width of tables in a pipe: as the environment has it, or 80."""
    text = os.environ.get("COLUMNS", "")
    return int(text) if text.isdecimal() and int(text) > 0 else _WIDTH


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
        # columns, width: those of tables, and of prose
        self.columns = self.console.width if self.console.is_terminal else _piped_width()
        self.width = min(self.columns, _WIDTH)
        rows = ROWS.get()
        self.quiet = QUIET.get()
        self.fits = rows is None and self.console.is_terminal and not self.quiet
        self.most = _ROWS[0] if rows is None else rows
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
        elif not self.quiet:
            show()

    def line(self, text: object = "", style: str = "") -> None:
        """Print one line as it is, however long; a terminal wraps it."""
        self._show(lambda: self.console.print(safe(text), style=style or None, soft_wrap=True))

    def listed(self, texts: Sequence[str], style: str = "") -> None:
        """Print indented lines, shortened if necessary, with the number of further lines."""
        self._show(lambda: self._listed(texts, style))

    def _listed(self, texts: Sequence[str], style: str) -> None:
        everything = self.most == math.inf
        most = len(texts) if everything else int(self.most)
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
        """Print a message in lines: sentences and hints wrapped, tables as they are if they fit."""
        hint = False
        for line in text.split("\n"):
            hint = line.startswith("Hint: ") or (hint and line.startswith(" "))
            if line.startswith("    ") and not hint and cell_len(safe(line)) <= self.columns:
                self.line(line, style)
            else:
                indent = "      " if line.startswith(" ") else ""
                hanging = "" if indent else "      " if hint else "  "
                self.prose(line.strip(), style=style, indent=indent, hanging=hanging)

    def heading(self, text: str) -> None:
        """Print the heading of a section, with an empty line before it."""
        self.line()
        self.prose(text, style="bold cyan")

    def grid(self, table: TextTable, indent: str = "", *, every_row: bool = False) -> None:
        """Print a table, shortened if necessary, with the number of further rows.

        With every row it is shortened on a terminal only: scripts read what they read.
        """
        self._show(lambda: self._grid(table, indent, every_row=every_row))

    def _grid(self, table: TextTable, indent: str, *, every_row: bool) -> None:
        every_row = every_row and not self.fits and ROWS.get() is None
        shown = table if every_row else table.first(int(min(self.most, table.n_rows)))
        layout = lay_out(shown, self.columns - len(indent))
        lines = layout.lines
        for line, following in zip(lines, [*lines[1:], None], strict=True):
            text, style = f"{indent}{line.text}", "dim" if line.head else line.style
            self.console.print(text, style=style or None, soft_wrap=True)
            if self.console.is_terminal and line.head and not (following and following.head):
                rule = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * max(cell_len(x.text) for x in lines)
                self.console.print(f"{indent}{rule}", style="dim", soft_wrap=True)
        if shown.more:
            more = f"{indent}... and {shown.more:,} more; --all prints them"
            self.console.print(more, soft_wrap=True)
        if text := " ".join(filter(None, (plain(table.note), *layout.notes))):
            self.console.print()
            for line in self._wrapped(text, indent, ""):
                self.console.print(line, soft_wrap=True)
        if layout.names:
            self.console.print(f"\n{indent}Names that are cut:", soft_wrap=True)
        for line in layout.names:
            self.console.print(f"{indent}{line}", soft_wrap=True)
