"""Tables in: reading scores, checking them, and reducing them to arrays."""

from benchinfer.scores.cells import Blocks, Cells
from benchinfer.scores.coverage import Coverage, Finding
from benchinfer.scores.effects import Effects
from benchinfer.scores.examples import load_example
from benchinfer.scores.observations import DatasetCovariates, Observations
from benchinfer.scores.read import read_scores
from benchinfer.scores.read_effects import read_effects
from benchinfer.scores.read_wins import read_wins
from benchinfer.scores.resampling import Resampling
from benchinfer.scores.table import ScoreTable
from benchinfer.scores.wins import Wins

__all__ = [
    "Blocks",
    "Cells",
    "Coverage",
    "DatasetCovariates",
    "Effects",
    "Finding",
    "Observations",
    "Resampling",
    "ScoreTable",
    "Wins",
    "load_example",
    "read_effects",
    "read_scores",
    "read_wins",
]
