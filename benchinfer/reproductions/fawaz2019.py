"""Ismail Fawaz et al. (2019): nine deep networks on 85 data sets of time series."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

import benchinfer as bi
from benchinfer.reproductions.entry import Claims, Entry, SourceFile, numbers

_RANKS = {
    "resnet": 1.994118,
    "fcn": 2.682353,
    "encoder": 3.682353,
    "mlp": 4.611765,
    "cnn": 4.970588,
    "twiesn": 5.247059,
    "mcdcnn": 5.376471,
    "mcnn": 8.017647,
    "tlenet": 8.417647,
}


def scores_of(path: Path | str) -> bi.ScoreTable:
    """Read the accuracies of ten runs."""
    names = {"classifier_name": "algorithm", "dataset_name": "dataset", "iteration": "replication"}
    rows = pd.read_csv(path)[[*names, "accuracy"]].rename(columns=names)
    return bi.read_scores(rows, measures="accuracy:higher", resampling="seeds")


def _compute(path: Path) -> Mapping[str, float]:
    result = bi.compare_permutation(scores_of(path), on="ranks", null="asymptotic", seed=1)
    ranks = result.summary().set_index("algorithm")["mean_rank"]
    return {f"mean rank of {name}": ranks[name] for name in _RANKS}


ENTRY = Entry(
    name="fawaz2019",
    study="fawaz2019",
    title="Deep networks for time series",
    files=(
        SourceFile(
            "results-uea.csv",
            "hfawaz/dl-4-tsc, results, at the TensorFlow 1.14 release",
            "bd8d11c1bf2e5739f404a2a8911279c95f82bf9c590a953ad7ba3c24acb00dfa",
        ),
    ),
    licence="GPL-3",
    published=numbers(
        "README",
        {f"mean rank of {k}": v for k, v in _RANKS.items()},
        0.012,
        "one tie between three networks on one data set",
    ),
    compute=_compute,
    claims=Claims("data sets", scores_of, lambda _: list(_RANKS), "ranks"),
)
