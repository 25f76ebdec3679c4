"""Dominance against enumerated signs, t tests, and rejection by critical values."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import t as student

from benchinfer.numerics.directions import fronts
from benchinfer.numerics.directions.fronts import dominance, dominated

ALPHA = 0.05


def _tables(seed: int, m: int, d: int, k: int, spread: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    levels = spread * rng.standard_normal((m, 1, k))
    common = rng.standard_normal((d, k))
    return levels + common + rng.standard_normal((m, d, k)) * np.linspace(0.5, 1.5, k)


def _tests(tables: np.ndarray, margins: np.ndarray) -> list[tuple[int, float]]:
    tests = [*enumerate(margins)]
    return tests + [(m, 0.0) for m in range(len(tables))] * bool((margins > 0).all())


def _cosine(x: np.ndarray) -> np.ndarray:
    return x.sum(axis=-1) / np.sqrt(x.shape[-1] * (x**2).sum(axis=-1))


def _dominates(tables: np.ndarray, margins: np.ndarray, shown: set, i: int, j: int) -> bool:
    """The definition: no test of being worse left, and one of being better by an estimate."""
    m, tests = len(tables), _tests(tables, margins)
    gain = (tables[..., j] - tables[..., i]).mean(axis=1)
    at = [n for n, (measure, _) in enumerate(tests[-m:]) if gain[measure] > margins[measure]]
    first = len(tests) - m
    not_worse = all((n, i, j) in shown for n in range(m))
    return not_worse and any((first + n, i, j) in shown for n in at)


@pytest.mark.parametrize("margins", [(0.0, 0.0), (0.3, 0.0), (0.4, 0.2)])
@pytest.mark.parametrize("seed", range(5))
def test_signs_of_three_algorithms_are_those_of_enumeration(seed, margins):
    tables, margins = _tables(seed, 2, 9, 3), np.array(margins)
    tests, pairs = _tests(tables, margins), [(i, j) for i in range(3) for j in range(3) if i != j]
    signs = np.array(list(product([1.0, -1.0], repeat=9)))
    hypotheses = [(n, i, j) for n in range(len(tests)) for i, j in pairs]
    observed, drawn = {}, {}
    for n, i, j in hypotheses:
        measure, margin = tests[n]
        x = tables[measure, :, j] - tables[measure, :, i] + margin
        observed[n, i, j], drawn[n, i, j] = _cosine(x), _cosine(signs * x)
    p_value, each = dominance(tables, margins, "flips")

    def shown(family: list) -> set:
        left, out = list(family), set()
        while left:
            largest = np.max([drawn[h] for h in left], axis=0)
            new = [h for h in left if (largest >= observed[h] - 1e-9).mean() <= ALPHA]
            if not new:
                break
            out |= set(new)
            left = [h for h in left if h not in out]
        return out

    everything = shown(hypotheses)
    for i, j in pairs:
        expected = _dominates(tables, margins, everything, i, j)
        assert (p_value[i, j] <= ALPHA) == expected
    for i in range(3):
        alone = shown([h for h in hypotheses if h[1] == i])
        expected = any(_dominates(tables, margins, alone, i, j) for j in range(3) if j != i)
        assert (each[i] <= ALPHA) == expected


@pytest.mark.parametrize("m", [2, 3])
def test_two_algorithms_have_the_larger_of_their_t_tests(m):
    tables = _tables(3, m, 12, 2, 0.0)
    tables[:, :, 1] += 2.0
    x = tables[..., 1] - tables[..., 0]
    t = x.mean(axis=1) / (x.std(axis=1, ddof=1) / np.sqrt(12))
    p_value, each = dominance(tables, np.zeros(m))
    p = student.sf(t, 11).max()
    # By itself it is the test of one pair; together both directions are tested.
    error = 4 * np.sqrt(p / 9_999)
    assert p - error <= each[0] <= p * (1 + 1e-9)
    assert p <= p_value[0, 1] <= 2 * p * (1 + 1e-9)
    assert p_value[1, 0] == 1.0
    assert np.diagonal(p_value).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("margins", [(0.0, 0.0), (0.3, 0.0), (0.5, 0.4)])
@pytest.mark.parametrize("k", [3, 6])
def test_steps_are_those_of_critical_values(k, margins):
    tables, margins = _tables(0, 2, 15, k, 2.0), np.array(margins)
    units, limits = fronts._in_units(tables, margins)
    tests, m = _tests(units, limits), 2
    pairs = [(i, j) for i in range(k) for j in range(k) if i != j]
    parts = [*fronts._drawn(units, limits, "rotation", 1)]
    levels = np.concatenate([levels for levels, _ in parts], axis=2)
    shifts = np.concatenate([shifts for _, shifts in parts], axis=1)
    observed, drawn = {}, {}
    for n, (measure, margin) in enumerate(tests):
        for i, j in pairs:
            x = units[measure, :, j] - units[measure, :, i] + margin
            length = np.sqrt((x**2).sum())
            draw = levels[measure, j] - levels[measure, i] + (shifts[measure] if margin else 0.0)
            observed[n, i, j] = _cosine(x)
            drawn[n, i, j] = np.append(observed[n, i, j], draw / length)
    left, shown = set(observed), set()
    while True:
        weight = 0
        for i, j in pairs:
            better = [h for h in shown if h[0] >= m and h[1:] == (i, j)]
            worse_left = any((n, i, j) in left for n in range(m))
            if len(tests) > m and not better:
                weight += m
            elif worse_left:
                weight += 1
        largest = np.max([drawn[h] for h in left], axis=0)
        new = set()
        for h in left:
            cosine = observed[h]
            p = student.sf(cosine * np.sqrt(14) / np.sqrt(1 - cosine**2), 14)
            if cosine > 0 and min((largest >= cosine - 1e-9).mean(), weight * p) <= ALPHA:
                new.add(h)
        if not new:
            break
        shown |= new
        left -= new
    p_value, _ = dominance(tables, margins)
    expected = [_dominates(units, limits, shown, i, j) for i, j in pairs]
    assert [p_value[i, j] <= ALPHA for i, j in pairs] == expected
    assert any(expected)


def test_order_of_rows_algorithms_and_units_of_measures_change_nothing():
    tables, margins = _tables(9, 3, 10, 5, 1.5), np.array([0.2, 0.0, 0.1])
    p_value, each = dominance(tables, margins)
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(10), rng.permutation(5)
    scale = np.array([1000.0, 0.01, 3.0])
    moved = tables[:, rows][:, :, columns] * scale[:, None, None] + 7.0
    turned, turned_each = dominance(moved, margins * scale)
    np.testing.assert_allclose(turned, p_value[columns][:, columns], rtol=1e-9)
    np.testing.assert_allclose(turned_each, each[columns], rtol=1e-9)


@pytest.mark.slow
def test_each_by_itself_decides_no_less_and_no_two_dominate_each_other():
    for seed in range(20):
        p_value, each = dominance(_tables(seed, 2, 20, 6), np.array([0.5, 0.5]))
        assert (each <= p_value.min(axis=1) + 1e-12).all()
        shown = p_value <= 0.2
        assert not (shown & shown.T).any()


def test_constant_differences_say_nothing():
    rng = np.random.default_rng(0)
    base = rng.standard_normal((2, 8, 1))
    tables = np.concatenate([base, base + 1.0, rng.standard_normal((2, 8, 1))], axis=2)
    assert dominance(tables, np.zeros(2))[0][0, 1] == 1.0


def test_members_of_a_circle_stay_and_the_front_is_never_empty():
    rng = np.random.default_rng(2)
    for _ in range(200):
        shown = (rng.random((6, 6)) < 0.3) & ~np.eye(6, dtype=bool)
        assert not dominated(shown).all()
