"""Checks of tables: faults, findings, and the analysis that fits."""
