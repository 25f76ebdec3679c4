"""Run scikit-learn classifiers until it is decided which of them is better, and no longer.

Each replication is a bootstrap sample of one data set; the error is measured on what it left out.
Run as ``python docs/examples/stop_early.py FOLDER``; scores and state stay in FOLDER, so that the
experiment can be interrupted and goes on where it was. It needs scikit-learn.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import benchinfer as bi
from benchinfer.analyses.monitor.comparison import MonitorComparison

ALGORITHMS = {
    "knn": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "svm": make_pipeline(StandardScaler(), SVC()),
    "tree": DecisionTreeClassifier(random_state=0),
}
STAGE, LAST = 20, 5


def error(algorithm: str, replication: int) -> float:
    """Train on a bootstrap sample, which the replication's number seeds; return the error."""
    features, target = load_breast_cancer(return_X_y=True)
    drawn = np.random.default_rng(replication).integers(0, len(target), len(target))
    left_out = np.setdiff1d(np.arange(len(target)), drawn)
    model = clone(ALGORITHMS[algorithm]).fit(features[drawn], target[drawn])
    return float(np.mean(model.predict(features[left_out]) != target[left_out]))


def asked(folder: Path) -> MonitorComparison:
    """Ask how the experiment stands."""
    scores = bi.read_scores(
        folder / "scores.csv",
        measures={"error": "lower"},
        layout="wide-measures",
        resampling="bootstrap",
    )
    return bi.monitor(scores, stage=STAGE, last_stage=LAST, state=folder / "state.json")


def cells_of(found: MonitorComparison) -> list[tuple[str, str]]:
    """Return the replications and algorithms to run next."""
    table = found.next_cells()
    return list(zip(table["replication"], table["algorithm"], strict=True))


def main(folder: Path) -> None:
    """Run the cells that are asked for until the experiment can stop."""
    table = folder / "scores.csv"
    if not table.exists():
        table.write_text("dataset,replication,algorithm,error\n", encoding="utf-8")
    with table.open(encoding="utf-8", newline="") as file:
        done = {(row["replication"], row["algorithm"]) for row in csv.DictReader(file)}
    first = [(str(r), name) for r in range(1, STAGE + 1) for name in ALGORITHMS]
    cells = [cell for cell in first if cell not in done] or cells_of(asked(folder))
    while cells:
        for replication, name in cells:
            score = error(name, int(replication))
            with table.open("a", encoding="utf-8", newline="") as file:
                csv.writer(file).writerow(["breast_cancer", replication, name, score])
        cells = cells_of(found := asked(folder))
        print(found)
    found = asked(folder)
    print(found.contrasts(all=True)[["first", "second", "estimate", "n_used", "state"]].to_string())
    whole, run = STAGE * LAST * len(ALGORITHMS), int(found.summary()["n"].sum())
    print(f"{run} of {whole} runs; {whole - run} saved.")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
