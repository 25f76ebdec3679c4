"""Comparisons of the measures of a table, each by the analysis that fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from benchinfer.analyses.choice.agreement import SECOND, in_words
from benchinfer.analyses.choice.choice import Choice
from benchinfer.analyses.factors.factors import Factors
from benchinfer.comparison.checks import gaps
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.evidence import PairVerdicts
from benchinfer.comparison.per_dataset import ResultGroups
from benchinfer.core.arguments import ArgumentError, checked
from benchinfer.core.errors import DesignError, unknown
from benchinfer.core.hints import literal
from benchinfer.core.numbers import count, join
from benchinfer.core.result import Tabular
from benchinfer.core.saving import savable
from benchinfer.core.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd

_CELLS = "answer[measure].cells() has the mean of each cell."


@checked
@savable
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answer(ResultGroups[Comparison | Factors], Tabular):
    """Comparisons of the measures of a table, each by the analysis that fits.

    A mapping from the name of a measure to its comparison, or to the effects of factors of a table
    that has some.

    Attributes
    ----------
    results
        Measure to comparison, or to the effects of factors.
    choices
        Measure to the analysis that was chosen, with the reason.
    others
        Measure to the verdicts of another analysis of the same question, or to why there are none.
    refused
        Measure to why it could not be compared.
    """

    _home: ClassVar[str] = "benchinfer.analyses.choice"
    group: ClassVar[str] = "measure"

    results: Mapping[str, Comparison | Factors]
    choices: Mapping[str, Choice]
    others: Mapping[str, PairVerdicts | str] = field(default_factory=dict[str, PairVerdicts | str])
    refused: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def _comparisons(self) -> Mapping[str, Comparison]:
        """Measure to comparison, without effects of factors."""
        return {name: one for name, one in self.results.items() if isinstance(one, Comparison)}

    @property
    def _effects(self) -> Mapping[str, Factors]:
        """Measure to effects of factors."""
        return {name: one for name, one in self.results.items() if isinstance(one, Factors)}

    def _of(self, measure: str) -> Comparison | Factors:
        """Return the comparison on a measure."""
        if measure not in self.results:
            raise DesignError(unknown("measure", measure, list(self.results)))
        return self.results[measure]

    def agreement(self, measure: str) -> str:
        """Return the agreement with a second analysis in words; empty where there is none."""
        lead, second = self._of(measure), self.others.get(measure)
        if second is None or isinstance(lead, Factors):
            return ""
        words = SECOND[self.choices[measure].second]
        if isinstance(second, str):
            return f"{words.name} cannot answer: {second}"
        codes, theirs = lead.pairs.codes, second.of(lead.pairs.sides)
        common = (codes != Verdict.MISSING) & (theirs != Verdict.MISSING) & ~lead._withheld
        return in_words(words, codes[common], theirs[common])

    def basis(self, measure: str) -> str:
        """Return a sentence on the analysis of a measure, its reason and a second analysis."""
        result, choice = self._of(measure), self.choices[measure]
        analysis = f"{result._heading}{choice.of_scores}, as {choice.reason}"
        turned = ""
        if isinstance(result, Factors):
            return f"{analysis}."
        if n := choice.unpaired:
            turns = f"{n:,} of {count(len(result.pairs.codes), 'verdict')}"
            turned = (
                "Replications of one number are taken as shared by the algorithms; without that"
                f" {turns} would be another"
            )
        parts = [analysis, self.agreement(measure), turned, gaps.clause(result)]
        return " ".join(f"{part}." for part in parts if part)

    def headline(self) -> str:
        """Return the verdict on each measure, with the analysis and its reason."""
        lines = [f"{result.headline()} {self.basis(name)}" for name, result in self.items()]
        lines += [f"{name}: not compared: {why}" for name, why in self.refused.items()]
        return "\n".join(lines)

    def sentence(self) -> str:
        """Return sentences for a results section, one paragraph for each measure."""
        return "\n\n".join(f"{r.sentence()} {self.basis(name)}" for name, r in self.items())

    def levels(self) -> pd.DataFrame:
        """Return the level of each algorithm, best first by the first measure, on each measure.

        See ``summary()`` of a measure for what its levels are, and for their intervals. Measures on
        which factors are compared have none.
        """
        return levels(self._comparisons)

    def plot(self, kind: str | None = None, ax: Any = None, **options: Any) -> Any:
        """Draw the comparison of a measure, named by ``measure`` if there are several."""
        measure = options.pop("measure", None)
        if measure is None and len(self) > 1:
            raise ArgumentError(
                f"there are {count(len(self), 'measure')}: {join(list(self))}.",
                hint=f"name one: measure={literal(next(iter(self)))}.",
            )
        if measure is not None and measure not in self:
            raise ArgumentError(unknown("measure", measure, list(self)))
        return self[measure or next(iter(self))].plot(kind, ax, **options)

    __str__ = headline

    def description(self) -> str:
        """Return the measures and the analyses."""
        by = join([f"{name} by {choice.analysis}" for name, choice in self.choices.items()])
        return f"<Answer: {by}>"


def levels(results: Mapping[str, Comparison]) -> pd.DataFrame:
    """Return the level of each algorithm on each measure; see `Answer.levels`."""
    import pandas as pd

    if not results:
        raise DesignError("levels of factors are compared, not cells.", hint=_CELLS)
    lead = next(iter(results.values()))
    names = dict.fromkeys((*lead.ranking(), *(a for r in results.values() for a in r.algorithms)))
    columns: dict[str, object] = {}
    for name, result in results.items():
        shown = dict(zip(result.algorithms, result.levels.shown(result.measure), strict=True))
        columns[name] = np.array([shown.get(algorithm, np.nan) for algorithm in names])
    return pd.DataFrame(columns, index=pd.Index(list(names), name="algorithm"))
