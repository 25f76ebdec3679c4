"""What must hold of every file, however damaged: it is read, or refused in words."""

import csv
import gzip
import io
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import benchinfer as bi
from tests.properties import odd_tables
from tests.scores.formats.test_tables import CASES, SAMPLES

# A run by hand widens the range: BENCHINFER_FUZZ_FILES=10000:20000.
FIRST, LAST = map(int, os.environ.get("BENCHINFER_FUZZ_FILES", "0:150").split(":"))
PARTS = 5
TOOLS = sorted(path for path in SAMPLES.rglob("*") if path.is_file())
BYTES = [
    *(b"", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n", b",", b",,,", b'"', b"'"),
    *(b"\xc3", b"\xed\xa0\x80", b"\x1a", b"NaN", b"null", b"1e999", b"-", b"\t", b";", b"{", b"]"),
    *(b"\\u0000", b"\\ud800", b"#", b"@data\n", b"%", b"[" * 2000, b"9" * 400, b"true", b"0x1p3"),
]


def cut(data: bytes, rng: random.Random) -> bytes:
    """Cut the end off."""
    return data[: rng.randrange(len(data) + 1)]


def junk(data: bytes, rng: random.Random) -> bytes:
    """Put junk in place of some bytes."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(BYTES) + data[at + rng.choice([0, 0, 1, 1, 5]) :]


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Flip one bit of some bytes."""
    held = bytearray(data)
    for _ in range(rng.randint(1, 5) if held else 0):
        held[rng.randrange(len(held))] ^= 1 << rng.randrange(8)
    return bytes(held)


def repeated(data: bytes, rng: random.Random) -> bytes:
    """Repeat a part."""
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:b] + data[a:b] + data[b:]


def lines(data: bytes, rng: random.Random) -> bytes:
    """Repeat, drop or move a line."""
    rows = data.split(b"\n")
    row = rows.pop(rng.randrange(len(rows)))
    for _ in range(rng.randint(0, 2)):
        rows.insert(rng.randrange(len(rows) + 1), row)
    return b"\n".join(rows)


def token(data: bytes, rng: random.Random) -> bytes:
    """Put something else in place of a value between separators."""
    parts = data.split(b",")
    parts[rng.randrange(len(parts))] = rng.choice(BYTES)
    return b",".join(parts)


def trailing(data: bytes, rng: random.Random) -> bytes:
    """End each line with a separator."""
    return data.replace(b"\n", rng.choice([b",\n", b" \n", b"\t\n", b";\n"]))


def coded(data: bytes, rng: random.Random) -> bytes:
    """Write the text in another encoding."""
    text = data.decode("utf-8", "replace")
    name = rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "latin-1", "cp037"])
    return text.encode(name, "replace")


def zipped(data: bytes, rng: random.Random) -> bytes:
    """Compress what is not called so."""
    return rng.choice([gzip.compress(data), gzip.compress(data)[:-9], b"PK\3\4" + data])


DAMAGES = (cut, junk, junk, flipped, repeated, lines, lines, token, token, trailing, coded, zipped)


def node(document: Any, rng: random.Random) -> Any:
    """Put something else in place of a node of a document, or its key."""
    if isinstance(document, dict) and document and rng.random() < 0.85:
        key = rng.choice(list(document))
        if rng.random() < 0.15:
            return {name: part for name, part in document.items() if name != key}
        if rng.random() < 0.1:
            return {**document, rng.choice(["", "name", "value", "None", "\ud800"]): document[key]}
        return {**document, key: node(document[key], rng)}
    if isinstance(document, list) and document and rng.random() < 0.85:
        i = rng.randrange(len(document))
        return [*document[:i], node(document[i], rng), *document[i + 1 :]]
    others = [None, "", "x", "1.5", 0, -1, 10**400, 1e308, True, [], {}, [[]], [{"a": [1]}], "NaN"]
    return rng.choice([*others, [document], {"value": document}, [document, document]])


def read(path: Path, **options: Any) -> bi.ScoreTable | None:
    """Read a file; None where it is refused in words."""
    try:
        return bi.read_scores(path, **options)
    except bi.BenchinferError:
        return None


