"""Tables in Markdown."""

import re
from itertools import takewhile

from benchinfer.scores.formats.published.cells import Grid, check_size

_RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?")
_BAR = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|\[\^[^\]]*\]|</?\w+[^>]*>|`")
_EMPHASIS = re.compile(r"(\*\*|__|\*|(?<!\w)_|~~)(?=\S)(.+?)(?<=\S)\1")

_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*|\*\*(.+)\*\*:?")
HEADING = "heading"  # the column of the headings of several tables

_LONGEST = 2_000  # characters of a cell


def markdown(text: str) -> list[Grid]:
    """Return the tables of a text: a line of names, a rule, a line per row.

    Tables of the same columns under headings of their own have a column of these.
    """
    lines = text.splitlines()
    grids: list[Grid] = []
    headings: list[str] = []
    heading = ""
    for i, line in enumerate(lines):
        if (match := _HEADING.fullmatch(line.strip())) is not None:
            heading = _cells(match[1] or match[2])[0].rstrip("*:")
        if (
            i == 0
            or "|" not in lines[i - 1]
            or "-" not in line
            or not _RULE.fullmatch(line.strip())
        ):
            continue
        header = _cells(lines[i - 1])
        if len(_cells(line)) != len(header):
            continue
        rows = list(takewhile(lambda row: "|" in row, lines[i + 1 :]))
        check_size(1 + len(rows), len(header))
        cells = map(_cells, rows)
        grids.append([header, *([*row, *[""] * (len(header) - len(row))] for row in cells)])
        headings.append(heading)
    return _with_headings(grids, headings)


def _with_headings(grids: list[Grid], headings: list[str]) -> list[Grid]:
    """Return tables, those of the same columns with a column of their headings."""
    places = dict[tuple[str, ...], list[int]]()
    for i, grid in enumerate(grids):
        places.setdefault(tuple(grid[0]), []).append(i)
    results = list(grids)
    for header, same in places.items():
        names = [headings[i] for i in same]
        if len(set(names)) < len(names) or len(names) < 2 or "" in names or HEADING in header:
            continue
        for i in same:
            first, *rows = grids[i]
            results[i] = [[*first, HEADING], *([*row, headings[i]] for row in rows)]
    return results


def _cells(line: str) -> list[str]:
    """Return the texts of the cells of a row; emphasis around all of a text becomes one mark."""
    body = line.strip().removeprefix("|")
    body = body[:-1] if body.endswith("|") and not body.endswith("\\|") else body
    cells: list[str] = []
    for cell in _BAR.split(body):
        if len(cell) > _LONGEST:  # a text, in which no emphasis is looked for
            cells.append(cell.strip())
            continue
        text = _LINK.sub(lambda match: match[1] or "", cell).replace("\\|", "|").strip()
        bare = text
        for _ in range(3):
            bare = _EMPHASIS.sub(r"\2", bare)
        cells.append(f"{bare}*" if bare != text else bare)
    return cells
