"""Which relations of an ensemble are alike: the hierarchy of clusters."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.phrases import join
from benchinfer.plots import strips
from benchinfer.plots.style import INK, Width, lines, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.order.ensemble import Ensemble
    from benchinfer.order.grouping import Clusters

type Segment = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One relation: its name; `said` and `value` are for rows that have more to say."""

    label: str
    said: str = ""
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Dendrogram:
    """Where everything stands: across by distance, down by rows.

    Attributes
    ----------
    rows
        The relations, like ones side by side.
    segments
        Lines x0, y0, x1, y1.
    top
        The largest distance of a merge.
    title, axis, notes
        Heading, name of the axis, and the lines below it.
    width
        The room that there is.
    alt
        Text alternative.
    """

    rows: tuple[Leaf, ...]
    segments: tuple[Segment, ...]
    top: float
    title: str
    axis: str
    notes: tuple[str, ...]
    width: Width
    alt: str


def leaves(merges: NDArray[np.float64]) -> list[int]:
    """Return the things that were merged in an order in which no lines cross.

    Of two clusters the one with the smaller first number stands first.

    Examples
    --------
    >>> leaves(np.array([[0, 2, 1.0, 2], [1, 3, 2.0, 3]]))
    [0, 2, 1]
    """
    members = [[i] for i in range(len(merges) + 1)]
    for a, b in merges[:, :2].astype(int).tolist():
        first, second = sorted((members[a], members[b]), key=min)
        members.append(first + second)
    return members[-1]


def layout(ensemble: "Ensemble", width: Width = "wide") -> Dendrogram:
    """Lay out the clusters of the relations of an ensemble.

    Parameters
    ----------
    ensemble
        Any ensemble; distance and method are the defaults of `Ensemble.clusters`.
    width
        ``"narrow"`` for narrow screens.
    """
    found = ensemble.clusters()
    order, names = leaves(found.merges), short(found.names)
    top = float(found.merges[:, 2].max(initial=0.0))
    n = min(3, len(order))
    told = "; ".join(join(cluster) for cluster in found.cut(n))
    return Dendrogram(
        rows=tuple(Leaf(names[found.names[i]]) for i in order),
        segments=tuple(_segments(found, order)),
        top=top,
        title="Relations that are alike",
        axis="distance at which clusters join: mean symmetric difference",
        notes=("the sooner two are joined, the more of their verdicts agree",),
        width=width,
        alt=f"Dendrogram of {len(order)} relations, joined by mean symmetric difference up to"
        f" {top:.3g}. In {n} clusters: {told}.",
    )


def _segments(found: "Clusters", order: list[int]) -> list[Segment]:
    """Return for each merge the lines of both clusters and the line that joins them."""
    place = {leaf: (0.0, float(row)) for row, leaf in enumerate(order)}
    segments: list[Segment] = []
    for step, (a, b, far, _) in enumerate(found.merges.tolist()):
        (xa, ya), (xb, yb) = place[int(a)], place[int(b)]
        segments += [(xa, ya, far, ya), (xb, yb, far, yb), (far, ya, far, yb)]
        place[len(order) + step] = (far, (ya + yb) / 2)
    return segments


size = strips.size


def draw(dendrogram: Dendrogram, ax: "Axes") -> None:
    """Draw the dendrogram into an Axes."""
    # Names above their lines would cover the joints: always beside.
    strips.frame(dendrogram, ax, (0.0, 1.04 * dendrogram.top or 1.0))
    lines(ax, dendrogram.segments, INK, 1.1)
    strips.write(dendrogram, ax, beside=True)
