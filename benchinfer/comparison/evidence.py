"""Setting, evidence and verdict rule of a comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from benchinfer.core.arguments import check_level
from benchinfer.core.errors import DesignError
from benchinfer.core.measure import RANGE, Measure, Scale, out_of_range
from benchinfer.core.saving import savable
from benchinfer.core.verdict import Verdict
from benchinfer.numerics.types import Array, Codes, Flags, States
from benchinfer.scores.checks.kinds import ZERO_ONE
from benchinfer.scores.coverage import Coverage
from benchinfer.scores.numerics.limits import StoppedRuns
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.statistics import SufficientStatistics
from benchinfer.scores.table import ScoreTable

# What an analysis takes: a table, or statistics of one.
type Scores = ScoreTable | SufficientStatistics


@savable
@dataclass(frozen=True, slots=True)
class Setting:
    """Description of the compared table, without its rows.

    Attributes
    ----------
    measure
        The measure.
    algorithms
        The K names, sorted; pairs are index pairs into them.
    coverage
        Counts per cell and findings.
    quantiles
        (D, K, 5) minimum, quartiles and maximum of the scores in the measure's own unit, NaN where
        a cell is empty or they are not known.
    absent
        Data sets and algorithms of the table without any score of the measure: left out.
    domains
        Domain of each data set, empty where the table names none.
    resampling, paired
        How replications came about, and whether algorithms share them.
    digest
        Fingerprint of the table.
    datasets_left_out, algorithms_left_out, scores_left_out
        What the complete part of the table lacks (`complete_part`), algorithms best first, and how
        many scores that is.
    ahead_left_out
        How many of the algorithms left out, the first ones, are ahead of all that are compared, by
        their scores less the levels of the data sets that they are on.
    stopped
        Runs that were stopped at the limit of the measure, None where it has none.
    units
        Number of items and of the nested units that hold them, with their design effect, in words;
        empty where none are nested.
    """

    home: ClassVar[str] = "benchinfer.comparison"

    measure: Measure
    algorithms: tuple[str, ...]
    coverage: Coverage
    quantiles: Array
    absent: tuple[str, ...]
    domains: tuple[str, ...]
    resampling: Resampling | None
    paired: bool
    digest: str
    datasets_left_out: tuple[str, ...] = ()
    algorithms_left_out: tuple[str, ...] = ()
    scores_left_out: int = 0
    ahead_left_out: int = 0
    stopped: StoppedRuns | None = None
    units: str = ""

    @staticmethod
    def of(scores: Scores, measure: str | None = None) -> tuple[Setting, ScoreTable]:
        """Return the setting of one measure, and the table restricted to the measure's scores.

        Raises
        ------
        DesignError
            There are fewer than two algorithms, or scores out of the range of numbers.
        """
        scores = as_table(scores)
        chosen = scores.measure(measure)
        digest, coverage_of_all = scores.digest, scores.coverage(chosen.name)
        lost = [*np.array(coverage_of_all.datasets)[coverage_of_all.counts.sum(axis=1) == 0]]
        unused = [*np.array(coverage_of_all.algorithms)[coverage_of_all.counts.sum(axis=0) == 0]]
        if lost or unused:
            scores = scores.subset(
                measures=[chosen.name],
                datasets=[name for name in coverage_of_all.datasets if name not in lost],
                algorithms=[name for name in coverage_of_all.algorithms if name not in unused],
            )
        coverage = scores.coverage(chosen.name) if lost or unused else coverage_of_all
        if len(coverage.algorithms) < 2:
            raise DesignError(
                f"{len(coverage.algorithms)} algorithm has scores of measure {chosen.name!r}.",
                hint="a comparison needs at least two.",
            )
        quantiles = scores.spread(chosen.name)
        _refuse_out_of_range(chosen, quantiles)
        setting = Setting(
            measure=chosen,
            absent=tuple(str(name) for name in (*lost, *unused)),
            algorithms=coverage.algorithms,
            coverage=coverage,
            quantiles=quantiles,
            domains=tuple(
                scores.domains[name] for name in coverage.datasets if name in scores.domains
            )
            if scores.domains
            else (),
            resampling=scores.resampling,
            paired=scores.paired,
            digest=digest,
            stopped=scores.stopped_runs(chosen.name),
            units="" if scores.units is None else scores.units.words(chosen.name),
        )
        return setting, scores

    @property
    def has_quartiles(self) -> bool:
        """Whether quartiles of scores are known, as they are not of effects and statistics."""
        return not np.isnan(self.quantiles[..., 2]).all()

    @property
    def scales(self) -> tuple[Scale, ...]:
        """Other scales, log or logit, on which all scores of an identity-scale measure exist."""
        low, high = np.nanmin(self.quantiles), np.nanmax(self.quantiles)
        if self.measure.scale != "identity" or self.measure.normalised or low <= 0:
            return ()
        return ("log", "logit") if high < 1 else ("log",)

    @property
    def zero_one(self) -> bool:
        """Whether all scores are 0 or 1."""
        return any(finding.rule == ZERO_ONE for finding in self.coverage.findings)


def as_table(scores: object) -> ScoreTable:
    """Return a score table; one without rows for sufficient statistics and cluster tables.

    A data frame raises a DesignError.
    """
    if isinstance(scores, SufficientStatistics):
        return ScoreTable.of_statistics(scores)
    if not isinstance(scores, ScoreTable):
        raise DesignError(
            f"a {type(scores).__name__} is not a score table.",
            hint="read it first: bi.read_scores(table, measures=...).",
        )
    return ScoreTable.of_statistics(scores.statistics()) if scores.in_cluster else scores


def _refuse_out_of_range(measure: Measure, quantiles: Array) -> None:
    """Raise a DesignError where fourth powers of scores would overflow or underflow."""
    if measure.scale != "identity":
        return
    if problem := out_of_range(np.nanmin(quantiles), np.nanmax(quantiles)):
        raise DesignError(
            f"the scores of {measure.name} {problem}: powers of them leave the range of numbers.",
            hint=f"change the unit of the scores; from {1 / RANGE:g} to {RANGE:g} is in range.",
        )


@savable
@dataclass(frozen=True, slots=True)
class Level:
    """Level of each of K algorithms by the statistic that is tested; (K,) arrays.

    Attributes
    ----------
    estimate, low, high
        Level and its interval on the modelling scale, larger is better (of ranks: minus the rank).
    mean
        Mean on the modelling scale, None where that is the level.
    name
        The statistic in words, with {} for the measure; empty for the measure alone.
    better
        Direction of a statistic that has no unit of the measure; empty where it has.
    """

    estimate: Array
    low: Array | None = None
    high: Array | None = None
    mean: Array | None = None
    name: str = ""
    better: Literal["higher", "lower", ""] = ""

    @staticmethod
    def of_pairs(mean: Array, pairs: Codes, differences: Array, name: str = "") -> Level:
        """Return the levels fitted to the differences of pairs, centred on the algorithms' mean.

        They are the means where pairs differ as these do, as without empty cells.
        """
        fitted = positions(mean, pairs, differences)
        apart = np.abs(np.nan_to_num(fitted - mean)).max(initial=0.0)
        same = apart <= 1e-9 * np.abs(np.nan_to_num(mean)).max(initial=0.0)
        return Level(mean) if same and not name else Level(fitted, mean=mean, name=name)

    @property
    def means(self) -> Array:
        """Means on the modelling scale."""
        return self.estimate if self.mean is None else self.mean

    def shown(self, measure: Measure) -> Array:
        """Return the levels on the reporting scale, with the direction of the statistic."""
        if not self.better:
            return measure.level_of(self.estimate)
        return (1.0 if self.better == "higher" else -1.0) * self.estimate + 0.0  # no minus zero


@savable
@dataclass(frozen=True, slots=True)
class Evidence:
    """Test and interval of each of P pairs on the modelling scale, larger is better; (P,) arrays.

    Attributes
    ----------
    estimate
        First minus second.
    std_error, df, statistic
        Of the difference.
    p_value, p_raw
        Adjusted for the family of pairs, and of the pair alone.
    p_equivalence
        Adjusted p-value of the two one-sided tests at the measure's tolerance.
    low, high
        Simultaneous interval, infinite on the open side of a one-sided one.
    p_noninferiority
        Adjusted p-value, in one-sided tests with a tolerance, of the hypothesis that the algorithm
        which is to be shown better is worse by the tolerance or more; else None.
    p_error
        Monte Carlo errors of the adjusted p-values, None where there are none.
    """

    estimate: Array
    std_error: Array
    df: Array
    statistic: Array
    p_value: Array
    p_raw: Array
    p_equivalence: Array
    low: Array
    high: Array
    p_noninferiority: Array | None = None
    p_error: Array | None = None


def silenced(evidence: Evidence, silent: Flags) -> Evidence:
    """Return evidence with the pairs of a mask undecided: p-values of 1, unbounded intervals."""
    not_worse = evidence.p_noninferiority
    return replace(
        evidence,
        std_error=np.where(silent, 0.0, evidence.std_error),
        statistic=np.where(silent, 0.0, evidence.statistic),
        p_value=np.where(silent, 1.0, evidence.p_value),
        p_raw=np.where(silent, 1.0, evidence.p_raw),
        p_equivalence=np.where(silent, 1.0, evidence.p_equivalence),
        low=np.where(silent, -np.inf, evidence.low),
        high=np.where(silent, np.inf, evidence.high),
        p_noninferiority=None if not_worse is None else np.where(silent, 1.0, not_worse),
    )


def alpha_of(level: float) -> float:
    """Return one minus a checked level, rounded so that 0.95 gives 0.05."""
    check_level(level)
    return round(1 - level, 12)


def positions(levels: Array, pairs: Codes, differences: Array) -> Array:
    """Return (K,) levels whose differences fit those of pairs by least squares.

    Their mean in each set of algorithms that pairs connect is that of the levels.

    Examples
    --------
    >>> levels = np.array([0.5, 0.9, 0.6])
    >>> positions(levels, np.array([[0, 1], [0, 2]]), np.array([0.1, 0.2])).round(6)
    array([0.766667, 0.666667, 0.566667])
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    usable = np.isfinite(differences) & np.isfinite(levels[pairs]).all(axis=1)
    usable &= (pairs >= 0).all(axis=1)  # averages of several have no place
    i, j = pairs[usable].T
    k, fitted = len(levels), levels.copy()
    # The normal equations: of many algorithms, pairs are far more than these.
    normal, right = np.zeros((k, k)), np.zeros(k)
    for one, other, sign in ((i, j, 1.0), (j, i, -1.0)):
        np.add.at(right, one, sign * differences[usable])
        np.add.at(normal, (one, one), 1.0)
        np.add.at(normal, (one, other), -1.0)
    apart = np.linalg.lstsq(normal, right, rcond=None)[0]
    _, group = connected_components(csr_array((np.ones(len(i)), (i, j)), (k, k)), directed=False)
    for n in np.unique(group):
        members = group == n
        fitted[members] = apart[members] - apart[members].mean() + levels[members].mean()
    return fitted


def decide(estimate: Array, p: Array, p_equivalence: Array, alpha: float) -> States:
    """Return the verdict of each pair from its adjusted p-values.

    Equivalent where the equivalence test rejects at alpha (even if the difference is significant:
    significant but irrelevant), else first or second where the difference test does, else
    undecided. Not significant is not equal.

    Examples
    --------
    >>> estimate, p = np.array([0.2, 0.0, -0.1]), np.array([0.01, 0.9, 0.4])
    >>> decide(estimate, p, np.array([1, 0.02, 0.6]), alpha=0.05)
    array([3, 2, 1], dtype=int8)
    """
    if np.isnan([estimate, p, p_equivalence]).any():
        raise DesignError("a verdict cannot rest on NaN: a pair has no estimate.")
    better = np.where(estimate > 0, Verdict.FIRST, Verdict.SECOND)
    codes = np.where(p <= alpha, better, Verdict.UNDECIDED)
    return np.where(p_equivalence <= alpha, Verdict.EQUIVALENT, codes).astype(np.int8)
