"""Benavoli et al. (2017): Bayesian tests of two classifiers."""

from collections.abc import Mapping
from pathlib import Path

import benchinfer as bi
from benchinfer.reproductions.entry import Entry, SourceFile, numbers

_SIGNED_RANKS = {
    ("nbc", "hnb"): (0.0, 0.001, 0.999),
    ("nbc", "j48"): (0.228, 0.006, 0.766),
    ("aode", "hnb"): (0.001, 0.965, 0.034),
    ("aode", "j48"): (0.904, 0.034, 0.062),
    ("hnb", "j48"): (0.962, 0.020, 0.019),
}
_OUTCOMES = ("first", "equivalent", "second")


def _compute(path: Path) -> Mapping[str, float]:
    accuracy = bi.Measure("accuracy_percent", better="higher", tolerance=1.0)
    folds = bi.Resampling("cv", folds=10)
    scores = bi.read_scores(path, measures=[accuracy], resampling=folds)
    numbers: dict[str, float] = {}
    for start in ("01", "09", "17", "20", "46"):
        one = scores.subset(datasets=[d for d in scores.datasets if d.startswith(start)])
        pair = (
            bi.compare_pair(one, pair=("nbc", "aode"), test="bayes-t").contrasts(all=True).iloc[0]
        )
        numbers[f"data set {start}: mean difference"] = pair["estimate"]
        numbers[f"data set {start}: AODE better"] = pair["prob_second"]
    table = bi.compare_bayes_pairs(scores, test="signed-rank", seed=1).dominance()
    rows = {(row["first"], row["second"]): row for _, row in table.iterrows()}
    for first, second in _SIGNED_RANKS:
        turned = (first, second) not in rows
        row = rows[(second, first) if turned else (first, second)]
        for outcome, place in zip(_OUTCOMES, _OUTCOMES[::-1] if turned else _OUTCOMES, strict=True):
            numbers[f"{first} and {second}: {outcome}"] = row[f"dominant_{place}"]
    return numbers


_MEANS = {"09": -7.26876, "17": -0.21209, "20": -3.24166, "46": -5.6}
ENTRY = Entry(
    name="benavoli2017",
    study="benavoli2017",
    title="Bayesian tests of two classifiers on 54 data sets",
    files=(
        SourceFile("uci54.csv", "BayesianTestsML/tutorial, Julia/Data, joined as the page says"),
    ),
    licence="GPL-3",
    published=(
        *numbers(
            "notebooks", {f"data set {k}: mean difference": v for k, v in _MEANS.items()}, 5e-6
        ),
        *numbers("notebooks", {"data set 01: AODE better": 0.954297}, 5e-5, "rounded file"),
        *numbers(
            "notebooks",
            {
                f"{first} and {second}: {outcome}": value
                for (first, second), values in _SIGNED_RANKS.items()
                for outcome, value in zip(_OUTCOMES, values, strict=True)
            },
            0.005,
            "draws of both",
        ),
    ),
    compute=_compute,
)
