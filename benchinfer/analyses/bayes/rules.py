"""Verdict rules of posterior probabilities."""

import math
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from benchinfer.comparison.posterior import codes_of
from benchinfer.core.errors import DesignError, message, unknown
from benchinfer.core.verdict import Verdict

if TYPE_CHECKING:
    from benchinfer.analyses.bayes.numerics.regret import Regrets
    from benchinfer.comparison.evidence import Array
    from benchinfer.core.measure import Measure
    from benchinfer.numerics.outcome_probabilities import Outcomes


type Rule = Literal["threshold", "regret", "vote"]


def check_rule(rule: str, measure: "Measure", quantity: str, domains: str = "pooled") -> None:
    """Refuse a rule that has nothing to decide by.

    Raises
    ------
    DesignError
        There is no such rule, or the measure or the quantity does not go with it.
    """
    if rule not in (known := get_args(Rule.__value__)):
        raise DesignError(unknown("rule", rule, known))
    if rule == "regret" and not measure.tolerance:
        raise DesignError(
            message(
                'rule="regret" asks which choice is expected to cost no more than the tolerance,'
                f" and {measure.name} has none.",
                hint="declare a tolerance, the difference that does not matter.",
            )
        )
    if rule == "vote" and (quantity != "next" or domains == "random"):
        why = "a new domain" if domains == "random" else "averages"
        raise DesignError(
            message(
                f'rule="vote" counts draws, and each draw is certain about {why}.',
                hint='quantity="next" with domains="pooled" goes with it.',
            )
        )


def verdict_codes(
    rule: Rule,
    found: "Outcomes",
    regret: "Regrets",
    margin: float,
    level: float,
    *,
    settled: bool,
) -> NDArray[np.int8]:
    """Return (P,) `Verdict` codes.

    Parameters
    ----------
    rule
        ``"threshold"``: the outcome whose probability reaches the level. ``"regret"``: the first is
        better where choosing it among the two is expected to cost at most the margin, and choosing
        the second more; both are equivalent where either choice costs no more. ``"vote"``: the most
        probable outcome, where it is so in a share of the draws that reaches the level.
    found, regret
        Probabilities of the outcomes, and expected regrets, of the pairs.
    margin, level
        Tolerance on the modelling scale, and probability that a verdict takes.
    settled
        Whether the chains have: otherwise nothing is decided.
    """
    if rule == "threshold" or not settled:
        return codes_of(found, level, settled=settled)
    if rule == "regret":
        return _by_regret(regret.first <= margin, regret.second <= margin)
    means = np.stack([found.first, found.equivalent, found.second])
    codes = np.array([Verdict.FIRST, Verdict.EQUIVALENT, Verdict.SECOND])[means.argmax(axis=0)]
    share = np.zeros(len(codes)) if found.dominant is None else found.dominant
    return np.where(share >= level, codes, Verdict.UNDECIDED).astype(np.int8)


def _by_regret(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Turn "costs little" of either choice into verdicts."""
    sure = np.where(first, Verdict.FIRST, Verdict.SECOND)
    open_ = np.where(first & second, Verdict.EQUIVALENT, Verdict.UNDECIDED)
    return np.where(first ^ second, sure, open_).astype(np.int8)


def cap_of(measure: "Measure", means: "Array", least: float) -> float:
    """Return what regrets are cut off at, on the modelling scale.

    That is the range of the measure where it is declared and finite, else the largest difference
    between two algorithms' means on one data set.

    Parameters
    ----------
    measure
        The measure.
    means
        (D, K) means of the cells, NaN where they are empty.
    least
        What it is at least.
    """
    if measure.bounds is not None and measure.scale == "identity":
        low, high = measure.bounds
        if math.isfinite(high - low):
            return high - low
    spread = np.fmax.reduce(means, axis=1) - np.fmin.reduce(means, axis=1)
    return max(float(np.fmax.reduce(spread, initial=0.0)), least)


def in_unit(measure: "Measure", regret: "Array | float") -> "Array":
    """Return regrets in the unit of the tolerance: relative on the log scale."""
    return np.expm1(regret) if measure.scale == "log" else np.asarray(regret)
