"""Data sets left out of a hierarchical model: how much each weighs, and what others say of it."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.compare.bayes_predicted import STATISTICS
from benchinfer.compare.phrases import count
from benchinfer.order.relation import Verdict
from benchinfer.plots import bars, intervals
from benchinfer.plots.bars import Bar, Bars
from benchinfer.plots.intervals import Interval, Intervals
from benchinfer.plots.style import MARKS, Width, short

if TYPE_CHECKING:
    from benchinfer.compare.bayes_comparison import BayesComparison

_MOST = 20  # rows that a reader can take in


def layout(result: "BayesComparison", width: Width = "wide") -> Bars:
    """Lay out the Pareto k of each data set, the most influential first.

    Parameters
    ----------
    result
        The comparison.
    width
        ``"narrow"`` sets words above the bars.
    """
    left = result.loo(refit=False)
    order = np.argsort(-left.pareto_k, kind="stable")[:_MOST]
    names = short(left.datasets, 22)
    many, above = len(left.datasets), int((left.pareto_k > left.good_k).sum())
    rows = [
        _bar(names[left.datasets[m]], float(left.pareto_k[m]), left.good_k) for m in order.tolist()
    ]
    limit = f"{left.good_k:.2f}"
    notes = [f"\N{BLACK DIAMOND} above {limit}: influential, the posterior without it differs much"]
    if len(rows) < many:
        notes.append(f"{len(rows)} of {count(many, 'data set')}: those with the largest k")
    return Bars(
        rows=tuple(rows),
        top=1.05 * max(1.0, float(left.pareto_k.max())),
        title=f"Influence of each data set on the posterior: {result.measure.name}",
        axis="Pareto k of leaving it out",
        notes=tuple(notes),
        width=width,
        alt=f"Bars of the Pareto k of {count(many, 'data set')} in {result.measure.name}:"
        f" {above or 'none'} above {left.good_k:.2f}, the largest {left.pareto_k.max():.2f}.",
    )


def _bar(name: str, k: float, good: float) -> Bar:
    verdict = Verdict.SECOND if k > good else Verdict.UNDECIDED
    colour, marker = MARKS[verdict].colour, "D" if k > good else "o"
    return Bar(name, f"{k:.2f}", max(k, 0.0), colour=colour, marker=marker)


def layout_predicted(result: "BayesComparison", width: Width = "wide") -> Intervals:
    """Lay out the spread of the algorithms on each data set, observed and predicted by the others.

    Parameters
    ----------
    result
        The comparison.
    width
        ``"narrow"`` sets words above the intervals.
    """
    found = result.predictive_check(result.loo(refit=False))
    tail, value = found.tail[0], found.observed[0]
    order = np.argsort(tail, kind="stable")[:_MOST]
    names = short(found.datasets, 22)
    rows = tuple(
        Interval(
            names[found.datasets[m]],
            f"p = {tail[m]:.3f}",
            float(value[m]),
            float(found.low[0, m]),
            float(found.high[0, m]),
            filled=not found.beyond[0, m],
        )
        for m in order.tolist()
    )
    many, beyond = len(found.datasets), int(found.beyond[0].sum())
    positive = [x for row in rows for x in (row.value, row.low, row.high) if x > 0]
    notes = [
        "lines: what the model without the data set predicts, 95 %; dots: observed",
        "open dots: beyond it, so many data sets considered",
    ]
    if len(rows) < many:
        notes.append(f"{len(rows)} of {count(many, 'data set')}: the least expected")
    scale = "" if result.measure.scale == "identity" else f", {result.measure.scale} scale"
    return Intervals(
        rows=rows,
        limits=intervals.room(positive, log=True),
        log=True,
        reference=None,
        sides=("", ""),
        title=f"Data sets as the others predict them: {result.measure.name}",
        axis=f"{STATISTICS[0]} (standard deviation{scale})",
        notes=tuple(notes),
        width=width,
        alt=f"Spread of the algorithms on {count(many, 'data set')} in {result.measure.name}, with"
        f" what the others predict: {beyond or 'none'} beyond that.",
    )


size, draw = bars.size, bars.draw
size_predicted, draw_predicted = intervals.size, intervals.draw
