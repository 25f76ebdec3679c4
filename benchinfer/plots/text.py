"""Extents of texts, and texts that fit.

Layouts are made for a font of 10 points: their inches are at that size, and `pt` scales what is
written by the font of the session.
"""

import re
import warnings
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from math import inf

from matplotlib import rcParams
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

_REFERENCE = 10.0  # points
BLANK = "(blank)"  # in place of a name of nothing but spaces


def scale() -> float:
    """Return the font size of the session over that of layouts."""
    size = rcParams["font.size"]
    return float(size) / _REFERENCE


def pt(size: float) -> float:
    """Return a font size in points that follows that of the session, 10 by default."""
    return size * scale()


def across(text: str, size: float = 8.5, *, bold: bool = False) -> float:
    """Return the inches that the longest line of a text takes, at a font of 10 points.

    Examples
    --------
    >>> across("iii") < across("www") < across("www", bold=True)
    True
    """
    family = tuple(rcParams["font.family"]), tuple(rcParams["font.sans-serif"])
    return size * max((_em(line, family, bold) for line in text.split("\n")), default=0.0)


@lru_cache(maxsize=20_000)
def _em(line: str, family: tuple[tuple[str, ...], ...], bold: bool) -> float:  # noqa: ARG001, FBT001
    """Return the inches of a line in a font of one point; the family is part of the key alone."""
    font = FontProperties(size=_REFERENCE, weight="bold" if bold else "normal")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        width, *_ = text_to_path.get_text_width_height_descent(line, font, ismath=False)
    return float(width) / 72 / _REFERENCE


def widest(texts: Sequence[str], size: float = 8.5, *, bold: bool = False) -> float:
    """Return the inches that the widest of several texts takes; 0 without texts."""
    return max((across(text, size, bold=bold) for text in texts), default=0.0)


def wrapped(text: str, room: float, size: float = 8.5, *, bold: bool = False) -> str:
    r"""Break a text at spaces into lines of a number of inches; a longer word has its own line.

    Examples
    --------
    >>> wrapped("a bar joins what is not told apart", 1.0)
    'a bar joins what\nis not told apart'
    """
    gap = across("a a", size, bold=bold) - across("aa", size, bold=bold)
    lines: list[list[str]] = []
    used = inf
    # A number and its unit stay together.
    for word in re.sub(r"(\d) %", "\\1\N{NO-BREAK SPACE}%", text).split(" "):
        wide = across(word, size, bold=bold)
        if used + gap + wide > room:
            lines.append([word])
            used = wide
        else:
            lines[-1].append(word)
            used += gap + wide
    return "\n".join(" ".join(line) for line in lines)


def below(notes: Sequence[str], room: float, size: float = 8.0) -> str:
    """Wrap notes, each from a new line."""
    return "\n".join(wrapped(note, room, size) for note in notes)


def fitted(
    names: Sequence[str], room: float, size: float = 8.5, *, bold: bool = False
) -> dict[str, str]:
    """Shorten names in the middle to a number of inches, keeping them distinct.

    Examples
    --------
    >>> fitted(["gradient_boosting_default", "svm"], 0.9)
    {'gradient_boosting_default': 'gradie…efault', 'svm': 'svm'}
    """
    clean = {name: _clean(name) for name in names}
    while True:
        found = {name: _elided(text, room, size, bold=bold) for name, text in clean.items()}
        if len(set(found.values())) == len(set(clean.values())) or found == clean:
            return found
        room *= 1.1


def short(names: Sequence[str], limit: int = 24) -> dict[str, str]:
    """Shorten names in the middle to a number of letters, keeping them distinct.

    Examples
    --------
    >>> short(["gradient_boosting_default", "svm"], 12)
    {'gradient_boosting_default': 'gradie…fault', 'svm': 'svm'}
    """
    clean = {name: _clean(name) for name in names}
    longest = max(map(len, clean.values()), default=0)
    while True:
        elided = {name: _elide(text, limit) for name, text in clean.items()}
        if limit >= longest or len(set(elided.values())) == len(clean):
            return elided
        limit += 4


def _clean(name: str) -> str:
    return "".join(map(_visible, " ".join(name.split()))) or BLANK


def _visible(character: str) -> str:
    return character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"


def _elided(text: str, room: float, size: float, *, bold: bool) -> str:
    """Return the longest form of a text that fits."""
    if across(text, size, bold=bold) <= room:
        return text
    limits = range(3, len(text))
    fits = bisect_right(
        limits, room, key=lambda limit: across(_elide(text, limit), size, bold=bold)
    )
    return _elide(text, limits[max(fits - 1, 0)]) if limits else text


def _elide(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 2
    return f"{text[: limit - 1 - tail]}…{text[-tail:]}"


def plain(text: str) -> str:
    """Keep matplotlib from reading ``$`` as the start of a formula."""
    return text.replace("$", r"\$")
