"""Extents of texts, and texts that fit.

Layouts are made for a font of 10 points: their inches are at that size, and `pt` scales what is
written by the font of the session.
"""

import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import inf

from matplotlib import rcParams
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

_REFERENCE = 10.0  # points
_LOOKED_UP = 30  # names in a key
BLANK = "(blank)"  # in place of a name of nothing but spaces


def scale() -> float:
    """Return the font size of the session over that of layouts."""
    size = rcParams["font.size"]
    return float(size) / _REFERENCE


def pt(size: float) -> float:
    """Return a font size in points that follows that of the session, 10 by default."""
    return size * scale()


def across(text: str, size: float = 8.5, *, bold: bool = False) -> float:
    """Return the width in inches of the longest line of a text, at a font of 10 points.

    Examples
    --------
    >>> across("iii") < across("www") < across("www", bold=True)
    True
    """
    family = tuple(rcParams["font.family"]), tuple(rcParams["font.sans-serif"])
    return size * max((_em(line, family, bold) for line in text.split("\n")), default=0.0)


@lru_cache(maxsize=20_000)
def _em(line: str, family: tuple[tuple[str, ...], ...], bold: bool) -> float:  # noqa: ARG001, FBT001
    """Return the width in inches of a line at one point; the family is only a key of the cache."""
    font = FontProperties(size=_REFERENCE, weight="bold" if bold else "normal")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        width, *_ = text_to_path.get_text_width_height_descent(line, font, ismath=False)
    return float(width) / 72 / _REFERENCE


def widest(texts: Sequence[str], size: float = 8.5, *, bold: bool = False) -> float:
    """Return the width in inches of the widest of several texts; 0 without texts."""
    return max((across(text, size, bold=bold) for text in texts), default=0.0)


def wrapped(text: str, room: float, size: float = 8.5, *, bold: bool = False) -> str:
    r"""Return a text wrapped to a width in inches, at spaces or within words that are too long.

    Examples
    --------
    >>> wrapped("a bar joins what is undecided", 1.0)
    'a bar joins what\nis undecided'
    """
    gap = across("a a", size, bold=bold) - across("aa", size, bold=bold)
    lines: list[list[str]] = []
    used = inf
    # A number and its unit stay together.
    words = re.sub(r"(\d) %", "\\1\N{NO-BREAK SPACE}%", text).split(" ")
    for part in (part for word in words for part in _broken(word, room, size, bold=bold)):
        wide = across(part, size, bold=bold)
        if used + gap + wide > room:
            lines.append([part])
            used = wide
        else:
            lines[-1].append(part)
            used += gap + wide
    return "\n".join(" ".join(line) for line in lines)


def _broken(word: str, room: float, size: float, *, bold: bool) -> list[str]:
    """Return the parts of a word that is broken to a width in inches."""
    parts: list[str] = []
    while len(word) > 1 and across(word, size, bold=bold) > room:
        ends = range(2, len(word))
        fits = bisect_right(ends, room, key=lambda end: across(word[:end], size, bold=bold))
        parts.append(word[: 1 + fits])
        word = word[1 + fits :]
    return [*parts, word]


def axis_room(width: float, labels: Sequence[str]) -> float:
    """Return the width in inches that the labels of rows leave for an axis."""
    return width - widest(labels) - 0.3


def axis_height(label: str, room: float) -> float:
    """Return the height in inches of an axis label that is wrapped to a width in inches."""
    return 0.165 * (wrapped(label, room).count("\n") + 1)


def below(notes: Sequence[str], room: float) -> str:
    """Return notes wrapped to a width in inches, each starting on a new line."""
    return "\n".join(wrapped(note, room, 8.0) for note in notes)


