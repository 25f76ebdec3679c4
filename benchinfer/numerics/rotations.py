"""Closed testing of pairs by rotations or sign flips of the rows of a table.

Each set of equalities that can hold together is a hypothesis, and a pair is decided when every
hypothesis that holds its equality is rejected: its adjusted p-value is the largest of theirs. For
all pairs these are the partitions of the algorithms into blocks of equal levels, for the pairs with
a control the sets of algorithms equal to it.

Under a hypothesis the differences of its pairs have mean 0 in each row. If the rows are
independent, normal and of one covariance, whichever that is, the differences have the same
distribution in each direction w of the D rows: the observed one, (1, ..., 1) / sqrt(D), is as good
as any other, and the share of directions with a statistic as large is an exact p-value for D >= 3.
Two statistics are used: the largest ``|t|`` with the pairs' own variances, and with one variance
pooled over the blocks. The smaller of their p-values is referred to the same directions.

Along a direction only the table's K - 1 orthonormal contrasts Z matter, and w'Z has the
distribution of the symmetric root of Z'Z times K - 1 coordinates of a direction: the result depends
neither on the order of the rows nor, as algorithms are put into an order of their own, on theirs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

import numpy as np
from scipy.linalg import helmert

from benchinfer.numerics.closed_testing import partitions
from benchinfer.numerics.types import Array, Codes, Flags

type Reference = Literal["rotation", "flips"]


# Directions beside the observed one: at first, and where a p-value is close to the level.
_TIMES = 10
DIRECTIONS = 9_999
MORE_DIRECTIONS = _TIMES * (DIRECTIONS + 1) - 1
SEED = 1
# Bell numbers grow fast: 4,139 partitions of 8 algorithms, 21,146 of 9.
MOST_ALGORITHMS = 8
FEWEST_ROWS = 3
# All flips are counted of so many rows: two-sided 8,192, as a vector and its opposite are one.
_MOST_FLIPPED = 14
# A p-value within so many of its errors of the level is evaluated with more directions.
_CLOSE = 3.0
# Statistics closer than this part of their size are equal, as many are under sign flips.
_SAME = 1e-9
# Sums that are held at a time.
_MOST_SUMS = 2_000_000
# Columns that rows are put in order by.
_KEYS = 64
# Share of the largest singular value below which one is zero.
_NULL = 1e-12


@dataclass(frozen=True, slots=True)
class ClosedTest:
    """Adjusted p-values of P pairs; (P,) arrays."""

    p_value: Array  # adjusted p-values
    error: Array  # their Monte Carlo errors, 0 where all flips were counted or a t test decides
    # How many directions, the observed one among them, decide each pair; 0 for a t test
    directions: Codes


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    """A set of equalities; pairs are indices of `triu_indices`."""

    tested: Codes  # indices of the pairs that speak against it
    # within, weight: pairs inside the blocks, and one over the size of their block
    within: Codes
    weight: Array


@dataclass(frozen=True)
class _Along:
    """Components of pairs along n directions, the observed one first; (P, n) arrays."""

    size: Array  # squares of the differences along it, in one-sided tests with the sign of these
    spread: Array  # mean squares of the differences across it

    @cached_property
    def ratio(self) -> Array:
        """Squared t statistics of the pairs, with the variance of each."""
        return self.size / self.spread


def closed_pairs(
    means: Array,
    alone: Array,
    alpha: float,
    *,
    control: int | None = None,
    side: int = 0,
    silent: Flags | None = None,
    reference: Reference = "rotation",
    directions: int = DIRECTIONS,
    seed: int = SEED,
) -> ClosedTest:
    """Return closed tests of all pairs, or of those with a control, by rotations or sign flips.

    Parameters
    ----------
    means
        (D, K) table; rows are independent, D >= 3.
    alone
        (K (K - 1) / 2,) p-values of each pair's own t test, in the order of `covariance.all_pairs`:
        those of hypotheses of one pair, which by sign flips have the p-value of these.
    alpha
        The level; near it p-values take ten times as many directions.
    control
        The algorithm to compare with, or None for all pairs.
    side
        0 for two-sided tests; with a control 1 or -1, where the others are to be shown larger or
        smaller than it.
    silent
        (K (K - 1) / 2,) pairs that say nothing, as their difference does not vary: p-value 1.
    reference
        ``"rotation"``: uniform directions, for normal rows of one covariance. ``"flips"``: random
        signs of the rows, all of them up to 14 rows, for rows with symmetric distributions.
    directions, seed
        Number of random directions, and their seed.

    Returns
    -------
    ClosedTest
        In the order of `covariance.all_pairs`; pairs without the control have p-value 1.

    References
    ----------
    Marcus, R., Peritz, E. & Gabriel, K. R. (1976). On closed testing procedures with special
    reference to ordered analysis of variance. Biometrika 63, 655-660.
    https://doi.org/10.1093/biomet/63.3.655

    Langsrud, O. (2005). Rotation tests. Statistics and Computing 15, 53-60.
    https://doi.org/10.1007/s11222-005-4789-5
    """
    k = means.shape[1]
    order = canonical_order(means)
    first, second = np.triu_indices(k, 1)
    # The old numbers of the pairs of reordered algorithms.
    old = np.zeros((k, k), np.int64)
    old[first, second] = old[second, first] = np.arange(len(first))
    number = old[order[first], order[second]]
    table = means[:, order]
    quiet = np.zeros(len(first), np.bool_) if silent is None else silent[number]
    place = None if control is None else int(np.flatnonzero(order == control)[0])
    hypotheses = _speaking(_hypotheses(k, place), quiet)
    contrasts = np.eye(k)[first] - np.eye(k)[second]
    if side and place is not None:
        contrasts *= side * np.where(second == place, 1.0, -1.0)[:, None]

    def along(n: int) -> _Along:
        flips = reference == "flips"
        z = _flipped(table, n, seed, two_sided=not side) if flips else _rotated(table, n, seed)
        return _of_directions(table, z, contrasts, two_sided=not side)

    closure = _Closure(hypotheses, along, alone[number] if reference == "rotation" else None, alpha)
    exact = reference == "flips" and all_flips(len(means))
    tests = closure.tested(len(first), directions, exact=exact)
    back = np.empty_like(number)
    back[number] = np.arange(len(number))
    return ClosedTest(tests.p_value[back], tests.error[back], tests.directions[back])


def closed_flips(
    terms: Array,
    alone: Array,
    k: int,
    alpha: float,
    *,
    silent: Flags,
    directions: int = DIRECTIONS,
    seed: int = SEED,
) -> ClosedTest:
    """Return closed tests of all pairs by sums of signed terms, with sign flips of rows.

    Parameters
    ----------
    terms
        (D, K (K - 1) / 2) terms of each pair's sum, in the order of `covariance.all_pairs`; 0 where
        there is none. A row's terms change their signs together.
    alone
        (K (K - 1) / 2,) p-values of each pair's own test, those of hypotheses of one pair.
    k
        Number of algorithms.
    alpha, silent, directions, seed
        As in `closed_pairs`.

    Returns
    -------
    ClosedTest
        Of the largest standardised sum of each hypothesis.

    References
    ----------
    Marcus, R., Peritz, E. & Gabriel, K. R. (1976). On closed testing procedures with special
    reference to ordered analysis of variance. Biometrika 63, 655-660.
    https://doi.org/10.1093/biomet/63.3.655
    """
    unit = canonical_rows(_standardised(terms))

    def along(n: int) -> _Along:
        parts = [unit.sum(axis=0)[None], *signed_parts(unit, n, seed, two_sided=True)]
        size = np.concatenate(parts).T ** 2
        return _Along(size, np.ones_like(size))

    closure = _Closure(_speaking(_hypotheses(k, None), silent), along, alone, alpha)
    return closure.tested(terms.shape[1], directions, exact=all_flips(len(terms)))


def step_down_flips(
    terms: Array, *, two_sided: bool, directions: int = DIRECTIONS, seed: int = SEED
) -> tuple[Array, Array]:
    """Return step-down adjusted p-values of signed sums, by sign flips of rows.

    Parameters
    ----------
    terms
        (D, P) terms as in `closed_flips`, of any contrasts.
    two_sided
        Whether small sums speak against the hypotheses, too.
    directions, seed
        As in `closed_pairs`.

    Returns
    -------
    tuple of numpy.ndarray
        (P,) adjusted p-values and their Monte Carlo errors, 0 where all flips were counted.

    References
    ----------
    Westfall, P. H. & Young, S. S. (1993). Resampling-Based Multiple Testing. Wiley.

    Romano, J. P. & Wolf, M. (2005). Exact and approximate stepdown methods for multiple hypothesis
    testing. Journal of the American Statistical Association 100, 94-108.
    https://doi.org/10.1198/016214504000000539
    """
    unit = canonical_rows(_standardised(terms))
    observed = np.abs(unit.sum(axis=0)) if two_sided else unit.sum(axis=0)
    order = np.argsort(-observed, kind="stable")
    unit, limit = unit[:, order], observed[order] - _SAME * np.abs(observed[order])
    count, n = np.ones(len(order)), 1
    for sums in signed_parts(unit, directions, seed, two_sided=two_sided):
        largest = np.maximum.accumulate((np.abs(sums) if two_sided else sums)[:, ::-1], axis=1)
        count += (largest[:, ::-1] >= limit).sum(axis=0)
        n += len(sums)
    p = np.empty(len(order))
    p[order] = np.maximum.accumulate(count / n)
    return p, _error(p, np.full(len(p), n), exact=all_flips(len(unit)))


def all_flips(d: int) -> bool:
    """Return whether all sign vectors of d rows are counted."""
    return d <= _MOST_FLIPPED


def _standardised(terms: Array) -> Array:
    """Return terms scaled so that their sums have variance 1 under random signs."""
    size = np.sqrt((terms**2).sum(axis=0))
    return np.divide(terms, size, out=np.zeros_like(terms), where=size > 0)


def canonical_rows(unit: Array) -> Array:
    """Return rows in a canonical order, which does not depend on the order of rows or columns.

    Signs of random flips go by row.
    """
    sums = unit.sum(axis=0)
    columns = np.argsort(-np.abs(sums), kind="stable")[:_KEYS]
    turned = unit[:, columns] * np.where(sums[columns] < 0, -1.0, 1.0)
    return unit[np.lexsort(np.round(turned, 9).T[::-1])]


@cache
def _hypotheses(k: int, control: int | None) -> tuple[_Hypothesis, ...]:
    """Return the sets of equalities of all pairs, or of the pairs with a control."""
    first, second = np.triu_indices(k, 1)
    involved = np.ones(len(first), np.bool_)
    if control is not None:
        involved = (first == control) | (second == control)
    hypotheses: list[_Hypothesis] = []
    for labels in (np.array(each) for each in partitions(k)):
        size = np.bincount(labels)
        blocks = np.flatnonzero(size > 1)
        # With a control the only block is its own.
        if not len(blocks) or (control is not None and blocks.tolist() != [labels[control]]):
            continue
        within = np.flatnonzero(labels[first] == labels[second])
        hypotheses.append(
            _Hypothesis(within[involved[within]], within, 1 / size[labels[first[within]]])
        )
    return tuple(hypotheses)


def _speaking(hypotheses: Sequence[_Hypothesis], quiet: Flags) -> list[_Hypothesis]:
    """Return the hypotheses without the pairs that do not vary among those tested."""
    if not quiet.any():
        return list(hypotheses)
    return [_Hypothesis(h.tested[~quiet[h.tested]], h.within, h.weight) for h in hypotheses]


def canonical_order(means: Array) -> Codes:
    """Return a canonical order of the algorithms, which depends on their values alone."""
    centred = means - means.mean(axis=1, keepdims=True)
    level, spread = centred.mean(axis=0), centred.std(axis=0)
    size = float(np.abs(centred).max()) or 1.0
    return np.lexsort(np.round(np.array([spread, level]) / size, 9))


def _rotated(table: Array, n: int, seed: int) -> Array:
    """Return (n, K - 1) contrasts of the table along n uniform directions."""
    z = _orthonormal(table)
    d, q = z.shape
    _, size, axes = np.linalg.svd(z, full_matrices=False)
    held = size > _NULL * max(float(size[0]), 1e-300)
    size, axes = size[held], axes[held]
    normal, rest = np.random.default_rng(seed).spawn(2)
    # One row after the other, so that more directions begin with fewer.
    g = normal.standard_normal((n, q)) @ axes.T
    length = (g**2).sum(axis=1)
    if d > len(size):
        length += rest.chisquare(d - len(size), n)
    return (g / np.sqrt(length)[:, None] * size) @ axes


def _flipped(table: Array, n: int, seed: int, *, two_sided: bool) -> Array:
    """Return contrasts of the table's rows along random sign vectors, or along all of them."""
    z = _orthonormal(table)
    # Rows in an order of their own, for signs that do not depend on theirs.
    z = z[np.lexsort(np.round(z.T / (np.abs(z).max() or 1.0), 9))]
    parts = [*signed_parts(z, n, seed, two_sided=two_sided)]
    return np.concatenate(parts) / np.sqrt(len(z))


