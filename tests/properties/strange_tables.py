"""Seeded tables as strangers have them: labels and scores of any type, from any source."""

import inspect
import json
import random
import warnings
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import parquet
from typer.testing import CliRunner

import benchinfer as bi
from benchinfer.cli.app import app
from benchinfer.core.errors import BenchinferError
from tests.forked import outcomes
from tests.properties.odd_tables import ODD, SCALES
from tests.scores.mutated import attempt, proposed

_SECONDS = 120
_START = datetime(2026, 1, 1, tzinfo=UTC)
LABELS: tuple[Callable[[int], object], ...] = (
    *(lambda i: f"d{i}", lambda i: i, lambda i: i + 0.5, lambda i: date(2026, 1, 1 + i)),
    *(lambda i: _START + timedelta(hours=i), lambda i: timedelta(days=i), lambda i: Decimal(i) / 4),
    *(lambda i: [f"d{i}", i, i + 0.5, None, True][i % 5], lambda i: i == 0, lambda i: f"{i:02d}"),
    *(
        lambda i: -i,
        lambda i: 10**20 + i,
        lambda i: b"d%d" % i,
        lambda i: (i, "x"),
        ODD.__getitem__,
    ),
    *(lambda i: f" d{i} ", lambda i: "D" if i % 2 else "d", lambda i: None if i == 1 else f"d{i}"),
    *(lambda i: float("nan") if i == 2 else float(i), lambda i: "d" * (1 + 400 * i)),
)
SCORES: tuple[Callable[[float], object], ...] = (
    *(lambda z: z, lambda z: round(z, 1), lambda z: z > 0, lambda z: int(z > 0), lambda _: 0.5),
    *(str, lambda z: f"{z:.3f}", lambda z: f"{100 * z:.1f}%", lambda z: f"{z:.2f}s"),
    *(lambda z: f"{z:.3f}".replace(".", ","), lambda z: Decimal(f"{z:.4f}"), round),
    *(lambda z: [z, "timeout", None, "n/a", ""][int(abs(z) * 100) % 5], complex),
    *(np.float32, lambda z: z if z > -1 else float("inf"), lambda z: [z, z + 1]),
    *(lambda z: {"mean": z}, lambda z: f"{z:.2f} ± 0.1", lambda z: timedelta(seconds=abs(z))),
    *(
        lambda z: date(2026, 1, 1) + timedelta(days=int(z) % 9999),
        lambda z: -abs(z),
        lambda z: 10**20 * z,
    ),
    *(
        lambda z: z if abs(z) < 1 else float("nan"),
        lambda z: 1e-320 * z,
        lambda z: 2**60 + round(z),
    ),
)
EXTRA: tuple[tuple[str, Callable[[int], object]], ...] = (
    *(("seed", lambda i: i % 3), ("status", lambda i: ["ok", "crash"][i % 7 == 0])),
    *(("time", lambda i: 0.1 * i), ("dataset ", lambda _: "x"), ("Unnamed: 0", lambda i: i)),
    *(("benchmark", lambda i: i % 2), ("std", lambda _: 0.1), ("n", lambda _: 10)),
    *(("domain", lambda i: f"g{i % 2}"), ("epoch", lambda i: i % 4), ("", lambda i: i)),
    *(("value", lambda i: i), ("x" * 300, lambda i: i), ("notes", lambda i: f"row {i}\n")),
    *(("index", lambda i: -i), ("error", lambda _: None), ("config", lambda i: {"lr": i})),
)
NAMES = (
    ("dataset", "algorithm", "replication", "acc"),
    ("dataset", "algorithm", "fold", "score"),
    ("task", "model", "seed", "accuracy"),
    ("Data Set", "Method", "Run", "Error rate"),
    ("problem", "solver", "instance", "seconds"),
    ("a", "b", "c", "d"),
    ("env_id", "agent", "run", "return"),
    ("domain", "dataset", "algorithm", "value"),
    ("data.id", "learner.id", "iter", "mmce"),
)


