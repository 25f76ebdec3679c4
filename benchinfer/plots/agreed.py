"""What all optima of a consensus say, as a Hasse diagram."""

from dataclasses import replace
from typing import TYPE_CHECKING

from benchinfer.order.consensus import NOUNS
from benchinfer.plots import hasse
from benchinfer.plots.style import Width

if TYPE_CHECKING:
    from benchinfer.order.consensus import Consensus


size = hasse.size
draw = hasse.draw


def optima(found: "Consensus") -> str:
    """Say how many optima there are, and of which kind.

    Examples
    --------
    >>> import benchinfer as bi
    >>> from benchinfer.order.consensus import consensus
    >>> one = bi.Ensemble({"d1": bi.Relation.from_text("a > b")})
    >>> optima(consensus(one)), optima(consensus(one, method="borda"))
    ('the one best weak order', 'the order by borda')
    """
    noun = NOUNS[found.family]
    if found.scores is not None:
        return f"the order by {found.method}"
    if not found.optimal:
        return f"the best {noun.removesuffix('s')} found"
    if found.count == 1 and found.count_exact:
        return f"the one best {noun.removesuffix('s')}"
    many = f"the {found.count:,}" if found.count_exact else f"{found.count:,} or more"
    return f"{many} best {noun}"


def layout(consensus: "Consensus", width: Width = "wide") -> hasse.Hasse:
    """Lay out what holds in all optima, or the best order found if none is proved the best."""
    shown = consensus.relation() if consensus.optimal else consensus.solutions[0]
    laid = hasse.layout(shown, width)
    several = consensus.optimal and not (consensus.count == 1 and consensus.count_exact)
    more = ("not told apart: the best ones disagree, or leave it open",) if several else ()
    if not consensus.optimal:
        more = ("not proved to be the best: time was up",)
    return replace(
        laid,
        title=f"Consensus: {'common to ' if several else ''}{optima(consensus)}",
        legend=(*laid.legend, *more),
        alt=f"Consensus, best first (> preferred to, ~ equivalent, ? not told apart): {consensus}.",
    )
