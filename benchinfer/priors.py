"""Priors of the Bayesian analyses."""

from benchinfer.analyses.bayes.numerics.priors import Priors, PseudoObservation
from benchinfer.analyses.wins.numerics.posterior import WinPriors

__all__ = ["Priors", "PseudoObservation", "WinPriors"]
