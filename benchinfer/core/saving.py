"""Results as JSON files.

Only classes marked with `savable` are written or read, so that a file can never run code. A
checksum tells damage; it is no signature, so fields are checked against the types of their record,
and the sizes of arrays against what the file holds, before anything is built.
"""

import dataclasses
import errno
import hashlib
import json
import math
import os
import secrets
import stat
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import TracebackType, UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    Self,
    TypeAliasType,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from benchinfer.core.errors import BenchinferError

FORMAT = 9
_MOST_WHOLE = 2**64  # of a field; seeds are of 64 bits
_MOST_TEXT = 2**26  # bytes of an array of text, whose width is that of its longest value
# Arrays that are read: their type, and what their values may be in JSON.
_VALUES: dict[str, set[type]] = {
    **{np.dtype(code).str: {int} for code in "bhilqBHILQ"},
    **{np.dtype(code).str: {int, float} for code in "efd"},
    np.dtype(bool).str: {bool},
    np.dtype(object).str: {str, bool, int, float, type(None)},
    "<U": {str},
}
_classes: dict[str, type] = {}
# Of a class: field to its sizes and values; see `shaped`.
_shapes: dict[type, Mapping[str, str]] = {}
SAME = "same"  # of a field that is a record: its letters are those of the record that holds it
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


def savable[T: type](cls: T) -> T:
    """Register a dataclass as one that may be saved and loaded."""
    other = _classes.setdefault(cls.__name__, cls)
    if other.__module__ != cls.__module__:
        raise TypeError(f"{other.__module__} and {cls.__module__} both have a {cls.__name__}")
    _classes[cls.__name__] = cls
    return cls


def shaped[T: type](**fields: str) -> Callable[[T], T]:
    """Declare sizes and values of the fields of a record, which are checked when one is read.

    Sizes are letters or numbers, as in ``"P 2"``; none of a number. A letter is one number in a
    record, and in those of its records, or tuples of records, that are declared to be `SAME`. What
    may be empty has ``"?"`` after its sizes. Then come a range of the values, as ``"[0,1]"``,
    ``"(0,inf)"`` or ``"[1,K]"``, without NaN unless ``"nan"`` follows; or ``"<K"``, of places from
    -1 to K - 1; or ``"names"``, of the names of what a letter counts, which are the same wherever
    they are. In a mapping that holds for each value.
    """

    def declare(cls: T) -> T:
        _shapes[cls] = fields
        return cls

    return declare


def check_shapes(value: object, sizes: dict[str, Any] | None = None) -> None:
    """Raise a BenchinferError where fields of records have other sizes or values than declared."""
    if isinstance(value, Mapping):
        for item in cast("Mapping[object, object]", value).values():
            check_shapes(item, dict(sizes or {}))
    elif isinstance(value, tuple | list):
        for item in cast("Sequence[object]", value):
            check_shapes(item, dict(sizes or {}))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        sizes = {} if sizes is None else sizes
        declared: dict[str, str] = {}
        for cls in reversed(type(value).__mro__):
            declared |= _shapes.get(cls, {})
        for field in dataclasses.fields(value):
            same = SAME in declared.get(field.name, "").split()
            check_shapes(getattr(value, field.name), sizes if same else None)
        for name, shape in declared.items():
            if shape != SAME:
                _check_field(f"{type(value).__name__}.{name}", getattr(value, name), shape, sizes)


class _Declared(NamedTuple):
    """Declaration of a field; see `shaped`."""

    letters: tuple[str, ...]
    empty: bool
    below: str
    ends: str
    nan: bool
    names: bool


@cache
def _declared(text: str) -> _Declared:
    """Return the parts of a declaration."""
    parts = text.split()
    ends = "".join(part for part in parts if part[0] in "[(")
    below = "".join(part[1:] for part in parts if part[0] == "<")
    words = ("nan", "names", SAME)
    letters = [part for part in parts if part[0] not in "[(<" and part not in words]
    empty = bool(letters) and letters[-1].endswith("?")
    named = tuple(letter.removesuffix("?") for letter in letters)
    return _Declared(named, empty, below, ends, "nan" in parts, "names" in parts)


