"""Binary files of a table with random damage, each read in a process of its own."""

import bz2
import gzip
import json
import random
import sqlite3
import zipfile
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import feather, parquet

from benchinfer import read_scores
from benchinfer.core.errors import BenchinferError
from tests.forked import outcomes

_SECONDS = 60
_ODD = (b"\xff" * 8, b"\0" * 8, (2**63).to_bytes(8, "little"), (2**31).to_bytes(4, "little"))


def table(rng: random.Random) -> pd.DataFrame:
    """Make a table of scores, with a name that is not ASCII and up to three odd columns."""
    places = [
        {"dataset": f"d{d}é", "replication": r, "algorithm": f"m{k}", "acc": round(rng.random(), 3)}
        for d in range(3)
        for r in range(rng.randint(2, 4))
        for k in range(3)
    ]
    return pd.DataFrame(places)


def odd_columns(frame: pd.DataFrame, rng: random.Random) -> pa.Table:
    """Return the table in Arrow, with up to three columns of types that no score has."""
    held, n = pa.Table.from_pandas(frame, preserve_index=False), len(frame)
    for i in range(rng.choice([0, 0, 1, 2, 3])):
        name = rng.choice([f"x{i}", f"x{i}", "seed", "status", "acc ", "\u200b", "a" * 300, "é"])
        odd = rng.choice(ODD)(n)
        held = held.append_column(name, odd) if name not in held.column_names else held
    if rng.random() < 0.3:
        held = held.set_column(2, "algorithm", held.column(2).dictionary_encode())
    if rng.random() < 0.2:
        i = rng.choice([0, 2])
        held = held.set_column(i, held.column_names[i], held.column(i).cast(pa.large_string()))
    if rng.random() < 0.1:
        held = held.set_column(3, "acc", held.column(3).cast(pa.float32()))
    return held


ODD: tuple[Callable[[int], pa.Array], ...] = (
    lambda n: pa.array([2**63 - 1 - i for i in range(n)], pa.int64()),
    lambda n: pa.array([2**64 - 1 - i for i in range(n)], pa.uint64()),
    lambda n: pa.array([Decimal(10**37 + i) for i in range(n)], pa.decimal128(38)),
    lambda n: pa.array([10**9 * i for i in range(n)]).cast(pa.timestamp("ns", "Europe/Berlin")),
    lambda n: pa.array([i * 2**40 for i in range(n)], pa.duration("us")),
    lambda n: pa.array([-(i + 1) for i in range(n)], pa.date32()),
    lambda n: pa.array([None] * n, pa.null()),
    lambda n: pa.array([{"a": i, "b": [{"c": "é"}] * (i % 3)} for i in range(n)]),
    lambda n: pa.array([[i] * (i % 4) for i in range(n)], pa.list_(pa.int8())),
    lambda n: pa.array([[("k", i), ("k", i)] for i in range(n)], pa.map_(pa.string(), pa.int64())),
    lambda n: pa.array([b"\xff\0%d" % i for i in range(n)], pa.binary()),
    lambda n: pa.array([i % 2 == 0 for i in range(n)], pa.bool_()),
    lambda n: pa.array([float("nan"), None, float("-inf"), -0.0] * n, pa.float64())[:n],
    lambda n: pa.array(["d", None, ""] * n, pa.dictionary(pa.int8(), pa.string()))[:n],
)


def _feather(frame: pd.DataFrame, path: Path, rng: random.Random) -> None:
    held = odd_columns(frame, rng)
    held = held if rng.random() < 0.5 else held.replace_schema_metadata(None)
    kind = rng.choice(["uncompressed", "lz4", "zstd"])
    feather.write_feather(held, str(path), compression=kind, chunksize=rng.choice([1, 5, 100]))


