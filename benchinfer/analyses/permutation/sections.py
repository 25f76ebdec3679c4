"""Sections of permutation tests."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.permutation.comparison import PermutationComparison, by_kind
from benchinfer.comparison.adjustment import needs
from benchinfer.comparison.sections import columns_of_tests, contrasts, verdict
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count, join, p_clause, p_value, within
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
from benchinfer.core.verdict import Verdict, words

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.comparison.comparison import Comparison


# What would make the table wider than a terminal; the family is named with the contrasts.
_LARGEST = re.compile(r"^largest of .*, ")


def tests(frame: pd.DataFrame, drawn: str) -> Table:
    """One row per test of all algorithms together."""
    return Table(
        name="tests",
        caption="Tests of all algorithms together",
        frame=frame,
        columns=(
            Column(
                "test",
                "test",
                lambda test: _LARGEST.sub("largest contrast of ", test).replace(
                    "normal scores of aligned ranks", "normal scores"
                ),
            ),
            Column("null", "null"),
            *columns_of_tests(),
            number("p_error", "error of p", error, brief=False),
        ),
        note=f"Each p-value is that of its test alone.{_errors(frame, drawn)}",
    )


def _errors(frame: pd.DataFrame, drawn: str) -> str:
    largest = float(frame["p_error"].max()) if len(frame) else 0.0
    if not largest:
        return ""
    return f" Monte Carlo errors of these p-values: at most {error(largest)} ({drawn})."


def post_hoc(
    comparison: PermutationComparison, frame: pd.DataFrame, drawn: str, *, decides: bool
) -> Table:
    """One row per pair, one column of p-values per test."""
    tests = list(dict.fromkeys(frame["test"]))
    wide = frame[["first", "second"]].drop_duplicates()
    wide = wide.assign(**{t: frame["p_value"][frame["test"] == t].to_numpy() for t in tests})
    return Table(
        name="post_hoc",
        caption="P-values of pairs from scores that all algorithms share",
        frame=comparison.pairs.in_order(wide, undirected=tests),
        data=frame,
        columns=(
            *names("first", "second"),
            *(number(test, test, p_value, defined=False) for test in tests),
        ),
        note="They control errors over pairs only if all algorithms are alike: a third one has"
        " a say in whether two differ."
        + ("" if decides else " No verdict rests on them.")
        + _errors(frame, drawn),
    )


def error(value: float) -> str:
    """Write the error of a p-value: one digit, 0 where there is none."""
    return f"{value:.1g}"


_OPPOSED = {(Verdict.FIRST, Verdict.SECOND), (Verdict.SECOND, Verdict.FIRST)}
_VARIANCE = "two-way analysis of variance"
_NAMED = 6  # of more pairs the number says enough
_NULLS = {
    "exact": "all {n}arrangements, counted",
    "monte-carlo": "{n}random arrangements",
    "asymptotic": "the limit of many blocks",
}
_RANKS = "Mean ranks within blocks, which say how often an algorithm is ahead and not by how much."
_NULL = "What the statistic would be if all algorithms were alike, and what it is."


_SHARED = {
    "exact": "exact, from all equally likely arrangements",
    "monte-carlo": "Monte Carlo, from {:,.0f} random arrangements",
    "asymptotic": "asymptotic, from the normal limit",
}


def sections(comparison: PermutationComparison, request: Request) -> tuple[Section, ...]:
    """Return the verdicts, and the tests of all algorithms together."""
    ranks: tuple[Figure, ...] = ()
    ranked = comparison.pairs.real.any()  # averages of algorithms have no ranks
    if ranked and not (comparison.on == "dispersion" and comparison.target == "datasets"):
        ranks = (Figure(comparison, "critical-difference", _RANKS),)
    rows = contrasts(comparison, nulls(comparison))
    after = global_tests(comparison, request)
    if request.before:
        return _second_look(comparison, request, rows, ranks), after
    shown = verdict(comparison, request, rows=rows)
    return replace(shown, figures=(*shown.figures, *ranks)), after


def nulls(comparison: PermutationComparison) -> str:
    """Return a sentence on the null distributions of the p-values."""
    resamples = comparison.options.resamples
    n = resamples if comparison.pairwise else comparison.pooled.n
    kinds = by_kind(comparison.kinds, {kind: _SHARED[kind].format(n) for kind in _SHARED})
    seed = comparison.provenance.seed
    drawn = f"; seed {seed}" if "monte-carlo" in comparison.kinds else ""
    early = not comparison.pairwise and comparison.pooled.stopped
    stopped = ", after which all decisions were certain" if early else ""
    several = comparison.pairwise and len(comparison.pairs) > 1
    if several and needs(comparison.adjusted, "flips"):
        some_drawn = (comparison.contrasts(all=True)["p_error"] > 0).any()
        flips = f"random sign flips; seed {seed}" if some_drawn else "all sign flips of the blocks"
        return (
            f"The p-value of each pair alone is {kinds}; those of several pairs"
            f" together are from {flips}."
        )
    return f"P-values are {kinds}{stopped}{drawn}."


def page(comparison: PermutationComparison, trend: tuple[str, ...]) -> str:
    """Report Page's test of an order."""
    row = comparison.tests(trend).iloc[-1]
    p = p_clause(float(row["p_value"]))
    null = {"exact": " (exact)", "monte-carlo": " (random arrangements)"}.get(row["null"], "")
    order = " > ".join(trend)
    return f"Page's test of the trend {order}: z = {row['statistic']:.4g}, {p}{null}."


