"""Which test of two algorithms fits how their scores came about, and why."""

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from benchinfer.compare.paired_scores import PairedScores
from benchinfer.compare.resamples import declaration
from benchinfer.errors import DesignError, message, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

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
    "independent-rates": "test of independent rates",
    "parts-t": "paired t-test on parts of the test set",
}
PAIRED_OUTCOMES = ("mcnemar", "mcnemar-midp", "mcnemar-chi2", "mcnemar-score", "paired-rates")
OUTCOMES = (*PAIRED_OUTCOMES, "independent-rates")
_UNPAIRED = ("welch", "independent-rates")
_OVERLAPPING = ("corrected-t", "5x2cv-t", "5x2cv-f", "bayes-t")
_CLUSTERED = ("t", "sign-flip")


def resolve(asked: str, data: PairedScores) -> tuple[Test, str]:
    """Return the test that is asked for, or that ``"auto"`` means, and why.

    Raises
    ------
    DesignError
        The test does not exist or does not fit how scores came about; the hint names one that does.
    """
    if asked not in ("auto", *TESTS):
        raise DesignError(unknown("test", asked, ["auto", *TESTS]))
    if asked == "auto":
        return fitting(data)
    test: Test = next(name for name in TESTS if name == asked)
    if why := misfit(test, data):
        try:
            right, reason = fitting(data)
            hint = f'test="{right}" fits: {reason}.'
        except DesignError as error:
            hint = str(error).partition("Hint: ")[2]
        raise DesignError(message(f'test="{test}" does not fit: {why}.', hint=hint))
    return test, "it was asked for"


def fitting(data: PairedScores) -> tuple[Test, str]:
    """Return the test that fits the scores, and why.

    Raises
    ------
    DesignError
        No test of two algorithms fits: overlap is not declared, or overlapping folds not shared.
    """
    if overlaps(data):
        _require_overlap(data)
        return "corrected-t", f"scores come from {data.kind!r}, whose training sets overlap"
    if not data.paired:
        if data.right_or_wrong and data.kind == "items":
            return "independent-rates", "each algorithm has test items of its own, right or wrong"
        return "welch", "algorithms do not share replications"
    if data.cluster is not None:
        return "t", "items come in clusters, for which its error is made robust"
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


def overlaps(data: PairedScores) -> bool:
    """Whether training sets overlap."""
    return data.overlap != 0


def _require_overlap(data: PairedScores) -> None:
    if data.kind is not None and data.overlap is None:
        raise DesignError(
            message(
                f"scores come from {data.kind!r}, whose training sets overlap, and by how much is"
                " not declared.",
                hint=f"declare it, as in resampling={declaration(data.kind)}.",
            )
        )
    if not data.paired:
        raise DesignError(
            message(
                f"scores come from {data.kind!r}, and algorithms do not share the splits.",
                hint="compare_mixed corrects for the overlap of unshared splits.",
            )
        )


def misfit(test: Test, data: PairedScores) -> str:
    """Say why a test does not fit the scores; empty where it does."""
    rules: tuple[Callable[[Test, PairedScores], str], ...] = (
        _of_overlap,
        _of_pairing,
        _of_clusters,
        _of_outcomes,
        _of_folds,
        _of_parts,
    )
    return next((why for rule in rules if (why := rule(test, data))), "")


def _of_pairing(test: Test, data: PairedScores) -> str:
    if data.paired and test in _UNPAIRED:
        return "algorithms share replications, so that their scores are not independent"
    if not data.paired and test not in _UNPAIRED:
        return "algorithms do not share replications, so that there are no differences to test"
    return ""


def _of_overlap(test: Test, data: PairedScores) -> str:
    if not overlaps(data):
        if test != "corrected-t":
            return ""
        return "no overlapping training sets are declared (resampling=...), for which it corrects"
    if test not in _OVERLAPPING:
        return (
            f"scores come from {data.kind!r}, whose training sets overlap, so that its p-values"
            " would be far too small"
        )
    if test in ("corrected-t", "bayes-t"):
        _require_overlap(data)
    return ""


def _of_clusters(test: Test, data: PairedScores) -> str:
    if data.cluster is not None and test not in _CLUSTERED:
        return "items come in clusters, within which they are not independent"
    return ""


def _of_outcomes(test: Test, data: PairedScores) -> str:
    if test in OUTCOMES and not data.right_or_wrong:
        return "not all scores are 0 or 1"
    if test in ("wilcoxon", "sign") and data.right_or_wrong:
        return "scores are 0 or 1, so that as a rule the median difference is 0 and says nothing"
    return ""


def _of_folds(test: Test, data: PairedScores) -> str:
    if not test.startswith("5x2cv"):
        return ""
    n = len(data.table)
    if data.kind != "cv" or data.folds != 2 or n != 10:
        found = f"{n} of {data.kind!r}" if data.kind else f"{n}"
        return (
            "it is made for five replications of two folds, ten scores declared as"
            f' Resampling("cv", folds=2), and there are {found}'
        )
    return "some of the ten scores are missing" if np.isnan(data.table).any() else ""


def _of_parts(test: Test, data: PairedScores) -> str:
    if test == "parts-t" and data.kind != "items":
        return 'only test items (resampling="items") can be split into parts'
    return ""
