"""Figures as SVG of a page: one style sheet for all, in the page's colours."""

import re
from dataclasses import dataclass, field

from markupsafe import Markup

from benchinfer.plots.draw import Vector

# Colour of a figure to the one that takes its place on a dark page; others stay. Ink is the page's.
INK = "#1f2328"
_DARK = {
    "#000000": "#e4e6e9",
    "#5c6370": "#a0a7b0",
    "#ffffff": "#1b1e22",
    "#d5d9de": "#3a4047",
    "#c3c9d0": "#4a515a",
    "#dddfe3": "#33383f",
    "#e4efe9": "#22332c",
    "#a0a5ac": "#7d848d",
    "#7a8089": "#8d949d",
    "#00598c": "#7cc0ea",
    "#0072b2": "#4aa3dc",
    "#a34700": "#f0a268",
    "#d55e00": "#e8803a",
    "#006b4f": "#5fd0a8",
    "#009e73": "#2fb98d",
    "#5b7fa3": "#6b92b9",
    "#8db9d6": "#3f6f91",
    # Tiles of verdicts.
    "#cfe4f2": "#1d3d52",
    "#f8dcc6": "#54331c",
    "#cdebdd": "#1c4535",
    "#f3f4f6": "#272b30",
    # Tiles of shares, from hardly ever to always.
    "#f3f7fb": "#1d242c",
    "#dce9f5": "#1f2d3b",
    "#c3daee": "#21374b",
    "#a3c7e3": "#24435f",
    "#7dafd5": "#285075",
    "#5694c5": "#2c5f8e",
    "#3279b3": "#2f6da6",
    "#165f9e": "#3179bd",
}
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_STYLE = re.compile(r' style="([^"]*)"')
_ROOT = re.compile(r"^<svg[^>]*?viewBox=\"([^\"]*)\"[^>]*>")
_OWN_STYLE = re.compile(r"<defs><style[^>]*>.*?</style></defs>", re.DOTALL)
_IDS = re.compile(r'( id="|url\(#|xlink:href="#)')
_UNUSED = re.compile(r' id="(?![mph][0-9a-f]{8,}")[^"]*"| (?:xmlns(?::xlink)?|version)="[^"]*"')


@dataclass(frozen=True, slots=True)
class StyleSheet:
    """Style sheet of all figures, with one class for each distinct style."""

    classes: dict[str, str] = field(default_factory=dict[str, str])
    figures: list[str] = field(default_factory=list[str])

    def inline(self, drawn: Vector) -> Markup:
        """Return a figure as an inline SVG element of the page.

        What a name contains stays text, as matplotlib escapes it, and ids are those of one figure.
        """
        number = f"g{len(self.figures)}"
        self.figures.append(number)
        root = _ROOT.match(drawn.text)
        if root is None:
            raise ValueError("a figure has no view box.")
        body = _OWN_STYLE.sub("", drawn.text[root.end() :], count=1)
        # Within tags only: texts may hold what looks like an attribute.
        body = re.sub(r"<[^>]*>", lambda tag: self._classed(tag[0], number), body)
        head = Markup(
            '<svg class="chart" viewBox="{}" width="{}" height="{}" role="img" aria-label="{}"'
            ' style="min-width:min(21.5rem,{}px)">'
        ).format(root[1], drawn.width, drawn.height, drawn.alt, drawn.width)
        return head + Markup(body)  # noqa: S704

    def _classed(self, tag: str, number: str) -> str:
        tag = _STYLE.sub(lambda style: self._attribute(style[1]), _UNUSED.sub("", tag))
        return _IDS.sub(rf"\g<1>{number}", tag)

    def _attribute(self, style: str) -> str:
        """Return the class attribute of a style; a style that refers to a pattern stays inline."""
        if "url(#" in style:
            return f' style="{style}"'
        return f' class="{self.classes.setdefault(style, f"f{len(self.classes)}")}"'

    def css(self) -> Markup:
        """Return the CSS rules of the classes, with colours for light and dark pages."""
        rules = [f".{name}{{{_coloured(style)}}}" for style, name in self.classes.items()]
        used = sorted({c for style in self.classes for c in _COLOUR.findall(style)} & {*_DARK})
        light, dark = (
            "".join(f"--{colour[1:]}:{to};" for colour, to in pairs)
            for pairs in ([(c, c) for c in used], [(c, _DARK[c]) for c in used])
        )
        return Markup(  # noqa: S704
            f":root{{{light}}}\n"
            f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n" + "\n".join(rules)
        )


def _coloured(style: str) -> str:
    """Return a style with CSS variables for colours, except white text, which is on dark tiles."""
    if "font-size" in style:
        style = style.replace("fill: #ffffff", "fill: white")
    style = style.replace(INK, "currentColor")
    return _COLOUR.sub(lambda c: f"var(--{c[0][1:]})" if c[0] in _DARK else c[0], style)
