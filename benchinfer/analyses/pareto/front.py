"""Pareto front of several measures, by tests of dominance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from benchinfer.comparison.checks.complete import names_of
from benchinfer.comparison.checks.validation import check_missing, refuse_runs
from benchinfer.comparison.evidence import Setting, alpha_of
from benchinfer.core.arguments import check_level, checked, seed_of
from benchinfer.core.citations import bibtex
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count, join, level_percent
from benchinfer.core.provenance import AnalysisOptions, Provenance, StoredOptions
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable, shaped
from benchinfer.core.verdict import Verdict
from benchinfer.numerics import rotations
from benchinfer.numerics.directions.fronts import dominance, dominated
from benchinfer.numerics.ties import joined_levels
from benchinfer.numerics.types import Array, Flags
from benchinfer.relations.relation import Relation
from benchinfer.scores.checks.gaps import fewest_lost
from benchinfer.scores.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd


def dominates(levels: Array) -> Flags:
    """Return whether row dominates column (K, K), given levels (K, M)."""
    levels = np.column_stack([joined_levels(column) for column in levels.T])
    more = levels[:, None] - levels
    return (more >= 0).all(axis=2) & (more > 0).any(axis=2)


@dataclass(frozen=True, kw_only=True)
class ParetoOptions(AnalysisOptions):
    """Arguments of `pareto`; see there."""

    analysis: ClassVar[str] = "pareto"

    measures: tuple[str, ...]
    level: float
    reference: rotations.Reference
    missing: Literal["use", "error"]
    seed: int

    def __post_init__(self) -> None:
        super().__post_init__()
        check_level(self.level)


@checked
@savable
@shaped(
    algorithms="K names",
    measures="M",
    levels="K M",
    p_value="K K [0,1]",
    p_front_each="K [0,1]",
)
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Pareto(Showable):
    """Pareto front of K algorithms on M measures, with what is shown of it.

    An algorithm is off the front when another one is shown to dominate it: to be worse on no
    measure by more than the tolerance, and better on one. All others may be on it.

    Attributes
    ----------
    algorithms, measures
        The K names and M measures.
    levels
        (K, M) means over data sets on the measures' scales, larger is better.
    p_value
        (K, K) p-values that row dominates column, adjusted for all ordered pairs; 1 of itself.
    p_front_each
        (K,) p-values of the hypotheses that the algorithm is on the front, each by itself.
    n_datasets
        How many data sets there are.
    provenance
        Where it comes from.
    left_out
        Data sets and algorithms without scores in some cell, left out.
    """

    _home: ClassVar[str] = "benchinfer.analyses.pareto"

    algorithms: tuple[str, ...]
    measures: tuple[Measure, ...]
    levels: Array
    p_value: Array
    p_front_each: Array
    n_datasets: int
    provenance: Provenance
    left_out: tuple[str, ...] = ()

    options: ClassVar[StoredOptions[ParetoOptions]] = StoredOptions(ParetoOptions)

    @property
    def level(self) -> float:
        """The probability with which the front is kept."""
        return self.options.level

    def front(self, *, each: bool = False) -> list[str]:
        """Return the names of those that may be on the front.

        Parameters
        ----------
        each
            With probability ``level`` the list holds each algorithm of the true front, rather than
            all of them together.
        """
        on = self._may_be_on(each=each)
        return [name for name, may_be in zip(self.algorithms, on, strict=True) if may_be]

    def summary(self, *, each: bool = False) -> pd.DataFrame:
        """One row per algorithm, the front first: ``algorithm on_front p_front may_be_on_front``.

        Parameters
        ----------
        each
            As in `front`.
        """
        observed = ~dominates(self.levels).any(axis=0)
        p = self.p_front_each if each else self.p_value.min(axis=0)
        may_be = self._may_be_on(each=each)
        order = np.lexsort((-p, ~observed, ~may_be))
        return frame(
            {
                "algorithm": [self.algorithms[i] for i in order],
                "on_front": observed[order],
                "p_front": p[order],
                "may_be_on_front": may_be[order],
            }
        )

    to_frame = summary

    def estimates(self) -> pd.DataFrame:
        """Return the means over data sets in the measures' units: ``measure algorithm estimate``.

        On log and logit scales they are means on the scale, turned back.
        """
        k = len(self.algorithms)
        levels = [m.level_of(self.levels[:, j]) for j, m in enumerate(self.measures)]
        return frame(
            {
                "measure": [m.name for m in self.measures for _ in range(k)],
                "algorithm": list(self.algorithms) * len(self.measures),
                "estimate": np.concatenate(levels),
            }
        )

    def dominance(self) -> pd.DataFrame:
        """Return who dominates whom: ``first second dominates p_value shown``.

        Ordered pairs in which the first neither dominates by its means nor is shown to are left
        out.
        """
        observed, shown = dominates(self.levels), self._shown
        i, j = np.nonzero(observed | shown)
        return frame(
            {
                "first": [self.algorithms[x] for x in i],
                "second": [self.algorithms[x] for x in j],
                "dominates": observed[i, j],
                "p_value": self.p_value[i, j],
                "shown": shown[i, j],
            }
        )

    def relation(self) -> Relation:
        """Return what is shown of dominance as a relation; all other pairs are undecided."""
        first = self._shown
        states = np.where(first, Verdict.FIRST, np.where(first.T, Verdict.SECOND, 0))
        states = np.where(first | first.T, states, Verdict.UNDECIDED)
        np.fill_diagonal(states, Verdict.EQUIVALENT)
        name = f"dominance on {self._names} ({level_percent(self.level)})"
        return Relation(self.algorithms, states.astype(np.int8), name)

    def citations(self) -> str:
        """Return the literature of the methods as BibTeX."""
        return bibtex([dominance, rotations.closed_pairs])

    @property
    def _shown(self) -> Flags:
        """(K, K) whether row is shown to dominate column."""
        return self.p_value <= alpha_of(self.level)

    @property
    def _names(self) -> str:
        return ", ".join(measure.name for measure in self.measures)

    def _may_be_on(self, *, each: bool) -> Flags:
        """Return (K,) whether no other is shown to dominate the algorithm."""
        if each:
            return self.p_front_each > alpha_of(self.level)
        return ~dominated(self._shown.T)

    def description(self) -> str:
        """Return the front, and what was left out."""
        without = f", without {join(self.left_out)}" if self.left_out else ""
        front = self.front()
        who = f"any of the {len(front)}" if len(front) == len(self.algorithms) else join(front)
        return (
            f"<Pareto front on {self._names}, {len(self.algorithms)} algorithms and"
            f" {self.n_datasets} data sets{without}: {who} may be on it"
            f" ({level_percent(self.level)})>"
        )


@checked
def pareto(
    scores: ScoreTable,
    measures: Sequence[str] | None = None,
    *,
    level: float = 0.95,
    reference: rotations.Reference = "rotation",
    missing: Literal["use", "error"] = "use",
    seed: int | None = 1,
) -> Pareto:
    """Find the algorithms that no other is shown to dominate on several measures.

    Parameters
    ----------
    scores
        The table.
    measures
        Their names; by default all of the table.
    level
        Probability with which all algorithms that are truly on the front are kept.
    reference
        ``"rotation"``: exact for normal means of data sets, whatever their covariance over
        algorithms and measures. ``"flips"``: of the signs of data sets, for differences that are
        symmetric and not normal.
    missing
        ``"use"``: where cells have no score of a measure, the part of the table in which all
        algorithms have scores of all measures on all data sets, as in `compare_points`; what is
        left out is named. ``"error"`` refuses cells that lack scores.
    seed
        Of the draws; None draws one. It is in the result's provenance.

    Returns
    -------
    Pareto

    Raises
    ------
    DesignError
        There are fewer than two measures or three data sets, cells lack scores and
        ``missing="error"``, or no two algorithms share a data set.

    Notes
    -----
    Data sets are a sample of a domain, and an algorithm is judged by its means over them on the
    measures' scales (ratios of seconds where their scale is log). It is off the front when another
    one is shown to be worse on no measure by more than its tolerance, and better on one, as
    intersections and unions of one-sided tests (Berger 1982). Without tolerances the other one is
    decided to be better on all measures. All ordered pairs are tested together, along directions of
    the data sets that the measures share, so that their dependence counts.

    What is kept is every algorithm than which no other one is truly better on a measure and on none
    worse by the tolerance. One that may be on the front is not shown to be on it.

    References
    ----------
    Berger, R. L. (1982). Multiparameter hypothesis testing and acceptance sampling. Technometrics
    24, 295-300. https://doi.org/10.1080/00401706.1982.10487790

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("sklearn_bootstrap")
    >>> front = bi.pareto(scores, ["error", "seconds"])
    >>> front.front(each=True)
    ['cart', 'knn', 'lda', 'rf', 'svm']
    """
    names = [m.name for m in scores.measures] if measures is None else list(measures)
    if isinstance(measures, str) or len(set(names)) < 2 or len(set(names)) < len(names):
        raise DesignError(
            f"a front needs several different measures, not {names!r}.",
            hint='as in pareto(scores, ["error", "seconds"]).',
        )
    options = ParetoOptions(
        measures=tuple(names), level=level, reference=reference, missing=missing, seed=seed_of(seed)
    )
    refuse_runs(scores, "pareto")
    settings = [Setting.of(scores, name)[0] for name in names]
    for setting in settings:
        check_missing(setting, missing, complete=True)
    part, left_out = _complete(scores, names)
    tables = np.stack([part.cells(name).mean for name in names])
    measures_of = tuple(setting.measure for setting in settings)
    margins = np.array([measure.margin for measure in measures_of])
    p_value, p_each = dominance(tables, margins, reference, options.seed)
    words = "of dominance, over all ordered pairs by the largest statistic of all measures"
    return Pareto(
        algorithms=part.algorithms,
        measures=measures_of,
        levels=tables.mean(axis=1).T,
        p_value=p_value.T,
        p_front_each=p_each,
        n_datasets=tables.shape[1],
        provenance=options.provenance(settings[0].digest, words, options.seed),
        left_out=left_out,
    )


def _complete(scores: ScoreTable, names: list[str]) -> tuple[ScoreTable, tuple[str, ...]]:
    """Return the part of a table without an empty cell of any measure, and what it lacks."""
    coverage = scores.coverage(names[0])
    counts = np.min([scores.coverage(name).counts for name in names], axis=0)
    datasets, algorithms = fewest_lost(counts, np.zeros(counts.shape[1], np.bool_))
    if not datasets.any():
        raise DesignError(
            f"{(counts == 0).sum():,} of {counts.size:,} cells have no score for one of the"
            f" measures {join([repr(name) for name in names])}, and no part of the table is"
            " complete.",
            hint="pareto(scores, [...]) takes fewer measures.",
        )
    if datasets.sum() < rotations.FEWEST_ROWS:
        have = "there are" if datasets.all() else "scores of all measures are on"
        raise DesignError(
            f"{have} {count(int(datasets.sum()), 'data set')}, and a front over data sets needs"
            f" {rotations.FEWEST_ROWS}.",
            hint="on each data set compare_pair compares pairs on one measure.",
        )
    part = scores.subset(
        measures=names,
        datasets=names_of(coverage.datasets, datasets),
        algorithms=names_of(coverage.algorithms, algorithms),
    )
    return part, (
        *names_of(coverage.datasets, ~datasets),
        *names_of(coverage.algorithms, ~algorithms),
    )
