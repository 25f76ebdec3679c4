"""Declarations of measures, resampling, covariates, units and curves by arguments or TOML."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from benchinfer.core.errors import BenchinferError, ScoreTableError, unknown
from benchinfer.core.measure import Measure, as_measures
from benchinfer.core.saving import note_input
from benchinfer.scores.columns import INNER
from benchinfer.scores.coverage import Finding
from benchinfer.scores.formats.format import is_score
from benchinfer.scores.resampling import Resampling

type Measures = Measure | str | Path | Mapping[str, str] | Sequence[Measure | str]
_TOP = ("covariates", "units", "take", "resampling", "measures")
_LISTS = {"covariates": '["n_rows", "size"]', "units": '["item", "answer"]'}
_MEASURE = ("better", "tolerance", "scale", "bounds", "unit", "label", "limit", "par")
_RESAMPLING = ("kind", "folds", "test_fraction", "paired")


# Measures, resampling, covariates, levels of units, and the point of a curve.
_Parts = tuple[tuple[Measure, ...], Resampling | None, tuple[str, ...], tuple[str, ...], str | None]


def declared(
    measures: object,
    resampling: object,
    covariates: object,
    units: object,
    take: str | None,
    default: Path | None,
) -> tuple[*_Parts, list[Finding]]:
    """Merge the declarations of arguments and TOML; arguments take precedence.

    Returns measures, resampling, the names of covariates and of the levels of units, the point of
    a curve, and notes.
    """
    path = default
    if isinstance(measures, Path) or (isinstance(measures, str) and measures.endswith(".toml")):
        path, measures = Path(measures), None
    declared_measures: tuple[Measure, ...] = ()
    said: Resampling | None = None
    covariate_names: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    point: str | None = None
    notes: list[Finding] = []
    # Where all arguments are given, a file that happens to lie there is not even opened.
    if path is not None and None in (measures, resampling, covariates, units, take):
        declared_measures, said, covariate_names, levels, point = read_toml(path)
        parts = [
            name
            for name, given, says in (
                ("measures", measures, True),
                ("resampling", resampling, said is not None),
                ("covariates", covariates, bool(covariate_names)),
                ("units", units, bool(levels)),
                ("take", take, point is not None),
            )
            if given is None and says
        ]
        if path is default and parts:
            *first, last = parts
            names = f"{', '.join(first)} and {last}" if first else last
            what = f"{names} as {path.name} beside the table says."
            notes.append(Finding("declared beside", "note", len(parts), what))
    if measures is not None:
        try:
            declared_measures = as_measures(measures)
        except (TypeError, AttributeError):
            raise ScoreTableError(
                f"{measures=} cannot be read.",
                hint='measures={"NAME": ...}, with "higher" or "lower".',
            ) from None
    if isinstance(resampling, str):
        said = Resampling.of(resampling)
    elif isinstance(resampling, Resampling):
        said = resampling
    elif resampling is not None:
        kinds = ("independent", "bootstrap", "holdout", "cv", "seeds", "items", "runs")
        raise ScoreTableError(unknown("resampling", resampling, kinds))
    if covariates is not None:
        covariate_names = _covariates(covariates)
    levels = check_units(levels if units is None else units)
    point = point if take is None else take
    return declared_measures, said, covariate_names, levels, point, notes


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


def read_toml(path: Path) -> _Parts:
    r"""Read a ``measures.toml``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "measures.toml")
    ...     _ = path.write_text('[measures.error]\nbetter = "lower"\ntolerance = 0.01')
    ...     read_toml(path)[0][0].tolerance
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
    return tuple(measures), resampling, lists[0] or (), lists[1] or (), take


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
        if not is_score(table.get(key, 0))
    ]
    bounds = table.get("bounds")
    if bounds is not None and not (
        isinstance(bounds, list) and len(bounds) == 2 and all(map(is_score, bounds))
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
        if key in table and not is_score(table[key])
    ]
    if faults:
        return faults
    try:
        return Resampling(**table)
    except BenchinferError as error:
        return [f"resampling: {str(error).splitlines()[0]}"]
