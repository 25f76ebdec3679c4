"""Normalised scores: a scale for each data set.

References, extremes, mean and deviation give each data set an affine map of its scores, larger is
better afterwards. They are functions of the data set's scores that no renaming of algorithms
changes, or constants: scores that are exchangeable within a data set stay so.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.measure import Kind, Measure, Normalisation, Reference, printable
from benchinfer.core.numbers import count, join, number_of
from benchinfer.core.saving import note_input
from benchinfer.numerics.ties import joined, rounding
from benchinfer.numerics.types import Array, Flags
from benchinfer.scores.coverage import Finding
from benchinfer.scores.rows.changes import replaced, rescaled
from benchinfer.scores.rows.reductions import Cells, squares_of
from benchinfer.scores.rows.rows import Rows
from benchinfer.scores.rows.sufficient import Reducible
from benchinfer.scores.rows.summary import ScoreRows

type Normalise = str | Sequence[str] | Mapping[str, Reference]

_SCALES: dict[Kind, str] = {
    "min-max": "0 = worst, 1 = best score of each data set",
    "z": "standard deviations of each data set, 0 = its mean",
    "ranks": "within each {block}, 1 = best",
}
# Names of references that say nothing of them, with what a reader needs to know instead.
_PLAIN = {"low": "lower reference", "high": "upper reference"}
_ROUNDING = 1e-12
_USAGE = (
    "min-max, z, ranks, or two references, of 0 and of 1: names of algorithms or features, as in"
    " random,human; low=NUMBER,high=NUMBER; or a TOML file with a number for each data set. A"
    " tolerance may follow, as in min-max:0.05."
)


@dataclass(frozen=True, slots=True)
class Scheme:
    """Scheme of normalisation, as declared.

    Attributes
    ----------
    kind
        As in `Normalisation`.
    references
        Names and values of the references for 0 and 1; none for other kinds.
    tolerance
        Of the normalised scores.
    """

    kind: Kind
    references: Mapping[str, Reference] = field(default_factory=dict[str, Reference])
    tolerance: float = 0.0

    @staticmethod
    def of(declared: Normalise) -> Scheme:
        """Return the scheme of any form of the argument ``normalise=``.

        Examples
        --------
        >>> Scheme.of("random,human:0.05")
        Scheme(kind='references', references={'random': 'random', 'human': 'human'}, tolerance=0.05)
        """
        if isinstance(declared, str):
            return _of_text(declared)
        if isinstance(declared, Mapping):
            return _of_mapping(declared, declared)
        names = declared if isinstance(declared, Sequence) else ()  # pyright: ignore[reportUnnecessaryIsInstance]
        return _of_mapping({str(name): str(name) for name in names}, declared)

    def words(self, block: str) -> str:
        """Return the meaning of normalised scores as text: ``within each block, 1 = best``."""
        if not self.references:
            return _SCALES[self.kind].format(block=block)
        return printable(
            ", ".join(f"{i} = {_name(*one)}" for i, one in enumerate(self.references.items()))
        )

    def algorithms(self, table: Reducible) -> list[str]:
        """Return the references that are algorithms of a table."""
        named = [value for value in self.references.values() if isinstance(value, str)]
        return [name for name in named if name in table.algorithms]

    def compared(self, table: Reducible) -> list[str]:
        """Return the algorithms of a table that are no references; raise where there are none."""
        references = self.algorithms(table)
        if not (rest := [name for name in table.algorithms if name not in references]):
            raise DesignError(
                "the table has no algorithms besides the references.",
                hint="the references are the scale, and are not compared.",
            )
        return rest


def _name(name: str, reference: Reference) -> str:
    if name not in _PLAIN or isinstance(reference, Mapping):
        return _PLAIN.get(name, name)
    return reference if isinstance(reference, str) else f"a score of {reference:g}"


def _of_text(text: str) -> Scheme:
    if text.endswith(".toml"):
        return _of_mapping(file_of_references(text), text)
    head, _, tail = text.rpartition(":")
    tolerance = number_of(tail) if head else None
    what = text if tolerance is None else head
    for kind in _SCALES:
        if kind == what.strip():
            return Scheme(kind, tolerance=tolerance or 0.0)
    references: dict[str, Reference] = {}
    for part in what.split(","):
        name, sign, value = (piece.strip() for piece in part.partition("="))
        number = number_of(value)
        references[name] = (value if number is None else number) if sign else name
    return _of_mapping({**references, "tolerance": tolerance or 0.0}, text)


def _of_mapping(given: Mapping[str, Any], declared: Normalise) -> Scheme:
    tolerance = given.get("tolerance", 0.0)
    names = [name for name in given if name != "tolerance"]
    values = [_reference(given[name]) for name in names]
    references = {str(n): v for n, v in zip(names, values, strict=True) if n and v is not None}
    if not len(references) == len(names) == 2 or not _is_number(tolerance):
        raise ArgumentError(f"normalise={declared!r} cannot be read.", hint=_USAGE)
    return Scheme("references", references, float(tolerance))


def _reference(value: Any) -> Reference | None:
    """Return a reference without the types of NumPy and pandas; None if it is invalid."""
    numbers = value.to_dict() if hasattr(value, "to_dict") else value
    if isinstance(numbers, Mapping):
        known = cast("Mapping[object, Any]", numbers).items()
        return (
            {str(k): float(v) for k, v in known} if all(_is_number(v) for _, v in known) else None
        )
    return float(value) if _is_number(value) else value if isinstance(value, str) else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def file_of_references(path: str) -> dict[str, Any]:
    """Read a TOML file of references."""
    note_input(path)
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ArgumentError(f"{path!r}: {error.strerror}.") from None
    except ValueError as error:  # what is not TOML, or not UTF-8
        raise ArgumentError(f"{path!r} is not TOML: {error}.") from None
    except RecursionError:
        raise ArgumentError(f"{path!r} is nested too deep to be read.") from None


def reference_levels(
    values: Reference, measure: Measure, datasets: Sequence[str], levels: Mapping[str, Array]
) -> Array:
    """Return (D,) oriented values that a reference has on the data sets.

    Parameters
    ----------
    values
        The reference.
    measure
        In whose unit numbers are.
    datasets
        The D data sets.
    levels
        Name of a reference to its (D,) oriented values, NaN where it has none.

    Raises
    ------
    DesignError
        There is none of that name, or it lacks data sets.
    """
    if isinstance(values, str):
        if values not in levels:
            raise ArgumentError(unknown("algorithm", values, list(levels)))
        oriented: Array = levels[values]
        lost = [name for name, value in zip(datasets, oriented, strict=True) if np.isnan(value)]
        unused: list[str] = []
    else:
        numbers = values if isinstance(values, Mapping) else dict.fromkeys(datasets, values)
        lost = [name for name in datasets if name not in numbers]
        unused = [name for name in numbers if name not in datasets]
        known = np.array([numbers.get(name, math.nan) for name in datasets], dtype=np.float64)
        with np.errstate(all="ignore"):
            oriented = measure.orient(known)
    if lost:
        raise DesignError(
            f"{len(lost):,} of {len(datasets):,} data sets have no reference.",
            where=[("dataset",), *((name,) for name in lost)],
            hint="give one number for each data set"
            + (f"; references without scores: {', '.join(unused[:5])}." if unused else "."),
        )
    if not np.isfinite(oriented).all():
        wrong = datasets[int(np.flatnonzero(~np.isfinite(oriented))[0])]
        raise DesignError(
            f"the reference on {wrong} is not a number on the {measure.scale} scale.",
            hint="references are in the unit of the measure.",
        )
    return oriented


def normalised(
    table: Reducible, rows: Rows, scheme: Scheme, measure: Measure
) -> tuple[Measure, Rows, Finding]:
    """Return the measure of normalised scores, the rows with them, and a note."""
    new = _measure(table, scheme, measure)
    return new, _rows(table, rows, scheme, measure, new), _note(table, scheme, measure, new)


def _rows(table: Reducible, rows: Rows, scheme: Scheme, measure: Measure, new: Measure) -> Rows:
    """Return the rows of a table with the scores of a new measure in place of those of another."""
    cells = table.cells(measure.name)  # which refuses what has no place on the scale
    names = table.datasets, table.algorithms
    if scheme.kind != "ranks":
        low, high = _ends(table, scheme, measure, cells)
        return rescaled(rows, measure, new, names, low, high - low)
    k = int((cells.n > 0).any(axis=0).sum())
    return replaced(
        rows, measure, new, names, lambda scores: _ranks(scores, measure, k, paired=table.paired)
    )


def _measure(table: Reducible, scheme: Scheme, measure: Measure) -> Measure:
    """Return the measure of normalised scores; raise a DesignError if it is normalised already."""
    if measure.normalised is not None:
        raise DesignError(
            f"the scores of {measure.normalised.measure.name!r} are normalised already: they"
            f" are the {measure.noun}.",
            hint="normalise the scores as they were read.",
        )
    summary = table.summary.of(measure.name)
    ranks = scheme.kind == "ranks"
    word = "rank of" if ranks else "normalised"
    block = "replication" if table.paired and summary.shared.max() > 1 else "data set"
    of_scores = not scheme.references or bool(scheme.algorithms(table))
    return Measure(
        f"{word} {measure.name}",
        "lower" if ranks else "higher",
        scheme.tolerance,
        unit=scheme.words(block),
        label=f"{word} {measure.label}" if measure.label else "",
        normalised=Normalisation(scheme.kind, measure, scheme.references, of_scores),
    )


def _note(table: Reducible, scheme: Scheme, measure: Measure, new: Measure) -> Finding:
    """Report the normalisation, and declarations that no longer apply."""
    log = "" if measure.scale == "identity" else f" (of its {measure.scale}s)"
    what = f"{new.noun}{log}."
    if new.normalised and new.normalised.of_scores:
        what += " This scale is computed of the same scores."
    if references := scheme.algorithms(table):
        are = "is the scale and is" if len(references) == 1 else "are the scale and are"
        what += f" {join(references)} {are} not compared."
    hint = ""
    if measure.tolerance and not scheme.tolerance:
        what += f" The tolerance {measure.tolerance:g} of {measure.name} does not apply to it."
        hint = 'normalise="HOW:TOLERANCE" sets one on the scale.'
    n = int(table.summary.of(measure.name).n.sum())
    return Finding("normalised", "note", n, what, (), hint)


def _ends(table: Reducible, scheme: Scheme, measure: Measure, cells: Cells) -> tuple[Array, Array]:
    """Return (D,) oriented values that become 0 and 1 on each data set; 0 and 1 without a score."""
    held = (cells.n > 0).any(axis=1)
    n = cells.n.sum(axis=1)
    if scheme.kind != "references" and n.max() <= 2:
        raise DesignError(
            f"no data set has more than two scores of {measure.name}: normalised by themselves"
            " they say only which is better.",
            hint="compare_wins compares by that; references give a scale.",
        )
    low, high = np.zeros(len(held)), np.ones(len(held))
    if scheme.kind == "references":
        datasets = [name for name, there in zip(table.datasets, held, strict=True) if there]
        levels = {name: values[held] for name, values in _levels(table, measure, cells).items()}
        low[held], high[held] = (
            reference_levels(value, measure, datasets, levels)
            for value in scheme.references.values()
        )
    elif scheme.kind == "min-max":
        s = table.summary.of(measure.name)
        ends = [measure.orient(x[0, held]) for x in (s.minimum, s.maximum)]
        low[held] = np.nanmin(np.fmin(*ends), axis=1)
        high[held] = np.nanmax(np.fmax(*ends), axis=1)
    else:
        low[held], high[held] = _deviations(cells, held)
    _refuse_flat(table, scheme, measure, low, high)
    return low, high


def _levels(table: Reducible, measure: Measure, cells: Cells) -> dict[str, Array]:
    """Return the oriented values of algorithms and numeric features, the possible references."""
    with np.errstate(all="ignore"):
        features = {
            name: measure.orient(feature.values)
            for name, feature in table.features.items()
            if not feature.levels
        }
    return features | dict(zip(cells.algorithms, cells.mean.T, strict=True))


def _deviations(cells: Cells, held: Flags) -> tuple[Array, Array]:
    """Return the mean of all scores of each data set, and one standard deviation above it."""
    n, mean = cells.n[held], np.nan_to_num(cells.mean[held])
    total = n.sum(axis=1)
    middle = (n * mean).sum(axis=1) / total
    squares = squares_of(cells)[held].sum(axis=1)
    squares += (n * (mean - middle[:, None]) ** 2).sum(axis=1)
    return middle, middle + np.sqrt(squares / np.maximum(total - 1, 1))


def _refuse_flat(
    table: Reducible, scheme: Scheme, measure: Measure, low: Array, high: Array
) -> None:
    """Raise a DesignError where the value for 1 is not better than that for 0, beyond rounding."""
    size = np.maximum(np.abs(low), np.abs(high))
    wrong = np.flatnonzero(~(high - low > _ROUNDING * size))
    if not len(wrong):
        return
    ends = [[f"{x:.6g}" for x in measure.level_of(values[wrong])] for values in (low, high)]
    rows = list(zip([table.datasets[d] for d in wrong], *ends, strict=True))
    where = f"on {len(wrong):,} of {count(len(low), 'data set')}"
    leave = "scores.subset(datasets=[...])"
    if scheme.kind != "references":
        raise DesignError(
            f"{where} all scores of {measure.name} are the same, and have no scale.",
            where=[("dataset", "score"), *((name, value) for name, value, _ in rows)],
            hint=f'{leave} leaves them out; normalise="ranks" ties all algorithms.',
        )
    zero, one = (_name(*reference) for reference in scheme.references.items())
    raise DesignError(
        f"{where} the reference for 1 is not better than that for 0.",
        where=[("dataset", f"0 = {zero}", f"1 = {one}"), *rows],
        hint=f"of {measure.name} {measure.better} is better: the worse reference is named first;"
        f" {leave} leaves data sets out.",
    )


def _ranks(rows: ScoreRows, measure: Measure, k: int, *, paired: bool) -> Array:
    """Return ranks within blocks from 1, the best, ties by the mean of their ranks.

    Ranks of n scores are multiplied by (k + 1) / (n + 1): those of incomplete blocks, and of all
    replications of a data set together, have the mean of the ranks of k algorithms.
    """
    block = rows.dataset * (len(rows.labels) or 1) + rows.replication if paired else rows.dataset
    block = np.unique(block, return_inverse=True)[1]
    worse = -measure.orient(rows.value)
    worse = joined(worse, rounding(measure.sizes(worse)), block)
    order = np.lexsort((worse, block))
    new_block = np.r_[True, np.diff(block[order]) != 0]
    new = new_block | np.r_[True, np.diff(worse[order]) != 0]
    size = np.diff(np.r_[np.flatnonzero(new), len(order)])
    start = np.flatnonzero(new_block)[block[order][new]]
    middle = np.flatnonzero(new) - start + (size + 1) / 2
    ranks = np.empty(len(order))
    ranks[order] = np.repeat(middle, size)
    return ranks * (k + 1) / (np.bincount(block)[block] + 1)
