"""Influence of data sets and algorithms on a mixed model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from benchinfer.analyses.mixed.evidence import closed_by
from benchinfer.analyses.mixed.fit import ScoreReduction, reread
from benchinfer.analyses.mixed.numerics.leave_out import deletion, refit, without_dataset
from benchinfer.analyses.mixed.numerics.moments import Statistics
from benchinfer.analyses.mixed.numerics.optimum import ScoreModelFit
from benchinfer.analyses.mixed.options import MixedOptions
from benchinfer.comparison import adjustment, checks
from benchinfer.comparison.contrasts import ContrastFamily
from benchinfer.comparison.evidence import Array, decide
from benchinfer.comparison.wording import becomes
from benchinfer.core.arguments import check_jobs
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.hints import Either, Option, Phrase
from benchinfer.core.parallel import in_order, workers
from benchinfer.core.verdict import Verdict
from benchinfer.numerics import max_t
from benchinfer.numerics.covariance import Adjusted, contrast_variances
from benchinfer.numerics.ties import joined_levels

if TYPE_CHECKING:
    from benchinfer.analyses.mixed.comparison import MixedComparison
    from benchinfer.scores.table import ScoreTable


# From moments, levels, errors of the contrasts and the contrasts to adjusted p-values of the
# difference and of the equivalence tests.
type Judge = Callable[[Statistics, Array, Adjusted, Array], tuple[Array, Array]]


type Leave = Literal["dataset", "algorithm"]


# Rotations of each smaller table: with all of them eight algorithms take a second and more.
_DIRECTIONS = 1_999
# Data sets that are refitted without; in larger tables those that move a contrast the most.
MOST = 200


@dataclass(frozen=True, slots=True)
class WholeTable:
    """Contrasts and options of the full analysis; P contrasts of K algorithms.

    Attributes
    ----------
    matrix, sides
        (P, K) contrasts and (P,) names of both sides.
    codes, std_error
        (P,) verdicts and standard errors of the whole table.
    terms, df, own
        Random terms, method of the degrees of freedom, and whether each contrast has its own error.
    alpha
        Family-wise error rate.
    judge
        The adjustment.
    overlap
        Share of the residual variance that overlapping resamples add to a level.
    """

    matrix: Array
    sides: Sequence[tuple[str, str]]
    turns: NDArray[np.bool_]
    codes: NDArray[np.int8]
    std_error: Array
    terms: tuple[str, ...]
    df: str
    own: bool
    alpha: float
    judge: Judge
    overlap: float = 0.0


@dataclass(frozen=True, slots=True)
class Influence:
    """One row per data set or algorithm that was left out; N of them, P contrasts.

    Attributes
    ----------
    unit, names
        ``"dataset"``, ``"replication"`` or ``"algorithm"``, and the (N,) names.
    sides, before
        (P,) names of both sides and verdicts of the whole table.
    shift
        (N, P) estimate of the whole table minus that without, in standard errors of the whole.
    std_error, p_value, codes
        (N, P) of the refitted model; NaN and ``MISSING`` where it was not refitted.
    common_error, own_error
        (N, P) standard errors under the model, and from the spread between data sets (NaN where
        they were not requested).
    variance_ratio
        (N, 4) variances without over those of the whole table; NaN where a variance is zero.
    cook
        (N,) Cook's distance of the differences with variances held; NaN for algorithms.
    refitted
        (N,) whether the model was fitted again.
    """

    unit: str
    names: tuple[str, ...]
    sides: tuple[tuple[str, str], ...]
    turns: NDArray[np.bool_]
    before: NDArray[np.int8]
    shift: Array
    std_error: Array
    common_error: Array
    own_error: Array
    p_value: Array
    codes: NDArray[np.int8]
    variance_ratio: Array
    cook: Array
    refitted: NDArray[np.bool_]

    @property
    def changed(self) -> NDArray[np.bool_]:
        """(N, P) verdicts that change."""
        return (self.codes != Verdict.MISSING) & (self.codes != self.before)

    def changes(self, i: int) -> str:
        """Return the verdicts that change without row i, in words."""
        changed = np.flatnonzero(self.changed[i])
        return "; ".join(
            becomes(self.sides[p], self.before[p], self.codes[i, p], turn=self.turns[p])
            for p in changed
        )

    def columns(self) -> Mapping[str, object]:
        """Return the columns of the table, one row per unit left out."""
        size = np.where(np.isnan(self.shift), -1.0, np.abs(self.shift))
        most, rows = size.argmax(axis=1), range(len(self.names))
        known = size.max(axis=1) >= 0
        ratios = {
            name: self.variance_ratio[:, i]
            for i, name in enumerate(_RATIOS)
            if not np.isnan(self.variance_ratio[:, i]).all()
        }
        return {
            self.unit: list(self.names),
            **({} if np.isnan(self.cook).all() else {"cooks_distance": self.cook}),
            # On complete tables leaving out an algorithm moves nothing but the last digits.
            "shift": np.where(known, np.round(self.shift[rows, most], 9) + 0.0, np.nan),
            "first": [self.sides[p][0] if ok else "" for p, ok in zip(most, known, strict=True)],
            "second": [self.sides[p][1] if ok else "" for p, ok in zip(most, known, strict=True)],
            **ratios,
            "refitted": self.refitted,
            "n_changed": self.changed.sum(axis=1),
            "changes": [self.changes(i) for i in rows],
        }


_RATIOS = ("ratio_dataset", "ratio_interaction", "ratio_replication", "ratio_residual")


@dataclass(frozen=True, slots=True)
class _Smaller:
    """A model fitted to a smaller table; J contrasts.

    Attributes
    ----------
    estimate, codes
        (J,) estimates and verdicts.
    numbers
        (4, J) standard errors, those under the model, those from the spread, and p-values.
    variances
        (4,) of the model.
    """

    estimate: Array
    codes: NDArray[np.int8]
    numbers: Array
    variances: Array


def _fitted_again(asked: WholeTable, stats: Statistics, matrix: Array) -> _Smaller | None:
    """Fit the model to a smaller table; None where that cannot estimate it."""
    found = refit(stats, asked.terms, matrix, asked.df, own=asked.own)
    if found is None:
        return None
    beta, errors = found.model.beta, found.chosen()
    if found.own is None:
        more = asked.overlap * found.model.variances[3] * np.eye(len(beta))
        errors = Adjusted(errors.cov + more, errors.df)
    estimate = matrix @ beta
    p, q = asked.judge(stats, beta, errors, matrix)
    own = np.full(len(matrix), np.nan) if found.own is None else _errors(matrix, found.own)
    numbers = np.array([_errors(matrix, errors), _errors(matrix, found.common), own, p])
    return _Smaller(estimate, decide(estimate, p, q, asked.alpha), numbers, found.model.variances)


def _without_dataset(asked: WholeTable, stats: Statistics, m: int) -> _Smaller | None:
    return _fitted_again(asked, without_dataset(stats, m), asked.matrix)


def _without_algorithm(asked: WholeTable, smaller: tuple[int, Statistics]) -> _Smaller | None:
    k, stats = smaller
    kept = asked.matrix[:, k] == 0
    return _fitted_again(asked, stats, np.delete(asked.matrix[kept], k, axis=1))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows in the making; NaN and MISSING until a refit fills them."""

    asked: WholeTable
    n: int
    shift: Array
    numbers: Array
    codes: NDArray[np.int8]
    ratio: Array
    refitted: NDArray[np.bool_]

    @staticmethod
    def empty(asked: WholeTable, n: int) -> "_Rows":
        p = len(asked.matrix)
        return _Rows(
            asked,
            n,
            np.full((n, p), np.nan),
            np.full((4, n, p), np.nan),
            np.full((n, p), Verdict.MISSING, dtype=np.int8),
            np.full((n, 4), np.nan),
            np.zeros(n, dtype=np.bool_),
        )

    def fill(
        self, i: int, found: _Smaller | None, model: ScoreModelFit, kept: NDArray[np.bool_]
    ) -> None:
        """Fill row i for the contrasts that are kept."""
        if found is None:
            return
        estimate = self.asked.matrix[kept] @ model.beta
        self.shift[i, kept] = (estimate - found.estimate) / _positive(self.asked.std_error[kept])
        self.numbers[:, i, kept] = found.numbers
        self.codes[i, kept] = found.codes
        self.ratio[i] = found.variances / _positive(model.variances)
        self.refitted[i] = True

    def influence(self, unit: str, names: Sequence[str], cook: Array) -> Influence:
        std_error, common, own, p = self.numbers
        return Influence(
            unit=unit,
            names=tuple(names),
            sides=tuple(self.asked.sides),
            turns=self.asked.turns,
            before=self.asked.codes,
            shift=self.shift,
            std_error=std_error,
            common_error=common,
            own_error=own,
            p_value=p,
            codes=self.codes,
            variance_ratio=self.ratio,
            cook=cook,
            refitted=self.refitted,
        )


