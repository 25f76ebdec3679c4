"""Mogstad et al. (2024): ranks of 37 countries by PISA 2018."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from benchinfer.numerics.directions.rank_sets import NormalReference, rank_sets
from benchinfer.reproductions.entry import Entry, SourceFile, numbers

_COUNTRY = "United Kingdom"


def ranks_of(path: Path, subject: str = "math", level: float = 0.95) -> pd.DataFrame:
    """Return sets of ranks from means and their standard errors, the best country first."""
    rows = pd.read_csv(path, encoding="utf-8-sig").dropna(subset=f"{subject}_score")
    levels, errors = (rows[f"{subject}_{part}"].to_numpy() for part in ("score", "se"))
    k = len(levels)
    reference = NormalReference(levels, np.diag(errors**2), np.full((k, k), np.inf))
    sets = rank_sets(reference, 1 - level)
    table = pd.DataFrame(
        {
            "country": rows["jurisdiction"],
            "rank": rows[f"{subject}_score"].rank(ascending=False).astype(int),
            "rank_low": sets.low,
            "rank_high": sets.high,
            "marginal_low": sets.marginal_low,
            "marginal_high": sets.marginal_high,
            "may_be_best": sets.best,
        }
    )
    return table.sort_values("rank", ignore_index=True)


def _compute(path: Path) -> Mapping[str, float]:
    at_95, at_90 = (ranks_of(path, level=level).set_index("country") for level in (0.95, 0.9))
    return {
        f"rank of {_COUNTRY}": at_95["rank"][_COUNTRY],
        f"smallest rank of {_COUNTRY}, 95 %": at_95["marginal_low"][_COUNTRY],
        f"largest rank of {_COUNTRY}, 95 %": at_95["marginal_high"][_COUNTRY],
        "countries perhaps in the top five, 95 %": int((at_95["rank_low"] <= 5).sum()),
        "countries perhaps in the top five, 90 %": int((at_90["rank_low"] <= 5).sum()),
    }


ENTRY = Entry(
    name="mogstad2024",
    study="mogstad2024",
    title="Ranks of countries by PISA 2018, mathematics",
    files=(
        SourceFile(
            "pisa.csv",
            "danielwilhelm/R-CS-ranks, data-raw, commit 8baaa3bd",
            "08c4faff7debe14f153e0a7407fb3c7f424ddd6685af9fb7846065dcf175c3e8",
        ),
    ),
    licence="GPL-3 (csranks)",
    published=numbers(
        "csranks, Introduction",
        {
            f"rank of {_COUNTRY}": 13,
            f"smallest rank of {_COUNTRY}, 95 %": 8,
            f"largest rank of {_COUNTRY}, 95 %": 23,
            "countries perhaps in the top five, 95 %": 12,
            "countries perhaps in the top five, 90 %": 11,
        },
        0,
    ),
    compute=_compute,
)
