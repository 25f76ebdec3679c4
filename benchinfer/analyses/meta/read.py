"""The function `read_effects`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from benchinfer.analyses.meta.effects import (
    NORMAL,
    EffectKind,
    Effects,
    check,
    contradicting,
    holds_effects,
    read_columns,
    standard_errors,
    within_studies,
)
from benchinfer.core.arguments import checked
from benchinfer.core.errors import ScoreTableError, unknown
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import count
from benchinfer.numerics.types import Array
from benchinfer.scores.columns.roles import COMMON
from benchinfer.scores.coverage import Finding, refuse
from benchinfer.scores.declaration import Declaration, Measures
from benchinfer.scores.formats.catalogue import is_page
from benchinfer.scores.formats.pages import published_table
from benchinfer.scores.formats.published.cells import PublishedTable
from benchinfer.scores.read import read_scores
from benchinfer.scores.sources.files import as_files, open_source
from benchinfer.scores.sources.frames import of_frame
from benchinfer.scores.sources.layouts import ROLES_OF_ERRORS, columns_of_errors

if TYPE_CHECKING:
    import pandas as pd

type Spread = Literal["sd", "se", "ci"]
type Harmonise = Mapping[str, tuple[str, str]]
# What a formula does to a difference of two scores x.
FORMULAS = {
    "x": 1.0,
    "1 - x": -1.0,
    "100 - x": -1.0,
    "x / 100": 0.01,
    "x * 100": 100.0,
    "1 - x / 100": -0.01,
    "100 - 100 * x": -100.0,
}


def factors(
    harmonise: Harmonise, measures: Sequence[Measure], effect: str
) -> dict[str, tuple[str, float]]:
    """Return the target measure of each harmonised measure, and the factor of its effects."""
    turned: dict[str, tuple[str, float]] = {}
    names = [measure.name for measure in measures]
    for source, (target, formula) in harmonise.items():
        if target not in names:
            raise ScoreTableError(unknown("measure to harmonise into", target, names))
        plain = " ".join(formula.split())
        if plain not in FORMULAS:
            raise ScoreTableError(unknown("formula", formula, list(FORMULAS)))
        factor = FORMULAS[plain]
        if effect == "log-ratio" and factor < 0:
            raise ScoreTableError(
                f"harmonise={{{source!r}: {(target, formula)!r}}} of log ratios.",
                hint="the ratio of two scores does not tell that of one minus each: leave these"
                " effects out, or read differences.",
            )
        if effect != "difference":
            factor = 1.0 if factor > 0 else -1.0
        turned[source] = target, factor
    return turned


@checked
def read_effects(
    source: object,
    *,
    measures: Measures | None = None,
    columns: Mapping[str, str] | None = None,
    effect: EffectKind = "difference",
    harmonise: Harmonise | None = None,
    correlation: float | None = None,
    covariates: str | Sequence[str] = (),
    n: int | None = None,
    spread: Spread = "sd",
) -> Effects:
    """Read published effects and check them.

    Parameters
    ----------
    source
        A frame or a path, as `read_scores` takes. One row per comparison: ``study`` (or
        ``dataset``), ``first``, ``second``, ``estimate`` (first minus second) and ``std_error``, or
        ``variance``, or ``conf_low`` and ``conf_high`` of a normal 95 % interval; ``measure``,
        ``domain`` and ``n`` where there are such columns.

        Or scores with published errors, one row per algorithm and data set: columns such as
        ``acc`` and ``acc_stderr``, or ``value`` with ``ci_low`` and ``ci_high``. Differences of all
        pairs are read, with errors as if those of two algorithms were independent: too large
        where both were scored on the same items.
    measures
        The measures that effects are to be reported in, with their direction.
    columns
        Column to role where names are not common ones: ``{"paper_id": "study"}``.
    effect
        What estimates are: ``"difference"`` of means, ``"standardised"`` differences, or
        ``"log-ratio"`` (the log of first / second).
    harmonise
        Of published effects: how a measure of the file is put into another, as in
        ``accuracy=error:1 - x`` or ``error %=error:x / 100``.

        In Python ``{"accuracy": ("error", "1 - x"), "error %": ("error", "x / 100")}``. Of
        differences; nothing is guessed, and what was done is among the findings.
    correlation
        Of published effects: correlation of two that share a baseline, needed where a study of
        three or more algorithms reports differences from a baseline only.

        It is 1/2 where all scores are independent and equally exact. Of all pairs, the standard
        errors tell it.
    covariates
        Columns of numbers to keep, one value for each data set of a study.
    n
        Of a published table of means with spreads, ``94.2 ± 0.3`` or ``94.2 (0.3)``, in Markdown,
        LaTeX or HTML: how many runs each mean is of.

        Differences of all pairs of algorithms are read, as of independent runs.
    spread
        Of a published table: what stands behind ``±``. Standard deviations of runs (``"sd"``),
        standard errors (``"se"``) or half-widths of normal 95 % intervals (``"ci"``).

    Returns
    -------
    Effects
        For `compare_meta`.

    Raises
    ------
    ScoreTableError
        All faults at once.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"paper": ["a", "b", "c"], "first": "svm",
    ...     "second": ["rf", "rf", "knn"], "estimate": [0.01, 0.03, -2.0], "se": [0.01, 0.01, 1.0],
    ...     "metric": ["accuracy", "accuracy", "error %"]})
    >>> read_effects(frame, measures={"error": "lower"},
    ...     harmonise={"accuracy": ("error", "1 - x"), "error %": ("error", "x / 100")})
    Effects(DataFrame: 3 effects of 3 studies on 3 data sets, 3 algorithms; error (lower is better))
    """
    if effect not in (known := get_args(EffectKind.__value__)):
        raise ScoreTableError(unknown("effect", effect, known))
    if correlation is not None and not -1 < correlation < 1:
        raise ScoreTableError(
            f"correlation is {correlation!r}.", hint="between -1 and 1, as in 0.5."
        )
    names = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    source = as_files(source)
    origin = open_source(source, None)
    declaration, notes = Declaration(measures, covariates=()).with_file(origin.toml)
    declares = declaration.list_measures()
    if isinstance(source, str | Path) and Path(source).is_file() and is_page(Path(source)):
        table = published_table(Path(source), str(source))
        if table.spreads:
            effects = _published_effects(table, columns or {}, n, spread, origin.name)
            origin = replace(of_frame(effects, origin.name), toml=origin.toml)
            what = f"{len(effects)} differences of means of {n} independent runs each, by {spread}."
            notes.append(Finding("published means", "note", len(effects), what))
            columns, n = None, None
    elif not holds_effects(origin.names, columns or {}):
        scores = scores_with_errors(source, origin.names, columns or {}, declares)
        if scores is not None:
            origin = replace(of_frame(scores, origin.name), toml=origin.toml)
            what = f"{len(scores)} differences of scores, with the errors of two added up."
            notes.append(Finding("published errors", "note", len(scores), what))
            columns = None
    if n is not None:
        raise ScoreTableError(
            f"n is {n}, but {origin.name!r} holds no means with spreads.",
            hint="it goes with a table (Markdown, LaTeX, HTML, CSV) whose cells are as 94.2 ± 0.3.",
        )
    turned = factors(harmonise or {}, declares, effect)
    raw = read_columns(origin, columns or {}, names)
    refuse([*notes, *raw.findings], origin.name)
    faults, measured = check(raw, declares, turned)
    findings = [*notes, *raw.findings, *faults]
    refuse(findings, origin.name)
    factor = np.array([turned[name][1] if name in turned else 1.0 for name in measured])
    made = Effects(
        measures=tuple(declares),
        kind=effect,
        study=tuple(raw.text["study"]),
        dataset=tuple(raw.text["dataset"]),
        first=tuple(raw.text["first"]),
        second=tuple(raw.text["second"]),
        measure_of=tuple(turned[name][0] if name in turned else name for name in measured),
        estimate=factor * raw.number["estimate"],
        std_error=np.abs(factor) * raw.number["std_error"],
        n=raw.number["n"],
        domain=tuple(raw.text.get("domain", ())),
        covariates={name: raw.number[f"covariate {name}"] for name in names},
        correlation=correlation,
        source=origin.name,
        notes=tuple(findings),
    )
    refuse(within_studies(made), origin.name)
    return replace(made, notes=(*made.notes, *contradicting(made)))


def _published_effects(
    table: PublishedTable,
    columns: Mapping[str, str],
    n: int | None,
    spread: Spread,
    name: str,
) -> pd.DataFrame:
    """Return the difference of each two algorithms on each data set, with its standard error.

    Runs of different algorithms are independent: the variances of two means add up, and those of
    all pairs tell the covariances.
    """
    if spread not in ("sd", "se", "ci"):
        raise ScoreTableError(unknown("spread", spread, ("sd", "se", "ci")))
    if n is None or n < 2:
        raise ScoreTableError(
            f"{name!r} holds means with spreads, and it is not said of how many runs each is.",
            hint=(
                'read_effects(..., n=5) says so; spread="se" or spread="ci",'
                " if spreads are standard errors or half-widths of 95 % intervals, no standard"
                " deviations."
            ),
        )
    rows, by_row = _row_labels(table, columns, name)
    to_error = {"sd": 1 / np.sqrt(n), "se": 1.0, "ci": 1 / NORMAL}[spread]
    cells = [
        (column, row, mean, error * to_error)
        for column, errors in table.spreads.items()
        for row, mean, error in zip(rows, table.means[column], errors, strict=True)
        if isinstance(mean, float) and error is not None
    ]
    by_dataset: Arms = {}
    for column, row, mean, error in cells:
        dataset, algorithm = (column, row) if by_row else (row, column)
        by_dataset.setdefault((dataset,), []).append((algorithm, mean, error))
    return _differences(by_dataset, ["dataset"]).assign(n=n)


# Labels of a data set to its algorithms, their scores and standard errors.
type Arms = dict[tuple[str, ...], list[tuple[str, float, float]]]


def _differences(arms: Arms, labels: list[str]) -> pd.DataFrame:
    """Return the differences of each two algorithms, whose errors are independent."""
    import pandas as pd

    return pd.DataFrame(
        [
            (*names, first, second, mean - other, np.hypot(error, its_error))
            for names, each in arms.items()
            for (first, mean, error), (second, other, its_error) in combinations(each, 2)
        ],
        columns=[*labels, "first", "second", "estimate", "std_error"],
    )


def scores_with_errors(
    source: object, names: Sequence[str], columns: Mapping[str, str], measures: Sequence[Measure]
) -> pd.DataFrame | None:
    """Return differences of scores with published errors; None of a table that has none."""
    of_errors = columns_of_errors(names, columns, [measure.name for measure in measures])
    if not of_errors:
        return None
    roles = {name: role for name, role in columns.items() if role not in ROLES_OF_ERRORS}
    plain = [Measure(measure.name, measure.better) for measure in measures]
    score = _single_scores(source, roles, plain)
    number: dict[str, Array] = {}
    for role, name in of_errors.items():
        errors = _single_scores(source, {**_without_value(roles), name: "value"}, plain)
        number[role] = np.array([errors.get(key, np.nan) for key in score])
    arms: Arms = {}
    for (key, mean), error in zip(score.items(), standard_errors(number)[0], strict=True):
        if np.isfinite(error):
            measure, dataset, algorithm = key
            arms.setdefault((measure, dataset), []).append((algorithm, mean, float(error)))
    return _differences(arms, ["measure", "dataset"])


def _without_value(roles: Mapping[str, str]) -> dict[str, str]:
    return {name: role for name, role in roles.items() if role != "value"}


def _single_scores(
    source: object, columns: Mapping[str, str], measures: Sequence[Measure]
) -> dict[tuple[str, str, str], float]:
    """Return measure, data set and algorithm to the one score of each place."""
    table = read_scores(source, columns=columns or None, measures=list(measures))
    rows = [table.to_frame(measure.name) for measure in measures]
    keys = ("measure", "dataset", "algorithm", "value")
    each = [row for frame in rows for row in zip(*(frame[key] for key in keys), strict=True)]
    if several := len(each) - len({row[:3] for row in each}):
        raise ScoreTableError(
            f"{several:,} of {count(len(each), 'score')} with published errors are of an algorithm"
            " and data set that have another one.",
            hint="their spread is the error: compare_meta takes the table of read_scores.",
        )
    return {tuple(map(str, row[:3])): float(row[3]) for row in each}  # pyright: ignore[reportReturnType]


def _row_labels(
    table: PublishedTable, columns: Mapping[str, str], name: str
) -> tuple[list[str], bool]:
    """Return the labels of the rows, and whether they are algorithms."""
    left = [column for column in table.means if column not in table.spreads]
    usual = {
        column: role
        for column in left
        for role in ("dataset", "algorithm")  # the last one counts
        if column.casefold().replace(" ", "_") in COMMON[role]
    }
    roles = {column: columns.get(column) or usual.get(column) for column in left}
    known = [column for column in left if roles[column] in ("algorithm", "dataset")]
    if len(known) != 1:
        text = [c for c in left if any(isinstance(cell, str) for cell in table.means[c])] or [
            "NAME"
        ]
        hint = (
            f"columns={ {text[0]: 'algorithm'}!r} where it names algorithms, or"
            f" columns={ {text[0]: 'dataset'}!r}."
        )
        what = f"{name!r}: it is not clear which column names the rows: {', '.join(table.means)}."
        raise ScoreTableError(what, hint=hint)
    labels = [str(cell) for cell in table.means[known[0]]]
    if twice := sorted({label for label in labels if labels.count(label) > 1}):
        raise ScoreTableError(
            f"{name!r} has several rows of {', '.join(map(repr, twice[:3]))}.",
            hint="a row per algorithm or data set, with a name of its own.",
        )
    return labels, roles[known[0]] == "algorithm"
