"""Report sections of win comparisons."""

from typing import TYPE_CHECKING

from benchinfer.analyses.wins import comparison as wins_comparison
from benchinfer.analyses.wins.comparison import WinsComparison
from benchinfer.comparison import sections as comparison_sections
from benchinfer.core.numbers import fixed, percent
from benchinfer.core.sections import Cell, Column, Figure, Fold, Section, Table
from benchinfer.relations.sections import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.scores.table import ScoreTable


_MEANS = "A preference by wins can be the opposite of one by mean scores."


def sections(
    comparison: WinsComparison, before: "Sequence[Comparison]", _: "ScoreTable | None"
) -> tuple[Section, ...]:
    """Return the sections about a comparison: verdicts, and what follows from them."""
    return (comparison_sections.leading(comparison, before), *_beyond(comparison))


def _beyond(comparison: WinsComparison) -> tuple[Section, ...]:
    return (
        Section(
            title="Who wins how often",
            lead=best(comparison),
            text=(
                f"{wins_comparison.counting(comparison)}.",
                f"{wins_comparison.SIZES}. {_MEANS}",
            ),
            figures=(
                Figure(comparison, "wins", "Share of the contests that the row's algorithm wins."),
                Figure(comparison, "worths", "Log worths, with intervals that compare any two."),
            ),
            tables=(worths(comparison),),
            fold=Fold("Wins of each pair, and what the model expects", (), (pairs(comparison),)),
        ),
    )


def best(result: WinsComparison) -> str:
    """Say in a sentence which algorithm has the largest worth."""
    top = int(result.log_worth.argmax())
    row = result.summary().iloc[top]
    against = percent(float(row["estimate"]))
    said = (
        f"{row['algorithm']} has the largest worth: it wins {row['wins']:g} of its"
        f" {row['wins'] + row['ties'] + row['losses']:g} contests, and {against} of those that"
        " are decided against an algorithm of average worth, under the model"
    )
    if result.bayes is None:
        return f"{said}."
    return f"{said}; it is the best one with probability {percent(float(row['prob_best']))}."


def worths(result: WinsComparison) -> Table:
    """Return the contests and worth of each algorithm, the best first."""
    frame = result.summary().sort_values("rank", kind="stable")
    heads = {
        "wins": ("wins", 0),
        "ties": ("ties", 0),
        "losses": ("losses", 0),
        "worth": ("worth", 3),
        "log_worth": ("log worth", 2),
        "quasi_error": ("quasi-standard error", 2),
        "prob_best": ("P(best)", 3),
    }
    heads = {name: told for name, told in heads.items() if name in frame}
    return Table(
        caption="Contests and worths",
        columns=(
            Column("algorithm", "algorithm"),
            *(Column(name, told, numeric=True) for name, (told, _) in heads.items()),
        ),
        rows=tuple(
            (
                Cell(algorithm, "name"),
                *(
                    Cell(fixed(value, places))
                    for value, (_, places) in zip(values, heads.values(), strict=True)
                ),
            )
            for algorithm, *values in rows_of(frame, "algorithm", *heads)
        ),
        note="Worths are shares that sum to 1; the odds that one wins against another are the ratio"
        " of their worths.",
    )


def pairs(result: WinsComparison) -> Table:
    """Return the wins of each pair next to those that the model expects."""
    frame = result.predicted()
    columns = ("first", "second", "wins", "expected_wins", "wins_low", "wins_high", "inside")
    share = percent(float(frame["inside"].mean()))
    return Table(
        caption="Wins of the first, observed and expected",
        columns=(
            Column("first", "first"),
            Column("second", "second"),
            Column("wins", "wins", numeric=True),
            Column("expected_wins", "expected", numeric=True),
            Column("wins_low", "from", numeric=True),
            Column("wins_high", "to", numeric=True),
            Column("inside", "within"),
        ),
        rows=tuple(
            (
                Cell(first, "name"),
                Cell(second, "name"),
                Cell(f"{wins:g}"),
                Cell(fixed(expected, 1)),
                Cell(f"{low:g}"),
                Cell(f"{high:g}"),
                Cell("" if inside else "outside"),
            )
            for first, second, wins, expected, low, high, inside in rows_of(frame, *columns)
        ),
        note=f"From, to: 90 % of new contests; {share} of the pairs lie within.",
    )


SECTIONS = {WinsComparison: sections}
