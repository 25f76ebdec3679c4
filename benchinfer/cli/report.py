"""The command `report`."""

from __future__ import annotations

import shlex
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from benchinfer.cli.hints import as_options
from benchinfer.cli.options.configuration import TAKEN
from benchinfer.cli.output import sections
from benchinfer.cli.output.tables import size
from benchinfer.cli.output.terminal import QUIET, Terminal
from benchinfer.comparison.sections import verdict
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import safe, within
from benchinfer.core.saving import writing
from benchinfer.core.sections import Request

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from benchinfer.core.sections import Page
    from benchinfer.reports.gather import ReportInput, Stages
    from benchinfer.reports.html import Prints
    from benchinfer.reports.page import Format
    from benchinfer.scores.table import ScoreTable


def analyse(scores: ScoreTable, **options: Any) -> ReportInput:
    """Run what the table supports; see `everything`."""
    from benchinfer.reports.gather import everything

    program, words = Path(sys.argv[0]), sys.argv[1:]
    command = ""  # where the package is called from other programs
    if program.stem == "__main__":
        command = shlex.join(["python", "-m", program.parent.name, *words])
    elif program.stem == "benchinfer":
        command = shlex.join([program.name, *words])
    results = replace(everything(scores, **options), command=command)
    if not results.results and len(scores.algorithms) < 2:
        raise DesignError(results.refusals[0].why)
    return results


@contextmanager
def stages() -> Generator[Stages]:
    """Yield a callback that reports each stage on stderr: in one changing line, or as a log."""
    if QUIET.get():
        yield lambda *_: None
        return
    from rich.console import Console

    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        yield lambda task, i, n: console.print(safe(_stage(task, i, n)), soft_wrap=True)
        return
    with console.status("Loading") as status:
        yield lambda task, i, n: status.update(Text(safe(_stage(task, i, n))))


def _stage(task: str, i: int, n: int) -> str:
    return f"{i}/{n} {task}" if n else task


def write(
    results: ReportInput | Sequence[object],
    path: str,
    scores: ScoreTable | None = None,
    title: str | None = None,
    kind: Format | None = None,
    prints: Prints = "short",
) -> Page:
    """Write the report and create its folder, which is removed again if that fails."""
    from benchinfer.reports import page
    from benchinfer.reports.gather import gather

    folder = Path(path).parent
    with writing(path):
        made = [place for place in (folder, *folder.parents) if not place.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        try:
            gathered = replace(gather(results, scores), from_file=TAKEN.get())
            composed = page.compose(gathered, title)
            page.write(composed, gathered, path, kind, prints)
        except BaseException:
            for place in made:
                place.rmdir()
            raise
    return composed


def show(results: ReportInput, scores: ScoreTable, path: str) -> None:
    """Print the first result on each measure over all data sets, and where the report is."""
    from benchinfer.comparison.comparison import Comparison

    with Terminal() as out:
        size(out, scores)
        main: dict[str, Comparison] = {}
        for result in results.results:
            if isinstance(result, Comparison):
                main.setdefault(result.measure.name, result)
        for name, result in main.items():
            out.heading(f"{name}, by {within(result._heading)}")
            shown = verdict(result, Request(details=False))
            sections.beforehand(out, result)
            sections.write(out, [replace(shown, tables=shown.tables[:1])])
        for refusal in results.refusals:
            out.line()
            why = as_options(refusal.why)
            out.message(f"{refusal.analysis} of {refusal.measure}: {why}", style="yellow")
        out.line()
        out.line(f"Report written to {path}", "bold")
