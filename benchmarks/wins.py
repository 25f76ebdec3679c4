"""Bradley-Terry models of wins: CPU seconds against the size of the table.

Run as ``python benchmarks/wins.py``. CPU time over all threads of the whole comparison, from
counting wins to the tables of contrasts and worths: by maximum likelihood with robust errors, by
the posterior of independent contests, and by the posterior with worths of each data set (8 chains
of 1,000 draws), with the largest R-hat and the smallest effective sample size of the chains. Large
tables by the likelihood alone, complete and with a tenth of the cells missing.
"""

import time

import numpy as np
import pandas as pd

import benchinfer as bi
from benchinfer.analyses.wins.posterior import WinPosterior

SIZES = ((20, 5), (54, 5), (30, 10), (54, 10), (30, 20), (112, 40))
LARGE = ((300, 50), (1000, 100))


def simulated(datasets: int, algorithms: int, missing: float = 0.0) -> bi.ScoreTable:
    """Return scores of algorithms whose levels differ, with the noise of Bradley-Terry models."""
    rng = np.random.default_rng([11, datasets, algorithms])
    score = np.linspace(-1.5, 1.5, algorithms) + rng.gumbel(size=(datasets, algorithms))
    m, k = np.nonzero(rng.random(score.shape) >= missing)
    rows = {
        "dataset": [f"d{i:03}" for i in m],
        "algorithm": [f"a{i:02}" for i in k],
        "score": score[m, k],
    }
    return bi.read_scores(pd.DataFrame(rows), measures={"score": "higher"})


def measured(scores: bi.ScoreTable, **asked: object) -> str:
    """Compare; return CPU seconds, and of a posterior how far the chains settled."""
    start = time.process_time()
    try:
        found = bi.compare_wins(scores, **asked)  # pyright: ignore[reportArgumentType]
    except bi.DesignError as error:
        return f"refused: {str(error).splitlines()[0]}"
    found.contrasts(all=True)
    found.summary()
    seconds = f"{time.process_time() - start:.2f}"
    inference = found.inference
    if not isinstance(inference, WinPosterior):
        return seconds
    settled = inference.convergence
    largest = max(settled.r_hat, settled.r_hat_effects)
    more = ", run on" if inference.extended else ""
    return f"{seconds} ({largest:.3f}, {min(settled.bulk, settled.tail):.0f}{more})"


def main() -> None:
    """Print a table."""
    # What is imported and compiled at the first call is not of the comparison.
    measured(simulated(10, 3), inference="bayes", seed=1, ties="half", departures=True)
    print("| data sets x algorithms | likelihood | posterior | with departures |")
    print("|---|--:|--:|--:|")
    for datasets, algorithms in SIZES:
        scores = simulated(datasets, algorithms)
        posterior = {"inference": "bayes", "seed": 1, "ties": "half"}
        cells = [
            measured(scores),
            measured(scores, **posterior),
            measured(scores, **posterior, departures=True),
        ]
        print(f"| {datasets} x {algorithms} | {' | '.join(cells)} |", flush=True)
    print("\n| data sets x algorithms | complete | 10 % missing |\n|---|--:|--:|")
    for datasets, algorithms in LARGE:
        cells = [measured(simulated(datasets, algorithms, missing)) for missing in (0.0, 0.1)]
        print(f"| {datasets} x {algorithms} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
