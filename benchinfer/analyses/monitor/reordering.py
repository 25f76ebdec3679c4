"""Random orders of the replications of a monitored experiment.

The point is the first replication from which on a fixed-sample test of all replications so far is
significant up to the last one. It describes; it is no test, as nothing is adjusted for the looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import ndtr

from benchinfer.analyses.monitor.anytime import bet_of, directed
from benchinfer.analyses.monitor.course import points
from benchinfer.analyses.monitor.design import MonitorDesign
from benchinfer.analyses.monitor.numerics.stages import recursion
from benchinfer.analyses.monitor.stagewise import (
    bounds_of,
    combined,
    ends_of,
    fixed_p,
    running_z,
    stage_p,
)
from benchinfer.core.arguments import check_count, seed_of
from benchinfer.core.errors import DesignError
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd


_CELLS = 2_000_000  # differences that are shuffled at once


@savable
@shaped(points="B", first="[0,1]", second="[0,1]", at="q", p="q [0,1] nan", band="3 q [0,1] nan")
@dataclass(frozen=True, slots=True)
class Orders:
    """Decisions in random orders of a pair's replications.

    Attributes
    ----------
    point
        The point of consecutive significance in the order as it is; infinite where there is none.
    points
        (B,) that of random orders.
    first, second
        Shares of the orders in which either would have been found better.
    n
        Number of replications.
    at
        (q,) numbers of replications, about 200 where there are more.
    p, band
        p-values of tests of the first replications alone, as many as `at` says: (q,) in the order
        as it is, and (3, q) their quartiles over random orders.
    """

    point: float
    points: Array
    first: float
    second: float
    n: int
    at: Codes
    p: Array
    band: Array


def consecutive_point(p: Array, alpha: float) -> Array:
    """Return the replication from which on p-values stay at most alpha; infinite if none.

    Examples
    --------
    >>> consecutive_point(np.array([0.2, 0.04, 0.06, 0.03, 0.01]), 0.05)
    np.float64(4.0)
    """
    lasting = np.logical_and.accumulate((p <= alpha)[..., ::-1], axis=-1).sum(axis=-1)
    return np.where(lasting > 0, p.shape[-1] - lasting + 1.0, np.inf)[()]


def shuffled(
    d: Array, design: MonitorDesign, measure: Measure, permutations: int, rng: np.random.Generator
) -> Orders:
    """Run the design on random orders of (D, n) differences, each data set shuffled by itself."""
    p_values, at = fixed_p(d, design.test, design.sides), points(d.shape[1])
    consecutive: list[Array] = []
    paths: list[Array] = []
    ends: list[str] = []
    most = max(_CELLS // max(d.size, 1), 1)
    for start in range(0, permutations, most):
        many = min(most, permutations - start)
        orders = rng.permuted(np.broadcast_to(d, (many, *d.shape)), axis=-1)
        p = fixed_p(orders, design.test, design.sides)
        consecutive.append(consecutive_point(p, design.alpha))
        paths.append(p[:, at - 1])
        ends += _ends(orders, design, measure)
    share = {word: ends.count(word) / permutations for word in ("first", "second")}
    return Orders(
        point=float(consecutive_point(p_values, design.alpha)),
        points=np.concatenate(consecutive),
        first=share["first"],
        second=share["second"],
        n=d.shape[1],
        at=at,
        p=p_values[at - 1],
        band=np.quantile(np.concatenate(paths), [0.25, 0.5, 0.75], axis=0),
    )


def _ends(orders: Array, design: MonitorDesign, measure: Measure) -> list[str]:
    """Return how the pair would have ended in each of (B, D, n) orders."""
    if design.method == "anytime":
        return [_bet(order, design, measure) for order in orders]
    stages = orders.shape[-1] // design.stage
    stages = stages if design.last_stage is None else min(stages, design.last_stage)
    if stages == 0:
        return ["go on"] * len(orders)
    if design.method == "recursive":
        p = np.stack([_stage(orders, design, t) for t in range(stages)], axis=-1)
        final = stages == design.last_stage
        recursions = recursion(p.reshape(-1, stages), design.rule, design.alpha_one, final=final)
        return ends_of(recursions, design.sides, stages)
    at = design.stage * np.arange(1, stages + 1)
    z = running_z(orders, design.test, at).sum(axis=-2) / np.sqrt(orders.shape[-2])
    bounds = bounds_of(design)[:stages]
    hits = np.stack([side * z >= bounds for side in design.sides])  # (sides, B, T)
    out: list[str] = []
    for b in range(len(orders)):
        crossed = np.argwhere(hits[:, b].T)
        side = design.sides[crossed[0][1]] if len(crossed) else 0
        out.append({1: "first", -1: "second", 0: "go on"}[side])
    return out


def _stage(orders: Array, design: MonitorDesign, t: int) -> Array:
    """Return (sides, B) p-values of a stage over all data sets."""
    part = orders[..., t * design.stage : (t + 1) * design.stage]
    if design.test == "signed-rank":
        both = [[stage_p(row, design.test) for row in order] for order in part]
        p = np.moveaxis(np.array(both), -1, 0)  # (2, B, D)
        p = p[[0 if side > 0 else 1 for side in design.sides]]
    else:
        z = running_z(part, design.test, np.array([design.stage]))[..., 0]
        nothing = ~part.any(axis=-1)
        p = np.where(nothing, np.nan, np.stack([ndtr(-side * z) for side in design.sides]))
    return combined(p)


def _bet(d: Array, design: MonitorDesign, measure: Measure) -> str:
    """Return the decision of the e-process of one pair, at its share of the level."""
    up, down = np.zeros(d.shape[1]), np.zeros(d.shape[1])
    for row in d:
        _, paths = bet_of(design, measure).after(row)
        up, down = up + paths.up, down + paths.down
    log_e = directed(design, up, down)
    at = int(np.argmax(log_e)) if len(log_e) else 0
    ahead = 1 if len(log_e) and up[at] > down[at] else -1
    leader = design.sides[0] if len(design.sides) == 1 else ahead
    if log_e.max(initial=0.0) < -np.log(design.alpha_pair):
        return "go on"
    return "first" if leader > 0 else "second"


def quartiles(points: Array) -> Array:
    """Return the quartiles of points, of which some may be infinite: observed values, no means."""
    return np.quantile(points, [0.25, 0.5, 0.75], method="inverted_cdf")


_SURE = 0.95  # of the orders


@savable
@shaped(sides="P", turns="P", orders="P", alpha="(0,1)")
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Consecutive(Showable):
    """Points of consecutive significance of the pairs, in the observed and in random orders.

    Attributes
    ----------
    measure
        What was compared.
    sides, turns
        Names of the pairs, and whether the second side, the better ranked, is shown first.
    alpha
        Level that unadjusted p-values are compared with.
    permutations, seed
        Number of random orders, and their seed.
    orders
        Results of each pair.
    """

    _home: ClassVar[str] = "benchinfer.analyses.monitor"

    measure: Measure
    sides: tuple[tuple[str, str], ...]
    turns: tuple[bool, ...]
    alpha: float
    permutations: int
    seed: int
    orders: tuple[Orders, ...]

    @staticmethod
    def of(
        sides: tuple[tuple[str, str], ...],
        turns: tuple[bool, ...],
        differences: Sequence[Array],
        design: MonitorDesign,
        measure: Measure,
        permutations: int,
        seed: int | None,
    ) -> Consecutive:
        """Rearrange the (D, n) differences of each pair."""
        check_count("permutations", permutations, 1, "a whole number, from 1 on.")
        if not min(d.shape[1] for d in differences):
            raise DesignError(
                "a pair shares no replication.", hint="there is no order to change yet."
            )
        drawn = seed_of(seed)
        rng = np.random.default_rng(drawn)
        orders = tuple(shuffled(d, design, measure, permutations, rng) for d in differences)
        return Consecutive(measure, sides, turns, design.alpha, permutations, drawn, orders)

    def summary(self) -> pd.DataFrame:
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
        """Return a sentence on the pairs whose decision depends on the order of replications."""
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
