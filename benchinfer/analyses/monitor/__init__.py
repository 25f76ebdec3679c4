"""Decisions while an experiment runs."""
