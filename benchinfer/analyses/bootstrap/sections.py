"""Sections of bootstrapped comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
from benchinfer.comparison.sections import contrasts, leading
from benchinfer.core import numbers
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import interval, level_percent, p_value, places, sentence
from benchinfer.core.sections import Figure, Fold, Request, Rows, Section, Table, names, number

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.numerics.types import Array


_PAIRS = 45  # of more pairs the figure and the table are folded
# Where the shares of all algorithms together are near these, a profile is worth a column.
_SHARES = (0.9, 0.75, 0.5, 0.25, 0.1)
_RATIOS = (1.0, 1.1, 1.25, 1.5, 2.0, 5.0, 10.0)


def sections(comparison: BootstrapComparison, request: Request) -> tuple[Section, ...]:
    """Return the verdict, and with details how scores are distributed."""
    basis = sentence(f"by the {comparison.formula}; seed {comparison.provenance.seed}.")
    rows = contrasts(comparison, basis)
    first = leading(comparison, request, rows)
    if not request.details:
        return (first,)
    return first, aggregates(comparison), profiles(comparison), improvement(comparison)


def aggregates(result: BootstrapComparison) -> Section:
    """Show the aggregate of each algorithm."""
    text = (
        f"Each algorithm has one number, the {result.statistic} of"
        f" {result.measure.title}, with the interval that the resamples give it. Verdicts rest on"
        " the differences of these numbers in the same resamples, not on whether intervals overlap."
    )
    return Section(
        title="Aggregates",
        text=(text,),
        figures=(Figure(result, "aggregates", "Algorithms from the best aggregate on."),),
    )


def profiles(result: BootstrapComparison) -> Section:
    """Show how scores are distributed, and ratios to the best where they have a meaning."""
    what = (
        "An aggregate is one number for a whole distribution. A profile shows all of it: the share"
        " of scores that are better than a threshold, each data set with the same weight. Where one"
        " curve lies above another throughout, no threshold can turn their order; where they cross,"
        " it depends on the threshold."
    )
    scores = result.profile("scores")
    text = [what]
    figures = [Figure(result, "profile", "Share of scores better than each threshold.")]
    side = "above" if result.setting.measure.better == "higher" else "below"
    title = f"Share of scores that are {side} a threshold, on {scores['measure'][0]}"
    # Thresholds at which scores of all algorithms together spread out.
    mean = scores.groupby("threshold")["proportion"].mean()
    near = [int(np.abs(mean.to_numpy() - share).argmin()) for share in _SHARES]
    tables = [_curves(result, scores, np.unique(mean.index.to_numpy()[near]), title)]
    warnings: tuple[str, ...] = ()
    ratios = None
    try:
        ratios = result.profile("ratios")
    except DesignError as error:
        warnings = (str(error),)
    else:
        text.append(
            "Ratios are those of an algorithm's mean to the best mean on the same data set. At 1"
            " the curve is the share of data sets on which the algorithm is best."
        )
        figures.append(
            Figure(result, "ratios", "Share of data sets within a ratio of the best algorithm.")
        )
        title = "Share of data sets on which an algorithm is within a ratio of the best one"
        # Up to the first ratio that is larger than all there are.
        largest = float(ratios["threshold"].max())
        shown = [x for x, last in zip(_RATIOS, (0.0, *_RATIOS), strict=False) if last < largest]
        tables.append(_curves(result, ratios, np.array(shown), title))
    text.append(
        f"Bands hold the whole curve of one algorithm with {100 * result.level:g} % confidence;"
        " they are no test of two algorithms."
    )
    return Section(
        title="Performance profiles",
        text=tuple(text),
        warnings=warnings,
        figures=tuple(figures),
        fold=Fold("Tables of the profiles", (), tuple(tables)),
        values={"profile": {"scores": scores, "ratios": ratios}},
    )


def _curves(
    result: BootstrapComparison, table: pd.DataFrame, thresholds: Array, title: str
) -> Table:
    """Return a table of profiles: a row per algorithm, best first, and a column per threshold."""
    wide = table.pivot_table("proportion", "algorithm", "threshold", sort=True)
    best = list(result.ranking())
    # A profile is constant between its thresholds: the last one that is not larger counts.
    at = np.searchsorted(wide.columns.to_numpy(), thresholds, side="right") - 1
    shown = wide.loc[best].iloc[:, at].set_axis([str(n) for n in range(len(at))], axis=1)
    write = places(numbers.decimals(np.diff(thresholds).tolist()) if len(at) > 1 else 3)
    return Table(
        name="",
        caption=title,
        frame=shown.rename_axis("algorithm").reset_index(),
        columns=(
            *names("algorithm"),
            *(number(str(n), write(float(x)), places(2)) for n, x in enumerate(thresholds)),
        ),
    )


def improvement(result: BootstrapComparison) -> Section:
    """Report the probabilities of improvement of all pairs."""
    pairs, measure = table(result), result.setting.measure
    p = result.probability_of_improvement()["p_value"]
    n, of = int((p <= result._alpha).sum()), len(p)
    apart = f"{n:,} of {of:,} pairs {'is' if n == 1 else 'are'}"
    if of == 1:
        apart = "The pair is" if n else "The pair is not"
    said = (
        "How often a run of one algorithm is better than a run of another on the same data set"
        f" ({measure.title}, {measure.better} is better), equal scores counted half. {apart}"
        " shown to differ from probability 1/2."
    )
    reading = (
        "This is about how often, not by how much, and decides no verdict: a small difference can"
        " come in nearly every run, and an algorithm that is mostly better can be worse by its"
        " aggregate."
    )
    shown = Figure(result, "improvement", "Probability that the first is better, all pairs.")
    # Of intervals from 0 to 1 there is nothing to see.
    figures = (shown,) if result._unbounded <= of / 2 else ()
    if of > _PAIRS:
        title = f"{'Figure and table' if figures else 'Table'} of the {of:,} pairs"
        fold = Fold(title, figures, (pairs,))
        return Section(title="Probability of improvement", text=(said, reading), fold=fold)
    return Section(
        title="Probability of improvement", text=(said, reading), figures=figures, tables=(pairs,)
    )


def table(result: BootstrapComparison) -> Table:
    """One row per pair, in the order of the figure."""
    data = result.probability_of_improvement()
    return Table(
        name="probability_of_improvement",
        caption="Probability that a score of first is better than one of second, on"
        f" {result.setting.measure.title}",
        frame=result.pairs.in_order(data),
        data=data,
        columns=(
            *names("first", "second"),
            number("prob_improvement", "probability", places(3)),
            number(
                "conf_low",
                f"{level_percent(result.level)} interval",
                lambda low, high: interval(low, high, places(3)),
                also=("conf_high",),
            ),
            number("p_value", "p (1/2)", p_value),
        ),
    )


SECTIONS = {BootstrapComparison: sections}
KEYS = {
    "probability_of_improvement": (Rows, "how often a score of first is better than one of second"),
    "profile": (dict[str, Rows | None], "performance profiles of scores and of ratios to the best"),
}
