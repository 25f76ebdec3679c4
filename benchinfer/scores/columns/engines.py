"""Frames of any engine in canonical columns, and errors of engines.

Six columns: ``domain`` (if there is one), ``dataset``, ``replication``, ``algorithm`` and
``measure`` are text without empty strings, ``value`` is a float. A seventh, ``text``, is there only
where scores came as text; it holds what was written. ``failure``, ``imputed`` and ``status`` follow
where the table has them; a failure is also what stands in place of a score. Covariates follow, each
a float in its slot; those that came as text have a second column, named by `written`. Where units
are nested, the replication is the outermost one, and ``level_2`` and so on are those within it.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import narwhals as nw

from benchinfer.core.errors import BenchinferError, ScoreTableError
from benchinfer.scores.columns.roles import INNER, LABELS, REMARKS, Roles, slots

type Frame = "nw.LazyFrame[Any]"

_ENGINES = {"narwhals", "polars", "duckdb", "_duckdb", "pyarrow", "dask", "pyspark"}
_TEXTS: tuple[Any, ...] = (nw.String, nw.Categorical, nw.Enum)
_FRACTIONS: tuple[Any, ...] = (
    nw.Decimal,
    nw.Datetime,
    nw.Time,
)  # engines write more or fewer zeros at the end
_EXACT = 2.0**53  # whole numbers beyond are not distinguished
_VALUE = "benchinfer_value"  # until it has its role
# What stands for "no number" in a text column, as CSV readers take it.
NONE = (
    *("", "NA", "NaN", "-NaN", "nan", "-nan", "NULL", "null", "None", "N/A", "n/a", "NaT"),
    *("#N/A", "#NA", "#N/A N/A", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
# What stands in place of the score of a run that failed, in small letters.
FAILED = (
    *("fail", "failed", "failure", "error", "crash", "crashed", "killed", "diverged", "dnf"),
    *("timeout", "time-out", "timed out", "memout", "oom", "out of memory", "-", "?"),
)
# Not \d: some engines take the digits of every script as such, and none reads them.
_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_INFINITE = r"^[+-]?(?:[iI][nN][fF]|[iI]nfinity)$"
COMMA = r"^[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?$"
BLANKS = " \t\r\n\v\f"  # by default engines differ in what they strip


def canonical(frame: Frame, roles: Roles, absent: Mapping[str, str]) -> Frame:
    """Return the frame with canonical columns: standard names, types and order."""
    if roles.wide:
        frame = _long(frame, roles)
    # What to read, and where to keep what is written if it is text.
    numbers = {"value": (_VALUE if roles.wide else roles.of["value"][0], "text")}
    numbers |= {slot: (slot, written(slot)) for slot in slots(roles.covariates)}
    schema = frame.collect_schema()
    texts = {
        to: text
        for to, (name, text) in numbers.items()
        if not (schema[name].is_numeric() or schema[name] == nw.Boolean)
    }
    columns = _labels(frame, roles, absent)
    for to, (name, text) in numbers.items():
        if to in texts:
            column = nw.col(name)
            words = column if schema[name] == nw.String else column.cast(nw.String)
            words = words.str.strip_chars(BLANKS)
            columns.append(nw.when(~words.is_in(NONE)).then(words).alias(text))
        else:
            columns.append(_float(name, schema[name]).alias(to))
    frame = frame.select(*columns)
    if texts:
        if "value" in texts:
            # Words of failure are reasons why scores are not there.
            word = said_to_fail(nw.col("text"))
            reason = nw.when(word).then(nw.col("text"))
            if "failure" in frame.collect_schema().names():
                reason = nw.coalesce(reason, nw.col("failure").cast(nw.String))
            score = nw.when(~word).then(nw.col("text"))
            frame = frame.with_columns(reason.alias("failure"), score.alias("text"))
        frame = frame.with_columns(*(_parsed(text).alias(to) for to, text in texts.items()))
    return encoded(frame)


def _labels(frame: Frame, roles: Roles, absent: Mapping[str, str]) -> list[nw.Expr]:
    """Return the columns of labels, named by role; several columns of one role are joined."""
    schema, memory = frame.collect_schema(), in_memory(frame)
    columns: list[nw.Expr] = []
    for role in (*LABELS, *INNER, *REMARKS):
        names = (f"benchinfer_{role}",) if role in roles.spread else roles.of.get(role, ())
        if len(names) == 1:
            columns.append(as_label(names[0], schema[names[0]], memory=memory).alias(role))
        elif names:
            parts = [as_label(name, schema[name], memory=False) for name in names]
            columns.append(nw.concat_str(parts, separator="/").alias(role))
        elif role in absent:
            columns.append(nw.lit(absent[role]).alias(role))
    return columns


def said_to_fail(text: nw.Expr) -> nw.Expr:
    """Return whether a text is a word that stands for a failure."""
    return text.cast(nw.String).str.to_lowercase().is_in(FAILED)


def written(slot: str) -> str:
    """Return the name of the column with the original text of a covariate that was read as text."""
    return f"{slot}_text"


def _float(name: str, kind: nw.dtypes.DType) -> nw.Expr:
    """Return a column as the nearest floats, of decimals by their digits: engines' casts differ."""
    column = nw.col(name)
    return (column.cast(nw.String) if kind == nw.Decimal else column).cast(nw.Float64)


