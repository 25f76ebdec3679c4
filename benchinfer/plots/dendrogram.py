"""Which relations of an ensemble are alike: the hierarchy of clusters."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.phrases import join
from benchinfer.plots import caption
from benchinfer.plots.forest import ticks
from benchinfer.plots.style import FAINT, HAIR, INK, Width, lines, plain, short, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.order.ensemble import Ensemble
    from benchinfer.order.grouping import Clusters

type Segment = tuple[float, float, float, float]


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
    title, notes
        Heading, and the lines below the axis.
    width
        The room that there is.
    alt
        Text alternative.
    """

    rows: tuple[str, ...]
    segments: tuple[Segment, ...]
    top: float
    title: str
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
    order = leaves(found.merges)
    names = short(found.names, 24 if width == "wide" else 14)
    top = float(found.merges[:, 2].max(initial=0.0))
    n = min(3, len(order))
    told = "; ".join(join(cluster) for cluster in found.cut(n))
    return Dendrogram(
        rows=tuple(names[found.names[i]] for i in order),
        segments=tuple(_segments(found, order)),
        top=top,
        title="Relations that are alike",
        notes=(
            "distance at which clusters join: mean symmetric difference",
            "the sooner two are joined, the more of their verdicts agree",
        ),
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


def _names(dendrogram: Dendrogram) -> float:
    return 0.073 * max(map(len, dendrogram.rows)) + 0.2


def _room(dendrogram: Dendrogram) -> float:
    return (6.7 if dendrogram.width == "wide" else 3.65) - _names(dendrogram)


def size(dendrogram: Dendrogram) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    room = _room(dendrogram)
    words = caption.height(dendrogram.title, dendrogram.notes, room)
    return _names(dendrogram) + room + 0.1, 0.55 + words + 0.25 * len(dendrogram.rows)


def draw(dendrogram: Dendrogram, ax: "Axes") -> None:
    """Draw the dendrogram into an Axes."""
    d = dendrogram
    end = 1.04 * d.top or 1.0
    lines(ax, d.segments, INK, 1.1)
    ax.set_xlim(0, end)
    ax.set_ylim(len(d.rows) - 0.45, -0.55)
    at = ticks(0.0, end, 6 if d.width == "wide" else 3, log=False)
    ax.set_xticks(at, [signed(x) for x in at], fontsize=8.5, color=INK)
    ax.set_yticks(range(len(d.rows)), [plain(n) for n in d.rows], fontsize=8.5, color=INK)
    ax.tick_params(axis="y", length=0)
    ax.spines[["right", "top", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    ax.grid(axis="x", color=HAIR, lw=0.7)
    ax.set_axisbelow(True)
    caption.write(ax, d.title, d.notes, _room(d))
