"""Report sections of permutation tests."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.permutation.comparison import PermutationComparison
from benchinfer.comparison import sections as comparison_sections
from benchinfer.core import sections as core_sections
from benchinfer.core.numbers import count, fixed, join, p_value, significant, within
from benchinfer.core.sections import Cell, Column, Figure, Fold, Section, Table
from benchinfer.core.verdict import Verdict
from benchinfer.plots.style import words
from benchinfer.relations.sections import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.scores.table import ScoreTable


def tests(frame: "pd.DataFrame") -> Table:
    """One row per test of all algorithms together."""
    names = ("test", "p_value", "p_error", "null", "statistic", "df", "df_residual")
    return Table(
        caption="Tests of all algorithms together",
        columns=(
            Column("test", "test"),
            # Not adjusted, so the glossary's definition of p_value does not apply.
            Column("", "p", numeric=True),
            Column("p_error", "error of p", numeric=True),
            Column("null", "null distribution"),
            Column("statistic", "statistic", numeric=True),
            Column("df", "df", numeric=True),
            Column("df_residual", "residual df", numeric=True),
        ),
        rows=tuple(
            (
                Cell(test),
                Cell(p_value(p)),
                error(wrong),
                Cell(null),
                Cell(fixed(statistic, 2)),
                Cell(fixed(df, 0)),
                Cell(fixed(rest, 0)),
            )
            for test, p, wrong, null, statistic, df, rest in rows_of(frame, *names)
        ),
        note="Each p-value is that of its test alone. Error of p: standard error by random"
        " arrangements, 0 where there is none.",
    )


def post_hoc(frame: "pd.DataFrame", *, decides: bool) -> Table:
    """One row per pair, one column of p-values per test."""
    tests = list(dict.fromkeys(frame["test"]))
    found: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    for test, first, second, p, wrong in rows_of(
        frame, "test", "first", "second", "p_value", "p_error"
    ):
        found.setdefault((first, second), {})[test] = p, wrong
    rows = [
        (
            *(Cell(name, "name") for name in pair),
            *(Cell(p_value(own[test][0])) for test in tests),
            error(max(wrong for _, wrong in own.values())),
        )
        for pair, own in found.items()
    ]
    return Table(
        caption="P-values of pairs from scores that all algorithms share",
        columns=(
            Column("first", "first"),
            Column("second", "second"),
            *(Column("", f"p ({test})", numeric=True) for test in tests),
            Column("p_error", "error of p, at most", numeric=True),
        ),
        rows=tuple(rows),
        note="They control errors over pairs only if all algorithms are alike: a third one has"
        " a say in whether two differ." + ("" if decides else " No verdict rests on them."),
    )


def error(value: float) -> Cell:
    """Write the error of a p-value: two digits, 0 where there is none."""
    return Cell(significant(value, 2) if value else "0")


_NAMED = 6  # of more pairs the number says enough
_NULLS = {
    "exact": "all {n} arrangements, counted one by one",
    "monte-carlo": "{n} random arrangements",
    "asymptotic": "the limit of many blocks",
}
_RANKS = "Mean ranks within blocks, which say how often an algorithm is ahead and not by how much."
_NULL = "What the statistic would be if all algorithms were alike, and what it is."


def sections(
    comparison: PermutationComparison, before: "Sequence[Comparison]", _: "ScoreTable | None"
) -> tuple[Section, ...]:
    """Return the sections about a comparison."""
    ranks = _ranks(comparison)
    if before:
        return _beside(comparison, before[0], ranks), together(comparison)
    shown = comparison_sections.verdict(comparison, main=True)
    return replace(shown, figures=(*shown.figures, *ranks)), together(comparison)


def _ranks(comparison: PermutationComparison) -> tuple[Figure, ...]:
    ranked = (comparison.pairs >= 0).all(axis=1).any()  # averages of algorithms have no ranks
    if not ranked or (comparison.on == "dispersion" and comparison.target == "datasets"):
        return ()
    return (Figure(comparison, "critical-difference", _RANKS),)


def _beside(
    comparison: PermutationComparison, other: "Comparison", ranks: tuple[Figure, ...]
) -> Section:
    """Return the verdicts with what is known already folded away."""
    whole = comparison_sections.verdict(comparison, main=False)
    attention = [row for row in comparison.checks if not row.ok]
    said = f"; {count(len(attention), 'diagnostic')} ask{'s' * (len(attention) == 1)} for attention"
    return replace(
        whole,
        text=(_reading(comparison), agreement(comparison, other), *whole.text),
        figures=ranks,
        fold=Fold(
            f"Tables of this comparison{said * bool(attention)}",
            (),
            (
                comparison_sections.contrasts(comparison),
                comparison_sections.summary(comparison),
                core_sections.checks_table(comparison.checks),
            ),
        ),
    )


def _reading(comparison: PermutationComparison) -> str:
    return (
        "A second look that assumes no normal distribution: if two algorithms are alike, their"
        f" scores on a {comparison.unit} could as well be exchanged. The p-values are shares of"
        " such exchanges that look as different as the scores at hand."
    )


def agreement(comparison: "Comparison", other: "Comparison") -> str:
    """Say on how many pairs two comparisons agree, and name the others."""
    ours, theirs = comparison.relation(), other.relation()
    if ours.algorithms != theirs.algorithms:
        return ""
    names, title = ours.algorithms, within(other.heading)
    i, j = np.triu_indices(len(names), 1)
    one, two = ours.states[i, j], theirs.states[i, j]
    known = (one != Verdict.MISSING) & (two != Verdict.MISSING)
    n, differ = int(known.sum()), np.flatnonzero(known & (one != two))
    if not n:
        return ""
    if not len(differ):
        return f"They agree with the {title} on {'the pair' if n == 1 else f'all {n} pairs'}."
    start = f"They agree with the {title} on {n - len(differ)} of {count(n, 'pair')}"
    opposed = sum((Verdict(one[m]), Verdict(two[m])) in _OPPOSED for m in differ)
    turned = f"{opposed or 'none'} of the others {'is' if opposed < 2 else 'are'} decided the other"
    turned += " way round"
    if len(differ) > _NAMED:
        return f"{start}; {turned}."
    said = [
        f"{names[i[m]]} and {names[j[m]]} (here {_say(one[m], names[i[m]], names[j[m]])}, there"
        f" {_say(two[m], names[i[m]], names[j[m]])})"
        for m in differ
    ]
    return f"{start}; {turned}. They differ on {join(said)}."


def _say(code: int, first: str, second: str) -> str:
    return words(Verdict(code), first, second).replace("undecided", "not told apart")


_OPPOSED = {(Verdict.FIRST, Verdict.SECOND), (Verdict.SECOND, Verdict.FIRST)}


def together(comparison: PermutationComparison) -> Section:
    """Say what the global tests find, with the pooled tests of pairs folded."""
    test, pooled = comparison.rows[0], comparison.pooled
    alpha, k = comparison.alpha, len(comparison.algorithms)
    verdict = "is rejected" if test.p_value <= alpha else "is not rejected"
    blocks = count(comparison.ranks.n_blocks, comparison.unit)
    text = (
        f"The hypothesis that the labels of the {k} algorithms can be exchanged within each of"
        f" {blocks} {verdict} at {100 * alpha:.3g} % (p {p_value(test.p_value)}, {test.test},"
        f" {_NULLS[test.null].format(n=f'{pooled.n:,.0f}')}). The other tests of the table ask the"
        " same of other scores. None of them decides a pair."
    )
    pairs = post_hoc(comparison.post_hoc(), decides=not comparison.pairwise)
    return Section(
        title="Permutation tests of all algorithms together",
        text=(text,),
        figures=(Figure(comparison, "null", _NULL),),
        tables=(tests(comparison.tests()),),
        fold=Fold("Pairs tested with the scores of all algorithms", (), (pairs,))
        if pairs.rows
        else None,
    )


SECTIONS = {PermutationComparison: sections}
