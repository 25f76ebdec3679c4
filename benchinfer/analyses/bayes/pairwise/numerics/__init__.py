"""Sign and signed-rank tests with Dirichlet priors, and the hierarchical model of one pair."""
