"""Recommendation of an analysis for a table, before any verdict."""

from dataclasses import replace

from benchinfer.core.measure import out_of_range
from benchinfer.scores.checks import units
from benchinfer.scores.checks.decision import Advice, advice
from benchinfer.scores.checks.facts import Facts, Rule
from benchinfer.scores.coverage import Finding
from benchinfer.scores.numerics.domains import units_of

ADVICE = "analysis that fits"
# Of residuals in two units no analysis follows: those of the mended table are others.
_MENDED = "none until the scores are mended and checked again"


def _of_units(facts: Facts, m: int) -> Advice | None:
    """Recommend an analysis of a measure, or a repair where its scores are not in one unit."""
    low, high = facts.summary.ends[m]
    scale = {measure.name: measure.scale for measure in facts.measures}[facts.summary.measures[m]]
    if scale != "identity" and (low <= 0 or (scale == "logit" and high >= 1)):
        return Advice(None, f"some have no place on the {scale} scale", instead=_MENDED)
    if scale == "identity" and (problem := out_of_range(low, high)):
        what = f"the scores {problem}, out of the range of numbers"
        return Advice(None, what, instead=_MENDED)
    of_measure = replace(facts, summary=facts.summary.of(facts.summary.measures[m]))
    odd = [finding.rule for rule in units.MIXING if (finding := rule(of_measure)) is not None]
    if odd:
        why = f"some seem to be of another unit or measure ({', '.join(odd)})"
        return Advice(None, why, instead=_MENDED)
    return advice(facts, m)


def advised(facts: Facts) -> Finding | None:
    """Recommend an analysis of each measure, with the reason.

    Where domains are the units, their finding says what `compare` does.
    """
    s = facts.summary
    if facts.domains is not None and units_of(facts.domains, s.datasets) != "datasets":
        return None
    advices = {
        measure.name: fitting
        for m, measure in facts.declared
        if (fitting := _of_units(facts, m)) is not None
    }
    if not advices:
        return None
    pairs = list(advices.items())
    if one := len(s.measures) == 1 or len(set(advices.values())) == 1:
        del pairs[1:]
    reasons = "; ".join([(("" if one else f"{name}: ") + a.reason) for name, a in pairs])
    calls = "; ".join([(("" if one else f"{name}: ") + str(a)) for name, a in pairs])
    arguments = pairs[0][1].arguments if one else ()
    return Finding(ADVICE, "note", len(advices), reasons + ".", (), calls + ".", arguments)


RULES: tuple[Rule, ...] = (advised,)