def _check_field(name: str, value: object, text: str, sizes: dict[str, Any]) -> None:
    """Check one field; letters that have no number yet take that of the field."""
    if value is None:
        return
    of_arrays = isinstance(value, Mapping) and all(
        isinstance(v, np.ndarray) for v in value.values()
    )
    if of_arrays:
        for item in cast("Mapping[object, object]", value).values():
            _check_field(name, item, text, sizes)
        return
    declared = _declared(text)
    if declared.letters and not _has_shape(name, value, declared, sizes):
        return
    if declared.names and sizes.setdefault(f"names of {declared.letters[0]}", value) != value:
        raise BenchinferError(f"{name} names others than the rest")
    if declared.below or declared.ends:
        _check_entries(name, np.asarray(value), declared, sizes)


def _has_shape(name: str, value: Any, declared: _Declared, sizes: dict[str, Any]) -> bool:
    """Check the shape of a field; return whether it has one, and entries."""
    if not isinstance(value, np.ndarray | tuple | list | Mapping):
        return False  # one for all
    shape = value.shape if isinstance(value, np.ndarray) else (len(cast("Sequence[Any]", value)),)
    if declared.empty and 0 in shape:
        return False
    for letter, size in zip(declared.letters, shape, strict=False):
        sizes.setdefault(letter, int(letter) if letter.isdigit() else size)
    expected = tuple(sizes.get(letter, 0) for letter in declared.letters)
    if shape != expected:
        raise BenchinferError(f"{name} has the shape {shape}, not {expected}")
    return 0 not in shape


def _check_entries(
    name: str, entries: np.ndarray, declared: _Declared, sizes: dict[str, Any]
) -> None:
    """Check that the entries of a field are places, or in a range."""
    if declared.below:
        most = int(declared.below) if declared.below.isdigit() else sizes[declared.below]
        if entries.min() < -1 or entries.max() >= most:
            raise BenchinferError(f"{name} holds places that are not below {most}")
        return
    low, high = (float(sizes.get(end, end)) for end in declared.ends[1:-1].split(","))
    above = entries >= low if declared.ends[0] == "[" else entries > low
    inside = above & (entries <= high if declared.ends[-1] == "]" else entries < high)
    if not (inside | np.isnan(entries) if declared.nan else inside).all():
        raise BenchinferError(f"{name} holds values outside of {declared.ends}")


