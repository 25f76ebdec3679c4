"""Terminal output for tests of two algorithms."""

from typing import TYPE_CHECKING

from benchinfer.analyses.pair.rules import clustered
from benchinfer.cli.output.terminal import Terminal, TextTable
from benchinfer.core import numbers

if TYPE_CHECKING:
    from benchinfer.analyses.pair.comparison import PairComparison


def evidence(out: Terminal, result: "PairComparison") -> None:
    """Print which test decides, and why."""
    robust = clustered(result)
    chosen = result.options.test == "auto"
    why = f"{'' if robust else ','} as {result.reason}" if chosen else ""
    robust = robust if chosen else robust.removesuffix(",")
    name = result.test_name
    out.prose(f"{name[:1].upper()}{name[1:]}{robust}{why}: {result.formula}.")


def details(out: Terminal, result: "PairComparison") -> None:
    """Print what other tests give, and whether differences look normal."""
    rows = result.tests()
    if len(rows):
        out.heading("Other tests on the same scores, none of which decides")
        out.grid(_others(result))
        out.line()
        for why in dict.fromkeys(rows["misfit"]):
            if why:
                tests = dict.fromkeys(rows["test"][rows["misfit"] == why])
                out.prose(f"- Not made for these scores: {', '.join(tests)}; {why}.", hanging="  ")
    table = result.normality()
    if len(table):
        out.heading("Are the differences normal?")
        cells = tuple(
            (*names, f"{statistic:.4g}", numbers.p_value(p))
            for *names, statistic, p, _ in table.itertuples(index=False)
        )
        out.grid(TextTable(("first", "second", "test", "statistic", "p"), cells, frozenset({3, 4})))


def _others(result: "PairComparison") -> TextTable:
    cells: list[tuple[str, ...]] = []
    for row in result.others:
        df = f"{row.df:.4g}" if row.df == row.df and row.df < float("inf") else ""
        p = numbers.p_value(row.p_value) if row.p_value == row.p_value else ""
        fits = "" if row.why else "yes"
        cells.append((row.first, row.second, row.test, f"{row.statistic:.4g}", df, p, fits))
    heads = ("first", "second", "test", "statistic", "df", "p", "fits")
    return TextTable(heads, tuple(cells), frozenset({3, 4, 5}))
