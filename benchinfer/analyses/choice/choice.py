"""Choice of the analysis that fits a table, before any verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from benchinfer.analyses.meta.effects import Effects
from benchinfer.analyses.wins.counts import Wins
from benchinfer.comparison.comparison import Target
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import literal
from benchinfer.core.saving import savable
from benchinfer.scores.checks.advice import advice
from benchinfer.scores.checks.facts import least_datasets
from benchinfer.scores.table import ScoreTable


@savable
@dataclass(frozen=True, slots=True)
class Choice:
    """The analysis that fits a measure of a table.

    Attributes
    ----------
    analysis
        Its name: that of ``compare_<name>``.
    options
        Arguments by which it fits, beside those of the caller.
    reason
        Why it fits, by the design, gaps, ties and residuals of the table.
    second
        Name of the analysis that answers the same question under other assumptions; empty where
        there is none.
    """

    analysis: str
    reason: str
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    second: str = ""


# The other analysis of the same question, for the agreement of the verdicts.
_SECOND = {"permutation": "mixed", "mixed": "permutation"}
# Analyses whose claims are about these data sets, whatever is asked.
_OF_THESE = ("pair", "points")
_PUBLISHED = {
    Wins: Choice("wins", "the table holds wins, ties and losses"),
    Effects: Choice("meta", "the table holds published effects"),
}


def choose(
    scores: ScoreTable | Wins | Effects,
    measure: str,
    target: Literal["auto"] | Target = "auto",
) -> Choice:
    """Choose the analysis of a measure.

    The choice rests on the kind of scores, the number of data sets, gaps, ties, and the residuals
    of the two-way table of data sets and algorithms. These are the same for all algorithms, so
    that it does not depend on which of them is better.

    Published wins and effects have an analysis each.

    Raises
    ------
    DesignError
        Fewer than two algorithms have scores, no analysis compares all of them, or claims about a
        domain are asked of one data set.
    """
    if not isinstance(scores, ScoreTable):
        choice = _PUBLISHED[type(scores)]
        if target != "auto":
            raise ArgumentError(f"target={literal(target)} goes with scores, and {choice.reason}.")
        return choice
    advised = advice(scores.facts(measure), 0)
    if advised is None:
        raise DesignError(f"{measure}: fewer than two algorithms have scores.")
    call = advised.call
    if call is None:
        raise DesignError(
            f"{measure}: no analysis compares all algorithms, as {advised.reason}.",
            hint=f"{advised.instead} is what can be compared.",
        )
    analysis = call.name
    options: dict[str, object] = dict([call.argument]) if call.argument else {}
    if target != "auto":
        if target == "domain" and analysis in _OF_THESE:
            raise DesignError(
                f"{measure}: nothing can be said of a domain, as {advised.reason}.",
                hint='target="datasets" is about the data sets of the table.',
            )
        options.pop("target", None)
        options |= {} if analysis in _OF_THESE else {"target": target}
    several = len(scores.datasets) >= least_datasets(1)
    second = _SECOND.get(analysis, "") if several else ""
    return Choice(analysis, advised.reason, options, second)
