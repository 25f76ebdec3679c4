"""Robustness of verdicts to the analysis, level, tolerance, and omitted data sets or algorithms."""
