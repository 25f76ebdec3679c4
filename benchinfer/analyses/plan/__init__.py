"""Sample sizes: data sets and replications."""
