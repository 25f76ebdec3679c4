"""Map of the relations of an ensemble: the farther apart, the more verdicts differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.plots import caption
from benchinfer.plots.dodging import Text, dodge
from benchinfer.plots.style import FAINT, HAIR, INK, Width, lines, plain, short, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.order.ensemble import Ensemble

_SAME = 1e-9  # points this close, of the extent, are one


@dataclass(frozen=True, slots=True)
class Landscape:
    """Where everything stands, in inches from the lower left corner.

    Attributes
    ----------
    points
        Centres.
    texts
        The name of each, or the names of several relations that are the same point.
    extent
        Width and height of the map.
    unit
        Inches of a distance of 1.
    title, note
        Heading, and how to read it.
    width
        Of the screen.
    alt
        Text alternative.
    """

    points: tuple[tuple[float, float], ...]
    texts: tuple[Text, ...]
    extent: tuple[float, float]
    unit: float
    title: str
    note: tuple[str, ...]
    width: Width
    alt: str


def layout(ensemble: "Ensemble", width: Width = "wide") -> Landscape:
    """Lay out the map of `Ensemble.map`, with names where there is room for them."""
    found = ensemble.map()
    across, margin = (6.6, 0.9) if width == "wide" else (3.6, 0.6)
    reach = float(np.abs(found.points).max(initial=0.0))
    groups = _groups(found.points, _SAME * (reach or 1.0))
    points = found.points[[group[0] for group in groups]]
    low, high = points.min(axis=0), points.max(axis=0)
    spread = high - low
    unit = (across - 2 * margin) / (spread[0] or 1.0)
    # Both axes have the same unit; what is flat keeps room for the names.
    unit = min(unit, (across - 2 * margin) / (spread[1] or 1.0))
    tall = max(1.6, unit * float(spread[1]) + 2 * 0.5)
    middle = (low + high) / 2
    at = (points - middle) * unit + np.array([across / 2, tall / 2])
    names = short(found.names, 20 if width == "wide" else 12)
    labels = [_label([names[found.names[i]] for i in group]) for group in groups]
    return Landscape(
        points=tuple((float(x), float(y)) for x, y in at),
        texts=dodge(at, labels, (across, tall)),
        extent=(across, tall),
        unit=float(unit),
        title="Map of the relations",
        note=(
            "near: alike in their verdicts (classical scaling of the symmetric differences)",
            f"the plane shows {100 * found.share:.0f} % of the distances",
        ),
        width=width,
        alt=f"Map of {len(found.names)} relations in {len(groups)} places, showing"
        f" {100 * found.share:.0f} % of the distances: "
        + "; ".join(
            f"{label.replace(chr(10), ' ')} at {x + 0.0:.3g}, {y + 0.0:.3g}"
            for label, (x, y) in zip(labels, points.tolist(), strict=True)
        )
        + ".",
    )


def _groups(points: NDArray[np.float64], near: float) -> list[list[int]]:
    """Join points that are the same."""
    found: list[list[int]] = []
    for i, point in enumerate(points):
        for group in found:
            if np.abs(points[group[0]] - point).max() <= near:
                group.append(i)
                break
        else:
            found.append([i])
    return found


def _label(names: Sequence[str]) -> str:
    if len(names) > 6:
        names = [*names[:5], f"and {len(names) - 5} more"]
    return wrapped(", ".join(names), 32)


def size(landscape: Landscape) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    across, tall = landscape.extent
    return across + 0.2, tall + 0.15 + caption.height(landscape.title, landscape.note, across)


def draw(landscape: Landscape, ax: "Axes") -> None:
    """Draw the map into an Axes."""
    m = landscape
    ax.set_xlim(0, m.extent[0])
    ax.set_ylim(0, m.extent[1])
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_color(HAIR)
    caption.write(ax, m.title, m.note, m.extent[0])
    led = [(text.x, text.y, *point) for text, point in zip(m.texts, m.points, strict=True)]
    lines(ax, [ends for ends, text in zip(led, m.texts, strict=True) if text.led], FAINT, 0.6)
    ax.plot(*zip(*m.points, strict=True), "o", color="#0072B2", ms=5.5, zorder=4)
    for text in m.texts:
        ax.text(
            text.x,
            text.y,
            plain(text.text),
            ha=text.ha,
            va=text.va,
            fontsize=8.5,
            color=INK,
            linespacing=1.1,
            zorder=5,
        )
