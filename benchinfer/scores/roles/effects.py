"""Variance of scores that label columns explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.roles.profile import ColumnProfile

_MOST = 4  # columns of scores that are looked at
_ROUNDS = 4  # of backfitting


@dataclass(frozen=True, slots=True)
class Effect:
    """Main effect of a label column on the ranks of scores, on a logarithmic scale.

    Attributes
    ----------
    ratio
        Log of the mean square between labels over that of the residuals.
    size
        Log of the variance of the effect as a share of all.
    """

    ratio: float = 0.0
    size: float = 0.0


def effects(keys: Sequence[ColumnProfile], scores: Sequence[ColumnProfile]) -> dict[str, Effect]:
    """Return the main effect of each label column, the median over up to four scores."""
    from scipy.stats import rankdata

    results: dict[str, list[tuple[float, float]]] = {key.name: [] for key in keys}
    for score in scores[:_MOST]:
        finite = ~np.isnan(score.values)
        if finite.sum() < 6:
            continue
        parts, residual = _main_effects(
            rankdata(score.values[finite]), [key.codes[finite] for key in keys], [k.n for k in keys]
        )
        degrees = max(1, len(residual) - sum(key.n - 1 for key in keys) - 1)
        shares = [
            float(np.mean(part[key.codes[finite]] ** 2))
            for part, key in zip(parts, keys, strict=True)
        ]
        total = max(1e-9, float(np.mean(residual**2)) + sum(shares))
        for key, part in zip(keys, parts, strict=True):
            between = float((part[key.codes[finite]] ** 2).sum()) / max(1, key.n - 1)
            size = float((part[: key.n] ** 2).sum()) / max(1, key.n - 1) / total
            within = float((residual**2).sum()) / degrees
            ratio = np.log((between + 1e-9) / (within + 1e-9))
            results[key.name].append((float(ratio), float(np.log(size + 1e-4))))
    return {
        name: Effect(*map(float, np.median(values, axis=0))) if values else Effect()
        for name, values in results.items()
    }


def _main_effects(
    values: Array, codes: Sequence[Codes], sizes: Sequence[int]
) -> tuple[list[Array], Array]:
    """Return the main effects of factors by backfitting, and the residuals."""
    residual = values - values.mean()
    parts = [np.zeros(n + 1) for n in sizes]
    for _ in range(_ROUNDS):
        for i, (code, n) in enumerate(zip(codes, sizes, strict=True)):
            residual = residual + parts[i][code]
            counts = np.maximum(np.bincount(code, minlength=n + 1), 1)
            parts[i] = np.bincount(code, residual, n + 1) / counts
            residual = residual - parts[i][code]
    return parts, residual


def unexplained(keys: Sequence[ColumnProfile], scores: Sequence[ColumnProfile]) -> frozenset[str]:
    """Return columns without a measure's name that no label explains, as it does others."""
    few = scores[:14]
    ratios = {c.name: max(effect.ratio for effect in effects(keys, [c]).values()) for c in few}
    if max(ratios.values()) <= 1.6:
        return frozenset()
    return frozenset(c.name for c in few if not c.named("score") and ratios[c.name] < 0.75)
