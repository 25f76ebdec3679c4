"""What an analysis does not answer, and why, in place of the answer."""

from collections.abc import Callable

from benchinfer.cli.hints import translated
from benchinfer.cli.terminal import Terminal
from benchinfer.errors import DesignError


def unless_refused[T](
    out: Terminal, ask: Callable[[], T], show: Callable[[Terminal, T], None]
) -> None:
    """Show an answer, or why there is none."""
    try:
        found = ask()
    except DesignError as error:
        out.message(f"Not answered: {translated(str(error))}", style="yellow")
    else:
        show(out, found)
