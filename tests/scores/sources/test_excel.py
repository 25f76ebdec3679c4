"""Excel files whose cells lie far apart, which libraries lay out in full."""

import resource
import time

import pytest
from openpyxl import Workbook
from openpyxl.styles import Font

import benchinfer as bi

ROWS = [["dataset", "algorithm", "acc"], *([f"d{d}", a, 0.5 + d] for d in range(3) for a in "ab")]


@pytest.fixture
def book(tmp_path):
    """Make a sheet of scores with some further cells."""

    def write(**cells):
        workbook = Workbook()
        for row in ROWS:
            workbook.active.append(row)
        for place, value in cells.items():
            workbook.active[place] = value
            workbook.active[place].font = Font(bold=True)
        workbook.save(tmp_path / "x.xlsx")
        return tmp_path / "x.xlsx"

    return write


@pytest.mark.parametrize("place", ["XFD1048576", "A1048576", "XFD200"])
def test_cells_far_from_the_table_are_refused_before_they_are_laid_out(book, place):
    path = book(**{place: 1})
    start, memory = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(bi.ScoreTableError, match=r"a sheet of .* and has 22 values\.\nHint: del"):
        bi.read_scores(path, measures="acc:higher")
    assert time.process_time() - start < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 200 << 10


@pytest.mark.slow
def test_cells_without_a_value_are_no_cells(book):
    assert bi.read_scores(book(A1048576=None), measures="acc:higher").n_rows == len(ROWS) - 1
