"""Seeded score tables of odd shapes, scales, labels and gaps, in every kind of source."""

import csv
import json
import math
import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import benchinfer as bi

type Row = dict[str, Any]
type Cells = dict[tuple[str, str, str], list[float]]

PLAIN = "abcdefghijkl"
ODD = [
    *("a b", " a", "a ", "nan", "NaN", "None", "null", "NA", "True", "False", "1", "01", "1.5"),
    *(
        "1e-3",
        "-",
        "é",
        "e\u0301",
        "日本",
        "a,b",
        'a"b',
        "a'b",
        "a\nb",
        "a\tb",
        "a;b",
        "a|b",
        "a/b",
    ),
    *("x" * 300, "[b]", "<i>", "{}", "%s", "\\alpha", "$x$", "_", "#", "a > b", "~", "*", "inf"),
    *("\u200b", "\u202eabc", "value", "dataset", "2020-01-01", "🙂", "A", "a", "total", "\x1b[31m"),
]
SCALES = (1.0, 1.0, 1.0, 1e-300, 1e-150, 1e-9, 1e9, 1e150, 1e300)


@dataclass(frozen=True)
class OddTable:
    """Rows of a table, and how they are to be read.

    Attributes
    ----------
    rows
        Labels, and a score or None for each measure.
    measures
        Name to measure.
    plain
        Whether names are letters with digits, which any kind of file holds.
    options
        Further arguments of `read_scores`.
    """

    rows: list[Row]
    measures: list[bi.Measure]
    plain: bool
    options: dict[str, Any]

    def cells(self) -> Cells:
        """Collect the scores of each cell, in order of size."""
        held: Cells = defaultdict(list)
        for row in self.rows:
            for measure in self.measures:
                value = row[measure.name]
                if value is not None and not math.isnan(value):
                    place = measure.name, str(row["dataset"]), str(row["algorithm"])
                    held[place].append(float(value))
        return {place: sorted(values) for place, values in held.items()}

    def without(self) -> int:
        """Count the rows and measures without a score."""
        return len(self.rows) * len(self.measures) - sum(map(len, self.cells().values()))


def draw(seed: int) -> OddTable:
    """Draw a table."""
    rng = random.Random(seed)  # noqa: S311 - tables, no secrets
    plain = rng.random() < 0.6
    datasets = _names(rng, rng.choice([1, 1, 2, 3, 4, 6, 12]), "d", plain=plain)
    algorithms = _names(rng, rng.choice([1, 2, 2, 3, 3, 4, 8]), "m", plain=plain)
    replications = rng.choice([0, 1, 1, 2, 3, 5, 10])
    measures = [
        bi.Measure(name, rng.choice(["higher", "lower"]), rng.choice([0.0, 0.0, 0.1]))
        for name in ["score", "seconds", "error"][: rng.choice([1, 1, 1, 2, 3])]
    ]
    score = {m.name: _scorer(rng) for m in measures}
    gap, absent = rng.choice([0, 0, 0.05, 0.5]), rng.choice([0, 0, 0.1, 0.6])
    rows: list[Row] = []
    for i, dataset in enumerate(datasets):
        for replication in range(max(replications, 1)):
            for k, algorithm in enumerate(algorithms):
                if rng.random() < absent:
                    continue
                row: Row = {"dataset": dataset, "algorithm": algorithm}
                if replications:
                    row["replication"] = replication
                for m in measures:
                    row[m.name] = None if rng.random() < gap else score[m.name](i, k)
                rows.append(row)
    options = _odder(rows, measures[0].name, rng)
    rng.shuffle(rows)
    return OddTable(rows, measures, plain, options)


def _odder(rows: list[Row], measure: str, rng: random.Random) -> dict[str, Any]:
    """Put repeats, a covariate or an infinite score into some tables, and return how to read it."""
    options: dict[str, Any] = {}
    if rows and rng.random() < 0.15:
        rows += map(dict, rng.choices(rows, k=rng.randint(1, 3)))
        options["repeats"] = rng.choice(["keep", "error"])
    if rng.random() < 0.15:
        for row in rows:
            row["size"] = len(row["dataset"]) + 0.5
        options["covariates"] = "size"
    if rng.random() < 0.3:
        options["paired"] = rng.random() < 0.5
    if rows and rng.random() < 0.04:
        rng.choice(rows)[measure] = rng.choice([math.inf, -math.inf])
    return options


def _names(rng: random.Random, n: int, letter: str, *, plain: bool) -> list[str]:
    names = rng.sample(ODD, n)
    return [f"{letter}{i}" for i in range(n)] if plain or rng.random() < 0.3 else names


def _scorer(rng: random.Random) -> Callable[[int, int], float]:
    """Draw a kind of scores: a function of the places of data set and algorithm."""
    scale = rng.choice(SCALES)
    effect, level = rng.choice([0, 0.5, 3]), rng.choice([0, 1, 100])
    kind = rng.randrange(12)

    def score(i: int, k: int) -> float:
        z, u = rng.gauss(0, 1), rng.random()
        kinds = (
            *(
                scale * (z + level * i + effect * k),
                scale * (z + effect * k),
                scale * u,
                -scale * u,
            ),
            *(scale, scale * k, scale * i, round(u, 1), float(int(u * (3 + k)))),
            float(u < 1 / (2 + i + effect * k)),
            min(100.0, max(0.0, 90 + 10 * z + effect * k)),
            rng.choice([0.0, -0.0, 1e-320, 1.0, math.exp(100 * z), 1e6 + 1e-6 * z]),
        )
        return kinds[kind]

    return score


def frame(table: OddTable) -> pd.DataFrame:
    """Return the rows as a frame."""
    names = ["dataset", "algorithm", *(m.name for m in table.measures)]
    held = pd.DataFrame(
        table.rows, columns=list({**dict.fromkeys(names), **(table.rows or [{}])[0]})
    )
    return held.astype({m.name: float for m in table.measures})


def in_pandas(table: OddTable, _: Path) -> object:
    return frame(table)


def in_categories(table: OddTable, _: Path) -> object:
    return frame(table).astype({"dataset": "category", "algorithm": "category"})


def in_nullable(table: OddTable, _: Path) -> object:
    # pandas 2 tries whether infinite numbers are whole ones.
    with np.errstate(invalid="ignore"):
        return frame(table).convert_dtypes()


def in_objects(table: OddTable, _: Path) -> object:
    return pd.DataFrame(table.rows, columns=frame(table).columns, dtype=object)


def in_polars(table: OddTable, _: Path) -> object:
    return pl.from_pandas(frame(table))


def in_arrow(table: OddTable, _: Path) -> object:
    return pa.Table.from_pandas(frame(table), preserve_index=False)


def in_csv(table: OddTable, folder: Path) -> object:
    held = frame(table)
    with (folder / "scores.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(held.columns)
        for row in table.rows:
            writer.writerow(["" if row.get(c) is None else row[c] for c in held.columns])
    return folder / "scores.csv"


def in_lines(table: OddTable, folder: Path) -> object:
    lines = [json.dumps(row) + "\n" for row in table.rows]
    (folder / "scores.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder / "scores.jsonl"


def in_parquet(table: OddTable, folder: Path) -> object:
    frame(table).to_parquet(folder / "scores.parquet", index=False)
    return folder / "scores.parquet"


FRAMES = (in_pandas, in_categories, in_nullable, in_objects, in_polars, in_arrow, in_parquet)
FILES = (in_csv, in_lines)
