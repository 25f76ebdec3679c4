"""Influence of data sets and algorithms on a mixed model.

Data sets are independent given the variances, so the statistics without one of them are those of
the others: nothing is read again. An algorithm is different. Without it every block is smaller,
which moves blocks into other classes. The sums of ``score * score`` between algorithms for each
pattern of counts would be needed, and a table with gaps has about as many patterns as blocks. So an
algorithm is left out of the blocks themselves, in one pass over them.

References
----------
Cook, R. D. (1977). Detection of influential observation in linear regression. Technometrics 19,
15-18. https://doi.org/10.1080/00401706.1977.10489493

Christensen, R., Pearson, L. M. & Johnson, W. (1992). Case-deletion diagnostics for mixed models.
Technometrics 34, 38-45. https://doi.org/10.2307/1269550
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

import numpy as np
from scipy.special import stdtr

from benchinfer.analyses.mixed.evidence import closed_test
from benchinfer.analyses.mixed.fit import MixedFit, ScoreReduction, reread
from benchinfer.analyses.mixed.numerics.moments import Statistics
from benchinfer.analyses.mixed.numerics.optimum import ModelFit, fit
from benchinfer.analyses.mixed.numerics.replications import ReplicationMeans, paired_means
from benchinfer.analyses.mixed.numerics.robust import cr2_errors
from benchinfer.analyses.mixed.numerics.shared import SharedMeans
from benchinfer.analyses.mixed.options import MixedOptions
from benchinfer.comparison.contrasts import ContrastFamily, Oriented
from benchinfer.comparison.evidence import decide
from benchinfer.comparison.further.influence import Influence
from benchinfer.comparison.normal import evidence_of
from benchinfer.core.arguments import check_jobs
from benchinfer.core.errors import DesignError, FitError, unknown
from benchinfer.core.measure import Measure
from benchinfer.core.parallel import in_order, workers
from benchinfer.core.verdict import Verdict
from benchinfer.numerics import max_t
from benchinfer.numerics.covariance import Adjusted, Estimates, contrast_variances
from benchinfer.numerics.ties import joined_levels
from benchinfer.numerics.types import Array, Flags, States

if TYPE_CHECKING:
    from benchinfer.analyses.mixed.comparison import MixedComparison
    from benchinfer.scores.table import ScoreTable


# From moments, levels, errors of the contrasts and the contrasts to adjusted p-values of the
# difference and of the equivalence tests.
type Tests = Callable[[Statistics, Array, Adjusted | Estimates, Array], tuple[Array, Array]]
type Leave = Literal["dataset", "algorithm"]
# Estimates and verdicts of contrasts, and (4,) variances of the model.
type SmallerFit = tuple[Array, States, Array]

# Rotations of each smaller table: with all of them eight algorithms take a second and more.
_DIRECTIONS = 1_999
# Data sets that are refitted without; in larger tables those that move a contrast the most.
MOST = 200
_RATIOS = ("ratio_dataset", "ratio_interaction", "ratio_replication", "ratio_residual")


@dataclass(frozen=True, slots=True)
class FullAnalysis:
    """Contrasts and options of the analysis of all data sets; P contrasts of K algorithms."""

    measure: Measure
    # matrix, sides, oriented: (P, K) contrasts, and (P,) names of both sides, as stored and as
    # people read them
    matrix: Array
    sides: Sequence[tuple[str, str]]
    oriented: Oriented
    # codes, estimate, std_error: (P,) verdicts, estimates and standard errors
    codes: States
    estimate: Array
    std_error: Array
    fitted: MixedFit  # the fit without its moments, which smaller tables replace
    # df, robust: method of the degrees of freedom, and whether errors are from the spread between
    # data sets
    df: str
    robust: bool
    alpha: float  # family-wise error rate
    tests: Tests  # adjusted tests

    def refit(self, smaller: tuple[Statistics, Array]) -> SmallerFit | None:
        """Fit the model to a smaller table with contrasts; None where it is not estimable."""
        stats, matrix = smaller
        if len(stats.n) < 2 or (self.robust and ((stats.n > 0).sum(axis=0) < 2).any()):
            return None
        try:
            model = fit(stats, self.fitted.design.fitted)
            if self.fitted.design.by_replications:
                errors = _by_replications(stats, self.fitted.overlap, matrix, self.df)
            elif self.fitted.datasets is not None:
                means, asymptotic = SharedMeans.of_moments(stats), self.df == "asymptotic"
                errors = means.estimates(matrix, asymptotic=asymptotic).first(len(matrix))
            elif self.robust:
                errors = cr2_errors(stats, model, matrix, asymptotic=self.df == "asymptotic")
            else:
                errors = replace(self.fitted, model=model).errors(matrix, self.df)
        except (FitError, np.linalg.LinAlgError):
            return None
        of_model = isinstance(errors, Adjusted)
        estimate = matrix @ model.beta if of_model else errors.estimate
        p, q = self.tests(stats, model.beta, errors, matrix)
        return estimate, decide(estimate, p, q, self.alpha), model.variances

    def influence(
        self,
        unit: str,
        names: Sequence[str],
        model: ModelFit,
        refits: Mapping[int, tuple[Flags, SmallerFit | None]],
        shift: Array | None = None,
        cook: Array | None = None,
    ) -> Influence:
        """Compare the fit of all units with the fits without each, on the contrasts of both.

        `shift` (N, P) and `cook` (N,) are those with the variances of all.
        """
        n, p = len(names), len(self.matrix)
        shift = np.full((n, p), np.nan) if shift is None else shift.copy()
        codes = np.full((n, p), Verdict.MISSING, dtype=np.int8)
        ratio, refitted = np.full((n, 4), np.nan), np.zeros(n, dtype=np.bool_)
        for i, (held, smaller) in refits.items():
            if smaller is None:
                continue
            estimate, codes[i, held], variances = smaller
            moved = self.estimate[held] - estimate
            shift[i, held] = moved / _positive(self.std_error[held])
            ratio[i] = variances / _positive(model.variances)
            refitted[i] = True
        known = ~np.isnan(ratio).all(axis=0)
        return Influence(
            measure=self.measure,
            unit=unit,
            names=tuple(names),
            sides=tuple(self.sides),
            oriented=self.oriented,
            before=self.codes,
            shift=shift,
            codes=codes,
            refitted=refitted,
            cook=None if cook is None or np.isnan(cook).all() else cook,
            variances={name: ratio[:, i] for i, name in enumerate(_RATIOS) if known[i]},
        )


def _by_replications(stats: Statistics, overlap: float, matrix: Array, df: str) -> Estimates:
    """Estimate contrasts on one data set, whose replications play the part of data sets."""
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (stats.total / stats.n + stats.offset + stats.delta[:, None]) * stats.scale
    means = ReplicationMeans.of([paired_means(value, stats.n > 0, overlap)])
    return means.estimates(matrix, asymptotic=df == "asymptotic").first(len(matrix))


def _positive(values: Array) -> Array:
    return np.where(values > 0, values, np.nan)


def _without_dataset(full: FullAnalysis, stats: Statistics, m: int) -> SmallerFit | None:
    return full.refit((stats.without(m), full.matrix))


def deletion(stats: Statistics, model: ModelFit) -> tuple[Array, Array]:
    """Return the influence of deleting each data set, with the variances of the full table.

    With ``z = Za' V^-1 (y - X b)`` and ``Q = Za' V^-1 Za`` of the data set,
    ``b - b_without = (Phi^-1 - Q)^-1 z``, exactly.

    Parameters
    ----------
    stats
        Statistics of D data sets and K algorithms.
    model
        The fit of the full table with one mean per algorithm.

    Returns
    -------
    shift
        (D, K) fixed effects of all data sets minus those without the data set, on the scores' own
        scale; NaN where the others cannot estimate them.
    cook
        (D,) Cook's distance of the differences between algorithms: the squared length of the shift
        in the metric of their covariance, divided by K - 1.
    """
    work = model.evaluation(stats)
    values, vectors = np.linalg.eigh(work.information - work.q_matrix)
    known = values[:, 0] > 1e-10 * values[:, -1]
    inverse = np.where(known[:, None], 1 / np.where(known[:, None], values, 1.0), np.nan)
    turned = np.einsum("dkl,dk->dl", vectors, model.derivatives.z) * inverse
    shift = np.einsum("dkl,dl->dk", vectors, turned)
    k = len(work.phi)
    contrasts = np.eye(k)[:-1] - np.eye(k)[1:]
    metric = np.linalg.inv(contrasts @ work.phi @ contrasts.T)
    cook = contrast_variances(shift @ contrasts.T, metric) / (k - 1)
    return shift * stats.scale, cook


def datasets_left_out(
    stats: Statistics,
    model: ModelFit,
    full: FullAnalysis,
    names: Sequence[str],
    *,
    unit: str = "dataset",
    most: int = MOST,
    n_jobs: int | None = None,
) -> Influence:
    """Return the influence of each data set, computed from the sufficient statistics alone.

    Cook's distances and shifts with variances held are closed forms, for every data set. The model
    is fitted again without each of up to `most` data sets, those that move a contrast the most.
    """
    move, cook = deletion(stats, model)
    means = full.fitted.datasets
    shift = move @ full.matrix.T if means is None else means.deletion(full.matrix)
    shift = shift / _positive(full.std_error)
    size = np.nan_to_num(np.abs(shift), nan=np.inf).max(axis=1)
    everything = np.ones(len(full.matrix), np.bool_)
    chosen = np.argsort(-joined_levels(size), kind="stable")[:most].tolist()
    # The moments travel once, not without each data set.
    work = partial(_without_dataset, full, stats)
    smaller = in_order(work, chosen, workers(n_jobs), processes=True)
    refits = {m: (everything, fit) for m, fit in zip(chosen, smaller, strict=True)}
    return full.influence(unit, names, model, refits, shift, cook)


def algorithms_left_out(
    reduction: ScoreReduction,
    model: ModelFit,
    full: FullAnalysis,
    names: Sequence[str],
    n_jobs: int | None = None,
) -> Influence:
    """Return the influence of each algorithm, by fits without it."""
    held = full.matrix == 0
    chosen = np.flatnonzero(held.any(axis=0)).tolist()
    tables = (
        (reduction.without(k).statistics(), np.delete(full.matrix[held[:, k]], k, axis=1))
        for k in chosen
    )
    smaller = in_order(full.refit, tables, workers(n_jobs), processes=True)
    refits = {k: (held[:, k], fit) for k, fit in zip(chosen, smaller, strict=True)}
    return full.influence("algorithm", names, model, refits)


def independent_tests(critical: float, df: float, alpha: float) -> float:
    """Return how many independent tests have this critical value at the level alpha."""
    return float(np.log1p(-alpha) / np.log1p(-max_t.raw_p(np.array([critical]), df)[0]))


def single_step(
    n: float,
    n_equivalence: float,
    margin: float,
    _: Statistics,
    levels: Array,
    errors: Adjusted,
    matrix: Array,
) -> tuple[Array, Array]:
    """Return the single-step adjustment as that of n independent tests.

    The joint distribution of the statistics hardly changes with one data set: n is calibrated on
    the full table by `independent_tests`, where it is exact at the level, instead of evaluating
    that distribution for each table.
    """
    error = np.sqrt(np.maximum(contrast_variances(matrix, errors.cov), 0.0))
    estimate, safe = matrix @ levels, np.maximum(error, 1e-300)
    p = -np.expm1(n * np.log1p(-max_t.raw_p(np.abs(estimate) / safe, errors.df)))
    gap = (margin - np.abs(estimate)) / safe
    inside = -np.expm1(n_equivalence * np.log1p(-2 * stdtr(errors.df, -np.abs(gap)))) / 2
    return p, np.where(gap > 0, inside, 1 - inside)


# Of each comparison the influence of its data sets: a report shows it in two places.
_known: WeakKeyDictionary[MixedComparison, Influence] = WeakKeyDictionary()


def left_out(
    mixed: MixedComparison, leave: Leave, scores: ScoreTable | None, n_jobs: int | None = None
) -> Influence:
    """Return the influence of each data set, replication of the only data set, or algorithm."""
    if leave == "dataset" and mixed in _known:
        return _known[mixed]
    check_jobs(n_jobs)
    if leave not in ("dataset", "algorithm"):
        raise DesignError(unknown("leave", leave, ["dataset", "algorithm"]))
    plain, design = mixed.fitted.plain, mixed.design
    if plain is None or mixed.fitted.fixed.x is not None:
        raise DesignError(
            f"influence is not worked out where {mixed.fitted.peculiarity}.",
            hint="per_dataset(compare_mixed, scores) compares on each data set by itself.",
        )
    stats, model = plain
    if design.one_dataset and not design.components:
        raise DesignError(
            "replications are not shared by the algorithms, so that leaving one out means nothing.",
            hint="influence is of data sets, or of shared replications.",
        )
    full = _full_analysis(mixed)
    if leave == "dataset":
        names, unit = mixed.setting.coverage.datasets, "dataset"
        if design.one_dataset:
            names, unit = [str(i + 1) for i in range(len(stats.n))], "replication"
        _known[mixed] = datasets_left_out(stats, model, full, names, unit=unit, n_jobs=n_jobs)
        return _known[mixed]
    if scores is None or design.one_dataset:
        raise DesignError(
            "leaving out algorithms reads the table of several data sets again.",
            hint='influence("algorithm", scores=...) takes it.',
        )
    reduction = ScoreReduction.of(reread(mixed.setting, scores), mixed.measure.name, design)
    return algorithms_left_out(reduction, model, full, mixed.algorithms, n_jobs)


def _full_analysis(mixed: MixedComparison) -> FullAnalysis:
    """Return the contrasts and options of the comparison."""
    family, adjusted = mixed._family()
    if family.shown >= 0:
        raise DesignError(
            "without a data set another algorithm may be the best.",
            hint='contrasts="tukey" holds all pairs; its influence() says what changes.',
        )
    return FullAnalysis(
        measure=mixed.measure,
        matrix=family.matrix,
        sides=mixed.pairs.sides,
        oriented=mixed.pairs.oriented(),
        codes=mixed.pairs.codes,
        estimate=mixed.evidence.estimate,
        std_error=mixed.evidence.std_error,
        fitted=replace(mixed.fitted, statistics=None, residuals=None, replications=None),
        df=mixed.options.df,
        robust=mixed.structure == "pairwise",
        alpha=mixed._alpha,
        tests=_tests(mixed, family, adjusted.method),
    )


def _tests(mixed: MixedComparison, family: ContrastFamily, method: str) -> Tests:
    """Return a function with the adjusted tests of the comparison, to apply to smaller tables."""
    margin, alpha = mixed.measure.margin, mixed._alpha
    if method == "single-step" and mixed.alternative == "two-sided":
        errors = mixed.fitted.errors(family.matrix, mixed.options.df)
        df = float(errors.df.min())
        joint = max_t.max_t(family.matrix, errors.cov, df)
        sizes = [independent_tests(max_t.quantile(joint, a), df, a) for a in (alpha, 2 * alpha)]
        return partial(single_step, *sizes, margin)
    return partial(_adjusted, mixed.options, family, method, margin)


def _adjusted(
    options: MixedOptions,
    family: ContrastFamily,
    method: str,
    margin: float,
    stats: Statistics,
    levels: Array,
    errors: Adjusted | Estimates,
    matrix: Array,
) -> tuple[Array, Array]:
    part, alpha = replace(family, matrix=matrix), options.alpha
    means = SharedMeans.of_moments(stats) if method == "rotation" else None
    closed = closed_test(method, options, matrix, means, _DIRECTIONS)
    evidence, _ = evidence_of(
        part, levels, errors, method, alpha, margin, options.alternative, closed,
        interval=options.interval,
    )  # fmt: skip
    return evidence.p_value, evidence.p_equivalence
