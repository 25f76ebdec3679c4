"""No interaction and no replication effect, in truth and in the estimates: writes scores.csv.zst.

Run as ``python datasets/simulated/singular/make.py``; needs NumPy.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from score_file import write_rows
from simulate import Truth, simulate

TRUTH = Truth(
    mean=0.7,
    effects=(0.04, 0.035, 0.0, -0.075),
    dataset_sd=0.08,
    interaction_sd=(0.0,) * 4,
    replication_sd=0.0,
    residual_sd=(0.02,) * 10,
)
REPLICATIONS = (8,) * 10
SEED = 4  # the smallest with both mean squares below the pooled one: estimates exactly 0

if __name__ == "__main__":
    write_rows(Path(__file__).with_name("scores.csv.zst"), simulate(TRUTH, REPLICATIONS, SEED))
