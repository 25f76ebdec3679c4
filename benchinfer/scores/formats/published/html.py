"""Tables in HTML."""

from html.parser import HTMLParser

from benchinfer.scores.formats.published.cells import Grid, check_size

_EMPHASIS = {"b", "strong", "i", "em", "u", "mark"}
_NOTES = {"sup", "script", "style"}
_MOST_SPAN, _DIGITS = 1_000, 9


def html(text: str) -> list[Grid]:
    """Return the tables of a page."""
    reader = _Tables()
    reader.feed(_without_comments(text))
    reader.close()
    return [grid for table in reader.tables if (grid := _grid(table)) is not None]


def _without_comments(text: str) -> str:
    """Return a page without comments and sections, and without a tag that its end cuts.

    Python's parser goes to the end of the page for each of those that are left open.
    """
    parts: list[str] = []
    start = 0
    while (begin := text.find("<!", start)) >= 0:
        parts.append(text[start:begin])
        close = "-->" if text.startswith("<!--", begin) else ">"
        end = text.find(close, begin)
        start = len(text) if end < 0 else end + len(close)
    page = "".join([*parts, text[start:]])
    last = page.rfind(">") + 1
    return page[:last] + page[last:].partition("<")[0]


class _Tables(HTMLParser):
    """Reader of the cells of all tables: text, columns, rows, and whether it is a heading."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[tuple[str, int, int, bool]]]] = []
        self.open: list[list[list[tuple[str, int, int, bool]]]] = []
        self.cell: list[str] | None = None
        self.spans = (1, 1, False)
        self.silent = 0
        self.marked = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._end_cell()
            self.open.append([])
        elif tag == "tr" and self.open:
            self._end_cell()
            self.open[-1].append([])
        elif tag in ("td", "th") and self.open:
            self._end_cell()
            of = dict(attrs)
            self.spans = _span(of.get("colspan")), _span(of.get("rowspan")), tag == "th"
            self.cell, self.marked, self.silent = [], False, 0
        elif tag in _NOTES:
            self.silent += 1
            self.marked = True
        elif tag in _EMPHASIS:
            self.marked = True
        elif tag == "br" and self.cell is not None:
            self.cell.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr"):
            self._end_cell()
        elif tag == "table" and self.open:
            self._end_cell()
            self.tables.append(self.open.pop())
        elif tag in _NOTES and self.silent:
            self.silent -= 1

    def handle_data(self, data: str) -> None:
        if self.cell is not None and not self.silent:
            self.cell.append(data)

    def close(self) -> None:
        """Close the cells and tables that the page has left open."""
        super().close()
        self._end_cell()
        self.tables += self.open
        self.open = []

    def _end_cell(self) -> None:
        """Add the open cell to the last row of the innermost table."""
        if self.cell is None or not self.open:
            return
        text = " ".join("".join(self.cell).split())
        if not self.open[-1]:
            self.open[-1].append([])
        columns, deep, heading = self.spans
        marked = f"{text}*" if self.marked and text else text
        self.open[-1][-1].append((marked, columns, deep, heading))
        self.cell = None


def _span(text: str | None) -> int:
    return (
        max(min(int(text), _MOST_SPAN), 1)
        if text is not None and text.strip().isdecimal() and len(text) <= _DIGITS
        else 1
    )


def _grid(table: list[list[tuple[str, int, int, bool]]]) -> Grid | None:
    """Return the header and rows of a table; a cell that spans several places is repeated in each.

    None where there are fewer than two columns, or no rows below the header.
    """
    rows = [row for row in table if row]
    check_size(
        1,
        sum(
            columns * min(deep, len(rows) - i)
            for i, row in enumerate(rows)
            for _, columns, deep, _ in row
        ),
    )
    placed: list[dict[int, str]] = [{} for _ in rows]
    for i, row in enumerate(rows):
        at = 0
        for text, columns, deep, _ in row:
            while at in placed[i]:
                at += 1
            for place in placed[i : i + deep]:
                place.update(dict.fromkeys(range(at, at + columns), text))
            at += columns
    width = max((max(row) + 1 for row in placed if row), default=0)
    # The header is what stands in headings only, or else the first row.
    head = next((i for i, row in enumerate(rows) if not all(th for *_, th in row)), len(rows)) or 1
    if width < 2 or len(rows) <= head:
        return None
    check_size(len(rows), width)
    cells = [[row.get(j, "") for j in range(width)] for row in placed]
    names = [
        "/".join(dict.fromkeys(c for c in column if c))
        for column in zip(*cells[:head], strict=True)
    ]
    return [names, *cells[head:]]
