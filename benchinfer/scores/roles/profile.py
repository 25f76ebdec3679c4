"""Profiles of columns: kind, number of values, and what the name suggests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchinfer.core.numbers import number_of
from benchinfer.numerics.types import Array, Codes
from benchinfer.scores.columns.engines import FAILED, NONE
from benchinfer.scores.roles.directions import direction, plain
from benchinfer.scores.roles.labels import SPLIT, kinds_of_splits
from benchinfer.scores.roles.names import AGGREGATE, suggested_roles

if TYPE_CHECKING:
    import pandas as pd

type Kind = Literal["empty", "boolean", "date", "url", "list", "free text", "text", "whole", "real"]
ROWS = 50_000  # rows of the sample in which roles are searched
_OF_SPLITS = {"dataset": 1.2, "factor": 2.7}  # what words for ways to split data suggest
_SHOWN = 40  # labels that a profile keeps
_FIRST = 20  # values that are looked at before all others
_LONG = 60  # characters from which text is free text
_MISSING = frozenset((*NONE, *FAILED, "\u2013", "\u2014", "inf", "nan±nan", "nan+-nan"))
_NUMBER = re.compile(
    r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*%?"
    r"(?P<spread>\s*(?:±|\+-|\+/-|\+|\()\s*[\d.]+\s*%?\)?)?%?"
)
_TEXTS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("url", re.compile(r"https?://")),
    ("date", re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d|$)|\d+ days \d\d:")),
    ("list", re.compile(r"\s*[\[{]")),
)


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """Properties of a column's values that indicate its role.

    Attributes
    ----------
    name
        As in the table.
    kind
        Of its values; numbers in text with a per cent sign or a spread are numbers.
    suggested
        Role to the weight with which the name, or the user, suggests it.
    n, missing
        Number of different values, and share of rows without one.
    codes
        For each row the number of its value; n where it has none.
    values
        Numbers, NaN where there is none; empty for text.
    labels
        The first values as text.
    unique, balanced
        Whether each row has a value of its own, and whether all values are about equally frequent.
    spread
        Whether spreads stand beside the numbers.
    """

    name: str
    kind: Kind
    suggested: Mapping[str, float]
    n: int = 0
    missing: float = 0.0
    codes: Codes = field(default_factory=lambda: np.zeros(0, np.int64))
    values: Array = field(default_factory=lambda: np.zeros(0))
    labels: tuple[str, ...] = ()
    unique: bool = False
    balanced: bool = False
    spread: bool = False

    @property
    def integral(self) -> bool:
        """Whether all values are whole numbers."""
        return self.kind in ("whole", "boolean")

    @property
    def numeric(self) -> bool:
        """Whether values are numbers."""
        return self.kind in ("whole", "boolean", "real")

    def named(self, *roles: str) -> float:
        """Return how plainly the name is of one of these roles."""
        return max((self.suggested.get(role, 0.0) for role in roles), default=0.0)

    def leading(self) -> str:
        """Return the role that the name suggests most; empty without one."""
        return max(self.suggested, key=lambda role: self.suggested[role], default="")

    @cached_property
    def magnitude(self) -> float:
        """Logarithm to base 10 of the median size of the numbers."""
        return float(np.log10(np.nanmedian(np.abs(self.values)) + 1e-9))

    @property
    def sums(self) -> bool:
        """Whether the name is that of a sum or mean of several scores."""
        return self.numeric and AGGREGATE.fullmatch(plain(self.name)) is not None

    @cached_property
    def of_measures(self) -> bool:
        """Whether labels are names of measures, each with its direction."""
        return self.kind == "text" and self.n > 1 and all(map(direction, self.labels))

    def counts(self) -> bool:
        """Return whether values count from 0 or 1, almost without gaps."""
        if not self.integral or self.n < 2:
            return False
        low, high = float(np.nanmin(self.values)), float(np.nanmax(self.values))
        return low in (0, 1) and high - low + 1 <= 1.2 * self.n + 1


def sample(frame: pd.DataFrame, most: int = ROWS) -> pd.DataFrame:
    """Return a part of a large table: all rows of some labels, so that crossings stay whole."""
    import pandas as pd

    if len(frame) <= 4 * most or not frame.shape[1]:
        return frame
    head = frame.iloc[:: max(1, len(frame) // 20_000)]
    finest, labels = 0, 0
    for i in range(frame.shape[1]):
        values = head.iloc[:, i]
        if pd.api.types.is_float_dtype(values) or not values.map(pd.api.types.is_hashable).all():
            continue
        n = values.nunique()
        if labels < n < 0.98 * len(head):
            finest, labels = i, n
    codes, levels = pd.factorize(frame.iloc[:, finest])
    selection = (np.random.default_rng(0).random(len(levels) + 1) < most / len(frame))[codes]
    few = not 1000 <= selection.sum() <= 2 * most
    return frame.iloc[:most] if few else frame[selection]


def profiles(frame: pd.DataFrame, declared: Mapping[str, str]) -> list[ColumnProfile]:
    """Return the profile of each column; a declared role outweighs what a name suggests."""
    return [
        _profile(str(name), frame.iloc[:, i], declared.get(str(name)))
        for i, name in enumerate(frame.columns)
    ]


def _profile(name: str, values: pd.Series[Any], declared: str | None) -> ColumnProfile:
    """Return the profile of a column."""
    import pandas as pd

    suggested = suggested_roles(name) if declared is None else {declared: 9.0}
    kind, numbers, spread = _kind(values)
    if kind in ("empty", "list"):
        return ColumnProfile(name, kind, suggested, missing=float(values.isna().mean()))
    if kind == "real":
        finite = numbers[~np.isnan(numbers)]
        integral = not spread and finite.size > 0 and bool(np.all(finite == np.round(finite)))
        kind = "whole" if integral else "real"
    codes, levels = pd.factorize(numbers if numbers.size else values)
    n, present = len(levels), codes >= 0
    if declared is None and plain(name) == SPLIT and kind == "text":
        suggested = _OF_SPLITS if kinds_of_splits([str(x) for x in levels[:_SHOWN]]) else suggested
    counts = np.bincount(codes[present]) if n else np.zeros(1)
    return ColumnProfile(
        name,
        kind,
        suggested,
        n,
        float(1 - present.mean()) if len(codes) else 0.0,
        np.where(present, codes, n).astype(np.int64),
        numbers,
        tuple(str(level) for level in levels[:_SHOWN]),
        n == int(present.sum()) and len(codes) > 1,
        0 < n <= 0.7 * len(codes) and bool(counts.std() <= 0.25 * counts.mean()),
        spread,
    )


def _kind(values: pd.Series[Any]) -> tuple[Kind, Array, bool]:
    """Return the kind of a column, its numbers if it has any, and whether spreads are beside them.

    The kind of numbers is "real" here.
    """
    from pandas.api import types

    none = np.zeros(0)
    if values.isna().all():
        return "empty", none, False
    if types.is_bool_dtype(values):
        return "boolean", np.asarray(values, np.float64), False
    if types.is_datetime64_any_dtype(values) or types.is_timedelta64_dtype(values):
        return "date", none, False
    if types.is_numeric_dtype(values):
        return "real", values.to_numpy(np.float64, na_value=np.nan), False
    return _kind_of_text(values)


def _kind_of_text(values: pd.Series[Any]) -> tuple[Kind, Array, bool]:
    """Return the kind of a column of text or objects, by its first values, and its numbers."""
    head, none = values.dropna().iloc[:50], np.zeros(0)
    if any(isinstance(value, list | dict | tuple | np.ndarray) for value in head):
        return "list", none, False
    texts = head.astype(str)
    if set(texts.str.lower()) <= {"true", "false"}:
        truths = values.astype(str).str.lower().map({"true": 1.0, "false": 0.0})
        return "boolean", np.asarray(truths, np.float64), False
    matching: list[Kind] = [
        kind for kind, pattern in _TEXTS if texts.str.match(pattern).mean() > 0.6
    ]
    lengths = texts.str.len()
    if (lengths.max() > _LONG and lengths.mean() > 40) or texts.str.contains("\n").any():
        matching.append("free text")
    if matching:
        return matching[0], none, False
    numbers, has_spread = _numbers(values)
    return ("text", none, False) if numbers is None else ("real", numbers, has_spread)


def _numbers(values: pd.Series[Any]) -> tuple[Array | None, bool]:
    """Return numbers in text, and whether spreads stand beside them; None for other text."""
    import pandas as pd

    levels = values.dropna().unique()
    if any(_number(str(level))[0] is None for level in levels[:_FIRST]):
        return None, False
    plain = np.asarray(pd.to_numeric(pd.Series(levels), errors="coerce"), np.float64)
    known = np.isfinite(plain)
    table = dict[Any, float](zip(levels[known], plain[known].tolist(), strict=True))
    spread = False
    for level in levels[~known]:
        number, has_spread = _number(str(level))
        if number is None:
            return None, False
        table[level], spread = number, spread or has_spread
    if all(np.isnan(number) for number in table.values()):
        return None, False
    return np.asarray(values.map(table), np.float64), spread


def _number(text: str) -> tuple[float | None, bool]:
    """Return the number that a cell holds, and whether a spread stands beside it."""
    bare = re.sub(r"^[*_`]{1,2}|[*_`]{1,2}$", "", text.strip()).replace("\u2212", "-")
    if bare.lower() in _MISSING or bare in _MISSING or bare.lower().startswith("nan"):
        return np.nan, False
    if (number := number_of(bare)) is not None:
        return number, False
    match = _NUMBER.fullmatch(bare)
    return (None, False) if match is None else (float(match[1]), match["spread"] is not None)
