"""Options that name measures, or declare them, too."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchinfer.cli.options.common import wrong

if TYPE_CHECKING:
    from benchinfer.cli.options.source import SourceArguments
    from benchinfer.scores.table import ScoreTable


def _measure(several: str, otherwise: str) -> Any:
    text = (
        "A measure of the table, or name:better[:tolerance[:scale]], which declares it, too."
        f" {several}{otherwise}."
    )
    return typer.Option("--measure", "-m", metavar="TEXT", help=text)


_ONLY = "May be omitted where the table has one"
MeasureText = Annotated[str | None, _measure("", _ONLY)]
MeasureTexts = Annotated[list[str] | None, _measure("Once per measure. ", _ONLY)]
TogetherMeasures = Annotated[
    list[str] | None, _measure("Once per measure, decided together. ", _ONLY)
]
AllMeasures = Annotated[
    list[str] | None, _measure("Once per measure. ", "All measures of the table by default")
]


def declare(given: dict[str, Any]) -> None:
    """Let the option that names measures declare them, where its texts say what is better."""
    asked = given.get("measure")
    texts = [asked] if isinstance(asked, str) else list(asked or ())
    whole = [text for text in texts if ":" in text]
    if not whole:
        return
    if given["measures"] is not None:
        raise wrong("--measure", f"{whole[0]} declares a measure, as --measures does.")
    if plain := [text for text in texts if text not in whole]:
        raise wrong("--measure", f"say which direction of {plain[0]} is better, as in the rest.")
    names = [text.partition(":")[0].strip() for text in whole]
    given["measures"] = whole
    given["measure"] = names[0] if isinstance(asked, str) else names


def named(
    source: "SourceArguments", scores: "ScoreTable", names: Sequence[str] | None
) -> list[str]:
    """Return the names of the measures, each once; without options that of the only one."""
    found = [source.measure(scores, name) for name in names or [None]]
    if len(set(found)) < len(found):
        raise wrong("--measure", "names a measure twice.")
    return found
