"""Checks of decided pairs."""

from dataclasses import replace

import numpy as np

from benchinfer.comparison import wording
from benchinfer.comparison.adjustment import sidak, stepwise
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.contrasts import ContrastFamily, Oriented, some_of
from benchinfer.comparison.evidence import Evidence, Setting
from benchinfer.core.numbers import count, subject
from benchinfer.core.sections import Check
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.max_t import critical_t
from benchinfer.numerics.types import Array, Codes, Flags, States

NEAR = "pairs within the Monte Carlo error of the level"
ATTAINABLE = "smallest attainable adjusted p-value"
OTHER_SIGN = "mean difference of the other sign, decided pairs"
_OVER = "decided pairs whose interval includes equality"
_OVER_FOUND = "{} an interval that includes equality ({})."
_ERROR = 0.02
# What to do about differences without spread.
SAME = "Are they one algorithm under two names, or is one score computed from the other?"


def monte_carlo_error(error: float) -> Check:
    """Return a check that the Monte Carlo error of probabilities is small enough for verdicts."""
    return Check.of(
        "largest Monte Carlo error of a probability",
        error,
        _ERROR,
        concerns="computation",
        sentence=f"Probabilities have Monte Carlo errors of up to {error:.2g}: those near the level"
        " may fall on either side of it.",
        remedy="Take more draws.",
    )


def within_error(p: Array, error: Array, alpha: float) -> Flags:
    """Return a mask of the p-values within two Monte Carlo errors of alpha."""
    return (error > 0) & (np.abs(p - alpha) < 2 * error)


def near_level(near: Flags, pairs: Oriented, more: str) -> Check:
    """Return a check that lists the pairs whose p-value is within Monte Carlo error of alpha."""
    return Check.of(
        NEAR,
        int(near.sum()),
        concerns="computation",
        sentence=f"{subject(int(near.sum()), 'pair', 'has')} a p-value so close to the level that"
        f" other random numbers may decide otherwise ({some_of(pairs, near)}).",
        remedy=more,
    )


def other_sign(direction: Array, mean: Array, pairs: Oriented, means: str) -> Check:
    """Return a check that lists decided pairs whose mean difference favours the other algorithm."""
    turned = np.sign(direction) * np.sign(mean) < 0
    return Check.of(
        OTHER_SIGN,
        int(turned.sum()),
        concerns="verdict",
        sentence=f"{subject(int(turned.sum()), 'decided pair', 'has')} a mean difference in"
        " favour of the other algorithm, as a few large differences outweigh many small ones"
        f" ({some_of(pairs, turned)}).",
        remedy=f"The verdict is on typical differences; for means, use {means}.",
    )


def other_sign_of_means(codes: States, mean: Array, pairs: Oriented) -> Check:
    """Return a check that lists pairs whose probability verdict and mean difference disagree."""
    direction = (codes == Verdict.FIRST) * 1.0 - (codes == Verdict.SECOND)
    return other_sign(direction, mean, pairs, "compare_mixed")


def over_equality(evidence: Evidence, alpha: float, pairs: Oriented, *, in_steps: bool) -> Check:
    """Return a check that lists the decided pairs whose interval includes equality."""
    # An end at equality is open where the pair is decided.
    over = (evidence.p_value <= alpha) & (evidence.low < 0) & (evidence.high > 0)
    n = int(over.sum())
    sentence = _OVER_FOUND.format(subject(n, "decided pair", "has"), some_of(pairs, over))
    if in_steps:
        remedy = "The stepwise test decides where the interval, which is wider, does not."
        return Check.informing(_OVER, n, sentence=sentence, remedy=remedy)
    remedy = "The test decides where the interval, of another statistic or more cautious, does not."
    return Check.of(_OVER, n, sentence=sentence, remedy=remedy)


def stepwise_checks(
    setting: Setting,
    family: ContrastFamily,
    evidence: Evidence,
    adjust: str,
    alpha: float,
    pairs: Oriented,
) -> list[Check]:
    """Return checks of the pairs on which stepwise tests and simultaneous intervals disagree."""
    # Westfall's equivalence is tested in one step.
    stepped = adjust not in ("single-step", "westfall", "none")
    # Stepwise tests of equivalence answer to the (1 - 2 alpha) intervals, which are wider, too.
    # From level 0.5 down there is none: the estimate itself is what is compared.
    each = sidak(2 * alpha, len(family.matrix)) if 2 * alpha < 1 else 1.0
    wide = critical_t(evidence.df, each) * evidence.std_error
    loose = evidence.p_equivalence <= alpha
    loose &= np.abs(evidence.estimate) + wide > setting.measure.margin * (1 + 1e-12)
    return [
        Check.of(
            "equivalent pairs whose interval leaves the tolerance",
            int(loose.sum()) * stepped,
            sentence=f"{subject(int(loose.sum()), 'equivalent pair', 'has')} an interval that"
            f" leaves the tolerance ({some_of(pairs, loose)}).",
            remedy="The stepwise test decides where the simultaneous (1 - 2 alpha) interval,"
            " which is wider, does not.",
        ),
        over_equality(evidence, alpha, pairs, in_steps=stepwise(adjust, len(family.matrix))),
    ]


def informed[C: Comparison](result: C) -> C:
    """Return a comparison with a check of decided pairs whose credible interval includes equality.

    A verdict needs the probability of one direction, and an interval has two tails.
    """
    over = wording.over_equality(result)
    share, rest = (f"{100 * part:.4g} %" for part in (result.level, (1 - result.level) / 2))
    names = some_of(result.pairs.oriented(), over)
    row = Check.informing(
        _OVER,
        int(over.sum()),
        sentence=_OVER_FOUND.format(subject(int(over.sum()), "decided pair", "has"), names),
        remedy=f"A verdict needs a probability of {share} for one direction, while the interval"
        f" leaves {rest} at each end.",
    )
    others = [check for check in result.stored_checks if check.check != _OVER]
    return replace(result, stored_checks=(*others, row))


def differences_of_zero(zeros: Codes, n: Codes, pairs: Oriented) -> Check:
    """Return a check that a test discards at most half of the differences of a pair as zeros."""
    most = 2 * zeros > n
    worst = int((zeros / np.maximum(n, 1)).argmax())
    return Check.of(
        "differences of zero left out, largest number of a pair",
        int(zeros[worst]),
        n[worst] / 2,
        ok=not most.any(),
        sentence=f"Most differences of {count(int(most.sum()), 'pair')} are zero and left out of"
        f" the test ({some_of(pairs, most)}).",
        remedy="The verdict rests on the others.",
    )


def without_error(flat: Flags, pairs: Oriented) -> Check:
    """Return a check that lists the pairs whose difference is the same on every data set."""
    return Check.of(
        "pairs with the same difference on every data set",
        int(flat.sum()),
        sentence=f"{subject(int(flat.sum()), 'pair', 'has')} the same difference on every data set,"
        f" so that there is no error to test against ({some_of(pairs, flat)}).",
        remedy=SAME,
    )
