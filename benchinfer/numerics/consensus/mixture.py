"""Cheapest relations along a line of costs: where on it they change, exactly.

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

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from benchinfer.numerics.consensus.costs import Costs, total
from benchinfer.numerics.consensus.families import ONLY, Family
from benchinfer.numerics.consensus.solve import solve

type Whole = NDArray[np.int64]
# Cost at w = 0 and at w = 1.
type Line = tuple[int, int]

# Sums of whole costs beyond would overflow.
_HELD = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
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


def pieces(first: Whole, second: Whole, family: Family) -> list[Piece]:
    """Return the intervals of w in [0, 1] on which the same relations are cheapest.

    Parameters
    ----------
    first, second
        (4, n, n) whole costs at w = 0 and at w = 1.
    family
        The relations among which to choose.
    """
    found: list[Piece] = []
    for low, high in pairwise([Fraction(0), *breaks(_lines(first, second, family)), Fraction(1)]):
        inside = solve(_mixed(first, second, (low + high) / 2), family, limit=1)
        common = ONLY[inside.possible]
        found.append(Piece(low, high, inside.count, inside.exact, common))
    return found


def breaks(lines: set[Line]) -> list[Fraction]:
    """Return where within (0, 1) the lower envelope of lines has a corner."""
    corners = {w for pair in combinations(lines, 2) if 0 < (w := _meeting(*pair)) < 1}
    return sorted(w for w in corners if _is_corner(lines, w))


def _is_corner(lines: set[Line], w: Fraction) -> bool:
    """Whether lines of several slopes are lowest at w."""
    values = {line: _value(line, w) for line in lines}
    least = min(values.values())
    return len({b - a for (a, b), value in values.items() if value == least}) > 1


def _lines(first: Whole, second: Whole, family: Family) -> set[Line]:
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