def check_tool(seed: int, folder: Path) -> bool:
    """Read a damaged result of a tool, alone or in its folder."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    sample = rng.choice(TOOLS)
    place = folder / "part"
    shutil.rmtree(place, ignore_errors=True)
    top = SAMPLES / sample.relative_to(SAMPLES).parts[0]
    if top.is_dir():
        shutil.copytree(top, place / top.name)
    path = place / sample.relative_to(SAMPLES)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = sample.read_bytes()
    if sample.suffix == ".json" and rng.random() < 0.6:
        document = json.loads(data)
        for _ in range(rng.randint(1, 3)):
            document = node(document, rng)
        data = json.dumps(document).encode()
    elif sample.suffix == ".jsonl" and rng.random() < 0.6:
        rows = data.splitlines()
        i = rng.randrange(len(rows))
        rows[i] = json.dumps(node(json.loads(rows[i]), rng)).encode()
        data = b"\n".join(rows)
    else:
        for _ in range(rng.randint(1, 3)):
            data = rng.choice(DAMAGES)(data, rng)
    path.write_bytes(data)
    measures = rng.choice([None, None, {"score": "higher"}, {"acc": "higher"}, {"x": "lower"}])
    repeats = rng.choice(["error", "keep"])
    source = place / top.name if rng.random() < 0.5 else path
    return read_and_ask(source, measures=measures, repeats=repeats)


def read_and_ask(source: Path, **options: Any) -> bool:
    """Read a file and ask the table for all that it says."""
    scores = read(source, **options)
    if scores is None:
        return False
    assert repr(scores)
    assert str(scores.findings())
    rows = scores.to_frame()
    assert len(rows) == scores.n_rows
    assert rows["value"].abs().max() < float("inf")
    assert scores.digest
    assert str(scores.failures())
    return True


def harmless(data: bytes, rng: random.Random) -> bytes:
    """Write a CSV anew as other programs write it."""
    text = data.decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    out = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if rng.random() < 0.5 else csv.QUOTE_MINIMAL
    writer = csv.writer(out, quoting=quoting, lineterminator=rng.choice(["\n", "\r\n"]))
    writer.writerows(rows)
    text = rng.choice(["", "\ufeff"]) + out.getvalue() + rng.choice(["", "\n", "\n\n"])
    return (text if rng.random() < 0.5 else text.rstrip("\r\n")).encode()


def check_written_anew(seed: int, folder: Path) -> bool:
    """Read a CSV and the same table as another program writes it: both are the same."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    table = odd_tables.draw(seed)
    layout = "long" if len(table.measures) == 1 else "wide-measures"
    options = {"measures": table.measures, "layout": layout, **table.options}
    path = Path(str(odd_tables.in_csv(table, folder)))
    one = read(path, **options)
    path.write_bytes(harmless(path.read_bytes(), rng))
    other = read(path, **options)
    assert (one and one.digest) == (other and other.digest)
    return one is not None


def check_rows(seed: int, folder: Path) -> bool:
    """Read lines of JSON with damaged rows: each row is a score, a failure, or all is refused."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    rows: list[dict[str, Any]] = [
        {"dataset": f"d{d}", "replication": r, "algorithm": f"m{k}", "score": rng.random()}
        for d in range(2)
        for r in range(2)
        for k in range(3)
    ]
    for _ in range(rng.randint(1, 3)):
        i = rng.randrange(len(rows))
        key = rng.choice(["score", "score", "score", *rows[i]])
        other = rng.choice([None, None, 0.25, 1, float("nan"), node(rows[i].get(key), rng)])
        rows[i] = {**rows[i], key: other}
        if rng.random() < 0.1:
            del rows[i][key]
        if rng.random() < 0.1:
            rows.insert(rng.randrange(len(rows)), rng.choice(rows))
    (folder / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = folder / "scores.jsonl"
    scores = read(path, measures={"score": "higher"}, repeats="keep")
    if scores is None:
        return False
    assert scores.n_rows + len(scores.failures()) == len(rows)
    kept = sorted(scores.to_frame()["value"])
    numbers = sorted(float(v) for row in rows if (v := number(row.get("score"))) is not None)
    assert kept == numbers
    return True


def number(value: object) -> float | None:
    """Return the number that a value of JSON is, also as a text."""
    if isinstance(value, bool):
        return float(value)
    try:
        held = float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, OverflowError):
        return None
    return None if held != held else held  # noqa: PLR0124


def check_binary(seed: int, folder: Path) -> bool:
    """Read a damaged Parquet file."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    table = odd_tables.draw(seed)
    path = Path(str(odd_tables.in_parquet(table, folder)))
    path.write_bytes(rng.choice([cut, junk, flipped, repeated])(path.read_bytes(), rng))
    return read_and_ask(path, measures=table.measures, repeats="keep")


