"""Answers of comparisons, printed, with their exit code."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from benchinfer.cli.guard import Exit, settled, verdict_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.scores.table import ScoreTable


@dataclass(frozen=True, slots=True)
class Showing:
    """Output options of a comparison.

    Attributes
    ----------
    per_dataset, as_json, details
        As typed.
    """

    per_dataset: bool
    as_json: bool
    details: bool = False


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
        if show.as_json:
            decided = {name: settled(relation) for name, relation in relations.items()}
            documents.write(documents.comparisons(found, decided))
        else:
            results.comparisons(found)
        code = Exit.UNDECIDED if found.refused else verdict_code(relations.values())
    else:
        result = analysis(scores, measure, **options)
        code = verdict_code([result.relation()])
        request = Request(details=show.details)
        if show.as_json:
            decided = code == Exit.DECIDED
            documents.write(documents.comparison(result, decided=decided, request=request))
        else:
            results.comparison(result, request)
    raise typer.Exit(code)
