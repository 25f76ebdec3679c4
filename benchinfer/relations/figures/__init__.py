"""Figures of relations and ensembles."""
