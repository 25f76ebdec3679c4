"""Sets of the best and of ranks against enumeration, largest t statistics, and counts of draws."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from benchinfer.numerics import max_t
from benchinfer.numerics.directions import rank_sets
from benchinfer.numerics.directions.rank_sets import NormalReference, RowReference, TermReference

ALPHA = 0.05


def _t(table: np.ndarray, i: int, j: int, margin: float = 0.0) -> float:
    d = table[:, i] - table[:, j] - margin
    return float(d.mean() / (d.std(ddof=1) / np.sqrt(len(d))))


def _enumerated(table: np.ndarray, margin: float = 0.0) -> tuple[dict, np.ndarray]:
    """Return t statistics of all ordered pairs, observed and with all signs of the rows."""
    d, k = table.shape
    ordered = [(i, j) for i in range(k) for j in range(k) if i != j]
    signs = np.array(list(product([1.0, -1.0], repeat=d)))
    observed = {pair: _t(table, *pair, margin) for pair in ordered}
    drawn = np.empty((len(signs), len(ordered)))
    for column, (i, j) in enumerate(ordered):
        x = signs * (table[:, i] - table[:, j] - margin)
        drawn[:, column] = x.mean(axis=1) / (x.std(axis=1, ddof=1) / np.sqrt(d))
    return observed, drawn


def _shown(observed: dict, drawn: np.ndarray, family: list[tuple[int, int]]) -> set:
    """Romano and Wolf's steps: reject what is beyond the critical value of what is left."""
    place = {pair: n for n, pair in enumerate(observed)}
    left, shown = list(family), set()
    while left:
        largest = drawn[:, [place[pair] for pair in left]].max(axis=1)
        new = [
            pair
            for pair in left
            if (largest >= observed[pair] - 1e-9 * abs(observed[pair])).mean() <= ALPHA
        ]
        if not new:
            break
        shown |= set(new)
        left = [pair for pair in left if pair not in shown]
    return shown


@pytest.mark.parametrize("seed", range(6))
def test_flips_of_three_algorithms_are_those_of_enumeration(seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((9, 3)) * [1.0, 2.0, 0.7] + [0.0, 0.4, 1.4]
    k, margin = 3, 0.3
    observed, drawn = _enumerated(table)
    sets = rank_sets.rank_sets(RowReference(table, "flips"), ALPHA, margin)
    place = {pair: n for n, pair in enumerate(observed)}
    near, drawn_near = _enumerated(table, margin)
    for i in range(k):
        against = [(j, i) for j in range(k) if j != i]
        columns = [place[pair] for pair in against]
        for statistics, draws, p in (
            (observed, drawn, sets.p_best),
            (near, drawn_near, sets.p_near),
        ):
            limit = max(statistics[pair] for pair in against)
            share = (draws[:, columns].max(axis=1) >= limit - 1e-9 * abs(limit)).mean()
            assert p[i] == pytest.approx(share, abs=1e-12)
    shown = _shown(observed, drawn, list(observed))
    for i in range(k):
        assert sets.low[i] == 1 + sum((j, i) in shown for j in range(k))
        assert sets.high[i] == k - sum((i, j) in shown for j in range(k))
        both = [pair for pair in observed if i in pair]
        alone = _shown(observed, drawn, both)
        assert sets.marginal_low[i] == 1 + sum((j, i) in alone for j in range(k))
        assert sets.marginal_high[i] == k - sum((i, j) in alone for j in range(k))


def test_steps_of_drawn_statistics_are_those_of_critical_values():
    rng = np.random.default_rng(4)
    k = 7
    table = rng.standard_normal((25, k)) + np.linspace(0, 2.2, k)
    reference = RowReference(table)
    sets = rank_sets.rank_sets(reference, ALPHA)
    statistics = reference.observed(0.0)
    ordered = [(i, j) for i in range(k) for j in range(k) if i != j]
    rows = [np.stack([draws.row(i) for i in range(k)]) for draws in reference.drawn(0.0)]
    cube = np.concatenate(rows, axis=2)
    # The observed direction is one of them.
    drawn = np.vstack([[statistics[p] for p in ordered], np.array([cube[p] for p in ordered]).T])
    shown = _shown({pair: statistics[pair] for pair in ordered}, drawn, ordered)
    assert len(shown) > 5
    assert sets.low.tolist() == [1 + sum((j, i) in shown for j in range(k)) for i in range(k)]
    assert sets.high.tolist() == [k - sum((i, j) in shown for j in range(k)) for i in range(k)]


@pytest.mark.parametrize("df", [np.inf, 6.0])
def test_p_values_of_the_best_are_those_of_the_largest_t(df):
    rng = np.random.default_rng(8)
    k = 5
    root = rng.standard_normal((k, k))
    cov, levels = root @ root.T / k, np.array([0.1, 1.9, 0.3, 1.2, 0.0])
    reference = NormalReference(levels, cov, np.full((k, k), df))
    sets = rank_sets.rank_sets(reference, ALPHA)
    error = np.sqrt(np.diag(cov)[:, None] + np.diag(cov) - 2 * cov + np.eye(k))
    for i in range(k):
        others = [j for j in range(k) if j != i]
        contrasts = np.eye(k)[others] - np.eye(k)[i]
        largest = max((levels[j] - levels[i]) / error[i, j] for j in others)
        family = max_t.max_t(contrasts, cov, df, sides=1)
        p = float(max_t.survival(family, np.array([largest]))[0][0]) if largest > 0 else None
        if p is not None:
            assert sets.p_best[i] == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 9_999) + 1e-4)
    assert sets.best.any()


