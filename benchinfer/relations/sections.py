"""Report sections of relations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchinfer.core.sections import Cell, Column, Figure, Fold, Section, Table
from benchinfer.core.verdict import Verdict
from benchinfer.plots.style import MARKS, words
from benchinfer.plots.tiles import SYMBOLS

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.relations.relation import Relation


def rows_of(frame: "pd.DataFrame", *names: str) -> list[tuple[Any, ...]]:
    """Return the rows of some columns."""
    return list(zip(*(frame[name].tolist() for name in names), strict=True))


def pair_verdict(label: str, first: str, second: str) -> Cell:
    """Say a verdict with its mark."""
    verdict = Verdict[label.upper()]
    return Cell(words(verdict, first, second), f"verdict {label}", MARKS[verdict].symbol)


def incidence(relation: "Relation") -> Table:
    """One row per pair of a relation."""
    frame = relation.to_frame()
    return Table(
        caption="Verdicts of the pairs",
        columns=(
            Column("first", "first"),
            Column("second", "second"),
            Column("verdict", "verdict"),
        ),
        rows=tuple(
            (Cell(first, "name"), Cell(second, "name"), pair_verdict(verdict, first, second))
            for first, second, verdict in rows_of(frame, "first", "second", "verdict")
        ),
    )


def verdict_table(relation: "Relation", order: Sequence[int]) -> Table:
    """All verdicts in a square, rows and columns in the same order."""
    states, names = relation.states[np.ix_(order, order)], [relation.algorithms[k] for k in order]
    numbers = [str(n) for n in range(1, len(names) + 1)]
    return Table(
        caption="Verdicts of the pairs, best algorithm first",
        columns=(
            Column("", "", numeric=True),
            Column("algorithm", "algorithm"),
            *(Column("", n, numeric=True) for n in numbers),
        ),
        rows=tuple(
            (
                Cell(numbers[i]),
                Cell(name, "name"),
                *(_tile(Verdict(code), own=i == j) for j, code in enumerate(states[i])),
            )
            for i, name in enumerate(names)
        ),
        note="Columns have the numbers of the rows. >: the algorithm of the row is better, <: that"
        " of the column is, ~: equivalent, ?: not told apart.",
    )


def _tile(verdict: Verdict, *, own: bool) -> Cell:
    return Cell("", "tile own") if own else Cell(SYMBOLS[verdict], f"tile {verdict.label}")


TILES = 2000
MOST_PAIRS = 45  # of more pairs a matrix of the verdicts says more than a line for each
ORDER_CAPTION = "What the verdicts say about the order, and no more."


def order_words(result: "Relation") -> tuple[str, str]:
    """Split the order in words into what is established and what is open."""
    text = str(result)
    established = ", ".join(f"{a} > {b}" for a, b in result.covers())
    if result.is_weak_order() or not text.startswith(established):
        return text, ""
    return established, text[len(established) :].removeprefix("; ")


def relation(result: "Relation", number: int) -> Section:
    """Order, diagram and verdicts of a relation."""
    rows, fold = incidence(result), None
    if (n := len(rows.rows)) > MOST_PAIRS:
        fold = Fold(f"Table of the {n} verdicts", (), (rows,))
        won = result.strict.sum(axis=1) - result.strict.sum(axis=0)
        rows = verdict_table(result, [int(k) for k in np.argsort(-won, kind="stable")])
    broken = [f"{kind}: {a}, {b}, {c}" for kind, a, b, c in result.violations()[:5]]
    return Section(
        title=f"Relation {number}",
        order=order_words(result)[0],
        open_pairs=order_words(result)[1],
        facts=tuple(
            (name, text)
            for name, text in (("Rule", result.rule), ("Against a ranking", "; ".join(broken)))
            if text
        ),
        figures=(Figure(result, "hasse", ORDER_CAPTION),),
        tables=(rows,),
        fold=fold,
    )