def _second_look(
    comparison: PermutationComparison, request: Request, rows: Table, ranks: tuple[Figure, ...]
) -> Section:
    """Return the section of verdicts for a report that begins with another analysis."""
    shown = verdict(comparison, request, main=False, rows=rows)
    attention = [row for row in comparison._checks if not row.ok]
    said = f"; {count(len(attention), 'diagnostic')} ask{'s' * (len(attention) == 1)} for attention"
    tables = shown.fold.tables if shown.fold else ()
    reading = (
        "A second look that assumes no normal distribution: if two algorithms are alike, their"
        f" scores on a {comparison.unit} could as well be exchanged. The p-values are shares of"
        " such exchanges that look as different as the scores at hand."
    )
    return replace(
        shown,
        text=(reading, agreement(comparison, request.before[0]), *shown.text),
        figures=ranks,
        fold=Fold(f"Tables of this comparison{said * bool(attention)}", (), tables),
    )


def agreement(comparison: Comparison, other: Comparison) -> str:
    """Return sentences on the pairs whose verdicts agree in two comparisons, and on the others."""
    ours, theirs = comparison.relation(), other.relation()
    if ours.algorithms != theirs.algorithms:
        return ""
    names, title = ours.algorithms, within(other._heading)
    i, j = np.triu_indices(len(names), 1)
    one, two = ours.states[i, j], theirs.states[i, j]
    known = (one != Verdict.MISSING) & (two != Verdict.MISSING)
    n, differ = int(known.sum()), np.flatnonzero(known & (one != two))
    if not n:
        return ""
    if not len(differ):
        return f"They agree with the {title} on {'the pair' if n == 1 else f'all {n:,} pairs'}."
    start = f"They agree with the {title} on {n - len(differ):,} of {n:,} pairs"
    start = f"They do not agree with the {title} on the pair" if n == 1 else start
    opposed = sum((Verdict(one[m]), Verdict(two[m])) in _OPPOSED for m in differ)
    turned = f"{opposed or 'none'} of the others {'is' if opposed < 2 else 'are'} decided the other"
    turned += " way round"
    if len(differ) > _NAMED:
        return f"{start}; {turned}."
    said = [
        f"{names[i[m]]} and {names[j[m]]}"
        f" (here {words(Verdict(one[m]), names[i[m]], names[j[m]])},"
        f" there {words(Verdict(two[m]), names[i[m]], names[j[m]])})"
        for m in differ
    ]
    return f"{start}; {turned}. They differ on {join(said)}."


def _many(n: float) -> str:
    """Return a number of arrangements, nothing where they are too many to be a number."""
    return f"{n:,.0f} " if np.isfinite(n) else ""


def global_tests(comparison: PermutationComparison, request: Request) -> Section:
    """Report the global tests, with the pooled tests of pairs folded."""
    test, pooled = comparison.rows[0], comparison.pooled
    alpha, k = comparison._alpha, len(comparison.algorithms)
    rejection = "is rejected" if test.p_value <= alpha else "is not rejected"
    blocks = count(comparison.ranks.n_blocks, comparison.unit)
    rejection = (
        f"The hypothesis that the labels of the {k} algorithms can be exchanged within each of"
        f" {blocks} {rejection} at {100 * alpha:.3g} % ({p_clause(test.p_value)}, {test.test},"
        f" {_NULLS[test.null].format(n=_many(pooled.n))})."
    )
    if request.details:
        rejection += " The other tests of the table ask the same of other scores."
        if any(hasattr(one, "anova") for one in request.before):
            rejection += " Those of the mixed model are other tests, of equal means."
    table, trend = comparison.tests(), comparison.options.trend
    decides = "None of them decides a pair." if request.details else "It decides no pair."
    text = [f"{rejection} {decides}"]
    if trend is not None:
        text.append(page(comparison, trend))
    values: dict[str, object] = {"tests": table}
    fold, tables, warnings = None, (), ()
    if request.details:
        n = pooled.n if np.isfinite(pooled.n) else comparison.options.resamples
        drawn = f"{_many(n)}random arrangements, seed {comparison.provenance.seed}"
        # That of variance is an earlier model's own.
        shown_before = any(hasattr(one, "anova") for one in request.before)
        tables = (tests(table[table["test"] != _VARIANCE] if shown_before else table, drawn),)
        pairs = comparison.post_hoc()
        if not pairs.empty:
            decides_pairs = not comparison.pairwise
            listed = post_hoc(comparison, pairs, drawn, decides=decides_pairs)
            fold = Fold("Pairs tested with the scores of all algorithms", (), (listed,))
        values["post_hoc"] = pairs
        kinds = ("nemenyi", "bonferroni-dunn") if comparison.ranks.complete else ()
        values["critical_difference"] = {
            kind: comparison.critical_difference(kind) for kind in kinds
        }
        try:
            nemenyi, dunn = map(comparison.critical_difference, ("nemenyi", "bonferroni-dunn"))
            text.append(
                f"Critical differences of mean ranks: {nemenyi:.3f} for all pairs (Nemenyi),"
                f" {dunn:.3f} with a control (Bonferroni-Dunn)."
            )
        except DesignError as error:
            warnings = (str(error),)
    return Section(
        title="Permutation tests of all algorithms together",
        text=tuple(text),
        warnings=warnings,
        figures=(Figure(comparison, "null", _NULL),),
        tables=tables,
        fold=fold,
        values=values,
    )


SECTIONS = {PermutationComparison: sections}
KEYS = {
    "tests": (Rows, "tests of all algorithms together"),
    "post_hoc": (Rows, "tests of pairs on scores that all algorithms share"),
    "critical_difference": (dict[str, float], "critical differences of mean ranks"),
}
