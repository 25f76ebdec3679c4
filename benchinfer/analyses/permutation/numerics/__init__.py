"""Permutation distributions."""
