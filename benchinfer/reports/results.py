"""Results that a report shows, by kind."""

from benchinfer.analyses.board.result import Board
from benchinfer.analyses.factors.factors import Factors
from benchinfer.analyses.gate.result import Gate
from benchinfer.analyses.plan.allocation import Allocation
from benchinfer.analyses.plan.result import Plan
from benchinfer.analyses.subgroups.archetypes.result import Archetypes
from benchinfer.analyses.subgroups.archetypes.stability import ArchetypeStability
from benchinfer.analyses.subgroups.regions.result import Regions
from benchinfer.analyses.subgroups.subgroups import Subgroups, SubgroupStability
from benchinfer.comparison.comparison import BestSets, Comparison
from benchinfer.comparison.per_dataset import Comparisons
from benchinfer.relations.consensus.consensus import Consensus
from benchinfer.relations.ensemble import Ensemble
from benchinfer.relations.relation import Relation

# On which data sets who is better, or by which factors.
Where = Subgroups | SubgroupStability | Archetypes | ArchetypeStability | Regions | Factors
Result = (
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
