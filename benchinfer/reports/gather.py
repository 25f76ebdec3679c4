"""Results that a report shows."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from benchinfer.analyses.bootstrap.compare import compare_bootstrap
from benchinfer.analyses.bootstrap.evidence import most_resamples
from benchinfer.analyses.choice.answer import Answer
from benchinfer.analyses.choice.choice import choose
from benchinfer.analyses.choice.compare import chosen
from benchinfer.analyses.gate.result import Gate
from benchinfer.analyses.mixed.compare import compare_mixed
from benchinfer.analyses.monitor.measures import MonitoredMeasures
from benchinfer.analyses.pair.compare import compare_pair
from benchinfer.analyses.permutation.compare import compare_permutation
from benchinfer.analyses.plan.result import Plan
from benchinfer.analyses.points import compare_points
from benchinfer.analyses.subgroups.archetypes.result import Archetypes
from benchinfer.analyses.subgroups.archetypes.stability import ArchetypeStability
from benchinfer.analyses.subgroups.compare import compare_subgroups
from benchinfer.analyses.subgroups.regions.result import Regions
from benchinfer.analyses.subgroups.stability import SubgroupStability
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.comparison.adjustment import sidak
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.per_dataset import Comparisons, per_dataset
from benchinfer.core.arguments import check_choice, check_level
from benchinfer.core.errors import BenchinferError, DesignError, FitError
from benchinfer.core.hints import Call, Option, Phrase
from benchinfer.core.sections import Refusal
from benchinfer.relations.consensus.consensus import Consensus, consensus
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.relation import Relation
from benchinfer.scores.checks.kinds import ZERO_ONE
from benchinfer.scores.table import ScoreTable

Where = Subgroups | SubgroupStability | Archetypes | ArchetypeStability | Regions
type Result = Comparison | Comparisons | Where | Relation | Ensemble | Consensus | Plan | Gate
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
_BESIDE = ("compare_bayes", "compare_bootstrap")
_CHAINS = 4  # of the Bayesian model: 4,000 draws
# Pairs, of which more take a bootstrap longer than a report should: the best is then compared with
# the rest.
_PAIRS = 45
_NAMED = Call("compare_bootstrap", Option("control", "NAME"))


@dataclass(frozen=True, slots=True)
class ReportInput:
    """Results and texts of a report.

    Attributes
    ----------
    results
        In the order in which they were requested.
    refusals
        What the table could not answer.
    scores
        The table, if there is one.
    agreed
        Measure to the consensus of the relations of the data sets.
    beside
        Results that stand beside the others and are told in brief.
    call, command
        The Python call and the command that made them, where one alone did.
    """

    results: tuple[Result, ...]
    refusals: tuple[Refusal, ...] = ()
    scores: ScoreTable | None = None
    agreed: Mapping[str, Consensus] = field(default_factory=dict[str, Consensus])
    beside: tuple[Result, ...] = ()
    call: str = ""
    command: str = ""


type Method = Literal[
    "mixed", "permutation", "bayes", "bootstrap", "points", "per-dataset", "subgroups"
]
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
    known, the groups of data sets that differ. The analysis that fits a measure (`compare`) comes
    first, and its verdicts are the answer. The seed is 1 unless another one is given, so that the
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
        check_choice("method", name, Method)
    check_level(level)
    asked: list[tuple[str, str, Callable[[str], Result]]] = []
    for measure in scores.measures:
        known = _analyses(scores, measure.name, level, seed)
        wanted = {name for name in methods if bayes or name != "bayes"}
        chosen: list[Method] = [name for name in known if name in wanted]
        asked += [(measure.name, *known[name]) for name in chosen]
    results: list[Result] = []
    refusals: list[Refusal] = []
    for i, (name, analysis, ask) in enumerate(asked, 1):
        if progress is not None:
            progress(f"{analysis}: {name}", i, len(asked))
        try:
            results.append(ask(name))
        except (DesignError, FitError) as error:
            refusals.append(Refusal(name, analysis, str(error)))
    agreed = {
        next(iter(local.values())).measure.name: consensus(local)
        for local in results
        if isinstance(local, Comparisons) and len(local) >= _SEVERAL
    }
    compared = [r for r in results if isinstance(r, Comparison)]
    beside = [r for r in compared if r.provenance.analysis in _BESIDE and not r.provenance.choice]
    call = f'bi.report(scores, "report.html"{"" if bayes else ", bayes=False"})'
    return ReportInput(tuple(results), tuple(refusals), scores, agreed, tuple(beside), call)


def _analyses(
    scores: ScoreTable, measure: str, level: float, seed: int | None
) -> "dict[Method, tuple[str, Callable[[str], Result]]]":
    """Return the analyses of a measure by method, each with its name."""
    found: dict[Method, tuple[str, Callable[[str], Result]]] = {
        "mixed": (
            "Mixed model",
            lambda name: compare_mixed(scores, name, level=level, seed=seed),
        ),
        "permutation": (
            "Permutation tests",
            lambda name: _permuted(scores, name, level, seed),
        ),
        "bayes": ("Bayesian model", lambda name: _bayesian(scores, name, level, seed)),
        "bootstrap": ("Bootstrap", lambda name: _bootstrapped(scores, name, level, seed)),
        "points": ("Point comparison", lambda name: compare_points(scores, name)),
        "per-dataset": _local(scores, measure, level, seed),
        "subgroups": (
            "Groups of data sets",
            lambda name: _grouped(scores, name, level, seed),
        ),
    }
    with suppress(DesignError):  # then the other analyses say why the table cannot answer
        choice = choose(scores, measure)
        # Tests of two algorithms on one data set stand in for the mixed model of it.
        method: Method = "mixed" if choice.analysis == "pair" else choice.analysis  # pyright: ignore[reportAssignmentType]
        lead = (
            _NAMES[choice.analysis],
            lambda name: chosen(choice, scores, name, level=level, seed=seed),
        )
        found = {method: lead, **{name: each for name, each in found.items() if name != method}}
    left = () if len(scores.datasets) > 1 else ("bayes", "bootstrap", "per-dataset", "subgroups")
    left += () if scores.features else ("subgroups",)
    return {name: each for name, each in found.items() if name not in left}


def _grouped(scores: ScoreTable, measure: str, level: float, seed: int | None) -> Subgroups:
    return compare_subgroups(scores, measure, by=[*scores.features], level=level, seed=seed)


def _bayesian(scores: ScoreTable, measure: str, level: float, seed: int | None) -> Comparison:
    from benchinfer.analyses.bayes.compare import compare_bayes  # compiled code, to be loaded

    return compare_bayes(scores, measure, level=level, chains=_CHAINS, seed=seed, progress=False)


def _bootstrapped(scores: ScoreTable, measure: str, level: float, seed: int | None) -> Comparison:
    """Resample the replications, or where there are none to resample the data sets."""
    k = len(scores.algorithms)
    pairs = k * (k - 1) // 2
    most = most_resamples(max(pairs, 1))
    if pairs > _PAIRS and sidak(1 - level, pairs) / 2 * (most + 1) < 1:
        raise _undecidable(most, pairs)
    overlapping = scores.resampling is not None and scores.resampling.kind in ("cv", "holdout")
    single = int(scores.coverage(measure).found.max()) == 1
    found = compare_bootstrap(
        scores,
        measure,
        resample="datasets" if single or overlapping else "replications",
        control="best" if pairs > _PAIRS else None,
        level=level,
        seed=seed,
        progress=False,
    )
    bounds = found.evidence.low, found.evidence.high
    if pairs > _PAIRS and np.isinf(bounds).any(axis=0).all():
        raise _undecidable(int(found.options.resamples), pairs)
    return found


def _undecidable(resamples: int, pairs: int) -> DesignError:
    what = f"{resamples:,} resamples are too few to decide any of {pairs:,} pairs."
    return DesignError(what, hint=Phrase(f"{_NAMED} needs fewer, of one named beforehand."))


def _right_or_wrong(scores: ScoreTable, measure: str) -> bool:
    return any(found.rule == ZERO_ONE for found in scores.coverage(measure).findings)


def _local(
    scores: ScoreTable, measure: str, level: float, seed: int | None
) -> "tuple[str, Callable[[str], Result]]":
    """Return the comparison on each data set: single scores leave no noise to estimate."""
    if int(scores.coverage(measure).found.max()) == 1:
        what = "Point comparison on each data set"
        return what, lambda name: per_dataset(compare_points, scores, name)
    compare, what = compare_mixed, "Mixed model on each data set"
    if _right_or_wrong(scores, measure):
        compare, what = compare_pair, "Tests of pairs on each data set"
    return what, lambda name: per_dataset(compare, scores, name, level=level, seed=seed)


def _permuted(scores: ScoreTable, measure: str, level: float, seed: int | None) -> Comparison:
    """Run permutation tests; where there are many blocks, fewer resamples for time's sake."""
    found = scores.coverage(measure).found
    moved = found.size if len(scores.datasets) > 1 else int(found.sum())
    resamples = 100_000 if moved <= _MANY else 10_000
    return compare_permutation(scores, measure, resamples=resamples, level=level, seed=seed)


