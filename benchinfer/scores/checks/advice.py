"""Recommendation of an analysis for a table, before any verdict."""

from dataclasses import dataclass, replace

import numpy as np

from benchinfer.core.measure import out_of_range
from benchinfer.core.numbers import count
from benchinfer.numerics.types import Array, Flags
from benchinfer.scores.checks import gaps, kinds, units
from benchinfer.scores.checks.facts import Facts, Rule, least_datasets
from benchinfer.scores.checks.gaps import Analysis
from benchinfer.scores.coverage import Finding
from benchinfer.scores.resampling import declaration

ADVICE = "analysis that fits"
# Of residuals in two units no analysis follows: those of the mended table are others.
_MENDED = "none until the scores are mended and checked again"
_PAIR, _MIXED, _POINTS = Analysis("pair"), Analysis("mixed"), Analysis("points")
_THESE = Analysis("mixed", ("target", "datasets"))
_PERMUTATION = Analysis("permutation")
_GROUPS = "scores.subset(algorithms=[...])"
_TIED = 0.2  # share of equal means from which few differences are left to average
_OUTLYING = 0.01  # share of residuals that lie far out, from which tails are heavy
_MEANS = 10  # data sets whose means of bounded scores are about normal
_FAR = 2.0  # standard deviations beyond the largest to expect of so many normal scores


@dataclass(frozen=True, slots=True)
class Advice:
    """Recommended analysis, or the step that the table needs first, with the reason."""

    call: Analysis | None
    reason: str
    instead: str = ""  # empty where an analysis fits

    def __str__(self) -> str:
        """Write the call, or what to do instead."""
        return self.instead if self.call is None else str(self.call)

    @property
    def arguments(self) -> tuple[tuple[str, str], ...]:
        """The name of the analysis and the argument that matters, none without an analysis."""
        if self.call is None:
            return ()
        more = () if self.call.argument is None else (self.call.argument,)
        return (("analysis", self.call.name), *more)


def advice(facts: Facts, m: int) -> Advice | None:
    """Recommend an analysis of a measure; None where there is nothing to compare.

    By kind of scores, number of data sets, gaps, ties, and residuals of the two-way table of data
    sets and algorithms, in this order: never by what an analysis finds.
    """
    s = facts.summary
    d, k = (int(s.n[m].any(axis=axis).sum()) for axis in (1, 0))
    if k < 2 or not np.isfinite(facts.levels(m)).any():
        return None
    if np.nanmin(s.minimum[m]) == np.nanmax(s.maximum[m]):
        return Advice(_POINTS, "all scores are the same")
    if kinds.zero_one(s, m) and d > 1 and not facts.uneven:
        return Advice(kinds.BINOMIAL, "scores are 0 or 1, on several data sets")
    if kinds.all_ranks(s, m):
        return Advice(kinds.RANKED, "the scores are ranks, which say nothing of distances")
    if d <= 2:
        return _on_these(facts, m, d, k)
    call, reason = _across(facts, m)
    if call in (_PERMUTATION, kinds.RANKED) and d < least_datasets(1):
        reason += f", but {count(d, 'data set')} are too few for any test by ranks or signs"
        call = _MIXED
    return Advice(call, reason, _GROUPS if call is None else "")


def _on_these(facts: Facts, m: int, d: int, k: int) -> Advice | None:
    """Recommend an analysis for claims about one or two data sets; None if none is possible."""
    s = facts.summary
    if why := _untestable(facts, m):
        part, _ = gaps.fewest_lost(s.n[m], np.zeros(s.n.shape[2], np.bool_))
        why = ("two data sets say next to nothing of a domain, and " * (d == 2)) + why
        return Advice(_POINTS, why) if part.any() else None
    if kinds.zero_one(s, m):
        shared = "shared items" if facts.paired else "items of each algorithm's own"
        return Advice(_PAIR, f"scores are 0 or 1, on {shared}, for which there are exact tests")
    if d == 1:
        return _on_one(facts, m, k)
    return Advice(_THESE, "two data sets say next to nothing of a domain: claims are about these")


def _untestable(facts: Facts, m: int) -> str:
    """Return the reason why no test by replications is valid on these data sets; empty without."""
    s, resampling = facts.summary, facts.resampling
    n = s.n[m][s.n[m].any(axis=1)][:, s.n[m].any(axis=0)]
    if n.max() < 2:
        return "one score per algorithm leaves no noise to estimate"
    if n.min() < 2:
        return "an algorithm with one score on a data set, or none, leaves no noise to estimate"
    if resampling is not None and resampling.overlap is None:
        return (
            "training sets overlap, and by how much is not declared, as in"
            f" {declaration(resampling.kind, int(n.max()))}, so that no test holds"
        )
    there = s.n[m].any(axis=1)  # a data set may have other measures
    if facts.paired and (s.replications[m].sum(axis=1) == s.shared[m])[there].any():
        return "algorithms are said to share replications, but no two do, and cannot be paired"
    # Extremes are exact in every engine; moments are rounded.
    varied = (s.maximum[m] > s.minimum[m]).any(axis=1)
    if not varied[there].all():
        return "the scores of a data set do not vary, which leaves no noise to estimate"
    return ""


