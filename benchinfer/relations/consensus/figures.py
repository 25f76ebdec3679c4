"""Figures of a consensus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.plots import bars
from benchinfer.plots.bars import COLOUR, Strips
from benchinfer.plots.draw import Kind, of_part
from benchinfer.plots.style import PAGE, Width, lines
from benchinfer.plots.text import key
from benchinfer.plots.tiles import draw_chances, layout_of, size_chances
from benchinfer.relations.consensus.consensus import Consensus, optima
from benchinfer.relations.consensus.stability import Stability
from benchinfer.relations.figures import RELATION, hasse
from benchinfer.relations.figures.ensemble import draw_support, layout_consensus, size_support

if TYPE_CHECKING:
    from matplotlib.axes import Axes


size_agreed = hasse.size
draw_agreed = hasse.draw


def layout_agreed(consensus: Consensus, width: Width = PAGE) -> hasse.Hasse:
    """Return the Hasse diagram of the relation common to all optima, or of the best order found."""
    shown = consensus.relation() if consensus.optimal else consensus.solutions[0]
    laid = hasse.layout(shown, width, instead="the kind positions has a row for each algorithm.")
    several = consensus.optimal and not (consensus.count == 1 and consensus.count_exact)
    more = ("undecided: the best ones disagree, or leave it open",) if several else ()
    if not consensus.optimal:
        more = ("not proved to be the best: time was up",)
    return replace(
        laid,
        title=f"Consensus: {'common to ' if several else ''}{optima(consensus)}",
        notes=(*laid.notes, *more),
        alt=f"Consensus, best first (> preferred to, ~ equivalent, ? undecided): {consensus}.",
    )


@dataclass(frozen=True, slots=True)
class Range:
    """One algorithm: its name, its ranks in words, the best and the worst one."""

    label: str
    said: str
    value: float
    high: float


def layout_ranges(consensus: Consensus, width: Width = PAGE) -> Strips[Range]:
    """Return the layout of the ranks, or ranges of ranks, of the algorithms in a consensus."""
    low, high = consensus.ranks.T
    said = [f"{a}" if a == b else f"{a} to {b}" for a, b in consensus.ranks.tolist()]
    names = bars.labels(consensus.algorithms, said, width)
    order = np.lexsort((high, low)).tolist()
    rows = tuple(Range(names[consensus.algorithms[i]], said[i], low[i], high[i]) for i in order)
    spoken = "; ".join(f"{consensus.algorithms[i]} {said[i]}" for i in order)
    ties = "a line: several ranks, by ties or because optima differ"
    return Strips(
        rows=rows,
        title="Ranks in the consensus",
        axis=f"rank, 1 is best, in {optima(consensus)}",
        notes=(*([ties] if (high > low).any() else []), *key(names)),
        width=width,
        alt=f"Ranks in {optima(consensus)}: {spoken}.",
    )


size_ranges = bars.size_strips


def draw_ranges(ranges: Strips[Range], ax: Axes) -> None:
    """Draw the ranges into an Axes."""
    aligned = bars.fits(ranges)
    shift = 0.0 if aligned else 0.2
    bars.frame(ranges, ax, (0.6, len(ranges.rows) + 0.4), integers=True)
    at = [(row.value, row.high, y + shift) for y, row in enumerate(ranges.rows)]
    lines(ax, [(low, y, high, y) for low, high, y in at], COLOUR, 1.6)
    ends = [end for low, high, y in at for end in dict.fromkeys(((low, y), (high, y)))]
    ax.plot(*zip(*ends, strict=True), "o", color=COLOUR, ms=5.5, zorder=4, clip_on=False)
    bars.write(ranges, ax, aligned=aligned)
    ax.spines["left"].set_visible(False)


# By class, the default kind first.
FIGURES: Mapping[type, Mapping[str, Kind]] = {
    Consensus: {
        "hasse": Kind(layout_agreed, size_agreed, draw_agreed, hasse.suits),
        "positions": Kind(layout_ranges, size_ranges, draw_ranges),
        "support": Kind(layout_consensus, size_support, draw_support),
        "matrix": of_part(RELATION["matrix"], lambda consensus: consensus.relation()),
    },
    Stability: {
        "positions": Kind(
            lambda stability, width=PAGE: layout_of(
                stability.algorithms, stability.position[0], width
            ),
            size_chances,
            draw_chances,
        ),
    },
}
