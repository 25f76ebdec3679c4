"""Statistics of runs with a limit, by brute force."""

import numpy as np
import pytest

from benchinfer.scores.numerics.limits import (
    StoppedRuns,
    restricted,
    turning_penalty,
    turning_verdict,
    virtual_best,
)

GRID = np.linspace(1, 20, 190_001)


def stopped(seed, par=1.0, d=30, k=4):
    rng = np.random.default_rng(seed)
    time = rng.exponential(rng.uniform(30, 200, k), (d, k))
    over = time > 100
    n = np.ones((d, k), np.int64)
    zeros = np.zeros(k, np.int64)
    return StoppedRuns(100.0, par, n, over.astype(np.int64), np.minimum(time, 100.0), zeros)


@pytest.mark.parametrize("seed", range(20))
def test_turning_penalty_of_a_pair_against_a_grid(seed):
    held = stopped(seed)
    a, b = (d[:, 0] for d in held.differences(0))
    sign = np.sign(a.mean() + (GRID - 1) * b.mean())
    change = np.flatnonzero(sign[1:] != sign[0])
    turn = float(turning_penalty(a.mean(), b.mean()))
    if len(change):
        assert turn == pytest.approx(GRID[change[0] + 1], abs=2e-4)
    else:
        assert np.isnan(turn) or turn > 20


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("critical", [0.5, 2.045])
def test_turning_verdict_of_a_pair_against_a_grid(seed, critical):
    a, b = (d[:, 0] for d in stopped(seed).differences(0))
    grid = GRID[::100]
    d = a[:, None] + (grid - 1) * b[:, None]
    decided = np.abs(d.mean(axis=0)) > critical * d.std(axis=0, ddof=1) / np.sqrt(len(a))
    change = np.flatnonzero(decided[1:] != decided[0])
    pairs = np.column_stack([a, a, a]), np.column_stack([b, b, b])
    pairs[0][3:, 1], pairs[1][3:, 1] = np.nan, np.nan  # other pairs have fewer data sets
    turn, _, same = turning_verdict(*pairs, np.array([critical, 4.3, critical]))
    assert turn == same or np.isnan([turn, same]).all()
    if len(change):
        assert turn == pytest.approx(grid[change[0] + 1], abs=0.02)
    else:
        assert np.isnan(turn) or turn > 19.9


@pytest.mark.parametrize("par", [1.0, 2.0, 10.0])
@pytest.mark.parametrize("seed", range(6))
def test_penalties_between_which_the_order_holds_against_a_grid(seed, par):
    held = stopped(seed, par)
    means = held.mean.mean(axis=0) + (GRID[:, None] - 1) * 100 * held.cells.mean(axis=0)
    order = means.argsort(axis=1)
    now = int(np.searchsorted(GRID, par))
    for ends, same in (
        (held.order_range, (order == order[now]).all(axis=1)),
        (held.best_range, order[:, 0] == order[now, 0]),
    ):
        low, high = ends
        differ = np.flatnonzero(~same)
        below, above = differ[differ < now], differ[differ > now]
        assert low == pytest.approx(GRID[below[-1]] if len(below) else 1.0, abs=2e-4)
        if len(above):
            assert high == pytest.approx(GRID[above[0]], abs=2e-4)
        else:
            assert high > 20


def test_incomplete_tables_have_an_order_only_where_all_have_runs():
    held = stopped(1)
    held.n[:, 0] = 0
    held.mean[:, 0] = np.nan
    assert np.isnan([held.order_range, held.best_range]).all()
    assert np.isnan(held.shares[0])


def test_virtual_best_against_leaving_each_algorithm_out():
    rng = np.random.default_rng(3)
    time = np.minimum(rng.exponential(80, (50, 5)), 100.0)
    time[rng.random(time.shape) < 0.2] = 100.0
    dataset = np.repeat(np.arange(10), 5)
    best = virtual_best(time, 100.0, dataset)
    assert best.mean == pytest.approx(time.min(axis=1).mean(), rel=1e-12)
    for k in range(5):
        without = np.delete(time, k, axis=1).min(axis=1).mean()
        assert best.contribution[k] == pytest.approx(without - best.mean, abs=1e-12)
    solved = (time < 100).any(axis=1).sum()
    assert best.best.sum() == pytest.approx(solved)


def test_virtual_best_weighs_data_sets_equally():
    time = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [9.0, 5.0]])
    best = virtual_best(time, 10.0, np.array([0, 0, 0, 1]))
    assert (best.mean, best.means.tolist()) == (3.0, [5.0, 3.5])


def test_a_run_solved_at_the_very_limit_is_not_stopped():
    value = np.array([3.0, 60.0, 60.1, 120.0])
    new = restricted(value, 120.0, 60.0, 60.0)
    assert new.tolist() == [3.0, np.nextafter(60.0, 0.0), 60.0, 60.0]
    assert restricted(value, None, 60.0, 600.0).tolist()[2:] == [600.0, 600.0]
