"""Random permutation within blocks, sign flips among them, compiled.

Random arrangements come from a counter: the stream of a resample depends on the seed and on the
number of the resample only, so results are the same for any split into chunks and threads. One
64-bit word serves several draws: it is a fraction, and ``fraction * n`` gives a draw (the part
before the point) and the fraction of the next. In blocks of up to 65,535 rows, the probability of a
draw deviates from uniform by 2^-32 of itself at most.

References
----------
Steele, G. L., Lea, D. & Flood, C. H. (2014). Fast splittable pseudorandom number generators. ACM
SIGPLAN Notices 49 (10), 453-472. https://doi.org/10.1145/2714064.2660195

Brackett-Rozinsky, N. & Lemire, D. (2025). Batched ranged random integer generation. Software:
Practice and Experience 55, 155-169. https://doi.org/10.1002/spe.3369
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.parallel import in_order, workers
from benchinfer.numerics.compilation import entry, part
from benchinfer.numerics.types import Array, Counts

type Words = NDArray[np.uint64]
type Progress = Callable[[int], None]
# Of the histogram of the global statistic; one more counts what lies beyond.
BINS = 60
STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFT = (np.uint64(30), np.uint64(27), np.uint64(31))
_ONE, _WORD = np.uint64(1), np.uint64(64)


class ShuffleStatistics(NamedTuple):
    """Statistics of the column sums s, with the observed values that resamples are counted against.

    The global statistic is ``|root s|^2``. Contrasts are sparse rows, sorted by decreasing observed
    value, and compared with their observed values (less a tolerance for rounding). A unit of the
    global statistic has ``per_unit`` bins of its histogram.
    """

    root: Array
    starts: Counts
    columns: Counts
    weights: Array
    two_sided: bool
    observed_global: float
    observed: Array
    per_unit: float


class ShuffleRows(NamedTuple):
    """Scores centred within blocks, and the labels and block starts as unsigned integers.

    In complete blocks labels are 0..K-1 in this order, which need not be looked up. A fraction has
    so many bits that its product with the longest block's length fits into 64; ``ends`` (longest
    block + 1,) is how many labels are left after the draws of one word, by how many were before.
    """

    scores: Array
    labels: Words
    starts: Words
    complete: bool
    bits: np.uint64
    ends: Words

    @classmethod
    def of(cls, scores: Array, labels: Counts, starts: Counts, *, complete: bool) -> ShuffleRows:
        """Return rows of blocks that begin at `starts`, the last of which is the number of rows."""
        longest = int(np.diff(starts).max(initial=1))
        bits = 64 - longest.bit_length()
        # Draws of one word multiply up to at most this, which bounds their deviation from uniform.
        limit = 1 << max(bits - 32, 1)
        ends = np.ones(longest + 1, np.uint64)
        for first in range(2, longest + 1):
            left, product = first, 1
            while left > 1 and (product == 1 or product * left <= limit):
                product *= left
                left -= 1
            ends[first] = left
        unsigned = labels.astype(np.uint64), starts.astype(np.uint64)
        return cls(scores, *unsigned, complete, np.uint64(bits), ends)


class Tables(NamedTuple):
    """Distinct contributions of each block to the column sums, their counts and block starts."""

    sums: Array
    times: Counts
    starts: Counts


@part
def mix(x: Any) -> Any:
    """Scramble a counter, or many, into a random word."""
    x = (x ^ (x >> _SHIFT[0])) * _MIX[0]
    x = (x ^ (x >> _SHIFT[1])) * _MIX[1]
    return x ^ (x >> _SHIFT[2])


@part
def _tally(
    root: Array,
    starts: Counts,
    columns: Counts,
    weights: Array,
    two_sided: bool,
    observed_global: float,
    observed: Array,
    per_unit: float,
    sums: Array,
    times: int,
    counts: Counts,
) -> None:
    """Add to counts: global, raw, single-step and step-down of each of J contrasts, histogram."""
    n = len(observed)
    length = 0.0
    for i in range(root.shape[0]):
        along = 0.0
        for k in range(len(sums)):
            along += root[i, k] * sums[k]
        length += along * along
    counts[0] += times * (length >= observed_global)
    counts[1 + 3 * n + min(np.int64(length * per_unit), BINS)] += times
    # From the least to the most significant contrast, the largest so far is the step-down maximum.
    top = -np.inf
    for j in range(n - 1, -1, -1):
        z = 0.0
        for i in range(starts[j], starts[j + 1]):
            z += weights[i] * sums[columns[i]]
        z = abs(z) if two_sided else z
        top = max(top, z)
        if z >= observed[j]:
            counts[1 + j] += times
        if top >= observed[j]:
            counts[1 + 2 * n + j] += times
    for j in range(n):
        if top >= observed[j]:
            counts[1 + n + j] += times


def count_random(
    rows: ShuffleRows, family: ShuffleStatistics, seed: np.uint64, first: int, last: int
) -> Counts:
    """Count over the resamples first..last-1; each costs O(n) time and O(K) memory."""
    counts = np.zeros(2 + 3 * len(family.observed) + BINS, np.int64)
    sums, buffer = np.zeros(family.root.shape[1]), np.empty(len(rows.ends))
    _count_random(*rows, *family, seed, first, last, sums, buffer, counts)
    return counts


@entry
def _count_random(
    scores: Array,
    labels: Words,
    starts: Words,
    complete: bool,
    bits: np.uint64,
    ends: Words,
    root: Array,
    contrasts: Counts,
    columns: Counts,
    weights: Array,
    two_sided: bool,
    observed_global: float,
    observed: Array,
    per_unit: float,
    seed: np.uint64,
    first: int,
    last: int,
    sums: Array,
    buffer: Array,
    counts: Counts,
) -> None:
    mask = (_ONE << bits) - _ONE
    for resample in range(first, last):
        state = mix(mix(seed) + np.uint64(resample) * STEP)
        for k in range(len(sums)):
            sums[k] = 0.0
        for b in range(len(starts) - 1):
            # Unsigned indices: numba need not ask whether they count from the end.
            start = starts[b]
            left = starts[b + 1] - start
            for i in range(left):
                buffer[np.uint64(i)] = scores[start + np.uint64(i)]
            while left > _ONE:
                state += STEP
                fraction = mix(state) >> (_WORD - bits)
                end = ends[left]
                while left > end:
                    place = fraction * left
                    fraction = place & mask
                    chosen = place >> bits
                    left -= _ONE
                    sums[left if complete else labels[start + left]] += buffer[chosen]
                    buffer[chosen] = buffer[left]
            sums[labels[start]] += buffer[np.uint64(0)]
        _tally(
            root,
            contrasts,
            columns,
            weights,
            two_sided,
            observed_global,
            observed,
            per_unit,
            sums,
            1,
            counts,
        )


def count_all(tables: Tables, family: ShuffleStatistics, first: int, last: int) -> Counts:
    """Count over the arrangements first..last-1 of all blocks, the last block running fastest."""
    counts = np.zeros(2 + 3 * len(family.observed) + BINS, np.int64)
    n_blocks = len(tables.starts) - 1
    sums = np.zeros((n_blocks + 1, tables.sums.shape[1]))
    times = np.ones(n_blocks + 1, np.int64)
    at = np.empty(n_blocks, np.int64)
    _count_all(*tables, *family, first, last, sums, times, at, counts)
    return counts


@entry
def _count_all(
    every: Array,
    often: Counts,
    starts: Counts,
    root: Array,
    contrasts: Counts,
    columns: Counts,
    weights: Array,
    two_sided: bool,
    observed_global: float,
    observed: Array,
    per_unit: float,
    first: int,
    last: int,
    sums: Array,
    times: Counts,
    at: Counts,
    counts: Counts,
) -> None:
    n_blocks = len(at)
    rest = first
    for b in range(n_blocks - 1, -1, -1):
        size = starts[b + 1] - starts[b]
        at[b] = starts[b] + rest % size
        rest //= size
    moved = 0
    for _ in range(first, last):
        for b in range(moved, n_blocks):
            times[b + 1] = times[b] * often[at[b]]
            for k in range(sums.shape[1]):
                sums[b + 1, k] = sums[b, k] + every[at[b], k]
        _tally(
            root,
            contrasts,
            columns,
            weights,
            two_sided,
            observed_global,
            observed,
            per_unit,
            sums[n_blocks],
            times[n_blocks],
            counts,
        )
        moved = n_blocks - 1
        while moved >= 0:
            at[moved] += 1
            if at[moved] < starts[moved + 1]:
                break
            at[moved] = starts[moved]
            moved -= 1
        moved = max(moved, 0)


# Columns of sums that are added up together, whose tables stay in the fastest cache, and rows whose
# signs are the bits of one word.
_WIDE, _DEEP = 4, 64
# Resamples that share a table of sums.
_FLIPS = 10_000


@part
def _sums_of_bytes(terms: Array, first: int, tables: Array) -> None:
    """Fill (8, 256, _WIDE) tables with the sums of eight of 64 rows for each byte of signs."""
    for of_byte in range(8):
        top = first + 8 * of_byte
        for j in range(_WIDE):
            tables[of_byte, 0, j] = 0.0
            for row in range(8):
                tables[of_byte, 0, j] -= terms[top + row, j]
        for byte in range(1, 256):
            # The lowest bit that is set turns the sign of one term.
            row = 0
            while not (byte >> row) & 1:
                row += 1
            for j in range(_WIDE):
                before = tables[of_byte, byte & (byte - 1), j]
                tables[of_byte, byte, j] = before + 2.0 * terms[top + row, j]


@part
def _byte(bits: np.uint64, of_byte: int) -> np.uint64:
    return (bits >> np.uint64(8 * of_byte)) & np.uint64(255)


@entry
def _add_signed(terms: Array, starts: Words, words: Words, tables: Array, sums: Array) -> None:
    """Add the signed sums of (G, B, _WIDE) terms to (G, n, _WIDE) sums, B a multiple of 64."""
    n = len(starts)
    for word in range(terms.shape[1] // _DEEP):
        for i in range(n):
            words[i] = mix(starts[i] + np.uint64(word + 1) * STEP)
        for g in range(len(terms)):
            _sums_of_bytes(terms[g], _DEEP * word, tables)
            into = sums[g]
            for i in range(n):
                bits = words[i]
                b0, b1, b2, b3 = _byte(bits, 0), _byte(bits, 1), _byte(bits, 2), _byte(bits, 3)
                b4, b5, b6, b7 = _byte(bits, 4), _byte(bits, 5), _byte(bits, 6), _byte(bits, 7)
                for column in range(_WIDE):
                    # Unsigned indices, and one sum that is stored once: columns go side by side.
                    j = np.uint64(column)
                    x = into[i, j] + tables[0, b0, j] + tables[1, b1, j]
                    x = x + tables[2, b2, j] + tables[3, b3, j] + tables[4, b4, j]
                    into[i, j] = x + tables[5, b5, j] + tables[6, b6, j] + tables[7, b7, j]


def signed_sums(terms: Array, seed: int, first: int, last: int, n_jobs: int | None = 1) -> Array:
    """Return the sums of terms whose rows have random signs.

    Signs of eight rows at a time are looked up (the method of four Russians).

    Terms (B, M) of a row change their signs together. The result (last - first, M) is that of
    resamples `first` to `last` - 1, each the same whatever these are; `seed` is any 64-bit integer
    >= 0, `n_jobs` a number of threads as `parallel.workers` has them.

    Examples
    --------
    >>> sums = signed_sums(np.array([[1.0], [2.0]]), 1, 0, 1000)
    >>> sorted(set(sums.ravel().tolist()))
    [-3.0, -1.0, 1.0, 3.0]
    """
    b, m = terms.shape
    groups = -(-m // _WIDE)
    padded = np.zeros((-(-b // _DEEP) * _DEEP, groups * _WIDE))
    padded[:b, :m] = terms
    wide = np.ascontiguousarray(padded.reshape(-1, groups, _WIDE).swapaxes(0, 1))
    sums, streams = np.empty((last - first, m)), np.arange(first, last, dtype=np.uint64)
    starts = mix(mix(np.array([seed], np.uint64)) + streams * STEP)

    def add(start: int) -> None:
        some = slice(start, start + _FLIPS)
        table = np.zeros((groups, len(starts[some]), _WIDE))
        sums_of_bytes = np.empty((8, 256, _WIDE))
        _add_signed(wide, starts[some], np.empty_like(starts[some]), sums_of_bytes, table)
        sums[some] = table.swapaxes(0, 1).reshape(table.shape[1], -1)[:, :m]

    firsts = range(0, last - first, _FLIPS)
    for _ in in_order(add, firsts, workers(n_jobs, float(last - first) * terms.size)):
        pass
    return sums


def count_in_chunks(
    count: Callable[[int, int], Counts],
    ends: tuple[int, int],
    step: int,
    threads: int,
    progress: Progress | None,
) -> Counts:
    """Add up the counts of chunks; integers, so neither their order nor their size matters."""
    firsts = range(*ends, step)

    def chunk(first: int) -> tuple[int, Counts]:
        last = min(first + step, ends[1])
        return last - first, count(first, last)

    parts: list[Counts] = []
    for done, counts in in_order(chunk, firsts, threads):
        parts.append(counts)
        if progress is not None:
            progress(done)
    return np.sum(parts, axis=0)


# Numbers that one span of resamples may hold, and scores that it may visit: a fraction of a second.
_HELD, _VISITED = 2_000_000, 20_000_000


def in_spans(
    part: Callable[[int, int], Array],
    n: int,
    held: int,
    visited: int,
    *,
    span: int | None = None,
    n_jobs: int | None = 1,
    progress: Callable[[int], None] | None = None,
) -> Array:
    """Return what `part` gives for resamples 0 to n - 1, span by span, along the first axis.

    `part` is called with the first resample of a span and the one after its last, `progress` with
    the number just done. One resample holds `held` numbers and visits `visited` scores; `span` is
    the number at a time, if not as memory and patience allow; `n_jobs` is a number of threads, as
    `parallel.workers` has them.

    Examples
    --------
    >>> in_spans(lambda first, last: np.arange(first, last, dtype=float), 5, 1, 1, span=2)
    array([0., 1., 2., 3., 4.])
    """
    step = span or max(1, min(_HELD // max(held, 1), _VISITED // max(visited, 1)))
    parts: list[Array] = []

    for result in in_order(
        lambda first: part(first, min(first + step, n)),
        range(0, n, step),
        workers(n_jobs, float(n) * visited),
    ):
        parts.append(result)
        if progress is not None:
            progress(len(result))
    return np.concatenate(parts)
