"""Order of the levels of a factor in figures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchinfer.core.numbers import number_of
from benchinfer.numerics.types import Array


def in_order(levels: Sequence[str], means: Array) -> list[int]:
    """Return the places of levels: numbers by size, others from the best mean to the worst.

    Examples
    --------
    >>> in_order(["10", "9"], np.array([0.2, 0.1])), in_order(["a", "b"], np.array([0.1, 0.2]))
    ([1, 0], [1, 0])
    """
    numbers = [number_of(level) for level in levels]
    known = [number for number in numbers if number is not None]
    if len(known) == len(levels):
        return np.argsort(known, kind="stable").tolist()
    return best_first(means)


def best_first(means: Array) -> list[int]:
    """Return the places of levels from the best mean to the worst, those without one last."""
    return np.argsort(-np.nan_to_num(means, nan=-np.inf), kind="stable").tolist()
