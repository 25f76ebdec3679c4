"""Format of the results of a tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack, cast

from benchinfer.core.errors import MessageParts, ScoreTableError
from benchinfer.core.measure import Better, Measure
from benchinfer.core.numbers import number_of
from benchinfer.scores.resampling import Resampling

type Names = Sequence[str]
type Recogniser = Callable[[Names], Format | None]
type Rows = list[dict[str, Any]]
type Results = tuple[Format, Rows]
type Record = Mapping[str, Any]

BATTLE = {"model_a", "model_b", "winner"}  # columns of arenas
_UNIT = (0.0, 1.0)
_LONGEST = 1 << 26  # characters of a line
# Measures whose direction and bounds are the same in all tools; small letters, no separators.
_HIGHER = (
    *("accuracy", "acc", "accnorm", "balancedaccuracy", "balacc", "bacc", "auc", "rocauc"),
    *("prauc", "averageprecision", "f1", "fmeas", "precision", "recall", "exactmatch"),
    *("sensitivity", "specificity", "sens", "spec", "npv", "ppv"),
)
_HIGHER_FREE = ("r2", "rsq", "mcc", "kap", "kappa")
_LOWER = ("error", "errorrate", "ce", "brierclass", "brierscore", "bbrier")
_LOWER_FREE = (
    *("logloss", "mnlogloss", "rmse", "mse", "mae", "rmsle", "mape", "smape", "mase"),
    *("perplexity", "wordperplexity", "byteperplexity", "bitsperbyte"),
)
# Direction of a measure, and whether it lies between 0 and 1.
_DIRECTIONS: dict[str, tuple[Better, bool]] = {
    **dict.fromkeys(_HIGHER, ("higher", True)),
    **dict.fromkeys(_HIGHER_FREE, ("higher", False)),
    **dict.fromkeys(_LOWER, ("lower", True)),
    **dict.fromkeys(_LOWER_FREE, ("lower", False)),
}


class NoScoresError(ScoreTableError):
    """A file holds no scores; others beside it may have some.

    Attributes
    ----------
    of_tool
        Whether a known tool wrote it.
    """

    def __init__(self, what: str, *, of_tool: bool = False, **parts: Unpack[MessageParts]) -> None:
        super().__init__(what, **parts)
        self.of_tool = of_tool


@dataclass(frozen=True, slots=True)
class Format:
    """Roles of the columns of a tool's table, and declarations that the tool makes of its measures.

    Attributes
    ----------
    tool
        Name of the tool.
    columns
        Column to role.
    layout
        As in `read_scores`.
    measures
        Those whose direction the tool defines.
    resampling
        If the tool has but one kind.
    name
        Pattern of the names of its files.
    note
        What a reader should know beside.
    units
        Levels of nested units, the outermost first, as in `read_scores`.
    unused
        Columns that need no role.
    steps
        Column of steps, where rows are points of curves.
    runs
        Of a tool that times programs, what it says of machine and versions, once per run.
    limit
        Column of the limit at which runs were stopped, that of the first measure.
    """

    tool: str
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    layout: str = "long"
    measures: tuple[Measure, ...] = ()
    resampling: Resampling | None = None
    name: str | None = None
    note: str = ""
    units: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    steps: str = ""
    runs: tuple[Mapping[str, float | str], ...] = ()
    limit: str = ""

    def joined(self, other: Format | None) -> Format:
        """Return the format of two files together: a measure must have one direction in both."""
        if other is None:
            return self
        of = {m.name: m for m in other.measures}
        same = [m for m in self.measures if of.get(m.name, m) == m]
        mine = {m.name for m in self.measures}
        notes = dict.fromkeys((*self.note.split("; "), *other.note.split("; ")))
        return replace(
            self,
            note="; ".join(filter(None, notes)),
            measures=(*same, *(m for n, m in of.items() if n not in mine)),
            units=_levels(self.units, other.units),
            runs=(*self.runs, *other.runs),
        )


def _levels(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Join levels of units: a file without a level has one unit of it in each of the next.

    Examples
    --------
    >>> _levels(("passage", "doc_id"), ("doc_id", "answer"))
    ('passage', 'doc_id', 'answer')
    """
    shared = next((name for name in first if name in second), None)
    if shared is None:
        return first or second
    parts = [(names[: (i := names.index(shared))], names[i:]) for names in (first, second)]
    return tuple(
        dict.fromkeys(name for side in zip(*parts, strict=True) for n in side for name in n)
    )


def directed(names: Iterable[str]) -> tuple[Measure, ...]:
    """Return the measures whose name has one meaning.

    Examples
    --------
    >>> [(m.name, m.better, m.bounds) for m in directed(["roc_auc", "neg_rmse", "rmse", "x"])]
    [('roc_auc', 'higher', (0.0, 1.0)), ('neg_rmse', 'higher', None), ('rmse', 'lower', None)]
    """
    measures: list[Measure] = []
    for name in dict.fromkeys(names):
        plain = "".join(c for c in name.casefold() if c.isalnum())
        known = _DIRECTIONS.get(plain)
        if name.casefold().startswith("neg_"):
            known = "higher", False
        if known is not None:
            better, unit = known
            measures.append(Measure(name, better, bounds=_UNIT if unit else None))
    return tuple(measures)


def agreed(ways: Mapping[str, set[Better | None]]) -> tuple[Measure, ...]:
    """Return the measures of which the same is better everywhere, with their usual bounds.

    Examples
    --------
    >>> [(m.name, m.bounds) for m in agreed({"acc": {"higher"}, "x": {"higher", "lower"}})]
    [('acc', (0.0, 1.0))]
    """
    bounds = {m.name: m.bounds for m in directed(ways)}
    return tuple(
        Measure(name, better, bounds=bounds.get(name))
        for name, of in ways.items()
        if len(of) == 1
        for better in of
        if better is not None
    )


