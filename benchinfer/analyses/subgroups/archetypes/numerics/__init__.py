"""Archetypal analysis on arrays."""
