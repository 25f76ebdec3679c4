from itertools import product

import numpy as np
import pytest
from scipy.special import stdtr
from scipy.stats import kstest, t

from benchinfer.numerics import rotations
from benchinfer.numerics.closed_testing import partitions
from benchinfer.numerics.multiplicity import SPENT
from benchinfer.numerics.rotations import closed_pairs

ALPHA = 0.05


def table(d, k, seed=1, spread=1.0):
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((d, k)) * np.linspace(1, spread, k)
    return noise + 3 * rng.standard_normal((d, 1)) + np.linspace(0, 2, k)


def pairs_of(k):
    return list(zip(*np.triu_indices(k, 1), strict=True))


def alone(x):
    d = (x[:, :, None] - x[:, None])[:, *np.triu_indices(x.shape[1], 1)]
    error = np.maximum(d.std(axis=0, ddof=1), 1e-9) / np.sqrt(len(x))
    return 2 * stdtr(len(x) - 1, -np.abs(d.mean(axis=0)) / error)


def p_of_equalities(x, blocks, directions, tested=None, side=0):
    """Test one set of equalities along (n, D) directions, the first one observed, as it is told."""
    inside = [(i, j) for block in blocks for i in block for j in block if i < j]
    statistics = []
    for w in directions:
        v, size = {}, {}
        for i, j in inside:
            difference = x[:, i] - x[:, j]
            size[i, j] = w @ difference
            v[i, j] = (difference @ difference - size[i, j] ** 2) / (len(x) - 1)
        pooled = sum(
            v[i, j] / len(block) for block in blocks for i in block for j in block if i < j
        ) / sum(len(block) - 1 for block in blocks)
        turned = {}
        for i, j in tested or inside:
            one = size[min(i, j), max(i, j)] * (1 if i < j else -1)
            turned[min(i, j), max(i, j)] = side * one if side else abs(one)
        own = max(m / np.sqrt(v[pair]) for pair, m in turned.items())
        statistics.append((own, max(turned.values()) / np.sqrt(2 * pooled)))
    own, pooled = np.round(np.array(statistics), 9).T
    if side:
        return (own >= own[0]).mean()
    p = np.array(
        [min((own >= a).mean(), (pooled >= b).mean()) for a, b in zip(own, pooled, strict=True)]
    )
    return (p <= p[0] + 1e-12).mean()


def largest_of_partitions(k, p_of, spent):
    """Return the largest p-value over its share of the level, of the partitions that hold a pair.

    `p_of` takes the blocks of a partition and which pairs are inside them.
    """
    m = k * (k - 1) // 2
    adjusted = np.zeros(m)
    for labels in map(np.array, partitions(k)):
        blocks = [np.flatnonzero(labels == b) for b in set(labels) if (labels == b).sum() > 1]
        inside = np.array([labels[i] == labels[j] for i, j in pairs_of(k)])
        if inside.any():
            p = p_of(blocks, inside) / (1 - spent * (1 - inside.sum() / m))
            adjusted[inside] = np.maximum(adjusted[inside], min(p, 1.0))
    return adjusted


def whole_closure(x, directions, by_t=None, spent=0.0):
    def p_of(blocks, inside):
        if by_t is not None and inside.sum() == 1:
            return by_t[inside][0]
        return p_of_equalities(x, blocks, directions)

    return largest_of_partitions(x.shape[1], p_of, spent)


def signs(d):
    return np.array(list(product([1, -1], repeat=d))) / np.sqrt(d)


@pytest.mark.parametrize("spent", [0.0, SPENT])
@pytest.mark.parametrize(("d", "k"), [(5, 3), (7, 3), (6, 4), (4, 4), (7, 4)])
def test_flips_are_the_closure_over_all_sign_vectors(d, k, spent):
    x = table(d, k)
    found = closed_pairs(x, alone(x), ALPHA, reference="flips", spent=spent)
    expected = whole_closure(x, signs(d), spent=spent)
    np.testing.assert_allclose(found.p_value, expected, rtol=1e-12)
    assert not found.error.any()


@pytest.mark.parametrize("spent", [0.0, SPENT])
@pytest.mark.parametrize(("d", "k"), [(6, 3), (8, 3), (8, 4), (3, 4)])
def test_rotations_are_the_closure_over_given_directions(d, k, spent, monkeypatch):
    x = table(d, k, seed=4, spread=3.0)
    w = np.random.default_rng(2).standard_normal((120, d))
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    monkeypatch.setattr(rotations, "_rotated", lambda rows, *_: w @ rotations._orthonormal(rows))
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)
    p = alone(x)
    found = closed_pairs(x, p, ALPHA, directions=120, spent=spent)
    every = np.vstack([np.full(d, 1 / np.sqrt(d)), w])
    np.testing.assert_allclose(found.p_value, whole_closure(x, every, p, spent), rtol=1e-12)


