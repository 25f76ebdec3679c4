"""Results to one JSON file and back, without pickle: records are rebuilt field by field.

Only classes marked with `savable` are written or read, so that a file can never run code.
"""

import dataclasses
import json
import os
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

from benchinfer.errors import BenchinferError, message

FORMAT = 1
_classes: dict[str, type] = {}
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


def write_whole(path: str | Path, text: str) -> Path:
    """Write a text file so that a reader sees the old one or the whole new one.

    It does so after a crash, too.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise BenchinferError(
            message(f"there is no folder {str(target.parent)!r}.", hint="create it first.")
        )
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # before the new name is on disk
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return target


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
