"""Linear orders: one route against another, averages, regret and places."""

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from benchinfer.relations.consensus.numerics import dynamic, points
from benchinfer.relations.consensus.numerics import solve as regret_module
from benchinfer.relations.consensus.numerics import solve as solving
from benchinfer.relations.consensus.numerics.costs import FAMILIES, of_votes, tally
from benchinfer.relations.consensus.numerics.resampled import summarise
from benchinfer.relations.consensus.numerics.solve import linear_regrets
from benchinfer.relations.numerics.distances import twice_ranks


def rankings(rng: np.random.Generator, n: int, size: int, tie: float = 0.3) -> NDArray[np.int8]:
    """Return relations (size, n, n) of noisy scores, ties being equivalent."""
    x = rng.normal(size=n) + rng.normal(size=(size, n))
    d = x[:, :, None] - x[:, None, :]
    return np.where(d > tie, 3, np.where(d < -tie, 4, 2)).astype(np.int8)


def costs_of(n: int, size: int, seed: int) -> NDArray[np.int64]:
    """Return the cost tensor of simulated rankings."""
    verdicts = rankings(np.random.default_rng(seed), n, size)
    votes = tally(verdicts, np.ones(size, int))
    return of_votes(votes, "symdiff", missing_as_undecided=False)[0].astype(np.int64)


def every_order(above: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all orders (m, n) and their costs (m,)."""
    n = len(above)
    orders = np.array(list(permutations(range(n))))
    i, j = np.triu_indices(n, 1)
    return orders, above[orders[:, i], orders[:, j]].sum(axis=1)


@pytest.mark.parametrize("n", [2, 5, 7])
def test_averages_and_regret_are_those_of_all_orders(n: int) -> None:
    costs = costs_of(n, 4, n)
    orders, cost = every_order(costs[0])
    best = orders[cost == cost.min()]
    place = best.argsort(axis=1)
    found = summarise(costs, FAMILIES["linear"])
    assert (found.cost, found.count, found.complete) == (cost.min(), len(best), True)
    np.testing.assert_allclose(found.position, (place[:, :, None] == np.arange(n)).mean(axis=0))
    higher = place[:, :, None] < place[:, None, :]
    np.testing.assert_allclose(found.above, higher.mean(axis=0))
    everywhere = orders.argsort(axis=1)
    ahead = everywhere[:, :, None] < everywhere[:, None, :]
    least_so = np.where(ahead, cost[:, None, None], np.inf).min(axis=0) - cost.min()
    np.fill_diagonal(least_so, 0)
    regret, exact = linear_regrets(costs, found.cost)
    np.testing.assert_array_equal(regret, least_so)
    assert exact.all()


@pytest.mark.parametrize("n", range(8, 15))
def test_programs_find_what_tables_find(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(3):
        costs = costs_of(n, 5, 100 + seed)
        table = solving.solve(costs, FAMILIES["linear"], limit=1)
        monkeypatch.setattr(solving, "_TABLED", 0)
        program = solving.solve(costs, FAMILIES["linear"], limit=1)
        monkeypatch.undo()
        assert (table.cost, table.count) == (program.cost, program.count)
        np.testing.assert_array_equal(table.possible, program.possible)
        assert table.shares is not None
        assert program.shares is not None
        np.testing.assert_allclose(table.shares[0], program.shares[0])


def test_tables_in_halves_are_those_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    above = np.random.default_rng(1).integers(0, 9, (9, 9))
    whole = dynamic.best_costs(above)
    monkeypatch.setattr(dynamic, "_AT_ONCE", 3)
    np.testing.assert_array_equal(dynamic.best_costs(above), whole)


def test_all_ties_make_all_orders() -> None:
    cost, paths = dynamic.cheapest_linear_order(np.zeros((12, 12), dtype=np.int64), 0)
    assert (cost, paths.count()) == (0, 479001600)
    position, above = paths.shares()
    np.testing.assert_allclose(position, 1 / 12)
    np.testing.assert_allclose(above[np.triu_indices(12, 1)], 0.5)


@pytest.mark.parametrize("seed", range(6))
def test_places_are_those_of_all_assignments(seed: int) -> None:
    verdicts = rankings(np.random.default_rng(seed), 5, 4)
    twice = twice_ranks(verdicts)
    costs = points.place_costs(twice, np.array([1, 2, 1, 1]))
    orders = np.array(list(permutations(range(5))))
    each = costs[orders, np.arange(5)].sum(axis=1)
    cost, paths, _ = points.cheapest(costs, 0, 10_000)
    assert paths is not None
    assert (cost, paths.count()) == (each.min(), (each == each.min()).sum())
    met = {tuple(order) for order in paths.orders(1000)}
    assert met == {tuple(order) for order in orders[each == each.min()].tolist()}


def test_smith_set_and_scores() -> None:
    # a > b > c > a by majority, all of them above d.
    verdicts = np.full((3, 4, 4), 2, dtype=np.int8)
    for b, order in enumerate([(0, 1, 2, 3), (1, 2, 0, 3), (2, 0, 1, 3)]):
        place = np.argsort(order)
        above = place[:, None] < place
        verdicts[b][above], verdicts[b][above.T] = 3, 4
    votes = tally(verdicts, np.ones(3))
    assert points.condorcet(votes).tolist() == [0, 0, 0, 1]
    assert points.borda(votes).tolist() == [6, 6, 6, 0]
    assert points.copeland(votes).tolist() == [3, 3, 3, -9]
    assert points.per_pair(points.borda(votes), votes).tolist() == [2 / 3, 2 / 3, 2 / 3, 0]


@pytest.mark.parametrize("seed", range(3))
def test_regret_of_many_objects_is_bounded_from_below(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = costs_of(12, 4, 50 + seed)
    cost = summarise(costs, FAMILIES["linear"]).cost
    exact, _ = linear_regrets(costs, cost)
    monkeypatch.setattr(regret_module, "_REGRETS_TABLED", 4)
    bound, known = linear_regrets(costs, cost)
    assert (bound <= exact + 1e-6).all()
    assert not known.all()
    np.testing.assert_allclose(bound[known], exact[known])
    assert bound[~known].max() > 0