def encode(value: object) -> object:  # noqa: PLR0911 (one return for each kind of value)
    """Return a record as JSON values without loss of information."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"class": type(value).__name__, "fields": fields}
    if isinstance(value, np.ndarray):
        kind = "<U" if value.dtype.kind == "U" else value.dtype.str
        # Python floats print as the shortest decimal that round-trips.
        return {"array": kind, "shape": list(value.shape), "values": value.ravel().tolist()}
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
    """Return the record that `encode` converted to JSON values."""
    if isinstance(value, list):
        return [decode(item) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    match cast("dict[str, Any]", value):
        case {"class": str(name), "fields": dict(fields), **rest} if not rest:
            return _record(name, {key: decode(item) for key, item in fields.items()})
        case {"array": str(kind), "shape": list(shape), "values": list(values), **rest} if not rest:
            return _array(kind, shape, values)
        case {"tuple": list(items), **rest} if not rest:
            return tuple(decode(item) for item in items)
        case {"mapping": list(pairs), **rest} if not rest:
            return dict(_pair(pair) for pair in pairs)
        case _:
            raise BenchinferError(f"it holds an object that is none: {_short(value)}")


def _pair(pair: object) -> tuple[Any, Any]:
    match decode(pair):
        case [str() | int() | float() | tuple() | None as key, item]:
            return key, item
        case _:
            raise BenchinferError(f"it holds no pair of key and value: {_short(pair)}")


def _array(kind: str, shape: list[Any], values: list[Any]) -> np.ndarray:
    """Return an array from its checked values, with memory bounded by the size of the file."""
    if kind not in _VALUES:
        raise BenchinferError(f"it holds an array of type {kind!r}, which is not known")
    sizes = all(type(size) is int and size >= 0 for size in shape)
    if not sizes or math.prod(shape) != len(values):
        raise BenchinferError(f"it holds {len(values)} values of an array of shape {shape}")
    if not set(map(type, values)) <= _VALUES[kind]:
        raise BenchinferError(f"it holds values of other types in an array of type {kind!r}")
    if kind == "<U" and 4 * len(values) * max(map(len, values), default=0) > _MOST_TEXT:
        return np.array(values, dtype=object).reshape(shape)
    return np.array(values, dtype=kind).reshape(shape)


@cache
def _register() -> None:
    """Import the public functions of the package, which registers the classes of results."""
    package = import_module("benchinfer")
    for name in package.__all__:
        getattr(package, name)
    import_module("benchinfer.typing")


def _record(name: str, fields: dict[str, Any]) -> object:
    """Return a record after a check of its fields against the types of its class."""
    if name not in _classes:
        _register()
    if name not in _classes:
        raise BenchinferError(f"it names a record that is not known: {name!r}")
    record = _classes[name]
    known = dataclasses.fields(record)
    lost = {f.name for f in known} ^ set(fields)
    if lost:
        raise BenchinferError(f"a {name} does not have, or lacks, the field {min(lost)!r}")
    hints = _hints(record)
    for field, value in fields.items():
        if not _fits(value, hints[field]):
            raise BenchinferError(f"{name}.{field} cannot be {_short(value)}")
    return record(**fields)


@cache
def _hints(record: type) -> dict[str, Any]:
    return get_type_hints(record, localns=type_parameters(record))


def type_parameters(record: type) -> dict[str, Any]:
    """Return the type parameters of a class and its bases, which Python 3.12 does not look up."""
    return {one.__name__: one for base in record.__mro__ for one in base.__type_params__}


def _fits(value: Any, kind: Any) -> bool:  # noqa: C901, PLR0911 (one return for each kind of type)
    """Return whether a value is of a type; all numeric types count as one in arrays."""
    if isinstance(kind, TypeAliasType):
        return _fits(value, kind.__value__)
    origin, parts = get_origin(kind), get_args(kind)
    if isinstance(origin, TypeAliasType):  # NDArray is one
        return _fits(value, origin.__value__[parts])
    if kind is Any:
        return True
    if origin is Literal:
        return value in parts
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is None and kind in (int, float):
        integer = isinstance(value, int) and abs(value) < _MOST_WHOLE
        return integer or (kind is float and isinstance(value, float))
    if origin is None:
        return isinstance(value, kind)
    if not isinstance(value, origin):
        return False
    if isinstance(value, np.ndarray):
        entry = get_args(parts[1])[0]  # both numbers, or both none
        numeric = value.dtype.kind in "biuf"
        return entry is Any or numeric == issubclass(entry, np.number | np.bool_)
    if origin is tuple:
        every = parts[:1] * len(value) if ... in parts else parts
        return len(value) == len(every) and all(map(_fits, value, every))
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return all(_fits(key, parts[0]) and _fits(item, parts[1]) for key, item in items)
    return all(_fits(item, parts[0]) for item in value)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def note_input(path: str | Path) -> None:
    """Register a file that was read, so that it is not overwritten."""
    _inputs.add(os.path.realpath(path))


def exists(path: str | Path) -> bool:
    """Return whether a path exists; raise an OSError where nothing can tell.

    From Python 3.14 on, `pathlib.Path.exists` hides that a name is too long, or that there is no
    permission to look.
    """
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:
        if error.errno == errno.ELOOP:
            return False
        raise
    return True


def check_target(path: str | Path) -> None:
    """Raise a BenchinferError where a path is empty, a folder, or a file that was read."""
    text = str(path)
    if not text or "\0" in text or text.encode(errors="ignore").decode() != text:
        raise BenchinferError(f"{text!r} names no file.", hint="name a file, as in 'results.html'.")
    with writing(path):
        if Path(path).is_dir() or str(path).endswith(os.sep):
            raise BenchinferError(f"{str(path)!r} is a folder.", hint="name a file in it.")
        if Path(path).is_symlink() and not os.path.lexists(os.path.realpath(path)):
            raise BenchinferError(
                f"{str(path)!r} is a link to a file that is not there.",
                hint="name the file itself, or remove the link.",
            )
        same = (Path(path).samefile(name) for name in _inputs if exists(name))
        if exists(path) and any(same):
            raise BenchinferError(
                f"{str(path)!r} was read as input and is not overwritten.",
                hint="name another file.",
            )


def write_atomically(path: str | Path, text: str) -> Path:
    """Write a text file atomically: a reader sees the old or the complete new version.

    That holds after a crash, too. Links are followed, an existing file keeps its mode, and
    devices and pipes are written to directly.
    """
    data = text.encode()
    check_target(path)
    with writing(path):
        target = followed(path)
        # Windows has no locks of this kind: a crash may leave half a file there.
        if sys.platform == "win32" or (exists(target) and not target.is_file()):
            target.write_bytes(data)
        else:
            _replace(target, data)
    return Path(path)


def write_together(texts: Mapping[Path, str]) -> None:
    """Write text files with their folders: all of them or, where one cannot be written, none."""
    made: list[Path] = []
    try:
        for path, text in texts.items():
            with writing(path):
                for folder in reversed([place for place in path.parents if not exists(place)]):
                    folder.mkdir()
                    made.append(folder)
                made += [] if exists(path) else [path]
            write_atomically(path, text)
    except BaseException:
        for place in reversed(made):
            place.rmdir() if place.is_dir() else place.unlink(missing_ok=True)
        raise


def lies_below(path: str | Path, folder: str | Path) -> bool:
    """Return whether a path is below a folder, or the folder itself, after links are followed.

    Examples
    --------
    >>> lies_below("runs/state.json", "runs"), lies_below("runs/../state.json", "runs")
    (True, False)
    """
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def followed(path: str | Path) -> Path:
    """Return the target of a path after links are followed; the file need not exist."""
    real = Path(os.path.realpath(path))
    for folder in (Path(path).parent, real.parent):
        if not exists(folder):
            raise BenchinferError(f"there is no folder {str(folder)!r}.", hint="create it first.")
    if real.is_symlink():
        raise OSError(errno.ELOOP, "")
    # The links of /dev/stdout and its like lead to names that are no files.
    return real if real.is_file() or not exists(path) else Path(path)


@contextmanager
def writing(path: str | Path) -> Generator[None]:
    """Raise a BenchinferError with the reason if writing a file fails within the context."""
    try:
        yield
    except OSError as error:
        why = _REASONS.get(error.errno or 0, (error.strerror or "unknown reason").lower())
        raise BenchinferError(
            f"{str(path)!r} cannot be written: {why}.", hint="name another file."
        ) from None


class LockedFile(AbstractContextManager["LockedFile"]):
    """A file that one process at a time reads, uses and writes.

    Parameters
    ----------
    path
        The file; it need not exist. The lock is a file of the same name with ``.lock`` added.
    """

    def __init__(self, path: str | Path) -> None:
        if not str(path):
            raise BenchinferError(
                "'' names no file for the state.",
                hint="name a file, as in 'state.json'; it need not exist.",
            )
        check_target(path)
        with writing(path):
            self.path = followed(path)  # whoever names it by a link waits for the same lock
            if exists(self.path) and not self.path.is_file():
                raise BenchinferError(
                    f"{str(path)!r} is no file.", hint="a state is a file of its own."
                )
        self._stack = ExitStack()
        self._depth = 0

    def __enter__(self) -> Self:
        """Wait for the lock; within a context that holds it there is nothing to wait for."""
        if self._depth == 0:
            import fcntl  # not on Windows, where all else works

            lock = self.path.with_name(f"{self.path.name}.lock")
            with writing(lock):
                if lock.is_symlink():
                    raise BenchinferError(
                        f"{str(lock)!r} is a link.", hint="a lock is a file of its own."
                    )
                file = self._stack.enter_context(lock.open("a", encoding="utf-8"))
            fcntl.flock(file, fcntl.LOCK_EX)
        self._depth += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release the lock."""
        self._depth -= 1
        if self._depth == 0:
            self._stack.close()


