"""Permutation tests within blocks."""
