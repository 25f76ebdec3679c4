"""The AUCs that Demsar (2006) prints in Table 6: writes scores.csv.

Run as ``python datasets/demsar2006/make.py``; needs the standard library only.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from score_file import write_rows

ALGORITHMS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")

# As printed, three decimals, one row per data set in the order of ALGORITHMS.
TABLE = {
    "adult (sample)": ("0.763", "0.768", "0.771", "0.798"),
    "breast cancer": ("0.599", "0.591", "0.590", "0.569"),
    "breast cancer wisconsin": ("0.954", "0.971", "0.968", "0.967"),
    "cmc": ("0.628", "0.661", "0.654", "0.657"),
    "ionosphere": ("0.882", "0.888", "0.886", "0.898"),
    "iris": ("0.936", "0.931", "0.916", "0.931"),
    "liver disorders": ("0.661", "0.668", "0.609", "0.685"),
    "lung cancer": ("0.583", "0.583", "0.563", "0.625"),
    "lymphography": ("0.775", "0.838", "0.866", "0.875"),
    "mushroom": ("1.000", "1.000", "1.000", "1.000"),
    "primary tumor": ("0.940", "0.962", "0.965", "0.962"),
    "rheum": ("0.619", "0.666", "0.614", "0.669"),
    "voting": ("0.972", "0.981", "0.975", "0.975"),
    "wine": ("0.957", "0.978", "0.946", "0.970"),
}


def main() -> None:
    """Write the printed table in the long format."""
    rows = [
        (dataset, "1", algorithm, "AUC", value)
        for dataset, values in TABLE.items()
        for algorithm, value in zip(ALGORITHMS, values, strict=True)
    ]
    write_rows(Path(__file__).resolve().parent / "scores.csv", rows)


if __name__ == "__main__":
    main()
