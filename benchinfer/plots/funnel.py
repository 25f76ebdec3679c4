"""Funnel: effects of one pair against their standard errors."""

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.evidence import Array
from benchinfer.compare.meta_comparison import MetaComparison
from benchinfer.compare.phrases import count
from benchinfer.errors import DesignError
from benchinfer.plots.forest import axis_title, ticks
from benchinfer.plots.studies import finish, shown_pair
from benchinfer.plots.style import FAINT, HAIR, INK, Width, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NORMAL = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Funnel:
    """Effects and standard errors on the modelling scale, the pooled one, and words.

    Attributes
    ----------
    effect, error
        (D,) effects, in the user's direction, and standard errors.
    centre
        The pooled effect.
    log
        Whether the axis shows ratios of these logs.
    title, axis, notes, alt, width
        Words, and the room there is.
    """

    effect: Array
    error: Array
    centre: float
    log: bool
    title: str
    axis: str
    notes: tuple[str, ...]
    alt: str
    width: Width


def layout(meta: MetaComparison, width: Width = "wide") -> Funnel:
    """Lay out the funnel of the pair that `studies.shown_pair` chooses."""
    p = shown_pair(meta)
    i, j = (int(k) for k in meta.pairs[p])
    found = meta.studies.pair(i, j)
    y, v = found.y, found.v
    first, second, sign = meta.algorithms[i], meta.algorithms[j], meta.measure.sign
    said = "standard errors are too alike, or too few, for Egger's test"
    with suppress(DesignError):
        tests = meta.egger()
        own = tests[(tests["first"] == first) & (tests["second"] == second)]
        if len(own):
            said = f"Egger's test of asymmetry: p = {own['p_value'].iloc[0]:.3g}"
    reading = (
        "dashed: where 95 % of the effects would lie if they differed by sampling alone; asymmetry"
        " has other causes than unpublished results"
    )
    name = meta.measure.label or meta.measure.name
    return Funnel(
        effect=sign * y,
        error=np.sqrt(v),
        centre=sign * float(meta.alone.estimate[p]),
        log=meta.measure.scale != "identity",
        title=f"Funnel of {first} vs {second}: {name}",
        axis=axis_title(meta.measure),
        notes=(said, reading),
        alt=f"Funnel plot of {first} vs {second} on {count(len(y), 'data set')}; {said}.",
        width=width,
    )


def size(funnel: Funnel) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    return (6.9, 4.4) if funnel.width == "wide" else (3.75, 4.0)


def draw(funnel: Funnel, ax: "Axes") -> None:
    """Draw a funnel into an Axes, the most exact effects on top."""
    deep = 1.08 * float(funnel.error.max())
    reach = _NORMAL * deep
    sides = [funnel.centre - reach, funnel.centre, funnel.centre + reach]
    ax.plot(sides, [deep, 0, deep], "--", color=FAINT, lw=0.9)
    ax.axvline(funnel.centre, color=INK, lw=0.9)
    ax.plot(funnel.effect, funnel.error, "o", color=INK, ms=5, mfc="white", mew=1.2)
    ax.set_ylim(deep, 0)
    low, high = ax.get_xlim()
    if funnel.log:
        found = ticks(float(np.exp(low)), float(np.exp(high)), 6, log=True)
        ax.set_xticks([float(np.log(t)) for t in found], [signed(t) for t in found])
    else:
        found = ticks(low, high, 6, log=False)
        ax.set_xticks(found, [signed(t) for t in found])
    ax.set_xlim(low, high)
    ax.grid(axis="y", color=HAIR, lw=0.7)
    ax.set_ylabel("standard error", fontsize=8.5, color=INK)
    ax.tick_params(labelsize=8.5, color=FAINT)
    finish(ax, funnel.title, (funnel.axis, *funnel.notes), funnel.width)
