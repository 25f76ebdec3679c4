"""Sections of a consensus."""

import math
from dataclasses import replace

from benchinfer.core.citations import bibtex
from benchinfer.core.numbers import amount, brief, count, fixed, places
from benchinfer.core.sections import (
    Column,
    Figure,
    Fold,
    Section,
    Table,
    names,
    number,
)
from benchinfer.relations.consensus.consensus import NOUNS, Consensus, checks, consensus, optima
from benchinfer.relations.sections import MOST_IN_ORDER, legend, on_one_line, outcome

_WEIGHTS = {
    "weight_first": "first",
    "weight_equivalent": "equal",
    "weight_second": "second",
    "weight_undecided": "undecided",
    "weight_missing": "missing",
}
_OPTIMA = 10  # of more, the first ones say enough


def positions(result: Consensus) -> Table:
    """One row per algorithm: its best and worst rank in any optimum."""
    frame = result.summary()
    points = [number("score", "points", amount)] if "score" in frame else []
    return Table(
        name="summary",
        caption="Ranks in the consensus"
        if result.optimal
        else "Ranks in the consensus, as far as they are proved",
        frame=frame,
        columns=(
            *names("algorithm"),
            number("rank_low", "best rank", brief),
            number("rank_high", "worst rank", brief),
            *points,
        ),
        note="Best and worst rank differ where algorithms are tied or optima disagree.",
    )


def all_optima(result: Consensus) -> tuple[Table, ...]:
    """Return the optima where there are several, the first ones of many."""
    import pandas as pd

    if not result.optimal or (result.count == 1 and result.count_exact):
        return ()
    least = "" if result.count_exact else "at least "
    shown = [on_one_line(relation) for relation in result.relations()[:_OPTIMA]]
    first = f"; the first {len(shown)}" if result.count > len(shown) else ""
    return (
        Table(
            name="",
            caption=f"Optima: {least}{result.count:,}{first}",
            frame=pd.DataFrame({"order": shown}),
            columns=(Column("order", "order", role="order", defined=False),),
        ),
    )


def neighbours(result: Consensus) -> Table:
    """One row for each pair of neighbours or ties of the order: its support."""
    near = {frozenset(pair) for pair in result.relation().covers()}
    frame = result.support()
    pairs = zip(frame["verdict"], frame["first"], frame["second"], strict=True)
    frame = frame[[v == "equivalent" or frozenset((a, b)) in near for v, a, b in pairs]].copy()
    # The better one first.
    turned = frame["verdict"] == "second"
    for one, other in (("first", "second"), ("weight_first", "weight_second")):
        frame.loc[turned, [one, other]] = frame.loc[turned, [other, one]].to_numpy()
    frame.loc[turned, "verdict"] = "first"
    place = {name: i for i, name in enumerate(result.summary()["algorithm"])}
    rows = sorted(
        range(len(frame)), key=lambda i: [place[frame[n].iloc[i]] for n in ("first", "second")]
    )
    used = {name: head for name, head in _WEIGHTS.items() if frame[name].any()}
    regret = [_REGRET] if "regret" in frame else []
    return Table(
        name="",
        caption="Support: weight of the relations that give each verdict",
        frame=frame.iloc[rows],
        columns=(
            Column("first", "pair", _pair, role="name", also=("verdict", "second"), defined=False),
            number("support", "support", _share),
            *(number(name, head, amount) for name, head in used.items()),
            *regret,
        ),
        note="Support: share of the weight that compared the pair and agrees."
        + (" Regret: what the cheapest order with the pair turned round costs more." * len(regret)),
    )


def _pair(first: str, verdict: str, second: str) -> str:
    return f"{first} {'~' if verdict == 'equivalent' else '>'} {second}"


def _share(value: float) -> str:
    """Write a share, one of less than half a percent with a digit more."""
    return "" if math.isnan(value) else f"{fixed(100 * value, 1 if 0 < value < 0.005 else 0)} %"


_REGRET = number(
    "regret",
    "regret",
    lambda value, exact: ("" if exact else "at least ") + amount(value),
    also=("regret_exact",),
)


