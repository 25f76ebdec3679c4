"""Confidence sets of ranks and of the best algorithm, by step-down tests of ordered pairs.

An algorithm may be the best unless a test decides that another one is better. Its rank is at least
one plus the number of algorithms decided to be better, and at most K less the number decided to be
worse. Tests are one-sided, of the largest standardised difference of those that a hypothesis is
about, referred to draws of all differences together under equal levels: along rotated directions or
with flipped signs of the rows of a table, or of a normal or t distribution.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from scipy.special import ndtri, stdtr

from benchinfer.core.saving import savable, shaped
from benchinfer.numerics import multiplicity, rotations
from benchinfer.numerics.types import Array, Codes, Flags

# Rotations or flips of rows, flips of terms, normal or t distribution, p-values of pairs alone, or
# draws of a posterior.
type Basis = Literal["rotation", "flips", "t", "pairs", "posterior"]

# Draws, fewer of so many algorithms that the statistics would be more than these.
DRAWS = 19_999
_FEWEST_DRAWS, _MOST_STATISTICS = 1_999, 100_000_000
# Draws that are gone through at a time.
_STEP = 2_000
# Statistics closer than this part of their size are equal, as many are under sign flips.
_SAME = 1e-9
# Rounding of a share.
_ROUNDING = 1e-9
# Share of the largest spread below which a difference has none.
_FLAT = 1e-7


@savable
@shaped(
    best="K",
    p_best="K",
    low="K",
    high="K",
    marginal_low="K",
    marginal_high="K",
    near="K",
    p_near="K",
)
@dataclass(frozen=True, slots=True)
class RankSets:
    """Sets of the best algorithm and of the ranks of K algorithms; (K,) arrays.

    Attributes
    ----------
    best
        Which algorithms may be the best.
    p_best
        P-values of the hypotheses that no other algorithm is better; None of posterior draws.
    low, high
        Smallest and largest ranks of the sets that hold together for all algorithms.
    marginal_low, marginal_high
        Those of the sets that hold for each algorithm alone.
    basis
        What the statistics are referred to.
    near, p_near
        Which may be the best one or worse than it by at most the tolerance, with the p-values of
        that; None without a tolerance.
    """

    best: Flags
    p_best: Array | None
    low: Codes
    high: Codes
    marginal_low: Codes
    marginal_high: Codes
    basis: Basis
    near: Flags | None = None
    p_near: Array | None = None


@dataclass(frozen=True, slots=True)
class DifferenceDraws:
    """Draws of (K, n) levels, of (K, K) inverse errors of their differences, and of (n,) shifts."""

    levels: Array
    per_error: Array
    shift: Array | float = 0.0

    @property
    def n(self) -> int:
        """Return the number of draws."""
        return self.levels.shape[1]

    def row(self, i: int) -> Array:
        """Return (K, n) statistics of one algorithm less all."""
        differences = self.levels[i] - self.levels
        differences -= self.shift
        differences *= self.per_error[i][:, None]
        return differences

    def pair(self, i: int, j: int) -> Array:
        """Return (n,) statistics of one algorithm less another."""
        return (self.levels[i] - self.levels[j] - self.shift) * self.per_error[i, j]


@dataclass(frozen=True, slots=True)
class _SignDraws:
    """Sums of (K, K, D) terms with (D, n) signs; methods as of `DifferenceDraws`."""

    unit: Array
    signs: Array

    @property
    def n(self) -> int:
        return self.signs.shape[1]

    def row(self, i: int) -> Array:
        return self.unit[i] @ self.signs

    def pair(self, i: int, j: int) -> Array:
        return self.unit[i, j] @ self.signs


type _Draws = DifferenceDraws | _SignDraws


def n_draws(k: int) -> int:
    """Return the number of draws for k algorithms.

    Examples
    --------
    >>> n_draws(5), n_draws(200)
    (19999, 2500)
    """
    return max(_FEWEST_DRAWS, min(DRAWS, _MOST_STATISTICS // (k * k)))


@dataclass(frozen=True, slots=True)
class RowReference:
    """Directions along, or signs of, the rows of a complete (D, K) table, larger is better.

    Rotations are exact for independent normal rows of one covariance with equal levels, sign flips
    for rows with symmetric differences.
    """

    table: Array
    kind: rotations.Reference = "rotation"
    seed: int = rotations.SEED

    def observed(self, margin: float) -> Array:
        """Return the cosines of the differences with the observed direction."""
        mean = self.table.mean(axis=0)
        return (mean[:, None] - mean - margin) * len(self.table) ** 0.5 * self.per_length(margin)

    def drawn(self, margin: float) -> Iterator[_Draws]:
        """Yield cosines of the differences with random directions, with the margin as a column."""
        d, k = self.table.shape
        order = rotations.canonical_order(self.table)
        place = np.argsort(order)
        columns = [self.table[:, order]]
        if margin:
            columns.append(np.tile([0.0, margin], (d, 1)))
        levels = rotations.drawn_levels(np.hstack(columns), self.kind, n_draws(k), self.seed)
        shift = levels[:, k + 1] - levels[:, k] if margin else None
        yield from _parts(levels[:, place], self.per_length(margin), shift)

    def per_length(self, margin: float) -> Array:
        """Return one over the lengths of the differences, 0 of those that do not vary."""
        lengths, spread = (np.empty((self.table.shape[1],) * 2) for _ in range(2))
        for i, column in enumerate(self.table.T):
            difference = column[:, None] - self.table - margin
            lengths[i] = np.sqrt((difference**2).sum(axis=0))
            spread[i] = difference.std(axis=0)
        flat = spread <= _FLAT * max(spread.max(), self.table.std(axis=0).max())
        return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=~flat)


@dataclass(frozen=True, slots=True)
class NormalReference:
    """Levels (K,) with normal or t errors of a (K, K) covariance.

    Attributes
    ----------
    levels, cov
        Estimates, larger is better, and their covariance.
    df
        (K, K) degrees of freedom of each pair. Where they differ each statistic is the normal one
        of its p-value.
    error
        (K, K) standard errors of the differences, infinite for those that say nothing; by default
        of the covariance.
    """

    levels: Array
    cov: Array
    df: Array
    error: Array | None = None

    kind: ClassVar[Basis] = "t"

    def observed(self, margin: float) -> Array:
        """Return t statistics, or the normal ones of their p-values."""
        per_error = _per_error(self.cov)
        if self.error is not None:
            per_error = np.where(per_error > 0, 1 / np.where(per_error > 0, self.error, 1.0), 0.0)
        t = (self.levels[:, None] - self.levels - margin) * per_error
        if self._common:
            return t
        size = -ndtri(np.maximum(self.p_values(t), 1e-300))
        return np.sign(t) * np.asarray(size, np.float64)

    def p_values(self, t: Array) -> Array:
        """Return one-sided p-values of |t|."""
        return np.asarray(stdtr(self.df, -np.abs(t)), np.float64)

    def drawn(self, margin: float) -> Iterator[_Draws]:  # noqa: ARG002  (draws are of no difference)
        """Yield draws with one length of all errors where degrees of freedom are one."""
        k = len(self.levels)
        normal, chi = np.random.default_rng(rotations.SEED).spawn(2)
        values, vectors = np.linalg.eigh(self.cov)
        # The symmetric root depends on neither the signs nor the order of the vectors.
        root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        levels = normal.standard_normal((n_draws(k), k)) @ root
        df = float(self.df[0, 1])
        if self._common and np.isfinite(df):
            levels /= np.sqrt(chi.chisquare(df, (len(levels), 1)) / df)
        yield from _parts(levels, _per_error(self.cov))

    @property
    def _common(self) -> bool:
        df = self.df[np.triu_indices(len(self.levels), 1)]
        return bool(np.isinf(df).all() or np.ptp(df) <= 1e-6 * df.max())


def _per_error(cov: Array) -> Array:
    """Return one over the standard errors of the differences, 0 of those without one."""
    variance = cov.diagonal()
    squares = np.maximum(variance[:, None] + variance - 2 * cov, 0.0)
    flat = squares <= _FLAT**2 * variance.max(initial=0.0)
    return np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=~flat)


@dataclass(frozen=True, slots=True)
class TermReference:
    """Sums of signed terms of pairs, whose signs flip together in each row.

    ``terms`` gives, for a margin, the (D, K, K) terms of row less column less the margin.
    """

    terms: Callable[[float], Array]
    seed: int = rotations.SEED

    kind: ClassVar[Basis] = "flips"

    def observed(self, margin: float) -> Array:
        """Return sums in standard deviations under random signs."""
        return self._unit(margin).sum(axis=2)

    def drawn(self, margin: float) -> Iterator[_Draws]:
        """Yield the sums of terms with random signs."""
        unit = self._unit(margin)
        k, _, d = unit.shape
        signs = rotations.sign_vectors(d, n_draws(k), self.seed)
        for start in range(0, len(signs), _STEP):
            yield _SignDraws(unit, np.ascontiguousarray(signs[start : start + _STEP].T))

    def _unit(self, margin: float) -> Array:
        terms = self.terms(margin)
        size = np.sqrt((terms**2).sum(axis=0))
        unit = np.divide(terms, size, out=np.zeros_like(terms), where=size > 0)
        rows = rotations.canonical_rows(unit.reshape(len(unit), -1))
        return rows.T.reshape(*size.shape, -1)


def _parts(levels: Array, per_error: Array, shift: Array | None = None) -> Iterator[_Draws]:
    """Yield parts of (N, K) draws of levels, less (N,) shifts."""
    for start in range(0, len(levels), _STEP):
        part = slice(start, start + _STEP)
        drawn = np.ascontiguousarray(levels[part].T)
        yield DifferenceDraws(drawn, per_error, 0.0 if shift is None else shift[part])


type RankReference = RowReference | NormalReference | TermReference


def rank_sets(reference: RankReference, alpha: float, margin: float = 0.0) -> RankSets:
    """Return the sets of the best algorithm and of ranks by step-down tests.

    Parameters
    ----------
    reference
        Statistics, observed and drawn.
    alpha
        One minus the probability with which the best algorithm is in its set, and ranks in theirs.
    margin
        Tolerance on the scale of the differences; 0 for none.

    Notes
    -----
    The set of the best is not adjusted for the number of algorithms: that the true best one is in
    it takes one test, its own. Simultaneous sets of ranks test all ordered pairs, marginal ones
    those of one algorithm in both directions.

    References
    ----------
    Hsu, J. C. (1984). Constrained simultaneous confidence intervals for multiple comparisons with
    the best. Annals of Statistics 12, 1136-1144. https://doi.org/10.1214/aos/1176346732

    Mogstad, M., Romano, J. P., Shaikh, A. M. & Wilhelm, D. (2024). Inference for ranks with
    applications to mobility across neighbourhoods and academic achievement across countries. Review
    of Economic Studies 91, 476-518. https://doi.org/10.1093/restud/rdad006

    Romano, J. P. & Wolf, M. (2005). Exact and approximate stepdown methods for multiple hypothesis
    testing. Journal of the American Statistical Association 100, 94-108.
    https://doi.org/10.1198/016214504000000539
    """
    observed = reference.observed(0.0)
    k, signs = len(observed), np.where(observed < 0, -1.0, 1.0)
    first, second = np.triu_indices(k, 1)
    turn, sides = signs[first, second], [*zip(first.tolist(), second.tolist(), strict=True)]
    pairs = StepDown(np.abs(observed[first, second]))
    rows = [StepDown(row) for row in np.abs(observed)]
    for draws in reference.drawn(0.0):
        against: list[Array] = []
        for i, family in enumerate(rows):
            turned = draws.row(i) * signs[i][:, None]
            against.append(-turned.min(axis=0))
            family.count(turned.__getitem__, against[i])

        def of_pair(m: int, draws: _Draws = draws) -> Array:
            return turn[m] * draws.pair(*sides[m])

        pairs.count(of_pair, np.max(against, axis=0))
    better = np.zeros((k, k), np.bool_)
    better[first, second] = pairs.p_values() <= alpha
    better |= better.T
    alone = np.array([family.p_values() for family in rows]) <= alpha
    return _sets(
        _p_best(reference, 0.0),
        _p_best(reference, margin) if margin > 0 else None,
        better & (observed > 0),
        alone & (observed > 0),
        alone & (observed < 0),
        alpha,
        reference.kind,
    )


def _p_best(reference: RankReference, margin: float) -> Array:
    """Return (K,) p-values of the largest statistic of the others against each algorithm."""
    observed = reference.observed(margin)
    largest = np.where(np.eye(len(observed), dtype=np.bool_), -np.inf, observed).max(axis=0)
    limit = largest - _SAME * np.abs(largest)
    count, n = np.ones(len(observed)), 1
    for draws in reference.drawn(margin):
        drawn = np.full((len(observed), draws.n), -np.inf)
        for i in range(len(observed)):
            row = draws.row(i)
            row[i] = -np.inf
            np.maximum(drawn, row, out=drawn)
        count += (drawn >= limit[:, None]).sum(axis=1)
        n += draws.n
    return count / n


def normal_rank_sets(reference: NormalReference, alpha: float, margin: float = 0.0) -> RankSets:
    """Return the sets of normal or t errors; of two algorithms those of their t test."""
    if len(reference.levels) > 2:
        return rank_sets(reference, alpha, margin)
    certain = replace(reference, df=np.full_like(reference.df, np.inf))
    p: list[Array] = []  # of the tests that the row is better by more than 0, and than the margin
    for least in (0.0, margin):
        observed = certain.observed(least)
        smaller = reference.p_values(observed)
        p.append(np.where(observed > 0, smaller, 1 - smaller))
    return replace(
        rank_sets_of_p_values(p[0], alpha, p[1] if margin > 0 else None), basis=reference.kind
    )


def rank_sets_of_p_values(p_values: Array, alpha: float, near: Array | None = None) -> RankSets:
    """Return the sets by Bonferroni's and Holm's adjustments, of any dependence.

    Parameters
    ----------
    p_values
        (K, K) one-sided p-values of the tests that the row is better than the column, 1 where there
        is none.
    alpha
        As in `rank_sets`.
    near
        (K, K) those that it is better by more than the tolerance, None without one.
    """
    k = len(p_values)
    off = ~np.eye(k, dtype=np.bool_)
    better = np.zeros((k, k), np.bool_)
    better[off] = multiplicity.holm(p_values[off]) <= alpha
    above, below = np.zeros_like(better), np.zeros_like(better)
    for i in range(k):
        both = np.concatenate([p_values[i, off[i]], p_values[off[i], i]])
        above[i, off[i]], below[i, off[i]] = np.split(multiplicity.holm(both) <= alpha, 2)
    each = np.stack([p_values, p_values if near is None else near])
    best, within = np.minimum(np.where(off, each, 1.0).min(axis=1) * (k - 1), 1.0)
    return _sets(best, None if near is None else within, better, above, below, alpha, "pairs")


def rank_sets_of_draws(effects: Array, level: float) -> RankSets:
    """Return credible sets from draws (..., K) of effects, larger is better.

    The set of the best is the smallest one with the level. Simultaneous sets of ranks are intervals
    between the same share of each algorithm's draws at either end, the largest one that leaves the
    level to all of them together; marginal ones are equal-tailed.

    References
    ----------
    Besag, J., Green, P., Higdon, D. & Mengersen, K. (1995). Bayesian computation and stochastic
    systems. Statistical Science 10, 3-41. https://doi.org/10.1214/ss/1177010123

    Examples
    --------
    >>> draws = np.array([[2.0, 1.0, 0.0]] * 15 + [[1.0, 2.0, 0.0]] * 5)
    >>> sets = rank_sets_of_draws(draws, 0.95)
    >>> sets.best.tolist(), sets.low.tolist(), sets.high.tolist()
    ([True, True, False], [1, 1, 3], [2, 2, 3])
    """
    draws = effects.reshape(-1, effects.shape[-1])
    n, k = draws.shape
    rank = (-draws).argsort(axis=1).argsort(axis=1)
    counts = np.zeros((k, k), np.int64)
    for i in range(k):
        counts[i] = np.bincount(rank[:, i], minlength=k)
    up_to, from_there = counts.cumsum(axis=1), counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    depth = np.full(n, n)
    for i in range(k):
        ends = np.minimum(up_to[i], from_there[i])
        np.minimum(depth, ends[rank[:, i]], out=depth)
    outside = math.floor((1 - level) * n + _ROUNDING)
    least = int(np.partition(depth, outside)[outside])
    # So many draws, the ties of the best among them, are outside each end at most.
    tail = math.floor((1 - level) / 2 * n + _ROUNDING) + 1
    share = np.where(draws == draws.max(axis=1, keepdims=True), 1.0, 0.0)
    share = (share / share.sum(axis=1, keepdims=True)).mean(axis=0)
    order = np.argsort(-share, kind="stable")
    before = np.cumsum(share[order]) - share[order]
    best = np.zeros(k, np.bool_)
    best[order] = before < level - _ROUNDING
    return RankSets(
        best=best,
        p_best=None,
        low=1 + (up_to >= least).argmax(axis=1),
        high=k - (from_there[:, ::-1] >= least).argmax(axis=1),
        marginal_low=1 + (up_to >= tail).argmax(axis=1),
        marginal_high=k - (from_there[:, ::-1] >= tail).argmax(axis=1),
        basis="posterior",
    )


def _sets(
    p_best: Array,
    p_near: Array | None,
    better: Flags,
    above: Flags,
    below: Flags,
    alpha: float,
    basis: Basis,
) -> RankSets:
    """Return rank sets from p-values, significant pairs, and those of each algorithm alone."""
    k = len(p_best)
    return RankSets(
        best=p_best > alpha,
        p_best=p_best,
        low=1 + better.sum(axis=0),
        high=k - better.sum(axis=1),
        marginal_low=1 + below.sum(axis=1),
        marginal_high=k - above.sum(axis=1),
        basis=basis,
        near=None if p_near is None else p_near > alpha,
        p_near=p_near,
    )


class StepDown:
    """Draws for M statistics of pairs, each pair tested in both directions.

    In the order of their sizes, each statistic is referred to the largest of those that are left
    and of all in the direction against the observed one.
    """

    def __init__(self, size: Array) -> None:
        self._order = np.argsort(-size, kind="stable")
        self._limit = (size[self._order] * (1 - _SAME)).tolist()
        self._count, self._n = np.ones(len(size)), 1

    def count(self, statistic: Callable[[int], Array], against: Array) -> None:
        """Count (n,) draws of each statistic, and of the largest against the observed ones."""
        largest = against.copy()
        for m in range(len(self._order) - 1, -1, -1):
            np.maximum(largest, statistic(self._order[m]), out=largest)
            self._count[m] += np.count_nonzero(largest >= self._limit[m])
        self._n += len(against)

    def p_values(self, most: Array | None = None) -> Array:
        """Return (M,) step-down p-values; ``most`` are upper bounds before running maxima."""
        p, share = np.empty(len(self._order)), self._count / self._n
        share = share if most is None else np.minimum(share, most[self._order])
        p[self._order] = np.maximum.accumulate(share)
        return p
