"""Cheapest relations along a line of costs: where on it they change, exactly.

A relation costs ``(1 - w) a + w b``, a line in the mixing weight w. The least cost is the lower
envelope of these lines, concave and piecewise linear. Two lines that are cheapest at the ends of an
interval either meet on the envelope, which is then theirs, or below where they meet there is another
line [1]_. All is done in whole numbers and fractions of them.

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

from benchinfer.numerics.consensus.costs import total
from benchinfer.numerics.consensus.families import ONLY, Family
from benchinfer.numerics.consensus.solve import solve

type Whole = NDArray[np.int64]
# Cost at w = 0 and at w = 1.
type Line = tuple[int, int]


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


def _mixed(first: Whole, second: Whole, w: Fraction) -> Whole:
    """Return whole costs that are proportional to those at w."""
    mixed = (w.denominator - w.numerator) * first + w.numerator * second
    divisor = int(np.gcd.reduce(mixed, axis=None))
    return mixed // max(divisor, 1)
