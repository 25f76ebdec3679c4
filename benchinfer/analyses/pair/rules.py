"""Choice of the test of two algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from benchinfer.analyses.pair.numerics import independent_rates, outcomes, t_tests
from benchinfer.analyses.pair.scores import PairedScores
from benchinfer.comparison.adjustment import ADJUSTMENTS, sidak, words
from benchinfer.comparison.wording import margin, zeros
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.hints import literal
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import sentence
from benchinfer.numerics import rates, signs
from benchinfer.numerics.shifts import hodges_lehmann
from benchinfer.scores.resampling import declaration

if TYPE_CHECKING:
    from benchinfer.analyses.pair.comparison import PairComparison
    from benchinfer.analyses.pair.options import PairOptions
    from benchinfer.comparison.contrasts import ContrastFamily


type Test = Literal[
    "t",
    "welch",
    "corrected-t",
    "5x2cv-t",
    "5x2cv-f",
    "wilcoxon",
    "sign",
    "sign-flip",
    "bayes-t",
    "mcnemar",
    "mcnemar-midp",
    "mcnemar-chi2",
    "mcnemar-score",
    "paired-rates",
    "independent-rates",
    "parts-t",
    "binomial",
]
TESTS: tuple[Test, ...] = get_args(Test.__value__)
WORDS: dict[str, str] = {
    "t": "paired t-test",
    "welch": "Welch's t-test",
    "corrected-t": "corrected resampled t-test",
    "5x2cv-t": "5x2cv t-test",
    "5x2cv-f": "5x2cv F-test",
    "wilcoxon": "signed-rank test",
    "sign": "sign test",
    "sign-flip": "sign-flip test",
    "bayes-t": "Bayesian correlated t-test",
    "mcnemar": "exact McNemar test",
    "mcnemar-midp": "mid-p McNemar test",
    "mcnemar-chi2": "McNemar test with continuity correction",
    "mcnemar-score": "McNemar score test",
    "paired-rates": "test of paired rates",
    "independent-rates": "exact test of independent rates",
    "parts-t": "paired t-test on parts of the test set",
    "binomial": "exact binomial test",
}
PAIRED_OUTCOMES = ("mcnemar", "mcnemar-midp", "mcnemar-chi2", "mcnemar-score", "paired-rates")
OUTCOMES = (*PAIRED_OUTCOMES, "independent-rates", "binomial")
_UNPAIRED = ("welch", "independent-rates")
_OVERLAPPING = ("corrected-t", "5x2cv-t", "5x2cv-f", "bayes-t")
_OF_UNITS = ("t", "welch", "sign-flip")


def resolve(test: str, data: PairedScores) -> tuple[Test, str]:
    """Return the test that is requested, or that ``"auto"`` means, and why."""
    if test not in ("auto", *TESTS):
        raise DesignError(unknown("test", test, ["auto", *TESTS]))
    if test == "auto":
        return fitting(data)
    known: Test = next(name for name in TESTS if name == test)
    if why := misfit(known, data):
        try:
            fit, reason = fitting(data)
            hint = f"test={literal(fit)} fits: {reason}."
        except DesignError as error:
            hint = error.hint
        raise DesignError((f"test={literal(test)} does not fit: " + why + "."), hint=hint)
    return known, "it was asked for"


def fitting(data: PairedScores) -> tuple[Test, str]:
    """Return the test that fits the scores, and why."""
    if overlaps(data):
        _require_overlap(data)
        return "corrected-t", f"scores come from {data.kind!r}, whose training sets overlap"
    if data.bar is not None:
        return _of_one_sample(data)
    if not data.paired:
        return _of_two_samples(data)
    if data.total is not None:
        return "t", "units differ in their number of items, which its error allows for (CR2)"
    if data.right_or_wrong:
        return "mcnemar", "algorithms are right or wrong (1 or 0) on the same items"
    why = {
        "bootstrap": "bootstrap replications are independent draws from this data set",
        "items": "algorithms share independent test items",
        "seeds": "algorithms share random starts",
        "independent": "algorithms share independent replications",
        None: "algorithms share replications, taken as independent as nothing else is declared",
    }
    return "t", why[data.kind]


def _of_one_sample(data: PairedScores) -> tuple[Test, str]:
    if data.right_or_wrong:
        return "binomial", "answers are right or wrong, and their share is set against a number"
    return "t", "the scores are one sample that is set against a number"


def _of_two_samples(data: PairedScores) -> tuple[Test, str]:
    if data.right_or_wrong and data.kind == "items":
        return "independent-rates", "each algorithm has test items of its own, right or wrong"
    return "welch", "algorithms do not share replications"


def overlaps(data: PairedScores) -> bool:
    """Return whether training sets overlap."""
    return data.overlap != 0


def _require_overlap(data: PairedScores) -> None:
    if data.kind is not None and data.overlap is None:
        raise DesignError(
            f"scores come from {data.kind!r}, whose training sets overlap, and by how much is not"
            " declared.",
            hint=f"declare it, as in {declaration(data.kind, len(data.table))}.",
        )
    if not data.paired:
        raise DesignError(
            f"scores come from {data.kind!r}, and algorithms do not share the splits.",
            hint="compare_mixed corrects for the overlap of unshared splits.",
        )


def misfit(test: Test, data: PairedScores) -> str:
    """Return the reason why a test does not fit the scores, empty where it fits."""
    overlapping, n, five = overlaps(data), len(data.table), test.startswith("5x2cv")
    if overlapping and test in ("corrected-t", "bayes-t"):
        _require_overlap(data)
    rows = f"{n} of {data.kind!r}" if data.kind else f"{n}"
    reasons: list[tuple[bool, str]] = [
        (
            test == "corrected-t" and not overlapping,
            ("no overlapping training sets are declared (resampling=...), for which it corrects"),
        ),
        (
            overlapping and test not in _OVERLAPPING,
            (
                f"scores come from {data.kind!r}, whose training sets overlap, so that its"
                " p-values would be far too small"
            ),
        ),
        (
            data.paired and test in _UNPAIRED,
            "algorithms share replications, so that their scores are not independent",
        ),
        (
            not data.paired and test not in _UNPAIRED,
            "algorithms do not share replications, so that there are no differences to test",
        ),
        (
            data.total is not None and test not in _OF_UNITS,
            "units differ in their number of items, by which it does not weigh them",
        ),
        (test in OUTCOMES and not data.right_or_wrong, "not all scores are 0 or 1"),
        (
            test == "binomial" and data.bar is None,
            "it sets a share against a number (baseline=0.5)",
        ),
        (
            test in PAIRED_OUTCOMES and data.bar is not None,
            "a number is right or wrong on no item",
        ),
        (
            test in ("wilcoxon", "sign") and data.right_or_wrong,
            "scores are 0 or 1, so that as a rule the median difference is 0 and says nothing",
        ),
        (
            five and (data.kind != "cv" or data.folds != 2 or n != 10),
            (
                "it is made for five replications of two folds, ten scores declared as"
                ' resampling="cv:2", and there'
                f" are {rows}"
            ),
        ),
        (five and bool(np.isnan(data.table).any()), "some of the ten scores are missing"),
        (
            test == "parts-t" and data.kind != "items",
            'only test items (resampling="items") can be split into parts',
        ),
    ]
    return next((why for holds, why in reasons if holds), "")


def without_error(test: Test, data: PairedScores) -> tuple[Test | None, str]:
    """Return the test that answers where differences have no spread, and why; None without one."""
    if not data.paired or overlaps(data):
        return None, ""
    if data.right_or_wrong and data.bar is not None:
        return "binomial", "it counts the items that are right"
    if data.right_or_wrong and data.total is None:
        return "mcnemar", "it counts the items that one alone gets right"
    return "sign-flip", f"differences without any spread leave no error for the {WORDS[test]}"


def refuse_without_spread(test: Test, data: PairedScores, flat: Sequence[tuple[str, str]]) -> None:
    """Raise a DesignError for pairs whose differences have no spread, if there are any."""
    if not flat:
        return
    named = "; ".join(f"{first} and {second}" for first, second in flat[:3])
    more = f" and {len(flat) - 3:,} more pairs" if len(flat) > 3 else ""
    answer, _ = without_error(test, data)
    hint = f"test={literal(answer)} answers without one."
    if not answer:
        hint = "compare_points describes such scores."
        if not data.paired:
            hint = "compare_permutation exchanges replications, and needs no error."
    raise DesignError(
        f"the {WORDS[test]} has no error to judge by, as differences are the same on all"
        f" replications: {named}{more}.",
        hint=hint,
    )


FORMULAS: dict[str, str] = {
    "t": "mean difference / (s / sqrt(n)), t with n - 1 df",
    "welch": "difference of means / sqrt(s1^2 / n1 + s2^2 / n2), t with Welch's df",
    "corrected-t": "mean difference / sqrt((1 / J + n_test / n_train) s^2), t with J - 1 df",
    "5x2cv-t": "first difference / sqrt(mean of the five s_i^2), t with 5 df",
    "5x2cv-f": "sum of the ten d^2 / (2 sum of the five s_i^2), F with 10 and 5 df",
    "wilcoxon": "sum of signed ranks against random signs",
    "sign": "number of positive differences against fair coins",
    "sign-flip": "mean difference against random signs of its differences",
    "bayes-t": "posterior t about the mean difference, scale sqrt((1 / J + n_test / n_train) s^2)",
    "mcnemar": "items that one alone gets right against fair coins",
    "mcnemar-midp": "items that one alone gets right against fair coins, the observed table half",
    "mcnemar-chi2": "(|b - c| - 1)^2 / (b + c), chi-squared with 1 df",
    "mcnemar-score": "(b - c) / sqrt(b + c), normal",
    "paired-rates": "(b - c) / sqrt(b + c - (b - c)^2 / n), normal",
    "independent-rates": "tables by Fisher's mid-p, at the least favourable common rate",
    "parts-t": "mean difference of parts / (s / sqrt(N)), t with N - 1 df",
    "binomial": "number of right answers against a binomial distribution",
}
_INTERVALS: dict[str, str] = {
    "5x2cv-t": "t intervals about the first of the ten differences",
    "5x2cv-f": "the shifts that the F-test does not reject",
    "wilcoxon": "Hodges-Lehmann shifts with intervals by inversion of the test",
    "sign": "medians with intervals by inversion of the test",
    "sign-flip": "mean differences with t intervals",
    "bayes-t": "posterior means with equal-tailed credible intervals",
    "mcnemar": "differences of rates with Newcombe's intervals for paired rates",
    "mcnemar-midp": "differences of rates with Newcombe's intervals for paired rates",
    "mcnemar-chi2": "differences of rates with Newcombe's intervals for paired rates",
    "mcnemar-score": "differences of rates with Tango's score intervals",
    "paired-rates": "differences of rates with normal intervals",
    "independent-rates": "differences of rates with Miettinen and Nurminen's score intervals",
    "binomial": "rates less the number with Clopper and Pearson's intervals",
}
_SOURCES: dict[str, tuple[object, ...]] = {
    "t": (),
    "welch": (t_tests.welch,),
    "corrected-t": (t_tests.paired_t, t_tests.corrected_t),
    "5x2cv-t": (t_tests.five_by_two_t,),
    "5x2cv-f": (t_tests.five_by_two_f,),
    "wilcoxon": (signs.sign_flip, signs.sign_tests, hodges_lehmann),
    "sign": (),
    "sign-flip": (signs.sign_tests,),
    "bayes-t": (t_tests.paired_t, t_tests.posterior),
    "mcnemar": (outcomes.mcnemar, rates.newcombe_paired),
    "mcnemar-midp": (outcomes.mcnemar, rates.newcombe_paired),
    "mcnemar-chi2": (outcomes.mcnemar, rates.newcombe_paired),
    "mcnemar-score": (outcomes.mcnemar, outcomes.score_statistic),
    "paired-rates": (),
    "independent-rates": (independent_rates.unconditional, independent_rates.score_statistic),
    "parts-t": (),
    "binomial": (),
}


def rule(measure: Measure, level: float) -> str:
    """Return the rule that turns posterior probabilities into verdicts, in words."""
    wanted = f"{100 * level:g} %"
    if measure.tolerance == 0:
        return (
            "A pair is decided when the posterior probability that one is better is at least"
            f" {wanted}, and undecided otherwise. No tolerance is set, so no pair can be called"
            " equivalent."
        )
    return (
        "A pair is equivalent when the posterior probability that it differs by less than"
        f" {margin(measure)} is at least {wanted}; it is decided when the probability that one is"
        " better by more than that is; otherwise it is undecided."
    )


def method(result: PairComparison) -> str:
    """Return sentences for a methods section: the test, its data, estimates and adjustment."""
    measure, test = result.measure, result.test
    scale = "" if measure.scale == "identity" else f"{measure.scale} "
    low, high = int(result.n.min()), int(result.n.max())
    n = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    units = {
        "items": "items",
        "cv": "folds",
        "holdout": "splits",
        "seeds": "random starts",
        "runs": "runs",
    }
    kind = result.setting.resampling
    what = units.get(kind.kind, "replications") if kind is not None else "replications"
    chosen = result.options.test == "auto"
    why = f" It was chosen because {result.reason}." if chosen else ""
    tested = measure.tolerance > 0 and not result._bayesian and test != "5x2cv-f"
    equivalence = (
        f" Equivalence was tested by two one-sided tests at {margin(measure)}." if tested else ""
    )
    parts = ""
    if test == "parts-t":
        parts = f" Items were split at random into {int(result.looks[0].n)} parts of equal size."
    return (
        f"The {scale}scores of {measure.noun} were compared by the {result.test_name}"
        f" on {result.setting.units or f'{n} {what}'}.{zeros(result.zeros)}{why}{parts}"
        f" Estimates are {_INTERVALS.get(test, 'mean differences with t intervals')}."
        f"{equivalence} {sentence(result.provenance.adjustment)}."
    )


def adjustment(test: str, options: PairOptions, family: ContrastFamily) -> str:
    """Return the adjustment of p-values and intervals for a family of pairs, in words."""
    if len(family.pairs) == 1:
        return "There is one pair, and nothing to adjust for"
    if test == "bayes-t":
        return (
            f"Posterior probabilities are those of each pair alone, not adjusted for {family.words}"
        )
    return words(options.adjust, family, directed=options.directed, interval=options.interval)


def sources(result: PairComparison) -> list[object]:
    """Return the functions whose docstrings name the sources of a test and its adjustment."""
    used = [type(result.options), *_SOURCES[result.test]]
    if result.setting.units and result.test == "t":
        used.append(t_tests.units_t)
    adjust = result.options.adjust
    if len(result.pairs) == 1 or result._bayesian or adjust == "none":
        return used
    if source := ADJUSTMENTS[adjust].source:
        used.append(source)
    return [*used, sidak]