def test_degrees_of_freedom_of_pairs_count_by_their_p_values():
    levels, k = np.array([0.0, 1.0, 2.9]), 3
    df = np.array([[1.0, 3.0, 4.0], [3.0, 1.0, 50.0], [4.0, 50.0, 1.0]])
    reference = NormalReference(levels, np.eye(k) / 2, df)
    t = levels[:, None] - levels
    expected = np.where(t > 0, norm.isf(student.sf(np.abs(t), df)), 0.0)
    np.testing.assert_allclose(np.maximum(reference.observed(0.0), 0.0), expected, rtol=1e-10)


def test_two_algorithms_have_their_t_test():
    cov, levels = np.diag([1.0, 0.5]), np.array([0.0, 2.4])
    reference = NormalReference(levels, cov, np.full((2, 2), 7.0))
    sets = rank_sets.normal_rank_sets(reference, ALPHA, 0.5)
    p = student.sf(2.4 / np.sqrt(1.5), 7)
    np.testing.assert_allclose(sets.p_best, [p, 1 - p])
    np.testing.assert_allclose(sets.p_near[0], student.sf(1.9 / np.sqrt(1.5), 7))
    # One-sided the second one is best; ranks are tested in both directions.
    assert sets.best.tolist() == [False, True]
    assert (sets.low.tolist(), sets.high.tolist()) == ([1, 1], [2, 2])


@pytest.mark.parametrize("kind", ["rotation", "flips"])
@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_order_of_rows_and_algorithms_does_not_matter(kind, margin):
    rng = np.random.default_rng(5)
    table = rng.standard_normal((17, 5)) + np.arange(5) / 3
    rows, columns = rng.permutation(17), rng.permutation(5)
    sets = rank_sets.rank_sets(RowReference(table, kind), ALPHA, margin)
    turned = rank_sets.rank_sets(RowReference(table[rows][:, columns], kind), ALPHA, margin)
    np.testing.assert_array_equal(turned.p_best, sets.p_best[columns])
    np.testing.assert_array_equal(turned.low, sets.low[columns])
    np.testing.assert_array_equal(turned.marginal_high, sets.marginal_high[columns])
    if margin:
        np.testing.assert_array_equal(turned.p_near, sets.p_near[columns])


def test_tolerance_is_a_shift_of_the_algorithm():
    rng = np.random.default_rng(6)
    table = rng.standard_normal((40, 4)) + np.array([0.0, 0.2, 0.5, 0.9])
    margin = 0.4
    sets = rank_sets.rank_sets(RowReference(table), ALPHA, margin)
    for i in range(4):
        moved = table.copy()
        moved[:, i] += margin
        p = rank_sets.rank_sets(RowReference(moved), ALPHA).p_best[i]
        assert sets.p_near[i] == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / 9_999) + 1e-3)
        assert sets.p_near[i] >= sets.p_best[i] - 1e-12


