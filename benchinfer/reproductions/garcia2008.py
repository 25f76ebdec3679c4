"""García and Herrera (2008): five classifiers on 30 data sets."""

from collections.abc import Mapping
from pathlib import Path

import benchinfer as bi
from benchinfer.reproductions.entry import Claims, Entry, SourceFile, numbers

_RANKS = {"C4.5": 2.1, "k-NN(k=1)": 3.25, "NaiveBayes": 2.2, "Kernel": 4.333, "CN2": 3.117}
_TIES = "ties of differences that floating point hides"


def scores_of(path: Path | str) -> bi.ScoreTable:
    """Read the accuracies."""
    return bi.read_scores(path, layout="wide-algorithms", measures="accuracy:higher")


def _compute(path: Path) -> Mapping[str, float]:
    result = bi.compare_permutation(
        scores_of(path), on="ranks", pairs="pooled", null="asymptotic", seed=1
    )
    tests = result.tests().set_index("test")["statistic"]
    ranks = result.summary().set_index("algorithm")["mean_rank"]
    return {
        **{f"mean rank of {name}": ranks[name] for name in _RANKS},
        "Friedman's chi-squared": tests["Friedman (no correction)"],
        "Iman and Davenport's F": tests["Iman-Davenport (no correction)"],
        "aligned ranks": tests["aligned ranks (Hodges-Lehmann)"],
        "Quade's F": tests["Quade"],
    }


ENTRY = Entry(
    name="garcia2008",
    study="garcia2008",
    title="All pairs of five classifiers",
    files=(
        SourceFile("garcia2008.csv", "R package scmamp, data.gh.2008, written as the page says"),
    ),
    licence="GPL-2 (scmamp)",
    published=(
        *numbers("Table 2", {f"mean rank of {k}": v for k, v in _RANKS.items()}, 0.0005),
        *numbers("section 3", {"Friedman's chi-squared": 39.647}, 0.0005),
        *numbers("section 3", {"Iman and Davenport's F": 14.309}, 0.0005),
        *numbers("scmamp's vignette", {"aligned ranks": 41.691}, 0.05, _TIES),
        *numbers("scmamp's vignette", {"Quade's F": 10.802}, 0.15, _TIES),
    ),
    compute=_compute,
    claims=Claims(
        "data sets", scores_of, lambda _: sorted(_RANKS, key=_RANKS.__getitem__), "ranks"
    ),
)
