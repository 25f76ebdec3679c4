"""Sensitivity of a consensus to the weights of measures.

A relation costs ``(1 - w) a + w b``, a line in the mixing weight w. The least cost is the lower
envelope of these lines, concave and piecewise linear. Two lines that are cheapest at the ends of an
interval either meet on the envelope, which is then theirs, or another line runs below where they
meet [1]_. Lines and corners are whole numbers and fractions of them.

References
----------
.. [1] Eisner, M. J. and Severance, D. G. (1976). Mathematical techniques for efficient record
   segmentation in large shared databases. Journal of the ACM 23, 619-635.
   doi:10.1145/321978.321982
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from math import lcm
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.core.errors import DesignError, message
from benchinfer.core.frames import frame
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable
from benchinfer.relations.consensus.numerics.costs import (
    ONLY,
    Costs,
    RelationFamily,
    total,
    whole_weights,
)
from benchinfer.relations.consensus.numerics.solve import solve
from benchinfer.relations.consensus.stability import ConsensusOptions, Distance, MissingPairs, Order
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.relation import Relation

if TYPE_CHECKING:
    import pandas as pd


type Whole = NDArray[np.int64]
# Cost at w = 0 and at w = 1.
type Line = tuple[int, int]
# Sums of whole costs beyond would overflow.
_HELD = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class WeightInterval:
    """An interval of weights on which the same relations are cheapest.

    Attributes
    ----------
    low, high : Fraction
        Where it begins and ends; at the ends themselves those of the neighbour are as cheap.
    count : int
        How many cheapest relations there are, or at least are where not `exact`.
    exact : bool
    common : (n, n)
        States that hold in all of them, -1 elsewhere.
    """

    low: Fraction
    high: Fraction
    count: int
    exact: bool
    common: NDArray[np.int8]


def pieces(first: Whole, second: Whole, family: RelationFamily) -> list[WeightInterval]:
    """Return the intervals of w in [0, 1] on which the same relations are cheapest.

    Parameters
    ----------
    first, second
        (4, n, n) whole costs at w = 0 and at w = 1.
    family
        The relations among which to choose.
    """
    found: list[WeightInterval] = []
    for low, high in pairwise([Fraction(0), *breaks(_lines(first, second, family)), Fraction(1)]):
        inside = solve(_mixed(first, second, (low + high) / 2), family, limit=1)
        common = ONLY[inside.possible]
        found.append(WeightInterval(low, high, inside.count, inside.exact, common))
    return found


def breaks(lines: set[Line]) -> list[Fraction]:
    """Return where within (0, 1) the lower envelope of lines has a corner."""
    corners = {w for pair in combinations(lines, 2) if 0 < (w := _meeting(*pair)) < 1}
    return sorted(w for w in corners if _is_corner(lines, w))


def _is_corner(lines: set[Line], w: Fraction) -> bool:
    """Return whether lines of several slopes are lowest at w."""
    values = {line: _value(line, w) for line in lines}
    least = min(values.values())
    return len({b - a for (a, b), value in values.items() if value == least}) > 1


def _lines(first: Whole, second: Whole, family: RelationFamily) -> set[Line]:
    """Return lines that the envelope is made of, and some that touch it."""

    def cheapest(w: Fraction) -> Line:
        states = solve(_mixed(first, second, w), family, limit=1).states[0]
        return int(total(first, states)), int(total(second, states))

    ends = cheapest(Fraction(0)), cheapest(Fraction(1))
    found, waiting = set(ends), [ends]
    while waiting:
        left, right = waiting.pop()
        w = _meeting(left, right)
        # Lines that do not meet within are one, or one of them is lowest throughout.
        if not 0 < w < 1:
            continue
        between = cheapest(w)
        if between not in found and _value(between, w) < _value(left, w):
            found.add(between)
            waiting += [(left, between), (between, right)]
    return found


def _meeting(one: Line, other: Line) -> Fraction:
    """Return the weight at which two lines meet, -1 where they are parallel."""
    at_0, at_1 = one[0] - other[0], one[1] - other[1]
    return Fraction(at_0, at_0 - at_1) if at_0 != at_1 else Fraction(-1)


def _value(line: Line, w: Fraction) -> Fraction:
    return (1 - w) * line[0] + w * line[1]


def _mixed(first: Whole, second: Whole, w: Fraction) -> Costs:
    """Return costs that are proportional to those at w: whole ones, as long as they can be held."""
    below, above = w.denominator - w.numerator, w.numerator
    largest = below * int(first.max(initial=0)) + above * int(second.max(initial=0))
    if largest * first[0].size >= _HELD:
        return float(1 - w) * first + float(w) * second
    mixed = below * first + above * second
    return mixed // max(int(np.gcd.reduce(mixed, axis=None)), 1)


# Weights that are no fractions of whole numbers are rounded to so many of the largest.
_STEPS = 1_000_000


@savable
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class WeightSensitivity(Showable):
    """Change points of the consensus along the weight of each of M parts.

    Attributes
    ----------
    parts, weights
        The M names and (M,) weights.
    method, family, missing_pairs
        Of the consensus.
    breaks
        For each part, the shares of the total weight at which the consensus changes, with 0 and 1:
        the share goes from 0 to 1, while the other parts keep their proportions.
    orders, counts
        For each part and interval between breaks, what holds in all optima, and their number.
    """

    parts: tuple[str, ...]
    weights: NDArray[np.float64]
    method: str
    family: str
    missing_pairs: str
    breaks: tuple[tuple[float, ...], ...]
    orders: tuple[tuple[Relation, ...], ...]
    counts: tuple[tuple[int, ...], ...]

    def summary(self) -> "pd.DataFrame":
        """One row per part: the range of its weight, others held, that keeps the consensus.

        Returns
        -------
        pandas.DataFrame
            ``part weight weight_low weight_high share share_low share_high``: shares are those of
            the total weight. Both ends are the weight itself where it is one at which the consensus
            changes.
        """
        total = self.weights.sum()
        rows: list[tuple[float, ...]] = []
        for weight, breaks in zip(self.weights, self.breaks, strict=True):
            share = weight / total
            low, high = _around(share, breaks)
            rest = total - weight
            ends = [rest * x / (1 - x) if x < 1 else np.inf for x in (low, high)]
            rows.append((weight, *ends, share, low, high))
        names = ("weight", "weight_low", "weight_high", "share", "share_low", "share_high")
        columns = dict(zip(names, np.array(rows).T, strict=True))
        return frame({"part": list(self.parts)} | columns)

    def to_frame(self) -> "pd.DataFrame":
        """Return `regions`."""
        return self.regions()

    def regions(self) -> "pd.DataFrame":
        """Return the intervals between changes: ``part share_low share_high n_optima order``.

        ``order`` has what all optima say. Of two parts the intervals of one mirror the other's.
        """
        rows = [
            (part, low, high, count, str(order))
            for part, breaks, counts, orders in zip(
                self.parts, self.breaks, self.counts, self.orders, strict=True
            )
            for low, high, count, order in zip(breaks, breaks[1:], counts, orders, strict=False)
        ]
        names = ("part", "share_low", "share_high", "n_optima", "order")
        return frame(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))

    def __repr__(self) -> str:
        """Return how many intervals each weight has."""
        told = ", ".join(
            f"{part} {len(breaks) - 2}"
            for part, breaks in zip(self.parts, self.breaks, strict=True)
        )
        return f"<WeightSensitivity: changes of the consensus along each weight: {told}>"


def consensus_weights(
    parts: Mapping[str, Relation | Ensemble],
    weights: Mapping[str, float] | None = None,
    *,
    method: Distance = "symdiff",
    family: Order = "weak",
    missing_pairs: MissingPairs = "ignore",
) -> WeightSensitivity:
    """Find which weights of several measures change their consensus.

    Parameters
    ----------
    parts
        Name (of a measure) to a relation or an ensemble of them; an `Ensemble` is that too.
    weights
        Name to the weight of the part, above 0; all 1 if not given (those of an `Ensemble`).
    method, family, missing_pairs
        As in `bootstrap_consensus`.

    Returns
    -------
    WeightSensitivity
        For each part, every change of the consensus as its share of the total weight goes from 0
        to 1, exactly: for two parts the whole line of mixtures.

    Raises
    ------
    DesignError
        There are fewer than two parts, or a weight is not above 0.

    Notes
    -----
    The cost of an order is ``(1 - w) a + w b`` in the share w of a part, with b its distance to the
    part and a the mean distance to the others; the least cost is a concave, piecewise linear
    function of w, whose corners are found as fractions. A part that is an ensemble of many
    relations has as many votes: its weight multiplies theirs.

    References
    ----------
    Eisner & Severance (1976), https://doi.org/10.1145/321978.321982

    Examples
    --------
    >>> from benchinfer import Relation
    >>> error, seconds = Relation.from_text("svm > rf > knn"), Relation.from_text("knn > rf ~ svm")
    >>> found = consensus_weights({"error": error, "seconds": seconds},
    ...                           weights={"error": 1, "seconds": 0.2})
    >>> found.regions()[:2]
        part  share_low  share_high  n_optima           order
    0  error        0.0         0.5         1  knn > svm ~ rf
    1  error        0.5         1.0         1  svm > rf > knn
    """
    asked = ConsensusOptions(method, family, missing_pairs)
    asked.check()
    if weights is None and isinstance(parts, Ensemble):
        weights = dict(zip(parts, parts.weights.tolist(), strict=True))
    whole = Ensemble.joined(parts, weights)
    given = np.array([1.0 if weights is None else weights[name] for name in parts])
    _check(list(parts), given)
    names = whole.algorithms
    shares = _fractions(given)
    costs = _summed(parts, asked, names)
    lines = [_along(costs, shares, m, asked) for m in range(len(parts))]
    return WeightSensitivity(
        parts=tuple(parts),
        weights=given,
        method=method,
        family=family,
        missing_pairs=missing_pairs,
        breaks=tuple((0.0, *(float(piece.high) for piece in line)) for line in lines),
        orders=tuple(
            tuple(asked.relation(names, piece.common) for piece in line) for line in lines
        ),
        counts=tuple(tuple(piece.count for piece in line) for line in lines),
    )


def _around(share: float, breaks: tuple[float, ...]) -> tuple[float, float]:
    """Return the breaks around a share, or the share itself where it is a break."""
    inner = np.array(breaks[1:-1])
    if np.isclose(inner, share, rtol=1e-12, atol=0).any():
        return share, share
    k = int(np.searchsorted(inner, share))
    return breaks[k], breaks[k + 1]


def _check(names: list[str], weights: NDArray[np.float64]) -> None:
    if len(names) < 2:
        raise DesignError("weights are of at least two parts (measures), and there is one.")
    if not (weights > 0).all():
        raise DesignError(
            message(
                f"{int((weights <= 0).sum())} of {len(weights)} weights are not above 0.",
                where=[("part", "weight")]
                + [(n, w) for n, w in zip(names, weights.tolist(), strict=True) if w <= 0],
                hint="leave the part out, or give it a small weight: regions begin at 0.",
            )
        )


def _fractions(weights: NDArray[np.float64]) -> list[Fraction]:
    """Return shares of the total weight."""
    whole, _ = whole_weights(weights) or (np.round(weights / weights.max() * _STEPS), 1)
    return [Fraction(int(w), int(whole.sum())) for w in whole]


def _summed(
    parts: Mapping[str, Relation | Ensemble], asked: ConsensusOptions, names: tuple[str, ...]
) -> list[Whole]:
    """Return whole costs (4, K, K) of each part, all in one unit."""
    sums: list[Whole] = []
    units: list[int] = []
    for name, part in parts.items():
        own = part if isinstance(part, Ensemble) else Ensemble({name: part})
        tensors, unit = asked.tensors(own, names)
        summed = tensors.sum(axis=0)
        if summed.dtype.kind == "f":
            summed, unit = np.round(summed * _STEPS), unit * _STEPS
        sums.append(summed.astype(np.int64))
        units.append(unit)
    common = lcm(*units)
    return [costs * (common // unit) for costs, unit in zip(sums, units, strict=True)]


def _along(
    costs: list[Whole], shares: list[Fraction], m: int, asked: ConsensusOptions
) -> list[WeightInterval]:
    """Return the pieces along the share of a part, others keeping their proportions."""
    rest = [share / (1 - shares[m]) for share in shares]
    below = lcm(*(share.denominator for k, share in enumerate(rest) if k != m))
    others = sum(
        (
            int(share * below) * part
            for k, (share, part) in enumerate(zip(rest, costs, strict=True))
            if k != m
        ),
        start=np.zeros_like(costs[m]),
    )
    return pieces(others, costs[m] * below, asked.members)
