"""Roles of columns, and frames in canonical columns."""
