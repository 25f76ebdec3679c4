"""Wins of each algorithm against each other: a square of shares, the best algorithm first."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.phrases import count
from benchinfer.compare.wins_predicted import square
from benchinfer.plots import chances
from benchinfer.plots.chances import Chance, Chances
from benchinfer.plots.style import Width, short

if TYPE_CHECKING:
    from benchinfer.compare.wins_comparison import WinsComparison

_NUMBERED, _LARGE = 20, 24

size, draw = chances.size, chances.draw


def layout(result: "WinsComparison", width: Width = "wide") -> Chances:
    """Lay out the share of contests that the row's algorithm wins against the column's.

    Parameters
    ----------
    result
        Wins; algorithms stand in the order of their worths, pairs that never met are empty.
    width
        ``"narrow"`` for smaller tiles without numbers.
    """
    won, tied = square(result.counted.tally)
    order = np.argsort(-result.log_worth, kind="stable")
    n = won + won.T + tied
    share = np.divide(won + tied / 2, n, out=np.zeros_like(won), where=n > 0)
    names = short(result.algorithms, 22 if width == "wide" else 16)
    shown = tuple(names[result.algorithms[k]] for k in order)
    numbered = len(shown) <= _NUMBERED and width == "wide"
    ties = "ties count half" if tied.any() else "there are no ties"
    measure = result.counted.scored.measure
    best = result.algorithms[order[0]]
    return Chances(
        tiles=tuple(
            Chance(row, column, float(share[i, j]))
            for row, i in enumerate(order)
            for column, j in enumerate(order)
            if i != j and n[i, j] > 0
        ),
        rows=shown,
        columns=shown,
        numbered=numbered,
        title=f"Wins by {measure.name} of the row against the column",
        note=(
            f"{'numbers: ' if numbered else 'shade: '}per cent of their contests; {ties}",
            "empty: never met" if (n + np.eye(len(n)) == 0).any() else "best first, by worth",
        ),
        width="narrow" if len(shown) > _LARGE else width,
        alt=f"Shares of contests won between {count(len(shown), 'algorithm')}, by"
        f" {measure.name}, {measure.better} is better. {best} has the largest worth, and wins"
        f" {100 * float((won + tied / 2)[order[0]].sum() / max(n[order[0]].sum(), 1)):.0f} % of its"
        " contests, ties counted half.",
    )
