"""Levels of a sequence of tests, and errors pooled over entries."""
