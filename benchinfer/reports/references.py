"""Reference lists from BibTeX entries."""

import re
import unicodedata

from benchinfer.core.sections import Reference

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
