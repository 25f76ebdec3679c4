"""Spread that depends on the data set and on the algorithm, and twins: writes scores.csv.zst.

Run as ``python datasets/simulated/heteroscedastic/make.py``; needs NumPy.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from score_file import write_rows
from simulate import Truth, simulate

TRUTH = Truth(
    mean=0.7,
    effects=(0.02, 0.01, 0.0, -0.0145, -0.0155),
    dataset_sd=0.08,
    interaction_sd=(0.005, 0.01, 0.02, 0.04, 0.04),
    replication_sd=0.005,
    residual_sd=tuple(0.005 * 16 ** (m / 19) for m in range(20)),
    twins=(3, 4),
    twin_correlation=0.995,
)
REPLICATIONS = (6,) * 20
SEED = 3

if __name__ == "__main__":
    write_rows(Path(__file__).with_name("scores.csv.zst"), simulate(TRUTH, REPLICATIONS, SEED))
