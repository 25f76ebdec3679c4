"""From a frame and its roles to the columns that all else reads, in any engine.

Six columns: ``domain`` (if there is one), ``dataset``, ``replication``, ``algorithm`` and
``measure`` are text without empty strings, ``value`` is a float. A seventh, ``text``, is there only
where scores came as text; it holds what was written. Covariates follow, each a float in its slot;
those that came as text have a second column, named by `written`.
"""

from collections.abc import Mapping
from typing import Any, cast

import narwhals as nw

from benchinfer.scores.roles import LABELS, Roles, slots

type Frame = "nw.LazyFrame[Any]"

_TEXTS: tuple[Any, ...] = (nw.String, nw.Categorical, nw.Enum)
_FRACTIONS: tuple[Any, ...] = (
    nw.Decimal,
    nw.Datetime,
    nw.Time,
)  # engines write more or fewer zeros at the end
_EXACT = 2.0**53  # whole numbers beyond are not told apart
_NAME, _VALUE = "benchinfer_name", "benchinfer_value"  # until they have their roles
# What stands for "no number" in a text column, as CSV readers take it.
NONE = (
    *("", "NA", "NaN", "-NaN", "nan", "-nan", "NULL", "null", "None", "N/A", "n/a", "NaT"),
    *("#N/A", "#NA", "#N/A N/A", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
# Not \d: some engines take the digits of every script as such, and none reads them.
_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_INFINITE = r"^[+-]?(?:[iI][nN][fF]|[iI]nfinity)$"
COMMA = r"^[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?$"
BLANKS = " \t\r\n\v\f"  # by default engines differ in what they strip


def canonical(frame: Frame, roles: Roles, absent: Mapping[str, str]) -> Frame:
    """Name, type and arrange the columns.

    Parameters
    ----------
    frame
        As loaded.
    roles
        Which column plays which role.
    absent
        Role to the one label that stands for a column that is not there.

    Returns
    -------
    LazyFrame
        The canonical columns. In memory, labels are dictionary-encoded.
    """
    if roles.wide:
        frame = _long(frame, roles)
    # What to read, and where to keep what is written if it is text.
    numbers = {"value": (_VALUE if roles.wide else roles.of["value"][0], "text")}
    numbers |= {slot: (slot, written(slot)) for slot in slots(roles.covariates)}
    schema = frame.collect_schema()
    texts = {to: text for to, (name, text) in numbers.items() if not _numeric(schema[name])}
    columns = _labels(frame, roles, absent)
    for to, (name, text) in numbers.items():
        if to in texts:
            columns.append(_stripped(name, schema[name]).alias(text))
        else:
            columns.append(_float(name, schema[name]).alias(to))
    frame = frame.select(*columns)
    if texts:
        frame = frame.with_columns(*(_parsed(text).alias(to) for to, text in texts.items()))
    return encoded(frame)


def _labels(frame: Frame, roles: Roles, absent: Mapping[str, str]) -> list[nw.Expr]:
    """Name the labels by their roles; several columns of one role are joined."""
    schema, memory = frame.collect_schema(), in_memory(frame)
    columns: list[nw.Expr] = []
    for role in LABELS:
        names = (_NAME,) if roles.wide and role == roles.spread else roles.of.get(role, ())
        if len(names) == 1:
            columns.append(as_label(names[0], schema[names[0]], memory=memory).alias(role))
        elif names:
            parts = [as_label(name, schema[name], memory=False) for name in names]
            columns.append(nw.concat_str(parts, separator="/").alias(role))
        elif role in absent:
            columns.append(nw.lit(absent[role]).alias(role))
    return columns


def written(slot: str) -> str:
    """Name the column that holds what was written where a covariate came as text."""
    return f"{slot}_text"


def _numeric(kind: nw.dtypes.DType) -> bool:
    return kind.is_numeric() or kind == nw.Boolean


def _float(name: str, kind: nw.dtypes.DType) -> nw.Expr:
    """Nearest float of a number; of a decimal by its digits, since engines round otherwise."""
    column = nw.col(name)
    return (column.cast(nw.String) if kind == nw.Decimal else column).cast(nw.Float64)


def _stripped(name: str, kind: nw.dtypes.DType) -> nw.Expr:
    """Text of a number, null for what stands for none."""
    text = nw.col(name) if kind == nw.String else nw.col(name).cast(nw.String)
    text = text.str.strip_chars(BLANKS)
    return nw.when(~text.is_in(NONE)).then(text)


def _long(frame: Frame, roles: Roles) -> Frame:
    """One row per score."""
    schema = frame.collect_schema()
    as_text = any(schema[name] in _TEXTS for name in roles.wide)
    # Not unpivot: narwhals 2.28 cannot do it on DuckDB connections other than the default one.
    parts = [
        frame.select(
            *roles.labels,
            *slots(roles.covariates),
            nw.lit(name).alias(_NAME),
            (nw.col(name).cast(nw.String) if as_text else _float(name, schema[name])).alias(_VALUE),
        )
        for name in roles.wide
    ]
    return nw.concat(parts)


def in_memory(frame: Frame) -> bool:
    """Whether the frame is an Arrow table; all that is in memory is taken over into one."""
    return type(nw.to_native(frame)).__module__.split(".")[0] == "pyarrow"


def as_label(name: str, kind: nw.dtypes.DType, *, memory: bool = False) -> nw.Expr:
    """Write a label as text: no zeros after the point, truth as in Python, null for nothing."""
    column = nw.col(name)
    if memory and kind == nw.Categorical:
        return column  # codes of text, as our CSV reader gives them
    if kind.is_float():
        there = ~(column.is_null() | column.is_nan())
        whole = there & (column.abs() < _EXACT) & (column == column.round(0))
        # The cast must not see the others: engines raise on them.
        as_whole = nw.when(whole).then(column).otherwise(nw.lit(0.0)).cast(nw.Int64)
        text = nw.when(whole).then(as_whole.cast(nw.String)).otherwise(column.cast(nw.String))
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
    """Whether text is there that is no number; `commas` takes those with a decimal comma as one."""
    text = nw.col(column)
    pattern = f"{_NUMBER}|{_INFINITE}" + (f"|{COMMA}" if commas else "")
    return ~text.is_null() & ~text.str.contains(pattern).fill_null(value=False)


def encoded(frame: Frame) -> Frame:
    """Dictionary-encode the labels of a frame in memory; leave others to their engine."""
    if not in_memory(frame):
        return frame
    import pyarrow as pa

    native = cast("pa.Table", nw.to_native(frame))
    for i, name in enumerate(native.schema.names):
        column = native.column(i)
        if name in LABELS:
            if not pa.types.is_dictionary(column.type):
                column = column.cast(pa.string()).dictionary_encode()
            native = native.set_column(i, name, _without_empty(column))
    return nw.from_native(native.unify_dictionaries(), eager_only=True).lazy()


def _without_empty(column: Any) -> Any:
    """Make empty labels null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not any("" in chunk.dictionary.to_pylist() for chunk in column.chunks[:1]):
        return column
    text = column.cast(pa.string())
    return pc.if_else(pc.equal(text, ""), None, text).dictionary_encode()  # pyright: ignore[reportAttributeAccessIssue]
