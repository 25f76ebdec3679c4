"""What is said of a test of two algorithms: formula, method, rule, and where it comes from."""

from typing import TYPE_CHECKING

from benchinfer.compare import steps
from benchinfer.compare.pair_rules import WORDS
from benchinfer.compare.phrases import count
from benchinfer.compare.wording import margin
from benchinfer.measure import Measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchinfer.compare.pair_comparison import PairComparison

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
    "independent-rates": "difference of rates / sqrt(p1 q1 / n1 + p2 q2 / n2), normal",
    "parts-t": "mean difference of parts / (s / sqrt(N)), t with N - 1 df",
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
    "independent-rates": "differences of rates with Newcombe's intervals",
}
_PAIRED = "benchinfer.numerics.paired"
_OUTCOMES = "benchinfer.numerics.outcomes"
_SIGNS = ("benchinfer.numerics.paired_exact", "benchinfer.numerics.signs")
_HOMES: dict[str, tuple[str, ...]] = {
    "t": (),
    "welch": (f"{_PAIRED}:welch",),
    "corrected-t": (_PAIRED, f"{_PAIRED}:corrected_t"),
    "5x2cv-t": (f"{_PAIRED}:five_by_two_t",),
    "5x2cv-f": (f"{_PAIRED}:five_by_two_f",),
    "wilcoxon": (*_SIGNS, "benchinfer.numerics.shift"),
    "sign": (),
    "sign-flip": ("benchinfer.numerics.signs",),
    "bayes-t": (_PAIRED, f"{_PAIRED}:posterior"),
    "mcnemar": (f"{_OUTCOMES}:mcnemar", f"{_OUTCOMES}:newcombe_paired"),
    "mcnemar-midp": (f"{_OUTCOMES}:mcnemar", f"{_OUTCOMES}:newcombe_paired"),
    "mcnemar-chi2": (f"{_OUTCOMES}:mcnemar", f"{_OUTCOMES}:newcombe_paired"),
    "mcnemar-score": (f"{_OUTCOMES}:mcnemar", f"{_OUTCOMES}:score_statistic"),
    "paired-rates": (),
    "independent-rates": (_OUTCOMES,),
    "parts-t": (),
}


def rule(measure: Measure, level: float) -> str:
    """Say how posterior probabilities become verdicts."""
    wanted = f"{100 * level:g} %"
    if measure.tolerance == 0:
        return (
            f"A pair is decided when the posterior probability that one is better is at least"
            f" {wanted}, and undecided otherwise. No tolerance is set, so no pair can be called"
            " equivalent."
        )
    return (
        f"A pair is equivalent when the posterior probability that it differs by less than"
        f" {margin(measure)} is at least {wanted}; it is decided when the probability that one is"
        f" better by more than that is; otherwise it is undecided."
    )


def method(result: "PairComparison") -> str:
    """Say what was done, in sentences for a methods section."""
    measure, test = result.measure, result.test
    scale = "" if measure.scale == "identity" else f"{measure.scale} "
    low, high = int(result.n.min()), int(result.n.max())
    n = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    units = {"items": "items", "cv": "folds", "holdout": "splits", "seeds": "random starts"}
    kind = result.setting.resampling
    what = units.get(kind.kind, "replications") if kind is not None else "replications"
    chosen = result.provenance.arguments["test"] == "auto"
    why = f" It was chosen because {result.reason}." if chosen else ""
    parts = ""
    if test == "parts-t":
        parts = f" Items were split at random into {int(result.looks[0].n)} parts of equal size."
    return (
        f"The {scale}scores of {measure.name} were compared by the {WORDS[test]}"
        f"{clustered(result)} on {n} {what}.{zeros(result.zeros)}{why}{parts} Estimates are"
        f" {_INTERVALS.get(test, 'mean differences with t intervals')}."
        f"{_equivalence(result)} {result.provenance.adjustment}."
    )


def zeros(left_out: "NDArray[np.int64]") -> str:
    """Say how many differences of zero a test leaves out, as a sentence behind another."""
    low, high = int(left_out.min()), int(left_out.max())
    if not high:
        return ""
    n = f"{high:,}" if low == high else f"{low:,} to {high:,}"
    return f" Differences of zero were left out: {n}{'' if len(left_out) == 1 else ' of a pair'}."


def clustered(result: "PairComparison") -> str:
    """Say what a test makes of clusters, if there are any, as words behind its name."""
    if not result.clusters:
        return ""
    said = count(result.clusters, "cluster")
    if result.test == "sign-flip":
        return f", flipping {said} as wholes,"
    return f", errors robust to {said},"


def _equivalence(result: "PairComparison") -> str:
    if result.measure.tolerance == 0 or result.bayesian or result.test == "5x2cv-f":
        return ""
    return f" Equivalence was tested by two one-sided tests at {margin(result.measure)}."


def adjustment(test: str, adjust: str, family: str, n: int, *, side: int) -> str:
    """Say how p-values and intervals are adjusted for a family."""
    if n == 1:
        return "There is one pair, and nothing to adjust for"
    if test == "bayes-t":
        return f"Posterior probabilities are those of each pair alone, not adjusted for {family}"
    if adjust == "none":
        return steps.WORDS["none"].format(family=family)
    intervals = "Bonferroni's" if side else "Sidak's"
    return f"{steps.WORDS[adjust].format(family=family)}; intervals are {intervals}"


def homes(test: str, *, clustered: bool) -> list[str]:
    """Return the modules and functions whose docstrings name the sources of a test."""
    found = ["benchinfer.compare.pair", *_HOMES[test]]
    return [*found, f"{_PAIRED}:clustered"] if clustered else found


def adjusting(adjust: str, *, adjusted: bool) -> list[str]:
    """Return the same for an adjustment."""
    if not adjusted or adjust == "none":
        return []
    home = [f"benchinfer.numerics.{steps.HOMES[adjust]}"] if adjust in steps.HOMES else []
    return [*home, "benchinfer.compare.adjust:sidak"]
