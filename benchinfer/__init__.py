"""Turn tables of benchmark scores into sound decisions.

The public names are loaded on first use, so that importing the package is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchinfer.analyses.bayes.compare import compare_bayes
    from benchinfer.analyses.bayes.numerics.priors import Priors, PseudoObservation
    from benchinfer.analyses.bootstrap.compare import compare_bootstrap
    from benchinfer.analyses.bootstrap.relations import resample_relations
    from benchinfer.analyses.gate.gate import gate
    from benchinfer.analyses.gate.result import Gate
    from benchinfer.analyses.meta.compare import compare_meta
    from benchinfer.analyses.meta.effects import Effects
    from benchinfer.analyses.meta.read import read_effects
    from benchinfer.analyses.mixed.compare import compare_mixed
    from benchinfer.analyses.monitor.monitor import monitor
    from benchinfer.analyses.pair.compare import compare_pair
    from benchinfer.analyses.permutation.compare import compare_permutation
    from benchinfer.analyses.plan.plan import plan
    from benchinfer.analyses.plan.variances import Components
    from benchinfer.analyses.points import compare_points
    from benchinfer.analyses.subgroups.archetypes.archetypes import archetypes
    from benchinfer.analyses.subgroups.characteristics import dataset_features
    from benchinfer.analyses.subgroups.compare import compare_subgroups
    from benchinfer.analyses.subgroups.regions.regions import regions
    from benchinfer.analyses.subgroups.subgroups import Subgroups
    from benchinfer.analyses.wins.compare import compare_wins
    from benchinfer.analyses.wins.counts import Wins, read_wins
    from benchinfer.analyses.wins.numerics.posterior import WinPriors
    from benchinfer.comparison.comparison import Comparison
    from benchinfer.comparison.pareto import pareto
    from benchinfer.comparison.per_dataset import Comparisons, per_dataset
    from benchinfer.core.errors import (
        BenchinferError,
        DesignError,
        FitError,
        MissingExtra,
        NotAWeakOrder,
        ScoreTableError,
    )
    from benchinfer.core.measure import Measure
    from benchinfer.core.saving import load
    from benchinfer.core.version import __version__
    from benchinfer.papers.markup import latex
    from benchinfer.plots.draw import plot
    from benchinfer.relations.consensus.consensus import Consensus, consensus
    from benchinfer.relations.consensus.stability import bootstrap_consensus, consensus_influence
    from benchinfer.relations.ensemble import Ensemble
    from benchinfer.relations.relation import Relation
    from benchinfer.reports.page import report
    from benchinfer.scores.read import load_example, read_scores
    from benchinfer.scores.resampling import Resampling
    from benchinfer.scores.statistics import SufficientStatistics
    from benchinfer.scores.table import ScoreTable

_homes = {
    "BenchinferError": "core.errors",
    "Comparison": "comparison.comparison",
    "Comparisons": "comparison.per_dataset",
    "Components": "analyses.plan.variances",
    "Consensus": "relations.consensus.consensus",
    "DesignError": "core.errors",
    "Effects": "analyses.meta.effects",
    "Ensemble": "relations.ensemble",
    "FitError": "core.errors",
    "Gate": "analyses.gate.result",
    "Measure": "core.measure",
    "MissingExtra": "core.errors",
    "NotAWeakOrder": "core.errors",
    "Priors": "analyses.bayes.numerics.priors",
    "PseudoObservation": "analyses.bayes.numerics.priors",
    "Relation": "relations.relation",
    "Resampling": "scores.resampling",
    "ScoreTable": "scores.table",
    "ScoreTableError": "core.errors",
    "Subgroups": "analyses.subgroups.subgroups",
    "SufficientStatistics": "scores.statistics",
    "WinPriors": "analyses.wins.numerics.posterior",
    "Wins": "analyses.wins.counts",
    "__version__": "core.version",
    "archetypes": "analyses.subgroups.archetypes.archetypes",
    "bootstrap_consensus": "relations.consensus.stability",
    "compare_bayes": "analyses.bayes.compare",
    "compare_bootstrap": "analyses.bootstrap.compare",
    "compare_meta": "analyses.meta.compare",
    "compare_mixed": "analyses.mixed.compare",
    "compare_pair": "analyses.pair.compare",
    "compare_permutation": "analyses.permutation.compare",
    "compare_points": "analyses.points",
    "compare_subgroups": "analyses.subgroups.compare",
    "compare_wins": "analyses.wins.compare",
    "consensus": "relations.consensus.consensus",
    "consensus_influence": "relations.consensus.stability",
    "dataset_features": "analyses.subgroups.characteristics",
    "gate": "analyses.gate.gate",
    "latex": "papers.markup",
    "load": "core.saving",
    "load_example": "scores.read",
    "monitor": "analyses.monitor.monitor",
    "pareto": "comparison.pareto",
    "per_dataset": "comparison.per_dataset",
    "plan": "analyses.plan.plan",
    "plot": "plots.draw",
    "read_effects": "analyses.meta.read",
    "read_scores": "scores.read",
    "read_wins": "analyses.wins.counts",
    "regions": "analyses.subgroups.regions.regions",
    "report": "reports.page",
    "resample_relations": "analyses.bootstrap.relations",
}

__all__ = [
    "BenchinferError",
    "Comparison",
    "Comparisons",
    "Components",
    "Consensus",
    "DesignError",
    "Effects",
    "Ensemble",
    "FitError",
    "Gate",
    "Measure",
    "MissingExtra",
    "NotAWeakOrder",
    "Priors",
    "PseudoObservation",
    "Relation",
    "Resampling",
    "ScoreTable",
    "ScoreTableError",
    "Subgroups",
    "SufficientStatistics",
    "WinPriors",
    "Wins",
    "__version__",
    "archetypes",
    "bootstrap_consensus",
    "compare_bayes",
    "compare_bootstrap",
    "compare_meta",
    "compare_mixed",
    "compare_pair",
    "compare_permutation",
    "compare_points",
    "compare_subgroups",
    "compare_wins",
    "consensus",
    "consensus_influence",
    "dataset_features",
    "gate",
    "latex",
    "load",
    "load_example",
    "monitor",
    "pareto",
    "per_dataset",
    "plan",
    "plot",
    "read_effects",
    "read_scores",
    "read_wins",
    "regions",
    "report",
    "resample_relations",
]


def __getattr__(name: str) -> object:
    if name not in _homes:
        raise AttributeError(f"module 'benchinfer' has no attribute {name!r}")
    value = getattr(import_module(f"benchinfer.{_homes[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_homes)
