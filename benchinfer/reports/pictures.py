"""Figures as images inside the file."""

from base64 import b64encode
from typing import TYPE_CHECKING

from benchinfer.plots.draw import vector
from benchinfer.reports.records import Image, Picture

if TYPE_CHECKING:
    from benchinfer.plots.draw import Vector


def picture(result: object, kind: str, caption: str) -> Picture:
    """Draw a figure for wide and for narrow screens.

    As images and not as markup of the page: what a name contains cannot reach the page, and the
    ids of two figures cannot meet.
    """
    wide, narrow = vector(result, kind, "wide"), vector(result, kind, "narrow")
    return Picture(_image(wide), _image(narrow), caption, wide.alt)


def _image(drawn: "Vector") -> Image:
    code = b64encode(drawn.text.encode()).decode("ascii")
    return Image(f"data:image/svg+xml;base64,{code}", drawn.width, drawn.height)
