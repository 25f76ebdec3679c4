"""Answers of comparisons, printed, with their exit code."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import typer

from benchinfer.cli.guard import Exit, settled, verdict_code
from benchinfer.cli.options.common import wrong

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchinfer.analyses.choice.answer import Answer
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.papers.styler import PaperTable
    from benchinfer.scores.table import ScoreTable

type TableForm = Literal["tex", "md", "html"]
type RowName = Literal["algorithms", "pairs", "datasets"]


@dataclass(frozen=True, slots=True)
class Showing:
    """Output options of a comparison.

    Attributes
    ----------
    per_dataset, as_json, details
        As typed.
    table, rows
        Form and rows of the table for a paper, which is then all that is printed.
    """

    per_dataset: bool
    as_json: bool
    details: bool = False
    table: TableForm | None = None
    rows: RowName | None = None

    def check(self) -> None:
        """Refuse options that exclude each other."""
        if self.details and self.per_dataset:
            raise wrong("--details", "goes without --per-dataset.")
        if self.rows and not self.table:
            raise wrong("--rows", "goes with --table.")
        if self.table and (self.details or self.as_json):
            raise wrong("--table", "goes without --details and --json.")

    def refuse_per_dataset(self) -> None:
        """Refuse data sets by themselves, for which an analysis is named."""
        if self.per_dataset:
            raise wrong("--per-dataset", "needs an analysis: benchinfer compare mixed, for one.")


def answers(result: "Answer", scores: "ScoreTable", show: Showing) -> NoReturn:
    """Print an answer on all measures, and end with the exit code of its verdicts."""
    from benchinfer.cli.output import results
    from benchinfer.core.sections import Request
    from benchinfer.reports import documents

    request = Request(details=show.details)
    decided = {name: settled(one.relation()) for name, one in result.items()}
    if show.table is not None:
        rows = scores if show.rows == "datasets" else None
        _print_table(result.table(show.rows, scores=rows), show.table)
    elif show.as_json:
        documents.write(documents.answer(result, decided, request))
    else:
        results.answer(result, request)
    complete = all(decided.values()) and not result.refused
    raise typer.Exit(Exit.DECIDED if complete else Exit.UNDECIDED)


def answer(
    analysis: "Callable[..., Comparison]",
    scores: "ScoreTable",
    measure: str,
    options: Mapping[str, Any],
    show: Showing,
) -> None:
    """Compare, print, and end with the exit code of the verdict."""
    from benchinfer.cli.output import results
    from benchinfer.comparison.per_dataset import per_dataset as each
    from benchinfer.core.sections import Request
    from benchinfer.reports import documents

    if show.per_dataset:
        found = each(analysis, scores, measure, **options)
        relations = found.relations()
        if show.table is not None:
            _print_table(found.table(show.rows), show.table)
        elif show.as_json:
            decided = {name: settled(relation) for name, relation in relations.items()}
            documents.write(documents.comparisons(found, decided))
        else:
            results.comparisons(found)
        code = Exit.UNDECIDED if found.refused else verdict_code(relations.values())
    else:
        result = analysis(scores, measure, **options)
        code = verdict_code([result.relation()])
        request = Request(details=show.details)
        if show.table is not None:
            own = scores if show.rows == "datasets" and hasattr(scores, "cells") else None
            _print_table(result.table(show.rows, scores=own), show.table)
        elif show.as_json:
            decided = code == Exit.DECIDED
            documents.write(documents.comparison(result, decided=decided, request=request))
        else:
            results.comparison(result, request)
    raise typer.Exit(code)


def _print_table(table: "PaperTable", form: TableForm) -> None:
    """Print the table for a paper."""
    write = {"tex": table.to_latex, "md": table.to_markdown, "html": table.to_html}[form]
    typer.echo(write(), nl=False)
