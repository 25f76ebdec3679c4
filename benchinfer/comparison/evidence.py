"""Setting, evidence and verdict rule of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from benchinfer.comparison.checks.run_means import run_means
from benchinfer.core.arguments import check_level
from benchinfer.core.errors import DesignError
from benchinfer.core.measure import RANGE, Measure, Scale, out_of_range
from benchinfer.core.saving import SAME, savable, shaped
from benchinfer.core.verdict import MIRROR, Verdict
from benchinfer.numerics.ties import joined_levels, ranked_rows, rounding
from benchinfer.numerics.types import Array, Codes, Flags, States
from benchinfer.scores.checks.kinds import ZERO_ONE
from benchinfer.scores.checks.units import UNEQUAL
from benchinfer.scores.coverage import Coverage
from benchinfer.scores.numerics.limits import StoppedRuns
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.rows.reductions import spread
from benchinfer.scores.rows.sufficient import SufficientStatistics
from benchinfer.scores.table import ScoreTable

# What an analysis takes: a table, or statistics of one.
type Scores = ScoreTable | SufficientStatistics
# Of levels from 0.5 down the interval of equivalence is all but the estimate itself.
_MOST_TAIL = 0.5 - 1e-9
# From the numbers of some pairs, and the probability that the interval of each leaves out on either
# side, to both ends.
type Ends = Callable[[Codes, Array], tuple[Array, Array]]


@savable
@shaped(algorithms="K names", coverage=SAME, quantiles="D K 5", domains="D?", stopped=SAME)
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
    members
        Coverage of the data sets of which domains are the means; None where data sets are not
        domains.
    """

    _home: ClassVar[str] = "benchinfer.comparison"

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
    members: Coverage | None = None

    @staticmethod
    def of(scores: Scores, measure: str | None = None) -> tuple[Setting, ScoreTable]:
        """Return the setting of one measure, and the table restricted to the measure's scores.

        Of a tool that times programs that is the table of the means of runs, which are the units.

        Raises
        ------
        DesignError
            There are fewer than two algorithms, scores out of the range of numbers, or no case that
            all runs hold.
        """
        scores = as_table(scores)
        chosen = scores.measure(measure)
        kind = scores.resampling and scores.resampling.kind
        if kind == "runs" and len(scores.datasets) > 1:
            scores = run_means(scores, chosen.name)
        digest, coverage_of_all = scores.digest, scores.coverage(chosen.name)
        lost = [*np.array(coverage_of_all.datasets)[coverage_of_all.counts.sum(axis=1) == 0]]
        unused = [*np.array(coverage_of_all.algorithms)[coverage_of_all.counts.sum(axis=0) == 0]]
        if lost or unused:
            scores = scores.subset(
                measures=[chosen.name],
                datasets=[name for name in coverage_of_all.datasets if name not in lost],
                algorithms=[name for name in coverage_of_all.algorithms if name not in unused],
            )
        coverage = coverage_of_all
        if lost or unused:
            coverage = scores.coverage(chosen.name).within(coverage_of_all)
        if len(coverage.algorithms) < 2:
            raise DesignError(
                f"{len(coverage.algorithms)} algorithm has scores of measure {chosen.name!r}.",
                hint="a comparison needs at least two.",
            )
        of_measure = scores.summary.of(chosen.name)
        quantiles = spread(of_measure, scores.rows.quartiles(of_measure))
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
            stopped=None if chosen.limit is None else scores.runs(chosen.name).stopped(),
            units="" if scores.units is None else scores.units.words(chosen.name),
            members=scores.members,
        )
        return setting, scores

    @property
    def as_read(self) -> Coverage:
        """Coverage of the data sets as they were read, whether or not these are the units."""
        return self.coverage if self.members is None else self.members

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
    def one_unit(self) -> bool:
        """Whether levels of the data sets can be averaged, which are in one unit and no ranks."""
        normalised = self.measure.normalised
        unequal = (finding for finding in self.coverage.findings if finding.rule == UNEQUAL)
        several = any({"scale", "normalise"} & {*dict(finding.proposes)} for finding in unequal)
        return not several and (normalised is None or normalised.kind != "ranks")

    @property
    def zero_one(self) -> bool:
        """Whether all scores are 0 or 1."""
        return any(finding.rule == ZERO_ONE for finding in self.coverage.findings)


