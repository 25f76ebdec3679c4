"""Agarwal et al. (2021): aggregates of runs on 26 games, printed by Micheli et al. (2023)."""

import json
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

import benchinfer as bi
from benchinfer.reproductions.entry import Entry, SourceFile, numbers


def _compute(*paths: Path) -> Mapping[str, float]:
    iris, random, human = (json.loads(path.read_text("utf-8")) for path in paths)
    runs = [
        {"dataset": game, "replication": run, "algorithm": "IRIS", "score": score}
        for game, values in iris.items()
        for run, score in enumerate(values)
    ]
    # A second agent that plays at random: a table needs two.
    runs += [
        {"dataset": game, "replication": run, "algorithm": "random", "score": random[game][0]}
        for game, values in iris.items()
        for run, _ in enumerate(values)
    ]
    scores = bi.read_scores(pd.DataFrame(runs), measures="score:higher", resampling="seeds")
    single = {"random": random, "human": human}
    references = {name: {game: v[0] for game, v in of.items()} for name, of in single.items()}
    result = bi.compare_bootstrap(
        scores.normalise(references), statistic="mean", resamples=200, seed=1
    )
    estimates = result.summary().set_index("algorithm")["estimate"]
    above = sum(sum(values) / len(values) >= human[game][0] for game, values in iris.items())
    return {"IRIS, mean human-normalised score": estimates["IRIS"], "IRIS, games": above}


_FILES = {
    "IRIS.json": "40f45fc2b02e4830e90476ab41ada4251682d9ccc8edaa7b8e25f0ec51bafb5f",
    "RANDOM.json": "d991976d38c53610f420a21fc61e1ac56045d9437d4df4b2467088610e83d7ea",
    "HUMAN.json": "0889ab6b260a3412477c377cb3f5a8bf03b9f4bd1cbdc295d6e311e2bbc09ea4",
}
ENTRY = Entry(
    name="agarwal2021",
    study="agarwal2021",
    title="Aggregates of runs on 26 games of Atari 100k",
    files=tuple(
        SourceFile(name, "eloialonso/iris, results/data, commit 75e5ab57", digest)
        for name, digest in _FILES.items()
    ),
    licence="GPL-3",
    published=(
        *numbers(
            "abstract of Micheli et al. (2023)",
            {"IRIS, mean human-normalised score": 1.046},
            0.0005,
        ),
        *numbers("abstract of Micheli et al. (2023)", {"IRIS, games": 10}, 0),
    ),
    compute=_compute,
)
