"""Which contrasts the blocks bear out: those whose algorithms some block brings together."""

from dataclasses import replace

import numpy as np

from benchinfer.compare.asked import Asked
from benchinfer.compare.contrasts import NO_ALGORITHM, Family
from benchinfer.compare.evidence import Setting
from benchinfer.compare.exchangeable import Exchangeable
from benchinfer.compare.phrases import count
from benchinfer.errors import DesignError, message


def borne_out(
    setting: Setting, data: Exchangeable, family: Family, asked: Asked
) -> tuple[Family, list[str]]:
    """Leave out the contrasts whose algorithms no block brings together, and name them.

    Raises
    ------
    DesignError
        No contrast is left, or averages of algorithms are to be tested pairwise.
    """
    pair = (family.pairs != NO_ALGORITHM).all(axis=1)
    if asked.pairs == "pairwise" and not pair.all():
        raise DesignError(
            message(
                "averages of algorithms have no pair of scores to exchange.",
                hint='pairs="pooled" tests them by exchanging the labels of all algorithms.',
            )
        )
    there = np.zeros((int(data.block.max()) + 1, data.n_labels))
    there[data.block, data.label] = 1.0
    involved = (family.matrix != 0).astype(np.float64)
    keep = (there @ involved.T >= involved.sum(axis=1)).any(axis=0)
    sides = family.named_sides(setting.algorithms)
    lost = [" and ".join(side) for side, one in zip(sides, keep, strict=True) if not one]
    if not keep[family.wanted].any():
        raise DesignError(
            message(
                f"no {data.unit} holds the algorithms of any contrast together.",
                hint="permutation tests move labels within blocks; compare_mixed can compare"
                " across them.",
            )
        )
    kept = np.flatnonzero(keep)
    many = count(len(kept), "contrast")
    return replace(
        family,
        words=f"the {many} that blocks bear out of {family.words}" if lost else family.words,
        pairs=family.pairs[keep],
        matrix=family.matrix[keep],
        sides=tuple(family.sides[i] for i in kept) if family.sides else (),
        names=tuple(family.names[i] for i in kept) if family.names else (),
        shown=family.shown if family.shown < 0 else int(keep[: family.shown].sum()),
    ), lost
