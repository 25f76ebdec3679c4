"""What a report says about a Bayesian test of each pair beyond its verdicts."""

from typing import TYPE_CHECKING

from benchinfer.compare.bayes_pairs_comparison import NAMES, BayesPairsComparison
from benchinfer.reports.numbers import fixed
from benchinfer.reports.pictures import picture
from benchinfer.reports.records import Cell, Column, Section, Table
from benchinfer.reports.tables import rows_of

if TYPE_CHECKING:
    from benchinfer.compare.comparison import Comparison


def beyond(comparison: "Comparison") -> tuple[Section, ...]:
    """Return the section that follows the verdicts of a comparison.

    Parameters
    ----------
    comparison
        Any comparison; only tests of the literature have such a section.
    """
    if not isinstance(comparison, BayesPairsComparison):
        return ()
    where = comparison.next_words
    return (
        Section(
            title="What is probable, and which outcome is ahead",
            lead=f"Each pair has {NAMES[comparison.preset]} of its own.",
            text=(_text(comparison),),
            pictures=(
                picture(
                    comparison,
                    "simplex",
                    f"The three outcomes of each pair: filled on the {where}, hollow as the most"
                    " probable outcome.",
                ),
            ),
            tables=(dominance(comparison),),
        ),
    )


def _text(result: BayesPairsComparison) -> str:
    where = result.next_words
    return (
        f"Probabilities in the table of contrasts are of the {where}, unless verdicts are about"
        " another quantity. The table below has what the papers print: the posterior probability"
        " that each of the three outcomes is the most probable one. It goes to 0 or 1 with more"
        " data sets even where the outcome itself stays uncertain: an outcome can be ahead almost"
        f" surely, and happen on the {where} no more than every second time."
    )


def dominance(result: BayesPairsComparison) -> Table:
    """Return the probability of each outcome to be the most probable one.

    Parameters
    ----------
    result
        The comparison.
    """
    names = ("dominant_first", "dominant_equivalent", "dominant_second")
    rows = rows_of(result.dominance(), "first", "second", *names, "n_datasets")
    return Table(
        caption="Which outcome is the most probable one",
        columns=(
            Column("first", "first"),
            Column("second", "second"),
            Column("dominant_first", "first better", numeric=True),
            Column("dominant_equivalent", "equivalent", numeric=True),
            Column("dominant_second", "second better", numeric=True),
            Column("n_datasets", "data sets", numeric=True),
        ),
        rows=tuple(
            (
                Cell(first, "name"),
                Cell(second, "name"),
                *(Cell(fixed(share, 3)) for share in shares),
                Cell(str(n)),
            )
            for first, second, *shares, n in rows
        ),
        note="Data sets that lack scores of one of the pair are left out for it; they do not count"
        " as equality.",
    )
