"""Cases that are run in processes of their own, with limits of time and room."""

import json
import os
import resource
import signal
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path


def outcomes[T](
    folder: Path,
    cases: Sequence[T],
    run: Callable[[T], str],
    *,
    seconds: int = 60,
    room: int | None = None,
) -> list[str]:
    """Return what each case says, its error, or how it ended the process, which is begun anew.

    In each process, whose folder is the one given, as many cases are run as it survives.
    """
    said = list[str]()
    while len(said) < len(cases):
        report = folder / "outcomes"
        report.write_text("")
        child = os.fork()
        if child == 0:
            try:
                _run(folder, cases[len(said) :], run, report, seconds, room)
            finally:
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said += [json.loads(line) for line in report.read_text().splitlines()]
        if status:
            said.append(f"ended by {signal.Signals(-status).name if status < 0 else status}")
    return said


def _run[T](
    folder: Path,
    cases: Sequence[T],
    run: Callable[[T], str],
    report: Path,
    seconds: int,
    room: int | None,
) -> None:
    """Run cases until the process ends, with a line for each."""
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    if room is not None:
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + room, size + room))
    with report.open("a") as file:
        for case in cases:
            signal.alarm(seconds)
            try:
                text = run(case)
            except BaseException as error:  # noqa: BLE001 - that none is raised is what is tested
                text = told(error)
            signal.alarm(0)
            file.write(json.dumps(text) + "\n")
            file.flush()
    os._exit(0)


def told(error: BaseException) -> str:
    """Return an error, and the place of ours that raised it, on one line."""
    last = traceback.extract_tb(error.__traceback__)
    ours = [f for f in last if "/benchinfer/" in f.filename and "/tests/" not in f.filename]
    where = ours[-1] if ours else last[-1]
    text = " ".join(repr(error).split())[:140]
    return f"{text} at {Path(where.filename).name}:{where.lineno}"
