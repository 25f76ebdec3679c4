"""Claims of a published order: those that its scores decide, and what the rest needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from io import StringIO
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np

from benchinfer.core.errors import DesignError

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from benchinfer.analyses.permutation.blocks import On
    from benchinfer.reproductions.entry import Entry
    from benchinfer.scores import ScoreTable


_MANY = 40  # algorithms, beyond which fewer resamples are drawn


@dataclass(frozen=True, slots=True)
class ClaimCounts:
    """How many claims of one order are decided.

    An adjacent claim says that one of the order is better than the next, a claim of the best that
    the first is better than another. A claim is contradicted where the other side is decided to be
    better. Numbers needed are infinite where the two differ by nothing, or the other way round.
    """

    algorithms: int
    units_compared: int  # data sets, or the replications of one data set
    adjacent: int
    adjacent_decided: int
    adjacent_contradicted: int
    best: int
    best_decided: int
    best_contradicted: int
    needed_first: float  # units that decide the first against the second
    needed_half: float  # units that decide half of the adjacent claims


def count_claims(
    scores: ScoreTable, order: Sequence[str], *, on: On = "values", level: float = 0.95
) -> ClaimCounts:
    """Count the claims of an order that all pairs, tested together, decide.

    Parameters
    ----------
    scores
        The table, with one measure.
    order
        Names of all algorithms, the best first.
    on
        What the permutation test of each pair is of: the ``"values"``, whose means order most
        boards, or ranks.
    level
        One minus the probability of any false decision.

    Examples
    --------
    >>> import benchinfer as bi
    >>> scores = bi.load_example("demsar2006")
    >>> counts = count_claims(scores, ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"], on="ranks")
    >>> counts.adjacent, counts.adjacent_decided, counts.best, counts.best_decided
    (3, 0, 3, 1)
    """
    import benchinfer as bi

    names = list(order)
    resamples = 100_000 if len(names) <= _MANY else 10_000
    result = bi.compare_permutation(scores, on=on, resamples=resamples, level=level)
    places = [result.algorithms.index(name) for name in names]
    better = result.pairs.better[np.ix_(places, places)]
    ahead = _ahead(scores, list(pairwise(names)))
    # The larger a difference beside its spread, the fewer units are needed.
    largest = sorted(ahead, key=_standardised, reverse=True)
    first, middle = (
        _needed(scores, of, len(names), level) for of in (ahead[0], largest[(len(ahead) - 1) // 2])
    )
    return ClaimCounts(
        algorithms=len(names),
        units_compared=_units(scores),
        adjacent=len(ahead),
        adjacent_decided=int(np.diag(better, 1).sum()),
        adjacent_contradicted=int(np.diag(better, -1).sum()),
        best=len(ahead),
        best_decided=int(better[0].sum()),
        best_contradicted=int(better[:, 0].sum()),
        needed_first=first,
        needed_half=middle,
    )


def _units(scores: ScoreTable) -> int:
    """Return the number of data sets, or where there is one, of its replications."""
    labels = scores.to_frame()[["dataset", "replication"]].nunique()
    return int(labels["dataset"] if labels["dataset"] > 1 else labels["replication"])


def _ahead(scores: ScoreTable, pairs: Sequence[tuple[str, str]]) -> list[pd.Series]:
    """Return by how much the first of each pair is better in each unit, named as the pair is.

    Of scores that have ratios, differences of logarithms.
    """
    (measure,) = scores.measures
    rows = scores.to_frame()
    if measure.scale == "log":
        rows["value"] = np.log(rows["value"])
    unit = "dataset" if len(scores.datasets) > 1 else "replication"
    values = rows.pivot_table("value", unit, "algorithm")
    sign = 1.0 if measure.better == "higher" else -1.0
    return [
        (sign * (values[first] - values[second])).rename((first, second)) for first, second in pairs
    ]


def _standardised(ahead: pd.Series) -> float:
    return float(ahead.mean() / max(ahead.std(), np.finfo(float).tiny))


def _needed(scores: ScoreTable, ahead: pd.Series, k: int, level: float) -> float:
    """Return the units that show the mean difference of two of k algorithms, as it was seen."""
    import benchinfer as bi

    if (difference := float(ahead.mean())) <= 0:
        return math.inf
    two = scores.subset(algorithms=list(cast("tuple[str, str]", ahead.name)))
    (measure,) = two.measures
    if measure.scale == "log":
        difference = math.expm1(difference)
    single = len(two.datasets) == 1
    try:
        plan = bi.plan(two, difference, k=k, level=level, n_datasets=1 if single else None)
    except DesignError:  # so small a difference that no number is found
        return math.inf
    return float(plan.n_replications if single else plan.n_datasets)


def counts_of(studies: Sequence[tuple[Entry, Sequence[str | Path]]]) -> pd.DataFrame:
    """Return the counts of studies with their files, one row each: what the page shows.

    Studies that order nothing by scores have no row.
    """
    import pandas as pd

    rows: list[dict[str, object]] = []
    for study, given in studies:
        if study.claims is not None:
            paths = study.located(given)
            scores, order = study.claims.scores(*paths), list(study.claims.order(*paths))
            about = {"study": study.name, "units": study.claims.units, "first": order[0]}
            rows.append({**about, **asdict(count_claims(scores, order, on=study.claims.on))})
    return pd.DataFrame(rows)


def what_holds() -> pd.DataFrame:
    """Return the counts of all studies, as they came out of their files, one row each.

    Examples
    --------
    >>> table = what_holds().set_index("study")
    >>> table[["best", "best_decided"]].loc["demsar2006"].tolist()
    [3, 1]
    """
    import pandas as pd

    text = files("benchinfer.reproductions").joinpath("claims.csv").read_text("utf-8")
    return pd.read_csv(StringIO(text))
