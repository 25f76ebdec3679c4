"""Fluctuation tests, their null distribution, and models of the nodes of trees."""
