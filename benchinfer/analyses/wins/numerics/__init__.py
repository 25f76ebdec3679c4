"""Likelihood and posterior of abilities."""
