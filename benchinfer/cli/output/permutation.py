"""Terminal output for permutation tests."""

import math
import re
from typing import TYPE_CHECKING

from benchinfer.cli.output.terminal import Terminal, TextTable, unless_refused
from benchinfer.core import numbers
from benchinfer.core.numbers import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from benchinfer.analyses.permutation.comparison import PermutationComparison


# What would make the table wider than a terminal; the family is named with the contrasts.
_LARGEST = re.compile(r"^largest of .*, ")
_NULLS = {
    "exact": "exact, from all equally likely arrangements",
    "monte-carlo": "Monte Carlo, from {:,.0f} random arrangements",
    "asymptotic": "asymptotic, from the normal limit",
}


def evidence(
    out: Terminal, result: "PermutationComparison", places: "Sequence[str] | None"
) -> None:
    """Print where p-values come from, and Page's test if an order is given."""
    n = result.options.resamples if result.pairwise else result.pooled.n
    kinds = [_NULLS[kind].format(n) for kind in result.kinds]
    seed = result.provenance.seed
    drawn = f"; seed {seed}" if "monte-carlo" in result.kinds else ""
    early = not result.pairwise and result.pooled.stopped
    stopped = ", after which all decisions were certain" if early else ""
    out.prose(f"P-values are {join(kinds, 'or')}{stopped}{drawn}.")
    places = places or result.options.trend
    if places is not None:
        row = result.tests(places).iloc[-1]
        order = " > ".join(places)
        out.line()
        out.prose(
            f"Page's test of the trend {order}: z = {row['statistic']:.4g}, p"
            f" {_compared(row['p_value'])}."
        )


def details(out: Terminal, result: "PermutationComparison", places: "Sequence[str] | None") -> None:
    """Print tests of all algorithms together, pooled tests of pairs and critical differences."""
    tests, pairs = result.tests(places), result.post_hoc()
    out.heading("Tests of all algorithms together")
    out.grid(_tests(tests))
    if len(pairs):
        out.heading("P-values of pairs on scores that all algorithms share")
        out.grid(_pairs(pairs))
        out.line()
        out.prose("They control errors over pairs only if all algorithms are alike.")
    if largest := max(tests["p_error"].max(), pairs["p_error"].max() if len(pairs) else 0.0):
        out.line()
        out.prose(
            f"Monte Carlo errors of the p-values of these tests: at most {largest:.1g}"
            f" ({result.pooled.n:,.0f} random arrangements, seed {result.provenance.seed})."
        )
    out.heading("Critical differences of mean ranks")
    unless_refused(out, lambda: _critical(result), lambda out, found: out.prose(found))


def _critical(result: "PermutationComparison") -> str:
    nemenyi, dunn = map(result.critical_difference, ("nemenyi", "bonferroni-dunn"))
    return f"{nemenyi:.3f} for all pairs (Nemenyi), {dunn:.3f} with a control (Bonferroni-Dunn)."


def _compared(p: float) -> str:
    """Write a p-value after the letter."""
    text = numbers.p_value(p)
    return text if text[0] in "<>" else f"= {text}"


def _tests(table: "pd.DataFrame") -> TextTable:
    rows: list[tuple[str, ...]] = []
    for row in table.to_dict("records"):
        test = _LARGEST.sub("largest contrast of ", str(row["test"]))
        test = test.replace("normal scores of aligned ranks", "normal scores")
        free = [row["df"], row["df_residual"]]
        degrees = ", ".join(f"{x:.4g}" for x in free if math.isfinite(x))
        p = numbers.p_value(row["p_value"])
        rows.append((test, row["null"], f"{row['statistic']:.4g}", degrees, p))
    heads = ("test", "null", "statistic", "df", "p")
    return TextTable(heads, tuple(rows), frozenset({2, 3, 4}))


def _pairs(table: "pd.DataFrame") -> TextTable:
    """Lay out one row per pair and one column per test."""
    kinds = list(dict.fromkeys(table["test"]))
    keys = list(dict.fromkeys(zip(table["first"], table["second"], strict=True)))
    found = {
        (test, first, second): numbers.p_value(p)
        for test, first, second, p in zip(
            table["test"], table["first"], table["second"], table["p_value"], strict=True
        )
    }
    rows = tuple((*pair, *(found[kind, *pair] for kind in kinds)) for pair in keys)
    return TextTable(("first", "second", *kinds), rows, frozenset(range(2, 2 + len(kinds))))


def error(value: float) -> str:
    """Write the error of a p-value, nothing where there is none."""
    return numbers.p_value(value) if value > 0 else ""
