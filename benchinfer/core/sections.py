"""Records of what there is to say of a result: sections, tables, figures, checks.

Each analysis says it once; the terminal, JSON and reports write the same records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchinfer.core.numbers import brief
from benchinfer.core.saving import savable

if TYPE_CHECKING:
    import pandas as pd

type Direction = Literal["at most", "at least", ""]
# What a failed check puts in doubt: a verdict, the computation of the numbers (and with them
# verdicts), or nothing that is decided.
type Concern = Literal["verdict", "computation", "reading"]
# What a value is in JSON: a table has one record per row, keyed by the column glossary.
type Rows = pd.DataFrame


@savable
@dataclass(frozen=True, slots=True)
class Check:
    """One row of `Comparison.diagnostics`: a value compared with a limit."""

    # check, value: what was checked, and its value
    check: str
    value: float
    direction: Direction  # ``"at most"`` or ``"at least"`` the limit; empty where there is none
    limit: float  # the limit it is compared with; NaN where no limit on the value alone decides
    ok: bool  # whether the check passed
    # What was found, with names and numbers, and what follows or what to do: read one after the
    # other nothing is said twice. Empty where a check with a limit passed.
    remedy: str
    sentence: str
    concerns: Concern = "reading"  # what is in doubt where it fails

    @staticmethod
    def of(
        check: str,
        value: float,
        limit: float | None = 0.0,
        *,
        sentence: str,
        remedy: str,
        least: bool = False,
        ok: bool | None = None,
        concerns: Concern = "reading",
    ) -> Check:
        """Return the row of a check, with its sentences only where the check failed.

        It passes where the value is at most (at `least`) the limit, or as `ok` says. A limit is
        kept only if it is what decides: a value beyond it may pass for other reasons. Rounding does
        not decide.

        Examples
        --------
        >>> words = {"sentence": "There are few.", "remedy": "Add some."}
        >>> Check.of("degrees of freedom", 5 - 1e-12, 5, least=True, **words).ok
        True
        """
        value, bound = float(value), np.nan if limit is None else float(limit)
        within = (value >= bound if least else value <= bound) or isclose(value, bound)
        ok = within if ok is None else ok
        if ok != within:
            bound = np.nan
        direction = "" if np.isnan(bound) else "at least" if least else "at most"
        words = ("", "") if ok else (remedy, sentence)
        return Check(check, value, direction, bound, bool(ok), *words, concerns)

    @staticmethod
    def informing(check: str, value: float, *, sentence: str, remedy: str) -> Check:
        """Return a row without a limit, with its sentences where the value is not 0."""
        words = (remedy, sentence) if value else ("", "")
        return Check(check, float(value), "", np.nan, True, *words)  # noqa: FBT003


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a cell; `role` determines its style, `mark` is a symbol before it.

    `link` is the anchor that it leads to in a page: that of a section, or of a row of one (`row`).
    """

    text: str
    role: str = ""
    mark: str = ""
    link: str = ""


def row(anchor: str, label: object) -> str:
    """Return the anchor of the row of a section's contrasts that has a label in their frame."""
    return f"{anchor}-{label}"


type Write = Callable[..., str | Cell]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, with the format of its cells."""

    name: str  # its name in the frame
    head: str  # title of the column
    write: Write = str  # turns a value into a text, or into a cell with a role of its own
    numeric: bool = False  # whether it is set flush right
    role: str = ""  # how its cells look
    also: tuple[str, ...] = ()  # further columns of the frame that a cell is written from
    brief: bool = True  # whether it is shown where there is little room, too: on a terminal
    defined: bool = True  # whether it is what the glossary says of its name
    links: bool = False  # whether its cells lead to other places of a page
    texts: tuple[str, ...] = ()  # texts of the cells, where they are not written value by value
    without_names: Write | None = None  # the same as `write`, in words that name no algorithm
    # Whether a line that is too long does without it: 1 at first, 2 later, 0 never; and the
    # sentence in its place
    spare: int = 0
    instead: str = ""
    # group, short: a head for it and its neighbours of the same group together, and its own one
    # below that
    group: str = ""
    short: str = ""

    def cells(self, frame: pd.DataFrame) -> list[Cell]:
        """Return the cells of this column for the rows of a frame."""
        if self.texts:
            return [Cell(text, self.role) for text in self.texts[: len(frame)]]
        return self._written(frame, self.write)

    def nameless(self, frame: pd.DataFrame) -> list[Cell]:
        """Return the cells in words that name no algorithm; none where they are the same."""
        return [] if self.without_names is None else self._written(frame, self.without_names)

    def _written(self, frame: pd.DataFrame, write: Write) -> list[Cell]:
        values = zip(*(frame[name].tolist() for name in (self.name, *self.also)), strict=True)
        texts = (write(*row) for row in values)
        return [text if isinstance(text, Cell) else Cell(text, self.role) for text in texts]


def number(name: str, head: str, write: Write, **options: Any) -> Column:
    """Return a column of numbers."""
    return Column(name, head, write, numeric=True, **options)


def names(*columns: str) -> tuple[Column, ...]:
    """Return columns of names, with the column's name as its title."""
    return tuple(Column(name, name, role="name") for name in columns)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table with a caption above and, where needed, a note below.

    Attributes
    ----------
    name
        Its key in JSON; empty if the document has its numbers under another one.
    caption, note
        Texts above and below.
    frame
        The rows that are shown, in full precision.
    columns
        What is shown of them.
    data
        The table in JSON, if not the rows that are shown.
    bold
        Row and column of the cells in bold type.
    summaries
        How many rows at the end sum up the others, below a line.
    at_once
        How many rows are seen at once, where the others wait to be asked for; 0 for all.
    rest
        What the other rows are, as in "75 more".
    """

    name: str
    caption: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    note: str = ""
    data: pd.DataFrame | None = None
    bold: frozenset[tuple[int, int]] = frozenset()
    summaries: int = 0
    at_once: int = 0
    rest: str = ""

    @property
    def rows(self) -> tuple[tuple[Cell, ...], ...]:
        """The cells."""
        return tuple(zip(*(column.cells(self.frame) for column in self.columns), strict=True))


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a result: its kind as in `benchinfer.plot`, and its caption.

    A writer draws it, or leaves it out where the result has no such figure.
    """

    result: object
    kind: str
    caption: str
    top: int | None = None  # how many of its rows are drawn, from the first on; None for all


