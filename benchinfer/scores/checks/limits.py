"""Scores that stand for a limit, such as times at which runs were stopped."""

from typing import Any, cast

import narwhals as nw
import numpy as np

from benchinfer.core.hints import Either, Given, Option, Phrase
from benchinfer.core.numbers import count
from benchinfer.scores.checks.faults import Reading
from benchinfer.scores.columns import FAILED
from benchinfer.scores.coverage import Finding
from benchinfer.scores.sources.frames import Source

_SHARE = 0.05  # of the scores that are equal to the worst one
_FEWEST = 10  # of them
_VALUES = 20  # different scores, without which the scale is of grades
_NATURAL = (0.0, 1.0, 100.0)  # ends of shares and percentages, which scores reach by themselves
_STATES = ("status", "state", "outcome", "exit")


def scores_at_a_limit(reading: Reading, source: Source) -> list[Finding]:
    """Report measures of which many scores equal the worst one, as those of time-outs do."""
    notes: list[Finding] = []
    known = "failure" in reading.roles.of
    for measure in reading.measures:
        if measure.name not in reading.summary.measures:
            continue
        s = reading.summary.of(measure.name)
        worst = float(np.nanmin(s.minimum) if measure.sign > 0 else np.nanmax(s.maximum))
        if worst in _NATURAL or worst in (measure.bounds or ()):
            continue
        values = reading.rows.values(measure.name)
        n = int(np.count_nonzero(values == worst))
        if n < max(_FEWEST, _SHARE * len(values)) or len(np.unique(values)) < _VALUES:
            continue
        end = "smallest" if measure.sign > 0 else "largest"
        state = _state(source)
        said = f", and {state[0]} says {state[1]}" if state else ""
        what = f"{count(n, 'score')} of {measure.name} equal the {end} ({worst:,g}){said}."
        notes.append(
            Finding("scores at a limit", "warning", n, what, (), _hint(state, known=known))
        )
    return notes


def _state(source: Source) -> tuple[str, str] | None:
    """Return a column of states and its word for runs that failed, if there is one."""
    names = [n for n in source.names if any(part in n.casefold() for part in _STATES)]
    for name in names:
        frame, _ = source.load([name], [], [])
        text = nw.col(name).cast(nw.String).str.to_lowercase()
        rows = frame.select(text.alias("state")).filter(nw.col("state").is_in(FAILED)).unique()
        words = sorted(cast("Any", rows.collect().to_arrow()).column("state").to_pylist())
        if words:
            return name, " or ".join(words)
    return None


def _hint(state: tuple[str, str] | None, *, known: bool) -> Phrase:
    """Return what to do about times that are none."""
    if state is None:
        return Phrase(
            "a time at which runs are stopped is no time that they took: means and intervals of"
            f" such scores depend on the limit; {Either('compare_wins', 'compare wins')} and"
            " ranks depend on it least."
        )
    name, words = state
    role = Phrase(f" {Given('columns', {name: 'failure'})} names the state, and")
    return Phrase(
        f"these are no times that runs took;{'' if known else role}"
        f" {Option('where', f"{name} not in ('{words.split(' or ')[0]}')")} leaves them out,"
        " which favours what fails on hard data sets."
    )
