"""What speaks for each pair: the weight of the relations that give each verdict."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchinfer.compare.phrases import count
from benchinfer.order.relation import Verdict
from benchinfer.plots import stacks
from benchinfer.plots.stacks import Stack, Stacks
from benchinfer.plots.style import Width, short
from benchinfer.plots.verdicts import SYMBOLS, standing

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.order.consensus import Consensus
    from benchinfer.order.ensemble import Ensemble

_PAIRS = 45  # of more pairs neighbours alone are shown

size = stacks.size
draw = stacks.draw


def layout(ensemble: "Ensemble", width: Width = "wide") -> Stacks:
    """Lay out how the weight of an ensemble is shared among verdicts.

    Parameters
    ----------
    ensemble
        Any ensemble. Of more than 45 pairs those of neighbours in the order of wins less losses
        are shown, which the figure says.
    width
        ``"narrow"`` for narrow screens.
    """
    index = {name: i for i, name in enumerate(ensemble.algorithms)}
    order = standing(ensemble)
    every = list(combinations(order, 2))
    pairs = every if len(every) <= _PAIRS else list(pairwise(order))
    states, names = ensemble.states, short(order, 14 if width == "wide" else 10)
    rows: list[Stack] = []
    for a, b in pairs:
        codes = states[:, index[a], index[b]]
        weights = np.bincount(codes, weights=ensemble.weights, minlength=len(Verdict)).tolist()
        said = ", ".join(_tally(weights))
        rows.append(Stack(f"{names[a]} : {names[b]}", said, stacks.pieces(weights)))
    shown = _shown(len(every), len(pairs), "the order of wins less losses")
    return Stacks(
        rows=tuple(rows),
        title=f"What {count(len(ensemble), 'relation')} say of each pair",
        axis="share of the weight of the relations",
        notes=(*_READ, *shown),
        width=width,
        alt=f"Weight of {count(len(ensemble), 'relation')} for each verdict: {_spoken(rows)}.",
    )


_READ = (
    "> first, < second preferred, ~ equivalent, ? not told apart",
    "hatched, \N{MULTIPLICATION SIGN}: not compared",
)


def _tally(weights: Sequence[float]) -> list[str]:
    return [
        f"{SYMBOLS[v] or chr(0xD7)} {weights[v]:.3g}"
        for v in (3, 2, 1, 4, 0)
        if weights[v] > 0
        for v in (Verdict(v),)
    ]


def _shown(whole: int, shown: int, order: str) -> tuple[str, ...]:
    return () if shown == whole else (f"{shown} of {whole} pairs: neighbours in {order}",)


def _spoken(rows: Sequence[Stack]) -> str:
    return "; ".join(f"{row.label} {row.said}" for row in rows) or "no pair"


def layout_consensus(consensus: "Consensus", width: Width = "wide") -> Stacks:
    """Lay out what speaks for the order of neighbours in a consensus.

    Parameters
    ----------
    consensus
        Any consensus. Neighbours are those by best, then worst rank in any optimum.
    width
        ``"narrow"`` for narrow screens.
    """
    order = np.lexsort((consensus.ranks[:, 1], consensus.ranks[:, 0]))
    table = consensus.support()
    regret = _square(consensus, table["regret"]) if "regret" in table else None
    exact = _square(consensus, table["regret_exact"]) if regret is not None else None
    names = short(consensus.algorithms, 14 if width == "wide" else 9)
    rows: list[Stack] = []
    for i, j in pairwise(order.tolist()):
        weights = consensus.votes[:, i, j].tolist()
        certain = bool(consensus.certain[i, j])
        verdict = Verdict(consensus.common[i, j])
        mark = f" {SYMBOLS[verdict]} " if certain else " : "
        said = _agreement(weights, verdict) if certain else "open"
        if certain and regret is not None and exact is not None:
            least = "" if exact[i, j] else "at least "
            said += f", regret {least}{regret[i, j]:.3g}"
        label = mark.join(names[consensus.algorithms[m]] for m in (i, j))
        rows.append(Stack(label, said, stacks.pieces(weights), verdict if certain else None))
    k = len(order)
    regrets = ("regret: what the cheapest order with the pair turned round costs more",)
    return Stacks(
        rows=tuple(rows),
        title="What speaks for the consensus, pair by pair",
        axis="share of the weight of the relations",
        notes=(
            *_READ,
            "framed: agrees with the consensus; its share is of the weight that compared the pair",
            *(("open: the optima disagree",) if not consensus.certain.all() else ()),
            *(regrets if regret is not None else ()),
            *_shown(k * (k - 1) // 2, k - 1, "the consensus"),
        ),
        width=width,
        alt=f"Support of the consensus: {_spoken(rows)}.",
    )


def _agreement(weights: Sequence[float], verdict: Verdict) -> str:
    compared = sum(weights[1:])
    return f"{100 * weights[verdict] / compared:.0f} % agree" if compared else "never compared"


def _square(consensus: "Consensus", values: "pd.Series") -> NDArray[np.float64]:
    """Put values of the pairs (i < j) into a symmetric square."""
    k = len(consensus.algorithms)
    found = np.zeros((k, k))
    found[np.triu_indices(k, 1)] = values
    return found + found.T
