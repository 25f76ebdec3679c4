"""Programs in whole numbers against tables that know nothing of them."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from benchinfer.relations.consensus.numerics import dynamic
from benchinfer.relations.consensus.numerics.costs import (
    FAMILIES,
    Costs,
    Effort,
    RelationFamily,
    of_votes,
    tally,
    total,
)
from benchinfer.relations.consensus.numerics.search import ConsensusProblem, branch
from benchinfer.relations.consensus.numerics.solve import solve
from tests.relations.consensus.numerics.test_solve import is_member


def circular(n: int, size: int, seed: int = 0) -> Costs:
    """Return the costs of rankings without a common truth: majorities run in circles."""
    rng = np.random.default_rng([n, size, seed])
    x = rng.normal(size=(size, n))
    d = x[:, :, None] - x[:, None, :]
    verdicts = np.where(d > 0.3, 3, np.where(d < -0.3, 4, 2)).astype(np.int8)
    votes = tally(verdicts, np.ones(size, int))
    return of_votes(votes, "symdiff", missing_as_undecided=False)[0]


def whole(costs: Costs, family: RelationFamily) -> tuple[float, NDArray[np.int8] | None]:
    """Solve in whole numbers, from nothing known."""
    return branch(ConsensusProblem.of(costs, family), Effort())


def test_linear_orders_of_18_objects_cost_the_same_by_tables_and_programs() -> None:
    costs = circular(18, 7)
    bound, states = whole(costs, FAMILIES["linear"])
    table, paths = dynamic.cheapest_linear_order(costs[0], 0)
    assert states is not None
    assert total(costs, states) == table == 855
    assert math.isclose(bound, table)
    assert solve(costs, FAMILIES["linear"]).count == paths.count()


def test_weak_orders_of_11_objects_cost_the_same_by_tables_and_programs() -> None:
    costs = circular(11, 6)
    bound, states = whole(costs, FAMILIES["weak"])
    table = dynamic.cheapest_weak_order(costs, 0, 1)
    assert states is not None
    assert total(costs, states) == table.cost == 237
    assert math.isclose(bound, table.cost)


@pytest.mark.parametrize("name", FAMILIES)
def test_programs_and_searches_agree_on_circles(name: str) -> None:
    costs, family = circular(9, 5), FAMILIES[name]
    bound, states = whole(costs, family)
    found = solve(costs, family)
    assert states is not None
    assert is_member(states, family)
    assert total(costs, states) == found.cost
    assert bound <= found.cost + 1e-6
    assert found.optimal


@pytest.mark.parametrize("effort", [Effort(left=1), Effort.of(1e-9)])
def test_without_effort_the_bound_that_was_known_is_left(effort: Effort) -> None:
    costs, family = circular(9, 5), FAMILIES["weak"]
    problem = ConsensusProblem.of(costs, family)
    assert branch(problem, effort) == (problem.bound, None)
