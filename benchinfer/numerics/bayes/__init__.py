"""The hierarchical Bayesian model of scores: exact reduction, Gibbs sampler, predictions."""
