"""Diagnostics of a consensus: what its order does and does not say."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from benchinfer.order.relation import Verdict

if TYPE_CHECKING:
    from benchinfer.order.consensus import Consensus

# Check, value, direction and limit, whether it is passed, and what to do if not.
type Row = tuple[str, float, Literal["at most", "at least"], float, bool, str]


def checks(found: "Consensus") -> dict[str, list[object]]:
    """Return the columns ``check value direction limit ok remedy``."""
    return columns([*_proof(found), *_several(found), *_votes(found)])


def columns(rows: list[Row]) -> dict[str, list[object]]:
    """Return rows as columns; a check that is passed needs no remedy."""
    names = ("check", "value", "direction", "limit", "ok", "remedy")
    return {
        name: [row[k] if k != 5 or not row[4] else "" for row in rows]
        for k, name in enumerate(names)
    }


def _proof(found: "Consensus") -> list[Row]:
    if found.cost is None or found.lower_bound is None:
        return []
    return [
        (
            "cost above the lower bound",
            found.cost - found.lower_bound,
            "at most",
            0.0,
            found.optimal,
            (
                "no order was proved to be the cheapest: there may be better ones; ask for a longer"
                " time_limit, or for fewer algorithms (of more than 200 that do not split there is"
                " no proof)"
            ),
        )
    ]


def _several(found: "Consensus") -> list[Row]:
    if not found.optimal:
        return []
    n = len(found.certain)
    open_pairs = int((~found.certain).sum()) // 2
    return [
        (
            "relations that fit equally well",
            float(found.count),
            "at most",
            1.0,
            found.count == 1 and found.count_exact,
            (
                f"{open_pairs} of {n * (n - 1) // 2} pairs are open between them: relation() has"
                " what all of them say, and no single one is the answer"
            ),
        ),
        (
            "optima that were not all counted",
            float(not found.count_exact),
            "at most",
            0.0,
            found.count_exact,
            (
                "there may be more of them, or weights that are no fractions of whole numbers make"
                " ties uncertain"
            ),
        ),
    ]


def _votes(found: "Consensus") -> list[Row]:
    upper = np.triu_indices(len(found.certain), 1)
    missing = found.votes[Verdict.MISSING][upper]
    compared = found.votes[1:].sum(axis=0)[upper]
    never = int((compared == 0).sum())
    share = float(missing.sum() / max((missing + compared).sum(), np.finfo(float).tiny))
    if found.missing_pairs == "undecided":
        advice = "they count as undecided, as if they had been compared without a result"
    elif found.scores is not None:
        advice = "points are means per compared pair, so that algorithms met different opponents"
    else:
        advice = "they cost nothing: algorithms that were compared less often are placed by less"
    return [
        ("share of pairs that were not compared", share, "at most", 0.0, share == 0, advice),
        (
            "pairs that no relation compares",
            float(never),
            "at most",
            0.0,
            never == 0,
            "nothing is known of them but what follows from other pairs",
        ),
    ]
