"""Stepwise adjustments of p-values."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.comparison.adjustment import sidak
from benchinfer.comparison.checks import over_equality
from benchinfer.comparison.contrasts import ContrastFamily, Sides
from benchinfer.comparison.evidence import Array, Evidence, Setting
from benchinfer.core.sections import Check
from benchinfer.numerics import closed_testing, multiplicity, rotations
from benchinfer.numerics.max_t import critical_t

if TYPE_CHECKING:
    from collections.abc import Callable


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


def _alone(p: Array) -> Array:
    return p


STEPS: "dict[str, Callable[[Array], Array]]" = {
    "bonferroni": multiplicity.bonferroni,
    "holm": multiplicity.holm,
    "hochberg": multiplicity.hochberg,
    "hommel": multiplicity.hommel,
    "none": _alone,
}
CLOSED = ("shaffer", "bergmann-hommel")
JOINT = ("single-step", "step-down")
# Where tests are of single pairs, whose differences in a block change their signs together.
FLIPPED = ("closed", "step-down")
FLIPPED_STEP_DOWN = (
    "P-values are step-down (Westfall and Young) over {family}, by sign flips of whole blocks"
)
# The adjustments of which each interval has its p-value; all others go in steps.
_SINGLE = ("single-step", "bonferroni", "none")
# What these ask of the dependence between the p-values, which is not established in general.
CONDITIONS = {
    "hochberg": "the inequality of Simes",
    "hommel": "the inequality of Simes",
}
# The functions whose docstrings name the sources.
SOURCES: "dict[str, Callable[..., object]]" = {
    "closed": rotations.closed_flips,
    "step-down": rotations.step_down_flips,
    "shaffer": closed_testing.shaffer,
    "bergmann-hommel": closed_testing.bergmann_hommel,
    "holm": multiplicity.holm,
    "hochberg": multiplicity.hochberg,
    "hommel": multiplicity.hommel,
}
ONE = "There is one contrast, and nothing to adjust for"
WORDS = {
    "single-step": "P-values are single-step (largest statistic) over {family}, from pooled scores",
    "step-down": "P-values are step-down (Westfall and Young) over {family}, from pooled scores",
    "closed": "P-values are of the closed test of {family}, by sign flips of whole blocks",
    "shaffer": "P-values are Shaffer's over {family}",
    "bergmann-hommel": "P-values are Bergmann and Hommel's over {family}",
    "bonferroni": "P-values are Bonferroni's over {family}",
    "holm": "P-values are Holm's over {family}",
    "hochberg": "P-values are Hochberg's over {family}",
    "hommel": "P-values are Hommel's over {family}",
    "none": "P-values and intervals are those of each pair alone, not adjusted for {family}",
}


def stepwise(adjust: str, n: int) -> bool:
    """Return whether p-values of n contrasts are adjusted stepwise, which no interval reflects.

    Examples
    --------
    >>> stepwise("holm", 3), stepwise("holm", 1), stepwise("single-step", 3)
    (True, False, False)
    """
    return n > 1 and adjust not in _SINGLE


def grown(error: Array, p: Array, raw: Array) -> Array:
    """Return errors of adjusted p-values: they grow by the same factor as these do."""
    return error * np.divide(p, raw, out=np.ones_like(p), where=raw > 0)


def adjusted(method: str, p: Array) -> Array:
    """Adjust p-values one by one; Holm's for procedures that need more than these."""
    return STEPS.get(method, multiplicity.holm)(p)


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