def as_table(scores: Scores) -> ScoreTable:
    """Return a score table; one without rows for sufficient statistics and cluster tables."""
    if isinstance(scores, SufficientStatistics):
        return ScoreTable.of_statistics(scores)
    return ScoreTable.of_statistics(scores.statistics()) if scores.rows.in_cluster else scores


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
@shaped(estimate="K", low="K", high="K", mean="K", order="K")
@dataclass(frozen=True, slots=True)
class Level:
    """Level of each of K algorithms, and what they are ordered by; (K,) arrays.

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
    order
        Places by the differences of pairs that are tested, larger is better; None where algorithms
        are ordered by their levels.
    order_name
        The statistic that these are differences of, as `name`; where it is set, algorithms are said
        to be ordered by it.
    """

    estimate: Array
    low: Array | None = None
    high: Array | None = None
    mean: Array | None = None
    name: str = ""
    better: Literal["higher", "lower", ""] = ""
    order: Array | None = None
    order_name: str = ""

    def ordered_by(self, measure: Measure) -> str:
        """Return the statistic that algorithms are ordered by, in words."""
        name = self.order_name or (self.name if self.order is None else "")
        return name.replace("{}", measure.name) or measure.mean_name

    @staticmethod
    def of_medians(medians: Array, mean: Array) -> Level:
        """Return medians of each algorithm's own scores, beside typical differences of pairs."""
        return Level(medians, mean=mean, name="median {}", order_name="typical {}")

    @staticmethod
    def of_pairs(
        level: Level, pairs: Codes, differences: Array, codes: States, ranks: Array, *, units: bool
    ) -> Level:
        """Return each algorithm's own level, in the order that the differences of pairs make.

        Where such levels contradict a verdict, mean ranks take their place, as they do where data
        sets have several units: no level in units is about what was tested then.

        Parameters
        ----------
        level
            Levels with their name, of which each depends on the algorithm's own scores alone.
        pairs, differences
            (P, 2) pairs, and (P,) what their tests estimate, first minus second, larger is better.
        codes
            Verdicts on the first of these pairs.
        ranks
            (K,) mean ranks, 1 for the best.
        units
            Whether levels have one unit.
        """
        level = replace(level, order=places(level.estimate, pairs, differences))
        if units and not contradicted(level.estimate, pairs[: len(codes)], codes).any():
            return level
        mean = level.means if units else None
        return replace(level, estimate=-ranks, mean=mean, name="mean rank", better="lower")

    def modelled(self, observed: Array) -> Level:
        """Return levels that a model draws together, with the (K,) observed rates beside them."""
        return replace(self, mean=observed, name="modelled {}")

    @property
    def quality(self) -> Array:
        """What algorithms are ordered by, larger is better, equal where rounding alone differs."""
        return joined_levels(self.estimate if self.order is None else self.order)

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
@shaped(
    estimate="P",
    std_error="P [0,inf] nan",
    df="P [0,inf] nan",
    statistic="P",
    p_value="P [0,1] nan",
    p_raw="P [0,1] nan",
    p_equivalence="P [0,1] nan",
    low="P",
    high="P",
    p_noninferiority="P [0,1] nan",
    p_error="P [0,1] nan",
    equivalence_low="P",
    equivalence_high="P",
)
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
    equivalence_low, equivalence_high
        Interval of the test of equivalence (`with_equivalence`), NaN where it shows none; None
        where it shows none of any pair.
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
    equivalence_low: Array | None = None
    equivalence_high: Array | None = None


