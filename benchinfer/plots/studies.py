"""Forest of one pair's effects by data set, with the pooled effect and what to expect next."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.meta_comparison import MetaComparison
from benchinfer.compare.phrases import count
from benchinfer.compare.study_intervals import study_intervals
from benchinfer.errors import DesignError, message
from benchinfer.order.verdicts import Verdict
from benchinfer.plots.forest import axis_title, band, band_note, ticks
from benchinfer.plots.style import BAND, FAINT, INK, MARKS, Width, plain, short, signed, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 40  # data sets that have a line of their own
_MARK = MARKS[Verdict.FIRST]


@dataclass(frozen=True, slots=True)
class Line:
    """Effect of a data set (or the pooled one) with its interval, and the size of its mark."""

    label: str
    estimate: float
    low: float
    high: float
    size: float


@dataclass(frozen=True, slots=True)
class Studies:
    """Where everything stands.

    Attributes
    ----------
    rows
        Data sets, the smallest effect first.
    pooled, network, ahead
        The effect pooled from these data sets, that of the network if there is one, and the
        interval for a new data set.
    neutral, band, log
        The effect of no difference, effects within the tolerance, and whether the axis is
        logarithmic.
    title, axis, notes, alt, width
        Words, and the room there is.
    """

    rows: tuple[Line, ...]
    pooled: Line
    network: Line | None
    ahead: tuple[float, float]
    neutral: float
    band: tuple[float, float] | None
    log: bool
    title: str
    axis: str
    notes: tuple[str, ...]
    alt: str
    width: Width


def shown_pair(meta: MetaComparison) -> int:
    """Return the pair to show: of those on most data sets, the one of the best placed algorithms.

    Raises
    ------
    DesignError
        No pair is on two data sets.
    """
    n = meta.alone.n_datasets[: len(meta.pairs)]
    real = (meta.pairs >= 0).all(axis=1) & (n > 1)
    if not real.any():
        raise DesignError(
            message("no pair is on two data sets.", hint='kind="network" shows what is compared.')
        )
    place = np.argsort(np.argsort(-meta.levels.estimate, kind="stable"))
    rank = np.where(real, place[meta.pairs].sum(axis=1), 10**6)
    enough = n >= 0.5 * n[real].max()
    return int(np.argmin(np.where(enough, rank, 10**6)))


def layout(meta: MetaComparison, width: Width = "wide") -> Studies:
    """Lay out the effects of one pair.

    Parameters
    ----------
    meta
        The comparison; of several pairs `shown_pair` is shown.
    width
        ``"narrow"`` for a small screen.
    """
    p = shown_pair(meta)
    measure, found = meta.measure, study_intervals(meta, p)
    names = short(list(found.datasets), 24 if width == "wide" else 12)
    rows = [
        Line(
            names[name],
            float(found.estimate[r]),
            float(found.low[r]),
            float(found.high[r]),
            4 + 5 * float(np.sqrt(found.weight[r])),
        )
        for r, name in enumerate(found.datasets)
    ]
    rows = sorted(rows, key=lambda row: row.estimate)
    own = "pooled" if found.network is None else "pooled, these"
    pooled, ahead = Line(own, *found.pooled, 0.0), found.ahead
    network = None if found.network is None else Line("network", *found.network, 0.0)
    whole = pooled if network is None else network
    first, second = (meta.algorithms[int(k)] for k in meta.pairs[p])
    level = f"{100 * meta.level:g} %"
    step = max(1, -(-len(rows) // _MOST))
    all_sets = "; hollow diamond: the same from all data sets jointly" if network else ""
    reading = (
        f"lines: {level} intervals of each data set; diamond: their mean with its {level}"
        f" interval{all_sets}; bar below: where the difference on a new data set is expected"
    )
    notes = [reading]
    if step > 1:
        notes.append(f"every {step}th of {len(rows)} data sets is drawn")
    return Studies(
        rows=tuple(rows[::step]),
        pooled=pooled,
        network=network,
        ahead=ahead,
        neutral=measure.neutral,
        band=band(measure),
        log=measure.scale != "identity",
        title=f"{first} vs {second} by data set: {measure.label or measure.name}",
        axis=axis_title(measure),
        notes=(*notes, *filter(None, [band_note(measure)])),
        alt=f"Forest plot of {first} vs {second} on {count(len(found.datasets), 'data set')},"
        f" {axis_title(measure)}: pooled {whole.estimate:.3g}, from {whole.low:.3g} to"
        f" {whole.high:.3g}; on a new data set from {ahead[0]:.3g} to {ahead[1]:.3g}.",
        width=width,
    )


def size(studies: Studies) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    lines = len(studies.rows) + (studies.network is not None)
    return (6.9 if studies.width == "wide" else 3.75), 1.9 + 0.2 * lines


def draw(studies: Studies, ax: "Axes") -> None:
    """Draw the effects into an Axes."""
    s, n = studies, len(studies.rows)
    ends = [s.neutral, *s.ahead, *(s.band or ())]
    summaries = [s.pooled, *([s.network] if s.network else [])]
    ends += [end for row in (*s.rows, *summaries) for end in (row.low, row.high)]
    finite = np.array([end for end in ends if np.isfinite(end) and (end > 0 or not s.log)])
    if s.log:
        ax.set_xscale("log")
        low, high = finite.min() / 1.05, finite.max() * 1.05
    else:
        pad = 0.03 * float(np.ptp(finite))
        low, high = finite.min() - pad, finite.max() + pad
    ax.set_xlim(low, high)
    below = n + 0.9 * len(summaries)
    ax.set_ylim(below + 0.9, -0.8)
    if s.band:
        ax.axvspan(*s.band, color=BAND, lw=0, zorder=0)
    ax.axvline(s.neutral, color=INK, lw=0.9, zorder=1)
    for y, row in enumerate(s.rows):
        ax.plot([row.low, row.high], [y, y], color=FAINT, lw=1.2)
        ax.plot([row.estimate], [y], "s", color=INK, ms=row.size * 0.7)
    for i, d in enumerate(summaries):
        y = n + 0.9 * i
        inside = _MARK.colour if i == 0 else "none"
        corners = [d.low, d.estimate, d.high, d.estimate], [y, y - 0.32, y, y + 0.32]
        ax.fill(*corners, facecolor=inside, edgecolor=_MARK.colour, lw=1.2)
    ax.plot(s.ahead, [below] * 2, color=_MARK.colour, lw=3, solid_capstyle="butt", alpha=0.45)
    labels = [*(row.label for row in (*s.rows, *summaries)), "new data set"]
    at = [*range(n), *(n + 0.9 * i for i in range(len(summaries) + 1))]
    ax.set_yticks(at, [plain(label) for label in labels], fontsize=8.5, color=INK)
    ax.tick_params(axis="y", length=0)
    finish(ax, s.title, (s.axis, *s.notes), s.width)
    found = ticks(float(low), float(high), 6, log=s.log)
    ax.set_xticks(found, [signed(t) for t in found], fontsize=8.5)
    ax.set_xticks([], minor=True)


def finish(ax: "Axes", title: str, notes: tuple[str, ...], width: Width) -> None:
    """Write heading and notes, and take off the frame."""
    columns = 90 if width == "wide" else 46
    below = "\n".join(wrapped(line, columns) for line in notes)
    ax.set_xlabel(plain(below), loc="left", fontsize=8.5, color=INK, linespacing=1.35)
    head = plain(wrapped(title, 70 if width == "wide" else 40))
    ax.set_title(head, loc="left", fontsize=10, fontweight="bold", color=INK)
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