def drawn_levels(table: Array, reference: Reference, n: int, seed: int) -> Array:
    """Return (n, K) centred levels of a (D, K) table along random directions or sign vectors.

    Of few rows all signs other than the observed ones are gone through.
    """
    if reference == "rotation":
        return _rotated(table, n, seed) @ helmert(table.shape[1])
    centred = canonical_rows(table - table.mean(axis=1, keepdims=True))
    return sign_vectors(len(table), n, seed) @ centred / np.sqrt(len(table))


def sign_vectors(d: int, n: int, seed: int) -> Array:
    """Return n random sign vectors of d rows, or all but the observed one if these are few."""
    if all_flips(d):
        bits = np.arange(1, 1 << d)[:, None] >> np.arange(d) & 1
        return 1 - 2 * bits.astype(np.float64)
    return np.random.default_rng(seed).choice([-1.0, 1.0], (n, d))


def signed_parts(terms: Array, n: int, seed: int, *, two_sided: bool = False) -> Iterator[Array]:
    """Yield parts of the sums of rows with n random sign vectors, or with all if there are few.

    In two-sided tests a vector and its opposite are one: their statistics are the same.
    """
    d = len(terms)
    if d <= _MOST_FLIPPED:
        bits = np.arange(1, 1 << (d - two_sided))[:, None] >> np.arange(d) & 1
        yield (1 - 2 * bits.astype(np.float64)) @ terms
        return
    from benchinfer.numerics.shuffle import signed_sums  # numba: a second, where signs are drawn

    step = max(1, _MOST_SUMS // max(terms.shape[1], 1))
    for start in range(0, n, step):
        yield signed_sums(terms, seed, start, min(start + step, n))


def _orthonormal(table: Array) -> Array:
    """Return (D, K - 1) orthonormal contrasts of the rows."""
    return (table - table.mean(axis=1, keepdims=True)) @ helmert(table.shape[1]).T


def _of_directions(table: Array, z: Array, contrasts: Array, *, two_sided: bool) -> _Along:
    """Return components of the pairs along the observed direction and along drawn contrasts z."""
    d, k = table.shape
    observed = contrasts @ table.mean(axis=0) * np.sqrt(d)
    along = np.concatenate([observed[:, None], contrasts @ helmert(k).T @ z.T], axis=1)
    length = ((table @ contrasts.T) ** 2).sum(axis=0)[:, None]
    size = along**2
    # Of rounding only: a difference that lies along the direction has no spread across it.
    spread = np.maximum(length - size, 1e-14 * length + 1e-300) / (d - 1)
    return _Along(size if two_sided else np.sign(along) * size, spread)


@dataclass(frozen=True, slots=True)
class _Closure:
    """Hypotheses of a closed test, with the distribution and p-values that test them."""

    hypotheses: Sequence[_Hypothesis]
    along: Callable[[int], _Along]  # from a number of directions to the pairs along them
    # (P,) p-values of hypotheses of one pair, None to take them from the directions
    alone: Array | None
    alpha: float

    def tested(self, pairs: int, directions: int, *, exact: bool) -> ClosedTest:
        """Return closed tests: the largest p-value over all hypotheses that contain each pair."""
        table = self.along(directions)
        p = np.array([self._p_value(h, table) for h in self.hypotheses])
        single = np.array([len(h.within) == 1 for h in self.hypotheses], dtype=np.bool_)
        count = np.where(single & (self.alone is not None), 0, table.size.shape[1])
        member = np.zeros((len(p), pairs), np.bool_)
        for row, hypothesis in zip(member, self.hypotheses, strict=True):
            row[hypothesis.tested] = True
        more: _Along | None = None
        most = _TIMES * (directions + 1) - 1
        while True:
            held = np.where(member, p[:, None], -1.0)
            deciding = held.argmax(axis=0)
            spoken = member.any(axis=0)
            value = np.where(spoken, p[deciding], 1.0)
            n = np.where(spoken, count[deciding], 0)
            error = _error(value, n, exact=exact)
            close = (np.abs(value - self.alpha) <= _CLOSE * error) & (error > 0)
            close &= n <= most
            if not close.any():
                return ClosedTest(value, error, n)
            more = more or self.along(most)
            for i in np.unique(deciding[close]):
                p[i], count[i] = self._p_value(self.hypotheses[i], more), more.size.shape[1]

    def _p_value(self, hypothesis: _Hypothesis, table: _Along) -> float:
        tested = hypothesis.tested
        if not len(tested):
            return 1.0
        if self.alone is not None and len(hypothesis.within) == 1:
            return float(self.alone[tested[0]])
        size = table.size[tested]
        single = table.ratio[tested].max(axis=0)
        pooled = size.max(axis=0) / (hypothesis.weight @ table.spread[hypothesis.within])
        return _smaller(single, pooled)


def _error(p: Array, n: Codes, *, exact: bool) -> Array:
    if exact:
        return np.zeros_like(p)
    return np.sqrt(np.divide(p * (1 - p), n, out=np.zeros_like(p), where=n > 0))


def _smaller(single: Array, pooled: Array) -> float:
    """Return the p-value of the smaller of two p-values, from the same directions.

    Directions whose smaller p-value is at most that of the first, m / n, are those with one of the
    two statistics among its m largest.
    """
    both = (single, pooled)
    as_large = [values >= values[0] - _SAME * abs(values[0]) for values in both]
    m = min(int(np.count_nonzero(each)) for each in as_large)
    rare = [_among(values, each, m) for values, each in zip(both, as_large, strict=True)]
    return float(np.count_nonzero(rare[0] | rare[1])) / len(single)


def _among(values: Array, as_large: Flags, m: int) -> Flags:
    """Return a mask of the m largest values, without those tied with the next one."""
    if np.count_nonzero(as_large) == m:
        return as_large
    at = len(values) - m - 1
    limit = float(np.partition(values, at)[at])
    return values > limit + _SAME * abs(limit)