@savable
@shaped(sides="P", codes="P <5")
@dataclass(frozen=True, slots=True)
class PairVerdicts:
    """Verdicts of an analysis without its evidence, for the agreement with another one.

    Attributes
    ----------
    title
        Name of the analysis.
    sides
        (P,) names of both sides of each pair.
    codes
        (P,) verdicts.
    """

    title: str
    sides: tuple[tuple[str, str], ...]
    codes: States

    def of(self, sides: Sequence[tuple[str, str]]) -> States:
        """Return the verdicts on other pairs, `MISSING` where there is none."""
        place: dict[tuple[str, str], int] = {}
        for (first, second), code in zip(self.sides, self.codes.tolist(), strict=True):
            place |= {(first, second): code, (second, first): int(MIRROR[code])}
        return np.array([place.get(pair, Verdict.MISSING) for pair in sides], dtype=np.int8)


@savable
@shaped(codes="P <5", withheld="P")
@dataclass(frozen=True, slots=True)
class WorstCase:
    """Verdicts of a comparison with the worst score in place of failed runs and missing scores.

    Attributes
    ----------
    codes
        (P,) verdicts on the pairs, `MISSING` where there is none.
    withheld
        (P,) pairs that are undecided because their verdict is another one then.
    untried
        Why there are none; empty where there are.
    """

    codes: States
    withheld: Flags
    untried: str = ""


def withheld(evidence: Evidence, pairs: Flags) -> Evidence:
    """Withhold verdicts on some pairs: p-values of 1, and intervals without bounds."""
    not_worse = evidence.p_noninferiority
    return replace(
        evidence,
        p_value=np.where(pairs, 1.0, evidence.p_value),
        p_equivalence=np.where(pairs, 1.0, evidence.p_equivalence),
        low=np.where(pairs, -np.inf, evidence.low),
        high=np.where(pairs, np.inf, evidence.high),
        p_noninferiority=None if not_worse is None else np.where(pairs, 1.0, not_worse),
    )


def in_agreement(low: Array, high: Array, estimate: Array, decided: Flags) -> tuple[Array, Array]:
    """Return (P,) ends cut at 0 where a pair is decided, and stretched to 0 where it is not.

    A decided pair has the sign of its estimate, and its interval is open at 0.

    Examples
    --------
    >>> low, high = np.array([-0.1, 0.2]), np.array([0.4, 0.6])
    >>> ends = in_agreement(low, high, np.array([0.1, 0.4]), np.array([True, False]))
    >>> [end.tolist() for end in ends]
    [[0.0, 0.0], [0.4, 0.6]]
    """
    up, down = decided & (estimate > 0), decided & (estimate < 0)
    low = np.where(up, np.maximum(low, 0.0), np.where(down, low, np.minimum(low, 0.0)))
    high = np.where(down, np.minimum(high, 0.0), np.where(up, high, np.maximum(high, 0.0)))
    return low, high


def with_equivalence(
    evidence: Evidence, tail: Array, alpha: float, margin: float, ends: Ends
) -> Evidence:
    """Return evidence with the intervals that show equivalence, as it was where none is shown.

    They lie within the margin.

    Parameters
    ----------
    evidence
        Of the pairs, with their p-values of equivalence.
    tail
        (P,) levels of the two one-sided tests of each pair that is equivalent, which its interval
        leaves out on either side.
    alpha, margin
        Level of all pairs together, and the difference that does not matter.
    ends
        From the numbers of some pairs and their tails to both ends of their intervals.

    Notes
    -----
    An interval of another statistic than the tests' is cut at the margin where these decide.
    """
    equal = np.flatnonzero(evidence.p_equivalence <= alpha)
    if not len(equal):
        return evidence
    low, high = np.full((2, len(tail)), np.nan)
    low[equal], high[equal] = ends(equal, np.minimum(tail[equal], _MOST_TAIL))
    return replace(
        evidence,
        equivalence_low=np.maximum(low, -margin),
        equivalence_high=np.minimum(high, margin),
    )


def tail_of_step(p: Array, adjusted: Array, alpha: float) -> Array:
    """Return (P,) levels at which each pair alone is tested, given those of all adjusted p-values.

    A pair's p-value is at most its level if and only if the adjusted one is at most alpha.

    Examples
    --------
    >>> tail_of_step(np.array([0.01, 0.04]), np.array([0.02, 0.04]), 0.05).tolist()
    [0.025, 0.05]
    """
    return alpha * np.divide(p, adjusted, out=np.full(len(p), 1 / len(p)), where=adjusted > 0)