def _positive(values: Array) -> Array:
    return np.where(values > 0, values, np.nan)


def _errors(matrix: Array, errors: Adjusted) -> Array:
    square = contrast_variances(matrix, errors.cov)
    return np.sqrt(np.maximum(square, 0.0))


def datasets_left_out(
    stats: Statistics,
    model: ScoreModelFit,
    asked: WholeTable,
    names: Sequence[str],
    *,
    unit: str = "dataset",
    most: int = MOST,
    n_jobs: int = 1,
) -> Influence:
    """Leave out each data set in turn, from the sufficient statistics alone.

    Cook's distances and shifts with variances held are closed forms, for every data set. The model
    is fitted again without each of up to `most` data sets, those that move a contrast the most.
    """
    held = deletion(stats, model)
    rows = _Rows.empty(asked, len(names))
    rows.shift[:] = held.shift @ asked.matrix.T / _positive(asked.std_error)
    size = np.nan_to_num(np.abs(rows.shift), nan=np.inf).max(axis=1)
    everything = np.ones(len(asked.matrix), np.bool_)
    chosen = np.argsort(-joined_levels(size), kind="stable")[:most].tolist()
    work = partial(_without_dataset, asked, stats)
    for m, found in zip(
        chosen, in_order(work, chosen, workers(n_jobs), processes=True), strict=True
    ):
        rows.fill(m, found, model, everything)
    return rows.influence(unit, names, held.cook)


