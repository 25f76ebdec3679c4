"""Roles of columns by structure: kinds of columns, what depends on what, and ranked readings."""
