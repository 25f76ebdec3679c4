"""Comparison of two algorithms on one data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, override

import numpy as np

from benchinfer.analyses.pair import rules, tests
from benchinfer.analyses.pair.diagnostics import Normality
from benchinfer.analyses.pair.options import PairOptions
from benchinfer.analyses.pair.rules import WORDS
from benchinfer.analyses.pair.scores import OF_RANKS
from benchinfer.analyses.pair.tests import OtherTest
from benchinfer.comparison.comparison import TestedComparison
from benchinfer.comparison.further import best
from benchinfer.core.frames import frame
from benchinfer.core.provenance import StoredOptions
from benchinfer.core.saving import savable, shaped
from benchinfer.numerics.directions.rank_sets import RankSets
from benchinfer.numerics.types import Array, Codes

if TYPE_CHECKING:
    import pandas as pd


@savable
@shaped(n="P [0,inf)", zeros="P [0,inf)", probabilities="P 3 [0,1] nan", looks="P?")
@dataclass(frozen=True, eq=False, repr=False)
class PairComparison(TestedComparison):
    """Verdicts from a test of two algorithms, on one data set.

    Attributes
    ----------
    test, reason
        The test that decides, and why it was taken.
    n
        (P,) number of differences, or of scores of the first where replications are not shared.
    zeros
        (P,) number of differences of zero, which rank and sign tests leave out; 0 for other tests.
    probabilities
        (P, 3) posterior probabilities that first is better, that both are equivalent, and that
        second is better; None for tests with p-values.
    looks
        How the differences of each pair look; empty where replications are not shared.
    others
        Tests that do not decide.
    """

    _home: ClassVar[str] = "benchinfer.analyses.pair"

    test: str
    reason: str
    n: Array
    zeros: Codes
    probabilities: Array | None
    looks: tuple[Normality, ...]
    others: tuple[OtherTest, ...]

    _title: ClassVar[str] = "Test of two algorithms"

    options: ClassVar[StoredOptions[PairOptions]] = StoredOptions(PairOptions)

    @property
    def _bayesian(self) -> bool:
        """True if verdicts rest on posterior probabilities."""
        return self.probabilities is not None

    @property
    @override
    def _differences_of_levels(self) -> bool:
        return self.test not in OF_RANKS

    @property
    @override
    def _by_name(self) -> str:
        return "" if self.options.baseline is not None else super()._by_name

    @override
    def _rank_sets(self) -> RankSets:
        """Return the sets of the best and of ranks from p-values of the pairs."""
        if self._bayesian:
            return super()._rank_sets()
        return best.of_raw_p_values(self)

    @property
    def rule(self) -> str:
        """The decision rule in words."""
        if self._bayesian:
            return rules.rule(self.measure, self.level)
        return super().rule

    @property
    def method(self) -> str:
        """Sentences for a methods section."""
        return rules.method(self)

    @property
    def formula(self) -> str:
        """The statistic in one line."""
        if self.setting.units and self.test == "t":
            return (
                "difference of the means of items / its CR2 error, t with Bell and McCaffrey's df"
            )
        return rules.FORMULAS[self.test]

    @property
    def test_name(self) -> str:
        """The test in words."""
        one_sample = self.test == "t" and self.options.baseline is not None
        return "t-test of one sample" if one_sample else WORDS[self.test]

    def _effects(self) -> Mapping[str, Array]:
        """Return estimate, interval and test of the pairs, in the measure's own unit."""
        columns = dict(super()._effects())
        if self.probabilities is not None:
            shown = ("estimate", "conf_low", "conf_high", "std_error", "df")
            names = ("prob_first", "prob_equivalent", "prob_second")
            probabilities = dict(zip(names, self.probabilities.T, strict=True))
            return {name: columns[name] for name in shown} | probabilities
        return {name: column for name, column in columns.items() if not np.isnan(column).all()}

    def tests(self) -> pd.DataFrame:
        """Return the results of other tests on the same scores, on which no verdict rests.

        Returns
        -------
        pandas.DataFrame
            ``test first second statistic df p_value fits misfit``: unadjusted; ``misfit`` says why
            a test is not made for how these scores came about. Choosing among tests by their
            p-values makes every one of them wrong.
        """
        return tests.table(self.others)

    def normality(self) -> pd.DataFrame:
        """Test whether the differences are normal: one row for each pair and test.

        Returns
        -------
        pandas.DataFrame
            ``first second test statistic p_value n``, unadjusted. A diagnostic: with few
            differences it finds little, with many it finds what does not matter for a mean.
        """
        rows = [
            (*names, test, statistic, p, look.n)
            for names, look in zip(self.pairs.sides, self.looks, strict=False)
            for test, statistic, p in zip(look.tests, look.statistics, look.p_values, strict=True)
        ]
        columns = ("first", "second", "test", "statistic", "p_value", "n")
        return frame({name: [row[i] for row in rows] for i, name in enumerate(columns)})

    def _sources(self) -> list[object]:
        """Return the functions used whose docstrings name their sources."""
        return rules.sources(self)