def gather(results: object, scores: ScoreTable | None, *, bayes: bool = True) -> ReportInput:
    """Bring what `report` takes into one form."""
    if isinstance(results, ReportInput):
        return results
    if isinstance(results, ScoreTable):
        return everything(results, bayes=bayes)
    if isinstance(
        results,
        Comparison | Comparisons | Where | Relation | Ensemble | Consensus | Plan | Gate,
    ):
        return ReportInput((results,), (), scores)
    if isinstance(results, Answer):
        others = [c for c in results.others.values() if isinstance(c, Comparison)]
        refusals = [Refusal(name, "Comparison", why) for name, why in results.refused.items()]
        return ReportInput((*results.values(), *others), tuple(refusals), scores)
    if isinstance(results, MonitoredMeasures):
        results = list(results.values())
    if not isinstance(results, Sequence) or isinstance(results, str):
        raise _unfit(results)
    parts = [gather(item, scores, bayes=bayes) for item in results]
    if not parts:
        raise BenchinferError(
            "there is nothing to report.", hint="give a score table, a result or a list."
        )
    return ReportInput(
        tuple(result for part in parts for result in part.results),
        tuple(refusal for part in parts for refusal in part.refusals),
        scores or next((part.scores for part in parts if part.scores is not None), None),
        {name: found for part in parts for name, found in part.agreed.items()},
        tuple(result for part in parts for result in part.beside),
    )


def _unfit(thing: object) -> BenchinferError:
    return BenchinferError(
        f"cannot report a {type(thing).__name__}.",
        hint="give a score table, a comparison, comparisons per data set or of monitored"
        " measures, a relation, an ensemble, a consensus, a plan, a gate, groups of data sets,"
        " archetypes, regions, or a list of them.",
    )
