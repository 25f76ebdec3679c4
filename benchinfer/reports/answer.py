"""Answer to the question of a measure: the first screen of its part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.analyses.robustness.agreement import VerdictAgreement
from benchinfer.analyses.robustness.sections import agreement_section
from benchinfer.comparison.checks.caveats import ANOTHER, LEFT_OUT, STOPPED, caveats
from benchinfer.comparison.checks.tables import solved_runs
from benchinfer.comparison.effects import effect_columns
from benchinfer.comparison.sections import (
    decisive_columns,
    direction,
    equivalence_label,
    rounded,
)
from benchinfer.core.numbers import count, level_percent, sentence, several, subject
from benchinfer.core.sections import Cell, Column, Figure, Fold, Section, Table, names, row
from benchinfer.core.verdict import SHAPES, Verdict, words
from benchinfer.papers.algorithms import control, reference
from benchinfer.scores.checks.gaps import BLOCKS
from benchinfer.scores.checks.kinds import WHOLE, ZERO_ONE

if TYPE_CHECKING:
    import pandas as pd

    from benchinfer.comparison.comparison import Comparison
    from benchinfer.core.sections import Check

_MOST = 4  # checks of a kind that a reader sees first; the diagnostics have all of them
_NAMED = 15  # algorithms with the number of runs that they solved
_ROWS = 15  # of a table that is seen at once; one more is shown, not folded
_DRAWN = 30  # algorithms of a figure that is seen at once
_OF_DATA = (STOPPED, LEFT_OUT, BLOCKS)  # caveats that say which scores there are
_REMARKS = (ZERO_ONE, WHOLE)  # caveats on how scores are compared, which change no verdict
_WITH_RULE = "tolerance"  # check of what the rule says: it is said once
# By analysis: its name in a narrow column. A bootstrap over replications is of another claim.
_SHORT = {
    "compare_mixed": "mixed",
    "compare_permutation": "permutation",
    "compare_bayes": "Bayes",
    "compare_bayes_pairs": "Bayes, pairs",
    "compare_meta": "meta",
    "compare_wins": "wins",
    "compare_pair": "pair test",
}
# What one score in a cell is called, by the kind of the replications.
_REPLICATIONS = {
    "bootstrap": "bootstrap sample",
    "holdout": "split",
    "seeds": "seed",
    "items": "item",
    "runs": "run",
}


def answer(comparisons: Sequence[Comparison], anchors: Mapping[int, str]) -> list[Section]:
    """Return the section that answers a measure, and one on the verdicts of several analyses.

    In the order in which a reader needs it: the verdict in a sentence, which data there are and
    what is missing, the best against each of the others, the figure, and what asks for attention.

    Parameters
    ----------
    comparisons
        Of one measure, the leading one first.
    anchors
        Number of a comparison to the anchor of its section.
    """
    lead = comparisons[0]
    agreement = None
    if len(comparisons) > 1 and not lead.pairs.averages:
        agreement = VerdictAgreement.of(comparisons)
    before = caveats(lead)
    many = len(lead.algorithms) > _DRAWN
    caption = _figure_caption(lead)
    all_of_them = Figure(lead, "ranking", caption)
    verdicts, remarks = _attention(comparisons, before, anchors)
    first = Section(
        title="Answer",
        lead=lead.headline(),
        text=tuple(filter(None, (_data(lead), *(_caveat(before, name) for name in _OF_DATA)))),
        evidence=(_against_each(lead, agreement, anchors[0]),),
        figures=(Figure(lead, "ranking", caption, top=_ROWS if many else None),),
        attention=verdicts,
        remarks=remarks,
        fold=Fold(f"Ranking of all {len(lead.algorithms)} algorithms", (all_of_them,))
        if many
        else None,
    )
    if agreement is None:
        return [first]
    places = [n for n, c in enumerate(comparisons) if not c.pairs.averages]
    return [first, agreement_section(agreement, {a: anchors[n] for a, n in enumerate(places)})]


def _caveat(texts: Mapping[str, str], name: str) -> str:
    """Return a caveat as a sentence; empty where there is none."""
    return sentence(texts.get(name, ""))


def _data(lead: Comparison) -> str:
    """Return a sentence on the algorithms, data sets and replications that were compared."""
    coverage, setting = lead.setting.as_read, lead.setting
    if np.isnan(setting.quantiles).all():
        return ""  # published effects
    d, k = coverage.counts.shape
    low, high = int(coverage.expected.min()), int(coverage.expected.max())
    kind = setting.resampling.kind if setting.resampling else ""
    unit = "unit" if setting.units else _REPLICATIONS.get(kind, "replication")
    unit = "score" if high == 1 else unit
    each = count(high, unit) if low == high else f"{low:,} to {count(high, unit)}"
    least = "at most " if coverage.empty or coverage.thin else ""
    one = coverage.datasets[0] if kind == "runs" else f"the data set {coverage.datasets[0]}"
    where = count(d, "data set") if d > 1 else one
    if setting.members is not None:
        where += f" of {count(len(setting.coverage.datasets), 'domain')}"
    n = len(coverage.empty)
    empty = f"; {subject(n, 'cell', 'has', of=d * k)} no score" if n else ""
    if not (n or coverage.thin or (coverage.gaps and coverage.gaps.failed.any())):
        empty = "; no score is missing"
    text = f"{count(k, 'algorithm')} on {where}, {least}{each} each{empty}."
    return " ".join(filter(None, (text, _solved(lead))))


def _solved(lead: Comparison) -> str:
    """Return a sentence on the runs that each algorithm solved; empty if none was stopped."""
    held = lead.setting.stopped
    if held is None or not held.stopped.any():
        return ""
    runs = solved_runs(held, lead.setting.algorithms).set_index("algorithm")
    each = set(runs["n"])
    of = "" if len(each) == 1 else " of {:,}"
    best_first = list(runs.loc[list(lead.ranking())].itertuples())
    numbers = [f"{row.solved:,}{of.format(row.n)}" for row in best_first]
    names = [f"{best_first[0].Index} solved", *(row.Index for row in best_first[1:])]
    solved = [f"{name} {number}" for name, number in zip(names, numbers, strict=True)]
    total = "" if of else f" of {count(each.pop(), 'run')}"
    return f"Within {held.limit:,.6g}, {several(solved, _NAMED)}{total}."


def _against_each(lead: Comparison, agreement: VerdictAgreement | None, anchor: str) -> Table:
    """Return the table of each algorithm against the best, or the control; else of contrasts."""
    measure, stored = lead.measure, lead.contrasts(all=True)
    chosen = None if lead.pairs.averages else reference(lead)
    if chosen is None:
        rows = lead.pairs.in_order(stored)
        shown = rows.head(_ROWS)
        left = len(rows) - len(shown)
        caption = "Contrasts: " + direction(lead)
        sides = names(*(n for n in ("contrast", "first", "second") if n in shown))
    else:
        others = [name for name in lead.ranking() if name != chosen]
        rows = lead.contrasts(order=[*others, chosen], all=True)
        shown, left = rows[(rows["second"] == chosen) & rows["first"].isin(others)], 0
        caption = _caption(lead, chosen, others)
        sides = (Column("first", "algorithm", role="name", defined=False),)
    kind = "interval" if lead.alternative == "two-sided" else "bound"
    shown = shown.assign(contrast_row=shown.index, alike=_alike(agreement, shown))
    n = len(shown)
    return Table(
        name="",
        caption=caption,
        frame=shown,
        columns=(
            *sides,
            *effect_columns(measure, stored, f"{level_percent(lead.level)} {kind}"),
            *decisive_columns(stored),
            _verdicts(lead, chosen, anchor),
            *(
                [Column("alike", "same verdict by", role="alike", defined=False)]
                if any(shown["alike"])
                else []
            ),
        ),
        note=" ".join(filter(None, _notes(lead, agreement, left))),
        at_once=_ROWS if n > _ROWS + 1 else 0,
        rest=f"{n - _ROWS:,} more",
    )


def _caption(lead: Comparison, chosen: str, others: Sequence[str]) -> str:
    """Return what is compared with the chosen algorithm, and how."""
    link = "minus" if lead.measure.scale == "identity" else "divided by"
    what = "odds of " if lead.measure.scale == "logit" else ""
    role, short = "the best by its estimate", "the best"
    if control(lead):
        role = short = "the control"
    who = others[0] if len(others) == 1 else "Each algorithm"
    return f"{who} against {chosen}, {role}: its {what}{lead.measure.noun} {link} {short}'s"


def _figure_caption(lead: Comparison) -> str:
    """Return what the figure shows, and what its levels are rounded from."""
    caption = f"{sentence(lead.measure.effect_name)}s and levels, best algorithm first"
    return f"{'; '.join(filter(None, (caption, rounded(lead))))}."


def _verdicts(lead: Comparison, chosen: str | None, anchor: str) -> Column:
    """Return the column of verdicts, of an algorithm against a chosen one or of both sides."""
    equal, comparative = equivalence_label(lead.measure), lead._comparative

    def write(label: str, first: str, second: str, contrast: int) -> Cell:
        verdict = Verdict[label.upper()]
        text = comparative.words[label]
        if chosen is None:
            text = words(verdict, first, second, comparative)
        text = equal if verdict == Verdict.EQUIVALENT else text
        return Cell(text, f"verdict {label}", SHAPES[verdict], row(anchor, contrast))

    also = ("first", "second", "contrast_row")
    return Column("verdict", "verdict", write, role="verdict", also=also, links=True)


def _alike(agreement: VerdictAgreement | None, shown: pd.DataFrame) -> list[str]:
    """Return the other analyses that give each pair the same verdict, in short."""
    if agreement is None:
        return [""] * len(shown)
    others = _weighing(agreement)
    place = {frozenset(pair): p for p, pair in enumerate(agreement.pairs)}
    texts: list[str] = []
    for pair in zip(shown["first"], shown["second"], strict=True):
        codes = agreement.codes[place[frozenset(pair)]]
        same = [name for a, name in others.items() if codes[a] == codes[0]]
        texts.append((", ".join(same) or "none") if others else "")
    return texts


def _weighing(agreement: VerdictAgreement) -> dict[int, str]:
    """Return the other analyses with a name in short whose claim is that of the leading one."""
    analyses = [c.provenance.analysis for c in agreement.comparisons]
    weighing = zip(analyses, agreement.weighing.tolist(), strict=True)
    return {
        a: _SHORT[name]
        for a, (name, weighs) in enumerate(weighing)
        if a and weighs and name in _SHORT
    }


def _notes(lead: Comparison, agreement: VerdictAgreement | None, left: int) -> Iterator[str]:
    """Yield why the analysis leads, what others say, and what the table leaves out."""
    if choice := lead.provenance.choice:
        yield f"{lead._heading}, as {choice}."
    if agreement is not None:
        yield sentence(agreement.sentence())
    if lead._interval_note():
        yield sentence(lead._interval_note())
    if left:
        yield f"{count(left, 'further contrast')}: see below."


def _attention(
    comparisons: Sequence[Comparison], before: Mapping[str, str], anchors: Mapping[int, str]
) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """Return sentences on what may change a verdict, and on what else there is to know.

    Each begins with the caveats of the table, and the failed checks follow.
    """
    texts = {**before, ANOTHER: f"{ANOTHER}: {before[ANOTHER]}"} if ANOTHER in before else before
    said = {name: Cell(sentence(text)) for name, text in texts.items() if name not in _OF_DATA}
    remarks = [said.pop(name) for name in _REMARKS if name in said]
    seen = [(n, check) for n, check in _failed(comparisons) if check.check not in before]
    doubts = [(n, check) for n, check in seen if check.concerns != "reading"]
    others = [(n, check) for n, check in seen if check.concerns == "reading"]
    return (
        (*said.values(), *_sentences(doubts, anchors)),
        (*remarks, *_sentences(others, anchors)),
    )


def _sentences(checks: Sequence[tuple[int, Check]], anchors: Mapping[int, str]) -> Iterator[Cell]:
    """Yield the sentences of the first checks, and the number of further ones."""
    for n, check in checks[:_MOST]:
        yield Cell(check.sentence, link=f"{anchors[n]}-diagnostics")
    if (more := len(checks) - _MOST) > 0:
        asks = "asks" if more == 1 else "ask"
        text = f"{count(more, 'further check')} {asks} for attention: see the diagnostics."
        yield Cell(text, link=f"{anchors[0]}-diagnostics")


def _failed(comparisons: Sequence[Comparison]) -> list[tuple[int, Check]]:
    """Return the failed checks of the leading analysis, then on the computation of the others."""
    seen: dict[str, tuple[int, Check]] = {}
    for n, comparison in enumerate(comparisons):
        for check in comparison._checks:
            if not check.ok and (n == 0 or check.concerns == "computation"):
                seen.setdefault(check.check, (n, check))
    seen.pop(_WITH_RULE, None)
    return [*seen.values()]
