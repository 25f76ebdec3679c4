"""Robustness of verdicts: to the analysis, to level and tolerance, to what is left out."""
