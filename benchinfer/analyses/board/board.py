"""The function `board`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from benchinfer.analyses.board.numerics.spending import Spending, next_level, shares
from benchinfer.analyses.board.options import Against, BoardOptions
from benchinfer.analyses.board.result import Board, entries
from benchinfer.analyses.board.sequence import order_of
from benchinfer.analyses.board.state import BoardFile, digests_of
from benchinfer.analyses.board.tests import BoardTests, EntryTest, Spread
from benchinfer.comparison.evidence import Setting, alpha_of
from benchinfer.core.arguments import checked
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import level_percent
from benchinfer.numerics.types import Codes, Flags
from benchinfer.scores.table import ScoreTable

_DISPLAY = {"unit", "label"}


@checked
def board(
    scores: ScoreTable,
    measure: str | None = None,
    *,
    sequence: str | Sequence[str],
    by_more_than: float = 0.0,
    level: float = 0.95,
    spending: Spending = "fallback",
    horizon: int | None = None,
    against: Against = "holder",
    spread: Spread = "auto",
    state: str | Path | BoardFile | None = None,
) -> Board:
    """Decide for each entry of a board whether it beats the record of its day.

    Entries come one after the other, and their number is not known. Each is compared once, when it
    comes, with the record holder of that day, at a level such that the whole sequence keeps one:
    tested at 5 % each, a hundred equal entries make about five false records.

    Parameters
    ----------
    scores
        The table; algorithms are the entries.
    measure
        Name of the measure; may be omitted where there is one.
    sequence
        Order in which the entries came: the names of all algorithms, the first one first, or the
        name of a column of numbers that is the same for all scores of an algorithm, which
        `read_scores` keeps by ``covariates=``.
    by_more_than
        Difference in the unit of the measure, of a ratio as a share, that a record has to be better
        by.
    level
        One minus the probability of any false record on the whole board; with ``spending="lond"``
        one minus the expected share of false ones among the records.
    spending
        Rule by which the level is spent. ``"alpha"``: each entry has a share of its own.
        ``"fallback"``: the level of a record goes on to the next entry, too. ``"lond"``: levels
        grow with the number of records.
    horizon
        Number of tests that share the level equally, where it is known that no more will come; by
        default shares fall slowly and never end.
    against
        Those whom an entry has to beat: the record ``"holder"`` of its day, or ``"all"`` entries
        before it, which needs no assumption on how the holder was chosen and shows less.
    spread
        Scores that errors of means are from: the ``"own"`` scores of the two, ``"pooled"`` over all
        entries so far, which are taken to vary alike, or ``"auto"``: pooled where one of the two
        has fewer than five scores.
    state
        A JSON file, made if absent, that remembers the entries that were judged: then their order
        and scores cannot change, and later ones are added.

    Returns
    -------
    Board

    Raises
    ------
    DesignError
        There are fewer than two entries, or an entry has several values in the column of the
        sequence.
    ScoreTableError
        Entries that were judged before have changed.
    BenchinferError
        The state is of a board with other rules.

    Notes
    -----
    Shares of the level are ``c / ((i + 1) log^2(i + 1))`` for the i-th test, c = 0.474, which sum
    up to 1. The hypotheses are fixed: entry i is not better than the holder of its day. Until there
    is a first false record the holder is no chance find, and levels add up whatever the dependence.
    An entry that is no record shows nothing: it may still be better.

    On one data set the test is that of `compare_pair`, one-sided: of the differences where
    replications are shared, else of two means. Of right and wrong answers it is exact, and by score
    tests where `by_more_than` is above 0. Over several data sets it is the t test of their means.

    A test set that entries are fitted to, because its scores are shown, is no sample any more: no
    level covers that (Blum & Hardt 2015).

    References
    ----------
    Blum, A. & Hardt, M. (2015). The Ladder: a reliable leaderboard for machine learning
    competitions. Proceedings of Machine Learning Research 37, 1006-1014.
    https://proceedings.mlr.press/v37/blum15.html

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import benchinfer as bi
    >>> rng = np.random.default_rng(1)
    >>> losses = pd.DataFrame({
    ...     "algorithm": np.repeat(["first", "second", "third"], 8), "seed": [*range(8)] * 3,
    ...     "loss": np.repeat([3.28, 3.279, 3.27], 8) + rng.normal(0, 0.002, 24),
    ... })
    >>> scores = bi.read_scores(losses, measures="loss:lower", dataset="text", paired=False)
    >>> board = bi.board(scores, sequence=["first", "second", "third"])
    >>> board.verdict, board.records
    ('record', ['first', 'third'])
    """
    setting, scores = Setting.of(scores, measure)
    options = BoardOptions.from_call(
        locals(),
        measure=setting.measure.name,
        sequence=sequence if isinstance(sequence, str) else tuple(sequence),
    )
    file = state if state is None or isinstance(state, BoardFile) else BoardFile(state)
    with file or nullcontext():
        order, notes = order_of(scores, options.measure, sequence)
        if file is None:
            return _judged(scores, setting, options, order, notes)
        design, digests = _design(options, setting), digests_of(scores, options.measure, order)
        past = file.read(design)
        file.check(past, order, digests)
        result = _judged(scores, setting, options, order, notes)
        file.write(design, past, result, digests)
        return result


def _design(options: BoardOptions, setting: Setting) -> dict[str, object]:
    """Return the rules of a board as JSON holds them: all arguments but the order."""
    measure = {n: v for n, v in asdict(setting.measure).items() if n not in _DISPLAY}
    arguments = {n: v for n, v in options.arguments().items() if n != "sequence"}
    table = {"datasets": list(setting.coverage.datasets), "paired": setting.paired}
    return {**arguments, "measure": measure, **table}


def _judged(
    scores: ScoreTable,
    setting: Setting,
    options: BoardOptions,
    order: tuple[str, ...],
    notes: tuple[str, ...],
) -> Board:
    """Return the verdicts on all entries, each with the record holder of its day."""
    columns = np.array([setting.algorithms.index(name) for name in order], np.int64)
    margin: Measure = replace(setting.measure, tolerance=options.by_more_than)
    tests = BoardTests.of(scores, setting, columns, margin.margin, options.spread)
    course = _Course.of(tests, options)
    now = int(np.flatnonzero(course.record)[-1])
    behind = [np.nan if i == now else tests.compared(i, now).p_worse for i in range(len(order))]
    means = np.nanmean(scores.cells(options.measure).mean, axis=0)[columns]
    return Board(
        setting=setting,
        algorithms=order,
        n=tests.counts,
        levels=means,
        holder=course.holder,
        estimate=np.array([np.nan, *(one.estimate for one in course.tests)]),
        p_record=np.array([np.nan, *course.p]),
        p_worse=np.array([np.nan, *(one.p_worse for one in course.tests)]),
        p_behind=np.array(behind),
        spent=np.array([np.nan, *course.spent]),
        record=course.record,
        test=tests.test,
        provenance=options.provenance(setting.digest, _spent_words(options)),
        notes=(*notes, *_notes(course, options, setting)),
    )


@dataclass(frozen=True, slots=True)
class _Course:
    """Course of a board of N entries: N - 1 tests, and the records among the entries."""

    tests: list[EntryTest]  # with the holder of the day
    p: list[float]
    spent: list[float]
    holder: Codes
    record: Flags

    @staticmethod
    def of(tests: BoardTests, options: BoardOptions) -> _Course:
        """Compare each entry with the record holder of its day, at the level that is left."""
        n, alpha = tests.data.table.shape[1], alpha_of(options.level)
        share = shares(n - 1, options.horizon)
        before: list[tuple[float, bool]] = []
        done, p = list[EntryTest](), list[float]()
        holder, record = np.full(n, -1), np.zeros(n, np.bool_)
        record[0], now = True, 0
        for i in range(1, n):
            done.append(tests.compared(i, now))
            p.append(done[-1].p)
            if options.against == "all":
                p[-1] = max(tests.compared(i, j).p for j in range(i))
            alpha_i = next_level(float(share[i - 1]), alpha, options.spending, before)
            # Without a level left there is no record, however small the p-value.
            holder[i], record[i] = now, alpha_i > 0 and p[-1] <= alpha_i
            now = i if record[i] else now
            before.append((alpha_i, bool(record[i])))
        return _Course(done, p, [alpha_i for alpha_i, _ in before], holder, record)


def _spent_words(options: BoardOptions) -> str:
    """Return how the level is spent over the entries, in words."""
    alpha = level_percent(1 - options.level)
    share = "0.474 / ((i + 1) log^2(i + 1)) of it"
    if options.horizon is not None:
        share = f"an equal share of {options.horizon:,}"
    way = {
        "alpha": f"{share} (alpha spending)",
        "fallback": f"{share}, and the level of the test before it where that one was a record"
        " (online fallback)",
        "lond": f"{share}, times the number of records before it, at least 1 (LOND)",
    }
    return (
        f"The level of {alpha} is spent over the sequence: the i-th test has"
        f" {way[options.spending]}"
    )


def _notes(course: _Course, options: BoardOptions, setting: Setting) -> list[str]:
    """Return sentences on what the tests take for granted."""
    notes: list[str] = []
    pooled = sum(one.pooled for one in course.tests)
    if pooled:
        of = "Each entry" if pooled == len(course.tests) else entries(pooled)
        why = " for want of five scores" if options.spread == "auto" else ""
        notes.append(
            f"{of} is judged by the spread of all entries so far{why}: they are taken to vary"
            " alike."
        )
    unjudged = sum(not one.judged for one in course.tests)
    if unjudged:
        notes.append(
            f"{entries(unjudged)} without two scores to set against the record of the day, or"
            " without any spread: no error to judge by, no record."
        )
    if options.horizon is not None and len(course.tests) > options.horizon:
        notes.append(
            f"The horizon of {options.horizon:,} tests is used up: later entries have no level of"
            " their own."
        )
    if setting.resampling is not None and setting.resampling.kind == "items" and setting.paired:
        notes.append(
            "All entries have the same test items: who sees their scores fits the next entry to"
            " them, which no level covers (Blum & Hardt 2015)."
        )
    return notes
