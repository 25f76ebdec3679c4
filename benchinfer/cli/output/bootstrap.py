"""Terminal output for bootstrapped comparisons."""

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.cli.output import rounding
from benchinfer.cli.output.terminal import Terminal, TextTable, unless_refused
from benchinfer.core import numbers

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
    from benchinfer.comparison.evidence import Array


# Where the shares of all algorithms together are near these, a profile is worth a column.
_SHARES = (0.9, 0.75, 0.5, 0.25, 0.1)
_RATIOS = (1.0, 1.1, 1.25, 1.5, 2.0, 5.0, 10.0)


def evidence(out: Terminal, result: "BootstrapComparison") -> None:
    """Print what was drawn."""
    out.prose(f"By the {result.formula}; seed {result.provenance.seed}.")


def details(out: Terminal, result: "BootstrapComparison") -> None:
    """Print probabilities of improvement and performance profiles."""
    out.heading("Probability that a score of first is better than one of second")
    out.grid(_improvement(result))
    out.line()
    out.prose("Verdicts do not rest on these.")
    scores = result.profile("scores")
    out.heading(f"Share of scores that are {_side(result)} a threshold, on {scores['measure'][0]}")
    out.grid(_curves(result, scores, _spread(scores)))
    out.heading("Share of data sets on which an algorithm is within a ratio of the best one")
    unless_refused(
        out,
        lambda: result.profile("ratios"),
        lambda out, found: out.grid(_curves(result, found, _ratios(found))),
    )


def _side(result: "BootstrapComparison") -> str:
    normalised = result.options.normalise is not None
    return "above" if normalised or result.setting.measure.better == "higher" else "below"


def _improvement(result: "BootstrapComparison") -> TextTable:
    table = result.probability_of_improvement()
    interval = f"{rounding.percent(result.level)} interval"
    rows = tuple(
        (
            row["first"],
            row["second"],
            f"{row['prob_improvement']:.3f}",
            rounding.interval(row["conf_low"], row["conf_high"], 3),
            numbers.p_value(row["p_value"]),
        )
        for row in table.to_dict("records")
    )
    heads = ("first", "second", "probability", interval, "p")
    return TextTable(heads, rows, frozenset({2, 3, 4}))


def _curves(result: "BootstrapComparison", table: "pd.DataFrame", thresholds: "Array") -> TextTable:
    """Lay out one row per algorithm, best first, and one column per threshold."""
    wide = table.pivot_table("proportion", "algorithm", "threshold", sort=True)
    best = result.summary().sort_values("rank", kind="stable")["algorithm"]
    # A profile is constant between its thresholds: the last one that is not larger counts.
    at = np.searchsorted(wide.columns.to_numpy(), thresholds, side="right") - 1
    decimals = numbers.decimals(np.diff(thresholds).tolist()) if len(thresholds) > 1 else 3
    heads = ("algorithm", *(rounding.number(x, decimals) for x in thresholds))
    rows = tuple((name, *(f"{x:.2f}" for x in wide.loc[name].to_numpy()[at])) for name in best)
    return TextTable(heads, rows, frozenset(range(1, len(heads))))


def _spread(table: "pd.DataFrame") -> "Array":
    """Choose thresholds at which scores of all algorithms together spread out."""
    mean = table.groupby("threshold")["proportion"].mean()
    near = [int(np.abs(mean.to_numpy() - share).argmin()) for share in _SHARES]
    return np.unique(mean.index.to_numpy()[near])


def _ratios(table: "pd.DataFrame") -> "Array":
    """Choose the ratios up to the first one that is larger than all there are."""
    largest = float(table["threshold"].max())
    return np.array(
        [x for x, last in zip(_RATIOS, (0.0, *_RATIOS), strict=False) if last < largest]
    )
