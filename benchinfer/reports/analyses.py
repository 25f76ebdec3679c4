"""Analyses of a measure that a report of a table runs."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np

from benchinfer.analyses.bootstrap.compare import compare_bootstrap
from benchinfer.analyses.bootstrap.evidence import most_resamples
from benchinfer.analyses.choice.choice import Choice, choose
from benchinfer.analyses.choice.compare import chosen, compare, has_effects
from benchinfer.analyses.factors.factors import Factors
from benchinfer.analyses.mixed.compare import compare_mixed
from benchinfer.analyses.pair.compare import compare_pair
from benchinfer.analyses.permutation.compare import compare_permutation
from benchinfer.analyses.points import compare_points
from benchinfer.analyses.subgroups.compare import compare_subgroups
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.comparison.adjustment import sidak
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.per_dataset import Comparisons, per_dataset
from benchinfer.core.errors import DesignError
from benchinfer.scores.checks.kinds import ZERO_ONE
from benchinfer.scores.table import ScoreTable

type Method = Literal[
    "factors", "mixed", "permutation", "bayes", "bootstrap", "points", "per-dataset", "subgroups"
]
type Compared = Comparison | Comparisons | Subgroups | Factors
type Question = tuple[str, Callable[[], Compared]]  # the name of an analysis, and what runs it

# Scores that are exchanged, with which 100,000 resamples still take a fraction of a second.
_MANY = 300
# Names of the analyses that may fit a table.
_NAMES = {
    "mixed": "Mixed model",
    "permutation": "Permutation tests",
    "bayes": "Bayesian model",
    "pair": "Tests of pairs",
    "points": "Point comparison",
}
# Analyses that have no other units than data sets, where domains are those of the answer: with
# each domain as one score, or with claims about the domains at hand.
_OF_DATASETS: Mapping[str, tuple[Method, ...]] = {
    "domains": ("per-dataset", "subgroups"),
    "within domains": ("permutation", "bayes", "bootstrap", "points", "per-dataset", "subgroups"),
}
_CHAINS = 4  # of the Bayesian model: 4,000 draws
# Pairs, of which more take a bootstrap longer than a report should: the best is then compared with
# the rest.
_PAIRS = 45
_NAMED = 'compare_bootstrap(..., control="NAME")'


def of_measure(
    scores: ScoreTable, measure: str, level: float, seed: int | None
) -> dict[Method, Question]:
    """Return the analyses of a measure by method, each with its name; the first one leads.

    All have the units of the answer; those that cannot have them raise a DesignError when asked.
    """
    levels = {"level": level, "seed": seed}
    choice = _choice(scores, measure)
    units = "datasets" if choice is None else choice.units
    # Each analysis has the units of the answer.
    table = scores if choice is None else choice.of_units(scores, measure)
    analyses = _of_datasets(table, measure, levels)
    if units in ("domains", "within domains"):
        for method, (name, _) in _of_datasets(scores, measure, levels).items():
            if method in _OF_DATASETS[units]:
                analyses[method] = name, partial(_leave_out, scores, measure)
    if has_effects(scores, measure, None):
        ask = partial(_of_factors, scores, measure, level=level, seed=seed)
        analyses["factors"] = "Effects of factors", ask
    if choice is None:
        return analyses
    # Tests of two algorithms on one data set take the place of the mixed model of it.
    method: Any = "mixed" if choice.analysis == "pair" else choice.analysis
    lead: dict[Method, Question] = {
        method: (_NAMES[choice.analysis], partial(chosen, choice, scores, measure, **levels))
    }
    return {**lead, **analyses, **lead}


def _choice(scores: ScoreTable, measure: str) -> Choice | None:
    """Return the analysis that fits a table; None where none does."""
    try:
        return choose(scores, measure)
    except DesignError:
        return None


def _leave_out(scores: ScoreTable, measure: str) -> Compared:
    """Raise a DesignError on an analysis whose units would not be those of the answer."""
    names = scores.summary.datasets_of(measure)
    g = len({(scores.domains or {})[name] for name in names})
    raise DesignError(
        f"it is left out, as its units are data sets: the {len(names)} data sets are of"
        f" {g} domains, on which the answer rests."
    )


def _of_datasets(
    scores: ScoreTable, measure: str, levels: Mapping[str, Any]
) -> dict[Method, Question]:
    """Return the analyses of a measure whose units are the data sets of a table."""
    table, several = (scores, measure), len(scores.datasets) > 1
    binary = any(finding.rule == ZERO_ONE for finding in scores.coverage(measure).findings)
    name = "pair" if binary and not several else "mixed"
    function: Any = compare_pair if name == "pair" else compare_mixed
    analyses: dict[Method, Question] = {
        "mixed": (_NAMES[name], partial(function, *table, **levels)),
        "permutation": ("Permutation tests", partial(_permuted, *table, **levels)),
    }
    if several:
        analyses["bayes"] = "Bayesian model", partial(_bayesian, *table, **levels)
        analyses["bootstrap"] = "Bootstrap", partial(_bootstrapped, *table, **levels)
    analyses["points"] = "Point comparison", partial(compare_points, *table)
    if several and int(scores.coverage(measure).counts.max()) == 1:  # no noise to estimate
        local = partial(per_dataset, compare_points, *table)
        analyses["per-dataset"] = "Point comparison on each data set", local
    elif several:
        kind, compare = (
            ("Tests of pairs", compare_pair) if binary else ("Mixed model", compare_mixed)
        )
        local = partial(per_dataset, compare, *table, **levels)
        analyses["per-dataset"] = f"{kind} on each data set", local
    if several and scores.features:
        groups = partial(compare_subgroups, *table, by=[*scores.features], **levels)
        analyses["subgroups"] = "Groups of data sets", groups
    return analyses


def _of_factors(scores: ScoreTable, measure: str, level: float, seed: int | None) -> Compared:
    return compare(scores, measure, level=level, seed=seed)[measure]


def _bayesian(scores: ScoreTable, measure: str, level: float, seed: int | None) -> Comparison:
    from benchinfer.analyses.bayes.compare import compare_bayes  # compiled code, to be loaded

    return compare_bayes(scores, measure, level=level, chains=_CHAINS, seed=seed, progress=False)


def _bootstrapped(scores: ScoreTable, measure: str, level: float, seed: int | None) -> Comparison:
    """Return a bootstrap comparison that resamples replications or, if unsuitable, data sets."""
    k = len(scores.algorithms)
    pairs = k * (k - 1) // 2
    most = most_resamples(max(pairs, 1))
    if pairs > _PAIRS and sidak(1 - level, pairs) / 2 * (most + 1) < 1:
        raise _undecidable(most, pairs)
    overlapping = scores.resampling is not None and scores.resampling.kind in ("cv", "holdout")
    single = int(scores.coverage(measure).counts.max()) == 1
    result = compare_bootstrap(
        scores,
        measure,
        resample="datasets" if single or overlapping else "replications",
        control="best" if pairs > _PAIRS else None,
        level=level,
        seed=seed,
        progress=False,
    )
    bounds = result.evidence.low, result.evidence.high
    if pairs > _PAIRS and np.isinf(bounds).any(axis=0).all():
        raise _undecidable(int(result.options.resamples), pairs)
    return result


def _undecidable(resamples: int, pairs: int) -> DesignError:
    what = f"{resamples:,} resamples are too few to decide any of {pairs:,} pairs."
    return DesignError(what, hint=f"{_NAMED} needs fewer, of one named beforehand.")


def _permuted(scores: ScoreTable, measure: str, level: float, seed: int | None) -> Comparison:
    """Return a comparison by permutation tests, with fewer resamples for large tables."""
    n_scores = scores.coverage(measure).counts
    moved = n_scores.size if len(scores.datasets) > 1 else int(n_scores.sum())
    resamples = 100_000 if moved <= _MANY else 10_000
    return compare_permutation(scores, measure, resamples=resamples, level=level, seed=seed)