def _long(frame: Frame, roles: Roles) -> Frame:
    """Return a wide frame in long form, one row per score."""
    schema = frame.collect_schema()
    as_text = any(schema[name] in _TEXTS for name in roles.wide)
    # Not unpivot: narwhals 2.28 cannot do it on DuckDB connections other than the default one.
    parts = [
        frame.select(
            *roles.labels,
            *slots(roles.covariates),
            *(nw.lit(label).alias(f"benchinfer_{role}") for role, label in labels.items()),
            (nw.col(name).cast(nw.String) if as_text else _float(name, schema[name])).alias(_VALUE),
        )
        for name, labels in roles.wide.items()
    ]
    return nw.concat(parts)


def in_memory(frame: Frame) -> bool:
    """Return whether the frame is an Arrow table; other frames in memory are converted."""
    return type(nw.to_native(frame)).__module__.split(".")[0] == "pyarrow"


def lazy(table: Any) -> Frame:
    """Return an Arrow table as a frame."""
    return nw.from_native(table, eager_only=True).lazy()


def as_label(name: str, kind: nw.dtypes.DType, *, memory: bool = False) -> nw.Expr:
    """Write a label as text: no zeros after the point, truth as in Python, null for nothing."""
    column = nw.col(name)
    if memory and kind == nw.Categorical:
        return column  # codes of text, as our CSV reader gives them
    if kind.is_float():
        there = ~(column.is_null() | column.is_nan())
        integral = there & (column.abs() < _EXACT) & (column == column.round(0))
        # The cast must not see the others: engines raise on them.
        digits = nw.when(integral).then(column).otherwise(nw.lit(0.0)).cast(nw.Int64)
        text = nw.when(integral).then(digits.cast(nw.String)).otherwise(column.cast(nw.String))
        return nw.when(there).then(text)
    if kind in _FRACTIONS:
        text = column.cast(nw.String)
        short = text.str.replace_all("0+$", "").str.replace_all(r"\.$", "")
        return nw.when(text.str.contains(r"\.[0-9]+$")).then(short).otherwise(text)
    if kind == nw.Boolean:
        return nw.when(column).then(nw.lit("True")).when(~column).then(nw.lit("False"))
    if kind == nw.String:
        return nw.when(column != nw.lit("")).then(column)
    return column.cast(nw.String)


def _parsed(column: str) -> nw.Expr:
    """Read numbers from text; those with a decimal comma too, so that later checks see them."""
    text = nw.col(column)
    # Each cast must not see what it cannot read: engines raise on it.
    number = nw.when(text.str.contains(_NUMBER)).then(text).cast(nw.Float64)
    swapped = text.str.replace_all(",", ".", literal=True)
    comma = nw.when(text.str.contains(COMMA)).then(swapped).cast(nw.Float64)
    infinite = nw.when(text.str.contains(_INFINITE)).then(nw.lit(float("inf")))
    return nw.coalesce(number, comma, infinite)


def unreadable(column: str = "text", *, commas: bool = True) -> nw.Expr:
    """Return whether there is text that is no number; `commas` allows a decimal comma."""
    text = nw.col(column)
    pattern = f"{_NUMBER}|{_INFINITE}" + (f"|{COMMA}" if commas else "")
    return ~text.is_null() & ~text.str.contains(pattern).fill_null(value=False)


def encoded(frame: Frame) -> Frame:
    """Dictionary-encode labels in memory, empty ones as null; leave others to their engine."""
    if not in_memory(frame):
        return frame
    import pyarrow as pa
    import pyarrow.compute as pc

    native = cast("pa.Table", nw.to_native(frame))
    for i, name in enumerate(native.schema.names):
        column = native.column(i)
        if name in (*LABELS, *INNER, *REMARKS):
            if not pa.types.is_dictionary(column.type):
                column = column.cast(pa.string()).dictionary_encode()
            if any("" in chunk.dictionary.to_pylist() for chunk in column.chunks[:1]):
                text = column.cast(pa.string())
                filled = pc.if_else(pc.equal(text, ""), None, text)  # pyright: ignore[reportAttributeAccessIssue]
                column = filled.dictionary_encode()
            native = native.set_column(i, name, column)
    return lazy(native.unify_dictionaries())


def holds_text(kind: Any) -> bool:
    """Return whether a type of Arrow is that of text."""
    import pyarrow as pa

    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view()


@contextmanager
def engine_errors(name: str, query: str | None = None, *, planned: bool = False) -> Generator[None]:
    """Convert errors of a lazy engine to one ScoreTableError.

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


def failed(name: str, error: Exception, query: str | None = None) -> ScoreTableError:
    """Return a ScoreTableError with the message of an engine's error."""
    hint = [] if query is None else [f"the query was {query!r}."]
    if type(error).__name__ == "PermissionException":
        hint.append("the database is open without access to other files;")
        hint.append("CREATE TABLE ... AS SELECT, beforehand, brings in what they hold.")
    begin = f"{name} cannot be read" if query is None else "the query failed"
    return ScoreTableError(f"{begin}: {str(error).strip()}", hint=hint)


def engine_of(native: object) -> str:
    """Return the package that an object comes from."""
    return type(native).__module__.split(".")[0]
