"""Texts in the markup of papers: LaTeX, Markdown and HTML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from html import escape
from itertools import groupby

from benchinfer.core.arguments import checked
from benchinfer.core.measure import printable

type Markup = Callable[[str], str]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    "^": r"\textasciicircum{}",
    "~": r"$\sim$",  # the sign of a formula: the character is an accent
    "`": r"\textasciigrave{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",  # babel gives a bare one a meaning of its own in some languages
    "<": "$<$",
    ">": "$>$",
    "[": "{[}",  # at the start of a row it would be the space below the row before
    "*": "{*}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{THIN SPACE}": r"\,",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{ZERO WIDTH SPACE}": "",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{LEFT SINGLE QUOTATION MARK}": r"\textquoteleft{}",
    "\N{RIGHT SINGLE QUOTATION MARK}": r"\textquoteright{}",
    "\N{LEFT DOUBLE QUOTATION MARK}": r"\textquotedblleft{}",
    "\N{RIGHT DOUBLE QUOTATION MARK}": r"\textquotedblright{}",
    "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
    "\N{LATIN SMALL LETTER SHARP S}": r"\ss{}",
    "\N{LATIN SMALL LETTER AE}": r"\ae{}",
    "\N{LATIN CAPITAL LETTER AE}": r"\AE{}",
    "\N{LATIN SMALL LETTER O WITH STROKE}": r"\o{}",
    "\N{LATIN CAPITAL LETTER O WITH STROKE}": r"\O{}",
    "\N{LATIN SMALL LIGATURE OE}": r"\oe{}",
    "\N{LATIN CAPITAL LIGATURE OE}": r"\OE{}",
    "\N{LATIN SMALL LETTER L WITH STROKE}": r"\l{}",
    "\N{LATIN CAPITAL LETTER L WITH STROKE}": r"\L{}",
    "\N{LATIN SMALL LETTER DOTLESS I}": r"\i{}",
    "\N{SECTION SIGN}": r"\S{}",
    "\N{COPYRIGHT SIGN}": r"\copyright{}",
}
_MATHS = {
    "\N{MINUS SIGN}": "-",
    "\N{INFINITY}": r"\infty",
    "\N{LESS-THAN OR EQUAL TO}": r"\leq",
    "\N{GREATER-THAN OR EQUAL TO}": r"\geq",
    "\N{NOT EQUAL TO}": r"\neq",
    "\N{ALMOST EQUAL TO}": r"\approx",
    "\N{PLUS-MINUS SIGN}": r"\pm",
    "\N{MULTIPLICATION SIGN}": r"\times",
    "\N{MIDDLE DOT}": r"\cdot",
    "\N{DEGREE SIGN}": r"{}^{\circ}",
    "\N{GREEK SMALL LETTER FINAL SIGMA}": r"\varsigma",
    "\N{MICRO SIGN}": r"\mu",
    "\N{RIGHTWARDS ARROW}": r"\rightarrow",
    "\N{LEFTWARDS ARROW}": r"\leftarrow",
    "\N{UPWARDS ARROW}": r"\uparrow",
    "\N{DOWNWARDS ARROW}": r"\downarrow",
}
# Accents that every font encoding has, by the combining character.
_ACCENTS = dict(
    zip(
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0323\u0331",
        "`'^~=u.\"rHvcdb",
        strict=True,
    )
)
_SMALL = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lamda mu nu xi pi rho sigma tau"
    " upsilon phi chi psi omega"
)
_CAPITAL = "gamma delta theta lamda xi pi sigma upsilon phi psi omega"
# Of these there are no commands, as Latin letters look the same.
_LATIN = dict(zip("\N{GREEK SMALL LETTER OMICRON}ΑΒΕΖΗΙΚΜΝΟΡΤΧ", "oABEZHIKMNOPTX", strict=True))  # noqa: RUF001
_GREEK = {
    **{
        unicodedata.lookup(f"GREEK {size} LETTER {name}"): rf"\{write(name)}"
        for size, names, write in (("SMALL", _SMALL, str), ("CAPITAL", _CAPITAL, str.capitalize))
        for name in names.split()
    },
    **_LATIN,
    "\N{GREEK SMALL LETTER LAMDA}": r"\lambda",
    "\N{GREEK CAPITAL LETTER LAMDA}": r"\Lambda",
}
_SIGNS = {
    **{chr(code): chr(code) for code in range(ord(" "), 0x7F)},
    **_SPECIAL,
    **{sign: f"${name}$" for sign, name in (_MATHS | _GREEK).items()},
    "\0": "{}",
}
# What joins to one sign where it stands twice.
_LIGATURES = re.compile(r"(?<=([-',]))(?=\1)")
_NUMBER = re.compile(
    "([\N{MINUS SIGN}-]?)([\\d,]*\\.?\\d+)([\N{SUPERSCRIPT PLUS SIGN}\N{SUPERSCRIPT MINUS}"
    "\N{SUPERSCRIPT EQUALS SIGN}]?)"
)


@checked
def latex(text: str) -> str:
    r"""Write a text for LaTeX: a sentence, a method or a name, without anything that is a command.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        LaTeX that compiles without further packages. What pdfTeX has no sign for appears with
        LuaTeX and XeTeX; pdfTeX writes its code.

    Examples
    --------
    >>> print(latex("C4.5_m & 50 %"))
    C4.5\_m \& 50~\%
    """
    text = unicodedata.normalize("NFC", " ".join(printable(text).split()))
    text = text.replace(" %", "\N{NO-BREAK SPACE}%")
    parts: list[str] = []
    for known, run in groupby(text, lambda sign: _sign(sign) is not None):
        signs = "".join(run)
        if known:
            parts.append("".join(_sign(sign) or "" for sign in _LIGATURES.sub("\0", signs)))
        else:
            codes = " ".join(f"U+{ord(sign):04X}" for sign in signs)
            parts.append(rf"\ifdefined\Umathchar {signs}\else {codes}\fi{{}}")
    # Two formulas side by side are one.
    return re.sub(r"(?<!\\)\$\$", " ", "".join(parts))


def _sign(sign: str) -> str | None:
    """Return the LaTeX of one character, None where pdfTeX has none."""
    if sign in _SIGNS:
        return _SIGNS[sign]
    kind, _, rest = unicodedata.decomposition(sign).partition(" ")
    if kind in {"<super>", "<sub>"}:
        base = latex("".join(chr(int(code, 16)) for code in rest.split()))
        raised = "^" if kind == "<super>" else "_"
        return f"${{}}{raised}{{{base.strip('$')}}}$" if len(base.strip("$")) == 1 else None
    base, *marks = unicodedata.normalize("NFD", sign)
    if len(marks) == 1 and base.isascii() and base.isalpha() and marks[0] in _ACCENTS:
        return rf"\{_ACCENTS[marks[0]]}{{{base}}}"
    return None


def latex_cell(text: str) -> str:
    r"""Write the text of a cell in a column of numbers, as siunitx reads it.

    Examples
    --------
    >>> latex_cell("\N{MINUS SIGN}1,234.5"), latex_cell("0.12\N{SUPERSCRIPT PLUS SIGN}")
    ('-1234.5', '0.12{${}^{+}$}')
    >>> latex_cell("none")
    '{none}'
    """
    parts = _NUMBER.fullmatch(text)
    if parts is None:
        return f"{{{latex(text)}}}"
    sign, digits, mark = parts.groups()
    return f"{'-' if sign else ''}{digits.replace(',', '')}{f'{{{latex(mark)}}}' if mark else ''}"


def number_format(cells: list[str]) -> str:
    r"""Return the column of siunitx that cells fit in.

    Examples
    --------
    >>> number_format(["-0.12", "10.3{${}^{+}$}", "{none}"])
    'S[table-format=-2.2,table-space-text-post={${}^{+}$}]'
    """
    parts = [re.match(r"(-?)(\d*)\.?(\d*)", cell) for cell in cells]
    numbers = [part for part in parts if part and part[0]]
    if not numbers:
        return "c"
    integers, digits = (max(len(number[n]) for number in numbers) for n in (2, 3))
    sign = "-" if any(number[1] for number in numbers) else ""
    marked = any(cell.endswith("}") and not cell.startswith("{") for cell in cells)
    room = ",table-space-text-post={${}^{+}$}" if marked else ""
    return f"S[table-format={sign}{max(integers, 1)}{f'.{digits}' if digits else ''}{room}]"


def markdown(text: str) -> str:
    r"""Write a text for a Markdown table.

    Examples
    --------
    >>> print(markdown("a|b_c"))
    a\|b\_c
    """
    return re.sub(r"([\\|*_`~<>#\[\]$&])", r"\\\1", " ".join(printable(text).split()))


def html(text: str) -> str:
    """Write a text for HTML."""
    return escape(printable(text))
