"""Levels with credible bounds, and verdicts of pairs, from what a posterior says."""

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.evidence import Array, Level
from benchinfer.numerics.bayes.outcomes import Outcomes
from benchinfer.order.verdicts import Verdict


def level_of(effects: Array, base: float, level: float) -> Level:
    """Return levels and credible bounds of (C, T, K) effects on top of a base."""
    flat = effects.reshape(-1, effects.shape[2])
    low, high = np.quantile(flat, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Level(base + flat.mean(axis=0), base + low, base + high)


def probabilities(found: Outcomes) -> dict[str, Array]:
    """Return the columns of the probabilities of the outcomes, with their Monte Carlo error."""
    return {
        "prob_first": found.first,
        "prob_equivalent": found.equivalent,
        "prob_second": found.second,
        "prob_error": found.error,
    }


def codes_of(
    found: Outcomes, level: float, *, settled: bool | NDArray[np.bool_] = True
) -> NDArray[np.int8]:
    """Turn probabilities into (P,) `Verdict` codes: the outcome that reaches the level.

    Chains that have not settled decide nothing; (P,) where pairs have chains of their own.
    """
    codes = np.full(len(found.first), Verdict.UNDECIDED)
    for code, probability in (
        (Verdict.FIRST, found.first),
        (Verdict.SECOND, found.second),
        (Verdict.EQUIVALENT, found.equivalent),
    ):
        codes = np.where((probability >= level) & settled, code, codes)
    return codes.astype(np.int8)
