"""Network of comparisons: a line for each pair that some data set holds, as thick as there are."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.meta_comparison import MetaComparison
from benchinfer.compare.phrases import count
from benchinfer.numerics.meta.rows import together
from benchinfer.order.verdicts import Verdict
from benchinfer.plots.style import FAINT, INK, MARKS, Width, plain, short, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Network:
    """Where everything stands.

    Attributes
    ----------
    nodes
        Name, position and number of data sets of each algorithm.
    edges
        Two nodes and the number of data sets that hold both.
    title, notes, alt, width
        Words, and the room there is.
    """

    nodes: tuple[tuple[str, float, float, int], ...]
    edges: tuple[tuple[int, int, int], ...]
    title: str
    notes: tuple[str, ...]
    alt: str
    width: Width


def layout(meta: MetaComparison, width: Width = "wide") -> Network:
    """Lay the algorithms out on a circle, best first and clockwise from the top."""
    k, wide = len(meta.algorithms), width == "wide"
    number = together(meta.studies.blocks, k)
    place = np.argsort(np.argsort(-meta.levels.estimate, kind="stable"))
    angle = np.pi / 2 - 2 * np.pi * place / k
    names = short(list(meta.algorithms), 18 if wide else 10)
    nodes = tuple(
        (names[name], float(np.cos(a)), float(np.sin(a)), int(number[i, i]))
        for i, (name, a) in enumerate(zip(meta.algorithms, angle, strict=True))
    )
    edges = tuple(
        (i, j, int(number[i, j])) for i in range(k) for j in range(i + 1, k) if number[i, j]
    )
    lacking = k * (k - 1) // 2 - len(edges)
    reading = "algorithms clockwise from the best estimate; lines as thick as data sets hold both"
    notes = [reading]
    if lacking:
        notes.append(f"no line: {count(lacking, 'pair')} on indirect evidence only")
    name = meta.measure.label or meta.measure.name
    d = len(meta.studies.datasets)
    return Network(
        nodes=nodes,
        edges=edges,
        title=f"Who was compared with whom: {name}",
        notes=tuple(notes),
        alt=f"Network of {count(k, 'algorithm')} on {count(d, 'data set')}: {len(edges)} of"
        f" {count(k * (k - 1) // 2, 'pair')} are compared on some data set.",
        width=width,
    )


def size(network: Network) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return (5.4, 5.2) if network.width == "wide" else (3.75, 3.9)


def draw(network: Network, ax: "Axes") -> None:
    """Draw a network into an Axes."""
    most = max((n for _, _, n in network.edges), default=1)
    largest = max(n for *_, n in network.nodes)
    busy = len(network.edges) <= 15
    for i, j, n in network.edges:
        (_, x0, y0, _), (_, x1, y1, _) = network.nodes[i], network.nodes[j]
        width = 0.6 + 5 * n / most
        ax.plot([x0, x1], [y0, y1], color="#C3C9D0", lw=width, solid_capstyle="butt", zorder=1)
        if busy:
            # Off the middle, where lines cross.
            at = 0.38 if (i + j) % 2 else 0.62
            x, y = x0 + at * (x1 - x0), y0 + at * (y1 - y0)
            room = {"fc": "white", "ec": "none", "pad": 0.8}
            ax.text(x, y, str(n), fontsize=7.5, color=FAINT, ha="center", va="center", bbox=room)
    for name, x, y, n in network.nodes:
        colour = MARKS[Verdict.FIRST].colour
        ax.plot([x], [y], "o", color=colour, ms=6 + 8 * np.sqrt(n / largest), zorder=3)
        side = "center" if abs(x) < 0.2 else "left" if x > 0 else "right"
        up = "center" if abs(y) < 0.5 else "bottom" if y > 0 else "top"
        text = f"{plain(name)} ({n})"
        ax.text(1.13 * x, 1.13 * y, text, fontsize=9, color=INK, ha=side, va=up, zorder=4)
    ax.set_xlim(-1.75, 1.75)
    ax.set_ylim(-1.35, 1.35)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    columns = 70 if network.width == "wide" else 46
    below = "\n".join(wrapped(line, columns) for line in network.notes)
    ax.set_xlabel(plain(below), loc="left", fontsize=8.5, color=INK)
    head = plain(wrapped(network.title, 60 if network.width == "wide" else 40))
    ax.set_title(head, loc="left", fontsize=10, fontweight="bold", color=INK)
