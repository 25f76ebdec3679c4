"""What a user does with the core alone, without any extra: timed, one line for each step.

Run by the Python of an environment: ``python tests/core_alone.py FOLDER``. With ``--hide`` the
packages of extras are hidden first, so that an environment with all of them serves, too.
"""

import itertools
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.abc import MetaPathFinder
from pathlib import Path

EXTRAS = {
    *("arviz", "arviz_plots", "duckdb", "h5netcdf", "h5py", "nutpie", "openpyxl", "polars"),
    *("pymc", "pytensor"),
}
# Kind of comparison to its further options.
KINDS = {
    "auto": [],
    "mixed": [],
    "permutation": ["--resamples", "999"],
    "bootstrap": ["--resamples", "499"],
    "bayes": ["--draws", "200", "--seed", "1"],
    "bayes-pairs": [],
    "meta": [],
    "wins": [],
    "points": [],
    "pair": ["--dataset", "d1"],
}


class Hidden(MetaPathFinder):
    """Finder that finds no package of an extra."""

    def find_spec(self, name: str, *_: object) -> None:
        """Raise an error for a package of an extra, as where it is not installed."""
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def table(folder: Path) -> str:
    """Write scores of two algorithms on eight data sets."""
    rng = random.Random(1)  # noqa: S311 - scores
    lines = ["dataset,algorithm,seed,accuracy"]
    for d, name, seed in itertools.product(range(8), ("rf", "svm"), range(3)):
        mean = 0.7 + 0.02 * d + 0.03 * (name == "svm")
        lines.append(f"d{d},{name},{seed},{rng.gauss(mean, 0.02):.4f}")
    path = folder / "scores.csv"
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


def commands(scores: str, folder: Path) -> list[list[str]]:
    """Return the commands that a user runs."""
    report = str(folder / "report.html")
    return [
        ["check", scores],
        *(["compare", kind, scores, *options] for kind, options in KINDS.items()),
        ["consensus", scores],
        ["gate", scores, "--baseline", "rf", "--candidate", "svm"],
        ["plan", scores, "--difference", "0.05"],
        ["report", scores, "--output", report],
    ]


def run(command: Sequence[str]) -> int:
    """Run a command in this process and return its exit code."""
    from benchinfer.cli.app import app

    try:
        app(list(command))
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def saved(folder: Path) -> None:
    """Save a hierarchical model, load it again, and look at its predictions."""
    import benchinfer as bi

    scores = bi.load_example("sklearn_bootstrap")
    result = bi.compare_bayes(scores, "error", draws=200, seed=1)
    result.save(folder / "bayes.json")
    assert bi.load(folder / "bayes.json").headline() == result.headline()
    assert len(result.loo(refit=False).table()) == len(scores.datasets)


def main(folder: Path) -> None:
    """Run all steps; exit with an error where one fails, or has loaded a package of an extra."""
    steps: list[tuple[str, Callable[[], object]]] = [
        (" ".join(command).partition(" /")[0], partial(run, command))
        for command in commands(table(folder), folder)
    ]
    for name, step in [*steps, ("save and load", partial(saved, folder))]:
        began = time.perf_counter()
        code = step() or 0
        sys.stdout.write(f"core: {name}, {time.perf_counter() - began:.1f} s, exit code {code}\n")
        if code not in (0, 3):  # 3 is undecided
            sys.exit(f"{name} failed")
    if loaded := EXTRAS & {name.partition(".")[0] for name in sys.modules}:
        sys.exit(f"loaded: {sorted(loaded)}")


if __name__ == "__main__":
    if "--hide" in sys.argv:
        sys.meta_path.insert(0, Hidden())
    main(Path(sys.argv[1]))
