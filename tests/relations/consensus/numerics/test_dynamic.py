"""Weak orders by tables of all sets, against programs, searches and closed forms."""

import numpy as np
import pytest
from numpy.typing import NDArray

from benchinfer.relations.consensus.numerics import dynamic
from benchinfer.relations.consensus.numerics import solve as solving
from benchinfer.relations.consensus.numerics.costs import FAMILIES, of_votes, tally
from benchinfer.relations.consensus.numerics.solve import solve

WEAK = FAMILIES["weak"]
# How many weak orders there are of 1, 2, ... objects (Fubini numbers).
FUBINI = [1, 3, 13, 75, 541, 4683, 47293, 545835, 7087261]


def rankings(rng: np.random.Generator, n: int, size: int, tie: float) -> NDArray[np.int8]:
    """Return relations (size, n, n) of noisy scores, ties being equivalent."""
    x = rng.normal(size=n) + 2 * rng.normal(size=(size, n))
    d = x[:, :, None] - x[:, None, :]
    return np.where(d > tie, 3, np.where(d < -tie, 4, 2)).astype(np.int8)


@pytest.mark.parametrize("method", ["symdiff", "cks", "jmb"])
@pytest.mark.parametrize("n", range(2, 10))
def test_tables_say_what_programs_and_searches_say(
    n: int, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "_CLASSED", 0)
    for seed in range(3):
        verdicts = rankings(np.random.default_rng([n, seed]), n, 4, 0.5)
        votes = tally(verdicts, np.ones(4, int))
        costs, _ = of_votes(votes, method, missing_as_undecided=False)
        other = solve(costs, WEAK, limit=10**6)
        found = dynamic.cheapest_weak_order(costs, 0, limit=10**6)
        assert other.exact
        assert (found.cost, found.count) == (other.cost, other.count)
        assert {s.tobytes() for s in found.states} == {s.tobytes() for s in other.states}
        np.testing.assert_array_equal(found.possible, other.possible)
        np.testing.assert_array_equal(found.above, other.above)
        np.testing.assert_array_equal(found.below, other.below)


@pytest.mark.parametrize("n", range(1, 10))
def test_where_nothing_was_compared_every_weak_order_will_do(n: int) -> None:
    costs = np.zeros((4, n, n), dtype=np.int64)
    found = solve(costs, WEAK, limit=5)
    assert (found.cost, found.count, found.exact) == (0, FUBINI[n - 1], True)
    assert len(found.states) == min(5, found.count)
    assert (found.possible[~np.eye(n, dtype=np.bool_)] == 7).all()
    assert (found.above == 0).all()
    assert (found.below == 0).all()
