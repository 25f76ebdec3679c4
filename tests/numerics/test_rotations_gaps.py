"""Closed tests of tables with gaps, told from the definition."""

from itertools import product

import numpy as np
import pytest

from benchinfer.numerics import rotations
from benchinfer.numerics.closed_testing import partitions
from benchinfer.numerics.covariance import additive_fit
from benchinfer.numerics.max_t import raw_p
from benchinfer.numerics.rotations import closed_pairs
from benchinfer.numerics.shifts import column_means
from tests.numerics.test_rotations import ALPHA, pairs_of, signs, table


def alone(x):
    """P-values of paired t-tests on the rows that a pair shares."""
    first, second = np.triu_indices(x.shape[1], 1)
    means = column_means(x[:, first] - x[:, second])
    return np.where(means.df > 0, raw_p(means.estimate / means.std_error, means.df), 1.0)


def with_gaps(x, *cells):
    x = x.copy()
    x[tuple(np.transpose(cells))] = np.nan
    return x


def statistics(x, blocks, w):
    """Return both statistics of a set of equalities along one direction of length 1."""
    v, size = {}, {}
    inside = [(i, j) for block in blocks for i in block for j in block if i < j]
    for i, j in inside:
        both = np.isfinite(x[:, i] + x[:, j])
        d, n = (x[:, i] - x[:, j])[both], both.sum()
        # Signs of the rows, or a direction of complete ones: of length 1 among those of the pair.
        size[i, j] = w[both] @ d * np.sqrt(len(x) / n)
        v[i, j] = (d @ d - size[i, j] ** 2) / (n - 1)
    pooled = sum(v[i, j] / len(b) for b in blocks for i in b for j in b if i < j)
    pooled /= sum(len(b) - 1 for b in blocks)
    single = max(abs(size[pair]) / np.sqrt(v[pair]) for pair in inside)
    return single, max(map(abs, size.values())) / np.sqrt(pooled)


def p_along(x, blocks, directions):
    values = np.round(np.array([statistics(x, blocks, w) for w in directions]), 9)
    shares = [(values[:, s] >= values[row, s]).mean() for row in range(len(values)) for s in (0, 1)]
    p = np.reshape(shares, (-1, 2)).min(axis=1)
    return (p <= p[0] + 1e-12).mean()


def closure(k, p_of_blocks):
    """Return the largest p-value of the partitions that hold each pair."""
    adjusted = np.zeros(k * (k - 1) // 2)
    for labels in map(np.array, partitions(k)):
        blocks = [np.flatnonzero(labels == b) for b in set(labels) if (labels == b).sum() > 1]
        inside = np.array([labels[i] == labels[j] for i, j in pairs_of(k)])
        if inside.any():
            adjusted[inside] = np.maximum(adjusted[inside], p_of_blocks(blocks, inside))
    return adjusted


def test_flips_take_the_differences_that_pairs_have():
    x = with_gaps(table(7, 4, seed=2), (0, 1), (3, 1), (5, 2))
    found = closed_pairs(x, alone(x), ALPHA, reference="flips")
    expected = closure(4, lambda blocks, _: p_along(x, blocks, signs(7)))
    np.testing.assert_allclose(found.p_value, expected, rtol=1e-12)
    assert not found.error.any()


@pytest.mark.parametrize("side", [1, -1])
def test_one_sided_flips_against_a_control_take_them_too(side):
    x, control = with_gaps(table(7, 3, seed=5), (0, 0), (4, 2)), 1
    found = closed_pairs(x, alone(x), ALPHA, control=control, side=side, reference="flips")

    def p(others):
        values = []
        for w in signs(7):
            t = []
            for j in others:
                d = x[:, j] - x[:, control]
                both = np.isfinite(d)
                size = w[both] @ d[both] * np.sqrt(7 / both.sum())
                t.append(side * size / np.sqrt((d[both] @ d[both] - size**2) / (both.sum() - 1)))
            values.append(max(t))
        values = np.round(np.array(values), 9)
        return np.mean(values >= values[0])

    together = p([0, 2])
    for j, at in ((0, 0), (2, 2)):
        assert found.p_value[at] == pytest.approx(max(together, p([j])), rel=1e-12)


def test_each_hypothesis_is_rotated_on_the_rows_of_its_algorithms(monkeypatch):
    x = with_gaps(table(9, 4, seed=4, spread=3.0), (0, 1), (1, 1), (6, 3))
    held = np.isfinite(x)
    drawn = {}
    for n in range(3, 10):
        w = np.random.default_rng(n).standard_normal((150, n))
        drawn[n] = w / np.linalg.norm(w, axis=1, keepdims=True)
    monkeypatch.setattr(
        rotations, "_rotated", lambda rows, *_: drawn[len(rows)] @ rotations._orthonormal(rows)
    )
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)
    p = alone(x)
    found = closed_pairs(x, p, ALPHA, directions=150)
    ways = set()

    def of_blocks(blocks, inside):
        if inside.sum() == 1:
            return p[inside][0]
        rows = held[:, np.concatenate(blocks)].all(axis=1)
        fewest = min(held[:, pair].all(axis=1).sum() for pair in np.array(pairs_of(4))[inside])
        n = rows.sum()
        ways.add((n, fewest))
        if not (n >= max(5, 0.8 * fewest) or n == fewest):
            return min(1.0, inside.sum() * p[inside].min())
        every = np.vstack([np.full(n, 1 / np.sqrt(n)), drawn[n]])
        return p_along(x[rows], blocks, every)

    np.testing.assert_allclose(found.p_value, closure(4, of_blocks), rtol=1e-12)
    assert {(6, 6), (6, 7), (8, 8)} <= ways


