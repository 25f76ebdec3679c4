"""Figures and references of a report as HTML."""

import re
import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass

from benchinfer.core.errors import DesignError
from benchinfer.core.sections import Figure, Reference, Section, Table, checks_table
from benchinfer.plots.draw import Vector, vector

_ACCENTS = {
    '"': "\N{COMBINING DIAERESIS}",
    "'": "\N{COMBINING ACUTE ACCENT}",
    "`": "\N{COMBINING GRAVE ACCENT}",
    "^": "\N{COMBINING CIRCUMFLEX ACCENT}",
    "~": "\N{COMBINING TILDE}",
    "v": "\N{COMBINING CARON}",
    "c": "\N{COMBINING CEDILLA}",
}
_LETTERS = {r"\o": "ø", r"\O": "Ø", r"\ss": "ß", r"\aa": "å", r"\ae": "æ"}
_NARROW = 3.75  # inches of a small screen
_field = re.compile(r"^\s*(\w+)\s*=\s*\{(.*?)\},?\s*$", re.MULTILINE | re.DOTALL)


def merged(texts: list[str]) -> list[str]:
    """Return the entries of several BibTeX texts, each once."""
    found = [e for text in texts for e in re.findall(r"@\w+\{.*?\n\}", text, flags=re.DOTALL)]
    return list(dict.fromkeys(found))


def prose(entry: str) -> Reference:
    r"""Write a BibTeX entry as a line of a reference list.

    Examples
    --------
    >>> prose("@article{x,\n  author = {Dem{\\v s}ar, J.},\n  title = {On {F}},\n"
    ...       "  journal = {Machine Learning},\n  year = {2006},\n}").text
    'Demšar, J. (2006). On F. Machine Learning.'
    """
    fields = {name.lower(): _plain(value) for name, value in _field.findall(entry)}
    authors = fields.get("author", "").replace(" and ", "; ")
    venue = next((fields[k] for k in ("journal", "booktitle", "publisher") if k in fields), "")
    volume = fields.get("volume", "") + (f"({fields['number']})" if "number" in fields else "")
    where = ", ".join(part for part in (venue, volume, fields.get("pages", "")) if part)
    head = f"{authors} ({fields.get('year', 'n.d.')})".strip()
    parts = [part for part in (head, fields.get("title", ""), where) if part]
    doi = fields.get("doi", "")
    return Reference(
        ". ".join(parts) + ".", f"https://doi.org/{doi}" if doi else fields.get("url", "")
    )


def _plain(value: str) -> str:
    """Turn LaTeX into characters."""
    text = re.sub(
        r"""\{?\\(["'`^~]|[vc](?=[\s{]))\s*\{?(\w)\}?\}?""",
        lambda m: unicodedata.normalize("NFC", m[2] + _ACCENTS[m[1]]),
        " ".join(value.split()),
    )
    for macro, letter in _LETTERS.items():
        text = re.sub(re.escape(macro) + r"(?![a-z])\s*", letter, text)
    return text.replace(r"\&", "&").replace("{", "").replace("}", "").replace("--", "\N{EN DASH}")


@dataclass(frozen=True, slots=True)
class Image:
    """An image in the file itself: data URI and natural size in CSS pixels."""

    uri: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure for wide and for narrow screens, with caption and text alternative."""

    wide: Image
    narrow: Image
    caption: str
    alt: str


def tables(section: Section) -> list[Table]:
    """Return the tables of a section that stand in the open."""
    return [*section.tables, *([checks_table(section.checks)] if section.checks else [])]


def pictures(figures: Sequence[Figure]) -> list[Picture]:
    """Draw those of the figures that their results have."""
    drawn = (_picture(figure) for figure in figures)
    return [picture for picture in drawn if picture is not None]


def _picture(figure: Figure) -> Picture | None:
    """Draw a figure for wide and for narrow screens.

    As images and not as markup of the page: what a name contains cannot reach the page, and the
    ids of two figures cannot meet.
    """
    try:
        wide = vector(figure.result, figure.kind)
    except DesignError:
        return None
    narrow = vector(figure.result, figure.kind, _NARROW)
    return Picture(_image(wide), _image(narrow), figure.caption, wide.alt)


def _image(drawn: Vector) -> Image:
    code = b64encode(drawn.text.encode()).decode("ascii")
    return Image(f"data:image/svg+xml;base64,{code}", drawn.width, drawn.height)
