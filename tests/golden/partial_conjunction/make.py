"""Partial conjunction as in the published script of Dror et al. (2017), on random p-values."""

import json
from pathlib import Path

import numpy as np
from scipy import stats


def combined(p: list[float], u: int, method: str) -> float:
    """Combine the largest n - u + 1 of p-values in decreasing order."""
    largest = p[: len(p) - u + 1]
    if method == "bonferroni":
        return len(largest) * min(largest)
    return 1 - stats.chi2.cdf(-2 * np.log(largest).sum(), 2 * len(largest))


def counted(p: list[float], alpha: float, method: str) -> tuple[int, list[float]]:
    """Return how many hypotheses are false at least, and the p-values."""
    ordered = np.array(sorted(p, reverse=True))
    values: list[float] = []
    for u in range(1, len(p) + 1):
        value = combined(ordered, u, method)
        values.append(max([value, *values[-1:]]))
    return int(sum(v <= alpha for v in values)), [float(min(v, 1)) for v in values]


rng = np.random.default_rng(5)
cases = [[0.168, 0.297, 0.357, 0.019, 0.218, 0.001]]
for a, n in ((0.2, 5), (0.2, 12), (0.5, 20), (1, 10), (0.1, 30)):
    cases.append([float(x) for x in np.maximum(np.round(rng.beta(a, 1, n), 6), 1e-6)])
values = []
for case in cases:
    value = {"p": case}
    for method in ("bonferroni", "fisher"):
        value |= {f"{method}_{alpha}": counted(case, alpha, method)[0] for alpha in (0.05, 0.01)}
        value[f"pc_{method}"] = counted(case, 0.05, method)[1]
    values.append(value)
Path(__file__).with_name("values.json").write_text(json.dumps(values, indent=1), encoding="utf-8")