def draw(rng: random.Random) -> tuple[list[dict[str, object]], tuple[str, ...]]:
    """Draw rows and the names of data set, algorithm, replication and score."""
    names = rng.choice(NAMES)
    of_dataset, of_algorithm = (_mostly(rng, LABELS) for _ in "da")
    of_score, scale = _mostly(rng, SCORES), rng.choice(SCALES)
    effect, level, gap = rng.choice([0, 0.5, 3]), rng.choice([0, 1, 50]), rng.choice([0, 0, 0, 0.3])
    sizes = rng.choice([1, 2, 3, 5, 8]), rng.choice([1, 2, 2, 3, 4, 6]), rng.choice([1, 1, 2, 5])
    rows: list[dict[str, object]] = []
    for i, m, n in np.ndindex(sizes):
        score = of_score(scale * (rng.gauss(0, 1) + effect * m + level * i))
        if not rows or rng.random() >= gap:
            values = of_dataset(i), of_algorithm(m), n, score
            rows.append(dict(zip(names, values, strict=True)))
    _stranger(rows, names, rng)
    return rows, names


def _mostly[T](rng: random.Random, kinds: tuple[T, ...]) -> T:
    """Draw the first kind in three of four tables."""
    return kinds[0] if rng.random() < 0.75 else rng.choice(kinds)


def _stranger(rows: list[dict[str, object]], names: tuple[str, ...], rng: random.Random) -> None:
    """Change columns, and a few rows, of some tables."""
    for name, values in rng.sample(EXTRA, rng.choice([0, 0, 0, 1, 2, 4])):
        for i, row in enumerate(rows):
            row.setdefault(name, values(i))
    for name in rng.sample(names[:3], rng.choice([0] * 8 + [1, 2])):
        for row in rows:
            row.pop(name, None)
    if rng.random() < 0.08:
        rows += [dict(row) for row in rng.choices(rows, k=rng.randint(1, 4))]
    if rng.random() < 0.08:
        rng.choice(rows)[rng.choice(list(rows[0]))] = rng.choice([None, "", "?", 1e400, "x", -1])
    if rng.random() < 0.02:
        del rows[1:]
    if rng.random() < 0.3:
        rng.shuffle(rows)


def _text(value: object) -> object:
    plain = isinstance(value, str | int | float | bool | None)
    return value if plain else str(value)


def in_rows(rows: list[dict[str, object]], _: Path) -> object:
    return rows


def in_pandas(rows: list[dict[str, object]], _: Path) -> object:
    return pd.DataFrame(rows)


def in_index(rows: list[dict[str, object]], _: Path) -> object:
    frame = pd.DataFrame(rows)
    return frame.set_index(list(frame.columns[:2]))


def in_categories(rows: list[dict[str, object]], _: Path) -> object:
    frame = pd.DataFrame([{k: _text(v) for k, v in row.items()} for row in rows])
    return frame.astype(dict.fromkeys(frame.columns[:2], "category"))


def in_columns_twice(rows: list[dict[str, object]], _: Path) -> object:
    frame = pd.DataFrame(rows)
    return pd.concat([frame, frame.iloc[:, -1:]], axis=1)


def wide(rows: list[dict[str, object]], _: Path) -> object:
    frame = pd.DataFrame(rows)
    spread = frame.columns[min(1, len(frame.columns) - 1)]
    try:
        return frame.pivot_table(index=frame.columns[0], columns=spread, aggfunc="first")
    except (TypeError, ValueError, KeyError):
        return frame


def in_polars(rows: list[dict[str, object]], _: Path) -> object:
    try:
        return pl.DataFrame(rows, strict=False)
    except (pl.exceptions.PolarsError, TypeError, OverflowError, ValueError):
        return pl.DataFrame([{k: str(v) for k, v in row.items()} for row in rows])


def in_arrow(rows: list[dict[str, object]], _: Path) -> object:
    try:
        return pa.Table.from_pylist(rows)
    except (pa.ArrowException, OverflowError):
        return pa.Table.from_pylist([{k: str(v) for k, v in row.items()} for row in rows])


def in_csv(rows: list[dict[str, object]], folder: Path) -> object:
    return _written(pd.DataFrame(rows), folder / "scores.csv", ",")


def in_tsv(rows: list[dict[str, object]], folder: Path) -> object:
    return _written(pd.DataFrame(rows), folder / "scores.tsv", "\t")


def in_semicolons(rows: list[dict[str, object]], folder: Path) -> object:
    return _written(pd.DataFrame(rows), folder / "scores.csv", ";")


