"""Terminal output for any comparison: verdict, order, levels, contrasts, warnings."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.cli.hints import as_options
from benchinfer.cli.output import (
    bayes,
    bootstrap,
    meta,
    mixed,
    pair,
    pairwise,
    permutation,
    rounding,
    wins,
)
from benchinfer.cli.output.terminal import Terminal, TextTable
from benchinfer.comparison.checks import doubts
from benchinfer.core import numbers
from benchinfer.core.numbers import count, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.per_dataset import Comparisons
    from benchinfer.core.measure import Measure
    from benchinfer.relations.relation import Relation


LEGEND = "a > b: a is better    a ~ b: equivalent    a ? b: not told apart"
_PROBABILITIES = {
    "prob_first": "P first",
    "prob_equivalent": "P equivalent",
    "prob_second": "P second",
}
_LINE = 72  # pairs that are not distinguished are listed if they fit on one line, else counted
# Rows of a table, lines of an order and characters of a line that are printed.
_MOST, _LINES, _LONG = 500, 50, 2000


def comparison(
    result: "Comparison", *, details: bool = False, places: "Sequence[str] | None" = None
) -> None:
    """Print a comparison, with details and Page's test for an order if requested."""
    from benchinfer.analyses.meta.comparison import MetaComparison
    from benchinfer.analyses.permutation.comparison import PermutationComparison

    out = Terminal()
    headline(out, result)
    if not result.sides:
        out.line()
        legend(out, [result.relation()])
    about = f"{result.measure.better} is better"
    if isinstance(result, MetaComparison) and result.relative:
        about = f"relative to the mean of the algorithms; {about}"
    out.heading(f"Levels: {result.measure.title} ({about})")
    out.grid(levels(result))
    contrasts(out, result)
    if (home := _home(result)) is not None:
        given = (places,) if isinstance(result, PermutationComparison) else ()
        home.evidence(out, result, *given)
        if details:
            home.details(out, result, *given)
    warnings(out, result)


def _home(result: "Comparison") -> Any:
    """Return the module that prints what only such comparisons have."""
    from benchinfer.analyses.bayes.comparison import BayesComparison
    from benchinfer.analyses.bayes.pairwise.comparison import BayesPairsComparison
    from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
    from benchinfer.analyses.meta.comparison import MetaComparison
    from benchinfer.analyses.mixed.comparison import MixedComparison
    from benchinfer.analyses.pair.comparison import PairComparison
    from benchinfer.analyses.permutation.comparison import PermutationComparison
    from benchinfer.analyses.wins.comparison import WinsComparison

    homes = {
        MixedComparison: mixed,
        PermutationComparison: permutation,
        MetaComparison: meta,
        BootstrapComparison: bootstrap,
        BayesComparison: bayes,
        BayesPairsComparison: pairwise,
        PairComparison: pair,
        WinsComparison: wins,
    }
    return next((home for kind, home in homes.items() if isinstance(result, kind)), None)


def headline(out: Terminal, result: "Comparison") -> None:
    """Print what puts the table in doubt, and the verdict in a sentence and as an order."""
    said = {check.check for check in result.checks}
    for found in (one for one in doubts(result.setting) if one.rule in said):
        out.prose(f"{found.rule}: {found.what}", style="yellow", hanging="  ")
    out.prose(result.headline(), style="bold")
    if result.sides:  # averages are in no order
        return
    out.line()
    lines = order(result.relation())
    for text in lines[:_LINES]:
        short = text if len(text) <= _LONG else f"{text[:_LONG]} ..."
        out.prose(short, style="bold green", indent="    ", hanging="  ")
    if len(lines) > _LINES:
        out.line(f"    ... and {len(lines) - _LINES} more lines")


def legend(out: Terminal, relations: Iterable["Relation"]) -> None:
    """Print how orders are to be read."""
    out.line(LEGEND, "dim")
    properties = [relation.properties() for relation in relations]
    if any(p["transitive"] and not p["weak order"] for p in properties):
        out.line("a > b and b > c together say a > c", "dim")


