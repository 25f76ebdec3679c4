"""Departures of data sets: a panel per algorithm, predicted departures with intervals in it."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.phrases import count
from benchinfer.errors import DesignError, message
from benchinfer.order.relation import Verdict
from benchinfer.plots import panels
from benchinfer.plots.panels import COLUMN, scaled
from benchinfer.plots.style import INK, MARKS, Width, lines, measure_name, short, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.compare.mixed_comparison import MixedComparison
    from benchinfer.measure import Measure

type Array = NDArray[np.float64]

_DATASETS = 20  # that a reader can take in
_ALGORITHMS = 12
_MARKS = {1: MARKS[Verdict.FIRST], -1: MARKS[Verdict.SECOND], 0: MARKS[Verdict.UNDECIDED]}


@dataclass(frozen=True, slots=True)
class Departures:
    """The departures that are worth showing, of D data sets and P panels.

    Attributes
    ----------
    measure
        The measure.
    datasets, owners
        Their names, and those of the algorithms, or one owner for all of them.
    ends
        (D, P, 3) lower end, prediction and upper end, in the unit of contrasts.
    expected
        What a departure is one from, in words.
    level
        Level of the intervals.
    """

    measure: "Measure"
    datasets: tuple[str, ...]
    owners: tuple[str, ...]
    ends: Array
    expected: str
    level: float

    @property
    def side(self) -> NDArray[np.int64]:
        """(D, P) 1 where the interval holds better values only, -1 worse ones only, else 0."""
        low, high = self.ends[:, :, 0], self.ends[:, :, 2]
        above, below = low > self.measure.neutral, high < self.measure.neutral
        return self.measure.sign * (above.astype(np.int64) - below)

    @property
    def size(self) -> Array:
        """(D, P) sizes of the predictions on the modelling scale."""
        effect = self.ends[:, :, 1]
        return np.abs(effect if self.measure.scale == "identity" else np.log(effect))


def departures(mixed: "MixedComparison") -> Departures:
    """Return the departures of the algorithms or, where they have none, of the data sets.

    Raises
    ------
    DesignError
        The model has no data set effects, or they are all zero.
    """
    table = mixed.departures()
    sources = set(table["source"])
    both = "dataset + dataset:algorithm"
    chosen = next(name for name in ("dataset:algorithm", both, "dataset") if name in sources)
    table = table[table["source"] == chosen]
    owners = tuple(str(name) or "all algorithms" for name in dict.fromkeys(table["algorithm"]))
    datasets = tuple(str(name) for name in dict.fromkeys(table["dataset"]))
    ends = table[["conf_low", "estimate", "conf_high"]].to_numpy(dtype=np.float64)
    expected = "the average data set"
    if chosen != "dataset":
        expected = "the algorithm's average"
        expected += " and the data set's difficulty" if "dataset" in sources else ""
    shape = (len(datasets), len(owners), 3)
    found = Departures(mixed.measure, datasets, owners, ends.reshape(shape), expected, mixed.level)
    if not found.size.any():
        raise DesignError(
            message(
                "no data set departs from the average in this model: the variance is zero.",
                hint="variances() says where the scores vary.",
            )
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel(panels.Panel):
    """The departures of one algorithm on D data sets.

    Attributes
    ----------
    ends
        (D, 3) lower end, prediction and upper end as positions from 0 to 1.
    side
        (D,) as `Departures.side`.
    """

    ends: Array
    side: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caterpillar(panels.Panels[Panel]):
    """Where everything stands: data sets that depart most first; `neutral` is no departure."""

    neutral: float


def layout(mixed: "MixedComparison", width: Width = "wide") -> Caterpillar:
    """Lay out the predicted departures of a mixed model; of many those that are largest.

    Parameters
    ----------
    mixed
        A comparison across data sets.
    width
        ``"narrow"`` sets fewer panels side by side.

    Raises
    ------
    DesignError
        The model has no data set effects, or they are all zero.
    """
    found = departures(mixed)
    size, measure = found.size, found.measure
    rows = np.argsort(-size.max(axis=1), kind="stable")[:_DATASETS]
    kept = np.sort(np.argsort(-size[rows].max(axis=0), kind="stable")[:_ALGORITHMS])
    ends, side = found.ends[np.ix_(rows, kept)], found.side[np.ix_(rows, kept)]
    log = measure.scale != "identity"
    low, high = _range(ends, measure)
    at = scaled(ends, low, high, log=log)
    columns = math.ceil(len(kept) / math.ceil(len(kept) / (6 if width == "wide" else 2)))
    names, datasets = short(found.owners, 14), short(found.datasets, 22 if width == "wide" else 14)
    places = [panels.start(n, columns, len(rows)) for n in range(len(kept))]
    return Caterpillar(
        panels=tuple(
            Panel(label=names[found.owners[k]], left=left, top=top, ends=at[:, n], side=side[:, n])
            for n, (k, (left, top)) in enumerate(zip(kept, places, strict=True))
        ),
        datasets=tuple(datasets[found.datasets[m]] for m in rows),
        ticks=panels.few_ticks(low, high, log=log),
        columns=columns,
        title=f"Departures of data sets: {measure_name(measure)}, {measure.better} is better",
        note=_note(found, len(rows), len(kept)),
        alt=_alt(found),
        neutral=float(scaled(np.array([measure.neutral]), low, high, log=log)[0]),
    )


def _range(ends: Array, measure: "Measure") -> tuple[float, float]:
    low, high = float(ends.min()), float(ends.max())
    return min(low, measure.neutral), max(high, measure.neutral)


def _note(found: Departures, rows: int, kept: int) -> tuple[str, ...]:
    d, k = found.size.shape
    parts = [
        text
        for text, some in (
            (f"{rows} of {count(d, 'data set')}", rows < d),
            (f"{kept} of {count(k, 'algorithm')}", kept < k),
        )
        if some
    ]
    level = f"{100 * found.level:g} % interval of each alone"
    sides = "\N{BLACK CIRCLE} better, \N{BLACK DIAMOND} worse there, \N{WHITE CIRCLE} neither"
    return (
        f"{found.measure.effect_name} from {found.expected}, {level}",
        f"{sides} for certain",
        *([f"those that depart most: {', '.join(parts)}"] if parts else []),
    )


def _alt(found: Departures) -> str:
    d, k = found.size.shape
    better, worse = int((found.side > 0).sum()), int((found.side < 0).sum())
    low, high = (
        signed(float(f"{end:.3g}")) for end in _range(found.ends[:, :, 1:2], found.measure)
    )
    who = "" if found.owners == ("all algorithms",) else f" of {count(k, 'algorithm')}"
    whose = f"{who} on {count(d, 'data set')}, from {low} to {high}"
    return (
        f"Caterpillar plot of the predicted departures{whose} ({found.measure.effect_name},"
        f" {found.measure.better} is better): {better} better and {worse} worse than expected, the"
        " others neither for certain."
    )


size = panels.size


def draw(caterpillar: Caterpillar, ax: "Axes") -> None:
    """Draw the departures into an Axes."""
    c = caterpillar
    panels.frame(c, ax)
    neutral = [(p.left + c.neutral * COLUMN, p.top - 0.5) for p in c.panels]
    lines(ax, [(x, top, x, top + c.rows + 0.1) for x, top in neutral], INK, 0.9, zorder=2)
    x = np.stack([p.left + p.ends * COLUMN for p in c.panels])
    y = np.stack([p.top + np.arange(c.rows) for p in c.panels])
    side = np.stack([p.side for p in c.panels])
    for sign, mark in _MARKS.items():
        (low, middle, high), rows = x[side == sign].T, y[side == sign]
        lines(ax, np.c_[low, rows, high, rows].tolist(), mark.colour, 1.5)
        fill = mark.colour if mark.filled else "white"
        ax.plot(middle, rows, mark.marker, ms=4, mfc=fill, mec=mark.colour, mew=1.0, zorder=4)
