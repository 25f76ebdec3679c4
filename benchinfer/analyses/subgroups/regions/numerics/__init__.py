"""Simultaneous bands of lines."""
