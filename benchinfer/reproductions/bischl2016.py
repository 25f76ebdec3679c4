"""Bischl et al. (2016): runs of 15 solvers with a limit, scenario SAT11-HAND."""

from collections.abc import Mapping
from pathlib import Path

import benchinfer as bi
from benchinfer.reproductions.entry import Entry, SourceFile, numbers


def scores_of(path: Path | str) -> bi.ScoreTable:
    """Read the times up to the limit, which the scenario's description.txt has."""
    limited = bi.Measure("runtime", better="lower", unit="s", limit=5000)
    return bi.read_scores(path, measures=limited)


def _compute(path: Path) -> Mapping[str, float]:
    scores = scores_of(path)
    failures = scores.failures()["dataset"].value_counts()
    unsolved = set(failures.index[failures == len(scores.algorithms)])
    solved = scores.subset(datasets=[d for d in scores.datasets if d not in unsolved])
    best = solved.runs().virtual_best(par=10).set_index("choice")["penalised"]
    return {
        "solvers": len(scores.algorithms),
        "instances that none solves": len(unsolved),
        "PAR10 of virtual best, solved": best["virtual best"],
    }


_TABLES = "flexfolio, scripts/evaluate.py"  # hadarshavit/flexfolio, commit accae6d6
ENTRY = Entry(
    name="bischl2016",
    study="bischl2016",
    title="Runs with a limit, scenario SAT11-HAND",
    files=(
        SourceFile(
            "algorithm_runs.arff",
            "coseal/aslib_data, SAT11-HAND, commit 7b04fe4f",
            "8bdbd305e8f7c6bb337c546cff67a99a0dcbcae7ed95b2247808e375af1a7f8c",
        ),
    ),
    licence="GPL-3",
    published=(
        *numbers("description.txt", {"solvers": 15}, 0),
        *numbers(_TABLES, {"instances that none solves": 77}, 0),
        *numbers(_TABLES, {"PAR10 of virtual best, solved": 478.3}, 0.05),
    ),
    compute=_compute,
)