def order(relation: "Relation") -> list[str]:
    """Write a relation in lines: one where it is a ranking, else one per better algorithm.

    Examples
    --------
    >>> from benchinfer.relations.relation import Relation
    >>> order(Relation.from_pairs(["a", "b", "c"], {("a", "b"): "undecided", ("a", "c"): "first",
    ...                                             ("b", "c"): "undecided"}))
    ['a > c', 'a ? b, b ? c']
    """
    if relation.is_weak_order():
        return [str(relation)]
    worse: dict[str, list[str]] = {}
    for a, b in relation.covers():
        worse.setdefault(a, []).append(b)
    # Best first, so that a chain can be read downwards.
    strict = relation.strict
    lost = dict(zip(relation.algorithms, strict.sum(axis=0) - strict.sum(axis=1), strict=True))
    lines = [f"{a} > {', '.join(worse[a])}" for a in sorted(worse, key=lambda name: lost[name])]
    pairs = relation.to_frame()
    equal = pairs[pairs["verdict"] == "equivalent"]
    if len(equal):
        ties = zip(equal["first"], equal["second"], strict=True)
        lines.append(", ".join(f"{a} ~ {b}" for a, b in ties))
    apart = pairs[pairs["verdict"] == "undecided"]
    listed = ", ".join(f"{a} ? {b}" for a, b in zip(apart["first"], apart["second"], strict=True))
    if len(listed) > _LINE:
        are = "is" if len(apart) == 1 else "are"
        listed = f"{len(apart)} of {count(len(pairs), 'pair')} {are} not told apart"
    if listed:
        lines.append(listed)
    if missing := int((pairs["verdict"] == "missing").sum()):
        are = "is" if missing == 1 else "are"
        lines.append(f"{missing} of {count(len(pairs), 'pair')} {are} not compared")
    return lines


def levels(result: "Comparison") -> TextTable:
    """Lay out the level of each algorithm, best first."""
    table = result.summary().sort_values("rank", kind="stable")
    measure = result.measure
    has_interval = "conf_low" in table
    ends = (table["conf_high"] - table["conf_low"]) / 4 if has_interval else _steps(table)
    decimals = numbers.decimals(list(ends))
    heads = ["rank", "algorithm", measure.name]
    if has_interval:
        heads += [f"{rounding.percent(result.level)} interval"]
    if "mean_rank" in table:
        heads += ["mean rank"]
    rows: list[tuple[str, ...]] = []
    for row in table.to_dict("records"):
        cells = [f"{row['rank']:g}", row["algorithm"], rounding.number(row["estimate"], decimals)]
        if has_interval:
            cells.append(rounding.interval(row["conf_low"], row["conf_high"], decimals))
        if "mean_rank" in row:
            cells.append(f"{row['mean_rank']:.2f}")
        rows.append((*cells, str(row["n"])))
    if (rest := len(rows) - _MOST) > 0:
        rows[_MOST:] = [("", f"... and {rest} more", *[""] * (len(rows[0]) - 2))]
    return TextTable((*heads, "scores"), tuple(rows), frozenset({0, 2, 3, 4}))


def contrasts(out: Terminal, result: "Comparison") -> None:
    """Print the evidence for every pair."""
    table, measure = result.contrasts(), result.measure
    tests = {"p_value": "p", "p_noninferiority": "p not worse"}
    tests = {key: head for key, head in tests.items() if key in table}
    shares = {key: head for key, head in _PROBABILITIES.items() if key in table}
    bounded = "conf_low" in table
    decimals = numbers.decimals(_spreads(table, measure))
    lowest = -math.inf if measure.scale == "identity" else 0.0
    heads = ["first", "second", measure.effect_name]
    largest = float(table["p_error"].max()) if "p_error" in table else 0.0
    errors = largest > 0 and len(tests) == 1  # with two tests there is no room for a column
    if bounded:
        kind = "interval" if _two_sided(result) else "bound"
        heads += [f"{rounding.percent(result.level)} {kind}", *tests.values(), *shares.values()]
        heads += ["p error"] if errors else []
    table, rest = _of_the_best(table, result)
    rows: list[tuple[str, ...]] = []
    for row in table.to_dict("records"):
        cells = [row["first"], row["second"], rounding.number(row["estimate"], decimals)]
        if bounded:
            cells.append(rounding.interval(row["conf_low"], row["conf_high"], decimals, lowest))
            cells += [numbers.p_value(row[key]) for key in tests]
            cells += [f"{row[key]:.3f}" for key in shares]
            cells += [permutation.error(row["p_error"])] if errors else []
        rows.append((*cells, f"{row['winner']} better" if row["winner"] else row["verdict"]))
    out.heading(f"Contrasts: {direction(measure)}")
    out.grid(
        TextTable(
            (*heads, "verdict"),
            tuple(rows),
            frozenset(range(2, len(heads))),
            tuple("" if name else "dim" for name in table["winner"]),
        )
    )
    if rest:
        out.line(f"... and {count(rest, 'contrast')} of worse algorithms; --json has all of them")
    out.line()
    if bounded:
        out.prose(f"{_sentence(result.provenance.adjustment)}.")
    out.prose(result.rule)
    if largest > 0 and not errors:
        out.prose(f"Monte Carlo errors of p-values: at most {largest:.1g}.")
    _not_worse(out, result)


