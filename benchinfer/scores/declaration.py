"""Declaration of a table: what a user says of it, in arguments, in options or in a file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from benchinfer.core.arguments import ArgumentError, checked, is_text
from benchinfer.core.errors import BenchinferError, ScoreTableError, unknown
from benchinfer.core.hints import literal
from benchinfer.core.measure import Measure, as_measures
from benchinfer.core.numbers import several
from benchinfer.core.saving import note_input
from benchinfer.scores.columns.roles import INNER
from benchinfer.scores.coverage import Finding
from benchinfer.scores.numerics.nested import Weights
from benchinfer.scores.numerics.places import MOST
from benchinfer.scores.resampling import Resampling

if TYPE_CHECKING:
    import pandas as pd

type Measures = Measure | str | Path | Mapping[str, str] | Sequence[Measure | str]
type Where = str | Callable[[pd.DataFrame], object]
# What rows without a score count as: "missing", "error", "worst", an algorithm, or a score.
type Failed = str | float
type Crashed = Literal["stopped", "missing"]
# What several scores of one place are: "error", "keep", "mean", "pass^k" or "pass@k".
type Repeats = str
# That all of k answers are right, or one is.
PASS = re.compile(r"pass([\^@])([1-9]\d{0,5})")
_TOP = ("covariates", "units", "take", "resampling", "measures")
_LISTS = {"covariates": '["n_rows", "size"]', "units": '["item", "answer"]'}
_MEASURE = ("better", "tolerance", "scale", "bounds", "unit", "label", "limit", "par")
_RESAMPLING = ("kind", "folds", "test_fraction", "paired")
_NUMBERS = (int, float)  # of TOML, whose truth values are of another type
# What failures may count as, besides scores and algorithms.
FAILED_WORDS = ("missing", "error", "worst")
_NAMED = 50  # algorithms that an error names


@checked
@dataclass(frozen=True, slots=True)
class Declaration:
    """What is said of a table of scores, as a ``measures.toml`` says it.

    An argument of `read_scores` takes the place of the field of its name.

    Parameters
    ----------
    measures, columns, layout, where, name, dataset, resampling, paired, repeats, failed, covariates
        As in `read_scores`.
    features, names, units, take
        As in `read_scores`.
    query
        One SELECT, for a file of DuckDB or SQLite, or a connection to DuckDB. A file is opened for
        reading, without access to other files.
    crashed
        Runs that crashed, as the column of the role ``status`` says, count as stopped at the limit
        of their measure (``"stopped"``), or have no score (``"missing"``), which favours what
        crashes on hard data sets.
    unit_weights
        Unit of equal weight with ``units``: ``"items"``, as in published accuracies, the level of a
        data set being ``sum s / sum n`` of the sums s of its units over their numbers n of items;
        or ``"units"``, the mean of ``s / n``.
    selected
        Allow ``take="best:..."`` of the scores that are compared, which makes each too good.

    Examples
    --------
    >>> import pandas as pd
    >>> from benchinfer import Declaration, read_scores
    >>> runs = pd.DataFrame({"task": ["a", "a", "b", "b"], "solver": ["x", "y"] * 2,
    ...                      "seconds": [3.0, 9.0, 20.0, None], "status": ["ok"] * 3 + ["crashed"]})
    >>> roles = {"solver": "algorithm"}
    >>> declared = Declaration("seconds:lower:limit=60", roles, crashed="missing")
    >>> read_scores(runs, measures=declared).failures()["scored"].tolist()
    [False]
    """

    measures: Measures | None = None
    columns: Mapping[str, str] | None = None
    layout: str = "auto"
    where: Where | None = None
    name: str | None = None
    dataset: str | None = None
    resampling: Resampling | str | None = None
    paired: bool | None = None
    repeats: Repeats = "error"
    failed: Failed = "missing"
    covariates: str | Sequence[str] | None = None
    features: object = None
    names: Mapping[str, str] | None = None
    units: str | Sequence[str] | None = None
    take: str | None = None
    query: str | None = None
    crashed: Crashed = "stopped"
    unit_weights: Weights = "items"
    selected: bool = False

    @classmethod
    def of(cls, measures: Measures | Declaration | None) -> Declaration:
        """Return the declaration that stands in the place of measures, or one of these alone."""
        return measures if isinstance(measures, Declaration) else cls(measures)

    def over(self, other: Declaration) -> Declaration:
        """Return the other declaration with what this one says, where both say something."""
        fields_of: dict[str, Any] = {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) is not field.default
            and not (isinstance(value, str) and value == field.default)
        }
        return replace(other, **fields_of)

    def with_file(self, default: Path | None) -> tuple[Declaration, list[Finding]]:
        """Return the declaration with what a TOML file says besides, and a note on what it says.

        The file is that of `measures`, or else the one beside the table.
        """
        path, merged = default, self
        if isinstance(m := self.measures, Path) or (isinstance(m, str) and m.endswith(".toml")):
            path, merged = Path(m), replace(self, measures=None)
        # Where all is said, a file that happens to lie there is not even opened.
        open_names = [name for name in _NOTED if getattr(merged, name) is None]
        if path is None or not open_names:
            return merged, []
        file = read_toml(path)
        merged = replace(merged, **{name: getattr(file, name) for name in open_names})
        parts = [name for name in open_names if name == "measures" or getattr(file, name)]
        if path is not default or not parts:
            return merged, []
        *first, last = parts
        names = f"{', '.join(first)} and {last}" if first else last
        what = f"{names} as {path.name} beside the table says."
        return merged, [Finding("declared beside", "note", len(parts), what)]

    def list_measures(self) -> tuple[Measure, ...]:
        """Return the measures, none where nothing is said; raise an error on what is no measure."""
        if self.measures is None:
            return ()
        try:
            return as_measures(self.measures)
        except (TypeError, AttributeError):
            raise ScoreTableError(
                f"measures={self.measures!r} cannot be read.",
                hint='measures={"NAME": ...}, with "higher" or "lower".',
            ) from None

    def scheme(self) -> Resampling | None:
        """Return the origin of the replications, as far as it is said."""
        declared = cast("object", self.resampling)
        if declared is None or isinstance(declared, Resampling):
            return declared
        if isinstance(declared, str):
            return Resampling.of(declared)
        kinds = ("independent", "bootstrap", "holdout", "cv", "seeds", "items", "runs")
        raise ScoreTableError(unknown("resampling", declared, kinds))

    def covariate_names(self) -> tuple[str, ...]:
        """Return the columns of covariates."""
        return () if self.covariates is None else _covariates(self.covariates)

    def levels(self) -> tuple[str, ...]:
        """Return the levels of nested units, the outermost first."""
        return check_units(() if self.units is None else self.units)

    def check(self) -> None:
        """Raise a ScoreTableError where a field has a value that no table allows."""
        if self.unit_weights not in (choices := ("items", "units")):
            raise ScoreTableError(unknown("unit weights", self.unit_weights, choices))
        if self.repeats not in ("error", "keep", "mean") and not PASS.fullmatch(self.repeats):
            choices = ("error", "keep", "mean", "pass^3", "pass@3")
            raise ArgumentError(unknown("repeats", self.repeats, choices))
        check_failed(self.failed, words=FAILED_WORDS)
        if self.crashed not in (choices := ("stopped", "missing")):
            raise ScoreTableError(unknown("crashed", self.crashed, choices))
        if self.dataset is not None and not is_text(self.dataset):
            raise ScoreTableError(f"dataset={self.dataset!r} is not text in UTF-8.")


# What a file may say that an argument says, too; the order is that of the note.
_NOTED = ("measures", "resampling", "covariates", "units", "take")


def _covariates(given: object) -> tuple[str, ...]:
    """Read the names of covariates; a single one need not be in a list."""
    if (names := _texts([given] if isinstance(given, str) else given)) is not None:
        return names
    raise ScoreTableError(
        f"covariates={given!r} cannot be read.",
        hint='names of columns, as in covariates=("n_rows", "size").',
    )


def _texts(given: object) -> tuple[str, ...] | None:
    """Return the items of a sequence of texts, None for anything else."""
    if not isinstance(given, Sequence):
        return None
    names = cast("Sequence[object]", given)
    texts = tuple(name for name in names if isinstance(name, str))
    return texts if len(texts) == len(names) else None


def check_units(units: object) -> tuple[str, ...]:
    """Return the names of levels, outermost first; raise a ScoreTableError if they are invalid."""
    names = [units] if isinstance(units, str) else units
    if not isinstance(names, Sequence) or not all(isinstance(n, str) and n for n in names):
        raise ScoreTableError(
            f"{units=} cannot be read.",
            hint='names of columns, the outermost first: units=("item", "answer").',
        )
    levels = tuple(cast("Sequence[str]", names))
    if len(set(levels)) < len(levels) or len(levels) > len(INNER) + 1:
        raise ScoreTableError(
            f"units={levels!r}: {len(levels)} levels, or one of them twice.",
            hint=f"at most {len(INNER) + 1} columns, each once, the outermost first.",
        )
    return levels


def read_toml(path: Path) -> Declaration:
    r"""Read a ``measures.toml``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "measures.toml")
    ...     _ = path.write_text('[measures.error]\nbetter = "lower"\ntolerance = 0.01')
    ...     read_toml(path).list_measures()[0].tolerance
    0.01
    """
    note_input(path)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ScoreTableError(f"there is no file {str(path)!r}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScoreTableError(f"{path.name!r} is not a TOML file: {error}.") from None
    except RecursionError:
        raise ScoreTableError(f"{path.name!r} is nested too deep to be read.") from None
    faults = _strange(document, _TOP, "")
    tables = document.get("measures", {})
    measures: list[Measure] = []
    resampling: Resampling | None = None
    if not isinstance(tables, Mapping):
        faults.append("measures: not a table; write [measures.error] and its keys below.")
        tables = {}
    for name, entry in cast("Mapping[str, object]", tables).items():
        if isinstance(item := _measure(name, entry), Measure):
            measures.append(item)
        else:
            faults += item
    if "resampling" in document:
        item = _resampling(document["resampling"])
        resampling = item if isinstance(item, Resampling) else None
        faults += item if isinstance(item, list) else []
    given = (document.get(key, []) for key in _LISTS)
    lists = [None if isinstance(names, str) else _texts(names) for names in given]
    faults += [
        f"{key}: not a list of names; write {key} = {example}."
        for names, (key, example) in zip(lists, _LISTS.items(), strict=True)
        if names is None
    ]
    take = document.get("take")
    if not isinstance(take, str | None):
        faults.append('take: not text; write take = "last:epoch".')
    if faults:
        raise ScoreTableError(
            f"{len(faults)} {'fault' if len(faults) == 1 else 'faults'} in {path.name!r}:\n"
            + "\n".join(f"    {fault}" for fault in faults),
            hint=[
                f"keys of a measure: {', '.join(_MEASURE)};",
                f"of [resampling]: {', '.join(_RESAMPLING)};",
                "above the tables: covariates, units, take.",
            ],
        )
    return Declaration(
        measures=tuple(measures),
        resampling=resampling,
        covariates=lists[0] or (),
        units=lists[1] or (),
        take=take,
    )


def _strange(table: Mapping[str, object], known: tuple[str, ...], prefix: str) -> list[str]:
    return [f"{prefix}{key}: there is no such key." for key in table if key not in known]


def _measure(name: str, entry: object) -> Measure | list[str]:
    """Read one measure, or return its faults."""
    prefix = f"measures.{name}."
    if not isinstance(entry, Mapping):
        return [f"measures.{name}: not a table; write [measures.{name}] and its keys below."]
    table = cast("Mapping[str, Any]", entry)
    faults = _strange(table, _MEASURE, prefix)
    if "better" not in table:
        faults.append(f'{prefix}better: missing; "higher" or "lower".')
    faults += [
        f"{prefix}{key}: {table[key]!r} is not text."
        for key in ("better", "scale", "unit", "label")
        if not isinstance(table.get(key, ""), str)
    ]
    faults += [
        f"{prefix}{key}: {table[key]!r} is not a number."
        for key in ("tolerance", "limit", "par")
        if type(table.get(key, 0)) not in _NUMBERS
    ]
    bounds = table.get("bounds")
    if bounds is not None and not (
        isinstance(bounds, list) and [type(b) in _NUMBERS for b in bounds] == [True, True]
    ):
        faults.append(f"{prefix}bounds: {bounds!r} is not [lowest, highest].")
    if faults:
        return faults
    keys = {key: value for key, value in table.items() if key != "bounds"}
    if bounds is not None:
        keys["bounds"] = (float(bounds[0]), float(bounds[1]))
    try:
        return Measure(name, **keys)
    except BenchinferError as error:
        return [f"measures.{name}: {str(error).splitlines()[0]}"]


def _resampling(entry: object) -> Resampling | list[str]:
    """Read the resampling, or return its faults."""
    if not isinstance(entry, Mapping):
        return ["resampling: not a table; write [resampling] and its keys below."]
    table = cast("Mapping[str, Any]", entry)
    faults = _strange(table, _RESAMPLING, "resampling.")
    if "kind" not in table:
        faults.append("resampling.kind: missing.")
    if not isinstance(table.get("paired", True), bool):
        faults.append(f"resampling.paired: {table['paired']!r} is not true or false.")
    faults += [
        f"resampling.{key}: {table[key]!r} is not a number."
        for key in ("folds", "test_fraction")
        if key in table and type(table[key]) not in _NUMBERS
    ]
    if faults:
        return faults
    try:
        return Resampling(**table)
    except BenchinferError as error:
        return [f"resampling: {str(error).splitlines()[0]}"]


def check_failed(failed: object, *, words: Sequence[str]) -> None:
    """Raise an ArgumentError unless failures can count as this value in some table."""
    known = isinstance(failed, str) and bool(failed)
    if isinstance(failed, int | float) and not isinstance(failed, bool):
        known = abs(failed) <= MOST
    if not known:
        raise ArgumentError(
            f"{failed=} is not understood.",
            hint=f"{_usage(words)}, or the algorithm whose scores it gets.",
        )


def _usage(words: Sequence[str]) -> str:
    """Return what failures can count as, but for algorithms, as text."""
    known = ", ".join(f"failed={literal(word)}" for word in words)
    return f"{known}, a number as the score that a failure counts as"


def stand_in(failed: Failed, algorithms: Sequence[str], *, words: Sequence[str]) -> Failed:
    """Return what failures count as, an algorithm by its name in the table.

    Capitals do not matter where they tell no two algorithms apart.
    """
    if not isinstance(failed, str) or failed in (*words, *algorithms):
        return failed
    names = [name for name in algorithms if name.casefold() == failed.casefold()]
    if len(names) != 1:
        raise ArgumentError(
            f"failed={literal(failed)} is no word that is known, no number, and no algorithm.",
            hint=f"{_usage(words)}, or the algorithm whose scores it gets:"
            f" {several([repr(name) for name in algorithms], _NAMED)}.",
        )
    return names[0]
