"""Excel files, whose cells are counted before they are laid out."""

import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO
from xml.parsers import expat

from benchinfer.core.errors import ScoreTableError, optional
from benchinfer.scores.formats.packed import refuse_archive
from benchinfer.scores.sources.frames import first_line

_SMALL = 1_000_000  # cells that any sheet may have
_MOST_TIMES = 20  # empty cells of a sheet of scores are at most as many for each value


def excel_file(path: Path, typed: str) -> object:
    """Return the one sheet of an Excel file that holds cells."""
    import pandas as pd

    if path.suffix.casefold() != ".xls":
        optional("openpyxl", "excel")
    try:
        refuse_archive(path, typed)
        _refuse_far_cells(path, typed)
        sheets = pd.read_excel(path, sheet_name=None)
    except ScoreTableError:
        raise
    except ImportError:
        raise ScoreTableError(
            f"{typed!r} is of an old kind of Excel file.", hint="save it as .xlsx."
        ) from None
    except Exception as error:  # noqa: BLE001 - zip, XML and openpyxl each raise their own
        raise ScoreTableError(
            f"{typed!r} cannot be read as Excel: {first_line(error)}",
            hint="the file is damaged or of another kind: save it once more, or as CSV.",
        ) from None
    used = {name: sheet for name, sheet in sheets.items() if len(sheet.columns)}
    if len(used) > 1:
        raise ScoreTableError(
            f"{typed!r} holds {len(used)} sheets: {', '.join(map(str, used))}.",
            hint="save one as a file of its own, or read it by pandas and pass the frame.",
        )
    return next(iter({**sheets, **used}.values()))


def _refuse_far_cells(path: Path, typed: str) -> None:
    """Raise a ScoreTableError where cells lie so far apart that nearly all between are empty."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            sheet = _Extent()
            with archive.open(name) as part, suppress(expat.ExpatError, ValueError):
                sheet.read(part)  # other parts, such as pictures, have no cells
            cells = sheet.rows * sheet.columns
            if cells > max(_SMALL, _MOST_TIMES * sheet.written):
                raise ScoreTableError(
                    f"a sheet of {typed!r} reaches over {sheet.rows:,} rows and"
                    f" {sheet.columns:,} columns, and has {sheet.written:,} values.",
                    hint="delete the cells that lie far from the table.",
                )


class _Extent:
    """Rows and columns up to the last value of a sheet, and how many values there are."""

    def __init__(self) -> None:
        self.rows = self.columns = self.written = 0
        self._row = self._column = 0

    def read(self, part: IO[bytes]) -> None:
        """Read a part of the file."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.ParseFile(part)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        kind = name.rpartition(":")[2]
        if kind == "row":
            self._row, self._column = int(attributes.get("r", self._row + 1)), 0
        elif kind == "c":
            self._column = _column(attributes.get("r", "")) or self._column + 1
        elif kind in ("v", "is"):  # others have a style alone
            self.rows, self.columns = max(self.rows, self._row), max(self.columns, self._column)
            self.written += 1


def _column(place: str) -> int:
    """Return the number of the column of a place.

    Examples
    --------
    >>> _column("A1"), _column("AB10"), _column("XFD1048576")
    (1, 28, 16384)
    """
    number = 0
    for letter in place.rstrip("0123456789"):
        number = 26 * number + ord(letter.upper()) - ord("A") + 1
    return number