KINDS: tuple[pa.DataType, ...] = (
    *(pa.float32(), pa.float16(), pa.int8(), pa.int64(), pa.uint64(), pa.bool_(), pa.string()),
    *(pa.large_string(), pa.string_view(), pa.decimal128(38, 9), pa.decimal256(60, 20), pa.null()),
    *(pa.dictionary(pa.int8(), pa.string()), pa.timestamp("ns"), pa.date32(), pa.binary()),
    *(pa.dictionary(pa.int32(), pa.float64()), pa.list_(pa.float64()), pa.duration("s")),
)


def check_types(seed: int, folder: Path) -> bool:
    """Read a table whose columns have other types: it is the same, or refused."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    sizes = range(rng.randint(1, 3)), range(rng.randint(1, 3)), range(rng.randint(1, 3))
    columns = {
        "dataset": [d for d in sizes[0] for _ in sizes[1] for _ in sizes[2]],
        "replication": [r for _ in sizes[0] for r in sizes[1] for _ in sizes[2]],
        "algorithm": [k for _ in sizes[0] for _ in sizes[1] for k in sizes[2]],
    }
    n = len(columns["dataset"])
    score = [None if rng.random() < 0.1 else float(rng.randint(0, 1)) for _ in range(n)]
    held = pa.table({**columns, "score": pa.array(score, pa.float64())})
    for i, name in enumerate(held.column_names):
        if rng.random() < 0.5:
            column = typed(held.column(name).combine_chunks(), rng.choice(KINDS))
            held = held.set_column(i, name, column)
    source: Any = held
    if rng.random() < 0.5:
        source = folder / "scores.parquet"
        try:
            pq.write_table(held, source)
        except pa.ArrowException:
            return False
    scores = read(source, measures={"score": "higher"}, layout="long")
    if scores is None:
        return False
    got = sorted(v for v in held.column("score").to_pylist() if v is not None)
    assert scores.n_rows + len(scores.failures()) == n
    assert sorted(scores.to_frame()["value"]) == [float(v) for v in got]
    return True


def typed(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Cast a column, by way of text where there is no other one."""
    for way in (column, column.cast(pa.string())):
        try:
            return way.cast(kind)
        except pa.ArrowException:
            continue
    return column


def check_fields(seed: int, folder: Path) -> bool:
    """Read a CSV of a tool with other numbers or none in some fields: no row goes unsaid."""
    rng = random.Random(seed)  # noqa: S311 - damage, no secrets
    pattern, measures, *_ = rng.choice([case for case in CASES if case[0].endswith(".csv")])
    sample = rng.choice(sorted(SAMPLES.glob(pattern)))
    path = folder / sample.name
    shutil.copy(sample, path)
    one = read(path, measures=measures or None)
    rows = list(csv.reader(io.StringIO(sample.read_text("utf-8"), newline="")))
    for _ in range(rng.randint(1, 4)):
        row = rng.choice(rows[1:])
        fields = [i for i, text in enumerate(row) if number(text) is not None and "." in text]
        if fields:
            row[rng.choice(fields)] = rng.choice(
                ["", "NaN", "0.25", "1", "timeout", "None", "1e-7"]
            )
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    other = read(path, measures=measures or None)
    if one is None or other is None:
        return False
    said = {finding.rule for finding in other.finding_records}
    lost = one.n_rows + len(one.failures()) - other.n_rows - len(other.failures())
    assert lost == 0, (sample.name, lost, said)
    return True


CHECKS: tuple[Callable[[int, Path], bool], ...] = (
    *(check_tool, check_tool, check_written_anew, check_rows, check_binary),
    *(check_types, check_types, check_fields),
)


def check_file(seed: int, folder: Path) -> bool:
    """Read a file of some kind with damage of some kind."""
    return CHECKS[seed % len(CHECKS)](seed, folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [0, *(pytest.param(n, marks=pytest.mark.calibration) for n in range(1, PARTS))]
)
def test_damaged_files_are_read_or_refused_in_words(tmp_path: Path, part: int) -> None:
    seeds = range(FIRST + part, LAST, PARTS)
    done = 0
    for seed in seeds:
        try:
            done += check_file(seed, tmp_path)
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
    assert 0 < done < len(seeds)
