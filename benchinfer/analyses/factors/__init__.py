"""Comparison of the levels of factors, whose combinations are the algorithms."""
