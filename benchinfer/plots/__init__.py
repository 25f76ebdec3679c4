"""Figures: one per file, each a pure `layout` and a `draw`; no statistics are computed here."""
