"""Podium of each data set: the algorithms in order of performance, and what is told apart.

After the benchmark summary plot of Eugster, Hothorn & Leisch (2012), Domain-based benchmark
experiments, Austrian Journal of Statistics 41, 5-26, https://doi.org/10.17713/ajs.v41i1.185
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.phrases import count
from benchinfer.errors import DesignError, message
from benchinfer.order.relation import Verdict
from benchinfer.plots import caption, dendrogram
from benchinfer.plots.style import INK, Width, lines, measure_name, plain, short
from benchinfer.plots.verdicts import standing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.compare.comparison import Comparison
    from benchinfer.compare.local import Comparisons

# From the best standing over all data sets to the worst: ends and middle of a row of colours.
_ENDS = np.array([[0x8F, 0xC1, 0xE3], [0xF7, 0xF5, 0xEF], [0xF3, 0xB8, 0x86]])
_ROW, _NUMBER = 0.27, 0.3  # inches of a row, and of a tile with a number


@dataclass(frozen=True, slots=True)
class Place:
    """An algorithm on a data set: row, position from 0, text, and colour."""

    row: int
    column: int
    text: str
    fill: str


@dataclass(frozen=True, slots=True)
class Break:
    """What is known of the neighbours at position `column` and the next one in a row."""

    row: int
    column: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Podium:
    """Where everything stands.

    Attributes
    ----------
    places, breaks
        Algorithms and what stands between them.
    rows
        Data sets, those with like verdicts side by side.
    positions
        How many there are.
    pitch
        Inches of a position.
    title, note
        Heading, and how to read it.
    alt
        Text alternative.
    """

    places: tuple[Place, ...]
    breaks: tuple[Break, ...]
    rows: tuple[str, ...]
    positions: int
    pitch: float
    title: str
    note: tuple[str, ...]
    alt: str


def layout(comparisons: "Comparisons", width: Width = "wide") -> Podium:
    """Lay out the order of performance on each data set.

    Parameters
    ----------
    comparisons
        One comparison per data set.
    width
        Where names do not fit, algorithms have the number of their standing over all data sets.

    Raises
    ------
    DesignError
        There is no comparison to draw.
    """
    if not comparisons:
        raise DesignError(message("no data set was compared.", hint="see comparisons.refused."))
    relations = comparisons.relations()
    overall = standing(relations)
    texts, pitch, key = _texts(overall, width)
    fills = dict(zip(overall, _colours(len(overall)), strict=True))
    datasets = [list(comparisons)[i] for i in dendrogram.leaves(relations.clusters().merges)]
    places: list[Place] = []
    breaks: list[Break] = []
    said: list[str] = []
    for row, name in enumerate(datasets):
        order, verdicts = _order(comparisons[name])
        places += [Place(row, n, texts[a], fills[a]) for n, a in enumerate(order)]
        breaks += [Break(row, n, verdict) for n, verdict in enumerate(verdicts)]
        said.append(f"{name}: {_spoken(order, verdicts)}")
    measure = next(iter(comparisons.values())).measure
    rows = short(datasets, 22)
    return Podium(
        places=tuple(places),
        breaks=tuple(breaks),
        rows=tuple(rows[name] for name in datasets),
        positions=len(overall),
        pitch=pitch,
        title="Order on each data set: " + measure_name(measure),
        note=(
            "best to the left; a bar: the left one is preferred to its neighbour",
            "~: the two are equivalent; no sign: not told apart",
            "coloured from blue to orange by wins less losses over all data sets",
            "data sets with like verdicts stand together",
            *key,
        ),
        alt=f"Order of performance on {count(len(rows), 'data set')}, best first: "
        + "; ".join(said)
        + ".",
    )


def _texts(overall: list[str], width: Width) -> tuple[dict[str, str], float, tuple[str, ...]]:
    """Return what stands in the tiles, how wide they are, and the key of numbers."""
    room = 8.0 if width == "wide" else 2.6
    names = short(overall, 14)
    pitch = 0.07 * max(map(len, names.values())) + 0.16
    if pitch * len(overall) <= room:
        return names, max(pitch, 0.5), ()
    full = short(overall)
    key = ", ".join(f"{n}\N{NO-BREAK SPACE}{full[name]}" for n, name in enumerate(overall, 1))
    return {name: str(n) for n, name in enumerate(overall, 1)}, _NUMBER, (key,)


def _colours(k: int) -> list[str]:
    at = np.linspace(0, 2, k) if k > 1 else np.zeros(1)
    mixed = np.stack([np.interp(at, range(3), band) for band in _ENDS.T], axis=1)
    return ["#" + "".join(f"{round(v):02X}" for v in colour) for colour in mixed.tolist()]


def _order(comparison: "Comparison") -> tuple[list[str], list[Verdict]]:
    """Return the algorithms by performance, and the verdicts about neighbours."""
    level, states = comparison.levels.estimate, comparison.relation().states
    order = [i for i in np.argsort(-level, kind="stable").tolist() if not np.isnan(level[i])]
    verdicts = [Verdict(states[i, j]) for i, j in pairwise(order)]
    return [comparison.algorithms[i] for i in order], verdicts


def _spoken(order: list[str], verdicts: list[Verdict]) -> str:
    marks = {Verdict.FIRST: ">", Verdict.SECOND: "<", Verdict.EQUIVALENT: "~"}
    pairs = zip(verdicts, order[1:], strict=True)
    return " ".join([order[0], *(f"{marks.get(v, '?')} {name}" for v, name in pairs)])


def _names(podium: Podium) -> float:
    return 0.073 * max(map(len, podium.rows)) + 0.25


def _room(podium: Podium) -> float:
    return max(podium.pitch * podium.positions, 3.65 - _names(podium), 2.4)


def size(podium: Podium) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    room = _room(podium)
    words = caption.height(podium.title, podium.note, room)
    return _names(podium) + room + 0.1, 0.3 + words + _ROW * len(podium.rows)


def draw(podium: Podium, ax: "Axes") -> None:
    """Draw the podiums into an Axes."""
    p = podium
    for fill in dict.fromkeys(place.fill for place in p.places):
        own = [place for place in p.places if place.fill == fill]
        y, x = [place.row for place in own], [place.column - 0.5 for place in own]
        ax.barh(y, 1.0, 0.8, left=x, color=fill, lw=0)
    for place in p.places:
        ax.text(
            place.column,
            place.row,
            plain(place.text),
            ha="center",
            va="center_baseline",
            fontsize=8.5,
            color=INK,
        )
    _draw_breaks(p, ax)
    ax.set_xlim(-0.5, p.positions - 0.5)
    ax.set_ylim(len(p.rows) - 0.5, -0.5)
    ax.spines[:].set_visible(False)
    ax.set_xticks([])
    ax.set_yticks(range(len(p.rows)), [plain(n) for n in p.rows], fontsize=8.5, color=INK)
    ax.tick_params(length=0)
    caption.write(ax, p.title, p.note, _room(p))


def _draw_breaks(podium: Podium, ax: "Axes") -> None:
    """Draw bars where the better one is preferred, and signs where two are equivalent."""
    told = [b for b in podium.breaks if b.verdict in {Verdict.FIRST, Verdict.SECOND}]
    at = [(b.column + 0.5, b.row - 0.45, b.column + 0.5, b.row + 0.45) for b in told]
    lines(ax, at, INK, 2.6, zorder=4)
    for b in podium.breaks:
        if b.verdict == Verdict.EQUIVALENT:
            ax.text(
                b.column + 0.5,
                b.row,
                "~",
                ha="center",
                va="center_baseline",
                fontsize=9.5,
                fontweight="bold",
                color=INK,
                zorder=5,
            )
