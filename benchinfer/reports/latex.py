"""A page in LaTeX, which pdflatex compiles."""

import re
import unicodedata
from collections.abc import Iterator

from benchinfer.core.sections import Page, Section, Table
from benchinfer.reports import texts

_HEAD = r"""\documentclass[10pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[margin=18mm]{geometry}
\usepackage{array,booktabs,longtable,ragged2e}
\usepackage[hidelinks]{hyperref}
\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}
\setlength{\LTleft}{0pt}\setlength{\tabcolsep}{3pt}
\emergencystretch=3em
\begin{document}
"""
_CHARACTERS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_\allowbreak{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}", "'": r"\textquotesingle{}", "-": "{-}",
    "\N{MINUS SIGN}": "$-$", "\N{EN DASH}": "--", "\N{EM DASH}": "---",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}", "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{LESS-THAN OR EQUAL TO}": r"$\le$", "\N{GREATER-THAN OR EQUAL TO}": r"$\ge$",
    "\N{INFINITY}": r"$\infty$", "\N{LEFTWARDS ARROW}": r"$\leftarrow$",
    "\N{RIGHTWARDS ARROW}": r"$\rightarrow$", "\N{SUPERSCRIPT TWO}": "$^2$",
    "\N{GREEK SMALL LETTER ALPHA}": r"$\alpha$", "\N{GREEK SMALL LETTER CHI}": r"$\chi$",
    "\N{GREEK SMALL LETTER TAU}": r"$\tau$", "\N{GREEK SMALL LETTER RHO}": r"$\rho$",
}  # fmt: skip
_LAST_LATIN = "\N{LATIN SMALL LETTER Z WITH CARON}"  # the last letter in the encoding of the fonts
_WIDTH = 172  # mm of a line
_LETTER = 1.35  # mm of a letter of a table
_LEAST, _MOST = 9.0, 60.0  # mm of a column


def render(page: Page) -> str:
    """Turn a page into LaTeX; names stay text."""
    return _HEAD + "\n\n".join(block for block in _blocks(page) if block) + "\n\\end{document}\n"


def escaped(text: str) -> str:
    r"""Write a text so that LaTeX prints it as it is.

    Characters that its usual fonts lack are written by their code.

    Examples
    --------
    >>> escaped("50 % of {x}")
    '50 \\% of \\{x\\}'
    """
    return "".join(map(_character, unicodedata.normalize("NFC", " ".join(text.split()))))


def _character(c: str) -> str:
    if c in _CHARACTERS:
        return _CHARACTERS[c]
    if " " <= c < "\x7f" or (c.isalpha() and "\xc0" <= c <= _LAST_LATIN):
        return c
    return f"[U+{ord(c):04X}]"


def _blocks(page: Page) -> Iterator[str]:
    yield rf"{{\Large\bfseries {escaped(page.title)}\par}}"
    for part in page.parts:
        tag = f" ({escaped(part.tag)})" if part.tag else ""
        yield rf"\section*{{{escaped(part.title)}{tag}}}"
        for section in part.sections:
            yield from _section(section)
    yield r"\section*{References and provenance}"
    yield _list([f"{escaped(r.text)} {_link(r.link)}" for r in page.references])
    for name, text in page.making:
        yield rf"{escaped(name)}:\par"
        lines = r"\\ ".join(rf"\texttt{{{escaped(line) or '~'}}}" for line in text.splitlines())
        yield rf"{{\small\RaggedRight {lines}\par}}"
    if not page.provenance.frame.empty:
        yield from _table(page.provenance)
    yield f"Written by benchinfer {escaped(page.version)}."


def _link(address: str) -> str:
    r"""Link an address without special characters of LaTeX, else print it."""
    if not address:
        return ""
    plain = re.fullmatch(r"[\w:/.()+;=,-]+", address, flags=re.ASCII)
    return rf"\url{{{address}}}" if plain else escaped(address)


def _list(lines: list[str]) -> str:
    if not lines:
        return ""
    items = "\n".join(rf"\item {{}}{line}" for line in lines)
    return f"\\begin{{itemize}}\\RaggedRight\n{items}\n\\end{{itemize}}"


def _section(section: Section) -> Iterator[str]:
    yield rf"\subsection*{{{escaped(section.title)}}}"
    if section.lead:
        yield rf"\textbf{{{escaped(section.lead)}}}"
    yield _list([escaped(line) for line in (*section.order, *section.open_pairs)])
    yield from map(escaped, (*section.legend, *section.text))
    for text in section.warnings:
        lines = r"\\ ".join(escaped(line) for line in text.splitlines() if line.strip())
        yield rf"\begin{{quote}}\RaggedRight {lines}\end{{quote}}"
    yield _list([rf"\textbf{{{escaped(n)}}}: {escaped(text)}" for n, text in section.facts])
    for table in texts.tables(section):
        yield from _table(table)
    yield _list([escaped(line.text) for line in section.attention])
    if captions := [figure.caption for figure in texts.figures(section)]:
        yield rf"\textit{{{escaped(f'{texts.FIGURES}: ' + ' '.join(captions))}}}"


def _table(table: Table) -> Iterator[str]:
    yield rf"\textbf{{{escaped(table.caption)}}}\nopagebreak"
    heads, rows = [column.head for column in table.columns], texts.cells(table)
    longest = [
        max(max(map(len, head.split()), default=0), *(len(row[i]) for row in rows), 1)
        for i, head in enumerate(heads)
    ]
    room = _WIDTH - 2.2 * (len(heads) - 1)
    wanted = [min(max(_LETTER * n + 1, _LEAST), _MOST) for n in longest]
    scale = min(room / sum(wanted), 1.0)
    widths = [width * scale for width in wanted]
    columns = "".join(
        rf">{{{'\\RaggedLeft' if column.numeric else '\\RaggedRight'}\arraybackslash}}"
        f"p{{{width:.1f}mm}}"
        for column, width in zip(table.columns, widths, strict=True)
    )
    head = " & ".join(map(escaped, heads))
    body = "\n".join(rf"{' & '.join(map(escaped, row))} \\" for row in rows)
    yield (
        f"{{\\scriptsize\n\\begin{{longtable}}{{@{{}}{columns}@{{}}}}\n\\toprule\n{head} \\\\\n"
        f"\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n{body}\n\\end{{longtable}}}}"
    )
    yield escaped(" ".join(text for text in (table.note, texts.rest(table)) if text))
