"""Verdicts with the worst score in place of failed runs and missing scores."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING

from benchinfer.analyses import ANALYSES
from benchinfer.comparison.comparison import Comparison, TestedComparison
from benchinfer.comparison.evidence import PairVerdicts
from benchinfer.core.errors import DesignError, FitError

if TYPE_CHECKING:
    from benchinfer.scores.table import ScoreTable


def worst_case(result: Comparison, scores: ScoreTable) -> PairVerdicts | str:
    """Return the verdicts with the worst score in place of what is missing, or why there are none.

    By the same analysis with the same arguments, as it was chosen by the scores at hand.

    Parameters
    ----------
    result
        The comparison.
    scores
        Its table, with the measure as it was compared or as it was read.
    """
    if not isinstance(result, TestedComparison):
        return "only verdicts of tests are"
    try:
        filled = _filled(scores, result)
        of_domains = result.setting.members is not None
        return _again(result, filled.domain_means(result.measure.name) if of_domains else filled)
    except (DesignError, FitError) as error:
        return str(error).splitlines()[0].removesuffix(".")


def _filled(scores: ScoreTable, result: TestedComparison) -> ScoreTable:
    """Return the table with the worst scores of a measure, on the scale on which it was compared.

    A score is the worst one of those that are normalised, not of normalised ones.
    """
    measure = result.measure
    if measure.name in {one.name for one in scores.measures}:
        return scores.at_worst(measure.name).declare(measure)
    if (normalised := measure.normalised) is None:  # wins by a measure
        return scores.at_worst(str(result.provenance.arguments["measure"]))
    filled = scores.at_worst(normalised.measure.name).declare(normalised.measure)
    kind = normalised.kind
    return filled.normalise(normalised.references if kind == "references" else kind)


def _again(result: TestedComparison, scores: ScoreTable) -> PairVerdicts:
    """Return the verdicts of the same analysis on another table."""
    arguments = dict(result.provenance.arguments)
    if arguments.get("control") == "best":
        arguments["control"] = _hub(result)
    name = result.provenance.analysis.removeprefix("compare_")
    module = import_module(ANALYSES[name])
    if hasattr(module, "verdicts"):
        return module.verdicts(scores, **arguments)
    compare = getattr(module, f"compare_{name}")
    known = signature(compare).parameters
    again: Comparison = compare(scores, **{k: v for k, v in arguments.items() if k in known})
    return PairVerdicts(again._heading, tuple(again.pairs.sides), again.pairs.codes)


def _hub(result: TestedComparison) -> str:
    """Return the algorithm that each other one was compared with."""
    sides = result.pairs.sides
    return next(name for name in result.ranking() if all(name in pair for pair in sides))
