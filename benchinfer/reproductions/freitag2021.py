"""Freitag et al. (2021): experts' ratings of translations at WMT 2021."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

import benchinfer as bi
from benchinfer.reproductions.entry import Claims, Entry, SourceFile, numbers

_MEANS = {
    "ref-C": 0.51,
    "VolcTrans-GLAT": 1.04,
    "Facebook-AI": 1.05,
    "ref-A": 1.22,
    "Nemo": 1.34,
    "HuaweiTSC": 1.38,
    "Online-W": 1.46,
    "UEdin": 1.51,
    "eTranslation": 1.70,
    "VolcTrans-AT": 1.74,
}


def scores_of(path: Path | str) -> bi.ScoreTable:
    """Read errors per segment, of segments that were rated, as replications of one data set."""
    rows = pd.read_csv(path, sep=r"\s+", na_values="None").dropna()
    rows["dataset"], rows["errors"] = "newstest2021 en-de", -rows["mqm_avg_score"] + 0.0
    names = {"system": "algorithm", "seg_id": "replication"}
    rated = rows[rows["system"].isin(_MEANS)].drop(columns="mqm_avg_score")
    return bi.read_scores(rated, columns=names, measures="errors:lower", resampling="items")


def _compute(path: Path) -> Mapping[str, float]:
    means = scores_of(path).describe("errors").set_index("algorithm")["mean"]
    return {f"mean errors of {name}": means[name] for name in _MEANS}


ENTRY = Entry(
    name="freitag2021",
    study="freitag2021",
    title="Experts' ratings of translations, English to German",
    files=(
        SourceFile(
            "mqm_newstest2021_ende.avg_seg_scores.tsv",
            "google/wmt-mqm-human-evaluation, newstest2021/ende, commit b957b786",
            "a31b7f00f185d8749d5195516b8e8ee71e6b8b2ef15fb58406ea96d20c255102",
        ),
    ),
    licence="Apache-2.0",
    published=numbers("README", {f"mean errors of {k}": v for k, v in _MEANS.items()}, 0.005),
    compute=_compute,
    claims=Claims("segments", scores_of, lambda _: list(_MEANS)),
)
