"""Solvers of consensus problems."""
