"""Options that name measures, or declare them, too."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchinfer.cli.options.common import wrong

if TYPE_CHECKING:
    from benchinfer.cli.options.source import SourceArguments
    from benchinfer.scores.table import ScoreTable


_DECLARES = (
    "A measure of the table, or name:better[:tolerance[:scale]], which declares it too. Once per"
    " measure; "
)


def _measures(otherwise: str) -> Any:
    return typer.Option("--measure", "-m", metavar="TEXT", help=f"{_DECLARES}{otherwise}.")


MeasureTexts = Annotated[list[str] | None, _measures("may be omitted where the table has one")]
AllMeasures = Annotated[list[str] | None, _measures("all measures of the table by default")]


def declared(source: "SourceArguments", texts: Sequence[str] | None) -> "SourceArguments":
    """Return where scores come from with the measures that the options declare."""
    whole = [text for text in texts or () if ":" in text]
    if not whole:
        return source
    if source.measures is not None:
        raise wrong("--measure", f"{whole[0]} declares a measure, as --measures does.")
    if plain := [text for text in texts or () if ":" not in text]:
        raise wrong("--measure", f"say which direction of {plain[0]} is better, as in the rest.")
    return replace(source, measures=whole)


def named(
    source: "SourceArguments", scores: "ScoreTable", texts: Sequence[str] | None
) -> list[str]:
    """Return the names of the measures, each once; without options that of the only one."""
    asked = texts or [None]
    names = [source.measure(scores, text and text.partition(":")[0].strip()) for text in asked]
    if len(set(names)) < len(names):
        raise wrong("--measure", "names a measure twice.")
    return names
