"""Whole commands on a small table: CPU seconds with start and imports, and memory.

Run as ``python benchmarks/commands.py``, or with the names of some commands. Each runs in processes
of its own, with one thread for linear algebra; the best of three counts. Compiled files of Python
are at hand from a run before. Memory is the largest resident set.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")

import shutil
import subprocess
import sys
from pathlib import Path

COMMANDS = {
    "check": ("check",),
    "compare points": ("compare", "points"),
    "compare mixed": ("compare", "mixed"),
    "compare bayes": ("compare", "bayes"),
}
RUNS = 3


def measured(command: tuple[str, ...]) -> tuple[float, float]:
    """Return CPU seconds and MB of one run of a command."""
    program = shutil.which("benchinfer", path=Path(sys.executable).parent)
    if program is None:
        raise FileNotFoundError("benchinfer is not installed beside this Python")
    return spent([program, *command])


def spent(command: list[str]) -> tuple[float, float]:
    """Return CPU seconds and MB of a process."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main(wanted: list[str]) -> None:
    """Print a row for each command."""
    table = "example:simulated/balanced"
    print("| command | CPU s | MB |\n|---|--:|--:|")
    for name in wanted or COMMANDS:
        runs = [measured((*COMMANDS[name], table)) for _ in range(1 + RUNS)]
        seconds, memory = (min(x) for x in zip(*runs, strict=True))
        print(f"| `{name}` | {seconds:.2f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
