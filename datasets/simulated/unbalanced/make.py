"""Unequal numbers of replications, rows missing, one cell empty: writes scores.csv.zst.

Run as ``python datasets/simulated/unbalanced/make.py``; needs NumPy.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from holes import without_cell, without_share
from score_file import write_rows
from simulate import Truth, simulate

TRUTH = Truth(
    mean=0.7,
    effects=(0.04, 0.035, 0.0, -0.075),
    dataset_sd=0.08,
    interaction_sd=(0.02,) * 4,
    replication_sd=0.01,
    residual_sd=(0.02,) * 8,
)
REPLICATIONS = (4, 5, 6, 8, 8, 10, 12, 15)
MISSING_SHARE = 0.1
SEED = 2


def main() -> None:
    """Simulate the complete table, empty one cell, drop a share of the other rows."""
    rows = without_cell(simulate(TRUTH, REPLICATIONS, SEED), dataset="d03", algorithm="alg2")
    write_rows(Path(__file__).with_name("scores.csv.zst"), without_share(rows, MISSING_SHARE, SEED))


if __name__ == "__main__":
    main()
