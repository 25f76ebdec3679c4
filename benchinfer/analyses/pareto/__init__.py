"""Pareto front of several measures."""
