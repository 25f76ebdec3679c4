"""The columns of a table of published effects: which plays which role, and their values."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchinfer.scores.coverage import Finding
from benchinfer.scores.sources import Source, engine_errors

type Array = NDArray[np.float64]

# The first name of a role is its own and wins over the others.
COMMON: dict[str, tuple[str, ...]] = {
    "study": ("study", "paper", "publication", "reference"),
    "dataset": ("dataset", "data_set", "data", "task", "problem"),
    "domain": ("domain",),
    "measure": ("measure", "metric"),
    "first": ("first", "algorithm_1", "algorithm1", "treatment"),
    "second": ("second", "algorithm_2", "algorithm2", "baseline", "control"),
    "estimate": ("estimate", "effect", "difference", "yi"),
    "std_error": ("std_error", "se", "sei", "stderr", "standard_error"),
    "variance": ("variance", "var", "vi"),
    "conf_low": ("conf_low", "ci_low", "lower"),
    "conf_high": ("conf_high", "ci_high", "upper"),
    "n": ("n", "size", "sample_size"),
}
_LABELS = ("study", "dataset", "domain", "measure", "first", "second")
_NUMBERS = ("estimate", "std_error", "variance", "conf_low", "conf_high", "n")
_NORMAL = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Columns:
    """A table of effects as it came.

    Attributes
    ----------
    text
        Role to labels; study and dataset stand for each other where one has no column.
    number
        Role to numbers, NaN where there is none; ``n`` is 0 there.
    findings
        What was found.
    """

    text: Mapping[str, list[str]]
    number: Mapping[str, Array]
    findings: tuple[Finding, ...]


def read_columns(origin: Source, given: Mapping[str, str], covariates: Sequence[str]) -> Columns:
    """Read the columns of a table of effects; without the ones needed there are findings only."""
    of, found = roles(origin.names, given, COMMON, covariates)
    if lacking := _lacking(of):
        found.append(missing(lacking, origin.names))
    if any(finding.severity == "error" for finding in found):
        return Columns({}, {}, tuple(found))
    wanted = list(dict.fromkeys([*of.values(), *covariates]))
    with engine_errors(origin.name):
        frame, notes = origin.load(wanted, [], [])
        table = frame.collect().to_arrow()
    values = {name: table.column(name).to_pylist() for name in wanted}
    found += notes
    text = {role: [label(v) for v in values[of[role]]] for role in _LABELS if role in of}
    study = text.get("study") or text["dataset"]
    text |= {"study": study, "dataset": text.get("dataset") or study}
    number: dict[str, Array] = {}
    named = {role: of[role] for role in _NUMBERS if role in of}
    for role, name in [*named.items(), *((f"covariate {c}", c) for c in covariates)]:
        number[role], bad = numbers(name, values[name])
        found += bad
    number["std_error"], told = _errors(number)
    found += told
    size = number.get("n", np.zeros(len(study)))
    number["n"] = np.where(np.isfinite(size), size, 0.0)
    return Columns(text, number, tuple(found))


def holds_effects(names: Sequence[str], given: Mapping[str, str]) -> bool:
    """Whether columns are those of published effects, rather than of scores of algorithms.

    Parameters
    ----------
    names
        The columns.
    given
        Column to role where names are not common ones.

    Examples
    --------
    >>> holds_effects(["paper", "first", "second", "estimate", "se"], {})
    True
    >>> holds_effects(["dataset", "algorithm", "value"], {})
    False
    """
    return holds(names, given, COMMON, ("first", "second", "estimate"))


def holds(
    names: Sequence[str],
    given: Mapping[str, str],
    common: Mapping[str, Sequence[str]],
    needed: Sequence[str],
) -> bool:
    """Whether columns play all the roles of a table of pairs, which is not one of algorithms.

    Parameters
    ----------
    names, given
        As in `holds_effects`.
    common
        Role to common names of its column.
    needed
        The roles.
    """
    left = {_plain(name) for name in names if name not in given}
    told = set(given.values())
    return "algorithm" not in left | told and all(
        role in told or left & set(common[role]) for role in needed
    )


def _plain(name: str) -> str:
    return re.sub(r"[\s.\-]+", "_", name.strip().lower())


def roles(
    names: Sequence[str],
    given: Mapping[str, str],
    common: Mapping[str, Sequence[str]],
    covariates: Sequence[str] = (),
) -> tuple[dict[str, str], list[Finding]]:
    """Find which column plays which role.

    Parameters
    ----------
    names
        Columns of the table.
    given
        Column to role, as the user says.
    common
        Role to common names of its column, its own name first.
    covariates
        Columns that play no role.

    Returns
    -------
    of, findings
        Role to column, and what is wrong.
    """
    has = f"the table has: {', '.join(names)}"
    found = [
        _error(f"there is no column {name!r}.", f"{has}.")
        for name in (*given, *covariates)
        if name not in names
    ]
    found += [
        _error(f"{role!r} is no role of a column.", f"one of {', '.join(common)}.")
        for role in given.values()
        if role not in common
    ]
    of = {role: name for name, role in given.items()}
    left = [name for name in names if name not in given and name not in covariates]
    for role, usual in common.items():
        near = [name for known in usual for name in left if _plain(name) == known]
        if role in of or not near:
            continue
        of[role] = near[0]
        if len(near) > 1 and _plain(near[0]) != role:
            said = ", ".join(map(repr, near))
            what = f"several columns could be the {role}: {said}."
            found.append(_error(what, "columns={...} says which is."))
    return of, found


def missing(lacking: Sequence[str], names: Sequence[str]) -> Finding:
    """Report columns that are lacking, and those that there are."""
    has = f"the table has: {', '.join(names)}"
    what = f"missing columns: {', '.join(lacking)}."
    return _error(what, f"{has}; columns={{...}} says which is which.")


def _error(what: str, hint: str) -> Finding:
    return Finding("columns", "error", 1, what, (), hint)


def _lacking(of: Mapping[str, str]) -> list[str]:
    lacking = [role for role in ("first", "second", "estimate") if role not in of]
    if not {"study", "dataset"} & set(of):
        lacking.insert(0, "study (or dataset)")
    if not {"std_error", "variance"} & set(of) and not {"conf_low", "conf_high"} <= set(of):
        lacking.append("std_error (or variance, or conf_low and conf_high)")
    return lacking


def label(value: Any) -> str:
    """Return a label without the white space around it, empty where there is none."""
    absent = value is None or (isinstance(value, float) and math.isnan(value))
    return "" if absent else str(value).strip()


def numbers(name: str, values: Sequence[Any]) -> tuple[Array, list[Finding]]:
    """Return a column's numbers, NaN where there is none, and a finding where something else is."""
    found, bad = np.full(len(values), np.nan), list[int]()
    for row, value in enumerate(values):
        if label(value) == "":
            continue
        try:
            found[row] = float(value)
        except (TypeError, ValueError, OverflowError):
            bad.append(row)
            continue
        # Python reads the digits of every script, and 1_0 as 10.
        if isinstance(value, str) and (not value.isascii() or "_" in value):
            bad.append(row)
    if not bad:
        return found, []
    what = f"{len(bad)} values of the column {name!r} are no numbers."
    where = (("row", name), *((str(row + 1), str(values[row])) for row in bad[:5]))
    return found, [Finding("not a number", "error", len(bad), what, where, "correct them.")]


def _errors(number: Mapping[str, Array]) -> tuple[Array, list[Finding]]:
    """Return standard errors, from variances or intervals where there are no others."""
    found = np.full(len(number["estimate"]), np.nan)
    notes: list[Finding] = []
    if "std_error" in number:
        found = number["std_error"].copy()
    with np.errstate(invalid="ignore"):
        others = {
            "variances": np.sqrt(number["variance"]) if "variance" in number else None,
            "95 % intervals, taken as normal": (number["conf_high"] - number["conf_low"])
            / (2 * _NORMAL)
            if {"conf_low", "conf_high"} <= set(number)
            else None,
        }
    for name, other in others.items():
        if other is None:
            continue
        taken = ~np.isfinite(found) & np.isfinite(other)
        if n := int(taken.sum()):
            found = np.where(taken, other, found)
            what = f"{n} standard errors are from {name}."
            notes.append(Finding("standard errors", "note", n, what))
    return found, notes
