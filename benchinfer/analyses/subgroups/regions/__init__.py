"""Regions of a covariate of data sets in which one of two algorithms is better."""
