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
pooled over the blocks. The smaller of their p-values is referred to the same directions. One-sided
tests have the first alone: their hypotheses are that no difference is above 0, under which a large
variance of one pair must not help another.

Along a direction only the table's K - 1 orthonormal contrasts Z matter, and w'Z has the
distribution of the symmetric root of Z'Z times K - 1 coordinates of a direction: the result depends
neither on the order of the rows nor, as algorithms are put into an order of their own, on theirs.

With gaps each hypothesis may have rows of its own, as it is tested by itself. Signs of a row flip
the differences that it has, and all gaps stay where they are: flips are exact without any filling.
Directions go with rows that hold all algorithms of a hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal

import numpy as np
from scipy.linalg import helmert

from benchinfer.numerics.closed_testing import bergmann_hommel, partitions
from benchinfer.numerics.covariance import additive_fit
from benchinfer.numerics.multiplicity import holm, level_share
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
# A table in which each algorithm lacks at most one row of so many is filled by its additive fit.
FILLED = 50
# Rows that hold all algorithms of a hypothesis take the place of those of its pairs if there are so
# many, and this share of the fewest of a pair.
_FEWEST_COMPLETE, _SHARE_COMPLETE = 5, 0.8
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
class AdjustedPValues:
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
    members: Codes  # algorithms in blocks of two or more


@dataclass(frozen=True)
class _Along:
    """Components of pairs along n directions, the observed one first; (P, n) arrays."""

    size: Array  # squares of the differences along it, in one-sided tests with the sign of these
    spread: Array  # mean squares of the differences across it
    place: Codes  # (P,) rows of all pairs in these arrays
    pooled: bool  # whether the variance pooled over blocks is a second statistic

    @cached_property
    def ratio(self) -> Array:
        """Squared t statistics of the pairs, with the variance of each; infinite beyond numbers."""
        with np.errstate(over="ignore"):
            return self.size / self.spread


# From a number of directions to pairs along them.
type _Draw = Callable[[int], _Along]


