"""Terminal output for score tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.cli.hints import as_options
from benchinfer.cli.output.layout import TextTable
from benchinfer.cli.output.terminal import Terminal, ascii_number
from benchinfer.comparison.checks.tables import order_words, solved_runs
from benchinfer.core import numbers
from benchinfer.core.numbers import count
from benchinfer.scores.checks.advice import ADVICE
from benchinfer.scores.rows.nesting import noun, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from benchinfer.cli.output.layout import Kind
    from benchinfer.core.measure import Measure
    from benchinfer.scores.numerics.limits import StoppedRuns
    from benchinfer.scores.table import ScoreTable


_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}
_PLACES = 3  # of a finding that are shown: some findings are to fit on a screen
_SOLVERS = 15  # of the best ones that are shown
_STATISTICS = ("mean", "sd", "minimum", "q25", "median", "q75", "maximum")
_HEADS = ("mean", "sd", "min", "q25", "median", "q75", "max")
_SPARE = {"q25": 1, "q75": 1, "min": 2, "max": 2}


def check(scores: ScoreTable) -> None:
    """Print the size and the findings of a score table, the most severe first, on one screen.

    Which analysis fits, and what the design can decide, come last.
    """
    from benchinfer.analyses.plan.design import DECIDES, design

    order = [*_STYLES, ADVICE, DECIDES]
    findings = sorted(
        (*scores.finding_records, *design(scores)),
        key=lambda f: order.index(f.rule if f.rule in order else f.severity),
    )
    with Terminal() as out:
        size(out, scores)
        for measure in scores.measures:
            if (held := scores.runs(measure.name).stopped()) is not None and held.stopped.any():
                _solved(out, scores, measure, held)
        noted = False
        for finding in findings:
            if not noted:
                out.line()
            noted = finding.severity == "note"
            out.prose(
                f"{finding.severity}  {finding.rule}: {as_options(finding.what)}",
                style=_STYLES[finding.severity],
                hanging="  ",
            )
            head, *rows = finding.where or ((),)
            if len(rows) > _PLACES:
                rows = rows[: _PLACES - 1]
            if rows:
                kinds = ("text",) * len(head)
                out.grid(TextTable.of(head, rows, kinds), indent="    ", every_row=True)
                if (more := finding.count - len(rows)) > 0:
                    out.line(f"    ... and {more} more")
            if finding.hint:
                out.prose(f"Hint: {as_options(finding.hint)}", indent="  ", hanging="      ")
        out.line()
        counts = [(sum(f.severity == word for f in findings), word) for word in ("warning", "note")]
        out.line(", ".join(count(n, word) for n, word in counts) + ".", "bold")


def _solved(out: Terminal, scores: ScoreTable, measure: Measure, held: StoppedRuns) -> None:
    """Print the runs that each algorithm solved, by its mean time up to the limit."""
    runs = solved_runs(held, scores.algorithms)
    heads = ["algorithm", "solved", "", "mean", *(["crashed"] if held.crashed.any() else [])]
    rows = [
        (
            row.algorithm,
            f"{row.solved:,} of {row.n:,}",
            numbers.percent(row.solved_share),
            f"{row.restricted_mean:,.5g}",
            f"{row.crashed:,}",
        )[: len(heads)]
        for row in runs.to_records(index=False)
    ]
    out.line()
    words = "" if held.shared.any() else ", of each algorithm its own"
    over = int(held.shared.sum()) or len(held.n)
    out.prose(
        f"Runs solved, and mean {measure.name} up to {held.limit:,.6g} over"
        f" {count(over, 'data set')}{words}:"
    )
    kinds = _kinds(1, len(heads) - 1)
    out.grid(TextTable.of(heads, rows[:_SOLVERS], kinds), indent="  ", every_row=True)
    if len(rows) > _SOLVERS:
        out.line(f"  ... and {len(rows) - _SOLVERS:,} more: scores.runs() has all")
    out.prose(f"{numbers.sentence(order_words(held))}.")


def size(out: Terminal, scores: ScoreTable, *, measures: bool = True) -> None:
    """Print the size of the table, and its measures."""
    expected = np.concatenate([scores.coverage(m.name).expected for m in scores.measures])
    expected = expected[expected > 0]
    low, high = int(expected.min()), int(expected.max())
    span = f"{high}" if low == high else f"{low} to {high}"
    kind = scores.resampling.kind if scores.resampling else "undeclared"
    cells = (
        f"{count(len(scores.datasets), 'data set')} x {count(len(scores.algorithms), 'algorithm')}"
    )
    shared = "shared" if scores.paired else "not shared"
    how = f" (resampling: {kind}; {shared} by the algorithms)" if high > 1 else ""
    domains = sorted(set((scores.domains or {}).values()))
    of = f", in {len(domains)} domains: {numbers.several(domains)}" if len(domains) > 1 else ""
    what, unit = count(scores.n_rows, "score"), "replication"
    if scores.units:
        unit = noun(scores.units.levels[0])
        what = f"{count(scores.n_rows, 'mean')} of {plural(unit)}"
    each = plural(unit) if high > 1 else unit
    out.prose(f"{scores.source}: {what}; {cells} x {span} {each}{how}{of}", hanging="  ")
    for measure in scores.measures if measures else ():
        out.prose(
            f"{measure.name}: {measure.title}, {measure.better} is better, tolerance"
            f" {measure.tolerance:g}"
            + ("" if measure.scale == "identity" else f", {measure.scale} scale"),
            indent="  ",
            hanging="  ",
        )


def describe(
    scores: ScoreTable, statistics: Mapping[str, pd.DataFrame], sides: int, level: float
) -> None:
    """Print the statistics of every cell: measure to what `ScoreTable.describe` gives."""
    with Terminal() as out:
        size(out, scores)
        for name, table in statistics.items():
            measure = scores.measure(name)
            out.heading(measure.title)
            single = bool((table["n"] == 1).all())
            keys, heads = (("mean",), ("score",)) if single else (_STATISTICS, _HEADS)
            spread = table["mean"] - table["mean"].mean() if single else table["q75"] - table["q25"]
            decimals = numbers.decimals(spread.tolist())
            rows: list[tuple[str, ...]] = []
            for row in table.to_dict("records"):
                values = tuple(_number(row[key], decimals) for key in keys)
                n = () if single else (str(row["n"]),)
                rows.append((row["dataset"], row["algorithm"], *n, *values))
            grid = _of_cells((*(() if single else ("n",)), *heads), rows)
            if "conf_low" in table:
                kind = (
                    "interval"
                    if sides == 2
                    else "lowest"
                    if measure.better == "higher"
                    else "highest"
                )
                grid = _rates(table, kind, f"{100 * level:g} %")
            out.grid(grid, every_row=True)


def _rates(table: pd.DataFrame, kind: str, level: str) -> TextTable:
    """Return the table of rates with intervals or bounds, for scores of 0 and 1."""
    decimals = numbers.decimals((table["conf_high"] - table["conf_low"]).tolist())
    rows: list[tuple[str, ...]] = []
    for row in table.to_dict("records"):
        low, high = (_number(row[key], decimals) for key in ("conf_low", "conf_high"))
        ends = {"interval": f"{low} to {high}", "lowest": low, "highest": high}
        rate = _number(row["mean"], decimals)
        rows.append((row["dataset"], row["algorithm"], str(row["n"]), rate, ends[kind]))
    end = f"{kind}, {level}" if kind != "interval" else f"{level} interval"
    return _of_cells(("n", "rate", end), rows)


def _of_cells(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> TextTable:
    """Return a table of numbers of the cells, with data set and algorithm before them."""
    kinds = _kinds(2, len(heads))
    table = TextTable.of(("dataset", "algorithm", *heads), rows, kinds, once=True)
    columns = (replace(one, spare=_SPARE.get(one.head, 0)) for one in table.columns)
    return replace(table, columns=tuple(columns))


def _kinds(names: int, numbers: int) -> list[Kind]:
    """Return the kinds of columns of names and, behind these, of numbers."""
    name: list[Kind] = ["name"]
    number: list[Kind] = ["number"]
    return name * names + number * numbers


def _number(value: float, decimals: int) -> str:
    return "" if np.isnan(value) else ascii_number(numbers.fixed(value, decimals))
