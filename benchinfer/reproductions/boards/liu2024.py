"""Liu and Paparrizos (2024): the board TSB-AD-U, 32 detectors of anomalies in 350 series."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

import benchinfer as bi
from benchinfer.reproductions.entry import Claims, Entry, SourceFile, numbers

_MEANS = {
    "Sub-PCA": 0.42,
    "KShapeAD": 0.40,
    "POLY": 0.39,
    "Series2Graph": 0.39,
    "MOMENT (FT)": 0.39,
    "MOMENT (ZS)": 0.38,
    "KMeansAD": 0.37,
    "USAD": 0.36,
    "Sub-KNN": 0.35,
    "MatrixProfile": 0.35,
    "SAND": 0.34,
    "CNN": 0.34,
    "LSTMAD": 0.33,
    "SR": 0.32,
    "TimesFM": 0.30,
    "IForest": 0.30,
    "OmniAnomaly": 0.29,
    "Lag-Llama": 0.27,
    "Chronos": 0.27,
    "TimesNet": 0.26,
    "AutoEncoder": 0.26,
    "TranAD": 0.26,
    "FITS": 0.26,
    "Sub-LOF": 0.25,
    "OFA": 0.24,
    "Sub-MCD": 0.24,
    "Sub-HBOS": 0.23,
    "Sub-OCSVM": 0.23,
    "Sub-IForest": 0.22,
    "Donut": 0.20,
    "LOF": 0.17,
    "AnomalyTransformer": 0.12,
}


def scores_of(path: Path | str) -> bi.ScoreTable:
    """Read the volumes under the precision-recall surface; collections are the domains."""
    rows = pd.read_csv(path)[["file", *_MEANS]]
    rows["collection"] = rows["file"].str.split("_").str[1]
    return bi.read_scores(
        rows,
        columns={"file": "dataset", "collection": "domain"},
        layout="wide-algorithms",
        measures="VUS-PR:higher",
    )


def _means(path: Path) -> pd.Series:
    rows = scores_of(path).to_frame()
    return rows.groupby("algorithm")["value"].mean().sort_values(ascending=False)


def _compute(path: Path) -> Mapping[str, float]:
    means = _means(path)
    return {f"mean VUS-PR of {name}": means[name] for name in _MEANS}


ENTRY = Entry(
    name="liu2024",
    study="liu2024",
    title="TSB-AD-U, detectors of anomalies in time series",
    files=(
        SourceFile(
            "uni_mergedTable_VUS-PR.csv",
            "TheDatumOrg/TSB-AD, benchmark_exp/benchmark_eval_results, commit 87630099",
            "f96bb428532cb4421094636461b6abb497c60d2c695c558b494f02f48778dd0d",
        ),
    ),
    licence="Apache-2.0",
    published=numbers("the board", {f"mean VUS-PR of {k}": v for k, v in _MEANS.items()}, 0.005),
    compute=_compute,
    claims=Claims("series", scores_of, lambda path: _means(path).index),
)