def _replace(target: Path, data: bytes) -> None:
    """Write a temporary file, and rename it to the target."""
    old = target.stat() if exists(target) else None
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
    """Return handle and path of a new temporary file, locked while it is open."""
    import fcntl

    while True:
        part = folder / f".benchinfer-{secrets.token_hex(8)}.part"
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, part
        os.close(handle)  # cleared by another process before it was locked


def _clear(folder: Path) -> None:
    """Remove unlocked temporary files, which killed processes have left."""
    import fcntl

    for part in folder.glob(f".benchinfer-{16 * '[0-9a-f]'}.part"):
        with suppress(OSError), part.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with a checksum of its content."""
    return {**document, "sha256": _checksum(document)}


def _checksum(document: Mapping[str, Any]) -> str:
    content = {name: value for name, value in document.items() if name != "sha256"}
    # Of the values, not of the bytes: other spacing is no damage.
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def read_sealed(
    path: Path, name: str, form: int, *, what: str, hint: str | Sequence[str]
) -> dict[str, Any]:
    """Return a document from a file after verification of its checksum and format."""
    named = repr(str(path))
    document: Any = None
    intact = False
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        intact = isinstance(document, dict) and document.get("sha256") == _checksum(document)
    except FileNotFoundError:
        raise BenchinferError(f"there is no file {named}.", hint=hint) from None
    except IsADirectoryError:
        raise BenchinferError(f"{named} is a folder, not {what}.", hint=hint) from None
    except OSError as error:
        raise BenchinferError(f"{named} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        document = None  # not JSON, or deeper than any that was written
    if not isinstance(document, dict) or name not in document:
        raise BenchinferError(f"{named} is not {what}, or only a part of one.", hint=hint)
    if document[name] != form:
        was = f"has format {_short(document[name])}; this version reads {form}"
        raise BenchinferError(f"{named} {was}.", hint=hint)
    if not intact:
        was = "was changed after it was written: its checksum does not match"
        raise BenchinferError(f"{named} {was}.", hint=hint)
    return document


def save(result: object, path: str | Path) -> Path:
    """Write a result to one JSON file."""
    document = sealed({"benchinfer": FORMAT, "result": encode(result)})
    return write_atomically(path, json.dumps(document, separators=(",", ":")))


def load(path: str | Path) -> Any:
    """Read a result that ``result.save(path)`` wrote.

    Raises
    ------
    BenchinferError
        There is no such file, it is not a saved result, or it was changed.
    """
    hint = (
        "results are written by result.save(path): save it again, or take an untouched copy;",
        "score tables are read by read_scores.",
    )
    # Types do not stop a number at run time.
    if not isinstance(path, str | os.PathLike):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BenchinferError(f"a {type(path).__name__} is no path of a saved result.", hint=hint)
    document = read_sealed(Path(path), "benchinfer", FORMAT, what="a saved result", hint=hint)
    try:
        result = decode(document.get("result"))
        check_shapes(result)
        str(result)  # fields of one type may still contradict each other
    except (BenchinferError, TypeError, ValueError, LookupError, ArithmeticError) as error:
        raise BenchinferError(
            f"{str(path)!r} cannot be a saved result: {error}.", hint=hint
        ) from None
    if not dataclasses.is_dataclass(result):
        raise BenchinferError(f"{str(path)!r} holds no result.", hint=hint)
    return result
