"""What random orders of the replications of a monitored experiment would have led to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.phrases import count
from benchinfer.drawn import seed_of
from benchinfer.errors import DesignError, message
from benchinfer.frames import frame
from benchinfer.measure import Measure
from benchinfer.saving import savable
from benchinfer.sequential.consecutive import Orders, quartiles, shuffled
from benchinfer.sequential.design import MonitorDesign
from benchinfer.showable import Showable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from benchinfer.numerics.betting import Array

_SURE = 0.95  # of the orders


@savable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Consecutive(Showable):
    """From which replication on differences stay significant, and how much that owes to the order.

    Attributes
    ----------
    measure
        What was compared.
    sides
        Names of the pairs.
    alpha
        Level that unadjusted p-values are held against.
    permutations, seed
        Number of random orders, and where they start from.
    orders
        What was found, per pair.
    """

    measure: Measure
    sides: tuple[tuple[str, str], ...]
    alpha: float
    permutations: int
    seed: int
    orders: tuple[Orders, ...]

    @staticmethod
    def of(
        sides: tuple[tuple[str, str], ...],
        differences: "Sequence[Array]",
        design: MonitorDesign,
        measure: Measure,
        permutations: int,
        seed: int | None,
    ) -> "Consecutive":
        """Rearrange the (D, n) differences of each pair."""
        if permutations < 1 or permutations != int(permutations):
            raise DesignError(
                message(f"permutations is {permutations!r}.", hint="a whole number, from 1 on.")
            )
        if not min(d.shape[1] for d in differences):
            raise DesignError(
                message("a pair shares no replication.", hint="there is no order to change yet.")
            )
        drawn = seed_of(seed)
        rng = np.random.default_rng(drawn)
        found = tuple(shuffled(d, design, measure, int(permutations), rng) for d in differences)
        return Consecutive(measure, sides, design.alpha, int(permutations), drawn, found)

    def summary(self) -> "pd.DataFrame":
        """One row per pair.

        Returns
        -------
        pandas.DataFrame
            ``first second n point q25 median q75 share_first share_second``. ``point`` is the
            replication from which on the test of all replications so far, not adjusted, is
            significant up to the n-th; infinite where there is none. Quartiles and shares are over
            random orders: how often each algorithm would have been found better, the pair taken
            alone at its share of the level.
        """
        low, median, high = np.array([quartiles(one.points) for one in self.orders]).T
        return frame(
            {
                "first": [first for first, _ in self.sides],
                "second": [second for _, second in self.sides],
                "n": [one.n for one in self.orders],
                "point": [one.point for one in self.orders],
                "q25": low,
                "median": median,
                "q75": high,
                "share_first": [one.first for one in self.orders],
                "share_second": [one.second for one in self.orders],
            }
        )

    def __str__(self) -> str:
        """Say which decisions would have been another one in other orders."""
        shares = [(one.first, one.second) for one in self.orders]
        swayed = [
            f"{a} and {b}"
            for (a, b), both in zip(self.sides, shares, strict=True)
            if max(both) < _SURE and sum(both) > 1 - _SURE
        ]
        within = f"in {count(self.permutations, 'random order')} of the replications"
        if not swayed:
            return f"No decision owes much to the order: {within} almost all end alike."
        listed = "; ".join(swayed)
        return (
            f"The order matters for {listed}: {within} a difference is found in some and not"
            " in others."
        )

    __repr__ = __str__
