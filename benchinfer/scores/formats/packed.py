"""Compressed files, unpacked as they are read."""

import zipfile
from collections.abc import Sequence
from io import RawIOBase
from pathlib import Path
from typing import Any

from benchinfer.core.errors import ScoreTableError

COMPRESSED = (".gz", ".bz2", ".zst")
MOST_BYTES = 1 << 28  # of a document or an archive, which is in memory as a whole
_SMALL = 1 << 26  # bytes that any file may unpack to
_MOST_TIMES = 250  # gzip makes equal rows 1,000 times smaller, and scores at most 50 times


def refuse_bomb(typed: str, unpacked: int, packed: int) -> None:
    """Raise a ScoreTableError where a file unpacks to far more than scores do."""
    if unpacked > max(_SMALL, _MOST_TIMES * packed):
        raise ScoreTableError(
            f"{typed!r} unpacks to more than {_MOST_TIMES} times its {packed:,} bytes, as the same"
            " rows again and again do.",
            hint="the file is damaged, or not what its name says; unpacked it is read as it is.",
        )


def refuse_archive(path: Path, typed: str) -> None:
    """Raise a ScoreTableError where the parts of a zip file unpack to far more than scores do."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as file:
            refuse_large(typed, [info.file_size for info in file.infolist()], path)


def refuse_large(typed: str, sizes: Sequence[int], path: Path) -> None:
    """Raise a ScoreTableError where some parts of an archive are too large, each by its size."""
    if (size := sum(sizes)) > MOST_BYTES:
        raise ScoreTableError(
            f"{typed!r} unpacks to {size:,} bytes, and an archive of scores has at most"
            f" {MOST_BYTES:,}.",
            hint="save the scores as Parquet.",
        )
    refuse_bomb(typed, size, path.stat().st_size)


def opened(path: Path, typed: str) -> Any:
    """Return the stream of the bytes of a file, compressed or not."""
    import pyarrow as pa

    return _Unpacked(path, typed) if path.suffix.casefold() in COMPRESSED else pa.input_stream(path)


class _Unpacked(RawIOBase):
    """Bytes of a compressed file; reading raises a ScoreTableError where they are too many."""

    def __init__(self, path: Path, typed: str) -> None:
        import pyarrow as pa

        self._stream = pa.input_stream(path)
        self._typed, self._packed, self._unpacked = typed, path.stat().st_size, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(None if size < 0 else size)
        self._unpacked += len(data)
        refuse_bomb(self._typed, self._unpacked, self._packed)
        return data

    def readinto(self, buffer: Any, /) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
