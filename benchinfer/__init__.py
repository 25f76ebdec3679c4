"""Turn tables of benchmark scores into sound decisions.

The public names are loaded on first use, so that importing the package is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchinfer.compare.bayes import compare_bayes
    from benchinfer.compare.bootstrap import compare_bootstrap
    from benchinfer.compare.comparison import Comparison
    from benchinfer.compare.local import Comparisons, per_dataset
    from benchinfer.compare.meta import compare_meta
    from benchinfer.compare.mixed import compare_mixed
    from benchinfer.compare.pair import compare_pair
    from benchinfer.compare.pareto import pareto
    from benchinfer.compare.permutation import compare_permutation
    from benchinfer.compare.points import compare_points
    from benchinfer.compare.resample import resample_relations
    from benchinfer.compare.selection import mixed_structures
    from benchinfer.compare.wins import compare_wins
    from benchinfer.errors import (
        BenchinferError,
        DesignError,
        FitError,
        MissingExtra,
        NotAWeakOrder,
        ScoreTableError,
    )
    from benchinfer.measure import Measure
    from benchinfer.numerics.bayes.priors import Priors
    from benchinfer.numerics.bayes.pseudo import PseudoObservation
    from benchinfer.numerics.wins.posterior import WinPriors
    from benchinfer.order.consensus import Consensus, consensus
    from benchinfer.order.ensemble import Ensemble
    from benchinfer.order.influence import consensus_influence
    from benchinfer.order.relation import Relation
    from benchinfer.order.stability import bootstrap_consensus
    from benchinfer.order.weighing import consensus_weights
    from benchinfer.plots.draw import plot
    from benchinfer.reports.page import report
    from benchinfer.saving import load
    from benchinfer.scores import (
        Effects,
        Resampling,
        ScoreTable,
        Wins,
        load_example,
        read_effects,
        read_scores,
        read_wins,
    )
    from benchinfer.sequential.components import Components
    from benchinfer.sequential.monitor import monitor
    from benchinfer.sequential.plan import plan
    from benchinfer.version import __version__

_homes = {
    "BenchinferError": "errors",
    "Comparison": "compare.comparison",
    "Comparisons": "compare.local",
    "Components": "sequential.components",
    "Consensus": "order.consensus",
    "DesignError": "errors",
    "Effects": "scores",
    "Ensemble": "order.ensemble",
    "FitError": "errors",
    "Measure": "measure",
    "MissingExtra": "errors",
    "NotAWeakOrder": "errors",
    "Priors": "numerics.bayes.priors",
    "PseudoObservation": "numerics.bayes.pseudo",
    "Relation": "order.relation",
    "Resampling": "scores",
    "ScoreTable": "scores",
    "ScoreTableError": "errors",
    "WinPriors": "numerics.wins.posterior",
    "Wins": "scores",
    "__version__": "version",
    "bootstrap_consensus": "order.stability",
    "compare_bayes": "compare.bayes",
    "compare_bootstrap": "compare.bootstrap",
    "compare_meta": "compare.meta",
    "compare_mixed": "compare.mixed",
    "compare_pair": "compare.pair",
    "compare_permutation": "compare.permutation",
    "compare_points": "compare.points",
    "compare_wins": "compare.wins",
    "consensus": "order.consensus",
    "consensus_influence": "order.influence",
    "consensus_weights": "order.weighing",
    "load": "saving",
    "load_example": "scores",
    "mixed_structures": "compare.selection",
    "monitor": "sequential.monitor",
    "pareto": "compare.pareto",
    "per_dataset": "compare.local",
    "plan": "sequential.plan",
    "plot": "plots.draw",
    "read_effects": "scores",
    "read_scores": "scores",
    "read_wins": "scores",
    "report": "reports.page",
    "resample_relations": "compare.resample",
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
    "Measure",
    "MissingExtra",
    "NotAWeakOrder",
    "Priors",
    "PseudoObservation",
    "Relation",
    "Resampling",
    "ScoreTable",
    "ScoreTableError",
    "WinPriors",
    "Wins",
    "__version__",
    "bootstrap_consensus",
    "compare_bayes",
    "compare_bootstrap",
    "compare_meta",
    "compare_mixed",
    "compare_pair",
    "compare_permutation",
    "compare_points",
    "compare_wins",
    "consensus",
    "consensus_influence",
    "consensus_weights",
    "load",
    "load_example",
    "mixed_structures",
    "monitor",
    "pareto",
    "per_dataset",
    "plan",
    "plot",
    "read_effects",
    "read_scores",
    "read_wins",
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
