"""Changes along a mixture of costs against the lower envelope of all orders."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from benchinfer.relations.consensus.numerics.costs import FAMILIES
from benchinfer.relations.consensus.weights import breaks, pieces
from tests.relations.consensus.numerics.test_resampled import PAIRS, N, orders, tensors


def envelope(
    first: NDArray[np.int64], second: NDArray[np.int64], states: NDArray[np.int64]
) -> list[tuple[Fraction, Fraction, NDArray[np.int64]]]:
    """Walk along the lower envelope of all orders' lines, from one corner to the next."""
    i, j = PAIRS
    a, b = (c[states[:, i, j], i, j].sum(axis=1).tolist() for c in (first, second))
    low, found = Fraction(0), []
    while low < 1:
        value = [(1 - low) * x + low * y for x, y in zip(a, b, strict=True)]
        least = min(value)
        slope = min(y - x for x, y, v in zip(a, b, value, strict=True) if v == least)
        now = next(k for k, v in enumerate(value) if v == least and b[k] - a[k] == slope)
        same = [k for k in range(len(a)) if (a[k], b[k]) == (a[now], b[now])]
        # The first line that comes below.
        meet = [
            Fraction(x - a[now], (x - a[now]) - (y - b[now]))
            for x, y in zip(a, b, strict=True)
            if y - x < slope
        ]
        high = min([*meet, Fraction(1)])
        found.append((low, high, states[same]))
        low = high
    return found


@pytest.mark.parametrize("family", ["linear", "weak"])
@pytest.mark.parametrize("seed", range(6))
def test_pieces_are_those_of_all_orders(family: str, seed: int) -> None:
    parts = tensors(seed, 5)
    first, second = parts[:3].sum(axis=0), parts[3:].sum(axis=0)
    wanted = envelope(first, second, orders(tied=family == "weak"))
    found = pieces(first, second, FAMILIES[family])
    assert [(p.low, p.high) for p in found] == [(low, high) for low, high, _ in wanted]
    assert [p.count for p in found] == [len(same) for _, _, same in wanted]
    off = ~np.eye(N, dtype=bool)
    for piece, (_, _, same) in zip(found, wanted, strict=True):
        common = np.where((same == same[0]).all(axis=0), same[0], -1)
        np.testing.assert_array_equal(piece.common[off], common[off])


def test_equal_costs_never_change() -> None:
    parts = tensors(1, 4).sum(axis=0)
    (only,) = pieces(parts, 3 * parts, FAMILIES["linear"])
    assert (only.low, only.high) == (0, 1)


def test_lines_that_only_touch_make_no_corner() -> None:
    # The third touches the envelope where the first two meet; the fourth is always above.
    lines = {(0, 4), (4, 0), (2, 2), (5, 5)}
    assert breaks(lines) == [Fraction(1, 2)]
    assert breaks({(0, 4), (4, 0), (1, 1)}) == [Fraction(1, 4), Fraction(3, 4)]
    assert breaks({(0, 4), (0, 2)}) == []


def test_many_corners_are_in_order() -> None:
    parts = tensors(21, 8)
    found = pieces(parts[:4].sum(axis=0), parts[4:].sum(axis=0), FAMILIES["linear"])
    assert found[0].low == 0
    assert found[-1].high == 1
    assert all(one.high == two.low for one, two in pairwise(found))
