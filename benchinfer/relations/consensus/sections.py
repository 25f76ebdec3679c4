"""Report sections of ensembles and consensus."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from benchinfer.core import sections as core_sections
from benchinfer.core.citations import bibtex
from benchinfer.core.numbers import brief, count, fixed
from benchinfer.core.sections import Cell, Check, Column, Figure, Fold, Section, Table
from benchinfer.relations import sections
from benchinfer.relations.consensus.consensus import NOUNS
from benchinfer.relations.consensus.consensus import consensus as find_consensus
from benchinfer.relations.consensus.figures import optima
from benchinfer.relations.sections import TILES, pair_verdict, rows_of

if TYPE_CHECKING:
    from benchinfer.relations.consensus.consensus import Consensus
    from benchinfer.relations.ensemble import Ensemble


_WEIGHTS = ("first", "equivalent", "undecided", "second", "missing")


def orders(ensemble: "Ensemble") -> Table:
    """One row per relation: its weight and its order."""
    return Table(
        caption="Order of each relation, best first",
        columns=(
            Column("relation", "relation"),
            Column("weight", "weight", numeric=True),
            Column("order", "order"),
        ),
        rows=tuple(
            (Cell(name, "name"), Cell(brief(weight)), Cell(str(relation), "order"))
            for (name, relation), weight in zip(
                ensemble.items(), ensemble.weights.tolist(), strict=True
            )
        ),
        note="> preferred to, ~ equivalent, ? not told apart",
    )


def positions(found: "Consensus") -> Table:
    """One row per algorithm: its best and worst rank in any optimum."""
    frame = found.summary()
    names = [name for name in ("rank_low", "rank_high", "score") if name in frame]
    heads = {"rank_low": "best rank", "rank_high": "worst rank", "score": "points"}
    return Table(
        caption="Ranks in the consensus",
        columns=(
            Column("algorithm", "algorithm"),
            *(Column(name, heads[name], numeric=True) for name in names),
        ),
        rows=tuple(
            (Cell(str(algorithm), "name"), *(Cell(brief(float(v))) for v in values))
            for algorithm, *values in rows_of(frame, "algorithm", *names)
        ),
        note="Best and worst rank differ where algorithms are tied or optima disagree.",
    )


def support(found: "Consensus") -> Table:
    """One row per pair: the weight of each verdict, the share that agrees, and the regret."""
    frame = found.support()
    columns = [Column("first", "first"), Column("second", "second"), Column("verdict", "verdict")]
    cells = [[Cell(str(v), "name") for v in frame[name]] for name in ("first", "second")]
    cells.append([pair_verdict(*row) for row in rows_of(frame, "verdict", "first", "second")])
    columns.append(Column("support", "support", numeric=True))
    cells.append([Cell(fixed(float(v), 2)) for v in frame["support"]])
    if "regret" in frame:
        columns.append(Column("regret", "regret", numeric=True))
        cells.append(
            [
                Cell(("" if exact else "≥ ") + brief(float(v)))
                for v, exact in rows_of(frame, "regret", "regret_exact")
            ]
        )
    for name in _WEIGHTS:
        columns.append(Column(f"weight_{name}", name, numeric=True))
        cells.append([Cell(brief(float(v))) for v in frame[f"weight_{name}"]])
    return Table(
        caption="What speaks for each pair",
        columns=tuple(columns),
        rows=tuple(zip(*cells, strict=True)),
        note="The last columns: weight of the relations that give that verdict.",
    )


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
        figures=_likeness(result),
        tables=(orders(result),),
    )


def _likeness(result: "Ensemble") -> "tuple[Figure, ...]":
    k, b = len(result.algorithms), len(result)
    found: list[Figure] = []
    if k > 1 and b * k * (k - 1) // 2 <= TILES:
        told = "Columns are pairs, the one with more wins first."
        found.append(Figure(result, "verdicts", told))
    if k > 1:
        found.append(Figure(result, "support", "How the weight of the relations is divided."))
    if b > 2:
        found.append(Figure(result, "map", "Relations that agree are near each other."))
        found.append(Figure(result, "clusters", "Relations that agree are joined first."))
    return tuple(found)


def consensus(result: "Consensus", title: str = "Consensus") -> Section:
    """Order, what it costs, how many fit as well, and what speaks for it."""
    text = str(result)
    return Section(
        title=title,
        order=text,
        text=(_NO_TEST, *((_BRACES,) if "{" in text else ())),
        facts=_facts(result),
        figures=_figures(result),
        tables=(positions(result),),
        fold=Fold(
            "Support of each pair, and diagnostics",
            (),
            (support(result), _checks(result)),
        ),
    )


def _checks(result: "Consensus") -> "Table":
    names = ("check", "value", "direction", "limit", "ok", "remedy")
    rows = sections.rows_of(result.diagnostics(), *names)
    return core_sections.checks_table([Check(*row) for row in rows])


def _figures(result: "Consensus") -> "tuple[Figure, ...]":
    shown = [Figure(result, "hasse", _HOLDS)]
    if len(result.algorithms) > 1:
        shown.append(Figure(result, "support", _SPEAKS))
    if (result.ranks[:, 0] < result.ranks[:, 1]).any():
        shown.append(Figure(result, "positions", _RANGES))
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
    return bibtex([find_consensus])


def over_datasets(result: "Consensus", datasets: int) -> Section:
    """Consensus of the relations of the data sets of a table."""
    found = consensus(result, "Consensus over the data sets")
    lead = (
        f"The order that disagrees least with the relations of the {count(datasets, 'data set')},"
        " each by itself. All data sets count the same, however clear their verdicts are."
    )
    return replace(found, text=(lead, *found.text))
