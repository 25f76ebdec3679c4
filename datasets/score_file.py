"""Write and read the score files of this folder: long CSV, plain or compressed by Zstandard."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

HEADER = ("dataset", "replication", "algorithm", "measure", "value")

LEVEL = 22  # of Zstandard: the smallest files

type Row = tuple[str, str, str, str, str]


def figure(value: float) -> str:
    """Print a number with at most six decimals, without exponent and without trailing zeros.

    Parameters
    ----------
    value
        The number to print.

    Returns
    -------
    str
        For example ``"0.04"``, ``"0.000123"`` or ``"1.0"``.
    """
    text = f"{value:.6f}".rstrip("0")
    return f"{text}0" if text.endswith(".") else text


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write a score file in one step: a reader sees the old file or the new one, never a part.

    Parameters
    ----------
    path
        Where to write; a name that ends in ``.zst`` is compressed.
    rows
        Data set, replication, algorithm, measure and value of each score, already printed.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(rows)
    content = buffer.getvalue().encode()
    if path.suffix == ".zst":
        content = pa.Codec("zstd", LEVEL).compress(content, asbytes=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    partial.write_bytes(content)
    partial.replace(path)


def read_rows(path: Path) -> list[Row]:
    """Read a score file as text, every value as it is printed there.

    Parameters
    ----------
    path
        A file that `write_rows` wrote.

    Returns
    -------
    list of tuple of str
        One tuple per score, without the header.
    """
    with pa.input_stream(path) as file:
        text = file.read().decode()
    header, *rows = csv.reader(io.StringIO(text))
    if tuple(header) != HEADER:
        message = f"{path.name} has the columns {header}, expected {list(HEADER)}."
        raise ValueError(message)
    return [(row[0], row[1], row[2], row[3], row[4]) for row in rows]
