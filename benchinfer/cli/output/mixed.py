"""Terminal output for mixed models."""

import math
from typing import TYPE_CHECKING, Any

from benchinfer.cli.output import rounding
from benchinfer.cli.output.terminal import Terminal, TextTable, unless_refused
from benchinfer.core import numbers
from benchinfer.core.numbers import count

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from benchinfer.analyses.mixed.comparison import MixedComparison
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.prediction import NewDataset


def heading(result: "Comparison") -> str:
    """Say what slopes are."""
    return f"Slopes: {result.measure.effect_name} per unit of the covariate"


def grid(
    table: "pd.DataFrame",
    result: "Comparison",
    said: "Mapping[str, str]",
    written: "Callable[[float], str]",
) -> TextTable:
    """Return one row for each covariate and pair."""
    decimals = numbers.decimals(((table["conf_high"] - table["conf_low"]) / 4).tolist())
    lowest = -math.inf if result.measure.scale == "identity" else 0.0
    rows = tuple(
        (
            row["covariate"],
            row["first"],
            row["second"],
            rounding.number(row["estimate"], decimals),
            rounding.interval(row["conf_low"], row["conf_high"], decimals, lowest),
            *(written(row[name]) for name in said.values()),
        )
        for row in table.to_dict("records")
    )
    interval = f"{rounding.percent(result.level)} interval"
    heads = ("covariate", "first", "second", result.measure.effect_name, interval, *said)
    return TextTable(heads, rows, frozenset(range(3, len(heads))))


_TESTS = {"likelihood ratio": "LR"}  # what would make the table wider than a terminal


def evidence(out: Terminal, result: "MixedComparison") -> None:
    """Print how the variance of single scores divides, in a sentence."""
    table = result.variances()
    shares = [
        f"{s} {rounding.share(x)}" for s, x in zip(table["source"], table["share"], strict=True)
    ]
    out.line()
    out.prose(f"Variance of single scores: {', '.join(shares)}.")


def details(out: Terminal, result: "MixedComparison") -> None:
    """Print tests of the whole, influence, predictions, and what domains and covariates add."""
    if result.fitted.fixed.domains:
        _domains(out, result)
    if result.design.covariates:
        out.heading(heading(result))
        out.grid(grid(result.slopes(), result, {"p": "p_value"}, numbers.p_value))
    tests = result.anova()
    if len(tests):
        out.heading("Tests of the whole (LR: likelihood ratio)")
        out.grid(_tests(tests))
    out.heading("Verdicts that change when one is left out")
    unless_refused(out, result.influence, _influence)
    out.heading("On a new data set")
    unless_refused(out, result.predict, lambda out, found: _prediction(out, found, result))


def _domains(out: Terminal, result: "MixedComparison") -> None:
    from benchinfer.cli.output.results import order

    out.heading("In each domain")
    found = result.by_domain().relations()
    rows = tuple((name, "; ".join(order(relation))) for name, relation in found.items())
    out.grid(TextTable(("domain", "order"), rows))


def _tests(table: "pd.DataFrame") -> TextTable:
    rows: list[tuple[str, ...]] = []
    for row in table.to_dict("records"):
        test = str(row["test"])
        for long, short in _TESTS.items():
            test = test.replace(long, short)
        free = [row["df"], row["df_residual"]]
        degrees = ", ".join(f"{x:.4g}" for x in free if math.isfinite(x))
        p = numbers.p_value(row["p_value"])
        rows.append((row["term"], test, f"{row['statistic']:.4g}", degrees, p))
    return TextTable(("term", "test", "statistic", "df", "p"), tuple(rows), frozenset({2, 3, 4}))


def _influence(out: Terminal, table: "pd.DataFrame") -> None:
    unit, tried = table.columns[0], int(table["refitted"].sum())
    changed = table[table["n_changed"] > 0]
    for name, changes in zip(changed[unit], changed["changes"], strict=True):
        out.prose(f"- without {name}: {changes}", hanging="  ")
    each = count(tried, unit if unit != "dataset" else "data set")
    if not len(changed):
        out.prose(f"None, whichever of the {each} is left out.")
    elif len(changed) < tried:
        out.prose(f"None changes without another one of the {each}.")


def _prediction(out: Terminal, found: "NewDataset", result: "MixedComparison") -> None:
    ranks, pairs = found.summary(), found.contrasts()
    margin = result.measure.tolerance > 0
    out.prose(str(found))
    out.line()
    ranks = ranks.sort_values("prob_best_next", ascending=False, kind="stable")
    keys = ["prob_best_next", *(["prob_near_best"] if margin else [])]
    rows = tuple((row["algorithm"], *(f"{row[k]:.2f}" for k in keys)) for row in _records(ranks))
    heads = ("algorithm", "P(best)", "P(within tolerance of the best)")
    out.grid(TextTable(heads[: 1 + len(keys)], rows, frozenset({1, 2})))
    out.line()
    decimals = numbers.decimals(((pairs["conf_high"] - pairs["conf_low"]) / 4).tolist())
    keys = ["prob_first", *(["prob_equivalent"] if margin else []), "prob_second"]
    cells = tuple(
        (
            row["first"],
            row["second"],
            rounding.number(row["estimate"], decimals),
            rounding.interval(row["conf_low"], row["conf_high"], decimals),
            *(f"{row[k]:.2f}" for k in keys),
        )
        for row in _records(pairs)
    )
    heads = ("first", "second", result.measure.effect_name)
    heads += (f"{rounding.percent(result.level)} prediction", "P(first)")
    heads += ("P(equiv)", "P(second)") if margin else ("P(second)",)
    out.grid(TextTable(heads, cells, frozenset(range(2, len(heads)))))


def _records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    return table.to_dict("records")  # pyright: ignore[reportReturnType]
