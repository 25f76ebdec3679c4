"""The table of sklearn_bootstrap with holes: writes scores.csv.gz.

Run as ``python datasets/sklearn_bootstrap_incomplete/make.py``; needs the standard library only.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from holes import without_cell, without_share
from score_file import read_rows, write_rows

HERE = Path(__file__).resolve().parent
COMPLETE = HERE.parent / "sklearn_bootstrap" / "scores.csv.gz"
MISSING_SHARE = 0.05
SEED = 2005


def main() -> None:
    """Empty one cell, then drop a share of the other rows."""
    rows = without_cell(read_rows(COMPLETE), dataset="digits", algorithm="svm")
    write_rows(HERE / "scores.csv.gz", without_share(rows, MISSING_SHARE, SEED))


if __name__ == "__main__":
    main()
