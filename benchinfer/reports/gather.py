"""Results that a report shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from benchinfer.analyses.bootstrap.compare import compare_bootstrap
from benchinfer.analyses.bootstrap.evidence import most_resamples
from benchinfer.analyses.choice.answer import Answer
from benchinfer.analyses.choice.choice import Choice, choose
from benchinfer.analyses.choice.compare import chosen, compare, has_effects
from benchinfer.analyses.mixed.compare import compare_mixed
from benchinfer.analyses.monitor.measures import MonitoredMeasures
from benchinfer.analyses.pair.compare import compare_pair
from benchinfer.analyses.permutation.compare import compare_permutation
from benchinfer.analyses.points import compare_points
from benchinfer.analyses.subgroups.compare import compare_subgroups
from benchinfer.comparison.adjustment import sidak
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.per_dataset import Comparisons, per_dataset
from benchinfer.core.arguments import check_argument, check_level
from benchinfer.core.errors import BenchinferError, DesignError, FitError
from benchinfer.core.sections import Refusal
from benchinfer.relations.consensus.consensus import Consensus, consensus
from benchinfer.reports.results import Result
from benchinfer.scores.checks.kinds import ZERO_ONE
from benchinfer.scores.table import ScoreTable

type Method = Literal[
    "factors", "mixed", "permutation", "bayes", "bootstrap", "points", "per-dataset", "subgroups"
]
# Scores that are exchanged, with which 100,000 resamples still take a fraction of a second.
_MANY = 300
# Data sets from which on a consensus over them says more than they do one by one.
_SEVERAL = 3
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
_BRIEF = ("compare_bayes", "compare_bootstrap")
_CHAINS = 4  # of the Bayesian model: 4,000 draws
# Pairs, of which more take a bootstrap longer than a report should: the best is then compared with
# the rest.
_PAIRS = 45
_NAMED = 'compare_bootstrap(..., control="NAME")'


@dataclass(frozen=True, slots=True)
class ReportInput:
    """Results and texts of a report."""

    results: tuple[Result, ...]  # in the order in which they were requested
    refusals: tuple[Refusal, ...] = ()  # what the table could not answer
    scores: ScoreTable | None = None  # the table, if there is one
    # Measure to the consensus of the relations of the data sets
    agreed: Mapping[str, Consensus] = field(default_factory=dict[str, Consensus])
    brief: tuple[Result, ...] = ()  # results that are shown in brief, after the others
    # call, command: the Python call and the command that made them, where one alone did
    call: str = ""
    command: str = ""
    # Options of the command that it took from a file, such as --level, and their values
    from_file: Mapping[str, object] = field(default_factory=dict[str, object])


type Stages = Callable[[str, int, int], None]


def everything(
    scores: ScoreTable,
    *,
    methods: Sequence[Method] = get_args(Method.__value__),
    bayes: bool = True,
    level: float = 0.95,
    seed: int | None = 1,
    progress: Stages | None = None,
) -> ReportInput:
    """Run all analyses on all measures, noting what the table cannot answer.

    Mixed models, permutation tests, a hierarchical Bayesian model, a bootstrap over the data sets
    and point comparisons, and mixed models
    (of single scores: point comparisons; of scores of 0 and 1: exact tests) on each data set by
    itself, where there are several, with the consensus of their relations; where features are
    known, the groups of data sets that differ; of a table with factors their effects. The analysis
    that fits a measure (`compare`) comes first, and its verdicts are the answer. All have its
    units: where these are domains, analyses
    of single data sets are left out. The seed is 1 unless another one is given, so that the
    report of a table is always the same.

    Parameters
    ----------
    scores
        The table.
    methods
        Analyses to run.
    bayes
        Whether the Bayesian model, which takes the most time, is one of them.
    level, seed
        Of all that have them.
    progress
        Called before each stage with its name, its number from 1, and how many there are.
    """
    for name in methods:
        check_argument("method", name, Method)
    check_level(level)
    questions: list[tuple[str, str, Callable[[], Result]]] = []
    for measure in scores.measures:
        known = _analyses(scores, measure.name, level, seed)
        if has_effects(scores, measure.name, None):
            ask = partial(_of_factors, scores, measure.name, level=level, seed=seed)
            known["factors"] = "Effects of factors", ask
        questions += [
            (measure.name, *question)
            for name, question in known.items()
            if name in methods and (bayes or name != "bayes")
        ]
    results: list[Result] = []
    refusals: list[Refusal] = []
    for i, (name, analysis, ask) in enumerate(questions, 1):
        if progress is not None:
            progress(f"{analysis}: {name}", i, len(questions))
        try:
            results.append(ask())
        except (DesignError, FitError) as error:
            refusals.append(Refusal(name, analysis, str(error)))
    agreed = {
        next(iter(local.values())).measure.name: consensus(local)
        for local in results
        if isinstance(local, Comparisons) and len(local) >= _SEVERAL
    }
    compared = [r for r in results if isinstance(r, Comparison)]
    brief = [r for r in compared if r.provenance.analysis in _BRIEF and not r.provenance.choice]
    call = f'bi.report(scores, "report.html"{"" if bayes else ", bayes=False"})'
    return ReportInput(tuple(results), tuple(refusals), scores, agreed, tuple(brief), call)


def _analyses(
    scores: ScoreTable, measure: str, level: float, seed: int | None
) -> dict[Method, tuple[str, Callable[[], Result]]]:
    """Return the analyses of a measure by method, each with its name; the first one leads."""
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
    if choice is None:
        return analyses
    # Tests of two algorithms on one data set take the place of the mixed model of it.
    method: Any = "mixed" if choice.analysis == "pair" else choice.analysis
    lead: dict[Method, tuple[str, Callable[[], Result]]] = {
        method: (_NAMES[choice.analysis], partial(chosen, choice, scores, measure, **levels))
    }
    return {**lead, **analyses, **lead}


def _choice(scores: ScoreTable, measure: str) -> Choice | None:
    """Return the analysis that fits a table; None where none does."""
    try:
        return choose(scores, measure)
    except DesignError:
        return None


def _leave_out(scores: ScoreTable, measure: str) -> Result:
    """Raise a DesignError on an analysis whose units would not be those of the answer."""
    names = scores.summary.datasets_of(measure)
    g = len({(scores.domains or {})[name] for name in names})
    raise DesignError(
        f"it is left out, as its units are data sets: the {len(names)} data sets are of"
        f" {g} domains, on which the answer rests."
    )


def _of_datasets(
    scores: ScoreTable, measure: str, levels: Mapping[str, Any]
) -> dict[Method, tuple[str, Callable[[], Result]]]:
    """Return the analyses of a measure whose units are the data sets of a table."""
    table, several = (scores, measure), len(scores.datasets) > 1
    binary = any(finding.rule == ZERO_ONE for finding in scores.coverage(measure).findings)
    name = "pair" if binary and not several else "mixed"
    function: Any = compare_pair if name == "pair" else compare_mixed
    analyses: dict[Method, tuple[str, Callable[[], Result]]] = {
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


def _of_factors(scores: ScoreTable, measure: str, level: float, seed: int | None) -> Result:
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


def gather(results: object, scores: ScoreTable | None, *, bayes: bool = True) -> ReportInput:
    """Convert the argument of `report` to a report's input."""
    if isinstance(results, ReportInput):
        return results
    if isinstance(results, ScoreTable):
        return everything(results, bayes=bayes)
    if isinstance(results, Result):
        return ReportInput((results,), (), scores)
    if isinstance(results, Answer):
        others = [c for c in results.others.values() if isinstance(c, Comparison)]
        refusals = [Refusal(name, "Comparison", why) for name, why in results.refused.items()]
        return ReportInput((*results.values(), *others), tuple(refusals), scores)
    if isinstance(results, MonitoredMeasures):
        results = list(results.values())
    if not isinstance(results, Sequence) or isinstance(results, str):
        raise BenchinferError(
            f"cannot report a {type(results).__name__}.",
            hint="give a score table, a comparison, comparisons per data set or of monitored"
            " measures, sets of the best, a relation, an ensemble, a consensus, a plan, a gate, a"
            " board, groups of data sets, archetypes, regions, effects of factors, or a list of"
            " them.",
        )
    parts = [gather(item, scores, bayes=bayes) for item in results]
    if not parts:
        raise BenchinferError(
            "there is nothing to report.", hint="give a score table, a result or a list."
        )
    return ReportInput(
        tuple(result for part in parts for result in part.results),
        tuple(refusal for part in parts for refusal in part.refusals),
        scores or next((part.scores for part in parts if part.scores is not None), None),
        {name: agreed for part in parts for name, agreed in part.agreed.items()},
        tuple(result for part in parts for result in part.brief),
    )
