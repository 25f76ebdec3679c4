"""Published Bayesian tests of two algorithms."""
