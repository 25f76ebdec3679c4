"""Analyses: each turns a table of scores into a comparison."""
