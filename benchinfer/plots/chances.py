"""How often each algorithm takes each position: a square of shares."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.plots import tiles
from benchinfer.plots.style import INK, Width, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from benchinfer.compare.bayes_comparison import BayesComparison
    from benchinfer.order.stability import Stability

# From hardly ever to always.
_SHADES = ("#F3F7FB", "#DCE9F5", "#C3DAEE", "#A3C7E3", "#7DAFD5", "#5694C5", "#3279B3", "#165F9E")
_NUMBERED = 20  # of more algorithms shades alone are shown
_LARGE = 24
_SHORT = 3  # letters of a head that has room upright


@dataclass(frozen=True, slots=True)
class Chance:
    """The share (0 to 1) of an algorithm (`row`) at a position (`column`)."""

    row: int
    column: int
    share: float


@dataclass(frozen=True, slots=True)
class Chances:
    """Where everything stands.

    Attributes
    ----------
    tiles
        One per algorithm and position, but those of share 0.
    rows, columns
        The algorithms by mean position, and the positions.
    numbered
        Whether tiles have their share in per cent.
    title, note
        Heading, and how to read it.
    width
        Narrow figures have smaller tiles.
    alt
        Text alternative.
    """

    tiles: tuple[Chance, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    numbered: bool
    title: str
    note: tuple[str, ...]
    width: Width
    alt: str


def layout(found: "Stability", width: Width = "wide") -> Chances:
    """Lay out the positions over the resamples of a bootstrapped consensus."""
    return layout_of(found.algorithms, found.position[0], width)


def layout_ranks(result: "BayesComparison", width: Width = "wide") -> Chances:
    """Lay out the probabilities of ranks, for what the verdicts of the comparison are about."""
    following = result.ranks_following if result.quantity == "next" else None
    where = result.average_words if following is None else "on the next data set"
    return layout_of(
        result.algorithms,
        (following or result.ranks).distribution,
        width,
        title=f"Probabilities of ranks {where}",
        reading="across: rank, 1 is best; the darker, the more probable",
    )


def layout_of(
    names: Sequence[str],
    shares: NDArray[np.float64],
    width: Width = "wide",
    *,
    title: str = "Positions over the resampled ensembles",
    reading: str = "across: position, 1 is best; the darker, the more often",
) -> Chances:
    """Lay out the positions of algorithms.

    Parameters
    ----------
    names
        K algorithms.
    shares
        (K, K): how often, 0 to 1, algorithm i takes position j, the best one first.
    width
        ``"narrow"`` for smaller tiles.
    title, reading
        Heading, and how to read the tiles.
    """
    k = len(names)
    mean = shares @ np.arange(1, k + 1)
    order = [int(i) for i in np.lexsort((np.arange(k), np.round(mean, 9)))]
    label = short(names, 22)
    numbered = k <= _NUMBERED and width == "wide"
    said = "; ".join(
        f"{names[i]} mostly {int(shares[i].argmax()) + 1} ({100 * shares[i].max():.0f} %)"
        for i in order
    )
    return Chances(
        tiles=tuple(
            Chance(row, column, float(shares[i, column]))
            for row, i in enumerate(order)
            for column in np.flatnonzero(shares[i] > 0).tolist()
        ),
        rows=tuple(label[n] for n in (names[i] for i in order)),
        columns=tuple(str(n) for n in range(1, k + 1)),
        numbered=numbered,
        title=title,
        note=(
            reading,
            "numbers: per cent; empty: never" if numbered else "empty: never",
        ),
        width="narrow" if k > _LARGE else width,
        alt=f"Positions of {k} algorithms, by mean position: {said}.",
    )


size = tiles.size


def _shade(share: float) -> int:
    return min(int(share * len(_SHADES)), len(_SHADES) - 1)


def draw(chances: Chances, ax: "Axes") -> None:
    """Draw the shares into an Axes."""
    for n, fill in enumerate(_SHADES):
        own = [(t.column, t.row) for t in chances.tiles if _shade(t.share) == n]
        tiles.squares(ax, own, fill)
    for tile in chances.tiles if chances.numbered else ():
        ax.text(
            tile.column,
            tile.row,
            _percent(tile.share),
            ha="center",
            va="center_baseline",
            fontsize=7.5,
            color="white" if _shade(tile.share) > 4 else INK,
        )
    tiles.frame(chances, ax, upright=max(map(len, chances.columns)) <= _SHORT)


def _percent(share: float) -> str:
    return "<1" if 0 < share < 0.005 else f"{100 * share:.0f}"
