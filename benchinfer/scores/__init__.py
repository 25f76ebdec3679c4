"""Tables in: reading scores, checking them, and reducing them to arrays."""

from benchinfer.scores.coverage import Coverage, Finding
from benchinfer.scores.declaration import Declaration
from benchinfer.scores.examples import load_example
from benchinfer.scores.read import read_scores, read_traces
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.rows.reductions import (
    Blocks,
    Cells,
    DatasetCovariates,
    Observations,
)
from benchinfer.scores.rows.sufficient import SufficientStatistics
from benchinfer.scores.runs import LimitedRuns
from benchinfer.scores.table import ScoreTable

__all__ = [
    "Blocks",
    "Cells",
    "Coverage",
    "DatasetCovariates",
    "Declaration",
    "Finding",
    "LimitedRuns",
    "Observations",
    "Resampling",
    "ScoreTable",
    "SufficientStatistics",
    "load_example",
    "read_scores",
    "read_traces",
]