def _parquet(frame: pd.DataFrame, path: Path, rng: random.Random) -> None:
    kind = rng.choice(["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
    parquet.write_table(
        odd_columns(frame, rng),
        path,
        compression=kind,
        version=rng.choice(["1.0", "2.4", "2.6"]),
        data_page_version=rng.choice(["1.0", "2.0"]),
        row_group_size=rng.choice([1, 7, None]),
        use_dictionary=rng.random() < 0.5,
        store_schema=rng.random() < 0.5,
        write_page_checksum=rng.random() < 0.3,
    )


def _arrays(frame: pd.DataFrame, path: Path, rng: random.Random) -> None:
    held = {
        name: part.pivot_table(index="replication", columns="dataset", values="acc").to_numpy()
        for name, part in frame.groupby("algorithm")
    }
    rng.choice([np.savez, np.savez_compressed])(path, **held)  # pyright: ignore[reportCallIssue, reportArgumentType]


def _excel(frame: pd.DataFrame, path: Path, _: random.Random) -> None:
    frame.to_excel(path, index=False)


def _sqlite(frame: pd.DataFrame, path: Path, _: random.Random) -> None:
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    frame.to_sql("scores", connection, index=False)
    connection.close()


def _duckdb(frame: pd.DataFrame, path: Path, _: random.Random) -> None:
    import duckdb

    path.unlink(missing_ok=True)
    with duckdb.connect(path) as connection:
        connection.register("held", frame)
        connection.execute("CREATE TABLE scores AS SELECT * FROM held")


def _text(frame: pd.DataFrame, rng: random.Random) -> bytes:
    """Write a text that is damaged before it is compressed, in half of the files."""
    text = frame.to_csv(index=False).encode(rng.choice(["utf-8", "utf-8", "latin-1", "utf-16"]))
    return damaged(text, rng) if rng.random() < 0.5 else text


def _gzip(frame: pd.DataFrame, path: Path, rng: random.Random) -> None:
    path.write_bytes(gzip.compress(_text(frame, rng)))


def _bzip(frame: pd.DataFrame, path: Path, rng: random.Random) -> None:
    path.write_bytes(bz2.compress(_text(frame, rng)))


def _zstandard(frame: pd.DataFrame, path: Path, rng: random.Random) -> None:
    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(_text(frame, rng))


def _archive(frame: pd.DataFrame, path: Path, rng: random.Random) -> None:
    """Write a log of Inspect."""
    kinds = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    header = {"version": 2, "status": "success", "eval": {"task": "quiz", "model": "m0"}}
    samples = [
        {"id": i, "epoch": 1, "scores": {"match": {"value": value}}}
        for i, value in enumerate(frame["acc"])
    ]
    with zipfile.ZipFile(path, "w", rng.choice(kinds)) as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("summaries.json", json.dumps(samples))


def _document(frame: pd.DataFrame, path: Path, rng: random.Random) -> None:
    coding = rng.choice(["utf-8", "latin-1", "utf-16"])
    path.write_bytes(json.dumps(frame.to_dict("records"), ensure_ascii=False).encode(coding))


def _lines(frame: pd.DataFrame, path: Path, rng: random.Random) -> None:
    coding = rng.choice(["utf-8", "latin-1"])
    rows = frame.to_dict("records")
    path.write_bytes("\n".join(json.dumps(r, ensure_ascii=False) for r in rows).encode(coding))


KINDS: dict[str, Callable[[pd.DataFrame, Path, random.Random], None]] = {
    "feather": _feather,
    "parquet": _parquet,
    "npz": _arrays,
    "xlsx": _excel,
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    "csv.gz": _gzip,
    "csv.bz2": _bzip,
    "csv.zst": _zstandard,
    "eval": _archive,
    "json": _document,
    "jsonl": _lines,
}


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Damage bytes in one or two places, a third of them near the end; most keep the length."""
    for _ in range(rng.choice([1, 1, 2])):
        n = len(data)
        i = n - rng.randrange(min(n, 400) + 1) if rng.random() < 0.33 else rng.randrange(n + 1)
        kind = rng.random()
        if kind < 0.25:
            data = data[:i] + bytes([rng.randrange(256)]) + data[i + 1 :]
        elif kind < 0.35:  # one bit, near the start or the end
            i = min(rng.randrange(64), n - 1) if rng.random() < 0.5 else max(0, n - 1 - i % 64)
            data = data[:i] + bytes([data[i] ^ 1 << rng.randrange(8)]) + data[i + 1 :]
        elif kind < 0.45:
            data = data[: max(i, 1)] + rng.choice([b"", bytes(n - i)])
        elif kind < 0.6:
            odd = rng.choice(_ODD)
            data = data[:i] + odd + data[i + len(odd) :]
        elif kind < 0.75:
            data = data[:i] + b"\xe9\xfc" + data[i + 2 :]
        elif kind < 0.85:
            j = rng.randrange(n + 1)
            data = data[:i] + data[j : j + 16] + data[i + len(data[j : j + 16]) :]
        elif kind < 0.9:
            data = data[:i] + rng.randbytes(rng.randint(1, 40)) + data[i:]
        elif kind < 0.95:
            data = data[:i] + data[i + rng.randint(1, 40) :]
        else:
            data = data[: max(i, 1)]
    return data or b"\0"


def write(folder: Path, kind: str, seed: int) -> Path:
    """Write a damaged file of a kind."""
    rng = random.Random(f"{kind} {seed}")  # noqa: S311 - damage, no secrets
    path = folder / f"scores.{kind}"
    KINDS[kind](table(rng), path, rng)
    within = path.suffix in (".gz", ".bz2", ".zst") and rng.random() < 0.4
    path.write_bytes(path.read_bytes() if within else damaged(path.read_bytes(), rng))
    return path


def use(path: Path) -> bool:
    """Read a file, its rows and its reports; return whether it is a table."""
    measures = {"match" if path.suffix == ".eval" else "acc": "higher"}
    try:
        scores = read_scores(path, measures=measures)
    except BenchinferError:
        return False
    scores.describe()
    scores.to_frame(scores.measures[0].name)
    scores.failures()
    return True


def check(folder: Path, kind: str, seeds: Iterable[int]) -> tuple[int, list[str]]:
    """Read damaged files in a process; return how many were read, and what went wrong."""

    def run(seed: int) -> str:
        return _FINE[not use(write(folder, kind, seed))]

    cases = list(seeds)
    said = outcomes(folder, cases, run, seconds=_SECONDS)
    faults = [
        f"{kind} {i}: {text}" for i, text in zip(cases, said, strict=True) if text not in _FINE
    ]
    return said.count("read"), faults


_FINE = ("read", "refused")