def support(result: Consensus) -> Table:
    """One row per pair: the weight of each verdict, the share that agrees, and the regret."""
    frame = result.support()
    return Table(
        name="support",
        caption="Support of each pair",
        frame=frame,
        columns=(
            *names("first", "second"),
            outcome(),
            number("support", "support", places(2)),
            *([_REGRET] if "regret" in frame else []),
            *(number(name, head, amount) for name, head in _WEIGHTS.items()),
        ),
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
    " algorithms in a row may be undecided in all of the relations."
)
# A consensus has no verdicts: its relations may come from a test, or from levels alone.
_SIGNS = "a > b: a comes before b    a ~ b: tied    a ? b: neither"
_BRACES = "Algorithms in braces are neither ranked as a whole nor all tied."


def consensus_section(result: Consensus, title: str = "Consensus") -> Section:
    """Return the section on a consensus: its order, cost, number of optima and support."""
    text = str(result)
    near = neighbours(result)
    k = len(result.algorithms)
    figures = [Figure(result, "hasse", _HOLDS)] if k <= MOST_IN_ORDER else []
    if k > 1:
        figures.append(Figure(result, "support", _SPEAKS))
    if k > MOST_IN_ORDER or (result.ranks[:, 0] < result.ranks[:, 1]).any():
        figures.append(Figure(result, "positions", _RANGES))
    return Section(
        title=title,
        order=(text,),
        legend=legend(result.relation(), signs=_SIGNS),
        text=(_NO_TEST, *((_BRACES,) if "{" in text else ())),
        facts=_facts(result),
        figures=tuple(figures),
        tables=(
            *all_optima(result),
            positions(result),
            *([] if near.frame.empty else [near]),
        ),
        checks=tuple(checks(result)),
        fold=Fold("Support of each pair", (), (support(result),)),
    )


def _facts(result: Consensus) -> tuple[tuple[str, str], ...]:
    facts = [("Method", _method(result))]
    if result.cost is not None and result.lower_bound is not None:
        proof = "proved to be the least" if result.optimal else "not proved to be the least"
        bound = f"no relation of the family costs less than {amount(result.lower_bound)}"
        facts.append(("Cost", f"{amount(result.cost)}, {proof}: {bound}"))
        facts.append(("Optima", _counted(result)))
    missing = "cost nothing" if result.missing_pairs == "ignore" else "count as undecided"
    facts.append(("Pairs not compared", missing))
    return tuple(facts)


def _method(result: Consensus) -> str:
    noun = NOUNS[result.family]
    if result.method == "discrete":
        return f"{noun} with the fewest verdicts that differ from those of the relations"
    if result.method not in _DISTANCES:
        return f"{noun} by {result.method}"
    return f"{noun} of the least total {_DISTANCES[result.method]} to the relations"


def _counted(result: Consensus) -> str:
    if not result.optimal:
        return "none is proved; the best one found is shown"
    if result.count == 1 and result.count_exact:
        return "one"
    k = len(result.certain)
    agreed = (int(result.certain.sum()) - k) // 2
    if k == 2:
        return f"{optima(result)}; they {'agree' if agreed else 'do not agree'} on the pair"
    return f"{optima(result)}; they agree on {agreed:,} of {count(k * (k - 1) // 2, 'pair')}"


def citations() -> str:
    """Return the BibTeX entries of the methods of a consensus."""
    return bibtex([consensus])


def over_datasets(result: Consensus, datasets: int) -> Section:
    """Return the section on the consensus of the relations of the data sets of a table."""
    section = consensus_section(result, "Consensus over the data sets")
    lead = (
        "This is another question than that of the answer: which single order disagrees least with"
        f" the data sets' own orders. All {count(datasets, 'data set')} count the same, however"
        " clear their verdicts are."
    )
    return replace(section, lead=lead)


# By class: what is said of a result when a reader requests it.
SECTIONS = {Consensus: lambda result, _: (consensus_section(result),)}
