"""Contrasts of cells, their tests and shares of variation, on arrays."""
