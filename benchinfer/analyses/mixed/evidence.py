"""Evidence of a mixed model: adjustment, errors and tests of contrasts, and levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.analyses.mixed.numerics.shared import SharedMeans
from benchinfer.comparison import adjustment, normal
from benchinfer.comparison.contrasts import ContrastFamily
from benchinfer.comparison.evidence import Evidence, Level, Setting, silenced, withheld
from benchinfer.comparison.further import best
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.numerics import max_t, rotations
from benchinfer.numerics.covariance import Adjusted, Estimates, all_pairs
from benchinfer.numerics.directions.rank_sets import RankSets, RowReference, rank_sets
from benchinfer.numerics.rates import rate_interval
from benchinfer.numerics.types import Array, Flags
from benchinfer.scores.numerics.skewness import excessive, skewness

if TYPE_CHECKING:
    from benchinfer.analyses.mixed.design import Design
    from benchinfer.analyses.mixed.fit import MixedFit
    from benchinfer.analyses.mixed.options import MixedOptions


type Adjust = Literal[
    "auto",
    "rotation",
    "single-step",
    "westfall",
    "bergmann-hommel",
    "shaffer",
    "holm",
    "bh",
    "by",
    "none",
]
CLOSED = ("rotation", "bergmann-hommel")
# Adjustments that other normal models have not.
OF_MIXED = (*CLOSED, "bh", "by")
# Bergmann and Hommel's procedure takes up to half a second for so many.
_MOST_IN_SETS = 15
_BY = {
    "rotation": "rotations of the data sets' means (exact for normal differences)",
    "flips": "sign flips of the data sets' means (exact for symmetric differences)",
}


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Adjustment of the p-values of a mixed comparison."""

    method: str  # of `ADJUSTMENTS`
    # Why there are no rotations, the first choice; empty where there are, or where the user named
    # the method
    because: str = ""

    def words(self, family: ContrastFamily, options: MixedOptions) -> str:
        """Return the adjustment of p-values and intervals, in words."""
        by = f" by {_BY[options.reference]}" if self.method == "rotation" else ""
        text = adjustment.words(
            self.method,
            family,
            directed=options.directed,
            interval=options.interval,
            by=by,
            joint=True,
        )
        if not self.because or len(family.matrix) == 1:
            return text
        return f"{text} (no rotations, {self.because})"


def family_of(
    algorithms: tuple[str, ...], fitted: MixedFit, options: MixedOptions, levels: Array
) -> tuple[ContrastFamily, Adjustment]:
    """Return the contrasts of the options, and their adjustment."""
    family = options.family(algorithms, levels)
    adjusted = resolve(options, fitted, family)
    if options.reference != "rotation" and adjusted.method != "rotation":
        impossible = _not_rotated(fitted, options)
        raise DesignError(
            f"reference={options.reference!r} is of the closed test, and p-values are adjusted by"
            f" {adjusted.method}.",
            hint="leave out reference="
            + ("." if impossible else ', or compare with adjust="rotation".'),
        )
    return family, adjusted


def resolve(options: MixedOptions, fitted: MixedFit, family: ContrastFamily) -> Adjustment:
    """Return the adjustment that ``"auto"`` means, or check the one requested."""
    adjust, design, k = options.adjust, fitted.design, len(fitted.fixed.at)
    common = design.structure == "common" and design.residual == "constant"
    why = _not_rotated(fitted, options)
    of_pairs = _all_pairs(family.matrix) and options.alternative == "two-sided"
    if adjust == "auto" and not common and len(family.matrix) > 1:
        if not why:
            return Adjustment("rotation")
        why = "" if design.by_replications else why
        return Adjustment("bergmann-hommel" if of_pairs and k <= _MOST_IN_SETS else "holm", why)
    if (adjust == "rotation" and why) or (adjust == "bergmann-hommel" and not of_pairs):
        why = why if adjust == "rotation" else "as these are not all pairs, two-sided"
        raise DesignError(
            f"{adjust=} does not go with this comparison, {why}.",
            hint='adjust="auto" takes what does.',
        )
    if adjust in OF_MIXED:
        return Adjustment(adjust)
    contrasts, alternative = options.contrasts, options.alternative
    return Adjustment(adjustment.resolve(adjust, contrasts, alternative, common=common))


def _all_pairs(matrix: Array) -> bool:
    """Return whether contrasts are all pairs of algorithms."""
    single = (np.count_nonzero(matrix, axis=1) == 2).all()
    return bool(single) and len(matrix) == matrix.shape[1] * (matrix.shape[1] - 1) // 2


