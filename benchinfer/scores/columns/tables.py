"""Roles of the columns of tables of other things: wins, effects, features of data sets."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchinfer.core.numbers import number_of
from benchinfer.numerics.types import Array
from benchinfer.scores.coverage import Finding


def holds(
    names: Sequence[str],
    given: Mapping[str, str],
    common: Mapping[str, Sequence[str]],
    needed: Sequence[str],
) -> bool:
    """Return whether columns play all roles of a table of pairs, not one of algorithms."""
    left = {_plain_name(name) for name in names if name not in given}
    roles = set(given.values())
    return "algorithm" not in left | roles and all(
        role in roles or left & set(common[role]) for role in needed
    )


def _plain_name(name: str) -> str:
    return re.sub(r"[\s.\-]+", "_", name.strip().lower())


def column_roles(
    names: Sequence[str],
    given: Mapping[str, str],
    common: Mapping[str, Sequence[str]],
    covariates: Sequence[str] = (),
) -> tuple[dict[str, str], list[Finding]]:
    """Return the column of each role, with findings on unknown or ambiguous columns."""
    has = f"the table has: {', '.join(names)}"
    findings = [
        _error(f"there is no column {name!r}.", f"{has}.")
        for name in (*given, *covariates)
        if name not in names
    ]
    findings += [
        _error(f"{role!r} is no role of a column.", f"one of {', '.join(common)}.")
        for role in given.values()
        if role not in common
    ]
    of = {role: name for name, role in given.items()}
    left = [name for name in names if name not in given and name not in covariates]
    for role, usual in common.items():
        near = [name for known in usual for name in left if _plain_name(name) == known]
        if role in of or not near:
            continue
        of[role] = near[0]
        if len(near) > 1 and _plain_name(near[0]) != role:
            said = ", ".join(map(repr, near))
            what = f"several columns could be the {role}: {said}."
            findings.append(_error(what, "columns={...} says which is."))
    return of, findings


def missing_columns(lacking: Sequence[str], names: Sequence[str]) -> Finding:
    """Report missing columns, with the columns that the table has."""
    has = f"the table has: {', '.join(names)}"
    what = f"missing columns: {', '.join(lacking)}."
    return _error(what, f"{has}; columns={{...}} says which is which.")


def _error(what: str, hint: str) -> Finding:
    return Finding("columns", "error", 1, what, (), hint)


def label(value: Any) -> str:
    """Return a label without the white space around it, empty where there is none."""
    absent = value is None or (isinstance(value, float) and math.isnan(value))
    return "" if absent else str(value).strip()


def numbers(name: str, values: Sequence[Any]) -> tuple[Array, list[Finding]]:
    """Return a column's numbers, NaN where empty, and a finding on other values."""
    numeric, bad = np.full(len(values), np.nan), list[int]()
    for row, value in enumerate(values):
        if label(value) == "":
            continue
        try:
            number = number_of(value) if isinstance(value, str) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = None
        if number is None:
            bad.append(row)
        else:
            numeric[row] = number
    if not bad:
        return numeric, []
    what = f"{len(bad)} values of the column {name!r} are no numbers."
    where = (("row", name), *((str(row + 1), str(values[row])) for row in bad[:5]))
    return numeric, [Finding("not a number", "error", len(bad), what, where, "correct them.")]
