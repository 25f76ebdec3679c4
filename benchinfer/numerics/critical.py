"""Critical values of one comparison among several: all pairs, with a control, or equal shares."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from benchinfer.numerics import tukey

type Aim = Literal["difference", "equivalence", "non-inferiority"]


@dataclass(frozen=True, slots=True)
class Family:
    """Comparisons that are made together.

    Attributes
    ----------
    kind
        ``"tukey"``: all pairs of n algorithms with one error; ``"dunnett"``: n - 1 algorithms with
        a control, with one error; ``"bonferroni"``: n comparisons at equal shares of the level, the
        first of Holm's steps.
    n
        Algorithms, or comparisons.
    """

    kind: Literal["tukey", "dunnett", "bonferroni"]
    n: int


ALONE = Family("bonferroni", 1)


@lru_cache(maxsize=4096)
def critical(family: Family, aim: Aim, alpha: float, df: float) -> float:
    """Return the critical value of each comparison.

    Of a difference it is two-sided. Of an equivalence both one-sided tests are at alpha, so that it
    is the two-sided one at ``2 alpha``. Of a non-inferiority it is one-sided; of all pairs in both
    directions, which makes it two-sided again.

    Parameters
    ----------
    family
        The comparisons.
    aim
        What each is to show.
    alpha
        Level of the family.
    df
        Degrees of freedom, ``inf`` for a known variance.

    Examples
    --------
    >>> [round(critical(Family("tukey", k), "difference", 0.05, 20.0), 4) for k in (2, 3)]
    [2.086, 2.53]
    """
    if family.kind == "bonferroni" or family.n == 2:
        share = alpha / family.n if family.kind == "bonferroni" else alpha
        tail = share / 2 if aim == "difference" else share
        return float(-stdtrit(min(df, 1e12), tail))
    if aim == "equivalence":
        alpha *= 2
    sides = 1 if aim == "non-inferiority" and family.kind == "dunnett" else 2
    return tukey.quantile(_largest(family, df, sides), alpha)


def _largest(family: Family, df: float, sides: int) -> tukey.MaxT:
    if family.kind == "tukey":
        return tukey.max_t(tukey.all_pairs(family.n)[1], np.eye(family.n), df, sides=sides)
    contrasts = np.hstack([np.eye(family.n - 1), -np.ones((family.n - 1, 1))])
    return tukey.max_t(contrasts, np.eye(family.n), df, sides=sides)
