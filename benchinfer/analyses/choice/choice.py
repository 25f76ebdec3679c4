"""Choice of the analysis that fits a table, before any verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

import numpy as np

from benchinfer.analyses.meta.effects import Effects
from benchinfer.analyses.wins.counts import Wins
from benchinfer.comparison.checks.run_means import of_runs, run_means
from benchinfer.comparison.comparison import Target
from benchinfer.core.arguments import ArgumentError
from benchinfer.core.errors import DesignError
from benchinfer.core.hints import literal
from benchinfer.core.numbers import count
from benchinfer.core.saving import savable
from benchinfer.numerics.rotations import DIRECTIONS
from benchinfer.scores.checks.decision import Advice, Reason, advice, mixed_model
from benchinfer.scores.checks.facts import least_flips
from benchinfer.scores.checks.gaps import Analysis
from benchinfer.scores.numerics.domains import Units, units_of
from benchinfer.scores.table import ScoreTable


@savable
@dataclass(frozen=True, slots=True)
class Choice:
    """The analysis that fits a measure of a table.

    Attributes
    ----------
    analysis
        Its name: that of ``compare_<name>``.
    reason
        Why it fits, by the design, units, ties, residuals and gaps of the table.
    options
        Arguments by which it fits, beside those of the caller.
    second, second_options
        Name and arguments of the analysis that answers the same question under other assumptions;
        empty where there is none.
    rule
        The rule that decided; empty of published results.
    scale, normalise
        On which scale, or normalised in which way, the scores are compared; empty for as they are.
    units
        Whether data sets, or domains as the means over their data sets, are the units, or data sets
        within the domains of the table; of tools that time programs runs, by means of their cases.
    """

    analysis: str
    reason: str
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    second: str = ""
    second_options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    rule: Reason | Literal[""] = ""
    scale: Literal["", "log"] = ""
    normalise: Literal["", "ranks", "z"] = ""
    units: Units = "datasets"
    # Verdicts that turn where replications are not taken as shared, though their numbers agree
    unpaired: int = 0

    @property
    def of_scores(self) -> str:
        """What of the scores is compared, in words that follow the analysis."""
        return _OF_SCORES[self.normalise or self.scale]

    def applied[S: ScoreTable | Wins | Effects](self, scores: S, measure: str) -> S:
        """Return the table with the scores as they are to be compared.

        A tolerance is in the unit of the scores, and is dropped where they have another one.
        """
        if not isinstance(scores, ScoreTable):
            return scores
        table: ScoreTable = scores
        if self.normalise:
            table = table.normalise(self.normalise, measure)
        elif self.scale:
            on_scale = replace(table.measure(measure), scale=self.scale, tolerance=0.0)
            table = table.declare(on_scale)
        return self.of_units(table, measure)  # pyright: ignore[reportReturnType] (S is ScoreTable)

    def of_units(self, table: ScoreTable, measure: str) -> ScoreTable:
        """Return the table of the units: domains by their means, runs by theirs, or as it is."""
        if self.units == "runs":
            return run_means(table, measure)
        return table.domain_means(measure) if self.units == "domains" else table


_OF_SCORES = {
    "": "",
    "log": " of logarithms",
    "ranks": " of ranks within data sets",
    "z": " of scores in standard deviations of their data set",
}
# Analyses whose claims are about these data sets, whatever is asked.
_OF_THESE = ("pair", "points")
_LEAST_FLIPPED = 7  # domains whose signs are flipped
_UNITS_OF_RANKS = "ranks are averaged"
_VARYING = ", whose scores are in several units,"
_PUBLISHED = {
    Wins: Choice("wins", "the table holds wins, ties and losses"),
    Effects: Choice("meta", "the table holds published effects"),
}


def choose(
    scores: ScoreTable | Wins | Effects,
    measure: str,
    target: Literal["auto"] | Target = "auto",
    *,
    rescale: bool = True,
) -> Choice:
    """Choose the analysis of a measure, by the rules in the notes of `compare`.

    With `rescale` scores in several units are compared on another scale. Published wins and effects
    have an analysis each. Where the table names domains that hold several data sets, five or more
    domains are the units, and of fewer claims are about these domains.

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
    if of_runs(scores) and len(scores.summary.datasets_of(measure)) > 1:
        return _of_runs(scores, measure, target)
    advised = advice(scores.facts(measure), 0, target, rescale=rescale)
    if advised is None:
        raise DesignError(f"{measure}: fewer than two algorithms have scores.")
    call = advised.call
    if call is None:
        raise DesignError(
            f"{measure}: no analysis compares all algorithms, as {advised.reason}.",
            hint=f"{advised.instead} is what can be compared.",
        )
    choice = _called(advised, call, scores, measure, target)
    of_these = choice.analysis in _OF_THESE or choice.options.get("target") == "datasets"
    held = scores.summary.datasets_of(measure)
    units = "datasets" if of_these else units_of(scores.domains, held)
    if units == "domains":
        return _of_domains(choice, scores, measure)
    return choice if units == "datasets" else _within_domains(choice, scores, measure)


