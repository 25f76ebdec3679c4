"""Effects of factors beside R's lme4 and emmeans on the same table, and on a published study.

Run as ``python benchmarks/factors.py [encoders_results.parquet]``, with R. The table has 10 data
sets, three factors of two levels and three seeds; effects of one factor differ between data sets.
The file is that of the study of encoders in the repository DrCohomology/genexpy. CPU time is that
of one process, with imports.
"""

import io
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import benchinfer as bi

FACTORS = ["backbone", "aug", "optimiser"]
SCRIPT = """
suppressMessages({library(lme4); library(emmeans)})
runs <- read.csv(commandArgs(TRUE)[1])
means <- aggregate(accuracy ~ dataset + backbone + aug + optimiser, runs, mean)
fit <- lmer(accuracy ~ (backbone + aug + optimiser)^2 + (1 | dataset), means)
for (f in c("backbone", "aug", "optimiser")) {
  x <- as.data.frame(pairs(suppressMessages(emmeans(fit, f))))
  cat(f, x$estimate, x$SE, "\\n")
}
for (f in list(c("backbone", "aug"), c("backbone", "optimiser"), c("aug", "optimiser"))) {
  x <- as.data.frame(contrast(suppressMessages(emmeans(fit, f)), interaction = "pairwise"))
  cat(paste(f, collapse = "_x_"), x$estimate, x$SE, "\\n")
}
"""


def runs() -> pd.DataFrame:
    """Return the table: vit .02, mixup .01 and both together .01 better; mixup helps unequally."""
    rng = np.random.default_rng(1)
    levels = [[f"d{d}" for d in range(10)], ["resnet", "vit"], ["mixup", "none"], ["adam", "sgd"]]
    index = pd.MultiIndex.from_product([*levels, range(3)], names=["dataset", *FACTORS, "seed"])
    table = index.to_frame(index=False)
    vit, mixup = table["backbone"] == "vit", table["aug"] == "mixup"
    gain = 0.01 + rng.normal(0, 0.008, 10)[table["dataset"].str[1:].astype(int)]
    table["accuracy"] = 0.75 + 0.02 * vit + gain * mixup + 0.01 * (vit & mixup)
    table["accuracy"] += rng.normal(0, 0.005, len(table))
    return table


def beside_r() -> None:
    """Print estimates and errors of both."""
    table = runs()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.csv"
        table.to_csv(path, index=False)
        (Path(folder) / "fit.R").write_text(SCRIPT, encoding="utf-8")
        command = ["Rscript", str(Path(folder) / "fit.R"), str(path)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    theirs = pd.read_csv(io.StringIO(printed), sep=" ", header=None, index_col=0)
    roles = dict.fromkeys(FACTORS, "factor")
    result = bi.compare_factors(bi.read_scores(table, measures="accuracy:higher", columns=roles))
    main = result.contrasts(all=True)
    double = result.interactions()
    rows = [*main.to_dict("records"), *double.to_dict("records")]
    print("| effect | estimate | of emmeans | error | of lmer | adjusted p |")
    print("|---|--:|--:|--:|--:|--:|")
    for (name, other), row in zip(theirs.iterrows(), rows, strict=True):
        effect = str(name).replace("_x_", " x ")
        numbers = [row["estimate"], other[1], row["std_error"], other[2]]
        print(f"| {effect} | {' | '.join(f'{x:.4f}' for x in numbers)} | {row['p_value']:.3f} |")


def encoders(path: str) -> None:
    """Print the effects of the factors of the study of encoders."""
    start = time.process_time()
    names = ["dataset", "model", "scoring", "tuning", "encoder", "cv_score"]
    table = pd.read_parquet(path)[names].astype({"dataset": str})
    roles = dict.fromkeys(names[1:5], "factor")
    scores = bi.read_scores(table, measures="cv_score:higher", columns=roles)
    result = bi.compare_factors(scores)
    print(
        f"{time.process_time() - start:.1f} s, {len(table):,} rows, {len(scores.algorithms)} cells"
    )
    print(result.sentence())


if __name__ == "__main__":
    beside_r()
    if sys.argv[1:]:
        encoders(sys.argv[1])