def test_terms_of_pairs_are_flipped_as_the_rows():
    rng = np.random.default_rng(7)
    table = rng.standard_normal((10, 4)) + np.array([0.0, 0.2, 0.5, 1.5])
    flips = TermReference(lambda margin: table[:, :, None] - table[:, None] - margin)
    ours = rank_sets.rank_sets(flips, ALPHA, 0.1)
    rows = rank_sets.rank_sets(RowReference(table, "flips"), ALPHA, 0.1)
    np.testing.assert_allclose(ours.p_best, rows.p_best)
    np.testing.assert_allclose(ours.p_near, rows.p_near)
    np.testing.assert_array_equal(ours.low, rows.low)
    np.testing.assert_array_equal(ours.marginal_low, rows.marginal_low)


def test_differences_that_do_not_vary_say_nothing():
    rng = np.random.default_rng(9)
    x = rng.standard_normal(8)
    table = np.column_stack([x, x + 1.0])
    sets = rank_sets.rank_sets(RowReference(table), ALPHA)
    assert sets.best.all()
    assert (sets.low.tolist(), sets.high.tolist()) == ([1, 1], [2, 2])


def test_p_values_of_pairs_are_adjusted_by_bonferroni_and_holm():
    p = np.ones((3, 3))
    p[0, 2], p[2, 0], p[1, 2], p[2, 1], p[0, 1], p[1, 0] = 0.001, 0.999, 0.011, 0.989, 0.3, 0.7
    sets = rank_sets.rank_sets_of_p_values(p, ALPHA)
    np.testing.assert_allclose(sets.p_best, [1.0, 0.6, 0.002])
    # 0.011 is the second of six, or of four tests of one: only 3 times that is below the level.
    assert (sets.low.tolist(), sets.high.tolist()) == ([1, 1, 2], [2, 3, 3])
    assert sets.marginal_low.tolist() == [1, 1, 3]
    assert sets.marginal_high.tolist() == [2, 2, 3]


def test_credible_sets_of_ranks_hold_the_level_of_draws():
    rng = np.random.default_rng(2)
    draws = rng.standard_normal((4, 1000, 6)) + np.linspace(0, 3, 6)
    sets = rank_sets.rank_sets_of_draws(draws, 0.9)
    flat = draws.reshape(-1, 6)
    rank = 1 + (flat[:, None, :] > flat[:, :, None]).sum(axis=2)
    inside = (rank >= sets.low) & (rank <= sets.high)
    assert inside.all(axis=1).mean() >= 0.9
    alone = (rank >= sets.marginal_low) & (rank <= sets.marginal_high)
    assert (alone.mean(axis=0) >= 0.9).all()
    assert (sets.marginal_low >= sets.low).all()
    assert (sets.marginal_high <= sets.high).all()
    best = np.bincount(flat.argmax(axis=1), minlength=6) / len(flat)
    assert best[sets.best].sum() >= 0.9
    assert best[sets.best].sum() - best[sets.best].min() < 0.9


def test_fewer_draws_of_many_algorithms():
    assert rank_sets.n_draws(300) == 1_999


@pytest.mark.parametrize("k", [12, 30])
def test_statistics_in_rows_and_of_pairs_are_the_same(k):
    rng = np.random.default_rng(k)
    table = rng.standard_normal((6, k))
    for reference in (
        RowReference(table),
        RowReference(table, "flips"),
        NormalReference(table.mean(axis=0), np.eye(k), np.full((k, k), 5.0)),
        TermReference(lambda margin: table[:, :, None] - table[:, None] - margin),
    ):
        draws = next(iter(reference.drawn(0.0)))
        np.testing.assert_allclose(draws.row(3)[5], draws.pair(3, 5), atol=1e-12)
        np.testing.assert_allclose(draws.row(5)[3], -draws.pair(3, 5), atol=1e-12)