def silenced(evidence: Evidence, silent: Flags) -> Evidence:
    """Withhold verdicts on some pairs that have no error, either."""
    return replace(
        withheld(evidence, silent),
        std_error=np.where(silent, 0.0, evidence.std_error),
        statistic=np.where(silent, 0.0, evidence.statistic),
        p_raw=np.where(silent, 1.0, evidence.p_raw),
    )


def alpha_of(level: float) -> float:
    """Return one minus a checked level, rounded so that 0.95 gives 0.05."""
    check_level(level)
    return round(1 - level, 12)


def contradicted(levels: Array, pairs: Codes, codes: States) -> Flags:
    """Return (P,) decided pairs whose better algorithm has the worse of (K,) levels."""
    level, single = joined_levels(levels), (pairs >= 0).all(axis=1)
    i, j = pairs.T
    ahead = np.where(single, np.sign(level[i] - level[j]), 0.0)
    winner = (codes == Verdict.FIRST) * 1.0 - (codes == Verdict.SECOND)
    return ahead * winner < 0


def mean_ranks(table: Array) -> Array:
    """Return (K,) mean ranks in the rows (B, K) with two scores or more, 1 for the largest.

    Examples
    --------
    >>> mean_ranks(np.array([[0.5, 0.9, 0.7], [0.4, np.nan, 0.6]])).tolist()
    [2.5, 1.0, 1.5]
    """
    rows = table[np.isfinite(table).sum(axis=1) > 1]
    ranks = ranked_rows(-rows)
    n = np.isfinite(ranks).sum(axis=0)
    return np.nansum(ranks, axis=0) / np.where(n > 0, n, np.nan)


def places(levels: Array, pairs: Codes, differences: Array) -> Array:
    """Return (K,) places of algorithms in the order of pairs' differences, larger is better.

    By the number of others that one is ahead of, less those ahead of it: an algorithm that is ahead
    of each other one is first, however far off some are. Ties, and all where not every pair is
    compared, are placed by `positions`.

    Examples
    --------
    >>> levels, pairs = np.zeros(3), np.array([[0, 1], [0, 2], [1, 2]])
    >>> places(levels, pairs, np.array([0.1, 0.1, -9.0])).tolist()
    [2.0, 0.0, 1.0]
    """
    fitted = joined_levels(positions(levels, pairs, differences))
    usable = (pairs >= 0).all(axis=1) & np.isfinite(differences)
    (i, j), d = pairs[usable].T, differences[usable]
    k, ahead = len(levels), np.zeros(len(levels))
    if len(np.unique(np.sort(pairs[usable]), axis=0)) == k * (k - 1) // 2:
        size = np.abs(np.nan_to_num(levels))
        sign = np.where(np.abs(d) <= rounding(np.maximum(size[i], size[j])), 0.0, np.sign(d))
        np.add.at(ahead, i, sign)
        np.add.at(ahead, j, -sign)
    both = np.column_stack([ahead, np.nan_to_num(fitted, nan=-np.inf)])
    place = np.unique(both, axis=0, return_inverse=True)[1].ravel().astype(np.float64)
    return np.where(np.isnan(fitted), np.nan, place)


def positions(levels: Array, pairs: Codes, differences: Array) -> Array:
    """Return (K,) levels whose differences fit those of pairs by least squares.

    Their mean in each set of algorithms that pairs connect is the median of the levels.

    Examples
    --------
    >>> levels = np.array([0.5, 0.9, 0.6])
    >>> positions(levels, np.array([[0, 1], [0, 2]]), np.array([0.1, 0.2])).round(6)
    array([0.7, 0.6, 0.5])
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
    if (normal == k * np.eye(k) - 1).all():
        apart = right / k  # whose last digits do not depend on the processor
    else:
        apart = np.linalg.lstsq(normal, right, rcond=None)[0]
    _, group = connected_components(csr_array((np.ones(len(i)), (i, j)), (k, k)), directed=False)
    for n in np.unique(group):
        members = group == n
        fitted[members] = apart[members] - apart[members].mean() + np.median(levels[members])
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
