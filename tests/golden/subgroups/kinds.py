"""Simulate verdicts in which one of four kinds of data sets has the reversed order."""

from pathlib import Path

import numpy as np
import pandas as pd

rng = np.random.default_rng(20)
names, worth = list("abcd"), np.array([1.0, 0.3, -0.3, -1.0])
kind = rng.choice(["audio", "image", "tabular", "text"], size=80)
utility = np.where(np.isin(kind, ["audio", "text"])[:, None], -worth, worth)
utility = utility + rng.normal(scale=1.2, size=(80, 4))
table = {
    "dataset": [f"d{n:02d}" for n in range(80)],
    "size": rng.integers(1, 6, size=80) * 100,
    "kind": kind,
    "year": rng.integers(2000, 2020, size=80),
}
for i in range(4):
    for j in range(i + 1, 4):
        gap = utility[:, i] - utility[:, j]
        table[f"{names[i]}:{names[j]}"] = np.where(abs(gap) < 0.2, 0, np.sign(gap)).astype(int)
pd.DataFrame(table).to_csv(Path(__file__).with_name("kinds.csv"), index=False)
