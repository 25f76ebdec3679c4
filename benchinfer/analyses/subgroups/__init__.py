"""Data sets on which algorithms compare differently: trees on their characteristics."""
