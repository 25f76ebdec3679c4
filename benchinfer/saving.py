"""Results to one JSON file and back, without pickle: records are rebuilt field by field.

Only classes marked with `savable` are written or read, so that a file can never run code.
"""

import dataclasses
import errno
import json
import os
import secrets
import stat
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

from benchinfer.errors import BenchinferError, message

FORMAT = 1
_classes: dict[str, type] = {}
_inputs: set[str] = set()
_REASONS = {
    errno.EACCES: "there is no permission",
    errno.EPERM: "there is no permission",
    errno.EROFS: "its folder is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full up to the quota",
    errno.EFBIG: "it is larger than files may be",
    errno.ENAMETOOLONG: "its name is too long",
    errno.ELOOP: "it is a link that leads to itself",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.EEXIST: "a part of its path is a file, not a folder",
    errno.EPIPE: "its reader has gone",
}
# Modules whose import registers their classes; a name in a file selects among these alone.
_homes = (
    "benchinfer.measure",
    "benchinfer.scores",
    "benchinfer.order.consensus",
    "benchinfer.order.influence",
    "benchinfer.order.relation",
    "benchinfer.order.stability",
    "benchinfer.order.weighing",
    "benchinfer.compare.pareto",
    "benchinfer.order.ensemble",
    "benchinfer.compare.evidence",
    "benchinfer.compare.local",
    "benchinfer.compare.points",
    "benchinfer.compare.mixed",
    "benchinfer.compare.meta_comparison",
    "benchinfer.compare.pair_comparison",
    "benchinfer.compare.permutation_comparison",
    "benchinfer.compare.bootstrap",
    "benchinfer.compare.bayes_comparison",
    "benchinfer.compare.bayes_pairs_comparison",
    "benchinfer.compare.wins_comparison",
    "benchinfer.compare.response_comparison",
    "benchinfer.sequential.monitor_comparison",
    "benchinfer.sequential.monitored_measures",
    "benchinfer.sequential.planned",
)


def savable[T: type](cls: T) -> T:
    """Mark a dataclass as one that may be written and read back."""
    other = _classes.setdefault(cls.__name__, cls)
    if other.__module__ != cls.__module__:
        raise TypeError(f"{other.__module__} and {cls.__module__} both have a {cls.__name__}")
    _classes[cls.__name__] = cls
    return cls


def encode(value: object) -> object:  # noqa: PLR0911 (one return for each kind of value)
    """Turn a record into what JSON can hold, losing nothing."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"class": type(value).__name__, "fields": fields}
    if isinstance(value, np.ndarray):
        # Python floats print as the shortest decimal that round-trips.
        return {"array": value.dtype.str, "shape": value.shape, "values": value.ravel().tolist()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        return {"tuple": [encode(item) for item in cast("tuple[object, ...]", value)]}
    if isinstance(value, list):
        return [encode(item) for item in cast("list[object]", value)]
    if isinstance(value, Mapping):
        pairs = [[encode(k), encode(v)] for k, v in cast("Mapping[object, object]", value).items()]
        return {"mapping": pairs}
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise BenchinferError(f"cannot save a {type(value).__name__}")


def decode(value: Any) -> Any:
    """Rebuild what `encode` wrote."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "class" in value:
        if value["class"] not in _classes:
            raise BenchinferError(f"the file names a record that is not known: {value['class']!r}")
        fields = {name: decode(item) for name, item in value["fields"].items()}
        return _classes[value["class"]](**fields)
    if "array" in value:
        return np.array(value["values"], dtype=value["array"]).reshape(value["shape"])
    if "tuple" in value:
        return tuple(decode(item) for item in value["tuple"])
    return {decode(k): decode(v) for k, v in value["mapping"]}


def note_input(path: str | Path) -> None:
    """Remember a file that was read, which nothing may be written over from now on."""
    _inputs.add(os.path.realpath(path))


def check_target(path: str | Path) -> None:
    """Refuse to write over a folder, or over a file that was read by whatever name.

    Raises
    ------
    BenchinferError
        The path is a folder or an input.
    """
    with writing(path):
        if Path(path).is_dir() or str(path).endswith(os.sep):
            raise BenchinferError(message(f"{str(path)!r} is a folder.", hint="name a file in it."))
        same = (Path(path).samefile(name) for name in _inputs if Path(name).exists())
        if Path(path).exists() and any(same):
            raise BenchinferError(
                message(
                    f"{str(path)!r} was read as input and is not overwritten.",
                    hint="name another file.",
                )
            )


