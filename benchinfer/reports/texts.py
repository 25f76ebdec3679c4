"""Parts of a page that writers of plain formats share."""

from collections.abc import Iterator

from benchinfer.core.hints import Call, Given, Option, Phrase
from benchinfer.core.sections import Figure, Section, Table, checks_table

ROWS = 60  # of a table; the HTML and JSON files have all of them
FIGURES = "Figures are in the HTML report"
_ANALYSES = {
    "compare_bayes": "a Bayesian model",
    "compare_bootstrap": "the bootstrap",
    "compare_mixed": "a mixed model",
    "compare_pair": "tests of two algorithms",
    "compare_permutation": "permutation tests",
    "compare_points": "a point comparison",
    "compare_wins": "a model of wins",
}


def as_prose(text: str) -> str:
    """Write a phrase for who reads results and calls nothing: names of analyses for functions.

    Examples
    --------
    >>> as_prose(Phrase(Call("compare_permutation", Option("on", "ranks")), "."))
    'permutation tests (on: ranks).'
    """
    if not isinstance(text, Phrase):
        return text
    return "".join(_named(part) if isinstance(part, Call) else str(part) for part in text.parts)


def _named(call: Call) -> str:
    """Return the name of an analysis, with the argument that matters."""
    if call.function not in _ANALYSES:
        return str(call)
    given = call.option
    said = f" ({given.name}: {given.value})" if isinstance(given, Option | Given) else ""
    return _ANALYSES[call.function] + said


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
