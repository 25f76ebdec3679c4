"""Sections of relations and ensembles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.core.numbers import amount, count, fixed
from benchinfer.core.sections import (
    Cell,
    Column,
    Figure,
    Fold,
    Section,
    Table,
    names,
    number,
)
from benchinfer.core.verdict import BETTER, SHAPES, SYMBOLS, Comparative, Verdict, words
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.ranks import LETTERED, rank_intervals
from benchinfer.relations.relation import Relation

if TYPE_CHECKING:
    import pandas as pd


def rows_of(frame: pd.DataFrame, *names: str) -> list[tuple[Any, ...]]:
    """Return the rows of some columns."""
    return list(zip(*(frame[name].tolist() for name in names), strict=True))


def pair_verdict(
    comparative: Comparative, equivalent: str, label: str, first: str, second: str
) -> Cell:
    """Return the cell of a table for a verdict: its words, style and mark."""
    verdict = Verdict[label.upper()]
    text = words(verdict, first, second, comparative, equivalent)
    return Cell(text, f"verdict {label}", SHAPES[verdict])


def outcome(
    comparative: Comparative = BETTER, equivalent: str = Verdict.EQUIVALENT.label
) -> Column:
    """Return the column of verdicts of a table of pairs."""
    write = partial(pair_verdict, comparative, equivalent)
    return Column(
        "verdict",
        "verdict",
        write,
        role="verdict",
        also=("first", "second"),
        without_names=lambda label, *_: write(label, "first", "second"),
    )


def verdict_table(
    relation: Relation, order: Sequence[int], comparative: Comparative = BETTER
) -> Table:
    """Return the verdicts in a square table, with rows and columns in the same order."""
    import pandas as pd

    states = relation.states[np.ix_(order, order)].astype(int)
    np.fill_diagonal(states, _DIAGONAL)
    numbers = [str(n) for n in range(1, len(order) + 1)]
    frame = pd.DataFrame(states, columns=numbers)
    frame.insert(0, "algorithm", [relation.algorithms[k] for k in order])
    frame.insert(0, "number", numbers)
    return Table(
        name="",
        caption="Verdicts of the pairs, best algorithm first",
        frame=frame,
        columns=(
            number("number", "", str, brief=False),
            Column("algorithm", "algorithm", role="name", brief=False),
            *(number(n, n, _tile, brief=False, defined=False) for n in numbers),
        ),
        note="Columns have the numbers of the rows."
        f" >: the algorithm of the row {comparative.has}, <: that of the column"
        f" {comparative.has.partition(' ')[0]}, ~: equivalent, ?: undecided.",
    )


_DIAGONAL = -9  # where row and column are the same algorithm


def _tile(code: int) -> Cell:
    if code == _DIAGONAL:
        return Cell("", "tile own")
    verdict = Verdict(code)
    return Cell(SYMBOLS[verdict], f"tile {verdict.label}")


TILES = 2000
MOST_IN_ORDER = 15  # algorithms whose order has a diagram unless it is asked for
MOST_PAIRS = 45  # of more pairs a matrix of the verdicts says more than a line for each
ORDER_CAPTION = "What the verdicts say about the order, and no more."
SIGNS = "a > b: a {}    a ~ b: equivalent    a ? b: undecided"
_TRANSITIVE = "a > b and b > c together say a > c"
_RANKS = "Best first, each with the ranks that the verdicts leave open."
_LINE = 72  # undecided pairs are listed if they fit on one line, else counted


def legend(*relations: Relation, signs: str = SIGNS.format(BETTER.has)) -> tuple[str, ...]:
    """Return the legend of orders, which begins with what the signs mean."""
    few = [relation for relation in relations if len(relation.algorithms) <= LETTERED]
    pairs = ((signs, _TRANSITIVE) if any(map(_chained, few)) else (signs,)) if few else ()
    return pairs if len(few) == len(relations) else (*pairs, _RANKS)


def _chained(relation: Relation) -> bool:
    """Return whether a transitive relation that is no weak order has a chain a > b > c."""
    strict, properties = relation.strict.astype(np.int64), relation.properties()
    return (
        properties["transitive"] and not properties["weak order"] and bool((strict @ strict).any())
    )


def order_lines(relation: Relation) -> tuple[list[str], list[str]]:
    """Return a relation as lines of text: its established order, and its open pairs.

    A ranking is one line; else there is one for each better algorithm. Of many algorithms lines
    have the ranks that the verdicts leave open.

    Examples
    --------
    >>> from benchinfer.relations.relation import Relation
    >>> order_lines(Relation.from_pairs(["a", "b", "c"], {("a", "b"): "undecided",
    ...                                 ("a", "c"): "first", ("b", "c"): "undecided"}))
    (['a > c'], ['a ? b, b ? c'])
    """
    if len(relation.algorithms) > LETTERED:
        groups = groupby(relation.standing, rank_intervals(relation).__getitem__)
        lines = [f"{' to '.join(map(str, dict.fromkeys(x)))}: {', '.join(n)}" for x, n in groups]
        return lines, _left(relation)
    if relation.is_weak_order():
        return [str(relation)], []
    worse: dict[str, list[str]] = {}
    for a, b in relation.covers():
        worse.setdefault(a, []).append(b)
    lines = [f"{a} > {', '.join(others)}" for a, others in worse.items()]
    placed = relation.arranged()
    names = placed.algorithms
    i, j = np.triu_indices(len(names), 1)
    pairs = [
        (f"{names[a]} {SYMBOLS[state]} {names[b]}", state)
        for a, b, state in zip(i, j, map(Verdict, placed.states[i, j].tolist()), strict=True)
    ]
    if equal := [text for text, state in pairs if state == Verdict.EQUIVALENT]:
        lines.append(", ".join(equal))
    listed = ", ".join(text for text, state in pairs if state == Verdict.UNDECIDED)
    left = _left(relation)
    return lines, [listed, *left[1:]] if 0 < len(listed) <= _LINE else left


def _left(relation: Relation) -> list[str]:
    """Return sentences that count the undecided pairs and those that were not compared."""
    states = relation.states[np.triu_indices(len(relation.algorithms), 1)]
    kinds = ((Verdict.UNDECIDED, "undecided"), (Verdict.MISSING, "not compared"))
    counts = [(int((states == state).sum()), word) for state, word in kinds]
    return [
        f"{n:,} of {len(states):,} pairs {'is' if n == 1 else 'are'} {word}"
        if len(states) > 1
        else f"the pair is {word}"
        for n, word in counts
        if n
    ]


def on_one_line(relation: Relation) -> str:
    """Write a relation on one line."""
    lines, left = order_lines(relation)
    return "; ".join([*lines, *left])


def relation_section(result: Relation, number: int) -> Section:
    """Return the section on a relation: its order, diagram and verdicts."""
    rows = Table(
        name="",
        caption="Verdicts of the pairs",
        frame=result.to_frame(),
        columns=(*names("first", "second"), outcome()),
    )
    fold = None
    if (n := len(rows.frame)) > MOST_PAIRS:
        fold = Fold(f"Table of the {n} verdicts", (), (rows,))
        won = result.strict.sum(axis=1) - result.strict.sum(axis=0)
        rows = verdict_table(result, [int(k) for k in np.argsort(-won, kind="stable")])
    figure = Figure(result, "hasse", ORDER_CAPTION)
    if len(result.algorithms) > MOST_IN_ORDER:
        figure = Figure(result, "matrix", "Verdicts of the pairs.")
    broken = [f"{kind}: {a}, {b}, {c}" for kind, a, b, c in result.violations()[:5]]
    lines, left = order_lines(result)
    return Section(
        title=f"Relation {number}",
        order=tuple(lines),
        open_pairs=tuple(left),
        legend=legend(result),
        facts=tuple(
            (name, text)
            for name, text in (("Rule", result.rule), ("Against a ranking", "; ".join(broken)))
            if text
        ),
        figures=(figure,),
        tables=(rows,),
        fold=fold,
    )


def orders(ensemble: Ensemble) -> Table:
    """One row per relation: its weight, where weights differ, and its order."""
    import pandas as pd

    weights = ensemble.weights.tolist()
    several = len(set(weights)) > 1
    frame = pd.DataFrame(
        {
            "relation": list(ensemble),
            "weight": weights,
            "order": [on_one_line(relation) for relation in ensemble.values()],
        }
    )
    return Table(
        name="",
        caption="Order of each relation, best first",
        frame=frame,
        columns=(
            *names("relation"),
            *([number("weight", "weight", amount)] if several else []),
            Column("order", "order", role="order", defined=False),
        ),
    )


def ensemble_section(result: Ensemble, title: str) -> Section:
    """Return the section on an ensemble: the orders, agreement and map of its relations."""
    k, b = len(result.algorithms), len(result)
    facts = [("Relations", f"{count(b, 'relation')} on {count(k, 'algorithm')}")]
    for name, value, how in (
        ("Concordance", result.concordance(), "Kendall's W, 1 if all rank alike"),
        ("Agreement", result.agreement(), "mean tau_x of two relations, 1 if they are the same"),
    ):
        if not math.isnan(value):
            facts.append((name, f"{fixed(value, 2)} ({how})"))
    return Section(
        title=title,
        facts=(*facts, ("Majorities", str(result.majority()))),
        figures=_likeness(result),
        tables=(orders(result),),
    )


def _likeness(result: Ensemble) -> tuple[Figure, ...]:
    k, b = len(result.algorithms), len(result)
    figures: list[Figure] = []
    if k > 1 and b * k * (k - 1) // 2 <= TILES:
        caption = "Columns are pairs, the one with more wins first."
        figures.append(Figure(result, "verdicts", caption))
    if k > 1:
        figures.append(Figure(result, "support", "How the weight of the relations is divided."))
    if b > 2:
        figures.append(Figure(result, "map", "Relations that agree are near each other."))
        figures.append(Figure(result, "clusters", "Relations that agree are joined first."))
    return tuple(figures)


# By class: what is said of a result when a reader requests it.
SECTIONS = {
    Relation: lambda result, _: (replace(relation_section(result, 1), title="Relation"),),
    Ensemble: lambda result, _: (ensemble_section(result, "Ensemble"),),
}
