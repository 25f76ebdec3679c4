"""Rows of a table: in their places, in an engine, or statistics in place of them."""
