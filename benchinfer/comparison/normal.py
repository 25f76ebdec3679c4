"""Evidence of contrasts from a normal model: adjusted p-values and intervals."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from benchinfer.comparison.adjustment import (
    JOINT,
    SIDES,
    Interval,
    adjusted,
    agreeing,
    level_spent,
    stepwise,
    tail_level,
)
from benchinfer.comparison.comparison import Alternative
from benchinfer.comparison.contrasts import ContrastFamily
from benchinfer.comparison.evidence import (
    Evidence,
    in_agreement,
    tail_of_step,
    with_equivalence,
)
from benchinfer.numerics import closed_testing, max_t
from benchinfer.numerics.covariance import Adjusted, Estimates, contrast_variances
from benchinfer.numerics.rotations import ClosedTest
from benchinfer.numerics.types import Array, Codes, Flags


def std_errors(family: ContrastFamily, errors: Adjusted | Estimates) -> Array:
    """Return (P,) standard errors of the contrasts."""
    if isinstance(errors, Estimates):
        return errors.first(len(family.matrix)).std_error
    squares = contrast_variances(family.matrix, errors.cov)
    return np.sqrt(np.maximum(squares, 0.0))


def without_spread(error: Array, errors: Adjusted | Estimates) -> Flags:
    """Return a mask of the standard errors that are zero up to rounding of the covariance."""
    if isinstance(errors, Estimates):
        return error == 0
    return error <= 1e-7 * np.sqrt(errors.cov.diagonal().max())


@dataclass(frozen=True, slots=True)
class _Statistics:
    """Test statistics of P contrasts; (P,) arrays.

    ``side`` is 0 for two-sided tests, 1 or -1 where first is better or worse is to be shown.
    ``difference`` tests no difference, ``gap`` is the distance of the estimate to the tolerance in
    standard errors, positive inside, ``margin`` tests that the side is worse by the tolerance.
    """

    side: int
    difference: Array
    gap: Array
    margin: Array
    df: Array

    def raw(self, statistic: Array) -> Array:
        """Return the unadjusted p-values of the contrasts."""
        if self.side == 0:
            return max_t.raw_p(statistic, self.df)
        return stdtr(self.df, -self.side * statistic)


def evidence_of(
    family: ContrastFamily,
    levels: Array,
    errors: Adjusted | Estimates,
    adjust: str,
    alpha: float,
    margin: float,
    alternative: Alternative = "two-sided",
    closed: ClosedTest | None = None,
    least: Array | float = 0.0,
    *,
    interval: Interval,
) -> tuple[Evidence, float]:
    """Return the evidence of each contrast, and the largest error of a p-value near alpha.

    Errors are those of the levels, or of the contrasts, which then have estimates of their own. A
    closed test takes the place of the adjustment for p-values of the difference; the others are
    then Holm's. No standard error is below `least`. Intervals beside a test in steps are as in
    `compare_mixed`.

    Notes
    -----
    A pair whose difference is the same on every data set has no standard error: its tests
    have p = 1, its interval is without bounds, and a diagnostics row names it.
    """
    error = np.maximum(std_errors(family, errors), least)
    estimate = family.matrix @ levels
    if isinstance(errors, Estimates):
        estimate = errors.estimate
    flat = without_spread(error, errors)
    side = SIDES[alternative]
    tests = _statistics(side, estimate, error, errors.df, flat, margin)
    errors_of_p = np.zeros(len(estimate))
    n = len(estimate)
    spent, agree = level_spent(adjust, n, interval), agreeing(adjust, n, interval)
    critical = max_t.critical_t(
        tests.df, tail_level(adjust, alpha, n, interval, directed=bool(side))
    )
    if adjust in JOINT and isinstance(errors, Adjusted):
        p, q, not_worse, joint, p_error = _joint(family, errors, tests, adjust, alpha, spent)
        critical = critical if stepwise(adjust, n) and agree else joint
    else:
        raw = tests.raw(tests.difference)
        # Equalities imply each other; differences beyond the tolerance do not: Holm for these.
        p = adjusted(adjust, raw, spent)
        if adjust == "shaffer":
            p = closed_testing.shaffer(raw, len(levels), spent)
        q = adjusted(adjust, stdtr(tests.df, -tests.gap))
        not_worse = adjusted(adjust, tests.raw(tests.margin))
        if closed is not None:
            p, errors_of_p = closed.adjusted(raw, flat)
            if side:
                not_worse, _ = closed.adjusted(tests.raw(tests.margin), flat, margin)
        near = np.abs(p - alpha) <= 3 * errors_of_p
        p_error = float(np.max(errors_of_p, where=near, initial=0.0))
    reach = np.where(flat, np.inf, critical * error)
    low = estimate - reach if side >= 0 else np.full(n, -np.inf)
    high = estimate + reach if side <= 0 else np.full(n, np.inf)
    if agree:
        low, high = in_agreement(low, high, estimate, p <= alpha)
    shown = family.wanted
    evidence = Evidence(
        estimate=estimate[shown],
        std_error=np.where(flat, 0.0, error)[shown],
        df=errors.df[shown],
        statistic=tests.difference[shown],
        p_value=np.where(flat, 1.0, p)[shown],
        p_raw=tests.raw(tests.difference)[shown],
        p_equivalence=np.where(flat, 1.0, q)[shown],
        low=low[shown],
        high=high[shown],
        p_noninferiority=np.where(flat, 1.0, not_worse)[shown] if side and margin else None,
        p_error=errors_of_p[shown] if errors_of_p.any() else None,
    )
    if (evidence.p_equivalence <= alpha).any():
        evidence = _with_equivalence(evidence, family, errors, tests, adjust, alpha, margin)
    return evidence, p_error


def _statistics(
    side: int, estimate: Array, error: Array, df: Array, flat: Flags, margin: float
) -> _Statistics:
    """Return the t statistics of contrasts; of flat ones, without an error, those of no side."""
    safe = np.where(flat, 1.0, error)
    worst = -side * np.inf if side else 0.0
    return _Statistics(
        side=side,
        difference=np.where(flat, 0.0, estimate / safe),
        gap=np.where(flat, -np.inf, (margin - np.abs(estimate)) / safe),
        margin=np.where(flat, worst, (estimate + side * margin) / safe),
        df=df,
    )


def _with_equivalence(
    evidence: Evidence,
    family: ContrastFamily,
    errors: Adjusted | Estimates,
    tests: _Statistics,
    adjust: str,
    alpha: float,
    margin: float,
) -> Evidence:
    """Return evidence with the intervals that show equivalence."""
    if adjust in JOINT and isinstance(errors, Adjusted):
        both = max_t.max_t(family.matrix, errors.cov, float(errors.df.min()))
        # Without a level both one-sided tests are of the estimate itself.
        critical = max_t.quantile(both, 2 * alpha) if 2 * alpha < 1 else 0.0
        tail = stdtr(evidence.df, np.full(len(evidence.df), -critical))
    else:
        alone = stdtr(tests.df, -tests.gap)[family.wanted]
        tail = tail_of_step(alone, evidence.p_equivalence, alpha)

    def ends(pairs: Codes, tails: Array) -> tuple[Array, Array]:
        estimate = evidence.estimate[pairs]
        reach = max_t.critical_t(evidence.df[pairs], 2 * tails) * evidence.std_error[pairs]
        return estimate - reach, estimate + reach

    return with_equivalence(evidence, tail, alpha, margin, ends)


def _joint(
    family: ContrastFamily,
    errors: Adjusted,
    tests: _Statistics,
    adjust: str,
    alpha: float,
    spent: float,
) -> tuple[Array, Array, Array, Array, float]:
    """Return joint p-values of three tests, critical values and the largest error of a p-value."""
    df = float(errors.df.min())
    n = len(tests.difference)
    both = max_t.max_t(family.matrix, errors.cov, df)
    # Two one-sided tests: equivalent at alpha when the (1 - 2 alpha) interval lies inside.
    half, error = max_t.survival(both, np.abs(tests.gap))
    q = np.where(tests.gap > 0, half / 2, 1 - half / 2)
    sides = 1 if tests.side else 2
    turned = (tests.side or 1) * family.matrix
    joint = max_t.max_t(turned, errors.cov, df, sides=sides) if tests.side else both
    critical = np.full(n, max_t.quantile(joint, alpha))
    size = tests.side * tests.difference if tests.side else np.abs(tests.difference)
    p, p_error = max_t.survival(joint, np.r_[size, tests.side * tests.margin])
    largest = float(np.r_[error, p_error].max())
    if adjust == "single-step":
        return p[:n], q, p[n:], critical, largest

    def survival(members: tuple[int, ...], hypothesis: int) -> float:
        part = max_t.max_t(turned[list(members)], errors.cov, df, sides=sides)
        return float(max_t.survival(part, size[[hypothesis]])[0][0])

    if adjust == "step-down":
        stepped = closed_testing.step_down_largest(size, survival, spent)
    else:
        k = family.matrix.shape[1]
        stepped = closed_testing.westfall(max_t.raw_p(size, df), k, survival, spent)
    return stepped, q, p[n:], critical, largest
