"""Terminal output for meta-analyses."""

import math
from typing import TYPE_CHECKING

from benchinfer.analyses.meta.influence import SHOWN, looked_at
from benchinfer.cli.output.terminal import Terminal, TextTable, unless_refused
from benchinfer.core import numbers

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.meta.comparison import MetaComparison


def evidence(out: Terminal, result: "MetaComparison") -> None:
    """Print how much data sets differ, and which algorithm is likely best on a new one."""
    table = result.heterogeneity()
    out.heading("How much differences vary between data sets")
    out.grid(_heterogeneity(table))
    out.line()
    out.prose(
        "tau: standard deviation of a true difference between data sets, on the modelling scale;"
        " I2: its share of the variance of what was observed."
    )
    if result.joint:
        out.line()
        out.prose(str(result.predict()))


def details(out: Terminal, result: "MetaComparison") -> None:
    """Print what direct and indirect evidence say, and what changes without a data set."""
    out.heading("Do direct and indirect evidence agree?")
    unless_refused(out, result.consistency, lambda out, found: out.grid(_tests(found)))
    out.heading("Do small data sets show other effects? (Egger's test)")
    unless_refused(out, result.egger, lambda out, found: out.grid(_egger(found)))
    out.heading("Without one data set")
    table = result.influence(SHOWN)
    out.grid(_influence(table))
    if (more := len(result.studies.datasets) - SHOWN) > 0:
        out.line()
        out.prose(
            f"Refitted without the {SHOWN} data sets that move the estimates most by one step;"
            f" {more} others move them less."
        )


def _heterogeneity(table: "pd.DataFrame") -> TextTable:
    pairs = "first" in table
    heads = (*(("first", "second") if pairs else ()), "tau", "interval", "I2", "Q", "df", "p")
    rows: list[tuple[str, ...]] = []
    for row in table.to_dict("records"):
        names = (str(row["first"]), str(row["second"])) if pairs else ()
        inside = ""
        if "tau2_low" in row:
            low, high = math.sqrt(row["tau2_low"]), math.sqrt(row["tau2_high"])
            inside = f"{low:.3g} to {high:.3g}"
        tau = f"{math.sqrt(row['tau2']):.3g}"
        if "tau2_between" in row:
            tau += f" within, {math.sqrt(row['tau2_between']):.3g} between"
        test = (f"{row['q']:.4g}", f"{row['df']:g}", numbers.p_value(row["p_value"]))
        rows.append((*names, tau, inside, f"{row['i2']:.3g} %", *test))
    return TextTable(heads, tuple(rows), frozenset(range(len(heads) - 6, len(heads))))


def _tests(table: "pd.DataFrame") -> TextTable:
    rows: list[tuple[str, ...]] = []
    for row in table.to_dict("records"):
        free = [x for x in (row["df"], row["df_residual"]) if math.isfinite(x)]
        rows.append(
            (
                str(row["term"]),
                str(row["test"]),
                f"{row['statistic']:.4g}",
                ", ".join(f"{x:.4g}" for x in free),
                numbers.p_value(row["p_value"]),
            )
        )
    return TextTable(("term", "test", "statistic", "df", "p"), tuple(rows), frozenset({2, 3, 4}))


def _egger(table: "pd.DataFrame") -> TextTable:
    rows = tuple(
        (
            str(row["first"]),
            str(row["second"]),
            str(row["n_datasets"]),
            f"{row['slope']:.4g}",
            numbers.p_value(row["p_value"]),
        )
        for row in table.to_dict("records")
    )
    return TextTable(("first", "second", "data sets", "slope", "p"), rows, frozenset({2, 3, 4}))


def _influence(table: "pd.DataFrame") -> TextTable:
    rows = tuple(
        (
            str(row["dataset"]),
            f"{row['shift']:.2f}" if row["refitted"] else "",
            f"{row['first']} - {row['second']}" if row["refitted"] else "not refitted",
            str(row["changes"]),
        )
        for row in looked_at(table).to_dict("records")
    )
    return TextTable(("data set", "moves", "most", "verdicts that change"), rows, frozenset({1}))
