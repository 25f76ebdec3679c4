"""Sections on the robustness of verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from benchinfer.core.numbers import amount, brief, count, join, within
from benchinfer.core.sections import Cell, Column, Fold, Section, Table, names, number, row
from benchinfer.core.verdict import SHAPES, Verdict
from benchinfer.numerics.types import Codes

if TYPE_CHECKING:
    from benchinfer.analyses.robustness.agreement import VerdictAgreement
    from benchinfer.analyses.robustness.changes import VerdictChanges
    from benchinfer.comparison.comparison import Comparison

MOST_ROWS = 15  # pairs that a reader takes in at once
_NAMED = 6  # data sets or algorithms that a line names
_KINDS = {
    "level": "level",
    "tolerance": "tolerance",
    "failures": "failed and missing runs",
    "scale": "scale",
    "data set": "without one data set",
    "replication": "without one replication",
    "algorithm": "without one algorithm",
}


def agreement_section(agreement: VerdictAgreement, anchors: Mapping[int, str]) -> Section:
    """Return the section on the verdicts of several analyses, side by side.

    Of many pairs those that differ, or those of the best, stand before all of them.

    Parameters
    ----------
    agreement
        The verdicts.
    anchors
        Number of an analysis to the anchor of its section.
    """
    n = len(agreement.pairs)
    every, fold = np.arange(n), None
    differing = np.flatnonzero(agreement.differing)
    chosen, caption = every, "Verdicts of each analysis"
    if n > MOST_ROWS:
        caption = f"Verdicts of each analysis on all {n:,} pairs"
        fold = Fold(caption, (), (_side_by_side(agreement, anchors, every, caption),))
        best = agreement.ranking[0]
        chosen = np.flatnonzero([best in pair for pair in agreement.pairs])[:MOST_ROWS]
        caption = f"Verdicts of each analysis: {best}, the best by its estimate, and those after it"
        if 0 < len(differing) <= MOST_ROWS:
            chosen = differing
            caption = f"Pairs on which analyses differ ({len(differing):,} of {n:,})"
    reasons = [_reasons(agreement, differing)] if len(differing) else []
    return Section(
        title="Verdicts of each analysis",
        tables=(_side_by_side(agreement, anchors, chosen, caption), *reasons),
        fold=fold,
        values={"agreement": agreement.table()},
        depth=1,
    )


def _reasons(agreement: VerdictAgreement, differing: Codes) -> Table:
    """One row per pair on which analyses differ, with the likely reason."""
    import pandas as pd

    rows = [(*agreement.pairs[p], agreement.reasons[p]) for p in differing]
    return Table(
        name="",
        caption="Where they differ, and why that may be",
        frame=pd.DataFrame(rows, columns=["first", "second", "reason"]),
        columns=(
            *names("first", "second"),
            Column("reason", "likely reason", role="prose", defined=False),
        ),
    )


def _side_by_side(
    agreement: VerdictAgreement, anchors: Mapping[int, str], chosen: Codes, caption: str
) -> Table:
    """One row per pair, one column per analysis, each verdict with a link to its contrast."""
    import pandas as pd

    pairs = [agreement.pairs[p] for p in chosen]
    frame = pd.DataFrame(pairs, columns=["first", "second"])
    columns: list[Column] = []
    for a, comparison in enumerate(agreement.comparisons):
        frame[f"code_{a}"] = agreement.codes[chosen, a]
        frame[f"row_{a}"] = agreement.rows[chosen, a]
        columns.append(_verdicts(a, comparison, anchors.get(a, "")))
    kinds = list(zip(agreement.comparisons, agreement.tested, agreement.weighing, strict=True))
    untested = [within(c._heading) for c, tested, _ in kinds if not tested]
    aside = [within(c._heading) for c, tested, weighs in kinds if tested and not weighs]
    note = "Verdicts are of the first against the second; each leads to its contrast."
    if aside:
        note += f" Of another claim, and not counted as differing: {join(aside)}, about" + (
            " these data sets alone."
            if agreement.comparisons[0].target == "domain"
            else " the domain that the data sets come from."
        )
    if untested:
        note += f" Without a test, deciding by estimates alone: {join(untested)}."
    return Table(
        name="",
        caption=caption,
        frame=frame,
        columns=(
            *names("first", "second"),
            *columns,
        ),
        note=note,
    )


def _verdicts(a: int, comparison: Comparison, anchor: str) -> Column:
    comparative = comparison._comparative

    def write(code: int, contrast: int) -> Cell:
        verdict = Verdict(code)
        link = row(anchor, contrast) if anchor and contrast >= 0 else ""
        text = comparative.words[verdict.label]
        return Cell(text, f"verdict {verdict.label}", SHAPES[verdict], link)

    also = (f"row_{a}",)
    return Column(
        f"code_{a}",
        comparison._heading,
        write,
        role="verdict",
        also=also,
        defined=False,
        links=True,
    )


def sensitivity(changes: VerdictChanges) -> Section:
    """Return the section on the changes of verdicts by options, scale, data set and algorithm."""
    n = len(changes.comparison.pairs)
    moving = [row for row in changes.rows if row.n_changed]
    turned = [row for row in changes.rows if row.n_reversed]
    tables = [_summary(changes)]
    if len(changes.tolerances) > 1:
        tables.append(_grid(changes))
    rest: list[Table] = [_changes(changes)] if moving else []
    verdicts = "the verdict" if n == 1 else f"the {n} verdicts"
    tried = f"{count(len(changes.rows), 'change')} of level, tolerance, scale or table"
    lead = (
        f"{len(moving):,} of {tried} {'changes' if len(moving) == 1 else 'change'}"
        f" {'' if n == 1 else 'some of '}{verdicts}."
        if moving
        else f"None of {tried} changes {verdicts}."
    )
    if turned:
        makes = "makes" if len(turned) == 1 else "make"
        lead += f" {len(turned)} {makes} the other algorithm of a pair the better one."
    elif moving:
        lead += " None makes the other algorithm the better one."
    untried = [f"Not tried: {'; '.join(changes.untried)}"] if changes.untried else []
    return Section(
        title="What would change the verdicts",
        text=(lead, *untried),
        tables=tuple(tables),
        fold=Fold("The verdicts that change", (), tuple(rest)) if rest else None,
        values={"changes": changes.table()},
    )


def _share(n: int, total: int) -> str:
    return f"{n:,} of {total:,}" if n and total > 1 else f"{n}"


def _summary(changes: VerdictChanges) -> Table:
    """One row per kind of change, or per change where there are few of a kind."""
    import pandas as pd

    rows: list[tuple[str, str, str, str, str]] = []
    for kind, title in _KINDS.items():
        of_kind = [row for row in changes.rows if row.kind == kind]
        if kind in ("level", "tolerance", "failures", "scale"):
            rows += [
                (title, r.what, _share(r.n_changed, r.n_pairs), str(r.n_reversed), "")
                for r in of_kind
            ]
            continue
        if not of_kind:
            continue
        moving = sorted((r for r in of_kind if r.n_changed), key=lambda r: -r.n_changed)
        most = _share(moving[0].n_changed, moving[0].n_pairs) if moving else "0"
        some = f"at most {most}" if len(moving) > 1 else most
        listed = [f"{r.what} ({r.n_changed})" for r in moving[:_NAMED]]
        more = f" and {len(moving) - _NAMED} more" if len(moving) > _NAMED else ""
        which = f"{join(listed) if not more else ', '.join(listed)}{more}"
        said = f"any of {len(of_kind)}" if len(of_kind) > 1 else of_kind[0].what
        rows.append((title, said, some, str(max(r.n_reversed for r in of_kind)), which))
    return Table(
        name="",
        caption="Verdicts that change, one change at a time",
        frame=pd.DataFrame(rows, columns=["kind", "what", "changed", "reversed", "which"]),
        columns=(
            Column("kind", "change", defined=False),
            Column("what", "to", role="name", defined=False),
            number("changed", "verdicts that change", str, defined=False),
            number("reversed", "reversed", str, defined=False),
            Column("which", "by leaving out", role="prose", defined=False),
        ),
        note="Reversed: the other algorithm becomes the better one. On ranks equivalence has no"
        " meaning, and equivalent pairs are left out.",
    )


def _grid(changes: VerdictChanges) -> Table:
    """One row per level, one column per tolerance: pairs better, equivalent and undecided."""
    import pandas as pd

    comparison = changes.comparison
    frame = pd.DataFrame({"level": list(changes.levels)})
    counts = changes.grid()

    def write(better: int, equal: int, undecided: int, changed: int) -> Cell:
        return Cell(f"{better} >, {equal} ~, {undecided} ?", "differs" if changed else "")

    columns: list[Column] = [
        Column("level", "level", lambda level: f"{100 * level:g} %", role="name")
    ]
    for j, tolerance in enumerate(changes.tolerances):
        part = counts[counts["tolerance"] == tolerance]
        for n in ("n_better", "n_equivalent", "n_undecided", "n_changed"):
            frame[f"{n}_{j}"] = part[n].to_numpy()
        used = f"tolerance {tolerance:.3g}"
        used += " (as used)" if tolerance == comparison.measure.tolerance else ""
        also = tuple(f"{n}_{j}" for n in ("n_equivalent", "n_undecided", "n_changed"))
        columns.append(Column(f"n_better_{j}", used, write, also=also, defined=False))
    return Table(
        name="",
        caption="Verdicts by level and tolerance",
        frame=frame,
        columns=tuple(columns),
        note="Numbers of pairs: > one is better, ~ equivalent, ? undecided. Shaded: some verdicts"
        " are not those of the report.",
    )


def _changes(changes: VerdictChanges) -> Table:
    """One row per change that changes a verdict."""
    frame = changes.table()
    return Table(
        name="",
        caption="The verdicts that change",
        frame=frame[frame["n_changed"] > 0],
        columns=(
            Column("kind", "change"),
            Column("what", "to or without", role="name"),
            number("n_changed", "verdicts", amount),
            number("n_reversed", "reversed", brief),
            Column("changes", "which", role="order"),
        ),
        note=">: the first is better, <: the second is, ~: equivalent, ?: undecided.",
    )
