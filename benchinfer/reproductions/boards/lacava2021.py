"""La Cava et al. (2021): SRBench, 21 regressors on 122 black-box problems."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

import benchinfer as bi
from benchinfer.reproductions.entry import Claims, Entry, SourceFile, numbers

_MEDIANS = {
    "*Operon": 0.9337,
    "*SBP-GP": 0.9083,
    "*FEAT": 0.8950,
    "*EPLEX": 0.8675,
    "XGB": 0.8539,
    "LGBM": 0.8214,
    "*GP-GOMEA": 0.8158,
    "AdaBoost": 0.7573,
    "RandomForest": 0.7484,
    "*ITEA": 0.7132,
    "*AFP_FE": 0.7058,
    "*AFP": 0.6922,
    "*FFX": 0.6883,
    "KernelRidge": 0.6860,
    "*DSR": 0.5897,
    "*MRGP": 0.5876,
    "*gplearn": 0.5820,
    "MLP": 0.5759,
    "Linear": 0.3804,
    "*BSR": 0.1097,
    "*AIFeynman": -0.4371,
}


def scores_of(path: Path | str) -> bi.ScoreTable:
    """Read the test R2, the median of ten repetitions of each problem."""
    rows = pd.read_csv(path)[["algorithm", "dataset", "r2_test"]]
    return bi.read_scores(rows, measures="r2_test:higher")


def _medians(path: Path) -> pd.Series:
    rows = scores_of(path).to_frame()
    return rows.groupby("algorithm")["value"].median().sort_values(ascending=False)


def _compute(path: Path) -> Mapping[str, float]:
    medians = _medians(path)
    return {f"median R2 of {name}": medians[name] for name in _MEDIANS}


ENTRY = Entry(
    name="lacava2021",
    study="lacava2021",
    title="SRBench, symbolic regression on black-box problems",
    files=(
        SourceFile(
            "blackbox_results.csv",
            "cavalab/srbench, docs/csv, commit ac1059ba",
            "217de44d3a12631aeb60664b228b057af88bf3345792b34577e0ac5bf2c1d5b1",
        ),
    ),
    licence="GPL-3",
    published=numbers(
        "docs/csv/pareto.csv", {f"median R2 of {k}": v for k, v in _MEDIANS.items()}, 0.00005
    ),
    compute=_compute,
    claims=Claims("problems", scores_of, lambda path: _medians(path).index, "aligned-ranks"),
)
