"""Records of reports: sections, tables, figures, checks."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.core.hints import Phrase
from benchinfer.core.numbers import brief
from benchinfer.core.saving import savable

if TYPE_CHECKING:
    from collections.abc import Sequence

type Direction = Literal["at most", "at least", ""]


@savable
@dataclass(frozen=True, slots=True)
class Check:
    """One row of `Comparison.diagnostics`: a value compared with a limit.

    Attributes
    ----------
    check, value
        What was checked, and its value.
    direction
        ``"at most"`` or ``"at least"`` the limit; empty where there is none.
    limit
        The limit it is compared with; NaN where no limit on the value alone decides.
    ok
        Whether the check passed.
    remedy
        What to do or how to read it; empty where a check with a limit passed.
    """

    check: str
    value: float
    direction: Direction
    limit: float
    ok: bool
    remedy: str

    @staticmethod
    def of(
        check: str,
        value: float,
        limit: float | None,
        *,
        ok: bool,
        remedy: str,
        least: bool = False,
    ) -> "Check":
        """Make a row; the remedy is kept only where the check failed.

        A limit is kept only if it is what decides: a value beyond it may pass for other reasons.
        """
        value, bound = float(value), np.nan if limit is None else float(limit)
        if ok != (value >= bound if least else value <= bound):
            bound = np.nan
        direction = "" if np.isnan(bound) else "at least" if least else "at most"
        return Check(check, value, direction, bound, bool(ok), "" if ok else Phrase(remedy))

    @property
    def held(self) -> str:
        """The value with its limit, in words."""
        limit = f" ({self.direction} {self.limit:.4g})" if self.direction else ""
        return f"{self.value:.4g}{limit}"

    @staticmethod
    def informing(check: str, value: float, remedy: str) -> "Check":
        """Make a row that informs: it has no limit, and says how to read a value that is not 0."""
        words = Phrase(remedy) if value else ""
        return Check(check, float(value), "", np.nan, ok=True, remedy=words)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name
        Its name in the glossary.
    head
        Title of the column.
    numeric
        Whether it is set flush right.
    """

    name: str
    head: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a cell; `role` says how it looks, `mark` is a shape set before it."""

    text: str
    role: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption above and, where needed, a note below."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a result: its kind as in `benchinfer.plot`, and its caption.

    A writer draws it, or leaves it out where the result has no such figure.
    """

    result: object
    kind: str
    caption: str


@dataclass(frozen=True, slots=True)
class Fold:
    """Figures and tables for those who open them, under a summary."""

    summary: str
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the report.

    Attributes
    ----------
    title
        Its heading.
    lead
        The verdict in a sentence, or what the section says first.
    order, open_pairs
        The order of the algorithms, best first, and what it leaves open; may be empty.
    text
        Paragraphs.
    facts
        Names and what is to be said about them.
    figures, tables
        Figures and tables.
    warnings
        What could not be done, in the words of the error.
    fold
        What is there for those who open it, if anything.
    """

    title: str
    lead: str = ""
    order: str = ""
    open_pairs: str = ""
    text: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    warnings: tuple[str, ...] = ()
    fold: Fold | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A question that the table cannot answer: measure, analysis, and why."""

    measure: str
    analysis: str
    why: str


@dataclass(frozen=True, slots=True)
class MeasurePart:
    """All sections about one measure.

    Attributes
    ----------
    anchor
        Where links lead to.
    title, tag
        Heading, and the direction that is better.
    verdict
        The verdict in one sentence, for the top of the report.
    sections
        The first one has the verdict.
    """

    anchor: str
    title: str
    tag: str
    verdict: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference as prose, with a link (may be empty)."""

    text: str
    link: str


@dataclass(frozen=True, slots=True)
class Page:
    """The whole report.

    Attributes
    ----------
    title
        Heading of the page.
    about
        What was compared, in sentences.
    parts
        One per measure, and one for relations that have none.
    references, bibtex
        References as prose and as BibTeX.
    provenance
        Where each result comes from.
    glossary
        Head of a column, its name in the tables of the package, and what it is.
    version
        Version of the package.
    """

    title: str
    about: tuple[str, ...]
    parts: tuple[MeasurePart, ...]
    references: tuple[Reference, ...]
    bibtex: str
    provenance: Table
    glossary: tuple[tuple[str, str, str], ...] = field(default=())
    version: str = ""


def checks_table(checks: "Sequence[Check]") -> Table:
    """One row per check, those that ask for attention first."""
    return Table(
        caption="Diagnostics",
        columns=(
            Column("ok", "result"),
            Column("check", "check"),
            Column("value", "value", numeric=True),
            Column("limit", "limit", numeric=True),
            Column("remedy", "how to read it"),
        ),
        rows=tuple(
            (
                Cell("passed", "pass", "✓") if row.ok else Cell("attention", "fail", "!"),
                Cell(row.check),
                Cell(brief(row.value)),
                Cell(f"{row.direction} {brief(row.limit)}" if row.direction else ""),
                Cell(row.remedy, "prose"),
            )
            for row in sorted(checks, key=lambda row: row.ok)
        ),
    )
