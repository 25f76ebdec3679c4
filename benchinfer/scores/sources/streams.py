"""Streams as sources of tables: pipes and standard input, each read once as a whole."""

import atexit
import io
import json
import os
import stat
import zipfile
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import IO, Any

from benchinfer.core.errors import ScoreTableError
from benchinfer.scores.formats.catalogue import READ, suffix_of

_PART, _MOST = 1 << 20, 2 << 30  # bytes that are read at once, and of a stream
# First bytes of tables, and the ending of such a file; else it is text with commas or tabs.
_HEADS = {
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"FEA1": ".feather",
    b"SQLite format 3\0": ".sqlite",
    b"[": ".json",
    b"|": ".md",
    b"<": ".html",
    b"\\begin": ".tex",
    b"\\documentclass": ".tex",
}
# First bytes of what is compressed, its ending, and Arrow's name of the compression.
_PACKED = {
    b"\x1f\x8b": (".gz", "gzip"),
    b"BZh": (".bz2", "bz2"),
    b"\x28\xb5\x2f\xfd": (".zst", "zstd"),
}
_DEVICES = "tables are files, folders and pipes; the commands read standard input as '-'."


def is_stream(path: Path) -> bool:
    """Return whether a path is neither file nor folder, such as a pipe, a socket or a device."""
    return path.exists() and not path.is_file() and not path.is_dir()


def as_file(source: str | Path) -> str | Path:
    """Return a path, or for a stream that of a file with its content.

    A pipe waits for who writes it, as everywhere. Its file is removed when Python ends.

    Raises
    ------
    ScoreTableError
        The path is that of a socket or a device; the stream is empty, or has more than 2 GB.
    """
    typed, path = str(source), Path(source)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # what it is, its reader says
        return source
    if stat.S_ISSOCK(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        what = "socket" if stat.S_ISSOCK(mode) else "device"
        raise ScoreTableError(f"{typed!r} is a {what}, which holds no table.", hint=_DEVICES)
    if not stat.S_ISFIFO(mode) and not (stat.S_ISREG(mode) and _is_descriptor(path)):
        return source
    try:
        with path.open("rb") as stream:
            return saved(stream, path.name, repr(typed))
    except OSError as error:
        raise ScoreTableError(f"{typed!r} cannot be opened: {error.strerror}.") from None


def _is_descriptor(path: Path) -> bool:
    """Return whether a path names a file that is open already, as /dev/stdin and /dev/fd/3 do."""
    place = Path(os.path.abspath(path))  # noqa: PTH100 (links of descriptors lead to no path)
    return str(place) == "/dev/stdin" or (
        place.parent.name == "fd" and place.parts[1] in ("dev", "proc")
    )


def saved(stream: IO[bytes], name: str, typed: str) -> str:
    """Return the path of a temporary file with the content of a stream, removed at exit.

    Its name ends as its content begins.
    """
    first = _first(stream)
    if not first:
        raise ScoreTableError(f"{typed} is empty.")
    folder = mkdtemp(prefix="benchinfer-")
    atexit.register(rmtree, folder, ignore_errors=True)
    size, data = 0, first
    part = Path(folder, "part")
    with part.open("wb") as out:
        while data:
            if (size := size + len(data)) > _MOST:
                raise ScoreTableError(
                    f"{typed} has more than {_MOST >> 30} GB.",
                    hint="write it to a file, and give its path.",
                )
            out.write(data)
            data = stream.read(_PART)
    ending = _zipped(part, name) if first.startswith(b"PK\x03\x04") else _ending(first, name)
    return str(part.rename(Path(folder, f"{name.split('.', maxsplit=1)[0] or 'scores'}{ending}")))


def _first(stream: IO[bytes]) -> bytes:
    """Return the first bytes of a stream; a pipe gives few at once."""
    parts = []
    while sum(map(len, parts)) < _PART and (data := stream.read(_PART)):
        parts.append(data)
    return b"".join(parts)


def _ending(first: bytes, name: str) -> str:
    """Return the ending of a file by its first bytes, or else by the name of the stream."""
    for head, (ending, packed) in _PACKED.items():
        if first.startswith(head):
            return _ending(_unpacked(first, packed), name) + ending
    text = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    ending = ".duckdb" if first[8:12] == b"DUCK" else _of_objects(text)
    ending = next((end for head, end in _HEADS.items() if text.startswith(head)), ending)
    if ending:
        return ending
    if any(line.lstrip().lower().startswith(b"@relation") for line in text.splitlines()[:1000]):
        return ".arff"
    if (suffix := suffix_of(Path(name))) in READ - {".csv"}:
        return suffix
    return ".tsv" if b"\t" in text.partition(b"\n")[0] else ".csv"


def _unpacked(first: bytes, packed: str) -> bytes:
    """Return the first bytes of what is compressed, none where it is damaged."""
    import pyarrow as pa

    with suppress(OSError):
        source: Any = io.BytesIO(first)
        return pa.CompressedInputStream(source, packed).read(1 << 12)
    return b""


def _of_objects(text: bytes) -> str:
    """Return the ending of one JSON object, or of an object in each line; "" of other texts."""
    if not text.startswith(b"{"):
        return ""
    lines = text.splitlines()
    with suppress(ValueError, RecursionError):
        json.loads(lines[0])
        if any(line.strip() for line in lines[1:]):
            return ".jsonl"
    return ".json"


def _zipped(path: Path, name: str) -> str:
    """Return the ending of a zip file by what it holds."""
    if not zipfile.is_zipfile(path):
        return suffix_of(Path(name)) or ".xlsx"
    with zipfile.ZipFile(path) as file:
        names = file.namelist()
    kinds = ((".npz", ".npy"), (".xlsx", "workbook.xml"))
    return next(
        (kind for kind, part in kinds if any(name.endswith(part) for name in names)), ".eval"
    )
