"""Distances and partial orders on arrays."""
