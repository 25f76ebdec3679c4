"""Tables in LaTeX."""

import re
from collections.abc import Iterator

from benchinfer.scores.formats.published.cells import Grid, check_size

_TABULAR = re.compile(r"\\(begin|end)\{(tabular[x*y]?|longtable|tabu|tblr)\}")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_RULES = re.compile(
    r"\\(toprule|midrule|bottomrule|hline|endhead|endfirsthead|endfoot|endlastfoot|addlinespace)\b(\[[^\]]*\])?"
    r"|\\(cmidrule|cline)\s*(\([^)]*\))?\{[^}]*\}"
)
_WITHOUT = re.compile(
    r"\\(rowcolor|cellcolor|color|textcolor|vspace|label|caption|footnotemark|footnote|tnote|cite[pt]?)\*?(\[[^\]]*\])*\{[^{}]*\}"
)
_BOLD = re.compile(
    r"\\(textbf|mathbf|boldsymbol|underline|uline|emph|textit|textcolor|bm)\b|\\(bfseries|bf|itshape)\b"
)
_SPAN = re.compile(
    r"\\multicolumn\s*\{(\d{1,9})\}\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\s*(\{.*\})", re.DOTALL
)
_ROWS = re.compile(
    r"\\multirow(?:\[[^\]]*\])?\s*\{(\d{1,9})\}\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}\s*(\{.*\})",
    re.DOTALL,
)
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?")
_SIGNS = {
    "\\pm": "\u00b1",
    "\\textpm": "\u00b1",
    "\\%": "%",
    "\\&": "&",
    "\\_": "_",
    "\\#": "#",
    "~": " ",
    "\\,": " ",
    "\\;": " ",
    "\\ ": " ",
    "\\dagger": "\u2020",
    "\\ddagger": "\u2021",
    "\\ast": "*",
    "\\star": "\u2605",
    "\\uparrow": "\u2191",
    "\\downarrow": "\u2193",
    "$": "",
    "\\textendash": "-",
    "\\textemdash": "-",
    "\\textsuperscript": "^",
    "---": "-",
    "--": "-",
}


def latex(text: str) -> list[Grid]:
    """Return the tables of a text; rows above the first rule are the header."""
    bare = _COMMENT.sub("", text)
    return [grid for body in _bodies(bare) if (grid := _grid(_body(body))) is not None]


def _bodies(text: str) -> Iterator[str]:
    """Yield what stands between each beginning of a table and the next end of one of its name."""
    marks = list(_TABULAR.finditer(text))
    last = {mark[2]: mark.start() for mark in marks if mark[1] == "end"}
    name, begin = "", 0
    for mark in marks:
        if mark[1] == "begin" and not name and last.get(mark[2], -1) > mark.start():
            name, begin = mark[2], mark.end()
        elif mark[1] == "end" and mark[2] == name:
            yield text[begin : mark.start()]
            name = ""


def _body(text: str) -> str:
    """Return the rows of a table, without the arguments that say how wide columns are."""
    rest = text.lstrip()
    while rest.startswith(("{", "[")):
        close, depth = {"{": "}", "[": "]"}[rest[0]], 0
        for i, sign in enumerate(rest):
            depth += (sign == rest[0]) - (sign == close)
            if depth == 0:
                rest = rest[i + 1 :].lstrip()
                break
        else:
            return ""
    return rest


def _grid(body: str) -> Grid | None:
    """Return the cells of a table; rows above the rule below the first ones are its header."""
    lines: list[list[str]] = []
    head = 0
    for line in re.split(r"\\\\(?:\[[^\]]*\])?|\\tabularnewline", body):
        ruled = any(
            m[1] in ("midrule", "hline", "endhead", "endfirsthead") for m in _RULES.finditer(line)
        )
        head = len(lines) if ruled and lines and not head else head
        bare = _RULES.sub("", line).strip()
        if bare:
            lines.append(re.split(r"(?<!\\)&", bare))
    widths = [sum(_columns(cell) for cell in line) for line in lines]
    check_size(len(lines), max(widths, default=0))
    spread = [_spanned(line) for line in lines]
    width = max(map(len, spread), default=0)
    head = head or 1
    if width < 2 or len(spread) <= head:
        return None
    rows = [[*row, *[""] * (width - len(row))] for row in spread]
    names = [
        "/".join(dict.fromkeys(c for c in column if c)) for column in zip(*rows[:head], strict=True)
    ]
    return [names, *_filled([row for row in rows[head:] if sum(map(bool, row)) > 1])]


def _columns(cell: str) -> int:
    """Return the number of columns that a cell spans."""
    match = _SPAN.search(cell)
    return int(match[1]) if match is not None else 1


def _spanned(line: list[str]) -> list[str]:
    """Return the cells of a line, those over several columns once for each."""
    cells: list[str] = []
    for cell in line:
        match = _SPAN.search(cell)
        text = _plain(match[2] if match is not None else cell)
        cells += [text] * _columns(cell)
    return cells


def _filled(rows: Grid) -> Grid:
    """Repeat the text of a cell that spans several rows in each of them."""
    left: dict[int, tuple[int, str]] = {}
    for row in rows:
        for i, cell in enumerate(row):
            if (match := re.match(r"\0(\d+)\0(.*)", cell, re.DOTALL)) is not None:
                row[i], left[i] = match[2], (int(match[1]) - 1, match[2])
            elif not cell and left.get(i, (0, ""))[0] > 0:
                n, text = left[i]
                row[i], left[i] = text, (n - 1, text)
    return rows


def _plain(cell: str) -> str:
    """Return the text of a cell; emphasis becomes one mark."""
    if (match := _ROWS.search(cell)) is not None:
        return f"\0{match[1]}\0{_plain(match[2])}"
    text = _WITHOUT.sub("", cell)
    marked = _BOLD.search(text) is not None
    for sign, plain in _SIGNS.items():
        text = (
            re.sub(re.escape(sign) + r"(?![a-zA-Z])", plain, text)
            if sign[1:].isalpha()
            else text.replace(sign, plain)
        )
    text = re.sub(
        r"\^\s*\{([^{}]*)\}", lambda m: m[1] if not re.search(r"[\d.]", m[1]) else "*", text
    )
    text = re.sub(
        r"_\s*\{\s*([^{}]*)\}", lambda m: m[1] if "\u00b1" in m[1] else f" ({m[1]})", text
    )
    text = re.sub(r"[{}]", "", _COMMAND.sub("", text))
    text = " ".join(text.split())
    return f"{text}*" if marked and text else text
