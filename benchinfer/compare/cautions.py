"""What a reader must beware of: the design, the claims it bears, and overlapping resamples."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.comparison import Target
from benchinfer.compare.designs import Design
from benchinfer.compare.evidence import Array, Check, Evidence, Level, Setting
from benchinfer.compare.phrases import join, several, some
from benchinfer.measure import Measure
from benchinfer.numerics import ties
from benchinfer.order.verdicts import Verdict

type Sides = Sequence[tuple[str, str]]

PRIOR_MATTERS = 5  # data sets or domains: of fewer much of what a posterior says is the prior's
OTHER_SIGN = "mean difference of the other sign, decided pairs"
_ERROR = 0.02


def checks(setting: Setting, design: Design) -> list[Check]:
    """Return the diagnostics rows that concern the design."""
    coverage = setting.coverage
    d, empty = len(coverage.datasets), coverage.empty
    first = ", ".join(f"{algorithm} on {dataset}" for dataset, algorithm in empty[:3])
    more = " ..." if len(empty) > 3 else ""
    return [
        *left_out(setting),
        number_of_datasets(setting) if design.target == "domain" else replications(setting),
        *(_generalisation(setting, design) if d > 1 else ()),
        Check.of(
            "empty cells",
            len(empty),
            0.0,
            ok=not empty,
            remedy=f"no scores of {first}{more}: the model uses the rest, which is fair only if"
            " scores are not missing because they are bad",
        ),
        thin_cells(setting, "the model"),
        tolerance(setting.measure),
    ]


def left_out(setting: Setting) -> list[Check]:
    """Name the data sets and algorithms that are left out, if there are some."""
    row = Check.of(
        "data sets and algorithms without scores of the measure",
        len(setting.absent),
        0.0,
        ok=False,
        remedy=f"left out: {join(setting.absent)}",
    )
    parts = (
        ("data sets", setting.datasets_left_out),
        ("algorithms", setting.algorithms_left_out),
    )
    named = "; ".join(f"{what} {several(names)}" for what, names in parts if names)
    incomplete = Check.of(
        "scores left out of the complete part",
        setting.scores_left_out,
        0.0,
        ok=False,
        remedy=f"left out: {named}. Of the algorithms those with the most empty cells, and data"
        " sets on which one of the others has no score, so that the fewest scores are lost;"
        " compare_mixed uses all scores",
    )
    return [*([row] if setting.absent else []), *([incomplete] if named else [])]


def number_of_datasets(setting: Setting) -> Check:
    """Say whether there are many data sets to speak of their domain."""
    d = len(setting.coverage.datasets)
    return Check.of(
        "number of data sets",
        d,
        10.0,
        least=True,
        ok=d >= 10,
        remedy="few data sets: a claim about their domain rests on them being typical of it",
    )


def learnt_from(setting: Setting, datasets: int) -> list[Check]:
    """Say what a hierarchical model learns from: how many data sets, and which cells are empty."""
    empty = setting.coverage.empty
    return [
        Check.of(
            "data sets that the model learns from",
            datasets,
            PRIOR_MATTERS,
            least=True,
            ok=datasets >= PRIOR_MATTERS,
            remedy="so few data sets leave much to the priors: compare with other priors=...",
        ),
        Check.of(
            "empty cells",
            len(empty),
            0.0,
            ok=not empty,
            remedy="the model takes what is missing from the other data sets and algorithms, which"
            " is fair only if scores are not missing because they are bad",
        ),
    ]


def monte_carlo_error(error: float) -> Check:
    """Say whether draws are enough to tell on which side of the level a probability is."""
    return Check.of(
        "largest Monte Carlo error of a probability",
        error,
        _ERROR,
        ok=error <= _ERROR,
        remedy="probabilities near the level may fall on either side of it: more draws",
    )


def other_sign(direction: Array, mean: Array, sides: Sides, remedy: str) -> Check:
    """Name the decided pairs whose mean difference favours the other algorithm.

    Parameters
    ----------
    direction
        (P,) above 0 where first is decided to be better, below where second is, else 0.
    mean
        (P,) mean differences, positive where first is better.
    sides
        (P,) names of both sides.
    remedy
        What compares means.
    """
    turned = np.sign(direction) * np.sign(mean) < 0
    return Check.of(
        OTHER_SIGN,
        int(turned.sum()),
        0.0,
        ok=not turned.any(),
        remedy=f"{some(sides, turned)}: a few large differences outweigh many small ones, so that"
        f" the mean favours the other algorithm; {remedy}",
    )


def other_sign_of_means(codes: NDArray[np.int8], mean: Array, sides: Sides) -> Check:
    """Name the pairs decided by probability whose mean difference favours the other algorithm.

    Parameters
    ----------
    codes
        (P,) verdicts.
    mean, sides
        As for `other_sign`.
    """
    direction = (codes == Verdict.FIRST) * 1.0 - (codes == Verdict.SECOND)
    return other_sign(direction, mean, sides, "compare_mixed compares means")


def renewed(checks: Sequence[Check], row: Check) -> tuple[Check, ...]:
    """Return the rows with another one in the place of that of the same name, if it is there."""
    return tuple(row if old.check == row.check else old for old in checks)


def over_equality(evidence: Evidence, alpha: float, sides: Sides, *, stepwise: bool) -> Check:
    """Name the decided pairs whose interval includes equality, its ends among it.

    Parameters
    ----------
    evidence
        Of the pairs.
    alpha
        One minus the level.
    sides
        (P,) names of both sides.
    stepwise
        Whether p-values are adjusted stepwise for several pairs: no interval goes with these.
    """
    over = (evidence.p_value <= alpha) & (evidence.low <= 0) & (evidence.high >= 0)
    n, names = int(over.sum()), some(sides, over)
    check = "decided pairs whose interval includes equality"
    if stepwise:
        remedy = f"{names}: the stepwise test decides where the interval, which is wider, does not"
        return Check.informing(check, n, remedy)
    remedy = f"{names}: the test decides where the interval, which is of another statistic or more"
    return Check.of(check, n, 0.0, ok=not n, remedy=f"{remedy} cautious, does not")


def differences_of_zero(zeros: NDArray[np.int64], n: NDArray[np.int64], sides: Sides) -> Check:
    """Say how many differences of zero a test leaves out.

    Parameters
    ----------
    zeros, n
        (P,) number of differences of zero, and of differences.
    sides
        (P,) names of both sides.
    """
    most = 2 * zeros > n
    worst = int((zeros / np.maximum(n, 1)).argmax())
    return Check.of(
        "differences of zero left out, largest number of a pair",
        int(zeros[worst]),
        n[worst] / 2,
        ok=not most.any(),
        remedy=f"{some(sides, most)}: most differences say nothing and are left out of the test;"
        " the verdict rests on the others",
    )


def tied(n: int) -> list[Check]:
    """Count the scores that are ties though they differ, if there are some."""
    row = Check.of(
        "scores taken as equal to another though they differ",
        n,
        0.0,
        ok=False,
        remedy=f"differences of at most {ties.SHARE:g} of the range of scores count as rounding;"
        ' if they matter, compare relative scores (Measure(..., scale="log")) or each data set by'
        " itself (per_dataset)",
    )
    return [row] if n else []


def thin_cells(setting: Setting, user: str) -> Check:
    """Count the cells that have fewer scores than others."""
    thin = setting.coverage.thin
    return Check.of(
        "thin cells",
        len(thin),
        0.0,
        ok=not thin,
        remedy=f"some replications are missing in these cells; {user} uses what is there",
    )


def tolerance(measure: Measure) -> Check:
    """Say where no pair can be called equivalent."""
    return Check.of(
        "tolerance",
        measure.tolerance,
        None,
        ok=measure.tolerance > 0,
        remedy="no tolerance is set, so no pair can be called equivalent: set"
        " Measure(tolerance=...) to the difference that does not matter",
    )


def legal(measure: Measure, levels: Level) -> list[Check]:
    """Say whether intervals of levels stay in the range of the measure, where it is declared."""
    if measure.bounds is None or levels.low is None or levels.high is None:
        return []
    low, high = measure.level_interval(levels.low, levels.high)
    beyond = (low < measure.bounds[0]) | (high > measure.bounds[1])
    first, last = (f"{bound:g}" for bound in measure.bounds)
    return [
        Check.of(
            "intervals of levels beyond the measure's bounds",
            int(beyond.sum()),
            0.0,
            ok=not beyond.any(),
            remedy=f"no score is below {first} or above {last}, and an interval from"
            f" {low.min():.3g} to {high.max():.3g} says how little is known of levels:"
            ' more data sets, or a scale with the same bounds, such as Measure(scale="logit")',
        )
    ]


def _generalisation(setting: Setting, design: Design) -> list[Check]:
    """Say where a claim about a domain would overreach."""
    domains = len(set(setting.domains))
    return [
        Check.of(
            "domains taken as one",
            domains,
            1.0,
            ok=domains <= 1 or design.domains != "pooled",
            remedy='the table names several domains: domains="separate" compares within each and'
            ' over them, domains="random" takes them as a sample of domains',
        ),
        beyond(design.target),
    ]


def beyond(target: Target) -> Check:
    """Say whether claims go beyond these data sets."""
    return Check.of(
        "claims go beyond these data sets",
        float(target == "domain"),
        1.0,
        least=True,
        ok=target == "domain",
        remedy="replications count as evidence, so that the claims hold for these data sets only",
    )


def replications(setting: Setting) -> Check:
    """Say what the replications on one data set stand for."""
    resampling = setting.resampling
    if resampling is not None and resampling.kind == "bootstrap":
        return Check.of(
            "conditional on the learning sample",
            1.0,
            0.0,
            ok=False,
            remedy="bootstrap replications speak of this data set as drawn: with more of them any"
            " difference becomes significant",
        )
    if resampling is not None and resampling.folds is not None:
        found = int(setting.coverage.expected.max())
        return Check.of(
            "replications are a multiple of the folds",
            found,
            None,
            ok=found % resampling.folds == 0,
            remedy=f"{resampling.folds} folds are declared, which sets the correction for their"
            " overlap",
        )
    return Check.of(
        "resampling declared",
        float(resampling is not None),
        1.0,
        least=True,
        ok=resampling is not None,
        remedy="say how replications came about (resampling=...): without it p-values hold only"
        " for independent replications",
    )
