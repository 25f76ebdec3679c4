"""Stability of a consensus over data sets and replications."""

from benchinfer.analyses.bootstrap.relations import resample_relations
from benchinfer.relations.consensus.stability import bootstrap_consensus, consensus_influence

__all__ = ["bootstrap_consensus", "consensus_influence", "resample_relations"]
