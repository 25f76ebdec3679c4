"""Fluctuation tests, models of the nodes of trees, archetypes, and bands of lines on arrays."""
