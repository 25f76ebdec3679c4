"""Split of a budget into data sets and replications."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchinfer.analyses.plan.aims import PlanAims
from benchinfer.analyses.plan.numerics.power import MOST, best_replications
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.core.saving import savable

_TRIED = 24  # numbers of replications about the best one of the normal limit


@savable
@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of data sets and replications, and the budget."""

    # per_dataset, per_replication: of one data set, and of one replication on it
    per_dataset: float
    per_replication: float
    budget: float | None = None  # the sum, None for as little as needed

    @staticmethod
    def of(costs: Sequence[float] | None, budget: float | None) -> Costs | None:
        """Check costs as typed."""
        if costs is None:
            if budget is None:
                return None
            raise DesignError(
                "a budget goes with costs.",
                hint="costs=(20, 1), of a data set and of a replication.",
            )
        fits = len(costs) == 2 and all(math.isfinite(c) for c in costs)
        if not (fits and costs[0] >= 0 and costs[1] > 0):
            raise DesignError(
                f"costs are {costs!r}.",
                hint="(per data set, per replication), as in costs=(20, 1); the second larger than"
                " 0.",
            )
        if budget is not None and not (math.isfinite(budget) and budget > 0):
            raise DesignError(f"budget is {budget!r}.", hint="a sum, larger than 0.")
        return Costs(float(costs[0]), float(costs[1]), budget)

    def total(self, d: int, r: int) -> float:
        """Return what D data sets with R replications each cost."""
        return d * (self.per_dataset + r * self.per_replication)

    def datasets(self, r: int) -> int:
        """Return how many data sets the budget has room for."""
        room = math.inf if self.budget is None else self.budget
        return int(min(room / (self.per_dataset + r * self.per_replication) + 1e-9, MOST))

    def replications(self, d: int) -> int:
        """Return how many replications on D data sets the budget has room for."""
        room = math.inf if self.budget is None else self.budget
        return int(min((room / d - self.per_dataset) / self.per_replication + 1e-9, MOST))


def best_split(q: PlanAims, costs: Costs) -> int:
    """Return the replications with which the data sets that are needed cost least."""
    tried = _about(q, costs, MOST)
    return min(tried, key=lambda r: (costs.total(q.datasets(r), r), r))


def split_of(q: PlanAims, costs: Costs, d: int | None, r: int | None) -> tuple[int, int]:
    """Return the data sets and replications that the budget buys with the most power."""
    if d is not None:
        r = costs.replications(d) if r is None else r
        if r >= 1 and costs.total(d, r) <= (costs.budget or 0) * (1 + 1e-9):
            return d, r
        raise _too_little(costs, d, r)
    if (room := costs.replications(2)) < 1 or (r is not None and costs.datasets(r) < 2):
        raise _too_little(costs, 2, r or 1)
    tried = _about(q, costs, room) if r is None else [r]
    best = max(tried, key=lambda n: q.reached(costs.datasets(n), n))
    return costs.datasets(best), best


def _about(q: PlanAims, costs: Costs, most: int) -> list[int]:
    """Return numbers of replications to try: about the best one of the normal limit."""
    best = min(best_replications(q.spread, costs.per_dataset, costs.per_replication), most, 1e5)
    steps = np.geomspace(max(best / 3, 1), max(min(3 * best, most), 1), _TRIED)
    near = [math.floor(best), math.ceil(best), 1]
    return sorted({min(max(int(n), 1), most) for n in (*steps, *near)})


def _too_little(costs: Costs, d: int, r: int) -> DesignError:
    return DesignError(
        f"a budget of {costs.budget:g} does not buy {count(d, 'data set')} with"
        f" {count(max(r, 1), 'replication')} each: that costs {costs.total(d, max(r, 1)):g}.",
        hint="a larger budget.",
    )
