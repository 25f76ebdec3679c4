"""Names that stand out in a figure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.text import Text

from benchinfer.core.arguments import ArgumentError
from benchinfer.plots.style import FAINT, HIGHLIGHT, INK
from benchinfer.plots.text import fitted, plain


def highlighted(axes: Sequence[Axes], names: Sequence[str]) -> None:
    """Write the names of algorithms in bold and in the colour of highlights.

    Texts whose colour is that of a verdict keep it; where there are no others, they are bold.

    Raises
    ------
    ArgumentError
        No text of the figure has the name.
    """
    if not names:
        return
    texts: list[Text] = []
    for ax in axes:
        labels = [*ax.get_xticklabels(), *ax.get_yticklabels()]  # which exist once asked for
        texts_within: Any = ax.findobj(Text)
        texts += [text for text in {*labels, *texts_within} if text.get_text()]
    for name in names:
        name_alone, part = _patterns(name)
        named_in = [text for text in texts if part.search(text.get_text())]
        if not named_in:
            raise ArgumentError(
                f"highlight={name!r}: the figure does not show such a name.",
                hint="algorithms=[...] or pair=(...) says what a figure shows, where it has both.",
            )
        inked = [
            text
            for text in named_in
            if any(same_color(text.get_color(), ink) for ink in (INK, FAINT))
        ]
        for text in inked:
            text.set_color(HIGHLIGHT)
            if name_alone.fullmatch(text.get_text()):
                text.set_fontweight("bold")
        for text in () if inked else named_in:
            text.set_fontweight("bold")


def _patterns(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of a text that is a name, and of one in which it stands; it may be cut."""
    clean = plain(fitted([name], math.inf)[name])
    cut = [
        rf"{re.escape(clean[:n])}…{re.escape(clean[len(clean) - m :])}"
        for n in range(1, len(clean))
        for m in (n - 1, n, n + 1)
        if m >= 0 and n + m < len(clean)
    ]
    any_of = "|".join([re.escape(clean), *reversed(cut)])
    return re.compile(any_of), re.compile(rf"(?<![\w-])(?:{any_of})(?![\w-])")
