"""Likelihoods and optima of mixed models."""
