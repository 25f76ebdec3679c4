"""Diagnostics of a monitored experiment."""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from benchinfer.analyses.monitor.course import BROKEN_DOWN, FUTILE, Course
from benchinfer.analyses.monitor.design import MonitorDesign
from benchinfer.analyses.monitor.feed import StageDifferences
from benchinfer.comparison.checks import tables
from benchinfer.comparison.evidence import Setting
from benchinfer.core.numbers import as_sentence, count, subject
from benchinfer.core.sections import Check
from benchinfer.numerics.shifts import skewness
from benchinfer.numerics.types import Flags

type Named = Callable[[Flags], str]


def checks(
    setting: Setting, design: MonitorDesign, course: Course, gathered: StageDifferences
) -> tuple[Check, ...]:
    """Return the checks of a monitored experiment; the sentences name the pairs."""
    names = setting.algorithms

    def named(chosen: Flags) -> str:
        pairs = [f"{names[i]} and {names[j]}" for i, j in gathered.pairs[chosen]]
        return "; ".join(pairs[:3]) + (" ..." if len(pairs) > 3 else "")

    return (
        *_rule(design, course, named),
        _provisional(course, named),
        _skew(design, gathered, named),
        _zeros(gathered, named),
        *_ends(course, named),
        *_empty(course, design, named),
        *_claims(setting, design),
        *tables.of_table(setting, rates=len(setting.coverage.datasets) > 1),
        tables.replications(setting),
    )


def _rule(design: MonitorDesign, course: Course, named: Named) -> list[Check]:
    if design.method != "recursive" or not design.rule.startswith("literal"):
        return []
    broken = np.array([end == BROKEN_DOWN for end in course.ends])
    where = f", and of {named(broken)} they broke down" if broken.any() else ""
    return [
        Check.of(
            "boundaries as printed",
            1.0,
            sentence="The boundaries are those printed, which spend only .017 to .019 of a level"
            f" of .05{where}.",
            remedy='After some stages the printed rule has none; rule="constant" has more power.',
        )
    ]


def _provisional(course: Course, named: Named) -> Check:
    waiting = course.provisional & (course.used > 0)  # before a whole stage there is none to read
    n = int(waiting.sum())
    return Check.of(
        "provisional p-values",
        n,
        concerns="verdict",
        sentence=f"{subject(n, 'provisional p-value', 'decides')} nothing yet, however small"
        f" ({named(waiting)}).",
        remedy="A part of the level is kept for later stages.",
    )


def _skew(design: MonitorDesign, gathered: StageDifferences, named: Named) -> Check:
    """Return the check of symmetry of the differences: the largest skewness in standard errors.

    With skewed differences all tests of stages reject too often.
    """
    skews = np.array(
        [np.abs(skewness(gathered.of(p).T)).max(initial=0.0) for p in range(len(gathered.pairs))]
    )
    bound = -float(ndtri(0.005 / max(len(skews) * gathered.n_datasets, 1)))
    skewed = skews > bound
    what = "the e-process" if design.method == "anytime" else "signed ranks and sign flips"
    return Check.of(
        "asymmetry of differences, in standard errors",
        float(skews.max(initial=0.0)),
        bound,
        ok=not skewed.any(),
        concerns="verdict",
        sentence=f"The differences of {count(int(skewed.sum()), 'pair')} are skewed, and with"
        f" skewed differences these tests reject too often ({named(skewed)}).",
        remedy=as_sentence(
            f"{what} test symmetry, which skewness alone contradicts, and a recursion adds up"
            " the bias of its stages: of strongly skewed differences with equal means .13 to .17"
            " were rejected at .05 by t tests in simulations, and .75 to .94 by signed ranks."
            " Compare means over more replications, once and at the end"
        ),
    )


def _zeros(gathered: StageDifferences, named: Named) -> Check:
    share = np.array(
        [
            float((gathered.of(p) == 0).mean()) if gathered.of(p).size else 0.0
            for p in range(len(gathered.pairs))
        ]
    )
    return Check.of(
        "share of differences that are zero, largest",
        float(share.max(initial=0.0)),
        0.5,
        ok=bool((share <= 0.5).all()),
        sentence=f"Most differences of {count(int((share > 0.5).sum()), 'pair')} are zero"
        f" ({named(share > 0.5)}).",
        remedy="Such differences say nothing, and signed ranks leave them out.",
    )


def _ends(course: Course, named: Named) -> list[Check]:
    futile = np.array([end == FUTILE for end in course.ends])
    row = Check.of(
        "pairs stopped for futility",
        int(futile.sum()),
        sentence=f"{subject(int(futile.sum()), 'pair', 'was')} stopped for futility, which is no"
        f" evidence of equality ({named(futile)}).",
        remedy='Evidence of it takes method="anytime" with a tolerance.',
    )
    return [row] if futile.any() else []


def _empty(course: Course, design: MonitorDesign, named: Named) -> list[Check]:
    """Return the check of empty confidence sequences; no check where the method has none."""
    if course.low is None:
        return []
    empty = np.isnan(course.low)
    about = "a centre of symmetry" if design.null == "symmetry" else "a mean that stays the same"
    return [
        Check.of(
            "empty confidence sequences",
            int(empty.sum()),
            concerns="verdict",
            sentence=f"No value is left for the difference of {count(int(empty.sum()), 'pair')}"
            f" ({named(empty)}).",
            remedy=f"The differences have no {about}, or changed as the experiment ran, or this"
            " is one of the few experiments in which the sequence misses the truth. Compare means"
            " at the end.",
        )
    ]


def _claims(setting: Setting, design: MonitorDesign) -> list[Check]:
    d = len(setting.coverage.datasets)
    if d == 1:
        return []
    one = "E-values multiply" if design.method == "anytime" else "P-values are combined"
    return [
        Check.of(
            "data sets taken together",
            d,
            1.0,
            sentence=f"The {d} data sets are taken together: a pair is decided when its difference"
            " shows on some of them.",
            remedy=f"{one} over data sets, which have to be independent; nothing is said of a"
            " domain.",
        )
    ]