def _written(frame: pd.DataFrame, path: Path, sep: str) -> Path:
    frame.to_csv(path, index=False, sep=sep)
    return path


def in_json(rows: list[dict[str, object]], folder: Path) -> object:
    (folder / "scores.json").write_text(json.dumps(rows, default=str), encoding="utf-8")
    return folder / "scores.json"


def in_lines(rows: list[dict[str, object]], folder: Path) -> object:
    lines = [json.dumps(row, default=str) + "\n" for row in rows]
    (folder / "scores.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder / "scores.jsonl"


def in_parquet(rows: list[dict[str, object]], folder: Path) -> object:
    table = in_arrow(rows, folder)
    try:
        parquet.write_table(table, folder / "scores.parquet")
    except pa.ArrowException:
        return table
    return folder / "scores.parquet"


SOURCES = (
    *(in_rows, in_pandas, in_index, in_categories, in_columns_twice, wide, in_polars, in_arrow),
    *(in_csv, in_csv, in_tsv, in_semicolons, in_json, in_lines, in_parquet),
)


def check(folder: Path, seeds: Iterable[int]) -> tuple[int, list[str]]:
    """Read, check, compare and report tables; return how many were read, and what went wrong."""

    def run(seed: int) -> str:
        return _FINE[not use(folder, seed)]

    cases = list(seeds)
    said = outcomes(folder, cases, run, seconds=_SECONDS)
    faults = [f"{i}: {text}" for i, text in zip(cases, said, strict=True) if text not in _FINE]
    return said.count("read"), faults


_FINE = ("read", "refused")


def use(folder: Path, seed: int) -> bool:
    """Do with a table all that its owner does; return whether it is one."""
    rng = random.Random(seed)  # noqa: S311 - tables, no secrets
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows, names = draw(rng)
        write = rng.choice(SOURCES)
        source = write(rows, folder)
    better = rng.choice(["higher", "lower"])
    if isinstance(source, Path) and rng.random() < 0.3:
        commands(source, names[3], better)
    scores = read(source, {names[3]: better}) if rng.random() < 0.7 else proposed(source)
    if scores is None:
        return False
    if write not in (in_index, in_columns_twice, wide):
        account(scores, rows, names[3])
    scores.describe(), scores.findings(), str(scores), scores.to_frame()
    analyse(scores, folder, rng)
    return True


def read(source: object, measures: dict[str, str]) -> bi.ScoreTable | None:
    """Read a table, by the first proposal where one is needed; None where it is refused."""
    try:
        return bi.read_scores(source, measures=measures)
    except BenchinferError as error:
        asks = [pair for finding in getattr(error, "findings", ()) for pair in finding.proposes]
        options = {name: value for name, value in asks if name in _OPTIONS and value}
        return attempt(source, **{"measures": measures, **options})


_OPTIONS = {*inspect.signature(bi.read_scores).parameters}


def account(scores: bi.ScoreTable, rows: list[dict[str, object]], measure: str) -> None:
    """Hold that each row is a score, a failure, or reported."""
    rules = {finding.rule: finding.count for finding in scores.finding_records}
    if _REDUCED & {*rules} or scores.units is not None or scores.measures[0].name != measure:
        return
    counted = scores.n_rows + len(scores.failures()) + rules.get("repeats averaged", 0)
    assert counted >= len(rows) * len(scores.measures), (counted, len(rows), rules)


# Findings on rows that became others.
_REDUCED = {"layout recognised", "measures left out", "columns by pattern", "tool recognised"}


def analyse(scores: bi.ScoreTable, folder: Path, rng: random.Random) -> None:
    """Compare by the analysis that fits, and ask the answer all that people ask."""
    try:
        answer = bi.compare(scores)
    except BenchinferError:
        return
    str(answer), answer.contrasts(), answer.headline()
    for result in answer.values():
        result.summary(), result.contrasts(all=True), result.diagnostics(), result.sentence()
    answer.report(folder / rng.choice(["x.md", "x.json", "x.html"]))


def commands(path: Path, measure: str, better: str) -> None:
    """Ask the command line; its errors are sentences."""
    for words in (["check", str(path)], ["compare", str(path), "-m", f"{measure}:{better}"]):
        done = CliRunner().invoke(app, words)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert "Traceback" not in done.output
