"""The score model beside lme4 and statsmodels (fits only), on the same tables, in one run.

Ours includes sufficient statistics, fit, Kenward-Roger and Satterthwaite degrees of freedom and the
standard errors of all pairs, from numpy arrays, under the common structure. CPU seconds over all
threads, best of three (one for fits over 10 s). Needs R with lme4 on the PATH; prints its BLAS.
A second table has the single-step probabilities of all pairs and whole calls of compare_mixed, on
tables of 10 % missing scores, and the cost against the number of replications.
"""

import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import benchinfer as bi
from benchinfer.analyses.mixed.numerics import degrees, likelihood, moments, optimum
from benchinfer.numerics import covariance, max_t

# (data sets, replications, algorithms)
SHAPES = [(20, 25, 6), (54, 100, 5), (21, 250, 6), (112, 30, 40), (100, 100, 20)]
# statsmodels takes a dense covariance per data set: minutes beyond this many rows.
STATSMODELS_ROWS = 5_000

R_SCRIPT = """
suppressMessages(library(lme4))
path <- commandArgs(TRUE)[1]
data <- read.csv(path, stringsAsFactors = TRUE)
data$replication <- factor(data$replication)
cpu <- Inf
for (i in 1:3) {
  used <- system.time(suppressMessages(suppressWarnings(lmer(
    value ~ algorithm + (1|dataset) + (1|dataset:algorithm) + (1|dataset:replication), data))))
  cpu <- min(cpu, sum(used[c("user.self", "sys.self")]))
  if (cpu > 10) break
}
cat(sprintf('{"cpu": %.6f, "lme4": "%s", "blas": "%s"}', cpu, packageVersion("lme4"),
            basename(extSoftVersion()["BLAS"])))
"""


def table(shape: tuple[int, int, int], missing: float) -> tuple[NDArray[np.int64], ...]:
    """Draw a table as blocks: data set of each block, counts, scores."""
    d, b, k = shape
    rng = np.random.default_rng(20120314)
    y = rng.normal(size=(d, 1, 1)) + 0.5 * rng.normal(size=(d, 1, k))
    y = y + 0.3 * rng.normal(size=(d, b, 1)) + rng.normal(size=(d, b, k))
    count = (rng.random((d * b, k)) >= missing).astype(np.int64)
    count[count.sum(axis=1) == 0, 0] = 1
    return np.repeat(np.arange(d), b), count, y.reshape(-1, k)


def best(run: Callable[[], object]) -> float:
    """Return the least CPU time of three runs, or of one that takes over 10 s."""
    least = np.inf
    for _ in range(3):
        start = time.process_time()
        run()
        least = min(least, time.process_time() - start)
        if least > 10:
            break
    return least


def ours(dataset: NDArray[np.int64], count: NDArray[np.int64], mean: NDArray[np.float64]) -> None:
    """Statistics, fit, both degrees of freedom and standard errors of all pairs."""
    stats = moments.from_blocks(dataset, count, mean, np.zeros(dataset.max() + 1))
    fit = optimum.fit(stats, likelihood.COMPONENTS[:3])
    _, contrasts = max_t.all_pairs(count.shape[1])
    adjusted = degrees.kenward_roger(fit, contrasts)
    degrees.satterthwaite(fit, contrasts)
    np.sqrt(np.einsum("jp,pq,jq->j", contrasts, adjusted.cov, contrasts))


def long(
    dataset: NDArray[np.int64], count: NDArray[np.int64], mean: NDArray[np.float64]
) -> pd.DataFrame:
    """Return the rows that R and statsmodels read."""
    block, algorithm = np.nonzero(count)
    return pd.DataFrame(
        {
            "dataset": [f"d{i:04d}" for i in dataset[block]],
            "replication": block,
            "algorithm": [f"a{i:02d}" for i in algorithm],
            "value": mean[block, algorithm],
        }
    )


def lme4(rows: pd.DataFrame, folder: Path) -> dict[str, str | float]:
    """Fit by lmer; return its CPU time and versions."""
    rows.to_csv(folder / "rows.csv", index=False)
    (folder / "fit.R").write_text(R_SCRIPT)
    command = ["Rscript", str(folder / "fit.R"), str(folder / "rows.csv")]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def statsmodels(rows: pd.DataFrame) -> float:
    """Fit by MixedLM; return its CPU time."""
    from statsmodels.regression.mixed_linear_model import MixedLM

    formulas = {"a": "0 + C(algorithm)", "r": "0 + C(replication)"}

    def run() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # convergence is its own matter
            MixedLM.from_formula(
                "value ~ algorithm", rows, groups="dataset", re_formula="1", vc_formula=formulas
            ).fit(reml=True)

    start = time.process_time()
    run()
    return time.process_time() - start


def whole_calls() -> None:
    """Print what single-step probabilities and whole calls cost."""
    print("\n| D, B, K | pairs | statistics, fit, df ms | single step ms | common ms | auto ms |")
    print("|---|---|---|---|---|---|")
    for shape in [(20, 25, 5), (54, 100, 5), (54, 400, 5), (40, 20, 15), (40, 10, 50)]:
        blocks = table(shape, 0.1)
        scores = bi.read_scores(long(*blocks), measures={"value": "higher"})
        fit = optimum.fit(
            moments.from_blocks(*blocks, np.zeros(shape[0])), likelihood.COMPONENTS[:3]
        )
        _, contrasts = max_t.all_pairs(shape[2])
        errors = degrees.kenward_roger(fit, contrasts)
        size = np.abs(contrasts @ fit.beta) / np.sqrt(
            np.einsum("jp,pq,jq->j", contrasts, errors.cov, contrasts)
        )

        def joint(
            contrasts: NDArray[np.float64] = contrasts,
            errors: covariance.Adjusted = errors,
            size: NDArray[np.float64] = size,
        ) -> None:
            family = max_t.max_t(contrasts, errors.cov, float(errors.df.min()))
            max_t.quantile(family, 0.05)
            max_t.survival(family, size)

        with threadpool_limits(1):
            times = [
                best(lambda blocks=blocks: ours(*blocks)),
                best(joint),
                best(lambda scores=scores: bi.compare_mixed(scores, structure="common")),
                best(lambda scores=scores: bi.compare_mixed(scores)),
            ]
        cells = [", ".join(map(str, shape)), f"{len(contrasts):,}"]
        print("| " + " | ".join(cells + [f"{1000 * t:.1f}" for t in times]) + " |", flush=True)


def main() -> None:
    """Print one row per table."""
    print("| D, B, K | missing | rows | benchinfer ms | lmer ms | ratio | statsmodels s | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    versions = ""
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            for missing in (0.0, 0.1):
                blocks = table(shape, missing)
                with threadpool_limits(1):
                    mine = best(lambda blocks=blocks: ours(*blocks))
                rows = long(*blocks)
                theirs = lme4(rows, Path(folder))
                versions = f"lme4 {theirs['lme4']}, BLAS {theirs['blas']}"
                cells = [", ".join(map(str, shape)), f"{missing:.0%}", f"{len(rows):,}"]
                cells += [f"{1000 * mine:.1f}", f"{1000 * theirs['cpu']:.0f}"]
                cells += [f"{theirs['cpu'] / mine:.0f}"]
                slow = statsmodels(rows) if len(rows) <= STATSMODELS_ROWS else None
                cells += ["", ""] if slow is None else [f"{slow:.1f}", f"{slow / mine:.0f}"]
                print("| " + " | ".join(cells) + " |", flush=True)
    whole_calls()
    print(f"\nPython {sys.version.split()[0]}, numpy {np.__version__}; {versions}")


if __name__ == "__main__":
    main()