@dataclass(frozen=True, slots=True)
class Fold:
    """Figures and tables that are folded under a summary line."""

    summary: str
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a report: heading, texts, figures, tables and checks."""

    title: str  # its heading
    lead: str = ""  # the verdict in a sentence, or what the section says first
    # order, open_pairs: lines of the order of the algorithms, best first, and of what it leaves
    # open
    order: tuple[str, ...] = ()
    open_pairs: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()  # how to read the order
    text: tuple[str, ...] = ()  # paragraphs
    facts: tuple[tuple[str, str], ...] = ()  # names and what is to be said about them
    evidence: tuple[Table, ...] = ()  # tables that are read before the figures
    # figures, tables: figures and tables
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    # attention, remarks: sentences on what may change a verdict, and on what changes none
    attention: tuple[Cell, ...] = ()
    remarks: tuple[Cell, ...] = ()
    checks: tuple[Check, ...] = ()  # diagnostics
    warnings: tuple[str, ...] = ()  # what could not be done, in the words of the error
    fold: Fold | None = None  # what is there for those who open it, if anything
    # What JSON holds besides the tables: name to a value, or to a function that finds it
    values: Mapping[str, object] = MappingProxyType({})
    anchor: str = ""  # where links in a page lead to; empty elsewhere
    # Of folds that a page puts it into: 0 for what is seen at once, 1 for what opens from a line
    # that says what it holds, 2 for what stands in such a fold with the section before it
    depth: int = 0

    @property
    def all_tables(self) -> tuple[Table, ...]:
        """The tables, with those before the figures and in the fold."""
        return (*self.evidence, *self.tables, *(self.fold.tables if self.fold else ()))


@dataclass(frozen=True, slots=True)
class Request:
    """Scope of the sections requested: in brief or with all details."""

    # Whether to say all there is to say, however long that takes, or the verdict and what it rests
    # on
    details: bool = True
    before: tuple[Any, ...] = ()  # results on the same measure that are told before
    scores: Any = None  # the table of the results, if it is at hand
    best: bool = False  # whether to say which algorithms may be the best by tests of their own


@dataclass(frozen=True, slots=True)
class Refusal:
    """A question that the table cannot answer: measure, analysis, and why."""

    measure: str
    analysis: str
    why: str


@dataclass(frozen=True, slots=True)
class MeasurePart:
    """All sections about one measure."""

    anchor: str  # where links lead to
    # title, tag: heading, and the direction that is better
    title: str
    tag: str
    sections: tuple[Section, ...]  # the first one has the verdict


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference as prose, with a link (may be empty)."""

    text: str
    link: str


@dataclass(frozen=True, slots=True)
class Page:
    """A report as one page."""

    title: str  # heading of the page
    parts: tuple[MeasurePart, ...]  # one per measure, and one for relations that have none
    # references, bibtex: references as prose and as BibTeX
    references: tuple[Reference, ...]
    bibtex: str
    provenance: Table  # where each result comes from
    # Head of a column, its name in the tables of the package, and what it is
    glossary: tuple[tuple[str, str, str], ...] = field(default=())
    version: str = ""  # version of the package
    making: tuple[tuple[str, str], ...] = ()  # what made it, such as a command: name and text


def checks_table(checks: Sequence[Check]) -> Table:
    """One row per check, those that ask for attention first."""
    import pandas as pd

    ordered = sorted(checks, key=lambda row: row.ok)
    fields = ("ok", "check", "value", "direction", "limit")
    frame = pd.DataFrame({name: [getattr(row, name) for row in ordered] for name in fields})
    # Texts keep their parts in columns of objects.
    texts = {
        name: pd.Series([getattr(row, name) for row in ordered], dtype=object)
        for name in ("sentence", "remedy")
    }
    return Table(
        name="diagnostics",
        caption="Diagnostics",
        frame=frame.assign(**texts),
        columns=(
            Column(
                "ok",
                "result",
                lambda ok: Cell("passed", "pass", "✓") if ok else Cell("attention", "fail", "!"),
            ),
            Column("check", "check"),
            number("value", "value", brief),
            number(
                "limit",
                "limit",
                lambda limit, direction: f"{direction} {brief(limit)}" if direction else "",
                also=("direction",),
            ),
            Column("sentence", "what it says", _both, role="prose", also=("remedy",)),
        ),
    )


def _both(sentence: str, remedy: str) -> str:
    return f"{sentence} {remedy}".strip()
