"""What holds up: claims of a published order that its scores decide, and what the rest needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.errors import DesignError

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.scores import ScoreTable


@dataclass(frozen=True, slots=True)
class Tally:
    """How many claims of one order are decided.

    An adjacent claim says that one of the order is better than the next, a claim of the best that
    the first is better than another. A claim is contradicted where the other side is decided to be
    better. Numbers needed are infinite where the two differ by nothing, or the other way round.
    """

    algorithms: int
    blocks: int  # data sets, or the replications of one data set
    adjacent: int
    adjacent_decided: int
    adjacent_contradicted: int
    best: int
    best_decided: int
    best_contradicted: int
    needed_first: float  # blocks that decide the first against the second
    needed_half: float  # blocks that decide half of the adjacent claims


def tally(scores: ScoreTable, order: Sequence[str], *, level: float = 0.95) -> Tally:
    """Count the claims of an order that all pairs, tested together, decide.

    Parameters
    ----------
    scores
        The table, with one measure.
    order
        Names of all algorithms, the best first.
    level
        One minus the probability of any false decision.

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("demsar2006")
    >>> counts = tally(scores, ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"])
    >>> counts.adjacent, counts.adjacent_decided, counts.best, counts.best_decided
    (3, 0, 3, 1)
    """
    import benchinfer as bi

    names = list(order)
    result = bi.compare_permutation(scores, level=level)
    places = [result.algorithms.index(name) for name in names]
    better = result.pairs.better[np.ix_(places, places)]
    needs = [_needed(scores, pair, len(names), level) for pair in zip(names, names[1:])]
    return Tally(
        algorithms=len(names),
        blocks=_blocks(scores),
        adjacent=len(needs),
        adjacent_decided=int(np.diag(better, 1).sum()),
        adjacent_contradicted=int(np.diag(better, -1).sum()),
        best=len(needs),
        best_decided=int(better[0].sum()),
        best_contradicted=int(better[:, 0].sum()),
        needed_first=needs[0],
        needed_half=sorted(needs)[(len(needs) - 1) // 2],
    )


def _blocks(scores: ScoreTable) -> int:
    """Return the number of data sets, or where there is one, of its replications."""
    rows = scores.to_frame()
    several = rows["dataset"].nunique() > 1
    return int(rows["dataset" if several else "replication"].nunique())


def _needed(scores: ScoreTable, pair: tuple[str, str], k: int, level: float) -> float:
    """Return the blocks that show the difference of two of k algorithms, as it was seen."""
    import benchinfer as bi

    two = scores.subset(algorithms=pair)
    (measure,) = two.measures
    rows = two.to_frame()
    means = rows.groupby(["dataset", "algorithm"])["value"]
    centres = means.mean() if measure.scale == "identity" else means.agg(_geometric)
    levels = centres.unstack()[list(pair)].dropna()
    sign = 1.0 if measure.better == "higher" else -1.0
    if measure.scale == "log":
        difference = math.expm1(sign * float(np.log(levels).diff(axis=1).iloc[:, 1].mean() * -1))
    else:
        difference = sign * float((levels[pair[0]] - levels[pair[1]]).mean())
    if difference <= 0:
        return math.inf
    single = rows["dataset"].nunique() == 1
    try:
        plan = bi.plan(two, difference, k=k, level=level, n_datasets=1 if single else None)
    except DesignError:
        return math.inf
    return float(plan.n_replications if single else plan.n_datasets)


def _geometric(values: pd.Series) -> float:
    return float(np.exp(np.log(values).mean()))


def row_of(name: str, scores: ScoreTable, order: Sequence[str], unit: str) -> dict[str, object]:
    """Return the row of a study in the table of what holds up."""
    return {"study": name, "unit": unit, "first": order[0], **asdict(tally(scores, order))}
