"""Tests of two algorithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from benchinfer.analyses.pair.numerics import independent_rates, outcomes, t_tests
from benchinfer.analyses.pair.numerics.t_tests import DifferenceTest, EstimatedDifference
from benchinfer.analyses.pair.rules import OUTCOMES, PAIRED_OUTCOMES, TESTS, WORDS, Test, misfit
from benchinfer.analyses.pair.scores import Pair, PairedScores
from benchinfer.comparison.adjustment import SIDES, tail_level
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics import rates, shifts, signs, ties
from benchinfer.numerics.rates import Fourfold
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.pair.options import PairOptions


RESAMPLES = 100_000


@dataclass(frozen=True, slots=True)
class PairProcedure:
    """Options of the test of each pair."""

    test: Test
    side: int  # 0 two-sided, 1 or -1 where first is to be shown better or worse
    margin: float  # difference that does not matter, on the modelling scale
    tail: float  # probability that an interval leaves out on each of its closed sides
    # Number of parts that items are split into, None for as many as look normal
    n_parts: int | None
    seed: int  # of random signs and of the split
    # Whether tests by random signs are to be quick: the normal limit, and no inverted interval
    brief: bool = False

    @staticmethod
    def of(
        test: Test, options: PairOptions, margin: float, n_pairs: int, seed: int
    ) -> PairProcedure:
        """Return the procedure of each of several pairs; intervals hold for all of them."""
        adjust = "none" if test == "bayes-t" else options.adjust
        level = tail_level(
            adjust, options.alpha, n_pairs, options.interval, directed=options.directed
        )
        tail = level / 2
        side = SIDES[options.alternative]
        return PairProcedure(test, side, margin, tail, options.parts, seed)

    def t_test(self, difference: EstimatedDifference) -> DifferenceTest:
        """Test an estimated difference by t."""
        return t_tests.t_test(difference, self.side, self.margin, self.tail)


def tested(pair: Pair, data: PairedScores, procedure: PairProcedure) -> DifferenceTest:
    """Test one pair."""
    test = procedure.test
    if test in _ESTIMATED:
        return procedure.t_test(estimated(pair, data, procedure))
    _require_two(pair)
    if test == "5x2cv-f":
        return t_tests.five_by_two_f(pair.differences.reshape(5, 2), procedure.tail)
    if test in _SIGNED:
        return _by_signs(pair, procedure)
    if test == "independent-rates":
        first, second = ((int((s > 0.5).sum()), len(s)) for s in (pair.first, pair.second))
        return _of_independent_rates(first, second, procedure)
    if test == "binomial":
        return _against_number(pair, procedure)
    kind, table = _KINDS[test], fourfold(pair)
    statistic, p = outcomes.mcnemar(table, procedure.side, kind)
    invert = outcomes.tango if kind == "score" else rates.newcombe_paired
    difference = outcomes.paired_difference(table)
    return _of_rates(difference, statistic, p, lambda tail: invert(table, tail), procedure)


def without_noise(pair: Pair) -> Array:
    """Return the differences, 0 where they are the noise of rounding."""
    d = pair.differences
    return d if pair.noise is None else np.where(np.abs(d) <= pair.noise, 0.0, d)


def estimated(pair: Pair, data: PairedScores, procedure: PairProcedure) -> EstimatedDifference:
    """Return estimate and standard error of a test that has them (``"bayes-t"`` among them)."""
    _require_two(pair)
    return _ESTIMATED[procedure.test](pair, data, procedure)


def without_spread(pair: Pair, data: PairedScores, procedure: PairProcedure) -> bool:
    """Return whether a pair differs by the same on all replications, so that its test has no error.

    Scores without any difference are no such pair: they show none.
    """
    test = procedure.test
    if test == "5x2cv-f":
        error = t_tests.five_by_two_t(pair.differences.reshape(5, 2)).std_error
    elif test == "bayes-t" or test not in _ESTIMATED:
        return False
    else:
        error = estimated(pair, data, procedure).std_error
    unequal = bool(without_noise(pair).any()) if data.paired else pair.first[0] != pair.second[0]
    return error == 0 and unequal


def fourfold(pair: Pair) -> Fourfold:
    """Count the items that both, one or none get right."""
    return Fourfold.of(pair.first > 0.5, pair.second > 0.5)


def _require_two(pair: Pair) -> None:
    n = min(len(pair.first), len(pair.second))
    if n < 2:
        raise DesignError(
            f"a pair of algorithms has {n} {'score' if n == 1 else 'scores'} to compare.",
            hint="a test needs two or more; check the labels of replications.",
        )


def ratio(data: PairedScores) -> float:
    """Return the size of a test set over that of a training set: ``rho / (1 - rho)``."""
    rho = data.overlap or 0.0
    return rho / (1 - rho)


_ESTIMATED: dict[str, Callable[[Pair, PairedScores, PairProcedure], EstimatedDifference]] = {
    "t": lambda pair, _, __: (
        t_tests.paired_t(pair.differences)
        if pair.total is None or pair.size is None
        else t_tests.units_t(pair.total, pair.size)
    ),
    "welch": lambda pair, _, __: t_tests.welch(pair.first, pair.second),
    **dict.fromkeys(
        ("corrected-t", "bayes-t"),
        lambda pair, data, _: t_tests.corrected_t(pair.differences, ratio(data)),
    ),
    "5x2cv-t": lambda pair, _, __: t_tests.five_by_two_t(pair.differences.reshape(5, 2)),
    "paired-rates": lambda pair, _, __: outcomes.paired_difference(fourfold(pair)),
    "parts-t": lambda pair, _, procedure: t_tests.paired_t(
        t_tests.split(pair.differences, procedure.n_parts, procedure.seed)[0]
    ),
}
_KINDS: dict[str, outcomes.McNemar] = {
    "mcnemar": "exact",
    "mcnemar-midp": "mid-p",
    "mcnemar-chi2": "chi2",
    "mcnemar-score": "score",
}
_SIGNED: dict[str, Callable[[Array, Array], Array]] = {
    "wilcoxon": signs.signed_ranks,
    "sign": lambda d, _: np.sign(d),
    "sign-flip": lambda d, _: d,
}


def _by_signs(pair: Pair, procedure: PairProcedure) -> DifferenceTest:
    """Test differences against random signs; equivalence by differences shifted by the margin."""
    test, side, m = procedure.test, procedure.side, procedure.margin
    d, size = without_noise(pair), np.ones(len(pair.first))
    noise = np.zeros(len(d)) if pair.noise is None else pair.noise
    middle = t_tests.paired_t(d)
    if pair.total is not None and pair.size is not None:
        # Units count by their items: signs are those of sums.
        middle = t_tests.units_t(pair.total, pair.size)
        d, size = pair.total @ [1.0, -1.0], pair.size.mean(axis=1)
        noise = ties.rounding(pair.total).max(axis=1)
    wide = m * size
    columns = [(side or 1) * d]
    if m > 0:
        columns += [d + wide, wide - d, side * d + wide]
    cleaned = [np.where(np.abs(c) <= noise, 0.0, c)[:, None] for c in columns]
    terms = np.hstack([_SIGNED[test](column, noise[:, None]) for column in cleaned])
    two_sided = (np.arange(terms.shape[1]) == 0) & (side == 0)
    null: signs.NullKind = "asymptotic" if procedure.brief else "auto"
    flips = signs.sign_tests(
        terms, two_sided=two_sided, null=null, resamples=RESAMPLES, seed=procedure.seed
    )
    p = flips.p_value
    level = 1 - 2 * procedure.tail
    of_mean = procedure.t_test(middle)
    low, high, estimate = of_mean.low, of_mean.high, of_mean.estimate
    if test != "sign-flip" and not procedure.brief:
        invert = shifts.hodges_lehmann if test == "wilcoxon" else shifts.median_shift
        one = invert(d, level)
        estimate, (low, high, _) = one.estimate, shifts.with_ends(one, d.min(), d.max())
        low, high = -np.inf if side < 0 else low, np.inf if side > 0 else high
    statistic = (side or 1) * float(flips.statistic[0])
    # Against the estimate nothing is decided: it is among the shifts that the claim excludes.
    against = not procedure.brief and statistic != 0 and np.sign(statistic) != np.sign(estimate)
    return DifferenceTest(
        estimate=estimate,
        std_error=np.nan,
        df=np.nan,
        statistic=statistic,
        p=1.0 if against else float(p[0]),
        equivalence=float(max(p[1], p[2])) if m > 0 else 1.0,
        noninferiority=float(p[3]) if m > 0 and side else 1.0,
        low=low,
        high=high,
    )


def _of_rates(
    difference: EstimatedDifference,
    statistic: float,
    p: float,
    interval: Callable[[float], tuple[float, float]],
    procedure: PairProcedure,
) -> DifferenceTest:
    """Add an interval to a test; a pair is equivalent where it lies within the margin."""
    low, high = interval(procedure.tail)
    side, m = procedure.side, procedure.margin
    above, below = rates.beyond_margins(interval, m) if m > 0 else (1.0, 1.0)
    return DifferenceTest(
        estimate=difference.estimate,
        std_error=difference.std_error,
        df=difference.df,
        statistic=statistic,
        p=p,
        equivalence=max(above, below),
        noninferiority=(above if side > 0 else below) if side else 1.0,
        low=low if side >= 0 else -np.inf,
        high=high if side <= 0 else np.inf,
    )


def _of_independent_rates(
    first: tuple[int, int], second: tuple[int, int], procedure: PairProcedure
) -> DifferenceTest:
    """Test two independent rates."""
    statistic, p = independent_rates.compared(first, second, procedure.side)
    difference = outcomes.independent_difference(first, second)
    interval = partial(independent_rates.score_interval, first, second)
    return _of_rates(difference, statistic, p, interval, procedure)


def _against_number(pair: Pair, procedure: PairProcedure) -> DifferenceTest:
    """Test the share of right answers of the first against a number, the second."""
    right, n, rate = int((pair.first > 0.5).sum()), len(pair.first), float(pair.second[0])
    p = outcomes.binomial(right, n, rate, procedure.side)

    def invert(tail: float) -> tuple[float, float]:
        count, of = np.array([float(right)]), np.array([float(n)])
        low, high = rates.rate_interval("clopper-pearson", count, of, tail)
        return float(low[0]) - rate, float(high[0]) - rate

    share = right / n
    error, null = np.sqrt([share * (1 - share) / n, rate * (1 - rate) / n])
    difference = EstimatedDifference(share - rate, float(error), np.inf)
    statistic = (share - rate) / float(null) if null > 0 else share - rate
    return _of_rates(difference, statistic, p, invert, procedure)


# Differences of which all signs are counted for tests that do not decide.
_COUNTED = 25


@savable
@shaped(p_value="[0,1] nan")
@dataclass(frozen=True, slots=True)
class OtherTest:
    """One test of one pair that does not decide."""

    # test, first, second: its name in words, and the algorithms
    test: str
    first: str
    second: str
    # statistic, df, p_value: of the pair alone; NaN where it has none
    statistic: float
    df: float
    p_value: float
    why: str  # why it does not fit how scores came about; empty where it does


def other_tests(
    pairs: Sequence[tuple[str, str, Pair]], data: PairedScores, procedure: PairProcedure
) -> tuple[OtherTest, ...]:
    """Return the tests that do not decide, of all that the scores of each pair allow."""
    rows: list[OtherTest] = []
    for first, second, pair in pairs:
        for test in TESTS:
            if test in ("bayes-t", "parts-t", procedure.test) or _impossible(test, data, pair):
                continue
            # What does not decide is not worth seconds of counting.
            brief = replace(procedure, test=test, brief=len(pair.first) > _COUNTED)
            try:
                result = tested(pair, data, brief)
            except DesignError:
                continue
            numbers = result.statistic, result.df, result.p
            rows.append(OtherTest(WORDS[test], first, second, *numbers, misfit(test, data)))
        if procedure.test == "parts-t":
            rows += _as_published(first, second, pair, procedure)
    return tuple(rows)


def _impossible(test: str, data: PairedScores, pair: Pair) -> bool:
    """Return whether a test cannot be computed."""
    of_two = test in ("welch", *PAIRED_OUTCOMES, "independent-rates")
    if (data.bar is None and test == "binomial") or (data.bar is not None and of_two):
        return True  # a number is no sample
    if test in ("welch", "independent-rates"):
        return test == "independent-rates" and not data.right_or_wrong
    if not data.paired:
        return True
    if test.startswith("5x2cv"):
        return bool(misfit("5x2cv-t", replace(data, total=None)))
    if test == "corrected-t":
        return not data.overlap
    return (test in OUTCOMES and not data.right_or_wrong) or len(pair.first) < 2


def _as_published(first: str, second: str, pair: Pair, procedure: PairProcedure) -> list[OtherTest]:
    """Return Welch's test on the means of parts, and screening, which take parts as unpaired."""
    _, part = t_tests.split(pair.differences, procedure.n_parts, procedure.seed)
    size = np.bincount(part)
    one, two = (np.bincount(part, s) / size for s in (pair.first, pair.second))
    result = t_tests.t_test(t_tests.welch(one, two), procedure.side, 0.0, 0.025)
    welch = OtherTest(
        "Welch's t-test on parts",
        first,
        second,
        result.statistic,
        result.df,
        result.p,
        "both algorithms are measured on the same parts: the test takes them as independent",
    )
    base = t_tests.t_test(t_tests.paired_t(two - one.mean()), 0, 0.0, 0.025)
    size_of = screening_size(float(np.corrcoef(one, two)[0, 1]) if np.ptp(one) * np.ptp(two) else 1)
    screened = OtherTest(
        f"screening: {first} outside the interval of {second}",
        first,
        second,
        -base.statistic,
        base.df,
        base.p,
        f"it takes the mean of {first} as known: it calls equals different in"
        f" {100 * size_of:.2g} % of cases rather than 5 %",
    )
    return [welch, screened]


def screening_size(correlation: float) -> float:
    """Return how often screening by the base model's interval calls equals different.

    ``2 Phi(-1.96 / sqrt(2 (1 - rho)))``, where the parts' means of both correlate by rho, many
    parts, a 95 % interval.

    Examples
    --------
    >>> round(screening_size(0.0), 3), round(screening_size(0.5), 3)
    (0.166, 0.05)
    """
    spread = np.sqrt(2 * max(1 - correlation, 0.0))
    return float(2 * ndtr(ndtri(0.025) / spread)) if spread > 0 else 0.0


def table(rows: Sequence[OtherTest]) -> pd.DataFrame:
    """Return the rows: ``test first second statistic df p_value fits misfit``."""
    numbers: dict[str, Array] = {
        name: np.array([getattr(row, name) for row in rows], np.float64)
        for name in ("statistic", "df", "p_value")
    }
    return frame(
        {
            "test": [row.test for row in rows],
            "first": [row.first for row in rows],
            "second": [row.second for row in rows],
            **numbers,
            "fits": [not row.why for row in rows],
            "misfit": [row.why for row in rows],
        }
    )
