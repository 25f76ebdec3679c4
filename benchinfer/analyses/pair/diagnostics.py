"""Diagnostics of tests of two algorithms.

References
----------
Shapiro, S. S. & Wilk, M. B. (1965). An analysis of variance test for normality (complete samples).
Biometrika 52, 591-611. https://doi.org/10.1093/biomet/52.3-4.591

D'Agostino, R. & Pearson, E. S. (1973). Tests for departure from normality. Biometrika 60, 613-622.
https://doi.org/10.1093/biomet/60.3.613

Anderson, T. W. & Darling, D. A. (1954). A test of goodness of fit. Journal of the American
Statistical Association 49, 765-769. https://doi.org/10.1080/01621459.1954.10501232

Lilliefors, H. W. (1967). On the Kolmogorov-Smirnov test for normality with mean and variance
unknown. Journal of the American Statistical Association 62, 399-402.
https://doi.org/10.1080/01621459.1967.10482916
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from benchinfer.analyses.pair.scores import OF_RANKS, Pair, PairedScores
from benchinfer.comparison.adjustment import stepwise
from benchinfer.comparison.checks import decisions, tables
from benchinfer.comparison.contrasts import ContrastFamily, some_of
from benchinfer.core.numbers import brief, p_clause, subject
from benchinfer.core.saving import savable, shaped
from benchinfer.core.sections import Check
from benchinfer.numerics.types import Array

if TYPE_CHECKING:
    from benchinfer.analyses.pair.comparison import PairComparison

# With more values every real sample departs, and the p-values of two of the tests are not known.
MOST = 5000
_MARKS = 99


@savable
@shaped(tests="m", statistics="m", p_values="m [0,1] nan", normal="q", observed="q")
@dataclass(frozen=True, slots=True)
class Normality:
    """Normality of the differences of a pair.

    Attributes
    ----------
    n
        Number of differences.
    tests, statistics, p_values
        Names and (m,) results of the tests that so many differences allow.
    normal, observed
        (q,) quantiles, at most 99, of the normal distribution and of the differences in their
        standard deviation; empty where all differences are the same.
    """

    n: int
    tests: tuple[str, ...]
    statistics: Array
    p_values: Array
    normal: Array
    observed: Array


def normality(values: Array) -> Normality:
    """Return tests of normality of the differences, and quantiles for a Q-Q plot."""
    n = len(values)
    spread = float(values.std(ddof=1))
    if n < 3 or spread <= 1e-12 * float(np.abs(values).max()):
        empty = np.empty(0)
        return Normality(n, (), empty, empty, empty, empty)
    some = values[:: -(-n // MOST)]
    tests = _TESTS if np.ptp(some) > 0 else ()
    rows = [
        (name, *map(float, getattr(import_module(module), test)(some, **options)))
        for name, least, module, test, options in tests
        if n >= least
    ]
    # Blom's positions; of many differences 99 quantiles say as much.
    at = (np.arange(1, n + 1) - 0.375) / (n + 0.25)
    if n > _MARKS:
        at = np.arange(1, _MARKS + 1) / (_MARKS + 1)
        ordered = np.quantile(values, at)
    else:
        ordered = np.sort(values)
    return Normality(
        n,
        tuple(row[0] for row in rows),
        np.array([row[1] for row in rows]),
        np.array([row[2] for row in rows]),
        ndtri(at).astype(np.float64),
        (ordered - values.mean()) / spread,
    )


# Test, the fewest values that it takes, and the function, whose module takes long to load.
_TESTS = (
    ("Shapiro-Wilk", 3, "scipy.stats", "shapiro", {}),
    ("D'Agostino K2", 20, "scipy.stats", "normaltest", {}),
    ("Anderson-Darling", 8, "statsmodels.stats.diagnostic", "normal_ad", {}),
    ("Lilliefors", 5, "statsmodels.stats.diagnostic", "lilliefors", {"pvalmethod": "table"}),
)


_LEAN_ON_NORMALITY = ("t", "welch", "corrected-t", "5x2cv-t", "5x2cv-f", "bayes-t", "parts-t")


def checks(
    result: PairComparison, data: PairedScores, family: ContrastFamily, pairs: list[Pair]
) -> tuple[Check, ...]:
    """Return the diagnostics of a comparison; `pairs` are those that are shown."""
    setting = result.setting
    return (
        *tables.of_table(setting, means=False, rates=False),
        *_of_test(result.test, data),
        *_of_distribution(result),
        _of_claims(result, data),
        tables.tolerance(setting.measure),
        *_of_decisions(result, family, pairs),
    )


def _of_test(test: str, data: PairedScores) -> list[Check]:
    """Return the checks of incomplete replications and of the limits of the test."""
    rows: list[Check] = []
    if data.paired:
        n = int(np.isnan(data.table).any(axis=1).sum())
        rows.append(
            Check.of(
                "replications that lack algorithms",
                n,
                sentence=f"{subject(n, 'replication', 'lacks', of=len(data.table))} some of the"
                " algorithms.",
                remedy="A pair is compared on those that both have, which is fair only if scores"
                " are not missing because they are bad.",
            )
        )
    if test == "5x2cv-t":
        rows.append(
            Check.of(
                "the order of replications does not matter",
                0.0,
                1.0,
                least=True,
                concerns="verdict",
                sentence="The estimate depends on the order of the replications, of which it takes"
                " the first difference.",
                remedy="Two folds of a replication stand together, and all ten differences are"
                ' taken by test="5x2cv-f".',
            )
        )
    if test == "5x2cv-f":
        rows.append(
            Check.of(
                "equivalence can be shown",
                0.0,
                1.0,
                least=True,
                sentence="This test has no sides, and cannot show equivalence.",
                remedy='For that, use test="5x2cv-t" or "corrected-t".',
            )
        )
    return rows


def _of_distribution(result: PairComparison) -> list[Check]:
    """Return the checks of differences that are few, not normal or without spread."""
    evidence = result.evidence
    flat = (evidence.std_error == 0) & (evidence.high - evidence.low == np.inf)
    rows = [
        Check.of(
            "pairs without any spread of differences",
            int(flat.sum()),
            sentence=f"{subject(int(flat.sum()), 'pair', 'has')} no spread of differences, and so"
            f" no error to test against ({some_of(result.pairs.oriented(), flat)}).",
            remedy="The test says nothing of such a pair.",
        )
    ]
    df = evidence.df[np.isfinite(evidence.df)]
    if len(df):
        rows.append(
            Check.of(
                "degrees of freedom",
                float(df.min()),
                5.0,
                least=True,
                sentence=f"With {brief(float(df.min()))} degrees of freedom intervals rely on"
                " normality.",
                remedy="Add replications.",
            )
        )
    p = np.array([x.p_values[0] for x in result.looks if len(x.p_values) and x.n < MOST])
    if result.test in _LEAN_ON_NORMALITY and len(p):
        limit = result._alpha / len(p)
        rows.append(
            Check.of(
                "normality of differences, smallest p-value of Shapiro-Wilk",
                float(p.min()),
                limit,
                least=True,
                ok=float(p.min()) > limit,
                concerns="verdict",
                sentence="Differences do not look normal, which t-tests of so few rely on"
                f" (Shapiro-Wilk test, {p_clause(float(p.min()))}).",
                remedy="Look at the Q-Q plot (plot kind quantiles).",
            )
        )
    return rows


def _of_decisions(result: PairComparison, family: ContrastFamily, pairs: list[Pair]) -> list[Check]:
    """Return the checks of means and intervals against verdicts, and of zero differences."""
    test, evidence, alpha = result.test, result.evidence, result._alpha
    if result._bayesian:
        return []
    oriented = result.pairs.oriented(family.named_sides(result.algorithms))
    in_steps = stepwise(result.options.adjust, len(family.pairs))
    rows = [decisions.over_equality(evidence, alpha, oriented, in_steps=in_steps)]
    if test in OF_RANKS:
        n = np.array([len(pair.first) for pair in pairs])
        direction = np.where(evidence.p_value <= alpha, evidence.statistic, 0.0)
        mean = np.array([pair.differences.mean() for pair in pairs])
        rows += [
            decisions.differences_of_zero(result.zeros, n, oriented),
            decisions.other_sign(direction, mean, oriented, 'test="t"'),
        ]
    return rows


def _of_claims(result: PairComparison, data: PairedScores) -> Check:
    """Return the check of few replications, or of claims limited to the trained models."""
    if data.kind != "items":
        return tables.replications(result.setting)
    return Check.of(
        "claims go beyond these trained models",
        0.0,
        1.0,
        least=True,
        sentence="Claims are about these trained models: training again might change them.",
        remedy="By how much, the test items do not say: repeat the training.",
    )
