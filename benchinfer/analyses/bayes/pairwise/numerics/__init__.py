"""Sign and signed-rank tests with a Dirichlet process prior, and the hierarchical model of one pair."""
