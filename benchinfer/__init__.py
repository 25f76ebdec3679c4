"""Turn tables of benchmark scores into sound decisions.

The public names are loaded on first use, so that importing the package is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchinfer.compare.bootstrap import compare_bootstrap
    from benchinfer.compare.comparison import Comparison
    from benchinfer.compare.local import Comparisons, per_dataset
    from benchinfer.compare.mixed import compare_mixed
    from benchinfer.compare.pair import compare_pair
    from benchinfer.compare.permutation import compare_permutation
    from benchinfer.compare.points import compare_points
    from benchinfer.compare.selection import mixed_structures
    from benchinfer.errors import (
        BenchinferError,
        DesignError,
        FitError,
        MissingExtra,
        NotAWeakOrder,
        ScoreTableError,
    )
    from benchinfer.measure import Measure
    from benchinfer.order.ensemble import Ensemble
    from benchinfer.order.relation import Relation
    from benchinfer.plots.draw import plot
    from benchinfer.reports.page import report
    from benchinfer.saving import load
    from benchinfer.scores import Resampling, ScoreTable, load_example, read_scores
    from benchinfer.version import __version__

_homes = {
    "BenchinferError": "errors",
    "Comparison": "compare.comparison",
    "Comparisons": "compare.local",
    "DesignError": "errors",
    "Ensemble": "order.ensemble",
    "FitError": "errors",
    "Measure": "measure",
    "MissingExtra": "errors",
    "NotAWeakOrder": "errors",
    "Relation": "order.relation",
    "Resampling": "scores",
    "ScoreTable": "scores",
    "ScoreTableError": "errors",
    "__version__": "version",
    "compare_bootstrap": "compare.bootstrap",
    "compare_mixed": "compare.mixed",
    "compare_pair": "compare.pair",
    "compare_permutation": "compare.permutation",
    "compare_points": "compare.points",
    "load": "saving",
    "load_example": "scores",
    "mixed_structures": "compare.selection",
    "per_dataset": "compare.local",
    "plot": "plots.draw",
    "read_scores": "scores",
    "report": "reports.page",
}

__all__ = [
    "BenchinferError",
    "Comparison",
    "Comparisons",
    "DesignError",
    "Ensemble",
    "FitError",
    "Measure",
    "MissingExtra",
    "NotAWeakOrder",
    "Relation",
    "Resampling",
    "ScoreTable",
    "ScoreTableError",
    "__version__",
    "compare_bootstrap",
    "compare_mixed",
    "compare_pair",
    "compare_permutation",
    "compare_points",
    "load",
    "load_example",
    "mixed_structures",
    "per_dataset",
    "plot",
    "read_scores",
    "report",
]


def __getattr__(name: str) -> object:
    if name not in _homes:
        raise AttributeError(f"module 'benchinfer' has no attribute {name!r}")
    value = getattr(import_module(f"benchinfer.{_homes[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_homes)
