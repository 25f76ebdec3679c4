"""Closed tests of the pairs of a mixed comparison."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.analyses.mixed.numerics.moments import Statistics
from benchinfer.comparison import adjustment, stepwise
from benchinfer.comparison.contrasts import ContrastFamily
from benchinfer.comparison.evidence import Array
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import Given, Option
from benchinfer.core.numbers import count
from benchinfer.numerics import closed_testing, multiplicity, rotations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchinfer.analyses.mixed.fit import MixedFit
    from benchinfer.analyses.mixed.options import MixedOptions


type Adjust = Literal[
    "auto", "rotation", "single-step", "westfall", "bergmann-hommel", "shaffer", "holm", "none"
]
CLOSED = ("rotation", "bergmann-hommel")
# Bergmann and Hommel's procedure takes up to half a second for so many.
_MOST_IN_SETS = 15
_SIDES = {"two-sided": 0, "better": 1, "worse": -1}
_BY = {
    "rotation": "rotations of the data sets' means (exact for normal differences)",
    "flips": "sign flips of the data sets' means (exact for symmetric differences)",
}


@dataclass(frozen=True, slots=True)
class Adjustment:
    """How the p-values of a mixed comparison are adjusted.

    Attributes
    ----------
    method
        Of `adjustment.WORDS`, or of `CLOSED`.
    because
        Why rotations, which go first, were not taken; empty where they were, or where the method
        was asked for.
    """

    method: str
    because: str = ""

    def words(self, family: ContrastFamily, options: "MixedOptions") -> str:
        """Return the adjustment of p-values and intervals, in words."""
        if len(family.matrix) == 1:
            return stepwise.ONE
        simple = "Sidak's" if options.alternative == "two-sided" else "Bonferroni's"
        if self.method == "rotation":
            by = _BY[options.reference]
            return f"p-values are of the closed test of {family.words} by {by}, intervals {simple}"
        if self.method == "bergmann-hommel":
            text = f"p-values are Bergmann and Hommel's and intervals {simple} over {family.words}"
        else:
            text = adjustment.WORDS[self.method].format(family=family.words, simple=simple)
        return f"{text} (no rotations, {self.because})" if self.because else text


def resolve(options: "MixedOptions", fitted: "MixedFit", family: ContrastFamily) -> Adjustment:
    """Return the adjustment that ``"auto"`` means, or check the one requested."""
    asked, design, k = options.adjust, fitted.design, len(fitted.fixed.at)
    common = design.structure == "common" and design.residual == "constant"
    why = _not_rotated(fitted, options)
    of_pairs = _all_pairs(family.matrix) and options.alternative == "two-sided"
    if asked == "auto" and not common and len(family.matrix) > 1:
        if not why:
            return Adjustment("rotation")
        return Adjustment("bergmann-hommel" if of_pairs and k <= _MOST_IN_SETS else "holm", why)
    if (asked == "rotation" and why) or (asked == "bergmann-hommel" and not of_pairs):
        why = why if asked == "rotation" else "as these are not all pairs, two-sided"
        raise DesignError(
            f"{Given('adjust', asked)} does not go with this comparison, {why}.",
            hint=f"{Option('adjust', 'auto')} takes what does.",
        )
    if asked in CLOSED:
        return Adjustment(asked)
    contrasts, alternative = options.contrasts, options.alternative
    return Adjustment(adjustment.resolve(asked, contrasts, alternative, common=common))


def check_reference(fitted: "MixedFit", options: "MixedOptions", method: str) -> None:
    """Refuse sign flips where another adjustment has no use for them."""
    if options.reference != "rotation" and method != "rotation":
        why = _not_rotated(fitted, options)
        raise DesignError(
            f"{Given('reference', options.reference)} is of the closed test, and p-values are"
            f" adjusted by {method}.",
            hint=f"leave out {Option('reference', '')}"
            + ("." if why else f", or compare with {Option('adjust', 'rotation')}."),
        )


def _all_pairs(matrix: Array) -> bool:
    """Return whether contrasts are all pairs of algorithms."""
    single = (np.count_nonzero(matrix, axis=1) == 2).all()
    return bool(single) and len(matrix) == matrix.shape[1] * (matrix.shape[1] - 1) // 2


def _not_rotated(fitted: "MixedFit", options: "MixedOptions") -> str:
    """Return why data sets' means cannot be rotated, empty where they can."""
    k, design, contrasts = len(fitted.fixed.at), fitted.design, options.contrasts
    of_pairs = isinstance(contrasts, str) and contrasts in ("tukey", "dunnett")
    directed = contrasts == "tukey" and options.directed
    most = rotations.MOST_ALGORITHMS
    reasons = {
        "as the contrasts are neither all pairs nor those with a control": not of_pairs,
        "as one-sided hypotheses of all pairs are no equalities": directed,
        f"as the structure is {design.structure}": design.structure != "pairwise",
        "as the model has domains": design.domains != "pooled",
        "as the model has covariates": bool(design.covariates),
        "as residual variances differ in the model": design.residual != "constant",
        "as infinite degrees of freedom were asked for": options.df == "asymptotic",
        f"as there are {k} algorithms, more than {most}": k > most,
    }
    if any(reasons.values()):
        return next(words for words, holds in reasons.items() if holds)
    n = np.empty((0, k)) if fitted.plain is None else fitted.plain[0].n
    empty = int((n == 0).sum())
    if empty:
        return f"as {count(empty, 'cell')} {'is' if empty == 1 else 'are'} empty"
    if np.ptp(n) > 0:
        return "as cells hold unequal numbers of scores"
    return f"as there are {len(n)} data sets" if len(n) < rotations.FEWEST_ROWS else ""