def _not_rotated(fitted: MixedFit, options: MixedOptions) -> str:
    """Return the reason why rotations cannot close the tests; empty if they can."""
    k, contrasts = len(fitted.fixed.at), options.contrasts
    of_pairs = isinstance(contrasts, str) and contrasts in ("tukey", "dunnett")
    most = rotations.MOST_ALGORITHMS
    if not of_pairs:
        return "as the contrasts are neither all pairs nor those with a control"
    if contrasts == "tukey" and options.directed:
        return "as one-sided hypotheses of all pairs are no equalities"
    unlike = _unlike_rows(fitted, options)
    return unlike or (f"as there are {k} algorithms, more than {most}" if k > most else "")


def _unlike_rows(fitted: MixedFit, options: MixedOptions) -> str:
    """Return the reason why means of data sets are not exchangeable rows; empty if they are."""
    design = fitted.design
    reasons = {
        "as claims are about given data sets": design.by_replications,
        f"as the structure is {design.structure}": design.structure != "pairwise",
        "as the model has domains": design.domains != "pooled",
        "as the model has covariates": bool(design.covariates),
        "as residual variances differ in the model": design.residual != "constant",
        "as infinite degrees of freedom were asked for": options.df == "asymptotic",
    }
    if any(reasons.values()):
        return next(words for words, holds in reasons.items() if holds)
    n = np.empty((0, len(fitted.fixed.at))) if fitted.plain is None else fitted.plain[0].n
    empty = int((n == 0).sum())
    if fitted.datasets is None and empty:
        return f"as {count(empty, 'cell')} {'is' if empty == 1 else 'are'} empty"
    if fitted.datasets is None:
        shared = "unequal numbers of scores" if np.ptp(n) > 0 else "scores of other replications"
        return f"as cells hold {shared}"
    return f"as there are {len(n)} data sets" if len(n) < rotations.FEWEST_ROWS else ""


def rank_sets_of(
    setting: Setting,
    fitted: MixedFit,
    options: MixedOptions,
    at: Array,
    levels: Array,
) -> RankSets:
    """Return the confidence sets of the best and of ranks, by rotations if valid, else by t."""
    margin, k = setting.measure.margin, len(levels)
    means, family = fitted.datasets, ContrastFamily(*all_pairs(k), "")
    silent = certain(setting, fitted.design, family.matrix) | skewed(fitted, family.matrix)
    of_both = Errors.of(fitted, at, family, options.df)
    errors, least = of_both.chosen, of_both.least
    spread = normal.std_errors(family, errors)
    rotated = k > 2 and not silent.any() and not _unlike_rows(fitted, options)
    if rotated and means and means.nearly_complete and (spread >= least).all():
        rows = RowReference(means.filled, options.reference, options.seed)
        return rank_sets(rows, options.alpha, margin)
    if isinstance(errors, Estimates):
        errors = replace(errors.first(len(least)), std_error=np.maximum(spread, least))
        return best.of_estimates(errors, family.pairs, silent, options.alpha, margin)
    least = np.where(silent, np.inf, least)
    return best.of_normal(levels, errors, options.alpha, margin, least)


@dataclass(frozen=True, slots=True)
class Errors:
    """Covariance of the K levels, and degrees of freedom of the contrasts and then of the levels.

    Attributes
    ----------
    common
        Under the model.
    spread
        From the spread between data sets or, of given data sets, between replications: estimates of
        the contrasts, then of the levels. None where an algorithm has one replication.
    chosen
        The one of both that the structure of the model stands for.
    least
        (P,) least standard errors of the contrasts: of rates those by the sampling of items.
    """

    common: Adjusted
    spread: Adjusted | Estimates | None
    chosen: Adjusted | Estimates
    least: Array

    @staticmethod
    def of(fitted: MixedFit, at: Array, family: ContrastFamily, df: str) -> Errors:
        """Return the errors of the levels `at` (K, p) and of the contrasts of a family."""
        rows = np.vstack([family.matrix @ at, at])
        asymptotic, pairwise = df == "asymptotic", fitted.design.structure == "pairwise"
        common, means = fitted.errors(rows, df), fitted.replications or fitted.datasets
        common = Adjusted(at @ common.cov @ at.T, common.df)
        if means is not None:
            spread = means.estimates(family.matrix, asymptotic=asymptotic)
        elif (spread := fitted.spread(rows, asymptotic=asymptotic)) is not None:
            spread = Adjusted(at @ spread.cov @ at.T, spread.df)
        rates = fitted.sampling is not None
        least = fitted.least_errors(family.matrix) if rates else np.zeros(len(family.matrix))
        return Errors(common, spread, spread if pairwise and spread is not None else common, least)

    def of_levels(self) -> tuple[Array, Flags]:
        """Return (K,) standard errors of the levels, and which of them are the common one.

        An algorithm whose scores do not vary, or with the same score on every data set, has no
        error of its own.
        """
        # Rounding may leave the variance of a constant algorithm just below zero.
        model = np.sqrt(np.maximum(self.common.cov.diagonal(), 0.0))
        if isinstance(self.chosen, Estimates):
            error = self.chosen.std_error[-len(model) :]
            constant = (error == 0) & (model > 0)
        else:
            error = np.sqrt(np.maximum(self.chosen.cov.diagonal(), 0.0))
            constant = normal.without_spread(error, self.chosen) & (model > error)
        return np.where(constant, model, error), constant