@dataclass(frozen=True, slots=True)
class ClosedTest:
    """Closed test of equalities of pairs: of all pairs of K algorithms, or of those with a control.

    Hypotheses are tested along directions of the rows of a table or, without one, by Bonferroni's
    inequality on the p-values of their pairs.

    Attributes
    ----------
    k
        Number of algorithms.
    pair
        (P,) indices of the pairs in the order of `covariance.all_pairs`.
    control
        The algorithm to compare with, or None for all pairs.
    side, alpha, spent
        As in `closed_pairs`.
    table
        (D, K) rows, as in `closed_pairs`; None for Bonferroni's inequality.
    reference, directions, seed
        As in `closed_pairs`.
    """

    k: int
    pair: Codes
    control: int | None
    side: int
    alpha: float
    spent: float
    table: Array | None
    reference: Reference
    directions: int
    seed: int

    @staticmethod
    def of(
        contrasts: Array,
        table: Array | None,
        *,
        side: int,
        alpha: float,
        spent: float,
        reference: Reference,
        directions: int,
        seed: int,
    ) -> ClosedTest:
        """Return the closed test of (P, K) contrasts of two algorithms each."""
        k = contrasts.shape[1]
        first, second = contrasts.argmax(axis=1), contrasts.argmin(axis=1)
        low, high = np.minimum(first, second), np.maximum(first, second)
        # The numbers of pairs in the order of `triu_indices`.
        pair = low * (2 * k - low - 1) // 2 + high - low - 1
        every = not side and len(contrasts) == k * (k - 1) // 2
        control = None if every else int(second[0])
        return ClosedTest(k, pair, control, side, alpha, spent, table, reference, directions, seed)

    def adjusted(self, p: Array, silent: Flags, margin: float = 0.0) -> tuple[Array, Array]:
        """Return (P,) adjusted p-values and their Monte Carlo errors.

        `p` (P,) are the p-values of single pairs, `silent` (P,) those whose difference does not
        vary. One-sided tests are of differences as large as `margin` on the wrong side.
        """
        if self.table is None:
            return self._by_inequality(p), np.zeros(len(p))
        return self._by_rows(self.table, p, silent, margin)

    def _by_inequality(self, p: Array) -> Array:
        """Return p-values by Bonferroni's inequality; with a control these are Holm's."""
        if self.control is not None:
            return holm(p, self.spent)
        return bergmann_hommel(self._of_all(p), self.k, self.spent)[self.pair]

    def _by_rows(self, table: Array, p: Array, silent: Flags, margin: float) -> tuple[Array, Array]:
        """Return p-values along directions of the rows of a table, and their errors."""
        masked = np.zeros(self.k * (self.k - 1) // 2, np.bool_)
        masked[self.pair] = silent
        if self.control is not None:
            table = table.copy()
            table[:, self.control] -= self.side * margin
        tests = closed_pairs(
            table,
            self._of_all(p),
            self.alpha,
            control=self.control,
            side=self.side,
            silent=masked,
            reference=self.reference,
            directions=self.directions,
            seed=self.seed,
            spent=self.spent,
        )
        return tests.p_value[self.pair], tests.error[self.pair]

    def _of_all(self, values: Array) -> Array:
        """Return values of all pairs of the algorithms, 1 of those that are not tested."""
        every = np.ones(self.k * (self.k - 1) // 2)
        every[self.pair] = values
        return every


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
    spent: float = 0.0,
) -> AdjustedPValues:
    """Return closed tests of all pairs, or of those with a control, by rotations or sign flips.

    Parameters
    ----------
    means
        (D, K) table; rows are independent, D >= 3; NaN in gaps.
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
    spent
        Share of the level that compatible intervals spend, as in `multiplicity.level_share`.

    Returns
    -------
    AdjustedPValues
        In the order of `covariance.all_pairs`; pairs without the control have p-value 1.

    Notes
    -----
    With gaps sign flips take the differences that each pair has, which is exact if gaps do not
    depend on signs. Where each algorithm lacks at most 2 % of the rows, rotations take the table
    with its gaps filled by the additive fit of rows and algorithms. Else each hypothesis is rotated
    on the rows that hold all its algorithms, which is exact; where these are fewer than 5, or than
    80 % of those of one of its pairs, Bonferroni's inequality takes the p-values of its pairs.

    References
    ----------
    Marcus, R., Peritz, E. & Gabriel, K. R. (1976). On closed testing procedures with special
    reference to ordered analysis of variance. Biometrika 63, 655-660.
    https://doi.org/10.1093/biomet/63.3.655

    Langsrud, O. (2005). Rotation tests. Statistics and Computing 15, 53-60.
    https://doi.org/10.1007/s11222-005-4789-5
    """
    k = means.shape[1]
    gaps = np.isnan(means)
    filled = additive_fit(means).filled if gaps.any() else means
    order = canonical_order(filled)
    first, second = np.triu_indices(k, 1)
    # The old numbers of the pairs of reordered algorithms.
    old = np.zeros((k, k), np.int64)
    old[first, second] = old[second, first] = np.arange(len(first))
    number = old[order[first], order[second]]
    quiet = np.zeros(len(first), np.bool_) if silent is None else silent[number]
    place = None if control is None else int(np.flatnonzero(order == control)[0])
    hypotheses = _speaking(_hypotheses(k, place), quiet)
    share = _shares(hypotheses, len(first) if control is None else k - 1, spent)
    sign = np.ones(len(first))
    if side and place is not None:
        sign = side * np.where(second == place, 1.0, -1.0)
    contrasts = sign[:, None] * (np.eye(k)[first] - np.eye(k)[second])
    if reference == "flips":
        flipped = _flips(sign * (means[:, order[first]] - means[:, order[second]]), seed, side)
        closure = _Closure(
            hypotheses, share, np.zeros(len(hypotheses), np.int64), [flipped], None, alpha
        )
    else:
        held = ~gaps[:, order]
        few = FILLED * gaps.sum(axis=0).max() <= len(means)
        part, rows = _rows_of(hypotheses, np.ones_like(held) if few else held)
        draws = [
            _rotations(filled[np.ix_(on, order[c])], contrasts[:, c], seed, side) for on, c in rows
        ]
        closure = _Closure(hypotheses, share, part, draws, alone[number], alpha)
    exact = reference == "flips" and all_flips(len(means))
    tests = closure.tested(len(first), directions, exact=exact)
    back = np.empty_like(number)
    back[number] = np.arange(len(number))
    return AdjustedPValues(tests.p_value[back], tests.error[back], tests.directions[back])


def _rows_of(
    hypotheses: Sequence[_Hypothesis], held: Flags
) -> tuple[Codes, list[tuple[Codes, Codes]]]:
    """Return the part of rows and algorithms of each hypothesis, -1 for too few, and the parts.

    Rows of a hypothesis are those that hold all its algorithms; algorithms of a part are those of
    all hypotheses on these rows. Hypotheses of one pair take none.
    """
    weight = held.astype(np.float64)
    shared = (weight.T @ weight)[np.triu_indices(held.shape[1], 1)]
    part, number = np.full(len(hypotheses), -1), dict[bytes, int]()
    members: list[Flags] = []
    for i, hypothesis in enumerate(hypotheses):
        rows = held[:, hypothesis.members].all(axis=1)
        n, fewest = np.count_nonzero(rows), shared[hypothesis.tested].min(initial=np.inf)
        many = n >= max(_FEWEST_COMPLETE, _SHARE_COMPLETE * fewest)
        if len(hypothesis.within) == 1 or n < FEWEST_ROWS or not (many or n >= fewest):
            continue
        part[i] = number.setdefault(rows.tobytes(), len(number))
        if part[i] == len(members):
            members.append(np.zeros(held.shape[1], np.bool_))
        members[part[i]][hypothesis.members] = True
    rows = [np.flatnonzero(np.frombuffer(key, np.bool_)) for key in number]
    return part, [(on, np.flatnonzero(c)) for on, c in zip(rows, members, strict=True)]


def _rotations(table: Array, contrasts: Array, seed: int, side: int) -> _Draw:
    """Return the pairs of a complete (D, M) table along directions; contrasts are (P, M)."""
    there = np.count_nonzero(contrasts, axis=1) == 2
    place = np.cumsum(there) - 1

    def along(n: int) -> _Along:
        z = _rotated(table, n, seed)
        return _of_directions(table, z, contrasts[there], place, two_sided=not side)

    return along


def _flips(differences: Array, seed: int, side: int) -> _Draw:
    """Return pairs along sign vectors of the rows of (D, P) differences, NaN in gaps."""
    n_rows = np.isfinite(differences).sum(axis=0)[:, None]
    known = np.nan_to_num(differences)
    length = (known**2).sum(axis=0)[:, None]

    def along(n: int) -> _Along:
        sums = _signed(_standardised(known), n, seed, two_sided=not side)
        size = sums**2 * length / np.maximum(n_rows, 1)
        spread = np.maximum(length - size, 1e-14 * length + 1e-300) / np.maximum(n_rows - 1, 1)
        size = np.sign(sums) * size if side else size
        return _Along(size, spread, np.arange(len(size)), pooled=not side)

    return along


def _signed(unit: Array, n: int, seed: int, *, two_sided: bool) -> Array:
    """Return (P, n + 1) sums of (D, P) terms, the observed ones first, with signs of the rows."""
    rows = canonical_rows(unit)
    parts = [rows.sum(axis=0)[None], *signed_parts(rows, n, seed, two_sided=two_sided)]
    return np.concatenate(parts).T


def closed_flips(
    terms: Array,
    alone: Array,
    k: int,
    alpha: float,
    *,
    silent: Flags,
    directions: int = DIRECTIONS,
    seed: int = SEED,
    spent: float = 0.0,
) -> AdjustedPValues:
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
    alpha, silent, directions, seed, spent
        As in `closed_pairs`.

    Returns
    -------
    AdjustedPValues
        Of the largest standardised sum of each hypothesis.

    References
    ----------
    Marcus, R., Peritz, E. & Gabriel, K. R. (1976). On closed testing procedures with special
    reference to ordered analysis of variance. Biometrika 63, 655-660.
    https://doi.org/10.1093/biomet/63.3.655
    """
    hypotheses = _speaking(_hypotheses(k, None), silent)

    def along(n: int) -> _Along:
        size = _signed(_standardised(terms), n, seed, two_sided=True) ** 2
        return _Along(size, np.ones_like(size), np.arange(len(size)), pooled=False)

    single = np.array([len(h.within) == 1 for h in hypotheses])
    # Pairs that say nothing have no interval.
    share = _shares(hypotheses, int((~silent).sum()), spent)
    closure = _Closure(hypotheses, share, np.where(single, -1, 0), [along], alone, alpha)
    return closure.tested(terms.shape[1], directions, exact=all_flips(len(terms)))


def step_down_flips(
    terms: Array,
    *,
    two_sided: bool,
    alpha: float,
    directions: int = DIRECTIONS,
    most: int = MORE_DIRECTIONS,
    seed: int = SEED,
    spent: float = 0.0,
) -> tuple[Array, Array]:
    """Return step-down adjusted p-values of signed sums, by sign flips of rows.

    Parameters
    ----------
    terms
        (D, P) terms as in `closed_flips`, of any contrasts.
    two_sided
        Whether small sums speak against the hypotheses, too.
    alpha, directions, seed, spent
        As in `closed_pairs`.
    most
        Number of directions at most, where p-values are close to the level.

    Returns
    -------
    tuple of numpy.ndarray
        (P,) adjusted p-values and their Monte Carlo errors, 0 where all flips were counted.

    Notes
    -----
    With a share of the level `spent` on intervals a set of few contrasts has less of the level than
    one of many, and the largest p-value of the sets with the same largest sum need not be that of
    the largest set. At a sum a set of n contrasts has a p-value of at most n times the largest
    of theirs and at most that of the largest set: sets of the size at which both are the same bind.

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
    exact, drawn, enough = all_flips(len(unit)), 0, directions
    m, n = len(order), 1
    count, single = np.ones(m), _as_large(observed[None, order], limit)
    while True:
        for sums in signed_parts(unit, enough, seed, two_sided=two_sided, first=drawn):
            size = np.abs(sums) if two_sided else sums
            count += (np.maximum.accumulate(size[:, ::-1], axis=1)[:, ::-1] >= limit).sum(axis=0)
            if spent:
                single += _as_large(size, limit)
            n += len(sums)
        joint, of_level = count / n, np.ones(m)
        if spent:
            alone = np.tril(single).max(axis=0) / n
            most_of = np.minimum(np.arange(m, 0, -1), np.maximum(1.0, joint / alone))
            of_level = level_share(most_of, m, spent)
        rank = np.maximum.accumulate(joint / of_level)
        deciding = np.maximum.accumulate(np.where(joint / of_level >= rank, np.arange(m), 0))
        share = of_level[deciding]
        error = _error(joint[deciding], np.full(m, n), exact=exact) / share
        value = np.minimum(rank, 1.0)
        drawn, enough = enough, min(2 * enough, most)
        if enough <= drawn or not (np.abs(value - alpha) <= _CLOSE * error)[error > 0].any():
            break
    p, p_error = np.empty((2, m))
    p[order], p_error[order] = value, error
    return p, p_error


def _as_large(size: Array, limit: Array) -> Array:
    """Return (P, R) numbers of (n, P) sums that are at least each of R limits, which descend."""
    first = np.searchsorted(-limit, -size.T, side="left")
    counts = np.zeros((size.shape[1], len(limit) + 1))
    np.add.at(counts, (np.arange(len(first))[:, None], first), 1.0)
    return np.cumsum(counts[:, :-1], axis=1)


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
        members = np.flatnonzero(size[labels] > 1)
        weight = 1 / size[labels[first[within]]]
        tested = within[involved[within]]
        hypotheses.append(_Hypothesis(tested, within, weight, members))
    return tuple(hypotheses)


def _shares(hypotheses: Sequence[_Hypothesis], m: int, spent: float) -> Array:
    """Return the share of the level that each hypothesis is tested at."""
    return level_share(np.array([float(len(h.tested)) for h in hypotheses]), m, spent)


def _speaking(hypotheses: Sequence[_Hypothesis], quiet: Flags) -> list[_Hypothesis]:
    """Return the hypotheses without the pairs that do not vary among those tested."""
    if not quiet.any():
        return list(hypotheses)
    return [replace(h, tested=h.tested[~quiet[h.tested]]) for h in hypotheses]


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
    bits = np.random.default_rng(seed).integers(0, 2, (n, d), np.int8)
    return 1 - 2 * bits.astype(np.float64)


def signed_parts(
    terms: Array, n: int, seed: int, *, two_sided: bool = False, first: int = 0
) -> Iterator[Array]:
    """Yield parts of the sums of rows with n random sign vectors, or with all if there are few.

    In two-sided tests a vector and its opposite are one: their statistics are the same. Random ones
    begin with the number `first`.
    """
    d = len(terms)
    if d <= _MOST_FLIPPED:
        bits = np.arange(1, 1 << (d - two_sided))[:, None] >> np.arange(d) & 1
        yield (1 - 2 * bits.astype(np.float64)) @ terms
        return
    from benchinfer.numerics.shuffle import signed_sums  # numba: a second, where signs are drawn

    step = max(1, _MOST_SUMS // max(terms.shape[1], 1))
    for start in range(first, n, step):
        yield signed_sums(terms, seed, start, min(start + step, n))


def _orthonormal(table: Array) -> Array:
    """Return (D, K - 1) orthonormal contrasts of the rows."""
    return (table - table.mean(axis=1, keepdims=True)) @ helmert(table.shape[1]).T


def _of_directions(
    table: Array, z: Array, contrasts: Array, place: Codes, *, two_sided: bool
) -> _Along:
    """Return components of the pairs along the observed direction and along drawn contrasts z."""
    d, k = table.shape
    observed = contrasts @ table.mean(axis=0) * np.sqrt(d)
    along = np.concatenate([observed[:, None], contrasts @ helmert(k).T @ z.T], axis=1)
    length = ((table @ contrasts.T) ** 2).sum(axis=0)[:, None]
    size = along**2
    # Of rounding only: a difference that lies along the direction has no spread across it.
    spread = np.maximum(length - size, 1e-14 * length + 1e-300) / (d - 1)
    size = size if two_sided else np.sign(along) * size
    return _Along(size, spread, place, pooled=two_sided)


@dataclass(frozen=True, slots=True)
class _Closure:
    """Hypotheses of a closed test, with the distribution and p-values that test them."""

    hypotheses: Sequence[_Hypothesis]
    share: Array  # (H,) of the level that each is tested at
    # part: (H,) which of the draws each is tested by, -1 for Bonferroni's inequality
    part: Codes
    draws: Sequence[_Draw]
    alone: Array | None  # (P,) p-values of single pairs, where some are not drawn
    alpha: float

    def tested(self, pairs: int, directions: int, *, exact: bool) -> AdjustedPValues:
        """Return closed tests: the largest p-value over all hypotheses that contain each pair."""
        every, most = np.arange(len(self.hypotheses)), _TIMES * (directions + 1) - 1
        p, count = np.ones(len(every)), np.zeros(len(every), np.int64)
        self._evaluate(every, directions, p, count, {})
        member = np.zeros((len(p), pairs), np.bool_)
        for row, hypothesis in zip(member, self.hypotheses, strict=True):
            row[hypothesis.tested] = True
        spoken, more = member.any(axis=0), dict[int, _Along]()
        while True:
            deciding = np.where(member, p[:, None], -1.0).argmax(axis=0)
            value = np.where(spoken, p[deciding], 1.0)
            n = np.where(spoken, count[deciding], 0)
            share = self.share[deciding]
            error = _error(np.minimum(value * share, 1.0), n, exact=exact) / share
            close = (np.abs(value - self.alpha) <= _CLOSE * error) & (error > 0)
            close &= n <= most
            if not close.any():
                return AdjustedPValues(value, error, n)
            self._evaluate(np.unique(deciding[close]), most, p, count, more)

    def _evaluate(
        self, some: Codes, directions: int, p: Array, count: Codes, last: dict[int, _Along]
    ) -> None:
        """Write the p-values of some hypotheses, and how many directions they are of.

        `last` are the pairs of the part that was drawn last.
        """
        for part in np.unique(self.part[some]).tolist():
            if part >= 0 and part not in last:
                last.clear()
                last[part] = self.draws[part](directions)
            table = last.get(part)
            for i in some[self.part[some] == part]:
                p[i] = min(1.0, self._p_value(self.hypotheses[i], table) / self.share[i])
                count[i] = 0 if table is None else table.size.shape[1]

    def _p_value(self, hypothesis: _Hypothesis, table: _Along | None) -> float:
        tested = hypothesis.tested
        if not len(tested):
            return 1.0
        if table is None:
            return min(1.0, len(tested) * float(np.asarray(self.alone)[tested].min()))
        size = table.size[table.place[tested]]
        single = table.ratio[table.place[tested]].max(axis=0)
        if not table.pooled:
            return _as_large_share(single)
        across = table.spread[table.place[hypothesis.within]]
        return _smaller(single, size.max(axis=0) / (hypothesis.weight @ across))


def _error(p: Array, n: Codes, *, exact: bool) -> Array:
    if exact:
        return np.zeros_like(p)
    return np.sqrt(np.divide(p * (1 - p), n, out=np.zeros_like(p), where=n > 0))


def _as_large_share(values: Array) -> float:
    """Return the share of directions with a statistic as large as the first."""
    return float(np.mean(values >= values[0] - _SAME * abs(values[0])))


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