def write_whole(path: str | Path, text: str) -> Path:
    """Write a text file so that a reader sees the old one or the whole new one.

    It does so after a crash, too. Links are followed, a file that is there keeps its mode, and
    devices and pipes are written to as what they are.

    Raises
    ------
    BenchinferError
        It cannot be written, or is a folder or an input.
    """
    data = text.encode()
    check_target(path)
    with writing(path):
        target = followed(path)
        # Windows has no locks of this kind: a crash may leave half a file there.
        if sys.platform == "win32" or (target.exists() and not target.is_file()):
            target.write_bytes(data)
        else:
            _replace(target, data)
    return Path(path)


def followed(path: str | Path) -> Path:
    """Follow links to the file that they name, which need not exist.

    Raises
    ------
    BenchinferError
        Its folder does not exist.
    """
    real = Path(os.path.realpath(path))
    for folder in (Path(path).parent, real.parent):
        if not folder.exists():
            raise BenchinferError(
                message(f"there is no folder {str(folder)!r}.", hint="create it first.")
            )
    if real.is_symlink():
        raise OSError(errno.ELOOP, "")
    # The links of /dev/stdout and its like lead to names that are no files.
    return real if real.is_file() or not Path(path).exists() else Path(path)


@contextmanager
def writing(path: str | Path) -> Generator[None]:
    """Say in a sentence why a file cannot be written."""
    try:
        yield
    except OSError as error:
        why = _REASONS.get(error.errno or 0, (error.strerror or "unknown reason").lower())
        raise BenchinferError(
            message(f"{str(path)!r} cannot be written: {why}.", hint="name another file.")
        ) from None


def _replace(target: Path, data: bytes) -> None:
    """Write a new file, and give it the name of the old one."""
    old = target.stat() if target.exists() else None
    if old and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "")
    _clear(target.parent)
    handle, part = _part(target.parent, 0o600 if old else 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            if old:
                with suppress(OSError):  # to whom a file belongs, only the superuser may say
                    os.chown(part, old.st_uid, old.st_gid)
                part.chmod(stat.S_IMODE(old.st_mode))
            file.write(data)
            file.flush()
            os.fsync(handle)  # before the new name is on disk
            part.replace(target)  # while it is locked: nobody takes it for left behind
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _part(folder: Path, mode: int) -> tuple[int, Path]:
    """Make a file that nobody else writes, locked as long as it is open."""
    import fcntl

    while True:
        part = folder / f".benchinfer-{secrets.token_hex(8)}.part"
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, part
        os.close(handle)  # cleared by another process before it was locked


def _clear(folder: Path) -> None:
    """Remove the parts that killed processes left: those of living ones are locked."""
    import fcntl

    for part in folder.glob(f".benchinfer-{16 * '[0-9a-f]'}.part"):
        with suppress(OSError), part.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()


def save(result: object, path: str | Path) -> Path:
    """Write a result to one JSON file."""
    document = {"benchinfer": FORMAT, "result": encode(result)}
    return write_whole(path, json.dumps(document, separators=(",", ":")))


def load(path: str | Path) -> Any:
    """Read a result that ``result.save(path)`` wrote.

    Raises
    ------
    BenchinferError
        There is no such file, or it is not a saved result.
    """
    for home in _homes:
        import_module(home)
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        version = document["benchinfer"]
    except FileNotFoundError:
        raise BenchinferError(
            message(
                f"there is no file {str(path)!r}.", hint="results are written by result.save(path)."
            )
        ) from None
    except OSError as error:
        raise BenchinferError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError):
        raise BenchinferError(
            message(
                f"{str(path)!r} is not a saved result.",
                hint="results are written by result.save(path); score tables are read by"
                " read_scores.",
            )
        ) from None
    if version != FORMAT:
        raise BenchinferError(f"{str(path)!r} was saved in format {version}; this reads {FORMAT}.")
    return decode(document["result"])