def _of_the_best(table: "pd.DataFrame", result: "Comparison") -> tuple["pd.DataFrame", int]:
    """Return the contrasts to print, those among the best algorithms, and how many are left."""
    rest = len(table) - _MOST
    if rest <= 0 or result.sides:
        return table, 0
    places = result.summary()["rank"].to_numpy()[result.pairs].max(axis=1)
    return table.iloc[np.sort(places.argsort(kind="stable")[:_MOST])], rest


def _two_sided(result: "Comparison") -> bool:
    return result.provenance.arguments.get("alternative", "two-sided") == "two-sided"


def _not_worse(out: Terminal, result: "Comparison") -> None:
    """Say what one-sided tests show of pairs that are not worse by the tolerance."""
    from benchinfer.comparison.comparison import TestedComparison

    if not isinstance(result, TestedComparison) or _two_sided(result):
        return
    if result.measure.tolerance == 0:
        return
    shown = [f"{a} against {b}" for a, b in result.noninferior()]
    out.prose(f"Shown not to be worse by the tolerance: {join(shown) or 'none'}.")


def direction(measure: "Measure") -> str:
    """Say how a contrast is to be read."""
    if measure.scale == "identity":
        side = "above" if measure.better == "higher" else "below"
        return f"{measure.name} of first minus second; {side} 0 the first is better"
    side = "above" if measure.better == "higher" else "below"
    what = "odds of " if measure.scale == "logit" else ""
    return f"{what}{measure.name} of first divided by second; {side} 1 the first is better"


def warnings(out: Terminal, *results: "Comparison") -> None:
    """Print the checks that say something, with their remedies; of several measures each once."""
    said: dict[str, list[str]] = {}
    for result in results:
        for check in result.checks:
            if not check.remedy:
                continue
            held = f"{check.check}: {check.held}."
            remedy = as_options(check.remedy)
            if not remedy.startswith(tuple(f"{name} " for name in result.algorithms)):
                remedy = _sentence(remedy)
            said.setdefault(f"{held} {remedy}.", []).append(result.measure.name)
    if said:
        out.heading("Warnings")
    for text, names in said.items():
        of = "" if len(names) == len(results) else f"{join(names)}: "
        out.prose(f"- {of}{text}", hanging="  ")


def comparisons(results: "Comparisons") -> None:
    """Print one order per data set."""
    out = Terminal()
    first = next(iter(results.values()))
    measure = first.measure
    out.prose(
        f"{measure.name} ({measure.better} is better) on {count(len(results), 'data set')}, each"
        " by itself.",
        style="bold",
    )
    out.line()
    rows = tuple((name, "; ".join(order(result.relation()))) for name, result in results.items())
    out.grid(TextTable(("dataset", "order"), rows))
    out.line()
    legend(out, results.relations().values())
    out.line()
    out.prose(first.rule)
    if "p_value" in first.contrasts():
        out.prose("P-values are adjusted within each data set, not over data sets.")
    if results.refused:
        out.heading(f"{count(len(results.refused), 'data set')} could not be compared")
        reasons = tuple((name, as_options(why)) for name, why in results.refused.items())
        out.grid(TextTable(("dataset", "reason"), reasons))


def _spreads(table: "pd.DataFrame", measure: "Measure") -> list[float]:
    """Return the sizes by which the decimals of contrasts are chosen."""
    if "conf_low" in table:
        return ((table["conf_high"] - table["conf_low"]) / 4).tolist()
    return (table["estimate"] - measure.neutral).tolist()


def _steps(table: "pd.DataFrame") -> list[float]:
    """Return the distances of neighbouring levels."""
    return table["estimate"].sort_values().diff().dropna().tolist()


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
