"""Figures of influence and prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchinfer.comparison.further.influence import Influence
from benchinfer.comparison.wording import margin
from benchinfer.core.errors import DesignError
from benchinfer.core.numbers import count
from benchinfer.core.verdict import Verdict
from benchinfer.plots import bars
from benchinfer.plots.bars import Bar, Bars
from benchinfer.plots.style import MARKS, PAGE, Width, is_wide, measure_name
from benchinfer.plots.text import fitted, key

if TYPE_CHECKING:
    from benchinfer.comparison.further.prediction import NewDataset


_MOST = 20  # rows that a reader can take in
_SAID = 40  # characters of the verdicts that change


def layout_influence(influence: Influence, width: Width = PAGE) -> Bars:
    """Return the bars of each unit's influence; of many units, those that change verdicts.

    Raises
    ------
    DesignError
        No move is known: differences do not vary, or the model was never fitted again.
    """
    ranked, measure, unit = influence.ranked(), influence.measure, influence.unit_name
    table = ranked[ranked["shift"].notna()]
    if table.empty:
        raise DesignError(
            f"no move of a difference without one {unit} is known in standard errors.",
            hint="the table of influence() says without which the model was fitted again.",
        )
    first = np.argsort(-(table["n_changed"].to_numpy() > 0).astype(int), kind="stable")[:_MOST]
    shown = table.iloc[np.sort(first)]
    names = fitted([str(name) for name in shown["unit"]], 0.4 * width)
    rows = [
        _bar(names[str(name)], abs(float(shift)), int(n), str(changes), width)
        for name, shift, n, changes in zip(
            shown["unit"], shown["shift"], shown["n_changed"], shown["changes"], strict=True
        )
    ]
    top = max((row.value or 0.0 for row in rows), default=0.0)
    name = measure_name(measure)
    many, changing = len(table), int((table["n_changed"] > 0).sum()) or "none"
    notes = ["\N{BLACK DIAMOND} some verdict changes without it, \N{BLACK CIRCLE} none does"]
    if without := len(ranked) - len(table):
        are = "is" if without == 1 else "are"
        notes.append(f"{count(without, unit)} whose moves are not known {are} not shown")
    if not table["refitted"].all():
        notes.append("the model was not fitted again without all of them")
    if len(rows) < many:
        notes.append(f"{len(rows):,} of {count(many, unit)}: those that matter most")
    return Bars(
        rows=tuple(rows),
        top=1.05 * top or 1.0,
        title=f"Leaving out one {unit}: {name}",
        axis="largest move of a difference between algorithms, in its standard errors",
        notes=(*notes, *key(names)),
        width=width,
        alt=f"Lines of how far differences between algorithms move when one {unit} of"
        f" {many} is left out, in {name}: at most {top:.2f} standard errors; {changing} of them"
        " change a verdict.",
    )


def _bar(name: str, shift: float, n: int, changes: str, width: Width) -> Bar:
    verdict = Verdict.SECOND if n else Verdict.UNDECIDED
    said = ""
    if n:
        fits = is_wide(width) and len(changes) <= _SAID
        said = changes if fits else f"{count(n, 'verdict')} changed"
    marker = "D" if n else "o"
    return Bar(name, said, shift, colour=MARKS[verdict].colour, marker=marker)


size_influence, draw_influence = bars.size_bars, bars.draw_bars


# More algorithms than these have a bar only where their probability is not written as 0.00.
_FEW, _WRITTEN = 15, 0.005


def layout_prediction(new: NewDataset, width: Width = PAGE) -> Bars:
    """Return the bars of the probabilities to be best on a new data set, largest first."""
    measure, table = new.measure, new.summary()
    table = table.sort_values("prob_best_next", ascending=False, kind="stable")
    probabilities = list(
        zip(table["algorithm"], table["prob_best_next"], table["prob_near_best"], strict=True)
    )
    tolerant = measure.tolerance > 0
    names = bars.labels(new.algorithms, ["0.00 (0.00)" if tolerant else "0.00"], width)
    # Of very many algorithms none may be likely: then the likeliest have a bar.
    least = min(_WRITTEN, probabilities[0][1]) if len(probabilities) > _FEW else 0.0
    rows = tuple(
        Bar(
            names[algorithm],
            f"{best:.2f} ({near:.2f})" if tolerant else f"{best:.2f}",
            best,
            near if tolerant else None,
        )
        for algorithm, best, near in probabilities
        if max(best, near if tolerant else 0.0) >= least
    )
    name, none = measure_name(measure), len(probabilities) - len(rows)
    near = f"outline, in brackets: within {margin(measure)} of the best there" if tolerant else ""
    return Bars(
        rows=rows,
        top=min(1.0, 1.05 * max(max(row.value or 0.0, row.outline or 0.0) for row in rows)),
        title=f"On a new data set of the domain: {name}, {measure.better} is better",
        axis="probability to be the best algorithm there",
        notes=(
            *([near] if near else []),
            *([f"not shown: {count(none, 'algorithm')} of less than {least:g}"] if none else []),
            *key({row: text for row, text in names.items() if text in {bar.label for bar in rows}}),
        ),
        width=width,
        alt=f"Bars of the probability to be the best algorithm on a new data set, in {name}"
        f" ({measure.better} is better): {probabilities[0][0]} {probabilities[0][1]:.2f}"
        + (f", then {probabilities[1][0]} {probabilities[1][1]:.2f}." if len(rows) > 1 else "."),
    )


size_prediction, draw_prediction = bars.size_bars, bars.draw_bars
