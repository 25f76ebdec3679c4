"""Curves of shares or scores, with bands: in one panel, or one for each algorithm.

Of many algorithms each has a panel of its own, in which the range of all of them is shaded: more
than six colours cannot be distinguished.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.numerics.types import Array, Flags
from benchinfer.plots.layout import Layout
from benchinfer.plots.panels import scaled
from benchinfer.plots.style import FAINT, HAIR, INK, bare, lines, name_axis, signed, ticks
from benchinfer.plots.text import axis_height, plain, pt

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Okabe & Ito's without black and yellow; dashes tell them apart in grey.
STYLES = (
    ("#0072B2", "-"),
    ("#D55E00", (0, (5, 1.5))),
    ("#009E73", (0, (1.5, 1))),
    ("#CC79A7", (0, (6, 1.5, 1.5, 1.5))),
    ("#E69F00", (0, (3, 1))),
    ("#56B4E9", (0, (8, 2))),
)
PANEL, _ROW = 0.86, 0.74  # of a panel's pitch is used
_SMALL = 1.45  # inches that a small panel is high, heading and ticks included


_LEVELS, _OVERLAID = 200, 2.0  # heights at which bands are looked at, and most of them at a place


def told_apart(low: Array, high: Array) -> bool:
    """Return whether the bands of K curves, (K, G) ends from 0 to 1, can share a panel.

    They can where a place that a band covers is covered by at most two of them on average: the
    colours of more mix to brown.

    Examples
    --------
    >>> ends = np.array([[0.1, 0.2], [0.5, 0.6], [0.8, 0.9]])
    >>> told_apart(ends, ends + 0.1), told_apart(0 * ends, 0 * ends + 1)
    (True, False)
    """
    at = np.linspace(0, 1, _LEVELS)[:, None, None]
    cover = ((low <= at) & (at <= high)).sum(axis=1)
    return bool(cover.sum() <= _OVERLAID * np.count_nonzero(cover))


@dataclass(frozen=True, slots=True)
class ProfileCurve:
    """The curve of an algorithm."""

    label: str  # the algorithm
    # share, low, high: (G,) shares and the band that holds the whole curve
    share: Array
    low: Array
    high: Array


@dataclass(frozen=True, slots=True)
class ProfileLayout(Layout):
    """Layout of the figure."""

    curves: tuple[ProfileCurve, ...]  # from the best algorithm on
    across: Array  # (G,) positions of the thresholds across a panel, from 0 to 1
    steps: bool  # whether curves jump at the thresholds; otherwise they run straight between them
    ticks: tuple[tuple[float, str], ...]  # position across a panel and text
    columns: int  # panels side by side; 0 if all curves share one panel
    legend: str = "best aggregate first"  # heading of the names of curves in one panel
    most: int = 1  # number that the share of 1 stands for
    turned: bool = False  # whether shares run across, and thresholds up
    heights: tuple[tuple[float, str], ...] = ()  # ticks up a panel in place of shares
    marks: bool = False  # whether each threshold has a mark

    @property
    def rows(self) -> tuple[ProfileCurve, ...]:
        """The curves, as rows whose number is reduced where the figure is too high."""
        return self.curves

    @property
    def bands(self) -> int:
        """Number of rows of panels."""
        return -(-len(self.curves) // self.columns) if self.columns else 1


def ticks_across(ends: tuple[float, float], n: int, *, log: bool) -> tuple[tuple[float, str], ...]:
    """Return positions and texts of round thresholds, of at most `n` or so."""
    low, high = ends
    places = ticks(low, high, n, log=log) if high > low else [low]
    # Ends of a logarithmic axis that is short of round numbers.
    if len(places) > n:
        places = places[:: -(-len(places) // n)]
    at = scaled(np.array(places), low, high, log=log)
    return tuple((float(x), signed(value)) for x, value in zip(at, places, strict=True))


def size_profile(profile: ProfileLayout) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    below = axis_height(profile.axis, profile.width - 0.5)
    return profile.width, 0.15 + below + (_SMALL * profile.bands if profile.columns else 2.9)


def draw_profile(profile: ProfileLayout, ax: Axes) -> None:
    """Draw the profiles into an Axes."""
    columns = profile.columns or 1
    ax.set_xlim(-0.09 if profile.columns else -0.05, columns - (1 - PANEL) + 0.02)
    ax.set_ylim(
        -(profile.bands - 1) - (0.16 if profile.columns else 0.08),
        0.95 if profile.columns else _ROW + 0.03,
    )
    bare(ax)
    name_axis(ax, profile.axis, profile.width - 0.5)
    if not profile.columns:
        _together(profile, ax)
        return
    low = np.fmin.reduce([curve.share for curve in profile.curves])
    high = np.fmax.reduce([curve.share for curve in profile.curves])
    for n, curve in enumerate(profile.curves):
        left, base = float(n % columns), -float(n // columns)
        _frame(profile, ax, left, base, (0.0, 0.5, 1.0))
        _fill(profile, ax, (left, base), (low, high), "#DDDFE3", 1.0)
        _fill(profile, ax, (left, base), (curve.low, curve.high), "#0072B2", 0.35)
        _line(profile, ax, (left, base), curve.share, ("#0072B2", "-"), 1.6)
        if n:
            _line(profile, ax, (left, base), profile.curves[0].share, (INK, (0, (4, 2))), 0.9)
        name = plain(curve.label)
        ax.text(left, base + _ROW + 0.05, name, fontsize=pt(8.5), fontweight="bold", color=INK)


def _together(profile: ProfileLayout, ax: Axes) -> None:
    """Draw all curves into one panel, with their names next to it."""
    _frame(profile, ax, 0.0, 0.0, (0.0, 0.25, 0.5, 0.75, 1.0))
    for curve, style in zip(profile.curves, STYLES, strict=False):
        _fill(profile, ax, (0.0, 0.0), (curve.low, curve.high), style[0], 0.1)
        _line(profile, ax, (0.0, 0.0), curve.share, style, 1.6, name=plain(curve.label))
    ax.legend(
        loc="upper left",
        bbox_to_anchor=(1, 1),
        frameon=False,
        fontsize=pt(8.5),
        labelcolor=INK,
        handlelength=3.2,
        title=profile.legend,
        title_fontsize=pt(7.5),
        alignment="left",
    )


def _frame(
    profile: ProfileLayout, ax: Axes, left: float, base: float, shares: tuple[float, ...]
) -> None:
    """Draw grid and ticks of a panel."""
    most = profile.most
    said = profile.heights or [(s, signed(s) if most == 1 else f"{s * most:,.4g}") for s in shares]
    across, up = (said, profile.ticks) if profile.turned else (profile.ticks, said)
    grid = [(left, base + _ROW * at, left + PANEL, base + _ROW * at) for at, _ in up]
    grid += [(left + PANEL * at, base, left + PANEL * at, base + _ROW) for at, _ in across]
    lines(ax, grid, HAIR, 0.7, zorder=0)
    font = pt(7.5 if profile.columns else 8.5)
    for at, text in across:
        x = left + PANEL * at
        ends = {0.0: "left", 1.0: "right"} if profile.columns else {}  # neighbours are near
        ha = ends.get(at, "center")
        ax.text(x, base - 0.03, text, fontsize=font, color=FAINT, ha=ha, va="top")
    if left == 0:
        for at, text in up:
            y = base + _ROW * at
            ax.text(-0.015, y, text, fontsize=font, color=FAINT, ha="right", va="center")


def _turns(*curves: Array) -> Flags:
    """Return a mask of the points that curves need: both ends, and those where a curve changes."""
    needed = np.ones(len(curves[0]), dtype=np.bool_)
    moved = np.any([np.diff(curve) != 0 for curve in curves], axis=0)
    needed[1:-1] = moved[:-1] | moved[1:]
    return needed


def _fill(
    profile: ProfileLayout,
    ax: Axes,
    start: tuple[float, float],
    ends: tuple[Array, Array],
    colour: str,
    alpha: float,
) -> None:
    turns = _turns(*ends)
    sizes = (PANEL, _ROW)
    along, up = (1, 0) if profile.turned else (0, 1)
    low, high = (start[up] + sizes[up] * end[turns] for end in ends)
    x = start[along] + sizes[along] * profile.across[turns]
    fill = ax.fill_betweenx if profile.turned else ax.fill_between
    step = "post" if profile.steps else None
    fill(x, low, high, color=colour, alpha=alpha, lw=0, step=step, zorder=1)


def _line(
    profile: ProfileLayout,
    ax: Axes,
    start: tuple[float, float],
    share: Array,
    style: tuple[str, Any],
    lw: float,
    *,
    name: str = "",
) -> None:
    turns = _turns(share)
    x, y = profile.across[turns], share[turns]
    # The same steps turned: first up, then across.
    steps = "steps-post"
    if profile.turned:
        x, y, steps = y, x, "steps-pre"
    ax.plot(
        start[0] + PANEL * x,
        start[1] + _ROW * y,
        color=style[0],
        ls=style[1],
        lw=lw,
        marker="o" if profile.marks and style[0] != INK else None,
        ms=3,
        drawstyle=steps if profile.steps else "default",
        label=name or None,
        zorder=3,
    )
