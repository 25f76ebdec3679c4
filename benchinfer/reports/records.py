"""What a report is made of: records without markup, which the template turns into HTML."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name
        Its name in the glossary.
    head
        What stands at its top.
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
class Image:
    """An image in the file itself: data URI and natural size in CSS pixels."""

    uri: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure for wide and for narrow screens, with caption and text alternative."""

    wide: Image
    narrow: Image
    caption: str
    alt: str


@dataclass(frozen=True, slots=True)
class Fold:
    """Figures and tables for those who open them, under a summary."""

    summary: str
    pictures: tuple[Picture, ...] = ()
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
    pictures, tables
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
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    warnings: tuple[str, ...] = ()
    fold: Fold | None = None


@dataclass(frozen=True, slots=True)
class Part:
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
    parts: tuple[Part, ...]
    references: tuple[Reference, ...]
    bibtex: str
    provenance: Table
    glossary: tuple[tuple[str, str, str], ...] = field(default=())
    version: str = ""
