"""Sections of tests of two algorithms."""

from benchinfer.analyses.pair.comparison import PairComparison
from benchinfer.comparison.sections import columns_of_tests, leading
from benchinfer.core.numbers import brief, join, p_value, significant
from benchinfer.core.sections import (
    Column,
    Figure,
    Fold,
    Request,
    Rows,
    Section,
    Table,
    names,
    number,
)

_DIFFERENCES = (
    "Points near the line: differences are as good as normal. Ends that bend away say that large"
    " differences are more (or less) frequent than that."
)
_LOOKS = (
    "Whether differences look normal is shown so that odd scores are seen. It should not choose the"
    " test: with few differences it finds little, with many it finds what does not matter for a"
    " mean."
)


def sections(comparison: PairComparison, request: Request) -> tuple[Section, ...]:
    """Return the verdict, and which test decides."""
    return leading(comparison, request), chosen(comparison, request)


def chosen(result: PairComparison, request: Request) -> Section:
    """Return the section on the test that decides, the reason for it, and other tests."""
    tables, figures, fold = (), (), None
    auto = result.options.test == "auto"
    why = f"It was chosen because {result.reason}." if auto else "It was asked for by name."
    name = f"{result.test_name}"
    said = f"The verdicts are those of the {name}: {result.formula}. {why}"
    if any(len(look.observed) for look in result.looks):  # shared replications, and a spread
        figures = (Figure(result, "quantiles", _DIFFERENCES),)
    if request.details and any(len(look.tests) for look in result.looks):
        tables = (normality(result),)
    if request.details and result.others:
        fold = Fold("What other tests give on the same scores", (), (tests(result),))
    return Section(
        title="The test of two algorithms",
        text=(said, _LOOKS) if request.details and result.looks else (said,),
        figures=figures,
        tables=tables,
        fold=fold,
        values={"test": {"name": result.test, "reason": result.reason}},
    )


def normality(result: PairComparison) -> Table:
    """One row for each pair and test of normality."""
    data = result.normality()
    return Table(
        name="normality",
        caption="Are differences normal?",
        frame=result.pairs.in_order(data, undirected=["statistic"]),
        data=data,
        columns=(
            *names("first", "second"),
            Column("test", "test"),
            number("statistic", "statistic", lambda value: significant(value, 4)),
            # Not adjusted, so the glossary's definition of p_value does not apply.
            number("p_value", "p", p_value, defined=False),
        ),
    )


def tests(result: PairComparison) -> Table:
    """One row for each test that does not decide."""
    frame = result.tests()
    misfits = [
        f" Not made for these scores: {join(list(dict.fromkeys(group['test'])))}, as {why}."
        for why, group in frame[~frame["fits"]].groupby("misfit", sort=False)
    ]
    statistic, _, p = columns_of_tests()
    return Table(
        name="tests",
        caption="Other tests on the same scores",
        frame=result.pairs.in_order(frame, undirected=()),  # all are t statistics
        data=frame,
        columns=(
            *names("first", "second"),
            Column("test", "test"),
            statistic,
            number("df", "df", lambda df: brief(round(df, 1)) if df < float("inf") else ""),
            p,
            Column("fits", "fits", lambda fits: "yes" if fits else ""),
        ),
        note="None of them decides; p-values are not adjusted. Choosing among tests by their"
        f" p-values makes every one of them wrong.{''.join(misfits)}",
    )


SECTIONS = {PairComparison: sections}
KEYS = {
    "test": (dict[str, str], "name of the test that decides, and the reason for it"),
    "tests": (Rows, "tests of pairs that do not decide"),
    "normality": (Rows, "tests of normality of the differences of each pair"),
}
