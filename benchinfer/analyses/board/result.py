"""Verdicts on the entries of a board."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from benchinfer.analyses.board.numerics.spending import next_level
from benchinfer.analyses.board.options import BoardOptions
from benchinfer.analyses.pair.rules import FORMULAS, WORDS, Test
from benchinfer.comparison import wording
from benchinfer.comparison.evidence import Setting, alpha_of
from benchinfer.core import numbers
from benchinfer.core.arguments import checked
from benchinfer.core.citations import bibtex
from benchinfer.core.frames import frame
from benchinfer.core.measure import Measure
from benchinfer.core.numbers import level_percent, several
from benchinfer.core.provenance import Provenance, StoredOptions
from benchinfer.core.result import Showable
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.types import Array, Codes, Flags

if TYPE_CHECKING:
    import pandas as pd


@checked
@savable
@shaped(
    algorithms="N names",
    n="N",
    levels="N",
    holder="N",
    estimate="N",
    p_record="N [0,1] nan",
    p_worse="N [0,1] nan",
    p_behind="N [0,1] nan",
    spent="N [0,1] nan",
    record="N",
)
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Board(Showable):
    """Verdicts on the N entries of a board, in the order in which they came.

    The first entry is the record to begin with; each later one is compared once, when it comes.

    Attributes
    ----------
    setting
        The scores that were compared.
    algorithms
        The entries in their order.
    n
        (N,) scores of each, or data sets where there are several.
    levels
        (N,) means on the measure's scale, larger is better.
    holder
        (N,) position of the record holder on the day of each entry; -1 for the first one.
    estimate
        (N,) entry minus that holder on the measure's scale, larger is better.
    p_record
        (N,) p-values of the hypotheses that the entry is not better than that holder by more than
        is asked.
    p_worse
        (N,) p-values of the hypotheses that it is not worse than that holder.
    p_behind
        (N,) p-values of the hypotheses that it is not worse than the present record.
    spent
        (N,) level of each test.
    record
        (N,) whether the entry is a record.
    test
        The test of the differences.
    provenance
        Where it comes from.
    notes
        Sentences on the order of the entries, and on what their tests take for granted.
    """

    _home: ClassVar[str] = "benchinfer.analyses.board"

    setting: Setting
    algorithms: tuple[str, ...]
    n: Codes
    levels: Array
    holder: Codes
    estimate: Array
    p_record: Array
    p_worse: Array
    p_behind: Array
    spent: Array
    record: Flags
    test: Test
    provenance: Provenance
    notes: tuple[str, ...] = ()

    options: ClassVar[StoredOptions[BoardOptions]] = StoredOptions(BoardOptions)

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.setting.measure

    @property
    def level(self) -> float:
        """Confidence level of the board."""
        return self.options.level

    @property
    def verdict(self) -> Literal["record", "no record"]:
        """The verdict on the last entry."""
        return "record" if self.record[-1] else "no record"

    @property
    def records(self) -> list[str]:
        """The record holders in their order, the present one last."""
        return [self.algorithms[i] for i in np.flatnonzero(self.record)]

    @property
    def contenders(self) -> list[str]:
        """Entries that are not shown to be worse than the record, each tested at one minus level.

        The level is that of each entry alone, and no part of the level of the sequence.
        """
        open_ = self.p_behind > alpha_of(self.level)
        return [self.algorithms[i] for i in np.flatnonzero(open_)]

    def headline(self) -> str:
        """Return the verdict on the last entry, and the record, in sentences."""
        last, holder = self.algorithms[-1], self.algorithms[self.holder[-1]]
        beats = f"better than {holder}{self._beyond}"
        p, spent = (small(x[-1]) for x in (self.p_record, self.spent))
        evidence = f"{self.measure.effect_name} {self._effect(-1)}, p = {p} at a level of {spent}"
        where = f"{self._scope} ({wording.direction(self.measure)})"
        if self.verdict == "record":
            claim = f"Record: {last} is {beats}, {where}: {evidence}."
            return f"{claim} It is {self._place}.{self._open}"
        return (
            f"No record: {last} is not shown to be {beats}, {where}: {evidence}. The record is"
            f" still {self.records[-1]}, {self._place}.{self._open}"
        )

    @property
    def _place(self) -> str:
        """The place of the present record among the entries and records."""
        n, records = len(self.algorithms), len(self.records)
        at = int(np.flatnonzero(self.record)[-1]) + 1
        return f"entry {at:,} of {n:,}, and record {records:,}"

    @property
    def _open(self) -> str:
        """A sentence on the entries that are not shown to be worse than the record."""
        each = f", each tested at {level_percent(1 - self.level)} alone"
        if not self.contenders:
            return f" All others are shown to be worse than the record{each}."
        return f" Not shown to be worse than the record{each}: {several(self.contenders)}."

    @property
    def _scope(self) -> str:
        several_sets = len(self.setting.coverage.datasets) > 1
        return wording.scope(self.setting, "domain" if several_sets else "datasets")

    @property
    def _beyond(self) -> str:
        if not self.options.by_more_than:
            return ""
        margin = replace(self.measure, tolerance=self.options.by_more_than)
        return f" by more than {wording.margin(margin)}"

    def _effect(self, entry: int) -> str:
        """Write the difference or ratio of an entry and the record of its day."""
        effect = self.measure.effect(self.estimate)
        shown = effect[np.isfinite(effect)]
        return numbers.fixed(float(effect[entry]), numbers.decimals([*np.abs(shown)]))

    def summary(self) -> pd.DataFrame:
        """Return one row per entry, in their order.

        Returns
        -------
        pandas.DataFrame
            ``entry algorithm n mean holder estimate p_record level_spent record shown_worse
            contender``: estimates are of the entry less the record holder of its day.
        """
        alpha = alpha_of(self.level)
        return frame(
            {
                "entry": np.arange(1, len(self.algorithms) + 1),
                "algorithm": list(self.algorithms),
                "n": self.n,
                "mean": self.measure.level_of(self.levels),
                "holder": ["" if i < 0 else self.algorithms[i] for i in self.holder],
                "estimate": self.measure.effect(self.estimate),
                "p_record": self.p_record,
                "level_spent": self.spent,
                "record": self.record,
                "shown_worse": self.p_worse <= alpha,
                "contender": self.p_behind > alpha,
            }
        )

    to_frame = summary

    @property
    def rule(self) -> str:
        """How evidence becomes verdicts."""
        against = "the record holder of its day"
        if self.options.against == "all":
            against = "each entry before it"
        return (
            f"An entry is a record where the one-sided test that it is better than {against}"
            f"{self._beyond} rejects at the level that is left for it; ties are no records. Each"
            f" entry is tested once and spends its level, whoever sent it. {self._promise}"
        )

    @property
    def _promise(self) -> str:
        alpha = level_percent(1 - self.level)
        if self.options.spending == "lond":
            return f"Of the records at most {alpha} are false, in expectation."
        return f"The probability of any false record on the board is at most {alpha}."

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        words = "paired t-test on means of data sets"
        if len(self.setting.coverage.datasets) == 1:
            words = WORDS[self.test]
        formula = FORMULAS[self.test]
        return (
            f"{entries(len(self.algorithms))} of {self.measure.noun} were compared by the"
            f" one-sided {words} ({formula}), each with the record holder of its day. "
            f"{self.provenance.adjustment}. {' '.join(self.notes)}"
        ).strip()

    def citations(self) -> str:
        """Return the literature of the methods as BibTeX."""
        return bibtex([next_level])

    __str__ = headline

    def description(self) -> str:
        """Return the verdict on the last entry and the record."""
        n = entries(len(self.algorithms))
        return f"<Board of {n}: {self.verdict}, {self.records[-1]} holds it>"


def small(p: float) -> str:
    """Write a small probability with two digits, however small it is.

    Examples
    --------
    >>> small(0.0312), small(4.21e-06), small(float("nan"))
    ('0.031', '4.2e-6', '')
    """
    if np.isnan(p):
        return ""
    if p >= 1e-4 or p == 0:
        return f"{p:.2g}"
    return f"{p:.1e}".replace("e-0", "e-")


def entries(n: int) -> str:
    """Return a number of entries in words."""
    return "1 entry" if n == 1 else f"{n:,} entries"
