"""Curves of training and of evaluations while training."""
