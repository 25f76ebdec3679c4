"""Demšar (2006): four variants of C4.5 on 14 data sets."""

from collections.abc import Mapping

import benchinfer as bi
from benchinfer.reproductions.entry import Claims, Entry, numbers

_RANKS = {"C4.5": 3.143, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
_Z = {"C4.5+m+cf": 2.416, "C4.5+m": 2.342, "C4.5+cf": 0.512}


def _compute() -> Mapping[str, float]:
    rows = bi.load_example("demsar2006").to_frame()
    # The printed scores tie where the paper's ranks do not.
    rows.loc[
        rows["dataset"].str.startswith("voting") & (rows["algorithm"] == "C4.5+cf"), "value"
    ] += 1e-4
    scores = bi.read_scores(rows, measures={"AUC": "higher"})
    result = bi.compare_permutation(
        scores, on="ranks", pairs="pooled", null="asymptotic", adjust="single-step", seed=1
    )
    tests = result.tests().set_index("test")["statistic"]
    ranks = result.summary().set_index("algorithm")["mean_rank"]
    pairs = result.post_hoc().set_index(["test", "first", "second"])["statistic"].loc["Nemenyi"]
    return {
        **{f"mean rank of {name}": ranks[name] for name in _RANKS},
        **{f"z of {name} against C4.5": abs(pairs["C4.5", name]) for name in _Z},
        "Friedman's chi-squared": tests["Friedman (no correction)"],
        "Iman and Davenport's F": tests["Iman-Davenport (no correction)"],
    }


_ROUNDED = "computed from ranks rounded to three decimals"
ENTRY = Entry(
    name="demsar2006",
    study="demsar2006",
    title="C4.5 with and without tuned parameters",
    files=(),
    licence="56 numbers printed in an open-access paper",
    published=(
        *numbers("Table 6", {f"mean rank of {k}": v for k, v in _RANKS.items()}, 0.0005),
        *numbers("section 3.2.2", {"Friedman's chi-squared": 9.28}, 0.005),
        *numbers("section 3.2.2", {"Iman and Davenport's F": 3.69}, 0.01, _ROUNDED),
        *numbers(
            "section 3.2.2", {f"z of {k} against C4.5": v for k, v in _Z.items()}, 0.0015, _ROUNDED
        ),
    ),
    compute=_compute,
    claims=Claims(
        "data sets",
        lambda: bi.load_example("demsar2006"),
        lambda: sorted(_RANKS, key=_RANKS.__getitem__),
        "ranks",
    ),
)
