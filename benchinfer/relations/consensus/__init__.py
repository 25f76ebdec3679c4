"""Consensus of relations, with its stability."""
