"""Progress bars and callbacks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


# Called with a task in words, resamples just done, and how many there are to be.
type Progress = Callable[[str, int, int], None]
# Seconds before a bar is worth showing, and between two looks at it.
_PATIENCE, _LOOK = 1.0, 0.1
_LONG = 3.0  # seconds after which it is said what takes so long


@contextmanager
def reporting(
    *, progress: Progress | bool | None, doing: str = "Resampling"
) -> Generator[Progress | None]:
    """Yield a progress callback; the bar is removed on exit."""
    if not isinstance(progress, bool):
        yield progress
        return
    bars = _bars() if progress else None
    if bars is None:
        yield None
        return
    try:
        yield _Shown(bars, doing)
    finally:
        bars.stop()


@contextmanager
def announced(
    what: str, timer: Callable[[float, Callable[[], object]], Timer] = Timer
) -> Generator[None]:
    """Write a line on stderr where what is done inside takes long, at a terminal or not."""
    later = timer(_LONG, lambda: sys.stderr.write(f"{what} ...\n"))
    later.daemon = True
    later.start()
    try:
        yield
    finally:
        later.cancel()


def of_task(progress: Progress | None, task: str, total: int) -> Callable[[int], None] | None:
    """Return the callback of a task, which takes the number of resamples just done."""
    return None if progress is None else lambda done: progress(task, done, total)


def _bars() -> Bars | None:
    """Return progress bars that are not yet started; None without a terminal or notebook."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    console = Console(file=sys.stderr)
    seen = console.is_jupyter or (sys.stderr.isatty() and not console.is_dumb_terminal)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    # Without a thread of its own: what computes says when there is something to draw.
    return Bars(*columns, console=console, transient=True, auto_refresh=False) if seen else None


class _Shown:
    """Progress callback that displays a bar for the current task."""

    def __init__(self, bars: Bars, doing: str) -> None:
        self.bars, self.doing = bars, doing
        self.begun, self.looked = time.monotonic(), 0.0
        self.task, self.done = "", 0
        self.at: TaskID | None = None

    def __call__(self, task: str, done: int, total: int) -> None:
        at = self.at
        if at is None or task != self.task or self.done >= total:
            at = self._next(task, total)
        self.done += done
        now = time.monotonic()
        if now - self.begun < _PATIENCE or (now - self.looked < _LOOK and self.done < total):
            return
        self.looked = now
        self.bars.start()
        self.bars.update(at, completed=self.done)
        self.bars.refresh()

    def _next(self, task: str, total: int) -> TaskID:
        """Replace the bar of a finished task by that of the next one, and return its number."""
        if self.at is not None:
            self.bars.remove_task(self.at)
        self.task, self.done = task, 0
        self.at = self.bars.add_task(f"{self.doing} {task}", total=total)
        return self.at
