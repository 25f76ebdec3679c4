"""Boxes of a layered diagram: one per algorithm, or one for several that stand alike."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.numerics import poset
from benchinfer.order.relation import Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchinfer.order.relation import Relation

GAP = 3.0  # between boxes in a row, in characters


@dataclass(frozen=True, slots=True)
class Box:
    """Algorithms (indices) drawn as one, and the lines of text in the box."""

    members: tuple[int, ...]
    lines: tuple[str, ...]

    @property
    def half(self) -> float:
        """Half the width in characters."""
        return (max(map(len, self.lines)) + 2) / 2


def arrange(
    relation: "Relation", labels: Sequence[str], limit: float, apart: Collection[int] = ()
) -> list[list[Box]]:
    """Arrange the algorithms in rows of boxes, preferred ones higher.

    An algorithm stands between those preferred to it and those it is preferred to. Algorithms that
    are equivalent and have the same verdicts share a box. Where a row is too wide, so do those that
    nothing tells apart; what is still too wide is broken.

    Parameters
    ----------
    relation
        Any relation.
    labels
        Texts of the algorithms.
    limit
        Width to keep to, in characters.
    apart
        Algorithms (indices) that are left out.
    """
    rows: list[list[Box]] = []
    for whole in _rows(relation.strict):
        row = [m for m in whole if m not in apart]
        if not row:
            continue
        boxes = _shared(row, relation, labels, limit, undecided=False)
        if _width(boxes) > limit:
            boxes = _shared(row, relation, labels, limit, undecided=True)
        rows += _broken(boxes, limit)
    return rows


def _rows(strict: "NDArray[np.bool_]") -> list[list[int]]:
    """Return the algorithms by how far down the longest chain through them they stand."""
    above, below = poset.depths(strict), poset.depths(strict.T)
    chain = above + below
    # What is not told apart from anything stands in the middle, not on top.
    share = np.where(chain > 0, above / np.maximum(chain, 1), 0.5)
    return [[int(i) for i in np.flatnonzero(share == value)] for value in np.unique(share)]


def _width(boxes: Sequence[Box]) -> float:
    return sum(2 * box.half + GAP for box in boxes) - GAP


def _shared(
    row: Sequence[int],
    relation: "Relation",
    labels: Sequence[str],
    limit: float,
    *,
    undecided: bool,
) -> list[Box]:
    """Put those into one box that have the same verdict with each other and with all others.

    Without `undecided` those alone that are equivalent.
    """
    strict, equal = relation.strict, relation.states == Verdict.EQUIVALENT
    alike: dict[tuple[bytes, ...], list[int]] = {}
    for m in row:
        others = equal[m] if equal[m].sum() > 1 else np.zeros(0, dtype=np.bool_)
        key = (strict[m].tobytes(), strict[:, m].tobytes(), others.tobytes())
        alike.setdefault(key, []).append(m)
    boxes: list[Box] = []
    for members in alike.values():
        tied = set(np.flatnonzero(equal[members[0]]).tolist())
        # An equivalence that leads out of the box needs a line, which needs a box of its own.
        if (tied != set(members)) if len(tied) > 1 else not undecided:
            boxes += [Box((m,), tuple(labels[m].split("\n"))) for m in members]
        else:
            mark = "~" if len(tied) > 1 else "?"
            boxes.append(Box(tuple(members), _text([labels[m] for m in members], mark, limit)))
    return boxes


def _text(names: Sequence[str], mark: str, limit: float) -> tuple[str, ...]:
    """Write names with a mark between them in lines."""
    lines = [names[0]]
    for name in names[1:]:
        if len(lines[-1]) + len(name) + 7 > limit:
            lines[-1] += f" {mark}"
            lines.append(name)
        else:
            lines[-1] += f" {mark} {name}"
    return tuple(lines)


def _broken(row: Sequence[Box], limit: float) -> list[list[Box]]:
    """Break a row that is too wide into several."""
    parts: list[list[Box]] = [[]]
    for box in row:
        if parts[-1] and _width([*parts[-1], box]) > limit:
            parts.append([])
        parts[-1].append(box)
    return parts
