"""Names beside points, placed so that they cover neither points nor each other where they can."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

type Box = tuple[float, float, float, float]

_LETTER, _LINE = 0.068, 0.14  # inches of a letter and a line
_DOT = 0.06  # inches that a point reaches


@dataclass(frozen=True, slots=True)
class Text:
    """A text: where, how it is aligned, and whether a line must lead to its point."""

    text: str
    x: float
    y: float
    ha: Literal["left", "right", "center"]
    va: Literal["top", "bottom", "center"]
    led: bool


type _Across = Literal["left", "right", "center"]
type _Down = Literal["top", "bottom", "center"]

_SIDES: tuple[tuple[int, int, _Across, _Down], ...] = (
    (1, 0, "left", "center"),
    (-1, 0, "right", "center"),
    (0, 1, "center", "bottom"),
    (0, -1, "center", "top"),
    (1, 1, "left", "bottom"),
    (-1, 1, "right", "bottom"),
    (1, -1, "left", "top"),
    (-1, -1, "right", "top"),
)


def dodge(
    points: NDArray[np.float64], labels: Sequence[str], extent: tuple[float, float]
) -> tuple[Text, ...]:
    """Place each text at the nearest side of its point that is free.

    Parameters
    ----------
    points
        (N, 2) in inches.
    labels
        N texts.
    extent
        Width and height of the room.

    Returns
    -------
    tuple of Text
        Where no place is free, the one that covers least.
    """
    taken: list[Box] = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in points.tolist()]
    found: list[Text] = []
    for (x, y), label in zip(points.tolist(), labels, strict=True):
        tried = [(_covered(box, taken, extent), box, text) for box, text in _around(x, y, label)]
        _, box, text = min(tried, key=lambda one: one[0])
        taken.append(box)
        found.append(text)
    return tuple(found)


def _around(x: float, y: float, label: str) -> Iterator[tuple[Box, Text]]:
    """Go through the places of a text, near ones first."""
    rows = label.split("\n")
    across, tall = _LETTER * max(map(len, rows)), _LINE * len(rows)
    for far in (0.08, 0.2, 0.35, 0.55, 0.8):
        for right, up, ha, va in _SIDES:
            slant = 0.75 if right and up else 1.0
            tx, ty = x + right * far * slant, y + up * far * slant
            left = tx - across * {"left": 0.0, "center": 0.5, "right": 1.0}[ha]
            low = ty - tall * {"bottom": 0.0, "center": 0.5, "top": 1.0}[va]
            yield (
                (left, low, left + across, low + tall),
                Text(label, tx, ty, ha, va, led=far > 0.1),
            )


def _covered(box: Box, taken: Sequence[Box], extent: tuple[float, float]) -> float:
    """Return the area of a box that others have or that lies outside."""
    left, low, right, high = box
    inside = _overlap(box, (0.0, 0.0, *extent))
    outside = (right - left) * (high - low) - inside
    return round(sum(_overlap(box, other) for other in taken) + 2 * outside, 9)


def _overlap(a: Box, b: Box) -> float:
    across = min(a[2], b[2]) - max(a[0], b[0])
    tall = min(a[3], b[3]) - max(a[1], b[1])
    return max(across, 0.0) * max(tall, 0.0)
