"""Scores as arrays."""
