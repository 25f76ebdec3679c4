"""Permutation tests of pairs on pooled scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.permutation.blocks import Exchangeable
from benchinfer.analyses.permutation.numerics import arrangements, blocks, nulls
from benchinfer.analyses.permutation.options import PermutationProcedure
from benchinfer.comparison.adjustment import needs
from benchinfer.core.errors import DesignError, FitError
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics import signs, ties
from benchinfer.numerics.types import Array, Counts

if TYPE_CHECKING:
    from benchinfer.analyses.permutation.numerics.blocks import BlockLayout, Kind


# Arrangements that are gone through by default, and on request.
_AUTO, _MOST = 1e6, 1e8
# Scores that are moved for tests beside those of single pairs: a fraction of a second.
_VISITS = 100_000_000


@savable
@shaped(
    statistic="P",
    raw="2 P? [0,1] nan",
    single_step="2 P? [0,1] nan",
    step_down="2 P? [0,1] nan",
    bins="61?",
)
@dataclass(frozen=True, slots=True)
class PooledTests:
    """P-values from the permutation of all labels within blocks."""

    kind: str  # null distribution: ``"exact"``, ``"monte-carlo"`` or ``"asymptotic"``
    # Arrangements or resamples behind it; infinite if asymptotic, or if exchanges of two algorithms
    # are counted by their sums
    n: float
    stopped: bool  # whether resampling ended early
    # quadratic, df: the global statistic, and its degrees of freedom in the limit
    quadratic: float
    df: int
    overall: tuple[float, float]  # its p-value, and the error of that
    statistic: Array  # (P,) standardised contrasts of the sums of scores
    # raw, single_step, step_down: (2, P) p-values and their errors: of each contrast, adjusted by
    # the largest of all, and stepwise so; without columns where not available
    raw: Array
    single_step: Array
    step_down: Array
    # bins, bin_width: (61,) how often the global statistic fell into bins of that width from 0 on,
    # the last one of all beyond; empty if asymptotic, and of two algorithms whose exchanges are
    # many
    bins: Counts
    bin_width: float

    def of(self, shown: slice) -> PooledTests:
        """Return the tests of some contrasts."""
        return replace(
            self,
            statistic=self.statistic[shown],
            raw=self.raw[:, shown],
            single_step=self.single_step[:, shown],
            step_down=self.step_down[:, shown],
        )


def scores_of(data: Exchangeable, layout: BlockLayout, on: str) -> ties.Scores:
    """Return the scores that are summed up over blocks."""
    values = data.of(layout)
    kind: Kind = "values" if on == "dispersion" and data.target == "domain" else on  # pyright: ignore[reportAssignmentType]
    rows = layout.rows
    scored = blocks.score(
        values, layout, kind, rounding=data.rounding[rows], stratum=data.dataset[rows]
    )
    if kind == "dispersion":
        # Little spread is good.
        return ties.Scores(-scored.values, scored.tied)
    return scored


def pooled_tests(
    data: Exchangeable, scores: Array, contrasts: Array, procedure: PermutationProcedure
) -> PooledTests:
    """Permute all labels within blocks."""
    turned = (procedure.side or 1) * contrasts
    question = nulls.PermutationProblem.of(
        scores, data.layout, turned, two_sided=procedure.side == 0
    )
    try:
        null = null_of(question, scores, procedure, "all algorithms")
    except FitError as error:
        if procedure.pairs == "pairwise" and len(contrasts):
            # Pairs have tests of their own, and the global test does not need these.
            return pooled_tests(data, scores, contrasts[:0], procedure)
        raise DesignError(
            str(error), hint='null="monte-carlo" goes with any design and family.'
        ) from None
    test, histogram = nulls.quadratic(question.moments), null.histogram
    return PooledTests(
        kind=null.kind,
        n=null.n,
        stopped=null.stopped,
        quadratic=test.statistic,
        df=int(test.df[0]),
        overall=(float(null.overall.value), float(null.overall.error)),
        statistic=(procedure.side or 1) * question.observed,
        raw=_rows(null.raw),
        single_step=_rows(null.single_step),
        step_down=_rows(null.step_down),
        bins=np.zeros(0, np.int64) if histogram is None else histogram.counts,
        bin_width=0.0 if histogram is None else histogram.width,
    )


def null_of(
    question: nulls.PermutationProblem, scores: Array, procedure: PermutationProcedure, task: str
) -> nulls.Null:
    """Return the null distribution requested, or the best there is in good time."""
    if procedure.null == "asymptotic":
        return nulls.asymptotic(question)
    # Pairwise, exactness is required of the pairs.
    exact = _MOST if procedure.pairs == "pooled" else _AUTO
    limit = {"auto": _AUTO, "exact": exact, "monte-carlo": 0.0}[procedure.null]
    for fixed, n in enumerate(arrangements.arrangements(scores, question.layout)):
        # One block held fixed leaves no p-values of single contrasts.
        allowed = not fixed or (question.symmetric and procedure.pairs == "pairwise")
        if allowed and n <= limit:
            progress = procedure.callback(task, int(n))
            return arrangements.exact(
                question, fixed=bool(fixed), limit=limit, n_jobs=procedure.n_jobs, progress=progress
            )
    if procedure.null == "exact" and procedure.pairs == "pooled":
        raise FitError(f"more than {_MOST:.0f} arrangements.")
    if question.layout.complete and question.layout.n_labels == 2 and not procedure.stop:
        return _of_two(question, procedure, task)
    # Stepwise adjustment moves the level of each p-value, so that none is certain by itself.
    watched = procedure.pairs == "pairwise" or needs(procedure.adjust, "joint")
    alpha = procedure.alpha if procedure.stop and watched else None
    resamples = procedure.resamples
    if procedure.pairs == "pairwise":
        resamples = min(resamples, max(_VISITS // len(scores), 1000))
    progress = procedure.callback(task, resamples)
    return arrangements.monte_carlo(
        question, resamples, procedure.seed, alpha=alpha, n_jobs=procedure.n_jobs, progress=progress
    )


def _of_two(
    question: nulls.PermutationProblem, procedure: PermutationProcedure, task: str
) -> nulls.Null:
    """Return the null distribution of two algorithms: exchanges turn the signs of differences."""
    first = question.centred[question.layout.labels == 0]
    turned = question.contrasts[:, 0] - question.contrasts[:, 1]
    tests = signs.sign_tests(
        np.column_stack([first, first[:, None] * turned]),
        two_sided=np.append(True, np.full(len(turned), question.two_sided)),
        null=procedure.null,
        resamples=procedure.resamples,
        seed=procedure.seed,
        n_jobs=procedure.n_jobs,
        progress=procedure.callback(task, procedure.resamples),
    )
    p, error = tests.p_value, tests.error
    pairs = nulls.PValues(p[1:], error[1:])
    kind = tests.kinds[0]
    n = np.inf if kind == "exact" else tests.resamples
    return nulls.Null(kind, n, nulls.PValues(p[0], error[0]), pairs, pairs, pairs)


def _rows(p_values: nulls.PValues | None) -> Array:
    return np.zeros((2, 0)) if p_values is None else np.vstack([p_values.value, p_values.error])
