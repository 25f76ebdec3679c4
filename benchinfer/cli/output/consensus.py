"""Terminal output for consensus."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from benchinfer.cli.hints import as_options
from benchinfer.cli.output import results, rounding
from benchinfer.cli.output.terminal import Terminal, TextTable
from benchinfer.core.numbers import count, join, within

if TYPE_CHECKING:
    from benchinfer.comparison.per_dataset import Comparisons
    from benchinfer.relations.consensus.consensus import Consensus
    from benchinfer.relations.ensemble import Ensemble


_WEIGHTS = {
    "weight_first": "first",
    "weight_equivalent": "equal",
    "weight_second": "second",
    "weight_undecided": "undecided",
    "weight_missing": "missing",
}
_NO_TEST = (
    "A consensus sums up these relations and is no test: neighbours in it need not differ on any"
    " data set."
)


def consensus(
    found: "Consensus",
    ensemble: "Ensemble",
    local: Mapping[str, "Comparisons"],
    weights: Mapping[str, float],
) -> None:
    """Print a consensus of relations per data set."""
    out = Terminal()
    out.prose(_headline(found, ensemble, local, weights), style="bold")
    out.line()
    out.prose(str(found), style="bold green", indent="    ", hanging="  ")
    out.line()
    if found.cost is not None and found.lower_bound is not None:
        out.prose(_cost(found.cost, found.lower_bound, optimal=found.optimal))
    out.prose(_NO_TEST)
    results.legend(out, [found.relation()])
    _optima(out, found)
    _positions(out, found)
    _support(out, found)
    out.heading("Agreement of the relations")
    tau = ensemble.agreement()
    said = "" if math.isnan(tau) else f"; mean tau of Emond and Mason between two: {tau:.2f}"
    w = ensemble.concordance()
    out.prose(f"Kendall's W: {'undefined' if math.isnan(w) else f'{w:.2f}'}{said}.")
    _relations(out, ensemble, several=len(set(weights.values())) > 1)
    _warnings(out, found, local)


def _headline(
    found: "Consensus",
    ensemble: "Ensemble",
    local: Mapping[str, "Comparisons"],
    weights: Mapping[str, float],
) -> str:
    named: list[str] = []
    kinds: list[str] = []
    for name, each in local.items():
        first = next(iter(each.values()))
        measure = first.measure
        kinds.append(within(first.title))
        weight = f", weight {weights[name]:g}" if len(set(weights.values())) > 1 else ""
        named.append(f"{name} ({measure.better} is better{weight})")
    many = count(len(ensemble), "relation")
    how = f"{found.method} ({found.family})"
    by = join(list(dict.fromkeys(kinds)))
    return f"Consensus by {how} of {many} of data sets, each by {by}: {join(named)}."


def _cost(cost: float, bound: float, *, optimal: bool) -> str:
    if optimal:
        return f"Cost {_amount(cost)}, proved to be the least."
    low = _amount(bound)
    return f"Cost {_amount(cost)}; not proved to be the least, which is at least {low}."


def _amount(value: float) -> str:
    """Write a sum of weights: all its digits, but not those of rounding.

    Examples
    --------
    >>> _amount(1866.0), _amount(26182 / 3), _amount(0.1 + 0.2)
    ('1866', '8727.333', '0.3')
    """
    return f"{round(value, 3):.15g}"


def _optima(out: Terminal, found: "Consensus") -> None:
    """Print the optima where there are several but few."""
    if not found.optimal or (found.count == 1 and found.count_exact):
        return
    least = "" if found.count_exact else "at least "
    out.heading(f"Optima: {least}{found.count}")
    for relation in found.relations()[:10]:
        out.prose("; ".join(results.order(relation)), indent="  ", hanging="  ")
    if found.count > 10:
        out.line("  ...")


def _positions(out: Terminal, found: "Consensus") -> None:
    """Print the best and worst rank of each algorithm in all optima."""
    table = found.summary()
    several = found.count > 1 or not found.count_exact
    heading = "Positions in all optima" if several else "Positions"
    out.heading(heading if found.optimal else "Positions, as far as they are proved")
    heads = ["algorithm", "best", "worst"] + (["points"] if "score" in table else [])
    rows = tuple(
        (
            row["algorithm"],
            str(row["rank_low"]),
            str(row["rank_high"]),
            *((_amount(row["score"]),) if "score" in row else ()),
        )
        for row in table.to_dict("records")
    )
    out.grid(TextTable(tuple(heads), rows, frozenset(range(1, len(heads)))))


def _support(out: Terminal, found: "Consensus") -> None:
    """Print the weight of each verdict for neighbours and ties of the order."""
    table = found.support()
    near = {frozenset(pair) for pair in found.relation().covers()}
    shown = [
        row
        for row in table.to_dict("records")
        if row["verdict"] == "equivalent" or frozenset((row["first"], row["second"])) in near
    ]
    if not shown:
        return
    place = {name: i for i, name in enumerate(found.summary()["algorithm"])}
    shown = [_better_first(row) for row in shown]
    shown.sort(key=lambda row: (place[row["first"]], place[row["second"]]))
    used = {key: head for key, head in _WEIGHTS.items() if any(row[key] for row in shown)}
    heads = ["pair", "support", *used.values()] + (["regret"] if "regret" in table else [])
    rows = tuple(_backing(row, used) for row in shown)
    out.heading("Support: weight of the relations that give each verdict")
    out.grid(TextTable(tuple(heads), rows, frozenset(range(1, len(heads)))))
    out.line()
    out.prose("Support: share of the weight that compared the pair and agrees.")
    if "regret" in table:
        out.prose("Regret: what the cheapest order with the pair turned round costs more.")


def _backing(row: dict[Any, Any], used: Iterable[str]) -> tuple[str, ...]:
    """Lay out what speaks for a pair."""
    mark = "~" if row["verdict"] == "equivalent" else ">"
    share = "" if math.isnan(row["support"]) else rounding.share(row["support"])
    cells = [f"{row['first']} {mark} {row['second']}", share]
    cells += [_amount(row[key]) for key in used]
    if "regret" in row:
        exact = "" if row["regret_exact"] else "at least "
        cells.append(exact + _amount(row["regret"]))
    return tuple(cells)


def _better_first(row: dict[Any, Any]) -> dict[Any, Any]:
    """Turn a row round where the second is the better one."""
    if row["verdict"] != "second":
        return row
    swapped = {"first": "second", "second": "first"}
    swapped |= {"weight_first": "weight_second", "weight_second": "weight_first"}
    return row | {key: row[other] for key, other in swapped.items()}


def _relations(out: Terminal, ensemble: "Ensemble", *, several: bool) -> None:
    out.heading("Relations")
    rows = tuple(
        (name, *((f"{weight:g}",) if several else ()), "; ".join(results.order(relation)))
        for (name, relation), weight in zip(
            ensemble.items(), ensemble.weights.tolist(), strict=True
        )
    )
    heads = ("relation", *(("weight",) if several else ()), "order")
    out.grid(TextTable(heads, rows, frozenset({1}) if several else frozenset()))


def _warnings(out: Terminal, found: "Consensus", local: Mapping[str, "Comparisons"]) -> None:
    from benchinfer.relations.consensus.consensus import checks

    table = checks(found)
    rows = zip(*(table[name] for name in ("check", "value", "ok", "remedy")), strict=True)
    failed = [(check, value, remedy) for check, value, ok, remedy in rows if not ok]
    refused = [(d, m, why) for m, each in local.items() for d, why in each.refused.items()]
    if failed or refused:
        out.heading("Warnings")
    for check, value, remedy in failed:
        out.prose(f"- {check}: {value:.4g}. {as_options(str(remedy))}.", hanging="  ")
    for dataset, measure, why in refused:
        out.prose(f"- no relation of {dataset} on {measure}: {as_options(why)}", hanging="  ")
