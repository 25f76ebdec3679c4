"""Each pair on its own scores where nothing pairs them: labels move within data sets."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.alone import Alone
from benchinfer.compare.asked import Asked
from benchinfer.compare.evidence import Array
from benchinfer.compare.exchangeable import Exchangeable
from benchinfer.compare.pooled import null_of, scores_of
from benchinfer.compare.scaled import standardised
from benchinfer.errors import DesignError, FitError, message
from benchinfer.numerics import arrangements, nulls, strata
from benchinfer.numerics.tukey import critical_t

if TYPE_CHECKING:
    from benchinfer.numerics.layout import Layout


@dataclass(frozen=True, slots=True)
class _Test:
    statistic: float
    p: float
    error: float
    smallest: float
    kind: str


def alone(data: Exchangeable, matrix: Array, asked: Asked) -> Alone:
    """Test and estimate each contrast from the scores of its own algorithms.

    Parameters
    ----------
    data
        Blocks with repeats: data sets.
    matrix
        (P, K) contrasts, each of which some data set bears out. Averages of algorithms are
        estimated, and tested by all algorithms together only.
    asked
        The settings.
    """
    m = len(matrix)
    found = [_pair(data, matrix[i], asked, m, f"pair {i + 1} of {m}") for i in range(m)]
    columns = [np.array(column) for column in zip(*(row[0] for row in found), strict=True)]
    low, high, estimate, mean, statistic, p, error, equal, better, smallest, n = columns
    zero = np.zeros(len(matrix))
    return Alone(
        estimate=estimate,
        low=low if asked.side >= 0 else np.full_like(low, -np.inf),
        high=high if asked.side <= 0 else np.full_like(high, np.inf),
        mean=mean,
        statistic=statistic,
        p=p,
        error=error,
        equivalence=equal,
        noninferiority=better,
        smallest=smallest,
        n=n.astype(np.int64),
        zeros=zero.astype(np.int64),
        skewness=zero,
        kinds=tuple(kind for _, kind in found),
    )


def _pair(
    data: Exchangeable, row: Array, asked: Asked, m: int, task: str
) -> tuple[tuple[float, ...], str]:
    """Return the numbers of one contrast in the order of `alone`, and its null distribution."""
    own = _part(data, row)
    level = asked.alone(m)
    low, high, estimate, mean = _shift(own, row, asked, level)
    n = len(np.unique(own.block))
    if (row != 0).sum() > 2:
        return (low, high, estimate, mean, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, n), "asymptotic"
    side = asked.side or 1
    test = _test(own, 0.0, side, asked, task, two_sided=asked.side == 0)
    above = below = 1.0
    if asked.margin > 0:
        above = _test(own, asked.margin, 1, asked, task, two_sided=False).p
        below = _test(own, -asked.margin, -1, asked, task, two_sided=False).p
    numbers = (
        *(low, high, estimate, mean, side * test.statistic, test.p, test.error),
        *(max(above, below), above if side > 0 else below, test.smallest, n),
    )
    return numbers, test.kind


def _part(data: Exchangeable, row: Array) -> Exchangeable:
    """Return the scores of a contrast's algorithms on the data sets that have them all.

    The first algorithm of a pair gets label 0.
    """
    order = np.argsort(-row, kind="stable")
    involved = order[row[order] != 0]
    place = np.full(len(row), -1)
    place[involved] = np.arange(len(involved))
    label = place[data.label]
    there = np.zeros((int(data.block.max()) + 1, len(involved)), np.bool_)
    there[data.block[label >= 0], label[label >= 0]] = True
    keep = (label >= 0) & there.all(axis=1)[data.block]
    return replace(
        data,
        values=data.values[keep],
        block=data.block[keep],
        label=label[keep],
        dataset=data.dataset[keep],
        n_labels=len(involved),
    )


def _test(
    own: Exchangeable, shift: float, side: int, asked: Asked, task: str, *, two_sided: bool
) -> _Test:
    """Test that the first algorithm's scores plus a shift are better (side 1) or worse (-1)."""
    moved = replace(own, values=own.values + np.where(own.label == 0, shift, 0.0))
    if asked.scale == "dataset":
        moved = standardised(moved)
    layout: Layout = moved.layout
    scores = scores_of(moved, layout, asked.on).values
    question = nulls.ask(scores, layout, side * np.array([[1.0, -1.0]]), two_sided=two_sided)
    try:
        null = null_of(question, scores, replace(asked, pairs="pooled", stop=False), task)
    except FitError as error:
        raise DesignError(
            message(str(error), hint='null="monte-carlo" goes with any design.')
        ) from None
    raw = null.raw if null.raw is not None else null.single_step
    smallest = 1 / arrangements.arrangements(scores, layout)
    if null.kind == "monte-carlo":
        smallest = max(smallest, 1 / (null.n + 1))
    return _Test(
        float(question.observed[0]), float(raw.value[0]), float(raw.error[0]), smallest, null.kind
    )


def _shift(own: Exchangeable, row: Array, asked: Asked, level: float) -> tuple[float, ...]:
    """Return interval, estimate and mean difference of a contrast."""
    values = own.values
    if asked.on == "dispersion":
        layout = own.layout
        values = np.empty_like(own.values)
        values[layout.rows] = scores_of(own, layout, asked.on).values
    weights = np.sort(row[row != 0])[::-1]
    samples = [
        tuple(values[(own.block == d) & (own.label == k)] for k in range(own.n_labels))
        for d in np.unique(own.block)
    ]
    mean, error, df = strata.mean_contrast(samples, weights)
    if asked.on in ("values", "dispersion") or own.n_labels > 2:
        half = float(critical_t(np.array([df]), 1 - level)[0]) * error
        return mean - half, mean + half, mean, mean
    found = strata.shift_within([(pair[0], pair[1]) for pair in samples], level)
    return found.low, found.high, found.estimate, mean