def algorithms_left_out(
    without: Callable[[int], Statistics],
    model: ScoreModelFit,
    asked: WholeTable,
    names: Sequence[str],
    n_jobs: int = 1,
) -> Influence:
    """Leave out each algorithm in turn."""
    rows = _Rows.empty(asked, len(names))
    kept = asked.matrix == 0
    chosen = np.flatnonzero(kept.any(axis=0)).tolist()
    work = partial(_without_algorithm, asked)
    smaller = ((k, without(k)) for k in chosen)
    for k, found in zip(
        chosen, in_order(work, smaller, workers(n_jobs), processes=True), strict=True
    ):
        rows.fill(k, found, model, kept[:, k])
    return rows.influence("algorithm", names, np.full(len(names), np.nan))


def independent_tests(critical: float, df: float, alpha: float) -> float:
    """Return how many independent tests have this critical value at the level alpha."""
    return float(np.log1p(-alpha) / np.log1p(-max_t.raw_p(np.array([critical]), df)[0]))


def single_step(n: float, n_equivalence: float, margin: float) -> Judge:
    """Return the single-step adjustment as that of n independent tests.

    The joint distribution of the statistics hardly changes with one data set: n is calibrated on
    the whole table by `independent_tests`, where it is exact at the level, instead of evaluating
    that distribution for each table.
    """
    return partial(_as_independent, n, n_equivalence, margin)


def _as_independent(
    n: float,
    n_equivalence: float,
    margin: float,
    _: Statistics,
    levels: Array,
    errors: Adjusted,
    matrix: Array,
) -> tuple[Array, Array]:
    error = _errors(matrix, errors)
    estimate, safe = matrix @ levels, np.maximum(error, 1e-300)
    p = -np.expm1(n * np.log1p(-max_t.raw_p(np.abs(estimate) / safe, errors.df)))
    gap = (margin - np.abs(estimate)) / safe
    inside = -np.expm1(n_equivalence * np.log1p(-2 * stdtr(errors.df, -np.abs(gap)))) / 2
    return p, np.where(gap > 0, inside, 1 - inside)


# Of each comparison the influence of its data sets: a report shows it in two places.
_known: "WeakKeyDictionary[MixedComparison, Influence]" = WeakKeyDictionary()


