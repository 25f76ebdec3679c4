"""One-sided tests of a candidate against its baseline.

Each end of the two-sided interval at one minus twice the error is a one-sided bound at the level.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr, stdtr, stdtrit

from benchinfer.analyses.mixed.compare import compare_mixed
from benchinfer.analyses.mixed.design import Domains
from benchinfer.analyses.pair import rules
from benchinfer.analyses.pair.compare import compare_pair
from benchinfer.analyses.pair.numerics import independent_rates, outcomes
from benchinfer.analyses.pair.scores import paired_scores
from benchinfer.analyses.pair.tests import fourfold
from benchinfer.analyses.permutation.blocks import On, exchangeable, with_ties
from benchinfer.analyses.permutation.compare import compare_permutation
from benchinfer.analyses.permutation.pairs import cleaned
from benchinfer.analyses.points import compare_points
from benchinfer.comparison.comparison import Comparison, Target, TestedComparison
from benchinfer.comparison.evidence import Setting, alpha_of
from benchinfer.core.errors import DesignError
from benchinfer.numerics import signs
from benchinfer.numerics.types import Array
from benchinfer.scores.table import ScoreTable

type Claims = Literal["auto"] | Target
type Analysis = Literal["mixed", "pair", "permutation"]
_SEED = 1  # the same table has the same verdict


@dataclass(frozen=True, slots=True)
class GateQuestion:
    """Question about a candidate and its baseline."""

    scores: ScoreTable  # scores of these two algorithms
    measure: str  # name of the measure
    # baseline, candidate: the algorithms
    baseline: str
    candidate: str
    target: Claims  # what claims are about
    level: float  # confidence of each one-sided test
    domains: Domains = "pooled"  # whether the mixed model has levels of each domain
    ahead: float = 0.0  # difference that better has to exceed, on the modelling scale
    bar: float | None = None  # the baseline, where it is a number

    @property
    def both(self) -> float:
        """Level of the two-sided interval whose ends are one-sided bounds at the level."""
        return 1 - 2 * alpha_of(self.level)

    @property
    def names(self) -> tuple[str, str]:
        """Candidate and baseline, first and second of each contrast."""
        return self.candidate, self.baseline

    @property
    def on(self) -> On:
        """Scores of the sign-flip test: aligned ranks, or sums of units of unequal size."""
        by_data_set = self.target != "datasets" and len(self.scores.datasets) > 1
        uneven = self.scores.rows.has_unequal_units and not by_data_set
        return "values" if uneven else "aligned-ranks"


@dataclass(frozen=True, slots=True)
class OneSided:
    """Evidence on candidate minus baseline on the modelling scale, larger is better."""

    # The two-sided comparison that it is from, or without an error the one of the values alone
    comparison: Comparison
    # estimate, low, high: the difference, with one-sided bounds at the level
    estimate: float
    low: float
    high: float
    # P-value of the hypothesis that the candidate is worse by the tolerance or more
    p_not_worse: float
    p_better: float  # P-value of the hypothesis that it is not better by more than is asked
    p_worse: float  # P-value of the hypothesis that it is not worse by more than the tolerance


def by_mixed(q: GateQuestion) -> OneSided:
    """Test by a mixed model of the two algorithms alone, which leaves nothing to adjust for."""
    comparison = compare_mixed(
        q.scores,
        q.measure,
        contrasts=[q.baseline, q.candidate],
        adjust="none",
        target=q.target,
        domains=q.domains,
        level=q.both,
    )
    return _by_t(comparison, q)


def by_pair(q: GateQuestion) -> OneSided:
    """Test by what fits the scores of one data set; outcomes on shared items by Tango's score."""
    if q.bar is not None:
        return _against_bar(q, q.bar)
    setting, scores = Setting.of(q.scores, q.measure)
    data = paired_scores(scores, setting)
    fitting, _ = rules.fitting(data)
    of_items = fitting == "mcnemar"
    comparison = compare_pair(
        q.scores,
        q.measure,
        test="mcnemar-score" if of_items else "auto",
        pair=q.names,
        level=q.both,
    )
    if not of_items and fitting != "independent-rates":
        return _by_t(comparison, q)
    names, m = comparison.pairs.sides[0], comparison.measure.margin
    sides = data.of(*(comparison.algorithms.index(name) for name in names))
    if of_items:  # Tango's score statistics of the difference of rates
        z, z0 = (outcomes.score_statistic(fourfold(sides), shift) for shift in (-m, q.ahead))
        return _evidence(comparison, *map(float, ndtr([-z, -z0, z])))
    # Equality by the exact test, a tolerance by Miettinen and Nurminen's score statistic.
    first, second = ((int((s > 0.5).sum()), len(s)) for s in (sides.first, sides.second))
    better, worse = (independent_rates.compared(first, second, side)[1] for side in (1, -1))
    if q.ahead > 0:
        beyond = float(ndtr(-independent_rates.score_statistic(first, second, q.ahead)))
    else:
        beyond = better
    if m == 0:
        return _evidence(comparison, better, beyond, worse)
    z = independent_rates.score_statistic(first, second, -m)
    return _evidence(comparison, float(ndtr(-z)), beyond, float(ndtr(z)))


