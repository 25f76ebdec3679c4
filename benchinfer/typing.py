"""Classes of what functions and methods return, for annotations."""

from benchinfer.analyses.bayes.comparison import BayesComparison
from benchinfer.analyses.bayes.leave_one_out import LeaveOneOut
from benchinfer.analyses.bayes.pairwise.comparison import BayesPairsComparison
from benchinfer.analyses.bayes.predictive_checks import PredictiveChecks
from benchinfer.analyses.bayes.responses.comparison import ResponseComparison
from benchinfer.analyses.board.result import Board
from benchinfer.analyses.choice.answer import Answer
from benchinfer.analyses.factors.factors import Factors
from benchinfer.analyses.gate.result import Gate, GatedMeasure, Need
from benchinfer.analyses.meta.comparison import MetaComparison
from benchinfer.analyses.meta.effects import Effects
from benchinfer.analyses.mixed.comparison import MixedComparison
from benchinfer.analyses.monitor.comparison import Consecutive, MonitorComparison
from benchinfer.analyses.monitor.measures import MonitoredMeasures
from benchinfer.analyses.pair.comparison import PairComparison
from benchinfer.analyses.pareto.front import Pareto
from benchinfer.analyses.plan.allocation import Allocation
from benchinfer.analyses.plan.result import Plan
from benchinfer.analyses.subgroups.archetypes.result import Archetypes
from benchinfer.analyses.subgroups.archetypes.stability import ArchetypeStability
from benchinfer.analyses.subgroups.regions.result import Regions
from benchinfer.analyses.subgroups.subgroups import Subgroups
from benchinfer.analyses.wins.comparison import WinsComparison
from benchinfer.analyses.wins.counts import Wins
from benchinfer.comparison.comparison import Comparison
from benchinfer.comparison.further.prediction import NewDataset
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.papers.styler import PaperTable
from benchinfer.relations.cluster_stability import ClusterStability
from benchinfer.relations.consensus.consensus import Consensus
from benchinfer.relations.consensus.stability import ConsensusInfluence, Stability
from benchinfer.scores import LimitedRuns, SufficientStatistics

__all__ = [
    "Allocation",
    "Answer",
    "ArchetypeStability",
    "Archetypes",
    "BayesComparison",
    "BayesPairsComparison",
    "Board",
    "ClusterStability",
    "Comparison",
    "Comparisons",
    "Consecutive",
    "Consensus",
    "ConsensusInfluence",
    "Effects",
    "Factors",
    "Gate",
    "GatedMeasure",
    "LeaveOneOut",
    "LimitedRuns",
    "MetaComparison",
    "MixedComparison",
    "MonitorComparison",
    "MonitoredMeasures",
    "Need",
    "NewDataset",
    "PairComparison",
    "PaperTable",
    "Pareto",
    "Plan",
    "PredictiveChecks",
    "Regions",
    "ResponseComparison",
    "Stability",
    "Subgroups",
    "SufficientStatistics",
    "Wins",
    "WinsComparison",
]
