"""Hierarchical Bayesian models."""
