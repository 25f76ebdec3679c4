"""Rows of one axis with words beside or above them: what bars and intervals have in common."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from benchinfer.plots.forest import ticks
from benchinfer.plots.style import FAINT, HAIR, INK, Width, plain, signed, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BESIDE = 60  # characters of label and words that leave enough of the width to the marks
_LETTER, _BOLD = 0.067, 0.08  # inches of a letter of the words, and of the heading


class Strip(Protocol):
    """A row: what it is, its value in words, and the value; a heading has none."""

    @property
    def label(self) -> str: ...  # noqa: D102
    @property
    def said(self) -> str: ...  # noqa: D102
    @property
    def value(self) -> float | None: ...  # noqa: D102


class Strips(Protocol):
    """Rows from top to bottom, heading, name of the axis, lines below it, and the room."""

    @property
    def rows(self) -> Sequence[Strip]: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def axis(self) -> str: ...  # noqa: D102
    @property
    def notes(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def width(self) -> Width: ...  # noqa: D102


def fits(strips: Strips) -> bool:
    """Say whether labels and words can stand beside the marks."""
    words = _longest(strips, "label") + _longest(strips, "said")
    return strips.width == "wide" and words <= _BESIDE


def size(strips: Strips) -> tuple[float, float]:
    """Return a sensible figure size in inches."""
    pitch = 0.25 if fits(strips) else 0.4
    below = sum(text.count("\n") + 1 for text in _below(strips))
    above = _heading(strips).count("\n")
    return _across(strips), 0.6 + 0.16 * (below + above) + pitch * len(strips.rows)


def _across(strips: Strips) -> float:
    return 6.9 if strips.width == "wide" else 3.75


def _room(strips: Strips) -> float:
    """Return about how many inches the axis has."""
    if not fits(strips):
        return _across(strips)
    return _across(strips) - _LETTER * (_longest(strips, "label") + _longest(strips, "said")) - 0.2


def _longest(strips: Strips, words: Literal["label", "said"]) -> int:
    return max((len(getattr(row, words)) for row in strips.rows), default=0)


def _below(strips: Strips) -> list[str]:
    columns = min(90 if strips.width == "wide" else 46, int(_room(strips) / _LETTER))
    return [wrapped(line, columns) for line in (strips.axis, *strips.notes)]


def _heading(strips: Strips) -> str:
    columns = min(76 if strips.width == "wide" else 40, int(_room(strips) / _BOLD))
    return wrapped(strips.title, columns)


def frame(
    strips: Strips, ax: "Axes", limits: tuple[float, float], *, log: bool = False, pad: float = 8
) -> None:
    """Draw axis, grid, heading and notes.

    Parameters
    ----------
    strips
        What is drawn.
    ax
        Where.
    limits
        Ends of the axis.
    log
        Whether the axis is logarithmic.
    pad
        Points between the heading and the axes.
    """
    if log:
        ax.set_xscale("log")
    ax.set_xlim(*limits)
    ax.set_ylim(len(strips.rows) - 0.45, -0.55)
    n = 6 if strips.width == "wide" else 4
    ax.xaxis.set_major_locator(FixedLocator(ticks(*limits, n, log=log)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value)))
    ax.xaxis.set_minor_locator(FixedLocator([]))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", labelsize=8.5, color=FAINT, labelcolor=INK)
    ax.spines[["right", "top"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)
    ax.spines["left"].set_color(INK)
    ax.grid(axis="x", color=HAIR, lw=0.7)
    ax.set_axisbelow(True)
    ax.set_xlabel(
        plain("\n".join(_below(strips))), loc="left", fontsize=8.5, color=INK, linespacing=1.35
    )
    if strips.title:
        ax.set_title(
            plain(_heading(strips)), loc="left", fontsize=10, fontweight="bold", color=INK, pad=pad
        )


def write(strips: Strips, ax: "Axes", *, beside: bool) -> None:
    """Write labels and words; texts take a tenth of the time that ticks take."""
    ax.set_yticks([])
    ax.spines["left"].set_visible(beside)
    for y, row in enumerate(strips.rows):
        for text, x, align in (
            (row.label, 0, "right" if beside else "left"),
            (row.said, 1, "left" if beside else "right"),
        ):
            if not text:
                continue
            ax.annotate(
                plain(text),
                (x, y),
                ((8 * x - 4 if beside else 0), 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                ha=align,
                va="center" if beside else "bottom",
                fontsize=8.5,
                fontweight="bold" if row.value is None else "normal",
                color=INK,
                bbox=None if beside else {"fc": "white", "lw": 0, "pad": 0.5},
            )
