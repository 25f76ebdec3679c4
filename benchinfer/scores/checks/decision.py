"""Decision table of the analysis that fits, by what the scores are and how they vary.

Rules are asked in the order in which they stand in `_advice`. They rest on the table of means of D
data sets and K algorithms, and none of them looks at which algorithm is better. What is missing is
left out of every statistic, and what to do with gaps is decided last: a few empty cells change no
analysis.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from benchinfer.core.measure import Measure
from benchinfer.core.numbers import brief, count
from benchinfer.numerics.types import Array, Flags
from benchinfer.scores.checks import gaps, kinds
from benchinfer.scores.checks.facts import Facts, least_flips
from benchinfer.scores.checks.gaps import Analysis
from benchinfer.scores.formats.format import directed
from benchinfer.scores.numerics import two_way
from benchinfer.scores.resampling import declaration

# The rule that decided.
type Reason = Literal[
    "constant",
    "right or wrong",
    "ranks",
    "these data sets",
    "limit",
    "normalised",
    "units",
    "bounds",
    "ties",
    "tails",
    "skewness",
    "means",
    "groups",
    "domains",
]

_PAIR, _MIXED, _POINTS = Analysis("pair"), Analysis("mixed"), Analysis("points")
_THESE = Analysis("mixed", ("target", "datasets"))
_SHARED = Analysis("mixed", ("missing", "shared"))
PERMUTATION, _VALUES = Analysis("permutation"), Analysis("permutation", ("on", "values"))
_FLIPS_OF_THESE = Analysis("permutation", ("target", "datasets"))
_GROUPS = "scores.subset(algorithms=[...])"
# Times that some data sets spread as much as others, beyond chance, from which scores are in no one
# unit. Among published tables of one unit the largest ratio is 4.2, of several the smallest 7.8.
_UNITS = 5.0
# The same of rows as they are, where levels far apart spread the rows alike in part.
_UNITS_OF_ROWS = 15.0
# Times the median spread. Among published tables with one unit the largest ratio is 8.
SPREAD = 20.0
_TIED = 0.2  # share of equal means from which few differences are left to average
_OUTLYING = 0.01  # share of residuals that lie far out, from which tails are heavy
_SKEW = (
    0.1  # share of pairs of which means say nothing, from which typical differences are compared
)
_MEANS = 10  # data sets whose means of bounded scores are about normal
FEWEST_SHARED = 3  # data sets of a pair that say something of a domain
_FAR = 2.0  # standard deviations beyond the largest to expect of so many normal scores


@dataclass(frozen=True, slots=True)
class Advice:
    """Recommended analysis, or the step that the table needs first, with the reason.

    Attributes
    ----------
    call
        The analysis, None where there is none.
    reason
        Why, in words.
    rule
        The rule that decided; empty of a step that the table needs.
    scale, normalise
        On which scale, or normalised in which way, the scores are to be compared; empty for as they
        are.
    instead
        What to do where there is no analysis.
    """

    call: Analysis | None
    reason: str
    rule: Reason | Literal[""] = ""
    scale: Literal["", "log"] = ""
    normalise: Literal["", "ranks", "z"] = ""
    instead: str = ""

    def __str__(self) -> str:
        """Return the call as text, or what to do instead."""
        if self.call is None:
            return self.instead
        if self.normalise:
            return f'{self.call} with normalise="{self.normalise}"'
        return f'{self.call} with Measure(scale="{self.scale}")' if self.scale else str(self.call)

    @property
    def arguments(self) -> tuple[tuple[str, str], ...]:
        """The name of the analysis and the arguments that matter, none without an analysis."""
        if self.call is None:
            return ()
        more = () if self.call.argument is None else (self.call.argument,)
        return (("analysis", self.call.name), *more, *self.unit)

    @property
    def unit(self) -> tuple[tuple[str, str], ...]:
        """The arguments that bring scores of several units to one."""
        ways = ("normalise", self.normalise), ("scale", self.scale)
        return tuple((name, value) for name, value in ways if value)


def advice(
    facts: Facts,
    m: int,
    target: Literal["auto", "domain", "datasets"] = "auto",
    *,
    rescale: bool = True,
) -> Advice | None:
    """Recommend an analysis of a measure; None where there is nothing to compare.

    Parameters
    ----------
    facts, m
        Of the table, and the position of the measure in it.
    target
        What claims are to be about.
    rescale
        Whether scores may be compared on another scale than their own.
    """
    question = m, target, rescale
    if question not in facts.memo:
        facts.memo[question] = _advice(facts, m, target, rescale=rescale)
    return facts.memo[question]


def _advice(
    facts: Facts, m: int, target: Literal["auto", "domain", "datasets"], *, rescale: bool
) -> Advice | None:
    """Ask the rules in their order."""
    s = facts.summary
    d, k = (int(s.n[m].any(axis=axis).sum()) for axis in (1, 0))
    if k < 2 or np.isfinite(facts.levels(m)).any(axis=0).sum() < 2:
        return None
    if np.nanmin(s.minimum[m]) == np.nanmax(s.maximum[m]):
        return Advice(_POINTS, "all scores are the same", "constant")
    if kinds.all_ranks(s, m):
        return Advice(kinds.RANKED, "the scores are ranks, which say nothing of distances", "ranks")
    if d <= 2 or target == "datasets":
        return _on_these(facts, m, d, k, rescale=rescale)
    if kinds.zero_one(s, m):
        return _of_rates(facts, m)
    return _across(facts, m, rescale=rescale)


def _of_rates(facts: Facts, m: int) -> Advice:
    """Recommend an analysis of the rates of several data sets, on their own scale.

    Where means are not to be averaged as they are, signs of their differences are flipped: ranks of
    rates say nothing of how much they differ.
    """
    fitting = _across(facts, m, rescale=False)
    if fitting.call is None:
        return fitting
    call = _VALUES if fitting.call == PERMUTATION else fitting.call
    if call != _VALUES and facts.summary.n[m].max() < 2:
        why = "scores are 0 or 1, one on each of few data sets, which leaves no noise to estimate"
        return Advice(_POINTS, why, "right or wrong")
    why = f"rates of scores of 0 and 1 are compared, and {fitting.reason}"
    return replace(fitting, call=call, reason=why, rule="right or wrong")


def _on_these(facts: Facts, m: int, d: int, k: int, *, rescale: bool) -> Advice | None:
    """Recommend an analysis for claims about given data sets; None if none is possible."""
    s = facts.summary
    two = "two data sets say next to nothing of a domain" if d == 2 else ""
    if why := _untestable(facts, m):
        part, _ = gaps.fewest_lost(s.n[m], np.zeros(s.n.shape[2], np.bool_))
        why = f"{two}, and {why}" if two else why
        return Advice(_POINTS, why, "these data sets") if part.any() else None
    overlap = facts.resampling is not None and facts.resampling.kind in ("cv", "holdout")
    if kinds.zero_one(s, m) and (d == 1 or not overlap):
        shared = "shared items" if facts.paired else "items of each algorithm's own"
        why = f"scores are 0 or 1, on {shared}, for which there are exact tests"
        if d == 1 and (k == 2 or overlap or not facts.paired):
            return Advice(_PAIR, why, "right or wrong")
        flips = PERMUTATION if d == 1 else _FLIPS_OF_THESE
        return Advice(flips, f"{two}, and {why}" if two else why, "right or wrong")
    if d == 1:
        return _on_one(facts, m, k)
    why = f"{two}: claims are about these" if two else "claims are about these data sets"
    fitting = Advice(_THESE, why, "these data sets")
    scaled = _rescaled(facts, m, ranks=False) if rescale and d > 2 else None
    if scaled is None:
        return fitting
    return replace(scaled, call=_THESE, reason=f"{why}, and {scaled.reason}")


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
    """Recommend an analysis for one data set with replications."""
    s, resampling = facts.summary, facts.resampling
    overlap = resampling is not None and resampling.kind in ("cv", "holdout")
    why = (
        "training sets overlap, and errors are corrected for it"
        if overlap
        else "there is one data set"
    )
    if k == 2:
        return Advice(_PAIR, f"{why}, and two algorithms", "these data sets")
    held = s.n[m] > 1
    sd = np.sqrt(s.squares[m, held] / (s.n[m, held] - 1))
    reach = np.fmax(s.maximum[m, held] - s.mean[m, held], s.mean[m, held] - s.minimum[m, held])
    far = int((reach > (np.sqrt(2 * np.log(s.n[m, held])) + _FAR) * sd).sum())
    if far and not overlap and not facts.uneven:
        why = f"{count(far, 'algorithm')} with scores far from the others"
        return Advice(PERMUTATION, why, "tails")
    return Advice(_MIXED, why, "these data sets")


def _across(facts: Facts, m: int, *, rescale: bool) -> Advice:
    """Recommend an analysis for claims about the domain of several data sets."""
    levels = _table(facts, m)
    held = np.isfinite(levels)
    if (n := gaps.groups(held)) > 1:
        why = f"{count(n, 'group')} of algorithms share no data set: compare each by itself"
        return Advice(None, why, "groups", instead=_GROUPS)
    measure = _measure(facts, m)
    normalised = measure.normalised.kind if measure and measure.normalised else ""
    scaled = None
    if rescale and not normalised and not (measure and measure.limit is not None):
        scaled = _rescaled(facts, m, ranks=True)
    if scaled is None:
        fitting = _of_tails(facts, m, levels, normalised)
    elif scaled.scale:
        logs = _on_log(facts, m)
        fitting = _of_tails(logs, m, _table(logs, m), "")
        why = "" if fitting.rule == "means" else f", and of the logarithms {fitting.reason}"
        reason = f"{scaled.reason}{why}"
        fitting = replace(fitting, scale=scaled.scale, reason=reason)
    else:
        fitting = scaled
    d, least = _shared(held), least_flips(held.shape[1])
    if fitting.call == PERMUTATION and d < least:
        few = f"{count(d, 'data set')} are too few for any test by ranks or signs"
        fitting = replace(fitting, call=_MIXED, reason=f"{fitting.reason}, but {few}")
    if fitting.call != _MIXED:
        return fitting
    model = mixed_model(held)
    if model.argument and model.argument[0] == "structure":
        alone = "an algorithm that is on one data set only needs one error common to all pairs"
        return replace(fitting, call=model, reason=f"{fitting.reason}, and {alone}")
    return replace(fitting, call=model)


def _rescaled(facts: Facts, m: int, *, ranks: bool) -> Advice | None:
    """Recommend a scale in which scores of several units are of one; None if they are in one.

    Logarithms where all scores have one and these spread alike, else ranks within data sets, or
    the standard deviation of each data set where data sets are too few for ranks.
    """
    levels = _table(facts, m)
    ratio = _in_units(levels)
    if ratio is None:
        return None
    s, k = facts.summary, levels.shape[1]
    why = f"scores vary {brief(ratio)} times as much on some data sets as on others"
    positive = s.ends[m, 0] > 0 and not _is_share(_measure(facts, m)) and not facts.moments
    if positive and _in_units(_table(_on_log(facts, m), m)) is None:
        return Advice(_MIXED, why, "units", scale="log")
    # Two scores are a standard deviation apart whatever they are, and equal ones have none.
    held = s.n[m].sum(axis=1) > 0
    flat = np.nanmin(s.minimum[m, held], axis=1) == np.nanmax(s.maximum[m, held], axis=1)
    deviations = s.n[m].sum(axis=1).max() > 2 and not flat.any()
    if deviations and (facts.moments or not ranks or _shared(np.isfinite(levels)) < least_flips(k)):
        return Advice(_MIXED if ranks else _THESE, why, "units", normalise="z")
    if facts.moments or not ranks:
        return None
    return Advice(_VALUES, why, "units", normalise="ranks")


def _in_units(levels: Array) -> float | None:
    """Return how many times data sets spread as others, beyond chance; None in one unit."""
    ratio = two_way.unit_ratio(levels, enough=_UNITS)
    of_rows = two_way.unit_ratio(levels, medians=False)
    return max(ratio, of_rows) if ratio > _UNITS or of_rows > _UNITS_OF_ROWS else None


def _of_tails(facts: Facts, m: int, levels: Array, normalised: str) -> Advice:  # noqa: PLR0911 (one return for each rule)
    """Recommend an analysis of scores in one unit, by bounds, ties, tails and skewness."""
    measure = _measure(facts, m)
    if measure and measure.limit is not None and len(levels) >= _MEANS:
        what = "times up to the limit" if measure.par == 1 else "penalised times"
        why = f"runs have a limit, and means of {what} are compared"
        return Advice(_MIXED, why, "limit")
    if normalised in ("min-max", "z"):
        why = "normalised scores are not normal, but exchangeable"
        return Advice(PERMUTATION, why, "normalised")
    if kinds.on_bounds(facts, m):
        why = "many scores are at the end of the scale, where algorithms cannot differ"
        return Advice(PERMUTATION, why, "bounds")
    if (share := two_way.tie_share(levels)) >= _TIED:
        return Advice(PERMUTATION, f"{100 * share:.0f} % of the differences are ties", "ties")
    n = int(np.isfinite(levels).sum())
    if (far := two_way.outlying(levels)) >= max(2, _OUTLYING * n):
        why = f"{far:,} of {n:,} residuals are outliers"
        return Advice(PERMUTATION, why, "tails")
    if (ratio := two_way.spread_ratios(levels).max()) >= SPREAD:
        why = f"scores vary {brief(ratio)} times as much on a data set as on the median one"
        return Advice(PERMUTATION, why, "tails")
    skew = two_way.skew_pairs(levels)
    pairs, n = skew.shape[0] * (skew.shape[0] - 1) // 2, int(skew.sum()) // 2
    if n > _SKEW * pairs:
        why = f"the differences of {n:,} of {count(pairs, 'pair')} are too skew for means"
        return Advice(PERMUTATION, why, "skewness")
    return Advice(_MIXED, "the means of the data sets show no outliers", "means")


def mixed_model(held: Flags) -> Analysis:
    """Return the mixed model that gaps allow: with gaps each pair on its shared data sets."""
    if held.all():
        return _MIXED
    if gaps.shared_datasets(held).min() >= FEWEST_SHARED:
        return _SHARED
    return gaps.supported(held) or _MIXED


def _shared(held: Flags) -> int:
    """Return how many data sets a pair of algorithms shares, in the median."""
    return int(np.median(gaps.shared_datasets(held)))


def _measure(facts: Facts, m: int) -> Measure | None:
    name = facts.summary.measures[m]
    return next((one for one in facts.measures if one.name == name), None)


def _table(facts: Facts, m: int) -> Array:
    """Return the means of the data sets and algorithms that have some."""
    levels = facts.levels(m)
    held = np.isfinite(levels)
    return levels[held.any(axis=1)][:, held.any(axis=0)]


def _on_log(facts: Facts, m: int) -> Facts:
    """Return facts of a measure on the logarithmic scale."""
    name = facts.summary.measures[m]
    measures = (replace(one, scale="log") if one.name == name else one for one in facts.measures)
    return replace(facts, measures=tuple(measures))


def _is_share(measure: Measure | None) -> bool:
    """Return whether scores are between 0 and a largest one, declared or by the measure's name."""
    if measure is None:
        return False
    known = directed([measure.name])
    bounds = measure.bounds or (known[0].bounds if known else None)
    return bounds is not None and bounds[0] == 0 and np.isfinite(bounds[1])
