"""Answer to the question of a measure: the first screen of its part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.robustness.agreement import VerdictAgreement
from benchinfer.analyses.robustness.sections import agreement_tables
from benchinfer.comparison.checks.tables import solved_runs
from benchinfer.core.numbers import count, several, within
from benchinfer.core.sections import Cell, Column, Figure, Section, Table
from benchinfer.core.verdict import Verdict, words

if TYPE_CHECKING:
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.core.sections import Check

_MOST = 4  # checks that a reader sees first; the diagnostics have all of them
_NAMED = 15  # algorithms with the number of runs that they solved
_CAPTION = "Best first."


def answer(comparisons: Sequence[Comparison], anchors: Mapping[int, str]) -> Section:
    """Return the section that answers a measure: headline, ranking and agreement of the analyses.

    Parameters
    ----------
    comparisons
        Of one measure, the leading one first.
    anchors
        Number of a comparison to the anchor of its section.
    """
    lead = comparisons[0]
    tables, fold, text = list[Table](), None, list[str]()
    if serious := _serious(comparisons, anchors):
        tables.append(serious)
    if len(comparisons) > 1 and not lead.pairs.averages:
        places = [n for n, c in enumerate(comparisons) if not c.pairs.averages]
        agreement = VerdictAgreement.of(comparisons)
        side, fold = agreement_tables(agreement, {a: anchors[n] for a, n in enumerate(places)})
        tables += side
        sentence = agreement.sentence()
        text += [f"{sentence[:1].upper()}{sentence[1:]}"] if sentence else []
    return Section(
        title="Answer",
        lead=lead.headline(),
        text=tuple(text),
        facts=_facts(lead),
        figures=(Figure(lead, "ranking", _CAPTION),),
        tables=tuple(tables),
        fold=fold,
    )


def _facts(lead: Comparison) -> tuple[tuple[str, str], ...]:
    """Return the facts behind an answer: scores, gaps, decided pairs, level and tolerance."""
    coverage = lead.setting.as_read
    if np.isnan(lead.setting.quantiles).all():
        return ()
    d, k = coverage.counts.shape
    low, high = int(coverage.expected.min()), int(coverage.expected.max())
    gaps = [f"{len(coverage.empty):,} of {d * k:,} cells empty"] if coverage.empty else []
    gaps += [f"{len(coverage.thin):,} of {d * k:,} cells thin"] if coverage.thin else []
    each = f"at most {high}" if gaps else f"{low}" if low == high else f"{low} to {high}"
    codes = lead.pairs.codes
    decided = int((codes >= Verdict.EQUIVALENT).sum())
    name, said = "Pairs decided", f"{decided:,} of {len(codes):,}"
    if len(codes) == 1:
        said = words(Verdict(int(codes[0])), *lead.pairs.sides[0], lead._comparative)
        name = "Verdict"
    return (
        (
            "Scores",
            f"{coverage.n:,}: {count(k, 'algorithm')} on {count(d, 'data set')}, {each} each",
        ),
        ("Missing", ", ".join(gaps) or "none"),
        *_solved(lead),
        (name, f"{said}, by {within(lead._heading)}"),
        ("Level", "nothing is tested" if np.isnan(lead.level) else f"{100 * lead.level:g} %"),
        ("Tolerance", f"{lead.measure.tolerance:g}" if lead.measure.tolerance else "none set"),
    )


def _solved(lead: Comparison) -> list[tuple[str, str]]:
    """Return the number of runs that each algorithm solved; an empty list if none was stopped."""
    held = lead.setting.stopped
    if held is None or not held.stopped.any():
        return []
    runs = solved_runs(held, lead.setting.algorithms).set_index("algorithm")
    each = set(runs["n"])
    of = "" if len(each) == 1 else " of {:,}"
    best_first = runs.loc[list(lead.ranking())]
    counts = [f"{row.Index}: {row.solved:,}{of.format(row.n)}" for row in best_first.itertuples()]
    total = f", of {each.pop():,} runs each" if not of else ""
    return [("Solved", f"{several(counts, _NAMED)}{total}, within {held.limit:,.6g}")]


def _serious(comparisons: Sequence[Comparison], anchors: Mapping[int, str]) -> Table | None:
    """Return the table of failed checks of the leading analysis, then of convergence of others."""
    import pandas as pd

    seen: dict[str, tuple[int, Check]] = {}
    for n, comparison in enumerate(comparisons):
        for check in comparison._checks:
            if not check.ok and (
                n == 0
                or any(word in check.check for word in ("R-hat", "ESS", "converge", "Monte Carlo"))
            ):
                seen.setdefault(check.check, (n, check))
    if not seen:
        return None
    shown = [*seen.values()][:_MOST]
    rows = [(check.check, n, check.held) for n, check in shown]
    more = len(seen) - len(shown)
    return Table(
        name="",
        caption="What asks for attention",
        frame=pd.DataFrame(rows, columns=["check", "n", "held"]),
        columns=(
            Column(
                "check",
                "check",
                lambda check, n: Cell(check, "fail", "!", f"{anchors[n]}-diagnostics"),
                also=("n",),
                links=True,
                defined=False,
            ),
            Column("held", "value (limit)", defined=False),
        ),
        note=f"{count(more, 'further check')}: see the diagnostics." if more else "",
    )
