"""Turn tables of benchmark scores into sound decisions.

The public names are loaded on first use, so that importing the package is cheap. Names for special
needs are in `errors`, `papers`, `priors`, `stability` and `typing`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchinfer import errors as errors
    from benchinfer import papers as papers
    from benchinfer import priors as priors
    from benchinfer import stability as stability
    from benchinfer import typing as typing
    from benchinfer.analyses.bayes.compare import compare_bayes
    from benchinfer.analyses.bayes.pairwise.compare import compare_bayes_pairs
    from benchinfer.analyses.board.board import board
    from benchinfer.analyses.bootstrap.compare import compare_bootstrap
    from benchinfer.analyses.choice.compare import compare
    from benchinfer.analyses.factors.compare import compare_factors
    from benchinfer.analyses.gate.gate import gate
    from benchinfer.analyses.meta.compare import compare_meta
    from benchinfer.analyses.meta.read import read_effects
    from benchinfer.analyses.mixed.compare import compare_mixed
    from benchinfer.analyses.monitor.monitor import monitor, monitor_measures
    from benchinfer.analyses.pair.compare import compare_pair
    from benchinfer.analyses.pareto.front import pareto
    from benchinfer.analyses.permutation.compare import compare_permutation
    from benchinfer.analyses.plan.allocation import allocate
    from benchinfer.analyses.plan.plan import plan
    from benchinfer.analyses.plan.variances import Components
    from benchinfer.analyses.points import compare_points
    from benchinfer.analyses.subgroups.archetypes.archetypes import archetypes
    from benchinfer.analyses.subgroups.characteristics import dataset_features
    from benchinfer.analyses.subgroups.compare import compare_subgroups
    from benchinfer.analyses.subgroups.regions.regions import regions
    from benchinfer.analyses.wins.compare import compare_wins
    from benchinfer.analyses.wins.counts import read_wins
    from benchinfer.comparison.per_dataset import per_dataset
    from benchinfer.core.errors import (
        BenchinferError,
        DesignError,
        ScoreTableError,
    )
    from benchinfer.core.measure import Measure
    from benchinfer.core.provenance import __version__
    from benchinfer.core.saving import load
    from benchinfer.plots.draw import plot
    from benchinfer.relations.consensus.consensus import consensus
    from benchinfer.relations.ensemble import Ensemble
    from benchinfer.relations.relation import Relation
    from benchinfer.reports.page import report
    from benchinfer.scores.declaration import Declaration
    from benchinfer.scores.examples import load_example
    from benchinfer.scores.read import read_scores, read_traces
    from benchinfer.scores.resampling import Resampling
    from benchinfer.scores.table import ScoreTable

_homes = {
    "BenchinferError": "core.errors",
    "Components": "analyses.plan.variances",
    "Declaration": "scores.declaration",
    "DesignError": "core.errors",
    "Ensemble": "relations.ensemble",
    "Measure": "core.measure",
    "Relation": "relations.relation",
    "Resampling": "scores.resampling",
    "ScoreTable": "scores.table",
    "ScoreTableError": "core.errors",
    "__version__": "core.provenance",
    "allocate": "analyses.plan.allocation",
    "archetypes": "analyses.subgroups.archetypes.archetypes",
    "board": "analyses.board.board",
    "compare": "analyses.choice.compare",
    "compare_bayes": "analyses.bayes.compare",
    "compare_bayes_pairs": "analyses.bayes.pairwise.compare",
    "compare_bootstrap": "analyses.bootstrap.compare",
    "compare_factors": "analyses.factors.compare",
    "compare_meta": "analyses.meta.compare",
    "compare_mixed": "analyses.mixed.compare",
    "compare_pair": "analyses.pair.compare",
    "compare_permutation": "analyses.permutation.compare",
    "compare_points": "analyses.points",
    "compare_subgroups": "analyses.subgroups.compare",
    "compare_wins": "analyses.wins.compare",
    "consensus": "relations.consensus.consensus",
    "dataset_features": "analyses.subgroups.characteristics",
    "gate": "analyses.gate.gate",
    "load": "core.saving",
    "load_example": "scores.examples",
    "monitor": "analyses.monitor.monitor",
    "monitor_measures": "analyses.monitor.monitor",
    "pareto": "analyses.pareto.front",
    "per_dataset": "comparison.per_dataset",
    "plan": "analyses.plan.plan",
    "plot": "plots.draw",
    "read_effects": "analyses.meta.read",
    "read_scores": "scores.read",
    "read_traces": "scores.read",
    "read_wins": "analyses.wins.counts",
    "regions": "analyses.subgroups.regions.regions",
    "report": "reports.page",
}

__all__ = [
    "BenchinferError",
    "Components",
    "Declaration",
    "DesignError",
    "Ensemble",
    "Measure",
    "Relation",
    "Resampling",
    "ScoreTable",
    "ScoreTableError",
    "__version__",
    "allocate",
    "archetypes",
    "board",
    "compare",
    "compare_bayes",
    "compare_bayes_pairs",
    "compare_bootstrap",
    "compare_factors",
    "compare_meta",
    "compare_mixed",
    "compare_pair",
    "compare_permutation",
    "compare_points",
    "compare_subgroups",
    "compare_wins",
    "consensus",
    "dataset_features",
    "gate",
    "load",
    "load_example",
    "monitor",
    "monitor_measures",
    "pareto",
    "per_dataset",
    "plan",
    "plot",
    "read_effects",
    "read_scores",
    "read_traces",
    "read_wins",
    "regions",
    "report",
]


_submodules = ("errors", "papers", "priors", "stability", "typing")


def __getattr__(name: str) -> object:
    if name in _submodules:
        return import_module(f"benchinfer.{name}")
    if name not in _homes:
        raise AttributeError(f"module 'benchinfer' has no attribute {name!r}")
    value = getattr(import_module(f"benchinfer.{_homes[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*_homes, *_submodules))
