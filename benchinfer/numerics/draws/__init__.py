"""Posterior draws: convergence of chains, probabilities of outcomes and ranks."""
