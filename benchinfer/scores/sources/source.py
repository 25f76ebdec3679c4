"""Source of a table, its columns known and its rows not yet read."""

import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchinfer.core.errors import BenchinferError, ScoreTableError
from benchinfer.scores.coverage import Finding
from benchinfer.scores.formats.format import Format

if TYPE_CHECKING:
    import narwhals as nw

# Of rows that are neither counted nor placed as they are read: measured on 40 million.
_BYTES_OF_A_ROW, _SHARE_OF_MEMORY = 120, 0.6

type Load = Callable[
    [Sequence[str], Sequence[str], Sequence[str]], tuple["nw.LazyFrame[Any]", list[Finding]]
]

type Stream = Callable[[Sequence[str], Sequence[str]], tuple[int, Iterable[Any]]]


@dataclass(frozen=True, slots=True)
class Source:
    """A table that can be loaded.

    Attributes
    ----------
    name
        What to call it in messages: the last part of the path, or the kind of frame.
    names
        Its columns.
    load
        Takes the columns that hold labels, those that hold scores, and covariates, which are loaded
        as `slots` so that they may be labels too; gives the frame and what was found on the way.
    stem
        A name for its only data set.
    toml
        The ``measures.toml`` that lies beside it, if there is one.
    index
        The first labels of a pandas index that has no name but does not only count.
    kinds
        Column to ``"complex"``, ``"date"``, ``"duration"``, ``"nested"``, ``"bytes"`` or
        ``"object"``, for those that are.
    known
        The tool that wrote it, where the file tells more than its columns.
    stream
        Takes the columns of labels and those of scores; gives how many rows there are, as far as
        that is known, and Arrow batches, text as codes. None where all rows are loaded.
    planned
        Whether rows come from a plan of functions that a user may have written.
    """

    name: str
    names: tuple[str, ...]
    load: Load
    stem: str = "data"
    toml: Path | None = None
    index: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    known: Format | None = None
    stream: Stream | None = None
    planned: bool = False


def check_memory(name: str, rows: int) -> None:
    """Refuse more rows than fit into memory, before they fill it."""
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return  # Windows does not say
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if rows * _BYTES_OF_A_ROW > _SHARE_OF_MEMORY * memory:
        needed = rows * _BYTES_OF_A_ROW / 1e9
        raise ScoreTableError(
            f"{name!r} has {rows:,} rows, which need about {needed:,.0f} GB of memory: more than"
            f" {100 * _SHARE_OF_MEMORY:g} % of the {memory / 1e9:,.0f} GB here.",
            hint="average what is repeated, or split the table by measure or data set.",
        )


@contextmanager
def engine_errors(name: str, query: str | None = None, *, planned: bool = False) -> Generator[None]:
    """Turn errors of an engine that reads rows late into one clear error.

    A plan of the user's own functions may raise anything.
    """
    try:
        yield
    except BenchinferError:
        raise
    except Exception as error:
        known = isinstance(error, OSError) or engine_of(error) in _ENGINES
        if not known and not planned:
            raise
        raise failed(name, error, query) from None


_ENGINES = {"narwhals", "polars", "duckdb", "_duckdb", "pyarrow", "dask", "pyspark"}


def failed(name: str, error: Exception, query: str | None = None) -> ScoreTableError:
    """Return the error of an engine as one of the table."""
    hint = [] if query is None else [f"the query was {query!r}."]
    if type(error).__name__ == "PermissionException":
        hint.append("the database is open without access to other files;")
        hint.append("CREATE TABLE ... AS SELECT, beforehand, brings in what they hold.")
    begin = f"{name} cannot be read" if query is None else "the query failed"
    return ScoreTableError(f"{begin}: {str(error).strip()}", hint=hint)


def engine_of(native: object) -> str:
    """Return the package that an object comes from."""
    return type(native).__module__.split(".")[0]


def first_line(error: Exception) -> str:
    """Return the first line of what an error says."""
    return str(error).strip().partition("\n")[0]
