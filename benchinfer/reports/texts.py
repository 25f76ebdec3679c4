"""Parts of a page that writers of plain formats share."""

from collections.abc import Iterator

from benchinfer.core.sections import Figure, Section, Table, checks_table

ROWS = 60  # of a table; the HTML and JSON files have all of them
FIGURES = "Figures are in the HTML report"


def tables(section: Section) -> Iterator[Table]:
    """Yield the tables of a section, with those that HTML folds, and its diagnostics."""
    yield from (table for table in section.all_tables if not table.frame.empty)
    if section.checks:
        yield checks_table(section.checks)


def figures(section: Section) -> tuple[Figure, ...]:
    """Return the figures of a section, with those that HTML folds."""
    return (*section.figures, *(section.fold.figures if section.fold else ()))


def cells(table: Table) -> list[list[str]]:
    """Return the texts of the first rows of a table."""
    return [[cell.text for cell in row] for row in table.rows[:ROWS]]


def rest(table: Table) -> str:
    """Say how many rows are left out."""
    more = len(table.frame) - ROWS
    return f"{more:,} more rows are in the HTML and JSON reports." if more > 0 else ""
