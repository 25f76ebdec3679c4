"""What all figures share: colours and marks by verdict, and names that are safe to draw.

Colours are those of Okabe & Ito, which colour-blind readers tell apart; every verdict has a shape
as well, so that figures read in grey.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.order.relation import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.measure import Measure

type Width = Literal["wide", "narrow"]

INK = "#1f2328"
FAINT = "#5c6370"
HAIR = "#d5d9de"
BAND = "#e4efe9"
BLANK = "(blank)"  # in place of a name of nothing but spaces


@dataclass(frozen=True, slots=True)
class Mark:
    """How a verdict looks.

    Attributes
    ----------
    colour
        Of marks.
    ink
        Of words: the same hue, dark enough to read on white.
    marker
        Shape, as matplotlib names it.
    filled
        Whether the shape is filled.
    symbol
        The shape as a character, for tables.
    """

    colour: str
    ink: str
    marker: str
    filled: bool
    symbol: str


MARKS: dict[Verdict, Mark] = {
    Verdict.FIRST: Mark("#0072B2", "#00598C", "o", filled=True, symbol="●"),
    Verdict.SECOND: Mark("#D55E00", "#A34700", "D", filled=True, symbol="◆"),
    Verdict.EQUIVALENT: Mark("#009E73", "#006B4F", "s", filled=True, symbol="■"),
    Verdict.UNDECIDED: Mark("#7A8089", "#5C6370", "o", filled=False, symbol="○"),
    Verdict.MISSING: Mark(
        "#A0A5AC", "#5C6370", "x", filled=False, symbol="\N{MULTIPLICATION SIGN}"
    ),
}


def words(verdict: Verdict, first: str, second: str) -> str:
    """Say a verdict with the name of the better algorithm.

    Examples
    --------
    >>> words(Verdict.SECOND, "rf", "svm")
    'svm better'
    """
    if verdict == Verdict.MISSING:
        return "no data"
    better = {Verdict.FIRST: first, Verdict.SECOND: second}
    return f"{better[verdict]} better" if verdict in better else verdict.label


def short(names: Sequence[str], limit: int = 24) -> dict[str, str]:
    """Shorten names in the middle to what a figure has room for, keeping them distinct.

    Parameters
    ----------
    names
        Distinct names.
    limit
        Longest that a name may be, unless two would become the same.

    Returns
    -------
    dict
        Name to short name, free of line breaks and control characters.

    Examples
    --------
    >>> short(["gradient_boosting_default", "svm"], 12)
    {'gradient_boosting_default': 'gradie…fault', 'svm': 'svm'}
    """
    clean = {name: "".join(map(_visible, " ".join(name.split()))) or BLANK for name in names}
    longest = max(map(len, clean.values()), default=0)
    while True:
        elided = {name: _elide(text, limit) for name, text in clean.items()}
        if limit >= longest or len(set(elided.values())) == len(clean):
            return elided
        limit += 4


def measure_name(measure: "Measure") -> str:
    """Return the label of a measure, or its name, short enough for a title."""
    return next(iter(short([measure.label or measure.name], 40).values()))


def _visible(character: str) -> str:
    return character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"


def _elide(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 2
    return f"{text[: limit - 1 - tail]}…{text[-tail:]}"


def plain(text: str) -> str:
    """Keep matplotlib from reading ``$`` as the start of a formula."""
    return text.replace("$", r"\$")


def signed(value: float) -> str:
    """Write a number of an axis: no exponent, a true minus sign.

    Examples
    --------
    >>> signed(0.05), signed(1500.0)
    ('0.05', '1500')
    """
    value += 0.0  # no minus before zero
    if 1e-5 <= abs(value) < 1e7:
        text = f"{value:.7f}".rstrip("0").rstrip(".")
    else:
        text = f"{value:g}"
    return text.replace("-", "\N{MINUS SIGN}")


def wrapped(text: str, width: int) -> str:
    """Break a line of text at spaces."""
    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


def lines(
    ax: "Axes",
    segments: Sequence[tuple[float, float, float, float]],
    colour: str,
    lw: float,
    *,
    zorder: float = 3,
) -> None:
    """Draw segments x0, y0, x1, y1 of one colour.

    As one line with gaps, which takes a tenth of the room and time of as many lines.
    """
    ends = np.array(segments, dtype=np.float64).reshape(-1, 4)
    gap = np.full(len(ends), np.nan)
    ax.plot(
        np.c_[ends[:, 0], ends[:, 2], gap].ravel(),
        np.c_[ends[:, 1], ends[:, 3], gap].ravel(),
        color=colour,
        lw=lw,
        solid_capstyle="butt",
        zorder=zorder,
    )
