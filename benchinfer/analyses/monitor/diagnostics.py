"""Diagnostics of a monitored experiment."""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from benchinfer.analyses.monitor.course import BROKEN_DOWN, FUTILE, Course
from benchinfer.analyses.monitor.design import MonitorDesign
from benchinfer.analyses.monitor.feed import StageDifferences
from benchinfer.comparison.checks import tables
from benchinfer.comparison.evidence import Setting
from benchinfer.core.numbers import count, subject
from benchinfer.core.sections import Check
from benchinfer.numerics.shifts import skewness
from benchinfer.numerics.types import Flags

type Named = Callable[[Flags], str]


def checks(
    setting: Setting, design: MonitorDesign, course: Course, gathered: StageDifferences
) -> tuple[Check, ...]:
    """Return the checks of a monitored experiment; the remedies name the pairs."""
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
    where = f" ({named(broken)} broke down)" if broken.any() else ""
    return [
        Check.of(
            "boundaries as printed",
            1.0,
            sentence="The boundaries are those printed, which spend only .017 to .019 of a level of"
            " .05.",
            remedy="the printed rule spends only .017 to .019 of a level of .05, and has no"
            f' boundaries after some stages{where}: rule="constant" has'
            " more power",
        )
    ]


def _provisional(course: Course, named: Named) -> Check:
    waiting = course.provisional & (course.used > 0)  # before a whole stage there is none to read
    n = int(waiting.sum())
    return Check.of(
        "provisional p-values",
        n,
        sentence=f"{subject(n, 'provisional p-value', 'decides')} nothing yet ({named(waiting)}).",
        remedy=f"of {named(waiting)}: a part of the level is kept for later stages, so these"
        " p-values decide nothing yet, however small they are",
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
        sentence=f"The differences of {count(int(skewed.sum()), 'pair')} are skewed, and with"
        " skewed"
        f" differences these tests reject too often ({named(skewed)}).",
        remedy=f"of {named(skewed)}: {what} test symmetry, which skewness alone contradicts, and a"
        " recursion adds up the bias of its stages: with means that are equal, strongly skewed"
        " differences were rejected at .05 in .13 to .17 of simulated runs by t tests and in .75"
        " to .94 by signed ranks; compare means over more replications, once and at the end",
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
        remedy=f"of {named(share > 0.5)}: most differences say nothing, and signed ranks leave"
        " them out",
    )


def _ends(course: Course, named: Named) -> list[Check]:
    futile = np.array([end == FUTILE for end in course.ends])
    row = Check.of(
        "pairs stopped for futility",
        int(futile.sum()),
        sentence=f"{subject(int(futile.sum()), 'pair', 'was')} stopped for futility, which is no"
        f" evidence of equality ({named(futile)}).",
        remedy=f"of {named(futile)}: a difference could not be shown; that is no evidence"
        ' of equality, which method="anytime" can give with a'
        " tolerance",
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
            sentence=f"No value is left for the difference of {count(int(empty.sum()), 'pair')}"
            f" ({named(empty)}).",
            remedy=f"of {named(empty)}: no value is left for {about}, so the differences have"
            " none, or changed as the experiment ran, or this is one of the few experiments in"
            " which the sequence misses the truth; compare means at the end",
        )
    ]


def _claims(setting: Setting, design: MonitorDesign) -> list[Check]:
    d = len(setting.coverage.datasets)
    if d == 1:
        return []
    one = "e-values multiply" if design.method == "anytime" else "p-values are combined"
    return [
        Check.of(
            "data sets taken together",
            d,
            1.0,
            sentence=f"The {d} data sets are taken together: a pair is decided when its difference"
            " shows on some of them.",
            remedy=f"{one} over data sets, which have to be independent: a pair is decided when"
            " its difference shows on some of them, and nothing is said of a domain",
        )
    ]
