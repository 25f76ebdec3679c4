"""Preference relations, ensembles and consensus."""
