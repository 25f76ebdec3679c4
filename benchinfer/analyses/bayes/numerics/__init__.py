"""Gibbs sampler and its conditional draws."""