def _against_bar(q: GateQuestion, bar: float) -> OneSided:
    """Test one sample against a number: by t, right and wrong answers by the exact binomial."""
    side = q.scores.subset(algorithms=[q.candidate])
    comparison = compare_pair(side, q.measure, baseline=bar, level=q.both)
    if comparison.test != "binomial":
        return _by_t(comparison, q)
    setting, scores = Setting.of(q.scores, q.measure)
    data = paired_scores(scores, setting, q.baseline)
    names = setting.algorithms
    pair = data.of(names.index(q.candidate), names.index(q.baseline))
    right, n, rate = int((pair.first > 0.5).sum()), len(pair.first), float(pair.second[0])
    low, high = np.clip([rate - comparison.measure.margin, rate + q.ahead], 0.0, 1.0).tolist()
    ways = ((low, 1), (high, 1), (low, -1))
    return _evidence(comparison, *(outcomes.binomial(right, n, *way) for way in ways))


def block_differences(q: GateQuestion) -> tuple[Array, Array, Array]:
    """Return (B, 1) differences whose signs a permutation test turns, noise, and two shifts.

    Candidate minus baseline on the modelling scale, larger is better, 0 where they are noise. The
    shifts, (1, 2) or (B, 2) in proportion to the items of units of unequal size, are the tolerance
    and what better has to exceed.
    """
    setting, scores = Setting.of(q.scores, q.measure)
    data = with_ties(exchangeable(scores, setting, q.target, q.on))
    if data.repeated:
        raise DesignError(
            "the algorithms do not share replications, so that there are no differences whose"
            " signs could be turned.",
            hint='by="mixed" compares them.',
        )
    first, second = (setting.algorithms.index(name) for name in q.names)
    row = np.zeros((1, 2))
    row[0, first], row[0, second] = 1.0, -1.0
    shifts = [np.atleast_2d(data.shift(by)) for by in (setting.measure.margin, q.ahead)]
    return *cleaned(data, row, q.on), np.hstack(shifts)


def by_permutation(q: GateQuestion) -> OneSided:
    """Test by random signs of the blocks' differences, shifted by the tolerance."""
    d, noise, shifts = block_differences(q)
    m, ahead = shifts[:, :1], shifts[:, 1:]
    comparison = compare_permutation(
        q.scores,
        q.measure,
        on=q.on,
        contrasts=[q.baseline, q.candidate],
        adjust="none",
        target=q.target,
        level=q.both,
        seed=_SEED,
    )
    terms = np.hstack([d + m, d - ahead, -(d + m)])
    if q.on != "values":
        terms = signs.signed_ranks(terms, noise)
    p = signs.sign_tests(terms, two_sided=np.zeros(3, np.bool_), seed=_SEED).p_value
    return _evidence(comparison, *(float(value) for value in p))


def untested(q: GateQuestion) -> OneSided:
    """Return the difference without bounds, of scores that leave no error to judge it by."""
    cells = q.scores.cells(q.measure)
    first, second = (cells.algorithms.index(name) for name in q.names)
    estimate = float(np.nanmean(cells.mean[:, first] - cells.mean[:, second]))
    comparison = compare_points(q.scores, q.measure)
    return OneSided(comparison, estimate, -np.inf, np.inf, 1.0, 1.0, 1.0)


ANALYSES: dict[Analysis, Callable[[GateQuestion], OneSided]] = {
    "mixed": by_mixed,
    "pair": by_pair,
    "permutation": by_permutation,
}


def _evidence(comparison: TestedComparison, *p: float) -> OneSided:
    e = comparison.evidence
    return OneSided(comparison, float(e.estimate[0]), float(e.low[0]), float(e.high[0]), *p)


def _by_t(comparison: TestedComparison, q: GateQuestion) -> OneSided:
    """Return the one-sided t tests of the mean with their bounds, whatever the shape of the scores.

    P-values are 1 and bounds those of the comparison where the difference has no error.
    """
    e, m = comparison.evidence, comparison.measure.margin
    estimate, error, df = float(e.estimate[0]), float(e.std_error[0]), e.df[0]
    if not error > 0:
        return _evidence(comparison, 1.0, 1.0, 1.0)
    t = np.array([estimate + m, estimate - q.ahead, -(estimate + m)]) / error
    reach = float(stdtrit(df, q.level)) * error
    return OneSided(
        comparison, estimate, estimate - reach, estimate + reach, *map(float, stdtr(df, -t))
    )