def _on_one(facts: Facts, m: int, k: int) -> Advice:
    """Advise on one data set with replications."""
    s, resampling = facts.summary, facts.resampling
    overlap = resampling is not None and resampling.kind in ("cv", "holdout")
    why = "training sets overlap, which is corrected for" if overlap else "there is one data set"
    if k == 2:
        return Advice(_PAIR, f"{why}, and two algorithms")
    held = s.n[m] > 1
    sd = np.sqrt(s.squares[m, held] / (s.n[m, held] - 1))
    reach = np.fmax(s.maximum[m, held] - s.mean[m, held], s.mean[m, held] - s.minimum[m, held])
    far = int((reach > (np.sqrt(2 * np.log(s.n[m, held])) + _FAR) * sd).sum())
    if far and not overlap and not facts.uneven:
        return Advice(_PERMUTATION, f"{count(far, 'algorithm')} with scores far from the others")
    return Advice(_MIXED, why)


def _across(facts: Facts, m: int) -> tuple[Analysis | None, str]:  # noqa: PLR0911 (one return for each rule)
    """Return the analysis of several data sets, by gaps, ties and residuals, and the reason."""
    s, levels = facts.summary, facts.levels(m)
    held = np.isfinite(levels)
    levels = levels[held.any(axis=1)][:, held.any(axis=0)]
    if not np.isfinite(levels).all():
        return _of_gaps(np.isfinite(levels))
    measure = next((one for one in facts.measures if one.name == s.measures[m]), None)
    if measure and measure.limit is not None and len(levels) >= _MEANS:
        what = "times up to the limit" if measure.par == 1 else "penalised times"
        return _MIXED, f"runs have a limit, so that means of {what} are compared, however many tie"
    if measure and measure.normalised and measure.normalised.kind in ("min-max", "z"):
        return _PERMUTATION, "scores on a scale of their own are not normal, but exchangeable"
    if units.between_ratios(levels).max() >= units.SPREAD:
        return kinds.RANKED, "a few data sets outweigh all others in any mean"
    if kinds.on_bounds(facts, m):
        return _PERMUTATION, "many scores are on a bound, where algorithms cannot differ"
    if (share := _ties(levels)) >= _TIED:
        return _PERMUTATION, f"{100 * share:.0f} % of the differences are ties"
    if (far := _far(levels)) >= max(2, _OUTLYING * levels.size):
        return (
            _PERMUTATION,
            f"{far:,} of {levels.size:,} residuals lie far out, as under heavy tails",
        )
    return _MIXED, "residuals have no heavy tails, and few differences are ties"


def _of_gaps(held: Flags) -> tuple[Analysis | None, str]:
    """Return the analysis of a table with gaps, and the reason."""
    call = gaps.supported(held)
    if call is None:
        groups = gaps.groups(held)
        why = f"{count(groups, 'group')} of algorithms share no data set: compare each by itself"
        return None, why
    if call.argument is not None:
        why = "an algorithm is on one data set only, and needs one error common to all pairs"
        return call, why
    return call, "not all algorithms share all data sets, and it uses what is there"


def _ties(levels: Array) -> float:
    """Return the share of differences of two algorithms on a data set that are zero."""
    ordered = np.sort(levels, axis=1)
    k = levels.shape[1]
    # Runs of equal scores: each has as many ties as pairs.
    run = np.zeros(len(levels))
    tied = np.zeros(len(levels))
    for step in np.diff(ordered, axis=1).T:
        run = np.where(step == 0, run + 1, 0)
        tied += run
    return float(tied.mean() / (k * (k - 1) / 2))


def _far(levels: Array) -> int:
    """Count the outlying residuals of the two-way table, relative to the spread of their algorithm.

    Each algorithm's median absolute deviation is its scale, so that unequal spreads are no heavy
    tails; it is rough where data sets are few, and more is asked of them.
    """
    residual = levels - levels.mean(axis=1, keepdims=True)
    residual -= np.median(residual, axis=0)
    scale = 1.4826 * np.median(np.abs(residual), axis=0)
    reach = (4 + 20 / len(levels)) * scale
    return int((np.abs(residual) > reach)[:, scale > 0].sum())


def _of_units(facts: Facts, m: int) -> Advice | None:
    """Recommend an analysis of a measure, or a repair where its scores are not in one unit."""
    low, high = facts.summary.ends[m]
    scale = {measure.name: measure.scale for measure in facts.measures}[facts.summary.measures[m]]
    if scale != "identity" and (low <= 0 or (scale == "logit" and high >= 1)):
        return Advice(None, f"some have no place on the {scale} scale", _MENDED)
    if scale == "identity" and (problem := out_of_range(low, high)):
        return Advice(None, f"the scores {problem}, out of the range of numbers", _MENDED)
    of_measure = replace(facts, summary=facts.summary.of(facts.summary.measures[m]))
    odd = [finding.rule for rule in units.MIXING if (finding := rule(of_measure)) is not None]
    if odd:
        why = f"some seem to be of another unit or measure ({', '.join(odd)})"
        return Advice(None, why, _MENDED)
    return advice(facts, m)


def advised(facts: Facts) -> Finding | None:
    """Recommend an analysis of each measure, with the reason."""
    s = facts.summary
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
