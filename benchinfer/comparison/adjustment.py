"""Adjustments of p-values for many contrasts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.contrasts import ContrastFamily, Contrasts
from benchinfer.core.arguments import ArgumentError
from benchinfer.numerics import closed_testing, multiplicity, rotations
from benchinfer.numerics.multiplicity import SPENT, ends_level
from benchinfer.numerics.types import Array

# Of normal models; other analyses name theirs.
type Adjust = Literal["auto", "single-step", "step-down", "westfall", "shaffer", "holm", "none"]
# Intervals beside a test in steps: read off the verdicts, of all pairs together, of each alone.
type Interval = Literal["compatible", "simultaneous", "pairwise"]
# With an error of its own for each pair the joint distribution of the statistics is not known.
JOINT = ("single-step", "step-down", "westfall")
SIDES: dict[Alternative, int] = {"two-sided": 0, "better": 1, "worse": -1}
# The joint distribution of statistics on pooled scores; tests of all pairs; tests of single pairs,
# whose differences in a block change their signs together.
type Needs = Literal["joint", "all pairs", "flips"]


@dataclass(frozen=True, slots=True)
class PAdjustment:
    """Adjustment of p-values.

    Attributes
    ----------
    words
        What p-values are, with ``{family}``.
    needs
        What it takes besides p-values; an adjustment with two ways takes either.
    adjust
        The function of p-values; Holm's for procedures that take more than these.
    source
        The function whose docstring names the literature.
    condition
        What it needs of the dependence between the p-values, which is not established in general.
    shared
        Whether it can share the level with intervals, as closed tests with valid p-values of each
        hypothesis do.
    """

    words: str
    needs: tuple[Needs, ...] = ()
    adjust: Callable[[Array], Array] = multiplicity.holm
    source: Callable[..., object] | None = None
    condition: str = ""
    shared: bool = False


# The adjustments that analyses have evidence for, each some of them.
ADJUSTMENTS = {
    "rotation": PAdjustment(
        "of the closed test of {family}", source=rotations.closed_pairs, shared=True
    ),
    "single-step": PAdjustment("single-step (largest statistic) over {family}", ("joint",)),
    "step-down": PAdjustment(
        "step-down (Westfall and Young) over {family}",
        ("joint", "flips"),
        source=rotations.step_down_flips,
        shared=True,
    ),
    "westfall": PAdjustment(
        "Westfall's over {family}", source=closed_testing.westfall, shared=True
    ),
    "closed": PAdjustment(
        "of the closed test of {family}",
        ("all pairs", "flips"),
        source=rotations.closed_flips,
        shared=True,
    ),
    "shaffer": PAdjustment(
        "Shaffer's over {family}", ("all pairs",), source=closed_testing.shaffer, shared=True
    ),
    "bergmann-hommel": PAdjustment(
        "Bergmann and Hommel's over {family}",
        ("all pairs",),
        source=closed_testing.bergmann_hommel,
        shared=True,
    ),
    "bonferroni": PAdjustment("Bonferroni's over {family}", adjust=multiplicity.bonferroni),
    "holm": PAdjustment("Holm's over {family}", source=multiplicity.holm, shared=True),
    "hochberg": PAdjustment(
        "Hochberg's over {family}",
        adjust=multiplicity.hochberg,
        source=multiplicity.hochberg,
        condition="the inequality of Simes",
    ),
    "hommel": PAdjustment(
        "Hommel's over {family}",
        adjust=multiplicity.hommel,
        source=multiplicity.hommel,
        condition="the inequality of Simes",
    ),
    "bh": PAdjustment(
        "Benjamini and Hochberg's over {family} (false discovery rate, of p-values that depend"
        " positively)",
        adjust=multiplicity.benjamini_hochberg,
        source=multiplicity.benjamini_hochberg,
        condition="positive regression dependency",
    ),
    "by": PAdjustment(
        "Benjamini and Yekutieli's over {family} (false discovery rate, whatever the dependence)",
        adjust=multiplicity.benjamini_yekutieli,
        source=multiplicity.benjamini_yekutieli,
    ),
    "none": PAdjustment("those of each pair alone, not adjusted for {family}", adjust=np.copy),
}
# The adjustments of which each interval has its p-value; all others go in steps.
_WITH_INTERVALS = ("single-step", "bonferroni", "none")


def needs(adjust: str, what: Needs) -> bool:
    """Return whether an adjustment needs a further input, such as the joint distribution."""
    return what in ADJUSTMENTS[adjust].needs


def words(
    adjust: str,
    family: ContrastFamily,
    *,
    directed: bool,
    interval: Interval = "compatible",
    by: str = "",
    joint: bool = False,
) -> str:
    """Return a clause that describes the adjustment of a family's p-values and intervals.

    Parameters
    ----------
    adjust
        One of `ADJUSTMENTS`.
    family
        The contrasts.
    directed
        Whether tests are one-sided.
    interval
        Which intervals go with a test in steps.
    by
        How the hypotheses are tested, where the adjustment depends on it.
    joint
        Whether intervals are of the joint distribution where p-values are.
    """
    if len(family.matrix) == 1:
        return "There is one contrast, and nothing to adjust for"
    of_p_values = ADJUSTMENTS[adjust].words.format(family=family.words)
    if adjust == "none":
        return f"P-values and intervals are {of_p_values}{by}: each pair is a statement of its own"
    if joint and adjust == "single-step":
        return f"P-values and intervals are {of_p_values}{by}: they are one statement"
    n = len(family.matrix)
    if level_spent(adjust, n, interval):
        return (
            f"P-values are {of_p_values}{by}; an interval leaves equality out if and only if its"
            " pair is decided, and all verdicts and intervals hold together"
        )
    if stepwise(adjust, n) and interval == "pairwise":
        return (
            f"P-values are {of_p_values}{by}; intervals are those of each pair alone, of undecided"
            " pairs stretched to equality: only the verdicts hold together"
        )
    intervals = "Bonferroni's" if directed or adjust == "bonferroni" else "Sidak's"
    if joint and adjust in JOINT:
        intervals = "single-step (largest statistic)"
    if adjust in multiplicity.FALSE_DISCOVERY:
        intervals += ", which cover the differences of all of them together"
    elif stepwise(adjust, n):
        intervals += ": verdicts hold together, and so do intervals, as two statements"
    return f"P-values are {of_p_values}{by}; intervals are {intervals}"


def stepwise(adjust: str, n: int) -> bool:
    """Return whether p-values of n contrasts are adjusted stepwise, which no interval reflects.

    Examples
    --------
    >>> stepwise("holm", 3), stepwise("holm", 1), stepwise("single-step", 3)
    (True, False, False)
    """
    return n > 1 and adjust not in _WITH_INTERVALS


def level_spent(adjust: str, n: int, interval: Interval) -> float:
    """Return the share of the level that the intervals of n contrasts take from their tests.

    It is 0 where the adjustment has intervals of its own, or no share of the level to give.

    Examples
    --------
    >>> level_spent("holm", 6, "compatible"), level_spent("holm", 6, "simultaneous")
    (0.5, 0.0)
    >>> level_spent("single-step", 6, "compatible"), level_spent("holm", 1, "compatible")
    (0.0, 0.0)
    """
    if interval != "compatible" or not stepwise(adjust, n):
        return 0.0
    return SPENT if ADJUSTMENTS[adjust].shared else 0.0


def agreeing(adjust: str, n: int, interval: Interval) -> bool:
    """Return whether intervals of n contrasts leave equality out just where a pair is decided.

    All do except simultaneous ones beside a test in steps.

    Examples
    --------
    >>> [agreeing("holm", 6, each) for each in ("compatible", "pairwise", "simultaneous")]
    [True, True, False]
    >>> agreeing("single-step", 6, "simultaneous"), agreeing("hommel", 6, "compatible")
    (True, False)
    """
    in_steps = stepwise(adjust, n) and interval != "pairwise"
    return not in_steps or level_spent(adjust, n, interval) > 0


def tail_level(
    adjust: str, alpha: float, n: int, interval: Interval, *, directed: bool = False
) -> float:
    """Return the two-sided level of each of n intervals; a one-sided bound is one end of it.

    Examples
    --------
    >>> tail_level("holm", 0.05, 10, "compatible"), tail_level("holm", 0.05, 10, "pairwise")
    (0.0025, 0.05)
    >>> tail_level("bonferroni", 0.05, 10, "compatible"), tail_level("holm", 0.05, 1, "compatible")
    (0.005, 0.05)
    """
    if spent := level_spent(adjust, n, interval):
        one = ends_level(alpha, n, spent)
    elif adjust == "none" or n == 1 or (interval == "pairwise" and stepwise(adjust, n)):
        one = alpha
    else:
        one = alpha / n if directed or adjust == "bonferroni" else sidak(alpha, n)
    return 2 * one if directed else one


def adjusted_errors(errors: Array, adjusted: Array, raw: Array) -> Array:
    """Return the Monte Carlo errors of p-values, multiplied by the factor of the adjustment."""
    return errors * np.divide(adjusted, raw, out=np.ones_like(adjusted), where=raw > 0)


def adjusted(adjust: str, p_values: Array, spent: float = 0.0) -> Array:
    """Return p-values adjusted without further inputs: Holm's where an adjustment needs some.

    Holm's may share the level with intervals, as in `multiplicity.level_share`.
    """
    method = ADJUSTMENTS[adjust]
    return multiplicity.holm(p_values, spent) if method.shared else method.adjust(p_values)


def resolve(adjust: Adjust, contrasts: Contrasts, alternative: Alternative, *, common: bool) -> str:
    """Return the adjustment that ``"auto"`` means, or check the one requested."""
    if adjust == "auto":
        return "single-step" if common else "holm"
    if adjust in JOINT and not common:
        raise ArgumentError(
            f"{adjust=} needs one variance common to all pairs.",
            hint='adjust="holm" goes with pair-specific errors;'
            ' structure="common" assumes that all pairs vary alike.',
        )
    if adjust in ("westfall", "shaffer"):
        check_all_pairs(adjust, contrasts, alternative)
    return adjust


def check_all_pairs(adjust: str, contrasts: object, alternative: str) -> None:
    """Raise an ArgumentError unless all pairs are tested two-sided, as the adjustment needs."""
    if (contrasts, alternative) != ("tukey", "two-sided"):
        raise ArgumentError(
            f"{adjust=} uses how the equalities of all pairs depend on each other.",
            hint='adjust="holm" goes with any family and with one-sided tests.',
        )


def sidak(alpha: float, n: int) -> float:
    """Return Sidak's level for each of n intervals whose joint coverage is 1 - alpha.

    References
    ----------
    Sidak, Z. (1967). Rectangular confidence regions for the means of multivariate normal
    distributions. Journal of the American Statistical Association 62, 626-633.
    https://doi.org/10.1080/01621459.1967.10482935
    """
    return -float(np.expm1(np.log1p(-alpha) / n))
