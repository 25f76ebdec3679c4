"""Stepwise adjustments of p-values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchinfer.comparison.adjustment import sidak
from benchinfer.comparison.checks import over_equality
from benchinfer.comparison.contrasts import ContrastFamily, Sides
from benchinfer.comparison.evidence import Evidence, Setting
from benchinfer.core.sections import Check
from benchinfer.numerics import closed_testing, multiplicity, rotations
from benchinfer.numerics.max_t import critical_t
from benchinfer.numerics.types import Array

type Adjust = Literal[
    "auto",
    "single-step",
    "step-down",
    "closed",
    "shaffer",
    "bergmann-hommel",
    "bonferroni",
    "holm",
    "hochberg",
    "hommel",
    "none",
]
# The joint distribution of statistics on pooled scores; tests of all pairs; tests of single pairs,
# whose differences in a block change their signs together.
type Needs = Literal["joint", "all pairs", "flips"]


@dataclass(frozen=True, slots=True)
class PAdjustment:
    """Adjustment of p-values.

    Attributes
    ----------
    words
        What it is, with ``{family}``, and ``{source}`` where it depends on how pairs are tested.
    needs
        What it takes beside p-values; an adjustment with two ways takes either.
    adjust
        The function of p-values; Holm's for procedures that take more than these.
    source
        The function whose docstring names the literature.
    condition
        What it needs of the dependence between the p-values, which is not established in general.
    """

    words: str
    needs: tuple[Needs, ...] = ()
    adjust: Callable[[Array], Array] = multiplicity.holm
    source: Callable[..., object] | None = None
    condition: str = ""


ADJUSTMENTS = {
    "single-step": PAdjustment(
        "P-values are single-step (largest statistic) over {family}, {source}", ("joint",)
    ),
    "step-down": PAdjustment(
        "P-values are step-down (Westfall and Young) over {family}, {source}",
        ("joint", "flips"),
        source=rotations.step_down_flips,
    ),
    "closed": PAdjustment(
        "P-values are of the closed test of {family}, {source}",
        ("all pairs", "flips"),
        source=rotations.closed_flips,
    ),
    "shaffer": PAdjustment(
        "P-values are Shaffer's over {family}", ("all pairs",), source=closed_testing.shaffer
    ),
    "bergmann-hommel": PAdjustment(
        "P-values are Bergmann and Hommel's over {family}",
        ("all pairs",),
        source=closed_testing.bergmann_hommel,
    ),
    "bonferroni": PAdjustment(
        "P-values are Bonferroni's over {family}", adjust=multiplicity.bonferroni
    ),
    "holm": PAdjustment("P-values are Holm's over {family}", source=multiplicity.holm),
    "hochberg": PAdjustment(
        "P-values are Hochberg's over {family}",
        adjust=multiplicity.hochberg,
        source=multiplicity.hochberg,
        condition="the inequality of Simes",
    ),
    "hommel": PAdjustment(
        "P-values are Hommel's over {family}",
        adjust=multiplicity.hommel,
        source=multiplicity.hommel,
        condition="the inequality of Simes",
    ),
    "none": PAdjustment(
        "P-values and intervals are those of each pair alone, not adjusted for {family}",
        adjust=lambda p_values: p_values,
    ),
}
# The adjustments of which each interval has its p-value; all others go in steps.
_WITH_INTERVALS = ("single-step", "bonferroni", "none")
ONE = "There is one contrast, and nothing to adjust for"


def needs(adjust: str, what: Needs) -> bool:
    """Return whether an adjustment needs more than p-values."""
    return what in ADJUSTMENTS[adjust].needs


def words(
    adjust: str, family: str, *, directed: bool, source: str = "from pooled scores", bound: str = ""
) -> str:
    """Say how p-values and intervals of a family are adjusted.

    Examples
    --------
    >>> words("holm", "all 3 pairs", directed=False)
    "P-values are Holm's over all 3 pairs; intervals are Sidak's"
    """
    of_p_values = ADJUSTMENTS[adjust].words.format(family=family, source=source)
    if adjust == "none":
        return of_p_values
    return f"{of_p_values}{bound}; intervals are {'Bonferroni' if directed else 'Sidak'}'s"


def stepwise(adjust: str, n: int) -> bool:
    """Return whether p-values of n contrasts are adjusted stepwise, which no interval reflects.

    Examples
    --------
    >>> stepwise("holm", 3), stepwise("holm", 1), stepwise("single-step", 3)
    (True, False, False)
    """
    return n > 1 and adjust not in _WITH_INTERVALS


def adjusted_errors(errors: Array, adjusted: Array, raw: Array) -> Array:
    """Return errors of adjusted p-values: they grow by the same factor as these do."""
    return errors * np.divide(adjusted, raw, out=np.ones_like(adjusted), where=raw > 0)


def adjusted(adjust: str, p_values: Array) -> Array:
    """Adjust p-values one by one; by Holm for procedures that need more than these."""
    return ADJUSTMENTS[adjust].adjust(p_values)


def stepwise_checks(
    setting: Setting,
    family: ContrastFamily,
    evidence: Evidence,
    adjust: str,
    alpha: float,
    sides: Sides,
) -> list[Check]:
    """Say where stepwise tests and simultaneous intervals differ."""
    # Westfall's equivalence is tested in one step.
    stepped = adjust not in ("single-step", "westfall", "none")
    # Stepwise tests of equivalence answer to the (1 - 2 alpha) intervals, which are wider, too.
    wide = critical_t(evidence.df, sidak(2 * alpha, len(family.matrix))) * evidence.std_error
    loose = evidence.p_equivalence <= alpha
    loose &= np.abs(evidence.estimate) + wide > setting.measure.margin * (1 + 1e-12)
    return [
        Check.of(
            "equivalent pairs whose interval leaves the tolerance",
            int(loose.sum()) * stepped,
            remedy=f"{sides.some(loose)}: the stepwise test decides where the simultaneous"
            " (1 - 2 alpha) interval, which is wider, does not",
        ),
        over_equality(evidence, alpha, sides, stepwise=stepwise(adjust, len(family.matrix))),
    ]