@pytest.mark.parametrize("side", [0, 1, -1])
def test_a_control_is_compared_by_the_sets_equal_to_it(side):
    x, control = table(6, 4, seed=3)[:, [2, 0, 3, 1]], 2
    found = closed_pairs(x, alone(x), ALPHA, control=control, side=side, reference="flips")
    others = [0, 1, 3]
    for i in others:
        p = [
            p_of_equalities(x, [[*s, control]], signs(6), [(j, control) for j in s], side)
            for s in (
                [j for j, kept in zip(others, k, strict=True) if kept]
                for k in product([0, 1], repeat=3)
            )
            if i in s
        ]
        at = pairs_of(4).index((min(i, control), max(i, control)))
        assert found.p_value[at] == pytest.approx(max(p), rel=1e-12)
    rest = [n for n, pair in enumerate(pairs_of(4)) if control not in pair]
    assert (found.p_value[rest] == 1).all()


@pytest.mark.parametrize("reference", ["rotation", "flips"])
@pytest.mark.parametrize(("d", "k"), [(12, 5), (4, 5), (40, 4)])
def test_orders_of_rows_and_algorithms_change_nothing(d, k, reference):
    x = table(d, k, spread=2.0)
    found = closed_pairs(x, alone(x), ALPHA, reference=reference)
    square = np.ones((k, k))
    for (i, j), p in zip(pairs_of(k), found.p_value, strict=True):
        square[i, j] = square[j, i] = p
    rng = np.random.default_rng(0)
    for _ in range(3):
        rows, names = rng.permutation(d), rng.permutation(k)
        y = x[rows][:, names]
        again = closed_pairs(y, alone(y), ALPHA, reference=reference)
        expected = [square[names[i], names[j]] for i, j in pairs_of(k)]
        np.testing.assert_allclose(again.p_value, expected, rtol=1e-9)
    again = closed_pairs(
        7 + 3 * x + rng.standard_normal((d, 1)), alone(x), ALPHA, reference=reference
    )
    np.testing.assert_allclose(again.p_value, found.p_value, rtol=1e-9)


def test_no_pair_is_below_its_own_t_test():
    x = table(9, 5, spread=4.0)
    found = closed_pairs(x, alone(x), ALPHA)
    assert (found.p_value >= alone(x)).all()
    assert found.error[found.directions == 0].tolist() == [0.0] * int((found.directions == 0).sum())


def test_contrasts_along_random_directions_have_the_distribution_of_rotations():
    x, n = table(5, 4), 4000
    w = np.random.default_rng(1).standard_normal((n, 5))
    direct = (w / np.linalg.norm(w, axis=1, keepdims=True)) @ rotations._orthonormal(x)
    drawn = rotations._rotated(x, n, 5)
    for c in np.vstack([np.eye(3), [1.0, -1.0, 0.5]]):
        assert kstest(drawn @ c, direct @ c).pvalue > 1e-3
    # Of three rows and four algorithms the contrasts fill a plane: all rows lie in it.
    flat = rotations._rotated(x[:2], 50, 5)
    basis = np.linalg.svd(rotations._orthonormal(x[:2]))[2][2]
    np.testing.assert_allclose(flat @ basis, 0, atol=1e-12)


def test_one_contrast_along_directions_is_student():
    x = table(7, 3)
    z = rotations._rotated(x, 20000, 3)
    c = np.array([0.6, 0.8])
    size, length = z @ c, ((rotations._orthonormal(x) @ c) ** 2).sum()
    assert kstest(size * np.sqrt(6 / (length - size**2)), t(6).cdf).pvalue > 1e-3


def test_more_directions_begin_with_fewer():
    x = table(6, 4)
    fewer, more = (rotations._rotated(x, n, 3) for n in (50, 200))
    np.testing.assert_array_equal(fewer, more[:50])


def test_near_the_level_more_directions_decide():
    x = table(8, 4)
    p = closed_pairs(x, alone(x), ALPHA).p_value
    at = int(np.argmax((p > 0.005) & (p < 0.5) & (p > alone(x) * 1.01)))
    assert 0.005 < p[at] < 0.5
    found = closed_pairs(x, alone(x), float(p[at]))
    assert found.directions[at] == rotations.MORE_DIRECTIONS + 1
    assert found.p_value[at] == pytest.approx(p[at], abs=4 * np.sqrt(p[at] / 1e4))
    assert found.error[at] == pytest.approx(np.sqrt(p[at] * (1 - p[at]) / 1e5), rel=0.2)


