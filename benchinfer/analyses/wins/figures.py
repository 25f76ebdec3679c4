"""Figures of abilities and wins."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import ndtri

from benchinfer.analyses.wins.comparison import WinsComparison, win_square
from benchinfer.comparison.figures import COMPARISON, DISTRIBUTIONS
from benchinfer.core.numbers import count
from benchinfer.numerics.ties import joined_levels
from benchinfer.plots import bars, tiles
from benchinfer.plots.arviz import DRAWS
from benchinfer.plots.bars import Interval, Intervals, room
from benchinfer.plots.draw import Handed, Kind, of_part
from benchinfer.plots.style import PAGE, Width, is_wide, signed
from benchinfer.plots.text import key
from benchinfer.plots.tiles import Chance, Chances

_NUMBERED = 20
size_win_matrix, draw_win_matrix = tiles.size_chances, tiles.draw_chances


def layout_win_matrix(result: WinsComparison, width: Width = PAGE) -> Chances:
    """Return the layout of the matrix of shares of contests that the row's algorithm wins."""
    won, tied = win_square(result.counted.tally)
    order = np.argsort(-joined_levels(result.log_worth), kind="stable")
    n = won + won.T + tied
    share = np.divide(won + tied / 2, n, out=np.zeros_like(won), where=n > 0)
    names = tiles.row_names(result.algorithms, len(result.algorithms), width)
    shown = tuple(names[result.algorithms[k]] for k in order)
    numbered = len(shown) <= _NUMBERED and is_wide(width)
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
        title=f"Wins by {measure.noun} of the row against the column",
        notes=(
            f"{'numbers: ' if numbered else 'shade: '}per cent of their contests; {ties}",
            "empty: never met" if (n + np.eye(len(n)) == 0).any() else "best first, by worth",
            *key(names),
        ),
        width=width,
        alt=f"Shares of contests won between {count(len(shown), 'algorithm')}, by"
        f" {measure.noun}, {measure.better} is better. {best} has the largest worth, and wins"
        f" {100 * float((won + tied / 2)[order[0]].sum() / max(n[order[0]].sum(), 1)):.0f} % of its"
        " contests, ties counted half.",
    )


size_worths, draw_worths = bars.size_intervals, bars.draw_intervals
# Two intervals of a level of 84 % do not overlap where a difference is about significant at 5 %.
_TIMES = float(ndtri(0.975)) / np.sqrt(2)


def layout_worths(result: WinsComparison, width: Width = PAGE) -> Intervals:
    """Return the layout of the log worths with quasi-standard errors, the best algorithm first."""
    said = [signed(float(f"{worth:.2f}")) for worth in result.log_worth]
    names = bars.labels(result.algorithms, said, width)
    reach = _TIMES * result.quasi.error  # NaN is not drawn
    order = np.argsort(-joined_levels(result.log_worth), kind="stable")
    rows = tuple(
        Interval(
            names[result.algorithms[k]],
            said[k],
            float(result.log_worth[k]),
            float(result.log_worth[k] - reach[k]),
            float(result.log_worth[k] + reach[k]),
        )
        for k in order
    )
    worst = max(abs(result.quasi.low), abs(result.quasi.high))
    ends = [end for row in rows for end in (row.low, row.high, row.value) if np.isfinite(end)]
    measure = result.counted.scored.measure
    reading = (
        "lines: 1.39 quasi-standard errors; where two do not overlap, their difference alone is"
        " about significant at 5 %"
    )
    if np.isnan(reach).any():
        reading += "; no line where the quasi-variance is negative"
    exact = (
        f"the errors of differences that they give are off by at most {100 * worst:.0f} %;"
        " of many pairs read the adjusted contrasts"
    )
    return Intervals(
        rows=rows,
        limits=room(ends, log=False),
        log=False,
        reference=0.0,
        sides=("\N{LEFTWARDS ARROW} wins less often", "wins more often \N{RIGHTWARDS ARROW}"),
        title=f"Worths by wins in {measure.noun}, {measure.better} is better",
        axis="log worth; a difference is the log odds that one wins against the other",
        notes=(reading, exact, *key(names)),
        width=width,
        alt=f"Dots with intervals: the log worth of {count(len(rows), 'algorithm')}, best first:"
        f" {', '.join(f'{row.label} {row.said}' for row in rows)}.",
    )


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind | Handed]] = {
    WinsComparison: {
        **COMPARISON,
        "distributions": of_part(DISTRIBUTIONS, lambda wins: wins.counted.scored),
        "worths": Kind(layout_worths, size_worths, draw_worths),
        "wins": Kind(layout_win_matrix, size_win_matrix, draw_win_matrix),
        **DRAWS,
    },
}