def left_out(
    mixed: "MixedComparison", leave: Leave, scores: "ScoreTable | None", n_jobs: int = 1
) -> Influence:
    """Leave out each data set (or replication of the one data set) or algorithm."""
    if leave == "dataset" and mixed in _known:
        return _known[mixed]
    check_jobs(n_jobs)
    found = _left_out(mixed, leave, scores, n_jobs)
    if leave == "dataset":
        _known[mixed] = found
    return found


def _left_out(
    mixed: "MixedComparison", leave: Leave, scores: "ScoreTable | None", n_jobs: int
) -> Influence:
    if leave not in ("dataset", "algorithm"):
        raise DesignError(unknown("leave", leave, ["dataset", "algorithm"]))
    plain = mixed.fitted.plain
    if plain is None or mixed.fitted.fixed.x is not None:
        raise DesignError(
            f"influence is not worked out where {mixed.fitted.peculiarity}.",
            hint=Phrase(
                Either("compare scores.subset(datasets=[...]) for each data set", "--per-dataset"),
                " instead.",
            ),
        )
    stats, model = plain
    if mixed.design.one_dataset and not mixed.design.components:
        raise DesignError(
            "replications are not shared by the algorithms, so that leaving one out means nothing.",
            hint="influence is of data sets, or of shared replications.",
        )
    asked = _asked(mixed)
    if leave == "algorithm":
        return _algorithms(mixed, model, asked, scores, n_jobs)
    one = mixed.design.one_dataset
    names = mixed.setting.coverage.datasets
    units = tuple(str(i + 1) for i in range(len(stats.n))) if one else names
    unit = "replication" if one else "dataset"
    return datasets_left_out(stats, model, asked, units, unit=unit, n_jobs=n_jobs)


def _algorithms(
    mixed: "MixedComparison",
    model: ScoreModelFit,
    asked: WholeTable,
    scores: "ScoreTable | None",
    n_jobs: int,
) -> Influence:
    if scores is None or mixed.design.one_dataset:
        raise DesignError(
            "leaving out algorithms reads the table of several data sets again.",
            hint='influence("algorithm", scores=...) takes it.',
        )
    part = reread(mixed.setting, scores)
    reduction = ScoreReduction.of(part, mixed.measure.name, mixed.design)
    return algorithms_left_out(reduction.without, model, asked, mixed.algorithms, n_jobs)


def _asked(mixed: "MixedComparison") -> WholeTable:
    """Return the contrasts and options of the comparison."""
    family, adjusted = mixed.family()
    if family.shown >= 0:
        raise DesignError(
            "without a data set another algorithm may be the best.",
            hint=f"{Option('contrasts', 'tukey')} holds all pairs; its"
            f" {Either('influence()', '--details')} says what changes.",
        )
    return WholeTable(
        matrix=family.matrix,
        sides=mixed.named_sides(),
        turns=mixed.turns(),
        codes=mixed.codes,
        std_error=mixed.evidence.std_error,
        terms=mixed.design.fitted,
        df=mixed.options.df,
        own=mixed.structure == "pairwise",
        alpha=mixed.alpha,
        judge=_judge(mixed, family, adjusted.method),
        overlap=checks.overlap_share(mixed.setting) if mixed.design.one_dataset else 0.0,
    )


def _judge(mixed: "MixedComparison", family: ContrastFamily, method: str) -> Judge:
    """Return the adjustment of the comparison, for other tables."""
    margin, alpha = mixed.measure.margin, mixed.alpha
    if method == "single-step" and mixed.alternative == "two-sided":
        df_method = mixed.options.df
        errors = mixed.fitted.errors(family.matrix, df_method)
        df = float(errors.df.min())
        joint = max_t.max_t(family.matrix, errors.cov, df)
        sizes = [independent_tests(max_t.quantile(joint, a), df, a) for a in (alpha, 2 * alpha)]
        return single_step(sizes[0], sizes[1], margin)

    return partial(_adjusted, mixed.options, family, method, alpha, margin)


def _adjusted(
    options: MixedOptions,
    family: ContrastFamily,
    method: str,
    alpha: float,
    margin: float,
    stats: Statistics,
    levels: Array,
    errors: Adjusted,
    matrix: Array,
) -> tuple[Array, Array]:
    part = replace(family, matrix=matrix)
    closed = closed_by(method, options, matrix, stats, _DIRECTIONS)
    found, _ = adjustment.evidence_of(
        part, levels, errors, method, alpha, margin, options.alternative, closed
    )
    return found.p_value, found.p_equivalence
