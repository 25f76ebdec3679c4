"""Numbers in the cells of published tables."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchinfer.core.errors import ScoreTableError
from benchinfer.core.numbers import count, several
from benchinfer.scores.columns.engines import FAILED

type Grid = list[list[str]]  # rows of texts; the first has the names of the columns

# What stands in place of a score, in small letters.
_BLANK = re.compile(
    r"|-{1,3}|[\u2012\u2013\u2014\u2212]|n\.?/?a\.?|nan(\s*(\u00b1|\+/?-)\s*nan|\s*\(\s*nan\s*\))?"
)
# Signs of emphasis and of footnotes; an asterisk is both in Markdown.
_MARKS = re.compile(
    r"\^?[*\u2020\u2021\u00a7\u00b6\u2016\u2605\u2191\u2193\u00b9\u00b2\u00b3]|(?<=\d)\^\w"
)
_ARROWS = "\u2191\u2193"  # of measures, in whose names they are directions
_NUMBER = r"[+\-\u2212]?(?:\d+(?:[,\u202f\u00a0]\d+)*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
# Units of time, in seconds.
_SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    "\u00b5s": 1e-6,
    "\u03bcs": 1e-6,
    "ms": 1e-3,
    "min": 60.0,
    "h": 3600.0,
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
}
_UNIT = "|".join(sorted(_SECONDS, key=len, reverse=True))
_CELL = re.compile(
    rf"(?P<mean>{_NUMBER})\s*(?P<unit>%|(?:{_UNIT})\b)?\s*"
    rf"(?:(?:\u00b1|\+/?-|\+-|\+(?=\d*\.\d))\s*(?P<plus>{_NUMBER})|\(\s*\u00b1?\s*(?P<inner>{_NUMBER})\s*%?\s*\))?"
    rf"\s*(?P<after>%|(?:{_UNIT})\b)?"
)
_LONGEST = 100  # characters of a cell that may be a number
_MOST_CELLS = 250_000
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+")


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """The numbers of a published table.

    Attributes
    ----------
    means
        Column to its cells: numbers, None for a dash, text where a cell is no number.
    spreads
        Column to the numbers behind ± or in brackets, for those of `means` that have them.
    marks
        Cells of which emphasis or a footnote was left out.
    ranks
        Cells of which a whole number in brackets was left out.
    percent
        Columns of numbers with a percent sign.
    times
        Columns of numbers with units of time, which are in seconds here.
    """

    means: dict[str, list[float | str | None]]
    spreads: dict[str, list[float | None]]
    marks: int
    ranks: int
    percent: tuple[str, ...]
    times: tuple[str, ...] = ()


def check_size(rows: int, columns: int) -> None:
    """Raise a ScoreTableError where a table has more cells than one that people read."""
    if rows * columns > _MOST_CELLS:
        raise ScoreTableError(
            f"a table of {count(rows, 'row')} and {count(columns, 'column')} has more than"
            f" {_MOST_CELLS:,} cells, too many for a page.",
            hint="save the table as CSV.",
        )


def numbers_of(grid: Grid, typed: str) -> PublishedTable:
    """Return means and spreads of the cells of a table."""
    header, *rows = grid
    names = [_MARKS.sub("", name).strip() for name in header]
    plain = [[_MARKS.sub("", cell).strip() for cell in row] for row in rows]
    marks = sum(
        a.strip() != b
        for row, of in zip(rows, plain, strict=True)
        for a, b in zip(row, of, strict=True)
    )
    comma = _decimal_comma([cell for row in plain for cell in row], typed)
    means: dict[str, list[float | str | None]] = {}
    spreads: dict[str, list[float | None]] = {}
    percent: list[str] = []
    times: list[str] = []
    ranks = 0
    for i, name in enumerate(names):
        texts = [row[i] for row in plain]
        cells, timed = _in_one_unit([_matched(text) for text in texts])
        odd = sum(
            c is None and not _is_blank(t) and t.casefold() not in FAILED
            for c, t in zip(cells, texts, strict=True)
        )
        if odd * 2 > len(rows):
            means[name] = list(_labels([row[i].strip() for row in rows]))
            continue
        means[name] = [
            _scaled(c, c["mean"], comma=comma) if c is not None else None if _is_blank(t) else t
            for c, t in zip(cells, texts, strict=True)
        ]
        is_rank = [c is not None and _is_rank(c) for c in cells]
        ranks += sum(is_rank)
        held = [
            _scaled(c, c["plus"] or c["inner"], comma=comma)
            if c is not None and (c["plus"] or c["inner"]) and not rank
            else None
            for c, rank in zip(cells, is_rank, strict=True)
        ]
        spreads |= {name: held} if any(value is not None for value in held) else {}
        if timed:
            times.append(name)
        elif any(c is not None and (c["unit"] or c["after"]) for c in cells):
            percent.append(name)
    return PublishedTable(means, spreads, marks, ranks, tuple(percent), tuple(times))


def _labels(cells: Sequence[str]) -> Sequence[str]:
    """Return labels without emphasis and footnotes, unless these tell labels apart.

    Examples
    --------
    >>> _labels(["**svm**", "knn\u2020"]), _labels(["XB (\u2193)", "XB* (\u2193)"])
    (['svm', 'knn'], ['XB (\u2193)', 'XB* (\u2193)'])
    """
    plain = [
        _MARKS.sub(lambda mark: mark[0] if mark[0] in _ARROWS else "", cell).strip()
        for cell in cells
    ]
    return plain if len({*plain}) == len({*cells}) else cells


def _matched(cell: str) -> re.Match[str] | None:
    """Return the parts of a cell that is a number."""
    return _CELL.fullmatch(cell) if len(cell) <= _LONGEST else None


def _in_one_unit(
    cells: Sequence[re.Match[str] | None],
) -> tuple[list[re.Match[str] | None], bool]:
    """Return the cells that are numbers, and whether they are times with units.

    Whole numbers with a unit, as in 1h and 4h, are labels. Beside times, numbers without a unit are
    none, unless they are 0.
    """
    of_time = [c is not None and _seconds(c) is not None for c in cells]
    if not any(of_time):
        return [*cells], False
    pairs = list(zip(cells, of_time, strict=True))
    if not any(is_time and c is not None and "." in c["mean"] for c, is_time in pairs):
        return [None if is_time else c for c, is_time in pairs], False
    zero = re.compile(r"0*(\.0*)?")
    return [
        c if c is None or is_time or zero.fullmatch(c["mean"]) else None for c, is_time in pairs
    ], True


def _seconds(cell: re.Match[str]) -> float | None:
    """Return the unit of time of a cell in seconds; None without one."""
    return _SECONDS.get(cell["after"] or "", _SECONDS.get(cell["unit"] or ""))


def _scaled(cell: re.Match[str], text: str, *, comma: bool) -> float:
    """Return a number of a cell, a time in seconds."""
    number, unit = _number(text, comma=comma), _seconds(cell)
    return number if unit is None else float(f"{number * unit:.15g}")


def _is_blank(cell: str) -> bool:
    """Return whether a cell holds no score.

    Examples
    --------
    >>> [_is_blank(cell) for cell in ("-", "N/A", "nan \u00b1 nan", "0.5", "OOM")]
    [True, True, True, False, False]
    """
    return _BLANK.fullmatch(cell.casefold()) is not None


def _is_rank(cell: re.Match[str]) -> bool:
    """Return whether brackets hold a whole number behind a mean with decimals: no spread of it."""
    inner = cell["inner"]
    return inner is not None and inner.isdigit() and bool(re.search(r"[.,]\d", cell["mean"]))


def _decimal_comma(cells: Sequence[str], typed: str) -> bool:
    """Return whether a comma is the decimal sign; raise an error where the table is ambiguous."""
    numbers = [match["mean"] for cell in cells if (match := _matched(cell)) is not None]
    with_comma = [number for number in numbers if "," in number]
    if not with_comma or any("." in number for number in numbers):
        return False
    if any(_THOUSANDS.fullmatch(number) is None for number in with_comma):
        return True
    raise ScoreTableError(
        f"{typed!r}: it is not clear whether a comma is the decimal sign, as in"
        f" {several(with_comma)}.",
        hint="write a point, or leave the commas of thousands out.",
    )


def _number(text: str, *, comma: bool) -> float:
    plain = re.sub(r"[\s\u202f\u00a0]", "", text).replace("\u2212", "-")
    return float(plain.replace(",", "." if comma else ""))
