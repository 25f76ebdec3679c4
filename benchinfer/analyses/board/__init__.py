"""Boards: whether each entry of a sequence beats the record of its day."""