def _called(
    advised: Advice,
    call: Analysis,
    scores: ScoreTable,
    measure: str,
    target: Literal["auto"] | Target,
) -> Choice:
    """Return the choice that the advice on a table is."""
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
    several = len(scores.datasets) >= least_flips(len(scores.algorithms))
    second, second_options = _second(scores, measure, analysis) if several else ("", {})
    return Choice(
        analysis,
        advised.reason,
        options,
        second,
        second_options,
        advised.rule,
        advised.scale,
        advised.normalise,
    )


def _of_runs(scores: ScoreTable, measure: str, target: Literal["auto"] | Target) -> Choice:
    """Return the choice for the means over the cases of each run, which are the replications."""
    n = count(len(scores.summary.datasets_of(measure)), "case")
    choice = choose(run_means(scores, measure), measure, target, rescale=False)
    why = f"{n} of a run share the state of a machine, so that runs are the units"
    return replace(choice, reason=f"{why}, and {choice.reason}", units="runs")


def _of_domains(choice: Choice, scores: ScoreTable, measure: str) -> Choice:
    """Return the choice for the means over the data sets of each domain, by these means.

    The scale is that which data sets need.
    """
    table = replace(choice, units="domains").applied(scores, measure)
    advised = advice(table.facts(measure), 0, "domain", rescale=False)
    if advised is None or advised.call is None:
        why = "no algorithms have means" if advised is None else advised.reason
        raise DesignError(f"{measure}: no analysis compares the domains, as {why}.")
    call = advised.call
    if choice.normalise == "ranks":  # no mean rank is normal
        call = Analysis("permutation", ("on", "values"))
    g = len(table.datasets)
    if call.name == "permutation" and g < _LEAST_FLIPPED:
        call = mixed_model(np.isfinite(table.facts(measure).levels(0)))
    target: Literal["auto", "domain"] = "domain" if "target" in choice.options else "auto"
    fitting = _called(advised, call, table, measure, target)
    d = count(len(scores.summary.datasets_of(measure)), "data set")
    why = f"{d}{_VARYING if choice.of_scores else ''} are of {g} domains, which are the units"
    if g < _LEAST_FLIPPED:
        fitting = replace(fitting, second="", second_options={})
    return replace(
        fitting,
        reason=f"{why}, and {_UNITS_OF_RANKS if choice.normalise == 'ranks' else advised.reason}",
        scale=choice.scale,
        normalise=choice.normalise,
        units="domains",
    )


def _within_domains(choice: Choice, scores: ScoreTable, measure: str) -> Choice:
    """Return the choice for claims about the domains of the table, of which there are few."""
    names = scores.summary.datasets_of(measure)
    g = len({(scores.domains or {})[name] for name in names})
    why = (
        f"{count(len(names), 'data set')}{_VARYING if choice.of_scores else ''} are of {g} domains,"
        " too few to stand for"
        " others: claims are about these domains"
    )
    options: dict[str, object] = {"domains": "separate"}
    options |= {name: value for name, value in choice.options.items() if name == "target"}
    return Choice(
        "mixed",
        why,
        options,
        rule="domains",
        scale=choice.scale,
        normalise=choice.normalise,
        units="within domains",
    )


def _second(scores: ScoreTable, measure: str, analysis: str) -> tuple[str, Mapping[str, object]]:
    """Return the other analysis of the same question, with its arguments; none for most."""
    if analysis == "mixed":  # of means, too
        return "permutation", {"on": "values", "resamples": DIRECTIONS}
    if analysis != "permutation":
        return "", {}
    model = mixed_model(np.isfinite(scores.facts(measure).levels(0)))
    return model.name, dict([model.argument]) if model.argument else {}