def test_duplicates_and_constant_differences_say_nothing_where_they_are_silent():
    x = table(6, 4)
    x[:, 1], x[:, 3] = x[:, 0], x[:, 2] + 1
    silent = np.array([pair in [(0, 1), (2, 3)] for pair in pairs_of(4)])
    p = np.where(silent, 1.0, alone(x))
    found = closed_pairs(x, p, ALPHA, silent=silent)
    assert found.p_value[silent].tolist() == [1.0, 1.0]
    assert np.isfinite(found.p_value).all()
    smaller = closed_pairs(x[:, [0, 2]], alone(x[:, [0, 2]]), ALPHA).p_value[0]
    assert found.p_value[1] >= smaller - 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(("k", "d"), [(3, 3), (4, 6)])
def test_equal_algorithms_are_told_apart_at_the_level(k, d, monkeypatch):
    """Any pair is decided in a share of at most the level of normal tables, whatever variances."""
    monkeypatch.setattr(rotations, "_CLOSE", 0.0)
    rng = np.random.default_rng(10 * k + d)
    tables = 400
    wrong = 0
    for _ in range(tables):
        x = rng.standard_normal((d, k)) * np.linspace(1, 5, k)
        wrong += (closed_pairs(x, alone(x), ALPHA, directions=199).p_value <= ALPHA).any()
    error = np.sqrt(ALPHA * (1 - ALPHA) / tables)
    assert wrong / tables <= ALPHA + 3 * error


def terms(d, k, seed=1):
    """Return signed differences of all pairs, with a pair without terms in one row."""
    x = table(d, k, seed)
    return np.column_stack([x[:, i] - x[:, j] for i, j in pairs_of(k)])


def largest(t, columns):
    """Return the largest standardised sum over columns for each sign vector, the observed first."""
    sums = np.abs(np.vstack([np.ones(len(t)), signs(len(t)) * np.sqrt(len(t))]) @ t)
    return (sums / np.sqrt((t**2).sum(axis=0)))[:, columns].max(axis=1)


def share(values):
    return (values[1:] >= values[0] * (1 - 1e-9)).mean()


@pytest.mark.parametrize("spent", [0.0, SPENT])
@pytest.mark.parametrize("k", [3, 4])
def test_closed_flips_are_the_closure_of_the_largest_sums(k, spent):
    t, m = terms(7, k), k * (k - 1) // 2
    own = np.array([share(largest(t, [c])) for c in range(m)])
    silent = np.zeros(m, np.bool_)
    found = rotations.closed_flips(t, own, k, ALPHA, silent=silent, spent=spent)
    expected = largest_of_partitions(
        k, lambda _, inside: share(largest(t, np.flatnonzero(inside))), spent
    )
    np.testing.assert_allclose(found.p_value, expected, rtol=1e-12)
    assert not found.error.any()


def test_step_down_flips_are_westfall_and_youngs():
    t = terms(8, 4)
    order = np.argsort(-np.abs(t.sum(axis=0)) / np.sqrt((t**2).sum(axis=0)))
    expected, worst = np.empty(6), 0.0
    for n, c in enumerate(order):
        values = largest(t, order[n:])
        values[0] = largest(t, [c])[0]
        expected[c] = worst = max(worst, share(values))
    p, error = rotations.step_down_flips(t, two_sided=True, alpha=ALPHA)
    np.testing.assert_allclose(p, expected, rtol=1e-12)
    assert not error.any()


def test_one_sided_step_down_flips_count_all_vectors():
    t = -terms(6, 3)
    unit = t / np.sqrt((t**2).sum(axis=0))
    p, _ = rotations.step_down_flips(t, two_sided=False, alpha=ALPHA)
    top = int(unit.sum(axis=0).argmax())
    sums = (signs(6) * np.sqrt(6)) @ unit
    limit = unit.sum(axis=0)[top] * (1 - 1e-9)
    assert p[top] == pytest.approx((sums.max(axis=1) >= limit).mean())


def test_random_flips_are_near_all_of_them():
    t = terms(14, 4, seed=6)
    exact, _ = rotations.step_down_flips(t, two_sided=True, alpha=ALPHA)
    halves = np.vstack([t, np.zeros((1, 6))])  # a row without terms asks for random signs
    p, error = rotations.step_down_flips(halves, two_sided=True, alpha=ALPHA, directions=20_000)
    assert (np.abs(p - exact) <= 5 * error + 1e-4).all()
    assert (error > 0).all()


def test_statistics_beyond_the_largest_number_are_infinite_without_a_warning():
    along = rotations._Along(np.array([[1e300]]), np.array([[1e-300]]), np.array([0]), pooled=False)
    assert along.ratio.tolist() == [[np.inf]]
