"""Figures of any comparison."""
