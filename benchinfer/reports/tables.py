"""Frames of results as tables for readers."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.compare.meta_comparison import MetaComparison
from benchinfer.frames import GLOSSARY
from benchinfer.order.relation import Verdict
from benchinfer.plots.forest import order
from benchinfer.plots.style import MARKS, words
from benchinfer.plots.verdicts import SYMBOLS
from benchinfer.reports.numbers import (
    brief,
    decimals,
    fixed,
    p_value,
    significant,
)
from benchinfer.reports.records import Cell, Column, Table

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.compare.comparison import Comparison
    from benchinfer.compare.evidence import Check
    from benchinfer.measure import Measure
    from benchinfer.order.relation import Relation
    from benchinfer.scores import Coverage, Finding

type Write = Callable[[float], str]

_HEADS = {
    "conf_low": "from",
    "conf_high": "to",
    "std_error": "std. error",
    "df": "df",
    "statistic": "statistic",
    "p_value": "p (difference)",
    "p_equivalence": "p (equivalence)",
    "p_noninferiority": "p (non-inferiority)",
    "p_raw": "p (unadjusted)",
    "p_error": "Monte Carlo error",
    "prob_first": "P(first better)",
    "prob_equivalent": "P(equivalent)",
    "prob_second": "P(second better)",
    "regret_first": "cost of choosing the first",
    "regret_second": "of the second",
    "prob_error": "Monte Carlo error",
    "log_e": "log e",
    "n_used": "replications used",
    "p_dominant": "share of draws with this outcome ahead",
    "prob_win": "P(first wins)",
    "prob_more_wins": "P(first wins more often)",
    "n_contests": "contests",
}
_SHARES = (
    *("prob_first", "prob_equivalent", "prob_second", "p_dominant"),
    *("prob_win", "prob_more_wins"),
)
_COUNTS = ("wins", "ties", "losses", "n_contests")
_P = ("p_value", "p_equivalence", "p_noninferiority", "p_raw")
# Columns of words, and what is said in place of a word.
_TOLD = {"state": {"first": "decided", "second": "decided"},
         "provisional": {"True": "yes", "False": ""}}  # fmt: skip
# What decides comes before what it was computed from: a narrow screen shows the left end.
_DECIDES = ("verdict", "estimate", "conf_low", "conf_high", "p_value", *_P[1:3])


def favours(measure: "Measure") -> str:
    """Say how to read the sign of a contrast.

    Examples
    --------
    >>> from benchinfer.measure import Measure
    >>> favours(Measure("error", better="lower"))
    'A difference below 0 favours the algorithm named first, as lower is better.'
    """
    side = "below" if measure.better == "lower" else "above"
    article = "An" if measure.scale == "logit" else "A"
    return (
        f"{article} {measure.effect_name} {side} {measure.neutral:g} favours the algorithm named"
        f" first, as {measure.better} is better."
    )


def better_side(measure: "Measure") -> str:
    """Say which side is better where something departs from what was expected.

    Examples
    --------
    >>> from benchinfer.measure import Measure
    >>> better_side(Measure("error", better="lower"))
    'below 0 is better than expected'
    """
    side = "below" if measure.better == "lower" else "above"
    return f"{side} {measure.neutral:g} is better than expected"


def contrasts(comparison: "Comparison") -> Table:
    """One row per pair, in the order of the forest."""
    measure, frame = comparison.measure, comparison.contrasts().iloc[order(comparison)]
    known = [
        name
        for name in frame.columns
        if name not in {"measure", "contrast", "first", "second", "quantity", "winner"}
    ]
    names = [name for name in _DECIDES if name in known]
    names += [name for name in known if name not in names]
    texts = [name for name in ("contrast", "first", "second") if name in frame.columns]
    columns = [Column(name, name) for name in texts]
    cells = [[Cell(str(v), "name") for v in frame[name]] for name in texts]
    writers = _effect_writers(measure, frame)
    for name in names:
        if name == "verdict":
            columns.append(Column(name, "verdict"))
            cells.append(
                [pair_verdict(*row) for row in rows_of(frame, "verdict", "first", "second")]
            )
        elif name in _TOLD:
            columns.append(Column(name, name))
            cells.append([Cell(_TOLD[name].get(str(v), str(v))) for v in frame[name]])
        else:
            head = effect_head(measure) if name == "estimate" else _HEADS.get(name, name)
            columns.append(Column(name, head, numeric=True))
            cells.append([Cell(writers.get(name, significant)(float(v))) for v in frame[name]])
    interval = f" From, to: {comparison.intervals}." if comparison.intervals else ""
    return Table(
        caption=f"Contrasts in {measure.title}, {measure.better} is better",
        columns=tuple(columns),
        rows=tuple(zip(*cells, strict=True)),
        note=favours(measure) + interval,
    )


def rows_of(frame: "pd.DataFrame", *names: str) -> list[tuple[Any, ...]]:
    """Return the rows of some columns."""
    return list(zip(*(frame[name].tolist() for name in names), strict=True))


def effect_head(measure: "Measure") -> str:
    """Name the contrast column by what it holds."""
    sign = "\N{MINUS SIGN}" if measure.scale == "identity" else "/"
    return f"{measure.effect_name} (first {sign} second)"


def pair_verdict(label: str, first: str, second: str) -> Cell:
    """Say a verdict with its mark."""
    verdict = Verdict[label.upper()]
    return Cell(words(verdict, first, second), f"verdict {label}", MARKS[verdict].symbol)


def _effect_writers(measure: "Measure", frame: "pd.DataFrame") -> dict[str, Write]:
    """Return how to write the columns of a table of contrasts."""
    if measure.scale == "identity":
        places = decimals(_spreads(frame))

        def effect(value: float) -> str:
            return fixed(value, places)
    else:
        effect = significant
    return {
        **dict.fromkeys(("estimate", "conf_low", "conf_high"), effect),
        **dict.fromkeys(_P, p_value),
        **dict.fromkeys(_SHARES, lambda value: fixed(value, 3)),
        **dict.fromkeys(_COUNTS, lambda value: f"{value:g}"),
        "df": lambda value: fixed(value, 1),
        "statistic": lambda value: fixed(value, 2),
        "log_e": lambda value: fixed(value, 2),
        "n_used": brief,
    }


def _spreads(frame: "pd.DataFrame") -> list[float]:
    if "std_error" in frame:
        return [float(v) for v in frame["std_error"]]
    if "conf_low" in frame:
        return [float(v) / 4 for v in frame["conf_high"] - frame["conf_low"]]
    return [float(v) / 10 for v in frame["estimate"]]


def summary(comparison: "Comparison") -> Table:
    """One row per algorithm, best first."""
    measure = comparison.measure
    frame = comparison.summary().drop(columns="measure").sort_values("rank", kind="stable")
    if measure.scale == "identity":
        places = decimals(_spreads(frame))

        def level(value: float) -> str:
            return fixed(value, places)
    else:
        level = significant
    writers: dict[str, Write] = dict.fromkeys(("estimate", "conf_low", "conf_high"), level)
    columns = [Column("algorithm", "algorithm")]
    cells = [[Cell(str(v), "name") for v in frame["algorithm"]]]
    for name in frame.columns.drop("algorithm"):
        columns.append(Column(name, _HEADS.get(name, name.replace("_", " ")), numeric=True))
        cells.append([Cell(writers.get(name, brief)(float(v))) for v in frame[name]])
    interval = (
        f"From, to: {100 * comparison.level:g} % interval of each algorithm alone; overlap of two"
        " intervals is no test of their difference."
        if "conf_low" in frame
        else ""
    )
    if isinstance(comparison, MetaComparison) and comparison.relative:
        interval = "Estimates are relative to the mean of the algorithms: effects have no level."
    return Table(
        caption=f"Algorithms by {measure.title}, {measure.better} is better, best first",
        columns=tuple(columns),
        rows=tuple(zip(*cells, strict=True)),
        note=interval,
    )


def diagnostics(checks: "Sequence[Check]") -> Table:
    """One row per check, those that ask for attention first."""
    return Table(
        caption="Diagnostics",
        columns=(
            Column("ok", "result"),
            Column("check", "check"),
            Column("value", "value", numeric=True),
            Column("limit", "limit", numeric=True),
            Column("remedy", "how to read it"),
        ),
        rows=tuple(
            (
                Cell("passed", "pass", "✓") if row.ok else Cell("attention", "fail", "!"),
                Cell(row.check),
                Cell(brief(row.value)),
                Cell(f"{row.direction} {brief(row.limit)}" if row.direction else ""),
                Cell(row.remedy, "prose"),
            )
            for row in sorted(checks, key=lambda row: row.ok)
        ),
    )


def incidence(relation: "Relation") -> Table:
    """One row per pair of a relation."""
    frame = relation.to_frame()
    return Table(
        caption="Verdicts of the pairs",
        columns=(
            Column("first", "first"),
            Column("second", "second"),
            Column("verdict", "verdict"),
        ),
        rows=tuple(
            (Cell(first, "name"), Cell(second, "name"), pair_verdict(verdict, first, second))
            for first, second, verdict in rows_of(frame, "first", "second", "verdict")
        ),
    )


def matrix(relation: "Relation", order: Sequence[int]) -> Table:
    """All verdicts in a square, rows and columns in the same order.

    Parameters
    ----------
    relation
        The verdicts.
    order
        The algorithms as indices, best first.
    """
    states, names = relation.states[np.ix_(order, order)], [relation.algorithms[k] for k in order]
    numbers = [str(n) for n in range(1, len(names) + 1)]
    return Table(
        caption="Verdicts of the pairs, best algorithm first",
        columns=(
            Column("", "", numeric=True),
            Column("algorithm", "algorithm"),
            *(Column("", n, numeric=True) for n in numbers),
        ),
        rows=tuple(
            (
                Cell(numbers[i]),
                Cell(name, "name"),
                *(_tile(Verdict(code), own=i == j) for j, code in enumerate(states[i])),
            )
            for i, name in enumerate(names)
        ),
        note="Columns have the numbers of the rows. >: the algorithm of the row is better, <: that"
        " of the column is, ~: equivalent, ?: not told apart.",
    )


def _tile(verdict: Verdict, *, own: bool) -> Cell:
    return Cell("", "tile own") if own else Cell(SYMBOLS[verdict], f"tile {verdict.label}")


def counts(coverage: "Coverage") -> Table:
    """Scores per cell, with those marked that lack some."""
    expected = coverage.expected.tolist()
    return Table(
        caption="Scores per cell",
        columns=(
            Column("dataset", "data set"),
            Column("expected", "expected", numeric=True),
            *(Column("", name, numeric=True) for name in coverage.algorithms),
        ),
        rows=tuple(
            (Cell(name, "name"), Cell(str(whole)), *(_count(n, whole) for n in row))
            for name, whole, row in zip(
                coverage.datasets, expected, coverage.found.tolist(), strict=True
            )
        ),
        note="Expected: the replications that the data set has. Shaded: fewer, or none.",
    )


def _count(n: int, whole: int) -> Cell:
    return Cell(str(n), "empty" if n == 0 else "thin" if n < whole else "full")


def findings(records: Sequence["Finding"]) -> Table:
    """One row per finding of the checks."""
    rank = {"error": 0, "warning": 1, "note": 2}
    return Table(
        caption="What the checks of the table found",
        columns=(
            Column("severity", "severity"),
            Column("rule", "rule"),
            Column("where", "what"),
            Column("hint", "what to do"),
        ),
        rows=tuple(
            (
                Cell(f.severity, "note" if f.severity == "note" else "fail"),
                Cell(f.rule),
                Cell(f.what, "prose"),
                Cell(f.hint, "prose"),
            )
            for f in sorted(records, key=lambda f: rank.get(f.severity, 3))
        ),
    )


def explained(tables: Sequence[Table]) -> tuple[tuple[str, str, str], ...]:
    """Return head, name and meaning of each column of the tables that the glossary knows."""
    seen = {column.name: column.head for table in tables for column in table.columns[::-1]}
    return tuple((seen[name], name, text) for name, text in GLOSSARY.items() if name in seen)