def fitted(
    names: Iterable[str], room: float, size: float = 8.5, *, bold: bool = False
) -> dict[str, str]:
    """Shorten names to a number of inches, keeping them distinct.

    In the middle; names that are then the same keep the part in which they differ; those that are
    still the same are numbered.

    Examples
    --------
    >>> fitted(["gradient_boosting_default", "svm"], 0.9)
    {'gradient_boosting_default': 'gradie…efault', 'svm': 'svm'}
    >>> [*fitted(["gradient_boosting_of_depth_2_pruned", "gradient_boosting_of_depth_4_pruned"],
    ...          room=1.0).values()]
    ['grad…th_2_p…d', 'grad…th_4_p…d']
    """
    clean = {name: _clean(name) for name in names}
    shortened = {name: _elided(text, room, size, bold=bold) for name, text in clean.items()}
    for group in _same(shortened):
        shortened |= _differing({name: clean[name] for name in group}, room, size, bold=bold)
    for group in _same(shortened):
        for n, name in enumerate(group, 1):
            end = f" {n}"
            rest = room - across(end, size, bold=bold)
            shortened[name] = _elided(clean[name], rest, size, bold=bold) + end
    return shortened


def key(names: Mapping[str, str]) -> tuple[str, ...]:
    """Return a note that gives shortened names in full; empty where none is shortened.

    Where they are too many to look up, the note gives their number only.

    Examples
    --------
    >>> key({"gradient_boosting": "gra…ing", "svm": "svm"})
    ('gra…ing: gradient_boosting',)
    """
    cut = [f"{text}: {_clean(name)}" for name, text in names.items() if text != _clean(name)]
    if len(cut) > _LOOKED_UP:
        return (f"{len(cut):,} names are cut; the tables have them in full",)
    return ("; ".join(cut),) if cut else ()


def side_by_side(
    first: str, second: str, room: float, size: float = 8.5, *, bold: bool = False
) -> dict[str, str]:
    """Shorten two names to a number of inches for both: a long one has what a short one leaves.

    Examples
    --------
    >>> [*side_by_side("gradient_boosting_default", "svm", 1.8).values()]
    ['gradient_boosting_default', 'svm']
    """
    shorter = min(across(_clean(name), size, bold=bold) for name in (first, second))
    return fitted([first, second], max(room / 2, room - shorter), size, bold=bold)


def versus(first: str, second: str, width: float) -> str:
    """Return "first vs second" with names shortened to fit on one line of a heading."""
    names = side_by_side(first, second, width - across(" vs ", 10, bold=True) - 0.3, 10, bold=True)
    return f"{names[first]} vs {names[second]}"


def _same(texts: Mapping[str, str]) -> list[list[str]]:
    """Return the groups of names that have the same text."""
    groups: dict[str, list[str]] = {}
    for name, text in texts.items():
        groups.setdefault(text, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _differing(clean: Mapping[str, str], room: float, size: float, *, bold: bool) -> dict[str, str]:
    """Return names whose common prefix and suffix are shortened to fit."""
    texts = list(clean.values())
    head = _shared(texts)
    tail = _shared([text[len(head) :][::-1] for text in texts])[::-1]
    cores = {name: text[len(head) : len(text) - len(tail)] for name, text in clean.items()}
    for limit in range(max(len(head), len(tail)), 0, -1):
        begin, end = _elide(head, limit), _elide(tail, (limit + 1) // 2)
        shortened = {name: f"{begin}{core}{end}" for name, core in cores.items()}
        if widest(list(shortened.values()), size, bold=bold) <= room:
            return shortened
    return {name: _elided(text, room, size, bold=bold) for name, text in clean.items()}


def _shared(texts: Sequence[str]) -> str:
    """Return the common prefix of texts."""
    low, high = min(texts), max(texts)
    same = next(
        (n for n, pair in enumerate(zip(low, high, strict=False)) if len({*pair}) > 1), None
    )
    return low if same is None else low[:same]


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
    line = " ".join(name.split())
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line) or BLANK


def _elided(text: str, room: float, size: float, *, bold: bool) -> str:
    """Return the longest abbreviation of a text that fits."""
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
    return f"{text[: limit - 1 - tail]}…{text[len(text) - tail :]}"


def plain(text: str) -> str:
    """Keep matplotlib from reading ``$`` as the start of a formula."""
    return text.replace("$", r"\$")
