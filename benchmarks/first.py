"""First runs of an installation: each command in an empty cache of compiled code, then once more.

Run as ``python benchmarks/first.py``, or with the names of some commands. In each of three rounds
every command runs twice in processes of its own, with one thread for linear algebra; the second run
finds what the first compiled. Of reports the children count, too. Tables are the bundled one of
14,400 scores, and simulated ones: data sets x replications x algorithms. Rows are medians of CPU
seconds with start and imports, of seconds on the clock, and of CPU seconds as multiples of ``import
pandas`` in the same round, which a machine that does other work leaves as they are. Memory is the
largest resident set. Byte code is there from a run before: of three rounds the middle one counts.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from commands import spent
from computing import simulated

DEMO = "example:sklearn_bootstrap"
COMPARE = {
    f"compare {name}": ("compare", name, DEMO, "--measure", "error")
    for name in ("mixed", "permutation", "bootstrap", "bayes")
}
REPORT = ("report", DEMO, "-q", "-o", "{page}")
SIMULATED = ("--measure", "value:higher:0.05")
SMALL = ("report", "6 x 3 x 3", *SIMULATED, "-q", "-o", "{page}")
SIZES = {"5 x 3 x 4": (5, 3, 4), "6 x 3 x 3": (6, 3, 3)}
COMMANDS = {
    "check": ("check", DEMO),
    "check, 60 rows": ("check", "5 x 3 x 4", *SIMULATED),
    **COMPARE,
    "compare mixed, 60 rows": ("compare", "mixed", "5 x 3 x 4", *SIMULATED),
    "report": REPORT,
    "report --no-bayes": (*REPORT, "--no-bayes"),
    "report, 6 x 3 x 3": SMALL,
    "report --no-bayes, 6 x 3 x 3": (*SMALL, "--no-bayes"),
}
ROUNDS = 3


def timed(command: list[str]) -> tuple[float, float, float]:
    """Return CPU seconds, seconds on the clock and MB of a process."""
    begin = time.perf_counter()
    cpu, memory = spent(command)
    return cpu, time.perf_counter() - begin, memory


def round_of(command: tuple[str, ...], unit: float) -> tuple[float, ...]:
    """Return what the first and the second run took, after CPU seconds of ``import pandas``."""
    program = shutil.which("benchinfer", path=Path(sys.executable).parent)
    if program is None:
        raise FileNotFoundError("benchinfer is not installed beside this Python")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        places = {"{page}": str(Path(folder, "page.html"))}
        for name in SIZES.keys() & set(command):
            places[name] = str(Path(folder, "scores.csv"))
            simulated(*SIZES[name]).to_csv(places[name], index=False)
        call = [program, *(places.get(word, word) for word in command)]
        first, second = timed(call), timed(call)
    return (*first, first[0] / unit, *second, second[0] / unit)


def main(wanted: list[str]) -> None:
    """Print a row for each command."""
    names = wanted or list(COMMANDS)
    runs: dict[str, list[tuple[float, ...]]] = {name: [] for name in names}
    pandas = [sys.executable, "-c", "import pandas"]
    timed(pandas)
    for _ in range(ROUNDS):
        unit = min(timed(pandas)[0] for _ in range(3))
        for name in names:
            runs[name].append(round_of(COMMANDS[name], unit))
    head = "CPU s | s | MB | x pandas"
    print(f"| command | first: {head} | then: {head} |\n|---{'|--:' * 8}|")
    for name in names:
        numbers = [median(x) for x in zip(*runs[name], strict=True)]
        cells = " | ".join(f"{x:.0f}" if i in (2, 6) else f"{x:.1f}" for i, x in enumerate(numbers))
        print(f"| `{name}` | {cells} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