def test_too_few_complete_rows_give_way_to_bonferroni():
    x = table(12, 3, seed=1)
    x[:4, 0] = x[4:8, 1] = np.nan  # pairs share 4, 8 and 8 rows, and 4 hold all
    rotated = closed_pairs(x, alone(x), ALPHA)
    assert (rotated.directions == 10_000).any()
    x[8, 2] = np.nan  # pairs share 4, 7 and 7 rows, and 3 hold all
    p = alone(x)
    found = closed_pairs(x, p, ALPHA)
    np.testing.assert_allclose(found.p_value, np.maximum(p, min(1.0, 3 * p.min())))
    assert not found.directions.any()
    assert not found.error.any()


@pytest.mark.parametrize(("d", "gaps"), [(50, 1), (100, 2), (149, 2)])
def test_two_percent_of_gaps_are_filled_by_the_additive_fit(d, gaps):
    level = np.linspace(0, 2, 4) * (1 - 1.5 / np.sqrt(d))
    x = with_gaps(table(d, 4, seed=3) - level, *((row, 2) for row in range(gaps)), (d - 1, 0))
    p = alone(x)
    found = closed_pairs(x, p, ALPHA)
    filled = closed_pairs(additive_fit(x).filled, p, ALPHA)
    np.testing.assert_array_equal(found.p_value, filled.p_value)
    more = with_gaps(x, (gaps, 2))
    other = closed_pairs(additive_fit(more).filled, alone(more), ALPHA)
    assert (closed_pairs(more, alone(more), ALPHA).p_value != other.p_value).any()


def test_a_table_without_gaps_is_rotated_on_all_its_rows():
    x = table(12, 4)
    part, rows = rotations._rows_of(rotations._hypotheses(4, None), np.isfinite(x))
    single = [len(h.within) == 1 for h in rotations._hypotheses(4, None)]
    assert part.tolist() == [-1 if one else 0 for one in single]
    assert [(on.tolist(), who.tolist()) for on, who in rows] == [([*range(12)], [*range(4)])]


@pytest.mark.parametrize("reference", ["rotation", "flips"])
def test_orders_of_rows_and_algorithms_change_nothing_with_gaps(reference):
    x = with_gaps(table(12, 5, spread=2.0), (0, 1), (3, 1), (5, 4), (7, 2))
    found = closed_pairs(x, alone(x), ALPHA, reference=reference)
    square = np.ones((5, 5))
    for (i, j), p in zip(pairs_of(5), found.p_value, strict=True):
        square[i, j] = square[j, i] = p
    rng = np.random.default_rng(0)
    for _ in range(3):
        rows, names = rng.permutation(12), rng.permutation(5)
        y = x[rows][:, names]
        again = closed_pairs(y, alone(y), ALPHA, reference=reference)
        expected = [square[names[i], names[j]] for i, j in pairs_of(5)]
        np.testing.assert_allclose(again.p_value, expected, rtol=1e-9)


def test_silent_pairs_leave_the_rows_of_the_others():
    x = with_gaps(table(12, 4), *((row, 1) for row in range(11)), (11, 2))
    quiet = np.array([1 in pair for pair in pairs_of(4)])
    p = np.where(quiet, 1.0, alone(x))
    found = closed_pairs(x, p, ALPHA, silent=quiet)
    assert (found.p_value[quiet] == 1).all()
    others = x[:, [0, 2, 3]]
    smaller = closed_pairs(others, alone(others), ALPHA)
    assert (found.p_value[~quiet] >= smaller.p_value - 0.02).all()
    assert (found.p_value[~quiet] < 1).any()


@pytest.mark.slow
@pytest.mark.parametrize(("d", "share"), [(12, 0.1), (50, 0.02)])
def test_equal_algorithms_with_gaps_are_told_apart_at_the_level(d, share, monkeypatch):
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)
    rng = np.random.default_rng(d)
    tables, wrong = 400, 0
    for _ in range(tables):
        x = rng.standard_normal((d, 4)) * np.array([1, 1, 2, 4]) + rng.standard_normal((d, 1))
        x[rng.random(x.shape) < share] = np.nan
        wrong += (closed_pairs(x, alone(x), ALPHA, directions=199).p_value <= ALPHA).any()
    assert wrong / tables <= ALPHA + 2 * np.sqrt(ALPHA * (1 - ALPHA) / tables)


def test_step_down_draws_more_flips_only_where_p_is_near_the_level():
    x = table(20, 5, seed=6)
    first, second = np.triu_indices(5, 1)
    t = x[:, first] - x[:, second]
    few, error = rotations.step_down_flips(t, two_sided=True, alpha=0.9, directions=999)
    at = int(np.argmax((few > 0.01) & (few < 0.3)))
    assert 0.01 < few[at] < 0.3
    assert error[at] == pytest.approx(np.sqrt(few[at] * (1 - few[at]) / 1000))
    level = float(few[at])
    near, smaller = rotations.step_down_flips(
        t, two_sided=True, alpha=level, directions=999, most=63_936
    )
    drawn = round(near[at] * (1 - near[at]) / smaller[at] ** 2) - 1
    assert drawn in {999 * 2**n for n in range(1, 7)}
    assert abs(near[at] - level) > 3 * smaller[at] or drawn == 63_936
    same, _ = rotations.step_down_flips(t, two_sided=True, alpha=0.9, directions=drawn)
    np.testing.assert_array_equal(near, same)


def test_all_sign_vectors_are_one_batch():
    t = np.array(list(product([1.0, -1.0], repeat=2)))
    p, error = rotations.step_down_flips(t, two_sided=True, alpha=0.5, directions=3, most=99)
    assert p.tolist() == [1.0, 1.0]
    assert not error.any()