def is_score(value: object) -> bool:
    """Return whether a value of a document is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_blank(value: object) -> bool:
    """Return whether a value stands for a score that is missing: null, a truth value or "N/A"."""
    if isinstance(value, str):
        return value.strip().casefold() in ("", "n/a", "nan", "none", "null")
    return value is None or isinstance(value, bool)


def has_record(items: object, *keys: str) -> bool:
    """Return whether one of the items of a list, or of the values of a record, has all keys.

    Examples
    --------
    >>> has_record([3, {"a": 1, "b": 2}], "a", "b"), has_record({"x": {"a": 1}}, "a", "b")
    (True, False)
    """
    values: object = items.values() if isinstance(items, Mapping) else items
    if not isinstance(values, list | ValuesView):
        return False
    some = cast("Iterable[object]", values)
    return any(isinstance(item, Mapping) and item.keys() >= {*keys} for item in some)


def holds_record(path: Path, *keys: str) -> bool:
    """Return whether a file of JSON holds a record with all keys."""
    try:
        return has_record([json.loads(path.read_text(encoding="utf-8"))], *keys)
    except (OSError, ValueError, RecursionError):
        return False


def number_or_text(text: str) -> float | str:
    """Return the number that a text is, or the text for the checks to see."""
    number = number_of(text)
    return text if number is None else number


def part[T](record: Record, key: str, kind: type[T], tool: str) -> T:
    """Return what a tool writes under a key; raise an error on a value of another kind."""
    value = record.get(key)
    if isinstance(value, kind):
        return value
    raise unlike(tool, f"{key!r} is {repr(value)[:40]}, not a {kind.__name__}")


def seconds_of(unit: str, known: Mapping[str, float], tool: str) -> float:
    """Return a unit of time in seconds; raise an error on one that is not known.

    Examples
    --------
    >>> seconds_of("ms", {"ms": 1e-3, "s": 1.0}, "JMH")
    0.001
    """
    if unit in known:
        return known[unit]
    raise unlike(tool, f"{unit!r} is no unit of time that is known ({', '.join(known)})")


def facts_of(record: object, *keys: str) -> Mapping[str, float | str]:
    """Return what a record says under some keys, as far as that is numbers or text.

    Examples
    --------
    >>> facts_of({"host": "h1", "mhz": 3400, "caches": []}, "host", "mhz", "caches", "load")
    {'host': 'h1', 'mhz': 3400}
    """
    if not isinstance(record, Mapping):
        return {}
    held = cast("Record", record)
    return {key: value for key in keys if isinstance(value := held.get(key), int | float | str)}


def records(record: Record, key: str, tool: str) -> list[Record]:
    """Return the records that a tool writes under a key."""
    items = cast("list[object]", part(record, key, list, tool))
    if not all(isinstance(item, Mapping) for item in items):
        raise unlike(tool, f"not all items of {key!r} are records")
    return cast("list[Record]", items)


def numbers(record: Record, key: str, tool: str) -> list[float | None]:
    """Return the numbers that a tool writes under a key; null is none."""
    items = cast("list[object]", part(record, key, list, tool))
    if odd := [item for item in items if not (item is None or is_score(item))]:
        raise unlike(tool, f"{len(odd)} of {len(items)} items of {key!r} are no numbers")
    return cast("list[float | None]", items)


def unlike(tool: str, what: str) -> ScoreTableError:
    """Return the error of results that are not as the tool writes them."""
    hint = "the file is damaged, or of a version of the tool that writes it otherwise."
    return ScoreTableError(f"results of {tool}: {what}.", hint=hint)


def not_utf8(name: str, head: bytes = b"") -> ScoreTableError:
    """Return the error of a text in another encoding, which its first bytes may tell."""
    encoding = "latin-1"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif 0 in head[:40]:  # half of each letter of the header
        encoding = "utf-16-be" if 0 in head[:40:2] else "utf-16-le"
    return ScoreTableError(
        f"{name!r} is not text in UTF-8.",
        hint=f"save it as UTF-8, or read it by pandas, which takes the encoding {encoding}.",
    )


def first_line(path: Path) -> Record:
    """Return the record in the first of some JSON lines, empty where there is none."""
    with path.open(encoding="utf-8", errors="replace") as file:
        line = _line(file.readline(_LONGEST))
    return line if line is not None else {}


def lines_of(path: Path) -> list[Record]:
    """Return the records of JSON lines; none where a line is another thing."""
    try:
        with path.open(encoding="utf-8") as file:
            lines = [_line(line) for line in file if line.strip()]
    except UnicodeDecodeError as error:
        raise not_utf8(path.name, error.object) from None
    records = [line for line in lines if line is not None]
    return records if len(records) == len(lines) else []


def _line(text: str) -> Record | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None  # whose reader says what is wrong
    return cast("Record", value) if isinstance(value, Mapping) else None


def document(path: Path, tool: str) -> Record:
    """Return the record that a file of JSON in a folder of a tool holds."""
    held = _decoded(path, tool)
    if isinstance(held, Mapping):
        return cast("Record", held)
    raise unlike(tool, f"{path.name!r} holds no record")


def listed(path: Path, tool: str) -> list[Record]:
    """Return the records that a file of JSON in a folder of a tool lists."""
    return records({path.name: _decoded(path, tool)}, path.name, tool)


def _decoded(path: Path, tool: str) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise unlike(tool, f"{path.name!r} in {path.parent.name!r} is no JSON") from None
