"""What a report says about ensembles of relations and their consensus."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from benchinfer.compare.citing import bibtex
from benchinfer.compare.evidence import Check
from benchinfer.compare.phrases import count
from benchinfer.order.consensus import NOUNS
from benchinfer.plots.agreed import optima
from benchinfer.reports import order_tables, tables
from benchinfer.reports.numbers import brief, fixed
from benchinfer.reports.pictures import picture
from benchinfer.reports.records import Fold, Section
from benchinfer.reports.sections import TILES

if TYPE_CHECKING:
    from benchinfer.order.consensus import Consensus
    from benchinfer.order.ensemble import Ensemble
    from benchinfer.reports.records import Picture, Table

_DISTANCES = {
    "symdiff": "symmetric difference (Kemeny and Snell)",
    "cks": "distance of Cook, Kress and Seiford",
    "emond-mason": "distance of Emond and Mason",
    "jmb": "distance of Jabeur, Martel and Khelifa",
    "cook-seiford": "difference of ranks (Cook and Seiford)",
}
_HOLDS = "What the consensus says; where there are several optima, what all of them say."
_SPEAKS = "Neighbours in the consensus, and how the relations are divided over them."
_RANGES = "From the best to the worst rank in any optimum."
_NO_TEST = (
    "A consensus sums up the relations at hand. It is no test: it has no error rate, and two"
    " algorithms in a row need not be told apart by any of the relations."
)
_BRACES = "Algorithms in braces are neither ranked as a whole nor all tied."


def ensemble(result: "Ensemble", number: int) -> Section:
    """Orders, agreement and likeness of the relations of an ensemble."""
    k, b = len(result.algorithms), len(result)
    facts = [("Relations", f"{count(b, 'relation')} on {count(k, 'algorithm')}")]
    for name, value, how in (
        ("Concordance", result.concordance(), "Kendall's W, 1 if all rank alike"),
        ("Agreement", result.agreement(), "mean tau_x of two relations, 1 if they are the same"),
    ):
        if not math.isnan(value):
            facts.append((name, f"{fixed(value, 2)} ({how})"))
    return Section(
        title=f"Ensemble {number}",
        facts=(*facts, ("Majorities", str(result.majority()))),
        pictures=_likeness(result),
        tables=(order_tables.orders(result),),
    )


def _likeness(result: "Ensemble") -> "tuple[Picture, ...]":
    k, b = len(result.algorithms), len(result)
    found: list[Picture] = []
    if k > 1 and b * k * (k - 1) // 2 <= TILES:
        told = "Columns are pairs, the one with more wins first."
        found.append(picture(result, "verdicts", told))
    if k > 1:
        found.append(picture(result, "support", "How the weight of the relations is divided."))
    if b > 2:
        found.append(picture(result, "map", "Relations that agree are near each other."))
        found.append(picture(result, "clusters", "Relations that agree are joined first."))
    return tuple(found)


def consensus(result: "Consensus", title: str = "Consensus") -> Section:
    """Order, what it costs, how many fit as well, and what speaks for it."""
    text = str(result)
    return Section(
        title=title,
        order=text,
        text=(_NO_TEST, *((_BRACES,) if "{" in text else ())),
        facts=_facts(result),
        pictures=_pictures(result),
        tables=(order_tables.positions(result),),
        fold=Fold(
            "Support of each pair, and diagnostics",
            (),
            (order_tables.support(result), _checks(result)),
        ),
    )


def _checks(result: "Consensus") -> "Table":
    names = ("check", "value", "direction", "limit", "ok", "remedy")
    rows = tables.rows_of(result.diagnostics(), *names)
    return tables.diagnostics([Check(*row) for row in rows])


def _pictures(result: "Consensus") -> "tuple[Picture, ...]":
    shown = [picture(result, "hasse", _HOLDS)]
    if len(result.algorithms) > 1:
        shown.append(picture(result, "support", _SPEAKS))
    if (result.ranks[:, 0] < result.ranks[:, 1]).any():
        shown.append(picture(result, "positions", _RANGES))
    return tuple(shown)


def _facts(result: "Consensus") -> tuple[tuple[str, str], ...]:
    facts = [("Method", _method(result))]
    if result.cost is not None and result.lower_bound is not None:
        proof = "proved to be the least" if result.optimal else "not proved to be the least"
        bound = f"no relation of the family costs less than {brief(result.lower_bound)}"
        facts.append(("Cost", f"{brief(result.cost)}, {proof}: {bound}"))
        facts.append(("Optima", _counted(result)))
    missing = "cost nothing" if result.missing_pairs == "ignore" else "count as undecided"
    facts.append(("Pairs not compared", missing))
    return tuple(facts)


def _method(result: "Consensus") -> str:
    noun = NOUNS[result.family]
    if result.method == "discrete":
        return f"{noun} with the fewest verdicts that differ from those of the relations"
    if result.method not in _DISTANCES:
        return f"{noun} by {result.method}"
    return f"{noun} of the least total {_DISTANCES[result.method]} to the relations"


def _counted(result: "Consensus") -> str:
    if not result.optimal:
        return "none is proved; the best one found is shown"
    if result.count == 1 and result.count_exact:
        return "one"
    k = len(result.certain)
    agreed = (int(result.certain.sum()) - k) // 2
    return f"{optima(result)}; they agree on {agreed} of {count(k * (k - 1) // 2, 'pair')}"


def numbered(result: "Consensus", number: int) -> Section:
    """Return the section of one of several."""
    return consensus(result, f"Consensus {number}: {optima(result)}")


def citations() -> str:
    """Return the BibTeX entries of what a consensus rests on."""
    return bibtex(["benchinfer.order.consensus:consensus"])


def over_datasets(result: "Consensus", datasets: int) -> Section:
    """Consensus of the relations of the data sets of a table."""
    found = consensus(result, "Consensus over the data sets")
    lead = (
        f"The order that disagrees least with the relations of the {count(datasets, 'data set')},"
        " each by itself. All data sets count the same, however clear their verdicts are."
    )
    return replace(found, text=(lead, *found.text))