def other_reference(options: "MixedOptions", datasets: int) -> str:
    """Return the reference that was not asked for; empty where flips could decide no pair."""
    if options.reference == "flips":
        return "rotation"
    return "flips" if 2.0 ** (1 - datasets) <= options.alpha else ""


def closed_by(
    method: str,
    options: "MixedOptions",
    matrix: Array,
    stats: Statistics | None,
    directions: int = rotations.DIRECTIONS,
) -> adjustment.Closed | None:
    """Return the closed test of contrasts, None where the adjustment is another one.

    Parameters
    ----------
    method
        The adjustment, resolved.
    options
        Of `compare_mixed`.
    matrix
        (P, K) contrasts of pairs, all of them or those with a control.
    stats
        Moments of a complete table, which rotations need.
    directions
        How many rotations or flips.
    """
    if method not in CLOSED:
        return None
    k, first, second = matrix.shape[1], matrix.argmax(axis=1), matrix.argmin(axis=1)
    number = np.zeros((k, k), np.int64)
    number[np.triu_indices(k, 1)] = np.arange(k * (k - 1) // 2)
    at = number[np.minimum(first, second), np.maximum(first, second)]
    side = _SIDES[options.alternative]
    every = not side and _all_pairs(matrix)

    def by_sets(raw: Array, _: "NDArray[np.bool_]", __: float) -> tuple[Array, Array]:
        p = np.ones(k * (k - 1) // 2)
        p[at] = raw
        closed = closed_testing.bergmann_hommel(p, k)[at] if every else multiplicity.holm(raw)
        return closed, np.zeros(len(raw))

    if method != "rotation" or stats is None or len(stats.n) < rotations.FEWEST_ROWS:
        return by_sets

    def by_rotations(raw: Array, silent: "NDArray[np.bool_]", margin: float) -> tuple[Array, Array]:
        means = stats.total / stats.n + stats.offset
        means[:, second[0]] -= side * margin / stats.scale
        alone, quiet = np.ones(k * (k - 1) // 2), np.zeros(k * (k - 1) // 2, np.bool_)
        alone[at], quiet[at] = raw, silent
        found = rotations.closed_pairs(
            means,
            alone,
            options.alpha,
            control=None if every else int(second[0]),
            side=side,
            silent=quiet,
            reference=options.reference,
            directions=directions,
            seed=options.seed,
        )
        return found.p_value[at], found.error[at]

    return by_rotations
