"""Tables and paragraphs on a terminal or in a pipe.

Names from a table are data. They are printed literally, control characters escaped.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import TextWrapper

_WIDTH = 80  # in a pipe, and at most on a terminal: longer lines are hard to read


def safe(text: object) -> str:
    r"""Escape what is not printable: control characters, changes of writing direction.

    Examples
    --------
    >>> safe("svm\x1b[31m")
    'svm\\x1b[31m'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))


# Numbers are to be copied into programs, and some terminals have no other characters.
_ASCII = str.maketrans({"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "∞": "inf", "²": "2", "≤": "<="})
_PERCENT = re.compile(r"(?<=\d) %")
_NEGATIVE = re.compile("\N{MINUS SIGN}(?=\\d)")


def ascii_number(text: str) -> str:
    """Write a number in ASCII."""
    return text.translate(_ASCII)


def plain(text: str) -> str:
    """Write numbers in ASCII; of a name no character changes that the terminal has."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return ascii_number(text)
    return _NEGATIVE.sub("-", text)


def safe_lines(text: str) -> str:
    """Escape what is not printable, line ends aside."""
    return "\n".join(safe(line) for line in text.split("\n"))


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts.

    Attributes
    ----------
    heads
        The column heads.
    rows
        The cells, as texts.
    right
        Columns that hold numbers.
    styles
        Style of each row on a terminal, or nothing.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    styles: tuple[str, ...] = ()


class Terminal:
    """Standard output, as a terminal or as a pipe."""

    def __init__(self) -> None:
        from rich.console import Console

        class Piped(Console):
            """A console that leaves it to the command what a closed pipe means."""

            def on_broken_pipe(self) -> None:
                """Raise the error on."""
                raise  # noqa: PLE0704 (rich calls it while it handles the error)

        self.console = Piped(highlight=False, markup=False, emoji=False)
        self.width = _WIDTH
        if self.console.is_terminal:
            self.width = min(self.console.width, _WIDTH)
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if (
            reconfigure is not None
        ):  # a name that the terminal's encoding lacks is no reason to fail
            reconfigure(errors="backslashreplace")

    def line(self, text: object = "", style: str = "") -> None:
        """Print one line as it is, however long; a terminal wraps it."""
        self.console.print(safe(text), style=style or None, soft_wrap=True)

    def prose(self, text: str, *, style: str = "", indent: str = "", hanging: str = "") -> None:
        """Print a paragraph, wrapped."""
        wrapper = TextWrapper(
            self.width,
            initial_indent=indent,
            subsequent_indent=indent + hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
        # A number and its unit stay on one line; what is safe has no such space.
        for line in wrapper.wrap(_PERCENT.sub("\N{NO-BREAK SPACE}%", safe(text))):
            self.line(line.replace("\N{NO-BREAK SPACE}", " "), style)

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

    def grid(self, grid: TextTable, indent: str = "") -> None:
        """Print a table."""
        if self.console.is_terminal:
            self._drawn(grid, indent)
        else:
            for text in _aligned(grid):
                self.line(indent + text)

    def _drawn(self, grid: TextTable, indent: str) -> None:
        """Draw a table; one that is too wide for the terminal is folded, not cut."""
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


def _aligned(grid: TextTable) -> Iterator[str]:
    """Lay out a table with spaces alone."""
    from rich.cells import cell_len

    rows = [[safe(cell) for cell in row] for row in (grid.heads, *grid.rows)]
    widths = [max(cell_len(row[i]) for row in rows) for i in range(len(grid.heads))]
    for row in rows:
        cells = [
            _padded(cell, widths[i] - cell_len(cell), i in grid.right) for i, cell in enumerate(row)
        ]
        yield "  ".join(cells).rstrip()


def _padded(cell: str, spaces: int, right: bool) -> str:  # noqa: FBT001
    return " " * spaces + cell if right else cell + " " * spaces