def evidence_of(
    setting: Setting,
    fitted: MixedFit,
    options: MixedOptions,
    family: ContrastFamily,
    method: str,
    levels: Array,
    errors: Errors,
) -> tuple[Evidence, float]:
    """Return the evidence of each contrast, and the largest error of an adjusted p-value."""
    evidence, p_error = normal.evidence_of(
        family,
        levels,
        errors.chosen.first(len(family.matrix)),
        method,
        options.alpha,
        setting.measure.margin,
        options.alternative,
        closed_test(method, options, family.matrix, fitted.datasets),
        errors.least,
        interval=options.interval,
    )
    contrasts = family.matrix[family.wanted]
    evidence = silenced(evidence, certain(setting, fitted.design, contrasts))
    return withheld(evidence, skewed(fitted, contrasts)), p_error


def skewed(fitted: MixedFit, contrasts: Array) -> Flags:
    """Return which (P, K) contrasts of data sets are too skew for claims about their mean."""
    if fitted.dataset_means is None:
        return np.zeros(len(contrasts), np.bool_)
    d = fitted.dataset_means.differences(contrasts)
    return excessive(skewness(d), np.isfinite(d).sum(axis=0))


def untested(evidence: Evidence) -> Flags:
    """Return which pairs have an error but no test, as their verdicts are withheld."""
    unbounded = np.isinf(evidence.low) & np.isinf(evidence.high)
    return unbounded & (evidence.p_value == 1) & (evidence.std_error > 0)


def right_or_wrong(setting: Setting, design: Design) -> bool:
    """Return whether scores of single data sets are 0 or 1, which a normal model does not suit."""
    return (design.one_dataset or design.each) and setting.zero_one


def certain(setting: Setting, design: Design, contrasts: Array) -> Flags:
    """Return which of (P, K) contrasts have an algorithm that is right, or wrong, on all items.

    Its scores do not vary, and the common error, or one of its own, takes that for precision.
    """
    if not right_or_wrong(setting, design):
        return np.zeros(len(contrasts), np.bool_)
    spread = setting.quantiles[..., -1] - setting.quantiles[..., 0]
    constant = (spread == 0).any(axis=0) if design.each else (spread == 0).all(axis=0)
    return ((contrasts != 0) & constant).any(axis=1)


def levels_of(
    setting: Setting, design: Design, levels: Array, errors: Errors, alpha: float
) -> Level:
    """Return each algorithm's level with its interval.

    Rates on one data set have Wilson's intervals, which stay between 0 and 1.
    """
    resampling = setting.resampling
    independent = resampling is None or resampling.overlap == 0
    if design.one_dataset and right_or_wrong(setting, design) and independent:
        n = setting.coverage.counts[0].astype(np.float64)
        right = np.round(n * np.clip(setting.measure.level_of(levels), 0.0, 1.0))
        low, high = rate_interval("wilson", right, n, alpha / 2)
        ends = (low, high) if setting.measure.sign > 0 else (-high, -low)
        return Level(levels, *ends)
    (error, constant), k = errors.of_levels(), len(levels)
    df = np.where(constant, errors.common.df[-k:], errors.chosen.df[-k:])
    half = max_t.critical_t(df, alpha) * error
    return Level(levels, levels - half, levels + half)


def closed_test(
    method: str,  # the adjustment, resolved
    options: MixedOptions,  # of `compare_mixed`
    matrix: Array,  # (P, K) contrasts of pairs, all of them or those with a control
    means: SharedMeans | None,  # what rotations go with
    directions: int = rotations.DIRECTIONS,  # how many rotations or flips
) -> rotations.ClosedTest | None:
    """Return the closed test of contrasts, None where the adjustment is another one."""
    if method not in CLOSED:
        return None
    many = means is not None and len(means.mean) >= rotations.FEWEST_ROWS
    return rotations.ClosedTest.of(
        matrix,
        means.centred if means is not None and many and method == "rotation" else None,
        side=adjustment.SIDES[options.alternative],
        alpha=options.alpha,
        spent=adjustment.level_spent(method, len(matrix), options.interval),
        reference=options.reference,
        directions=directions,
        seed=options.seed,
    )
