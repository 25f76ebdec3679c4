"""Results that a report shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from benchinfer.analyses.board.result import Board
from benchinfer.analyses.choice.answer import Answer
from benchinfer.analyses.factors.factors import Factors
from benchinfer.analyses.gate.result import Gate
from benchinfer.analyses.monitor.measures import MonitoredMeasures
from benchinfer.analyses.plan.allocation import Allocation
from benchinfer.analyses.plan.result import Plan
from benchinfer.analyses.subgroups.archetypes.result import Archetypes
from benchinfer.analyses.subgroups.archetypes.stability import ArchetypeStability
from benchinfer.analyses.subgroups.regions.result import Regions
from benchinfer.analyses.subgroups.subgroups import Subgroups, SubgroupStability
from benchinfer.comparison.comparison import BestSets, Comparison
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.core.arguments import check_argument, check_level
from benchinfer.core.errors import BenchinferError, DesignError, FitError
from benchinfer.core.sections import Refusal
from benchinfer.relations.consensus.consensus import Consensus, consensus
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.relation import Relation
from benchinfer.reports.analyses import Method, of_measure
from benchinfer.scores.table import ScoreTable

Where = Subgroups | SubgroupStability | Archetypes | ArchetypeStability | Regions | Factors
type Result = (
    Comparison
    | Comparisons
    | BestSets
    | Where
    | Relation
    | Ensemble
    | Consensus
    | Plan
    | Allocation
    | Gate
    | Board
)
# Data sets from which on a consensus over them says more than they do one by one.
_SEVERAL = 3
_BRIEF = ("compare_bayes", "compare_bootstrap")


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
        known = of_measure(scores, measure.name, level, seed)
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


def gather(results: object, scores: ScoreTable | None, *, bayes: bool = True) -> ReportInput:
    """Convert the argument of `report` to a report's input."""
    if isinstance(results, ReportInput):
        return results
    if isinstance(results, ScoreTable):
        return everything(results, bayes=bayes)
    if isinstance(
        results,
        Comparison
        | Comparisons
        | BestSets
        | Where
        | Relation
        | Ensemble
        | Consensus
        | Plan
        | Allocation
        | Gate
        | Board,
    ):
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
