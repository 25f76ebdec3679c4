"""Report sections of tests of two algorithms."""

from typing import TYPE_CHECKING

from benchinfer.analyses.pair.comparison import PairComparison
from benchinfer.comparison import sections as comparison_sections
from benchinfer.core.numbers import fixed, p_value
from benchinfer.core.sections import Cell, Column, Figure, Fold, Section, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.scores.table import ScoreTable


_DIFFERENCES = (
    "Points near the line: differences are as good as normal. Ends that bend away say that large"
    " differences are more (or less) frequent than that."
)


def sections(
    comparison: PairComparison, before: "Sequence[Comparison]", _: "ScoreTable | None"
) -> tuple[Section, ...]:
    """Return the sections about a comparison: verdicts, and what follows from them."""
    return (comparison_sections.leading(comparison, before), *_beyond(comparison))


def _beyond(comparison: PairComparison) -> tuple[Section, ...]:
    figures, tables = _figures(comparison), []
    if comparison.looks and any(len(look.tests) for look in comparison.looks):
        tables.append(normality(comparison))
    fold = None
    if comparison.others:
        others = tests(comparison)
        fold = Fold("What other tests give on the same scores", (), (others,))
    return (
        Section(
            title="The test of two algorithms",
            text=_text(comparison),
            figures=figures,
            tables=tuple(tables),
            fold=fold,
        ),
    )


def _text(result: PairComparison) -> tuple[str, ...]:
    asked = result.options.test == "auto"
    why = f"It was chosen because {result.reason}." if asked else "It was asked for by name."
    first = f"The verdicts are those of the {result.test_name}: {result.formula}. {why}"
    if not result.looks:
        return (first,)
    return (
        first,
        (
            "Whether differences look normal is shown so that odd scores are seen. It should not"
            " choose the test: with few differences it finds little, with many it finds what does"
            " not matter for a mean."
        ),
    )


def _figures(result: PairComparison) -> tuple[Figure, ...]:
    if not any(len(look.found) for look in result.looks):
        return ()  # no shared replications, or no spread
    return (Figure(result, "quantiles", _DIFFERENCES),)


def normality(result: PairComparison) -> Table:
    """One row for each pair and test of normality."""
    frame = result.normality()
    return Table(
        caption="Are differences normal?",
        columns=(
            Column("first", "first"),
            Column("second", "second"),
            Column("test", "test"),
            Column("statistic", "statistic", numeric=True),
            # Not adjusted, so the glossary's definition of p_value does not apply.
            Column("", "p", numeric=True),
        ),
        rows=tuple(
            (
                Cell(first, "name"),
                Cell(second, "name"),
                Cell(test),
                Cell(fixed(statistic, 3)),
                Cell(p_value(p)),
            )
            for first, second, test, statistic, p, _ in frame.itertuples(index=False)
        ),
    )


def tests(result: PairComparison) -> Table:
    """One row for each test that does not decide."""
    return Table(
        caption="Other tests on the same scores",
        columns=(
            Column("first", "first"),
            Column("second", "second"),
            Column("test", "test"),
            Column("statistic", "statistic", numeric=True),
            Column("df", "df", numeric=True),
            Column("", "p", numeric=True),
            Column("misfit", "why it is not made for these scores"),
        ),
        rows=tuple(
            (
                Cell(row.first, "name"),
                Cell(row.second, "name"),
                Cell(row.test),
                Cell(fixed(row.statistic, 2)),
                Cell(fixed(row.df, 1)),
                Cell(p_value(row.p_value)),
                Cell(row.why),
            )
            for row in result.others
        ),
        note="None of them decides; p-values are not adjusted. Choosing among tests by their"
        " p-values makes every one of them wrong.",
    )


SECTIONS = {PairComparison: sections}
