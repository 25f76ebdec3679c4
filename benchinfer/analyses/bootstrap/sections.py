"""Report sections of bootstrapped comparisons."""

from typing import TYPE_CHECKING

from benchinfer.analyses.bootstrap.comparison import BootstrapComparison
from benchinfer.comparison import sections as comparison_sections
from benchinfer.comparison.figures.forest import order
from benchinfer.core.numbers import count, fixed, p_value
from benchinfer.core.sections import Cell, Column, Figure, Fold, Section, Table
from benchinfer.numerics.max_t import pairs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.scores.table import ScoreTable


_PAIRS = 45  # of more pairs the figure and the table are folded


def sections(
    comparison: BootstrapComparison, before: "Sequence[Comparison]", _: "ScoreTable | None"
) -> tuple[Section, ...]:
    """Return the sections about a comparison: verdicts, and what follows from them."""
    return (comparison_sections.leading(comparison, before), *_beyond(comparison))


def _beyond(comparison: BootstrapComparison) -> tuple[Section, ...]:
    return aggregates(comparison), profiles(comparison), improvement(comparison)


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
    text = [what]
    figures = [Figure(result, "profile", "Share of scores better than each threshold.")]
    if result.ratios_profile is None:
        text.append("There is no profile of ratios to the best: some scores are not above 0.")
    else:
        text.append(
            "Ratios are those of an algorithm's mean to the best mean on the same data set. At 1"
            " the curve is the share of data sets on which the algorithm is best."
        )
        figures.append(
            Figure(result, "ratios", "Share of data sets within a ratio of the best algorithm.")
        )
    text.append(
        f"Bands hold the whole curve of one algorithm with {100 * result.level:g} % confidence;"
        " they are no test of two algorithms."
    )
    return Section(title="Performance profiles", text=tuple(text), figures=tuple(figures))


def improvement(result: BootstrapComparison) -> Section:
    """Report the probabilities of improvement of all pairs."""
    found, measure = table(result), result.setting.measure
    p = result.probability_of_improvement()["p_value"]
    n, of = int((p <= result.alpha).sum()), len(p)
    said = (
        "How often a run of one algorithm is better than a run of another on the same data set"
        f" ({measure.title}, {measure.better} is better), equal scores counted half. {n} of"
        f" {count(of, 'pair')} {'is' if 1 in (n, of) else 'are'} told from probability 1/2."
    )
    reading = (
        "This is about how often, not by how much, and decides no verdict: a small difference can"
        " come in nearly every run, and an algorithm that is mostly better can be worse by its"
        " aggregate."
    )
    shown = Figure(result, "improvement", "Probability that the first is better, all pairs.")
    if of > _PAIRS:
        fold = Fold(f"Figure and table of the {of} pairs", (shown,), (found,))
        return Section(title="Probability of improvement", text=(said, reading), fold=fold)
    return Section(
        title="Probability of improvement", text=(said, reading), figures=(shown,), tables=(found,)
    )


def table(result: BootstrapComparison) -> Table:
    """One row per pair, in the order of the figure."""
    pairs = pairs_of(len(result.algorithms))
    frame = result.probability_of_improvement().iloc[order(result, pairs)]
    numbers = ("prob_improvement", "conf_low", "conf_high")
    return Table(
        caption=f"Probability of improvement in {result.setting.measure.title}",
        columns=(
            Column("first", "first"),
            Column("second", "second"),
            Column("prob_improvement", "P (first better)", numeric=True),
            Column("conf_low", "from", numeric=True),
            Column("conf_high", "to", numeric=True),
            Column("p_value", "p (1/2)", numeric=True),
        ),
        rows=tuple(
            (
                Cell(row["first"], "name"),
                Cell(row["second"], "name"),
                *(Cell(fixed(row[name], 3)) for name in numbers),
                Cell(p_value(row["p_value"])),
            )
            for _, row in frame.iterrows()
        ),
    )


SECTIONS = {BootstrapComparison: sections}
